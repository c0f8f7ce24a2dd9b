"""What a right-hand side asks of one rank, free of any machine: operations, bytes, messages.

Bytes of memory traffic count what is read and what is written. A complex line of N points is 5 N log2 N
operations, a real one half of that.
"""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Exchange:
    """All-to-alls among `ranks` ranks that are `stride` apart in the order of the machine.

    `bytes` is what a rank hands over in a right-hand side, its message to itself counted; `calls` is the
    number of all-to-alls that takes; `at_once` are the ranks of the run, all of which do so at the same time
    (0: no others than these).
    """

    ranks: int
    stride: int
    bytes: float
    calls: int
    at_once: int = 0

    @property
    def message(self) -> float:
        """Bytes from one rank to another in a call; nothing where none is made."""
        return self.bytes / self.ranks / self.calls if self.calls else 0.0


@dataclass(frozen=True)
class Load:
    """One right-hand side on one rank.

    `operations` by axis ("x", "y", "z") go with `lengths`; `copy`, `point` and `modes` are bytes;
    `working_set` is what the rank's arrays take, in bytes, which decides what cache they live in;
    `batches` is into how many the exchanges are cut; with `overlap` those of a batch may hide behind the work
    on the planes of another: transforms along x and y, points, copies.
    """

    lengths: dict[str, int]
    operations: dict[str, float]
    copy: float
    point: float
    modes: float
    row: Exchange
    column: Exchange
    working_set: float
    batches: int = 1
    overlap: bool = False


def line_operations(n: int, lines: float) -> float:
    """Of complex lines; nothing where the axis has one point."""
    return 5.0 * n * math.log2(n) * lines if n > 1 else 0.0
