"""Passive scalars: [[scalars]] of a case, on any model with a velocity (of typed ones: models/carried.py)."""

import re
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, model_validator

from whorl.config.columns import Column
from whorl.config.section import Section, Vector, at_most_one, given_one, option
from whorl.initial.options import Initial

LONGEST_NAME = 64


def plain_name(name: str) -> str:
    if not re.fullmatch("[A-Za-z][A-Za-z0-9_-]*", name):
        raise ValueError("it must begin with a letter A to Z and go on with letters, digits, _ and -")
    if len(name) > LONGEST_NAME:
        raise ValueError(f"it must have at most {LONGEST_NAME} letters")
    return name


class Scalar(Section):
    """A passive scalar θ: ∂θ/∂t + u·∇(θ + g·x) = D ∇²θ, g its mean gradient."""

    name: Annotated[str, AfterValidator(plain_name)] = option(
        ..., "its name in the series, spectra and snapshots"
    )
    diffusivity: float | None = option(None, "diffusivity D; instead of schmidt", unit="length²/time", ge=0)
    schmidt: float | None = option(None, "Schmidt number ν/D; 1 without diffusivity", gt=0)
    gradient: Vector = option((0.0, 0.0, 0.0), "mean gradient g; one number: along z", unit="1/length")
    initial: Initial | None = option(None, "its initial field, as in [initial]; zero without")

    rivals: ClassVar = {"diffusivity": ("schmidt",), "schmidt": ("diffusivity",)}

    @model_validator(mode="before")
    @classmethod
    def _schmidt_unless_diffusive(cls, data: Any) -> Any:
        return given_one(data, "schmidt", 1.0, "diffusivity")

    @model_validator(mode="after")
    def _one_diffusivity(self) -> "Scalar":
        at_most_one(self, "scalars", "diffusivity", "schmidt")
        return self

    def of_core(self, viscosity: float) -> tuple[str, tuple[float, float, float, float]]:
        """Name, diffusivity and mean gradient for the core."""
        D = self.diffusivity if self.schmidt is None else viscosity / self.schmidt
        return self.name, (D, *self.gradient)


STATISTICS = (
    Column("variance", "", "½⟨θ²⟩"),
    Column("dissipation", "1/time", "D⟨|∇θ|²⟩"),
    Column("production", "1/time", "−g·⟨u θ⟩, production of variance by the mean gradient"),
)
VARIANCE = Column("variance", "", "½|θ|² of the shell")


def own_names(case: dict[str, Any]) -> dict[str, str]:
    """Names of the scalars by their names in checkpoints, from the sections of a case.

    Checkpoints number them, scalar0, scalar1, …, and so did the first version of snapshots.
    """
    return {f"scalar{index}": scalar["name"] for index, scalar in enumerate(case.get("scalars", []))}
