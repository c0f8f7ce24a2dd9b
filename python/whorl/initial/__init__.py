"""Initial fields: by name, from formulas, files and checkpoints, or from a script.

Its modules, each of which reaches only those before it:
checks, regrid, superfluid_vortices, files, checkpoints, snapshots, fields.
"""
