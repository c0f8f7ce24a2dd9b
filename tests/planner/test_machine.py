"""Machine files: read, written, and refused with a reason."""

import pytest
from planner.cases import case, sections, toy
from whorl.base.errors import CaseError
from whorl.machine.planner.cost import level_times
from whorl.machine.planner.load import AllToAlls
from whorl.machine.planner.machine import (
    load_machine,
    machine_from,
    machine_text,
    machine_toml,
    shipped_machines,
)
from whorl.machine.planner.search import fewest_nodes, with_ranks
from whorl.machine.planner.whorl_load import Whorl

WRONG = {
    "unknown option": (
        {"node": {"memry": 3.0}},
        "node.memry is not an option of [node]; did you mean node.memory?",
    ),
    "option of another section": ({"node": {"copies": [1.0]}}, "did you mean single.copies?"),
    "unknown section": ({"nodes": {"devices": 2}}, "nodes is not a section; did you mean [node]?"),
    "unknown option of a link": (
        {"links": [{"level": "node", "ranks": 0, "bandwith": 1.0, "bandwidth": 1.0}]},
        "did you mean links[0].bandwidth?",
    ),
    "out of range": (
        {"node": {"memory": -1.0}},
        "node.memory = -1.0 (memory of a node that fields may fill [GiB]): it must be greater than 0",
    ),
    "not a number": ({"files": {"bandwidth": "fast"}}, "it must be a number"),
    "uneven ranks": (
        {"node": {"devices": 8, "ranks": 3}},
        "node.ranks = 3 do not share node.devices = 8 evenly",
    ),
    "idle GPUs": (
        {"node": {"kind": "gpu", "devices": 8, "ranks": 4}},
        "node.ranks = 4 leave GPUs of node.devices = 8 idle, because a rank has one; give the number that",
    ),
    "table of another length": ({"single": {"x": [1.0]}}, "x has 1 numbers and points has 2"),
    "bandwidths of another length": (
        {"single": {"modes": [1.0, 2.0]}},
        "modes has 2 numbers and working_set has 1",
    ),
    "descending": ({"single": {"points": [64.0, 16.0]}}, "points = [64.0, 16.0] must ascend"),
    "links out of order": (
        {"links": [{"level": "node", "ranks": 0, "bandwidth": 1.0}] * 2},
        "[[links]] must ascend",
    ),
    "links of fewer ranks": (
        {"links": [{"level": level, "ranks": 8, "bandwidth": 1.0} for level in ("pair", "node")]},
        "[[links]] must ascend",
    ),
    "links of a lower level": (
        {"links": [{"level": "node", "ranks": ranks, "bandwidth": 1.0} for ranks in (2, 8)]},
        "[[links]] must ascend",
    ),
    "one measured message": (
        {"links": [{"level": "node", "ranks": 0, "bandwidth": 1.0, "messages": [1.0]}]},
        "it must be empty or two numbers, the smallest and the largest",
    ),
    "measured messages descending": (
        {"links": [{"level": "node", "ranks": 0, "bandwidth": 1.0, "messages": [2.0, 1.0]}]},
        "it must be empty or two numbers, the smallest and the largest",
    ),
    "measured messages of no size": (
        {"links": [{"level": "node", "ranks": 0, "bandwidth": 1.0, "messages": ["a", 1.0]}]},
        "messages",
    ),
    "a peak of unknown messages": (
        {"links": [{"level": "node", "ranks": 0, "bandwidth": 1.0, "peak": 2.0}]},
        "peak = 2 goes with messages and is not below bandwidth = 1",
    ),
    "a peak below the bandwidth": (
        {"links": [{"level": "node", "ranks": 0, "bandwidth": 3.0, "messages": [1.0, 2.0], "peak": 2.0}]},
        "peak = 2 goes with messages and is not below bandwidth = 3",
    ),
    "links that do not join all": (
        {"links": [{"level": "node", "ranks": 4, "bandwidth": 1.0}]},
        "[[links]] must join all 64 ranks; give the last one ranks = 0",
    ),
}


