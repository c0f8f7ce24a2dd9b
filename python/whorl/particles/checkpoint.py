"""The particles of a checkpoint, checkpoints/STEP.particles.h5: a group for each of their groups.

It has the identities and the positions [particle][register][axis] of the particles of all ranks, rank by
rank. Kinds with velocities of their own have these, too. The file is complete before the checkpoint is
written, and the checkpoint's attribute `particles` is its checksum. docs/checkpoints.md describes the format.
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
VARIABLES = ("positions", "velocities")


class Checksum:
    """Checksums of groups with their identities, and of each variable: BLAKE2b with 16 bytes each."""

    def __init__(self) -> None:
        self._identities, *self._values = (hashlib.blake2b(digest_size=16) for _ in range(3))
        self._variables = 1

    def begin(self, name: str, count: int, found: Mapping[str, float]) -> None:
        """Begin a group; `found` has its options that followed from the flow."""
        told = "".join(f" {option} {float(value)!r}" for option, value in sorted(found.items()))
        self._identities.update(f"{name} {count}{told}\n".encode())

    def add(self, ids: np.ndarray, values: np.ndarray) -> None:
        """Add some particles of the group."""
        self._identities.update(np.ascontiguousarray(ids, "<i8").tobytes())
        self._variables = max(self._variables, values.shape[2])
        for variable in range(values.shape[2]):
            self._values[variable].update(np.ascontiguousarray(values[:, :, variable], "<f8").tobytes())

    def __str__(self) -> str:
        of_values = (one.hexdigest() for one in self._values[: self._variables])
        return self._identities.hexdigest() + "".join(of_values)


def write_particles(path: Path, groups: Mapping[str, Any], comm: MPI.Intracomm, registers: int) -> str:
    """Write the file, and return its checksum. Collective.

    `groups` are `particles.particles.Particles`; the file has `registers` of their registers.
    """
    checksum = Checksum()
    with ExitStack() as stack:
        file = agreed(comm, lambda: _created(stack, path) if comm.rank == 0 else None)
        for name, group in sorted(groups.items()):  # the order in which the file lists them
            counts = comm.allgather(group.count_here)
            shape = (sum(counts), registers, group.variables)
            begin = partial(_begin, file, checksum, name, shape, group.found)
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


def _begin(
    file: "h5py.File",
    checksum: Checksum,
    name: str,
    shape: tuple[int, int, int],
    found: Mapping[str, float],
) -> "h5py.Group":
    group = file.create_group(name)
    count, registers, variables = shape
    group.attrs.update({"count": count, **found})
    group.create_dataset("ids", (count,), np.int64)
    for variable in VARIABLES[:variables]:
        group.create_dataset(variable, (count, registers, 3), np.float64)
    checksum.begin(name, count, found)
    return group


def _put(group: "h5py.Group", checksum: Checksum, first: int, piece: tuple[np.ndarray, np.ndarray]) -> None:
    ids, values = piece
    rows = slice(first, first + len(ids))
    group["ids"][rows] = ids
    for number, variable in enumerate(VARIABLES[: values.shape[2]]):
        group[variable][rows] = values[:, :, number]
    checksum.add(ids, values)


def _pieces(
    group: Any, counts: list[int], comm: MPI.Intracomm, registers: int
) -> Iterator[tuple[int, tuple[np.ndarray, np.ndarray] | None]]:
    """Numbers of particles, and on rank 0 these particles, rank by rank. Collective."""
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
    """The name of a group, identities and [particle][register][variable][axis], in pieces. Collective.

    Raises ValueError if the file is missing, is damaged or has another checksum; earlier pieces are then
    not valid.
    """
    pieces = _of_file(path, checksum) if comm.rank == 0 else iter(())
    while (piece := on_root(comm, lambda: next(pieces, None))) is not None:
        yield piece


def read_found(path: Path, comm: MPI.Intracomm) -> dict[str, dict[str, float]]:
    """The options that followed from the flow, by the names of groups. Collective.

    It does not check the checksum. Raises ValueError if the file cannot be read.
    """

    def read() -> dict[str, dict[str, float]]:
        if not path.is_file():
            raise ValueError(f"its particles are not there: no file {path}")
        try:
            with open_hdf5(path) as file:
                return {name: _found(group) for name, group in file.items()}
        except (OSError, KeyError, RuntimeError, TypeError, ValueError) as error:
            raise ValueError(f"the file of its particles, {path}, is damaged ({error})") from None

    return on_root(comm, read)


def _found(group: "h5py.Group") -> dict[str, float]:
    return {name: float(value) for name, value in group.attrs.items() if name != "count"}


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
                found.begin(name, count, _found(group))
                for first in range(0, count, CHUNK):
                    rows = slice(first, min(first + CHUNK, count))
                    there = [group[variable][rows] for variable in VARIABLES if variable in group]
                    ids, values = group["ids"][rows], np.stack(there, axis=2)
                    found.add(ids, values)
                    yield name, ids, values
    except (OSError, KeyError, RuntimeError, TypeError, ValueError) as error:
        raise ValueError(f"the file of its particles, {path}, is damaged ({error})") from None
    if str(found) != told:
        raise ValueError(f"the file of its particles, {path}, is damaged: its checksum is wrong")
    if told != checksum:
        raise ValueError(f"{path} has the particles of another checkpoint")
