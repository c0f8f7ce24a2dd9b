"""spectra.h5: sums over shells of the model's spectra (energy, helicity, …, transfer) at the times written.

The file has a dataset (time, k) for each, and `time`, `step` and `k`, with units and dimension scales. The
spectra are sums over a shell, not densities: `energy` summed over k is the mean kinetic energy. The file is
small, so each addition writes all of it and renames it: a kill never damages it.
"""

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from whorl.base.errors import CaseError
from whorl.base.files import whole_file
from whorl.base.hdf5 import open_hdf5
from whorl.config.clock import Every
from whorl.config.columns import Column
from whorl.config.outputs import option_of
from whorl.diagnostics.options.base import Array, Axis, Layout
from whorl.output.groups import damage_named, read_group, write_group
from whorl.output.growing_table import Rows
from whorl.output.moment import Moment, shells_of
from whorl.output.series import gaps_of, with_gaps
from whorl.output.table import Kept, Table, check_columns

if TYPE_CHECKING:
    import xarray as xr

ABOUT = "whorl spectra; length and time are the case's own units"


class Shells(Rows):
    """Sums over shells: a row has "k", in the middle of the shells, and each column."""

    def __init__(self, columns: Sequence[Column], k: Sequence[float] = ()):
        arrays = tuple(
            Array(one.name, ("k",), one.meaning, itemgetter(one.name), one.unit) for one in columns
        )
        super().__init__(None, Layout((_axis(k),), arrays))

    def add(self, step: int, time: float, raw: Mapping[str, np.ndarray]) -> None:
        if not self.steps:
            self.layout = Layout((_axis(raw["k"]),), self.layout.arrays)
        super().add(step, time, {name: np.array(values) for name, values in raw.items()})

    def arrays(self, raw: Sequence[Mapping[str, np.ndarray]], times: np.ndarray) -> list[np.ndarray]:
        shape = (len(raw), len(self.layout.axes[0].values))
        return [np.array([one.of(row) for row in raw]).reshape(shape) for one in self.layout.arrays]

    def attributes(self) -> dict[str, str]:
        return {}


def _axis(k: Sequence[float]) -> Axis:
    return Axis("k", np.array(k, float), "wavenumber in the middle of the shell", "1/length")


class Spectra(Table):
    """A table of sums over shells, at the times of its states."""

    suffix = ".h5"

    def __init__(
        self, columns: tuple[Column, ...], path: Path | None = None, every: Mapping[str, Every] | None = None
    ):
        super().__init__(every or {}, path)
        self.columns = columns
        self._rows = Shells(columns)
        self._gaps: dict[str, str] = {}

    def resume(self, data: "xr.Dataset | None", gaps: Iterable[str] = ()) -> None:
        """Resume after `data`, and cut the file to it; `gaps` says which states are missing."""
        self._rows, self._gaps = Shells(self.columns), with_gaps(gaps)
        if data is not None:
            k = data["k"].values
            self._rows = Shells(self.columns, k)
            for number, (step, time) in enumerate(zip(data["step"].values, data["time"].values, strict=True)):
                sums = {one.name: data[one.name].values[number] for one in self.columns}
                self._rows.add(int(step), float(time), {"k": k, **sums})
        self._write()

    def measure(self, moment: Moment, names: Sequence[str]) -> dict[str, np.ndarray]:
        return shells_of(self.columns, moment)

    def record(self, moment: Moment, measured: dict[str, np.ndarray]) -> None:
        self.append(moment.clock.time, moment.clock.step, measured["k"], measured)

    @property
    def states(self) -> int:
        return len(self._rows)

    def read(self, step: int) -> Kept:
        data = read_spectra(self.path)
        check_columns(self.path, self.columns, data)
        kept = data.isel(time=data["step"].values <= step)
        return Kept(kept, kept.sizes["time"], gaps_of(kept))

    def append(self, time: float, step: int, k: np.ndarray, shells: dict[str, np.ndarray]) -> None:
        """Add a state; `shells` has each column on the shells `k`."""
        self._rows.add(step, time, {"k": k, **shells})
        self._write()

    def dataset(self) -> "xr.Dataset":
        """All states over (time, k)."""
        return self._rows.dataset().reset_coords("step").assign_attrs(self._gaps)

    def _write(self) -> None:
        if self.path:
            with whole_file(self.path) as beside, open_hdf5(beside, "w") as file:
                write_group(file, "/", self.dataset().assign_attrs(about=ABOUT), grows=False)


def read_spectra(path: Path) -> "xr.Dataset":
    """The spectra as a dataset over (time, k). Raises CaseError, naming the file, if it is not one."""
    if not path.is_file():
        raise CaseError(f"there is no {path}: {option_of(path)} says when spectra are written.")
    with damage_named(path), open_hdf5(path) as file:
        data = read_group(file).reset_coords("step")
    data.attrs.pop("about", None)
    return data
