"""Correlations in time of groups of series, with errors.

The series f of a group at even times t_n = n dt, n < N, have together

    R(m) = 1/(N − m) Σ_n p_m(n),   p_m(n) = Σ_group Re f*(t_n) f(t_{n+m}),   C(m dt) = R(m)/R(0).

Errors are those of `whorl.results.estimate`. In C the shares of R(0) are q_m, half of p_0(n) + p_0(n + m), at
the times n of p_m.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import xarray as xr
from scipy.fft import fft, ifft, next_fast_len
from scipy.signal import fftconvolve

from whorl.base.errors import CaseError
from whorl.output.means import SAME
from whorl.probes.options import Probe
from whorl.probes.results.spectra import even_series
from whorl.results.estimate import Estimate, even_errors, gathered

FEWEST = Probe.fewest_rows
AT_ONCE = 256  # series at a time, which bounds the memory
LARGE = 16  # series of a group on average, from which products are summed group by group
ENDED = 0.02  # C at the longest lag, below which a correlation without a zero has ended
SMOOTH = 3.0  # least (1 − C(2 dt))/(1 − C(dt)) of a smooth series; a parabola has 4
NUMBERS = {
    "correlation": ("1", "C(τ) = ⟨Re f*(t) f(t + τ)⟩/⟨|f|²⟩"),
    "integral_time": ("time", "integral of C up to its first zero, or to the longest lag if it ends there"),
    "micro_time": ("time", "τ of C = 1 − (t/τ)² + … at small t; nan unless the series is smooth"),
}


def grouped_correlation(
    data: xr.DataArray,
    groups: np.ndarray,
    *,
    longest: float | None = None,
    lags: int = 200,
    resample: bool = False,
    remove_mean: bool = True,
    errors: bool = True,
) -> xr.Dataset:
    """Return the result of `time_correlation` for series (time, series), over `group` in place of `series`.

    `groups` has the number of the group of each series, from 0; each group has at least one series. Without
    `errors` the correlation and the mean square have no errors, whose computation is the longest.
    """
    values, dt = even_series(data, resample)
    if len(values) < FEWEST:
        raise CaseError(
            f"a series of {len(values)} times is too short for correlations in time, which need {FEWEST}; "
            "give a longer one."
        )
    most = _longest(len(values), dt, longest)
    stride = -(-most // max(lags, 1))
    steps = np.arange(0, most + 1, stride)
    order = np.argsort(groups, kind="stable")
    parts = [
        _numbers(_Groups(_centred(values[:, some], remove_mean), starts, dt), steps, most, errors)
        for some, starts in _in_parts(order, np.asarray(groups)[order])
    ]
    unit = data.attrs.get("units", "1")
    square = {"mean_square": (f"({unit})²", "⟨|f|²⟩")}
    zero = {"first_zero": ("time", "the first zero of C; nan without one")}
    found: dict[str, tuple] = {}
    for name, (own, meaning) in (NUMBERS | square | zero).items():
        dims = ("group", "lag") if name == "correlation" else ("group",)
        of: list[Any] = [one[name] for one in parts]
        if isinstance(of[0], Estimate):
            found |= gathered(of, np.concatenate).variables(name, dims, own, meaning)
        else:
            found[name] = (dims, np.concatenate(of), {"units": own, "long_name": meaning})
    lag = ("lag", dt * steps, {"units": "time", "long_name": "lag τ"})
    about = {"rows": len(values), "mean": "removed" if remove_mean else "kept"}
    return xr.Dataset(found, {"lag": lag}, about)


def _longest(count: int, dt: float, longest: float | None) -> int:
    """The longest lag in steps. Raises CaseError."""
    if longest is None:
        return count // 4
    steps = math.floor(longest / dt * (1 + 1e-9)) if math.isfinite(longest) else count
    if not 2 <= steps <= count // 2:
        raise CaseError(
            f"the longest lag is from two steps to half of the series, {2 * dt:.6g} to "
            f"{count // 2 * dt:.6g}, and not {longest:.6g}; choose another."
        )
    return steps


def _centred(values: np.ndarray, remove_mean: bool) -> np.ndarray:
    """The values, without their mean if `remove_mean` is true; constants become exactly zero."""
    if not remove_mean:
        return values
    left = values - values.mean(axis=0)
    constant = np.abs(left).max(axis=0) <= SAME * np.abs(values).max(axis=0)
    return np.where(constant, 0.0, left)


def _in_parts(order: np.ndarray, groups: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Parts of a few groups each: the numbers of their series, and the place of each group's first one."""
    begins = np.flatnonzero(np.diff(groups, prepend=-1))
    ends = np.append(begins[1:], len(groups))
    first = 0
    while first < len(begins):
        last = max(first + 1, int(np.searchsorted(ends, begins[first] + AT_ONCE, side="right")))
        yield order[begins[first] : ends[last - 1]], begins[first:last] - begins[first]
        first = last


