"""What every other folder stands on: errors, text and TOML, whole files, HDF5 and MPI as they are to be had.

Its modules, each of which reaches only those before it:
declared, instruction_levels, ranks, text, toml, version, errors, files, hdf5, parallel.
"""
