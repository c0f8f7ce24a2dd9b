"""Typed equations become a plan: the text is read, parted and searched, and its tables are written."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Literal

from whorl.equations.clock import clock_of
from whorl.equations.dealias import check_growth, dealiasing, kept, side_with_function
from whorl.equations.exact import ONE
from whorl.equations.forms import Choice, Problem, Search, typed_choice
from whorl.equations.formulas import combination
from whorl.equations.kinds import KINDS
from whorl.equations.linear_part import linear_part, plan_term
from whorl.equations.multipliers import IDENTITY, Form
from whorl.equations.plan import EquationPlan, FieldPlan, FluxPart, Number, PlanTerm, PointProgram, Source
from whorl.equations.points import Builder, Operand, Sum
from whorl.equations.problem import problem_of
from whorl.equations.rate import Bound, Bounds, Grid, square_of_speed
from whorl.equations.slopes import Slopes, is_zero
from whorl.equations.split import Clock
from whorl.equations.sums import Column, Sums
from whorl.equations.text import Declarations, System, read
from whorl.equations.written import Writer
from whorl.expressions.faults import ExpressionError, fault
from whorl.expressions.nodes import Node, within

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
        grows = check_growth(self.system, linear.rates, self.grid, self.dealias)
        return EquationPlan(
            axes=declared.axes,
            fields=self._fields(),
            inputs=tuple(tuple(plan_term(*item) for item in form) for form in self.inputs),
            velocity=0 if self.velocity else -1,
            point=self._point(),
            clock=clock_of(problem.split, self.clocks, self.writer),
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
            cost=float(self.choice.cost),
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

    def _point(self) -> PointProgram:
        builder = Builder(len(self.inputs))
        products = [self._product(builder, one) for one in self.choice.sums.products]
        rate = self._rate(builder)
        return builder.program([*products, rate, square_of_speed(builder, self.velocity)])

    def _product(self, builder: Builder, columns: Mapping[Column, Fraction]) -> Operand:
        """A product: a sum of products of inputs and of functions, with the numbers of clocks."""
        number = {form: place for place, form in enumerate(self.inputs)}
        total: Sum = {}
        for clock in sorted({column.clock for column in columns}):
            of: Sum = {}
            for column, value in sorted(columns.items()):
                if column.clock == clock:
                    of[self._monomial(builder, column, number)] = value
            if clock:
                by = builder.number(Number("clock", which=self.clocks[clock]))
                of = {tuple(sorted((by, builder.sum(of)))): ONE}
            total |= of
        return builder.sum(total)

    def _monomial(self, builder: Builder, column: Column, number: Mapping[Form, int]) -> tuple[Operand, ...]:
        if not column.text:
            return tuple(sorted(("input", number[form]) for form in column.forms))
        return (self._node(builder, self.problem.split.nodes[column.text]),)

    def _node(self, builder: Builder, node: Node) -> Operand:
        return builder.node(node, lambda one: self._leaf(builder, one), self.writer.text)

    def _leaf(self, builder: Builder, node: Node) -> Operand:
        """A form as a combination of inputs, or a number of the clock."""
        if node.kind == "number":
            key = (self.writer.text(node),)
            if key not in self.clocks:
                self.clocks[key] = len(self.clocks)
                self.problem.split.atoms.setdefault(key[0], node)
            return builder.number(Number("clock", which=self.clocks[key]))
        form = self.writer.form(node)
        found = combination(form, self.inputs)
        assert found is not None  # forms at points are among the inputs
        places = {one: place for place, one in enumerate(self.inputs)}
        return builder.sum({(("input", places[one]),): value for one, value in sorted(found.items())})

    def _rate(self, builder: Builder) -> Operand:
        if self.system.rate is not None:
            given = self._node(builder, self.system.rate)  # GPUs find maxima of numbers that are not negative
            return builder.step("maximum", given, builder.value(0.0))
        bounds = Bounds(self.grid, kept(self.dealias))
        found = Bound(
            builder, self.inputs, self.velocity, bounds, self._clock_in(builder), self._slopes_in(builder)
        )
        for (output, factor), row in sorted(self.choice.table.items(), key=lambda item: item[0]):
            found.add(output, factor, row)
        of_number = {number: clock for clock, number in self.clocks.items()}
        for one in self.linear.explicit:
            found.add_linear(one.to, of_number[one.clock], one.term)
        return found.operand()

    def _clock_in(self, builder: Builder) -> Callable[[Clock], Operand]:
        return lambda clock: builder.number(Number("clock", which=self.clocks[clock]))

    def _slopes_in(self, builder: Builder) -> Callable[[str], list[tuple[Form, Operand]]]:
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
            return [
                (form, self._node(builder, slope)) for form, slope in slopes.items() if not is_zero(slope)
            ]

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
