"""Flows for tests: made like a twin, filled from whole arrays and read back into them."""

from typing import Any

import numpy as np
from whorl import _core
from whorl.base.ranks import MPI
from whorl.run.core_options import core_scheme

from support import devices
from support.twin import Twin

PRECISIONS = ("single", "double")

# A transform's error is near eps log2(points), 12 to 14 here; a step has at most 8 of them, and its values
# add up a few terms: 100 eps of the largest value is seldom approached and never exceeded.
ROUNDING = {name: 100 * np.finfo(dtype).eps for name, dtype in zip(PRECISIONS, ("f4", "f8"), strict=True)}


# Parameters of navier-stokes beside the viscosity.
NO_FURTHER_TERMS = dict.fromkeys(
    [
        *("hyperviscosity", "hyperviscosity_power", "hypoviscosity", "hypoviscosity_power", "drag"),
        *(f"{name}_{axis}" for name in ("rotation", "mean_velocity") for axis in "xyz"),
    ],
    0.0,
)


def options(twin: Twin, **settings: Any) -> _core.Options:
    """Options of a flow like the twin; one thread unless `settings` say otherwise.

    What packs nothing has to reach a device's memory: MPI may, where it is the host's.
    """
    if settings.get("transport") == "datatypes" and devices.current() == "cpu-as-gpu":
        settings = {"gpu_aware": "yes", **settings}
    scheme = core_scheme(settings.pop("scheme", twin.scheme))
    return _core.Options(
        **{
            "points": twin.points,
            "lengths": twin.lengths,
            "dealias": twin.dealias,
            "shape": twin.shape,
            "scheme": scheme,
            "parameters": NO_FURTHER_TERMS | {"viscosity": twin.viscosity},
            "shift_seed": twin.shift_seed,
            "device": devices.current(),
            "threads": 1,
            **settings,
        }
    )


# By `make`, on several ranks, and closed when a test's body has ended: what MPI keeps of them would fill the
# jobs, which live for many tests.
made: list[_core.Flow] = []


def make(world: MPI.Intracomm, twin: Twin, **settings: Any) -> _core.Flow:
    flow = _core.Flow(options(twin, **settings), world.py2f())
    if world.size > 1:
        made.append(flow)
    return flow


def noise(twin: Twin, seed: int = 0) -> np.ndarray:
    """A velocity u[component, z, y, x] of white noise and a mean: every mode is there, kept or not."""
    nx, ny, nz = twin.points
    u = np.random.default_rng(seed).standard_normal((3, nz, ny, nx))
    return u + np.array([0.5, -0.3, 0.2])[:, None, None, None]


def write(flow: _core.Flow, u: np.ndarray, project: bool = True) -> None:
    """Sets the velocity from the whole array."""

    def fill(z0: int, z1: int, y0: int, y1: int, out: np.ndarray) -> None:
        out[...] = u[:, z0:z1, y0:y1]

    flow.set_physical(fill, project)


def read(world: MPI.Intracomm, flow: _core.Flow, name: str = "velocity") -> np.ndarray:
    """A field as one array on every rank; fails unless each point came exactly once, from its owner."""
    nx, ny, nz = flow.options.points
    whole, times = np.zeros((3, nz, ny, nx)), np.zeros((nz, ny), int)
    first_z, last_z, first_y, last_y = flow.physical_block
    dtype = np.dtype("f4" if flow.options.precision == "single" else "f8")

    def consume(z0: int, z1: int, y0: int, y1: int, block: np.ndarray) -> None:
        assert block.dtype == dtype
        assert block.shape == (3, z1 - z0, y1 - y0, nx)
        assert first_z <= z0 <= z1 <= last_z
        assert (first_y, last_y) == (y0, y1)
        whole[:, z0:z1, y0:y1] = block
        times[z0:z1, y0:y1] += 1

    flow.read_fields(name, consume)
    world.Allreduce(MPI.IN_PLACE, whole)
    world.Allreduce(MPI.IN_PLACE, times)
    assert (times == 1).all()
    return whole


def assert_close(
    actual: Any, expected: Any, precision: str, scale: float = 0.0, what: str = "values"
) -> None:
    """Equal within ROUNDING of the largest expected value, or of `scale` if that is larger."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape, f"{what}: shape {actual.shape}, expected {expected.shape}"
    error = np.abs(actual - expected)
    limit = ROUNDING[precision] * max(float(np.abs(expected).max(initial=0)), scale)
    if not error.max(initial=0) <= limit:
        worst = np.unravel_index(np.nanargmax(np.where(np.isnan(error), np.inf, error)), error.shape)
        place = tuple(int(i) for i in worst)
        raise AssertionError(
            f"{what}: {actual[worst]!r} at {place}, expected {expected[worst]!r}; the difference "
            f"{error[worst]:.3g} is above {limit:.3g}, and so are {np.mean(~(error <= limit)):.1%} of them"
        )
