"""Runs that end in something to look at."""
