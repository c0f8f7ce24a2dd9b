"""What `whorl bench machine` writes is what was timed."""

import pytest
from support.ranks import on_ranks
from whorl.planner import measure
from whorl.planner.clock import all_to_all, seconds
from whorl.planner.load import Exchange
from whorl.planner.machine import machine_from, machine_text
from whorl.planner.machine_file import machine_toml
from whorl.planner.whorl_load import Whorl


@on_ranks(1, 2)
def test_the_machine_is_measured_and_written(world):
    machine = world.bcast(measure.measure_machine("here", world, sizes=(16, 24), threads=1))
    assert machine_text(machine_toml(machine)) == machine
    assert (machine.node.devices, machine.node.ranks) == (world.size, world.size)
    assert bool(machine.links) == (world.size > 1)
    assert machine.single.points == machine.double.points == (16.0, 24.0)


@on_ranks(2)
def test_rates_give_back_the_step_they_are_from(world):
    """Waiting and work beside the parts are in the rates, so the parts add up to the step."""
    timed = []
    original = measure.time_parts
    measure.time_parts = lambda case, comm: timed.append(original(case, comm)) or timed[-1]
    try:
        rates = measure.measure_rates("single", 1, world, (16, 24))
    finally:
        measure.time_parts = original
    machine = machine_from(
        {
            "machine": {"name": "here", "source": "a test"},
            "node": {"devices": 2, "ranks": 2, "memory": 1.0},
            "single": rates,
            "files": {"bandwidth": 1.0, "bandwidth_node": 1.0},
        }
    )
    for place, size in enumerate((16, 24)):
        step, parts = min(timed[place::2], key=lambda timing: timing[0])
        load = Whorl(measure.calibration_case(size, "single", 1)).load((1, 1), 1)
        planned = seconds(load, machine, 4)
        assert planned.total == pytest.approx(step, rel=1e-2)
        assert planned.pack == pytest.approx(parts["pack"] * step / sum(parts.values()), rel=1e-2)


@on_ranks(3)
def test_the_link_is_the_line_through_the_exchanges(world):
    """2 peers; times made of 4 GB/s and 30 µs."""
    original = measure._time_exchange
    measure._time_exchange = lambda comm, count: 2 * (count / 3 / 4e9 + 30e-6)
    try:
        link = measure.measure_link(world)
    finally:
        measure._time_exchange = original
    assert link == pytest.approx({"bandwidth": 4.0, "latency": 30.0}, rel=1e-3)


@on_ranks(2)
def test_the_measured_link_gives_the_measured_exchange(world):
    link = world.bcast(measure.measure_link(world))
    machine = {"level": "node", "ranks": 0} | link
    (level,) = machine_from(
        {
            "machine": {"name": "here", "source": "a test"},
            "node": {"devices": 2, "ranks": 2, "memory": 1.0},
            "single": {key: [1.0] for key in ("points", "x", "y", "z", "copies", "point", "modes")},
            "links": [machine],
            "files": {"bandwidth": 1.0, "bandwidth_node": 1.0},
        }
    ).links
    planned = all_to_all(Exchange(2, 1, 2**22, 1), (level,))
    assert 0 < planned < 10
