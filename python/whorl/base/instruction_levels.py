"""Instruction levels (cmake/levels.cmake): those of the processor, those built, and the one chosen."""

import importlib.util
import os

from whorl import _levels

VARIABLE = "WHORL_LEVEL"


def of_processor() -> list[str]:
    """The processor's levels from the lowest to the highest: baseline, then v2, v3, v4 of x86-64."""
    return list(_levels.supported())


def usable() -> list[str]:
    """The levels of the processor for which this whorl is built."""
    return [name for name in of_processor() if importlib.util.find_spec(f"whorl._core_{name}")]


def chosen() -> str:
    """The highest usable level, or the one that the environment variable WHORL_LEVEL names.

    Raises ImportError if no level is usable, or the named one is not.
    """
    there, asked = usable(), os.environ.get(VARIABLE)
    if asked in there:
        return asked
    if asked:
        raise ImportError(
            f"{VARIABLE}={asked} is no instruction level that this whorl is built for and this processor "
            f"has: choose {' or '.join(there) or 'none'}, or leave {VARIABLE} unset."
        )
    if not there:
        raise ImportError(
            f"this whorl is built for none of the instruction levels that this processor has "
            f"({', '.join(of_processor())}); build it here: make setup, or pip install."
        )
    return there[-1]
