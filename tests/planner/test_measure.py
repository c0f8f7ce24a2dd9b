"""What `whorl bench machine` writes is what was timed."""

from types import SimpleNamespace

import numpy as np
import pytest
from mpi4py import MPI
from support.ranks import on_ranks
from whorl.machine.planner import measure
from whorl.machine.planner.cost import all_to_all, seconds
from whorl.machine.planner.machine import machine_from, machine_text, machine_toml
from whorl.machine.planner.whorl_load import Whorl
from whorl.particles.options import KINDS

SIZES = (16, 24)


@pytest.mark.long("all rates of a machine are measured")
@on_ranks(2, pytest.param(1, marks=pytest.mark.slow))
def test_the_machine_is_measured_and_written(world):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measure, "PARTICLE_STEPS", 1)
        machine = world.bcast(measure.measure_machine("here", world, sizes=SIZES, threads=1))
    assert machine_text(machine_toml(machine)) == machine
    assert (machine.node.devices, machine.node.ranks) == (world.size, world.size)
    assert bool(machine.links) == (world.size > 1)
    assert machine.single.points == machine.double.points == (16.0, 24.0)
    assert 20 < machine.node.overhead < 1000
    assert {one.kind for one in machine.particles} == set(KINDS)
    assert all(time > 0 for one in machine.particles for time in one.nanoseconds)


