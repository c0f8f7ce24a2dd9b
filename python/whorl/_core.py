"""The compiled core, `from whorl import _core`: the module _core_LEVEL of the chosen instruction level."""

import importlib
import sys

from whorl.base import forks, instruction_levels

_chosen = importlib.import_module(f"whorl._core_{instruction_levels.chosen()}")
forks.end_threads_before_forks(_chosen.__file__)
sys.modules[__name__] = _chosen
