"""Profiles along z, several graphs of one figure that share the height."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from whorl.diagnostics.draw.base import Look, draw_upright_curve, error_of, few_ticks, label_of, legend, look

WIDTH, HEIGHT = 3.4, 3.1  # of a graph, in inches
DEEPEST = 1e-12  # of the largest value of a graph: smaller ones are rounding


@dataclass(frozen=True)
class ProfileGraph:
    """Arrays over z by name, with their labels in the legend; a name may have a component, "velocity.x"."""

    label: str
    arrays: dict[str, str]


def draw_upright(
    figure: Figure, data: xr.Dataset, graphs: Sequence[ProfileGraph], columns: int = 3
) -> list[Axes]:
    """Draw graphs of profiles with their errors in rows, z up the page; return the axes of all rows.

    Arrays that are zero to rounding next to others, such as a velocity across a plane flow, are left out.
    """
    rows = -(-len(graphs) // columns)
    figure.set_size_inches(WIDTH * columns, HEIGHT * rows)
    axes = list(figure.subplots(rows, columns, sharey=True, squeeze=False).flat)
    for ax, graph in zip(axes, graphs, strict=False):
        largest = max(np.nan_to_num(np.abs(profile_of(data, name)[0])).max() for name in graph.arrays)
        for n, (name, label) in enumerate(graph.arrays.items()):
            _draw_one(ax, data, name, label, look(n), DEEPEST * largest)
        ax.set_xlabel(graph.label)
        few_ticks(ax)
        legend(ax)
    for ax in axes[::columns]:
        ax.set_ylabel(label_of(data["z"]))
    return axes


def _draw_one(ax: Axes, data: xr.Dataset, name: str, label: str, style: Look, floor: float) -> None:
    array, error = profile_of(data, name)
    if floor and not (np.abs(array.values) > floor).any():
        return
    draw_upright_curve(ax, array.values, data["z"].values, error, style, label)


def profile_of(data: xr.Dataset, name: str) -> tuple[xr.DataArray, np.ndarray | None]:
    """An array over z, or its component, and its errors."""
    whole, _, component = name.partition(".")
    array, errors = data[whole], error_of(data, data[whole])
    if not component:
        return array, errors
    n = [str(one) for one in data["component"].values].index(component)
    return array.isel(component=n), None if errors is None else errors[n]
