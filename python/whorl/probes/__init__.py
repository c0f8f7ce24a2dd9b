"""Probes, series of modes and points: options, reading, file, correlations and spectra in time, pictures."""
