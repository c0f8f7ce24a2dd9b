"""A run with a diagnostic of every usual kind."""

import numpy as np
from support import devices
from whorl.config.case import Case

POINTS = [20, 16, 18]
RANDOM = {"name": "random", "k0": 2.0, "seed": 5}
WANTED = [
    {"kind": "pdf", "of": ["grad(u)", "p"], "bins": 60, "every": "2 steps"},
    {"kind": "moments", "of": ["dx(u.x)", "norm(omega)"], "every": "3 steps"},
    {"kind": "joint-pdf", "of": ["u.x", "dy(u.x)"], "bins": [8, 12], "range": [[-3, 3], [-5.0, 5.0]]},
    {"kind": "conditional", "of": "u", "given": "u.x", "bins": 9, "range": [-3, 3], "every": "2 steps"},
    {"kind": "profile", "of": ["u", "u.x*u.z"], "every": "4 steps"},
    {"kind": "spectrum", "of": ["u", "u.x*u.y"], "every": "5 steps"},
    {"kind": "slice", "of": ["u", "p"], "at": 1.0, "stride": 2, "every": "2 steps"},
    {"kind": "line", "of": "dx(u)", "along": "x", "at": [1.0, 2.0], "every": "2 steps"},
]


def case_of(directory=None, **sections) -> Case:
    output = {"series_every": "1 steps", "checkpoint_every": "4 steps", "spectra_every": "5 steps"}
    given = {
        "grid": {"points": POINTS, "lengths": [2 * np.pi, 3.0, 5.0]},
        "flow": {"viscosity": 0.01},
        "time": {"courant": 0.5, "steps": 10},
        "initial": RANDOM,
        "output": output | ({"directory": str(directory)} if directory else {}),
        "run": {"threads": 1, "device": devices.current()},
        "diagnostics": WANTED,
    }
    return Case(**given | sections)


def whole(state, text):
    """The components of a text at all points, one after another."""
    values = state.gather(text)
    return values.reshape(len(values), -1)
