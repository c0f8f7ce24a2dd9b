"""Initial fields that cannot be what they are taken for: parity at walls, components, means, empty shells."""

import numpy as np
import pytest
from models.convection import WALLS
from mpi4py import MPI
from support.ranks import on_ranks
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.initial import checks
from whorl.run.simulation import Simulation

PI = np.pi
LENGTHS = (2.0, 1.5, 1.0)


def convection(bases, points=16, *, precision="double", **sections):
    return Case(
        grid={"points": points, "lengths": LENGTHS, "bases": bases},
        flow={"model": "rayleigh-benard", "rayleigh": 1e4, "prandtl": 1.0},
        time={"dt": 0.01, "steps": 1},
        run={"threads": 1, "precision": precision},
        **sections,
    )


def plane(model="navier-stokes-2d", flow=None, **sections):
    return Case(
        grid={"points": [16, 16, 1]},
        flow={"model": model, "viscosity": 0.01, **(flow or {})},
        time={"dt": 0.01, "steps": 1},
        run={"threads": 1},
        **sections,
    )


def along(component, f):
    """A velocity of one component."""
    return lambda x, y, z: tuple(f(x, y, z) if c == component else 0 * (x + y + z) for c in range(3))


def check_refused(case, given, *words, comm=MPI.COMM_SELF):
    with pytest.raises(CaseError) as caught:
        Simulation(case, given, comm=comm)
    message = str(caught.value)
    assert "\n" not in message
    for word in words:
        assert word in message


# Parity at the walls


X, Y, Z = (lambda f, axis=axis: lambda *at: f(at[axis]) + 0 * sum(at) for axis in range(3))
# By bases: the field, what is given, and the kind and axis that refuse it. Lengths are 2, 1.5 and 1.
WRONG = [
    ("SFF", "temperature", Z(lambda z: np.cos(PI * z)), "sine", "z"),
    ("SFF", "temperature", Z(lambda z: 0 * z + 0.1), "sine", "z"),
    ("SFF", "temperature", Z(lambda z: 1 - z), "sine", "z"),
    ("SFF", "temperature", Z(lambda z: np.sin(PI * z) + 0.05), "sine", "z"),
    ("SFF", "velocity", along(0, Z(lambda z: np.sin(PI * z))), "cosine", "z"),
    ("SFF", "velocity", along(1, Z(lambda z: z * (1 - z))), "cosine", "z"),
    ("SFF", "velocity", along(1, Z(lambda z: z)), "cosine", "z"),
    ("SFF", "velocity", along(2, Z(lambda z: 0 * z + 1)), "sine", "z"),
    ("SFF", "dye", Z(lambda z: np.exp(-3 * z)), "cosine", "z"),
    ("SSF", "velocity", along(1, Y(lambda y: np.cos(PI * y / 1.5))), "sine", "y"),
    ("SSF", "temperature", lambda x, y, z: np.sin(PI * z) * np.sin(PI * y / 1.5) + 0 * x, "cosine", "y"),
    ("SSF", "dye", Y(lambda y: y), "cosine", "y"),
    ("SSS", "velocity", along(0, X(lambda x: 0 * x + 1)), "sine", "x"),
    ("SSS", "velocity", along(2, lambda x, y, z: np.sin(PI * z) * np.sin(PI * x / 2) + 0 * y), "cosine", "x"),
    ("SSS", "dye", X(lambda x: x * (2 - x)), "cosine", "x"),
]


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("points", [16, 20, 32])
@pytest.mark.parametrize(("bases", "field", "given", "kind", "axis"), WRONG)
def test_what_does_not_fit_the_walls_is_refused(bases, field, given, kind, axis, points, precision):
    case = convection(bases, points, precision=precision, scalars=[{"name": "dye"}])
    words = [f"initial {field}", f"is a {kind} between the walls along {axis}", f'"{bases}"', "must be 0"]
    check_refused(case, {field: given}, *words)


def test_the_value_and_the_slope_at_the_walls_are_told():
    check_refused(convection("SFF"), {"temperature": Z(lambda z: 0 * z + 0.125)}, "is 0.125 there")
    fast = along(0, Z(lambda z: np.sin(PI * z)))
    check_refused(convection("SFF", 32), {"velocity": fast}, "velocity along x", "has the slope 3.14 there")


