"""Profiles of convection, with the Nusselt numbers of the exact relations."""

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from whorl.diagnostics.draw.base import LAW, error_of, legend
from whorl.diagnostics.draw.upright import ProfileGraph, draw_upright
from whorl.pictures.style import COLORS

GRAPHS = (
    ProfileGraph("temperature", {"temperature": "⟨T⟩"}),
    ProfileGraph("variance of the temperature", {"temperature_variance": "$\\sigma_T^2$"}),
    ProfileGraph("heat flux  [length/time]", {"convective_flux": "⟨wθ⟩", "conductive_flux": "−κ d⟨T⟩/dz"}),
    ProfileGraph("Nusselt number", {"nusselt": "Nu(z)"}),
    ProfileGraph(
        "variances of the velocity  [length²/time²]",
        {"horizontal_variance": "⟨u² + v²⟩", "vertical_variance": "⟨w²⟩"},
    ),
    ProfileGraph("dissipation  [length²/time³]", {"dissipation": "$2\\nu\\langle s_{ij} s_{ij}\\rangle$"}),
    ProfileGraph("thermal dissipation  [1/time]", {"thermal_dissipation": "κ⟨|∇T|²⟩"}),
    ProfileGraph(
        "variance budget  [1/time]",
        {"variance_production": "P", "variance_dissipation": "D"},
    ),
)
PLATES = {"lower plate": 0.0, "upper plate": 1.0}
MARKS = "os^vD"


def draw_convection(figure: Figure, data: xr.Dataset) -> None:
    """Profiles with z up the page; boundary layers in that of T, exact relations in that of Nu."""
    axes = draw_upright(figure, data, GRAPHS, columns=4)
    _draw_layers(axes[0], data)
    _draw_relations(axes[3], data)


def _draw_layers(ax: Axes, data: xr.Dataset) -> None:
    """The edges of the boundary layers; in means they are those of the mean slopes, not means of edges."""
    names = [str(one) for one in data["relation"].values]
    for name, plate in PLATES.items():
        if name in names:
            thickness = 0.5 / abs(float(data["nusselt_of"][names.index(name)]))
            label = "" if plate else "½/|d⟨T⟩/dz|\nat the plate"
            ax.axhline(abs(plate - thickness), label=label, **LAW)
    legend(ax, loc="center left")


def _draw_relations(ax: Axes, data: xr.Dataset) -> None:
    """Nu of each relation, at the plate or else in the middle, one above the other."""
    errors, values = error_of(data, data["nusselt_of"]), data["nusselt_of"].values
    others = [name for name in data["relation"].values if name not in PLATES]
    places = PLATES | {name: 0.5 + 0.1 * (n - (len(others) - 1) / 2) for n, name in enumerate(others)}
    for n, name in enumerate(str(one) for one in data["relation"].values):
        error = None if errors is None else errors[n]
        style = {"color": COLORS[1 + n], "fmt": MARKS[n % len(MARKS)], "markersize": 5, "capsize": 2}
        ax.errorbar(values[n], places[name], xerr=error, label=name, zorder=3, **style)
    legend(ax, many=2)
