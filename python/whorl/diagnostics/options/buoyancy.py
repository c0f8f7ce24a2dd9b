"""Shared parts of the profiles of convection and of stratified flow."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl.diagnostics.options.base import Array, Diagnostic
from whorl.diagnostics.options.planes import PlaneMeans
from whorl.expressions.questions import Answers, Questions

if TYPE_CHECKING:
    from whorl.config.case import Case

Means = dict[str, np.ndarray]  # by name, over the planes
OF_BOTH = {
    "theta": "theta",
    "square": "theta**2",
    "flux": "theta*u.z",
    "slope": "dz(theta)",
    "gradient": "dot(grad(theta), grad(theta))",
    "strain": "sum(strain(u)**2)",
}


class Planes:
    """Means over horizontal planes of expressions, by name."""

    def __init__(self, questions: Questions, case: "Case", texts: Mapping[str, str]):
        self.names = list(texts)
        nodes = [questions.parser.parse(text).scalar for text in texts.values()]
        self.means = PlaneMeans.ask(questions, case.grid, "z", nodes)
        (self.axis,) = self.means.axes

    def array(
        self, name: str, meaning: str, unit: str, of: Callable[[Means], Any], axes: tuple[str, ...] = ("z",)
    ) -> Array:
        """An array that follows from the means; NaN where it is divided by zero."""

        def values(found: Answers) -> np.ndarray:
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.asarray(of(dict(zip(self.names, self.means.of(found), strict=True))), float)

        return Array(name, axes, meaning, values, unit)


def check_model(diagnostic: Diagnostic, case: "Case", model: str) -> None:
    """Raises ValueError if the case has another model."""
    if case.flow.model != model:
        raise ValueError(
            f'diagnostics.{diagnostic.label} is for flow.model = "{model}", not "{case.flow.model}"; give '
            "kind profile, with expressions of its own"
        )


def at_lower_wall(profile: np.ndarray) -> float:
    """The value at z = 0 of a cosine series Σ a_n cos(nπz) with as many terms as points z = (j + ½)/N.

    It is Σ a_n = (1/N) Σ_j (−1)^j cot(π (j + ½)/(2N)) f_j, since
    1 + 2 Σ_{n<N} cos(nφ) = sin((N − ½)φ)/sin(φ/2).
    """
    count = len(profile)
    number = np.arange(count)
    weights = (-1.0) ** number / np.tan(np.pi * (number + 0.5) / (2 * count))
    return float(weights @ profile / count)


def highest(profile: np.ndarray) -> float:
    """The place of the maximum of a profile in its lower half, in spacings from the lower wall.

    It is the vertex of the parabola through the largest value and its neighbours; the profile is even about
    the wall. NaN if the profile is constant.
    """
    if not np.ptp(profile) > 0:
        return np.nan
    top = int(np.argmax(profile[: len(profile) // 2]))
    below, at, above = profile[max(top - 1, 0)], profile[top], profile[top + 1]
    curvature = below - 2 * at + above
    return top + 0.5 + (0.5 * (below - above) / curvature if curvature else 0.0)
