"""The ready set of scalars and their gradients."""

from typing import TYPE_CHECKING, Literal

import numpy as np

from whorl.config.section import option
from whorl.diagnostics.options.ready import Group, Number, ReadySet, SetContents, moving_axes

if TYPE_CHECKING:
    from whorl.config.case import Case

UP = np.array([0.0, 0.0, 1.0])


class Scalars(ReadySet):
    """Moments and densities of scalars and of their gradients along and across the mean gradient."""

    kind: Literal["scalars"] = option(..., "kind of diagnostic")
    reference = "Warhaft, Annu. Rev. Fluid Mech. 32, 203 (2000)"

    def contents(self, case: "Case") -> SetContents:
        directions = {"temperature": UP} if "temperature" in case.flow.state else {}
        for scalar in case.scalars:
            if scalar.name.isidentifier():
                given = np.array(scalar.gradient, float)
                directions[scalar.name] = given if given.any() else UP
        if not directions:
            raise ValueError("needs a scalar or a temperature whose name has no hyphen; add [[scalars]]")
        texts: dict[str, str] = {}
        for name, direction in directions.items():
            along, *across = _frame(direction)
            texts[name] = name
            texts[f"{name} along"] = _slope(name, along)
            texts |= {f"{name} across {n + 1}": _slope(name, one) for n, one in enumerate(across)}
        numbers = [
            Number(
                f"{name}_mixed_skewness_{axis}",
                f"mean(d{axis}(velocity.{axis})*d{axis}({name})**2)"
                f"/(rms(d{axis}(velocity.{axis}))*mean(d{axis}({name})**2))",
                f"⟨∂u/∂{axis} (∂θ/∂{axis})²⟩/(⟨(∂u/∂{axis})²⟩^½ ⟨(∂θ/∂{axis})²⟩), u along {axis}",
            )
            for name in directions
            for axis in moving_axes(case)
        ]
        return SetContents((Group(texts),), tuple(numbers))


def _frame(direction: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The unit vector of a direction and two across it, the first normal to the axis it is least along."""
    along = direction / np.linalg.norm(direction)
    first = np.cross(np.eye(3)[np.argmin(np.abs(along))], along)
    first /= np.linalg.norm(first)
    return along, first, np.cross(along, first)


def _slope(name: str, direction: np.ndarray) -> str:
    parts = [f"{float(one)!r}*d{axis}({name})" for axis, one in zip("xyz", direction, strict=True) if one]
    return " + ".join(parts)
