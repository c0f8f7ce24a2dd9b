"""The declaration of an equation set for the rest of whorl: its options, output and pictures.

A model is a section of the case whose class variables declare everything else about it. `Model` lists them;
`navier_stokes.py` is the shortest example.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from whorl.base.dimension import Dimension
from whorl.base.text import in_powers
from whorl.config.columns import Column, derived
from whorl.config.section import Section, option


@dataclass(frozen=True)
class FieldOf:
    """A field of a model: number of components, unit and meaning.

    `sines` lists for each component the axes between whose walls it is a sine, zero on the walls; along the
    other axes with walls it is a cosine. Expressions use the field's name or its `symbol`. A field that is
    not in the state has a `definition` by fields that are. With `parts` two components are the real and the
    imaginary part of one number; with `solenoidal` the divergence of three components is zero. A `scaled`
    field is over a constant with a unit, which the equations leave out.
    """

    components: int
    unit: str
    meaning: str
    sines: tuple[str, ...] = ()
    symbol: str = ""
    definition: str = ""
    parts: bool = False
    solenoidal: bool = False
    scaled: bool = False

    @property
    def dimension(self) -> Dimension:
        """The unit; loose if the field is scaled."""
        unit = Dimension.of(self.unit)
        return unit.as_loose() if self.scaled else unit


@dataclass(frozen=True)
class Defined:
    """A quantity at the points that has a name: the expression that it stands for, and its meaning.

    The text names fields and parameters in full. Its unit follows from these, or is given if the text has
    numbers of the case.
    """

    text: str
    meaning: str
    unit: str | None = None


@dataclass(frozen=True)
class Balance:
    """The rate of change of ½ Σ f² for numbers f at the points: df/dt = Σ terms, mode by mode.

    Attributes
    ----------
    of : tuple of str
        The numbers or vectors f as expressions.
    terms : dict
        The expressions of each term by its name, one for each f. A term has one name in all models.
    turning : dict
        Terms that only exchange between components of f, and add nothing to the sum over these.
    factor : float
        The balanced quantity is this times Σ f².
    together : dict
        Expressions in place of those of the same terms where the components of f are summed: with other
        gradients, or fewer products.
    """

    of: tuple[str, ...]
    terms: dict[str, Any]
    turning: dict[str, Any] = field(default_factory=dict)
    factor: float = 0.5
    together: dict[str, Any] = field(default_factory=dict)


def transport(g: str, m: str) -> str:
    """∂_j (g_i m_j) − ∂_i (g_z m_z), for vectors g and m: (m·∇)g up to a gradient, with one product fewer.

    A gradient brings nothing to a field without divergence.
    """
    x = f"vector({g}.x*{m}.x - {g}.z*{m}.z, {g}.x*{m}.y, {g}.x*{m}.z)"
    y = f"vector({g}.y*{m}.x, {g}.y*{m}.y - {g}.z*{m}.z, {g}.y*{m}.z)"
    return f"vector(div({x}), div({y}), dx({g}.z*{m}.x) + dy({g}.z*{m}.y))"


@dataclass(frozen=True)
class Exchange:
    """The transfer from the modes g of one field to those of another by a third: df/dt = ± (m·∇)g.

    Attributes
    ----------
    giver, receiver : str
        g and f, fields of one rank.
    mediator : str
        m, a vector field without divergence.
    sign : int
        1 or −1.
    uniform : str
        A uniform vector that is added to m; none if it is empty.
    """

    giver: str
    receiver: str
    mediator: str
    sign: int
    rank: int = 1
    uniform: str = ""

    def term(self, g: str) -> str:
        """± (m·∇)g, g an expression; of a vector up to a gradient."""
        advected = transport(g, self.mediator) if self.rank else f"div({self.mediator}*{g})"
        by_uniform = f" + dot(grad({g}), {self.uniform})" if self.uniform else ""
        return f"{'-' if self.sign < 0 else ''}({advected}{by_uniform})"

    def of_triad(
        self, k: np.ndarray, p: np.ndarray, f: np.ndarray, g: np.ndarray, m: np.ndarray
    ) -> np.ndarray:
        """±2 Im((k·m(q)) g(p)·f(k)), the transfer to modes ±k from ±p by ±q, k + p + q = 0.

        Wavenumbers are [triad, axis], amplitudes [component, triad]. The term ±∇·(m g) of mode −k is
        ∓i (k·m(q)) g(p), and f(k) is the conjugate of f(−k). The real part of their product is the rate of
        change of ½|f(−k)|². The rate of ½|f(k)|² is the same.
        """
        along = np.einsum("ta,at->t", k, m)
        return self.sign * 2 * (along * (g * f).sum(0)).imag


@dataclass(frozen=True)
class PictureSlice:
    """A plane of a snapshot: |field|, its value (signed) or |field|², on the plane normal to an axis.

    `background` (a, b) adds a + b z to a value; `name` is shown where the field's own name would mislead;
    `part` is a component of the field, shown as a value.
    """

    field: str
    symbol: str
    shows: Literal["magnitude", "value", "density"] = "magnitude"
    normal: str = "z"
    background: tuple[float, float] | None = None
    name: str = ""
    part: str | None = None

    @property
    def title(self) -> str:
        """The quantity that is shown, with its symbol; words begin with a capital, names such as p do not."""
        named = self.name or self.field
        word = len(named) > 2 and named.replace(" ", "").isalpha() and named.islower()
        return f"{named.capitalize() if word else named}  {self.symbol}".rstrip()


@dataclass(frozen=True)
class Curves:
    """A title and the columns drawn below it, each with a label (none is shown for a single one).

    Two spaces in the title come before the symbol of the quantity, which an axis without a unit has.
    """

    title: str
    columns: tuple[tuple[str, str], ...]

    @property
    def symbol(self) -> str:
        """The symbol of the quantity, or an empty text."""
        return self.title.partition("  ")[2]


Slope = tuple[float, str]  # a power of k, and how it is written

# The inertial range of three-dimensional turbulence (Kolmogorov, Dokl. Akad. Nauk SSSR 30, 301 (1941)).
KOLMOGOROV: Slope = (-5 / 3, "$k^{-5/3}$")


@dataclass(frozen=True)
class Picture:
    """The picture of `whorl plot`: the first available slice, two graphs over time, spectra and slopes.

    `slope` is drawn beyond the wavenumbers of the force, or without a force beyond those of the largest
    energy; `slope_below` is drawn below the wavenumbers of the force. Kolmogorov's `slope` is left out where
    Rλ is too small for it (`compared` of whorl.pictures.run).
    """

    slices: tuple[PictureSlice, ...]
    curves: tuple[Curves, Curves]
    spectra: tuple[tuple[str, str], ...]
    spectra_title: str = "Energy spectrum  E(k)"
    slope: Slope | None = None
    slope_below: Slope | None = None


class Model(Section):
    """Base of all equation sets."""

    model: str = option(..., "equation set")

    formulas: ClassVar[str]
    """The equations in plain text, as `whorl models` prints them."""

    state: ClassVar[dict[str, FieldOf]]
    """The fields of the state, in the core's order (`_core.model_shape`)."""

    outputs: ClassVar[dict[str, FieldOf]]
    """The fields that can be read and written in snapshots."""

    snapshot: ClassVar[tuple[str, ...]]
    """The default of output.fields."""

    columns: ClassVar[tuple[Column, ...]]
    """Columns of the series after those of `columns.CLOCK`: statistics of the core, and derived columns."""

    not_columns: ClassVar[tuple[str, ...]] = ()
    """Statistics and spectra of the core that are not written: for tests, or as input of derived columns."""

    spectra: ClassVar[tuple[Column, ...]]
    """Spectra of the core."""

    of_states: ClassVar[tuple[Column, ...]] = ()
    """Columns of "state", of flows in three dimensions."""

    transfers_enstrophy: ClassVar[bool] = False
    """Whether the spectra have the transfer to the enstrophy of the velocity."""

    progress: ClassVar[tuple[tuple[str, str], ...]]
    """The display of a run in progress: symbols, and the columns they stand for."""

    picture: ClassVar[Picture]

    example: ClassVar[dict[str, Any]]
    """Sections of an example case that runs for a minute: for `whorl new` and `whorl bench`."""

    # The possible grids: bases by axis (z, y, x), axes that may have a single point, whether they must (then
    # no field has a component along them).
    bases: ClassVar[tuple[str, ...]] = ("FFF",)
    dealias: ClassVar[str] = "2/3"
    flat_axes: ClassVar[str] = "z"
    must_be_flat: ClassVar[bool] = False

    waves: ClassVar[tuple[str, ...]] = ()
    """Options of the linear terms that rotate or couple the fields: waves, apart from growth and decay."""

    measured: ClassVar[str] = "velocity"
    """The quantity measured on the grid in a step (`measure` of the core's model); a blow-up names it."""

    # Whether the model has a viscous velocity, which carries scalars, and whether only this holds energy.
    viscous: ClassVar[bool] = True
    only_kinetic: ClassVar[bool] = False

    forced_by: ClassVar[dict[str, tuple[str, str]]] = {}
    """The other field from which a field follows, and the force on the field by the force f on the other."""

    turnover_rate: ClassVar[Any] = None
    """u'/L of a state by sums over its modes; None: not defined, and no option may be in turnovers."""

    @classmethod
    def first_field(cls) -> str:
        """The field that [initial] sets."""
        return next(iter(cls.state))

    def constants(self) -> dict[str, float]:
        """The numbers of the equations by name, as expressions have them."""
        raise NotImplementedError

    def of_core(self) -> dict[str, float]:
        """The core's parameters by name: the constants."""
        return self.constants()

    def units(self) -> dict[str, Dimension]:
        """The units of the parameters, by name: those of the options of these names, or of their vectors."""
        found = {}
        for name in self.constants():
            option = name if name in type(self).model_fields else name.rpartition("_")[0]
            if option in type(self).model_fields:
                found[name] = Dimension.of(self.unit_of(option))
        return found

    def unit_of(self, option: str) -> str:
        """The unit of an option, as a text; empty without a unit."""
        about: Any = type(self).model_fields[option].json_schema_extra or {}
        return about.get("unit") or ""

    def quantities(self) -> dict[str, Defined]:
        """Quantities by name that expressions may use, such as the pressure p."""
        return {}

    def unknown(self) -> dict[str, str]:
        """Reasons why this flow lacks quantities that other flows of the model have, by their names."""
        return {}

    def budget(self) -> dict[str, tuple[str, ...]]:
        """The quantities whose means add up to the rate of change of a column of the series, by column.

        A minus before a name says that it is subtracted.
        """
        return {}

    def balances(self) -> dict[str, Balance]:
        """The terms that change a column or spectrum in each mode, and so the transfers, by its name."""
        return {}

    def exchanges(self) -> dict[str, Exchange]:
        """The exchanges between shells of modes, by a name such as "u to u"."""
        return {}

    def viscosity_of_schmidt(self) -> float:
        """The ν in the Schmidt numbers of scalars."""
        return self.constants()["viscosity"]

    def symbols(self) -> dict[str, float]:
        """The parameters that distinguish runs, by symbol, without those of terms that do not act."""
        return {}

    def headline(self) -> str:
        """The parameters of `symbols` as text, with three digits, for the title of a picture."""
        shown = self.symbols().items()
        return "   ·   ".join(f"{symbol} = {in_powers(value, 3)}" for symbol, value in shown)

    def check_grid(self, grid: Any) -> None:
        """Raises ValueError, naming the option and the remedy, if the model is not possible on this grid."""
        check_bases(self, grid)
        check_flat_axes(self, grid)

    def check_equations(self, grid: Any) -> None:
        """Raises CaseError, with a caret at the place, if typed equations are not possible on this grid."""

    def prescribed(self) -> tuple[str, ...]:
        """Fields of the state that stay as they are."""
        return ()

    def without_mean(self, bases: str) -> tuple[str, ...]:
        """Fields whose mean must be zero initially in a box of these bases."""
        return ()

    def derived(self, statistics: Mapping[str, float], kmax: float) -> dict[str, float]:
        """Columns that follow from the statistics and the largest wavenumber kept in every direction."""
        return derived(self.columns, statistics, self, kmax)

    def explicit_waves(self) -> list[str]:
        """The options whose linear terms are advanced explicitly, so that they limit the step."""
        if getattr(self, "linear", "explicit") == "exact":
            return []
        return [f"flow.{name}" for name in self.waves if np.any(getattr(self, name))]

    def frequencies(self, k: np.ndarray) -> tuple[np.ndarray, ...]:
        """The angular frequencies ω of the linear waves exp(i(k·x − ωt)), a branch each, at k, [axis, mode].

        NaN for a mode without such a wave; no branches if the model has no waves.
        """
        return ()

    def moves(self, statistics: Mapping[str, float]) -> bool:
        """Whether the fields of this state limit the step, as far as statistics show."""
        return True

    def at_rest(self, statistics: Mapping[str, float]) -> bool:
        """Whether nothing limits the step, so that a Courant number sets no step."""
        return not (self.moves(statistics) or self.explicit_waves())


