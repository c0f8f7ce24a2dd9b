"""Numbers of results as text: means with their errors, numbers that are only rounding, tables."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from whorl.output.means import Mean
from whorl.results.estimate import Estimate

ROUNDING, TO_ROUNDING = 1e-12, "0 to rounding"


def told(one: Mean) -> str:
    """A mean with its error, and a question mark if that is not reliable."""
    return str(Estimate.known(one.mean, one.error, one.samples))


def is_rounding(size: float, unit: str) -> bool:
    """Whether a number of the whole box is only rounding; numbers without a unit are of order one."""
    return unit in ("", "1") and abs(size) < ROUNDING


def told_of_box(number: Estimate, unit: str) -> str:
    """A number of the whole box with its error, which may be zero to rounding."""
    return TO_ROUNDING if is_rounding(abs(number.value) + number.error, unit) else str(number)


def counted_samples(samples: float) -> str:
    """A number of independent samples as text."""
    return "too few" if math.isnan(samples) else f"{math.floor(samples)}"


def finite_or_none(value: Any) -> Any:
    """A number, or an array as nested lists, with None for numbers that are not finite."""
    if isinstance(value, np.ndarray):
        return np.where(np.isfinite(value), value, None).tolist()  # type: ignore[call-overload]
    return value if math.isfinite(value) else None


def listed(values: np.ndarray) -> Any:
    """An array of numbers or texts as nested lists, with None for numbers that are not finite."""
    return finite_or_none(values) if values.dtype.kind in "biuf" else values.tolist()


def as_table(rows: Sequence[Sequence[str]], remarks: Iterable[str]) -> str:
    """Rows of texts in columns, with sentences below them."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return "\n".join([*lines, "", *remarks])
