"""The modes of a field of a flow as arrays (mode_arrays.py), and set from them."""

import numpy as np
import xarray as xr

from whorl import _core
from whorl.case import Case, Grid
from whorl.errors import CaseError
from whorl.initial_checks import Target, check_mean
from whorl.measures import name_in_core, output_fields, state_fields
from whorl.mode_arrays import labelled
from whorl.ranks import MPI
from whorl.snapshots import LAST

# Of the energy, what modes that are no real field may have: rounding of sums and of a transform.
NO_FIELD = {"double": 1e-10, "single": 1e-4}


class Layout:
    """Where the modes of a rank lie: in the core, row after row, and in an array over kx, ky, kz."""

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


def read(flow: _core.Flow, case: Case, field: str) -> xr.DataArray:
    """This rank's modes of a field that can be read. Collective."""
    about, layout = output_fields(case)[field], Layout(flow, case.grid)
    array = layout.unpacked(_values(flow, name_in_core(case, field), about.components, layout))
    return labelled(array, layout.numbers, case.grid, about.unit)


def _values(flow: _core.Flow, name: str, components: int, layout: Layout) -> np.ndarray:
    dtype = np.complex64 if flow.options.precision == "single" else np.complex128
    values = np.empty((components, layout.count), dtype)
    flow.read_modes(name, values)
    return values


def write(target: Target, values: xr.DataArray | np.ndarray) -> None:
    """Sets a field of the state from this rank's modes, in the shape that `read` gives them. Collective.

    The divergent part of a solenoidal field and what no mode is kept for are removed. Raises CaseError on all
    ranks where a value is not finite, where the shape is another, and for modes of no real field.
    """
    if target.field not in (known := state_fields(target.case)):
        raise CaseError(f"{target.field} is not what the state is made of, but {', '.join(known)}.")
    layout, flow = Layout(target.flow, target.case.grid), target.flow
    array = _checked(target, layout, values)
    dtype = np.complex64 if flow.options.precision == "single" else np.complex128
    flow.write_modes(target.name, layout.packed(array).astype(dtype, copy=False))
    of_modes = _energy(target, layout)
    lost = abs(of_modes - target.energy())
    if lost > NO_FIELD[flow.options.precision] * of_modes:
        raise CaseError(
            f"the modes of {target.field} are those of no real field: {lost / of_modes:.3g} of their energy "
            "is in modes that are not the conjugates of their opposites (kx = 0), or not real, or imaginary, "
            "where the field is a cosine, or sine, between walls."
        )
    check_mean(target, *target.moments())


def _checked(target: Target, layout: Layout, values: xr.DataArray | np.ndarray) -> np.ndarray:
    """The values as (components, kx, ky, kz)."""
    expected = (target.components, *layout.shape)
    if isinstance(values, xr.DataArray):
        last = [LAST[target.components][0]] if target.components > 1 else []
        dimensions = (*last, "kx", "ky", "kz")
        values = values.transpose(*dimensions) if set(values.dims) == set(dimensions) else values
    array = np.asarray(values)
    array = array[None] if target.components == 1 and array.shape == expected[1:] else array
    wrong = None
    if array.shape != expected:
        wrong = f"have the shape {array.shape}, not {expected} as those of this rank"
    elif not np.isfinite(array).all():
        wrong = "are not all finite"
    for told in filter(None, target.comm.allgather(wrong)):
        raise CaseError(f"the modes of {target.field} {told}.")
    return array


def _energy(target: Target, layout: Layout) -> float:
    """Half the mean square of the field, by the sum over modes."""
    weight = np.ones(layout.shape)
    axes = zip(layout.numbers, reversed(target.case.grid.bases), strict=True)
    for axis, (numbers, basis) in enumerate(axes):
        if axis == 0 or basis == "S":
            weight *= np.where(numbers > 0, 2.0, 1.0).reshape([-1 if a == axis else 1 for a in range(3)])
    values = layout.unpacked(_values(target.flow, target.name, target.components, layout))
    sums = np.array([(weight * np.abs(values.astype(complex)) ** 2).sum() / 2])
    target.comm.Allreduce(MPI.IN_PLACE, sums, MPI.SUM)
    return float(sums[0])
