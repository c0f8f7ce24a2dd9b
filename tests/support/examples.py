"""How many examples hypothesis draws: a third by default, all of them with --full."""

import os

SHARE = 3
FULL = "WHORL_TESTS_FULL"  # conftest.py sets it, before modules of tests are read


def examples(count: int) -> int:
    return count if FULL in os.environ else max(count // SHARE, 1)
