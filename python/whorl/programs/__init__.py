"""Quantities typed as text: expressions become programs that the core runs at the points of the grid.

Its modules, each of which reaches only those before it:
operations, linear, nodes, points, separate, tally, increments, values, language, parse,
brought, span, plan, questions.
"""
