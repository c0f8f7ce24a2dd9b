"""The least time a right-hand side can take on this machine: the floor that `whorl bench` compares with.

A pass is a fixed amount of transforms and of memory traffic; its floor is the larger of

    operations / rate of complex lines in cache      and      bytes that must cross memory / copy bandwidth.

A complex line of N points counts 5 N log2 N operations, a real one half of it. Only kept modes count:

    z lines   fields + fluxes      on the kept (kx, ky)
    y lines   fields + products    on the kept kx and all z
    x lines   fields + products    real, on all y and z

The traffic: the exchange buffer of the kept (kx, ky) and all z is written and read on the way out (fields)
and back (fluxes); the state is read once, and its register read and written.
"""

import math
from dataclasses import dataclass

import numpy as np

from whorl.case import Case

# Real fields carried to physical space, products formed there, fluxes that come back on columns.
WIDTHS = {"navier-stokes": (3, 5, 4)}
STAGES = {"rk2": 2, "rk3": 3, "rk4": 4, "rk4-gill": 4}


@dataclass(frozen=True)
class Work:
    """What a right-hand side costs: operations by line length, bytes across memory."""

    operations: dict[int, float]
    bytes: float

    def seconds(self, line_rates: dict[int, float], bandwidth: float) -> float:
        """The floor, from operations a second by line length and bytes a second."""
        transforms = sum(count / line_rates[length] for length, count in self.operations.items())
        return max(transforms, self.bytes / bandwidth)


def work(case: Case) -> Work:
    """The work of one right-hand side of a case, all ranks together."""
    nx, ny, nz = case.grid.points
    fields, products, fluxes = WIDTHS[case.flow.model]
    kept = kept_modes(case)
    columns = int((kept > 0).sum())
    rows = int((kept > 0).any(axis=0).sum())
    lines = (
        (nz, (fields + fluxes) * columns, 1.0),
        (ny, (fields + products) * rows * nz, 1.0),
        (nx, (fields + products) * ny * nz, 0.5),
    )
    operations: dict[int, float] = {}
    for length, count, weight in lines:
        if length > 1:
            operations[length] = operations.get(length, 0.0) + weight * count * 5 * length * math.log2(length)
    complex_bytes = 16 if case.run.precision == "double" else 8
    exchange = 2 * (fields + fluxes) * columns * nz
    state = 3 * fields * int(kept.sum())
    passes = 2 if case.grid.dealias == "phase-shift-exact" else 1
    return Work(
        {n: passes * count for n, count in operations.items()}, passes * complex_bytes * (exchange + state)
    )


def kept_modes(case: Case) -> np.ndarray:
    """Number of kept kz for each ky (all signs) and kx ≥ 0, as an array [ky][kx]."""
    nx, ny, nz = case.grid.points
    x = np.arange(nx // 2) / nx
    y = np.arange(-(ny // 2) + 1, ny // 2) / ny
    z = np.arange(-(nz // 2) + 1, nz // 2)[:, None] / nz if nz > 1 else np.zeros((1, 1))
    return np.array([_kept_row(case, x, position, z).sum(axis=0) for position in y])


def _kept_row(case: Case, x: np.ndarray, y: float, z: np.ndarray) -> np.ndarray:
    """Which modes n_i/N_i = (x, y, z) are kept, as an array [kz][kx]."""
    rounding = 1e-12
    if case.grid.dealias == "none":
        return np.full(np.broadcast_shapes(x.shape, z.shape), True)
    if case.grid.dealias == "2/3" and case.grid.shape == "cube":
        third = 1 / 3 - rounding
        return (x < third) & (abs(y) < third) & (abs(z) < third)
    radius = 1 / 9 if case.grid.dealias == "2/3" else 2 / 9
    return x**2 + y**2 + z**2 < radius - rounding
