"""Means over particles and over time with errors, for all statistics of paths.

The standard error of a mean is the larger of two errors. The first is that of a mean over time, by
`whorl.output.means`, of the means over all particles at each time. It includes fluctuations common to all
particles, such as those of the few large eddies that come and go. The second is the standard deviation of
the means of blocks of particles over all times, over the root of the number of blocks. It includes the
differences between particles. The blocks are at most `BLOCKS` of equal sizes, of particles with successive
identities. The independent samples are those of the first error, or the number of blocks for fewer than four
times.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from whorl.output.means import FEWEST
from whorl.probes.results.correlated_groups import grouped_correlation
from whorl.results.estimate import Errors, Estimate, even_errors

BLOCKS = 32
BATCHES = 16  # batches of times, for the spread of numbers that are no means


@dataclass(frozen=True)
class Blocks:
    """Blocks of successive particles, or of successive pairs, tetrahedra or times."""

    starts: np.ndarray
    sizes: np.ndarray

    @classmethod
    def of(cls, count: int, most: int = BLOCKS) -> "Blocks":
        """Blocks of `count` particles, of sizes that differ by one at most."""
        edges = np.linspace(0, count, min(most, count) + 1).astype(int)
        return cls(edges[:-1], np.diff(edges))

    @property
    def number(self) -> np.ndarray:
        """The number of the block of each particle."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def means(self, values: np.ndarray, axis: int = 1) -> np.ndarray:
        """The means over the particles of each block, along an axis of values."""
        sizes = self.sizes.reshape(-1, *(1,) * (values.ndim - 1 - axis))
        return np.add.reduceat(values, self.starts, axis=axis) / sizes

    def together(self, means: np.ndarray, axis: int = 1) -> np.ndarray:
        """The mean over all particles, of the means of blocks along an axis."""
        return np.average(means, axis=axis, weights=self.sizes)

    def mean(self, values: np.ndarray) -> Estimate:
        """The mean of values [time, particle, …]."""
        return self.estimate(self.means(values))

    def estimate(self, parts: np.ndarray) -> Estimate:
        """The mean of means [time, block, …]."""
        of_times = self.together(parts)
        return Estimate(of_times.mean(axis=0), (of_times, parts.mean(axis=0)), self.errors)

    def common(self, series: np.ndarray, mean: float | None = None) -> Estimate:
        """The mean of a number [time] of the flow, or `mean`, that of a longer series."""
        of_blocks = np.zeros(len(self.sizes))
        return Estimate(series.mean() if mean is None else mean, (series, of_blocks), self.errors)

    def errors(self, of_times: np.ndarray, of_blocks: np.ndarray) -> Errors:
        """The error and the samples of shares [time, …] and [block, …]."""
        blocks = self.of_blocks(of_blocks)
        if len(of_times) < FEWEST:
            return blocks, np.full(of_blocks.shape[1:], float(len(of_blocks)))
        error, samples = even_errors(of_times)
        return np.fmax(error, blocks), samples

    def of_blocks(self, means: np.ndarray) -> np.ndarray:
        """The error of means [block, …] by the spread of the blocks; nan for fewer than four."""
        if len(means) < FEWEST:
            return np.full(means.shape[1:], np.nan)
        weights = (self.sizes / self.sizes.mean()).reshape(-1, *(1,) * (means.ndim - 1))
        left = weights * (means - np.average(means, axis=0, weights=self.sizes))
        return np.sqrt((left**2).sum(axis=0) / (len(means) * (len(means) - 1)))


