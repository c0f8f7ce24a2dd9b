"""Bounds of a step: the advective one, slopes of reactions and functions, and typed rates."""

import numpy as np
import pytest
from support.equations import Box, Direct, Interpreter, state
from support.typed_models import ALL
from whorl.base.errors import CaseError
from whorl.equations.compile import compiled
from whorl.equations.rate import Grid
from whorl.equations.slopes import Slopes
from whorl.equations.text import Declarations, read
from whorl.expressions.nodes import within

FLOW, SCALAR = {"u": "velocity"}, {"u": "scalar"}


@pytest.mark.parametrize("name", ["navier-stokes, convective", "mhd", "boussinesq", "navier-stokes-2d"])
def test_rate_is_the_advective_one_or_above(name: str):
    declared, points = ALL[name].declared, 8
    system, grid = read(declared), Grid((points,) * declared.axes, (2 * np.pi,) * declared.axes)
    box = Box(declared.axes, points)
    plan = compiled(declared, grid=grid, budget=10**6)
    fields = state(system, box, 4)
    results = Interpreter(plan, box, fields).results
    if plan.velocity < 0:
        assert np.all(results[-2] >= 0)
        return
    speeds = [abs(box.to_points(one)) for one in fields[: declared.axes]]
    advective = sum(speeds) * points / (2 * np.pi)
    assert np.all(results[-2] >= advective * (1 - 1e-12))
    if name == "navier-stokes, convective":
        assert np.allclose(results[-2], advective)
    assert np.allclose(results[-1], sum(one * one for one in speeds))


def rate_of(declared: Declarations, t: float) -> tuple[np.ndarray, list[np.ndarray]]:
    """The bound at the points of a box, and the values of all components there."""
    box, system = Box(declared.axes, 8), read(declared)
    fields = state(system, box, 3)
    grid = Grid((8,) * declared.axes, (2 * np.pi,) * declared.axes)
    plan = compiled(declared, grid=grid, budget=10**6)
    return Interpreter(plan, box, fields, t).results[-2], [box.to_points(one) for one in fields]


def test_rate_of_reactions_is_that_of_their_slopes():
    rate, (u, v) = rate_of(
        Declarations({"u": "scalar", "v": "scalar"}, ["dt(u) = -3*u*v", "dt(v) = 5*sin(t)*v*v"]), 0.7
    )
    assert np.allclose(rate, np.maximum(3 * (abs(u) + abs(v)), 10 * np.sin(0.7) * abs(v)))


def test_rate_of_functions_is_that_of_their_slopes():
    rate, (u,) = rate_of(Declarations(SCALAR, ["dt(u) = -exp(2*u)*u"], axes=1, dealias="none"), 0.0)
    assert np.allclose(rate, (1 + 2 * abs(u)) * np.exp(2 * u))


def test_rate_has_the_factor_of_the_carrying_term():
    (slow, _), (fast, _) = (
        rate_of(Declarations(FLOW, [f"dt(u) = -{factor}*advect(u, u)"]), 0.0) for factor in ("1", "3.5")
    )
    assert np.allclose(fast, 3.5 * slow)


FUNCTIONS = [
    *("u/(2 + u)", "(1 + u*u)**0.3", "2**u", "u**u", "where(u > 0, u, 2*u)*u"),
    *("minimum(u, 2*u*u)", "maximum(u*u, 0.1)", "abs(u)*u", "sqrt(1 + u*u)", "expm1(u)", "log(2 + u)"),
    *("log1p(u/2)", "sin(u)", "cos(u)", "tan(u/2)", "arctan(u)", "sinh(u)", "cosh(u)", "tanh(u)"),
    *("round(9*u)*u", "-exp(u)", "u - exp(u)"),
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_slopes_are_those_of_differences(function: str):
    system = read(Declarations(SCALAR, [f"dt(u) = {function}"], axes=1))
    (node,) = system.sides[0].nodes
    leaves = [one for one in within(node) if one.kind == "linear"]
    box, step = Box(1, 8), 1e-6
    values = np.linspace(0.31, 0.83, 8)[:, None, None]
    ends = [Direct(system, box, [box.to_modes(values + sign * step)]).value(node) for sign in (1, -1)]
    direct = Direct(system, box, [box.to_modes(values)])
    scale = {leaf: direct.value(leaf) / values for leaf in leaves}  # u, or a number times u
    found = sum(direct.value(Slopes(system.graph, leaf).of(node)) * scale[leaf] for leaf in leaves)
    assert np.allclose(found, (ends[0] - ends[1]) / (2 * step), rtol=1e-7, atol=1e-7)


def test_function_without_a_rule_needs_a_rate():
    declared = Declarations(SCALAR, ["dt(u) = arcsin(u)"], dealias="none")
    with pytest.raises(CaseError, match="rate is missing: arcsin has no bound of its slope"):
        compiled(declared)


def test_rate_of_the_case():
    declared = Declarations(SCALAR, ["dt(u) = -u*dx(u)"], axes=1, rate="10*abs(u)")
    box, system = Box(1, 8), read(declared)
    fields = state(system, box, 3)
    found = Interpreter(compiled(declared), box, fields).results[-2]
    assert np.allclose(found, 10 * abs(box.to_points(fields[0])))


def test_a_rate_below_zero_is_none():
    declared = Declarations(SCALAR, ["dt(u) = -u*dx(u)"], axes=1, rate="u + 0.45")
    box, system = Box(1, 8), read(declared)
    fields = state(system, box, 3)
    values = box.to_points(fields[0]) + 0.45
    assert values.min() < 0 < values.max()
    found = Interpreter(compiled(declared), box, fields).results[-2]
    assert np.allclose(found, np.maximum(values, 0))
