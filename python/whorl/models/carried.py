"""Passive scalars of typed equations: a block of [[scalars]] becomes a field with an equation of its own."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from whorl.base.errors import CaseError
from whorl.config.scalars import Scalar
from whorl.equations.kinds import KINDS
from whorl.equations.problem import linear_of, problem_of
from whorl.equations.text import read
from whorl.models.equations import Equations

MODEL = "equations"


def with_carried(given: dict[str, Any]) -> dict[str, Any]:
    """The sections of a case in which [[scalars]] of typed equations are fields with equations.

    dθ/dt = −u·∇θ − u·g + D ∇²θ with the velocity u by which particles move. Sections that the validation
    refuses stay as they are. Raises CaseError for a scalar that typed equations cannot carry.
    """
    flow, blocks = given.get("flow"), given.get("scalars")
    if not (isinstance(flow, Mapping) and flow.get("model") == MODEL and isinstance(blocks, list | tuple)):
        return given
    fields, equations = flow.get("fields"), flow.get("equations")
    try:
        scalars = [Scalar(**block) for block in blocks]
    except (TypeError, ValidationError):
        return given
    if not (scalars and isinstance(fields, Mapping) and isinstance(equations, list | tuple | str)):
        return given
    texts = [equations] if isinstance(equations, str) else [*equations]
    own = {str(name): str(kind) for name, kind in fields.items()}
    for scalar in scalars:
        _check_gradient(scalar, flow.get("dimensions", 3), given.get("grid"))
        texts.append(_equation(scalar, own))
        own[scalar.name] = "scalar"
    if "linear" not in flow and any(any(one.gradient) for one in scalars) and not _couples(flow):
        flow = {**flow, "linear": "explicit"}  # a gradient alone is not worth exponentials of matrices
    flow = {**flow, "fields": own, "equations": texts}
    rest = {name: section for name, section in given.items() if name != "scalars"}
    return rest | {"flow": flow} | _initial(given.get("initial"), blocks)


def _couples(flow: Mapping[str, Any]) -> bool:
    """Whether linear terms of equations connect fields or turn phases; False for equations that are wrong."""
    try:
        problem = problem_of(read(Equations(**flow).declarations()))
    except (CaseError, ValidationError):
        return False
    return bool(linear_of(problem)[0].blocks)


def _check_gradient(scalar: Scalar, axes: int, grid: Any) -> None:
    """Raises CaseError for a mean gradient along an axis that the box lacks, or that has walls."""
    bases = str(grid.get("bases", "")) if isinstance(grid, Mapping) else ""
    walls = [axis for axis, base in zip("zyx", bases, strict=False) if base == "S"]
    for number, (axis, g) in enumerate(zip("xyz", scalar.gradient, strict=True)):
        if g and (axis in walls or number >= axes):
            rule = "walls let nothing through" if axis in walls else f"a box of {axes} axes has no {axis}"
            raise CaseError(
                f'scalars.gradient of "{scalar.name}" is wrong ({g:g} along {axis}): {rule}; set it to 0 '
                "there (one number is along z)."
            )


def _carrier_in(fields: Mapping[str, str]) -> str | None:
    """The velocity by which particles move: that of this name, or else the first one."""
    found = [name for name, kind in fields.items() if kind in KINDS and KINDS[kind].solenoidal]
    return "velocity" if "velocity" in found else next(iter(found), None)


def _equation(scalar: Scalar, fields: Mapping[str, str]) -> str:
    """The equation of a scalar. Raises CaseError."""
    name, velocity = scalar.name, _carrier_in(fields)
    if velocity is None:
        raise CaseError(
            f'scalars.name = "{name}" is wrong: a velocity carries a scalar, and flow.fields has none; type '
            "its equation, or declare a velocity."
        )
    if name in (*fields, "velocity"):
        raise CaseError(
            f'scalars.name = "{name}" is wrong: another scalar or a field of flow.fields has this name; '
            "choose another."
        )
    if not name.isidentifier():
        raise CaseError(
            f'scalars.name = "{name}" is wrong: with flow.model = "{MODEL}" it is a name of equations, '
            "letters, digits and _; choose another."
        )
    if scalar.diffusivity is None:
        raise CaseError(
            f'scalars.schmidt = {scalar.schmidt:g} of "{name}" is wrong: typed equations name no viscosity; '
            "give scalars.diffusivity."
        )
    terms = [f"-dot({velocity}, grad({name}))"]
    terms += [f"- {g!r}*{velocity}.{axis}" for axis, g in zip("xyz", scalar.gradient, strict=True) if g]
    terms += [f"+ {scalar.diffusivity!r}*lap({name})"] if scalar.diffusivity else []
    return f"dt({name}) = {' '.join(terms)}"


def _initial(initial: Any, blocks: Any) -> dict[str, Any]:
    """The section [initial] with the fields of scalars, if it is a table or they have any."""
    own = {block["name"]: block["initial"] for block in blocks if block.get("initial") is not None}
    if not own:
        return {}
    if initial is None:
        return {"initial": {"name": "zero"} | own}
    if not isinstance(initial, Mapping):
        return {"initial": initial}
    if twice := [name for name in own if name in initial]:
        raise CaseError(
            f'scalars.initial of "{twice[0]}" is wrong: [initial.{twice[0]}] sets the same; leave one out.'
        )
    return {"initial": {**initial, **own}}
