"""The output of a run: measurements of a state, tables, snapshots and checkpoints, and the directory."""
