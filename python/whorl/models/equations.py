"""Equations that are typed as text: their fields, columns and pictures follow from the declarations."""

import math
from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, ConfigDict, ValidationInfo, field_validator, model_validator

from whorl.base.dimension import PURE, Dimension
from whorl.base.errors import CaseError
from whorl.config.columns import Column
from whorl.config.section import Linear, listed, option
from whorl.equations.compile import compiled
from whorl.equations.dealias import dealiasing
from whorl.equations.identity import identity_of
from whorl.equations.kinds import AXES, KINDS
from whorl.equations.plan import EquationPlan
from whorl.equations.problem import problem_of
from whorl.equations.rate import Grid as Box
from whorl.equations.text import Declarations, read
from whorl.expressions.graph import EVEN, Parity
from whorl.models.base import Curves, Defined, FieldOf, Model, Picture, PictureSlice, check_bases

Texts = Annotated[tuple[str, ...], BeforeValidator(listed)]
# Phase shifts are free of aliases for products of degree 2, like the fraction 2/3, and keep modes up to √2
# times as far along an axis.
FRACTIONS = dict.fromkeys(("phase-shift", "phase-shift-exact"), "2/3")
FURTHER = math.sqrt(2.0)
MOST_PLANS = 16
PLANS: dict[tuple[Any, ...], EquationPlan] = {}  # by sections and grids


class OfSection:
    """An attribute that follows from the section; on the class, that of the example."""

    def __init__(self, function: Callable[["Equations"], Any]):
        self.function = function
        self.__doc__ = function.__doc__

    def __get__(self, section: "Equations | None", owner: type["Equations"]) -> Any:
        return self.function(owner(**owner.example["flow"]) if section is None else section)


