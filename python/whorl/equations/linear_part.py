"""The linear part of equations: exact rates, blocks of components that are coupled, and explicit terms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from whorl.equations.exact import ONE, added
from whorl.equations.multipliers import Factor, Normal, Place, Sums, unit
from whorl.equations.plan import LinearBlock, LinearTerm, PlanTerm, Rate
from whorl.equations.split import Clock, Split


@dataclass(frozen=True)
class LinearPart:
    """Rates by component, blocks, and terms with a clock."""

    rates: tuple[tuple[Rate, ...], ...]
    blocks: tuple[LinearBlock, ...]
    explicit: tuple[LinearTerm, ...]

    @property
    def may_grow(self) -> bool:
        """Whether blocks or explicit terms do more than turn the phases of a component by itself."""
        terms = (*self.explicit, *(term for block in self.blocks for term in block.terms))
        return any(one.to != one.term.of or one.term.turn % 2 == 0 for one in terms)


def linear_part(
    split: Split,
    normal: Normal,
    groups: Sequence[tuple[int, ...]],
    components: int,
    clocks: Mapping[Clock, int],
) -> LinearPart:
    """The linear part, projected for vectors without a divergence."""
    rows: dict[Clock, list[Sums]] = {}
    for (to, place, clock), value in split.linear.items():
        of = rows.setdefault(clock, [{} for _ in range(components)])
        added(of[to], {place: value})
    for of in rows.values():
        for group in groups:
            _project(of, group, normal)
    plain = rows.pop((), [{} for _ in range(components)])
    rates = _rates(plain, groups)
    rest = [
        {place: value for place, value in row.items() if not _is_rate(number, place, rates[number])}
        for number, row in enumerate(plain)
    ]
    exact = tuple(tuple(Rate(float(value), exponent) for exponent, value in of.items()) for of in rates)
    explicit = [
        LinearTerm(to, plan_term(place, value), clocks[clock])
        for clock, of in sorted(rows.items())
        for to, row in enumerate(of)
        for place, value in sorted(row.items())
    ]
    return LinearPart(exact, _blocks(rest), tuple(explicit))


def plan_term(place: Place, value: Fraction) -> PlanTerm:
    """The term of a component with a factor; derivatives are D = ik."""
    component, factor = place
    turn = sum(factor.orders) % 4
    return PlanTerm(component, float(value), factor.orders, factor.power, turn, factor.tag, factor.meanless)


def _project(rows: list[Sums], group: Sequence[int], normal: Normal) -> None:
    """Take the part along D from the rows of a vector: L_i + D_i (D·L)/k²."""
    along: Sums = {}
    for axis, component in enumerate(group):
        added(along, normal.under(rows[component], unit(axis), 0, ONE))
    for axis, component in enumerate(group):
        added(rows[component], normal.under(along, unit(axis), -1, ONE))


def exponent_of(factor: Factor) -> float | None:
    """The power of |k| that a factor is, or None."""
    radial = factor.tag.radial
    powers = [number for name, number in radial if name == "power"]
    isotropic = factor.tag._replace(radial=()) == Factor().tag and len(powers) == len(radial)
    if any(factor.orders) or factor.meanless or not isotropic:
        return None
    return 2 * factor.power + sum(powers)


def _rates(rows: Sequence[Sums], groups: Sequence[tuple[int, ...]]) -> list[dict[float, Fraction]]:
    """The part of each row that is a sum of powers of |k|; a projected vector has one for all components."""
    rates = []
    for number, row in enumerate(rows):
        of: dict[float, Fraction] = {}
        for (component, factor), value in sorted(row.items()):
            exponent = exponent_of(factor)
            if component == number and exponent is not None and exponent >= 0:
                of[exponent] = value
        rates.append(of)
    for group in groups:
        common = {
            exponent: value
            for exponent, value in rates[group[0]].items()
            if all(rates[one].get(exponent) == value for one in group)
        }
        for one in group:
            rates[one] = common
    return [dict(sorted(of.items())) for of in rates]


def _is_rate(number: int, place: Place, rate: Mapping[float, Fraction]) -> bool:
    component, factor = place
    return component == number and exponent_of(factor) in rate


def _blocks(rows: Sequence[Sums]) -> tuple[LinearBlock, ...]:
    """The components that rows connect, each with its terms."""
    joined = {number: {number} for number in range(len(rows))}
    for to, row in enumerate(rows):
        for component, _ in row:
            both = joined[to] | joined[component]
            for one in both:
                joined[one] = both
    blocks = []
    for number in range(len(rows)):
        members = sorted(joined[number])
        terms = [
            LinearTerm(to, plan_term(place, value))
            for to in members
            for place, value in sorted(rows[to].items())
        ]
        if terms and members[0] == number:
            blocks.append(LinearBlock(tuple(members), tuple(terms)))
    return tuple(blocks)
