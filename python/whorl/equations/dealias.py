"""Dealiasing: the fraction of modes that is kept, and why; equations whose modes grow without bound."""

from fractions import Fraction

from whorl.equations.plan import Rate
from whorl.equations.rate import Grid
from whorl.equations.split import Split
from whorl.equations.text import System
from whorl.expressions.faults import fault
from whorl.expressions.nodes import within

NAMED = {2: "quadratic", 3: "cubic", 4: "quartic"}
PARTS = 256  # of the range of |k| in which a rate above zero is looked for
HIGHEST = 3  # the degree up to which the fraction follows without a choice
FRACTION = 2  # of the points along an axis there are half as many modes of each sign


def has_functions(split: Split) -> bool:
    """Whether a function of fields at the points is no polynomial."""
    at_points = any(one.kind == "linear" for node in split.nodes.values() for one in within(node))
    return at_points or None in split.inner.values()


def dealiasing(system: System, split: Split) -> tuple[int, str, str]:
    """The degree, the fraction that is kept, and the reason. Raises ExpressionError for a wrong choice."""
    chosen, degree = system.declared.dealias, split.degree
    if has_functions(split):
        if chosen is None:
            side = side_with_function(system, split)
            raise fault(
                "dealias is missing: a function of fields that is no polynomial has aliases with any choice; "
                'give dealias, such as "2/3" or "none"',
                side,
            )
        if chosen != "none" and degree > 1:
            _check_fraction(chosen, degree)
        return 0, chosen if chosen == "none" else str(_fraction(chosen)), "it is chosen for a function"
    if degree == 1 and chosen is None:
        return degree, "none", "no fields are multiplied"
    needed, name = Fraction(FRACTION, degree + 1), _name(degree)
    if chosen is None:
        if degree > HIGHEST:
            raise fault(
                f"dealias is missing: products are {name}, and {needed} of the modes would be without "
                f'aliases; give dealias, such as "{needed}" or "none"',
                system.sides[0].text,
            )
        return degree, str(needed), f"products are {name}"
    if chosen == "none":
        return degree, chosen, "it is chosen"
    _check_fraction(chosen, degree)
    return degree, str(_fraction(chosen)), "it is chosen"


def _name(degree: int) -> str:
    return NAMED.get(degree, f"of degree {degree}")


def _check_fraction(chosen: str, degree: int) -> None:
    needed = Fraction(FRACTION, degree + 1)
    if _fraction(chosen) > needed:
        raise fault(
            f"dealias is wrong ({chosen}): products are {_name(degree)}, and at most {needed} of the modes "
            f'are without aliases; give "{needed}", or "none"',
            chosen,
        )


def kept(dealias: str) -> float:
    """The fraction of modes as a number."""
    return 1.0 if dealias == "none" else float(Fraction(dealias))


def _fraction(text: str) -> Fraction:
    try:
        given = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise fault(f'dealias is wrong ({text}): it is a fraction or "none"; give "2/3"', text) from None
    if not 0 < given <= 1:
        raise fault(f'dealias is wrong ({text}): it is above 0 and at most 1; give "2/3"', text)
    return given


def side_with_function(system: System, split: Split) -> str:
    """The text of the first equation that has a function of fields."""
    component = next(
        (
            component
            for component, _, _, text in sorted(split.points)
            if any(one.kind == "linear" for one in within(split.nodes[text]))
        ),
        0,  # of an inner field
    )
    return next(side.text for side in system.sides if component < system.first[side.name] + len(side.nodes))


def growth(rate: tuple[Rate, ...], k: float) -> float:
    """The rate at a wavenumber."""
    return sum(one.coefficient * k**one.exponent for one in rate)


def check_growth(system: System, rates: tuple[tuple[Rate, ...], ...], grid: Grid, dealias: str) -> bool:
    """Whether a mode grows. Raises ExpressionError where modes grow the faster, the smaller they are."""
    largest = sum(k * k for k in grid.largest(kept(dealias))) ** 0.5
    amplifies = False
    for side in system.sides:
        for number in range(len(side.nodes)):
            rate = rates[system.first[side.name] + number]
            if rate and rate[-1].coefficient > 0 and rate[-1].exponent > 0:
                size = growth(rate, largest)
                raise fault(
                    f"the linear part of {side.name} is wrong (it grows as |k|^{rate[-1].exponent:g}): modes "
                    f"grow without bound, at |k| = {largest:.4g} with the rate {size:.4g}; change its sign, "
                    "or add a decay of a higher power",
                    side.text,
                )
            amplifies = amplifies or any(
                growth(rate, largest * part / PARTS) > 0 for part in range(PARTS + 1)
            )
    return amplifies
