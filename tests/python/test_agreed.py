"""Ranks that do something each for itself, and what all make of it when one of them fails."""

import gc
import weakref
from functools import partial

import pytest
from support.ranks import on_ranks
from whorl.base.errors import BlowUp, CaseError, RunFault
from whorl.base.parallel import agreed, on_root


class Unsendable(Exception):
    """Its class makes another of it on its way."""

    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


class Made:
    """Something that lives until nobody has it any more."""


def fail(error):
    raise error


@on_ranks()
def test_each_rank_has_its_own(world):
    assert agreed(world, lambda: 10 * world.rank) == 10 * world.rank
    assert agreed(world, lambda: 10 * world.rank, patience=60.0) == 10 * world.rank


@on_ranks()
@pytest.mark.parametrize("patience", [None, 60.0])
def test_the_lowest_that_failed_speaks(world, patience):
    last = world.size - 1
    error = KeyError("the last") if world.rank == last else CaseError(f"rank {world.rank}")
    work = partial(fail, error) if world.rank in (1, last) else list
    with pytest.raises((KeyError, CaseError)) as found:
        agreed(world, work, patience)
    assert str(found.value) == ("rank 1" if last > 1 else "'the last'")
    assert (found.value is error) == (world.rank == min(1, last))
    assert world.allreduce(1) == world.size


@on_ranks(2)
def test_an_error_that_does_not_travel_is_told_everywhere(world):
    """Receiving it would fail, and what is raised would differ by rank."""
    error = Unsendable(1, 2)
    with pytest.raises(RunFault) as found:
        agreed(world, partial(fail, error) if world.rank == 1 else list)
    assert str(found.value) == f"Unsendable: {error}"
    with pytest.raises(RunFault) as found:
        on_root(world, partial(fail, error))
    assert str(found.value) == f"Unsendable: {error}"
    error.of_rank = 1  # of a script's own
    with pytest.raises(RunFault) as found:
        agreed(world, partial(fail, error) if world.rank == 1 else list)
    assert found.value.of_rank == 1


@on_ranks(2)
def test_a_blow_up_travels(world):
    error = BlowUp(1.0, 2, "too fast", viscous=False)
    with pytest.raises(BlowUp) as found:
        agreed(world, partial(fail, error) if world.rank == 1 else list)
    assert str(found.value) == str(error)
    assert (found.value.time, found.value.step) == (1.0, 2)


@on_ranks(1, 2)
def test_what_failing_work_made_is_gone_with_its_error(world):
    """A flow that lived on until a collection of garbage would end at another moment on each rank."""
    made = []

    def work():
        kept = Made()
        made.append(weakref.ref(kept))
        raise CaseError("no")

    gc.disable()
    try:
        agreed(world, work)
    except CaseError:
        assert made[0]() is not None
    finally:
        gc.enable()
    assert made[0]() is None