def spread(parts: np.ndarray, blocks: Blocks, find: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The error of `find` of the mean of parts [time, block, …]; `find` need not be smooth.

    It is the larger one of two jackknives, which leave out a block, or one of `BATCHES` batches of times.
    """
    of_times, of_blocks = blocks.together(parts), parts.mean(axis=0)
    batches = Blocks.of(len(of_times), BATCHES)
    return np.fmax(
        _jackknife(of_blocks, blocks.sizes, find),
        _jackknife(batches.means(of_times, axis=0), batches.sizes, find),
    )


def _jackknife(means: np.ndarray, sizes: np.ndarray, find: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The error by leaving out one of the means [part, …] of parts with `sizes`; nan for fewer than four."""
    if len(means) < FEWEST:
        return np.full(np.shape(find(means[0])), np.nan)
    total = np.tensordot(sizes, means, 1)
    left = [find((total - size * one) / (sizes.sum() - size)) for one, size in zip(means, sizes, strict=True)]
    return np.sqrt((len(means) - 1) * np.var(left, axis=0))


BINS = 81
NARROW = 2.5  # σ, beyond which bins widen in proportion to their distance
CORRELATED = ("correlation", "integral_time", "first_zero", "micro_time")


def moments(values: np.ndarray, blocks: Blocks, unit: str) -> dict[str, tuple]:
    """Mean, variance and flatness by axis, and the last two over all axes, of values [time, particle, axis].

    The variance is about the mean of all particles and times.
    """
    left = values - values.mean(axis=(0, 1))
    mean, second, fourth = (blocks.mean(one) for one in (values, left**2, left**4))
    whole = second.mean()
    square = f"({unit})²"
    return (
        mean.variables("mean", ("axis",), unit, "mean")
        | second.variables("variance", ("axis",), square, "variance of a component")
        | whole.variables("mean_variance", (), square, "variance, mean over the axes")
        | (fourth / second**2).variables("flatness", ("axis",), "1", "⟨x⁴⟩/⟨x²⟩² of a component")
        | (fourth.mean() / whole**2).variables(
            "mean_flatness", (), "1", "⟨x⁴⟩/⟨x²⟩² of all components together"
        )
    )


def density(values: np.ndarray, blocks: Blocks, what: str) -> dict[str, tuple]:
    """The PDF of all components over their own σ, of values [time, particle, axis].

    Bins are narrow in the middle and wide in the tails.
    """
    left = values - values.mean(axis=(0, 1))
    sigma = left.std(axis=(0, 1))
    scaled = left / np.where(sigma > 0, sigma, 1.0)
    end = np.arcsinh(np.abs(scaled).max() * (1 + 1e-9) / NARROW)
    edges = NARROW * np.sinh(np.linspace(-end, end, BINS + 1)) if end > 0 else np.linspace(-1, 1, BINS + 1)
    times, count = scaled.shape[:2]
    bins = np.clip(np.searchsorted(edges, scaled, side="right") - 1, 0, BINS - 1)
    by_time = _counted(bins + BINS * np.arange(times)[:, None, None], times)
    by_block = _counted(bins + BINS * blocks.number[None, :, None], len(blocks.sizes))
    each, widths = scaled.shape[2], np.diff(edges)
    of_times = by_time / (count * each * widths)
    of_blocks = by_block / (times * each * blocks.sizes[:, None] * widths)
    pdf = Estimate(of_times.mean(axis=0), (of_times, of_blocks), blocks.errors)
    middle = {"units": "1", "long_name": f"{what} less its mean, over its σ"}
    return {"bin": ("bin", (edges[:-1] + edges[1:]) / 2, middle)} | pdf.variables(
        "pdf", ("bin",), "1", f"PDF of a component of the {what}, in units of σ"
    )


def _counted(numbers: np.ndarray, rows: int) -> np.ndarray:
    return np.bincount(numbers.ravel(), minlength=rows * BINS).reshape(rows, BINS)


def correlations(
    values: np.ndarray,
    time: np.ndarray,
    blocks: Blocks,
    axes: tuple[str, ...],
    *,
    longest: float | None = None,
    lags: int = 200,
) -> dict[str, tuple]:
    """The correlation in time along paths of values [time, particle, axis], by axis and for all together.

    The values are without the mean of all particles and times; see `whorl.probes.results.time_correlation`.
    """
    left = values - values.mean(axis=(0, 1))
    how: dict[str, Any] = {"longest": longest, "lags": lags, "remove_mean": False}
    count, each = left.shape[1:]
    series = xr.DataArray(left.reshape(len(left), -1), {"time": time}, ("time", "series"))
    axis = np.tile(np.arange(each), count)
    block = np.repeat(blocks.number, each)
    parts = len(blocks.sizes)
    found: dict[str, tuple] = {}
    for prefix, groups, dims in (("", axis, ("axis",)), ("mean_", 0 * axis, ())):
        whole = grouped_correlation(series, groups, **how)
        some = grouped_correlation(series, groups * parts + block, **how, errors=False)
        found |= _numbers(whole, some, blocks, prefix, dims)
    about = {"units": "time", "long_name": "lag τ"}
    return found | {"lag": ("lag", whole["lag"].values, about), "axis": ("axis", list(axes))}


def _numbers(
    whole: xr.Dataset, parts: xr.Dataset, blocks: Blocks, prefix: str, dims: tuple[str, ...]
) -> dict[str, tuple]:
    """The numbers of correlations with the larger one of two errors: over time, and by blocks."""
    found: dict[str, tuple] = {}
    for name in CORRELATED:
        one = whole[name]
        shape = (whole.sizes["group"], len(blocks.sizes), *one.shape[1:])
        by_block = blocks.of_blocks(np.moveaxis(parts[name].values.reshape(shape), 1, 0))
        if f"{name}_error" in whole:
            error = np.fmax(whole[f"{name}_error"].values, by_block)
            samples = whole[f"{name}_samples"].values
        else:  # the first zero has the samples of the integral, which ends there
            error, samples = by_block, whole["integral_time_samples"].values
        number = Estimate.known(one.values, error, samples)[() if dims else 0]
        found |= number.variables(
            prefix + name, (*dims, *one.dims[1:]), one.attrs["units"], one.attrs["long_name"]
        )
    return found
