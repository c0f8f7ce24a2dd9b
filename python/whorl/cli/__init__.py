"""The command `whorl`, with a file for each group of its commands."""
