"""Densities over the values of a quantity, with that of a Gaussian one."""

import re
from collections.abc import Sequence

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from whorl.base.text import in_powers, in_words
from whorl.diagnostics.draw.base import (
    DASHES,
    HEIGHT,
    LAW,
    WIDTH,
    Look,
    curves,
    draw_band,
    draw_curve,
    error_of,
    legend,
    look,
    populated,
    quantity_of,
    say,
    scaled,
)
from whorl.pictures.style import COLORS

SHOWN = 4  # means in the text for missing densities
FLAT = 10  # largest over smallest density, below which a linear axis is enough
MOST_BANDS = 4  # of errors; more would cover each other
CLEAR = 0.5  # of a density: without bands, densities with larger errors are not drawn
MANY = 6  # curves; beyond it dashes distinguish components of vectors and gradients
GRADIENT, COMPONENT = re.compile(r"d([xyz])\(.*\.([xyz])\)"), re.compile(r"(.+)\.([xyz])")


def draw_pdf(figure: Figure, data: xr.Dataset) -> None:
    """Each density over its axis, on a logarithmic scale unless flat; in units of σ with a Gaussian one."""
    figure.set_size_inches(WIDTH, HEIGHT)
    draw_densities(figure.subplots(), data)


def draw_densities(ax: Axes, data: xr.Dataset, prefix: str = "") -> None:
    """The densities of the array whose name begins with a prefix, as `draw_pdf` draws them.

    Densities smaller than their error are not drawn. Among more than MOST_BANDS curves a density must be
    twice its error.
    """
    density, axis = data[f"{prefix}pdf"], f"{prefix}bin"
    drawn = list(curves(density))
    bands = len(drawn) <= MOST_BANDS
    known = [_known(one.values, error_of(data, one), 1.0 if bands else CLEAR) for _, one, _ in drawn]
    there = np.isfinite(known)
    positive = np.array(known)[there]
    floor = 0.3 * positive.min() if positive.size else 1e-6
    shown = populated(there.any(axis=0))  # type: ignore[arg-type]
    bins = data[axis].values[shown]
    if "σ" in scaled(data, axis):
        place = np.linspace(bins[0], bins[-1], 400)
        gaussian = np.exp(-(place**2) / 2) / np.sqrt(2 * np.pi)
        ax.plot(place, np.where(gaussian > floor, gaussian, np.nan), label="Gaussian", **LAW)
    told = ""
    for (name, one, _), values, style in zip(drawn, known, looks_of([one[0] for one in drawn]), strict=True):
        error = error_of(data, one)
        draw_curve(
            ax, bins, values[shown], style, name if (one.values > 0).any() else f"{name}   (no points)"
        )
        if bands:
            draw_band(ax, bins, values[shown], None if error is None else error[shown], style.color, floor)
        elif error is not None:
            told = f"errors below {100 * CLEAR:.0f} %"
    flat = positive.size and positive.max() < FLAT * positive.min()
    ax.set(yscale="linear" if flat else "log", xlabel=scaled(data, axis), ylabel="probability density")
    ax.set_ylim(bottom=0.0 if flat else floor)
    if not positive.size:
        say(ax, _reason(data, prefix))
    if len(bins) > 1:
        ax.set_xlim(bins[0], bins[-1])
    legend(ax, many=2, title=told)


def _known(values: np.ndarray, error: np.ndarray | None, most: float) -> np.ndarray:
    """The densities; NaN if zero or, with known errors, if the error is a larger fraction than `most`."""
    seen = values > 0
    if error is not None and np.isfinite(error).any():
        seen &= error <= most * values
    return np.where(seen, values, np.nan)


def looks_of(names: Sequence[str]) -> list[Look]:
    """The looks of curves; more than MANY components of gradients or vectors share colours.

    The components of a vector have one colour, and a dash each. The derivatives of a component have one
    colour, and the derivative along its own axis is solid.
    """
    gradients = [GRADIENT.fullmatch(name) for name in names]
    components = [COMPONENT.fullmatch(name) for name in names]
    if len(names) > MANY and all(gradients):
        parts = [(one[2], "xyz".index(one[1]) - "xyz".index(one[2])) for one in gradients if one]
    elif len(names) > MANY and all(components):
        parts = [(one[1], "xyz".index(one[2])) for one in components if one]
    else:
        return [look(n) for n in range(len(names))]
    of = list(dict.fromkeys(quantity for quantity, _ in parts))
    return [Look(COLORS[of.index(quantity) % len(COLORS)], DASHES[axis % 3]) for quantity, axis in parts]


def _reason(data: xr.Dataset, prefix: str) -> str:
    """The reason for missing densities: the numbers of points outside the bins, and means near zero."""
    outside = data[f"{prefix}outside"].sum(quantity_of(data[f"{prefix}outside"]))
    points = [f"{int(outside.sel(beyond=one))} {one}" for one in outside["beyond"].values]
    told = f"no points on the axis: {in_words(points)}"
    if "log" not in scaled(data, f"{prefix}bin"):
        return told
    means = ", ".join(in_powers(float(f"{mean:.2g}")) for mean in data[f"{prefix}mean"].values[:SHOWN])
    return f"{told}\nlog₁₀(f/⟨f⟩) needs a mean that is not near zero:\n⟨f⟩ = {means}"
