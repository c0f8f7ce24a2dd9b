"""Diagnostics of runs that are made up here, for tests of what reads them."""

import numpy as np
import xarray as xr
from whorl.base.hdf5 import open_hdf5
from whorl.config.case import Case
from whorl.config.measures import series_columns
from whorl.diagnostics.record import Measured
from whorl.output.directory import RunDirectory
from whorl.output.groups import States, write_group
from whorl.output.series import Series
from whorl.results.runs import RunResults, open_run

BLOCKS = [
    {"kind": "pdf", "of": ["u.x", "p"], "bins": 9, "range": [-4, 4]},
    {"kind": "moments", "of": ["u.x", "p"], "order": 5},
    {"kind": "joint-pdf", "of": ["u.x", "p"], "bins": [6, 7]},
    {"kind": "conditional", "of": ["u.x", "u.y"], "given": "p", "bins": 8},
    {"kind": "profile", "of": ["u.x", "u.y"]},
    {"kind": "spectrum", "of": ["u.x", "u.y"]},
    {"kind": "structure-functions", "of": ["u", "p"], "order": 6, "along": ["x", "z"]},
]


def case_of(blocks=BLOCKS, **sections) -> Case:
    usual = {"grid": {"points": 8}, "flow": {"viscosity": 0.1}, "time": {"until": 1}}
    return Case(**usual | sections, diagnostics=blocks)


def states_of(case: Case, times: np.ndarray, seed: int = 1) -> dict[str, xr.Dataset]:
    """States of all diagnostics of a case with random numbers, whole ones of what is a sum.

    Edges of bins are true, and each bin has modes.
    """
    rng, found = np.random.default_rng(seed), {}
    for one in case.diagnostics:
        layout = case.planned.together(one)[1][0]

        def row(layout=layout):
            values = {}
            for array in layout.arrays:
                shape = layout.shape_of(array)
                if array.name.endswith(("_lower", "_upper")):
                    values[array.name] = array.of(None)
                elif array.name == "modes":
                    values[array.name] = np.full(shape, 7.0)
                elif array.over_time == "sum":
                    values[array.name] = rng.poisson(3.0, shape)
                else:
                    values[array.name] = 2 + rng.normal(size=shape)
            return values

        measured = Measured(one, layout)
        for step, time in enumerate(times):
            measured.add(step, time, row())
        found[one.label] = measured.dataset()
    return found


def run_with_diagnostics(path, times: np.ndarray, blocks=BLOCKS, **states: xr.Dataset) -> RunResults:
    """A run with a series of independent rows, and these states in place of random ones."""
    directory, case = RunDirectory(path), case_of(blocks)
    directory.create(case)
    series = Series(series_columns(case), directory.series)
    series.resume([])
    rng = np.random.default_rng(2)
    names = [column.name for column in series.columns]
    for step, time in enumerate(times):
        values = dict(zip(names, 1 + 0.1 * rng.normal(size=len(names)), strict=True))
        series.append(values | {"step": step, "time": time})
    with open_hdf5(directory.diagnostics, "w") as file:
        for name, data in (states_of(case, times) | states).items():
            write_group(file, name, States.of(data))
    return open_run(path)
