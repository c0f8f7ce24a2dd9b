"""The particles of a case, [[particles]]: placed at the start, or as a checkpoint has them."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from whorl import _core
from whorl.base.errors import CaseError
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.config.clock import NEAR
from whorl.config.schemes import SCHEMES
from whorl.output.checkpoint import Checkpoint
from whorl.output.directory import RunDirectory
from whorl.particles.checkpoint import read_found, read_particles
from whorl.particles.options import ParticleGroup
from whorl.particles.particles import Particles, no_particles, particles_of

Groups = dict[str, Particles]


def placed(case: Case, comm: MPI.Intracomm, flow: _core.Flow, clock: Any, names: Sequence[str]) -> Groups:
    """The groups of a case with these names that are released, where options place them. Collective."""
    return {
        one.label: particles_of(case, comm, flow, clock, one)
        for one in case.particles
        if one.label in names and is_there(one.release, clock.time)
    }


def is_there(release: float, time: float) -> bool:
    """Whether particles of this time of release exist at a time, so that its checkpoint has them."""
    return time >= release * (1 - NEAR)


def labels(checkpoint: Checkpoint) -> list[str]:
    """The names of the groups in a checkpoint."""
    given = checkpoint.case.get("particles", ()) if checkpoint.particles else ()
    return [
        one.get("name", one["kind"]) for one in given if is_there(one.get("release", 0.0), checkpoint.time)
    ]


def resumed(
    checkpoint: Checkpoint,
    case: Case,
    comm: MPI.Intracomm,
    flow: _core.Flow,
    clock: Any,
    *,
    beside: bool = False,
) -> Groups:
    """The groups of a case as a checkpoint has them, others where their options place them. Collective.

    In a run in another directory, `beside`, the time scheme begins without earlier steps.

    Raises
    ------
    CaseError
        If groups of the checkpoint and of the case differ in spite of equal names.
    ValueError
        If the file of the particles is not the checkpoint's.
    """
    there = labels(checkpoint)
    earlier = (
        {one.label: one for one in Case.of_run(checkpoint.case).particles if one.label in there}
        if there
        else {}
    )
    own = {one.label: one for one in case.particles}
    _check(own, earlier, checkpoint, case, beside=beside)
    known = read_found(_file(checkpoint), comm) if own.keys() & earlier.keys() else {}
    going_on = {
        name: no_particles(case, comm, flow, clock, one, _found(known, one, checkpoint))
        for name, one in own.items()
        if name in earlier
    }
    if going_on:
        _read(going_on, checkpoint, case, comm, beside=beside)
    return going_on | placed(case, comm, flow, clock, [name for name in own if name not in earlier])


def _found(
    known: dict[str, dict[str, float]], group: ParticleGroup, checkpoint: Checkpoint
) -> dict[str, float]:
    """The options of a group that followed from the flow. Raises ValueError if one is missing."""
    found = known.get(group.label, {})
    if lacking := [name for name in group.from_flow() if not 0 < found.get(name, 0.0) < math.inf]:
        raise ValueError(
            f"the file of its particles, {_file(checkpoint)}, is damaged: {group.label} lacks "
            f"{' and '.join(lacking)}"
        )
    return found


def _file(checkpoint: Checkpoint) -> Path:
    return RunDirectory(checkpoint.path.parent.parent).particles_path(checkpoint.step)


def _read(groups: Groups, checkpoint: Checkpoint, case: Case, comm: MPI.Intracomm, *, beside: bool) -> None:
    # A scheme that begins without earlier steps needs one register.
    registers = 1 if beside else 1 + SCHEMES[case.time.scheme].earlier
    path = _file(checkpoint)
    for name, ids, values in read_particles(path, checkpoint.particles, comm):
        if name not in groups:
            continue
        if values.shape[2] != groups[name].variables:
            raise ValueError(f"the file of its particles, {path}, is damaged: {name} lacks velocities")
        groups[name].add(ids, values[:, :registers])


def _check(
    own: dict[str, ParticleGroup],
    earlier: dict[str, ParticleGroup],
    checkpoint: Checkpoint,
    case: Case,
    *,
    beside: bool,
) -> None:
    """Raises CaseError if paths would be broken."""
    may_differ = ("interpolation", "points", "order") if beside else ()
    for name in own.keys() & earlier.keys():
        if not own[name].same_paths(earlier[name], but=may_differ):
            raise CaseError(
                f"the particles {name} of {checkpoint.path} have other options; a restart may change only "
                "their every and of, so leave the others as they were, or give new particles another name "
                "(particles.name)."
            )
    if beside:
        return
    if left_out := sorted(earlier.keys() - own.keys()):
        raise CaseError(
            f"{checkpoint.path} has the particles {', '.join(left_out)}, and the case has none of that name; "
            "a restart keeps all of them, and one into another directory (-o) may leave some out."
        )
    begin = {name for name, one in own.items() if is_there(one.release, checkpoint.time)}
    if (new := sorted(begin - earlier.keys())) and SCHEMES[case.time.scheme].earlier:
        raise CaseError(
            f"the particles {', '.join(new)} cannot begin in this restart, since time.scheme = "
            f'"{case.time.scheme}" needs their earlier steps; begin a run with them in another directory '
            "(-o), where the scheme needs no earlier steps, or change time.scheme."
        )
