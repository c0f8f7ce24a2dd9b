"""Moments, PDFs and correlations in time of a vector along paths, with errors."""

import numpy as np
import xarray as xr

from whorl.particles.results.path_means import Blocks
from whorl.probes.results.correlated_groups import grouped_correlation
from whorl.results.estimate import Estimate

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
    how = {"longest": longest, "lags": lags, "remove_mean": False}
    count, each = left.shape[1:]
    series = xr.DataArray(left.reshape(len(left), -1), {"time": time}, ("time", "series"))
    axis = np.tile(np.arange(each), count)
    block = np.repeat(blocks.number, each)
    parts = len(blocks.sizes)
    found = {}
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
    found = {}
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
