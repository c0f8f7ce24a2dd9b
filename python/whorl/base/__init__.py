"""The basis of every other folder: errors, text and TOML, whole files, and HDF5 and MPI as available."""
