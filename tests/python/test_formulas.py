"""Formulas of initial fields and forces: what they may hold, their values at points, their parts in time."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.expressions import points
from whorl.expressions.faults import ExpressionError
from whorl.expressions.nodes import worked_out
from whorl.expressions.parse import MOST_IN_A_ROW, Parser, Vocabulary
from whorl.expressions.points import AtPoints
from whorl.expressions.separate import separated

X, Y, Z = np.linspace(0.1, 6.2, 6), np.linspace(0.2, 2.9, 7), np.linspace(0.3, 4.1, 5)
FLOW, TIME = {"viscosity": 0.25}, {"dt": 0.1, "steps": 1}
# What a formula is by Python's eval, of arrays along z, y, x.
NUMPY = {
    name: getattr(np, name)
    for name in (
        *("sin", "cos", "tan", "exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", "abs", "sign"),
        *("sinh", "cosh", "tanh", "arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh"),
        *("arctan2", "hypot", "copysign", "fmod", "maximum", "minimum", "where"),
        *("floor", "ceil", "trunc", "round", "pi"),
    )
} | {"x": X[None, None, :], "y": Y[None, :, None], "z": Z[:, None, None]}
SHAPE = (len(Z), len(Y), len(X))


def case_of(**sections) -> Case:
    return Case(**{"grid": {"points": 16}, "flow": FLOW, "time": TIME} | sections)


def initial(texts: list[str], **sections) -> Case:
    return case_of(initial={"name": "formula", "value": texts}, **sections)


def forced(texts: list[str]) -> Case:
    return case_of(forcing=[{"kind": "steady", "shape": {"name": "formula", "value": texts}}])


def values(text: str) -> np.ndarray:
    out = np.empty((3, *SHAPE))
    case = initial([text, "0", "1"])
    case.planned.initial(case.initial.value).put((X, Y, Z), {}, out)
    assert (out[1] == 0).all()
    assert (out[2] == 1).all()
    return out[0]


# Every function, operator and name that a formula may hold, one at least of each.
TEXTS = [
    *("x", "y", "z", "pi", "2", "-x", "+y", "x + y - z", "x*y/z", "x**2", "x**-3", "x**0.5", "2**x", "x**y"),
    *("(x - 4) % 1.5", "fmod(x - 4, 1.5)", "fmod(4 - y, z)", "hypot(x - 2, y)", "copysign(x, y - 1)"),
    *("2**3*x", "where(x > 0, 100000, 1)*where(x > 0, 100000, 1)", "x**2 + 7/2", "0.5", "1 + 0*x"),
    *("x < y", "x <= y", "(x > y)*1.0", "x >= 6.2", "x == 6.2", "x != y", "(x > 1) & (y < 2)", "~(x > 1)"),
    *("(x > 3) | (y < 1)", "(x > 1) ^ (y > 1)", "where((x > 1) & (z < 2), x, -y)"),
    *("sin(x)*cos(y)*tan(z)", "exp(-x) + expm1(y)", "log(x)*log1p(y)", "log2(x) - log10(z)", "sqrt(x*z)"),
    *("abs(x - 3)", "sign(y - 1.5)", "sinh(x)/cosh(y)", "tanh(x - y)", "arcsin(x/7)", "arccos(y/3)"),
    *("arctan(x*z)", "arctan2(x - 3, y - 1)", "arcsinh(x)", "arccosh(x + 1)", "arctanh(y/3)"),
    *("floor(3*x)", "ceil(3*y)", "trunc(x - 3.5)", "round(5*x*z)", "maximum(x, y)", "minimum(x, 2)"),
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("together", [1, 3 * len(X) * len(Z), points.TOGETHER])
def test_a_formula_has_the_values_of_numpy(text, together, monkeypatch):
    """Also where it is worked out for a few rows at a time."""
    monkeypatch.setattr(points, "TOGETHER", together)
    expected = np.broadcast_to(eval(text, dict(NUMPY)), SHAPE).astype(float)
    np.testing.assert_allclose(values(text), expected, rtol=4e-15, atol=1e-15)


def test_numbers_of_the_case_have_names():
    case = initial(
        ["nu*Lx", "viscosity + Ly", "rotation_z*Lz*x"],
        grid={"points": 16, "lengths": [1.0, 2.0, 3.0]},
        flow=FLOW | {"rotation": 2.0},
    )
    out = np.empty((3, *SHAPE))
    case.planned.initial(case.initial.value).put((X, Y, Z), {}, out)
    assert (out[0] == 0.25).all()
    assert (out[1] == 2.25).all()
    np.testing.assert_allclose(out[2], np.broadcast_to(6 * X, SHAPE))


def test_a_value_that_is_used_no_more_is_not_kept(monkeypatch):
    """A formula of many terms needs memory for a few of them."""
    monkeypatch.setattr(points, "TOGETHER", 1)
    held = []

    class Watched(AtPoints):
        def _work_out(self, nodes, axes, known, values):
            super()._work_out(nodes, axes, known, values)
            held.append(len(values))

    text = "+".join(f"cos({n}*y)" for n in range(1, 100))
    out = np.empty((1, *SHAPE))
    Watched([Parser(Vocabulary()).parse(text).scalar]).put((X, Y, Z), {}, out)
    assert max(held) < 110  # 99 constants and some
    np.testing.assert_allclose(out[0, 0, :, 0], sum(np.cos(n * Y) for n in range(1, 100)), rtol=1e-12)


def test_long_sums_are_taken():
    text = "+".join(f"cos({n}*x)" for n in range(250))
    np.testing.assert_allclose(values(text)[0, 0], sum(np.cos(n * X) for n in range(250)), rtol=1e-12)
    with pytest.raises(ExpressionError, match=f"more than {MOST_IN_A_ROW} operators in a row"):
        values("+".join(["x"] * (MOST_IN_A_ROW + 2)))


# Texts with a part of the reason and, where they have a place, what stands above the caret.
REFUSED = [
    ("10**10**10", "becomes inf", "10**10**10"),
    ("x + 1" + "0" * 400, "a number in it is too large", None),
    ("'a'*10**10", "'a' is no real number", "'a'"),
    ("(0,)*10**11", "an expression may not hold this", "(0,)"),
    ("x + 2*(-8)**0.5", "becomes nan", "(-8)**0.5"),
    ("x + 1j", "1j is no real number", "1j"),
    ("True", "is no real number", "True"),
    ("maximum(1, 2, 5)", "it is called maximum(a, b)", "maximum(1, 2, 5)"),
    ("sin(x, 1)", "it is called sin(f)", "sin(x, 1)"),
    ("hypot(x)", "it is called hypot(a, b)", "hypot(x)"),
    ("where(x > 0, 1)", "it is called where(c, a, b)", "where(x > 0, 1)"),
    ("exp()", "it is called exp(f)", "exp()"),
    ("q*y", '"q" is not known; known are x, y, z, viscosity', "q"),
    ("snh(x)", "there is no function snh(); did you mean sinh?", "snh(x)"),
    ("vector(x, y, z)", "a formula is one real number, and this is a vector", "vector(x, y, z)"),
    ("cos(u.x)", "u is a field of the flow, on which an initial field does not depend", "u"),
    ("velocity.x", "velocity is a field of the flow", "velocity"),
    ("omega.z", "omega is a field of the flow", "omega"),
    ("p", "p is a field of the flow", "p"),
    ("1 + dye", "dye is a field of the flow", "dye"),
    ("sin(t)", "an initial field does not depend on the time t", "t"),
    ("x - mean(x)", "mean() is of fields", "mean(x)"),
    ("2*dx(y)", "dx() is of fields", "dx(y)"),
    ("max(x)", "max() is of fields", "max(x)"),
    ("inv_lap(x)", "inv_lap() is of fields", "inv_lap(x)"),
    ("sin", "sin is a function; write sin(f)", "sin"),
    ("sin(x", "'(' was never closed", "("),
    ("__import__('os')", "there is no function __import__()", "__import__('os')"),
]


@pytest.mark.parametrize(("text", "reason", "place"), REFUSED, ids=lambda value: str(value)[:20])
def test_what_is_no_formula_is_refused_with_the_place(text, reason, place):
    with pytest.raises(ExpressionError, match=re.escape(reason)) as refused:
        initial(["0", text, "0"], scalars=[{"name": "dye"}])
    first, shown, carets = str(refused.value).split("\n")
    assert first.startswith("initial.value: ")
    if place:
        assert shown[carets.index("^") :].startswith(place)
        assert carets.count("^") == len(place)


WRONG = {"name": "formula", "value": "2*q"}


@pytest.mark.parametrize(
    ("place", "sections"),
    [
        ("initial.temperature.value", {"initial": {"name": "zero", "temperature": WRONG}}),
        ("scalars.initial of dye.value", {"scalars": [{"name": "dye", "initial": WRONG}]}),
        (
            "forcing.shape of heat.value",
            {"forcing": [{"kind": "steady", "name": "heat", "field": "temperature", "shape": WRONG}]},
        ),
    ],
)
def test_a_refusal_names_the_option(place, sections):
    flow = {"model": "boussinesq", "viscosity": 0.1, "buoyancy_frequency": 1.0}
    with pytest.raises(CaseError, match=f'^{re.escape(place)}: "q" is not known'):
        case_of(flow=flow, **sections)


def test_a_force_does_not_depend_on_the_flow():
    with pytest.raises(ExpressionError, match=r"u is a field of the flow, on which a force of this shape"):
        forced(["u.x", "0", "0"])


# Texts of a force, with the number of its parts; None where it is evaluated anew at each stage.
PARTS = [
    (["sin(y - t)", "0", "0"], 2),
    (["sin(y - 0.5*t)", "2*cos(y - 0.5*t)", "0"], 2),
    (["sin(z - t)", "cos(z - t)", "sin(x)"], 3),
    (["cos(2*t + 1 + x*y)/(2 + x)/(1 + t)", "sin(t)**2", "3"], 4),
    (["exp(-t)*sin(y)*x/(1 + t)", "0", "0"], 1),
    (["where(t < 1, sin(y), cos(z))", "0", "0"], 2),
    (["where(t > 5, sin(y)/(t - 0.7), cos(z))", "where(t < 5, x, y)", "0"], 4),
    (["(t < 5)*sin(y)", "-3*(t < 5)*cos(y)", "0"], 1),
    (["sin(2*y)", "0", "x"], 1),
    (["0", "0", "0"], 1),
    (["t", "2*t - t*x", "-t"], 1),
    (["(1 + sin(t))*cos(x) - cos(x)", "0", "0"], 1),
    (["cos(x*t)", "0", "0"], None),
    (["exp(-(x - t)**2)", "0", "0"], None),
    (["tanh(x - t)", "0", "0"], None),
    (["sin(y)/(x + t)", "0", "0"], None),
    (["sin(y - t) + sin(2*y - 2*t) + sin(3*y - 3*t)", "0", "0"], None),  # six
]


@pytest.mark.parametrize(("texts", "count"), PARTS, ids=lambda value: str(value)[:40])
def test_a_force_is_the_sum_of_its_parts(texts, count):
    case = forced(texts)
    parts = case.planned.force(tuple(texts))
    assert len(parts) == (count or 1)
    assert [part.in_time for part in parts] == ([False] * count if count else [True])
    for t in (0.0, 0.7, 5.0, 123.4):
        total = np.zeros((3, *SHAPE))
        for part in parts:
            out = np.empty_like(total)
            part.shape.put((X, Y, Z), {"t": t} if part.in_time else {}, out)
            total += out * (1.0 if part.factor is None else worked_out(part.factor, {"t": t}))
        with np.errstate(all="ignore"):
            expected = [eval(text, NUMPY | {"t": t}) for text in texts]
        for found, wanted in zip(total, expected, strict=True):
            np.testing.assert_allclose(found, np.broadcast_to(wanted, SHAPE), rtol=1e-13, atol=1e-12)


number = st.sampled_from(["2", "0.3", "pi", "1.7"])
of_both = st.recursive(
    st.one_of(number, st.sampled_from(["x", "y", "z", "t", "t"])),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda of: f"({' '.join(of)})"),
        st.tuples(inner, number).map(lambda of: f"({of[0]}/{of[1]})"),
        inner.map(lambda one: f"(-{one})"),
        st.tuples(st.sampled_from(["sin", "cos"]), inner).map(lambda of: f"{of[0]}({of[1]})"),
        st.tuples(inner, inner).map(lambda of: f"where(t > 0.5, {of[0]}, {of[1]})"),
    ),
    max_leaves=8,
)


@given(of_both)
def test_any_force_is_the_sum_of_its_parts(text):
    parser = Parser(Vocabulary())
    parts = separated(parser.graph, [parser.parse(text).scalar])
    for t in (0.2, 1.3):
        total = np.zeros((1, *SHAPE))
        for factor, shape in parts or ():
            out = np.empty_like(total)
            AtPoints(shape).put((X, Y, Z), {}, out)
            total += out * worked_out(factor, {"t": t})
        expected = np.broadcast_to(eval(text, NUMPY | {"t": t}), SHAPE)
        if parts is not None:
            size = max(1, np.abs(expected).max())
            np.testing.assert_allclose(total[0], expected, rtol=1e-9, atol=1e-9 * size)
