"""The problem of the search, from equations that are read."""

from whorl.equations.atoms import INNER
from whorl.equations.forms import Problem
from whorl.equations.inner import with_inner_fields
from whorl.equations.kinds import KINDS
from whorl.equations.linear_part import LinearPart, linear_part
from whorl.equations.multipliers import Normal
from whorl.equations.split import Clock, forms_at_points, split
from whorl.equations.text import System
from whorl.equations.waves import Classes
from whorl.equations.written import Writer


def linear_of(problem: Problem) -> tuple[LinearPart, tuple[Clock, ...]]:
    """The linear part of a problem by itself, and the clocks of its terms in order."""
    clocks = sorted({clock for *_, clock in problem.split.linear})
    numbers = {clock: number for number, clock in enumerate(clocks)}
    components = len(problem.classes.of)
    linear = linear_part(problem.split, problem.normal, problem.groups, components, numbers)
    return linear, tuple(clocks)


def problem_of(system: System) -> Problem:
    """The problem. Raises ExpressionError for equations without a plan."""
    declared = system.declared
    groups: list[tuple[int, ...]] = []
    components: list[tuple[int, ...]] = []
    names: list[str] = []
    for name, kind in declared.fields.items():
        first, size = system.first[name], len(KINDS[kind].indices(declared.axes))
        numbers = tuple(range(first, first + size))
        if KINDS[kind].solenoidal:
            groups.append(numbers)
        if KINDS[kind].complex:
            components += [(one,) for one in numbers]
            names += [f"{name}.re", f"{name}.im"]
        else:
            components.append(numbers)
            names.append(name)
    normal = Normal(declared.axes, tuple(group[0] for group in groups))
    solenoidal = frozenset(number for number, one in enumerate(components) if one in groups)
    normal, inner = with_inner_fields(system, normal)
    if inner:
        components.append(tuple(one.number for one in inner))
        names.append(INNER)
    parts = split(system, normal, inner)
    writer = Writer(normal)
    nodes = [parts.nodes[text] for text in sorted(parts.nodes)]
    rates = [system.rate] if system.rate else []
    at_points = dict.fromkeys(form for node in (*nodes, *rates) for form in forms_at_points(node, writer))
    classes = Classes(declared.axes, tuple(components), solenoidal)
    return Problem(
        parts,
        normal,
        classes,
        tuple(names),
        tuple(groups),
        tuple(at_points),
        real=bool(declared.walls[0]),
        inner=inner,
    )
