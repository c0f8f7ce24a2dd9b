"""Forces of given shape: `steady`, by name or formula, and `script`, from a Python script."""

from typing import TYPE_CHECKING, Any, Literal

from whorl.config.section import Section, one_of, option
from whorl.forcing.options.base import CoreSource, Forcing
from whorl.initial import options as initial

if TYPE_CHECKING:
    from whorl.config.case import Case


class FormulaInTime(Section):
    """Formulas in x, y, z and t, one for each component: value = ["sin(2*y)*cos(t)", "0", "0"]."""

    name: Literal["formula"]
    value: initial.Formulas = option(..., "one formula, or a list with one for each component")


SHAPES = (
    initial.TaylorGreen,
    initial.Abc,
    initial.Roberts,
    initial.Kolmogorov,
    initial.OrszagTang,
    FormulaInTime,
    initial.FromFile,
)
if TYPE_CHECKING:
    Shape = Any
else:
    Shape = one_of(SHAPES, "name")


class Steady(Forcing):
    """A given field (by name, formulas or a file) times amplitude · cos(frequency · t + phase)."""

    kind: Literal["steady"]
    shape: Shape = option(..., "the field, as in [initial]; a formula may depend on t")
    amplitude: float = option(1.0, "factor of the field, besides an amplitude of its shape")
    frequency: float = option(0.0, "angular frequency ω of the factor cos(ωt + phase)", unit="1/time", ge=0)
    phase: float = option(0.0, "phase of this factor at t = 0")

    def sources(self, case: "Case") -> tuple[CoreSource, ...]:
        dense = isinstance(self.shape, FormulaInTime | initial.FromFile)
        numbers = {"frequency": self.frequency, "phase": self.phase, "dense": float(dense)}
        in_time = isinstance(self.shape, FormulaInTime)
        count = len(case.planned.force(self.shape.value)) if in_time else 1
        return (CoreSource("given", numbers),) * count


class Script(Forcing):
    """An array or a function from a Python script: Simulation(..., forcing=...)."""

    kind: Literal["script"]

    def sources(self, case: "Case") -> tuple[CoreSource, ...]:
        return (CoreSource("given", {"dense": 1.0}),)
