"""What a case asks for reaches the core: options of the exchange, threads, seeds; and what tuning counts."""

import os

import pytest
from support.ranks import run_on
from whorl.config.case import Case
from whorl.run.core_options import core_options
from whorl.run.threads import threads_of_rank

RUN = {
    "precision": "single",
    "process_grid": [2, 3],
    "batches": 5,
    "transport": "pairwise",
    "wire": "single",
    "threading": "serialized",
    "variables_per_message": 2,
    "exchange_timeout": 7.5,
    "device": "cpu",
    "gpu_aware": "no",
    "lines": "fftw",
}


@pytest.mark.parametrize("name", RUN)
def test_an_option_of_run(name):
    case = Case(
        grid={"points": 16}, flow={"viscosity": 0.1}, time={"dt": 0.1, "steps": 1}, run={name: RUN[name]}
    )
    value = getattr(core_options(case, 4), name)
    assert (list(value) if isinstance(value, tuple | list) else value) == RUN[name]


def test_options_of_the_other_sections():
    case = Case(
        grid={"points": [16, 12, 10], "lengths": [1, 2, 3], "dealias": "phase-shift", "shift_seed": 9},
        flow={"viscosity": 0.1},
        time={"dt": 0.1, "steps": 1, "scheme": "rk2"},
        scalars=[{"name": "dye", "schmidt": 2.0, "gradient": [0.5, 0, 0]}],
    )
    options = core_options(case, 4)
    assert (list(options.points), list(options.lengths)) == ([16, 12, 10], [1, 2, 3])
    assert (options.dealias, options.shift_seed, options.scheme.name) == ("phase-shift", 9, "rk2")
    assert (options.threads, options.parameters["viscosity"]) == (4, 0.1)
    assert options.scalars == [("dye", [0.05, 0.5, 0, 0])]


def test_the_shape_of_the_kept_modes():
    case = Case(grid={"points": 16, "shape": "sphere"}, flow={"viscosity": 0.1}, time={"dt": 0.1, "steps": 1})
    assert core_options(case, 1).shape == "sphere"


def threads(world, cores):
    """Of each rank, where all may use the same cores."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("OMP_NUM_THREADS", raising=False)
        patch.setattr(os, "sched_getaffinity", lambda process: set(range(cores)))
        return threads_of_rank(world)


@pytest.mark.mpi
@pytest.mark.parametrize(("cores", "ranks", "each"), [(8, 2, 4), (8, 3, 2), (7, 2, 3), (2, 3, 1)])
def test_cores_are_divided_among_ranks(cores, ranks, each):
    assert set(run_on(ranks, threads, cores=cores)) == {each}
