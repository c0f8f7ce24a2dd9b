"""Growth of modes by linear terms, which is refused where it is the faster, the smaller the modes are.

A field by itself grows so if the highest power of its rate is above zero. The eigenvalues of fields that
linear terms connect are found on rays of wavenumbers, far beyond those that are kept. There the largest one
rises as a power of |k|, or it does not.
"""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from whorl.equations.dealias import kept
from whorl.equations.kinds import KINDS
from whorl.equations.linear_part import LinearPart
from whorl.equations.plan import LinearTerm, Rate
from whorl.equations.rate import Grid
from whorl.equations.symbols import Wavenumbers, matrices, without_divergence
from whorl.equations.text import System
from whorl.expressions.faults import fault

PARTS = 256  # of the range of |k| in which a rate above zero is looked for
# Rays have these parts of the largest wavenumber along each axis, of either sign, and these multiples of it.
FRACTIONS = (0.0, 0.5, 1.0)
OCTAVES = np.arange(-4, 21)
ROUNDING = 1e-7  # the error of an eigenvalue over the size of its matrix; some are double
CANCELLED = 1e-13  # the error of a sum over the sum of magnitudes
LEAST_POWER = 0.05  # of |k|, as which a rate rises
SAME = 1e-9  # the relative difference of rates that are the same but for rounding


def check_growth(system: System, linear: LinearPart, grid: Grid, dealias: str) -> bool:
    """Whether a mode grows. Raises ExpressionError where modes grow the faster, the smaller they are."""
    largest = sum(k * k for k in grid.largest(kept(dealias))) ** 0.5
    groups = [*_connected(system, [term for block in linear.blocks for term in block.terms])]
    for fields in groups:
        _check_connected(system, linear, fields, grid, dealias)
    amplifies = False
    for side in system.sides:
        for number in range(len(side.nodes)):
            rate = linear.rates[system.first[side.name] + number]
            alone = not any(side.name in fields for fields in groups)
            if alone and rate and rate[-1].coefficient > 0 and rate[-1].exponent > 0:
                size = growth(rate, largest)
                raise fault(
                    f"the linear part of {side.name} is wrong (it grows as |k|^{rate[-1].exponent:g}): modes "
                    f"grow without bound, at |k| = {largest:.4g} with the rate {size:.4g}; change its sign, "
                    "or add a decay of a higher power",
                    side.text,
                )
            amplifies = amplifies or any(
                growth(rate, largest * part / PARTS) > 0 for part in range(PARTS + 1)
            )
    return amplifies


def growth(rate: tuple[Rate, ...], k: float) -> float:
    """The rate at a wavenumber."""
    return sum(one.coefficient * k**one.exponent for one in rate)


class _Fastest(NamedTuple):
    """The fastest of some modes: its rate, its wavenumber, and the power of |k| as which rates rise."""

    rate: float
    k: np.ndarray
    power: float


def _check_connected(system: System, linear: LinearPart, fields: list[str], grid: Grid, dealias: str) -> None:
    """Raises ExpressionError where fields that are connected grow the faster, the smaller modes are."""
    found = _fastest(system, linear, fields, grid, kept(dealias))
    if found is None:
        return
    k = ", ".join(f"{one:.4g}" for one in found.k)
    raise fault(
        f"the linear part of {', '.join(fields)} is wrong (it grows as |k|^{found.power:.2g}): modes grow "
        f"without bound, at k = ({k}) with the rate {found.rate:.4g}; change the sign of a term, or add a "
        "decay of a higher power",
        next(side.text for side in system.sides if side.name == fields[0]),
    )


def _connected(system: System, terms: list[LinearTerm]) -> Iterator[list[str]]:
    """The fields with linear terms of each other, or of their own that are no rates.

    A field that only follows from others is by itself: its eigenvalues do not depend on them.
    """
    names = [side.name for side in system.sides for _ in side.nodes]
    follows = {name: {name} for name in system.first}
    for one in terms:
        follows[names[one.to]].add(names[one.term.of])
    for _ in follows:
        follows = {name: set().union(*(follows[other] for other in of)) for name, of in follows.items()}
    inside = {names[one.to] for one in terms if names[one.to] in follows[names[one.term.of]]}
    left = list(follows)
    while left:
        joined = [name for name in left if name in follows[left[0]] and left[0] in follows[name]]
        left = [name for name in left if name not in joined]
        if inside.intersection(joined):
            yield joined


