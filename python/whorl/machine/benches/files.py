"""`whorl bench files`: bandwidth of checkpoints and snapshots, and of plain files of as many bytes.

Checkpoints are flushed to disk and read back, which the seconds include. Plain files are those of each rank,
written whole, flushed, and read after the system has been asked to drop its copy: the bandwidth of the disk.
"""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from whorl import _core
from whorl.base.errors import CaseError
from whorl.base.parallel import on_root
from whorl.base.ranks import MPI
from whorl.base.text import counted, spelled
from whorl.config.case import Case
from whorl.initial.fields import set_initial
from whorl.machine.benches.common import layout_of, provenance, show_headline, slowest
from whorl.output.checkpoint_files import files_of
from whorl.output.snapshot_writer import write_snapshot
from whorl.run.core_options import what
from whorl.run.tune import checked_options

PIECE = 2**22  # bytes of a write of a plain file


class Kind(NamedTuple):
    """A kind of file, with the options of [output] that write it."""

    name: str
    settings: tuple[str, ...]


def kinds(case: Case, ranks: int) -> list[Kind]:
    """The kinds that differ for this precision and number of ranks."""
    found = [Kind("checkpoint", ()), Kind("a file a node", ("output.checkpoint_files=node",))]
    if ranks > 1:
        found.append(Kind("a file a rank", (f"output.checkpoint_files={ranks}",)))
    if case.run.precision == "double":
        found.append(Kind("single precision", ("output.checkpoint_precision=single",)))
    return found


def measure_files(case: Case, folder: Path, times: int, comm: MPI.Intracomm) -> dict[str, Any]:
    """Times every kind of file below `folder`, the best of some trials. Collective. Raises CaseError."""
    options, _ = checked_options(case, comm)
    flow = _core.Flow(options, comm.py2f())
    set_initial(flow, case, None, comm)
    place = Path(on_root(comm, lambda: _made(folder)))
    try:
        files = [
            _measured(one.name, *_of_checkpoint(flow, case.updated(list(one.settings)), place), times, comm)
            for one in kinds(case, comm.size)
        ]
        files.append(_measured("snapshot", *_of_snapshot(flow, case, place), times, comm))
        return {
            "files": files,
            "summary": f"{what(case)}, {counted(comm.size, 'rank')}",
            "case": case.to_dict(),
            **layout_of(flow),
            **provenance(comm),
        }
    finally:
        comm.Barrier()
        if comm.rank == 0:
            _remove(place)
        flow.close()


def _made(folder: Path) -> str:
    try:
        return tempfile.mkdtemp(prefix="whorl-bench-", dir=folder)
    except OSError as error:
        raise CaseError(
            f"--folder = {spelled(str(folder))} cannot be used ({error.strerror}): name a folder that "
            "can be written."
        ) from None


def _of_checkpoint(flow: _core.Flow, case: Case, place: Path) -> tuple[Path, Callable[[], None], Any]:
    path, single = place / "checkpoint.h5", case.output.checkpoint_precision == "single"

    def write() -> None:
        flow.write_checkpoint(path, {}, files=files_of(case), single=single)

    return path, write, lambda: flow.read_checkpoint(path)


def _of_snapshot(flow: _core.Flow, case: Case, place: Path) -> tuple[Path, Callable[[], None], Any]:
    path, first = place / "snapshot.vtkhdf", case.flow.first_field()
    return path, lambda: write_snapshot(flow, path, [first], {}, single=True), None


def _measured(
    name: str,
    path: Path,
    write: Callable[[], None],
    read: Callable[[], None] | None,
    times: int,
    comm: MPI.Intracomm,
) -> dict[str, Any]:
    """The figures of a kind of file; all ranks begin each trial together, and the slowest counts."""
    written = min(slowest(comm, write) for _ in range(times))
    size = on_root(comm, lambda: _size(path.parent))
    seconds = {"write": written}
    if read is not None:
        seconds["read"] = min(slowest(comm, read) for _ in range(times))
    on_root(comm, lambda: _clear(path.parent))
    plain = path.parent / f"plain-{comm.rank}"
    share = size // comm.size
    seconds["plain_write"] = min(slowest(comm, lambda: _write_plain(plain, share)) for _ in range(times))
    seconds["plain_read"] = min(slowest(comm, lambda: _read_plain(plain)) for _ in range(times))
    plain.unlink()
    comm.Barrier()
    return {"kind": name, "bytes": size, "seconds": seconds}


def _write_plain(path: Path, size: int) -> None:
    data = np.random.default_rng(1).bytes(PIECE)
    with path.open("wb", buffering=0) as file:
        for begin in range(0, size, PIECE):
            file.write(data[: min(PIECE, size - begin)])
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _read_plain(path: Path) -> None:
    with path.open("rb", buffering=0) as file:
        while file.read(PIECE):
            pass
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _size(place: Path) -> int:
    return sum(path.stat().st_size for path in place.rglob("*") if path.is_file())


def _clear(place: Path) -> None:
    """Remove all files and folders in the folder of this bench."""
    for path in sorted(place.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()


def _remove(place: Path) -> None:
    _clear(place)
    place.rmdir()


def show_files(figures: dict[str, Any], console: Console) -> None:
    """Print the figures as a table."""
    show_headline(figures, console)
    titles = ("file", "MiB", "write s", "GB/s", "of disk", "read s", "GB/s", "of disk")
    table = Table(*titles, box=None, header_style="bold", pad_edge=False)
    table.columns[0].no_wrap = True
    for column in table.columns[1:]:
        column.justify = "right"
    for one in figures["files"]:
        row = [one["kind"], f"{one['bytes'] / 2**20:.3g}"]
        for direction in ("write", "read"):
            seconds = one["seconds"].get(direction)
            if seconds is not None:
                share = one["seconds"][f"plain_{direction}"] / seconds
                row += [f"{seconds:.3g}", f"{one['bytes'] / seconds / 1e9:.3g}", f"{share:.2f}"]
        table.add_row(*row)
    console.print(table)
    console.print(
        "Writing includes flushing and, for checkpoints, reading back. Of disk: seconds of plain files of as "
        "many bytes, one a rank, over those of the file.",
        style="dim",
    )
