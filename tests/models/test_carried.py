"""Passive scalars that typed equations carry: those of the built-in models."""

import numpy as np
import pytest
from support.ranks import on_ranks
from whorl.base.errors import CaseError
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.run.simulation import Simulation

NOISE = {"name": "random", "k0": 2.0, "energy": 0.3, "seed": 2}
INK = {"name": "ink", "diffusivity": 0.04, "initial": NOISE | {"seed": 5}}
MILK = {"name": "milk", "diffusivity": 0.01}
TYPED = {
    "model": "equations",
    "fields": {"u": "velocity"},
    "equations": ["dt(u) = -advect(u, u) + nu*lap(u)"],
    "parameters": {"nu": 0.02},
    "linear": "explicit",
}


def case(flow: dict, points=(16, 14, 12), **further) -> dict:
    sections = {
        "grid": {"points": list(points)} | further.pop("grid", {}),
        "flow": flow,
        "scalars": [INK, MILK | {"gradient": [0.3, -0.2, 0.7] if points[2] > 1 else [0.3, -0.2, 0.0]}],
        "initial": NOISE,
        "time": {"scheme": "rk4", "dt": 0.01, "steps": 20},
        "run": {"threads": 1},
    } | further
    return {name: section for name, section in sections.items() if section is not None}


def fields(sections: dict, names: dict[str, str], comm=MPI.COMM_SELF) -> dict[str, np.ndarray]:
    with Simulation(Case(**sections), comm=comm) as simulation:
        simulation.run(progress=False)
        return {of: simulation.field(name) for of, name in names.items()}


def assert_alike(found: dict, expected: dict) -> None:
    for name, field in expected.items():
        assert np.abs(found[name] - field).max() <= 1e-12 * np.abs(field).max(), name
        assert np.abs(field).max() > 1e-3


@on_ranks(1, 3)
def test_they_are_those_of_the_built_in_model(world):
    names = {"ink": "ink", "milk": "milk"}
    typed = fields(case(TYPED), names | {"u": "u"}, world)
    built_in = fields(case({"viscosity": 0.02}), names | {"u": "velocity"}, world)
    assert_alike(typed, built_in)


def test_they_are_those_of_the_built_in_model_in_a_plane():
    names = {"ink": "ink", "milk": "milk"}
    flow = TYPED | {"fields": {"u": "plane velocity"}}
    built_in = {"model": "navier-stokes-2d", "viscosity": 0.02}
    swirl = {"name": "formula", "value": ["sin(y)", "cos(x)"]}
    vortex = {"name": "formula", "value": ["sin(y)", "cos(x)", "0"]}
    points = (24, 20, 1)
    assert_alike(
        fields(case(flow, points, initial=swirl), names),
        fields(case(built_in, points, initial=vortex), names),
    )


def test_between_walls_they_have_no_flux():
    """A mean gradient would not fit the walls; without one the mean stays, and the variance falls."""
    sections = case(TYPED, grid={"bases": "SFF"}, scalars=[MILK | {"initial": "dye"}])
    dye = {"name": "formula", "value": "1 + cos(z/2)*sin(x)"}
    sections |= {"scalars": [MILK | {"initial": dye}]}
    with Simulation(Case(**sections), comm=MPI.COMM_SELF) as simulation:
        before = simulation.mean("milk*1"), simulation.statistics()["milk_energy"]
        simulation.run(progress=False)
        after = simulation.mean("milk*1"), simulation.statistics()["milk_energy"]
    assert after[0] == pytest.approx(before[0], abs=1e-14)
    assert after[1] < before[1] - 1e-5


@pytest.mark.parametrize("bases", ["SFF", "SSF", "SSS"])
def test_they_are_those_of_convection_between_walls(bases):
    """The gradient is along an axis without walls."""
    points, lengths = (14, 12, 10), (2.2, 1.7, 1.0)
    free = [0.4, -0.3, 0.0] if bases == "SFF" else [0.4, 0.0, 0.0] if bases == "SSF" else [0.0, 0.0, 0.0]
    further = {
        "points": points,
        "grid": {"bases": bases, "lengths": list(lengths)},
        "scalars": [{"name": "ink", "diffusivity": 0.03, "gradient": free}],
        "initial": None,
    }
    typed = TYPED | {
        "fields": {"u": "velocity", "theta": "scalar"},
        "equations": [
            "dt(u) = -advect(u, u) + theta*ez + nu*lap(u)",
            "dt(theta) = -dot(u, grad(theta)) + dot(u, ez) + nu*lap(theta)",
        ],
        "sines": {"theta": "z"},
        "parameters": {"nu": 2000.0**-0.5},
    }
    built_in = {"model": "rayleigh-benard", "rayleigh": 2000.0, "prandtl": 1.0, "linear": "explicit"}
    ended = []
    for flow, velocity, temperature in (typed, "u", "theta"), (built_in, "velocity", "temperature"):
        random = np.random.default_rng(3)
        shape = points[::-1]
        given = {velocity: 0.3 * random.standard_normal((3, *shape))}
        given |= {name: 0.3 * random.standard_normal((1, *shape)) for name in (temperature, "ink")}
        with Simulation(Case(**case(flow, **further)), given, comm=MPI.COMM_SELF) as simulation:
            simulation.run(progress=False)
            ended.append({"u": simulation.field(velocity), "ink": simulation.field("ink")})
    assert_alike(*ended)


