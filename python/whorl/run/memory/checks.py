"""Checks of memory, made before anything is allocated."""

import math
import socket
from typing import NamedTuple

from whorl import _core
from whorl.base.declared import GPUS
from whorl.base.errors import CaseError
from whorl.base.parallel import agreed
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.config.schemes import SCHEMES
from whorl.run.memory.fitting import choose_planes, largest_points
from whorl.run.memory.limits import available_memory

# Bytes of a GPU's memory for sums, FFT tables, kernels and the local memory of their threads: some 0.5 KiB
# for each thread of the GPU, and 2 KiB more where exact linear terms couple components.
SUNDRIES, OF_EXACT = 256 * 2**20, 640 * 2**20

OF_IDENTITY, OF_VECTOR = 4, 24  # bytes of a particle


class Room(NamedTuple):
    """The memory left, in bytes for each of the ranks that share it; the smallest room sorts first."""

    of_rank: float
    ranks: int
    place: str


def check_memory(options: _core.Options, comm: MPI.Intracomm) -> _core.Options:
    """Compares the need of all ranks of each node, or of each GPU, with the memory available there.

    Returns `options`, in which a GPU without room for the planes that would fill it works on fewer at a time.
    Raises CaseError. Collective.
    """
    on_gpu = options.device in GPUS
    if on_gpu:
        of_blocks = agreed(comm, lambda: min(gpu["block_memory"] for gpu in _core.gpus()))
        options.block_memory = min(options.block_memory, comm.allreduce(of_blocks, MPI.MIN))
    staged = on_gpu and comm.size > 1 and options.gpu_aware == "no"
    room, of_host = _rooms(comm, on_gpu, beside=staged)
    agreed(comm, lambda: _fit(options, comm.size, room, of_host))
    return options


def _fit(options: _core.Options, ranks: int, room: Room, of_host: Room | None) -> None:
    """Raises CaseError if a rank needs more memory than it has; on a GPU it chooses the planes at a time."""
    if of_host:
        _check_staging(options, ranks, of_host)
    on_gpu = options.device in GPUS
    beside = uncounted(options, ranks) if on_gpu else 0
    left = room.of_rank - beside
    if on_gpu:
        counted = choose_planes(options, ranks, left)
    else:
        counted = sum(_core.estimate_memory(options, ranks).values())
    if counted <= left:
        return
    _check_room_of_particles(options, ranks, room, left)
    needed, fitting = counted + beside, largest_points(options, ranks, counted, left)
    size = " × ".join(map(str, fitting)) if fitting else "fewer"
    most = " (the most that fit in this shape)" if fitting else ""
    single = ", single precision" if options.precision == "double" else ""
    raise CaseError(
        f"this run needs {gibibytes(room.ranks * needed)} of memory on {room.place} (ranks there: "
        f"{room.ranks}) and {gibibytes(room.ranks * room.of_rank)} are available; use {size} "
        f"points{most}{single} or more {'GPUs' if on_gpu else 'nodes'}."
    )


def _check_room_of_particles(options: _core.Options, ranks: int, room: Room, left: float) -> None:
    """Raises CaseError if the flow fits into memory without its particles."""
    parts = _core.estimate_memory(options, ranks)
    needed = parts.pop("particles")
    rest = sum(parts.values())
    if needed and rest <= left:
        raise _too_many(sum(one.count for one in options.particles), needed, ranks, room, left - rest)


def _too_many(count: int, needed: float, ranks: int, room: Room, left: float) -> CaseError:
    fitting = math.floor(0.95 * count * left / needed)
    return CaseError(
        f"{count} particles need {gibibytes(room.ranks * needed)} of memory on {room.place} (ranks there: "
        f"{room.ranks}), {needed * ranks / count:.0f} bytes each, and {gibibytes(room.ranks * left)} are "
        f"left by the flow; use at most about {fitting:.1e} particles, or more nodes."
    )


