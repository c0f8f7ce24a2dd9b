"""The cost of a step, on this machine and on others: the floor, benches and the planner.

Its modules, each of which reaches only those before it:
floor, information, benches, planner.
"""
