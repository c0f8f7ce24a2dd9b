"""Needs of the expressions, diagnostics, probes and particles of a case, for the core to count their memory.

A script's own particles are counted when they are placed (`run.memory.checks.check_particles`).
"""

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from whorl import _core
from whorl.config.case import Case
from whorl.expressions.answers import program_of
from whorl.expressions.increments import Increments
from whorl.expressions.plan import Program, ProgramStage
from whorl.expressions.planned import PlannedCase
from whorl.expressions.product_fields import ProductField
from whorl.expressions.questions import Questions
from whorl.output.growing_table import MOST_BYTES, MOST_ROWS
from whorl.output.plans import questions_at_a_time
from whorl.particles.ask import PathReading
from whorl.particles.options import ParticleGroup
from whorl.probes.options import ModeProbe, PointProbe, Probe

Needs = tuple[list[_core.ProgramNeeds], list[_core.ProbeNeeds]]
Need = Callable[..., _core.ProgramNeeds]  # the needs on a grid from numbers by name


def needs_of(planned: PlannedCase) -> Needs:
    """The needs of each run of a program and of each probe, without those of a script's own questions."""
    return planned.keep("needs", _needs)


def _needs(planned: PlannedCase) -> Needs:
    case = planned.case
    programs = [one for questions in questions_at_a_time(case) for one in of_questions(questions)]
    for one in case.particles:
        programs += of_questions(planned.moving(*one.sampled(one.model_dump())))
        if texts := one.from_flow().values():
            programs += of_questions(planned.means(*texts).questions)
    return programs, [of_probe(case, one) for one in case.probes]


def of_questions(questions: Questions) -> Iterator[_core.ProgramNeeds]:
    """The needs of the runs that answer questions, in order."""
    plan = questions.plan
    place = dict(zip(("nx", "ny", "nz"), questions.points or (0, 0, 0), strict=True))
    place["forces"] = sum(field.force in questions.forces for field in questions.parser.graph.fields)
    kept = 0  # fields of products in memory

    def need(**numbers: int) -> _core.ProgramNeeds:
        return _core.ProgramNeeds(kept=kept, **numbers, **place)

    if plan.in_modes:
        yield need(pairs=len(plan.in_modes))
    for stage in plan.stages:
        yield of_stage(stage, need)
        kept += len(stage.product_fields)
        if stage.in_modes:
            yield need(pairs=len(stage.in_modes))
    for one, program in plan.increments:
        yield of_increments(one, program, need)
    for axes in dict.fromkeys(sums.axes for sums in questions.spectra):
        alike = [sums for sums in questions.spectra if sums.axes == axes]
        pairs = sum(len(sums.pairs) or 1 for sums in alike)
        yield need(pairs=pairs, groups=len(alike), mode_cells=math.prod(alike[0].shape))
    if sampled := questions.sampled:
        yield need(inputs=len(sampled))
    for one in questions.apart:
        yield from of_questions(one)


def of_increments(one: Increments, program: Program, need: Need) -> _core.ProgramNeeds:
    """The needs of increments."""
    fields = {term.field for form in program.inputs for term, _ in form.items()}
    return need(
        inputs=max(1, len(program.inputs)),
        places=_of_core(program).places,
        increments=len(one.nodes),
        moments=len(one.separations) * one.moments,
        axis=one.axis,
        fields=len(fields) if one.axis else 0,
    )


def _of_core(program: Program, product_fields: Sequence[ProductField] = ()) -> _core.Program:
    return program_of(program, [[] for _ in program.inputs], [0.0] * len(program.numbers), product_fields)


def of_stage(stage: ProgramStage, need: Need) -> _core.ProgramNeeds:
    """The needs of a stage."""
    cells = [int(np.prod(one.shape)) for one in stage.histograms]
    program = _of_core(stage.program, stage.product_fields)
    return need(
        inputs=max(1, len(stage.program.inputs)),
        products=stage.products,
        fluxes=program.fluxes,
        product_fields=len(stage.product_fields),
        of_rows=len(stage.means) + len(stage.planes) + len(stage.maxima),
        values=len(stage.values) + len(stage.selected),
        histogram_operands=sum(len(one.nodes) for one in stage.histograms),
        cells=sum(cells),
        sums=sum(count * len(one.weights) for count, one in zip(cells, stage.histograms, strict=True)),
        places=program.places,
    )


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
