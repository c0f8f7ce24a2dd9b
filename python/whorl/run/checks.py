"""Checks made before anything is allocated (ranks, memory, device), and warnings."""

import os
import socket

from whorl import _core
from whorl.base.declared import DEVICES, GPUS, TRANSPORTS
from whorl.base.errors import CaseError
from whorl.base.hdf5 import has_h5py
from whorl.base.instruction_levels import VARIABLE
from whorl.base.parallel import copies
from whorl.base.ranks import MPI, launched, without_mpi
from whorl.base.text import rounded_down, rounded_up
from whorl.config.case import Case
from whorl.config.clock import Clock
from whorl.config.schemes import SCHEMES, largest_courant
from whorl.run.control_groups import processor_quota
from whorl.run.core_options import core_options, refused
from whorl.run.exchange_choice import plain
from whorl.run.memory.checks import check_memory
from whorl.run.row_checks import refused_rows

# Threads that take turns on a core cost time; more than this many per core overload the machine.
MOST_THREADS_A_CORE = 16


def check(case: Case, options: _core.Options, comm: MPI.Intracomm) -> None:
    """Raises CaseError on every rank if the case cannot run on these ranks, this machine and this build."""
    check_levels(comm)
    check_device(case, comm)
    check_files(case)
    check_threads(case, options.threads, comm)
    check_ranks(case, options, comm.size)
    check_memory(options, comm)


def check_levels(comm: MPI.Intracomm) -> None:
    """Raises CaseError if ranks use different instruction levels. Collective."""
    levels = sorted(set(comm.allgather(_core.build_info()["level"])))
    if len(levels) > 1:
        raise CaseError(
            f"the ranks use different instruction levels, {' and '.join(levels)}: they would wait for the "
            f"slowest, and rounding would depend on the rank; set {VARIABLE}={levels[0]} on all of them."
        )


def other_level(level: str) -> list[str]:
    """A warning if the run so far used this instruction level and the core's is another."""
    own = _core.build_info()["level"]
    if level in ("", own):
        return []
    return [
        f"the run so far was computed at instruction level {level}, this is {own}: it goes on with different "
        f"rounding; WHORL_LEVEL={level} repeats the bits of an uninterrupted one."
    ]


def warnings(case: Case, ranks: int = 1, threads: int = 1) -> list[str]:
    """Warnings of choices that run but may not be intended; one sentence each."""
    return [
        *_growing_waves(case),
        *_large_courant(case),
        *filter(None, [copies()]),
        *_idle_ranks(case, ranks),
        *_crowded_cores(case, threads),
        *_missing_files(case),
        *refused_rows(case),
    ]


def _threads(case: Case, threads: int) -> str:
    """The number of threads with its origin."""
    return f"{'run.threads' if case.run.threads else 'OMP_NUM_THREADS'} = {threads}"


def _crowded_cores(case: Case, threads: int) -> list[str]:
    cores, quota = len(os.sched_getaffinity(0)), processor_quota()
    if threads <= cores and quota and threads > max(1, quota.processors):
        return [
            f"{_threads(case, threads)} threads have the time of {quota.processors:.3g} processors, the "
            "quota of their control group, and wait for each other; run.threads = 0 without OMP_NUM_THREADS "
            "takes as many as fit."
        ]
    if threads <= cores:
        return []
    room = "1 core" if cores == 1 else f"{cores} cores"
    takes = "run.threads = 0 takes" if case.run.threads else "without it a rank takes"
    return [
        f"{_threads(case, threads)} threads take turns on {room}, all that this rank may use; {takes} the "
        "available cores, and mpiexec --bind-to none lets a rank use every core."
    ]


def _idle_ranks(case: Case, ranks: int) -> list[str]:
    rows, columns = case.run.process_grid
    if rows == 0:
        return []
    grids = _core.allowed_process_grids(core_options(plain(case), 1), ranks)
    if (rows, columns) in [tuple(grid) for grid in grids]:
        return []
    return [
        f"run.process_grid = [{rows}, {columns}] leaves ranks without planes, rows or columns of "
        f"{' × '.join(map(str, case.grid.points))} points: they wait for the others."
    ]


