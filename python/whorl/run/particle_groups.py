"""The particles of a case, [[particles]]: placed at the start, or as a checkpoint has them."""

from collections.abc import Sequence
from typing import Any

from whorl import _core
from whorl.base.errors import CaseError
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.config.particles import ParticleGroup
from whorl.config.schemes import SCHEMES
from whorl.output.checkpoint import Checkpoint
from whorl.output.directory import RunDirectory
from whorl.output.particle_checkpoint import read_particles
from whorl.run.particles import Particles, no_particles, tracers

Groups = dict[str, Particles]


def placed(case: Case, comm: MPI.Intracomm, flow: _core.Flow, clock: Any, names: Sequence[str]) -> Groups:
    """The groups of a case with these names where its options place them. Collective."""
    return {
        one.label: tracers(
            *(case, comm, flow, clock, one.count if one.positions is None else one.positions),
            lattice=one.lattice,
            seed=one.seed,
            interpolation=one.interpolation,
            points=one.points,
        )
        for one in case.particles
        if one.label in names
    }


def labels(checkpoint: Checkpoint) -> list[str]:
    """The names of the groups in a checkpoint."""
    given = checkpoint.case.get("particles", ()) if checkpoint.particles else ()
    return [one.get("name", one["kind"]) for one in given]


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

    For a run in another directory, `beside`, the time scheme begins anew.

    Raises
    ------
    CaseError
        If the groups of the checkpoint are others than those of the case with their names.
    ValueError
        If the file of the particles is not that of the checkpoint.
    """
    earlier = {one.label: one for one in Case(**checkpoint.case).particles} if checkpoint.particles else {}
    own = {one.label: one for one in case.particles}
    _check(own, earlier, checkpoint, case, beside=beside)
    going_on = {
        name: no_particles(*(case, comm, flow, clock), interpolation=one.interpolation, points=one.points)
        for name, one in own.items()
        if name in earlier
    }
    if going_on:
        _read(going_on, checkpoint, case, comm, beside=beside)
    return going_on | placed(case, comm, flow, clock, [name for name in own if name not in earlier])


def _read(groups: Groups, checkpoint: Checkpoint, case: Case, comm: MPI.Intracomm, *, beside: bool) -> None:
    # A scheme that is another one, or begins anew, knows nothing of earlier steps.
    goes_on = not beside and checkpoint.case["time"].get("scheme") == case.time.scheme
    registers = 1 + SCHEMES[case.time.scheme].earlier if goes_on else 1
    path = RunDirectory(checkpoint.path.parent.parent).particles_path(checkpoint.step)
    for name, ids, positions in read_particles(path, checkpoint.particles, comm):
        if name in groups:
            groups[name].add(ids, positions[:, :registers])


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
                f"the particles {name} of {checkpoint.path} have other options; a restart may change their "
                "every and of alone, so leave the others as they were, or give new particles another name "
                "(particles.name)."
            )
    if beside:
        return
    if left_out := sorted(earlier.keys() - own.keys()):
        raise CaseError(
            f"{checkpoint.path} has the particles {', '.join(left_out)}, and the case has none of that name; "
            "a restart keeps all of them, and one into another directory (-o) may leave some out."
        )
    if (new := sorted(own.keys() - earlier.keys())) and SCHEMES[case.time.scheme].earlier:
        raise CaseError(
            f"the particles {', '.join(new)} cannot begin in this restart, since time.scheme = "
            f'"{case.time.scheme}" needs their earlier steps; begin a run with them in another directory '
            "(-o), where the scheme begins anew, or change time.scheme."
        )
