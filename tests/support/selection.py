"""Which cases run: by default those of the default tier, and of products only what `covering` keeps.

A marker of TIERS leaves a test out, unless the expression of -m names it. With --full nothing is left out.
"""

import re
from collections import defaultdict
from zlib import crc32

import pytest

from support import devices
from support.covering import covering
from support.durations import function_of

TIERS = ("build", "pages", "slow")

# Fixtures and modules by which tests start processes; MPI ranks, which many tests share, are apart (mpi).
STARTING = {"shell", "installed", "start"}
STARTS = {"subprocess", "failing_mpi", "relinked", "watched"}

# Of the tests on cpu-as-gpu, whose orchestration they share, one in so many runs by default: all of these
# files, one of which has every model, and of each function of the core's the first at least.
SAMPLE = 12
ALWAYS = ("core/test_devices.py", "models/test_devices.py")
CORE = "/core/"


def selected(items: list[pytest.Item], config: pytest.Config) -> list[pytest.Item]:
    items = [item for item in items if is_possible(item)]
    if not config.getoption("--full"):
        out = tiers_left_out(config)
        items = in_pairs([item for item in items if not any(map(item.get_closest_marker, out))])
    return items if config.getoption("--devices") == "all" else sampled(items)


def tiers_left_out(config: pytest.Config) -> list[str]:
    named = re.findall(r"\w+", config.option.markexpr or "")
    return [] if config.getoption("--full") else [tier for tier in TIERS if tier not in named]


def is_limited(item: pytest.Item) -> bool:
    """Whether it is of the default tier, whose cases are short."""
    return not any(map(item.get_closest_marker, (*TIERS, "long")))


def starts_processes(item: pytest.Item) -> bool:
    """By its fixtures, or for all tests of a module by what this imports."""
    imported = vars(item.module) if hasattr(item, "module") else {}
    return not (STARTING.isdisjoint(getattr(item, "fixturenames", ())) and STARTS.isdisjoint(imported))


def device_of(item: pytest.Item) -> str | None:
    """The device of a test that runs on each."""
    call = getattr(item, "callspec", None)
    return call.params.get("device") if call and item.get_closest_marker("every_device") else None


def is_possible(item: pytest.Item) -> bool:
    """Not where a transport does not move a device's memory."""
    device = device_of(item)
    return device is None or devices.can_move(item.callspec.params.get("transport", ""), device)


def in_pairs(items: list[pytest.Item]) -> list[pytest.Item]:
    """Of each function on each device the cases in which any two values of its other parameters meet.

    With the marker `turns` each value occurs.
    """
    groups: dict[tuple[str, str | None], list[pytest.Item]] = defaultdict(list)
    for item in items:
        if getattr(item, "callspec", None) and not item.get_closest_marker("every_case"):
            groups[function_of(item.nodeid), device_of(item)].append(item)
    left_out: set[str] = set()
    for group in filter(lambda one: len(one) > 1, groups.values()):
        strength = 1 if group[0].get_closest_marker("turns") else 2
        turn = crc32(function_of(group[0].nodeid).encode())
        chosen = set(covering([values(item) for item in group], strength, turn))
        left_out |= {item.nodeid for i, item in enumerate(group) if i not in chosen}
    return [item for item in items if item.nodeid not in left_out]


def values(item: pytest.Item) -> dict[str, int]:
    """The ranks, and the identities of the other values, which all cases of a function share."""
    fixed = ("device",) if device_of(item) else ()
    of_all = item.callspec.params.items()
    return {name: value if name == "ranks" else id(value) for name, value in of_all if name not in fixed}


def sampled(items: list[pytest.Item]) -> list[pytest.Item]:
    """Without what is beyond the sample of cpu-as-gpu."""
    seen: set[str] = set()
    kept = []
    for item in items:
        function = function_of(item.nodeid)
        first = function not in seen and CORE in function
        if device_of(item) == "cpu-as-gpu" and item.get_closest_marker("cpu_by_default"):
            continue
        if device_of(item) != "cpu-as-gpu" or item.nodeid.split("::")[0].endswith(ALWAYS):
            kept.append(item)
            continue
        seen.add(function)
        if first or crc32(item.nodeid.encode()) % SAMPLE == 0:
            kept.append(item)
    return kept
