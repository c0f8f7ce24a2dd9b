"""whorl: direct numerical simulation of turbulence, pseudo-spectral, from a laptop to a supercomputer.

A `Case`, which `load_case` reads from a file, declares a flow. A `Simulation` computes it. `open_run` and
`open_runs` read the results of one run or several. `CaseError`, `BlowUp` and `RunFault` are their errors.
"""

import importlib
import os

from whorl.base import endings, instruction_levels, ranks

ranks.prepare()
endings.abort_on_exception()

# Threads that spin long at a barrier stall each other if they share cores; OpenMP reads this when loaded.
if "OMP_WAIT_POLICY" not in os.environ:
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")

_HOMES = {
    "__version__": "whorl.base.version",
    "analyse": "whorl.run.analysis",
    "BlowUp": "whorl.base.errors",
    "Case": "whorl.config.case",
    "CaseError": "whorl.base.errors",
    "RunFault": "whorl.base.errors",
    "Simulation": "whorl.run.simulation",
    "load_case": "whorl.config.case",
    "open_run": "whorl.results.runs",
    "open_runs": "whorl.results.several_runs",
    "open_sweep": "whorl.results.sweeps",
    "register_model": "whorl.models.registered",
}

__all__ = [*_HOMES]


def __getattr__(name: str):
    """Import public names on first use: `whorl --help` or a plot should not wait for MPI and the core."""
    if name not in _HOMES:
        raise AttributeError(f"module 'whorl' has no attribute {name!r}")
    instruction_levels.require_processor()
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
