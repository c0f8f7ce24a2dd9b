"""The least time a right-hand side can take on this machine: the floor that `whorl bench` compares with.

A pass has a fixed amount of transforms and of memory traffic; its floor is the larger of

    operations / rate of complex lines in cache      and      bytes that must cross memory / copy bandwidth.

A complex line of N points counts 5 N log2 N operations, a real one half of that. Only kept modes count:

    z lines   inputs + fluxes      on the kept (kx, ky)
    y lines   inputs + products    on the kept kx and all z
    x lines   inputs + products    real, on all y and z

of the model (`_core.model_shape`). Sines and cosines of a complex line cost as much as its Fourier modes.

The traffic: the exchange buffer of the kept (kx, ky) and all z is written and read on the way to the points
(inputs) and back (fluxes). A stage of a time step reads the state once, and reads and writes its register; a
right-hand side by itself reads the state and writes the tendency.
"""

import math
from dataclasses import dataclass

from whorl import _core
from whorl.config.case import Case
from whorl.config.dealiasing import DEALIASINGS
from whorl.config.truncation import kept_modes
from whorl.run.core_options import core_options

STATES_OF_STAGE, STATES_OF_TENDENCY = 3, 2  # how often the size of the state crosses memory


@dataclass(frozen=True)
class Work:
    """The work of a right-hand side: operations by line length, bytes across memory."""

    operations: dict[int, float]
    bytes: float

    def seconds(self, line_rates: dict[int, float], bandwidth: float) -> float:
        """The floor, from operations a second by line length and bytes a second."""
        transforms = sum(count / line_rates[length] for length, count in self.operations.items())
        return max(transforms, self.bytes / bandwidth)


def work(case: Case, states: int = STATES_OF_STAGE) -> Work:
    """The work of one right-hand side of a case, all ranks together."""
    shape = _core.model_shape(core_options(case, threads=1))
    load = _round_trip(case, shape["inputs"], shape["products"], shape["fluxes"])
    state = states * sum(shape["fields"].values()) * _mode_bytes(case)
    return Work(
        {n: passes(case) * count for n, count in load.operations.items()},
        passes(case) * (load.bytes + state),
    )


def pair_work(case: Case, variables: int) -> Work:
    """The work of carrying `variables` to the points and back: their modes are read and written."""
    load = _round_trip(case, variables, variables, variables)
    return Work(load.operations, load.bytes + 2 * variables * _mode_bytes(case))


def passes(case: Case) -> int:
    """Round trips of a right-hand side."""
    return 2 if DEALIASINGS[case.grid.dealias].twice else 1


def _round_trip(case: Case, inputs: int, products: int, fluxes: int) -> Work:
    """Lines and exchange buffer of one round trip, without the state."""
    nx, ny, nz = case.grid.points
    kept = kept_modes(case)
    columns = int((kept > 0).sum())
    rows = int((kept > 0).any(axis=0).sum())
    real = _real_weight(case)
    lines = (
        (nz, (inputs + fluxes) * columns, real),
        (ny, (inputs + products) * rows * nz, real),
        (nx, (inputs + products) * ny * nz, 0.5),
    )
    operations: dict[int, float] = {}
    for length, count, weight in lines:
        if length > 1:
            operations[length] = operations.get(length, 0.0) + weight * count * 5 * length * math.log2(length)
    return Work(operations, _value_bytes(case) * 2 * (inputs + fluxes) * columns * nz)


def _real_weight(case: Case) -> float:
    """½ between three pairs of walls, where every coefficient is real; else z and y lines are complex."""
    return 0.5 if case.grid.bases == "SSS" else 1.0


def _value_bytes(case: Case) -> float:
    """Bytes of a coefficient."""
    return _real_weight(case) * (16 if case.run.precision == "double" else 8)


def _mode_bytes(case: Case) -> float:
    """Bytes of the kept modes of one component."""
    return _value_bytes(case) * int(kept_modes(case).sum())
