"""The output of a run: measurements of a state, tables, snapshots and checkpoints, and the directory.

Its modules, each of which reaches only those before it:
checkpoint, checksums, lock, moment, table, series, diagnostic_files, growing_file, diagnostics,
probe_files, probes, particle_views, paths, particle_checkpoint, snapshot_series, snapshot_format,
snapshot_header, snapshot_writer, snapshots, directory, named_state, means, accuracy, condition,
mode_arrays, spectra, resolution, plans, recorder.
"""
