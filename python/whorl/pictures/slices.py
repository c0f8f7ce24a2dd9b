"""A plane of a snapshot: the choice of plane and field, and the drawing."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import Normalize

from whorl.base.errors import CaseError
from whorl.config.case import Grid
from whorl.config.explain import did_you_mean
from whorl.expressions.faults import ExpressionError, fault, in_one_line
from whorl.expressions.parse import Parser, Vocabulary
from whorl.models.base import PictureSlice
from whorl.pictures.style import with_unit

PLANES = 16


@dataclass(frozen=True)
class Wanted:
    """The requested slice; `choose` sets the values that are None.

    `field` is a name, "velocity" for its magnitude or "velocity.x" for a component; `plane` is "z" or
    "z=pi/2"; `time` selects the nearest snapshot.
    """

    field: str | None = None
    plane: str | None = None
    time: float | None = None


@dataclass(frozen=True)
class PlaneValues:
    """The two-dimensional values of a plane, the slice that they show, and their unit.

    In a box of one axis the values are those of a line. The position of the plane along `normal` is a
    coordinate of the values.
    """

    values: xr.DataArray
    of: PictureSlice
    grid: Grid
    normal: str
    time: float
    unit: str = ""

    @property
    def axes(self) -> tuple[str, ...]:
        """The axes across the page and up the page; of a line one."""
        return tuple(axis for axis in "xyz" if axis in self.values.dims)

    @property
    def lengths(self) -> tuple[float, ...]:
        """The lengths of the box along these axes."""
        return tuple(self.grid.lengths["xyz".index(axis)] for axis in self.axes)

    @property
    def aspect(self) -> float:
        """Width over height; 1 of a line."""
        return self.lengths[0] / self.lengths[-1]


Tell = Callable[[str], None]


def silent(line: str) -> None:
    """Ignore a sentence."""


def choose(
    snapshots: xr.Dataset, slices: Iterable[PictureSlice], grid: Grid, wanted: Wanted, tell: Tell = silent
) -> PlaneValues | None:
    """The plane to draw; by default of the first available of `slices`, else of the first available field.

    It is from the last snapshot by default; `tell` is called if its time differs from the one wanted. The
    result is None without snapshots if nothing is requested, and if the snapshot has no field. Raises
    CaseError if the requested slice does not exist.
    """
    if not snapshots.sizes["time"]:
        if wanted == Wanted():
            return None
        raise CaseError(
            "the run has no snapshot to draw a slice of: output.snapshot_every says when they are written."
        )
    snapshot = snapshots.isel(
        time=-1 if wanted.time is None else nearest(snapshots, wanted.time, "snapshot", tell)
    )
    if not snapshot.data_vars:
        return None
    chosen = _slice(snapshot, list(slices), wanted.field)
    field = snapshot[chosen.field]
    if chosen.part:
        field = field.sel({field.dims[-1]: chosen.part})
    normal, position = _place(wanted.plane, field, grid, chosen)
    values = plane_of(field, replace(chosen, normal=normal), grid, position)
    unit = str(field.attrs.get("units", ""))
    unit = squared(unit) if chosen.shows == "density" else unit
    return PlaneValues(values, chosen, grid, normal, float(snapshot["time"]), unit)


def squared(unit: str) -> str:
    """The unit of the square of a quantity whose unit this is, such as √density."""
    return unit.removeprefix("√") if unit.startswith("√") else f"({unit})²" if unit else ""


def nearest(states: xr.Dataset, wanted: float, what: str, tell: Tell) -> int:
    """The number of the state nearest to a time; `tell` is called if it is over 1 % of their range away.

    Raises CaseError for a time that is not finite.
    """
    if not np.isfinite(wanted):
        raise CaseError(f"the time {wanted} is no time; give that of a {what}, and the nearest one is drawn.")
    times = states["time"].values
    index = int(np.argmin(np.abs(times - wanted)))
    if abs(times[index] - wanted) > (times[-1] - times[0]) / 100:
        tell(f"there is no {what} of t = {wanted:g}; the nearest, of t = {times[index]:.4g}, is drawn")
    return index


def _slice(snapshot: xr.Dataset, slices: list[PictureSlice], wanted: str | None) -> PictureSlice:
    """The model's slice of the field, or else a plain one."""
    if wanted is None:
        there = (one.field for one in slices if one.field in snapshot)
        wanted = next(there, str(next(iter(snapshot.data_vars))))
    name, _, part = wanted.partition(".")
    if name not in snapshot:
        known = [str(field) for field in snapshot.data_vars]
        raise CaseError(
            f'the snapshots hold no field "{name}"{did_you_mean(name, known) or "."} They have '
            f"{', '.join(known)} (output.fields)."
        )
    last = [dimension for dimension in snapshot[name].dims if dimension not in ("x", "y", "z")]
    parts = [str(label) for label in snapshot[last[0]].values] if last else []
    if wanted != name and part not in parts:
        there_are = f"those of {name} are {', '.join(parts)}" if parts else f"{name} has none"
        raise CaseError(f'the field has no component "{part}": {there_are}.')
    if part:
        return PictureSlice(name, part, "value", part=part)
    own = next((one for one in slices if one.field == name), None)
    if own:
        return own
    return PictureSlice(name, "", ("magnitude" if last == ["component"] else "density") if last else "value")


