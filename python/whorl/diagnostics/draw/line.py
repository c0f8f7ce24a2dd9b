"""Lines: the quantities over the position."""

import xarray as xr
from matplotlib.figure import Figure

from whorl.diagnostics.draw.base import HEIGHT, WIDTH, coordinates_of, draw_curves, label_of, legend
from whorl.pictures.slices import told_position


def draw_line(figure: Figure, data: xr.Dataset) -> None:
    """A curve for each quantity; the title has the position of the line."""
    figure.set_size_inches(WIDTH, HEIGHT)
    ax = figure.subplots()
    (along,) = coordinates_of(data["line"])
    draw_curves(ax, data[along].values, data, data["line"])
    where = zip(data["across"].values, data["position"].values, strict=True)
    ax.set_title(",   ".join(f"{axis} = {told_position(float(place))}" for axis, place in where), fontsize=10)
    ax.set(xlabel=label_of(data[along]), ylabel="value")
    legend(ax)
