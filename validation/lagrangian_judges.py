"""Numbers that lagrangian.py measures in its runs, and the published ones that it compares them with.

Published numbers, by R_λ, are recalled, unchecked, and therefore have no limits:

    a₀      5/(1 + 110/R_λ)                     Sawford et al., Phys. Fluids 15, 3478 (2003)
            (11 + 7 R_λ)/(205 + R_λ)            Ayala et al., New J. Phys. 10, 075015 (2008)
    T_L     (0.08 R_λ + 3) τ_η                  Yeung and Pope, J. Fluid Mech. 207, 531 (1989), and Sawford,
                                                Annu. Rev. Fluid Mech. 33, 289 (2001)
    C₀      2.5 … 3 at 38, 3.9 … 4.2 at 90, 4.6 … 5 at 140, at τ = 4 … 6 τ_η       the same
    flatness of the acceleration
            9 … 12 at 40, 18 … 22 at 140        Vedula and Yeung, Phys. Fluids 11, 1208 (1999)
    pairs   ⟨|r − r₀|²⟩ = ⟨|δu|²⟩ t² at first   Batchelor, Q. J. R. Meteorol. Soc. 76, 133 (1950)
            g = 0.5                             Boffetta and Sokolov, Phys. Rev. Lett. 88, 094501 (2002)
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr
from comparison import UNCHECKED, Error
from whorl.base.text import with_error
from whorl.particles.results.means import average_particles
from whorl.particles.results.path_series import Tracks, tracks_of
from whorl.particles.results.separations import pairs
from whorl.results.estimate import Estimate

Number = tuple[float, float]  # a value and its error
C0 = {38: (2.5, 3.0), 90: (3.9, 4.2), 140: (4.6, 5.0)}
FLATNESS = {40: (9.0, 12.0), 140: (18.0, 22.0)}
PLACE = (4.0, 6.0)  # τ/τ_η
RELEASED = 20.0  # η, the separation of pairs
ABOUT = 0.1  # half the width of the range of separations, relative to its middle
EARLY = 0.1  # (r₀²/ε)^{1/3}
ORIGINS = 10  # of pairs
SINCE = 4.0  # (r₀²/ε)^{1/3} for which they are followed
NUMBERS = {
    "a0": ("acceleration", "a0"),
    "flatness": ("acceleration", "mean_flatness"),
    "zero": ("acceleration", "first_zero_over_kolmogorov_time"),
    "T_L": ("velocity", "integral_time_over_kolmogorov_time"),
    "energy": ("velocity", "energy_ratio"),
    "C0": ("structure-functions", "C0"),
    "place": ("structure-functions", "C0_lag_over_kolmogorov_time"),
    "D2": ("clustering", "dimension"),
    "cells": ("clustering", "voronoi_variance"),
}


@dataclass(frozen=True)
class Found:
    """Statistics of the particles of a run, and the numbers that are judged, each with its error."""

    means: Any
    numbers: dict[str, Number]


def measured(run: Any, group: str, start: float, end: float) -> Found:
    """The statistics and numbers of a window of time."""
    kinds = ("dispersion", "velocity", "acceleration", "structure-functions", "clustering", "uniformity")
    means = average_particles(run, group, kinds, start, end)
    numbers = {name: _number(means[kind], of) for name, (kind, of) in NUMBERS.items()}
    averages = run.average(start, end)
    numbers["R_lambda"] = (averages["R_lambda"].mean, averages["R_lambda"].error)
    fields = run.mean_diagnostics(("pressure", "moments"), start, end)
    for name in ("a0", "a0_forced"):
        numbers[f"eulerian_{name}"] = _number(fields["pressure"], name)
    fourth = fields["moments"].sel(order=4)
    numbers["eulerian_flatness"] = (
        float(fourth["moment"].mean()),
        float(np.sqrt((fourth["moment_error"] ** 2).sum()) / fourth.sizes["quantity"]),
    )
    numbers["p_of_uniformity"] = (float(means["uniformity"]["probability"][-1]), 0.0)
    tracks, _ = tracks_of(run, group, start, end)
    return Found(means, numbers | of_pairs(tracks))


def _number(data: xr.Dataset, name: str) -> Number:
    value, error, _ = Estimate.read(data, name)
    return float(value), float(error)


def of_pairs(tracks: Tracks) -> dict[str, Number]:
    """Means over several origins of pairs that are 20 η apart, with standard errors from their spread."""
    small = tracks.small_scales
    apart = RELEASED * small.length
    turn = (apart**2 / small.epsilon) ** (1 / 3)
    steps = int(SINCE * turn / tracks.dt)
    origins = np.linspace(0, len(tracks.time) - steps - 1, ORIGINS).astype(int)
    rows = []
    for first in origins:
        one = after(tracks, int(first), steps)
        found = pairs(one, between=((1 - ABOUT) * apart, (1 + ABOUT) * apart)).isel(separation=0)
        early = found.sel(lag=EARLY * turn, method="nearest")
        rows.append(
            [
                float(early["mean_square_change"] / early["ballistic"]),
                float(early["ballistic"] / early["batchelor"]),
            ]
        )
    values = np.array(rows)
    error = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    names = ("pairs_over_ballistic", "pairs_over_batchelor")
    return {
        name: (float(mean), float(of))
        for name, mean, of in zip(names, values.mean(axis=0), error, strict=True)
    }


def after(tracks: Tracks, first: int, steps: int) -> Tracks:
    """The paths from the row `first` on, over `steps` steps."""
    rows = slice(first, first + steps + 1)
    small = tracks.scales
    return replace(
        tracks,
        time=tracks.time[rows],
        position=tracks.position[rows],
        read={name: one[rows] for name, one in tracks.read.items()},
        scales=replace(small, dissipation=small.dissipation[rows], energy=small.energy[rows]),
    )


def between(published: dict[int, tuple[float, float]], reynolds: float) -> tuple[float, float]:
    """The range at a Reynolds number, interpolated linearly in ln R_λ and constant beyond the ends."""
    x = np.log(list(published))
    low, high = np.array(list(published.values())).T
    return tuple(float(np.interp(np.log(reynolds), x, one)) for one in (low, high))


def outside(value: float, low: float, high: float) -> float:
    """How far a value is outside of a range, relative to its nearer end."""
    return max(0.0, low / value - 1 if value < low else value / high - 1)


def judged(found: Found) -> list[Error]:
    """The numbers with their errors and limits."""
    numbers = found.numbers
    told = {name: with_error(*one) for name, one in numbers.items()}
    value = {name: one[0] for name, one in numbers.items()}
    return [
        Error(f"R_λ = {told['R_lambda']}", value["R_lambda"]),
        *_of_fields(numbers, value, told),
        *_of_acceleration(value, told),
        *_of_times(value, told),
        *_of_pairs(value, told),
        *_of_places(numbers, value, told),
    ]


def _of_fields(numbers: dict[str, Number], value: dict[str, float], told: dict[str, str]) -> list[Error]:
    """Means along paths against those of the fields."""
    return [
        Error(
            f"½⟨|v|²⟩ of particles over E of the flow = {told['energy']}, from 1, in standard errors",
            abs(value["energy"] - 1) / numbers["energy"][1],
            3.0,
        ),
        Error(
            f"a₀ = {told['a0']} along paths, {told['eulerian_a0_forced']} of the fields with the force, "
            "relative",
            abs(value["a0"] / value["eulerian_a0_forced"] - 1),
            0.04,
        ),
        Error(
            f"flatness of the acceleration {told['flatness']} along paths, {told['eulerian_flatness']} of ∇p "
            "of the fields, relative",
            abs(value["flatness"] / value["eulerian_flatness"] - 1),
            0.15,
        ),
    ]


def _of_acceleration(value: dict[str, float], told: dict[str, str]) -> list[Error]:
    """The acceleration against published numbers by R_λ."""
    reynolds = value["R_lambda"]
    sawford = 5 / (1 + 110 / reynolds)
    ayala = (11 + 7 * reynolds) / (205 + reynolds)
    flat = between(FLATNESS, reynolds)
    return [
        Error(
            f"a₀ = {told['eulerian_a0']} of the fields without the force; 5/(1 + 110/R_λ) = {sawford:.3g} "
            f"({UNCHECKED}), relative",
            abs(value["eulerian_a0"] / sawford - 1),
        ),
        Error(
            f"a₀ along paths; 5/(1 + 110/R_λ) = {sawford:.3g} ({UNCHECKED}), relative",
            abs(value["a0"] / sawford - 1),
        ),
        Error(
            f"the same; (11 + 7 R_λ)/(205 + R_λ) = {ayala:.3g} ({UNCHECKED}), relative",
            abs(value["a0"] / ayala - 1),
        ),
        Error(
            f"flatness along paths, outside of {flat[0]:.3g} … {flat[1]:.3g} ({UNCHECKED}) by",
            outside(value["flatness"], *flat),
        ),
        Error(f"zero of the correlation of the acceleration over τ_η, {told['zero']}", value["zero"]),
    ]


def _of_times(value: dict[str, float], told: dict[str, str]) -> list[Error]:
    """T_L and C₀ against published numbers by R_λ."""
    reynolds = value["R_lambda"]
    memory, peak = 0.08 * reynolds + 3, between(C0, reynolds)
    return [
        Error(
            f"T_L/τ_η = {told['T_L']}; 0.08 R_λ + 3 = {memory:.3g} ({UNCHECKED}), relative",
            abs(value["T_L"] / memory - 1),
        ),
        Error(
            f"C₀ = {told['C0']}, outside of {peak[0]:.3g} … {peak[1]:.3g} ({UNCHECKED}) by",
            outside(value["C0"], *peak),
        ),
        Error(
            f"at τ/τ_η = {told['place']}, outside of 4 … 6 ({UNCHECKED}) by",
            outside(value["place"], *PLACE),
        ),
    ]


def _of_pairs(value: dict[str, float], told: dict[str, str]) -> list[Error]:
    return [
        Error(
            f"pairs 20 η apart: ⟨|r − r₀|²⟩ over ⟨|δu|²⟩ t² at t = 0.1 (r₀²/ε)^(1/3) = "
            f"{told['pairs_over_ballistic']}, from 1",
            abs(value["pairs_over_ballistic"] - 1),
            0.05,
        ),
        Error(
            f"pairs 20 η apart: ⟨|δu|²⟩ over (11/3) C₂ (ε r₀)^(2/3), C₂ = 2.1 ({UNCHECKED}), "
            f"{told['pairs_over_batchelor']}",
            value["pairs_over_batchelor"],
        ),
    ]


def _of_places(numbers: dict[str, Number], value: dict[str, float], told: dict[str, str]) -> list[Error]:
    """Whether particles stay uniform."""
    return [
        Error(f"D₂ = {told['D2']} from 3, in standard errors", abs(value["D2"] - 3) / numbers["D2"][1], 3.0),
        Error(
            f"variance of Voronoï cells {told['cells']}, of random particles 0.179, in standard errors",
            abs(value["cells"] - 0.179) / numbers["cells"][1],
            3.0,
        ),
        Error(
            f"χ² of numbers in cells at the end: 1 − p of p = {value['p_of_uniformity']:.3g}",
            1 - value["p_of_uniformity"],
            0.99,
        ),
    ]