def _place(
    wanted: str | None, field: xr.DataArray, grid: Grid, chosen: PictureSlice
) -> tuple[str, float | None]:
    """The normal axis and the position on it, None for the liveliest of a few planes."""
    if wanted is None:
        return normal_axis(chosen.normal, field), None
    axis, equals, text = wanted.replace(" ", "").partition("=")
    if axis not in ("x", "y", "z"):
        raise CaseError(f'the plane "{wanted}" must be x, y or z, or one at a place, such as z=pi/2.')
    if (normal := normal_axis(axis, field)) != axis:
        raise CaseError(f"the flow is plane: its only plane is normal to {normal}, not to {axis}.")
    if not equals:
        return axis, None
    try:
        position = _constant(text)
    except ExpressionError as error:
        raise error.at(f'the plane "{wanted}" is nowhere') from None
    length = grid.lengths["xyz".index(axis)]
    if not 0 <= position <= length:
        raise CaseError(f"the plane {axis} = {position:.6g} is outside the box, 0 to {length:.6g}.")
    return axis, position


def _constant(text: str) -> float:
    """The number that a text such as pi/2 stands for. Raises ExpressionError."""
    value = Parser(Vocabulary(refused=dict.fromkeys("xyzt", "the place of a plane is one number"))).parse(
        text
    )
    if value.rank or value.complex or value.scalar.kind != "constant":
        raise fault("the place of a plane is one number", in_one_line(text))
    return value.scalar.value


def plane_of(
    field: xr.DataArray, chosen: PictureSlice, grid: Grid, position: float | None = None
) -> xr.DataArray:
    """The plane nearest to a position, or the liveliest, closed along its periodic axes.

    It includes the background of the slice.
    """
    normal = normal_axis(chosen.normal, field)
    if position is None:
        plane = liveliest_plane(field, normal, chosen.shows)
    else:
        field = _with_axis(field, normal)
        number = "xyz".index(normal)
        period = grid.lengths[number] if grid.bases[2 - number] == "F" else np.inf
        off = np.abs(field[normal].values - position)
        plane = _shown(field.isel({normal: int(np.argmin(np.minimum(off, period - off)))}), chosen.shows)
    for axis, basis in zip("xyz", reversed(grid.bases), strict=True):
        if axis in plane.dims and basis == "F":
            plane = closed(plane, axis, grid.lengths["xyz".index(axis)])
    if chosen.background:
        plane = plane + chosen.background[0] + chosen.background[1] * plane["z"]
    return plane


def closed(plane: xr.DataArray, axis: str, length: float) -> xr.DataArray:
    """The plane with the first points of a periodic axis repeated at its end."""
    end = plane.isel({axis: [0]}).assign_coords({axis: [length]})
    return xr.concat([plane, end], axis)


def normal_axis(wanted: str, field: xr.DataArray) -> str:
    """The normal axis: in a flat flow the axis of a single point, else the one wanted."""
    flat = [axis for axis in "xyz" if axis not in field.dims or field.sizes[axis] == 1]
    return flat[0] if flat else wanted


def liveliest_plane(field: xr.DataArray, normal: str = "z", shows: str = "magnitude") -> xr.DataArray:
    """|field|, the field or |field|² on the liveliest of a few planes spread over the box.

    It is the plane of the largest mean square, or for a density the plane in which it varies most.
    """
    field = _with_axis(field, normal)
    depth = field.sizes[normal]
    indices = sorted(set(np.linspace(0, depth, min(depth, PLANES), endpoint=False).astype(int)))
    planes = [_shown(field.isel({normal: int(index)}), shows) for index in indices]
    return max(planes, key=lambda plane: float(plane.var() if shows == "density" else (plane**2).mean()))


