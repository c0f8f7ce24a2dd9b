"""The initial fields a case can name, each a section of parameters; initial/fields.py has their functions.

[initial] sets the model's first field, and so does its table [initial.velocity] if it has no name itself. A
table such as [initial.magnetic] sets another field.
"""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from whorl.config.section import FilePath, Numbers, Section, Seed, one_of, one_or_listed, option

DEFAULT_PEAK = 4.0
DEFAULT_ENERGY = 0.5
ANY = None


class InitialField(Section):
    """Base of all initial fields: their parameters, and tables for further fields of the state."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, "Initial"] = Field(init=False)

    fields: ClassVar[tuple[str, ...] | None] = ("velocity", "magnetic")
    """The fields it can set; ANY: every field of every model, and passive scalars."""

    any_bases: ClassVar[bool] = True
    """Whether it is possible between walls, too."""

    @classmethod
    def makes(cls, field: str) -> bool:
        """Whether it can set a field of this name."""
        return cls.fields is ANY or field in cls.fields

    @property
    def others(self) -> dict[str, "InitialField"]:
        """The initial fields of its tables, by field."""
        return self.__pydantic_extra__


class Zero(InitialField):
    """Zero: fluid at rest, no magnetic field, no perturbation."""

    name: Literal["zero"]
    fields: ClassVar = ANY


class TaylorGreen(InitialField):
    """Taylor–Green vortex: u = A sin x cos y cos z, v = −A cos x sin y cos z, w = 0; or its ψ."""

    name: Literal["taylor-green"]
    amplitude: float = option(
        1.0, "A; for ψ a factor, A being that of [initial.velocity]", unit="length/time"
    )
    fields: ClassVar = ("velocity", "psi")


class Abc(InitialField):
    """Arnold–Beltrami–Childress: u = A sin z + C cos y, v = B sin x + A cos z, w = C sin y + B cos x."""

    name: Literal["abc"]
    A: float = option(1.0, "coefficient of sin z, cos z", unit="length/time")
    B: float = option(1.0, "coefficient of sin x, cos x", unit="length/time")
    C: float = option(1.0, "coefficient of sin y, cos y", unit="length/time")
    any_bases: ClassVar = False


class Roberts(InitialField):
    """Roberts flow, helical and independent of z: u = A cos y, v = A sin x, w = A (sin y + cos x)."""

    name: Literal["roberts"]
    amplitude: float = option(1.0, "A", unit="length/time")
    any_bases: ClassVar = False


class Kolmogorov(InitialField):
    """Kolmogorov flow, a wave of shear: u = A sin(k_f y), v = w = 0."""

    name: Literal["kolmogorov"]
    amplitude: float = option(1.0, "A", unit="length/time")
    k_f: int = option(1, "waves along y in the box", ge=1)
    any_bases: ClassVar = False


class OrszagTang(InitialField):
    """Orszag–Tang vortex: velocity A (−sin y, sin x, 0), magnetic field A (−sin y, sin 2x, 0)."""

    name: Literal["orszag-tang"]
    amplitude: float = option(1.0, "A", unit="length/time")
    any_bases: ClassVar = False


class Random(InitialField):
    """Field of random phases with E(k) ∝ k⁴ exp(−2 (k/k0)²), or with a given spectrum."""

    name: Literal["random"]
    k0: float | None = option(
        None,
        f"peak of E(k), in units of the box's smallest wavenumber; {DEFAULT_PEAK:g} without spectrum",
        gt=0,
    )
    energy: float | None = option(
        None,
        f"mean energy, ½⟨u²⟩ or that of the field; {DEFAULT_ENERGY:g} without spectrum",
        unit="length²/time²",
        ge=0,
    )
    spectrum: Numbers | None = option(
        None,
        "energies of the shells 0, 1, 2, … in units of the smallest wavenumber",
        unit="length²/time²",
        min_length=2,
    )
    seed: Seed = option(0, "seed; the same field on any number of ranks")
    fields: ClassVar = ANY
    rivals: ClassVar = {"spectrum": ("k0", "energy"), "k0": ("spectrum",), "energy": ("spectrum",)}

    @model_validator(mode="before")
    @classmethod
    def _standard_form(cls, data: Any) -> Any:
        if isinstance(data, dict) and data.get("spectrum") is None:
            given = {key: value for key, value in data.items() if value is not None}
            return {"k0": DEFAULT_PEAK, "energy": DEFAULT_ENERGY, **given}
        return data

    @model_validator(mode="after")
    def _one_spectrum(self) -> "Random":
        if self.spectrum is not None and (self.k0 is not None or self.energy is not None):
            raise ValueError(
                "initial.spectrum gives every shell's energy; leave initial.k0 and initial.energy out"
            )
        return self


Formulas = Annotated[tuple[str, ...], BeforeValidator(one_or_listed)]


class Formula(InitialField):
    """Formulas in x, y and z, one for each component: value = ["sin(x)*cos(y)", "-cos(x)*sin(y)", "0"]."""

    name: Literal["formula"]
    value: Formulas = option(..., "one formula, or a list with one for each component")
    fields: ClassVar = ANY


class FromFile(InitialField):
    """The field from a checkpoint or a snapshot of whorl, or from arrays (nz, ny, nx) in HDF5 or npz."""

    name: Literal["from-file"]
    path: FilePath = option(..., "the file; relative to the case file")
    fields: ClassVar = ANY


KINDS = (TaylorGreen, Abc, Roberts, Kolmogorov, OrszagTang, Random, Formula, FromFile, Zero)
if TYPE_CHECKING:
    Initial = InitialField
else:
    Initial = one_of(KINDS, "name")
for kind in (InitialField, *KINDS):
    kind.model_rebuild(force=True)
