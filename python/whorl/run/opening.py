"""Opens a checkpoint or a snapshot to look at its state."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whorl import _core
from whorl.base.errors import CaseError
from whorl.base.parallel import on_root, world
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.config.clock import Clock
from whorl.config.settings import check_list
from whorl.forcing.shapes import begin_forces, kept_of_sources, set_known_forces
from whorl.initial.checkpoints import read_snapshot
from whorl.output import states
from whorl.output.checkpoint import Checkpoint
from whorl.output.directory import RunDirectory
from whorl.output.snapshot_header import SnapshotHeader
from whorl.particles.groups import resumed
from whorl.run.begin import open_log, set_up
from whorl.run.current import CurrentRun

if TYPE_CHECKING:
    from whorl.run.simulation import Simulation


def open(
    _class: "type[Simulation]",
    directory: str | Path,
    *,
    step: int | None = None,
    snapshot: bool = False,
    diagnostics: Sequence[dict[str, Any]] = (),
    settings: Sequence[str] = (),
    particles: bool = True,
    comm: MPI.Intracomm | None = None,
) -> "Simulation":
    """Open a checkpoint to look at its state: no file is written, and the run may go on meanwhile.

    Steps cannot be made if a force comes from a script, or from a file that is not there any more.

    Parameters
    ----------
    directory : str or Path
        The output directory of the run that wrote the checkpoint.
    step : int, optional
        The step of the checkpoint; the newest by default.
    snapshot : bool, default False
        Whether to open a snapshot instead, whose fields give the state to its precision. It makes no
        steps.
    diagnostics : sequence of dict, optional
        The diagnostics of the case, in place of those of the run.
    settings : sequence of str, optional
        Changes of run.*, such as "run.device=cuda".
    particles : bool, default True
        Whether the particles of the checkpoint are brought along, as `tracers`; a snapshot has none.
    comm : mpi4py.MPI.Intracomm, optional
        The ranks that share the flow, all by default; their number may differ from the run's.

    Returns
    -------
    Simulation
        A simulation in the state of the checkpoint.

    Raises
    ------
    CaseError
        If the file does not exist, if it or the file of its particles is damaged, if a snapshot lacks a
        field of the state, or if a setting is not one that may change.

    Examples
    --------
    >>> with Simulation.open("vortex", step=2000) as state:
    ...     enstrophy = state.mean("dot(omega, omega)")
    """
    check_list(settings)
    comm = comm or world()
    source = RunDirectory(directory)
    with_particles = particles and not snapshot
    chosen: Any  # the file of a checkpoint or of a snapshot
    case, chosen = on_root(
        comm,
        lambda: states.to_look_at(source, diagnostics, settings, step, snapshot, particles=with_particles),
    )
    if snapshot:
        run = _of_snapshot(case, chosen, comm)
    else:
        run = _of_checkpoint(source, case, chosen, settings, comm)
    not_there = set_known_forces(run.flow, case, comm)
    open_log(run, "open")
    run.case = case.without_forces(not_there)
    run.origin, run.fresh = chosen.path, False
    return _class._of(run)


def _of_checkpoint(
    source: RunDirectory, case: Case, checkpoint: Checkpoint, settings: Sequence[str], comm: MPI.Intracomm
) -> CurrentRun:
    timed = checkpoint.timed_for(case, settings)
    # Forces of a script are not known here.
    run = set_up(case, comm, None, checkpoint.clock(), timed=timed, forced=False)
    read_state(run, source, checkpoint)
    if case.particles:
        _bring_particles(run, checkpoint)
    return run


def _of_snapshot(case: Case, snapshot: SnapshotHeader, comm: MPI.Intracomm) -> CurrentRun:
    run = set_up(case, comm, None, Clock(snapshot.time, step=snapshot.step), forced=False)
    run.makes_steps = False
    read_snapshot(run.flow, case, comm, snapshot)
    begin_forces(run.flow, snapshot.time)
    return run


def read_state(run: CurrentRun, source: RunDirectory, checkpoint: Checkpoint) -> None:
    """Read the state of a checkpoint on its own grid, with its forces. Collective. Raises CaseError."""
    try:
        run.flow.read_checkpoint(checkpoint.path)
    except _core.Error as error:
        raise damaged(run.comm, source, checkpoint, error) from None
    run.flow.restore_sources(kept_of_sources(checkpoint.sources, checkpoint.case, run.case))


def _bring_particles(run: CurrentRun, checkpoint: Checkpoint) -> None:
    """Place the particles of a checkpoint to look at. Raises CaseError."""
    try:
        run.tracers.update(resumed(checkpoint, run.case, run.comm, run.flow, run.clock))
    except CaseError:
        raise
    except ValueError as error:
        raise CaseError(
            f"{error}; put back the file that was written with {checkpoint.path}, or open the state "
            "without particles: Simulation.open(..., particles=False)."
        ) from None


def damaged(
    comm: MPI.Intracomm,
    place: RunDirectory,
    checkpoint: Checkpoint,
    error: _core.Error,
    output: RunDirectory | None = None,
) -> CaseError:
    """The error for a file of a checkpoint that cannot be read. Collective."""
    beside = None if output is None else output.path
    return on_root(comm, lambda: states.damaged(place, checkpoint.path, checkpoint.reason(error), beside))
