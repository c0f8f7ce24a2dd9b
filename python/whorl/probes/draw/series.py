"""The picture of a probe: its series and their frequency spectra, or E(k, ω) with the waves of the model."""

from collections.abc import Sequence

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from whorl.config.case import Case
from whorl.pictures.slices import Tell, silent
from whorl.pictures.style import COLORS, draw_notes, draw_title, title_of, with_unit
from whorl.probes.results.correlation import chosen_probe, place_of
from whorl.probes.results.spectra import finite_part, frequency_spectrum, spatio_temporal_spectrum
from whorl.results.runs import RunResults

MOST_SERIES = 4
DECADES = 6  # decades of E(k, ω) that are shown
FEWEST = 10  # fewest frequencies shown on either side
BEYOND = 2.0  # factor from the highest frequency of waves to the last one shown
REST = 1e-3  # share of the energy of a series beyond a frequency, 1.5 times which is shown
WAVES, MARKS = "0.45", "#7dd3fc"  # colours of the linear waves in spectra and on the map


def probe_picture(run: RunResults, *, name: str, resample: bool = False, tell: Tell = silent) -> Figure:
    """Return the figure of a probe: series and frequency spectra, and of several modes E(k, ω).

    Parameters
    ----------
    run : RunResults
        The run.
    name : str
        The name of the probe.
    resample : bool, default False
        As for `whorl.probes.results.spectra.frequency_spectrum`.
    tell : callable, optional
        Not called: the picture has no remarks.

    Raises
    ------
    CaseError
        If the run has no such probe, or if the series is too short or its steps differ.

    Notes
    -----
    The frequencies of the model's linear waves, with the sign of exp(i(k·x − ωt)), are drawn over spectra of
    modes.
    """
    data = chosen_probe(run.probes, name, str(run.directory))
    return draw_probe(data, run.case, title_of(run.directory, name), resample=resample)


def draw_probe(data: xr.Dataset, case: Case, title: str = "", *, resample: bool = False) -> Figure:
    """Return the figure of a probe of a case, as `RunResults.probes` returns it.

    Sentences below it name the rows and quantities that are not finite and left out of the spectra.
    """
    figure = Figure(figsize=(9, 7), layout="constrained")
    draw_title(figure, title)
    above, below = figure.subplots(2, 1, height_ratios=(2, 3))
    _draw_series(above, data)
    finite, notes = finite_part(data)
    if data.sizes.get("mode", 1) > 1:
        _draw_map(figure, below, finite, case, resample)
    else:
        _draw_spectra(below, finite, case, resample)
    draw_notes(figure, notes)
    return figure


def _series(data: xr.Dataset) -> xr.DataArray:
    return data["amplitude"] if "amplitude" in data else data["value"]


def _chosen(data: xr.Dataset) -> list[tuple[int, int]]:
    """The numbers of the quantity and of the mode or point of the series with the largest mean squares."""
    values = _series(data)
    squares = np.abs(values.transpose("time", "quantity", ...).values) ** 2
    strength = np.nan_to_num(squares, nan=0.0, posinf=0.0).mean(axis=0)
    largest = np.argsort(-strength, axis=None, kind="stable")[:MOST_SERIES]
    return [divmod(int(one), strength.shape[1]) for one in sorted(largest)]


def _labelled(data: xr.Dataset, values: xr.DataArray) -> list[tuple[str, str, xr.DataArray]]:
    """The label, colour and values of some series."""
    along = "mode" if "mode" in values.dims else "point"
    return [
        (
            f"{values['quantity'].values[q]}   {along} {_place(values.isel({along: p}), along)}",
            COLORS[n],
            values.isel({"quantity": q, along: p}),
        )
        for n, (q, p) in enumerate(_chosen(data))
    ]


def _place(one: xr.DataArray, along: str) -> str:
    """The label of a mode by its wavenumbers, of a point by its position."""
    if along == "mode":
        return str(one["mode"].values)
    return place_of(one)


