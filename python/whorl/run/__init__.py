"""A run: it builds the core from a case and owns the clock and the loop."""
