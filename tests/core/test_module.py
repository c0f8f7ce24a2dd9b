"""What the module says of itself and of a flow."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from support import flows
from support.ranks import on_ranks
from support.twin import Twin
from whorl import _core

ROOT = Path(__file__).resolve().parents[2]


def test_build_info_names_what_is_compiled_in():
    info = _core.build_info()
    assert "navier-stokes" in info["models"]
    assert "alltoall" in info["transports"]
    assert info["cuda"] == "none" or info["cuda"][0].isdigit()
    for name in ("version", "compiler", "flags", "level", "mpi", "fftw", "hdf5"):
        assert isinstance(info[name], str)
        assert info[name]


@pytest.mark.parametrize("threads", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_rates_of_the_machine_are_plausible(threads):
    for precision in flows.PRECISIONS:
        assert 1e8 < _core.line_rate(64, precision, threads, abs, trials=1) < 1e14
        assert 1e8 < _core.line_rate(64, precision, threads, abs) < 1e14
    assert 1e8 < _core.Copies(threads).bandwidth(abs) < 1e13


def test_rates_are_the_best_of_so_many_trials():
    """Of lines there are three shapes; runs until they last 5 ms, and two trials, are not counted."""
    for trials in (1, 3):
        told = []
        _core.Copies(1).bandwidth(lambda seconds, told=told: told.append(seconds) or seconds, trials)
        assert len(told) == trials
        rested = [1e-6, 1e-6]  # would be the best
        lasting = [1e-6, 1e-3, 6e-3, *rested, *[0.02 / (1 + trial) for trial in range(trials)]] * 3
        rate = _core.line_rate(64, "double", 1, lambda _, lasting=lasting: lasting.pop(0), trials)
        assert lasting == []
        runs = 213  # as many take 0.02 s as 8² take 6 ms, of 8 lines at least
        best = runs * 8 * 5 * 64 * 6 / (0.02 / trials)
        assert 0.99 * best <= rate < 100 * best


def test_rates_are_those_of_the_slowest():
    """Who is told that everything took a thousand times as long measures a thousandth."""
    alone = _core.Copies(1).bandwidth(abs)
    assert _core.Copies(1).bandwidth(lambda seconds: 1000 * seconds) < 0.01 * alone
    assert _core.line_rate(64, "double", 1, lambda seconds: 1000 * seconds) < 0.01 * _core.line_rate(
        64, "double", 1, abs
    )


def test_options_are_read_back():
    given = {
        "points": (8, 10, 12),
        "lengths": (1.0, 2.0, 3.0),
        "dealias": "phase-shift",
        "parameters": {"viscosity": 0.5},
        "process_grid": (2, 3),
        "threads": 2,
        "shift_seed": 2**63 + 1,
    }
    options = _core.Options(**given)
    for name, value in given.items():
        read = getattr(options, name)
        assert (tuple(read) if isinstance(value, tuple) else read) == value
    assert (options.model, options.dealias, options.shape) == ("navier-stokes", "phase-shift", "cube")


def test_what_was_read_of_options_stays():
    options = _core.Options(programs=[_core.ProgramNeeds(inputs=3, values=2)])
    (read,) = options.programs
    options.programs = [_core.ProgramNeeds(inputs=n) for n in range(50)]
    assert (read.inputs, read.values) == (3, 2)


def test_the_stub_has_the_types_of_the_core():
    tool = runpy.run_path(str(ROOT / "tools/core_stub"))
    assert tool["STUB"].read_text(encoding="utf-8") == tool["stub"](), "run tools/core_stub"


def test_arguments_have_names():
    """Places of arguments say nothing."""
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _core.Term(0, 1.0)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _core.Term(factor=1.0)
    with pytest.raises(_core.Error, match="no such axis of a sector"):
        _core.Sector(axis=3)
    assert _core.Term(field=2).factor == 1.0


@on_ranks()
def test_a_flow_knows_its_place(world):
    twin = Twin((20, 14, 18), (2 * np.pi, 3.0, 5.0), dealias="phase-shift")
    flow = flows.make(world, twin, threads=2, batches=3)
    assert (flow.rank, flow.ranks) == (world.rank, world.size)
    assert (flow.threads, flow.batches) == (2, min(3, 18 // flow.process_grid[1]))
    assert np.prod(flow.process_grid) == world.size
    assert tuple(flow.process_grid) == (1, world.size)  # slabs where they fit
    assert tuple(flow.options.points) == twin.points
    blocks = world.allgather(tuple(flow.physical_block))
    assert sum((z1 - z0) * (y1 - y0) for z0, z1, y0, y1 in blocks) == 18 * 14