@dataclass(frozen=True)
class _Groups:
    """Series at even times, [time, series]; those of a group are next to each other, from `starts` on."""

    values: np.ndarray
    starts: np.ndarray
    dt: float

    def together(self, products: np.ndarray) -> np.ndarray:
        """The sums over each group of an array […, series]."""
        return np.add.reduceat(products, self.starts, axis=-1)

    def products(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """The sums of Re f* g over each group."""
        if len(self.starts) * LARGE > one.shape[1]:
            return self.together((one.conj() * other).real)
        ends = np.append(self.starts[1:], one.shape[1])
        found = [
            np.einsum("ts,ts->t", one[:, a:b].conj(), other[:, a:b]).real
            for a, b in zip(self.starts, ends, strict=True)
        ]
        return np.stack(found, axis=1)

    def series_of(self, group: int) -> np.ndarray:
        """The series of a group."""
        ends = [*self.starts[1:], self.values.shape[1]]
        return self.values[:, self.starts[group] : ends[group]]

    @cached_property
    def squares(self) -> np.ndarray:
        """p_0, [time, group]."""
        return self.together(np.abs(self.values) ** 2)

    @cached_property
    def mean_square(self) -> np.ndarray:
        """R(0), nan where it is zero."""
        found = self.squares.mean(axis=0)
        return np.where(found > 0, found, np.nan)

    def correlation(self, step: int, covariances: np.ndarray) -> Estimate:
        """C at a lag, [group]."""
        until = len(self.values) - step
        products = self.products(self.values[:until], self.values[step:]) if step else self.squares
        around = (self.squares[:until] + self.squares[step:]) / 2
        square = Estimate(covariances[0], (around,), even_errors)
        return Estimate(covariances[step], (products,), even_errors) / square

    def covariances(self, most: int) -> np.ndarray:
        """R at all lags to `most` steps, [lag, group]; nan at lag 0 where it is zero."""
        count = len(self.values)
        padded = next_fast_len(count + most)
        found = []
        for group in range(len(self.starts)):
            power = np.zeros(padded)
            for some in in_columns(self.series_of(group)):
                power += (np.abs(fft(some, padded, axis=0)) ** 2).sum(axis=1)
            found.append(ifft(power).real[: most + 1] / (count - np.arange(most + 1)))
        whole = np.stack(found, axis=1)
        whole[0] = np.where(np.isfinite(self.mean_square), whole[0], np.nan)
        return whole


def in_columns(values: np.ndarray) -> Iterator[np.ndarray]:
    """Some columns at a time of values [time, series]."""
    for first in range(0, values.shape[1], AT_ONCE):
        yield values[:, first : first + AT_ONCE]


def _numbers(groups: _Groups, steps: np.ndarray, most: int, errors: bool) -> dict[str, Estimate | np.ndarray]:
    """All numbers of some groups, [group] or [group, lag]."""
    covariances = groups.covariances(most)
    correlations = covariances / covariances[0]
    found = {"correlation": correlations[steps].T, "mean_square": np.nan_to_num(groups.mean_square)}
    if errors:
        each = (groups.correlation(int(step), covariances) for step in steps)
        found["correlation"] = gathered(each, axis=1)
        found["mean_square"] = Estimate(found["mean_square"], (groups.squares,), even_errors).settled()
    times, zeros = zip(
        *(_integral(groups, group, one) for group, one in enumerate(correlations.T)), strict=True
    )
    of_times = {"integral_time": gathered(times), "first_zero": np.array(zeros)}
    return found | of_times | {"micro_time": _micro(groups)}


def _integral(groups: _Groups, group: int, correlation: np.ndarray) -> tuple[Estimate, float]:
    """The integral time and the first zero; nan if these are unknown.

    C is 0 at the end, so a shift of the end changes nothing: the error is that of C before it.
    """
    below = np.flatnonzero(correlation <= 0)
    if below.size:
        last = int(below[0]) - 1
        part = correlation[last] / (correlation[last] - correlation[last + 1])
        zero = groups.dt * (last + part)
    elif correlation[-1] < ENDED:
        last, part, zero = len(correlation) - 1, 0.0, math.nan
    else:
        return Estimate.known(math.nan, math.nan, math.nan), math.nan
    # Straight lines between the lags, and a triangle from the last one to the zero.
    weights = np.full(last + 1, groups.dt)
    weights[-1] = groups.dt * (1 + part) / 2
    weights[0] -= groups.dt / 2
    series, squares = groups.series_of(group), groups.squares[:, group]
    until = len(series) - last
    products = np.zeros(until)
    for some in in_columns(series):
        ahead = fftconvolve(some, weights[::-1, None], "valid", axes=0)
        products += (some[:until].conj() * ahead).real.sum(axis=1)
    own = weights * correlation[: last + 1]
    around = (squares[:until] * own.sum() + fftconvolve(squares, own[::-1], "valid")) / 2
    shares = (products - around) / groups.mean_square[group]  # those of all lags at once
    return Estimate(own.sum(), (shares,), even_errors).settled(), zero


def _micro(groups: _Groups) -> Estimate:
    """The micro time of each group: 1 − C = A τ² + B τ⁴ through the two smallest lags gives A.

    1 − C is that of the pairs themselves, ⟨½|f(t + τ) − f(t)|²⟩/R(0).
    """
    dt2, counted, falls = groups.dt**2, len(groups.values) - 2, []
    for step in (1, 2):
        change = groups.together(np.abs(groups.values[step:] - groups.values[:-step]) ** 2 / 2)
        falls.append(Estimate(change.mean(axis=0), (change[:counted],), even_errors))
    one, two = falls
    smooth = (two.value >= SMOOTH * one.value) & (one.value > 0)
    around = (groups.squares[:counted] + groups.squares[2:]) / 2
    square = Estimate(np.where(smooth, groups.mean_square, np.nan), (around,), even_errors)
    curvature = (one * 16 - two) / square / (12 * dt2)
    return (curvature**-0.5).settled()