def acting(**values: float) -> dict[str, float]:
    """The values that are not zero, by their symbols."""
    return {symbol: value for symbol, value in values.items() if value}


def check_bases(model: Model, grid: Any) -> None:
    if grid.bases not in model.bases:
        allowed = ", ".join(model.bases)
        raise ValueError(
            f'grid.bases = "{grid.bases}" is not possible with flow.model = "{model.model}"; choose '
            f"{'one of ' if len(model.bases) > 1 else ''}{allowed}"
        )


def check_flat_axes(model: Model, grid: Any) -> None:
    flat = [axis for axis, n in zip("xyz", grid.points, strict=True) if n == 1]
    given = f"grid.points = [{', '.join(map(str, grid.points))}]"
    if model.must_be_flat and flat != [model.flat_axes]:
        raise ValueError(
            f'{given}: flow.model = "{model.model}" is two-dimensional and needs one point along '
            f"{model.flat_axes}, such as grid.points = [{grid.points[0]}, {grid.points[1]}, 1]"
        )
    if refused := [axis for axis in flat if axis not in model.flat_axes]:
        raise ValueError(f'{given}: flow.model = "{model.model}" needs at least 4 points along {refused[0]}')
    if len(flat) > 1:
        raise ValueError(f"{given}: only one axis may have a single point")


def components(name: str, vector: tuple[float, float, float]) -> dict[str, float]:
    """A vector as three of the core's parameters."""
    return {f"{name}_{axis}": value for axis, value in zip("xyz", vector, strict=True)}
