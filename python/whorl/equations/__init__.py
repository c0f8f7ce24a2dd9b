"""Typed equations: their algebra, which makes a plan of numbers of them.

`text` reads declarations, `split` parts linear, polynomial and other terms. `forms` searches for the least
inputs, `formulas` finds the coefficients, `sums` products and fluxes, `plan` has the tables. `compile` does
all.
"""
