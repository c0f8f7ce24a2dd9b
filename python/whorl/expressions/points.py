"""Values that follow only from the position and from numbers, worked out with NumPy at points."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from whorl.expressions.nodes import Known, Node, within
from whorl.expressions.operations import OPERATIONS

TOGETHER = 1 << 17  # points at a time, whose values stay in a cache
Y = 1


def value_of(
    node: Node,
    values: Mapping[Node, np.ndarray],
    known: Mapping[Known, float | np.ndarray],
    axes: Sequence[np.ndarray],
) -> Any:
    """The value of a node that is no field, from those of its arguments, known numbers and x, y, z."""
    match node.kind:
        case "constant":
            return np.float64(node.value)
        case "number":
            return np.float64(known[node.value])
        case "coordinate":
            return axes[node.value]
        case operation:
            return OPERATIONS[operation].function(*(values[one] for one in node.arguments))


class AtPoints:
    """Nodes without fields of a flow, to be worked out at points.

    A node that does not depend on y is worked out once, another one for some rows at a time. Each operation
    covers only the axes on which its arguments depend.
    """

    def __init__(self, nodes: Sequence[Node]):
        self.nodes = tuple(nodes)
        order = list(within(*nodes))
        along_y: dict[Node, bool] = {}
        for node in order:
            own = node.kind == "coordinate" and node.value == Y
            along_y[node] = own or any(along_y[one] for one in node.arguments)
        self._alike = [node for node in order if not along_y[node]]
        self._others = [node for node in order if along_y[node]]
        last = {one: node for node in self._others for one in node.arguments if along_y[one]}
        self._dropped: dict[Node, list[Node]] = {}
        for one in last.keys() - set(nodes):
            self._dropped.setdefault(last[one], []).append(one)

    def put(
        self,
        position: tuple[np.ndarray, np.ndarray, np.ndarray],
        known: Mapping[Known, float],
        out: np.ndarray,
    ) -> None:
        """Put the values at the points with these x, y and z into out, [node][z][y][x]."""
        x, y, z = position
        axes = [x[None, None, :], y[None, :, None], z[:, None, None]]
        of_all: dict[Node, np.ndarray] = {}
        self._work_out(self._alike, axes, known, of_all)
        rows = max(1, TOGETHER // max(1, len(x) * len(z)))
        for first in range(0, len(y), rows):
            axes[Y] = y[None, first : first + rows, None]
            values = dict(of_all)
            self._work_out(self._others, axes, known, values)
            for component, node in zip(out, self.nodes, strict=True):
                component[:, first : first + rows] = values[node]

    def _work_out(
        self,
        nodes: Sequence[Node],
        axes: Sequence[np.ndarray],
        known: Mapping[Known, float],
        values: dict[Node, np.ndarray],
    ) -> None:
        """Adds the values of nodes in order, and drops values that no later node needs."""
        with np.errstate(all="ignore"):
            for node in nodes:
                values[node] = value_of(node, values, known, axes)
                for one in self._dropped.get(node, ()):
                    del values[one]
