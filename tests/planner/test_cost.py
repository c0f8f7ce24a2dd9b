"""Seconds by part, each against numbers worked out by hand."""

import math
from dataclasses import replace

import pytest
from planner.cases import toy
from whorl.machine.planner.cost import (
    all_to_all,
    interpolate,
    level_times,
    messages_by_level,
    peers_by_level,
    seconds,
)
from whorl.machine.planner.load import AllToAlls, Load, line_operations
from whorl.machine.planner.machine import Link

ALONE = AllToAlls(1, 1, 1e9, 2)
LOAD = Load(
    lengths={"x": 16, "y": 64, "z": 64},
    operations={"x": 3e9, "y": 8e9, "z": 16e9},
    copy=5e9,
    point=4e9,
    modes=8e9,
    row=ALONE,
    column=ALONE,
    working_set=1e6,
)
GROUPS = (
    Link(level="pair", ranks=2, bandwidth=40.0),
    Link(level="node", ranks=8, bandwidth=20.0, contention=0.5),
    Link(level="machine", ranks=0, bandwidth=5.0, latency=100.0, hidden=0.5),
)


def test_operations_are_five_n_log_n_of_a_complex_line():
    assert line_operations(64, 10) == 5 * 64 * 6 * 10
    assert line_operations(1, 10) == 0


def test_each_part_is_work_over_the_rate_of_the_devices_of_a_rank():
    parts = seconds(LOAD, toy(), 4)
    # Two devices a rank: x at 16 points 1, y and z at 64 points 2 and 8 GFLOP/s each.
    assert parts.fft == pytest.approx(3 / 2 + 8 / 4 + 16 / 16)
    assert parts.pack == pytest.approx(5 / 20)
    assert parts.other == pytest.approx(4 / 40 + 8 / 80)
    assert (parts.row, parts.column, parts.hidden) == (0, 0, 0)
    assert parts.total == pytest.approx(4.5 + 0.25 + 0.2)


def test_ranks_share_the_devices_of_a_node():
    assert seconds(LOAD, toy(node={"ranks": 2}), 4).total == pytest.approx(2 * seconds(LOAD, toy(), 4).total)


def test_transforms_take_twice_as_long_in_the_precision_not_measured():
    single, double = (seconds(LOAD, toy(), size) for size in (4, 8))
    assert double.fft == pytest.approx(2 * single.fft)
    assert double.pack == single.pack


def test_rates_between_lengths_are_powers_of_the_length():
    assert interpolate(32, (16, 64), (1.0, 4.0)) == pytest.approx(2.0)
    assert interpolate(8, (16, 64), (1.0, 4.0)) == 1.0
    assert interpolate(128, (16, 64), (1.0, 4.0)) == 4.0
    assert interpolate(7, (16,), (3.0,)) == 3.0


def test_bandwidth_is_that_of_the_working_set_of_a_device():
    bandwidths = {key: [10.0, 40.0] for key in ("copies", "point", "modes")}
    machine = toy(single={"working_set": [1.0, 100.0]} | bandwidths)
    # 20 MB on two devices are 10 MB each, half-way in the logarithm.
    parts = seconds(replace(LOAD, working_set=20e6), machine, 4)
    assert parts.pack == pytest.approx(5 / (2 * 20))


PEERS = {
    "neighbours": (AllToAlls(2, 1, 1.0, 1), [1, 0, 0]),
    "a node": (AllToAlls(8, 1, 1.0, 1), [1, 6, 0]),
    "every second of a node": (AllToAlls(4, 2, 1.0, 1), [0, 3, 0]),
    "every second of four nodes": (AllToAlls(16, 2, 1.0, 1), [0, 3, 12]),
    "one of each node": (AllToAlls(5, 8, 1.0, 1), [0, 0, 4]),
    "all of ten nodes": (AllToAlls(80, 1, 1.0, 1), [1, 6, 72]),
}


@pytest.mark.parametrize(("exchange", "peers"), PEERS.values(), ids=PEERS.keys())
def test_peers_meet_at_the_lowest_level_that_joins_them(exchange, peers):
    assert peers_by_level(exchange, GROUPS) == peers


def test_an_exchange_takes_each_level_in_turn():
    exchange = AllToAlls(16, 1, 16e9, 3)  # 1 GB to each: one in the pair, six in the node, eight beyond
    expected = [1 / 40, 6 / (20 / math.sqrt(7)), 8 * (1 / 5 + 3 * 100e-6)]
    assert level_times(exchange, GROUPS) == pytest.approx(expected)
    assert all_to_all(exchange, GROUPS) == pytest.approx(sum(expected))


