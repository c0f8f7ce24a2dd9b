"""Names of fields and parameters, and the numbers of parameters, before any equation is read."""

import ast
import difflib
import math
import re
import warnings
from collections.abc import Mapping, Sequence
from keyword import iskeyword
from typing import TYPE_CHECKING

from whorl.equations.functions import KNOWN
from whorl.equations.kinds import AXES, KINDS
from whorl.expressions.faults import ExpressionError, fault
from whorl.expressions.parse import Parser, Vocabulary

if TYPE_CHECKING:
    from whorl.equations.text import Declarations

RESERVED = ("x", "y", "z", "t", "i", "pi", "dt", "ex", "ey", "ez")
MOST_FIELDS = 64
Number = float | int | str


def check_fields(fields: Mapping[str, str], axes: int) -> None:
    """Raises ExpressionError for names of fields and kinds that are not possible."""
    if not fields:
        raise ExpressionError('fields is wrong (empty): declare at least one, such as u = "scalar".')
    if len(fields) > MOST_FIELDS:
        raise ExpressionError(f"fields is wrong ({len(fields)} of them): at most {MOST_FIELDS} are possible.")
    for name, kind in fields.items():
        _check_name(name, "field")
        _check_derived(name, fields)
        if kind not in KINDS:
            close = difflib.get_close_matches(str(kind), KINDS, 1)
            hint = f"did you mean {close[0]}" if close else "choose one of these"
            raise fault(
                f"the kind of {name} is wrong ({kind}): kinds are {', '.join(KINDS)}; {hint}", str(kind)
            )
        if axes not in KINDS[kind].axes:
            possible = " or ".join(map(str, KINDS[kind].axes))
            other = {"velocity": "plane velocity", "plane velocity": "velocity"}.get(kind, "scalar")
            raise fault(
                f"the kind of {name} is wrong ({kind}): the box has {axes} axes, and this kind needs "
                f"{possible}; use {other}",
                kind,
            )


def _check_derived(name: str, fields: Mapping[str, str]) -> None:
    """Raises ExpressionError for a name that files or the state give to a component of another field."""
    for other in fields:
        rest = name.removeprefix(f"{other}_")
        of_tensor = len(KINDS[fields[other]].shape) == 2 if fields[other] in KINDS else False
        if rest != name and re.fullmatch(r"\d+|earlier\d+" + ("|[xyz]{2}" if of_tensor else ""), rest):
            raise fault(
                f"the name of a field is wrong ({name}): parts of {other} have such names; choose another",
                name,
            )


def _check_name(name: str, thing: str) -> None:
    if not isinstance(name, str) or not name.isidentifier() or not name.isascii():
        raise fault(
            f"the name of a {thing} is wrong ({name}): it has letters, digits and _; choose another",
            str(name),
        )
    if name in RESERVED or name in KNOWN or iskeyword(name):
        use = "a function" if name in KNOWN else "of the language"
        raise fault(f"the name of a {thing} is wrong ({name}): it is {use}; choose another", name)


class Parameters:
    """Numbers of parameters, of which some are texts that depend on other parameters or on the time."""

    def __init__(self, declared: Mapping[str, Number], fields: Mapping[str, str]):
        self.declared, self.fields = declared, fields
        self.numbers: dict[str, float] = {}
        self.of_time: dict[str, str] = {}
        self._open: list[str] = []
        for name in declared:
            _check_name(name, "parameter")
            if name in fields:
                raise fault(f"the parameter {name} is wrong: a field has this name; rename one of them", name)
        for name in declared:
            self._find(name)

    def _find(self, name: str) -> None:
        if name in self.numbers or name in self.of_time:
            return
        value = self.declared[name]
        if isinstance(value, str):
            self._read(name, value)
        elif isinstance(value, bool) or not isinstance(value, int | float):
            raise fault(
                f"the parameter {name} is wrong ({value}): it is a number or a text; give one", str(value)
            )
        elif not math.isfinite(value):
            raise fault(f"the parameter {name} is wrong ({value}): a number is finite; give one", str(value))
        else:
            self.numbers[name] = float(value)

    def _read(self, name: str, text: str) -> None:
        if name in self._open:
            circle = " → ".join([*self._open[self._open.index(name) :], name])
            raise fault(f"the parameter {name} is circular ({circle}): give one of them a number", text)
        self._open.append(name)
        for other in names_in(text):
            if other in self.declared:
                self._find(other)
        self._open.pop()
        positions = {
            axis: f"{name} is a number, and {axis} is a position; write it in an equation" for axis in AXES
        }
        of_fields = {
            field: f"{name} is a number, and {field} a field; write it in an equation"
            for field in self.fields
        }
        known = Vocabulary(
            definitions=self.of_time,
            parameters=self.numbers,
            refused=positions | of_fields,
            known_functions=KNOWN,
        )
        try:
            value = Parser(known).parse(text)
        except ExpressionError as error:
            raise error.at(f"the parameter {name}") from None
        if value.rank or value.complex:
            raise fault(f"the parameter {name} is wrong ({value}): it is a real number; give one", text)
        if value.scalar.kind == "constant":
            self.numbers[name] = value.scalar.value
        else:
            self.of_time[name] = text

    def check_used(self, texts: Sequence[str]) -> None:
        """Raises ExpressionError for a parameter that no equation and no other parameter has."""
        used = {name for text in (*texts, *map(str, self.declared.values())) for name in names_in(text)}
        for name, value in self.declared.items():
            if name not in used:
                raise fault(
                    f"the parameter {name} is not used ({value}): each is in an equation; take it out", name
                )


def names_in(text: str) -> list[str]:
    """The names in a text, in order; none of a text that is no expression."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return list(dict.fromkeys(node.id for node in ast.walk(tree) if isinstance(node, ast.Name)))


def refused_names(declared: "Declarations", known: Sequence[str]) -> dict[str, str]:
    """The names that equations may not have, with the reason."""
    refused = {
        "dt": "dt stands on the left side alone; write its right side instead",
        "max": "the maximum over all points needs a round trip of its own; write it without",
        "min": "the minimum over all points needs a round trip of its own; write it without",
    }
    for axis in range(declared.axes, 3):
        letter = AXES[axis]
        reason = f"the box has {declared.axes} axes, and no {letter}; take it out"
        refused |= {letter: reason, f"d{letter}": reason}
    if "complex" not in declared.fields.values():
        refused["i"] = "i is for equations of complex fields, and all fields are real; take it out"
    if any(KINDS[kind].solenoidal for kind in declared.fields.values()):
        pressure = "a velocity is projected, which is the work of the pressure; leave the pressure out"
        refused |= {name: pressure for name in ("p", "pressure") if name not in known}
    return refused
