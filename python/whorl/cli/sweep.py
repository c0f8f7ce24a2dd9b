"""`whorl sweep`: runs of a case with several values of some options, one after another."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from whorl.base.errors import BlowUp, CaseError, RunFault
from whorl.base.files import write_text
from whorl.base.text import counted, typed
from whorl.cli.options import Settings
from whorl.config.case import find_case
from whorl.config.sweeps import FILE, Member, Sweep, made, read_sweep

if TYPE_CHECKING:
    from whorl.base.ranks import MPI

FINISHED = "Finished"

JOB_ARRAY = """\
#!/bin/bash
#SBATCH --job-name={name}
#SBATCH --array=0-{last}
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --time=06:00:00
#SBATCH --output=%x-%a.out

set -eu
module load gcc openmpi fftw hdf5
. ~/whorl/.venv/bin/activate
export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK
srun --cpu-bind=cores whorl sweep {folder} --member "$SLURM_ARRAY_TASK_ID"
"""


def sweep(
    case: Annotated[
        str,
        typer.Argument(
            metavar="CASE", help="A case file, a ready case, or the folder of a sweep to go on with."
        ),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The folder of the sweep; CASE-sweep by default.")
    ] = None,
    settings: Settings = None,
    member: Annotated[
        int | None, typer.Option("--member", metavar="N", help="Only this run, from 0 on, as in a job array.")
    ] = None,
    job_array: Annotated[
        Path | None,
        typer.Option("--job-array", metavar="FILE", help="Write a job array for Slurm instead of running."),
    ] = None,
) -> None:
    """Run a case with several values of some options: --set flow.viscosity=1e-2,5e-3, also under mpiexec.

    Each run has a directory. Finished runs are not repeated, and others go on from their last checkpoint.
    A run that fails stops no other; the end names it.
    """
    from whorl.base.endings import abort_on_exception
    from whorl.base.parallel import on_root, world

    abort_on_exception()
    comm = world()
    chosen = on_root(comm, lambda: _chosen(case, output, settings or []))
    if job_array is not None:
        on_root(comm, lambda: _write_jobs(chosen, job_array))
        return
    failed = [one.name for one in _members(chosen, member) if not _run(chosen, one, comm)]
    if failed:
        raise RunFault(f"{counted(len(failed), 'run')} of the sweep failed: {'; '.join(failed)}.")


def _chosen(case: str, output: Path | None, settings: list[str]) -> Sweep:
    """The sweep of a folder, or of a case. Raises CaseError."""
    if (Path(case) / FILE).is_file():
        if output or settings:
            raise CaseError(
                f"{case} holds a sweep, which keeps its values: go on with it without -o and --set."
            )
        return read_sweep(Path(case))
    return made(output or Path(f"{find_case(case).stem}-sweep"), case, settings)


def _members(sweep: Sweep, number: int | None) -> list[Member]:
    if number is None:
        return sweep.members
    if not 0 <= number < len(sweep.members):
        raise CaseError(f"--member {number} is wrong: the sweep has runs 0 to {len(sweep.members) - 1}.")
    return [sweep.members[number]]


def _run(sweep: Sweep, member: Member, comm: "MPI.Intracomm") -> bool:
    """Run a member to its end, unless it has ended before; whether it reached its end. Collective."""
    from whorl.base.parallel import on_root
    from whorl.output.directory import RunDirectory
    from whorl.report.run_log import read_log, standing_of
    from whorl.run.simulation import Simulation

    place = RunDirectory(sweep.folder / member.name)

    def found() -> tuple[bool, bool]:
        begun = place.is_run()
        finished = begun and standing_of(place, read_log(place.log)).word == FINISHED
        return finished, begun and bool(place.checkpoints())

    finished, goes_on = on_root(comm, found)
    told = print if comm.rank == 0 else lambda *_: None
    told(f"{member.name}: {'finished before' if finished else 'goes on' if goes_on else 'begins'}")
    if finished:
        return True
    try:
        if goes_on:
            simulation = Simulation.restart(place.path, comm=comm)
        else:
            simulation = Simulation(on_root(comm, lambda: sweep.case_of(member)), comm=comm, overwrite=True)
        with simulation:
            if not simulation.run() and simulation.stopped_by:
                raise typer.Exit(_code(simulation.stopped_by))
    except (BlowUp, CaseError, RunFault) as error:
        told(f"{member.name}: {error}")
        return False
    return True


def _code(stopped_by: str) -> int:
    """The exit code after a signal, or after the end of the wall time."""
    from whorl.run import wall_time

    return wall_time.EXIT_CODE if stopped_by == wall_time.NAME else 0


def _write_jobs(sweep: Sweep, path: Path) -> None:
    """Write a job array of Slurm, with a task for each run."""
    name, last = sweep.folder.resolve().name, len(sweep.members) - 1
    write_text(path, JOB_ARRAY.format(name=name, last=last, folder=typed(sweep.folder.resolve())))
    print(f"{counted(last + 1, 'run')}: sbatch {typed(path)}")
