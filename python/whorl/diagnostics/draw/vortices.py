"""The census of vortices: how many have a larger circulation, and how large they are."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from whorl.diagnostics.draw.base import HEIGHT, WIDTH, label_of, legend, look, plain_ticks, say

SIGNS = ((1, "Γ > 0"), (-1, "Γ < 0"))


def draw_vortices(figure: Figure, data: xr.Dataset) -> None:
    """The number of vortices above a circulation, and their radii, both signs apart."""
    figure.set_size_inches(1.5 * WIDTH, HEIGHT)
    left, right = figure.subplots(1, 2)
    circulation, area = data["circulation"].values, data["area"].values
    there = np.isfinite(circulation)
    if not there.any():
        for ax in (left, right):
            say(ax, "no vortices")
        return
    for n, (sign, name) in enumerate(SIGNS):
        own = there & (sign * circulation > 0)
        sizes = np.sort(np.abs(circulation[own]))[::-1]
        style = {"color": look(n).color, "label": f"{name}: {own.sum()}"}
        left.step(sizes, np.arange(1, len(sizes) + 1), where="post", linewidth=1.6, **style)
        right.plot(np.abs(circulation[own]), np.sqrt(area[own] / np.pi), ".", **style)
    unit = label_of(data["circulation"], "|Γ|")
    left.set(xscale="log", yscale="log", xlabel=unit, ylabel="number with a larger |Γ|")
    right.set(xscale="log", yscale="log", xlabel=unit, ylabel="(area/π)$^{½}$  [length]")
    right.set_title(f"{100 * float(data['enstrophy_share']):.0f} % of ⟨ω²⟩ in vortices", fontsize=10)
    for ax in (left, right):
        legend(ax)
        for axis in (ax.xaxis, ax.yaxis):
            plain_ticks(axis)
