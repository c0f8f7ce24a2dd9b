"""Questions besides means and values: histograms, values at some points, and spectra of the modes."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from whorl.expressions.nodes import Node

BEYOND = 3  # cells of an axis after its bins: values below, values above, NaN


@dataclass(frozen=True)
class Histogram:
    """A histogram over one or two axes.

    Attributes
    ----------
    axes : tuple of Node
        The positions in units of bins: a point with n ≤ axis < n + 1 belongs to bin n.
    bins : tuple of int
        The number of bins of each axis.
    weights : tuple of Node
        Quantities that are summed over the points of each cell.
    """

    axes: tuple[Node, ...]
    bins: tuple[int, ...]
    weights: tuple[Node, ...] = ()

    @property
    def nodes(self) -> tuple[Node, ...]:
        """All nodes that the histogram needs, in the order of the core."""
        return (*self.axes, *self.weights)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of cells of each axis."""
        return tuple(count + BEYOND for count in self.bins)


@dataclass(frozen=True)
class PlaneMean:
    """The means of a node over the planes of points across y, axis 1, or z, axis 2."""

    node: Node
    axis: int


@dataclass(frozen=True)
class Selection:
    """Values at some points of the grid.

    Attributes
    ----------
    nodes : tuple of Node
        The nodes wanted there.
    points : tuple of range
        The numbers of the points along x, y and z.
    """

    nodes: tuple[Node, ...]
    points: tuple[range, ...]

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """The numbers of nodes and of points along z, y and x."""
        x, y, z = self.points
        return (len(self.nodes), len(z), len(y), len(x))


@dataclass(frozen=True)
class ModeAxis:
    """Bins of a coordinate of modes.

    Attributes
    ----------
    of : "size", "along", "across" or "angle"
        |k|; |k_a|, where a is the axis; √(k² − k_a²); the angle between k and the axis in radians, 0 to π/2.
    edges : tuple of float
        Rising edges; a bin has its lower edge, and modes on an edge, to 2·10⁻⁷, are not below it.
    axis : int, default 2
        The axis, 0 = x, 1 = y, 2 = z.
    """

    of: Literal["size", "along", "across", "angle"]
    edges: tuple[float, ...]
    axis: int = 2


@dataclass(frozen=True)
class ModeSums:
    """Sums over the modes of products of two fields, by bin or by cell of two axes of bins.

    Attributes
    ----------
    pairs : tuple of pairs of Node
        Linear forms a and b, for Σ Re(a b*); modes that stand for their conjugates count twice. Without
        pairs the sum is the number of modes.
    axes : tuple of ModeAxis
        One or two coordinates; their bins are the axes of the sums.
    """

    pairs: tuple[tuple[Node, Node], ...]
    axes: tuple[ModeAxis, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of bins of each axis, with one more for modes beyond."""
        return tuple(len(axis.edges) for axis in self.axes)


@dataclass(frozen=True)
class Amplitudes:
    """The Fourier coefficients of fields at some modes.

    Attributes
    ----------
    nodes : tuple of Node
        Linear forms without products.
    modes : tuple of three int each
        Wavenumbers along x, y, z, as multiples of the smallest ones.
    """

    nodes: tuple[Node, ...]
    modes: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True)
class Counted:
    """Results of a histogram: the number of points and the sum of each weight in each cell, in its shape."""

    counts: np.ndarray
    sums: tuple[np.ndarray, ...]

    @classmethod
    def of(cls, histogram: Histogram, counts: list[int], sums: list[list[float]]) -> "Counted":
        """The counts and sums from the core's lists."""
        of_shape = tuple(np.array(one).reshape(histogram.shape) for one in sums)
        return cls(np.array(counts, np.int64).reshape(histogram.shape), of_shape)

    @property
    def inside(self) -> np.ndarray:
        """The counts of the bins."""
        return self.inside_of(self.counts)

    @property
    def beyond(self) -> np.ndarray:
        """The counts below, above and of NaN, for a histogram of one axis."""
        return self.counts[-BEYOND:]

    @staticmethod
    def inside_of(cells: np.ndarray) -> np.ndarray:
        """The bins of an array over all cells."""
        return cells[tuple(slice(-BEYOND) for _ in cells.shape)]

    @property
    def outside(self) -> int:
        """The number of points in no bin."""
        return int(self.counts.sum() - self.inside.sum())
