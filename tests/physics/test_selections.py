"""Slices and lines of expressions against whole fields, on several ranks, between walls, and in memory."""

import tracemalloc

import numpy as np
import pytest
from support import devices
from support.ranks import on_ranks
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.expressions.answers import answer
from whorl.expressions.histogram import Selection
from whorl.expressions.plan import plan_of
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

POINTS, LENGTHS = (20, 16, 18), (2 * np.pi, 3.0, 5.0)
TEXTS = ["u", "p", "dx(u.y)*u.z"]
NAMES = ["u.x", "u.y", "u.z", "p", "dx(u.y)*u.z"]


def case_of(**sections) -> Case:
    given = {
        "grid": {"points": POINTS, "lengths": LENGTHS},
        "flow": {"viscosity": 0.01},
        "time": {"dt": 0.01, "steps": 4},
        "initial": {"name": "random", "k0": 2.0, "seed": 5},
        "run": {"threads": 1, "device": devices.current()},
    }
    return Case(**given | sections)


@pytest.fixture(scope="module")
def state():
    return Simulation(case_of())


def whole(state):
    """All quantities at all points, on rank 0."""
    found = [state.gather(text) for text in TEXTS]
    return np.concatenate(found) if state.comm.rank == 0 else None


@pytest.mark.parametrize("stride", [1, 3])
@pytest.mark.parametrize("normal", ["x", "y", "z"])
def test_a_slice_is_a_plane_of_the_field(state, normal, stride):
    axis, values = "xyz".index(normal), whole(state)
    spacing = LENGTHS[axis] / POINTS[axis]
    for at, number in ((5.4 * spacing, 5), (4.6 * spacing, 5), (LENGTHS[axis] - 0.4 * spacing, 0)):
        found = state.diagnose("slice", of=TEXTS, normal=normal, at=at, stride=stride)
        assert list(found["quantity"].values) == NAMES
        assert np.isclose(found["position"], number * spacing)
        thinned = values[:, ::stride, ::stride, ::stride]
        plane = np.take(values, number, 3 - axis)[:, ::stride, ::stride]
        assert found["slice"].shape == plane.shape
        assert np.array_equal(found["slice"], plane)
        assert found["slice"].dims == ("quantity", *(name for name in "zyx" if name != normal))
        for name in found["slice"].dims[1:]:
            along = "xyz".index(name)
            there = np.arange(0, POINTS[along], stride) * (LENGTHS[along] / POINTS[along])
            assert np.allclose(found[name], there, rtol=1e-14)
            assert len(there) == thinned.shape[3 - along]


@pytest.mark.parametrize(("along", "at"), [("x", [1.5, 5.0]), ("y", [0.2, 2.5]), ("z", [3.0, 1.0])])
def test_a_line_is_a_line_of_the_field(state, along, at):
    values, axis = whole(state), "xyz".index(along)
    found = state.diagnose("line", of=TEXTS, along=along, at=at, stride=2)
    others = [one for one in range(3) if one != axis]
    numbers = [
        round(place / (LENGTHS[one] / POINTS[one])) % POINTS[one]
        for place, one in zip(at, others, strict=True)
    ]
    place = [slice(None), slice(None, None, 2), slice(None, None, 2), slice(None, None, 2)]
    for one, number in zip(others, numbers, strict=True):
        place[3 - one] = number
    assert found["line"].dims == ("quantity", along)
    assert np.array_equal(found["line"], values[tuple(place)])
    assert list(found["across"].values) == ["xyz"[one] for one in others]
    spacings = [LENGTHS[one] / POINTS[one] for one in others]
    assert np.allclose(found["position"], np.multiply(numbers, spacings))


def test_between_walls_the_nearest_point_is_half_a_spacing_off():
    simulation = Simulation(
        case_of(
            grid={"points": [12, 10, 14], "lengths": [2.0, 2.0, 1.0]},
            flow={"model": "rayleigh-benard", "rayleigh": 1e4, "prandtl": 1.0},
            initial={"name": "zero", "temperature": {"name": "formula", "value": "sin(pi*z)*cos(pi*x)"}},
        )
    )
    for at, number in ((0.0, 0), (1.0, 13), (0.5, 6)):
        found = simulation.diagnose("slice", of="theta", normal="z", at=at)
        z = (number + 0.5) / 14
        assert np.isclose(found["position"], z)
        wanted = np.sin(np.pi * z) * np.cos(np.pi * found["x"].values)
        assert np.allclose(found["slice"][0], wanted[None, :], atol=1e-13)


@pytest.mark.parametrize("model", ["navier-stokes", "navier-stokes-2d"])
def test_a_slice_of_a_plane_flow_needs_no_position(model):
    flow = {"model": model, "viscosity": 0.01}
    simulation = Simulation(case_of(grid={"points": [16, 12, 1]}, flow=flow))
    found = simulation.diagnose("slice", of="u.y")
    assert np.array_equal(found["slice"], simulation.gather("u.y")[:, 0])
    assert found["position"] == 0
    with pytest.raises(CaseError, match=r"slice\.at is missing: the grid has 16 planes across x; give"):
        simulation.diagnose("slice", of="u.y", normal="x")


