"""The paper's time steps on Frontier, predicted from its tables of links and transforms alone."""

import sys
from pathlib import Path

import pytest
from whorl.machine.planner.cost import all_to_all
from whorl.machine.planner.machine import load_machine

VALIDATION = Path(__file__).resolve().parents[2] / "validation"


@pytest.fixture(scope="module")
def validation():
    """The modules frontier_fit, gests and largest of validation/."""
    sys.path.insert(0, str(VALIDATION))
    try:
        import frontier_fit
        import gests
        import largest

        yield frontier_fit, gests, largest
    finally:
        sys.path.remove(str(VALIDATION))


@pytest.fixture(scope="module")
def rows(validation):
    return validation[1].predict(load_machine("frontier"))


def test_the_shipped_file_is_the_fit(validation):
    fitted, shipped = validation[0].frontier(), load_machine("frontier")
    assert fitted.single == shipped.single
    for own, other in zip(fitted.links, shipped.links, strict=True):
        assert own.level == other.level
        for key in ("ranks", "bandwidth", "contention", "latency", "hidden"):
            assert getattr(own, key) == pytest.approx(getattr(other, key), rel=1e-3)


def test_all_twenty_four_rows_are_within_the_limits(rows):
    errors = [abs(row.error) for row in rows]
    assert len(errors) == 24
    assert sum(errors) / 24 <= 0.10
    assert max(errors) <= 0.25


def test_every_row_has_an_error_of_its_own(validation, rows):
    results = validation[1].results_of(rows)
    assert list(results.values()) == [row.error for row in rows]
    assert {"table 2: 32768³ slabs", "table 2: 32768³ slabs, again"} <= set(results)


def test_pairs_without_an_order_are_told_of(validation, rows):
    """The table counts the others, the page says which they are."""
    told = {error.what: error.value for error in validation[1].errors_of(rows)}
    assert told["pairs of grids in the wrong order, of the 23 measured 1 % or more apart"] == 0
    tied = [order for order in validation[1].orders(rows) if order.tied]
    assert [order.right for order in tied] == [False, False]
    page = validation[1].PAGE.read_text(encoding="utf-8")
    assert "Both ties (4 × 16 and 2 × 32 at 4096³" in page
    assert "are predicted in reversed order" in page


def test_other_choices_are_worse(validation, rows):
    """What the page says of the choices that were made in view of tables 2 and 3."""
    found = validation[1].variants(load_machine("frontier"), rows)
    mean, worst, wrong, sizes = (
        [validation[1].errors_of(of_variant)[i].value for of_variant in found.values()] for i in range(4)
    )
    assert mean == pytest.approx([0.045, 0.054, 0.114, 0.119], abs=0.001)
    assert worst == pytest.approx([0.163, 0.235, 0.223, 0.297], abs=0.001)
    assert sizes[:2] == [0, 1]
    assert wrong[0] == 0


def test_process_grids_are_ranked_as_measured(validation, rows):
    orders = validation[1].orders(rows)
    decided = [order for order in orders if not order.tied]
    assert (len(orders), len(decided)) == (25, 23)
    assert all(order.right for order in decided)
    assert validation[1].sizes_with_wrong_best(rows) == []


@pytest.mark.parametrize(
    ("part", "mean", "worst"),
    [
        ("fft", 0.15, 0.30),
        ("row", 0.10, 0.15),
        ("column", 0.10, 0.35),
        ("pack", 0.25, 0.60),
        ("other", 0.3, 0.65),
    ],
)
def test_each_part_is_predicted(rows, part, mean, worst):
    errors = [
        abs(getattr(row.predicted, part) / row.measured[part] - 1) for row in rows if row.measured[part] > 0
    ]
    assert sum(errors) / len(errors) < mean
    assert max(errors) < worst


def test_the_fit_gives_the_exchanges_it_is_made_from(validation):
    links = load_machine("frontier").links
    for exchange, measured in validation[0].measured_exchanges("gpu_mpi_s"):
        assert all_to_all(exchange, links) == pytest.approx(measured, rel=0.11)


def test_no_link_is_faster_than_its_peak(validation):
    """Tables 8 and 9; two ranks share a network card."""
    peak = {
        row["pathway"]: row["one_way_gbs"] for row in validation[0].table("links", numbers=("one_way_gbs",))
    }
    pair, node, group, machine = (link.bandwidth for link in load_machine("frontier").links)
    assert pair < peak["gcd to gcd on one gpu"]
    assert node < peak["gpu to gpu in pair"]
    assert machine < group < peak["node to node per nic (2 ranks share one)"] / 2
    assert load_machine("frontier").single.copies[0] < peak["gpu memory (send+receive)"]


@pytest.mark.pages
def test_the_page_has_the_plans_of_the_largest_run(validation):
    page = validation[2].PAGE.read_text(encoding="utf-8")
    assert f"<!-- largest -->\n{validation[2].page_table()}\n<!-- end of largest -->" in page
