"""Diagnostics of a run's checkpoints or snapshots, after it or while it goes on."""

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from whorl.base.errors import CaseError
from whorl.base.files import PARTIAL, synchronise
from whorl.base.hdf5 import open_hdf5
from whorl.base.parallel import agreed, on_root, world
from whorl.base.ranks import MPI
from whorl.diagnostics.record import Diagnostics
from whorl.output.directory import RunDirectory
from whorl.output.groups import check_replaceable
from whorl.output.growing_file import GrowingFile
from whorl.output.sample import StateSample
from whorl.output.states import named_state
from whorl.run.simulation import Simulation

if TYPE_CHECKING:
    import xarray as xr

ABOUT = "whorl analysis; length and time are the case's own units"


def analyse(
    directory: str | Path,
    diagnostics: Sequence[dict[str, Any]] = (),
    *,
    steps: Sequence[int] | Literal["all"] | None = None,
    snapshots: bool = False,
    output: str | Path | None = None,
    settings: Sequence[str] = (),
    comm: MPI.Intracomm | None = None,
) -> "dict[str, xr.Dataset]":
    """Measure diagnostics of a run's checkpoints or snapshots.

    Parameters
    ----------
    directory : str or Path
        The output directory of the run, or one checkpoint or snapshot in it to measure.
    diagnostics : sequence of dict, optional
        The diagnostics, as in blocks [[diagnostics]]; those of the run's case by default.
    steps : sequence of int or "all", optional
        The steps of the checkpoints; that of the newest by default.
    snapshots : bool, default False
        Whether to measure snapshots instead; the results have the precision of the snapshots.
    output : str or Path, optional
        A file for the results, like diagnostics.h5, which replaces an earlier analysis; none by default.
    settings : sequence of str, optional
        Changes of run.*, such as "run.device=cuda".
    comm : mpi4py.MPI.Intracomm, optional
        The ranks that share the work, all by default.

    Returns
    -------
    dict of str to Dataset
        The arrays of each diagnostic over `time` and its axes, by its name; the same on every rank.

    Raises
    ------
    CaseError
        If the run or the state does not exist, if a snapshot lacks a field of the state, if a diagnostic is
        not possible, or if `output` is another file. Also if a checkpoint or snapshot is named and `steps`
        or `snapshots` are given as well.

    Examples
    --------
    >>> found = analyse("vortex", [{"kind": "pdf", "of": "dx(u.x)"}])
    >>> found["pdf"]["pdf"].isel(time=-1).plot()
    """
    comm = comm or world()
    run, steps, snapshots = on_root(comm, lambda: _chosen(directory, steps, snapshots))
    path = Path(output) if output is not None else None
    if path:
        on_root(comm, lambda: check_replaceable(path, "analysis", ABOUT))
    wanted = list(diagnostics) or _of_run(run, comm)
    beside = path.with_name(path.name + PARTIAL) if path else None
    try:
        if beside:
            on_root(comm, GrowingFile(beside).remove)  # left by a killed process
        found_at = sorted(set(steps)) if steps else [None]
        table = _measured(run, wanted, found_at, snapshots, beside, settings, comm)
        on_root(comm, table.finish)
        found = on_root(comm, table.datasets)
        if path:
            on_root(comm, lambda: _put_in_place(beside, path))
    finally:
        if beside and comm.rank == 0:
            GrowingFile(beside).remove()
    return found


def _chosen(
    path: str | Path, steps: Sequence[int] | Literal["all"] | None, snapshots: bool
) -> tuple[Path, Sequence[int] | None, bool]:
    """The directory of the run, the steps and whether they are those of snapshots. Raises CaseError."""
    named = named_state(Path(path))
    if named.step is None:
        return named.directory, RunDirectory(path).steps_of(snapshots) if steps == "all" else steps, snapshots
    if steps is not None or snapshots:
        raise CaseError(
            f"{path} is one state of a run; leave out which are to be measured, or name the directory of the "
            f"run, {named.directory}."
        )
    return named.directory, [named.step], named.snapshot


def _measured(
    directory: Path,
    wanted: list[dict[str, Any]],
    steps: Sequence[int | None],
    snapshots: bool,
    path: Path | None,
    settings: Sequence[str],
    comm: MPI.Intracomm,
) -> Diagnostics:
    """The diagnostics of the states, written to the path on rank 0."""
    table = None
    for step in steps:
        asked = {"step": step, "snapshot": snapshots, "diagnostics": wanted, "settings": settings}
        with Simulation.open(directory, **asked, particles=False, comm=comm) as state:
            written = path if comm.rank == 0 else None
            table = table or Diagnostics(state.case, comm, written, keeps=path is None)
            sample = StateSample(state.case, state.flow, state.clock, {})
            table.write(sample, list(table.rows), partial(agreed, comm))
    return table


def _put_in_place(beside: Path, path: Path) -> None:
    with open_hdf5(beside, "a") as file:
        file.attrs["about"] = ABOUT
    synchronise(beside)
    os.replace(beside, path)


def _of_run(directory: Path, comm: MPI.Intracomm) -> list[dict[str, Any]]:
    """The diagnostics of a run's case. Raises CaseError if it has none."""
    case = on_root(comm, lambda: RunDirectory(directory).read_case())
    if not case.diagnostics:
        raise CaseError(f"the case of {directory} has no [[diagnostics]]; say which are to be measured.")
    return list(case.to_dict()["diagnostics"])