@pytest.mark.parametrize(("change", "message"), WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_said_with_the_remedy(change, message):
    with pytest.raises(CaseError) as error:
        machine_from(sections(**change), "toy.toml")
    assert str(error.value).startswith("toy.toml: ")
    assert message in str(error.value)


def test_some_rates_are_needed():
    without = {name: section for name, section in sections().items() if name != "single"}
    with pytest.raises(CaseError, match=r"\[single\] and \[double\] are missing"):
        machine_from(without)


@pytest.mark.parametrize("name", shipped_machines())
def test_the_shipped_machines_are_whole(name):
    machine = load_machine(name)
    assert machine.machine.name == name
    assert machine.machine.source
    assert machine_text(machine_toml(machine, "a comment")) == machine


def test_a_file_says_what_its_numbers_are():
    lines = machine_toml(toy(), "made up").splitlines()
    assert lines[0] == "# made up"
    assert "memory = 1.0 # memory of a node that fields may fill [GiB]" in lines
    assert "ranks = 1 # MPI ranks a node, sharing the devices evenly" in lines
    first, second = (number for number, line in enumerate(lines) if line == "[[links]]")
    assert [number for number, line in enumerate(lines) if "[µs]" in line] == [first + 5]
    assert lines[second + 5] == "latency = 5.0"


def test_frontier_h200_and_two_cores_are_shipped():
    assert {"frontier", "h200", "two-epyc-cores"} <= set(shipped_machines())


def test_a_file_is_found_by_path_and_by_name_before_the_shipped_one(tmp_path, monkeypatch):
    (tmp_path / "frontier.toml").write_text(machine_toml(toy()))
    assert load_machine(tmp_path / "frontier.toml").machine.name == "toy"
    assert load_machine("frontier").machine.name == "frontier"
    monkeypatch.chdir(tmp_path)
    assert load_machine("frontier").machine.name == "toy"


def test_an_unknown_machine_names_those_there_are():
    with pytest.raises(CaseError, match="did you mean frontier"):
        load_machine("frontir")


def test_the_other_precision_stands_in_by_the_ratio_of_the_sizes():
    machine = toy()
    assert machine.rates(4) == (machine.single, 1.0)
    assert machine.rates(8) == (machine.single, 0.5)
    both = sections(double=sections()["single"] | {"modes": [3.0]})
    other = machine_from({name: section for name, section in both.items() if name != "single"})
    assert other.rates(4) == (other.double, 2.0)
    assert other.rates(8) == (other.double, 1.0)
    assert machine_from(both).rates(8)[0].modes == (3.0,)


def test_ranks_of_a_node_share_its_links():
    """Toy's levels join 4 nodes of a rank, and all; of Frontier's 8 ranks a node a pair is a quarter."""
    assert with_ranks(toy(), 1) == toy()
    two = with_ranks(toy(), 2)
    assert two.node.ranks == 2
    assert [(link.ranks, link.bandwidth, link.latency) for link in two.links] == [
        (8, 4.0, 0.0),
        (0, 1.0, 5.0),
    ]
    assert with_ranks(two, 1) == toy()
    frontier = load_machine("frontier")
    cores = frontier.model_copy(update={"node": frontier.node.model_copy(update={"kind": "cpu"})})
    four = with_ranks(cores, 4)
    assert (four.node.devices, four.node.memory) == (8, 448.0)
    assert [(link.level, link.ranks) for link in four.links] == [("node", 4), ("group", 512), ("machine", 0)]
    assert [link.bandwidth for link in four.links] == [2 * link.bandwidth for link in frontier.links[1:]]
    assert [link.peak for link in four.links] == [0.0, 25.0, 25.0]
    assert [link.total for link in four.links] == [link.total for link in frontier.links[1:]]
    one = with_ranks(cores, 1)
    assert [(link.level, link.ranks) for link in one.links] == [("group", 128), ("machine", 0)]
    assert one.links[0].bandwidth == 8 * frontier.links[2].bandwidth


def test_fewer_ranks_leave_gpus_idle():
    """With their memory and their links: a rank has one GPU, as fast as it was."""
    frontier = load_machine("frontier")
    four, one = with_ranks(frontier, 4), with_ranks(frontier, 1)
    assert (four.node.devices, four.node.ranks, four.node.memory) == (4, 4, 4 * 56.0)
    assert [(link.level, link.ranks) for link in four.links] == [("node", 4), ("group", 512), ("machine", 0)]
    assert [link.bandwidth for link in four.links] == [link.bandwidth for link in frontier.links[1:]]
    assert (one.node.devices, one.node.memory) == (1, 56.0)
    assert with_ranks(frontier, 8) == frontier
    with pytest.raises(CaseError, match=r"node.ranks = 16 are more than node.devices = 8 GPUs"):
        with_ranks(frontier, 16)


def test_other_ranks_take_as_long_for_what_a_node_sends():
    """Of 64 nodes a rank each or two: a node has 6 GB to send to the 60 beyond its four, 2 GB/s a node."""
    beyond = [
        level_times(AllToAlls(64 * ranks, 1, 6.4e9 / ranks, 0), with_ranks(toy(), ranks).links)[1]
        for ranks in (1, 2)
    ]
    assert beyond == pytest.approx([60 * 0.1 / 2, 60 * 0.1 / 2])


def test_ranks_that_cannot_be_are_refused():
    with pytest.raises(CaseError, match=r"node.ranks = 3 do not share"):
        with_ranks(toy(), 3)
    with pytest.raises(CaseError, match=r"toy has no \[\[links\]\], and 2 ranks a node exchange; measure"):
        with_ranks(toy(links=[], node={"nodes": 1}), 2)


def test_frontier_leaves_memory_to_the_runtime():
    """8192³ points would fill 63.96 of 64 GiB a GPU on 22 nodes; the paper's runs filled 42."""
    frontier = load_machine("frontier")
    share = frontier.node.memory / frontier.node.ranks
    assert 42 < share < 60
    assert fewest_nodes(Whorl(case(8192), frontier.device), frontier) > 22
