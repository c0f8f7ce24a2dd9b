"""Spectra and correlations in time of the series of probes, with errors."""
