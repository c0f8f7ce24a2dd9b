"""Which cases run: by default those of the default tier, and of products only what `covering` keeps.

A marker of TIERS leaves a test out, unless the expression of -m names it. With --full nothing is left out.
What -m and -k choose is chosen first, so that values do not go to cases that they leave out.
"""

import re
from collections import defaultdict
from zlib import crc32

import pytest

from support import devices
from support.covering import covering
from support.durations import function_of

TIERS = ("build", "pages", "slow")

# Fixtures and modules by which tests start processes. Ranks of MPI, which many tests share, have a marker.
STARTING = {"shell", "installed", "start"}
STARTS = {"subprocess", "failing_mpi", "headers", "relinked", "watched"}

# One in so many tests on cpu-as-gpu runs by default, since they share its orchestration: of ALWAYS, which has
# every model, all of them, and at least one of each function of ONE_OF_EACH.
SAMPLE = 12
ALWAYS = ("core/test_devices.py", "models/test_devices.py")
ONE_OF_EACH = ("/core/", "/models/test_compiled_rows.py")


def allowed(items: list[pytest.Item], config: pytest.Config) -> list[pytest.Item]:
    """The cases of the tiers that are asked for."""
    out = tiers_left_out(config)
    return [item for item in items if is_possible(item) and not any(map(item.get_closest_marker, out))]


def thinned(items: list[pytest.Item], config: pytest.Config) -> list[pytest.Item]:
    """What `covering` keeps of products, and the sample of cpu-as-gpu."""
    if not config.getoption("--full"):
        items = in_pairs(items)
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
    """The cases of each function on each device in which any two values of its other parameters meet.

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


def values(item: pytest.Item) -> dict[str, object]:
    """The ranks, and the identities of the other values, which all cases of a function share.

    A row of a table, `parametrize(("length", "wanted"), …)`, is one value.
    """
    together = {name: names for names in map(names_of, item.iter_markers("parametrize")) for name in names}
    of_rows: dict[str, object] = defaultdict(tuple)
    for name, value in item.callspec.params.items():
        if name == "ranks":
            of_rows[name] = value
        elif name != "device" or not device_of(item):
            of_rows[", ".join(together.get(name, (name,)))] += (id(value),)
    return dict(of_rows)


def names_of(mark: pytest.Mark) -> tuple[str, ...]:
    """The parameters of a marker `parametrize`."""
    names = mark.args[0] if mark.args else mark.kwargs["argnames"]
    return tuple(one.strip() for one in names.split(",")) if isinstance(names, str) else tuple(names)


def sampled(items: list[pytest.Item]) -> list[pytest.Item]:
    """Without what is beyond the sample of cpu-as-gpu."""
    seen: set[str] = set()
    kept = []
    for item in items:
        function = function_of(item.nodeid)
        first = function not in seen and any(one in function for one in ONE_OF_EACH)
        if device_of(item) == "cpu-as-gpu" and item.get_closest_marker("cpu_by_default"):
            continue
        if device_of(item) != "cpu-as-gpu" or item.nodeid.split("::")[0].endswith(ALWAYS):
            kept.append(item)
            continue
        seen.add(function)
        if first or crc32(item.nodeid.encode()) % SAMPLE == 0:
            kept.append(item)
    return kept
