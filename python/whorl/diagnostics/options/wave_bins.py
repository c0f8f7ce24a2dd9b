"""Bins of the wavenumber, along one or two coordinates, in which sums over the modes are kept."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Annotated, Any, Literal, get_args

import numpy as np
from pydantic import BeforeValidator

from whorl.config.section import one_or_listed, option
from whorl.config.wavenumbers import shell_count, smallest_wavenumber, smallest_wavenumbers
from whorl.diagnostics.options.base import Array, Axis, Diagnostic, Found, word_or_numbers
from whorl.diagnostics.options.scales import number
from whorl.expressions.histogram import ModeAxis
from whorl.expressions.nodes import Node
from whorl.expressions.questions import Answers, Questions

Coordinate = Literal["k", "kx", "ky", "kz", "kperp", "kpar", "angle"]
Words = Literal["linear", "logarithmic"]
MEANINGS = {
    "k": "wavenumber |k|",
    "kx": "wavenumber |kx|",
    "ky": "wavenumber |ky|",
    "kz": "wavenumber |kz|",
    "kperp": "wavenumber across the axis",
    "kpar": "size of the wavenumber along the axis",
    "angle": "angle between the wavenumber and the axis",
}
LARGEST_COUNT = 1 << 17  # of cells


def word_or_edges(value: Any) -> Any:
    """A word, or numbers that rise from 0 or more on. Raises ValueError for anything else."""
    found = word_or_numbers(value, get_args(Words), (int, float), "numbers that rise")
    if isinstance(found, str):
        return found
    rise = len(found) > 1 and found[0] >= 0 and all(a < b for a, b in pairwise(found))
    if not rise or not math.isfinite(found[-1]):
        raise ValueError("edges are two numbers at least, which rise from 0 or more on")
    return tuple(map(float, found))


Shells = Annotated[Words | tuple[float, ...], BeforeValidator(word_or_edges)]


def one_or_two(value: Any) -> Any:
    """One word stands for a list of one. Raises ValueError for none, or more than two."""
    names = one_or_listed(value)
    if isinstance(names, tuple) and not 1 <= len(names) <= 2:
        raise ValueError("name one coordinate, or two")
    return names


@dataclass(frozen=True)
class ModeBins:
    """Bins along a coordinate: `edges` sort the modes; `shown` are finite edges where those are infinite."""

    name: str
    edges: tuple[float, ...]
    shown: np.ndarray
    centres: np.ndarray
    axis: int = 2

    def mode_axis(self) -> ModeAxis:
        """The bins as an axis of sums over the modes."""
        match self.name:
            case "k":
                return ModeAxis("size", self.edges)
            case "kperp":
                return ModeAxis("across", self.edges, self.axis)
            case "angle":
                return ModeAxis("angle", self.edges, self.axis)
        return ModeAxis("along", self.edges, self.axis)

    def coordinate(self) -> Axis:
        """The centres, as an axis of arrays."""
        unit = "rad" if self.name == "angle" else "1/length"
        return Axis(self.name, list(self.centres), f"{MEANINGS[self.name]}, the middle of the bin", unit)

    def without_zero(self) -> "ModeBins":
        """The bins without the first one, and with no infinite edge."""
        shown = self.shown[1:]
        return replace(self, edges=tuple(map(float, shown)), shown=shown, centres=self.centres[1:])

    def up_to(self, last: int) -> "ModeBins":
        """The bins up to the number `last`."""
        end = last + 1
        edges, shown = self.edges[: end + 1], self.shown[: end + 1]
        return replace(self, edges=edges, shown=shown, centres=self.centres[:end])

    def place_of_zero(self) -> int | None:
        """The number of the bin of the mode k = 0; None if no bin has it."""
        return 0 if self.edges[0] == 0 else None

    def limits(self) -> list[Array]:
        """The lower and the upper edges of the bins."""
        unit = self.coordinate().unit
        return [
            Array(
                f"{self.name}_{end}",
                (self.name,),
                f"{end} edge of the bin of {self.name}",
                partial(_constant, values),
                unit,
            )
            for end, values in (("lower", self.shown[:-1]), ("upper", self.shown[1:]))
        ]


def _constant(values: np.ndarray, answers: Answers) -> np.ndarray:
    return values


def linear_bins(name: str, width: float, count: int, axis: int = 2) -> ModeBins:
    """Bins around 0, 1, … times a width; the last one has all modes beyond."""
    inner = width * (np.arange(count) + 0.5)
    edges = (0.0, *inner[:-1], math.inf)
    return ModeBins(name, edges, np.array([0.0, *inner]), width * np.arange(count), axis)


def logarithmic_bins(name: str, width: float, largest: float, per_octave: int, axis: int = 2) -> ModeBins:
    """One bin below half a width, and those with edges of the ratio 2^(1/per_octave), a width or wider."""
    edges = [0.0, width / 2]
    while edges[-1] <= largest:
        edges.append(max(edges[-1] * 2 ** (1 / per_octave), edges[-1] + width))
    bins = _between(name, edges, axis)
    return replace(bins, centres=np.array([0.0, *bins.centres[1:]]))


def _between(name: str, edges: Sequence[float], axis: int) -> ModeBins:
    shown = np.array(edges)
    middle = (shown[:-1] + shown[1:]) / 2
    centres = np.where(shown[:-1] > 0, np.sqrt(shown[:-1] * shown[1:]), middle)
    return ModeBins(name, tuple(map(float, edges)), shown, centres, axis)


def bins_of(
    shells: Words | tuple[float, ...],
    per_octave: int,
    name: str,
    unit: float,
    most: int,
    place: str,
    axis: int = 2,
) -> ModeBins:
    """The bins that options at `place` ask for. Raises ValueError if no mode is in them."""
    if shells == "linear":
        return linear_bins(name, unit, most, axis)
    if shells == "logarithmic":
        return logarithmic_bins(name, unit, unit * most, per_octave, axis)
    largest = unit * (most - 0.5)
    if shells[0] >= largest:
        raise ValueError(
            f"{place}.shells begin at {shells[0]:g}, beyond all {name}, which are less than {largest:.4g}; "
            "choose smaller edges"
        )
    return _between(name, shells, axis)


def shells_of(shells: Words | tuple[float, ...], per_octave: int, grid: Any, place: str) -> ModeBins:
    """The shells of |k|, without k = 0 unless edges begin there. Raises ValueError if no mode is in them."""
    bins = bins_of(shells, per_octave, "k", smallest_wavenumber(grid), shell_count(grid), place)
    return bins.without_zero() if isinstance(shells, str) else bins


def smallest_across(grid: Any, axis: int) -> float:
    """The smallest wavenumber along the other axes that have more than one point."""
    sides = enumerate(zip(smallest_wavenumbers(grid), grid.points, strict=True))
    return min(k for other, (k, points) in sides if other != axis and points > 1)


def bins_across(grid: Any, width: float) -> int:
    """The number of bins around 0, 1, … times a width that contain all wavenumbers of all shells."""
    beyond = (shell_count(grid) - 0.5) * smallest_wavenumber(grid)
    return math.ceil(beyond / width * (1 - 1e-12) + 0.5)


def sector_bins(count: int, axis: int) -> ModeBins:
    """Equal bins of the angle from the axis, 0 to π/2."""
    shown = np.linspace(0, np.pi / 2, count + 1)
    return ModeBins("angle", (*map(float, shown[:-1]), math.inf), shown, (shown[:-1] + shown[1:]) / 2, axis)


def check_periodic(grid: Any, place: str) -> None:
    """Raises ValueError if the box has walls."""
    if grid.bases != "FFF":
        raise ValueError(
            f'{place} is for periodic boxes, not for grid.bases = "{grid.bases}"; give another kind of '
            "diagnostic"
        )


class Shelled(Diagnostic):
    """Base of diagnostics by shells of modes."""

    shells: Shells = option(
        "linear",
        "shells: linear, as wide as the smallest wavenumber; logarithmic; or the edges, in units of 1/length",
    )
    per_octave: int = option(4, "logarithmic shells in a factor of 2", ge=1, le=64)

    def shell_bins(self, grid: Any) -> ModeBins:
        """The bins of `shells_of`. Raises ValueError if no mode is in them, or if the box has walls."""
        place = f"diagnostics.{self.label}"
        check_periodic(grid, place)
        return shells_of(self.shells, self.per_octave, grid, place)

    def bins_along(self, grid: Any, name: str, unit: float, most: int, axis: int = 2) -> ModeBins:
        """The bins of a coordinate, `most` as wide as the unit. Raises ValueError if no mode is in them."""
        place = f"diagnostics.{self.label}"
        return bins_of(self.shells, self.per_octave, name, unit, most, place, axis)


class ByWavenumber(Shelled):
    """Base of sums over modes by one or two coordinates of the wavenumber."""

    over: Annotated[tuple[Coordinate, ...], BeforeValidator(one_or_two)] = option(
        ("k",),
        "one or two coordinates of the wavenumber: k, kx, ky, kz; kperp, kpar and angle about an axis",
    )
    axis: Literal["x", "y", "z"] = option("z", "the axis of kperp, kpar and angle")
    sectors: int = option(8, "number of bins of the angle, 0 to π/2", ge=1, le=1000)

    def bins(self, grid: Any) -> list[ModeBins]:
        """The bins of each coordinate. Raises ValueError if they are not possible in the box."""
        place = f"diagnostics.{self.label}"
        check_periodic(grid, place)
        if len(set(self.over)) < len(self.over):
            raise ValueError(f"{place}.over names {self.over[0]} twice; name two coordinates, or one")
        found = [self._bins(grid, name) for name in self.over]
        cells = math.prod(len(one.edges) for one in found)
        if cells > LARGEST_COUNT:
            raise ValueError(
                f"{place} has {cells} bins, more than {LARGEST_COUNT}; choose logarithmic shells, or edges"
            )
        return found

    def _bins(self, grid: Any, name: Coordinate) -> ModeBins:
        axis = "xyz".index(name[1] if name in ("kx", "ky", "kz") else self.axis)
        if name not in ("k", "kperp") and grid.points[axis] == 1:
            raise ValueError(
                f"diagnostics.{self.label}.over: the grid has one point along {'xyz'[axis]}, and all modes "
                f"have the same {name}; choose another coordinate or axis"
            )
        if name == "angle":
            return sector_bins(self.sectors, axis)
        if name in ("k", "kperp"):
            unit = smallest_wavenumber(grid) if name == "k" else smallest_across(grid, axis)
            return self.bins_along(grid, name, unit, bins_across(grid, unit), axis)
        unit = smallest_wavenumbers(grid)[axis]
        return self.bins_along(grid, name, unit, grid.points[axis] // 2 + 1, axis)


def mode_counts(questions: Questions, bins: Sequence[ModeBins]) -> Array:
    """The number of modes in each bin."""
    sums = questions.spectrum([], *(one.mode_axis() for one in bins))
    return Array(
        "modes",
        tuple(one.name for one in bins),
        "number of modes in the bin",
        lambda found: found.spectrum(sums),
    )


def sum_of_pairs(questions: Questions, pairs: Sequence[tuple[Node, Node]], bins: Sequence[ModeBins]) -> Found:
    """The sum of the products of pairs by bin."""
    varying = [(a, b) for a, b in pairs if not (a.uniform or b.uniform)]
    # A value that is the same at all points, such as zero in a plane flow, has wavenumber 0.
    graph = questions.parser.graph
    of_means = [
        number(questions, graph.apply("multiply", graph.mean(a), graph.mean(b)))
        for a, b in pairs
        if a.uniform or b.uniform
    ]
    shape = tuple(len(one.centres) for one in bins)
    sums = questions.spectrum(varying, *(one.mode_axis() for one in bins)) if varying else None
    place = tuple(one.place_of_zero() for one in bins)

    def spectrum(answers: Answers) -> np.ndarray:
        found = answers.spectrum(sums).copy() if sums else np.zeros(shape)
        if None not in place:
            found[place] += sum(answers.number(one) for one in of_means)
        return found

    return spectrum
