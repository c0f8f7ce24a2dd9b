"""Means of diagnostics over a window of time with errors, and the numbers that follow from them."""
