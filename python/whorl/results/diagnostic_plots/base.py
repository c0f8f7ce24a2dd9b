"""What drawings of diagnostics share: colours, bands of errors, names of axes."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from whorl.config.columns import UNITS_OF_CASE

COLORS = ("#2b6cb0", "#c2410c", "#4d7c0f", "#7c3aed", "#b7791f", "#0f766e", "#be185d", "#475569")
BAND = 0.3  # opacity of an error
LAW = {
    "color": "0.45",
    "linewidth": 1.2,
    "linestyle": (0, (5, 2)),
    "zorder": 1,
}  # what curves are compared with
WIDTH, HEIGHT = 6.4, 4.2  # of a figure with one graph, in inches


def options_of(data: xr.Dataset) -> dict[str, Any]:
    """The options that the diagnostic was measured with."""
    return json.loads(data.attrs.get("options", "{}"))


def curves(array: xr.DataArray) -> Iterator[tuple[str, xr.DataArray, str]]:
    """The name, values and colour for each quantity of an array; one without a name if there is none."""
    if "quantity" not in array.dims:
        yield "", array, COLORS[0]
        return
    for n, name in enumerate(array["quantity"].values):
        yield short(str(name)), array.isel(quantity=n), COLORS[n % len(COLORS)]


def short(text: str, most: int = 32) -> str:
    """An expression, shortened to what a legend has room for."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def error_of(data: xr.Dataset, array: xr.DataArray) -> np.ndarray | None:
    """The standard errors of an array, or of a part of it; None if there are none."""
    errors = data.get(f"{array.name}_error")
    if errors is None:
        return None
    if "quantity" in errors.dims and "quantity" not in array.dims:
        errors = errors.sel(quantity=array["quantity"])
    return errors.transpose(*array.dims).values


def draw_band(
    ax: Axes,
    place: np.ndarray,
    values: np.ndarray,
    error: np.ndarray | None,
    color: str,
    floor: float = -np.inf,
) -> None:
    """A band of one standard error on either side, from `floor` up."""
    if error is None:
        return
    seen = np.isfinite(values) & np.isfinite(error)
    low, high = (np.where(seen, np.maximum(values + sign * error, floor), np.nan) for sign in (-1, 1))
    ax.fill_between(place, low, high, color=color, alpha=BAND, linewidth=0)


def label_of(variable: xr.DataArray, name: str = "") -> str:
    """The name of an axis with its unit, where it has one that says something."""
    unit = variable.attrs.get("units", "1")
    return f"{name or variable.name}" + ("" if unit == "1" or UNITS_OF_CASE in unit else f"  [{unit}]")


def scaled(data: xr.Dataset, axis: str) -> str:
    """What an axis of bins shows, such as "(f − ⟨f⟩)/σ"."""
    return label_of(
        data[axis], str(data[axis].attrs.get("long_name", axis)).partition(",")[0].replace("σ_f", "σ")
    )


def places(data: xr.Dataset, axis: str) -> tuple[np.ndarray, list[str] | None]:
    """Where the values of an axis are drawn, and what is written there if they are texts."""
    values = data[axis].values
    if values.dtype.kind in "fiu":
        return values, None
    return np.arange(len(values)), [short(str(text)) for text in values]


def legend(ax: Axes, many: int = 4) -> None:
    """A legend without a frame, if there is anything to tell apart."""
    _, labels = ax.get_legend_handles_labels()
    if any(labels):
        ax.legend(frameon=False, fontsize=8.5, ncols=1 if len(labels) <= many else 2)


def populated(present: np.ndarray, margin: int = 2) -> slice:
    """The part of an axis where something is present, with a few places on either side."""
    places = np.flatnonzero(present)
    if not places.size:
        return slice(0, len(present))
    return slice(max(0, int(places[0]) - margin), min(len(present), int(places[-1]) + margin + 1))
