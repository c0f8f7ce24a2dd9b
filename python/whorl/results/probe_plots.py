"""The picture of a probe: its series and their frequency spectra, or E(k, ω) with the waves of the model."""

from pathlib import Path

import numpy as np
import xarray as xr
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from whorl.base.errors import CaseError
from whorl.base.files import check_picture
from whorl.config.case import Case
from whorl.config.explain import did_you_mean
from whorl.output.directory import RunDirectory
from whorl.results.picture_style import STYLE, save_picture
from whorl.results.probes import frequency_spectrum, spatio_temporal_spectrum
from whorl.results.runs import open_run

MOST_SERIES = 8
DECADES = 6  # of E(k, ω) that are shown
BEYOND = 2.0  # times the highest frequency of waves is shown
WAVES = "#c2410c"


def plot_probe(
    directory: str | Path, name: str, output: str | Path | None = None, *, resample: bool = False
) -> Path:
    """Draw what a probe read: series and frequency spectra, and of several modes E(k, ω).

    Parameters
    ----------
    directory : str or Path
        The output directory of the run.
    name : str
        The name of the probe.
    output : str or Path, optional
        The picture, a PNG, PDF or SVG by its ending; probe-NAME.png in `directory` by default.
    resample : bool, default False
        As for `whorl.results.probes.frequency_spectrum`.

    Returns
    -------
    Path
        The path of the picture.

    Raises
    ------
    CaseError
        If there is no such run or probe, if the picture cannot have this path, or if the series is too short
        or its steps differ.

    Notes
    -----
    The frequencies of the model's linear waves, with the sign of exp(i(k·x − ωt)), are drawn over spectra of
    modes.
    """
    run = open_run(directory)
    probes = run.probes
    if name not in probes:
        near = did_you_mean(name, probes) or "."
        raise CaseError(f"the run {directory} has no probe {name}{near} Probes: {', '.join(probes)}.")
    path = Path(output) if output else RunDirectory(directory).path / f"probe-{name}.png"
    check_picture(path)
    data = probes[name]
    with rc_context(STYLE):
        figure = Figure(figsize=(9, 7), layout="constrained")
        above, below = figure.subplots(2, 1)
        _draw_series(above, data)
        if data.sizes.get("mode", 1) > 1:
            _draw_map(figure, below, data, run.case, resample)
        else:
            _draw_spectra(below, data, run.case, resample)
        save_picture(figure, path)
    return path


def _series(data: xr.Dataset) -> xr.DataArray:
    return data["amplitude"] if "amplitude" in data else data["value"]


def _labelled(values: xr.DataArray) -> list[tuple[str, xr.DataArray]]:
    """The first few series, each with its label."""
    along = "mode" if "mode" in values.dims else "point"
    chosen = [(q, p) for q in range(values.sizes["quantity"]) for p in range(values.sizes[along])]
    return [
        (
            f"{values['quantity'].values[q]} {along} {values[along].values[p]}",
            values.isel({"quantity": q, along: p}),
        )
        for q, p in chosen[:MOST_SERIES]
    ]


def _draw_series(axes: Axes, data: xr.Dataset) -> None:
    for label, one in _labelled(_series(data)):
        axes.plot(data["time"], np.real(one), label=label, linewidth=1)
    axes.set(title="Real part" if "amplitude" in data else "Values", xlabel="time")
    axes.legend(fontsize=7, ncols=2)


def _draw_spectra(axes: Axes, data: xr.Dataset, case: Case, resample: bool) -> None:
    spectrum = frequency_spectrum(_series(data), resample=resample)
    for label, one in _labelled(spectrum):
        axes.plot(spectrum["frequency"], np.where(one > 0, one, np.nan), label=label, linewidth=1)
    for branch in _waves(data, case):
        for frequency in branch:
            axes.axvline(frequency, color=WAVES, linestyle="--", linewidth=1)
    axes.set(title="Frequency spectrum  S(ω)", xlabel="ω", yscale="log")


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
    figure.colorbar(image, ax=axes, label="E(k, ω)")
    for branch in _waves(data, case):
        axes.plot(np.arange(len(branch)), branch, "_", color="#7dd3fc", markersize=14)
    if waves := [one for branch in _waves(data, case) for one in np.abs(branch) if one > 0]:
        shown = min(BEYOND * max(waves), float(energy["frequency"].max()))
        axes.set_ylim(-shown, shown)
    labels = energy["mode"].values
    few = np.unique(np.linspace(0, len(labels) - 1, 12).astype(int))
    axes.set_xticks(few, labels[few], fontsize=7, rotation=30)
    axes.set(title="E(k, ω), and the linear waves of the model", xlabel="mode", ylabel="ω")
    axes.grid(False)


def _waves(data: xr.Dataset, case: Case) -> tuple[np.ndarray, ...]:
    if "kx" not in data.coords:
        return ()
    k = np.stack([data[f"k{axis}"].values for axis in "xyz"])
    return case.flow.frequencies(k)
