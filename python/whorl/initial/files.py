"""Initial fields in files: a snapshot of whorl on any grid, or arrays (nz, ny, nx) in HDF5 or npz."""

import math
import tomllib
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import ValidationError

from whorl.base.errors import CaseError
from whorl.base.hdf5 import is_hdf5, open_hdf5, python_value
from whorl.base.numbers import check_real
from whorl.config.case import Grid
from whorl.config.dealiasing import LARGEST_KEPT, is_box
from whorl.initial.checks import Fill
from whorl.models.base import FieldOf
from whorl.output.checkpoint_data import FORMAT
from whorl.output.snapshot_format import FIELDS, scalars_in

Kind = Literal["periodic", "sine", "cosine"]
Block = Callable[[int, int, int, int], np.ndarray]  # z0, z1, y0, y1 → (z1 − z0, y1 − y0, nx)
AT_ONCE = 2**26  # bytes of the field to read at a time


def matrix(points: int, of: int, kind: Kind) -> np.ndarray:
    """The matrix, of shape (points, of), from values at `of` points of an axis to those at `points`.

    Along an axis a field is Σ c_n exp(2πi n x/l), or between walls Σ a_n cos(nπ x/l) or Σ b_n sin(nπ x/l).
    Modes that both grids have, |n| below half the fewer points (between walls: below the fewer points), are
    kept; the others are zero or left out.
    """
    synthesis, _ = _waves(points, min(points, of), kind)
    waves, weights = _waves(of, min(points, of), kind)
    return synthesis @ (weights[:, None] * waves.T)


