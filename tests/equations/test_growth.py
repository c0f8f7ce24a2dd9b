"""Growth of modes through fields that linear terms connect: refused where it has no bound, else allowed."""

import math
import random
from itertools import pairwise

import numpy as np
import pytest
from scipy.special import j1, spherical_jn
from support.equations import Box
from support.examples import examples
from whorl.base.errors import CaseError
from whorl.equations.compile import compiled
from whorl.equations.multipliers import Tag
from whorl.equations.plan import PlanTerm
from whorl.equations.rate import Grid
from whorl.equations.symbols import multiplier, without_divergence
from whorl.equations.text import Declarations

TAU = 2 * np.pi
TWO = {"a": "scalar", "b": "scalar"}
STRATIFIED = {"u": "velocity", "b": "scalar"}
PLANE = {"u": "plane velocity", "q": "scalar"}


def plan_of(fields, equations, axes=3, lengths=(TAU, TAU, TAU), **parameters):
    """The plan on 64 points an axis: linear equations keep modes of numbers up to 32."""
    return compiled(
        Declarations(fields, equations, parameters, axes=axes), grid=Grid((64,) * axes, lengths[:axes])
    )


# The fields, the equations, the number of axes, and words of the error.
UNBOUNDED = {
    "Laplacians of each other": (
        TWO,
        ["dt(a) = lap(b)", "dt(b) = lap(a)"],
        3,
        "of a, b is wrong (it grows as |k|^2): modes grow without bound, at k = (32, 32, 32) with the rate "
        "3072;",
    ),
    "Cauchy and Riemann": (
        TWO,
        ["dt(a) = dx(b)", "dt(b) = -dx(a)"],
        2,
        "as |k|^1): modes grow without bound, at k = (32, 32) with the rate 32;",
    ),
    "a heavy fluid over a light one": (
        TWO,
        ["dt(a) = b", "dt(b) = abs_k(a, 1)"],
        1,
        "as |k|^0.5): modes grow without bound, at k = (32) with the rate 5.657;",
    ),
    "too little diffusion": (
        TWO,
        ["dt(a) = 3*lap(b) + lap(a)", "dt(b) = 3*lap(a) + lap(b)"],
        1,
        "as |k|^2): modes grow without bound, at k = (32) with the rate 2048;",
    ),
    "three fields in a circle": (
        TWO | {"c": "scalar"},
        ["dt(a) = dx(b)", "dt(b) = dx(c)", "dt(c) = dx(a)"],
        1,
        "of a, b, c is wrong (it grows as |k|^1)",
    ),
    "one of two blocks": (
        TWO | {"c": "scalar", "d": "scalar"},
        ["dt(a) = dx(b)", "dt(b) = dx(a) + c", "dt(c) = lap(d)", "dt(d) = lap(c)"],
        1,
        "of c, d is wrong",
    ),
    "one direction": (
        {"a": "scalar"},
        ["dt(a) = -dx(dx(a)) - dy(dy(dy(dy(a))))"],
        2,
        "of a is wrong (it grows as |k|^2): modes grow without bound, at k = (32, 0) with the rate 1024;",
    ),
    "a velocity": (
        STRATIFIED,
        ["dt(u) = b*ez", "dt(b) = -lap(dot(u, ez))"],
        3,
        "of u, b is wrong (it grows as |k|^1): modes grow without bound, at k = (32, 32, 32)",
    ),
    "a velocity in the plane": (
        PLANE,
        ["dt(u) = curl(q*ez)", "dt(q) = dot(curl(u), ez)"],
        2,
        "of u, q is wrong (it grows as |k|^1): modes grow without bound, at k = (32, 32) with the rate "
        "45.25;",
    ),
    "growth hidden by a faster decay": (
        TWO | {"c": "scalar"},
        ["dt(a) = lap(b)", "dt(b) = lap(a) + 1e-3*c", "dt(c) = -lap(lap(c)) + a"],
        2,
        "of a, b, c is wrong (it grows as |k|^2): modes grow without bound, at k = (32, 32) with the rate "
        "2048;",
    ),
    "an imaginary factor": (
        {"A": "complex"},
        ["dt(A) = i*dx(A)"],
        1,
        "of A is wrong (it grows as |k|^1): modes grow without bound, at k = (32) with the rate 32;",
    ),
    "fractional powers": (
        TWO,
        ["dt(a) = abs_k(b, 1.5)", "dt(b) = abs_k(a, 0.5)"],
        2,
        "it grows as |k|^1)",
    ),
    "a screen that falls too slowly": (
        TWO,
        ["dt(a) = helmholtz(lap(b), 0.1)", "dt(b) = lap(a)"],
        1,
        "it grows as |k|^1)",
    ),
}
BOUNDED = {
    "waves": (TWO, ["dt(a) = dx(b)", "dt(b) = dx(a)"], 2),
    "Schrödinger": (TWO, ["dt(a) = lap(b)", "dt(b) = -lap(a)"], 2),
    "dispersion": ({"a": "scalar"}, ["dt(a) = -dx(dx(dx(a)))"], 1),
    "Ginzburg and Landau": ({"A": "complex"}, ["dt(A) = A + (1 + 3*i)*lap(A)"], 2),
    "Turing": (TWO, ["dt(a) = 1.5*a - b + 0.01*lap(a)", "dt(b) = 3*a - 2*b + lap(b)"], 2),
    "growth that saturates": (TWO, ["dt(a) = 3*b", "dt(b) = 2*a"], 2),
    "growth that slowly saturates": (TWO, ["dt(a) = 3*a - abs_k(a, -0.1) + b", "dt(b) = a"], 1),
    "growth of a field that is followed": (TWO, ["dt(a) = 4*lap(lap(b))", "dt(b) = b + lap(b)"], 2),
    "decay of a higher power": (
        TWO,
        ["dt(a) = lap(b) - 1e-6*lap(lap(a))", "dt(b) = lap(a) - 1e-6*lap(lap(b))"],
        2,
    ),
    "one direction, and decay": ({"a": "scalar"}, ["dt(a) = -dx(dx(a)) - lap(lap(a))"], 2),
    "growth of long waves": (
        TWO,
        ["dt(a) = -lap(b) - lap(lap(a))", "dt(b) = -lap(a) - lap(lap(b))"],
        2,
    ),
    "sound that is damped": (TWO, ["dt(a) = -dx(b)", "dt(b) = -dx(a) + 0.1*dx(dx(b))"], 1),
    "eight fields in a circle": (
        dict.fromkeys("abcdefgh", "scalar"),
        [f"dt({one}) = lap({one}) + dx({other})" for one, other in pairwise("abcdefgha")],
        3,
    ),
    "stratification": (STRATIFIED, ["dt(u) = 2*b*ez", "dt(b) = -2*dot(u, ez)"], 3),
    "stratification upside down": (STRATIFIED, ["dt(u) = 2*b*ez", "dt(b) = 2*dot(u, ez)"], 3),
    "waves that stand still along an axis": (
        STRATIFIED,
        ["dt(u) = b*vector(0, 1, 1)", "dt(b) = lap(dot(u, vector(0, 1, 1)))"],
        3,
    ),
    "growth by itself that coupling ends": (
        TWO,
        ["dt(a) = -lap(a) + 3*lap(b)", "dt(b) = -3*lap(a) + 2*lap(b)"],
        2,
    ),
    "inertial waves": ({"u": "velocity"}, ["dt(u) = cross(u, vector(0, 0, 2))"], 3),
    "Hall": (  # vectors with a divergence would grow
        {"u": "velocity", "b": "velocity"},
        [
            "dt(u) = cross(curl(b), vector(0.3, 0.2, 1.1))",
            "dt(b) = curl(cross(u - 0.4*curl(b), vector(0.3, 0.2, 1.1)))",
        ],
        3,
    ),
    "spin waves in the plane": (PLANE, ["dt(u) = curl(q*ez)", "dt(q) = -dot(curl(u), ez)"], 2),
    "two layers": (
        TWO,
        [
            "dt(a) = -dx(a) - 2*dx(inv_lap(a + b)/2 - helmholtz(a - b, 0.7)/4)",
            "dt(b) = dx(b) + 2*dx(inv_lap(a + b)/2 + helmholtz(a - b, 0.7)/4)",
        ],
        2,
    ),
    "a screen": (TWO, ["dt(a) = helmholtz(lap(b), 0.1)", "dt(b) = a"], 1),
    "a smooth filter": (TWO, ["dt(a) = gauss(lap(b), 0.1)", "dt(b) = lap(a)"], 1),
    "a band": (TWO, ["dt(a) = filter(lap(b), 0, 5)", "dt(b) = lap(a)"], 1),
    "an average": (TWO, ["dt(a) = average(lap(b), 0.5)", "dt(b) = a"], 3),
    "a high power": (TWO, ["dt(a) = -abs_k(a, 40) + b", "dt(b) = a"], 1),
}


