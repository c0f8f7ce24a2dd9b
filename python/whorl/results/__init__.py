"""The results of a run: datasets and pictures, from its files alone.

Its modules, each of which reaches only those before it:
checkpoint_modes, picture_style, slices, window, by_name, averages, pooled, structure_functions,
diagnostic_means, runs, compensated, window_picture, spectra_picture, plots, diagnostic_plots,
diagnostic_picture, compensated_picture, probes, correlated_groups, time_correlation, probe_correlation,
probe_plots, correlation_picture, path_means, path_moments, path_rows, path_series, particle_plots,
path_picture, lagrangian, separations, clustering, particle_means, lagrangian_plots, report.
"""
