"""Memory that control groups leave: trees of /proc and /sys/fs/cgroup as Linux has them, of both versions."""

import psutil
import pytest
from support.ranks import on_ranks
from whorl import _core
from whorl.base.errors import CaseError
from whorl.base.parallel import world
from whorl.config.case import load_case
from whorl.run.core_options import core_options
from whorl.run.memory import checks as memory_checks
from whorl.run.memory.checks import check_memory
from whorl.run.memory.limits import available_memory

MB = 10**6


@pytest.fixture
def system(tmp_path, monkeypatch):
    """system({path: content, …}): what is available on a machine of 8000 MB free with these files."""
    monkeypatch.setattr(psutil, "virtual_memory", lambda: type("Memory", (), {"available": 8000 * MB}))

    def available(files):
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(str(content))
        return available_memory(tmp_path)

    return available


def group(folder, limit, taken, cache=0):
    """Files of a group of version 2."""
    return {
        f"{folder}/memory.max": f"{limit}\n",
        f"{folder}/memory.current": f"{taken}\n",
        f"{folder}/memory.stat": f"anon 1\ninactive_file {cache}\nactive_file 7\n",
    }


V2 = {"proc/self/cgroup": "0::/job/step\n"}
TOP = "sys/fs/cgroup"


def test_without_groups_the_host_counts(system):
    assert system({}) == (8000 * MB, "")
    assert system(V2) == (8000 * MB, "")


def test_a_limit_of_the_group(system):
    """What it has cached in files is given back when it is wanted."""
    left, note = system(V2 | group(f"{TOP}/job/step", 300 * MB, 120 * MB, cache=20 * MB))
    assert (left, note) == (200 * MB, "a limit of its control group")


def test_the_least_of_all_above_it(system):
    files = group(f"{TOP}/job/step", "max", 10 * MB) | group(f"{TOP}/job", 500 * MB, 100 * MB)
    assert system(V2 | files)[0] == 400 * MB


def test_a_limit_above_what_the_host_has_does_not_matter(system):
    assert system(V2 | group(f"{TOP}/job/step", 64000 * MB, 0)) == (8000 * MB, "")


def test_a_container_sees_its_own_group_at_the_top(system):
    assert system({"proc/self/cgroup": "0::/../../box\n"} | group(TOP, 300 * MB, 0))[0] == 300 * MB
    assert system({"proc/self/cgroup": "0::/\n"} | group(TOP, 200 * MB, 0))[0] == 200 * MB


def test_version_1(system):
    files = {
        "proc/self/cgroup": "12:cpu,cpuacct:/job\n4:memory:/job\n1:name=systemd:/\n0::/\n",
        f"{TOP}/memory/memory.limit_in_bytes": 9223372036854771712,
        f"{TOP}/memory/memory.usage_in_bytes": 5 * MB,
        f"{TOP}/memory/job/memory.limit_in_bytes": 300 * MB,
        f"{TOP}/memory/job/memory.usage_in_bytes": 250 * MB,
        f"{TOP}/memory/job/memory.stat": f"cache 5\ntotal_inactive_file {30 * MB}\n",
    }
    assert system(files)[0] == 80 * MB


def test_more_than_the_limit_leaves_nothing(system):
    assert system(V2 | group(f"{TOP}/job/step", 300 * MB, 310 * MB))[0] == 0


def test_a_run_that_does_not_fit_is_refused(monkeypatch):
    case = load_case("taylor-green", ["grid.points=256"])
    monkeypatch.setattr(memory_checks, "available_memory", lambda: (300 * MB, "a limit of its control group"))
    with pytest.raises(
        CaseError, match=r"of memory on .*, a limit of its control group .*0\.279 GiB are avail"
    ):
        check_memory(core_options(case, 1), world())


@on_ranks(2)
def test_ranks_of_a_node_share_what_it_has(world):
    """Each alone would fit."""
    options = core_options(load_case("taylor-green", ["grid.points=64"]), 1)
    needed = sum(_core.estimate_memory(options, world.size).values())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory_checks, "available_memory", lambda: (2.2 * needed, ""))
        check_memory(options, world)
        patch.setattr(memory_checks, "available_memory", lambda: (1.8 * needed, ""))
        with pytest.raises(CaseError, match=r"\(ranks there: 2\)"):
            check_memory(options, world)


def test_the_system_at_hand_has_something(tmp_path):
    left, _ = available_memory()
    assert 0 < left <= psutil.virtual_memory().total