@pytest.mark.parametrize("kind", UNBOUNDED)
def test_growth_without_bound_is_refused_with_the_fastest_mode(kind):
    fields, equations, axes, words = UNBOUNDED[kind]
    with pytest.raises(CaseError) as caught:
        plan_of(fields, equations, axes)
    assert words in str(caught.value)
    assert "add a decay of a higher power" in str(caught.value)


@pytest.mark.parametrize("kind", BOUNDED)
def test_growth_that_is_bounded_is_allowed(kind):
    fields, equations, axes = BOUNDED[kind]
    plan_of(fields, equations, axes)


def test_the_fastest_mode_is_one_of_the_box():
    """2/3 of 32 modes are not a whole number of them."""
    with pytest.raises(CaseError, match=r"at k = \(8.4, 21\) with the rate 511.6"):
        plan_of(TWO, ["dt(a) = lap(b) - a*a", "dt(b) = lap(a)"], 2, (2.5 * TAU, TAU))


def coupled(choose, least):
    """Fields that diffuse through each other, with further terms of lower orders.

    The matrix of the highest order is not symmetric; `least` is the smallest real part of its eigenvalues.
    """
    names, order, axes = "abcd"[: choose.randint(2, 4)], choose.choice([1, 2, 3]), choose.choice([1, 2, 3])
    normal = np.array([[choose.gauss(0, 1) for _ in names] for _ in names])
    turned = np.array([[choose.gauss(0, 1) for _ in names] for _ in names])
    matrix = normal @ normal.T + 3 * (turned - turned.T)
    matrix += (least - np.linalg.eigvals(matrix).real.min()) * np.eye(len(names))
    size = 10 ** choose.uniform(-4, 2) * (-1) ** (order + 1)
    equations = []
    for name, row in zip(names, matrix, strict=True):
        terms = []
        for other, value in zip(names, row, strict=True):
            lower = [other, f"dx({other})", f"helmholtz({other}, 0.3)"]
            lower += [f"lap({other})", f"dx(dx(dx({other})))"] if order > 1 else []
            highest = "lap(" * order + other + ")" * order
            terms += [
                f"({float(size * value)!r})*{highest}",
                f"({choose.gauss(0, 10)!r})*{choose.choice(lower)}",
            ]
        equations.append(f"dt({name}) = {' + '.join(terms)}")
    return dict.fromkeys(names, "scalar"), equations, axes


