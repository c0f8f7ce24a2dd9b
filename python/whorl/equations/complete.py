"""A plan as the core runs it: with an input, a square of the speed, and rates by fields."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from whorl.equations.multipliers import Tag
from whorl.equations.plan import EquationPlan, FluxPart, LinearTerm, Number, PlanTerm, PointProgram, Rate

Fields = dict[str, tuple[int, ...]]  # the components of each field of the core


@dataclass(frozen=True)
class CompletePlan:
    """A plan with further needs of the core.

    Attributes
    ----------
    plan : EquationPlan
        The plan, with an input at least; its last result is the square of a speed.
    fields : dict
        The components of each field of the core.
    rates : dict
        The rates that all components of a field have.
    linear : tuple of LinearTerm
        The terms of blocks, and rates that not all components of a field have.
    turns : tuple of int
        The power of i that is taken out of each flux.
    """

    plan: EquationPlan
    fields: Fields
    rates: dict[str, tuple[Rate, ...]]
    linear: tuple[LinearTerm, ...]
    turns: tuple[int, ...]

    def part(self, flux: int, of: FluxPart) -> FluxPart:
        """A part of a flux without the power of i that is taken out, whose own is 0 or 1."""
        turn = (of.turn - self.turns[flux]) % 4
        return replace(of, factor=-of.factor if turn >= 2 else of.factor, turn=turn % 2)

    def blocks(self) -> list[list[int]]:
        """The components of the fields that linear terms connect."""
        field_of = {component: name for name, of in self.fields.items() for component in of}
        joined = {name: {name} for name in self.fields}
        for one in self.linear:
            both = joined[field_of[one.to]] | joined[field_of[one.term.of]]
            for name in both:
                joined[name] = both
        coupled = {field_of[one.to] for one in self.linear}
        return [
            [component for other in self.fields if other in joined[name] for component in self.fields[other]]
            for name in self.fields
            if coupled & joined[name]
            and name == next(other for other in self.fields if other in joined[name])
        ]


def completed(plan: EquationPlan) -> CompletePlan:
    """The plan with further needs of the core."""
    if not plan.inputs:
        plan = _with_an_input(plan)
    if plan.velocity < 0:
        plan = replace(plan, point=_with_a_speed(plan.point))
    fields = fields_of(plan)
    rates, further = _rates(plan, fields)
    linear = (*chain.from_iterable(block.terms for block in plan.blocks), *further)
    return CompletePlan(plan, fields, rates, linear, tuple(_common_turn(flux) for flux in plan.fluxes))


def fields_of(plan: EquationPlan) -> Fields:
    """The core's fields; each component of a symmetric tensor is one."""
    found: Fields = {}
    for field in plan.fields:
        numbers = tuple(range(field.first, field.first + len(field.components)))
        if field.kind == "symmetric tensor":
            found |= {
                f"{field.name}_{label}": (n,) for label, n in zip(field.components, numbers, strict=True)
            }
        else:
            found[field.name] = numbers
    return found


def _with_an_input(plan: EquationPlan) -> EquationPlan:
    """The plan of equations whose terms are linear or forces, with an input, which a round trip needs.

    Without a force it has a product that is zero, too.
    """
    program, count = plan.point, len(plan.point.numbers)
    zero = not plan.fluxes

    def place(old: int) -> int:
        return old + 1 if old < count else old + 1 + zero

    instructions = [(name, tuple(map(place, operands))) for name, operands in program.instructions]
    results, numbers, fluxes = [*map(place, program.results)], program.numbers, plan.fluxes
    if zero:
        results = [count + 5 + len(instructions), *results]
        instructions.append(("multiply", (0, count + 1)))
        numbers = (*numbers, Number("value", 0.0))
        fluxes = ((FluxPart(0, 1.0, 0, 0, 0),),)
    point = PointProgram(1, numbers, tuple(instructions), tuple(results))
    return replace(plan, inputs=((PlanTerm(0, 1.0),),), point=point, fluxes=fluxes)


def _with_a_speed(program: PointProgram) -> PointProgram:
    """The program with the square of all inputs in place of that of a speed, which finds NaN."""
    instructions = [*program.instructions, ("multiply", (0, 0))]
    first = program.inputs + len(program.numbers) + 3
    for place in range(1, program.inputs):
        instructions.append(("multiply_add", (place, place, first + len(instructions) - 1)))
    results = (*program.results[:-1], first + len(instructions) - 1)
    return replace(program, instructions=tuple(instructions), results=results)


def _rates(plan: EquationPlan, fields: Fields) -> tuple[dict[str, tuple[Rate, ...]], list[LinearTerm]]:
    """The rates that all components of a field have, and the others as linear terms."""
    rates: dict[str, tuple[Rate, ...]] = {}
    further: list[LinearTerm] = []
    for name, components in fields.items():
        rates[name] = tuple(
            one for one in plan.rates[components[0]] if all(one in plan.rates[c] for c in components)
        )
        for c in components:
            for one in plan.rates[c]:
                if one not in rates[name]:
                    tag = Tag(radial=(("power", one.exponent),) if one.exponent else ())
                    further.append(LinearTerm(c, PlanTerm(c, one.coefficient, tag=tag)))
    return rates, further


def _common_turn(flux: Sequence[FluxPart]) -> int:
    """The power of i that all parts of a flux share but for signs; 0 if they share none."""
    turn = flux[0].turn
    return turn if all((one.turn - turn) % 2 == 0 for one in flux) else 0
