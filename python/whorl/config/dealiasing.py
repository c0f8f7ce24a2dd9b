"""The modes that each dealiasing keeps: a box or an ellipsoid of wavenumbers (base/declared.toml).

With e = `edge`, a box has |n| < e N along each axis, an ellipsoid Σ (n_i/N_i)² < e². docs/method.md gives
the reasons.
"""

import math
from typing import NamedTuple

from whorl.base.declared import DECLARED


class Dealiasing(NamedTuple):
    """A dealiasing as base/declared.toml declares it."""

    part: int
    ninths: int
    shaped: bool
    shifts: bool
    twice: bool


DEALIASINGS = {name: Dealiasing(**rule) for name, rule in DECLARED["dealiasing"].items()}
# The ratio of the largest kept wavenumber along an axis to that of the grid.
LARGEST_KEPT: dict[str, float] = {
    name: min(2 / rule.part, math.sqrt(4 * rule.ninths) / 3 if rule.ninths else 1.0)
    for name, rule in DEALIASINGS.items()
}
ROUNDING = 1e-12  # modes on the edge itself are not kept


def edge(dealias: str) -> float:
    """e, reduced by the rounding error of the position of a mode."""
    return LARGEST_KEPT[dealias] / 2 - ROUNDING


def is_box(dealias: str, shape: str) -> bool:
    """Whether the kept modes are a box, not an ellipsoid; `shape` is the option grid.shape."""
    rule = DEALIASINGS[dealias]
    return rule.ninths == 0 or (rule.shaped and shape != "sphere")