@pytest.mark.turns
@pytest.mark.parametrize("points", [8, 16, 32])
@pytest.mark.parametrize("bases", ["SFF", "SSF", "SSS"])
def test_every_wave_of_the_right_parity_fits(monkeypatch, bases, points):
    """Those beyond the truncation, too, which drops them: no wave is taken for a constant or a slope."""
    monkeypatch.setattr(checks, "TOLD", 1.0)
    case = convection(bases, points, scalars=[{"name": "dye"}])
    numbers = np.random.default_rng(1).permuted(np.tile(np.arange(1, points), (3, 1)), axis=1).T
    for n in numbers:
        k = PI * n / LENGTHS * [1 if axis in WALLS[bases] else 2 for axis in range(3)]

        def wave(x, y, z, sines, k=k):
            parts = (
                np.sin(q * s) if axis in sines else np.cos(q * s)
                for axis, (q, s) in enumerate(zip(k, (x, y, z), strict=True))
            )
            return np.prod(np.broadcast_arrays(*parts), axis=0)

        Simulation(
            case,
            {
                "velocity": lambda *at: tuple(wave(*at, {c}) for c in range(3)),
                "temperature": lambda *at: wave(*at, {2}),
                "dye": lambda *at: wave(*at, set()),
            },
        )


LAYERS = {
    "noise": lambda z: np.random.default_rng(z.size).standard_normal((z.size, 16, 16)),
    "noise on a sine": lambda z: np.sin(PI * z) + 0.1 * LAYERS["noise"](z),
    "a step": lambda z: np.where(np.abs(z - 0.5) < 0.2, 1.0, 0.0),
    "a bubble": lambda z: np.exp(-((z - 0.5) ** 2) / 0.03),
    "a parabola": lambda z: z * (1 - z),
    **{f"a layer of {d} spacings": lambda z, d=d: np.tanh(z * z.size / d) * np.tanh((1 - z) * z.size / d)
       for d in (0.5, 1, 2, 4)},
}  # fmt: skip


@pytest.mark.parametrize("points", [16, 32, 64])
@pytest.mark.parametrize("name", LAYERS)
def test_what_is_rough_or_not_resolved_but_fits_is_left(name, points):
    case = convection("SFF", [16, 16, points])
    z = (np.arange(points) + 0.5)[:, None, None] / points
    values = np.broadcast_to(LAYERS[name](z), (points, 16, 16))
    Simulation(case, {"temperature": values})


SHEAR = {
    "noise": lambda z: np.random.default_rng(3).standard_normal((z.size, 16, 16)),
    "a shear layer": lambda z: np.tanh((z - 0.5) / 0.1),
    "a jet": lambda z: 1 / np.cosh((z - 0.5) / 0.1) ** 2,
    "a uniform flow": lambda z: 1 + 0 * z,
    "what a sine leaves": lambda z: np.cos(2 * PI * z) + np.cos(5 * PI * z),
}


@pytest.mark.parametrize("points", [16, 32, 64])
@pytest.mark.parametrize("name", SHEAR)
def test_flow_along_walls_that_fits_is_left(name, points):
    z = (np.arange(points) + 0.5)[:, None, None] / points
    u = np.broadcast_to(SHEAR[name](z), (points, 16, 16))
    Simulation(convection("SFF", [16, 16, points]), {"velocity": np.stack([u, u, 0 * u])})


@pytest.mark.parametrize("bases", ["SFF", "SSF", "SSS"])
@pytest.mark.parametrize("precision", ["double", "single"])
def test_a_flow_that_was_run_goes_on_from_its_fields(bases, precision):
    random = {"name": "random", "k0": 4.0}
    case = convection(bases, precision=precision, initial=random | {"temperature": random})
    first = Simulation(case)
    first.step()
    again = {name: first.field(name) for name in ("velocity", "temperature")}
    Simulation(convection(bases, precision=precision), again)


def test_formulas_and_files_are_looked_at_too(tmp_path):
    formula = {"name": "zero", "temperature": {"name": "formula", "value": "cos(pi*z) + 0*x"}}
    check_refused(convection("SFF", initial=formula), None, "initial temperature", "sine", "walls along z")
    values = np.ones((16, 16, 16))
    np.savez(tmp_path / "start.npz", temperature=values)
    by_file = {"name": "zero", "temperature": {"name": "from-file", "path": str(tmp_path / "start.npz")}}
    check_refused(convection("SFF", initial=by_file), None, "initial temperature", "sine", "walls along z")
    check_refused(convection("SFF"), {"temperature": values}, "initial temperature", "is 1 there")


@on_ranks(2, 3, 4)
def test_every_rank_refuses_alike(world):
    for bases, field, given, kind, axis in WRONG:
        case = convection(bases, scalars=[{"name": "dye"}])
        check_refused(case, {field: given}, f"is a {kind} between the walls along {axis}", comm=world)
    noise = np.random.default_rng(4).standard_normal((3, 16, 16, 16))
    Simulation(convection("SSS"), {"velocity": noise}, comm=world)
    check_refused(plane(), lambda x, y, z: (0 * x, 0 * y, 2 * np.sin(x)), "up to 2", comm=world)


