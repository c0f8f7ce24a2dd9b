"""Threads within the processor time of control groups: trees of /proc and /sys as Linux has them."""

import os

import pytest
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.run import checks, control_groups, threads
from whorl.run.control_groups import processor_quota
from whorl.run.threads import threads_of_rank

V2 = {"proc/self/cgroup": "0::/job/step"}
V1 = {"proc/self/cgroup": "9:memory:/job\n4:cpu,cpuacct:/job"}
TOP, TOP1 = "sys/fs/cgroup", "sys/fs/cgroup/cpu,cpuacct"


def tree(root, files):
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"{content}\n")
    return root


def of_version_1(quota, folder="job"):
    return {
        f"{TOP1}/{folder}/cpu.cfs_quota_us": quota,
        f"{TOP1}/{folder}/cpu.cfs_period_us": 100_000,
    }


@pytest.mark.parametrize(
    ("files", "processors"),
    [
        ({}, None),
        (V2, None),
        (V2 | {f"{TOP}/job/step/cpu.max": "60000 100000"}, 0.6),
        (V2 | {f"{TOP}/job/step/cpu.max": "max 100000"}, None),
        (V2 | {f"{TOP}/job/step/cpu.max": "300000 100000", f"{TOP}/job/cpu.max": "100000 50000"}, 2.0),
        (V2 | {f"{TOP}/cpu.max": "150000 100000"}, 1.5),
        (V1 | of_version_1(250_000), 2.5),
        (V1 | of_version_1(-1), None),
        (V1 | {f"{TOP}/memory/job/cpu.max": "10000 100000"}, None),
    ],
)
def test_the_quota_of_both_versions(tmp_path, files, processors):
    quota = processor_quota(tree(tmp_path, files))
    assert (quota and quota.processors) == processors


@pytest.fixture
def within(tmp_path, monkeypatch):
    """within(quota) puts this process into a group that may use so many of eight cores."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(8)))

    def put(processors):
        root = tree(tmp_path, V2 | {f"{TOP}/job/step/cpu.max": f"{int(1e5 * processors)} 100000"})
        for module in (threads, checks):
            monkeypatch.setattr(module, "processor_quota", lambda: control_groups.processor_quota(root))

    return put


@pytest.mark.parametrize(("processors", "number"), [(0.6, 1), (1.0, 1), (2.5, 2), (8.0, 8), (100.0, 8)])
def test_threads_are_as_many_as_fit(within, processors, number):
    within(processors)
    assert threads_of_rank(MPI.COMM_SELF) == number


class Node:
    """A node on which two further ranks are, one of them in this one's group."""

    def allgather(self, own):
        cores, quota = own
        return [own, own, (cores, quota._replace(group=(0, 0)))]

    def Free(self):
        """Nothing is there to free."""

    def Split_type(self, kind):
        return self


def test_ranks_of_a_group_share_its_quota(within):
    within(3.0)
    assert threads_of_rank(Node()) == 1


def test_more_threads_than_the_quota_are_warned_of(within):
    case = Case(grid={"points": 8}, flow={"viscosity": 0.1}, time={"until": 1}, run={"threads": 2})
    within(2.5)
    assert checks.warnings(case, threads=2) == []
    within(0.6)
    (warning,) = checks.warnings(case, threads=2)
    assert (
        "run.threads = 2 threads have the time of 0.6 processors, the quota of their control group" in warning
    )
    assert checks.warnings(case, threads=1) == []
