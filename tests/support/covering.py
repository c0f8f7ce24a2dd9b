"""Few cases of many in which any two values still meet: a covering array of strength two, or of one."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations

RANKS = "ranks"
# Process grids of these are alike: none, a row, a rectangle.
ALIKE = {1: "one", 2: "a row", 3: "a row", 4: "a grid", 6: "a grid", 8: "a grid"}


def meetings(case: Mapping[str, Hashable], strength: int) -> frozenset:
    """Its values, and the kind of its process grids; of strength two also pairs.

    Pairs are those of any two values, and of a value with whether there are several ranks.
    """
    values = sorted((name, value) for name, value in case.items() if name != RANKS)
    ranks = case.get(RANKS)
    alone = [*values, (RANKS, ALIKE.get(ranks, ranks))]
    if strength == 1:
        return frozenset(alone)
    return frozenset([*alone, *combinations([*values, ("several ranks", ranks != 1)], 2)])


def covering(cases: Sequence[Mapping[str, Hashable]], strength: int = 2, turn: int = 0) -> list[int]:
    """Indices of cases, in order, that hold whatever `meetings` any case holds.

    Each further one has the most that is still missing; then the values that were chosen least; then it is
    the first after `turn`, so that not all functions run on the same numbers of ranks.
    """
    of_cases = [meetings(case, strength) for case in cases]
    missing = frozenset().union(*of_cases)
    chosen: list[int] = []
    used: Counter[tuple[str, Hashable]] = Counter()
    while missing:
        best = max(
            range(len(cases)),
            key=lambda i: (
                len(of_cases[i] & missing),
                -sum(used[one] for one in cases[i].items()),
                -((i - turn) % len(cases)),
            ),
        )
        chosen.append(best)
        missing -= of_cases[best]
        used.update(cases[best].items())
    return sorted(chosen)
