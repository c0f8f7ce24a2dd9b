"""The declaration of a force: its options, the sources of the core that make it, its checks."""

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator

from whorl.base.dimension import TIME, Dimension
from whorl.config.scalars import plain_name
from whorl.config.section import Section, option

if TYPE_CHECKING:
    from whorl.config.case import Case


def units_of(unit: str) -> tuple[str, str]:
    """The units of the power and of the work of a force on a field, the change of ½⟨field²⟩."""
    work = Dimension.of(unit) ** 2
    return str(work / TIME), str(work)


@dataclass(frozen=True)
class CoreSource:
    """A source of the core (`core/forcing/source.hpp`): its kind there, and its numbers by name."""

    kind: str
    numbers: dict[str, float] = field(default_factory=dict)
    shells: tuple[float, ...] = ()


class Forcing(Section):
    """Base of all forces."""

    kind: str = option(..., "kind of force")
    name: Annotated[str, AfterValidator(plain_name)] | None = option(
        None, "its name in the series and the spectra; its kind by default"
    )
    field: str | None = option(
        None, "field it acts on: a field of the state or a scalar; by default the velocity, or ψ"
    )

    multiplies: ClassVar[bool] = False
    """Whether it is proportional to the field, so that a field that is zero stays zero."""

    vector: ClassVar[bool] = False
    """Whether the field must be a vector field of three components."""

    holds: ClassVar[bool] = False
    """Whether it sets the energy of its band, so that no other force can on the same modes."""

    any_bases: ClassVar[bool] = True
    """Whether it is possible between walls as well."""

    end_of_band: ClassVar[str] = "forcing.k_max"
    """The option or expression in messages that sets the end of its band."""

    no_moment: ClassVar[str] = ""
    """The reason why it has no value at a single time, if it follows from a step."""

    correlated_for: ClassVar[float] = math.inf
    """The correlation time of a random process: 0 for white noise, infinite if it is not random."""

    @property
    def label(self) -> str:
        """The name in the series and the spectra."""
        return self.name or self.kind

    def ends(self) -> tuple[float, float] | None:
        """The smallest and the largest |k| of its band, in units of the box's smallest; None: all modes."""
        return None

    def seeds(self) -> tuple[int, ...]:
        """The seeds of its random numbers."""
        return (self.seed,) if hasattr(self, "seed") else ()

    def sources(self, case: "Case") -> tuple[CoreSource, ...]:
        """The sources of the core."""
        raise NotImplementedError

    def check(self, case: "Case") -> None:
        """Raises ValueError, naming values and remedy, where the case does not allow it."""


class OnBand(Forcing):
    """A force on a band of modes."""

    k_min: float = option(
        0.0, "smallest |k| of the forced modes, in units of the box's smallest wavenumber", ge=0
    )
    k_max: float = option(
        2.5, "largest |k| of the forced modes, in units of the box's smallest wavenumber", gt=0
    )
    modes: Literal["all", "horizontal", "vertical"] = option(
        "all", "which modes of the band: horizontal, independent of z; vertical, independent of x and y"
    )

    def ends(self) -> tuple[float, float]:
        return self.k_min, self.k_max

    def band(self) -> dict[str, float]:
        """The band as numbers of the core."""
        of = ("all", "horizontal", "vertical").index(self.modes)
        return {"k_min": self.k_min, "k_max": self.k_max, "of": float(of)}


# The end of the band of a force of Gaussian strength about k_f, three standard deviations from it.
END_ABOUT_PEAK = "the end of the band, k_f + 3 width"


def ends_about_peak(force: Any) -> tuple[float, float]:
    """The ends of the band of a force that has the options k_f and width."""
    return max(0.0, force.k_f - 3 * force.width), force.k_f + 3 * force.width


def about_peak(force: Any) -> dict[str, float]:
    """This band and the Gaussian as numbers of the core."""
    k_min, k_max = ends_about_peak(force)
    return {"k_min": k_min, "k_max": k_max, "peak": force.k_f, "width": force.width}


def given(**numbers: float | None) -> dict[str, float]:
    """The numbers that are not None, as floats."""
    return {name: float(value) for name, value in numbers.items() if value is not None}
