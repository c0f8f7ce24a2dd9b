"""The compiled core, `from whorl import _core`: at the best instruction level that this processor and this
build have, or at the one that the environment variable WHORL_LEVEL names.

Raises ImportError where there is none.
"""

import importlib
import importlib.util
import os
import sys

from whorl import _levels

LEVEL = "WHORL_LEVEL"


def _chosen() -> str:
    has = _levels.supported()
    usable = [name for name in has if importlib.util.find_spec(f"whorl._core_{name}")]
    asked = os.environ.get(LEVEL)
    if asked in usable:
        return asked
    if asked:
        raise ImportError(
            f"{LEVEL}={asked} is no instruction level that this whorl is built for and this processor has: "
            f"choose {' or '.join(usable)}, or leave {LEVEL} unset."
        )
    if not usable:
        raise ImportError(
            f"this whorl is built for none of the instruction levels that this processor has "
            f"({', '.join(has)}); build it here: make setup, or pip install."
        )
    return usable[-1]


sys.modules[__name__] = importlib.import_module(f"whorl._core_{_chosen()}")
