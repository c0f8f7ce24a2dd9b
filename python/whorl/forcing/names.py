"""Names of forces in expressions: the force on each field that can be forced, and its power."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from whorl.expressions.parse import Parser, Vocabulary
from whorl.expressions.values import Algebra, Value, array
from whorl.models.base import Defined, FieldOf

if TYPE_CHECKING:
    from whorl.config.case import Case


def force_name(field: str) -> str:
    """The name of the force on a field in expressions."""
    return f"{field}_force"


def power_name(field: str) -> str:
    """The name of its power at the points in expressions."""
    return f"{field}_force_power"


def powers(fields: dict[str, FieldOf]) -> dict[str, Defined]:
    """The rates at which the forces on these fields change ½ field² at the points."""
    named = {}
    for name, about in fields.items():
        force = force_name(name)
        product = f"dot({name}, {force})" if about.components == 3 else f"{name}*{force}"
        meaning = f"power of all [[forcing]] on the {name} at the point, in units of ½ {name}²"
        text = f"real(conj({name})*{force})" if about.parts else product
        named[power_name(name)] = Defined(text, meaning)
    return named


def forceable(case: "Case") -> tuple[str, ...]:
    """The fields that a force can act on."""
    fields = dict.fromkeys((case.flow.first_field(), *case.flow.state, *(one.name for one in case.scalars)))
    return tuple(name for name in fields if name not in case.flow.prescribed())


def refusals(case: "Case") -> dict[str, str]:
    """The reasons why forces are not known, by the names of these forces."""
    unknown = [force for force in case.forcing if force.no_moment or force.label in case.forces_not_there]
    why = {force.field: _refusal(force) for force in unknown}
    refused = {}
    for field in forceable(case):
        by = case.flow.forced_by.get(field, (field,))[0]
        if reason := why.get(field) or why.get(by):
            refused[force_name(field)] = f"{force_name(field)} is not known {reason}"
    return refused


def _refusal(force: Any) -> str:
    series = f"its power is in series.csv as {force.label}_power and {force.label}_work"
    if force.no_moment:
        return f"at a moment: {force.no_moment}; {series}"
    return (
        f"here: the script, or the file of the shape, of forcing {force.label} is not there; {series}, and "
        "[[diagnostics]] and output.columns of a run know it"
    )


def force_of(case: "Case", field: str, about: FieldOf) -> Callable[[Algebra], Value]:
    """The force on a field, by the [[forcing]] on it and on fields that determine it (`Model.forced_by`)."""
    acting = {force.field for force in case.forcing}

    def value(algebra: Algebra) -> Value:
        total = _given(algebra, field, about) if field in acting else _zero(algebra, about)
        if (by := case.flow.forced_by.get(field)) and by[0] in acting:
            other, text = by
            own = {"f": lambda algebra: _given(algebra, other, case.flow.outputs[other])}
            total = algebra.add(total, Parser(Vocabulary(fields=own), algebra).parse(text))
        return total

    return value


def _given(algebra: Algebra, field: str, about: FieldOf) -> Value:
    nodes = algebra.graph.force(field)
    if about.parts:
        return Value(*(array(node) for node in nodes))
    return Value(array(nodes if about.components == 3 else nodes[0]))


def _zero(algebra: Algebra, about: FieldOf) -> Value:
    zero = algebra.graph.constant(0)
    if about.parts:
        return Value(array(zero), array(zero))
    return Value(array([zero] * 3 if about.components == 3 else zero))
