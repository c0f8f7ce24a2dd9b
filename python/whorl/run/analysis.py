"""Diagnostics of a run's checkpoints, after it or while it goes on."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import xarray as xr

from whorl.base.errors import CaseError
from whorl.base.parallel import agreed, on_root, world
from whorl.base.ranks import MPI
from whorl.output.diagnostics import Diagnostics
from whorl.output.directory import RunDirectory
from whorl.output.moment import Moment
from whorl.run.simulation import Simulation


def analyse(
    directory: str | Path,
    diagnostics: Sequence[dict[str, Any]] = (),
    *,
    steps: Sequence[int] | None = None,
    output: str | Path | None = None,
    settings: Sequence[str] = (),
    comm: MPI.Intracomm | None = None,
) -> dict[str, xr.Dataset]:
    """Measure diagnostics of a run's checkpoints.

    Parameters
    ----------
    directory : str or Path
        The output directory of the run.
    diagnostics : sequence of dict, optional
        The diagnostics, as in blocks [[diagnostics]]; those of the run's case by default.
    steps : sequence of int, optional
        The steps of the checkpoints; that of the newest by default.
    output : str or Path, optional
        A file for the results, like diagnostics.h5; none by default.
    settings : sequence of str, optional
        Changes of run.*, such as "run.device=cuda".
    comm : mpi4py.MPI.Intracomm, optional
        The ranks that share the work, all by default.

    Returns
    -------
    dict of str to Dataset
        By the name of each diagnostic its arrays over `time` and its axes; the same on every rank.

    Raises
    ------
    CaseError
        If there is no such checkpoint, or if a diagnostic is not possible.

    Examples
    --------
    >>> found = analyse("vortex", [{"kind": "pdf", "of": "dx(u.x)"}])
    >>> found["pdf"]["pdf"].isel(time=-1).plot()
    """
    comm = comm or world()
    wanted = list(diagnostics) or _of_run(directory, comm)
    table, path = None, Path(output) if output is not None else None
    for step in steps if steps is not None else [None]:
        with Simulation.open(directory, step=step, diagnostics=wanted, settings=settings, comm=comm) as state:
            if table is None:
                table = Diagnostics(state.case, path if comm.rank == 0 else None)
                on_root(comm, lambda: path.unlink(missing_ok=True) if path else None)
            moment = Moment(state.case, state.flow, state.clock, {})
            measured = table.measure(moment)
            agreed(comm, partial(table.record, moment, measured))
    if table is None:
        raise CaseError("there is no checkpoint to analyse: steps is empty.")
    return {name: one.dataset() for name, one in table.measured.items()}


def _of_run(directory: str | Path, comm: MPI.Intracomm) -> list[dict[str, Any]]:
    """The diagnostics of a run's case. Raises CaseError if it has none."""
    case = on_root(comm, lambda: RunDirectory(directory).read_case())
    if not case.diagnostics:
        raise CaseError(f"the case of {directory} has no [[diagnostics]]; say which are to be measured.")
    return list(case.to_dict()["diagnostics"])