def test_the_velocity_of_this_name_carries_them():
    fields = {"b": "velocity", "velocity": "velocity"}
    flow = TYPED | {"fields": fields, "equations": ["dt(b) = nu*lap(b)", "dt(velocity) = nu*lap(velocity)"]}
    made = Case(**case(flow, scalars=[MILK]))
    assert made.flow.equations[-1] == "dt(milk) = -dot(velocity, grad(milk)) + 0.01*lap(milk)"
    assert made.grid.dealias == "2/3"


def test_the_case_has_equations_and_restarts_repeat_bits(tmp_path):
    sections = case(TYPED, output={"directory": str(tmp_path / "whole")})
    made = Case(**sections)
    assert made.scalars == ()
    assert made.flow.fields == {"u": "velocity", "ink": "scalar", "milk": "scalar"}
    assert made.flow.equations[2].startswith("dt(milk) = -dot(u, grad(milk)) - 0.3*u.x - -0.2*u.y - 0.7*u.z")
    expected = fields(sections, {"ink": "ink", "milk": "milk"})
    half = sections | {"output": {"directory": str(tmp_path / "half")}}
    half["time"] = half["time"] | {"steps": 8}
    fields(half, {})
    with Simulation.restart(tmp_path / "half", settings=["time.steps=20"]) as again:
        again.run(progress=False)
        for name, field in expected.items():
            assert np.array_equal(again.field(name), field)


def test_they_are_forced_and_begin_at_zero():
    force = {
        "kind": "stochastic",
        "field": "milk",
        "power": 0.5,
        "k_max": 2.5,
        "seed": 3,
        "correlation_time": 0.1,
    }
    with Simulation(Case(**case(TYPED, scalars=[MILK], forcing=[force], initial=None))) as forced:
        forced.run(progress=False)
        assert forced.statistics()["milk_energy"] > 0.01


@pytest.mark.parametrize(
    ("further", "gradient", "linear"),
    [
        ("", 1.0, "explicit"),  # as in the built-in models
        ("", 0.0, "exact"),
        (" - 2*cross(ez, u)", 1.0, "exact"),  # inertial waves, whose steps exact factors make longer
    ],
)
def test_a_mean_gradient_alone_is_explicit(further, gradient, linear):
    flow = {key: value for key, value in TYPED.items() if key != "linear"}
    flow |= {"equations": [TYPED["equations"][0] + further]}
    scalars = [INK | {"gradient": gradient}]
    assert Case(**case(flow, scalars=scalars)).flow.linear == linear
    assert Case(**case(flow | {"linear": "exact"}, scalars=scalars)).flow.linear == "exact"


def test_their_initial_fields_need_no_other():
    sections = case(TYPED)
    del sections["initial"]
    assert Case(**sections).initial.name == "zero"


REFUSED = {
    "a Schmidt number": ({"name": "ink", "schmidt": 0.7}, TYPED, "give scalars.diffusivity"),
    "no diffusivity": ({"name": "ink"}, TYPED, "give scalars.diffusivity"),
    "a known name": ({"name": "u", "diffusivity": 0.1}, TYPED, "flow.fields has this name"),
    "the name of the velocity": ({"name": "velocity", "diffusivity": 0.1}, TYPED, "has this name"),
    "a name of files": ({"name": "time", "diffusivity": 0.1}, TYPED, "files use it themselves"),
    "no name of equations": ({"name": "my-ink", "diffusivity": 0.1}, TYPED, "a name of equations"),
    "no velocity": (
        {"name": "ink", "diffusivity": 0.1},
        {"model": "equations", "fields": {"s": "scalar"}, "equations": ["dt(s) = lap(s)"]},
        "flow.fields has none",
    ),
    "a gradient out of the plane": (
        {"name": "ink", "diffusivity": 0.1, "gradient": 2.0},
        TYPED | {"fields": {"u": "plane velocity"}},
        r"is wrong \(2 along z\): a box of 2 axes has no z; set it to 0",
    ),
    "a gradient across walls": (
        {"name": "ink", "diffusivity": 0.1, "gradient": [0.0, 1.0, 0.0]},
        TYPED | {"fields": {"u": "velocity"}},
        r"is wrong \(1 along y\): walls let nothing through; set it to 0",
    ),
    "an initial field of its own and in [initial]": (
        INK,
        TYPED,
        r"scalars.initial of \"ink\" is wrong: \[initial.ink\] sets the same",
    ),
    "an unknown option": ({"name": "ink", "difusivity": 0.1}, TYPED, "did you mean"),
}


def test_two_of_one_name_are_refused():
    with pytest.raises(CaseError, match=r'"milk" is wrong: another scalar or a field of flow.fields has'):
        Case(**case(TYPED, scalars=[MILK, MILK]))


@pytest.mark.parametrize("what", REFUSED)
def test_what_they_cannot_be_is_refused(what):
    scalar, flow, reason = REFUSED[what]
    plane = "plane velocity" in flow["fields"].values()
    further = {"grid": {"bases": "SSF"}} if "walls" in what else {}
    further |= {"initial": NOISE | {"ink": NOISE}} if "[initial]" in what else {}
    with pytest.raises(CaseError, match=reason) as refused:
        Case(**case(flow, (16, 14, 1 if plane else 12), scalars=[scalar], **further))
    assert "\n\n" not in str(refused.value)
