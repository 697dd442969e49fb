"""The protocol between devices and the service: its test vectors, and the command that makes them."""