def _reach(spectrum: xr.DataArray) -> float:
    """The highest frequency to show for all energy but REST of each series that is not too weak."""
    sizes = np.abs(spectrum["frequency"].values)
    order = np.argsort(sizes)
    series = spectrum.transpose("frequency", ...).values[order].reshape(len(order), -1)
    summed = np.cumsum(series, axis=0)
    known = summed[-1] > summed[-1].max() * 10.0**-DECADES
    if not known.any():
        return float(sizes.max())
    first = np.argmax(summed[:, known] >= (1 - REST) * summed[-1, known], axis=0)
    return 1.5 * float(sizes[order][first].max())


def _show_frequencies(spectrum: xr.DataArray, waves: Sequence[float]) -> float:
    """The highest frequency to show: of the energy, of the waves, and of a few frequencies at least."""
    frequency = spectrum["frequency"].values
    step = float(np.diff(frequency).max())
    wanted = (_reach(spectrum), FEWEST * step, *(BEYOND * abs(one) for one in waves))
    return min(max(wanted), float(frequency.max()))


def _draw_series(axes: Axes, data: xr.Dataset) -> None:
    values = _series(data)
    drawn = _labelled(data, values)
    for label, color, one in drawn:
        axes.plot(data["time"], np.real(one), label=label, color=color, linewidth=0.8)
    every = values.size // max(values.sizes["time"], 1)
    title = "Real parts" if "amplitude" in data else "Values"
    if len(drawn) < every:
        title += f", the {len(drawn)} largest of {every} series"
    axes.set(title=title, xlabel="t  [time]", ylabel=with_unit("", values.attrs.get("units", "1")))
    axes.legend(fontsize=7.5, frameon=False, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2)


def _draw_spectra(axes: Axes, data: xr.Dataset, case: Case, resample: bool) -> None:
    spectrum = frequency_spectrum(_series(data), resample=resample)
    for _, color, one in _labelled(data, spectrum):
        axes.plot(spectrum["frequency"], np.where(one > 0, one, np.nan), color=color, linewidth=1)
    waves = [frequency for branch in _waves(data, case) for frequency in branch]
    for frequency in waves:
        axes.axvline(frequency, color=WAVES, linestyle="--", linewidth=1)
    title = "Frequency spectra S(ω)" + (", and the linear waves of the model (dashed)" if waves else "")
    unit = with_unit("", spectrum.attrs.get("units", "1"))
    axes.set(
        title=title, xlabel="ω  [1/time]", ylabel=unit, yscale="log" if (spectrum > 0).any() else "linear"
    )
    if float(spectrum["frequency"].min()) < 0:
        shown = _show_frequencies(spectrum, waves)
        axes.set_xlim(-shown, shown)
    else:
        axes.set_xscale("log")


def _draw_map(figure: Figure, axes: Axes, data: xr.Dataset, case: Case, resample: bool) -> None:
    energy = spatio_temporal_spectrum(data, resample=resample)
    largest = float(energy.max()) or 1.0
    image = axes.pcolormesh(
        np.arange(energy.sizes["mode"]),
        energy["frequency"],
        np.maximum(energy.values.T, largest * 10.0**-DECADES),
        norm=LogNorm(largest * 10.0**-DECADES, largest),
        cmap="magma",
        shading="nearest",
    )
    figure.colorbar(image, ax=axes, label=with_unit("E(k, ω)", energy.attrs.get("units", "1")))
    branches = _waves(data, case)
    for branch in branches:
        axes.plot(np.arange(len(branch)), branch, "_", color=MARKS, markersize=14)
    shown = _show_frequencies(energy, [one for branch in branches for one in branch])
    axes.set_ylim(-shown, shown)
    labels = energy["mode"].values
    few = np.unique(np.linspace(0, len(labels) - 1, 12).astype(int))
    axes.set_xticks(few, labels[few], fontsize=7, rotation=30)
    title = "E(k, ω)" + (", and the linear waves of the model" if branches else "")
    axes.set(title=title, xlabel="mode", ylabel="ω  [1/time]")
    axes.grid(False)


def _waves(data: xr.Dataset, case: Case) -> tuple[np.ndarray, ...]:
    if "kx" not in data.coords:
        return ()
    k = np.stack([data[f"k{axis}"].values for axis in "xyz"])
    return case.flow.frequencies(k)