# A flow without a third component


def test_a_third_component_that_a_plane_flow_has_not():
    words = ["initial velocity has a component along z, up to", '"navier-stokes-2d"', '"navier-stokes"']
    check_refused(plane(), lambda x, y, z: (0 * x, np.sin(x), 3 * np.cos(x)), *words, "up to 3")
    for kind in ({"name": "abc"}, {"name": "roberts"}, {"name": "formula", "value": ["sin(y)", "0", "0.5"]}):
        check_refused(plane(initial=kind), None, *words)
        Simulation(plane("navier-stokes", initial=kind))
    Simulation(plane(initial={"name": "formula", "value": ["sin(y)", "0", "0"]}))
    Simulation(plane(initial={"name": "taylor-green"}))


def test_a_gradient_along_which_a_plane_flow_does_not_move():
    for gradient in (1.0, [1.0, 0.0, 0.5]):
        scalars = [{"name": "dye", "gradient": gradient}]
        with pytest.raises(CaseError, match=r'"dye" along z, .* "navier-stokes-2d", .* \[1\.0, 0\.0, 0\.0\]'):
            plane(scalars=scalars)
        plane("navier-stokes", scalars=scalars)
    plane(scalars=[{"name": "dye", "gradient": [1.0, -2.0, 0.0]}])


# A mean that gravity would accelerate


@pytest.mark.parametrize("model", ["boussinesq", "rayleigh-benard"])
def test_a_mean_that_would_fall_is_refused(model):
    case = convection("FFF") if model != "boussinesq" else stratified(2.0)
    warm = {"temperature": lambda x, y, z: np.sin(PI * x) + 0 * (y + z) + 0.25}
    check_refused(case, warm, "has the mean 0.25,", 'grid.bases = "FFF"', "subtract it")
    Simulation(case, {"temperature": lambda x, y, z: np.sin(PI * x) + 0 * (y + z)})
    Simulation(convection("SFF"), {"temperature": lambda x, y, z: np.sin(PI * z) + 0 * (x + y)})
    Simulation(stratified(0.0), warm)


def stratified(N):
    grid = {"points": 8, "lengths": LENGTHS}
    flow = {"model": "boussinesq", "viscosity": 0.01, "buoyancy_frequency": N}
    return Case(grid=grid, flow=flow, time={"dt": 0.01, "steps": 1}, run={"threads": 1})


# Shells without modes


@pytest.mark.parametrize("bases", ["SFF", "SSF", "SSS"])
def test_a_random_field_whose_shells_have_no_modes_is_refused(bases):
    """θ = sin(π z) … has none below k = π, six shells of a box 2π wide and twelve of one with walls there."""
    wide = {"points": [32, 32, 16], "lengths": [2 * PI, 4.0, 1.0], "bases": bases}
    empty = {"SFF": 3.14, "SSF": 4, "SSS": 6.28}[bases]

    def case(**random):
        random = {"name": "random", **random}
        return Case(
            **convection(bases).to_dict() | {"grid": wide, "initial": {"name": "zero", "temperature": random}}
        )

    words = ["random temperature holds the energy", "of [initial.temperature]", "instead of the 0.02"]
    check_refused(case(k0=2.0, energy=0.02), None, *words, f"initial.temperature.k0 well above {empty:g}")
    first = int(np.ceil(empty))
    check_refused(case(spectrum=[0.0] * (first - 2) + [0.02, 0.0]), None, *words, f"before {first} at 0")
    for random in ({"k0": 2.2 * empty, "energy": 0.02}, {"spectrum": [0.0] * first + [0.02]}):
        variance = Simulation(case(**random)).statistics()["thermal_variance"]
        assert variance == pytest.approx(0.02, rel=0.06)


def test_a_random_mean_is_refused():
    spectrum = {"name": "random", "spectrum": [0.1, 0.2, 0.2]}
    words = ["random velocity holds the energy 0.4 instead of the 0.5 of [initial]", "before 1 at 0"]
    check_refused(plane("navier-stokes", initial=spectrum), None, *words)


# Random fields between walls


@pytest.mark.parametrize("bases", ["SFF", "SSF", "SSS"])
def test_the_modes_of_a_random_field_are_at_the_points_too(bases):
    """A sine of wavenumber 0 is nothing there, and must hold no energy."""
    random = {"name": "random", "energy": 0.02, "k0": 4.0}
    simulation = Simulation(convection(bases, initial={**random, "temperature": {**random, "seed": 3}}))
    statistics = simulation.statistics()
    for name, energy in (("velocity", "energy"), ("temperature", "thermal_variance")):
        squares = np.square(simulation.field(name)).sum(axis=0).mean()
        assert squares / 2 == pytest.approx(statistics[energy], rel=1e-12), name