def _missing_files(case: Case) -> list[str]:
    if case.output.directory is None or has_h5py():
        return []
    others = [f"{name}.h5" for name in ("diagnostics", "probes") if getattr(case, name)]
    files = " and ".join(["spectra.h5", *others])
    return [f"h5py is not installed, so {files} will not be written: pip install h5py."]


def _growing_waves(case: Case) -> list[str]:
    waves, growth = case.flow.explicit_waves(), SCHEMES[case.time.scheme].growth
    if not growth or not waves:
        return []
    return [
        f'time.scheme = "{case.time.scheme}" makes waves of frequency ω grow by (ω dt)⁴/{1 / growth:.0f} a '
        f"step where nothing damps them, here those of {' and '.join(waves)}; "
        'flow.linear = "exact" or time.scheme = "rk3" or "rk4" do not.'
    ]


def _large_courant(case: Case) -> list[str]:
    courant = case.time.courant
    if courant is None or courant <= largest_courant(case.time.scheme, case.grid.dealias):
        return []
    return [f"time.courant = {courant} is more than {limit_of_courant(case)}."]


def limit_of_courant(case: Case) -> str:
    """The Courant number that should not be exceeded, and why."""
    scheme, dealias = case.time.scheme, case.grid.dealias
    largest = rounded_down(largest_courant(scheme, dealias), 3)
    if SCHEMES[scheme].growth:
        what = f"{largest}, at which each step of {scheme} doubles the shortest waves if nothing damps them"
    else:
        what = f"{largest}, up to which {scheme} is stable without viscosity"
    return f'{what} (grid.dealias = "{dealias}"); where the viscosity is small, short waves may grow'


def step_too_large(case: Case, courant: float, step: int) -> str | None:
    """A warning if a fixed step turned out to be beyond the scheme's limit of stability."""
    dt, largest = case.time.dt, largest_courant(case.time.scheme, case.grid.dealias)
    if dt is None or courant <= largest:
        return None
    return (
        f"time.dt = {dt:g} is a Courant number of {rounded_up(courant, 3)} at step {step}, more than "
        f"{limit_of_courant(case)}; as the flow is now, time.dt = {rounded_down(dt * largest / courant, 2)} "
        "is within it: stop the run and restart it with that, or give time.courant."
    )


def at_rest(case: Case) -> str:
    """The error for a flow at rest, with the options of [initial] that are 0."""
    first = case.flow.first_field()
    own = case.initial.others.get(first, case.initial) if case.initial else None
    place = "initial" if own is case.initial else f"initial.{first}"
    given = own.model_dump() if own else {}
    still = [f"{place}.{key} = 0" for key, value in given.items() if isinstance(value, float) and value == 0]
    named = [f'{place}.name = "{own.name}"'] if own else ["the initial field"]  # type: ignore[attr-defined]
    return (
        f"the flow is at rest ({' and '.join(still or named)}), so time.courant = {case.time.courant:g} sets "
        "no time step; give time.dt or time.dt_max, or a flow that moves."
    )


def come_to_rest(case: Case, report: _core.StepReport, clock: Clock) -> str:
    """The error for a flow that has stopped moving, whose steps would grow without limit."""
    return (
        f"the flow has come to rest: its largest {case.flow.measured} is {report.maximum_velocity:.3g} at "
        f"t = {clock.time:.6g}, step {clock.step}, and time.courant = {case.time.courant:g} makes its "
        "steps ever longer; all output due at the end is written. To follow it further give time.dt or "
        "time.dt_max."
    )


