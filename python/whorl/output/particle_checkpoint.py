"""The particles of a checkpoint, checkpoints/STEP.particles.h5: a group for each of their groups.

It has the identities and the positions [particle][register][axis] of the particles of all ranks, one rank
behind another. The file is whole before the checkpoint is written, whose attribute `particles` is its
checksum; the format is in docs/checkpoints.md.
"""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl.base.files import whole_file
from whorl.base.hdf5 import open_hdf5
from whorl.base.parallel import agreed, on_root
from whorl.base.ranks import MPI

if TYPE_CHECKING:
    import h5py

FORMAT, VERSION = "whorl particles", 1
CHUNK = 1 << 16  # particles that are written, or read and sent to all ranks, at a time


class Checksum:
    """Of names and numbers of particles with identities, and of positions: BLAKE2b with 16 bytes each."""

    def __init__(self) -> None:
        self._identities, self._positions = (hashlib.blake2b(digest_size=16) for _ in range(2))

    def begin(self, name: str, count: int) -> None:
        """Begin a group."""
        self._identities.update(f"{name} {count}\n".encode())

    def add(self, ids: np.ndarray, positions: np.ndarray) -> None:
        """Add some particles of the group."""
        self._identities.update(np.ascontiguousarray(ids, "<i8").tobytes())
        self._positions.update(np.ascontiguousarray(positions, "<f8").tobytes())

    def __str__(self) -> str:
        return self._identities.hexdigest() + self._positions.hexdigest()


def write_particles(path: Path, groups: Mapping[str, Any], comm: MPI.Intracomm, registers: int) -> str:
    """Write the file, and return its checksum. Collective.

    `groups` are `run.particles.Particles`; so many of their registers are kept.
    """
    checksum = Checksum()
    with ExitStack() as stack:
        file = agreed(comm, lambda: _created(stack, path) if comm.rank == 0 else None)
        for name, group in sorted(groups.items()):  # as the file lists them
            counts = comm.allgather(group.count_here)
            begin = partial(_begin, file, checksum, name, sum(counts), registers)
            group_of_file = agreed(comm, begin) if comm.rank == 0 else agreed(comm, lambda: None)
            first = 0
            for rank, piece in _pieces(group, counts, comm, registers):
                put = partial(_put, group_of_file, checksum, first, piece)
                agreed(comm, put if comm.rank == 0 else lambda: None)
                first += rank
        if file is not None:
            file.attrs["checksum"] = str(checksum)
        agreed(comm, stack.close)
    return comm.bcast(str(checksum))


def _created(stack: ExitStack, path: Path) -> "h5py.File":
    beside = stack.enter_context(whole_file(path))
    file = stack.enter_context(open_hdf5(beside, "w"))
    file.attrs.update({"format": FORMAT, "version": VERSION})
    return file


def _begin(file: "h5py.File", checksum: Checksum, name: str, count: int, registers: int) -> "h5py.Group":
    group = file.create_group(name)
    group.attrs["count"] = count
    group.create_dataset("ids", (count,), np.int64)
    group.create_dataset("positions", (count, registers, 3), np.float64)
    checksum.begin(name, count)
    return group


def _put(group: "h5py.Group", checksum: Checksum, first: int, piece: tuple[np.ndarray, np.ndarray]) -> None:
    ids, positions = piece
    rows = slice(first, first + len(ids))
    group["ids"][rows], group["positions"][rows] = ids, positions
    checksum.add(ids, positions)


def _pieces(
    group: Any, counts: list[int], comm: MPI.Intracomm, registers: int
) -> Iterator[tuple[int, tuple[np.ndarray, np.ndarray] | None]]:
    """Numbers of particles, and on rank 0 these, of one rank behind another. Collective."""
    own = group.registers(registers)
    for rank, count in enumerate(counts):
        for first in range(0, count, CHUNK):
            last = min(first + CHUNK, count)
            piece = tuple(values[first:last] for values in own) if comm.rank == rank else None
            if rank and comm.rank == rank:
                comm.send(piece, 0)
            elif rank and comm.rank == 0:
                piece = comm.recv(source=rank)
            yield last - first, piece


def read_particles(
    path: Path, checksum: str, comm: MPI.Intracomm
) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """The name of a group, identities and positions [particle][register][axis], some at a time. Collective.

    Raises ValueError if there is no such file, or it is not that of the checksum; what came before then is
    worth nothing.
    """
    pieces = _of_file(path, checksum) if comm.rank == 0 else iter(())
    while (piece := on_root(comm, lambda: next(pieces, None))) is not None:
        yield piece


def _of_file(path: Path, checksum: str) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    if not path.is_file():
        raise ValueError(f"its particles are not there: no file {path}")
    found = Checksum()
    try:
        with open_hdf5(path) as file:
            if file.attrs.get("format") != FORMAT:
                raise ValueError(f"{path} is no file of particles")
            told = file.attrs.get("checksum")
            for name, group in file.items():
                count = len(group["ids"])
                found.begin(name, count)
                for first in range(0, count, CHUNK):
                    rows = slice(first, min(first + CHUNK, count))
                    ids, positions = group["ids"][rows], group["positions"][rows]
                    found.add(ids, positions)
                    yield name, ids, positions
    except (OSError, KeyError, RuntimeError, TypeError) as error:
        raise ValueError(f"the file of its particles, {path}, is damaged ({error})") from None
    if str(found) != told:
        raise ValueError(f"the file of its particles, {path}, is damaged: its checksum is wrong")
    if told != checksum:
        raise ValueError(f"{path} has the particles of another checkpoint")
