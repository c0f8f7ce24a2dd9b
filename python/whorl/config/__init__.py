"""A case: every option and every column declared once, and wrong ones told in sentences.

Its modules, each of which reaches only those before it:
clock, columns, dealiasing, earlier, formulas, schemes, sizes, wavenumbers, narrowed, positions, section,
time, suggest, explain, initial_options, models, notebooks, scalars, forcing, forces_named, turnovers,
measures, vocabulary, diagnostics, mode_shells, probes, particles, expressions, outputs, settings, checks,
case, truncation.
"""
