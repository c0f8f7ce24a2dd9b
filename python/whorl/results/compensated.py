"""Spectra and structure functions over the laws of Kolmogorov, in units of the Kolmogorov length.

    k^{5/3} ε^{−2/3} E(k) over kη,   D_LL/(ε r)^{2/3} and D_LLL/(ε r) over r/η,   η = (ν³/ε)^¼

ε is the mean of 2νZ at the times of the states, interpolated linearly between the rows of the series. With
the values f of the states and n the power of ε, the mean is F = ⟨f⟩/⟨ε⟩ⁿ. Its error is that of the mean of
its linear part, f/⟨ε⟩ⁿ − n F ε/⟨ε⟩, in which f and ε rise and fall together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import xarray as xr

from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.config.explain import did_you_mean
from whorl.config.wavenumbers import complete_wavenumber, smallest_wavenumber
from whorl.diagnostics.results.means import DiagnosticMeans, rows_of
from whorl.diagnostics.results.structure_functions import over_axes
from whorl.output.directory import RunDirectory
from whorl.results.averages import window_of
from whorl.results.by_name import averaged
from whorl.results.estimate import Estimate, Rows
from whorl.results.runs import RunResults
from whorl.results.window import around, between, check_order, missing

SPECTRUM = "spectrum"
KIND = "structure-functions"
SLACK = 1e-9  # of a wavenumber, for rounding
# Name of a result: array of the diagnostic, axis of orders, order, power of ε r, and meaning.
MOMENTS = {
    "longitudinal_second": ("longitudinal", "order", 2, 2 / 3, "D_LL/(ε r)^{2/3}"),
    "transverse_second": ("transverse", "order", 2, 2 / 3, "D_NN/(ε r)^{2/3}"),
    "longitudinal_third": ("signed_longitudinal", "odd_order", 3, 1.0, "D_LLL/(ε r)"),
}


class Compensated(DiagnosticMeans):
    """Compensated spectrum and structure functions, as `compensated` returns them; printing shows a table.

    `found["spectrum"]` is a dataset over `k_eta`. `found[NAME]` is a dataset over `r_eta`, that of the
    diagnostic NAME. All else is as for `DiagnosticMeans`.
    """

    first: ClassVar[str] = "of"

    def cells(self) -> list[tuple[str, ...]]:
        """Return the rows of the table as text, for all wavenumbers and separations, with their names."""
        return [row for name, data in self.means.items() for row in rows_of(name, data, np.inf, placed=True)]


@dataclass(frozen=True)
class _Flow:
    """The dissipation ε of a run at given times, and its viscosity ν."""

    series: xr.Dataset
    viscosity: float

    def at(self, time: np.ndarray) -> np.ndarray:
        """2νZ, interpolated linearly between finite rows. Raises CaseError without such rows, and at rest."""
        rows = around(self.series, time)
        finite = np.isfinite(rows["enstrophy"].values)
        if not finite.any():
            raise CaseError("the series has no finite enstrophy in the window, which the dissipation needs.")
        values = 2 * self.viscosity * rows["enstrophy"].values[finite]
        if not values.any():
            raise CaseError("the dissipation by viscosity, 2νZ, is 0 in the window: the flow is at rest.")
        return np.interp(time, rows["time"].values[finite], values)


def compensated(
    run: RunResults,
    names: str | Sequence[str] = (),
    start: float | None = None,
    end: float | None = None,
) -> Compensated:
    """Return the compensated energy spectrum and structure functions of a run over a window of time.

    Parameters
    ----------
    run : RunResults
        The run, from `whorl.open_run`.
    names : str or sequence of str, optional
        "spectrum", and names of diagnostics of kind structure-functions; all that the run has by default.
    start, end : float, optional
        The window; by default that of `RunResults.average`.

    Returns
    -------
    Compensated
        The spectrum has `energy`, k^{5/3} ε^{−2/3} E(k), over `k_eta`, with `k`, for the shells that the
        truncation leaves whole. Structure functions of u have `longitudinal_second`, D_LL/(ε r)^{2/3},
        `transverse_second` and `longitudinal_third`, D_LLL/(ε r), over `r_eta`, with `r`; they are means over
        the axes. Each number has its `_error` and `_samples`.

    Raises
    ------
    CaseError
        If the flow is plane or has no dissipation by viscosity, if a name is unknown, or if the window has
        fewer than two states.

    Notes
    -----
    E(k) is the sum over the shell divided by its width; k is the middle of the shell.

    References
    ----------
    S. B. Pope, Turbulent Flows (Cambridge 2000), sections 6.2 and 6.5.

    Examples
    --------
    >>> found = compensated(whorl.open_run("forced"), start=20)
    >>> found["spectrum"].sel(k_eta=0.1, method="nearest")["energy"]
    """
    flow = _flow_of(run)
    wanted = _wanted(run, (names,) if isinstance(names, str) else tuple(names))
    first, last, verdict = window_of(run.rows_of_window(start), run.case, start, end)
    means, notes = {}, []
    for name in wanted:
        states, file = _states(run, name)
        check_order(states, file)
        states = between(states, first, last)
        if states.sizes["time"] < 2:
            notes.append(f"{file} has fewer than two states in the window, so no mean.")
            continue
        notes += missing(states, file)
        try:
            found = _spectrum(states, run.case, flow) if name == SPECTRUM else _increments(states, flow)
        except CaseError as error:
            if names:
                raise
            notes.append(f"{name} is left out: {error}")
            continue
        means[name] = found.assign_attrs(states=states.sizes["time"], start=first, end=last)
    if not means:
        raise CaseError(f"compensated means need two states in the window. {' '.join(notes)} {verdict}")
    notes += [_scales(name, data) for name, data in means.items()]
    return Compensated(first, last, verdict, means, tuple(notes))


def _flow_of(run: RunResults) -> _Flow:
    """The dissipation and viscosity. Raises CaseError if the flow is plane or has no such dissipation."""
    viscosity = run.case.flow.constants().get("viscosity", 0.0)
    series = run.rows_of_window(None)
    if 1 in run.case.grid.points:
        raise CaseError(
            "the laws of Kolmogorov are those of flow in three dimensions, and this one is plane."
        )
    if not viscosity > 0 or "enstrophy" not in series or "energy" not in run.spectra:
        raise CaseError("the laws of Kolmogorov need a dissipation by viscosity, and this flow has none.")
    return _Flow(series, viscosity)


def _wanted(run: RunResults, names: tuple[str, ...]) -> tuple[str, ...]:
    """The names, by default all that the run has. Raises CaseError for unknown ones."""
    of_velocity = [
        name
        for name, data in run.diagnostics.items()
        if data.attrs.get("kind") == KIND and _velocity(data) is not None
    ] if RunDirectory(run.directory).diagnostics.is_file() else []  # fmt: skip
    known = [SPECTRUM, *of_velocity]
    for name in names:
        if name not in known:
            near = did_you_mean(name, known) or "."
            raise CaseError(f"no compensated result is named {name}{near} Known: {', '.join(known)}.")
    return names or tuple(known)


def _velocity(data: xr.Dataset) -> str | None:
    """The name of the velocity among the vectors of structure functions; None if it is not one of them."""
    vectors = data["vector"].values.tolist() if "vector" in data.dims else []
    return next((name for name in ("u", "velocity") if name in vectors), None)


def _states(run: RunResults, name: str) -> tuple[xr.Dataset, str]:
    """The states, and the file that has them."""
    return (
        (run.spectra, "spectra.h5")
        if name == SPECTRUM
        else (run.diagnostics[name], f"diagnostics.h5, {name}")
    )


def _spectrum(states: xr.Dataset, case: Case, flow: _Flow) -> xr.Dataset:
    """k^{5/3} ε^{−2/3} E(k) in whole shells."""
    width, k = smallest_wavenumber(case.grid), states["k"].values
    whole = (k > 0) & (k + width / 2 <= complete_wavenumber(case.grid) * (1 + SLACK))
    k, rows = k[whole], Rows(states["time"].values)
    epsilon = rows.mean(flow.at(rows.time))
    energy = states["energy"].transpose("time", "k").values[:, whole] / width
    found = rows.mean(energy * k ** (5 / 3)) / epsilon ** (2 / 3)
    return _dataset({"energy": ("k^{5/3} ε^{−2/3} E(k)", found)}, "k", k, _length(epsilon, flow))


def _increments(states: xr.Dataset, flow: _Flow) -> xr.Dataset:
    """The moments of the increments of the velocity over powers of ε r, averaged over the axes."""
    rows, where = Rows(states["time"].values), {"vector": _velocity(states)}
    epsilon, found, r = rows.mean(flow.at(rows.time)), {}, np.empty(0)
    for name, (array, axis, order, power, meaning) in MOMENTS.items():
        if f"{array}_x" not in states and f"{array}_y" not in states and f"{array}_z" not in states:
            continue
        moments = over_axes(states, array).sel(where | {axis: order}).transpose("time", "r")
        r = moments["r"].values
        found[name] = (meaning, rows.mean(moments.values / r**power) / epsilon**power)
    return _dataset(found, "r", r, _length(epsilon, flow))


def _length(epsilon: Estimate, flow: _Flow) -> dict[str, float]:
    """The scales ε, ν and η."""
    mean = float(epsilon.value)
    return {
        "dissipation": mean,
        "viscosity": flow.viscosity,
        "kolmogorov_length": (flow.viscosity**3 / mean) ** 0.25,
    }


def _dataset(
    found: dict[str, tuple[str, Estimate]], name: str, place: np.ndarray, scales: dict[str, float]
) -> xr.Dataset:
    """A dataset over wavenumbers or separations in units of η, with errors and samples."""
    eta = scales["kolmogorov_length"]
    axis, unit = f"{name}_eta", "1/length" if name == "k" else "length"
    variables: dict[str, tuple] = {}
    for key, (meaning, number) in found.items():
        variables |= number.variables(key, axis, "1", meaning)
    scaled = place * eta if name == "k" else place / eta
    meaning = "kη" if name == "k" else "r/η"
    coordinates = {
        axis: (axis, scaled, {"units": "1", "long_name": meaning}),
        name: (
            axis,
            place,
            {"units": unit, "long_name": "middle of the shell" if name == "k" else "separation"},
        ),
    }
    about = (
        "compensated energy spectrum" if name == "k" else "compensated structure functions of the velocity"
    )
    return xr.Dataset(variables, coordinates, {"about": about, **scales})


def _scales(name: str, data: xr.Dataset) -> str:
    of = data.attrs
    arrays = ", ".join(f"{array.name} is {array.attrs['long_name']}" for array in averaged(data))
    return (
        f"{name}: {arrays}. ε = {of['dissipation']:.4g}, the mean 2νZ at the times of its states, "
        f"ν = {of['viscosity']:.4g}, η = {of['kolmogorov_length']:.4g}."
    )