def _waves(points: int, fewer: int, kind: Kind) -> tuple[np.ndarray, np.ndarray]:
    """Waves at the points, (points, waves), and the factors from sums over the points to coefficients."""
    j = np.arange(points)
    if kind == "periodic":
        n = np.arange(1, (fewer - 1) // 2 + 1)
        cycles = np.outer(j, n) % points / points
        waves = np.concatenate([np.ones((points, 1)), *(f(2 * np.pi * cycles) for f in (np.cos, np.sin))], 1)
    else:
        n = np.arange(1 if kind == "sine" else 0, fewer)
        cycles = np.outer(2 * j + 1, n) % (4 * points) / (4 * points)
        waves = (np.sin if kind == "sine" else np.cos)(2 * np.pi * cycles)
    weights = np.full(waves.shape[1], 2.0 / points)
    if kind != "sine":
        weights[0] = 1.0 / points
    return waves, weights


def regridded(
    read: Block, of: tuple[int, int, int], points: tuple[int, int, int], kinds: tuple[Kind, Kind, Kind]
) -> Block:
    """A reader of blocks of a grid of `points` from a reader of a grid `of`; all in the order x, y, z.

    The transforms from points to coefficients and back are matrices, so the values on one grid are those on
    the other times a matrix for each axis.

    It holds the requested planes, in double precision, with all y and x of the other grid, and reads that
    grid's planes a few at a time.
    """
    along_x, along_y, along_z = (matrix(*axis) for axis in zip(points, of, kinds, strict=True))
    nx, ny, nz = of
    planes = max(1, AT_ONCE // (8 * nx * ny))

    def block(z0: int, z1: int, y0: int, y1: int) -> np.ndarray:
        gathered = np.zeros((z1 - z0, ny * nx))
        for first in range(0, nz, planes):
            last = min(first + planes, nz)
            values = read(first, last, 0, ny).reshape(last - first, ny * nx)
            gathered += along_z[z0:z1, first:last] @ values
        result = np.empty((z1 - z0, y1 - y0, points[0]))
        for plane, out in zip(gathered.reshape(-1, ny, nx), result, strict=True):
            out[...] = along_y[y0:y1] @ plane @ along_x.T
        return result

    return block


SUFFIXES = {1: ("",), 2: ("_real", "_imaginary"), 3: ("_x", "_y", "_z")}
# Errors of a damaged npz file, and of dangling links in an HDF5 file.
UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError)
FROM_FILE = "give the case those of the file, or the field as arrays in an HDF5 or npz file"
SAME_LENGTH = 1e-6  # relative: lengths are typed by hand


def names_of(field: str, components: int) -> list[str]:
    """The names of arrays: u, v, w; magnetic_x …; psi_real, psi_imaginary; temperature."""
    return ["u", "v", "w"] if field == "velocity" else [field + end for end in SUFFIXES[components]]


def is_checkpoint(path: str) -> bool:
    """Whether a file is marked as a checkpoint of whorl; its reader reports any other fault."""
    try:
        with open_hdf5(Path(path)) as file:
            return _text_in(file, "format") == FORMAT
    except OSError:
        return False


def check_file(path: str, field: str, about: FieldOf, grid: Grid, place: str) -> str | None:
    """Raises CaseError, naming the option `place`, unless the file holds the field in the case's box.

    A snapshot may be on another grid; if that is finer, a sentence for the log is returned.
    """
    try:
        with _open(Path(path)) as file:
            names = _names_in(file, field, about.components)
            theirs = _grid_in(file) or grid
            last = len(names) < about.components
            shapes = {
                name: _grid_shape(_shape_of(file[name], name), last, _flat_axis(theirs)) for name in names
            }
    except (OSError, KeyError, ValueError, *UNREADABLE) as error:
        arrays = names_of(field, about.components)
        listed = " and ".join(filter(None, (", ".join(arrays[:-1]), arrays[-1])))
        raise CaseError(
            f"{place} = {path} cannot be used: {_reason(error)}. It must be a checkpoint or snapshot of "
            f"whorl with {field}, or an HDF5 (.h5) or NumPy (.npz) file with {listed}."
        ) from None
    nx, ny, nz = theirs.points
    for name, shape in shapes.items():
        if shape != (nz, ny, nx):
            raise CaseError(
                f"{place} = {path} holds {name} of shape {shape}; grid.points asks for (nz, ny, nx) = "
                f"{(nz, ny, nx)}."
            )
    check_box(theirs, grid, f"{place} = {path} is a snapshot")
    return left_out(theirs, grid, f"{place} is a snapshot")


def left_out(before: Grid, here: Grid, which: str) -> str | None:
    """A sentence if a grid lacks modes of the one before; None if it has all of them."""
    if _holds(here, before):
        return None
    then, now = (f"{' x '.join(map(str, grid.points))} points" for grid in (before, here))
    same_rule = (before.dealias, before.shape) == (here.dealias, here.shape)
    rules = "" if same_rule else f" ({before.dealias}, {before.shape}; here {here.dealias}, {here.shape})"
    return (
        f"{which} of {then}, and this run has {now}{rules}: modes that it does not keep are left out, and "
        "their energy with them."
    )


def _holds(here: Grid, before: Grid) -> bool:
    """Whether `here` keeps every mode of `before`: boxes and ellipsoids of wavenumbers."""
    bounds = zip(_bounds(before), _bounds(here), before.points, strict=True)
    ratios = [theirs / ours if n > 1 else 0.0 for theirs, ours, n in bounds]
    here_is_box, before_is_box = (is_box(grid.dealias, grid.shape) for grid in (here, before))
    if here_is_box or not before_is_box:
        return max(ratios) <= 1
    return sum(ratio**2 for ratio in ratios) <= 1  # the corner of a box in an ellipsoid


def _bounds(grid: Grid) -> list[float]:
    """The bounds of the kept wavenumbers along each axis, in units of its smallest."""
    return [LARGEST_KEPT[grid.dealias] * n / 2 for n in grid.points]


def check_box(box: Grid, grid: Grid, which: str, remedy: str = FROM_FILE) -> None:
    """Raises CaseError, with `remedy`, if a file's box is not the case's; a flat axis may have any length."""
    pairs = zip(box.lengths, grid.lengths, box.points, grid.points, strict=True)
    same = all(math.isclose(*pair, rel_tol=SAME_LENGTH) for *pair, n, m in pairs if n > 1 and m > 1)
    lost = [axis for axis, n, m in zip("xyz", box.points, grid.points, strict=True) if n > 1 and m == 1]
    if lost:
        raise CaseError(
            f"{which} of {' x '.join(map(str, box.points))} points, and the case has one point along "
            f"{lost[0]}: a plane is no coarser grid of the same flow; give grid.points more along {lost[0]}."
        )
    for option, wrong in (("bases", box.bases != grid.bases), ("lengths", not same)):
        if wrong:
            raise CaseError(
                f"{which} with grid.{option} = {_shown(getattr(box, option))} and the case has "
                f"grid.{option} = {_shown(getattr(grid, option))}; {remedy}."
            )


def _shown(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else f"[{', '.join(f'{part:g}' for part in value)}]"


@contextmanager
def open_field(path: str, field: str, about: FieldOf, grid: Grid) -> Iterator[list[Block]]:
    """A reader for each component, at the points of `grid`, while the file is open."""
    with _open(Path(path)) as file:
        names = _names_in(file, field, about.components)
        theirs = _grid_in(file) or grid
        flat = _flat_axis(theirs)
        if len(names) < about.components:
            readers = [_reader(file[names[0]], (..., part), flat) for part in range(about.components)]
        else:
            readers = [_reader(file[name], (), flat) for name in names]
        if theirs.points != grid.points:
            kinds = _kinds(about, grid.bases)
            readers = [
                regridded(read, theirs.points, grid.points, kind)  # type: ignore[arg-type]
                for read, kind in zip(readers, kinds, strict=True)
            ]
        yield readers


def filled_by(readers: Sequence[Block]) -> Fill:
    """A fill that takes each component from its reader."""

    def fill(z0: int, z1: int, y0: int, y1: int, out: np.ndarray) -> None:
        for component, read in zip(out, readers, strict=True):
            component[...] = read(z0, z1, y0, y1)

    return fill


def _kinds(about: FieldOf, bases: str) -> list[tuple[Kind, ...]]:
    """The kind of each component along x, y and z."""
    sines = about.sines or ("",) * about.components
    return [
        tuple(
            "periodic" if basis == "F" else "sine" if axis in of_component else "cosine"
            for axis, basis in zip("xyz", reversed(bases), strict=True)
        )
        for of_component in sines
    ]


def _grid_in(file: Any) -> Grid | None:
    """The grid of a snapshot of whorl."""
    if not (case := _case_in(file)):
        return None
    try:
        return Grid(**case["grid"])
    except (KeyError, TypeError, ValidationError):
        raise ValueError("it is a snapshot of a case without a grid that can be used") from None


def _shape_of(data: Any, name: str) -> tuple[int, ...]:
    """The shape of an array of real numbers. Raises ValueError, with a message for the user, for others."""
    if not hasattr(data, "shape"):
        raise ValueError(f"{name} in it is no array")
    if data.shape is None:
        raise ValueError(f"{name} in it has no values")
    check_real(data, f"{name} in it")
    return data.shape


def _names_in(file: Any, field: str, components: int) -> list[str]:
    """The arrays of the file that hold the field: one in a snapshot, else one for each component.

    Raises KeyError, with a message for the user.
    """
    if FIELDS in file:
        version = {"version": python_value(file.attrs.get("version"))}
        of_file = scalars_in(version | {"case": _text_in(file, "case")})
        scalars = {own: numbered for numbered, own in of_file.items()}
        name = f"{FIELDS}/{scalars.get(field, field)}"
        if name in file and (field in scalars or field not in scalars.values()):
            return [name]
        group = file[FIELDS] if hasattr(file[FIELDS], "keys") else ()
        known = [own for own, numbered in scalars.items() if f"{FIELDS}/{numbered}" in file]
        known += [other for other in group if other not in scalars.values()]
        raise KeyError(f"it is a snapshot without {field}, of {', '.join(known)}")
    names = names_of(field, components)
    if missing := [name for name in names if name not in file]:
        raise KeyError(f"it has no {', '.join(missing)}")
    return names


def _case_in(file: Any) -> dict[str, Any]:
    """The case in a snapshot of whorl; empty in other files."""
    return tomllib.loads(_text_in(file, "case"))


def _text_in(file: Any, name: str) -> str:
    """A text among the attributes of a file; empty without an attribute of this name that is a text."""
    try:
        value = python_value(getattr(file, "attrs", {}).get(name, ""))
    except UnicodeDecodeError:
        return ""
    return value if isinstance(value, str) else ""


def _reader(data: Any, last: tuple, flat: int) -> Block:
    """A reader of the array `data` (nz, ny, nx), which may lack the flat axis; `last` selects a component."""
    dimensions = data.ndim - (1 if last else 0)

    def read(z0: int, z1: int, y0: int, y1: int) -> np.ndarray:
        block = [slice(z0, z1), slice(y0, y1)]
        if dimensions < 3:
            del block[flat]
        return data[(*block, *last)].reshape(z1 - z0, y1 - y0, data.shape[dimensions - 1])

    return read


def _open(path: Path) -> Any:
    """Opens a file. Raises the system's OSError if it cannot be read, ValueError if its format is wrong."""
    with path.open("rb"):  # h5py would say at length that this failed
        npz = path.suffix == ".npz"
    if not (zipfile.is_zipfile(path) if npz else is_hdf5(path)):
        raise ValueError(f"it is no {'npz' if npz else 'HDF5'} file")
    return np.load(path) if npz else open_hdf5(path)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        text = error.strerror
    else:
        text = str(error.args[0] if isinstance(error, KeyError) else error)
    return " ".join(text.split()).rstrip(".")


def _flat_axis(grid: Grid) -> int:
    """The index, among z, y, x, of the axis that flat arrays may lack: y if it has one point, else z."""
    return 1 if grid.points[1] == 1 else 0


def _grid_shape(shape: tuple[int, ...], with_components: bool, flat: int) -> tuple[int, ...]:
    """(nz, ny, nx) of an array; vectors in snapshots end with the components, flat ones have no flat axis."""
    points = shape[:-1] if with_components else shape
    return (*points[:flat], 1, *points[flat:]) if len(points) == 2 else points