def check_device(case: Case, comm: MPI.Intracomm) -> None:
    """Raises CaseError if this build lacks the device or the transport, or a rank lacks the GPU it needs."""
    device, build = case.run.device, _core.build_info()
    if not DEVICES[device]["build"] and device not in build["devices"]:
        raise CaseError(f'run.device = "{device}" is in no build of whorl yet; use "cpu" or "cuda".')
    if device not in build["devices"]:
        raise CaseError(
            f'run.device = "{device}" needs whorl built {DEVICES[device]["build"]} and this one was built '
            'without; build it so, or use "cpu".'
        )
    transport = case.run.transport
    if transport in TRANSPORTS and TRANSPORTS[transport]["of_gpus"] and transport not in build["transports"]:
        raise CaseError(
            f'run.transport = "{transport}" needs whorl built with CUDA where NCCL is (docs/gpu.md) and this '
            "one was not; choose another, or auto."
        )
    if device not in GPUS:
        return
    check_gpu_exchange(case)
    without = [host for host, found in comm.allgather((socket.gethostname(), len(_core.gpus()))) if not found]
    if without:
        raise CaseError(
            f'run.device = "{device}" needs a GPU and none can be used on {without[0]}; check nvidia-smi and '
            'CUDA_VISIBLE_DEVICES there, run on nodes with GPUs, or use "cpu".'
        )


def check_gpu_exchange(case: Case) -> None:
    """Raises CaseError for options of the exchange that GPUs do not have."""
    try:
        _core.moves_device_memory(core_options(plain(case), 1))
    except _core.Error as error:
        raise refused(error) from None


def check_files(case: Case) -> None:
    """Raises CaseError if checkpoints or other files are wanted and this build cannot write them."""
    if case.output.directory is not None and case.particles and not has_h5py():
        raise CaseError("the files of [[particles]] need h5py, which is not installed: pip install h5py.")
    if case.output.directory is None or _core.build_info()["hdf5"] != "none":
        return
    names = ("checkpoint_every", "snapshot_every")
    if wanted := [f"output.{name}" for name in names if getattr(case.output, name) != "never"]:
        raise CaseError(
            f"{' and '.join(wanted)} ask{'s' if len(wanted) == 1 else ''} for files that this whorl cannot "
            f'write, for it was built without HDF5: set {" and ".join(wanted)} to "never", or build whorl '
            "with HDF5 (cmake -DWHORL_HDF5=ON)."
        )


def check_threads(case: Case, threads: int, comm: MPI.Intracomm) -> None:
    cores = comm.allreduce(os.cpu_count() or 1, MPI.MIN)
    if threads > MOST_THREADS_A_CORE * cores:
        otherwise = "0" if case.run.threads else "none"
        raise CaseError(
            f"{_threads(case, threads)} is too many for a machine of {cores} "
            f"core{'s' if cores > 1 else ''}; choose at most {cores}, or {otherwise}: the cores available."
        )


def check_ranks(case: Case, options: _core.Options, ranks: int) -> None:
    most = _core.maximum_ranks(options)
    size = " × ".join(map(str, case.grid.points))
    rows, columns = case.run.process_grid
    there = max(ranks, launched())  # without MPI each rank believes it is the only one
    if there > 1 and without_mpi():
        raise CaseError(
            f"{there} ranks are too many without MPI ({without_mpi()}): run on one, or install mpi4py and a "
            'library of MPI, such as by pip install "whorl[mpi]".'
        )
    if rows * columns == ranks:
        return
    if ranks > most:
        raise CaseError(f"{ranks} ranks are too many for {size} points: at most {most} can share them.")
    grids = _core.allowed_process_grids(options, ranks)
    if not grids:
        fewer = next(r for r in range(ranks - 1, 0, -1) if _core.allowed_process_grids(options, r))
        raise CaseError(
            f"{size} points cannot be shared by {ranks} ranks; the nearest lower number that can is {fewer}."
        )
    if case.run.process_grid != (0, 0):
        allowed = ", ".join(f"[{r}, {c}]" for r, c in grids)
        raise CaseError(
            f"run.process_grid = [{rows}, {columns}] is not possible for {size} points on {ranks} "
            f"rank{'s' if ranks > 1 else ''}; allowed: {allowed}."
        )
