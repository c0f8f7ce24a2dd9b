"""Quantities typed as text: parsed, planned as programs for the points, and answered by the core."""
