"""The output of a run: measurements of a state, tables, snapshots and checkpoints, and the directory.

Its modules, each of which reaches only those before it:
checkpoint, checksums, lock, diagnostics, table, series, snapshot_series, snapshots, directory, means,
checkpoint, checksums, lock, diagnostics, table, series, snapshot_series, snapshots, directory, means,
accuracy, mode_arrays, spectra, recorder.
"""
