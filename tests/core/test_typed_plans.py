"""Plans of equations that do not fit together."""

import pytest
from core.test_typed import CUBE, typed_options
from support import typed
from support.typed import EVEN, Term, part
from whorl import _core


def wrong_clock(**given):
    return _core.ClockPlan(program=_core.Program(inputs=[[]], results=[0]), **given)


WRONG = {
    "a term of the tendencies names number 3 of 1": {
        "tendency": [[Term(field=3)], [], []],
        "fluxes": [[part(0)]],
    },
    "a flux names product 7 of 5": {"fluxes": [[part(7)]]},
    "a flux has no parts": {"fluxes": [[]]},
    "a plan has tendencies of 1 components, and fields of 3": {"tendency": [[]]},
    "a plan has linear terms of 2 components, and fields of 3": {"coupling": [[], []]},
    "component 0 has linear terms, and is in no block": {"coupling": [[Term(field=0)], [], []]},
    "some components of field velocity are in a block": {"blocks": [[0, 1]]},
    "component 1 is in two blocks": {"blocks": [[0, 1], [1, 2]]},
    "a linear term connects components of two blocks": {
        "coupling": [[Term(field=1)], [], []],
        "blocks": [[0], [1], [2]],
    },
    "a block of linear terms has no components": {"blocks": [[]]},
    "a plan has no fields": {"fields": []},
    "field w is solenoidal, so it has two or three": {
        "fields": [_core.EquationField(name="w", components=1, solenoidal=True)]
    },
    "field w has 4 components": {"fields": [_core.EquationField(name="w", components=4)]},
    "a plan's program has 7 results for 4 products": {"odd_products": [EVEN] * 4},
    "a plan shows 4 components of a velocity": {"velocity_inputs": 4},
    "a number needs result 1 of a clock of 1": {"clock": wrong_clock(numbers=[(0, 1)])},
    "the clock of a plan sets number 9 of 3": {"clock": wrong_clock(numbers=[(9, 0)])},
    "the clock of a plan has 1 inputs for the time and 1 means": {
        "clock": wrong_clock(forms=[[Term(field=0)]], means=[(0, -1)])
    },
    "a mean is of a form that a plan does not have": {
        "clock": _core.ClockPlan(program=_core.Program(inputs=[[], []], results=[0]), means=[(0, -1)])
    },
    "a plan has 1 terms that vary, and factors of 0": {"varying": [[Term(field=0)], [], []]},
    "a linear term needs result 0 of a clock of 0": {
        "varying": [[Term(field=0)], [], []],
        "varying_by": [0],
    },
    "a source is of component 3 of 3": {"sources": [_core.MeanSource(component=3)]},
    "equations have 33 components in all": {
        "fields": [_core.EquationField(name=f"w{n}", components=3) for n in range(11)]
    },
}


@pytest.mark.parametrize("words", WRONG)
def test_plans_that_do_not_fit_together_are_refused(words):
    with pytest.raises(_core.Error, match=words):
        typed.navier_stokes(CUBE, **WRONG[words])


def test_equations_need_a_plan_and_carry_no_scalars():
    options = typed_options(None, CUBE)
    with pytest.raises(_core.Error, match="has no plan: give the equations"):
        _core.model_shape(options)
    options = typed_options(typed.navier_stokes(CUBE), CUBE, scalars=[("s", (0.1, 0.0, 0.0, 0.0))])
    with pytest.raises(_core.Error, match="type an equation for each of them"):
        _core.model_shape(options)
