"""Answers of the core to questions about a state."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from whorl import _core
from whorl.base.ranks import MPI
from whorl.expressions.faults import fault
from whorl.expressions.histogram import Amplitudes, Counted, Histogram, ModeSums, PlaneMean
from whorl.expressions.increments import IncrementMoments, Increments
from whorl.expressions.linear import LinearForm, Multiplier
from whorl.expressions.nodes import Known, Largest, Node
from whorl.expressions.plan import DerivedNumber, Program, ProgramStage
from whorl.expressions.planned import Asked
from whorl.expressions.product_fields import ProductField, ProductFields
from whorl.expressions.questions import Answers, Questions
from whorl.expressions.selections import Taken

# Called with z0, z1, y0, y1 and the values of the points of this rank between, [component][z][y][x].
Consume = Callable[[int, int, int, int, np.ndarray], None]

# Returns values of linear forms, given by their terms, at particles: [particle][form].
Sample = Callable[[list[list[_core.Term]]], np.ndarray]

# An input that is zero.
NOTHING = [_core.Term(field=0, factor=0.0)]

# The forms that the core evaluates at particles without Python, in the words of an error.
FORMS_ALONE = "particles move by fields and by derivatives of products, which are transformed to the modes"

# The state of a flow on which programs run, or that state on fewer points.
State = _core.Flow | _core.NarrowFlow


def answer(
    questions: Questions,
    flow: _core.Flow,
    time: float,
    consume: Consume = lambda *_: None,
    comm: MPI.Intracomm | None = None,
    sample: Sample | None = None,
) -> Answers:
    """Answer the questions; `consume` gets the values at the points, one after another. Collective.

    `comm` has the ranks of the flow; its first rank gathers values at some points. `sample` reads values at
    particles.
    """
    found = _answer(questions, flow, time, consume, comm, sample)
    for points, alike in groupby(questions.apart, lambda one: one.points):
        state = flow.narrowed(points) if points else flow
        for one in alike:
            found = found.with_those(_answer(one, state, time, lambda *_: None, comm))
    return found


def evaluate(
    asked: Asked, flow: _core.Flow, time: float, consume: Consume = lambda *_: None
) -> list[np.ndarray]:
    """Evaluate what is asked: `consume` gets the values at the points, one after another. Collective.

    Returns the means as arrays of the shapes of their values, complex for complex values.
    """
    answers = answer(asked.questions, flow, time, consume)
    return [answers.number(value) for value in asked.means]


def _answer(
    questions: Questions,
    flow: State,
    time: float,
    consume: Consume,
    comm: MPI.Intracomm | None,
    sample: Sample | None = None,
) -> Answers:
    """The answers without those to questions apart."""
    known: dict[Known, float] = {"t": time}
    counted: dict[Histogram, Counted] = {}
    planes: dict[PlaneMean, np.ndarray] = {}
    taken = {one: Taken(one, tuple(flow.physical_block)) for one in questions.selections}  # type: ignore[union-attr]
    fields = _fields_of_state(questions)
    modes = _Modes(flow, questions.plan.fields, fields)
    try:
        for force in questions.forces:
            flow.bring_force(force, time)
            fields |= _fields_of_force(questions, force, len(fields))
        known |= modes.means(questions.plan.in_modes)
        for stage in questions.plan.stages:
            program = _of_core(stage.program, known, fields, stage.product_fields)
            found = flow.run_program(program, _wanted(stage), _divided(stage, consume, taken.values()))
            planes |= zip(stage.planes, map(np.array, found.planes), strict=True)
            known |= zip(stage.means, found.means, strict=True)
            known |= zip(map(Largest, stage.maxima), found.maxima, strict=True)
            for histogram, one in zip(stage.histograms, found.histograms, strict=True):
                counted[histogram] = Counted.of(histogram, one.counts, one.sums)
            for product_field in stage.product_fields:
                fields[product_field] = len(fields)
            known |= modes.means(stage.in_modes)
        increments = {
            one: _increments(one, flow, _of_core(program, known, fields))
            for one, program in questions.plan.increments
        }
        spectra = modes.spectra(questions.spectra)
        amplitudes = {one: modes.amplitudes(one) for one in questions.amplitudes}
        samples = modes.samples(questions.sampled, sample) if sample else {}
    finally:
        flow.forget_products()
    selections = {key: one.gather(comm) for key, one in taken.items()}
    return Answers(known, counted, planes, spectra, selections, increments, amplitudes, samples)


@dataclass(frozen=True)
class Prepared:
    """Values at particles in a form that the core evaluates repeatedly without Python.

    Attributes
    ----------
    samples : list
        The terms of each form.
    forces : list of str
        The fields whose forces the samples need.
    programs : list of _core.Program
        The programs whose products are further fields.
    """

    samples: list[list[_core.Term]]
    forces: list[str]
    programs: list[_core.Program]


def prepared(questions: Questions, text: str) -> Prepared:
    """Prepare forms at particles, and zero for the component across a plane flow.

    Raises ExpressionError, which shows `text`, for a value computed from others at the particles. It does so
    too for a product with a number known only in a run, such as a mean or the time.
    """
    plan = questions.plan
    worked_out = [node for node in questions.samples if node.kind != "linear"]
    if any((node.kind, node.value) != ("constant", 0) for node in worked_out):
        raise fault(f"{FORMS_ALONE}, not by values computed from others at them", text)
    fields = _fields_of_state(questions)
    for force in questions.forces:
        fields |= _fields_of_force(questions, force, len(fields))
    programs = []
    for stage in plan.stages:
        try:
            programs.append(_of_core(stage.program, {}, fields, stage.product_fields))
        except KeyError:
            raise fault(f"{FORMS_ALONE}, without means, maxima and the time in products", text) from None
        for product_field in stage.product_fields:
            fields[product_field] = len(fields)
    samples = [
        terms_of(plan.fields.form(node.value), fields) if node.kind == "linear" else NOTHING
        for node in questions.samples
    ]
    return Prepared(samples, questions.forces, programs)


def _fields_of_state(questions: Questions) -> dict[Any, int]:
    return {field: field.serial for field in questions.parser.graph.fields if field.of_state}


def _fields_of_force(questions: Questions, force: str, first: int) -> dict[Any, int]:
    of_force = [field for field in questions.parser.graph.fields if field.force == force]
    return {field: first + n for n, field in enumerate(of_force)}


def _wanted(stage: ProgramStage) -> _core.Wanted:
    return _core.Wanted(
        means=len(stage.means) + len(stage.planes),
        maxima=len(stage.maxima),
        products=stage.products,
        values=len(stage.values) + len(stage.selected),
        histograms=[
            _core.HistogramShape(bins=one.bins, weights=len(one.weights)) for one in stage.histograms
        ],
        planes=[one.axis for one in stage.planes],
    )


def _divided(stage: ProgramStage, consume: Consume, taken: Iterable[Taken]) -> Consume:
    """A function that gives `consume` the values of a stage, and `taken` the selected values."""
    count = len(stage.values)

    def divide(z0: int, z1: int, y0: int, y1: int, values: np.ndarray) -> None:
        if count:
            consume(z0, z1, y0, y1, values[:count])
        if stage.selected:
            for one in taken:
                one.take(stage.selected, (z0, z1, y0, y1), values[count:])

    return divide


@dataclass
class _Modes:
    """Sums over the modes of fields, which the core knows by their numbers."""

    flow: State
    product_fields: ProductFields
    numbers: dict[Any, int]

    def means(self, nodes: Sequence[Node]) -> dict[Known, float]:
        """The means of forms and of products of two forms."""
        if not nodes:
            return {}
        factors = [node.arguments if node.kind == "multiply" else (node,) for node in nodes]
        return dict(zip(nodes, self.flow.mode_means(*self._pairs(factors)), strict=True))

    def amplitudes(self, wanted: Amplitudes) -> np.ndarray:
        """The coefficients, [node][mode]."""
        inputs = [terms_of(self.product_fields.form(node.value), self.numbers) for node in wanted.nodes]
        found = np.empty(2 * len(wanted.nodes) * len(wanted.modes))
        self.flow.probe_modes(inputs, [list(mode) for mode in wanted.modes]).read(found)
        return found.view(complex).reshape(len(wanted.nodes), len(wanted.modes))

    def samples(self, forms: Sequence[LinearForm], sample: Sample) -> dict[LinearForm, np.ndarray]:
        """Forms at the particles of this rank."""
        if not forms:
            return {}
        found = sample([terms_of(self.product_fields.form(form), self.numbers) for form in forms])
        return dict(zip(forms, found.T, strict=True))

    def spectra(self, wanted: Sequence[ModeSums]) -> dict[ModeSums, np.ndarray]:
        """The sums in each bin; one call computes all sums with the same axes."""
        found: dict[ModeSums, np.ndarray] = {}
        for axes in dict.fromkeys(sums.axes for sums in wanted):
            alike = [sums for sums in wanted if sums.axes == axes]
            inputs, pairs = self._pairs([pair for sums in alike for pair in sums.pairs])
            rest = iter(pairs)
            # Sums without a pair count the modes.
            groups = [[next(rest) for _ in sums.pairs] or [(-1, -1)] for sums in alike]
            bins = [_core.ModeAxis(of=one.of, axis=one.axis, edges=one.edges) for one in axes]
            values = self.flow.mode_spectra(inputs, groups, bins)
            found |= {
                sums: np.array(one).reshape(sums.shape) for sums, one in zip(alike, values, strict=True)
            }
        return found

    def _pairs(
        self, factors: Sequence[Sequence[Node]]
    ) -> tuple[list[list[_core.Term]], list[tuple[int, int]]]:
        """Each form once, and the pairs of their numbers; the second is −1 for a form alone."""
        inputs: dict[LinearForm, int] = {}
        pairs = []
        for nodes in factors:
            places = [inputs.setdefault(self.product_fields.form(node.value), len(inputs)) for node in nodes]
            pairs.append((places[0], places[1] if len(places) == 2 else -1))
        return [terms_of(form, self.numbers) for form in inputs], pairs


def _increments(one: Increments, flow: State, program: _core.Program) -> IncrementMoments:
    """The moments of increments of a program's results."""
    found = flow.increments(program, one.axis, one.order, list(one.separations), [list(p) for p in one.pairs])
    return IncrementMoments(one, np.array(found))


