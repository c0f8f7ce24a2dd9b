"""Densities over the values of a quantity, beside that of a Gaussian one."""

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

SHOWN = 4  # means where there are no densities
FLAT = 10  # times the smallest density is the largest one where no logarithm is needed
MOST_BANDS = 4  # of errors, beyond which they would cover each other
CLEAR = 0.5  # of a density: the largest error that is drawn where there are no bands
MANY = 6  # curves, beyond which parts of vectors and gradients are told apart by dashes
GRADIENT, COMPONENT = re.compile(r"d([xyz])\(.*\.([xyz])\)"), re.compile(r"(.+)\.([xyz])")


def draw_pdf(figure: Figure, data: xr.Dataset) -> None:
    """Each density over its axis, logarithmic upwards unless flat; in units of σ with a Gaussian one."""
    figure.set_size_inches(WIDTH, HEIGHT)
    draw_densities(figure.subplots(), data)


def draw_densities(ax: Axes, data: xr.Dataset, prefix: str = "") -> None:
    """The densities of the array that begins with a prefix, as `draw_pdf` does.

    What is smaller than its error is not drawn, of many curves what is not twice as large.
    """
    density, axis = data[f"{prefix}pdf"], f"{prefix}bin"
    drawn = list(curves(density))
    bands = len(drawn) <= MOST_BANDS
    known = [_known(one.values, error_of(data, one), 1.0 if bands else CLEAR) for _, one, _ in drawn]
    there = np.isfinite(known)
    positive = np.array(known)[there]
    floor = 0.3 * positive.min() if positive.size else 1e-6
    shown = populated(there.any(axis=0))
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
    """The densities that are not zero, and where errors are known those with one of at most this share."""
    seen = values > 0
    if error is not None and np.isfinite(error).any():
        seen &= error <= most * values
    return np.where(seen, values, np.nan)


def looks_of(names: Sequence[str]) -> list[Look]:
    """The looks of curves: of many parts of gradients or vectors a colour a quantity, a dash an axis."""
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
    """Why there are no densities: where the points are that lie in no bin, and means that are near zero."""
    outside = data[f"{prefix}outside"].sum(quantity_of(data[f"{prefix}outside"]))
    points = [f"{int(outside.sel(beyond=one))} {one}" for one in outside["beyond"].values]
    told = f"no points on the axis: {in_words(points)}"
    if "log" not in scaled(data, f"{prefix}bin"):
        return told
    means = ", ".join(in_powers(float(f"{mean:.2g}")) for mean in data[f"{prefix}mean"].values[:SHOWN])
    return f"{told}\nlog₁₀(f/⟨f⟩) needs a mean that is not near zero:\n⟨f⟩ = {means}"
