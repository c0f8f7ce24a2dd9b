"""The plan of typed equations as the core reads it (`core/equations/plan.hpp`)."""

from collections.abc import Sequence

from whorl import _core
from whorl.base.errors import CaseError
from whorl.equations.complete import CompletePlan, completed
from whorl.equations.plan import Clock, EquationPlan, LinearTerm, PlanTerm, PointProgram, Rate, Round
from whorl.expressions.graph import EVEN, Parity
from whorl.expressions.linear import WITHOUT_MEAN

# Operations whose result has the parity of their operands; functions that are odd; products of the first two.
ALIKE = ("add", "subtract", "negative", "maximum", "minimum")
ODD = ("sin", "tan", "arcsin", "arctan", "sinh", "tanh", "arcsinh", "arctanh", "sign")
PRODUCTS = ("multiply", "divide", "multiply_add", "multiply_subtract", "subtract_product")
SUMS_OF_PRODUCTS = ("add_products", "subtract_products")


def core_plan(plan: EquationPlan, code: _core.RowCode | None = None) -> _core.EquationPlan:
    """The plan for the core. Raises CaseError where the core has no room for a term."""
    complete = completed(plan)
    plan, linear, turns = complete.plan, complete.linear, complete.turns
    return _core.EquationPlan(
        fields=[_field(plan, name, of, complete.rates[name]) for name, of in complete.fields.items()],
        point=_point(plan.point, plan.inputs),
        odd_products=_parities(plan)[: plan.products],
        fluxes=[_flux(complete, number) for number in range(len(plan.fluxes))],
        tendency=[[_term(one, turns[one.of]) for one in of] for of in plan.tendency],
        coupling=_of_components(plan, linear),
        varying=_of_components(plan, plan.explicit),
        varying_by=[one.clock for to in range(plan.components) for one in plan.explicit if one.to == to],
        sources=[
            _core.MeanSource(component=one.component, factor=one.factor, clock=one.clock)
            for one in plan.sources
        ],
        clock=_clock(plan),
        blocks=complete.blocks(),
        rounds=[_round(one) for one in plan.rounds],
        velocity_inputs=_velocity(plan),
        amplifies=plan.amplifies,
        code=code or _core.RowCode(of_double=True),
    )


def _field(
    plan: EquationPlan, name: str, components: Sequence[int], rates: Sequence[Rate]
) -> _core.EquationField:
    solenoidal = any(field.solenoidal and field.first == components[0] for field in plan.fields)
    parities = _component_parities(plan)
    return _core.EquationField(
        name=name,
        components=len(components),
        solenoidal=solenoidal,
        projected=components[0] in plan.projected,
        odd=[parities[c] for c in components] + [EVEN] * (3 - len(components)),
        rate=[(-one.coefficient, one.exponent) for one in rates],
    )


def _component_parities(plan: EquationPlan) -> list[Parity]:
    """The parities of the components of the state, then of inner fields."""
    of_state = [parity for field in plan.fields for parity in field.parities]
    return [*of_state, *(parity for one in plan.rounds for parity in one.parities)]


def _term(of: PlanTerm, turn: int = 0) -> _core.Term:
    """A term of a component or of a flux, from which i^turn was taken."""
    radial = of.tag.radial
    exponent = sum(number for name, number in radial if name == "power")
    screens = [number**2 for name, number in radial if name == "helmholtz"]
    if len(screens) > 1:
        raise CaseError(
            f"helmholtz is wrong ({len(screens)} times in one term): a term has it once; carry the inner one "
            "as a field of its own."
        )
    without_mean = of.power < 0 or exponent < 0 or of.meanless
    axis, low, high = of.tag.sector
    return _core.Term(
        field=of.of,
        factor=of.factor,
        derivatives=of.orders,
        power=of.power,
        low=max(of.tag.low, WITHOUT_MEAN) if without_mean else of.tag.low,
        high=of.tag.high,
        radius=of.tag.radius,
        sector=_core.Sector(axis=axis, low=low, high=high) if axis >= 0 else _core.Sector(),
        turn=(of.turn + turn - sum(of.orders)) % 4,
        exponent=exponent,
        width=sum(0.5 * number**2 for name, number in radial if name == "gauss"),
        screen=screens[0] if screens else 0.0,
    )