class Equations(Model):
    """Equations typed as text: `dt(FIELD) = EXPRESSION` for each field."""

    model_config = ConfigDict(ignored_types=(OfSection,))

    model: Literal["equations"] = option(..., "equation set")
    fields: dict[str, str] = option(..., f"the kind of each field: {', '.join(KINDS)}")
    equations: Texts = option(..., 'an equation for each field, "dt(u) = -u*dx(u) + nu*lap(u)"')
    parameters: dict[str, float | str] = option(
        {}, "numbers that the equations name, or texts of other parameters and the time t"
    )
    sines: dict[str, str] = option(
        {}, 'axes between whose walls a scalar is zero, {b = "z"}; along others its slope is zero there'
    )
    dimensions: Literal[1, 2, 3] = option(3, "axes of the box, which follow from the grid")
    linear: Linear = option("exact", "how linear terms that are no decay are advanced")
    rate: str | None = option(
        None, "an expression that bounds 1/dt at a point; without it a bound is found", unit="1/time"
    )
    forms: Literal["least", "typed"] = option(
        "least", "which fields are transformed: as few as possible, or those of the text"
    )
    example: ClassVar[dict[str, Any]] = {
        "grid": {"points": [64, 64, 1]},
        "flow": {
            "model": "equations",
            "dimensions": 2,
            "fields": {"u": "scalar", "v": "scalar"},
            "equations": [
                "dt(u) = Du*lap(u) - u*v**2 + F*(1 - u)",
                "dt(v) = Dv*lap(v) + u*v**2 - (F + k)*v",
            ],
            "parameters": {"Du": 0.001, "Dv": 0.0005, "F": 0.04, "k": 0.06},
        },
        "time": {"until": 100.0, "dt": 0.5},
        "initial": {
            "name": "formula",
            "value": "1 - 0.5*exp(-(x - pi)**2 - (y - pi)**2)",
            "v": {"name": "formula", "value": "0.25*exp(-(x - pi)**2 - (y - pi)**2)"},
        },
    }
    measured: ClassVar = "fields"
    viscous: ClassVar = False
    flat_axes: ClassVar = "yz"
    bases: ClassVar = ("FFF", "SFF", "SSF", "SSS")

    @field_validator("sines")
    @classmethod
    def _of_walls(cls, sines: dict[str, str], about: ValidationInfo) -> dict[str, str]:
        for name, axes in sines.items():
            kind = about.data.get("fields", {}).get(name)
            if kind not in ("scalar", "complex"):
                raise ValueError(
                    f"{name} is no scalar: a vector has the parities of its components; take it out"
                )
            if not axes or set(axes) - set(AXES):
                raise ValueError(f'the axes of {name} are letters such as "z", not "{axes}"')
        return sines

    @model_validator(mode="before")
    @classmethod
    def _numbers_as_floats(cls, data: Any) -> Any:
        """Whole numbers as parameters become floats."""
        if isinstance(data, dict) and isinstance(given := data.get("parameters"), dict):
            floats = {
                name: float(value) if isinstance(value, int) and not isinstance(value, bool) else value
                for name, value in given.items()
            }
            return {**data, "parameters": floats}
        return data

    def declarations(self, walls: Parity = EVEN, dealias: str | None = None) -> Declarations:
        """The declarations, in a box with or without walls along x, y and z."""
        return Declarations(
            self.fields,
            self.equations,
            self.parameters,
            self.dimensions,
            walls,
            parities={
                name: [tuple(axis in axes for axis in AXES)] * len(KINDS[self.fields[name]].labels(3))
                for name, axes in self.sines.items()
            },
            rate=self.rate,
            dealias=dealias,
        )

    def plan(self, grid: Any) -> EquationPlan:
        """The plan on a grid. Raises ExpressionError if the equations are not possible there."""
        key = (self.model_dump_json(), grid.points, grid.lengths, grid.bases, grid.dealias)
        if key not in PLANS:
            while len(PLANS) >= MOST_PLANS:
                del PLANS[next(iter(PLANS))]
            points, lengths = grid.points[: self.dimensions], grid.lengths[: self.dimensions]
            reach = FURTHER if grid.dealias in FRACTIONS else 1.0
            declared = self.declarations(_walls(grid), FRACTIONS.get(grid.dealias, grid.dealias))
            PLANS[key] = compiled(declared, self.forms, Box(points, lengths, reach))
        return PLANS[key]

    def check_grid(self, grid: Any) -> None:
        flat = "".join(axis for axis, n in zip("xyz", grid.points, strict=True) if n == 1)
        needed = "xyz"[self.dimensions :]
        if flat != needed:
            raise ValueError(
                f"flow.dimensions = {self.dimensions} needs one point along {needed or 'no axis'}, not "
                f"grid.points = {list(grid.points)}; give other points, or leave dimensions out"
            )
        check_bases(self, grid)
        walled = "".join(axis for axis, letter in zip("zyx", grid.bases, strict=True) if letter == "S")
        for name, axes in self.sines.items():
            if without := [axis for axis in axes if axis not in walled]:
                raise ValueError(
                    f"flow.sines of {name} has {without[0]}, which has no walls with grid.bases = "
                    f'"{grid.bases}"; take it out'
                )

    def check_equations(self, grid: Any) -> None:
        self.plan(grid)

    @OfSection
    def formulas(self) -> str:
        """The equations as they are typed."""
        return "\n".join(self.equations)

    @OfSection
    def state(self) -> dict[str, FieldOf]:
        """The fields of the state; a symmetric tensor has one for each component."""
        found: dict[str, FieldOf] = {}
        for name, kind in self.fields.items():
            found |= _fields_of(name, kind, self.dimensions, self.sines.get(name, ""))
        return found

    @OfSection
    def outputs(self) -> dict[str, FieldOf]:
        """The fields that can be read: those of the state."""
        return self.state

    @OfSection
    def snapshot(self) -> tuple[str, ...]:
        """The default of output.fields: all."""
        return tuple(self.state)

    @OfSection
    def columns(self) -> tuple[Column, ...]:
        """The mean energies and gradients of the fields."""
        energies = (Column(f"{name}_energy", "1", f"½⟨|{name}|²⟩") for name in self.state)
        gradients = (Column(f"{name}_gradients", "1/length²", f"½⟨|∇{name}|²⟩") for name in self.state)
        return (*energies, *gradients)

    @OfSection
    def spectra(self) -> tuple[Column, ...]:
        """The energies of the fields by shell."""
        return tuple(Column(f"{name}_energy", "1", f"½|{name}|² of the shell") for name in self.state)

    @OfSection
    def progress(self) -> tuple[tuple[str, str], ...]:
        """The energies of the first two fields."""
        return tuple((f"½⟨{name}²⟩", f"{name}_energy") for name in list(self.state)[:2])

    @OfSection
    def picture(self) -> Picture:
        """The first fields in a plane, their energies, gradients and spectra."""
        names = list(self.state)[:4]
        energies = tuple((f"{name}_energy", name) for name in names)
        gradients = tuple((f"{name}_gradients", name) for name in names)
        slices = tuple(
            PictureSlice(name, *(("", "value") if field.components == 1 else (f"|{name}|", "magnitude")))
            for name, field in self.state.items()
        )
        return Picture(
            slices, (Curves("Energy  ½⟨f²⟩", energies), Curves("Gradients  ½⟨|∇f|²⟩", gradients)), energies
        )

    @OfSection
    def dealias(self) -> str:
        """The modes that are kept by default: for products of degree d, N/(d + 1) of N points."""
        system = read(self.declarations())
        return dealiasing(system, problem_of(system).split)[1]

    @OfSection
    def first_field(self) -> Callable[[], str]:
        """The function that gives the field that [initial] sets."""
        return lambda: next(iter(self.state))

    def constants(self) -> dict[str, float]:
        return {name: value for name, value in self.parameters.items() if isinstance(value, float)}

    def of_core(self) -> dict[str, float]:
        """None: the plan has the numbers."""
        return {}

    def units(self) -> dict[str, Dimension]:
        """No units are known: parameters fit into any expression."""
        return dict.fromkeys(self.constants(), PURE.as_loose())

    def quantities(self) -> dict[str, Defined]:
        """The name velocity for the first velocity, which diagnostics and particles have by default."""
        first = next((name for name, kind in self.fields.items() if KINDS[kind].solenoidal), None)
        if first is None or "velocity" in self.fields:
            return {}
        return {"velocity": Defined(first, f"{first}, the velocity", "1")}

    def symbols(self) -> dict[str, float]:
        return self.constants()


