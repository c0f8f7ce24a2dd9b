"""Particles that move with the flow: options, questions, rows, files, statistics along paths, pictures."""
