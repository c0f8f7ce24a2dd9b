"""What holds for every equation set, in every basis it has: order, ranks, precision, phase shifts, restarts.

Each runs with all its terms, a passive scalar where it carries one, and random fields.
"""

import math

import numpy as np
import pytest
from models.runs import EPSILON, TAU, distance, slope
from mpi4py import MPI
from physics.flows import SCHEMES
from support import devices
from support.examples import dealt
from support.ranks import on_ranks
from whorl import _core
from whorl.config import schemes
from whorl.config.case import Case
from whorl.models import MODELS
from whorl.run.core_options import core_options
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

BOX, LENGTHS = [12, 16, 10], [TAU, 1.2 * TAU, 0.9 * TAU]
FLAT, CELL = [16, 12, 1], [1.2, 1.1, 1.0]
LOSSES = {"viscosity": 0.05, "hyperviscosity": 1e-4, "hypoviscosity": 0.02, "drag": 0.03}
FRAME = {"rotation": [0.4, -0.9, 1.4], "mean_velocity": [0.7, -0.4, 0.3]}
B0 = [0.3, 0.2, 0.8]
KINEMATIC = {
    "viscosity": 0.05,
    "mean_velocity": FRAME["mean_velocity"],
    "mean_field": B0,
    "kinematic": True,
}
SUPERFLUID = {"sound_speed": 0.9, "coherence_length": 0.5, "density": 0.8}
TYPED = {
    "fields": {"u": "velocity", "b": "scalar"},
    "equations": [
        "dt(u) = -advect(u, u) + b*ez + nu*lap(u)",
        "dt(b) = -dot(u, grad(b)) + dot(u, ez) + kappa*lap(b)",
    ],
    "parameters": {"nu": 0.02, "kappa": 0.01},
}
RANDOM = {"name": "random", "k0": 2.0, "energy": 0.3, "seed": 5}
THETA = RANDOM | {"energy": 0.02}
# By name, the model first: its options, grid, further initial fields, and how much time a run of it takes.
EVERY = {
    "navier-stokes": (LOSSES | FRAME, {}, [], 0.4),
    "navier-stokes plane": (LOSSES | FRAME, {"points": FLAT}, [], 0.4),
    "navier-stokes-2d": (LOSSES | {"beta": 2.0}, {"points": FLAT}, [], 0.4),
    "boussinesq": (LOSSES | FRAME | {"buoyancy_frequency": 1.3, "prandtl": 0.7}, {}, ["temperature"], 0.4),
    "boussinesq plane": (
        LOSSES | {"buoyancy_frequency": 1.3},
        {"points": [16, 1, 12]},
        ["temperature"],
        0.4,
    ),
    "rayleigh-benard FFF": (
        {"rayleigh": 4e3, "prandtl": 2.0, "taylor": 1e4},
        {"bases": "FFF", "lengths": CELL},
        ["temperature"],
        0.4,
    ),
    "rayleigh-benard SFF": (
        {"rayleigh": 4e3, "prandtl": 2.0, "taylor": 1e4},
        {"bases": "SFF", "lengths": CELL},
        ["temperature"],
        0.4,
    ),
    "rayleigh-benard SSF": (
        {"rayleigh": 4e3, "prandtl": 2.0},
        {"bases": "SSF", "lengths": CELL},
        ["temperature"],
        0.4,
    ),
    "rayleigh-benard SSS": (
        {"rayleigh": 4e3, "prandtl": 2.0},
        {"bases": "SSS", "lengths": CELL},
        ["temperature"],
        0.4,
    ),
    "mhd": (LOSSES | FRAME | {"mean_field": B0, "magnetic_prandtl": 2.5}, {}, ["magnetic"], 0.4),
    "mhd hall": (LOSSES | FRAME | {"mean_field": B0, "hall": 0.2}, {}, ["magnetic"], 0.2),
    "mhd kinematic": (KINEMATIC, {}, ["magnetic"], 0.4),
    "quasi-static-mhd": (
        LOSSES | FRAME | {"interaction": 1.5, "field_direction": [1.0, -2.0, 2.0]},
        {},
        [],
        0.4,
    ),
    **{
        f"equations {bases}": (
            TYPED | ({} if bases == "FFF" else {"sines": {"b": "z"}}),
            {"bases": bases, "lengths": CELL},
            ["b"],
            0.4,
        )
        for bases in ("FFF", "SFF", "SSF", "SSS")
    },
    "gross-pitaevskii": (SUPERFLUID, {"points": [12, 16, 20]}, [], 0.4),
    "ginzburg-landau": (SUPERFLUID, {"points": [12, 16, 20]}, ["velocity"], 0.4),
}
# Those whose aliases a shifted grid cancels: products of two, no walls.
SHIFTED = [
    name for name in EVERY if MODELS[name.split()[0]].dealias == "2/3" and not name[-3:-1].startswith("S")
]
every = pytest.mark.parametrize("name", EVERY)
shifted = pytest.mark.parametrize("name", SHIFTED)


