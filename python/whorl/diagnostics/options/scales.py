"""Axes of histograms: how a quantity becomes a position among bins."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import AfterValidator, BeforeValidator

from whorl.base.dimension import PURE, Dimension
from whorl.config.section import LARGEST_NUMBER, listed
from whorl.diagnostics.options.base import Array, Axis, Found, Quantity, listed_numbers, unit_of
from whorl.expressions.graph import Graph
from whorl.expressions.histogram import Histogram
from whorl.expressions.linear import WITHOUT_MEAN, band
from whorl.expressions.nodes import Node, is_constant
from whorl.expressions.questions import Answers, Questions
from whorl.expressions.values import Value, scalar

Scale = Literal["std", "absolute", "log"]
DEFAULT_RANGE = {"std": (-20.0, 20.0), "absolute": (-1.0, 1.0), "log": (-6.0, 4.0)}
SCALES = {"std": "(f − ⟨f⟩)/σ_f", "absolute": "f", "log": "log₁₀(f/⟨f⟩)"}


def _rising(ends: tuple[float, float]) -> tuple[float, float]:
    if not ends[0] < ends[1]:
        raise ValueError("it must be two numbers, the smaller one first")
    if not max(map(abs, ends)) <= LARGEST_NUMBER:
        raise ValueError(f"both must be at most {LARGEST_NUMBER:g} in size; choose other units")
    if ends[1] - ends[0] < 1 / LARGEST_NUMBER:
        raise ValueError(f"they must be at least {1 / LARGEST_NUMBER:g} apart; choose other units")
    return ends


Ends = Annotated[tuple[float, float], BeforeValidator(listed), AfterValidator(_rising)]


@dataclass(frozen=True)
class ScaledBins:
    """Equal bins of a scaled quantity."""

    scale: str
    count: int
    ends: tuple[float, float]

    @classmethod
    def of(cls, scale: str, count: int, ends: tuple[float, float] | None) -> "ScaledBins":
        """Bins of a scale, with its usual ends where none are given."""
        return cls(scale, count, ends or DEFAULT_RANGE[scale])

    @property
    def width(self) -> float:
        """The width of a bin."""
        return (self.ends[1] - self.ends[0]) / self.count

    @property
    def centres(self) -> np.ndarray:
        """The centres of the bins."""
        return self.ends[0] + self.width * (np.arange(self.count) + 0.5)

    def unit(self, quantities: Sequence[Quantity]) -> Dimension:
        """The unit of the bins of some quantities."""
        return unit_of(quantities) if self.scale == "absolute" else PURE

    def axis(self, name: str, quantities: Sequence[Quantity], of: str = "") -> Axis:
        """The coordinate of the bins of some quantities."""
        meaning = f"{SCALES[self.scale]}{of}, the centre of the bin"
        return Axis(name, self.centres, meaning, str(self.unit(quantities)))

    def position(self, questions: Questions, quantity: Quantity) -> Node:
        """The position of the quantity in units of bins, from the first one on."""
        graph, node = questions.parser.graph, quantity.node
        of, factor = node, graph.constant(1 / self.width)
        offset = graph.constant(-self.ends[0] / self.width)
        if self.scale == "log":
            if is_constant(graph.mean(node), 0):
                raise quantity.fault("log₁₀(f/⟨f⟩) needs a mean that is not zero; choose another scale")
            of = graph.apply("log10", graph.apply("divide", node, graph.mean(node)))
        if self.scale == "std":
            factor = graph.apply("divide", factor, spread(graph, node))
            offset = graph.apply("subtract", offset, graph.apply("multiply", graph.mean(node), factor))
        # One operation a point: factor and offset are numbers.
        return graph.apply("add", graph.apply("multiply", factor, of), offset)


def spread(graph: Graph, node: Node) -> Node:
    """The standard deviation, from means of the same round trip."""
    centred, lower = _about_mean(graph, node)
    if node.kind == "linear" and graph.mean_is_in_modes(node) and not is_constant(lower, 0):
        centred = graph.under(node, *band(WITHOUT_MEAN, math.inf))
    square = graph.mean(graph.apply("multiply", centred, centred))
    if _is_centred(graph, node):
        return graph.apply("sqrt", square)
    mean = graph.mean(node)
    variance = graph.apply("subtract", square, graph.apply("multiply", mean, mean))
    return graph.apply("sqrt", graph.apply("maximum", variance, graph.constant(0)))


def _is_centred(graph: Graph, node: Node) -> bool:
    """Whether squares are of a node minus its mean, which keeps the digits of much smaller deviations.

    In double precision they are not, if the mean would need an earlier round trip.
    """
    return graph.single or graph.mean_is_in_modes(node)


def _about_mean(graph: Graph, node: Node) -> tuple[Node, Node]:
    """The node whose variance over some of the points is measured, and the mean subtracted from it, or 0."""
    if not _is_centred(graph, node):
        return node, graph.constant(0)
    mean = graph.mean(node)
    return graph.apply("subtract", node, mean), mean


def with_squares(questions: Questions, quantities: Sequence[Quantity]) -> tuple[tuple[Node, ...], Found]:
    """The nodes whose averages over some of the points give the means and variances of quantities there.

    The nodes are the quantities about their means, and the squares of these. The function gives the means
    that are subtracted.
    """
    graph = questions.parser.graph
    nodes, lower = zip(*(_about_mean(graph, one.node) for one in quantities), strict=True)
    squares = (graph.apply("multiply", node, node) for node in nodes)
    return (*nodes, *squares), listed_numbers([number(questions, one) for one in lower])


def number(questions: Questions, node: Node) -> Value:
    """The value of a node that is the same at all points, added to the questions."""
    value = scalar(node)
    questions.numbers.append(value)
    return value


def means_of_powers(questions: Questions, node: Node, orders: Iterable[int]) -> list[Value]:
    """The means of some powers of a node, added to the questions."""
    graph = questions.parser.graph
    return [number(questions, graph.mean(graph.power(node, graph.constant(n)))) for n in orders]


def counts(histogram: Histogram, axes: tuple[str, ...]) -> Array:
    """The number of points in each bin, summed over states."""
    return Array(
        "count",
        axes,
        "grid points in the bin",
        lambda found: found.histogram(histogram).inside,
        over_time="sum",
    )


def outside(histogram: Histogram) -> Array:
    """The number of points in no bin."""

    def of(found: Answers) -> np.ndarray:
        return np.array(found.histogram(histogram).outside)

    return Array("outside", (), "grid points in no bin", of, over_time="sum")


def mean_and_std(questions: Questions, quantities: Sequence[Quantity]) -> tuple[Array, Array]:
    """The mean and the standard deviation of each quantity."""
    graph = questions.parser.graph
    means = [number(questions, graph.mean(one.node)) for one in quantities]
    deviations = [number(questions, spread(graph, one.node)) for one in quantities]
    unit = str(unit_of(quantities))
    return (
        Array("mean", ("quantity",), "⟨f⟩", listed_numbers(means), unit),
        Array("std", ("quantity",), "σ, the root of ⟨f²⟩ − ⟨f⟩²", listed_numbers(deviations), unit),
    )
