"""Diagnostics of a run: options of each kind, measurement, means over a window, pictures."""