def _walls(grid: Any) -> Parity:
    """Whether there are walls along x, y and z."""
    return tuple(letter == "S" for letter in reversed(grid.bases))


def _fields_of(name: str, kind: str, dimensions: int, zero: str) -> dict[str, FieldOf]:
    """The fields of the state that a declared field has."""
    of = KINDS[kind]
    labels = of.labels(dimensions)
    if len(of.shape) == 2:
        return {f"{name}_{label}": FieldOf(1, "1", f"{name}, {label}", scaled=True) for label in labels}
    sines = tuple(AXES[axis] if of.shape else zero for axis in range(len(labels)))
    return {
        name: FieldOf(
            len(labels),
            "1",
            f"{name}, {kind}",
            sines,
            parts=of.complex,
            solenoidal=of.solenoidal,
            scaled=True,
        )
    }


def other_equations(flow: Any, before: Any, grid: Any) -> str | None:
    """A sentence where typed equations go on from the state of other ones; None if numbers alone differ.

    Raises CaseError where the state had a divergence that a velocity does not have.
    """
    if not isinstance(flow, Equations) or not isinstance(before, Equations):
        return None
    for name, kind in flow.fields.items():
        was = before.fields.get(name, kind)
        if KINDS[kind].solenoidal and not KINDS[was].solenoidal:
            raise CaseError(
                f"the kind of {name} is wrong ({kind}): the checkpoint has a {was} with a divergence; begin "
                "from a field that has none"
            )
    walls = _walls(grid)
    if identity_of(flow.declarations(walls)) == identity_of(before.declarations(walls)):
        return None
    return "the equations are others than those of the checkpoint: " + "; ".join(before.equations)


def with_dimensions(flow: Any, grid: Any) -> Any:
    """The section [flow] of typed equations with the number of axes of the grid."""
    if flow.get("model") != "equations":
        return flow
    points = grid.get("points") if isinstance(grid, dict) else None
    if isinstance(points, int):
        points = [points] * 3
    if not isinstance(points, list | tuple):
        return flow
    return {**flow, "dimensions": max(1, sum(n != 1 for n in points))}
