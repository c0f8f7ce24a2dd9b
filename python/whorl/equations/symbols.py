"""Linear terms at wavenumbers: matrices of components, which NumPy evaluates."""

import math
from collections.abc import Sequence

import numpy as np

from whorl.equations.linear_part import LinearPart
from whorl.equations.multipliers import Tag
from whorl.equations.plan import PlanTerm

Wavenumbers = np.ndarray  # [axis, number], none of them 0 along all axes


def matrices(
    linear: LinearPart, components: Sequence[int], k: Wavenumbers, axes: int
) -> tuple[np.ndarray, np.ndarray]:
    """The matrix of rates and blocks at each wavenumber, in the order of some components.

    The second array has sums of magnitudes in place of sums, by which entries that cancel are known.
    """
    place = {component: number for number, component in enumerate(components)}
    size = np.sqrt(np.sum(k * k, axis=0))
    result = np.zeros((size.size, len(place), len(place)), complex)
    magnitudes = np.zeros(result.shape)

    def add(row: int, column: int, value: np.ndarray) -> None:
        result[:, row, column] += value
        magnitudes[:, row, column] += np.abs(value)

    for component, number in place.items():
        for rate in linear.rates[component]:
            add(number, number, rate.coefficient * size**rate.exponent)
    for block in linear.blocks:
        for one in block.terms:
            if one.to in place and one.term.of in place:
                add(place[one.to], place[one.term.of], multiplier(one.term, k, axes))
    return result, magnitudes


def multiplier(term: PlanTerm, k: Wavenumbers, axes: int) -> np.ndarray:
    """The factor of a term at each wavenumber."""
    of_axes = math.prod((one**order for one, order in zip(k, term.orders, strict=True)), start=1.0)
    size = np.sqrt(np.sum(k * k, axis=0))
    shape = of_axes * size ** (2 * term.power) * _tagged(term.tag, k, size, axes)
    return np.asarray(term.factor * 1j**term.turn * shape)


def _tagged(tag: Tag, k: Wavenumbers, size: np.ndarray, axes: int) -> np.ndarray:
    """A band, a sector, an average and radial factors (`Multiplier`)."""
    result = np.where((tag.low <= size) & (size < tag.high), 1.0, 0.0)
    axis, low, high = tag.sector
    if axis >= 0:
        angle = np.arccos(np.minimum(abs(k[axis]) / size, 1.0))
        result = result * ((low <= angle) & (angle < high))
    if tag.radius:
        result = result * _average(tag.radius * size, axes)
    for name, a in tag.radial:
        if name == "power":
            result = result * size**a
        elif name == "helmholtz":
            result = result / (1 + (a * size) ** 2)
        else:
            result = result * np.exp(-((a * size) ** 2) / 2)
    return result


def _average(x: np.ndarray, axes: int) -> np.ndarray:
    """The factor of an average over a ball, without z over a disc, but for the oscillations at large x."""
    return np.asarray(1 / (1 + (x * x / 3 if axes == 3 else math.sqrt(math.pi / 8) * x**1.5)))


def without_divergence(k: Wavenumbers, axes: int) -> np.ndarray:
    """Unit vectors at right angles to each wavenumber, as columns: [number, axis, vector]."""
    if axes == 2:
        return (np.stack([-k[1], k[0]], axis=-1) / np.hypot(k[0], k[1])[:, None])[..., None]
    unit = (k / np.sqrt(np.sum(k * k, axis=0))).T
    least = np.eye(3)[np.argmin(np.abs(unit), axis=1)]
    first = np.cross(unit, least)
    first /= np.sqrt(np.sum(first * first, axis=1))[:, None]
    return np.stack([first, np.cross(unit, first)], axis=-1)
