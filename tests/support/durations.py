"""How long tests take, as tests/durations.txt keeps it: the limit of a case, and the order of files.

A line has the seconds, the number of cases, and a case of a second or more, or the other cases of a function.
`pytest --store-durations` replaces the lines of cases that it runs and drops those of lost functions. After a
failure nothing is stored.
"""

import os
import platform
import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from itertools import accumulate
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
FILE = TESTS / "durations.txt"
SHARE = 400  # a case of the default tier takes at most such a part of all stored seconds, on any machine
ALONE = 1.0  # seconds from which a case has its own line
LEAST = 0.1  # seconds from which a function has one
OF_PYTEST = 0.005  # seconds that a case takes beside its own
STARTED = "seconds to start ranks"  # which are no case's

Lines = dict[str, tuple[float, int]]  # a case or a function: seconds, cases


def function_of(case: str) -> str:
    return case.partition("[")[0]


@cache
def stored() -> Lines:
    lines = FILE.read_text(encoding="utf-8").splitlines() if FILE.exists() else []
    of_lines = (line.split(maxsplit=2) for line in lines if line and not line.startswith("#"))
    return {name: (float(seconds), int(count)) for seconds, count, name in of_lines}


def seconds_of(case: str) -> float:
    """Seconds of the case itself, or of one of its function's."""
    seconds, count = stored().get(case) or stored().get(function_of(case)) or (0.0, 1)
    return seconds / count


def longest_files_first(items: list[pytest.Item]) -> list[pytest.Item]:
    """The last files of a run are then short ones, so that no worker waits for another.

    Files with tests on several ranks, which disturb each other most, take turns with the others.
    """
    of_files: dict[Path, float] = defaultdict(float)
    on_ranks: dict[Path, float] = defaultdict(float)
    for item in items:
        of_files[item.path] += (seconds := seconds_of(item.nodeid))
        on_ranks[item.path] += seconds if item.get_closest_marker("mpi") else 0.0
    order = {}
    for crowded in (False, True):
        files = [path for path in of_files if (on_ranks[path] > of_files[path] / 4) == crowded]
        files.sort(key=lambda path: -of_files[path])
        until = [0.0, *accumulate(of_files[path] for path in files)]
        order |= {
            path: (before / (until[-1] or 1.0), crowded) for path, before in zip(files, until, strict=False)
        }
    return sorted(items, key=lambda item: order[item.path])


def shortest(items: list[pytest.Item], seconds: float) -> list[pytest.Item]:
    """The shortest cases that take so long in all, in their order."""
    by_length = sorted(items, key=lambda item: seconds_of(item.nodeid))
    of_all = accumulate(seconds_of(item.nodeid) + OF_PYTEST for item in by_length)
    chosen = {id(item) for item, until in zip(by_length, of_all, strict=True) if until <= seconds}
    return [item for item in items if id(item) in chosen]


def complaint(cases: Iterable[str]) -> str:
    """A sentence on cases that are too long; empty where none is."""
    limit = sum(seconds for seconds, _ in stored().values()) / SHARE
    found = {case: seconds_of(case) for case in cases if seconds_of(case) > limit}
    lines = [f"  {seconds:.1f} s  {case}" for case, seconds in found.items()]
    if not lines:
        return ""
    return (
        f"These take more than {limit:.1f} s by tests/durations.txt, a {SHARE}th of all there:\n"
        + "\n".join(lines)
        + "\nMake them smaller, or mark them `slow`, which leaves them to `make test-all`; then store what "
        "they take with pytest --store-durations."
    )


def merged(old: Lines, of_cases: dict[str, float]) -> Lines:
    """The old lines, with new ones of cases that have run and of the other cases of their functions."""
    ran = {*of_cases, *map(function_of, of_cases)}
    new = {name: line for name, line in old.items() if name not in ran and exists(name)}
    others: dict[str, list[float]] = defaultdict(list)
    for case, seconds in of_cases.items():
        if seconds >= ALONE:
            new[case] = (seconds, 1)
        else:
            others[function_of(case)].append(seconds)
    of_functions = {name: (sum(seconds), len(seconds)) for name, seconds in others.items()}
    return new | {name: line for name, line in of_functions.items() if line[0] >= LEAST}


def exists(name: str) -> bool:
    """Whether the function is still in its file."""
    file, *_, function = function_of(name).split("::")
    path = TESTS.parent / file
    return path.is_file() and f"def {function}(" in path.read_text(encoding="utf-8")


def write(lines: Lines, processor: str) -> None:
    longest_first = sorted(lines.items(), key=lambda one: (-one[1][0], one[0]))
    of_lines = [f"{seconds:7.1f} {count:4} {name}" for name, (seconds, count) in longest_first]
    head = f"# Seconds, cases, and their name; support/durations.py describes it. On {processor}."
    FILE.write_text("\n".join([head, *of_lines, ""]), encoding="utf-8")


def processor() -> str:
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    found = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    return f"{os.cpu_count()} CPUs of {found[1] if found else platform.machine()}"


class Recorder:
    """A plugin that stores what all phases of each case took."""

    def __init__(self) -> None:
        self.of_cases: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.skipped:
            self.of_cases[report.nodeid] += report.duration
        if report.when == "call":
            self.of_cases[report.nodeid] -= dict(report.user_properties).get(STARTED, 0.0)

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        if exitstatus == 0:
            write(merged(stored(), self.of_cases), processor())
