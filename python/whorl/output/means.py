"""The mean of a quantity over time: its error, its independent samples, and whether it has a trend.

Rows follow each other too closely to be independent, and adaptive steps space them unequally. The mean is
therefore the integral of straight lines between the rows, over the length of the window. All else comes from
equally spaced values of these lines, as many as rows.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

ENOUGH = 20.0  # independent samples: with fewer the correlation time is underestimated, and with it the error
LEVEL = 0.05  # of the test for a trend: the fraction of stationary series for which it finds one
WINDOW = 5  # correlation times over which correlations are summed (Sokal)
PARTS = 6  # of a window, whose means by chance only rise or only fall with a probability of 2/6!
MONOTONE = 2 / math.factorial(PARTS)
FEWEST = 4  # rows from which a correlation can be estimated
AT_ONCE = 4096  # quantities at a time, to bound the memory
SAME = 1e-12  # of the largest value, by which rounding may change a constant


@dataclass(frozen=True)
class Mean:
    """The mean of a quantity over a window of time.

    Attributes
    ----------
    mean : float
        The mean weighted by time.
    error : float
        Its standard error, nan if it cannot be estimated. It is too small if it is not `reliable`.
    samples : float
        The number of independent samples in the window, nan if it cannot be estimated.
    change : float
        The change over the window of a straight line through the quantity.
    chance : float
        The probability that a stationary quantity changes at least as much; nan if it is not known.
    rows : int
        The number of rows.
    unit, meaning : str
        The unit and the meaning of the quantity.
    """

    mean: float
    error: float
    samples: float
    change: float
    chance: float
    rows: int
    unit: str = ""
    meaning: str = ""

    @property
    def reliable(self) -> bool:
        """Whether to trust the error: it needs enough independent samples, or is 0, that of a constant."""
        return self.samples >= ENOUGH or self.error == 0

    @property
    def trend(self) -> str:
        """The trend of the quantity in the window: "rises" or "falls", or "" if it is not significant."""
        if not self.chance < LEVEL:
            return ""
        return "rises" if self.change > 0 else "falls"


def mean_of(time: np.ndarray, values: np.ndarray, unit: str = "", meaning: str = "") -> Mean:
    """The mean of finite values at increasing times, two or more."""
    mean, error, samples = (float(one) for one in means_of(time, values))
    about: Any = {"rows": len(time), "unit": unit, "meaning": meaning}
    if error == 0:
        return Mean(mean, error, samples, 0.0, 1.0, **about)
    if math.isnan(error):
        return Mean(mean, error, samples, float(values[-1] - values[0]), math.nan, **about)
    return Mean(mean, error, samples, *_trend(evenly(time, values)[1]), **about)


def means_of(time: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The means of many quantities, their standard errors and numbers of independent samples.

    `values` [time, …] are finite, at two increasing times or more. The error of a constant is 0. With fewer
    than four rows the error of any other quantity is nan.
    """
    return time_means(time, values), *errors_of(time, values)


