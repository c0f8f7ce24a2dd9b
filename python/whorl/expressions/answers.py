"""Answers of the core to questions about a state."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from whorl import _core
from whorl.base.ranks import MPI
from whorl.expressions.faults import fault
from whorl.expressions.plan import plan_of
from whorl.expressions.program import NOTHING
from whorl.expressions.questions import Answers, Questions
from whorl.expressions.selections import Taken
from whorl.expressions.steps import Consume, State

# Returns values of linear forms, given by their terms, at particles: [particle][form].
Sample = Callable[[list[list[_core.Term]]], np.ndarray]

# The forms that the core evaluates at particles without Python, in the words of an error.
FORMS_ALONE = "particles move by fields and by derivatives of products, which are transformed to the modes"


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
    answers = Answers(questions.numbers, {"t": time})
    for points, alike in groupby([questions, *questions.apart], lambda one: one.points):
        state = flow.narrowed(points) if points else flow
        for one in alike:
            plan = plan_of(one)
            taken = [Taken(of, tuple(flow.physical_block)) for of in one.selections]  # type: ignore[arg-type]
            try:
                for force in plan.fields.forces:
                    state.bring_force(force, time)
                for step in plan.steps:
                    step.run(state, answers.found, consume, taken)
                _read_forms(one, state, answers, sample)
            finally:
                state.forget_products()
            answers.found |= {of.selection: of.gather(comm) for of in taken}
    return answers


def _read_forms(questions: Questions, state: State, answers: Answers, sample: Sample | None) -> None:
    """Read linear forms at single modes, and at the particles of this rank."""
    fields = plan_of(questions).fields
    for one in questions.amplitudes:
        found = np.empty((len(one.nodes), len(one.modes)), complex)
        inputs = [fields.terms(node.value) for node in one.nodes]
        state.probe_modes(inputs, [list(mode) for mode in one.modes]).read(found.view(float).ravel())
        answers.found[one] = found
    if sample and (forms := questions.sampled):
        samples = sample([fields.terms(form) for form in forms])
        answers.found |= zip(forms, samples.T, strict=True)


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
    plan = plan_of(questions)
    worked_out = [node for node in questions.samples if node.kind != "linear"]
    if any((node.kind, node.value) != ("constant", 0) for node in worked_out):
        raise fault(f"{FORMS_ALONE}, not by values computed from others at them", text)
    try:
        programs = [stage.program.in_state({}) for stage in plan.stages]
    except KeyError:
        raise fault(f"{FORMS_ALONE}, without means, maxima and the time in products", text) from None
    samples = [
        plan.fields.terms(node.value) if node.kind == "linear" else NOTHING for node in questions.samples
    ]
    return Prepared(samples, plan.fields.forces, programs)
