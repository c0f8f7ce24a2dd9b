"""Counts of plans: those of the design or less, for models of whorl and equations of the catalogue."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from support.equations import difference
from support.typed_models import ALL, Typed
from whorl.equations.compile import compiled
from whorl.equations.forms import Search
from whorl.equations.problem import problem_of
from whorl.equations.text import read
from whorl.equations.told import told
from whorl.expressions.operations import OPERATIONS

PARAMETERS = [pytest.param(name, marks=pytest.mark.slow if one.slow else ()) for name, one in ALL.items()]
PAGE = Path(__file__).resolve().parents[2] / "docs" / "equations.md"
GENEROUS = 10**6  # steps of the search


def cost(axes: int, inputs: int, products: int, fluxes: int) -> Fraction:
    lines = Fraction(5, 6) * (inputs + products)
    return lines + Fraction(2, 9) * (inputs + fluxes) if axes == 3 else lines


@pytest.mark.parametrize("name", PARAMETERS)
def test_counts_are_least_and_the_right_hand_side_is_that_of_the_text(name: str):
    one: Typed = ALL[name]
    axes = one.declared.axes
    plan = compiled(one.declared, budget=GENEROUS)
    assert plan.counts == one.found
    assert cost(axes, *plan.counts) <= cost(axes, *one.listed)
    assert plan.cost == pytest.approx(float(cost(axes, *plan.counts)))
    if cost(axes, *one.found) == cost(axes, *one.listed):
        assert all(a <= b for a, b in zip(plan.counts, one.listed, strict=True))
    if one.real:
        assert plan.real_fluxes <= one.real
    assert not plan.notes
    assert difference(read(one.declared), plan, 1) < 1e-13


@pytest.mark.parametrize("name", PARAMETERS)
def test_form_of_the_text_is_right_too(name: str):
    one = ALL[name]
    plan = compiled(one.declared, "typed")
    assert plan.form == "as typed"
    assert difference(read(one.declared), plan, 2) < 1e-13


@pytest.mark.parametrize(
    ("name", "counts"),
    [("Burgers, 3-D", (12, 3, 3)), ("QG, two layers", (8, 2, 2)), ("passive scalar", (6, 1, 1))],
)
def test_counts_of_the_text(name: str, counts: tuple[int, int, int]):
    assert compiled(ALL[name].declared, "typed").counts == counts


@pytest.mark.parametrize("name", ["navier-stokes, convective", "mhd", "boussinesq", "Gray–Scott"])
def test_coefficients_are_small_fractions(name: str):
    choice = Search(problem_of(read(ALL[name].declared)), GENEROUS).found()
    numbers = [value for row in choice.table.values() for value in row.values()]
    assert all(
        isinstance(value, Fraction) and value.denominator <= 2 and abs(value) <= 2 for value in numbers
    )


def test_formula_of_navier_stokes_is_the_traceless_stress():
    plan = compiled(ALL["navier-stokes, convective"].declared)
    u, v, w = np.random.default_rng(1).standard_normal((3, 5))
    values = _run(plan.point, [u, v, w])
    for found, wanted in zip(values, [u * u - w * w, u * v, u * w, v * v - w * w, v * w], strict=False):
        assert np.allclose(found, wanted, rtol=1e-14)
    assert np.allclose(values[-1], u * u + v * v + w * w, rtol=1e-14)
    assert plan.velocity == 0
    assert plan.projected == (0,)


def _run(program, inputs):
    operands = [*inputs, *(number.value for number in program.numbers), 0, 0, 0]
    for name, places in program.instructions:
        operands.append(OPERATIONS[name].function(*(operands[place] for place in places)))
    return [operands[place] for place in program.results]


def test_told():
    text = told(compiled(ALL["navier-stokes, convective"].declared))
    assert text == (
        "3 inputs, 5 products, 4 columns: u. 8 transforms a stage, 13 operations a point. "
        "72 bytes a point, in 3 registers of 3 components. "
        "2/3 of the modes are kept, since products are quadratic."
    )


@pytest.mark.parametrize("name", ALL)
def test_page_has_the_counts(name: str):
    page = PAGE.read_text(encoding="utf-8")
    counts = "/".join(map(str, ALL[name].found))
    assert f"| {name} | {counts} |" in page
