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

from whorl.base.files import whole_file
from whorl.base.hdf5 import open_hdf5
from whorl.config.columns import Column
from whorl.diagnostics.options.base import Array, ArrayLayout, Axis
from whorl.output.groups import damage_named, read_group, write_variables
from whorl.output.growing_table import Rows
from whorl.output.sample import StateSample, shells_of
from whorl.output.series import check_written, gaps_of, with_gaps
from whorl.output.table import ColumnTable, Kept

if TYPE_CHECKING:
    import xarray as xr

ABOUT = "whorl spectra; length and time are the case's own units"


class Shells(Rows):
    """Sums over shells: a row has "k", in the middle of the shells, and each column."""

    def __init__(self, columns: Sequence[Column], k: Sequence[float] = ()):
        arrays = tuple(
            Array(one.name, ("k",), one.meaning, itemgetter(one.name), one.unit) for one in columns
        )
        super().__init__(None, ArrayLayout((_axis(k),), arrays))

    def add(self, step: int, time: float, raw: Mapping[str, np.ndarray]) -> None:
        if not self.rows:
            self.lay(ArrayLayout((_axis(raw["k"]),), self.layout.arrays))
        super().add(step, time, {name: np.array(values) for name, values in raw.items()})

    @property
    def attributes(self) -> dict[str, str]:
        return {}


def _axis(k: Sequence[float]) -> Axis:
    return Axis("k", np.array(k, float), "wavenumber in the middle of the shell", "1/length")


class Spectra(ColumnTable):
    """A table of sums over shells, at the times of its states."""

    suffix = ".h5"

    def no_rows(self) -> Shells:
        return Shells(self.columns)

    def resume(self, data: "xr.Dataset | None", gaps: Iterable[str] = ()) -> None:
        """Resume after `data`, and cut the file to it; `gaps` says which states are missing."""
        self.rows, self.gaps = self.no_rows(), list(gaps)
        if data is not None:
            k = data["k"].values
            self.rows = Shells(self.columns, k)
            for number, (step, time) in enumerate(zip(data["step"].values, data["time"].values, strict=True)):
                sums = {one.name: data[one.name].values[number] for one in self.columns}
                self.rows.add(int(step), float(time), {"k": k, **sums})
        self.put()

    def measure(self, sample: StateSample) -> dict[str, np.ndarray]:
        return shells_of(self.columns, sample)

    def add(self, sample: StateSample, measured: dict[str, np.ndarray]) -> None:
        self.rows.add(sample.clock.step, sample.clock.time, measured)

    def read(self, step: int) -> Kept:
        data = read_spectra(self.path)
        self.check_columns(data)
        kept = data.isel(time=data["step"].values <= step)
        return Kept(kept, kept.sizes["time"], gaps_of(kept))

    def append(self, time: float, step: int, k: np.ndarray, shells: dict[str, np.ndarray]) -> None:
        """Add a state, and write it; `shells` has each column on the shells `k`."""
        self.rows.add(step, time, {"k": k, **shells})
        self.put()

    def dataset(self) -> "xr.Dataset":
        """All states over (time, k)."""
        return self.rows.dataset().reset_coords("step").assign_attrs(with_gaps(self.gaps))

    def put(self) -> None:
        if self.path:
            with whole_file(self.path) as beside, open_hdf5(beside, "w") as file:
                file.attrs.update({"about": ABOUT, **with_gaps(self.gaps)})
                write_variables(file, self.rows.states().variables, grows=False)


def read_spectra(path: Path) -> "xr.Dataset":
    """The spectra as a dataset over (time, k). Raises CaseError, naming the file, if it is not one."""
    check_written(path, "spectra")
    with damage_named(path), open_hdf5(path) as file:
        data = read_group(file).reset_coords("step")
    data.attrs.pop("about", None)
    return data
