"""Typed equations become a plan: the text is read, parted and searched, and its tables are written."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Literal

from whorl.equations.atoms import basis
from whorl.equations.clock import clock_of
from whorl.equations.dealias import dealiasing, kept, side_with_function
from whorl.equations.exact import ONE, added
from whorl.equations.forms import Choice, Problem, Search, expanded, typed_choice
from whorl.equations.formulas import combination
from whorl.equations.growth import check_growth
from whorl.equations.inner import Inner
from whorl.equations.kinds import KINDS
from whorl.equations.linear_part import linear_part, plan_term
from whorl.equations.multipliers import IDENTITY, Form
from whorl.equations.plan import EquationPlan, FieldPlan, FluxPart, PlanTerm, PointProgram, Round, Source
from whorl.equations.point_program import PointProgram as AtPoints
from whorl.equations.points import Operand
from whorl.equations.problem import problem_of
from whorl.equations.rate import Bound, Bounds, Grid, square_of_speed
from whorl.equations.slopes import Slopes, is_zero
from whorl.equations.split import Clock, forms_at_points
from whorl.equations.sums import Column, Sums
from whorl.equations.text import Declarations, System, read
from whorl.equations.written import Writer
from whorl.expressions.faults import ExpressionError, fault
from whorl.expressions.nodes import within

Forms = Literal["least", "typed"]


def compiled(
    declared: Declarations,
    forms: Forms = "least",
    grid: Grid | None = None,
    *,
    budget: int | None = None,
) -> EquationPlan:
    """The plan of equations.

    Parameters
    ----------
    declared : Declarations
        Fields, equations and parameters.
    forms : "least" or "typed", default "least"
        Whether the least inputs and products are sought, or those of the text are used.
    grid : Grid, optional
        The grid whose largest wavenumber is in the bound of a step; by default 64 points in 2π.
    budget : int, optional
        The steps that the search may take; by default fewer for quadratic equations of few fields than for
        others.

    Returns
    -------
    EquationPlan
        Plain numbers.

    Raises
    ------
    ExpressionError
        A text is wrong; the error shows the place.
    """
    system = read(declared)
    problem = problem_of(system)
    degree, dealias, why = dealiasing(system, problem.split)
    try:
        choice = typed_choice(problem) if forms == "typed" else Search(problem, budget).found()
        own = grid or Grid.of(declared.axes)
        return _Assembly(system, problem, choice, own, (degree, dealias, why)).plan()
    except OverflowError:
        raise ExpressionError(
            "the equations are wrong: a number in them becomes too large or too small; scale the fields."
        ) from None


class _Assembly:
    """The tables of a choice of inputs."""

    def __init__(
        self, system: System, problem: Problem, choice: Choice, grid: Grid, kept_modes: tuple[int, str, str]
    ):
        self.system, self.problem, self.choice, self.grid = system, problem, choice, grid
        self.degree, self.dealias, self.why = kept_modes
        self.writer = Writer(problem.normal)
        own = next((group for group in problem.groups), ())
        speed = [Form((((component, IDENTITY), ONE),)) for component in own]
        carried = bool(speed) and all(form in choice.inputs for form in speed)
        others = [one for one in choice.inputs if one not in speed]
        self.inputs = [*speed, *others] if carried else [*choice.inputs]
        self.velocity = list(range(len(speed))) if carried else []
        split = problem.split
        clocks = {clock for _, _, clock in split.linear} | {clock for _, clock in split.sources}
        clocks |= {clock for _, _, clock, _ in split.products} | {clock for _, _, clock, _ in split.points}
        self.clocks: dict[Clock, int] = {clock: number for number, clock in enumerate(sorted(clocks - {()}))}
        self.linear = linear_part(split, problem.normal, problem.groups, system.components, self.clocks)

    def plan(self) -> EquationPlan:
        problem, sums, declared, linear = self.problem, self.choice.sums, self.system.declared, self.linear
        rounds, cost = self._rounds(), self.choice.cost
        cost += sum(problem.cost(len(one.inputs), *[len(one.parities)] * 2) for one in rounds)
        grows = check_growth(self.system, linear, self.grid, self.dealias)
        return EquationPlan(
            axes=declared.axes,
            fields=self._fields(),
            inputs=tuple(tuple(plan_term(*item) for item in form) for form in self.inputs),
            velocity=0 if self.velocity else -1,
            point=self._point(),
            clock=clock_of(problem.split, self.clocks, self.writer),
            rounds=rounds,
            fluxes=tuple(_flux(one) for one in sums.fluxes),
            tendency=_tendency(sums, self.system.components),
            projected=self._projected(),
            sources=self._sources(),
            rates=linear.rates,
            blocks=linear.blocks,
            explicit=linear.explicit,
            degree=self.degree,
            dealias=self.dealias,
            why=self.why,
            amplifies=grows or linear.may_grow,
            form=self.choice.name,
            cost=float(cost),
            notes=self.choice.notes,
        )

    def _fields(self) -> tuple[FieldPlan, ...]:
        declared, found = self.system.declared, []
        for name, kind in declared.fields.items():
            labels = tuple(KINDS[kind].labels(declared.axes))
            first = self.system.first[name]
            parities = self.system.parities[first : first + len(labels)]
            found.append(FieldPlan(name, kind, labels, first, parities, KINDS[kind].solenoidal))
        return tuple(found)

    def _projected(self) -> tuple[int, ...]:
        sums = self.choice.sums
        outputs = {head.output for head, *_ in sums.tendencies}
        return tuple(
            group[0]
            for group in self.problem.groups
            if group[0] not in sums.curls and outputs.intersection(group)
        )

    def _sources(self) -> tuple[Source, ...]:
        return tuple(
            Source(component, float(value), self.clocks.get(clock, -1))
            for (component, clock), value in sorted(self.problem.split.sources.items())
        )

    def _rounds(self) -> tuple[Round, ...]:
        """The round trips of inner fields, by levels; inputs are the forms of the text."""
        levels = sorted({one.level for one in self.problem.inner})
        return tuple(
            self._round([one for one in self.problem.inner if one.level == level]) for level in levels
        )

    def _round(self, fields: Sequence[Inner]) -> Round:
        polys = {one: self.problem.split.inner[one.number] for one in fields}
        forms: list[Form] = []
        for one, poly in polys.items():
            of_node = forms_at_points(one.node, self.writer) if poly is None else ()
            forms += [*of_node, *(form for _, of in poly or () for form in of)]
        inputs = basis(forms)
        combinations = {form: combination(form, inputs) or {} for form in forms}
        at_points = AtPoints(self.problem.split, self.writer, self.clocks, inputs)
        results = []
        for one, poly in polys.items():
            columns: dict[Column, Fraction] = {}
            for (clock, of), value in (poly or {}).items():
                row = expanded(of, combinations)
                added(columns, {Column(clock, "", chosen): each for chosen, each in row.items()}, value)
            results.append(at_points.node(one.node) if poly is None else at_points.product(columns))
        return Round(
            tuple(tuple(plan_term(*item) for item in form) for form in inputs),
            at_points.builder.program(results),
            tuple(one.field.parity for one in fields),
        )

    def _point(self) -> PointProgram:
        at_points = AtPoints(self.problem.split, self.writer, self.clocks, self.inputs)
        products = [at_points.product(one) for one in self.choice.sums.products]
        rate = self._rate(at_points)
        return at_points.builder.program([*products, rate, square_of_speed(at_points.builder, self.velocity)])

    def _rate(self, at_points: AtPoints) -> Operand:
        builder = at_points.builder
        if self.system.rate is not None:
            given = at_points.node(self.system.rate)  # GPUs find maxima of numbers that are not negative
            return builder.step("maximum", given, builder.value(0.0))
        if self.problem.inner:
            raise fault(
                "rate is missing: a product that is part of a factor of another product has no known bound; "
                "give rate, an expression that bounds 1/dt at a point",
                self.system.sides[0].text,
            )
        bounds = Bounds(self.grid, kept(self.dealias))
        found = Bound(
            builder, self.inputs, self.velocity, bounds, at_points.number, self._slopes_in(at_points)
        )
        for (output, factor), row in sorted(self.choice.table.items(), key=lambda item: item[0]):
            found.add(output, factor, row)
        of_number = {number: clock for clock, number in self.clocks.items()}
        for one in self.linear.explicit:
            found.add_linear(one.to, of_number[one.clock], one.term)
        return found.operand()

    def _slopes_in(self, at_points: AtPoints) -> Callable[[str], list[tuple[Form, Operand]]]:
        """The slopes of a function by its text: forms, and operands of the slopes by these."""

        def made(text: str) -> list[tuple[Form, Operand]]:
            node = self.problem.split.nodes[text]
            leaves = {self.writer.form(one): one for one in within(node) if one.kind == "linear"}
            try:
                slopes = {form: Slopes(self.system.graph, leaves[form]).of(node) for form in sorted(leaves)}
            except ValueError as error:
                raise fault(
                    f"rate is missing: {error}; give rate, an expression that bounds 1/dt at a point",
                    side_with_function(self.system, self.problem.split),
                ) from None
            return [(form, at_points.node(slope)) for form, slope in slopes.items() if not is_zero(slope)]

        return made


def _flux(polynomial: Mapping[tuple[int, int, int], Fraction]) -> tuple[FluxPart, ...]:
    return tuple(
        FluxPart(product, float(value), a, b, (a + b) % 4)
        for (product, a, b), value in sorted(polynomial.items())
    )


def _tendency(sums: Sums, components: int) -> tuple[tuple[PlanTerm, ...], ...]:
    terms: list[list[PlanTerm]] = [[] for _ in range(components)]
    for head, flux, (a, b), value in sums.tendencies:
        factor = IDENTITY._replace(
            orders=(a, b, head.order), power=head.power, tag=head.tag, meanless=head.meanless
        )
        if head.output in sums.curls:
            # D_y S/k² and −D_x S/k² have the curl S and no divergence.
            for along, sign in ((1, 1), (0, -1)):
                turned = factor.times((int(along == 0), int(along == 1), 0), -1)
                terms[head.output + 1 - along].append(plan_term((flux, turned), sign * value))
        else:
            terms[head.output].append(plan_term((flux, factor), value))
    return tuple(tuple(one) for one in terms)


def names_of(plan: EquationPlan) -> Sequence[str]:
    """The names of all components, such as u.x."""
    return [
        field.name if not label else f"{field.name}.{label}"
        for field in plan.fields
        for label in field.components
    ]
