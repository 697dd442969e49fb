"""The command line: one file a command; errors become one line and an exit code."""

from privge.cli.main import main

__all__ = ["main"]
