"""Few cases of many in which any two values still meet: a covering array of strength two."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations

RANKS = "ranks"


def pairs(case: Mapping[str, Hashable]) -> frozenset:
    """What has to be met: its values and the pairs of them, but of the number of ranks no pairs."""
    values = sorted((name, value) for name, value in case.items() if name != RANKS)
    return frozenset([*combinations(values, 2), *values, (RANKS, case.get(RANKS))])


def pairwise(cases: Sequence[Mapping[str, Hashable]]) -> list[int]:
    """Indices of cases, in order, that hold whatever `pairs` any case holds.

    Each further one has the most that is still missing; of these it has the number of ranks that was chosen
    least; of these it is the first.
    """
    of_cases = [pairs(case) for case in cases]
    missing = frozenset().union(*of_cases)
    chosen: list[int] = []
    of_ranks: Counter[Hashable] = Counter()
    while missing:
        best = max(
            range(len(cases)),
            key=lambda i: (len(of_cases[i] & missing), -of_ranks[cases[i].get(RANKS)], -i),
        )
        chosen.append(best)
        missing -= of_cases[best]
        of_ranks[cases[best].get(RANKS)] += 1
    return sorted(chosen)