def _of_core(
    program: Program, known: dict[Known, float], numbers: dict[Any, int], fields: Sequence[ProductField] = ()
) -> _core.Program:
    """A program of the core, with its `numbers` of fields; the program's products are parts of `fields`."""
    inputs = [terms_of(form, numbers) for form in program.inputs]
    return program_of(program, inputs, [_number(one, known) for one in program.numbers], fields)


def program_of(
    program: Program,
    inputs: list[list[_core.Term]],
    numbers: list[float],
    fields: Sequence[ProductField] = (),
) -> _core.Program:
    """A program of the core from the terms of its inputs, its numbers, and the fields of its products."""
    # The core needs an input: a program without one gets a zero, which shifts the numbers of other operands.
    unused = 0 if inputs else 1
    if unused:
        inputs = [NOTHING]
    return _core.Program(
        inputs=inputs,
        numbers=numbers,
        instructions=[
            (step.operation, [one + unused for one in step.operands]) for step in program.instructions
        ],
        results=[one + unused for one in program.results],
        products=[
            _core.Returned(field=number, factor=factor, derivatives=derivatives, parity=product.parity)
            for number, product_field in enumerate(fields)
            for product, factor, derivatives in product_field.parts
        ],
    )


def _number(one: float | Known | DerivedNumber, known: Mapping[Known, float]) -> float:
    if isinstance(one, DerivedNumber):
        return one.value(known)
    return known[one] if isinstance(one, Known) else one


def terms_of(form: LinearForm, numbers: Mapping[Any, int]) -> list[_core.Term]:
    """The terms of a form for the core, with the numbers of its fields."""
    return [_term_of(numbers[term.field], factor, term.multiplier) for term, factor in form.items()]


def _term_of(field: int, factor: float, multiplier: Multiplier) -> _core.Term:
    axis, low, high = multiplier.sector
    return _core.Term(
        field=field,
        factor=factor,
        derivatives=multiplier.derivatives,
        power=multiplier.power,
        low=multiplier.low,
        high=multiplier.high,
        radius=multiplier.radius,
        sector=_core.Sector(axis=axis, low=low, high=high),
    )
