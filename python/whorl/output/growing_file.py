"""A file of groups over time that grows at a cost in proportion to its states, and that no kill damages.

A small file is replaced by a copy with the new state. A state of a large one gets a file of its own,
FILE-STEP.h5. When these have together a quarter of the size of the file, a copy that contains them replaces
it. Each state is thus copied a few times, whatever their number. A state that a kill has left both in the
file and in one of its own counts once.
"""

import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whorl.base.errors import CaseError
from whorl.base.files import numbered, whole_file
from whorl.base.hdf5 import members, open_hdf5
from whorl.config.outputs import GROWING
from whorl.output.groups import States, append_states, damage_named, read_group, read_states, write_group

if TYPE_CHECKING:
    import h5py
    import xarray as xr

Groups = Mapping[str, States]  # by name
Write = Callable[["h5py.File", str, States], None]
SMALL = 1 << 22  # bytes of a file that is copied for each state
SHARE = 4  # the files of single states have less than the size of the file divided by this


class GrowingFile:
    """Groups of datasets over time, in a file; the last states may be in files of their own.

    `write` makes a group of the file, as `write_group` does.
    """

    def __init__(self, path: Path, write: Write = write_group):
        self.path, self._write = path, write

    def is_there(self) -> bool:
        """Whether a state has been added."""
        return self.path.is_file()

    def read(self, *, without_arrays: bool = False) -> "dict[str, xr.Dataset]":
        """All groups, or only their coordinates. Raises CaseError."""
        groups = read_groups(self.path, without_arrays=without_arrays)
        for beside in self._beside():
            for name, data in read_groups(beside, without_arrays=without_arrays).items():
                groups[name] = joined(groups[name], data) if name in groups else data
        return groups

    def names(self) -> dict[str, set[str]]:
        """The names of all arrays of each group, coordinates among them."""
        with open_hdf5(self.path) as file:
            found = {name: set(group) for name, group in file.items()}
        for beside in self._beside():
            with open_hdf5(beside) as file:
                for name, group in file.items():
                    found.setdefault(name, set()).update(group)
        return found

    def add(self, step: int, groups: Groups) -> None:
        """Add a state of some groups; it is on disk when this returns."""
        if not self.path.is_file() or (self.path.stat().st_size <= SMALL and not self._beside()):
            self._change([groups])
            return
        own = self.path.with_name(f"{self.path.stem}-{step:08d}.h5")
        with whole_file(own) as beside, open_hdf5(beside, "w") as file:
            for name, states in groups.items():
                write_group(file, name, states, grows=False)
        if SHARE * sum(path.stat().st_size for path in self._beside()) >= self.path.stat().st_size:
            self.merge()

    def merge(self, change: Callable[["h5py.File"], None] | None = None) -> None:
        """Merge all states into the file, and apply `change` to it."""
        there = self._beside()
        if there or change:
            self._change(map(_groups_of, there), change)
        for beside in there:
            beside.unlink()

    def remove(self) -> None:
        """Remove the file, and the files of single states."""
        for path in (self.path, *self._beside()):
            path.unlink(missing_ok=True)

    def _beside(self) -> list[Path]:
        """The files of single states, in the order of their steps."""
        return numbered(self.path.parent, ".h5", f"{self.path.stem}-")

    def _change(self, parts: Iterable[Groups], change: Callable[["h5py.File"], None] | None = None) -> None:
        """Replace the file by a copy with the states of `parts` that it lacks, changed by `change`."""
        with whole_file(self.path) as beside:
            if self.path.is_file():
                shutil.copyfile(self.path, beside)
            with open_hdf5(beside, "a") as file:
                for name, states in (one for groups in parts for one in groups.items()):
                    if name in file:
                        append_states(file[name], states)
                    else:
                        self._write(file, name, states)
                if change:
                    change(file)


def _groups_of(path: Path) -> Groups:
    """The groups of a file of a single state. Raises CaseError if it is damaged."""
    with damage_named(path), open_hdf5(path) as file:
        return {name: read_states(group) for name, group in members(file)}


def read_groups(path: Path, *, without_arrays: bool = False) -> "dict[str, xr.Dataset]":
    """The groups of one file, each as a dataset over time, or only its coordinates.

    Raises CaseError if it is damaged or missing.
    """
    if not path.is_file():
        section = path.stem if path.stem in GROWING else "diagnostics"
        raise CaseError(
            f"there is no {path}: the case has no [[{section}]], or none has been {GROWING[section]} yet."
        )
    with damage_named(path), open_hdf5(path) as file:
        return {name: read_group(group, without_arrays) for name, group in members(file)}


def joined(there: "xr.Dataset", more: "xr.Dataset") -> "xr.Dataset":
    """The states of both, without those of the second that the first has."""
    import xarray as xr

    new = more.isel(time=more["step"].values > there["step"].values.max(initial=-1))
    if not new.sizes["time"]:
        return there
    options: dict[str, Any] = {"data_vars": "minimal", "coords": "minimal", "compat": "override"}
    return xr.concat([there, new], "time", join="override", combine_attrs="override", **options)
