"""Programs of tools/ and benchmarks/ as modules."""

import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def load(name: str) -> Any:
    """A program, "tools/NAME" or "benchmarks/NAME.py", executed up to `main`, with its folder in sys.path."""
    folder = str((ROOT / name).parent)
    if folder not in sys.path:
        sys.path.append(folder)
    loader = SourceFileLoader(Path(name).stem, str(ROOT / name))
    module = module_from_spec(spec_from_loader(loader.name, loader))
    sys.modules[loader.name] = module  # dataclasses look for their module
    loader.exec_module(module)
    return module
