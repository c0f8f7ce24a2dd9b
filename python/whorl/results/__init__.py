"""The results of a run: datasets and pictures, from its files alone.

Its modules, each of which reaches only those before it:
checkpoint_modes, picture_style, slices, averages, runs, window_picture, plots,
probes, probe_plots.
"""
