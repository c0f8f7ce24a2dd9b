"""What `whorl bench machine` writes is what was timed."""

from types import SimpleNamespace

import numpy as np
import pytest
from mpi4py import MPI
from support.ranks import on_ranks
from whorl.planner import measure
from whorl.planner.clock import all_to_all, seconds
from whorl.planner.machine import machine_from, machine_text
from whorl.planner.machine_file import machine_toml
from whorl.planner.whorl_load import Whorl

SIZES = (16, 24)


@on_ranks(1, 2)
def test_the_machine_is_measured_and_written(world):
    machine = world.bcast(measure.measure_machine("here", world, sizes=SIZES, threads=1))
    assert machine_text(machine_toml(machine)) == machine
    assert (machine.node.devices, machine.node.ranks) == (world.size, world.size)
    assert bool(machine.links) == (world.size > 1)
    assert machine.single.points == machine.double.points == (16.0, 24.0)
    assert 0 <= machine.node.overhead < 100


def machine_of(section: dict) -> object:
    rates = {key: [1.0] for key in ("points", "x", "y", "z", "copies", "point", "modes")}
    return machine_from(
        {
            "machine": {"name": "here", "source": "a test"},
            "node": {"devices": 3, "ranks": 3, "memory": 1.0},
            "links": [{"level": "node", "ranks": 0, "bandwidth": 1.0}],
            "single": rates,
            "files": {"bandwidth": 1.0, "bandwidth_node": 1.0},
        }
        | section
    )


def timings(case, sharing, comm) -> dict[str, float]:
    """Made-up seconds: parts of 36 units, a step of 45, an exchange at 4 GB/s and 30 µs a message."""
    unit = 1e-6 * case.grid.points[0]
    parts = {"x_lines": 10, "y_lines": 6, "z_lines": 8, "pack": 5, "point": 4, "modes": 3}
    found = {part: units * unit for part, units in parts.items()} | {"step": 45 * unit}
    way = Whorl(case)
    (batches,) = way.batch_counts((1, comm.size))
    column = way.load((1, comm.size), batches).column
    peers = comm.size - 1
    return found | {"exchange": peers * (column.bytes / comm.size / 4e9 + 30e-6 * column.calls)}


def test_overhead_is_what_a_process_grows_by_beside_arrays(monkeypatch):
    """3 MiB and the arrays."""
    grown = iter([10 * 2**20, 13 * 2**20 + 250_000])

    class Process:
        def memory_info(self):
            return SimpleNamespace(rss=next(grown))

    class Flow:
        def __init__(self, *_):
            pass

        def step(self, *_, **__):
            pass

        def memory(self):
            return {"state": 200_000, "exchange": 50_000}

    monkeypatch.setattr(measure.psutil, "Process", Process)
    monkeypatch.setattr(measure._core, "Flow", Flow)
    monkeypatch.setattr(measure, "set_initial", lambda *_: None)
    assert measure.measure_overhead(1, MPI.COMM_SELF) == 3.0


@pytest.fixture
def made_up(monkeypatch):
    monkeypatch.setattr(measure, "time_parts", timings)


@pytest.mark.usefixtures("made_up")
def test_rates_give_back_the_step_they_are_from():
    """Waiting and work beside the parts are in the rates, so the parts add up to the step."""
    rates = measure.measure_rates("single", 1, MPI.COMM_SELF, SIZES)
    machine = machine_of({"single": rates})
    for points in SIZES:
        unit = 1e-6 * points
        planned = seconds(Whorl(measure.calibration_case(points, "single", 1)).load((1, 1), 1), machine, 4)
        assert planned.total == pytest.approx(45 * unit, rel=1e-3)
        assert planned.fft == pytest.approx(24 * unit * 45 / 36, rel=1e-3)
        assert planned.pack == pytest.approx(5 * unit * 45 / 36, rel=1e-3)
        assert planned.other == pytest.approx(7 * unit * 45 / 36, rel=1e-3)


@on_ranks(3)
def test_the_link_gives_back_the_exchanges_it_is_from(world):
    original, measure.time_parts = measure.time_parts, timings
    try:
        link = measure.measure_link(1, world, SIZES)
    finally:
        measure.time_parts = original
    assert link == pytest.approx({"bandwidth": 4.0, "latency": 30.0}, rel=1e-3)
    links = machine_of({"links": [{"level": "node", "ranks": 0} | link]}).links
    case = measure.calibration_case(24, "double", 1)
    column = Whorl(case).load((1, 3), *Whorl(case).batch_counts((1, 3))).column
    assert all_to_all(column, links) == pytest.approx(timings(case, world, world)["exchange"], rel=1e-3)


def test_neither_bandwidth_nor_latency_is_negative():
    along = np.array([[1.0, 0.1], [2.0, 0.1], [4.0, 0.1]])
    assert measure.fit(along / (along @ [2.0, 3.0])[:, None]) == pytest.approx((2.0, 3.0))
    assert measure.fit(along / (along @ [2.0, -1.0])[:, None])[1] == 0.0
    assert measure.fit(along / (along @ [-0.001, 30.0])[:, None])[0] > 0


@on_ranks(2)
def test_parts_are_timed_and_shared_flows_exchange(world):
    case = measure.calibration_case(24, "double", 1)
    alone = measure.time_parts(case, MPI.COMM_SELF, world)
    together = measure.time_parts(case, world, world)
    for found in (alone, together):
        assert 0 < sum(value for key, value in found.items() if key != "step") < 1.05 * found["step"]
    assert 10 * alone["exchange"] < together["exchange"]
