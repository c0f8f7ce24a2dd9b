"""The options of the core for a case."""

import re
from dataclasses import asdict

from whorl import _core
from whorl.base.declared import CHOICES
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.config.measures import state_fields
from whorl.config.run import Run
from whorl.config.schemes import SCHEMES
from whorl.config.section import STRIDE
from whorl.forcing.options import CoreSource, Forcing
from whorl.models.equations import Equations
from whorl.output.checkpoint import OPEN, Timed
from whorl.run.compiled_rows import code_of
from whorl.run.core_equations import core_plan
from whorl.run.declared import check_models
from whorl.run.memory.needs import needs_of, of_particles

check_models()


def core_options(case: Case, threads: int, timed: Timed = OPEN) -> _core.Options:
    """The core's options for a case; lines in `timed` replace its run.lines.

    The core gets options of [grid] and [run] under their own names, wherever it has these.
    """
    of_sections = {
        name: getattr(section, name)
        for section in (case.grid, case.run)
        for name in type(section).model_fields
        if hasattr(_core.Options, name)
    }
    programs, probes = needs_of(case.planned)
    scheme = core_scheme(case.time.scheme, estimates=case.time.tolerance is not None)
    further = {
        "model": case.flow.model,
        "parameters": case.flow.of_core(),
        "linear": getattr(case.flow, "linear", CHOICES["linear"][0]),
        "scalars": [scalar.of_core(case.flow.viscosity_of_schmidt()) for scalar in case.scalars],
        "forcing": [
            _core.Source(
                kind=source.kind,
                name=force.label,
                field=force.field,
                numbers=numbers_of(case, force, source),
                shells=source.shells,
            )
            for force in case.forcing
            for source in force.sources(case)
        ],
        "programs": programs,
        "probes": probes,
        "particles": [particle_needs(scheme, **of_particles(case, one)) for one in case.particles],
        "scheme": scheme,
        "threads": threads,
        "lines": timed.lines or case.run.lines,
        "plane_bytes": timed.plane_bytes,
    }
    if isinstance(case.flow, Equations):
        further["equations"] = core_plan(case.flow.plan(case.grid), code_of(case))
    return _core.Options(**of_sections | further)


def numbers_of(case: Case, force: Forcing, source: CoreSource) -> dict[str, float]:
    """The numbers of a source for the core; with one seed, forces on two fields get other random numbers."""
    if "seed" not in source.numbers:
        return source.numbers
    names = list(state_fields(case))
    place = names.index(force.field) if force.field in names else 0
    return source.numbers | {"seed": source.numbers["seed"] + STRIDE * place}


def particle_needs(
    scheme: _core.Scheme, *, variables: int = 1, vectors_kept: int = 0, **numbers: int
) -> _core.ParticleNeeds:
    """The needs of a group of particles with a scheme, whose registers have `variables` vectors each."""
    return _core.ParticleNeeds(vectors=variables * scheme.registers + vectors_kept, **numbers)


def core_scheme(name: str, *, estimates: bool = False) -> _core.Scheme:
    """The table of a scheme for the core, with an estimate of the error of a step or without."""
    scheme = SCHEMES[name]
    stages = scheme.stages_with_error() if estimates else scheme.stages
    tables = [_core.StageTable(**asdict(stage)) for stage in stages]
    return _core.Scheme(name=name, stages=tables, earlier=scheme.earlier, estimates=estimates)


def refused(error: _core.Error) -> CaseError:
    """The core's error as CaseError, with "run." before the options of [run]."""
    names = "|".join(Run.model_fields)
    return CaseError(re.sub(rf"(?<![\w.])({names}) = ", r"run.\1 = ", str(error)))


def describe(case: Case, flow: _core.Flow) -> str:
    """One line that describes the case and how it runs."""
    rows, columns = flow.process_grid
    grid = f"{rows} × {columns}, {flow.options.transport}"
    ranks = "1 rank" if flow.ranks == 1 else f"{flow.ranks} ranks ({grid})"
    threads = f"{flow.threads} thread{'s' if flow.threads > 1 else ''}"
    device = f" on {case.run.device}" if case.run.device != "cpu" else ""
    planes = flow.options.planes  # 0: no limit
    short = (
        f" (its memory has room for {planes} plane{'s' if planes > 1 else ''} at a time)" if planes else ""
    )
    return f"{what(case)}, {case.time.scheme}, {ranks} × {threads}{device}{short}"


def what(case: Case) -> str:
    """One line that describes the case, however it runs."""
    size = " × ".join(map(str, case.grid.points))
    kept = f"{case.grid.dealias} sphere" if case.grid.shape == "sphere" else case.grid.dealias
    bases = "" if case.grid.bases == "FFF" else f", {case.grid.bases}"
    scalars = f" + {len(case.scalars)} scalar{'s' if len(case.scalars) > 1 else ''}" if case.scalars else ""
    rounds = case.run.wire == "single" and case.run.precision == "double"
    precision = f"{case.run.precision}{' (single on the wire)' if rounds else ''}"
    forces = f", forced ({', '.join(force.label for force in case.forcing)})" if case.forcing else ""
    return f"{case.flow.model}{scalars} {size}{bases}, {precision}, {kept}{forces}"
