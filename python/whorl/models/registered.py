"""Names for typed equations, which a script gives."""

import copy
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from whorl.base.errors import CaseError
from whorl.equations.text import read
from whorl.models.equations import Equations

REGISTERED: dict[str, dict[str, Any]] = {}  # sections [flow] by the name of their model
BUILT_IN: set[str] = set()  # names that the package itself gives


def register_model(
    name: str,
    *,
    fields: Mapping[str, str],
    equations: Sequence[str],
    parameters: Mapping[str, float | str] | None = None,
    **options: Any,
) -> None:
    """Make `flow = {"model": name}` stand for typed equations, from now on in this process.

    `fields`, `equations`, `parameters` and further options are those of the section [flow] of typed equations
    (docs/models/equations.md). A case gives parameters by their names, `flow = {"model": name, "nu": 0.02}`,
    and other options as usual. Once made it has the equations themselves, and `flow.parameters`, so that its
    files, restarts and other programs need no name.

    Raises CaseError if the name is taken, or if the equations are wrong.
    """
    if not isinstance(name, str) or not re.fullmatch(r"[\w-]+", name):
        raise CaseError(f"the name of a model is wrong ({name!r}): it is a word; give one")
    if taken := sorted(set(parameters or {}) & set(Equations.model_fields)):
        raise CaseError(
            f"parameters are wrong ({', '.join(taken)}): a section [flow] has options of these names; rename "
            "them"
        )
    given = {"fields": fields, "equations": equations, "parameters": parameters or {}} | options
    section = checked(name, copy.deepcopy(given))
    if name in BUILT_IN or REGISTERED.get(name, section) != section:
        raise CaseError(f'the name of a model is wrong ("{name}"): other equations have it; choose another')
    REGISTERED[name] = section


def checked(name: str, section: dict[str, Any]) -> dict[str, Any]:
    """The section as typed equations keep it. Raises CaseError where no box has them."""
    if isinstance(section["equations"], str):
        section["equations"] = (section["equations"],)
    faults = []
    for axes in [section["dimensions"]] if "dimensions" in section else [3, 2, 1]:
        try:
            model = Equations(**section | {"model": "equations", "dimensions": axes})
            read(model.declarations())
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"])) or "equations"
            raise CaseError(
                f'{place} of "{name}" is wrong: {first["msg"]}; see `whorl options flow`'
            ) from None
        except CaseError as error:
            faults.append(error)
        else:
            kept = model.model_dump(exclude_unset=True, exclude={"model"})
            return (
                kept if "dimensions" in section else {key: kept[key] for key in kept if key != "dimensions"}
            )
    raise CaseError(f'the equations of "{name}" are wrong: {faults[0]}')


def written_out(flow: Any) -> Any:
    """The section [flow] of typed equations that a registered name stands for; others as they are.

    Raises CaseError if it has other equations than its name, or a parameter twice.
    """
    name = flow.get("model") if isinstance(flow, Mapping) else None
    section = REGISTERED.get(name) if isinstance(name, str) else None
    if section is None:
        return flow
    for key in ("fields", "equations"):
        if key in flow:
            raise CaseError(f'flow.{key} is wrong: flow.model = "{name}" has its own; leave it out')
    own = {key: value for key, value in flow.items() if key not in ("model", *section["parameters"])}
    given = {key: value for key, value in flow.items() if key in section["parameters"]}
    table = own.pop("parameters", {})
    if not isinstance(table, Mapping):
        raise CaseError(f"flow.parameters = {table!r} is wrong: it is a table; give {{NAME = VALUE}}")
    if twice := sorted(set(table) & set(given)):
        raise CaseError(f"flow.{twice[0]} is wrong: flow.parameters has it, too; leave one of them out")
    parameters = section["parameters"] | dict(table) | given
    return copy.deepcopy(section | own | {"model": "equations", "parameters": parameters})