def test_values_have_the_precision_of_the_flow():
    simulation = Simulation(case_of(run={"threads": 1, "device": devices.current(), "precision": "single"}))
    for kind, at in (("slice", 1.0), ("line", [1.0, 1.0])):
        found = simulation.diagnose(kind, of="u.x", at=at)[kind]
        assert found.dtype == np.float32
    assert np.array_equal(found[0], simulation.gather("u")[0][:, round(1.0 / 0.1875), 3])


def test_those_of_one_moment_share_round_trips():
    """Eight gradients travel once (div u = 0), and what two slices have in common is worked out once."""
    wanted = [
        {"kind": "slice", "name": "a", "of": "grad(u)", "at": 0.0},
        {"kind": "slice", "name": "b", "of": ["dx(u.x)", "curl(u)"], "normal": "x", "at": 0.0},
        {"kind": "line", "of": "norm(omega)", "at": [0.0, 0.0]},
        {"kind": "moments", "of": "dx(u.x)"},
    ]
    case = case_of(diagnostics=wanted)
    alone = plan_of(case.planned.together(case.diagnostics[0])[0])
    plan = plan_of(case.planned.together(*case.diagnostics)[0])
    assert len(alone.stages) == 1
    assert {len(stage.program.inputs) for stage in plan.stages} <= {1, 8}
    if devices.current() == "cpu":
        [*_, last] = plan.stages
        assert len(last.selected) == 9 + 3 + 1
    simulation = Simulation(case)
    simulation.run(progress=False)
    together = simulation.diagnostics
    for options in wanted:
        name = options.get("name", options["kind"])
        alone = simulation.diagnose(**options)
        for key in alone.data_vars:
            assert np.allclose(together[name][key].isel(time=-1), alone[key], rtol=1e-13, atol=1e-13)


def test_beside_values_at_all_points(state):
    questions = state.case.planned.questions()
    questions.values.append(questions.parser.parse("u"))
    pressure = questions.parser.parse("p").scalar
    selection = questions.select(Selection((pressure,), (range(20), range(3, 4), range(0, 18, 2))))
    field = np.empty((3, 18, 16, 20))

    def consume(z0, z1, y0, y1, values):
        field[:, z0:z1, y0:y1] = values

    found = answer(questions, state.flow, 0.0, consume, state.comm).selected(selection)
    assert np.array_equal(field, state.gather("u"))
    assert np.allclose(found[:, :, 0], state.gather("p")[:, ::2, 3], rtol=1e-12)


def test_memory_is_that_of_the_selection():
    simulation = Simulation(case_of(grid={"points": 64}))
    field = 8 * 64**3
    tracemalloc.start()
    simulation.diagnose("slice", of="u.x", at=0.0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < field / 8


@pytest.mark.mpi
@on_ranks()
@pytest.mark.only_cpu
def test_ranks_put_their_parts_together(world):
    state = Simulation(case_of(time={"dt": 0.01, "steps": 2}), comm=world)
    values = world.bcast(whole(state))
    for kind, options, wanted in (
        ("slice", {"normal": "y", "at": 2.9, "stride": 3}, values[:, ::3, 15, ::3]),
        ("slice", {"normal": "z", "at": 4.9}, values[:, 0]),
        ("slice", {"normal": "x", "at": 0.0, "stride": 5}, values[:, ::5, ::5, 0]),
        ("line", {"along": "z", "at": [0.0, 2.9]}, values[:, :, 15, 0]),
        ("line", {"along": "y", "at": [0.0, 3.5], "stride": 7}, values[:, 13, ::7, 0]),
    ):
        found = state.diagnose(kind, of=TEXTS, **options)[kind]
        assert np.array_equal(found, wanted), (kind, options)
    case = state.case.updated(diagnostics=[{"kind": "slice", "of": "u", "at": 0.0}])
    simulation = Simulation(case, comm=world)
    simulation.run(progress=False)
    kept = simulation.diagnostics["slice"]
    assert kept.sizes["time"] == (2 if world.rank == 0 else 0)
    if world.rank == 0:
        assert np.array_equal(kept["slice"][0], values[:3, 0])


def test_too_many_values_are_refused():
    with pytest.raises(CaseError, match=r"has 37748736 values .* more than 16777216; take fewer quant"):
        case_of(grid={"points": [2048, 2048, 64]}, diagnostics=[{"kind": "slice", "of": "grad(u)", "at": 0}])
    case_of(
        grid={"points": [2048, 2048, 64]},
        diagnostics=[{"kind": "slice", "of": "grad(u)", "at": 0, "stride": 2}],
    )
