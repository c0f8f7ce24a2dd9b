"""Few cases of many in which any two values still meet: a covering array of strength two."""

from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations

# Process grids of these are alike: none, a row, a rectangle.
ALIKE = {1: "one", 2: "a row", 3: "a row", 4: "a grid", 6: "a grid", 8: "a grid"}


def pairs(case: Mapping[str, Hashable]) -> frozenset:
    """What has to be met: pairs of its values and, for a value that meets no other, the value.

    Each number of ranks is met once; in pairs, those whose process grids are alike count as one.
    """
    ranks = case.get("ranks")
    values = sorted(({**case, "ranks": ALIKE.get(ranks, ranks)} if ranks else case).items())
    return frozenset([*combinations(values, 2), *values, ("number of ranks", ranks)])


def pairwise(cases: Sequence[Mapping[str, Hashable]]) -> list[int]:
    """Indices of cases, in order, that hold whatever `pairs` any case holds.

    Each further one has the most that is still missing, the first of these where several have.
    """
    of_cases = [pairs(case) for case in cases]
    missing = frozenset().union(*of_cases)
    chosen = []
    while missing:
        best = max(range(len(cases)), key=lambda i: (len(of_cases[i] & missing), -i))
        chosen.append(best)
        missing -= of_cases[best]
    return sorted(chosen)
