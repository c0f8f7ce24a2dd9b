"""What a run will take, before it is queued: memory, time and output of a case on a machine.

The equations and where they come from are in docs/planner.md.
"""
