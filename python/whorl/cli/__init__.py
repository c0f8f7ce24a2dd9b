"""The command `whorl`, with a file for each group of its commands.

Its modules, each of which reaches only those before it:
options, tables, templates, bench, plan, runs, report, analyse, averages, lists, main.
"""
