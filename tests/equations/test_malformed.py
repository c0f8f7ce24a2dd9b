"""Malformed equations: one paragraph says what is wrong, the rule and the remedy; a caret shows the place."""

import math
import time

import pytest
from whorl.base.errors import CaseError
from whorl.equations.compile import compiled
from whorl.equations.text import Declarations

U = {"u": "scalar"}
FLOW = {"u": "velocity", "s": "scalar"}
STILL = "dt(u) = lap(u)"

# Each case: fields, equations, other declarations, words of the error.
TEXTS = {
    "unknown name": (U, ["dt(u) = q*u"], {}, '"q" is not known'),
    "a name that is close": (U, ["dt(u) = nv*u"], {"parameters": {"nu": 1.0}}, "not used"),
    "unknown function": (U, ["dt(u) = lapl(u)"], {}, "did you mean lap?"),
    "no dt": (U, ["u = lap(u)"], {}, "the left side is wrong (u)"),
    "two dt": (U, ["dt(dt(u)) = lap(u)"], {}, "has dt 2 times"),
    "dt on the right": (U, ["dt(u) = dt(u)"], {}, "dt stands on the left side alone"),
    "dt of a product": (U, ["dt(u*u) = lap(u)"], {}, "dt is of one field"),
    "dt of a parameter": (U, ["dt(a) = u", STILL], {"parameters": {"a": 1.0}}, "a is a parameter"),
    "dt of an unknown field": (U, ["dt(v) = u"], {}, "v is not declared; fields are u"),
    "a factor of dt": (U, ["2*dt(u) = lap(u)"], {}, "bring the rest to the right"),
    "a field without an equation": (FLOW, [STILL], {}, "s has no equation"),
    "an equation twice": (U, [STILL, STILL], {}, "u has two equations"),
    "a scalar that is a vector": (U, ["dt(u) = grad(u)"], {}, "u is a number; both sides are of one rank"),
    "a vector that is a scalar": (FLOW, ["dt(u) = s", "dt(s) = s"], {}, "u is a vector"),
    "vector times vector": (FLOW, ["dt(u) = u*u", "dt(s) = s"], {}, "several meanings"),
    "grad of a tensor": (FLOW, ["dt(u) = grad(grad(u))", "dt(s) = s"], {}, "grad takes a number or a vector"),
    "div of a scalar": (U, ["dt(u) = div(u)"], {}, "div takes a vector"),
    "trace of a vector": (FLOW, ["dt(u) = u", "dt(s) = trace(u)"], {}, "it takes a tensor"),
    "a tensor that is not symmetric": (
        {"u": "velocity", "c": "symmetric tensor"},
        [STILL, "dt(c) = dot(c, grad(u))"],
        {},
        "it is not symmetric",
    ),
    "i in a real equation": (U, ["dt(u) = i*u"], {}, "i is for equations of complex fields"),
    "a complex value of a real field": (
        {"u": "scalar", "a": "complex"},
        ["dt(u) = a*u", "dt(a) = a"],
        {},
        "u is real; take real of it",
    ),
    "a divergence as an equation": (
        FLOW,
        ["div(u) = 0", STILL, "dt(s) = s"],
        {},
        "no divergence by its kind",
    ),
    "a pressure": (FLOW, ["dt(u) = -grad(p)", "dt(s) = s"], {}, "leave the pressure out"),
    "an unknown kind": ({"u": "vektor"}, [STILL], {}, "did you mean vector"),
    "a velocity in the plane": ({"u": "velocity"}, [STILL], {"axes": 2}, "use plane velocity"),
    "a plane velocity in space": ({"u": "plane velocity"}, [STILL], {}, "use velocity"),
    "z in the plane": (U, ["dt(u) = z*u"], {"axes": 2}, "the box has 2 axes, and no z"),
    "dz in the plane": (U, ["dt(u) = dz(u)"], {"axes": 2}, "the box has 2 axes, and no z"),
    "u.z in the plane": ({"u": "vector"}, ["dt(u) = u.z*u"], {"axes": 2}, ".z is wrong"),
    "a component out of the plane": (
        {"u": "vector"},
        ["dt(u) = vector(0, 0, u.x)"],
        {"axes": 2},
        "along an axis that the box lacks",
    ),
    "derivative of x": (U, ["dt(u) = u*dx(x)"], {}, "x is not periodic"),
    "derivative of t": (U, ["dt(u) = u*dx(t)"], {}, "it is the same at all points"),
    "derivative of a mean": (U, ["dt(u) = u*dx(mean(u))"], {}, "it is the same at all points"),
    "division by a field": (U, ["dt(u) = 1/u"], {}, "dealias is missing"),
    "exp of a field": (U, ["dt(u) = exp(u)"], {}, "dealias is missing"),
    "a fractional power": (U, ["dt(u) = -u**1.5"], {}, "dealias is missing"),
    "power 65": (U, ["dt(u) = -u**65"], {}, "dealias is missing"),
    "a power of a field": (U, ["dt(u) = u**u"], {}, "dealias is missing"),
    "a function without a rate": (U, ["dt(u) = arccos(u)"], {"dealias": "2/3"}, "rate is missing"),
    "numbers that are too large": (
        {"u": "scalar", "v": "scalar"},
        ["dt(u) = 1e-300*u*u + 1e300*v*v", "dt(v) = 0"],
        {"dealias": "none"},
        "becomes too large",
    ),
    "cubic with 2/3": (U, ["dt(u) = -u**3"], {"dealias": "2/3"}, "at most 1/2 of the modes"),
    "quartic": (U, ["dt(u) = -u**4"], {}, "2/5"),
    "dealias that is none": (U, ["dt(u) = -u**2"], {"dealias": "some"}, 'a fraction or "none"'),
    "dealias above 1": (U, ["dt(u) = -u**2"], {"dealias": "3/2"}, "at most 1"),
    "growth without bound": (U, ["dt(u) = -lap(u)"], {}, "grows as |k|^2"),
    "a maximum": (U, ["dt(u) = u*max(u)"], {}, "a round trip of its own"),
    "a mean that the modes do not give": (
        U,
        ["dt(u) = u*mean(u**4)"],
        {"dealias": "none"},
        "the modes do not give",
    ),
    "a product within a product without a rate": (U, ["dt(u) = u*dx(u*u)"], {}, "rate is missing"),
    "a parameter that is missing": (U, ["dt(u) = nu*lap(u)"], {}, '"nu" is not known'),
    "a parameter that is not used": (U, [STILL], {"parameters": {"a": 2.0}}, "a is not used"),
    "a parameter that is NaN": (U, ["dt(u) = a*u"], {"parameters": {"a": math.nan}}, "a number is finite"),
    "a parameter of a field": (
        U,
        ["dt(u) = a*u"],
        {"parameters": {"a": "2*u"}},
        "a is a number, and u a field",
    ),
    "a parameter of x": (U, ["dt(u) = a*u"], {"parameters": {"a": "2*x"}}, "x is a position"),
    "parameters in a circle": (
        U,
        ["dt(u) = a*u"],
        {"parameters": {"a": "2*b", "b": "a/2"}},
        "circular (a → b → a)",
    ),
    "a parameter that is a field": (U, ["dt(u) = u"], {"parameters": {"u": 1.0}}, "a field has this name"),
    "a parameter that is a list": (U, ["dt(u) = a*u"], {"parameters": {"a": [1]}}, "a number or a text"),
    "a reserved name": ({"t": "scalar"}, ["dt(t) = t"], {}, "it is of the language"),
    "a word of Python": ({"lambda": "scalar"}, ["dt(lambda) = lambda"], {}, "it is of the language"),
    "the name of a function": ({"lap": "scalar"}, ["dt(lap) = lap"], {}, "it is a function"),
    "a name that is none": ({"2u": "scalar"}, ["dt(u) = u"], {}, "it has letters, digits and _"),
    "no fields": ({}, [], {}, "declare at least one"),
    "an attribute": (U, ["dt(u) = u.real"], {}, "is no component"),
    "a subscript": (U, ["dt(u) = u[0]"], {}, "an expression may not hold this"),
    "a call of a call": (U, ["dt(u) = lap(u)(u)"], {}, "an expression may not hold this"),
    "a lambda": (U, ["dt(u) = (lambda: u)()"], {}, "an expression may not hold this"),
    "a comprehension": (U, ["dt(u) = [u for u in u]"], {}, "an expression may not hold this"),
    "an f-string": (U, ["dt(u) = f'{u}'"], {}, "an expression may not hold this"),
    "a string": (U, ["dt(u) = 'u'"], {}, "is no real number"),
    "a walrus": (U, ["dt(u) = (a := u)"], {}, "an expression may not hold this"),
    "an import": (U, ["dt(u) = __import__('os')"], {}, "there is no function __import__()"),
    "a keyword": (U, ["dt(u) = lap(f=u)"], {}, "arguments have no names"),
    "a star": (U, ["dt(u) = lap(*u)"], {}, "an expression may not hold this"),
    "open brackets": (U, ["dt(u) = lap(u"], {}, "was never closed"),
    "a caret": (U, ["dt(u) = u^2"], {}, "a power is written **"),
    "two signs": (U, ["dt(u) = u = lap(u)"], {}, "2 signs ="),
    "no sign": (U, ["dt(u)"], {}, "has no ="),
    "an empty text": (U, ["  "], {}, "an equation is empty"),
    "an empty side": (U, ["dt(u) ="], {}, "the expression is empty"),
    "no text": (U, [3], {}, "an equation is wrong (int)"),
    "10⁶ characters": (U, ["dt(u) = u" + " + u" * 250_000], {}, "too long"),
    "10⁴ brackets": (U, ["dt(u) = " + "(" * 10_000 + "u" + ")" * 10_000], {}, "too long"),
    "many brackets": (U, ["dt(u) = " + "(" * 300 + "u" + ")" * 300], {}, "too many nested parentheses"),
    "10⁵ terms": (U, ["dt(u) = " + "+".join(["u"] * 100_000)], {}, "too long"),
    "a minus of Unicode": (U, ["dt(u) = −u"], {}, "write -"),
    "a dot of Unicode": (U, ["dt(u) = 2·u"], {}, "write *"),
    "NUL": (U, ["dt(u) = u\0"], {}, "not seen"),
    "a rate that is a vector": (FLOW, ["dt(u) = u", "dt(s) = s"], {"rate": "u"}, "rate is wrong"),
    "a rate that is negative": (U, ["dt(u) = u*u"], {"rate": "-2"}, "give its magnitude"),
    "a rate of an unknown name": (U, ["dt(u) = u*u"], {"rate": "q"}, '"q" is not known'),
    "a rate of a mean": (U, ["dt(u) = u*u"], {"rate": "mean(u**4)"}, "the modes do not give"),
    "too few parities": (FLOW, ["dt(u) = u", "dt(s) = s"], {"parities": {"u": []}}, "it has 3 components"),
    "unlike parities": (
        FLOW,
        ["dt(u) = vector(0, 0, s)", "dt(s) = s"],
        {"walls": (False, False, True)},
        "of another parity about the walls along z",
    ),
    "a mean of something odd": (
        U,
        ["dt(u) = u*mean(u*dz(u))"],
        {"walls": (False, False, True)},
        "something odd about a wall",
    ),
}
WITHOUT_A_PLACE = ("no fields", "an empty", "no text", "numbers that", "10", "too few")


@pytest.mark.parametrize("kind", TEXTS)
def test_error_names_the_fault_and_its_place(kind: str):
    fields, equations, others, words = TEXTS[kind]
    start = time.process_time()
    with pytest.raises(CaseError) as caught:
        compiled(Declarations(fields, equations, **others))
    message = str(caught.value)
    assert words in message
    first, *shown = message.split("\n")
    assert len(first) < 700
    assert kind.startswith(WITHOUT_A_PLACE) or "^" in shown[-1]
    assert caught.value.exit_code == 2
    assert time.process_time() - start < 1


def test_kinds_of_errors_are_many():
    assert len(TEXTS) >= 50


def test_names_may_differ_by_case_alone():
    plan = compiled(Declarations({"u": "scalar", "U": "scalar"}, ["dt(u) = U*u", "dt(U) = u*U"]))
    assert plan.counts == (2, 1, 1)


def test_caret_stands_at_the_place():
    with pytest.raises(CaseError) as caught:
        compiled(Declarations(U, ["dt(u) = lap(u) + lapp(u)"]))
    _, text, marks = str(caught.value).split("\n")
    assert text[marks.index("^") :].startswith("lapp(u)")