def case_of(name: str, *, steps=10, dt=None, scheme="rk4", grid=None, run=None, output=None, **flow) -> Case:
    """Steps of dt, by default so that `steps` make up the time of the model."""
    options, own_grid, fields, time = EVERY[name]
    model = MODELS[name.split()[0]]
    walls = own_grid.get("bases", "FFF")[::-1]
    gradient = [g if base == "F" else 0.0 for g, base in zip([0.7, -1.1, 0.4], walls, strict=True)]
    if name == "navier-stokes-2d":
        gradient[2] = 0.0
    scalars = [{"name": "dye", "schmidt": 0.6, "gradient": gradient, "initial": THETA}]
    tables = {field: THETA if field in ("temperature", "b") else RANDOM for field in fields}
    return Case(
        grid={"points": BOX, "lengths": LENGTHS} | own_grid | (grid or {}),
        flow={"model": name.split()[0]} | options | flow,
        time={"scheme": scheme, "dt": dt or time / steps, "steps": steps},
        initial=RANDOM | tables,
        scalars=scalars if model.viscous else [],
        run={"threads": 1, "device": devices.current()} | (run or {}),
        output=output or {},
    )


def fields_of(case: Case) -> list[str]:
    return [*case.flow.state, *(scalar.name for scalar in case.scalars)]


def finished(case: Case, comm=None) -> Simulation:
    simulation = Simulation(case, comm=comm)
    while not simulation.finished:
        simulation.step()
    return simulation


def end_of(case: Case) -> dict[str, np.ndarray]:
    simulation = finished(case)
    return {name: simulation.field(name) for name in fields_of(case)}


def largest_distance(one: dict, other: dict) -> float:
    return max(distance(one[name].astype(float), other[name].astype(float)) for name in one)


def test_every_model_is_here():
    assert {name.split()[0] for name in EVERY} == set(MODELS)
    for model, about in MODELS.items():
        bases = {
            options[1].get("bases", "FFF") for name, options in EVERY.items() if name.split()[0] == model
        }
        assert bases == set(about.bases)


@every
def test_no_component_is_negligible(name):
    """Of any field, at the start: none is without modes in the box."""
    simulation = Simulation(case_of(name))
    for field in fields_of(simulation.case):
        sizes = np.sqrt((simulation.field(field) ** 2).mean(axis=(1, 2, 3)))
        assert sizes.min() > 0.6 * sizes.max() > 0.1, (field, sizes)


# Order


@pytest.mark.cpu_by_default
@every
def test_order_of_every_scheme(name):
    """On the full equations, linear terms explicit; exact ones converge to the same with the same order."""
    truth = end_of(case_of(name, steps=160))
    linears = (
        [{}]
        if "linear" not in type(case_of(name).flow).model_fields
        else [
            {"linear": "explicit"},
            {"linear": "exact"},
        ]
    )
    for (scheme, order), of_scheme in dealt([*SCHEMES.items()], linears):
        counts = (10, 20) if schemes.SCHEMES[scheme].right_hand_sides > 2 else (20, 40)
        for linear in of_scheme:
            if schemes.SCHEMES[scheme].exponential and linear.get("linear") == "exact":
                continue  # refused
            errors = [
                largest_distance(end_of(case_of(name, steps=count, scheme=scheme, **linear)), truth)
                for count in counts
            ]
            measured = slope([1 / count for count in counts], errors)
            assert measured == pytest.approx(order, abs=0.35), (scheme, linear, errors)
            assert errors[1] < 1e-2


