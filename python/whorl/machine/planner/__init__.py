"""Predictions before a run is queued: memory, time and output of a case on a machine.

docs/planner.md has the equations and their sources.
"""