@pytest.mark.parametrize(("at_once", "bandwidth"), [(0, 5.0), (16, 5.0), (20, 4.0), (32, 2.5)])
def test_links_that_all_ranks_share_are_a_limit(at_once, bandwidth):
    """80 GB/s for all: sixteen ranks have their 5 GB/s each, more at once less; nodes have their own."""
    shared = (*GROUPS[:2], GROUPS[2].model_copy(update={"total": 80.0}))
    found = level_times(AllToAlls(16, 2, 16e9, 3, at_once), shared)
    assert found == pytest.approx([0.0, 3 / (20 / math.sqrt(3)), 12 * (1 / bandwidth + 300e-6)])


def test_a_message_smaller_than_all_measured_saves_by_the_peak_alone():
    """4 MiB in calls of 4, 2 and 1 MiB: what is missing to 4 saves its time at 20 GB/s, not at 5."""
    small = (*GROUPS[:2], GROUPS[2].model_copy(update={"messages": (4.0, 64.0), "peak": 20.0}))
    mebibyte = 2**20
    for calls, missing in ((1, 0), (2, 2), (4, 3)):
        exchange = AllToAlls(16, 8, 16 * 4 * mebibyte, calls)
        missed = calls * missing * mebibyte * (1 / 5e9 - 1 / 20e9)
        expected = 15 * (4 * mebibyte / 5e9 + calls * 100e-6 + missed)
        assert level_times(exchange, small)[2] == pytest.approx(expected)
        assert level_times(exchange, GROUPS)[2] == pytest.approx(expected - 15 * missed)


def test_messages_are_told_at_the_levels_where_they_have_peers():
    load = replace(LOAD, row=AllToAlls(4, 1, 8e6, 2), column=AllToAlls(16, 4, 16e6, 1))
    assert messages_by_level(load, GROUPS) == {
        "pair": (1e6,),
        "node": (1e6, 1e6),
        "machine": (1e6,),
    }
    assert messages_by_level(LOAD, GROUPS) == {}


def test_a_rank_alone_exchanges_nothing():
    assert all_to_all(ALONE, GROUPS) == 0.0


def test_overlap_hides_the_shorter_of_work_and_what_links_allow():
    machine = toy(links=[link.model_dump() for link in GROUPS])
    column = AllToAlls(4, 8, 4e9, 1)  # 1 GB to each of three others: 0.6 s and latency, half of it may hide
    load = replace(LOAD, column=column, batches=4, overlap=True)
    parts = seconds(load, machine, 4)
    exchange = 3 * (1 / 5 + 100e-6)
    assert parts.column == pytest.approx(exchange)
    assert parts.hidden == pytest.approx(0.5 * exchange * 3 / 4)
    assert parts.total == pytest.approx(4.5 + 0.25 + 0.2 + exchange - parts.hidden)
    assert seconds(replace(load, overlap=False), machine, 4).hidden == 0
    assert seconds(replace(load, batches=1), machine, 4).hidden == 0
    short = seconds(replace(load, operations={"x": 2e6, "y": 0, "z": 0}, copy=0, point=0), machine, 4)
    assert short.hidden == pytest.approx(1e-3 * 3 / 4)


def test_what_hides_an_exchange_is_the_work_on_planes():
    """Lines along x and y, copies and points: 1, 2, 4 and 8 ms. Lines along z and modes are on columns."""
    machine = toy(links=[link.model_dump() for link in GROUPS])
    load = replace(
        LOAD,
        operations={"x": 2e6, "y": 8e6, "z": 16e9},
        copy=80e6,
        point=320e6,
        column=AllToAlls(4, 8, 4e9, 1),
        batches=4,
        overlap=True,
    )
    assert seconds(load, machine, 4).hidden == pytest.approx(15e-3 * 3 / 4)


def test_rows_hide_as_columns_do():
    """Of a row exchange between nodes half may hide; the other half is work like any other."""
    machine = toy(links=[link.model_dump() for link in GROUPS])
    column, row = AllToAlls(4, 8, 4e9, 1), AllToAlls(2, 8, 2e9, 1)
    load = replace(LOAD, column=column, row=row, batches=4, overlap=True)
    hidden = 0.5 * (all_to_all(column, GROUPS) + all_to_all(row, GROUPS)) * 3 / 4
    assert seconds(load, machine, 4).hidden == pytest.approx(hidden)

    row = AllToAlls(2, 8, 2e-3, 1)
    load = replace(
        LOAD,
        operations={"x": 0, "y": 0, "z": 0},
        copy=0,
        point=0,
        row=row,
        column=AllToAlls(4, 16, 4e9, 1),
        batches=2,
        overlap=True,
    )
    assert seconds(load, machine, 4).hidden == pytest.approx(0.5 * all_to_all(row, GROUPS) / 2)
