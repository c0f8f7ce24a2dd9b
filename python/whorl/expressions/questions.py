"""Questions about one state of a flow: means, histograms and values, to be worked out together."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl.expressions.histogram import (
    Amplitudes,
    Counted,
    Histogram,
    ModeAxis,
    ModeSums,
    PlaneMean,
    Selection,
)
from whorl.expressions.increments import IncrementMoments, Increments
from whorl.expressions.language import FUNCTIONS
from whorl.expressions.linear import LinearForm
from whorl.expressions.nodes import Node, within, worked_out
from whorl.expressions.parse import Parser
from whorl.expressions.values import Value

if TYPE_CHECKING:
    from whorl.expressions.plan import ExpressionPlan


@dataclass
class Answers:
    """The answers to questions. Samples are those of this rank's particles; only rank 0 has selections.

    Attributes
    ----------
    asked : list of Value
        The values that are wanted as numbers.
    found : dict
        The answers by their questions, and the numbers that programs know.
    """

    asked: list[Value]
    found: dict[Any, Any]

    @property
    def numbers(self) -> list[np.ndarray]:
        """The values that are wanted as numbers, in order."""
        return [self.number(value) for value in self.asked]

    def number(self, value: Value) -> np.ndarray:
        """The numbers of a value that is the same at all points, in its shape; complex if the value is."""
        numbers = np.array([worked_out(node, self.found) for node in value.nodes()])
        parts = numbers.reshape(-1, *value.real.shape)
        return parts[0, ...] + 1j * parts[1, ...] if value.complex else parts[0, ...]

    def histogram(self, histogram: Histogram) -> Counted:
        """The counts and sums of a histogram."""
        return self.found[histogram]

    def plane(self, mean: PlaneMean) -> np.ndarray:
        """The means of a node, by plane."""
        return self.found[mean]

    def spectrum(self, sums: ModeSums) -> np.ndarray:
        """The sums by bin, without modes beyond the bins."""
        return self.found[sums][tuple(slice(-1) for _ in sums.axes)]

    def selected(self, selection: Selection) -> np.ndarray:
        """The values of a selection, in its shape and the flow's precision; on rank 0."""
        return self.found[selection]

    def moments(self, increments: Increments) -> IncrementMoments:
        """The moments of increments."""
        return self.found[increments]

    def coefficients(self, amplitudes: Amplitudes) -> np.ndarray:
        """The Fourier coefficients, [node][mode]."""
        return self.found[amplitudes]


@dataclass
class Questions:
    """Values, means and histograms over one parser, so that they share inputs and round trips.

    Attributes
    ----------
    parser : Parser
        Makes values of texts, and knows the fields and numbers of the case.
    numbers : list of Value
        Values wanted as numbers: all their nodes are the same at all points.
    values : list of Value
        Values wanted at the points.
    histograms : list of Histogram
        Histograms.
    planes : list of PlaneMean
        Means over planes.
    spectra : list of ModeSums
        Sums over modes.
    selections : list of Selection
        Values at some points.
    increments : list of Increments
        Moments of increments along an axis.
    amplitudes : list of Amplitudes
        Fourier coefficients at single modes.
    samples : list of Node
        Nodes wanted at particles, where the linear forms from which they follow are sampled.
    most : float
        The largest number of means, nodes of histograms and selected values of a round trip.
    apart : list of Questions
        Questions over the same parser with round trips of their own, one after another.
    points : tuple of int, optional
        The points of a smaller grid, on which these questions are answered; it has no forces.
    plan : ExpressionPlan, optional
        The plan, which `plan_of` makes once; nothing may be asked for afterwards.
    """

    parser: Parser
    numbers: list[Value] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    histograms: list[Histogram] = field(default_factory=list)
    planes: list[PlaneMean] = field(default_factory=list)
    spectra: list[ModeSums] = field(default_factory=list)
    selections: list[Selection] = field(default_factory=list)
    increments: list[Increments] = field(default_factory=list)
    amplitudes: list[Amplitudes] = field(default_factory=list)
    samples: list[Node] = field(default_factory=list)
    most: float = math.inf
    apart: list["Questions"] = field(default_factory=list)
    points: tuple[int, int, int] | None = None
    plan: "ExpressionPlan | None" = None

    def alone(self, points: tuple[int, int, int] | None = None) -> "Questions":
        """Questions that are answered on their own after these; their products are kept only meanwhile."""
        one = Questions(self.parser, most=self.most, points=points)
        self.apart.append(one)
        return one

    def mean(self, value: Value) -> Value:
        """The means of the components of a value, which are asked for."""
        mean = FUNCTIONS["mean"].of(self.parser.algebra, value).of_unit(value.unit)
        self.numbers.append(mean)
        return mean

    def histogram(self, histogram: Histogram) -> Histogram:
        """A histogram that is asked for."""
        self.histograms.append(histogram)
        return histogram

    def plane_mean(self, node: Node, axis: int) -> PlaneMean:
        """The means of a node over the planes across y or z, which are asked for."""
        mean = PlaneMean(node, axis)
        self.planes.append(mean)
        return mean

    def spectrum(self, pairs: Iterable[tuple[Node, Node]], *axes: ModeAxis) -> ModeSums:
        """The sums of products of pairs by bins of the modes, which are asked for."""
        graph = self.parser.graph
        sums = ModeSums(tuple((graph.as_field(a), graph.as_field(b)) for a, b in pairs), axes)
        self.spectra.append(sums)
        return sums

    def select(self, selection: Selection) -> Selection:
        """Values at some points that are asked for."""
        self.selections.append(selection)
        return selection

    def increment(self, increments: Increments) -> Increments:
        """Moments of increments that are asked for."""
        self.increments.append(increments)
        return increments

    def amplitude(self, amplitudes: Amplitudes) -> Amplitudes:
        """Fourier coefficients that are asked for."""
        self.amplitudes.append(amplitudes)
        return amplitudes

    def sample(self, nodes: Iterable[Node]) -> None:
        """Ask for the linear forms that nodes follow from at particles."""
        self.samples += nodes

    @property
    def sampled(self) -> list[LinearForm]:
        """The linear forms at particles."""
        linear = (one.value for one in within(*self.samples) if one.kind == "linear")
        return list(dict.fromkeys(linear))
