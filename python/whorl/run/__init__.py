"""A run: it builds the core from a case and owns the clock and the loop.

Its modules, each of which reaches only those before it:
control_groups, declared, program_needs, core_options, exchange_choice, fitting, lasting_output,
memory_limits, modes, progress, signals, threads, row_checks, checks, provenance, placement, particles,
particle_groups, state, records, forces, tune, turnovers, callbacks, ends, driven, tolerance, advance,
restart, simulation, analysis.
"""
