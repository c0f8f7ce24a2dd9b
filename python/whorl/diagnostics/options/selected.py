"""Values of quantities at some points of the grid, for slices and lines."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from whorl.config.positions import coordinates, nearest_point
from whorl.diagnostics.options.base import Array, Axis, Diagnostic, Quantity, unit_of
from whorl.expressions.histogram import Selection
from whorl.expressions.questions import Answers, Questions

MOST_VALUES = 2**24  # of a diagnostic in one state


def point_near(diagnostic: Diagnostic, grid: Any, axis: int, position: float) -> tuple[int, float]:
    """The number and the coordinate of the point nearest to a position. Raises ValueError outside."""
    try:
        number = nearest_point(grid, axis, position)
    except ValueError as error:
        raise ValueError(f"diagnostics.{diagnostic.label}.at: {error}") from None
    return number, float(coordinates(grid)[axis][number])


def every_nth(grid: Any, axis: int, stride: int) -> range:
    """The indices of the points along an axis in steps of `stride`, from the first on."""
    return range(0, grid.points[axis], stride)


def selected(
    diagnostic: Any,
    questions: Questions,
    grid: Any,
    quantities: Sequence[Quantity],
    points: tuple[range, ...],
    axes: str,
) -> tuple[tuple[Axis, ...], Array]:
    """The axes, in the order z, y, x, and the array of the values. Raises ValueError if they are too many."""
    selection = Selection(tuple(one.node for one in quantities), points)
    size = int(np.prod(selection.shape))
    if size > MOST_VALUES:
        raise ValueError(
            f"diagnostics.{diagnostic.label} has {size} values of each state, more than {MOST_VALUES}; "
            f"take fewer quantities or a larger stride than {diagnostic.stride}, or fields of snapshots "
            "(output.fields)"
        )
    questions.select(selection)
    along = sorted(axes, reverse=True)
    kept = ["xyz".index(name) for name in along]
    shape = (len(quantities), *(len(points[axis]) for axis in kept))

    def values(found: Answers) -> np.ndarray:
        return found.selected(selection).reshape(shape)

    places = coordinates(grid)
    return (
        tuple(
            Axis("xyz"[axis], places[axis][np.array(points[axis])], "position of the points", "length")
            for axis in kept
        ),
        Array(
            diagnostic.kind, ("quantity", *along), "values at the points", values, str(unit_of(quantities))
        ),
    )
