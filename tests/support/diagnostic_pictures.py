"""Diagnostics of all kinds from states that are made up here, and what is looked at in their pictures."""

import numpy as np
import xarray as xr
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import FillBetweenPolyCollection
from matplotlib.figure import Figure
from whorl.diagnostics.picture import draw_diagnostic
from whorl.diagnostics.results.means import pooled

from support.diagnostic_files import case_of, states_of
from support.processes import equal

TIMES = equal(30, 1.0)
DYE = {"scalars": [{"name": "dye"}]}
PLATES = {
    "grid": {"points": 8, "lengths": [2.0, 2.0, 1.0], "bases": "SFF"},
    "flow": {"model": "rayleigh-benard", "rayleigh": 1e4, "prandtl": 1.0},
}
CONDUCTING = {"flow": {"model": "mhd", "viscosity": 0.1, "resistivity": 0.1}}
MODELS = {
    "slice": {},
    "line": {},
    "gradients": {},
    "dissipation": {},
    "pressure": {},
    "scalars": DYE,
    "convection": PLATES,
    "stratification": {"flow": {"model": "boussinesq", "viscosity": 0.1, "buoyancy_frequency": 1.0}},
    "transfer": CONDUCTING,
    "shell-to-shell": CONDUCTING,
    "ring-to-ring": CONDUCTING,
    "correlation": DYE,
    "triads": CONDUCTING,
    "vortices": {
        "grid": {"points": [16, 16, 1]},
        "flow": {"model": "navier-stokes-2d", "viscosity": 0.1},
    },
    "current": CONDUCTING,
    "condensate": {"flow": {"model": "gross-pitaevskii", "sound_speed": 1.0, "coherence_length": 0.5}},
}
OPTIONS = {
    "correlation": {"of": ["u", "dye"]},
    "triads": {"modes": [[[1, 0, 0], [0, 1, 1]], [[1, 1, 0], [0, -1, 1]]]},
    "vortices": {"most": 20},
    "slice": {"of": ["u", "p"], "normal": "y", "at": 0.8},
    "line": {"of": ["u.x", "p"], "along": "z", "at": [0.8, 0.0]},
    "ring-to-ring": {"shells": "logarithmic", "per_octave": 1, "sectors": 3},
}


def states_of_model(kind: str, **options) -> xr.Dataset:
    """The states of a kind that needs a model or options of its own."""
    block = {"kind": kind} | OPTIONS.get(kind, {}) | options
    return states_of(case_of([block], **MODELS[kind]), TIMES)[kind]


STATES = states_of(case_of(), TIMES) | {kind: states_of_model(kind) for kind in MODELS}


def means(kind: str) -> xr.Dataset:
    """The means of a kind with errors."""
    return means_of(STATES[kind])


def means_of(states: xr.Dataset) -> xr.Dataset:
    """Those of some states."""
    return pooled(states).assign_attrs(states.attrs)


def drawn(data: xr.Dataset, how=None) -> Figure:
    """The figure, which is really made: faults may appear only then."""
    if how is None:
        figure = draw_diagnostic(data, "title")
    else:
        figure = Figure(layout="constrained")
        how(figure, data)
    FigureCanvasAgg(figure).draw()
    return figure


def curves_of(ax) -> dict[str, np.ndarray]:
    """The values of the curves of a graph, by what the legend calls them."""
    return {line.get_label(): line.get_ydata() for line in ax.lines if not line.get_label().startswith("_")}


def bands_of(ax) -> list[FillBetweenPolyCollection]:
    """The bands of errors."""
    return [one for one in ax.collections if isinstance(one, FillBetweenPolyCollection)]
