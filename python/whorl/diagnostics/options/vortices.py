"""Vortices of flow in a plane: connected regions where rotation outweighs strain."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from whorl.config.section import option
from whorl.diagnostics.options.base import Array, ArrayLayout, Axis, ComputedOnce, Diagnostic, Found
from whorl.expressions.histogram import Selection
from whorl.expressions.questions import Answers, Questions

if TYPE_CHECKING:
    from whorl.config.case import Case

OKUBO_WEISS = "(dx(velocity.x) - dy(velocity.y))**2 + (dx(velocity.y) + dy(velocity.x))**2 - vorticity**2"


@dataclass(frozen=True)
class Census:
    """The vortices of one state, numbered from 0, largest circulation in size first."""

    circulation: np.ndarray
    area: np.ndarray
    enstrophy: float  # the share of it in vortices

    @classmethod
    def of(cls, vorticity: np.ndarray, inside: np.ndarray, cell: float, least: int) -> "Census":
        """The census of regions of `least` points or more, which join across the edges of the box; [y][x]."""
        from scipy.ndimage import label

        # A region has one sign of the vorticity.
        labels, count = label(inside & (vorticity > 0))
        others, more = label(inside & (vorticity < 0))
        labels = np.where(others > 0, others + count, labels)
        number = _joined(labels, count, count + more)[labels]
        regions, index, points = np.unique(number, return_inverse=True, return_counts=True)
        sums = np.bincount(index.ravel(), vorticity.ravel()) * cell
        squares = np.bincount(index.ravel(), (vorticity**2).ravel())
        kept = (regions > 0) & (points >= least)
        order = np.argsort(-np.abs(sums[kept]), kind="stable")
        whole = squares.sum()
        return cls(
            sums[kept][order],
            points[kept][order] * cell,
            float(squares[kept].sum() / whole) if whole > 0 else np.nan,
        )


def _joined(labels: np.ndarray, positive: int, count: int) -> np.ndarray:
    """A number for each label, the same for those of one sign that touch across the edges of the box.

    Labels 1 to `positive` have one sign, later labels the other; 0 is outside.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    edges = [(labels[0], labels[-1]), (labels[:, 0], labels[:, -1])]
    pairs = np.concatenate(
        [np.stack([a, b])[:, (a > 0) & (b > 0) & ((a <= positive) == (b <= positive))] for a, b in edges],
        axis=1,
    )
    graph = coo_array((np.ones(pairs.shape[1]), pairs), shape=(count + 1, count + 1))
    return connected_components(graph, directed=False)[1]


class Vortices(Diagnostic):
    """A census of the vortices of flow in a plane: their number, circulations and areas."""

    of_moments: ClassVar = True

    kind: Literal["vortices"] = option(..., "kind of diagnostic")
    threshold: float = option(
        0.2, "vortices are where the Okubo–Weiss number is below −threshold of its deviations", gt=0, le=100
    )
    least: int = option(9, "fewest grid points of a vortex", ge=1)
    most: int = option(1000, "of how many circulation and area are kept, the strongest", ge=1, le=100_000)

    reference = "McWilliams, J. Fluid Mech. 219, 361 (1990); Weiss, Physica D 48, 273 (1991)"

    def ask(self, questions: Questions, case: "Case") -> ArrayLayout:
        grid = case.grid
        if grid.points[2] != 1 or grid.bases != "FFF" or "vorticity" not in case.flow.outputs:
            raise ValueError(
                f"diagnostics.{self.label} needs periodic flow in the plane of x and y, not grid.points = "
                f'[{", ".join(map(str, grid.points))}] with flow.model = "{case.flow.model}"; leave it out'
            )
        flat = case.flow.outputs["vorticity"].components == 1
        omega = "vorticity" if flat else "vorticity.z"
        number = OKUBO_WEISS.replace("vorticity", omega)
        # The Okubo–Weiss number has zero mean, so that its standard deviation is its rms.
        texts = (omega, f"({number})/rms({number})")
        nodes = tuple(questions.parser.parse(text).scalar for text in texts)
        selection = questions.select(Selection(nodes, tuple(map(range, grid.points))))
        cell = grid.lengths[0] * grid.lengths[1] / (grid.points[0] * grid.points[1])
        census = ComputedOnce(lambda found: self._census(found.selected(selection), cell))
        return self._layout(census)

    def _census(self, values: np.ndarray, cell: float) -> Census:
        vorticity, number = values[:, 0].astype(float)
        return Census.of(vorticity, number < -self.threshold, cell, self.least)

    def _layout(self, census: Callable[[Answers], Census]) -> ArrayLayout:
        def first(values: np.ndarray) -> np.ndarray:
            return np.pad(values[: self.most], (0, max(self.most - len(values), 0)), constant_values=np.nan)

        def of(what: Callable[[Census], Any]) -> Found:
            return lambda found: np.asarray(what(census(found)), float)

        numbers = (
            ("number", "number of vortices", lambda one: len(one.area), ""),
            (
                "cyclones",
                "number of those that turn to the left, Γ > 0",
                lambda one: (one.circulation > 0).sum(),
                "",
            ),
            ("covered", "area of all vortices", lambda one: one.area.sum(), "length²"),
            ("enstrophy_share", "part of ⟨ω²⟩ in vortices", lambda one: one.enstrophy, ""),
            ("mean_circulation", "mean of |Γ|", lambda one: _mean(np.abs(one.circulation)), "length²/time"),
            ("mean_radius", "mean of (area/π)^½", lambda one: _mean(np.sqrt(one.area / np.pi)), "length"),
        )
        return ArrayLayout(
            (Axis("vortex", [float(n) for n in range(self.most)], "place in the order of |Γ|"),),
            (
                *(Array(name, (), meaning, of(what), unit) for name, meaning, what, unit in numbers),
                Array(
                    "circulation",
                    ("vortex",),
                    "Γ = ∫ ω over the vortex, the strongest first, nan behind the last",
                    of(lambda one: first(one.circulation)),
                    "length²/time",
                ),
                Array("area", ("vortex",), "its area", of(lambda one: first(one.area)), "length²"),
            ),
        )


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else np.nan
