"""What the service answers: one file for each kind of caller, one table of all operations."""
