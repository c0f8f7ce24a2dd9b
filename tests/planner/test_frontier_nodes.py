"""GESTS on more nodes of Frontier than its links were measured on, and with smaller messages."""

import sys
from pathlib import Path

import pytest
from planner.cases import case
from whorl.machine.planner.cost import all_to_all, seconds
from whorl.machine.planner.gests import Gests
from whorl.machine.planner.machine import load_machine
from whorl.machine.planner.plan import make_plan, to_dict
from whorl.machine.planner.whorl_load import Whorl

VALIDATION = Path(__file__).resolve().parents[2] / "validation"
POINTS = 32768


@pytest.fixture(scope="module")
def validation():
    """The modules frontier_fit and frontier_nodes of validation/."""
    sys.path.insert(0, str(VALIDATION))
    try:
        import frontier_fit
        import frontier_nodes

        yield frontier_fit, frontier_nodes
    finally:
        sys.path.remove(str(VALIDATION))


def column(grid, variables=1):
    """Seconds of the columns of a right-hand side and GB/s of a rank, its message to itself counted."""
    way = Gests(case(POINTS, run={"precision": "single", "variables_per_message": variables}))
    load = way.load(grid, 1)
    time = seconds(load, load_machine("frontier"), 4).column
    return time, load.column.bytes / time / 1e9


def test_columns_on_8192_nodes_are_as_fast_as_reported():
    """3 to 4.6 GB/s: the least where messages are smallest, the most where they are largest."""
    least, most = column((2, 32768))[1], column((16, 4096), 3)[1]
    assert least == pytest.approx(3.0, rel=0.05)
    assert 4.0 < most < 4.6


def test_larger_messages_save_more_than_their_calls():
    """Messages of 0.0625 MiB are below all measured ones: three variables in one save a quarter."""
    one, three = (column((2, 32768), variables)[0] for variables in (1, 3))
    assert 0.65 * one < three < 0.8 * one


def test_plans_beyond_the_measured_links_say_extrapolated():
    chosen = case(POINTS, run={"precision": "single"})
    plan = make_plan(chosen, load_machine("frontier"), algorithm="gests", nodes=[4096, 8192])
    (said,) = plan.notes
    assert said.startswith("extrapolated to 8192 nodes (links: up to 4096)")
    assert to_dict(plan)["notes"] == [said]
    assert set(to_dict(plan)["runs"][0]["messages"]) == {"pair", "node", "group", "machine"}
    within = make_plan(chosen, load_machine("frontier"), algorithm="gests", nodes=[4096])
    assert within.notes == ()


def test_all_ranks_of_a_run_exchange_at_once():
    for way in (Gests(case(POINTS)), Whorl(case(2048))):
        load = way.load((4, 64), 1)
        assert (load.row.at_once, load.column.at_once) == (256, 256)


def test_what_all_nodes_share_follows_from_the_published_links(validation):
    """Links one by one add up to the 270 TB/s each way; the all-to-all that is reported is near the limit."""
    fit, _ = validation
    network, shared = fit.published(), fit.global_bandwidth()
    assert shared == pytest.approx(1e3 * network["bandwidth between groups one way"], rel=1e-3)
    nodes = load_machine("frontier").node.nodes
    assert shared == pytest.approx(nodes * network["all-to-all of a node"], rel=0.05)
    assert load_machine("frontier").links[-1].total == pytest.approx(shared, abs=1)


def test_no_row_of_the_fit_knows_of_what_was_not_fitted(validation):
    fit, nodes = validation
    machine = load_machine("frontier")
    for exchange, _ in fit.measured_exchanges("gpu_mpi_s"):
        assert all_to_all(exchange, machine.links) == all_to_all(exchange, nodes.unlimited(machine).links)


def test_errors_by_nodes_are_those_of_the_page(validation):
    _, nodes = validation
    machine = load_machine("frontier")
    found = nodes.errors_of(machine)
    assert [error.verdict for error in found if error.limit is not None] == ["passed"] * 3
    page = nodes.PAGE.read_text(encoding="utf-8")
    for name, text in (("by nodes", nodes.nodes_table(machine)), ("8192", nodes.largest_table(machine))):
        assert f"<!-- {name} -->\n{text}\n<!-- end of {name} -->" in page


def test_the_former_planner_was_as_wrong_as_reported(validation):
    """The ranges of the report fit the grids that are planned here: 5.7 to 6.4 GB/s were planned."""
    _, nodes = validation
    former = [plan.bandwidth for plan in nodes.plans_of_largest(nodes.unlimited(load_machine("frontier")))]
    assert (round(min(former), 1), round(max(former), 1)) == nodes.reported()["planned bandwidth of columns"]