@pytest.mark.parametrize("least", [0.5, 0.02, -0.02, -0.5])
def test_random_diffusion_of_many_fields(least):
    for seed in range(examples(60)):
        equations = coupled(random.Random(seed), least)
        if least > 0:
            plan_of(*equations)
        else:
            with pytest.raises(CaseError, match="grows as"):
                plan_of(*equations)


RADIAL = (("power", 0.7), ("gauss", 0.2), ("helmholtz", 0.4))


@pytest.mark.parametrize("axes", [2, 3])
def test_multipliers_are_those_of_terms(axes):
    box = Box(axes, 8)
    kept = box.k2 > 0
    k = np.array([one[kept] for one in box.k])
    term = PlanTerm(0, 1.7, (2, 1, 0), -1, 3, Tag(1.2, 4.1, radial=RADIAL))
    assert np.allclose(multiplier(term, k, axes), box.term(term)[kept], rtol=1e-14)
    about_y = multiplier(PlanTerm(0, 1.0, tag=Tag(sector=(1, 0.3, 1.0))), k, axes)
    angle = [math.acos(abs(y) / length) for y, length in zip(k[1], np.sqrt(box.k2[kept]), strict=True)]
    assert np.array_equal(about_y, [0.3 <= one < 1.0 for one in angle])


@pytest.mark.parametrize("axes", [2, 3])
def test_averages_fall_as_their_oscillations_do(axes):
    x = np.linspace(1e-3, 200, 4000)
    k = np.stack([x, 0 * x, 0 * x])
    exact = 2 * j1(x) / x if axes == 2 else 3 * spherical_jn(1, x) / x
    found = multiplier(PlanTerm(0, 1.0, tag=Tag(radius=1.0)), k, axes).real
    assert np.max(abs(exact[x > 100]) / found[x > 100]) == pytest.approx(1, rel=0.01)
    assert np.max(abs(abs(exact) - found)) < 0.35


@pytest.mark.parametrize("axes", [2, 3])
def test_vectors_at_right_angles_to_wavenumbers(axes):
    box = Box(axes, 6)
    k = np.array([one[box.k2 > 0] for one in box.k])
    found = without_divergence(k, axes)
    assert np.abs(np.einsum("an,nav->nv", k[:axes], found)).max() < 1e-13
    assert np.allclose(np.einsum("nav,naw->nvw", found, found), np.eye(axes - 1))
