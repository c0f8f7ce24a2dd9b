"""How much of what a test could try it tries by default; with --full it tries all."""

import os
from collections.abc import Sequence
from typing import TypeVar

SHARE = 3
FULL = "WHORL_TESTS_FULL"  # conftest.py sets it, before modules of tests are read

One, Other = TypeVar("One"), TypeVar("Other")


def examples(count: int) -> int:
    """How many examples hypothesis draws: a third by default."""
    return count if FULL in os.environ else max(count // SHARE, 1)


def dealt(ones: Sequence[One], others: Sequence[Other]) -> list[tuple[One, Sequence[Other]]]:
    """Each with some of the others, of which each is dealt once at least by default."""
    if FULL in os.environ:
        return [(one, others) for one in ones]
    return [(one, others[i :: len(ones)] or [others[i % len(others)]]) for i, one in enumerate(ones)]