def check_particles(flow: _core.Flow, comm: MPI.Intracomm, needs: _core.ParticleNeeds) -> None:
    """Raises CaseError if particles that are added to a flow do not fit into memory. Collective.

    Particles on a GPU have a copy on the host, which places them and writes their rows.
    """
    options = flow.options
    options.particles = [needs]
    needed = _core.estimate_memory(options, comm.size)["particles"]
    copied = needs.count * (OF_IDENTITY + OF_VECTOR * needs.vectors) / comm.size
    on_gpu = options.device in GPUS
    for room, bytes_there in zip(_rooms(comm, on_gpu, beside=on_gpu), (needed, copied), strict=True):
        if room and bytes_there > room.of_rank:
            raise _too_many(needs.count, bytes_there, comm.size, room, room.of_rank)


def uncounted(options: _core.Options, ranks: int) -> float:
    """Bytes of a GPU that a rank needs besides those counted, for a batch of a vector field and kernels."""
    x, y, z = options.points
    points = min(x * y * z / ranks, max(_core.POINTS_OF_BATCH, x * y))
    of_kernels = SUNDRIES + (OF_EXACT if options.linear == "exact" else 0)
    return 3 * points * (8 if options.precision == "double" else 4) + of_kernels


def no_room_for_copy(flow: _core.Flow, case: Case, comm: MPI.Intracomm) -> str:
    """A sentence if the copies of the state for a checkpoint do not fit into memory, else "". Collective."""
    shape = _core.model_shape(flow.options)
    components = sum(2 if count == 3 else count for count in shape["fields"].values())
    single = "single" in (case.run.precision, case.output.checkpoint_precision)
    states = 1 + SCHEMES[case.time.scheme].earlier
    modes = comm.allreduce(sum(flow.rows["lengths"]), MPI.MAX)
    needed = states * components * modes * (8 if single else 16)
    room, _ = _rooms(comm, False, beside=False)
    if needed <= room.of_rank:
        return ""
    return (
        f"output.checkpoint_in_background needs {gibibytes(room.ranks * needed)} of memory on {room.place} "
        f"and {gibibytes(room.ranks * room.of_rank)} are left: the run waits while checkpoints are written."
    )


def _check_staging(options: _core.Options, ranks: int, room: Room) -> None:
    """Raises CaseError if the host has no room for the messages that pass through it."""
    parts = _core.estimate_memory(options, ranks)
    needed = parts["exchange"] + parts["row_buffers"]
    if needed > room.of_rank:
        raise CaseError(
            f"run.gpu_aware needs {gibibytes(room.ranks * needed)} of memory of {room.place} to pass "
            f"messages of {room.ranks} ranks through, and {gibibytes(room.ranks * room.of_rank)} are "
            "available; use fewer points or more nodes, or an MPI that accepts the GPUs' memory."
        )


def _rooms(comm: MPI.Intracomm, on_gpu: bool, *, beside: bool) -> tuple[Room, Room | None]:
    """The room for a run's memory, and with `beside` the room on the host of its GPUs. Collective."""
    node = comm.Split_type(MPI.COMM_TYPE_SHARED)
    room = _room_of_gpu(node, comm) if on_gpu else _room_of_node(node, comm)
    of_host = _room_of_node(node, comm) if beside else None
    node.Free()
    return room, of_host


def _room_of_node(node: MPI.Intracomm, comm: MPI.Intracomm) -> Room:
    """The room of the node with the least memory, as its ranks see it."""
    (available, limit), host = agreed(comm, lambda: (available_memory(), socket.gethostname()))
    available, limit = node.allreduce((available, limit), MPI.MIN)
    place = f"{host}, {limit}" if limit else host
    return min(comm.allgather(Room(available / node.size, node.size, place)))


def _room_of_gpu(node: MPI.Intracomm, comm: MPI.Intracomm) -> Room:
    """The room of the GPU with the least memory.

    The ranks of a node take its GPUs in turn; a launcher may have given them different GPUs.
    """

    def own() -> tuple[str, int, str]:
        gpus = _core.gpus()
        number = node.rank % len(gpus)
        place = f"GPU {number} ({gpus[number]['name']}) of {socket.gethostname()}"
        return gpus[number]["id"], _core.gpu_free_memory(number), place

    identity, free, place = agreed(comm, own)
    sharing = [left for other, left in node.allgather((identity, free)) if other == identity]
    return min(comm.allgather(Room(min(sharing) / len(sharing), len(sharing), place)))


def gibibytes(count: float) -> str:
    return f"{count / 2**30:.3g} GiB" if count < 1000 * 2**30 else f"{count / 2**40:.3g} TiB"
