"""Modes that something drives against strong diffusion: which schemes are accurate, and what a run says."""

import math

import numpy as np
import pytest
from physics.flows import EXPONENTIAL
from support import devices
from whorl.config.case import Case
from whorl.run.driven import fastest_driven
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

DIFFUSIVITY = 400.0
# Of an integrating factor with rk4, by z = κ k² dt of the driven mode.
ERRORS = {8.0: 0.43, 4.0: 0.06, 1.0: 3.4e-4, 0.4: 9e-6}


def stirred(scheme: str, z: float, precision: str = "double", **more) -> Simulation:
    """A scalar that a steady flow drives along a mean gradient: θ = −sin(y)/κ in the end."""
    case = Case(
        grid={"points": [4, 8, 4]},
        flow={"viscosity": 0.0},
        time={"scheme": scheme, "dt": z / DIFFUSIVITY, "steps": int(30 / z) + 20},
        scalars=[{"name": "dye", "diffusivity": DIFFUSIVITY, "gradient": [1.0, 0.0, 0.0]}],
        run={"device": devices.current(), "precision": precision},
        **more,
    )
    return Simulation(case, lambda x, y, z: (np.sin(y) + 0 * (x + z), 0.0, 0.0))


def error_of(simulation: Simulation) -> float:
    simulation.run(progress=False)
    y = simulation.coordinates[1]
    return float(np.abs(DIFFUSIVITY * simulation.field("dye")[0, 0, :, 0] + np.sin(y)).max())


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("scheme", sorted(EXPONENTIAL))
def test_a_steady_state_is_exact_at_any_step(scheme, precision):
    bound = 1e-13 if precision == "double" else 1e-6
    for z in ERRORS:
        assert error_of(stirred(scheme, z, precision)) < bound


def test_a_force_that_is_quadratic_in_time_is_exact_where_modes_decay_slowly():
    # da/dt = -r a + t^2: the functions of a small r dt must not cancel (core/base/exponential.hpp).
    rate, end = 0.002, 4.0
    force = {"kind": "steady", "shape": {"name": "formula", "value": ["t**2*sin(y)", "0", "0"]}}
    case = Case(
        grid={"points": 8},
        flow={"viscosity": rate},
        time={"dt": 1.0, "until": end, "scheme": "etdrk4"},
        forcing=[force],
        initial={"name": "zero"},
        run={"device": devices.current()},
    )
    simulation = Simulation(case)
    simulation.run(progress=False)
    a = sum((-rate) ** n * 2 * end ** (n + 3) / math.factorial(n + 3) for n in range(20))
    assert simulation.statistics()["energy"] == pytest.approx(a**2 / 4, rel=1e-12)


@pytest.mark.only_cpu
def test_an_integrating_factor_errs():
    for z, error in ERRORS.items():
        assert error_of(stirred("rk4-gill", z)) == pytest.approx(error, rel=0.1)


@pytest.mark.only_cpu
@pytest.mark.parametrize(("scheme", "z"), [("rk4-gill", 8.0), ("rk4-gill", 0.4), ("etdrk4", 8.0)])
def test_a_run_tells_of_modes_that_decay_within_a_step(scheme, z, tmp_path):
    with stirred(scheme, z, output={"directory": str(tmp_path / "run")}) as simulation:
        simulation.run(progress=False)
    log = (tmp_path / "run" / "log.txt").read_text()
    told = "the modes of k = 1 that the mean gradient of dye drives decay 8 times by e in a step of 0.02"
    assert (told in log) == (scheme == "rk4-gill" and z > 1)
    assert ('give time.dt = 0.0025 or less, or time.scheme = "etdrk4"' in log) == (told in log)


FORCES = {
    "by its band": ({"kind": "stochastic", "power": 1e-3, "correlation_time": 0.0, "k_max": 3.0}, 3.0),
    "by its shape": ({"kind": "steady", "shape": {"name": "kolmogorov", "k_f": 2}, "amplitude": 0.1}, 2.0),
    "none, for all modes": ({"kind": "linear", "rate": 0.1}, 0.0),
}


@pytest.mark.only_cpu
@pytest.mark.parametrize(
    ("model", "losses", "rate"),
    [
        ("navier-stokes", {"viscosity": 0.0, "hyperviscosity": 0.5}, 0.5 * 2**4),
        ("navier-stokes", {"viscosity": 0.1, "hypoviscosity": 4.0, "drag": 0.3}, 0.1 * 4 + 4.0 / 4 + 0.3),
        ("quasi-static-mhd", {"viscosity": 0.1, "interaction": 7.0}, 0.1 * 4 + 7.0),
    ],
)
def test_all_that_is_integrated_exactly_decays(model, losses, rate):
    case = Case(
        grid={"points": 12},
        flow={"model": model} | losses,
        time={"dt": 0.01, "steps": 1},
        forcing=[FORCES["by its shape"][0]],
        initial={"name": "taylor-green"},
    )
    driven = fastest_driven(case, Simulation(case).flow)
    assert (driven.k, driven.rate) == (pytest.approx(2.0), pytest.approx(rate))


@pytest.mark.parametrize("name", FORCES)
def test_a_force_has_a_wavenumber(name):
    force, k = FORCES[name]
    case = Case(
        grid={"points": 12},
        flow={"viscosity": 0.1},
        time={"dt": 0.01, "steps": 1},
        forcing=[force],
        initial={"name": "taylor-green"},
        run={"device": devices.current()},
    )
    assert Simulation(case).flow.forced_wavenumber(0) == pytest.approx(k, rel=1e-12)
