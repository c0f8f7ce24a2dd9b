"""The basis of every other folder: errors, text and TOML, whole files, and HDF5 and MPI as available.

Its modules, each of which reaches only those before it:
declared, forks, host, instruction_levels, ranks, endings, numbers, plain, text, toml, version, errors,
files, hdf5, parallel.
"""
