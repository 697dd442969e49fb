"""The contribution page: what you have, what is sent, what can be inferred. Its private part runs in the browser."""