def _fastest(
    system: System, linear: LinearPart, fields: list[str], grid: Grid, fraction: float
) -> _Fastest | None:
    """The fastest kept mode of some fields, if it is on a ray on which rates rise without bound."""
    ends = np.array(grid.largest(fraction))
    spacing = 2 * np.pi / np.array(grid.lengths)
    signs = [(1.0,), *((1.0, -1.0),) * (len(ends) - 1)]
    parts = [sorted({part * one for part in FRACTIONS for one in of}, reverse=True) for of in signs]
    rays = ends * np.array([ray for ray in product(*parts) if any(ray)])
    scales = 2.0**OCTAVES
    wide, errors = _rates(system, linear, fields, _columns(rays[:, None, :] * scales[:, None]))
    powers = [
        _power(*of) for of in zip(wide.reshape(len(rays), -1), errors.reshape(len(rays), -1), strict=True)
    ]
    rising = [ray for ray, power in zip(rays, powers, strict=True) if power]
    if not rising:
        return None
    inner = np.array(rising)[:, None, :] * scales[scales <= 1, None]
    modes = np.trunc(inner / spacing + np.copysign(1e-9, inner)) * spacing
    modes = modes[np.any(modes != 0, axis=-1)]
    rates, _ = _rates(system, linear, fields, _columns(modes))
    first = int(np.argmax(rates > (1 - SAME) * rates.max()))
    return _Fastest(float(rates[first]), modes[first], max(powers))


def _columns(k: np.ndarray) -> Wavenumbers:
    """Wavenumbers by axis, of which those that the box lacks are 0."""
    flat = k.reshape(-1, k.shape[-1]).T
    return np.concatenate([flat, np.zeros((3 - len(flat), flat.shape[1]))])


def _rates(
    system: System, linear: LinearPart, fields: list[str], k: Wavenumbers
) -> tuple[np.ndarray, np.ndarray]:
    """The largest real part of an eigenvalue at each wavenumber, and a bound on its error.

    The largest eigenvalue of magnitudes is the size of a matrix, whatever the units of fields are.
    """
    components, basis = _components(system, fields, k)
    back = basis.swapaxes(1, 2)
    with np.errstate(all="ignore"):
        matrix, magnitudes = matrices(linear, components, k, system.declared.axes)
        matrix, magnitudes = back @ matrix @ basis, np.abs(back) @ magnitudes @ np.abs(basis)
    finite = np.all(np.isfinite(magnitudes), axis=(1, 2))
    matrix[~finite] = magnitudes[~finite] = 0.0
    wrong = CANCELLED * magnitudes
    matrix[np.abs(matrix) <= wrong] = 0.0
    of_all, least, most = (
        np.linalg.eigvals(one).real.max(axis=1)
        for one in (matrix, np.abs(matrix), np.maximum(np.abs(matrix), wrong))
    )
    return of_all, np.where(finite, ROUNDING * least + most - least, np.inf)


def _components(system: System, fields: list[str], k: Wavenumbers) -> tuple[list[int], np.ndarray]:
    """The components of fields, and a basis [number, component, vector] of their values at each wavenumber.

    Vectors without a divergence have two components at right angles to k, one in the plane.
    """
    axes, components, parts = system.declared.axes, list[int](), list[np.ndarray]()
    for name in fields:
        kind = KINDS[system.declared.fields[name]]
        size = len(kind.indices(axes))
        components += range(system.first[name], system.first[name] + size)
        whole = np.broadcast_to(np.eye(size), (k.shape[1], size, size))
        parts.append(without_divergence(k, axes) if kind.solenoidal else whole)
    basis = np.zeros((k.shape[1], len(components), sum(one.shape[2] for one in parts)))
    row = column = 0
    for one in parts:
        _, height, width = one.shape
        basis[:, row : row + height, column : column + width] = one
        row, column = row + height, column + width
    return components, basis


def _power(rates: np.ndarray, errors: np.ndarray) -> float:
    """The power of |k| as which rates rise at the end of a ray; 0 where they stay bounded or fall."""
    known = np.flatnonzero(np.abs(rates) >= errors)
    if not known.size:
        return 0.0
    last = known[-1]
    before = last - 2
    if before not in known or rates[last] <= 0 or rates[before] <= 0:
        return 0.0
    power = float(np.log2(rates[last] / rates[before])) / 2
    return power if power > LEAST_POWER else 0.0
