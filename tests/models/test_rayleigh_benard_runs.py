"""Convection between free-slip plates: initial fields, schemes, scalars, precision, restart and ranks."""

import math

import numpy as np
import pytest
from models.convection import (
    LENGTHS,
    POINTS,
    WALLS,
    make,
    random_start,
)
from models.waves import (
    EPSILON,
    check_ranks,
    check_restart,
    rates_of_change,
)
from physics.flows import SCHEMES, distance, run, slope
from support.ranks import on_ranks
from whorl.cli.templates import example_case
from whorl.config.positions import coordinates
from whorl.models import MODELS
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

# Initial fields, schemes, scalars, precision, restart


@pytest.mark.parametrize("bases", WALLS)
def test_random_fields_fit_the_walls(bases):
    """What set_random makes comes back from its own values at the points, with the energy asked for."""
    case = make(bases=bases)
    named = type(case)(
        **case.to_dict()
        | {
            "initial": {
                "name": "random",
                "k0": 3.0,
                "energy": 0.3,
                "temperature": {"name": "random", "k0": 3.0},
            }
        }
    )
    simulation = Simulation(named)
    again = run(case, {name: simulation.field(name) for name in ("velocity", "temperature")}, 0)
    for name in ("velocity", "temperature"):
        assert distance(again.field(name), simulation.field(name)) < 1e-13
    assert simulation.statistics()["energy"] == pytest.approx(0.3, rel=0.05)
    assert simulation.statistics()["thermal_variance"] == pytest.approx(0.5, rel=0.05)
    for name, value in simulation.statistics().items():
        assert again.statistics()[name] == pytest.approx(value, rel=1e-9, abs=1e-12, nan_ok=True), name


def end_state(scheme, count, bases, start):
    case = make((10, 12, 8), 3000.0, 2.0, scheme=scheme, dt=0.5 / count, bases=bases)
    simulation = run(case, start, count)
    return np.concatenate([simulation.velocity(), simulation.field("temperature")])


def smooth_start(bases, points=(10, 12, 8)):
    """Of the longest waves only, so that few steps resolve it."""
    case = make(points, bases=bases)
    x, y, z = (
        c.reshape(s)
        for c, s in zip(coordinates(case.grid), ((1, 1, -1), (1, -1, 1), (-1, 1, 1)), strict=True)
    )
    a, b = (2 * math.pi / LENGTHS[0], 2 * math.pi / LENGTHS[1])
    u = np.sin(a * x) * np.cos(b * y) * np.cos(math.pi * z)
    v = -a / b * np.cos(a * x) * np.sin(b * y) * np.cos(math.pi * z)
    w = 0.5 * np.cos(a * x) * np.sin(2 * math.pi * z) + 0 * y
    theta = 0.4 * np.cos(a * x) * np.cos(b * y) * np.sin(math.pi * z) + 0.3 * np.sin(2 * math.pi * z)
    return {"velocity": 0.5 * np.stack([u, v, w]), "temperature": theta[None]}


@pytest.mark.turns
@pytest.mark.parametrize("bases", ["SFF", "SSF", "SSS"])
@pytest.mark.parametrize(("scheme", "order"), SCHEMES.items())
def test_every_scheme_has_its_order_in_every_basis(scheme, order, bases):
    start, counts = smooth_start(bases), (10, 15, 22)
    truth = end_state("rk4", 120, bases, start)
    errors = [distance(end_state(scheme, count, bases, start), truth) for count in counts]
    assert slope([1 / n for n in counts], errors) == pytest.approx(order, abs=0.25)


@pytest.mark.parametrize("bases", ["SFF", "SSF", "SSS"])
def test_a_scalar_between_walls(bases):
    """Insulated walls: dye of ½ everywhere stays, and its variance is lost to diffusion alone."""
    scalars = [{"name": "dye", "diffusivity": 0.02}, {"name": "flat", "diffusivity": 0.02}]
    start = random_start(POINTS, bases, 6, size=0.1)
    dye = np.random.default_rng(7).standard_normal((1, *POINTS[::-1]))
    case = make(dt=0.001, bases=bases, scalars=scalars)
    simulation = run(case, start | {"dye": dye, "flat": np.full_like(dye, 0.5)}, 2)
    now, slopes = rates_of_change(simulation, 0.001)
    assert slopes["dye_variance"] == pytest.approx(-now["dye_dissipation"], rel=1e-7)
    assert simulation.field("flat") == pytest.approx(0.5, abs=1e-14)
    assert simulation.field("dye").mean() == pytest.approx(dye.mean(), abs=1e-15)


@pytest.mark.parametrize("bases", WALLS)
def test_single_precision(bases):
    single, double = (
        run(make(bases=bases, precision=p, dt=0.02), smooth_start(bases, POINTS), 5)
        for p in ("single", "double")
    )
    for name in ("velocity", "temperature"):
        assert single.field(name).dtype == np.float32
        assert 0.02 * EPSILON < distance(single.field(name), double.field(name)) < 15 * EPSILON


@pytest.mark.parametrize("bases", WALLS)
def test_a_restart_repeats_the_run_bit_for_bit(tmp_path, bases):
    output = {"directory": str(tmp_path / "run"), "checkpoint_every": "3 steps"}
    case = make(bases=bases, dt=0.02, output=output)
    whole = run(case, random_start(POINTS, bases, 8), 5)
    check_restart(whole, "velocity", "temperature")


@on_ranks(2, 3)
@pytest.mark.parametrize("bases", WALLS)
def test_ranks_give_the_same(world, bases):
    check_ranks(world, make(bases=bases, dt=0.02), random_start(POINTS, bases, 9))


@on_ranks(2, 3, 4)
def test_ranks_share_a_plane(world):
    """Convection in x, z, where there are no rows of y to share."""
    points = (20, 1, 18)
    check_ranks(world, make(points=points, bases="SFF", dt=0.02), random_start(points, "SFF", 9))


@pytest.mark.long("convection has to become steady")
def test_the_case_to_begin_with_is_resolved():
    """The plane flow of `whorl new rayleigh-benard` has three points in the thermal layer 1/(2 Nu)."""
    case = example_case(MODELS["rayleigh-benard"]).updated(
        ["initial.temperature.value='0.01*cos(pi*x)*sin(pi*z)'", "time.until=12"]
    )
    nx, _, nz = case.grid.points
    simulation = Simulation(case.updated([f"grid.points=[{nx}, 1, {nz}]"]))
    simulation.run(progress=False)
    series = simulation.series
    nusselt = max(float(series[f"nusselt_{how}"].max()) for how in ("volume", "plates", "dissipation"))
    assert nusselt > 4
    assert nz / (2 * nusselt) >= 3
    assert float(series["kmax_eta"].min()) >= 1.5
