"""Dealiasing: the fraction of modes that is kept, and why."""

from fractions import Fraction

from whorl.equations.split import Split
from whorl.equations.text import System
from whorl.expressions.faults import fault
from whorl.expressions.nodes import within

NAMED = {2: "quadratic", 3: "cubic", 4: "quartic"}
HIGHEST = 3  # the degree up to which the fraction follows without a choice
FRACTION = 2  # over the points along an axis: the modes of each sign are half as many


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
