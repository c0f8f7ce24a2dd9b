"""The search for the least inputs, products and fluxes.

Candidates are unions of sets of forms, by a rising number of inputs, until no cheaper one can follow. The
form of the text is always one of them. The cost counts lines that are transformed: 2/9 (inputs + fluxes) +
5/6 (inputs + products) in three dimensions, and 5/6 (inputs + products) without z.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product

import numpy as np

from whorl.base.text import counted
from whorl.equations.atoms import Atom, atoms_of, basis
from whorl.equations.blocks import Block, blocks_of
from whorl.equations.exact import ONE, added
from whorl.equations.formulas import Formula, Solver, combination
from whorl.equations.inner import Inner
from whorl.equations.modular import PRIME, echelon
from whorl.equations.multipliers import Form, Normal
from whorl.equations.split import Split
from whorl.equations.sums import Column, Sums, Table, least_products, sums_of
from whorl.equations.waves import Classes

TYPED = "as typed"
HIGHEST_DEGREE = 4  # of products for which other forms are sought: d! orders of waves are summed
MOST_TABLES = 4  # of which fluxes are found
MOST_CHOICES = 81  # of formulas that differ where products depend on each other
QUICK, LONG = 500, 1500  # steps of a search: a step takes a few milliseconds
FEW_FIELDS = 6  # components


class _OutOfSteps(Exception):
    """The search has used its seconds."""


@dataclass(frozen=True)
class Problem:
    """Equations whose products are sought.

    Attributes
    ----------
    split : Split
        The parts of the equations.
    normal : Normal
        The rules of normal forms.
    classes : Classes
        The fields of which forms are made.
    names : tuple of str
        The name of each class.
    groups : tuple of tuple of int
        The components of vectors that are projected.
    at_points : tuple of Form
        Forms that functions at points need, which are inputs in any case.
    real : bool
        Whether a flux has one power of i.
    inner : tuple of Inner
        The inner fields.
    """

    split: Split
    normal: Normal
    classes: Classes
    names: tuple[str, ...]
    groups: tuple[tuple[int, ...], ...]
    at_points: tuple[Form, ...] = ()
    real: bool = False
    inner: tuple[Inner, ...] = ()

    @property
    def planes(self) -> tuple[int, ...]:
        """The first components of plane vectors that are projected."""
        return tuple(group[0] for group in self.groups if len(group) == 2)

    def cost(self, inputs: int, products: int, fluxes: int) -> Fraction:
        """The lines that are transformed, in N² lines of N points."""
        lines = Fraction(5, 6) * (inputs + products)
        return lines + Fraction(2, 9) * (inputs + fluxes) if self.normal.axes == 3 else lines


@dataclass(frozen=True)
class Choice:
    """Inputs, with the products and fluxes that follow; `notes` say why the search ended early."""

    inputs: tuple[Form, ...]
    table: Table
    sums: Sums
    cost: Fraction
    name: str
    notes: tuple[str, ...] = ()

    @property
    def counts(self) -> tuple[int, int, int]:
        """The numbers of inputs, products and fluxes."""
        return len(self.inputs), len(self.sums.products), len(self.sums.fluxes)

    @property
    def rank(self) -> tuple[object, ...]:
        """The key by which choices are compared."""
        return self.cost, len(self.inputs), len(self.sums.products), self.name == TYPED, self.name


@dataclass
class Search:
    """The search for the best choice of inputs, within a number of steps, the same on every rank."""

    problem: Problem
    budget: int | None = None
    best: Choice | None = None
    tried: int = 0
    _solvers: list[Solver] = field(default_factory=list)
    _bound: int = 1
    _left: int = 0

    def found(self) -> Choice:
        """The best choice."""
        problem = self.problem
        self.best = typed_choice(problem)
        if problem.split.degree > HIGHEST_DEGREE:
            return replace(self.best, notes=(f"products of more than {HIGHEST_DEGREE} factors are as typed",))
        blocks = blocks_of(problem.split, problem.classes, problem.groups)
        budget = self._budget() if self.budget is None else self.budget
        self._left = budget
        self._solvers = [Solver(block, problem.classes) for block in blocks]
        self._solvers = [one for one in self._solvers if not one.vanishes]
        self._bound = self._least_products()
        if not self._solvers:
            return self._without_products(self.best)
        try:
            for inputs, name in self._candidates():
                self._try(inputs, name)
        except _OutOfSteps:
            note = f"the search ended after {budget} steps, with {counted(self.tried, 'set')} of inputs tried"
            return replace(self.best, notes=(note,))
        return self.best

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise _OutOfSteps

    def _without_products(self, typed: Choice) -> Choice:
        """The choice without products of forms, which all vanish by projection."""
        problem = self.problem
        inputs = basis(problem.at_points)
        table = _table(problem, {})
        sums = _sums(problem, table)
        cost = problem.cost(len(inputs), len(sums.products), len(sums.fluxes))
        return Choice(inputs, table, sums, cost, typed.name)

    def _budget(self) -> int:
        quadratic = self.problem.split.degree <= 2
        return QUICK if quadratic and len(self.problem.classes.of) <= FEW_FIELDS else LONG

    def _least_products(self) -> int:
        """The rank of all tendencies at one k, which neither products nor fluxes are below."""
        columns: dict[object, np.ndarray] = {}
        components = len(self.problem.classes.of)
        for solver in self._solvers:
            values = solver.at_one_k()
            key = solver.block.clock, solver.block.content
            total = columns.setdefault(key, np.zeros((components, values.shape[1]), dtype=np.int64))
            outputs = list(solver.block.outputs)
            total[outputs] = (total[outputs] + values) % PRIME
        if not columns:
            return 0
        matrix = np.concatenate(list(columns.values()), axis=1)
        return len(echelon(matrix, matrix.shape[1])[1])

    def _candidates(self) -> Iterator[tuple[tuple[Form, ...], str]]:
        """Sets of inputs that may be cheaper than the best so far, by their number."""
        problem = self.problem
        numbers = sorted({number for solver in self._solvers for number in solver.block.content})
        typed = [form for solver in self._solvers for form in solver.block.forms()]
        atoms = [atoms_of(one, typed, problem.normal, problem.classes, problem.names) for one in numbers]
        most = self._most_inputs()
        sets = [self._sets(of, most - len(numbers) + 1) for of in atoms]
        for size in range(len(numbers), most + 1):
            if size > self._most_inputs():
                return
            yield from self._of_size(size, sets, numbers, (), "", [])

    def _most_inputs(self) -> int:
        """The largest number of inputs that may be cheaper than the best choice."""
        assert self.best is not None
        size = 1
        while self.problem.cost(size + 1, self._bound, self._bound) <= self.best.cost:
            size += 1
        return size

    def _sets(self, atoms: Sequence[Atom], most: int) -> list[Atom]:
        """The unions of candidates with at most `most` forms, by their number."""
        unions: dict[tuple[Form, ...], Atom] = {}

        def extend(start: int, name: str, forms: tuple[Form, ...]) -> None:
            self._count()
            for number in range(start, len(atoms)):
                atom = atoms[number]
                size = len(forms) + len(atom.forms)
                if size <= most and len(both := basis((*forms, *atom.forms))) == size:
                    joined = f"{name} + {atom.name}" if name else atom.name
                    unions.setdefault(both, Atom(joined, both))
                    extend(number + 1, joined, both)

        extend(0, "", ())
        return sorted(unions.values(), key=lambda one: (len(one.forms), one.name, one.forms))

    def _of_size(
        self,
        size: int,
        sets: Sequence[Sequence[Atom]],
        numbers: Sequence[int],
        inputs: tuple[Form, ...],
        name: str,
        chosen: list[int],
    ) -> Iterator[tuple[tuple[Form, ...], str]]:
        """Sets of `size` inputs that give all blocks."""
        place = len(chosen)
        if place == len(numbers):
            yield inputs, name
            return
        more = len(numbers) - place - 1
        for atom in sets[place]:
            left = size - len(atom.forms)
            if left < more or (not more and left):
                continue
            now = (*inputs, *atom.forms)
            if self._gives(now, [*chosen, numbers[place]], numbers[place]):
                joined = f"{name} + {atom.name}" if name else atom.name
                yield from self._of_size(left, sets, numbers, now, joined, [*chosen, numbers[place]])

    def _gives(self, inputs: tuple[Form, ...], chosen: Sequence[int], last: int) -> bool:
        """Whether the inputs give the blocks of the classes chosen, of which one is the last."""
        self._count()
        return all(
            solver.formulas(inputs)
            for solver in self._solvers
            if last in solver.block.content and set(solver.block.content) <= set(chosen)
        )

    def _try(self, inputs: tuple[Form, ...], name: str) -> None:
        self.tried += 1
        problem = self.problem
        choices = [solver.formulas(inputs) for solver in self._solvers]
        extra = [form for form in basis(problem.at_points) if combination(form, inputs) is None]
        inputs = (*inputs, *extra)
        blocks = [solver.block for solver in self._solvers]
        for table in _tables(problem, blocks, choices):
            assert self.best is not None
            if problem.cost(len(inputs), least_products(table), self._bound) > self.best.cost:
                continue
            sums = _sums(problem, table)
            cost = problem.cost(len(inputs), len(sums.products), len(sums.fluxes))
            choice = Choice(inputs, table, sums, cost, name)
            if choice.rank < self.best.rank:
                self.best = choice


def _tables(
    problem: Problem, blocks: Sequence[Block], choices: Sequence[Sequence[Formula]]
) -> Iterator[Table]:
    """The tables of all formulas, those with the least products first."""
    several = [len(one) for one in choices]
    count = 1
    for one in several:
        count *= one
    picks: Iterable[Sequence[Formula]] = product(*choices) if count <= MOST_CHOICES else _few(choices)
    tables = [_table(problem, dict(zip(map(id, blocks), picked, strict=True)), blocks) for picked in picks]
    if len(tables) == 1:
        return iter(tables)
    return iter(sorted(tables, key=least_products)[:MOST_TABLES])


def _few(choices: Sequence[Sequence[Formula]]) -> Iterator[Sequence[Formula]]:
    """The first formulas of all blocks, the second ones, and so on."""
    for number in range(max(map(len, choices))):
        yield [one[min(number, len(one) - 1)] for one in choices]


def _table(problem: Problem, formulas: Mapping[int, Formula], blocks: Sequence[Block] = ()) -> Table:
    table: Table = {}
    for block in blocks:
        for (output, factor, forms), value in formulas[id(block)].items():
            added(table.setdefault((output, factor), {}), {Column(block.clock, "", forms): value})
    for (output, factor, clock, text), value in problem.split.points.items():
        added(table.setdefault((output, factor), {}), {Column(clock, text, ()): value})
    return {key: row for key, row in table.items() if row}


def _sums(problem: Problem, table: Table) -> Sums:
    return sums_of(table, problem.normal.axes, problem.planes, real=problem.real)


def typed_choice(problem: Problem) -> Choice:
    """The inputs and products of the text as it is."""
    forms = dict.fromkeys(form for *_, of in problem.split.products for form in of)
    inputs = basis([*forms, *problem.at_points])
    of = {form: combination(form, inputs) or {} for form in forms}
    table = _table(problem, {})
    for (output, outer, clock, typed), value in problem.split.products.items():
        row = expanded(typed, of)
        columns = {Column(clock, "", chosen): one * value for chosen, one in row.items()}
        added(table.setdefault((output, outer), {}), columns)
    table = {key: row for key, row in table.items() if row}
    sums = _sums(problem, table)
    cost = problem.cost(len(inputs), len(sums.products), len(sums.fluxes))
    return Choice(inputs, table, sums, cost, TYPED)


def expanded(
    forms: Sequence[Form], of: Mapping[Form, Mapping[Form, Fraction]]
) -> dict[tuple[Form, ...], Fraction]:
    """A product of forms as a sum of products of inputs, of which each form is a combination."""
    row: dict[tuple[Form, ...], Fraction] = {(): ONE}
    for form in forms:
        row = _times(row, of[form])
    return row


def _times(
    row: Mapping[tuple[Form, ...], Fraction], by: Mapping[Form, Fraction]
) -> dict[tuple[Form, ...], Fraction]:
    result: dict[tuple[Form, ...], Fraction] = {}
    for forms, value in row.items():
        added(result, {tuple(sorted((*forms, one))): value * factor for one, factor in by.items()})
    return result
