"""Ready sets: densities of their quantities, the joint density, and numbers of the whole box."""

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from whorl.diagnostics.draw.base import HEIGHT, WIDTH, doubt, label_of, short, told
from whorl.diagnostics.draw.joint_pdf import draw_joint_density
from whorl.diagnostics.draw.pdf import draw_densities

OF_NUMBERS = 0.3  # of the width of a graph
OF_LINE = 0.085  # of the height, for a number with its name


def draw_ready_set(figure: Figure, data: xr.Dataset) -> None:
    """A graph for each group of densities and for the joint density; several numbers in a column."""
    prefixes = [str(name)[: -len("pdf")] for name in data.data_vars if str(name) in ("pdf", "angle_pdf")]
    joint, numbers = "joint_pdf" in data, _numbers(data)
    graphs, column = len(prefixes) + joint, len(numbers) > 1
    widths = [1.0] * graphs + [OF_NUMBERS] * column
    figure.set_size_inches(WIDTH * max(sum(widths), 1.0), HEIGHT)
    axes = figure.subplots(1, len(widths), width_ratios=widths, squeeze=False)[0]
    for ax, prefix in zip(axes, sorted(prefixes), strict=False):
        draw_densities(ax, data, prefix)
    if joint:
        draw_joint_density(
            axes[len(prefixes)], data, "joint_pdf", [str(one) for one in data["quantity"].values[:2]]
        )
    if column:
        _column(axes[-1], data, numbers)
    elif numbers:
        (name,) = numbers
        axes[-1].set_title(f"{label_of(data[name], short(name))} = {told(data, name)}", fontsize=10)


def _numbers(data: xr.Dataset) -> list[str]:
    """The names of numbers of the whole box, except counts, errors and samples."""
    ends = ("outside", "_error", "_samples")
    return [
        str(name) for name, one in data.data_vars.items() if not one.dims and not str(name).endswith(ends)
    ]


def _column(ax: Axes, data: xr.Dataset, names: list[str]) -> None:
    ax.set_axis_off()
    numbers = [told(data, name) for name in names]
    for n, (name, number) in enumerate(zip(names, numbers, strict=True)):
        y = 1.0 - OF_LINE * n
        ax.text(
            0.0,
            y,
            label_of(data[name], name.replace("_", " ")),
            transform=ax.transAxes,
            fontsize=8,
            color="0.35",
            va="top",
        )
        ax.text(0.0, y - 0.035, number, transform=ax.transAxes, fontsize=9.5, va="top")
    for line in doubt(numbers):
        ax.text(
            0.0,
            1.0 - OF_LINE * len(names),
            line,
            transform=ax.transAxes,
            fontsize=7,
            color="0.35",
            va="top",
        )
