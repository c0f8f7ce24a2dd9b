"""Needs of the expressions, diagnostics, probes and particles of a case, for the core to count their memory.

A script's own particles are counted when they are placed (`run.memory.checks.check_particles`).
"""

from collections.abc import Iterator

import numpy as np

from whorl import _core
from whorl.config.case import Case
from whorl.expressions.plan import plan_of
from whorl.expressions.planned import PlannedCase
from whorl.expressions.questions import Questions
from whorl.output.growing_table import MOST_BYTES, MOST_ROWS
from whorl.output.plans import questions_at_a_time
from whorl.particles.ask import PathReading
from whorl.particles.options import ParticleGroup
from whorl.probes.options import ModeProbe, PointProbe, Probe

Needs = tuple[list[_core.ProgramNeeds], list[_core.ProbeNeeds]]


def needs_of(planned: PlannedCase) -> Needs:
    """The needs of each run of a program and of each probe, without those of a script's own questions."""
    return planned.keep("needs", _needs)


def _needs(planned: PlannedCase) -> Needs:
    case = planned.case
    programs = [one for questions in questions_at_a_time(case) for one in of_questions(questions)]
    for one in case.particles:
        programs += of_questions(planned.moving(*one.sampled(one.model_dump())))
        if texts := one.from_flow().values():
            programs += of_questions(planned.means(*texts))
    return programs, [of_probe(case, one) for one in case.probes]


def of_questions(questions: Questions) -> Iterator[_core.ProgramNeeds]:
    """The needs of the runs that answer questions, in order."""
    plan = plan_of(questions)
    place = dict(zip(("nx", "ny", "nz"), questions.points or (0, 0, 0), strict=True))
    place["forces"] = sum(field.force in plan.fields.forces for field in questions.parser.graph.fields)
    kept = 0  # fields of products in memory
    for step in plan.steps:
        needs = step.needs()
        yield _core.ProgramNeeds(kept=kept, **needs, **place)
        kept += needs.get("product_fields", 0)
    if sampled := questions.sampled:
        yield _core.ProgramNeeds(kept=kept, inputs=len(sampled), **place)
    for one in questions.apart:
        yield from of_questions(one)


def of_particles(case: Case, group: ParticleGroup) -> dict[str, int]:
    """The needs of a group of particles without the scheme's, and of its rows until they are written."""
    reading = PathReading(case, group, {})
    row = 8 * reading.width
    return {
        **group.needs(group.model_dump()),
        "count": group.number(),
        "inputs": len(reading.questions.sampled),
        # One row as ranks send it, together, and in order; the rows in memory, with two copies while they
        # are written.
        "row_bytes": 3 * row + 3 * min(row + MOST_BYTES, MOST_ROWS * row),
    }


def of_probe(case: Case, probe: Probe) -> _core.ProbeNeeds:
    """The needs of a probe."""
    inputs = len(case.planned.read(probe)[0].sampled)
    if isinstance(probe, ModeProbe):
        return _core.ProbeNeeds(inputs=inputs, modes=probe.number(case))
    assert isinstance(probe, PointProbe)
    places = probe.places()
    along = {f"along_{axis}": len(np.unique(at)) for axis, at in zip("xyz", places.T, strict=True)}
    lines = len(np.unique(places[:, [0, 2]], axis=0))
    return _core.ProbeNeeds(inputs=inputs, points=len(places), lines=lines, **along)
