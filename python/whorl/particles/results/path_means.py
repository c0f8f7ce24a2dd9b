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

import numpy as np

from whorl.output.means import FEWEST
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
