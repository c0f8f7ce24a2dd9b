"""Quantities typed as text: parsed, planned as programs for the points, and answered by the core.

Functions are in `language.FUNCTIONS`, infix operators in `parse.ARITHMETIC`, operations at a point in
`operations.OPERATIONS` and core/programs/operations.hpp.
"""
