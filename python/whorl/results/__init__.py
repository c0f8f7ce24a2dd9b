"""The results of a run: datasets and pictures, from its files alone.

Its modules, each of which reaches only those before it:
checkpoint_modes, picture_style, slices, window, averages, pooled, structure_functions, diagnostic_means,
runs, window_picture, plots, diagnostic_plots, diagnostic_picture, probes, probe_plots,
particle_plots, report.
"""
