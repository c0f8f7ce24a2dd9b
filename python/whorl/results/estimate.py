"""Numbers with standard errors, which arithmetic carries along.

Each number has shares, one for each sample: its linear part in that sample, up to a constant. The share of a
mean is the sample itself. A function of means has Σ (∂f/∂mean) share. A rule makes the error of the shares,
which contain the correlations of numbers with each other.

    | rule         | samples                                        | shares                      |
    | Rows.errors  | rows at any rising times, some not finite      | [time, …]                   |
    | even_errors  | many even times                                | [time, …]                   |
    | `Blocks`     | times and blocks of particles (`path_means`)   | [time, …] and [block, …]    |
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import xarray as xr

from whorl.base.text import with_error
from whorl.output.means import ENOUGH, errors_of, time_means

ENDS = ("", "_error", "_samples")
ROWS = 4096  # most rows of a mean: longer even series are first averaged in blocks
QUIET: Any = {"divide": "ignore", "invalid": "ignore"}  # a number that is not known is nan

Errors = tuple[np.ndarray, np.ndarray]  # standard errors, and numbers of independent samples


class Estimate:
    """A number, or an array of numbers, with error and independent samples.

    `shares` are arrays [sample, …] for `rule`, which returns error and samples. Both are computed when they
    are first read. Arithmetic joins numbers of the same samples, and exact numbers and arrays.
    """

    __array_ufunc__ = None  # arrays leave arithmetic to this class

    def __init__(self, value: Any, shares: tuple[np.ndarray, ...], rule: Callable[..., Errors]):
        self.value, self.shares, self.rule = np.asarray(value), shares, rule

    @classmethod
    def known(cls, value: Any, error: Any, samples: Any) -> "Estimate":
        """A number whose error is known, without shares: arithmetic joins it with exact numbers only."""
        errors = np.asarray(error), np.asarray(samples)
        return cls(value, (), lambda: errors)

    @classmethod
    def read(cls, data: xr.Dataset, name: str) -> "Estimate":
        """The number NAME of a dataset with NAME_error and NAME_samples; nan for those that are missing."""
        names = (f"{name}{end}" for end in ENDS)
        return cls.known(*(data[one].values if one in data else np.nan for one in names))

    def settled(self) -> "Estimate":
        """The number without its shares, which may be large."""
        return Estimate.known(*self)

    @cached_property
    def _errors(self) -> Errors:
        return self.rule(*self.shares)

    @property
    def error(self) -> np.ndarray:
        """The standard error."""
        return self._errors[0]

    @property
    def samples(self) -> np.ndarray:
        """The number of independent samples."""
        return self._errors[1]

    @property
    def reliable(self) -> np.ndarray:
        """Whether to trust the error: it needs enough independent samples, or is 0, that of a constant."""
        return (self.samples >= ENOUGH) | (self.error == 0)

    def __iter__(self) -> Iterator[np.ndarray]:
        """Iterate over value, error and samples."""
        return iter((self.value, *self._errors))

    def __str__(self) -> str:
        """Return one number with its error, and a question mark unless that is reliable."""
        return with_error(float(self.value), float(self.error)) + ("" if self.reliable else " ?")

    def variables(self, name: str, dims: Any, unit: str, meaning: str) -> dict[str, tuple]:
        """The variables NAME, NAME_error and NAME_samples of a dataset."""
        told = (meaning, f"standard error of {name}", f"independent samples of {name}")
        return {
            f"{name}{end}": (dims, values, {"units": own, "long_name": about})
            for end, values, own, about in zip(ENDS, self, (unit, unit, "1"), told, strict=True)
        }

    def __add__(self, other: Any) -> "Estimate":
        return _linear(self.value + _value(other), (self, 1.0), (other, 1.0))

    def __sub__(self, other: Any) -> "Estimate":
        return _linear(self.value - _value(other), (self, 1.0), (other, -1.0))

    def __rsub__(self, other: Any) -> "Estimate":
        return _linear(other - self.value, (self, -1.0))

    def __mul__(self, other: Any) -> "Estimate":
        return _linear(self.value * _value(other), (self, _value(other)), (other, self.value))

    __radd__, __rmul__ = __add__, __mul__

    @np.errstate(**QUIET)
    def __truediv__(self, other: Any) -> "Estimate":
        value = self.value / _value(other)
        rest = _linear(value, (self, 1.0), (other, -value))  # 0 for a ratio that never changes
        return _linear(value, (rest, 1 / _value(other)))

    @np.errstate(**QUIET)
    def __rtruediv__(self, other: Any) -> "Estimate":
        value = other / self.value
        return _linear(value, (self, -value / self.value))

    @np.errstate(**QUIET)
    def __pow__(self, power: float) -> "Estimate":
        return _linear(self.value**power, (self, power * self.value ** (power - 1)))

    @np.errstate(**QUIET)
    def log(self) -> "Estimate":
        """The natural logarithm."""
        return _linear(np.log(self.value), (self, 1 / self.value))

    @np.errstate(**QUIET)
    def sqrt(self) -> "Estimate":
        """The square root."""
        root = np.sqrt(self.value)
        return _linear(root, (self, 1 / (2 * root)))

    def __getitem__(self, index: Any) -> "Estimate":
        """Return a part, by an index of the value."""
        index = index if isinstance(index, tuple) else (index,)
        if not self.shares:
            return Estimate.known(*(one[index] for one in self))
        return Estimate(self.value[index], tuple(one[:, *index] for one in self.shares), self.rule)

    def sum(self, axis: int = -1) -> "Estimate":
        """The sum over an axis of the value, counted from the last one, −1."""
        self._check_shares()
        return Estimate(self.value.sum(axis), tuple(one.sum(axis) for one in self.shares), self.rule)

    def mean(self, axis: int = -1) -> "Estimate":
        """The mean over an axis of the value, counted from the last one, −1."""
        return self.sum(axis) / self.value.shape[axis]

    def _check_shares(self) -> None:
        if not self.shares:
            raise ValueError("errors of numbers without shares do not add up")


def _value(number: Any) -> Any:
    return number.value if isinstance(number, Estimate) else number


@np.errstate(**QUIET)
def _linear(value: np.ndarray, *terms: tuple[Any, Any]) -> Estimate:
    """The number of this value that changes as Σ slope · number; exact numbers do not change."""
    inexact = [(one, slope) for one, slope in terms if isinstance(one, Estimate)]
    (first, slope), shape = inexact[0], np.shape(value)
    if len(inexact) == 1 and not first.shares:
        return Estimate.known(
            value, np.broadcast_to(np.abs(slope) * first.error, shape), np.broadcast_to(first.samples, shape)
        )
    for one, _ in inexact:
        one._check_shares()
        if one.rule != first.rule:
            raise ValueError("numbers of different samples have no error together")
    parts = zip(*(one.shares for one, _ in inexact), strict=True)
    shares = [sum(_over(s, len(shape)) * d for s, (_, d) in zip(of, inexact, strict=True)) for of in parts]
    return Estimate(value, tuple(np.broadcast_to(of, (len(of), *shape)) for of in shares), first.rule)


def _over(share: np.ndarray, axes: int) -> np.ndarray:
    """A share [sample, …] with as many axes after the first as asked for."""
    return share.reshape(len(share), *(1,) * (axes + 1 - share.ndim), *share.shape[1:])


def gathered(numbers: Iterable[Estimate], how: Callable = np.stack, axis: int = 0) -> Estimate:
    """Numbers of any samples in one array by `how`, without their shares."""
    each = [tuple(one) for one in numbers]  # one after another, so that shares need memory only once
    return Estimate.known(*(how(one, axis=axis) for one in zip(*each, strict=True)))


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows at rising times, two or more. Each element of an array counts in the rows where it is finite."""

    time: np.ndarray

    def mean(self, values: np.ndarray) -> Estimate:
        """The mean over time of values [time, …]; nan if fewer than two are finite."""
        (value,) = self._of_finite(values, lambda *of: (time_means(*of),), 1)
        return Estimate(value, (values,), self.errors)

    def errors(self, shares: np.ndarray) -> Errors:
        """The error and the samples by `whorl.output.means`."""
        error, samples = self._of_finite(shares, errors_of, 2)
        return error, samples

    def _of_finite(self, values: np.ndarray, find: Callable, count: int) -> tuple[np.ndarray, ...]:
        """The `count` results of `find` for each set of elements that are finite at the same times."""
        series = values.reshape(len(self.time), -1)
        finite = np.isfinite(series)
        if finite.all() and len(series) > 1:
            return tuple(one.reshape(values.shape[1:]) for one in find(self.time, series))
        found = np.full((count, series.shape[1]), np.nan)
        patterns, which = np.unique(finite, axis=1, return_inverse=True)
        for number, rows in enumerate(patterns.T):
            if rows.sum() > 1:
                columns = np.flatnonzero(which.ravel() == number)
                found[:, columns] = find(self.time[rows], series[np.ix_(rows, columns)])
        return tuple(found.reshape(count, *values.shape[1:]))


def even_errors(shares: np.ndarray) -> Errors:
    """The error and the samples of shares at even times, by blocks of many times; nan if not finite."""
    width = -(-len(shares) // ROWS)
    blocks = shares[: len(shares) // width * width].reshape(-1, width, *shares.shape[1:]).mean(axis=1)
    known = np.isfinite(blocks).all(axis=0)
    error, samples = errors_of(np.arange(float(len(blocks))), np.where(known, blocks, 0.0))
    return np.where(known, error, np.nan), np.where(known, samples, np.nan)