def machine_of(section: dict, threads: int = 1) -> object:
    rates = {key: [1.0] for key in ("points", "x", "y", "z", "copies", "point", "modes")}
    return machine_from(
        {
            "machine": {"name": "here", "source": "a test"},
            "node": {"devices": 3 * threads, "ranks": 3, "memory": 1.0},
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
    grid = (1, comm.size)
    column = way.load(grid, way.own_batches(grid)).column
    peers = comm.size - 1
    return found | {"exchange": peers * (column.bytes / comm.size / 4e9 + 30e-6 * column.calls)}


def test_overhead_is_what_a_process_holds_beside_arrays(monkeypatch):
    """93 MiB and the arrays."""

    class Process:
        def memory_info(self):
            return SimpleNamespace(rss=93 * 2**20 + 250_000)

    class Flow:
        def close(self):
            """Nothing is held."""

        def __init__(self, *_):
            pass

        def step(self, *_, **__):
            pass

        def memory(self):
            return {"state": 200_000, "exchange": 50_000}

    monkeypatch.setattr(measure.psutil, "Process", Process)
    monkeypatch.setattr(measure._core, "Flow", Flow)
    monkeypatch.setattr(measure, "set_initial", lambda *_: None)
    assert measure.measure_overhead(1, MPI.COMM_SELF) == 93.0


@pytest.fixture
def made_up(monkeypatch):
    monkeypatch.setattr(measure, "time_parts", timings)


@pytest.mark.usefixtures("made_up")
@pytest.mark.parametrize("threads", [1, 2])
def test_rates_give_back_the_step_they_are_from(threads):
    """Waiting and work beside the parts are in the rates, so the parts add up to the step."""
    rates = measure.measure_rates("single", threads, MPI.COMM_SELF, SIZES)
    machine = machine_of({"single": rates}, threads)
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
    column = Whorl(case).load((1, 3), Whorl(case).own_batches((1, 3))).column
    assert all_to_all(column, links) == pytest.approx(timings(case, world, world)["exchange"], rel=1e-3)


def test_neither_bandwidth_nor_latency_is_negative():
    along = np.array([[1.0, 0.1], [2.0, 0.1], [4.0, 0.1]])
    assert measure.fit(along / (along @ [2.0, 3.0])[:, None]) == pytest.approx((2.0, 3.0))
    assert measure.fit(along / (along @ [2.0, -1.0])[:, None])[1] == 0.0
    assert measure.fit(along / (along @ [-0.001, 30.0])[:, None])[0] > 0
    # Without the other one, least squares are Σ r / Σ r². Both would be (3/2, −2) and (−1/3, 2/3).
    assert measure.fit(np.array([[2.0, 1.0], [1.0, 0.25]])) == pytest.approx((3 / 5, 0.0))
    assert measure.fit(np.array([[1.0, 2.0], [3.0, 3.0]])) == pytest.approx((0.0, 5 / 13))


def test_the_quickest_pass_counts(monkeypatch):
    seconds = iter([5.0, 9.0, 3.0, 8.0, 4.0, 10.0])  # of both sizes in turn
    monkeypatch.setattr(measure, "time_parts", lambda *_: {"step": next(seconds)})
    found = measure.time_sizes("single", 1, MPI.COMM_SELF, MPI.COMM_SELF, SIZES)
    assert [(case.grid.points[0], timings["step"]) for case, timings in found] == [(16, 3.0), (24, 8.0)]


class Slow:
    """A flow on a clock of its own: two steps to warm up, then 1 to 9 s, twice that and 50 s on rank 1.

    The quickest on the slower rank is the step of 2 s and 4 s.
    """

    STEPS = (0.1, 0.1, *map(float, range(1, 10)), 100.0)

    def __init__(self, rank: int):
        self.factor, self.now, self.last = rank + 1, 0.0, 0.0

    def reset_timings(self) -> None:
        self.last = 0.0

    def step(self, dt: float, step_number: int) -> None:
        seconds = self.STEPS[step_number]
        self.last = 50.0 if (self.factor, seconds) == (2, 1.0) else self.factor * seconds
        self.now += self.last

    def timings(self) -> dict[str, float]:
        parts = ("x_lines", "y_lines", "z_lines", "pack", "point", "modes", "exchange")
        return {part: self.last * (1 + number) / 100 for number, part in enumerate(parts)}

    def close(self) -> None:
        self.last = 0.0


@on_ranks(2)
def test_parts_are_of_a_right_hand_side_and_the_mean_of_ranks(world):
    flow = Slow(world.rank)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measure, "_core", SimpleNamespace(Flow=lambda *_: flow))
        patch.setattr(measure, "core_options", lambda *_: None)
        patch.setattr(measure, "set_initial", lambda *_: None)
        patch.setattr(measure, "time", SimpleNamespace(perf_counter=lambda: flow.now))
        found = measure.time_parts(measure.calibration_case(24, "single", 1), world, world)
    step = (2 + 4) / 2 / 2  # two right-hand sides in a step of rk2
    assert found["step"] == pytest.approx(step)
    assert (found["x_lines"], found["exchange"]) == pytest.approx((0.01 * step, 0.07 * step))


@on_ranks(2)
def test_a_node_has_the_cores_and_the_memory_there_are(world):
    """Eight cores shared by two ranks, 12 GiB."""
    rates = {key: [1.0] for key in ("points", "x", "y", "z", "copies", "point", "modes")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measure, "threads_of_rank", lambda comm: 8 // comm.size)
        patch.setattr(measure, "available_memory", lambda: (12 * 2**30, ""))
        patch.setattr(measure, "measure_files", lambda *_: 3.0)
        patch.setattr(measure, "measure_overhead", lambda *_: 2.0)
        patch.setattr(measure, "measure_rates", lambda precision, threads, *_: rates | {"x": [threads]})
        patch.setattr(measure, "measure_particles", lambda *_: [])
        patch.setattr(measure, "measure_link", lambda *_: {"bandwidth": 1.0, "latency": 1.0})
        machine = measure.measure_machine("here", world)
    assert (machine.node.devices, machine.node.ranks, machine.node.memory) == (8, 2, 12.0)
    assert machine.node.overhead == 2.0
    assert machine.double.x == (4.0,)
    assert machine.files.bandwidth == machine.files.bandwidth_node == 3.0


def test_files_are_written_at_so_many_billion_bytes_a_second(monkeypatch, tmp_path):
    seconds = iter([1.0, 1.5])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(measure, "time", SimpleNamespace(perf_counter=lambda: next(seconds)))
    assert measure.measure_files(MPI.COMM_SELF, 2**23) == pytest.approx(2**23 / 0.5e9, rel=5e-3)


@on_ranks(2)
def test_parts_are_timed_and_shared_flows_exchange(world):
    case = measure.calibration_case(24, "double", 1)
    alone = measure.time_parts(case, MPI.COMM_SELF, world)
    together = measure.time_parts(case, world, world)
    for found in (alone, together):
        assert 0 < sum(value for key, value in found.items() if key != "step") < 2 * found["step"]
    assert 10 * alone["exchange"] < together["exchange"]
