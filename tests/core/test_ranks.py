"""The harness: what fails on a rank fails the test, says why, and leaves the next test alone."""

import os
import time

import pytest
from support import ranks
from support.ranks import RanksFailed, on_ranks, run_on

pytestmark = pytest.mark.mpi


def add_ranks(world, start):
    return start + world.allreduce(world.rank)


def fail_on(world, rank, then=""):
    if world.rank == rank:
        precious = [1, 2, 3]
        assert precious == [], f"rank {world.rank} disagrees"
    if then == "wait":
        world.Barrier()


def die_on(world, rank):
    if world.rank == rank:
        os._exit(7)
    world.Barrier()


def hang(world):
    print("about to hang", flush=True)
    time.sleep(1000)


@pytest.mark.parametrize("count", ranks.COUNTS)
def test_results_of_every_rank_come_back(count):
    assert run_on(count, add_ranks, start=5) == [5 + count * (count - 1) // 2] * count


def test_a_failure_names_ranks_reason_and_values():
    with pytest.raises(RanksFailed) as failure:
        run_on(3, fail_on, rank=1)
    message = str(failure.value)
    assert message.startswith("on rank 1 of 3: ")
    assert "AssertionError: rank 1 disagrees" in message
    assert "precious = [1, 2, 3]" in message
    assert run_on(3, add_ranks, start=0) == [3, 3, 3]


def test_equal_failures_are_told_once():
    with pytest.raises(RanksFailed) as failure:
        run_on(2, no_such_name)
    assert str(failure.value).startswith("on rank 0, 1 of 2: ")
    assert str(failure.value).count("NameError") == 1


def no_such_name(world):
    return absent  # noqa: F821


def test_ranks_that_wait_for_one_that_failed_are_ended(monkeypatch):
    monkeypatch.setattr(ranks, "GRACE", 1.0)
    with pytest.raises(RanksFailed, match=r"(?s)on rank 0, 2 of 3: no answer.*on rank 1 of 3"):
        run_on(3, fail_on, rank=1, then="wait")
    assert run_on(3, add_ranks, start=0) == [3, 3, 3]


def test_a_rank_that_dies_is_named():
    with pytest.raises(RanksFailed, match=r"on rank (0, )?1 of 2: died"):
        run_on(2, die_on, rank=1)
    assert run_on(2, add_ranks, start=0) == [1, 1]


@pytest.mark.long("ranks are ended and started anew")
def test_ranks_that_hang_are_ended_and_say_where():
    with pytest.raises(RanksFailed, match="on rank 0, 1 of 2: no answer within 3 s") as failure:
        run_on(2, hang, timeout=3)
    assert "about to hang" in str(failure.value)
    assert "in hang" in str(failure.value)
    assert run_on(2, add_ranks, start=0) == [1, 1]


@on_ranks(2, 3)
@pytest.mark.parametrize("start", [1, 2])
def test_bodies_take_parameters_and_fixtures(world, start, tmp_path):
    assert world.allgather(str(tmp_path)) == [str(tmp_path)] * world.size
    assert world.allreduce(start) == start * world.size
