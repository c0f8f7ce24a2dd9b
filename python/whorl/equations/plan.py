"""The plan of equations: tables of plain numbers, by which one round trip a stage gives all tendencies.

Modes have the convention of the core: a term is factor · i^turn · kx^a ky^b kz^c · |k|^(2 power), with a
tag, times a component of the state or a flux. At k = 0 it is 0 if it has derivatives, a power, or is
`meanless`.
"""

from dataclasses import dataclass

from whorl.equations.multipliers import PLAIN, Orders, Tag
from whorl.expressions.graph import Parity

Instruction = tuple[str, tuple[int, ...]]


@dataclass(frozen=True)
class FieldPlan:
    """A field: its kind, the labels of its components, the number of the first one, and their parities."""

    name: str
    kind: str
    components: tuple[str, ...]
    first: int
    parities: tuple[Parity, ...]
    solenoidal: bool


@dataclass(frozen=True)
class PlanTerm:
    """A multiplier times a component of the state, in inputs and linear terms, or a flux, in tendencies."""

    of: int
    factor: float
    orders: Orders = (0, 0, 0)
    power: int = 0
    turn: int = 0
    tag: Tag = PLAIN
    meanless: bool = False


@dataclass(frozen=True)
class Number:
    """A number of a program: a value, the time, or the number of a mean or of a result of the clock.

    `source` is "value", "t", "mean" or "clock".
    """

    source: str
    value: float = 0.0
    which: int = 0


@dataclass(frozen=True)
class PointProgram:
    """Operations at each point; operands are inputs, then numbers, then x, y and z, then results in order."""

    inputs: int
    numbers: tuple[Number, ...]
    instructions: tuple[Instruction, ...]
    results: tuple[int, ...]


@dataclass(frozen=True)
class Mean:
    """The mean over all points of a form, or of a product of two."""

    first: tuple[PlanTerm, ...]
    second: tuple[PlanTerm, ...] = ()


@dataclass(frozen=True)
class Clock:
    """Numbers that are found before each stage: means, and a program of the time and the means."""

    means: tuple[Mean, ...]
    program: PointProgram


@dataclass(frozen=True)
class Round:
    """A round trip that makes inner fields, the results of its program; `parities` are theirs."""

    inputs: tuple[tuple[PlanTerm, ...], ...]
    point: PointProgram
    parities: tuple[Parity, ...]


@dataclass(frozen=True)
class FluxPart:
    """A part of a flux: factor · i^turn · kx^a ky^b times a product."""

    product: int
    factor: float
    a: int
    b: int
    turn: int


@dataclass(frozen=True)
class Source:
    """A tendency of the mean of a component: a factor, times a result of the clock unless that is −1."""

    component: int
    factor: float
    clock: int = -1


@dataclass(frozen=True)
class Rate:
    """A part of an exact rate: da/dt = coefficient · |k|^exponent · a."""

    coefficient: float
    exponent: float


@dataclass(frozen=True)
class LinearTerm:
    """A linear term in the equation of a component, times a result of the clock unless that is −1."""

    to: int
    term: PlanTerm
    clock: int = -1


@dataclass(frozen=True)
class LinearBlock:
    """Components that linear terms connect, besides their rates."""

    components: tuple[int, ...]
    terms: tuple[LinearTerm, ...]


@dataclass(frozen=True)
class EquationPlan:
    """All tables of typed equations.

    Attributes
    ----------
    axes : int
        The number of axes of the box.
    fields : tuple of FieldPlan
        The fields; their components are numbered one after the other.
    inputs : tuple of tuple of PlanTerm
        The linear forms that are transformed to the points; those of the velocity come first.
    velocity : int
        The first input of the velocity, 0, or −1 if it is none.
    point : PointProgram
        The operations at a point. Results are the products, a bound of 1/dt, and the square of the speed.
    clock : Clock
        Numbers that depend on the time and on means.
    rounds : tuple of Round
        The round trips before that of the tendency; their results have numbers after the components.
    fluxes : tuple of tuple of FluxPart
        Sums of products that are formed at fixed kx and ky.
    tendency : tuple of tuple of PlanTerm
        The sum of fluxes for each component.
    projected : tuple of int
        The first components of vectors whose tendency is projected.
    sources : tuple of Source
        Tendencies of means.
    rates : tuple of tuple of Rate
        The exact rate of each component.
    blocks : tuple of LinearBlock
        Other linear terms, projected already.
    explicit : tuple of LinearTerm
        Linear terms whose coefficient depends on the clock, projected already.
    degree : int
        The largest number of factors of a product; 0 for a function that is no polynomial.
    dealias : str
        The fraction of modes that is kept, or "none".
    why : str
        The reason for it.
    amplifies : bool
        Whether a rate is above zero for some k.
    form : str
        The names of the inputs, or "as typed".
    cost : float
        The lines that are transformed, in N² lines of N points.
    notes : tuple of str
        Sentences about the search.
    """

    axes: int
    fields: tuple[FieldPlan, ...]
    inputs: tuple[tuple[PlanTerm, ...], ...]
    velocity: int
    point: PointProgram
    clock: Clock
    rounds: tuple[Round, ...]
    fluxes: tuple[tuple[FluxPart, ...], ...]
    tendency: tuple[tuple[PlanTerm, ...], ...]
    projected: tuple[int, ...]
    sources: tuple[Source, ...]
    rates: tuple[tuple[Rate, ...], ...]
    blocks: tuple[LinearBlock, ...]
    explicit: tuple[LinearTerm, ...]
    degree: int
    dealias: str
    why: str
    amplifies: bool
    form: str
    cost: float
    notes: tuple[str, ...]

    @property
    def components(self) -> int:
        """The number of real components of all fields."""
        return len(self.tendency)

    @property
    def inner_fields(self) -> int:
        """The number of inner fields."""
        return sum(len(one.parities) for one in self.rounds)

    @property
    def products(self) -> int:
        """The number of products."""
        return len(self.point.results) - 2

    @property
    def counts(self) -> tuple[int, int, int]:
        """The numbers of inputs, products and fluxes."""
        return len(self.inputs), self.products, len(self.fluxes)

    @property
    def real_fluxes(self) -> int:
        """The number of fluxes if each had one power of i only."""
        return sum(len({(part.a + part.b) % 2 for part in flux}) for flux in self.fluxes)
