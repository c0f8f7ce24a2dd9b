"""Frequency spectra of the series of probes, and spatio-temporal spectra of modes.

A wave exp(i(k·x − ωt)) with ω > 0 travels along k; frequencies have this sign.
"""

import math

import numpy as np
import xarray as xr

from whorl.base.errors import CaseError
from whorl.base.text import counted

BRIDGED = 0.05  # largest share of the rows of a quantity that straight lines may bridge
EVEN = 1e-6  # largest relative difference of a step of time from the mean step
ONE, BOTH = "dω from 0, whose integral is the variance", "dω from −∞ to ∞, whose integral is the mean square"


def frequency_spectrum(
    data: xr.DataArray, *, segments: int = 4, resample: bool = False, remove_mean: bool = True
) -> xr.DataArray:
    """Return the frequency spectrum of a series, by Welch's method with Hann windows.

    Parameters
    ----------
    data : DataArray
        The values of a probe over `time` and any other dimensions; real or complex.
    segments : int, default 4
        The length of the series over the length of the pieces into which it is cut, which overlap by half.
        More segments make the spectrum smoother and its frequencies fewer.
    resample : bool, default False
        Whether to interpolate a series with uneven steps of time linearly to even ones. Linear interpolation
        damps amplitudes near the highest frequencies.
    remove_mean : bool, default True
        Whether the mean of the series is subtracted first.

    Returns
    -------
    DataArray
        S(ω) over `frequency`, the angular frequency, in place of `time`. For real data it is one-sided,
        ω ≥ 0, and ∫ S dω is the variance. For complex data it is over all ω, with the sign of exp(−iωt).

    Raises
    ------
    CaseError
        If the series has fewer than 8 times in a piece, if its steps differ and `resample` is false, or if a
        value is not finite.

    Notes
    -----
    S(ω) = dt/(2π Σ w²) |Σ w(t) f(t) exp(iωt)|², averaged over the pieces, with w = sin²(π t/T); doubled for
    0 < ω < π/dt where it is one-sided (Welch, IEEE Trans. Audio Electroacoust. 15, 70 (1967)).
    """
    values, dt = even_series(data, resample)
    length = len(values) // max(segments, 1)
    if segments < 1 or length < 8:
        raise CaseError(
            f"a series of {len(values)} times has no {segments} pieces of 8 times or more; give fewer "
            "segments, or a longer series."
        )
    if remove_mean:
        values = values - values.mean(0)
    window = np.sin(np.pi * (np.arange(length) + 0.5) / length) ** 2
    window = window.reshape(-1, *[1] * (values.ndim - 1))
    starts = range(0, len(values) - length + 1, max(length // 2, 1))
    whole = np.iscomplexobj(values)
    sums = sum(_power(window * values[start : start + length], whole) for start in starts)
    spectrum = sums / len(starts) * dt / (2 * math.pi * (window**2).sum())
    if whole:
        frequency = -2 * math.pi * np.fft.fftfreq(length, dt)  # of exp(−iωt)
        order = np.argsort(frequency)
        frequency, spectrum = frequency[order], spectrum[order]
    else:
        frequency = 2 * math.pi * np.fft.rfftfreq(length, dt)
        spectrum[1 : (length + 1) // 2] *= 2
    return _labelled(data, spectrum, frequency, BOTH if whole else ONE)


def spatio_temporal_spectrum(data: xr.Dataset, *, segments: int = 4, resample: bool = False) -> xr.DataArray:
    """Return E(k, ω) of the modes of a probe, the sum over its quantities.

    Parameters
    ----------
    data : Dataset
        A probe of kind "modes", as `RunResults.probes` returns it.
    segments, resample : int, bool
        As for `frequency_spectrum`.

    Returns
    -------
    DataArray
        E(k, ω) over (mode, frequency), with kx, ky and kz: ∫ E(k, ω) dω over all ω is ½ Σ |f(k)|², the sum
        over the quantities, averaged over time with the windows' weight. A mode k counts without −k.

    Raises
    ------
    CaseError
        If the probe is not one of modes, or as for `frequency_spectrum`.
    """
    if "amplitude" not in data:
        raise CaseError('E(k, ω) needs a probe of kind "modes"; this one has values at points.')
    spectra = frequency_spectrum(data["amplitude"], segments=segments, resample=resample, remove_mean=False)
    summed = 0.5 * spectra.sum("quantity")
    summed.attrs = {"long_name": "E(k, ω), ½ Σ |f(k, ω)|²", "units": spectra.attrs["units"]}
    return summed.transpose("mode", "frequency").rename("E")


def finite_part(data: xr.Dataset) -> tuple[xr.Dataset, list[str]]:
    """The rows and quantities of a probe that are finite, as spectra and correlations need them.

    Parameters
    ----------
    data : Dataset
        A probe, as `RunResults.probes` returns it.

    Returns
    -------
    Dataset
        The probe without the first and last rows at which a quantity is not finite somewhere. Straight lines
        bridge a few such values in between; a quantity that has more of them is left out.
    list of str
        Sentences on rows and quantities left out, and on values bridged.

    Raises
    ------
    CaseError
        If no quantity is left.
    """
    name = "amplitude" if "amplitude" in data else "value"
    values = data[name].transpose("time", "quantity", ...)
    there = np.isfinite(values.values).reshape(*values.shape[:2], -1).all(axis=2)  # [time, quantity]
    if there.all():
        return data, []
    kept, rows, notes = [], slice(0, len(there)), []
    for q, own in enumerate(there.T):
        found = np.flatnonzero(own)
        inside = slice(int(found[0]), int(found[-1]) + 1) if found.size else slice(0, 0)
        if 2 * found.size < len(own) or (~own[inside]).sum() > BRIDGED * len(own):
            told = f"{len(own) - found.size} of {counted(len(own), 'row')}"
            notes.append(f"{values['quantity'].values[q]} is not finite in {told}, and is left out.")
            continue
        kept.append(q)
        rows = slice(max(rows.start, inside.start), min(rows.stop, inside.stop))
    if not kept or rows.stop - rows.start < 2:
        raise CaseError("no quantity of the probe is finite in most rows; choose other expressions.")
    if (cut := len(there) - (rows.stop - rows.start)) > 0:
        rows_are = "1 row at an end is" if cut == 1 else f"{cut} rows at the ends are"
        notes.append(f"{rows_are} left out, where a quantity is not finite.")
    found, bridged = _bridged(data.isel(quantity=kept, time=rows), name)
    if bridged:
        values_are = "1 value is" if bridged == 1 else f"{bridged} values are"
        notes.append(f"{values_are} not finite, and bridged by straight lines in time.")
    return found, notes


def _bridged(data: xr.Dataset, name: str) -> tuple[xr.Dataset, int]:
    """The probe with straight lines in time over values that are not finite, and the number of these."""
    values = data[name].transpose("time", ...)
    flat, time = values.values.reshape(values.sizes["time"], -1).copy(), data["time"].values
    lacking = ~np.isfinite(flat)
    for column in np.flatnonzero(lacking.any(axis=0)):
        own = ~lacking[:, column]
        flat[~own, column] = np.interp(time[~own], time[own], flat[own, column])
    return data.assign({name: values.copy(data=flat.reshape(values.shape))}), int(lacking.sum())


def even_series(data: xr.DataArray, resample: bool) -> tuple[np.ndarray, float]:
    """The values, [time, …], at even times, and the step. Raises CaseError; see `frequency_spectrum`.

    The last time is left out if only its step is shorter, as at the end of a run.
    """
    data = without_short_end(data)
    values = data.transpose("time", ...).values
    times = data["time"].values
    if len(times) < 2:
        raise CaseError(f"a series of {len(times)} times has no steps of time; give a longer one.")
    if not np.isfinite(values).all():
        raise CaseError("the series has values that are not finite; leave out their times.")
    steps = np.diff(times)
    dt = float(times[-1] - times[0]) / len(steps)
    if np.abs(steps - dt).max() <= EVEN * dt:
        return values, dt
    if not resample:
        raise CaseError(
            f"the steps of time differ, from {steps.min():.6g} to {steps.max():.6g}; run with a fixed "
            "time.dt, or give resample = true, which interpolates linearly and damps the highest frequencies."
        )
    even = np.linspace(times[0], times[-1], len(times))
    after = np.clip(np.searchsorted(times, even), 1, len(times) - 1)
    part = (even - times[after - 1]) / (times[after] - times[after - 1])
    part = part.reshape(-1, *[1] * (values.ndim - 1))
    return (1 - part) * values[after - 1] + part * values[after], dt


def without_short_end(data: xr.DataArray) -> xr.DataArray:
    """The series without its last time if only the last step is shorter, as at the end of a run."""
    steps = np.diff(data["time"].values)
    ends = (
        len(steps) > 2 and steps[-1] < (1 - EVEN) * steps[:-1].mean() and np.ptp(steps[:-1]) < EVEN * steps[0]
    )
    return data.isel(time=slice(None, -1)) if ends else data


def _power(values: np.ndarray, whole: bool) -> np.ndarray:
    transform = np.fft.fft(values, axis=0) if whole else np.fft.rfft(values, axis=0)
    return np.abs(transform) ** 2


def _labelled(data: xr.DataArray, spectrum: np.ndarray, frequency: np.ndarray, meaning: str) -> xr.DataArray:
    dims = ("frequency", *(name for name in data.dims if name != "time"))
    coordinates = {name: one for name, one in data.coords.items() if "time" not in one.dims}
    about = {"units": "1/time", "long_name": "angular frequency ω"}
    unit = data.attrs.get("units", "1")
    attributes = {"units": f"({unit})² time", "long_name": f"S(ω), {meaning}"}
    return xr.DataArray(
        spectrum, {**coordinates, "frequency": ("frequency", frequency, about)}, dims, attrs=attributes
    )
