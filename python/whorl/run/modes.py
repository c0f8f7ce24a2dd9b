"""Reads the modes of a field of a flow as arrays (mode_arrays.py), and sets a field from them."""

from typing import TYPE_CHECKING

import numpy as np

from whorl import _core
from whorl.base.errors import CaseError
from whorl.base.parallel import agreed
from whorl.base.ranks import MPI
from whorl.config.case import Case, Grid
from whorl.config.measures import output_fields, state_fields
from whorl.config.wavenumbers import smallest_wavenumbers
from whorl.initial.checks import FieldTarget, check_mean
from whorl.output.mode_arrays import labelled

if TYPE_CHECKING:
    import xarray as xr

# The fraction of the energy that may be in modes of no real field: rounding of sums and of a transform.
NO_FIELD = {"double": 1e-10, "single": 1e-5}


class ModeLayout:
    """The positions of a rank's modes: in the core, row after row, and in an array over kx, ky, kz."""

    def __init__(self, flow: _core.Flow, grid: Grid):
        rows = flow.rows
        self.count = rows["modes"]
        nz, lengths = rows["nz"], np.array(rows["lengths"], int)
        kept = np.flatnonzero(lengths.reshape(-1, nz).any(axis=0))  # places along z
        row = np.repeat(np.arange(lengths.size), lengths)
        z = np.searchsorted(kept, row % nz)
        x = np.arange(self.count) - np.repeat(np.array(rows["offsets"], int), lengths)
        self.places = (x, row // nz, z)
        numbers_z = kept if grid.bases[0] == "S" else np.where(kept <= nz // 2, kept, kept - nz)
        self.numbers = (np.array(rows["kx"], int), np.array(rows["ky"], int), numbers_z)
        self.shape = tuple(numbers.size for numbers in self.numbers)

    def unpacked(self, values: np.ndarray) -> np.ndarray:
        """(components, modes) → (components, kx, ky, kz), zero where no mode is kept."""
        array = np.zeros((len(values), *self.shape), values.dtype)
        array[:, *self.places] = values
        return array

    def packed(self, array: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(array[:, *self.places])


def read(flow: _core.Flow, case: Case, field: str) -> "xr.DataArray":
    """This rank's modes of a readable field. Collective."""
    about, layout = output_fields(case)[field], ModeLayout(flow, case.grid)
    array = layout.unpacked(_values(flow, field, about.components, layout))
    return labelled(array, layout.numbers, case.grid, about.unit)


def _dtype(flow: _core.Flow) -> type:
    return np.complex64 if flow.options.precision == "single" else np.complex128


def _values(flow: _core.Flow, name: str, components: int, layout: ModeLayout) -> np.ndarray:
    values = np.empty((components, layout.count), _dtype(flow))
    flow.read_modes(name, values)
    return values


def write(target: FieldTarget, values: "xr.DataArray | np.ndarray") -> None:
    """Sets a field of the state from this rank's modes, in the shape that `read` returns. Collective.

    The divergent part of a solenoidal field and modes that are not kept are removed. Raises CaseError on all
    ranks if a value is not finite, if the shape or the wavenumbers differ, or for modes of no real field.
    """
    if target.field not in (known := state_fields(target.case)):
        raise CaseError(f"{target.field} is not a field of the state, which has {', '.join(known)}.")
    flow, layout = target.flow, ModeLayout(target.flow, target.case.grid)
    flow.write_modes(target.field, agreed(target.comm, lambda: checked(target, layout, values)))
    given = _energy(target, layout)
    flow.transform_pair(target.field)  # makes it a real field at the points
    flow.write_modes(target.field, _values(flow, target.field, target.components, layout))
    lost = abs(given - _energy(target, layout))
    if not np.isfinite(lost):
        raise CaseError(f"the modes of {target.field} are too large for {flow.options.precision} precision.")
    if not lost <= NO_FIELD[flow.options.precision] * given:
        raise CaseError(
            f"the modes of {target.field} are those of no real field: {lost / given:.3g} of their energy is "
            "lost. Modes of kx = 0 must be the conjugates of their opposites; between walls modes must be "
            "real where the field is a cosine, and imaginary where it is a sine."
        )
    check_mean(target, *target.moments())


def checked(target: FieldTarget, layout: ModeLayout, values: "xr.DataArray | np.ndarray") -> np.ndarray:
    """The modes of a field in the order of the core, from the order of `read`. Raises CaseError."""
    import xarray as xr

    expected = (target.components, *layout.shape)
    if isinstance(values, xr.DataArray):
        values = _in_place(target, layout, values)
    try:
        with np.errstate(over="ignore"):  # checked below
            array: np.ndarray = np.asarray(values).astype(_dtype(target.flow), copy=False)
    except (TypeError, ValueError) as error:
        raise CaseError(f"the modes of {target.field} are no array of complex numbers: {error}.") from None
    array = array[None] if target.components == 1 and array.shape == expected[1:] else array
    if array.shape != expected:
        raise CaseError(
            f"the modes of {target.field} have the shape {array.shape}, not {expected} as those of this rank."
        )
    if not np.isfinite(array).all():
        raise CaseError(f"the modes of {target.field} are not all finite in {target.case.run.precision}.")
    return layout.packed(array)


def _in_place(target: FieldTarget, layout: ModeLayout, values: "xr.DataArray") -> "xr.DataArray":
    """The values with dimensions, wavenumbers and components in the order of `read`. Raises CaseError."""
    grid = target.case.grid
    wanted = labelled(np.empty((target.components, *layout.shape), bool), layout.numbers, grid, "")
    if set(values.dims) != set(wanted.dims):
        raise CaseError(
            f"the modes of {target.field} are over {', '.join(map(str, values.dims))}, not over "
            f"{', '.join(map(str, wanted.dims))}."
        )
    for name, smallest in zip(("kx", "ky", "kz"), smallest_wavenumbers(grid), strict=True):
        if name in values.coords:
            numbers = np.rint(wanted[name].values / smallest)
            given = values[name].values / smallest
            order = np.argsort(given)[np.argsort(np.argsort(numbers))] if given.size == numbers.size else None
            if order is None or not np.allclose(given[order], numbers, rtol=0, atol=1e-6):
                raise CaseError(f"the modes of {target.field} have other {name} than those of this rank.")
            values = values.isel({name: order})
    if target.components > 1 and (label := wanted.dims[0]) in values.coords:
        if sorted(map(str, values[label].values)) != sorted(map(str, wanted[label].values)):
            raise CaseError(
                f"the modes of {target.field} have other labels of {label} than they were read with."
            )
        values = values.sel({label: wanted[label].values})
    return values.transpose(*wanted.dims)


def _energy(target: FieldTarget, layout: ModeLayout) -> float:
    """Half the mean square of the field, as a sum over modes."""
    weight = np.ones(layout.shape)
    axes = zip(layout.numbers, reversed(target.case.grid.bases), strict=True)
    for axis, (numbers, basis) in enumerate(axes):
        if axis == 0 or basis == "S":
            weight *= np.where(numbers > 0, 2.0, 1.0).reshape([-1 if a == axis else 1 for a in range(3)])
    values = layout.unpacked(_values(target.flow, target.field, target.components, layout))
    sums = np.array([(weight * np.abs(values.astype(complex)) ** 2).sum() / 2])
    target.comm.Allreduce(MPI.IN_PLACE, sums, MPI.SUM)
    return float(sums[0])
