"""Linear growth: equations whose modes grow the faster, the smaller they are, are refused."""

import math
from collections.abc import Sequence
from itertools import pairwise, product

import numpy as np

from whorl.equations.dealias import kept
from whorl.equations.linear_part import LinearPart
from whorl.equations.plan import LinearBlock, PlanTerm, Rate
from whorl.equations.rate import Grid
from whorl.equations.text import Side, System
from whorl.expressions.faults import ExpressionError, fault

PARTS = 256  # of the range of |k| in which a rate above zero is looked for
# The growth of coupled components is followed beyond the kept modes, where it is to rise each time by RISES.
# Below CERTAIN of the matrix it may be rounding, which is a root of it where eigenvectors are parallel.
BEYOND = (8.0, 16.0, 32.0, 64.0, 128.0)
RISES, CERTAIN = 1.1, 1e-6
STEPS = (0.0, 1.0, -1.0, 0.5, -0.5)  # of the largest wavenumber along an axis


def growth(rate: Sequence[Rate], k: float) -> float:
    """The rate at a wavenumber."""
    return sum(one.coefficient * k**one.exponent for one in rate)


def check_growth(system: System, linear: LinearPart, grid: Grid, dealias: str) -> bool:
    """Whether a mode grows. Raises ExpressionError where modes grow without bound."""
    largest = grid.largest(kept(dealias))
    amplifies = False
    for side in system.sides:
        for number in range(len(side.nodes)):
            rate = linear.rates[system.first[side.name] + number]
            amplifies = _check_rate(side, rate, math.hypot(*largest)) or amplifies
    for block in linear.blocks:
        _check_block(system, block, linear.rates, largest)
    return amplifies


def _check_rate(side: Side, rate: Sequence[Rate], largest: float) -> bool:
    """Whether a component grows by itself. Raises ExpressionError if its rate rises without bound."""
    if rate and rate[-1].coefficient > 0 and rate[-1].exponent > 0:
        raise _fault(side, f"it grows as |k|^{rate[-1].exponent:g}", largest, growth(rate, largest))
    return any(growth(rate, largest * part / PARTS) > 0 for part in range(PARTS + 1))


def _fault(side: Side, how: str, k: float, rate: float) -> ExpressionError:
    return fault(
        f"the linear part of {side.name} is wrong ({how}): modes grow without bound, at |k| = {k:.4g} with "
        f"the rate {rate:.4g}; change its sign, or add a decay of a higher power",
        side.text,
    )


def _check_block(
    system: System, block: LinearBlock, rates: Sequence[Sequence[Rate]], largest: Sequence[float]
) -> None:
    """Raises ExpressionError if components grow together, the faster, the smaller the waves are."""
    edges = _directions(largest)
    matrices = _matrices(block, rates, np.multiply.outer((1.0, *BEYOND), edges))
    kept_modes, *beyond = np.linalg.eigvals(matrices).real.max(axis=-1)
    certain = beyond[0] > CERTAIN * np.abs(matrices[1]).max(axis=(-2, -1))
    rising = [after > RISES * before for before, after in pairwise(beyond)]
    unbounded = np.logical_and.reduce([certain, *rising])
    if unbounded.any():
        fastest = int(np.argmax(np.where(unbounded, kept_modes, -math.inf)))
        first = next(
            side for side in system.sides if system.first[side.name] + len(side.nodes) > block.components[0]
        )
        size = float(np.linalg.norm(edges[fastest]))
        raise _fault(first, "growth rises with |k|", size, float(kept_modes[fastest]))


def _directions(largest: Sequence[float]) -> np.ndarray:
    """Kept wavenumbers at the edges along many directions; axes that the box lacks have none."""
    parts = [
        one
        for one in product(*[STEPS] * len(largest))
        if next((part for part in one if part), 0.0) > 0  # k and −k have conjugate modes
    ]
    found = np.zeros((len(parts), 3))
    found[:, : len(largest)] = np.multiply(parts, largest)
    return found


def _matrices(block: LinearBlock, rates: Sequence[Sequence[Rate]], k: np.ndarray) -> np.ndarray:
    """The linear part of coupled components at wavenumbers, the last axis of k."""
    place = {component: number for number, component in enumerate(block.components)}
    size = np.linalg.norm(k, axis=-1)
    found = np.zeros((*size.shape, len(place), len(place)), complex)
    for component, number in place.items():
        for rate in rates[component]:
            found[..., number, number] += rate.coefficient * size**rate.exponent
    for one in block.terms:
        found[..., place[one.to], place[one.term.of]] += _multiplier(one.term, k, size)
    return found


def _multiplier(term: PlanTerm, k: np.ndarray, size: np.ndarray) -> np.ndarray:
    """The multiplier of a term; that of an average is taken as its decay, and sectors as whole."""
    value = (
        term.factor * 1j**term.turn * np.prod(k ** np.array(term.orders), axis=-1) * size ** (2 * term.power)
    )
    for name, number in term.tag.radial:
        if name == "power":
            value = value * size**number
        elif name == "helmholtz":
            value = value / (1 + (number * size) ** 2)
        else:
            value = value * np.exp(-0.5 * (number * size) ** 2)
    within = (term.tag.low <= size) & (size < term.tag.high)
    return np.where(within, value / (1 + (term.tag.radius * size) ** 2), 0.0)
