"""What is measured of a flow where it passes: expressions on the present state.

Its modules, each of which reaches only those before it:
selections, answers, expressions, probes, particles.
"""
