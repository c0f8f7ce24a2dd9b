"""The modes in a checkpoint as a dataset, read with h5py; docs/checkpoints.md describes the file.

A whole field is in memory: its third component is computed from the two that are stored, and the kept modes
are placed in an array that has all modes.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from whorl.base.errors import CaseError
from whorl.base.hdf5 import open_hdf5, python_value
from whorl.config.case import Case
from whorl.config.measures import state_fields
from whorl.config.scalars import own_names
from whorl.config.truncation import kept_modes
from whorl.config.wavenumbers import smallest_wavenumbers
from whorl.output.checkpoint import read_clock
from whorl.output.checkpoint_data import FORMAT, SET_VERSION, VERSION, CheckpointData, open_data
from whorl.output.checksums import of_attributes, of_modes
from whorl.output.mode_arrays import labelled

if TYPE_CHECKING:
    import h5py

ATTRIBUTES = ("time", "step", "dt", "case", "whorl")


def open_modes(path: Path) -> xr.Dataset:
    """The fields of the state over component, kx, ky and kz; the clock and the case are attributes.

    Raises CaseError if whorl did not write the file, or if it is damaged, by the checksum of all its modes.
    """
    try:
        checkpoint = read_clock(path)
        case = Case.of_run(checkpoint.case)
        order = Order(case)
        with open_hdf5(path) as file:
            attributes = {name: python_value(value) for name, value in file.attrs.items()}
            _check_attributes(attributes)
            with open_data(path, file, order.of_columns) as data:
                stored = {name: Stored.read(file, data, name, order) for name in checkpoint.fields}
        found = of_modes(field.data for field in stored.values())
        if found != attributes["checksum"]:
            raise ValueError(f"its data are damaged: their checksum is {found}, not {attributes['checksum']}")
    except KeyError as error:
        raise CaseError(f"the checkpoint {path} cannot be read: {error.args[0]}.") from None
    except (OSError, ValueError) as error:
        raise CaseError(f"the checkpoint {path} cannot be read: {error}.") from None
    about = {name: attributes[name] for name in ATTRIBUTES}
    parts: dict[str, list[np.ndarray]] = {}
    for name, values in stored.items():
        parts.setdefault(re.sub(r"_\d$", "", name), []).extend(values.components(order, case))
    own, known = own_names(checkpoint.case), state_fields(case)
    fields = {own.get(name, name): np.stack([order.placed(a) for a in of]) for name, of in parts.items()}
    return xr.Dataset(
        {name: labelled(array, order.numbers, case.grid, known[name].unit) for name, array in fields.items()},
        attrs=about,
    )


def _check_attributes(attributes: dict[str, Any]) -> None:
    """Raises ValueError for attributes that are foreign, of another version, incomplete or changed."""
    if attributes.get("format") != FORMAT or attributes.get("version") not in (VERSION, SET_VERSION):
        raise ValueError(f"it is no checkpoint of format {VERSION} or {SET_VERSION}")
    if "complete" not in attributes:
        raise ValueError("it is incomplete: its writer was stopped before the end")
    if (found := of_attributes(attributes)) != attributes["attributes"]:
        raise ValueError(f"its attributes are damaged, or were changed: their checksum is {found}")


class Order:
    """The order of modes in a file, and their positions in an array over kx, ky, kz."""

    def __init__(self, case: Case):
        counts = kept_modes(case).T  # [kx][ky], ky rising
        wall_z, wall_y, _ = (basis == "S" for basis in case.grid.bases)
        first_y = 0 if wall_y else -(counts.shape[1] // 2)
        kept_y = np.flatnonzero(counts.any(axis=0)) + first_y
        n_x, n_y = np.flatnonzero(counts.any(axis=1)), _in_order(kept_y.max(), wall_y)
        counts = counts[n_x][:, n_y - first_y].ravel()
        column, m = np.repeat(np.arange(counts.size), counts), _from_zero(counts)
        largest = counts.max() - 1 if wall_z else (counts.max() - 1) // 2
        count = counts[column]
        z = m if wall_z else np.where(2 * m < count, m, m - count)
        n_z = _in_order(largest, wall_z)
        self.numbers = (n_x, n_y, n_z)
        self.places = (column // n_y.size, column % n_y.size, z % n_z.size)
        self.modes = column.size
        self._counts, self._begins = counts, np.cumsum(counts) - counts  # by column

    def of_columns(self, n_x: np.ndarray, n_y: np.ndarray) -> np.ndarray:
        """The places in the file of the modes of all these kx and ky; some may have none."""
        row, place = ({int(n): i for i, n in enumerate(numbers)} for numbers in self.numbers[:2])
        known = [(int(x), int(y)) for x in n_x for y in n_y if x in row and y in place]
        columns = np.array([row[x] * len(place) + place[y] for x, y in known], int)
        counts = self._counts[columns]
        return np.repeat(self._begins[columns], counts) + _from_zero(counts)

    def placed(self, values: np.ndarray) -> np.ndarray:
        array = np.zeros([numbers.size for numbers in self.numbers], values.dtype)
        array[self.places] = values
        return array

    def k(self, case: Case) -> np.ndarray:
        """Wavenumbers (3, modes)."""
        axes = zip(self.numbers, self.places, smallest_wavenumbers(case.grid), strict=True)
        return np.stack([numbers[place] * unit for numbers, place, unit in axes])


def _in_order(largest: int, wall: bool) -> np.ndarray:
    """0, …, largest, followed by −largest, …, −1 without walls."""
    return np.r_[: largest + 1] if wall else np.r_[: largest + 1, -largest:0]


def _from_zero(counts: np.ndarray) -> np.ndarray:
    """0, …, count − 1 for each count, one after another."""
    return np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)


@dataclass(frozen=True)
class Stored:
    """The data of a field in a file: (components, modes), and the mean along z of a solenoidal field."""

    data: np.ndarray
    mean_z: complex | None

    @classmethod
    def read(cls, file: "h5py.File", opened: CheckpointData, name: str, order: Order) -> "Stored":
        mean = file.attrs.get(f"{name}_mean_z")
        names = [name] if mean is None else [f"{name}_first", f"{name}_second"]
        values = [opened.read(dataset, order.modes) for dataset in names]
        data = np.stack([part[:, 0] + 1j * part[:, 1] for part in values])
        return cls(data, None if mean is None else complex(*mean))

    def components(self, order: Order, case: Case) -> list[np.ndarray]:
        """All three components of a solenoidal field; the one not stored is along the largest |k|."""
        if self.mean_z is None:
            return list(self.data)
        k = order.k(case)
        x, y, z = np.square(k.astype(self.data.real.dtype))
        left_out = np.where((z >= x) & (z >= y), 2, np.where(y >= x, 1, 0))
        mode = np.arange(order.modes)
        a = np.zeros(k.shape, self.data.dtype)
        a[np.where(left_out == 0, 1, 0), mode] = self.data[0]
        a[np.where(left_out == 2, 1, 2), mode] = self.data[1]
        along = np.where(k.any(axis=0), k[left_out, mode], 1.0)
        a[left_out, mode] = -(k * a).sum(axis=0) / along
        a[2, 0] = self.mean_z
        return list(a)