@every
def test_all_terms_matter(name):
    """Else the orders would say nothing: the fields change much, and not by linear terms alone."""
    case = case_of(name)
    start = Simulation(case)
    before = {field: start.field(field) for field in fields_of(case)}
    after = end_of(case)
    assert largest_distance(after, before) > 0.1
    if "ginzburg" in name or "pitaevskii" in name:
        return
    weak = case.model_dump(exclude_none=True, exclude_unset=True)
    small = 1e-6

    def weaker(initial):
        own = {key: weaker(value) if isinstance(value, dict) else value for key, value in initial.items()}
        return own | {"energy": own["energy"] * small**2}

    weak["initial"] = weaker(weak["initial"])
    for scalar in weak.get("scalars", []):
        scalar["initial"] = weaker(scalar["initial"])
    linear = {field: values / small for field, values in end_of(Case(**weak)).items()}
    assert largest_distance(linear, after) > 1e-3


# Ranks


def check_same_on(world, name: str, **options) -> None:
    """Every field, sum and spectrum on all ranks, in each process grid, as alone."""
    alone = finished(case_of(name, steps=3, dt=0.01, **options), MPI.COMM_SELF)
    case = alone.case
    scale = max(float(np.abs(alone.field(field)).max()) for field in fields_of(case))
    for grid in _core.allowed_process_grids(core_options(case, threads=1), world.size):
        together = finished(case.updated([f"run.process_grid={list(grid)}"]), world)
        z0, z1, y0, y1 = together.block
        for field in [*case.flow.outputs, *fields_of(case)]:
            whole = alone.field(field)[:, z0:z1, y0:y1]
            worst = np.abs(together.field(field) - whole).max(initial=0)
            assert worst < 1e-12 * max(scale, np.abs(alone.field(field)).max()), (field, grid)
        expected = alone.statistics()
        size = np.nanmax(np.abs(list(expected.values())))
        for key, value in together.statistics().items():
            assert value == pytest.approx(expected[key], rel=1e-11, abs=1e-12 * size, nan_ok=True), (
                key,
                grid,
            )
        for spectra in ("spectra", "transfer"):
            mine, theirs = getattr(together.flow, spectra)(), getattr(alone.flow, spectra)()
            for key, values in mine.items():
                limit = 1e-11 * max(1.0, float(np.abs(theirs[key]).max()))
                assert np.abs(np.array(values) - theirs[key]).max() < limit, (key, grid)
        assert together.report.maximum_velocity == pytest.approx(alone.report.maximum_velocity, rel=1e-12)


@pytest.mark.cpu_by_default
@on_ranks(2, 3, 4, 6)
@every
def test_ranks_change_nothing(world, name):
    check_same_on(world, name)


@on_ranks(6)
@shifted
def test_ranks_change_nothing_with_phase_shifts(world, name):
    check_same_on(world, name, grid={"dealias": "phase-shift"})


# Precision


@every
@pytest.mark.parametrize("scheme", ["rk3", "rk4"])
def test_single_precision(name, scheme):
    """A few steps differ from double precision by a few of its roundings, but differ."""
    ends = [
        end_of(case_of(name, steps=3, dt=0.01, scheme=scheme, run={"precision": precision}))
        for precision in ("single", "double")
    ]
    assert all(field.dtype == np.float32 for field in ends[0].values())
    assert 0.6 * EPSILON["single"] < largest_distance(*ends) < 60 * EPSILON["single"]


@every
def test_statistics_in_single_precision(name):
    found = [
        finished(case_of(name, steps=3, dt=0.01, run={"precision": precision})).statistics()
        for precision in ("single", "double")
    ]
    for key, value in found[0].items():
        assert value == pytest.approx(found[1][key], abs=5e-6 * scale_of(key, found[1]), nan_ok=True), key


def scale_of(key: str, statistics: dict[str, float]) -> float:
    """What a statistic could be: a mean square is that itself, a correlation less than its fields allow."""
    size = {name: math.sqrt(2 * max(value, 0)) for name, value in statistics.items()}
    u, theta = size.get("energy", 0), size.get("thermal_variance", size.get("potential_energy"))
    largest = {
        "helicity": lambda: u * size["enstrophy"],
        "cross_helicity": lambda: u * size["magnetic_energy"],
        "lorentz_work": lambda: u * size["magnetic_energy"] * size["mean_square_current"],
        "buoyancy_flux": lambda: u * theta,
        "convective_flux": lambda: u * theta,
        "dye_production": lambda: u * size["dye_variance"],
        "maximum_divergence": lambda: size.get("enstrophy", 1.0),
        "maximum_magnetic_divergence": lambda: size["mean_square_current"],
    }
    return largest[key]() if key in largest else abs(statistics[key])


