"""What a run writes: what is measured of a state, the tables, snapshots and checkpoints, and the directory.

Its modules, each of which reaches only those before it:
checkpoint, checksums, lock, measures, series, snapshot_series, snapshots, diagnostics, directory,
mode_arrays, spectra, recorder.
"""
