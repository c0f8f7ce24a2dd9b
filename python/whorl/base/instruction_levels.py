"""Instruction levels (cmake/levels.cmake): those of the processor, those built, and the one chosen."""

import importlib.util
import os
import pkgutil
import platform

from whorl import _levels

VARIABLE = "WHORL_LEVEL"
PREFIX = "_core_"  # begins the module of a level; these names sort from the lowest to the highest level


class LevelError(ImportError):
    """The error where this processor, or WHORL_LEVEL, leaves no instruction level to choose."""


def require_processor() -> None:
    """Raise LevelError on a processor on which NumPy, before all else, would end with an illegal instruction.

    NumPy's wheels for x86-64 need v2 since version 2.4. A core for any processor, `baseline`, is built by
    those who have another NumPy.
    """
    too_old = platform.machine() in ("x86_64", "AMD64") and of_processor() == ["baseline"]
    if too_old and "baseline" not in built():
        raise LevelError(
            "this processor is too old (x86-64 without v2): whorl and NumPy need SSE4.2 and POPCNT, which "
            "processors have since 2009; in a virtual machine choose the host's processor, such as by "
            "-cpu host."
        )


def of_processor() -> list[str]:
    """The processor's levels from the lowest to the highest: baseline, then v2, v3, v4 of x86-64."""
    return list(_levels.supported())


def built() -> list[str]:
    """The levels for which this whorl is built, those of other processors too, from the lowest."""
    home = importlib.util.find_spec("whorl")
    names = (one.name for one in pkgutil.iter_modules(home.submodule_search_locations if home else []))
    return sorted(name.removeprefix(PREFIX) for name in names if name.startswith(PREFIX))


def usable() -> list[str]:
    """The levels of the processor for which this whorl is built."""
    return [name for name in of_processor() if importlib.util.find_spec(f"whorl.{PREFIX}{name}")]


def chosen() -> str:
    """The highest usable level, or the one that the environment variable WHORL_LEVEL names.

    Raises LevelError if no level is usable, or the named one is not.
    """
    there, asked = usable(), os.environ.get(VARIABLE)
    if asked in there:
        return asked
    if asked:
        raise LevelError(
            f"{VARIABLE}={asked} is no instruction level that this whorl is built for and this processor "
            f"has: choose {' or '.join(there) or 'none'}, or leave {VARIABLE} unset."
        )
    if not there:
        raise LevelError(
            f"this whorl is built for none of the instruction levels that this processor has "
            f"({', '.join(of_processor())}); build it here: make setup, or pip install."
        )
    return there[-1]
