"""Pictures of statistics of particles: how far errors are drawn, and what part of an axis is shown."""

import numpy as np
import pytest
import xarray as xr
from matplotlib.backends.backend_agg import FigureCanvasAgg
from support.diagnostic_pictures import bands_of
from whorl.particles.draw.statistics import draw_particle_means


def drawn(kind, data):
    figure = draw_particle_means(kind, data, "title")
    FigureCanvasAgg(figure).draw()
    return figure


def uniformity(chi_squared) -> xr.Dataset:
    count = len(chi_squared)
    data = {"chi_squared": ("time", chi_squared), "probability": ("time", np.full(count, 0.5))}
    return xr.Dataset(data, {"time": np.arange(float(count))}, {"freedom": 511, "cells": 512})


def test_uniformity_shows_what_is_near_that_of_random_particles():
    """Labels stand away from the line of the mean, which would strike them out."""
    (ax,) = drawn("uniformity", uniformity([500.0, 520.0, 460.0])).axes
    low, high = ax.get_ylim()
    spread = 2 * np.sqrt(2 * 511)
    assert 300 < low < 511 - spread
    assert 511 + spread < high < 700
    below = [text.get_va() == "top" for text in ax.texts]
    assert below == [True, False, True]
    assert [text.xyann[1] < 0 for text in ax.texts] == below
    assert ax.get_title() == "χ² in 512 cells"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "random particles: 511",
        "2σ of these",
    ]
    (ax,) = drawn("uniformity", uniformity([5000.0, 9000.0])).axes
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylim()[1] > 9000


def radial(values, error) -> xr.Dataset:
    r = np.geomspace(0.1, 3, len(values))
    data = {"radial_distribution": ("r", values), "radial_distribution_error": ("r", error)}
    for name, value in (("dimension", 3.0), ("voronoi_variance", 0.18)):
        data |= {name: value, f"{name}_error": 0.01, f"{name}_samples": 10.0}
    return xr.Dataset(data, {"r": r}, {"from_r": 0.1, "to_r": 0.5, "voronoi_random": 0.179})


@pytest.mark.parametrize(
    ("values", "low", "high"),
    [([0.9, 1.1, 1.0], (0.5, 0.85), (1.15, 1.5)), ([40.0, 5.0, 1.0], (0, 0), (41, 60))],
)
def test_radial_distributions_fill_their_graph(values, low, high):
    figure = drawn("clustering", radial(values, [0.05, 0.05, 0.01]))
    (ax,) = figure.axes
    bottom, top = ax.get_ylim()
    assert low[0] <= bottom <= low[1]
    assert high[0] <= top <= high[1]
    assert figure.get_supxlabel() == "?  of fewer than 20 independent samples: not reliable"


def velocity(error) -> xr.Dataset:
    place, lag = np.linspace(-3, 3, 7), np.linspace(0, 2, 9)
    arrays = {
        "mean_correlation": ("lag", np.exp(-lag)),
        "pdf": ("bin", np.exp(-(place**2) / 2)),
        "spectrum": ("frequency", 1 / np.arange(1.0, 6.0) ** 2),
    }
    data = arrays | {f"{name}_error": (one[0], error * one[1]) for name, one in arrays.items()}
    for name in ("mean_integral_time", "mean_flatness"):
        data |= {name: 1.0, f"{name}_error": 0.1, f"{name}_samples": 30.0}
    coordinates = {"lag": lag, "bin": place, "frequency": np.arange(1.0, 6.0), "axis": ["x"]}
    return xr.Dataset(data, coordinates, {"velocity": "v"})


def test_bands_end_below_their_curve_on_logarithmic_axes():
    """An error as large as the value is no wall down to the end of the axis."""
    figure = drawn("velocity", velocity(2.0))
    _, pdf, spectrum = figure.axes
    for ax, values in ((pdf, velocity(2.0)["pdf"].values), (spectrum, velocity(2.0)["spectrum"].values)):
        found = bands_of(ax)[0].get_paths()[0].vertices[:, 1]
        assert found.min() == pytest.approx(0.3 * values.min())
        assert found.max() == pytest.approx(3 * values.max())
    assert figure.get_supxlabel() == ""