def time_means(time: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The means of `means_of` by themselves."""
    series = values.reshape(len(time), -1)
    return (np.trapezoid(series, time, axis=0) / (time[-1] - time[0])).reshape(values.shape[1:])


def errors_of(time: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The errors and the numbers of independent samples of `means_of` by themselves."""
    series = values.reshape(len(time), -1)
    varying = np.flatnonzero(np.ptp(series, axis=0) > SAME * np.abs(series).max(axis=0))
    errors, samples = np.zeros(series.shape[1]), np.full(series.shape[1], float(len(time)))
    errors[varying] = samples[varying] = math.nan
    if len(time) >= FEWEST:
        for some in np.array_split(varying, math.ceil(varying.size / AT_ONCE) or 1):
            errors[some], samples[some] = _errors(evenly(time, series[:, some])[1])
    shape = values.shape[1:]
    return errors.reshape(shape), samples.reshape(shape)


def evenly(time: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Equally spaced times, as many as given, and values [time, …] on straight lines between those given."""
    even = np.linspace(time[0], time[-1], len(time))
    before = np.clip(np.searchsorted(time, even, side="right") - 1, 0, len(time) - 2)
    part = (even - time[before]) / np.diff(time)[before]
    part = part.reshape(-1, *(1,) * (values.ndim - 1))
    return even, values[before] + part * np.diff(values, axis=0)[before]


def _correlation_times(series: np.ndarray, fitted: int) -> tuple[np.ndarray, np.ndarray]:
    """The integrated correlation times τ = 1 + 2 Σ ρ(m) of series [row, quantity], estimated and corrected.

    The sum ends at the first m ≥ 5 τ (Sokal, in Functional Integration, Plenum 1997, p. 131). Each parameter
    that was fitted to the values and subtracted lowers the sum by a fraction (2m + 1)/n of it (Wolff, Comput.
    Phys. Commun. 156, 143 (2004), eq. 49, for the mean). The estimate is at least one row.
    """
    length = len(series)
    padded = 2 ** math.ceil(math.log2(2 * length))
    modes = np.fft.rfft(series - series.mean(axis=0), padded, axis=0)
    correlation = np.fft.irfft(np.abs(modes) ** 2, padded, axis=0)[:length]
    times = 2 * np.cumsum(correlation / correlation[0], axis=0) - 1
    last = np.argmax(np.arange(length)[:, None] >= WINDOW * times, axis=0)
    found = np.maximum(np.take_along_axis(times, last[None], axis=0)[0], 1.0)
    return found, found * (1 + fitted * (2 * WINDOW * found + 1) / length)


def _errors(series: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The standard errors of means of equally spaced values [row, quantity], and the independent samples.

    The variance of n independent samples about their own mean is too small by 1 − 1/n.
    """
    _, corrected = _correlation_times(series, 1)
    samples = len(series) / corrected
    with np.errstate(invalid="ignore"):  # nan for less than one sample
        return np.sqrt(series.var(axis=0) / (samples - 1)), samples


def _trend(values: np.ndarray) -> tuple[float, float]:
    """The change of a straight line over the values, and its chance in a stationary series.

    The slope is compared with its standard error for correlated residuals (Santer et al., J. Geophys. Res.
    105, 7337 (2000)) by Student's distribution. Its degrees of freedom are those of the residuals' estimated
    correlation time, whose relative variance is 2 (2m + 1)/n (Sokal): n/(2m + 1). A curved line leaves few
    independent residuals. The order of six parts finds a decay instead: of all orders one in 6!/2 = 360 only
    rises or only falls (Mann, Econometrica 13, 245 (1945)).
    """
    from scipy.special import stdtr

    n = len(values)
    time = np.arange(n) - (n - 1) / 2
    slope = float(time @ values / (time @ time))
    residuals = values - values.mean() - slope * time
    if np.ptp(residuals) <= SAME * np.ptp(values):
        return slope * (n - 1), 0.0
    found, corrected = (float(one[0]) for one in _correlation_times(residuals[:, None], 2))
    error = math.sqrt(residuals.var() * corrected / (time @ time))
    freedom = max(1.0, n / (2 * WINDOW * found + 1))
    chance = 2 * float(stdtr(freedom, -abs(slope) / error))
    return slope * (n - 1), min(chance, MONOTONE) if _monotone(values) else chance


def _monotone(values: np.ndarray) -> bool:
    """Whether the means of successive parts only rise or only fall."""
    if len(values) < PARTS:
        return False
    steps = np.diff([part.mean() for part in np.array_split(values, PARTS)])
    return bool((steps > 0).all() or (steps < 0).all())


def end_of_transient(values: np.ndarray) -> int | None:
    """The index of equally spaced values at which a transient has ended; None if not in their first half.

    From this index of the first half on, the mean has the smallest standard error, computed for independent
    values (MSER: White, Simulation 69, 323 (1997)). An index in the last tenth of that half does not count:
    it may be there by chance while the transient goes on.
    """
    n = len(values)
    left = n - np.arange(n)
    centred = values - values.mean()
    means = np.cumsum(centred[::-1])[::-1] / left
    squares = np.cumsum(centred[::-1] ** 2)[::-1] / left - means**2
    first = int(np.argmin((squares / left)[: n // 2 + 1]))
    return first if first < 0.9 * (n // 2) else None
