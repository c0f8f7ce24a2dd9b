"""The compiled core, `from whorl import _core`: the module _core_LEVEL of the chosen instruction level."""

import importlib
import sys

from whorl.base import instruction_levels

sys.modules[__name__] = importlib.import_module(f"whorl._core_{instruction_levels.chosen()}")
