"""Linear growth without bound is refused, by one field or by several; physical instabilities are not."""

import re

import numpy as np
import pytest
from whorl.base.errors import CaseError
from whorl.equations.compile import compiled
from whorl.equations.text import Declarations

AB, ABC = {"a": "scalar", "b": "scalar"}, {"a": "scalar", "b": "scalar", "c": "scalar"}
UNBOUNDED = {
    "diffusion backwards by two fields": (AB, ["dt(a) = lap(b)", "dt(b) = lap(a)"], 2, lambda k: k**2),
    "of first order": (AB, ["dt(a) = dx(b)", "dt(b) = -dx(a)"], 1, lambda k: k),
    "hidden by a faster decay": (
        ABC,
        ["dt(a) = lap(b)", "dt(b) = lap(a) + 1e-3*c", "dt(c) = -lap(lap(c)) + a"],
        2,
        lambda k: k**2,
    ),
    "along one axis": ({"a": "scalar"}, ["dt(a) = -dx(dx(a)) + dy(dy(a))"], 2, None),
    "of a velocity": ({"u": "velocity"}, ["dt(u) = -dz(dz(u)) - advect(u, u)"], 3, None),
    "of a high power": (AB, ["dt(a) = abs_k(b, 1.5)", "dt(b) = abs_k(a, 0.5)"], 2, lambda k: k),
    "by an imaginary factor": ({"p": "complex"}, ["dt(p) = i*dx(p)"], 1, lambda k: k),
}
BOUNDED = {
    "waves": (AB, ["dt(a) = dx(b)", "dt(b) = dx(a)"], 1),
    "waves of a condensate": ({"p": "complex"}, ["dt(p) = i*lap(p) - abs(p)**2*p"], 3),
    "decay by two fields": (AB, ["dt(a) = lap(a) + lap(b)", "dt(b) = lap(b) - lap(a)"], 2),
    "patterns": (AB, ["dt(a) = 0.01*lap(a) + a - 2*b", "dt(b) = lap(b) + 3*a - 4*b"], 2),
    "growth of all modes alike": (AB, ["dt(a) = b", "dt(b) = a"], 2),
    "instability of long waves": (AB, ["dt(a) = -lap(b) - lap(lap(a))", "dt(b) = -lap(a) - lap(lap(b))"], 2),
    "sound that is damped": (AB, ["dt(a) = -dx(b)", "dt(b) = -dx(a) + 0.1*dx(dx(b))"], 1),
    "rotation and waves": (
        {"u": "velocity", "s": "scalar"},
        ["dt(u) = -advect(u, u) - 2*cross(ez, u) - 3*s*ez + 0.01*lap(u)", "dt(s) = -dot(u, grad(s)) + 3*u.z"],
        3,
    ),
    "layers that are too heavy": (
        {"u": "velocity", "s": "scalar"},
        ["dt(u) = -advect(u, u) + 3*s*ez + 0.01*lap(u)", "dt(s) = -dot(u, grad(s)) + 3*u.z + 0.01*lap(s)"],
        3,
    ),
    "a filter that ends growth": (AB, ["dt(a) = -lap(filter(b, 3))", "dt(b) = -lap(filter(a, 3))"], 2),
}


@pytest.mark.parametrize("name", UNBOUNDED)
def test_growth_without_bound_is_refused(name):
    fields, equations, axes, rate = UNBOUNDED[name]
    with pytest.raises(CaseError, match="modes grow without bound") as refused:
        compiled(Declarations(fields, equations, axes=axes))
    k, found = map(float, re.search(r"\|k\| = (\S+) with the rate (\S+);", str(refused.value)).groups())
    assert k > 1
    if rate:
        assert found == pytest.approx(rate(k), rel=1e-3)


@pytest.mark.parametrize("name", BOUNDED)
def test_growth_that_is_bounded_is_not(name):
    fields, equations, axes = BOUNDED[name]
    dealias = "none" if "abs" in "".join(equations) and "**2*p" not in "".join(equations) else None
    assert compiled(Declarations(fields, equations, axes=axes, dealias=dealias)).fields


def test_a_block_takes_no_time():
    """Eight components in three dimensions, as many as an exact factor has."""
    names = "abcdefgh"
    fields = dict.fromkeys(names, "scalar")
    chain = [
        f"dt({one}) = lap({one}) + dx({after})" for one, after in zip(names, names[1:] + "a", strict=True)
    ]
    plan = compiled(Declarations(fields, chain, axes=3))
    assert len(plan.blocks[0].components) == len(names)
    assert np.isfinite(plan.cost)
