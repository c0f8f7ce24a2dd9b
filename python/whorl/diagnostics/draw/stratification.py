"""Profiles of stratified flow, with the numbers of mixing."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from whorl.diagnostics.draw.base import LAW, doubt, legend, told
from whorl.diagnostics.draw.upright import ProfileGraph, draw_upright

GRAPHS = (
    ProfileGraph(
        "means  [length/time]",
        {"velocity.x": "⟨u⟩", "velocity.y": "⟨v⟩", "velocity.z": "⟨w⟩", "anomaly": "⟨θ⟩"},
    ),
    ProfileGraph("N², S²  [1/time²]", {"squared_frequency": "N²", "squared_shear": "S²"}),
    ProfileGraph("Richardson number", {"richardson": "N²/S²"}),
    ProfileGraph(
        "variances  [length²/time²]",
        {
            "velocity_variance.x": "u",
            "velocity_variance.y": "v",
            "velocity_variance.z": "w",
            "anomaly_variance": "θ",
        },
    ),
    ProfileGraph(
        "momentum flux  [length²/time²]",
        {"momentum_flux.x": "⟨uw⟩ − ⟨u⟩⟨w⟩", "momentum_flux.y": "⟨vw⟩ − ⟨v⟩⟨w⟩"},
    ),
    ProfileGraph(
        "fluxes of buoyancy  [length²/time³]", {"buoyancy_flux": "N⟨wθ⟩", "diffusive_flux": "−κN d⟨θ⟩/dz"}
    ),
    ProfileGraph(
        "dissipation  [length²/time³]",
        {"dissipation": "$2\\nu\\langle s_{ij} s_{ij}\\rangle$", "potential_dissipation": "κ⟨|∇θ|²⟩"},
    ),
)
RICHARDSON = (-0.5, 2.0)  # least range of the graph; without shear the number is large
NUMBERS = {
    "mixing_efficiency": "mixing efficiency",
    "flux_richardson": "flux Richardson number",
    "buoyancy_reynolds": "ε/(νN²)",
}


def draw_stratification(figure: Figure, data: xr.Dataset) -> None:
    """Profiles with z up the page, and numbers of the volume."""
    axes = draw_upright(figure, data, GRAPHS, columns=4)
    ax = axes[2]
    ax.axvline(0.25, label="1/4", **LAW)
    ax.set_xlim(*_shown(data["richardson"].values))
    legend(ax)
    numbers = [f"{label}\n{told(data, name)}" for name, label in NUMBERS.items()]
    last = axes[len(GRAPHS)]
    last.set_axis_off()
    text = "\n\n".join([*numbers, *doubt(numbers)])
    last.text(0.0, 1.0, text, transform=last.transAxes, va="top", color="0.35")


def _shown(richardson: np.ndarray) -> tuple[float, float]:
    """The range of Richardson numbers to show, so that the smallest are seen."""
    seen = richardson[np.isfinite(richardson)]
    if not seen.size:
        return RICHARDSON
    lower, upper = RICHARDSON
    return max(min(lower, seen.min()), -upper), max(upper, 4 * seen.min())