def _flux(complete: CompletePlan, number: int) -> list[_core.FluxPart]:
    parts = (complete.part(number, one) for one in complete.plan.fluxes[number])
    return [
        _core.FluxPart(product=one.product, factor=one.factor, a=one.a, b=one.b, turn=one.turn)
        for one in parts
    ]


def _of_components(plan: EquationPlan, terms: Sequence[LinearTerm]) -> list[list[_core.Term]]:
    return [[_term(one.term) for one in terms if one.to == to] for to in range(plan.components)]


def _velocity(plan: EquationPlan) -> int:
    """The inputs that particles see: those of the velocity, unless another field has this name."""
    if plan.velocity < 0:
        return 0
    first = next(field for field in plan.fields if field.solenoidal)
    named = any(field.name == "velocity" for field in plan.fields)
    return 0 if named and first.name != "velocity" else len(first.components)


def _point(
    program: PointProgram, inputs: Sequence[Sequence[PlanTerm]], products: Sequence[_core.Returned] = ()
) -> _core.Program:
    return _core.Program(
        inputs=[[_term(one) for one in form] for form in inputs],
        numbers=[number.value for number in program.numbers],
        instructions=[(name, list(operands)) for name, operands in program.instructions],
        results=[*program.results],
        products=[*products],
    )


def _round(of: Round) -> _core.Round:
    products = [_core.Returned(field=number, parity=parity) for number, parity in enumerate(of.parities)]
    return _core.Round(program=_point(of.point, of.inputs, products), numbers=_of_clock(of.point))


def _of_clock(program: PointProgram) -> list[tuple[int, int]]:
    """The numbers of a program that the clock sets, each with the result that it has."""
    return [(place, number.which) for place, number in enumerate(program.numbers) if number.source == "clock"]


def _clock(plan: EquationPlan) -> _core.ClockPlan:
    """The clock; operands are the time, the means and the numbers in the core's order."""
    program, means = plan.clock.program, plan.clock.means
    values = [place for place, number in enumerate(program.numbers) if number.source == "value"]
    first = 1 + len(means)

    def operand(old: int) -> int:
        if old >= len(program.numbers):
            return old - len(program.numbers) + first + len(values)
        number = program.numbers[old]
        if number.source == "value":
            return first + values.index(old)
        return 0 if number.source == "t" else 1 + number.which

    return _core.ClockPlan(
        forms=[[_term(one) for one in form] for mean in means for form in (mean.first, mean.second) if form],
        means=_pairs(plan.clock),
        program=_core.Program(
            inputs=[[] for _ in range(first)],
            numbers=[program.numbers[place].value for place in values],
            instructions=[(name, [*map(operand, operands)]) for name, operands in program.instructions],
            results=[*map(operand, program.results)],
        ),
        numbers=_of_clock(plan.point),
    )


def _pairs(clock: Clock) -> list[tuple[int, int]]:
    """The numbers of the forms of each mean; −1 for none."""
    pairs, count = [], 0
    for mean in clock.means:
        pairs.append((count, count + 1 if mean.second else -1))
        count += 2 if mean.second else 1
    return pairs


def _parities(plan: EquationPlan) -> list[Parity]:
    """The parities of the results of the point program, by those of its operands."""
    components = _component_parities(plan)
    program = plan.point
    known = [_of_form(form[0], components) for form in plan.inputs]
    known += [EVEN] * (len(program.numbers) + 3)
    values = {program.inputs + place: number.value for place, number in enumerate(program.numbers)}
    for name, operands in program.instructions:
        odd = [known[n] for n in operands]
        if name in ALIKE:
            fields = [known[n] for n in operands if n not in values]
            known.append(fields[0] if fields else EVEN)
        elif name in PRODUCTS or name in SUMS_OF_PRODUCTS:
            known.append(_product(odd[0], odd[1]))
        elif name in ODD or (name == "power" and values.get(operands[1], 0.0) % 2 == 1):
            known.append(odd[0])
        else:
            known.append(EVEN)
    return [known[n] for n in program.results]


def _of_form(term: PlanTerm, components: Sequence[Parity]) -> Parity:
    odd = components[term.of]
    return tuple(one != bool(order % 2) for one, order in zip(odd, term.orders, strict=True))


def _product(a: Parity, b: Parity) -> Parity:
    return tuple(one != other for one, other in zip(a, b, strict=True))
