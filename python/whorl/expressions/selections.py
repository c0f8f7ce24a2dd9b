"""Values at some points of the grid: each rank keeps its own in a round trip, and rank 0 gathers them."""

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

from whorl.base.ranks import MPI
from whorl.expressions.histogram import Selection
from whorl.expressions.nodes import Node

Block = tuple[int, int, int, int]  # z0, z1, y0, y1 and all x
Place = tuple[slice, slice]  # the part of a selection in a block, along z and y


class Taken:
    """The values of a selection at the points of this rank."""

    def __init__(self, selection: Selection, block: Block):
        self.selection = selection
        self.place = self._place(block)
        self.values: np.ndarray | None = None  # before the first values, which have the precision

    def take(self, nodes: Sequence[Node], block: Block, values: np.ndarray) -> None:
        """Keep the selected values of a block, [node][z][y][x]; all ranks get the same number of blocks."""
        x, y, z = self.selection.points
        of_z, of_y = self._place(block)
        if not (z[of_z] and y[of_y]):
            return
        if self.values is None:
            (own_z, own_y), shape = self.place, self.selection.shape
            self.values = np.empty((shape[0], len(z[own_z]), len(y[own_y]), shape[3]), values.dtype)
        first_z, first_y = self.place[0].start, self.place[1].start
        to = (
            slice(of_z.start - first_z, of_z.stop - first_z),
            slice(of_y.start - first_y, of_y.stop - first_y),
        )
        at = np.ix_(np.array(z[of_z]) - block[0], np.array(y[of_y]) - block[2], x)  # type: ignore[arg-type]
        for n, node in enumerate(self.selection.nodes):
            if node in nodes:
                self.values[n][to] = values[nodes.index(node)][at]

    def gather(self, comm: MPI.Intracomm) -> np.ndarray | None:
        """The values of all ranks, of the shape of the selection, on rank 0. Collective."""
        parts = comm.gather(None if self.values is None else (self.place, self.values))
        if comm.rank:
            return None
        there = [part for part in parts if part is not None]
        whole = np.empty(self.selection.shape, there[0][1].dtype)
        for (z, y), values in there:
            whole[:, z, y] = values
        return whole

    def _place(self, block: Block) -> Place:
        """The points of the selection that lie in a block."""
        _, y, z = self.selection.points
        z0, z1, y0, y1 = block
        return slice(bisect_left(z, z0), bisect_left(z, z1)), slice(bisect_left(y, y0), bisect_left(y, y1))