def _with_axis(field: xr.DataArray, normal: str) -> xr.DataArray:
    """The field with the axis, which the field of a flat flow may lack."""
    if normal in field.dims:
        return field
    return field.expand_dims({normal: [float(field.coords.get(normal, 0.0))]})


def _shown(plane: xr.DataArray, shows: str) -> xr.DataArray:
    plane = plane.astype(float)
    if shows == "value":
        return plane
    last = [dimension for dimension in plane.dims if dimension not in ("x", "y", "z")]
    squares = (plane**2).sum(last)
    return squares if shows == "density" else np.sqrt(squares)


# Drawing


def draw_slice(ax: Axes, plane: PlaneValues, time: str) -> None:
    """Draw a plane with its scale of colours, or a line; `time` is text for the title."""
    if len(plane.axes) == 1:
        _draw_line(ax, plane, time)
        return
    ax.grid(False)
    (across, up), values = plane.axes, plane.values
    image = ax.imshow(
        values.transpose(up, across).values,
        origin="lower",
        extent=(*edges(values[across]), *edges(values[up])),
        interpolation="bicubic",
        **colours(plane),
    )
    (width, height), normal = plane.lengths, plane.normal
    labels = {"xlabel": with_unit(across, "length"), "ylabel": with_unit(up, "length")}
    ax.set(aspect="equal", xlim=(0, width), ylim=(0, height), **labels)
    flat = plane.grid.points["xyz".index(normal)] == 1
    place = "" if flat else f"   at {normal} = {told_position(float(values[normal]))}"
    ax.set_title(f"{plane.of.title}{place}, t = {time}")
    _ticks_of_pi(ax.xaxis, width)
    _ticks_of_pi(ax.yaxis, height)
    for spine in ax.spines.values():
        spine.set_visible(False)
    ends = "both" if image.norm.vmin != 0 else "max"
    place = ax.inset_axes([1.025, 0, 0.028 / max(1.0, plane.aspect), 1])
    bar = ax.figure.colorbar(image, cax=place, extend=ends, label=with_unit(plane.of.symbol, plane.unit))
    bar.outline.set_visible(False)


def _draw_line(ax: Axes, plane: PlaneValues, time: str) -> None:
    (across,), (width,) = plane.axes, plane.lengths
    ax.plot(plane.values[across], plane.values)
    ax.set(xlim=(0, width), xlabel=with_unit(across, "length"), ylabel=with_unit(plane.of.field, plane.unit))
    ax.set_title(f"{plane.of.title}, t = {time}")
    _ticks_of_pi(ax.xaxis, width)


def colours(plane: PlaneValues) -> dict[str, Any]:
    """The map of colours and its scale: about a white middle for signed values, from zero up for sizes.

    The scale leaves out the 0.3 per cent of the values that are farthest from the middle.
    """
    values, background = plane.values, plane.of.background
    middle = 0.0 if background is None else background[0] + background[1] * plane.grid.lengths[2] / 2
    signed = background is not None or plane.of.part is not None
    return scale_of(values.values, middle, signed or (None if plane.of.shows == "value" else False))


def scale_of(values: np.ndarray, middle: float = 0.0, signed: bool | None = None) -> dict[str, Any]:
    """The result of `colours`; if `signed` is None, values clearly below zero make the scale signed."""
    values = values[np.isfinite(values)]
    limit = (float(np.percentile(abs(values - middle), 99.7)) if values.size else 0.0) or 1.0
    if signed is None:
        signed = bool((values < -0.02 * limit).any())
    lowest, palette = (middle - limit, "RdBu_r") if signed else (0.0, "inferno")
    return {"cmap": palette, "norm": Normalize(lowest, middle + limit)}


def edges(points: xr.DataArray) -> tuple[float, float]:
    """The start of the first pixel and the end of the last, if their centres are the points."""
    half = float(points[1] - points[0]) / 2
    return float(points[0]) - half, float(points[-1]) + half


def told_position(place: float) -> str:
    """A position as text, with π if it is a simple fraction of π, as in boxes of 2π."""
    part = Fraction(place / np.pi).limit_denominator(12)
    if part == 0 or not np.isclose(part * np.pi, place, rtol=1e-6):
        return f"{place:.3g}"
    times = "" if part.numerator == 1 else f"{part.numerator}"
    return f"{times}π" + (f"/{part.denominator}" if part.denominator > 1 else "")


def _ticks_of_pi(axis: Axis, length: float) -> None:
    if np.isclose(length, 2 * np.pi):
        axis.set_ticks(np.pi * np.arange(5) / 2, ["0", "π/2", "π", "3π/2", "2π"])