# Phase shifts


@shifted
@pytest.mark.parametrize("dealias", ["phase-shift", "phase-shift-exact"])
def test_shifted_grids_cancel_the_aliases(name, dealias):
    """What each shell gains is what it gains on twice the points, where products have room."""
    case = case_of(name, grid={"dealias": dealias})
    coarse = Simulation(case)
    sections = without_initial(case)
    finer = tuple(n if n == 1 else 2 * n for n in case.grid.points)
    sections["grid"] |= {"points": finer, "dealias": "none"}
    fine = Simulation(Case(**sections), {field: refined(coarse.field(field)) for field in fields_of(case)})
    mine, theirs = coarse.flow.transfer(), fine.flow.transfer()
    largest = sphere_of(case)
    moved = 0.0
    for field, values in mine.items():
        within = np.array(theirs[field])[:largest]
        assert np.abs(np.array(values)[:largest] - within).max() < 1e-12 * max(1, np.abs(within).max()), field
        moved = max(moved, np.abs(within).max())
    assert moved > 1e-2


def without_initial(case: Case) -> dict:
    sections = case.model_dump(exclude_none=True)
    del sections["initial"]
    for scalar in sections["scalars"]:
        del scalar["initial"]
    return sections


def sphere_of(case: Case) -> int:
    """Shells that the sphere of phase shifts, of radius √2 N/3 on the coarsest axis, holds whole."""
    units = [TAU / length for n, length in zip(case.grid.points, case.grid.lengths, strict=True) if n > 1]
    points = [n for n in case.grid.points if n > 1]
    radius = min(math.sqrt(2) / 3 * n * unit for n, unit in zip(points, units, strict=True))
    return math.floor(radius / min(units) - 0.5)


def refined(field: np.ndarray) -> np.ndarray:
    """The same modes on twice the points of every axis that has any."""
    a = np.fft.fftshift(np.fft.fftn(field, axes=(1, 2, 3), norm="forward"), axes=(1, 2, 3))
    wide = np.pad(a, [(0, 0), *((n // 2, n // 2) if n > 1 else (0, 0) for n in field.shape[1:])])
    return np.fft.ifftn(np.fft.ifftshift(wide, axes=(1, 2, 3)), axes=(1, 2, 3), norm="forward").real


@pytest.mark.turns
@shifted
@pytest.mark.parametrize("scheme", SCHEMES)
def test_random_shifts_agree_with_exact_ones(name, scheme):
    """To the order of the aliases that pairs of steps leave: smaller with smaller steps."""
    errors = []
    for steps in (8, 16):
        ends = [
            end_of(case_of(name, steps=steps, scheme=scheme, grid={"dealias": dealias}))
            for dealias in ("phase-shift", "phase-shift-exact")
        ]
        errors.append(largest_distance(*ends))
    assert errors[1] < 0.7 * errors[0] < 0.02


# Restarts


@pytest.mark.parametrize(
    ("name", "options"),
    [(name, options) for name in EVERY for options in ({}, {"run": {"precision": "single"}})]
    + [(name, {"grid": {"dealias": "phase-shift"}}) for name in SHIFTED],
    ids=str,
)
def test_a_restart_repeats_the_bits(tmp_path, name, options):
    def case(directory):
        output = {
            "directory": str(tmp_path / directory),
            "series_every": "1 steps",
            "spectra_every": "2 steps",
            "checkpoint_every": "3 steps",
        }
        return case_of(name, steps=6, dt=0.01, output=output, **options)

    whole, parts = Simulation(case("whole")), Simulation(case("parts"))
    whole.run(progress=False)
    for _ in range(4):
        parts.step()
    parts.close()
    again = Simulation.restart(tmp_path / "parts")
    assert again.step_number == 3
    again.run(progress=False)
    for field in fields_of(again.case):
        assert np.array_equal(again.field(field), whole.field(field)), field
    assert again.series.identical(whole.series)
    assert again.spectra.identical(whole.spectra)
