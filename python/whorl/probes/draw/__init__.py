"""The pictures of probes: series with their spectra, and correlations in time."""
