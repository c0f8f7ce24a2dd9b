"""Lines of the log on where a run is made and on its memory, for `whorl report`: pairs of key and value."""

import os
import platform
from collections.abc import Mapping

from whorl import _core
from whorl.base.host import commit, processor
from whorl.run.control_groups import processor_quota
from whorl.run.memory.checks import gibibytes


def on_machine() -> str:
    """The host and processor of rank 0, the GPUs of this build there, and the commit of the package."""
    quota = processor_quota()
    facts = {
        "host": platform.node(),
        "processor": processor(),
        "hardware threads": os.cpu_count(),
        "processors of its control group": f"{quota.processors:.3g}" if quota else "",
        "GPUs": " and ".join(gpu["name"] for gpu in _core.gpus()),
        "compiler": _core.build_info()["compiler"],
        "commit": commit(),
    }
    return f"machine: {_told({name: fact for name, fact in facts.items() if fact})}"


def memory_counted(flow: _core.Flow) -> str:
    """The memory that was counted before rank 0 allocated it, by part."""
    return f"memory of rank 0, counted: {_by_part(_core.estimate_memory(flow.options, flow.ranks))}"


def memory_taken(flow: _core.Flow) -> str:
    """The memory that rank 0 has taken so far, by part."""
    return f"memory of rank 0, taken: {_by_part(flow.memory())}"


def planes_tried(flow: _core.Flow) -> str:
    """Trials of the number of planes at a time on a GPU stream, the kept one first; empty without trials."""
    trials = [
        f"{size / 2**20:.3g} MiB, {planes} of rank 0: {seconds:.3g} s"
        for size, planes, seconds in flow.plane_trials
        if seconds > 0
    ]
    return f"planes of a GPU stream by the time of a right-hand side: {'; '.join(trials)}" if trials else ""


def _by_part(parts: Mapping[str, int]) -> str:
    known = {name: gibibytes(count) for name, count in sorted(parts.items()) if count}
    return _told(known | {"in all": gibibytes(sum(parts.values()))})


def _told(facts: Mapping[str, object]) -> str:
    return "; ".join(f"{name} = {' '.join(str(fact).split(';'))}" for name, fact in facts.items())
