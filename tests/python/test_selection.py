"""Cases that `pytest` runs by default: pairs of values, tiers, the limit of a case, and stored durations."""

import os
import subprocess
import sys
from collections import Counter
from itertools import combinations, product
from types import SimpleNamespace

import pytest
from support import devices, durations, selection
from support.covering import covering

SIZES = {"box": 4, "scheme": 8, "threads": 2}


def product_of(**values):
    return [dict(zip(values, case, strict=True)) for case in product(*values.values())]


def meetings(cases, *, left_out=()):
    return {
        pair
        for case in cases
        for pair in combinations(
            sorted((name, value) for name, value in case.items() if name not in left_out), 2
        )
    }


def test_every_two_values_meet_in_few_cases():
    cases = product_of(**{name: range(size) for name, size in SIZES.items()}, ranks=(1, 2, 3, 4, 6))
    chosen = [cases[i] for i in covering(cases)]
    assert meetings(chosen, left_out="ranks") == meetings(cases, left_out="ranks")
    assert len(chosen) <= 36


def test_numbers_of_ranks_take_turns():
    cases = product_of(box=range(4), scheme=range(8), ranks=(1, 2, 3, 4, 6))
    of_ranks = Counter(cases[i]["ranks"] for i in covering(cases))
    assert of_ranks.total() == 32
    assert max(of_ranks.values()) - min(of_ranks.values()) <= 2


def test_each_value_meets_one_rank_and_several():
    cases = product_of(box=range(3), ranks=(1, 2, 3, 4, 6))
    chosen = [cases[i] for i in covering(cases)]
    assert Counter((case["box"], case["ranks"] > 1) for case in chosen) == dict.fromkeys(
        product(range(3), (False, True)), 1
    )


def test_kinds_of_process_grids_occur_of_which_each_function_has_its_own():
    cases = product_of(ranks=(1, 2, 3, 4, 6, 8))
    found = [tuple(cases[i]["ranks"] for i in covering(cases, turn=turn)) for turn in range(6)]
    assert all(1 in one and {2, 3} & {*one} and {4, 6, 8} & {*one} and len(one) == 3 for one in found)
    assert len({*found}) > 2


def test_pairs_of_which_there_are_no_others_are_all_kept():
    of_two = product_of(box=range(3), scheme=range(4))
    assert covering(of_two) == list(range(12))
    assert covering(product_of(box=range(5))) == list(range(5))
    lacking = [case for case in product_of(a=range(3), b=range(3), c=range(3)) if case["a"] != case["b"]]
    assert meetings(lacking[i] for i in covering(lacking)) == meetings(lacking)


def item(name, marks=(), tables=(), **params):
    """A test of tests/core/test_x.py, with what selection reads of pytest's items."""
    return SimpleNamespace(
        nodeid=f"tests/core/test_x.py::{name}[{'-'.join(map(str, params.values()))}]",
        callspec=SimpleNamespace(params=params),
        get_closest_marker=lambda mark: mark if mark in marks else None,
        iter_markers=lambda _: iter(tables),
    )


def chosen(items, *, expression="", full=False, every_device="sample"):
    options = {"--full": full, "--devices": every_device}
    config = SimpleNamespace(getoption=options.get, option=SimpleNamespace(markexpr=expression))
    return selection.thinned(selection.allowed(items, config), config)


def test_a_tier_runs_when_it_is_named():
    usual, *tiers = [item("test_usual", n=1), *(item(f"test_{tier}", [tier]) for tier in selection.TIERS)]
    everything = [usual, *tiers]
    assert chosen(everything) == [usual]
    assert chosen(everything, expression="not mpi") == [usual]
    assert chosen(everything, expression="build or gpu") == [usual, tiers[0]]
    assert chosen(everything, full=True) == everything


def test_values_may_take_turns():
    cases = product_of(box=range(3), scheme=range(7), ranks=(1, 2, 4))
    some = [cases[i] for i in covering(cases, strength=1)]
    assert len(some) == 7
    for name in ("box", "ranks"):
        counts = Counter(case[name] for case in some)
        assert sorted(counts.values()) == [2, 2, 3]
    texts = [str(n) * 2 for n in range(8)]
    items = [item("test_product", ["turns"], a=a, b=b) for a, b in product(texts[:3], texts[3:])]
    assert len(chosen(items)) == 5
    assert chosen(items, full=True) == items


def test_products_run_in_full_where_it_is_asked_for():
    texts = [str(n) * 2 for n in range(4)]
    cases = list(product(texts, texts, texts))
    plain = [item("test_product", a=a, b=b, c=c) for a, b, c in cases]
    assert 16 <= len(chosen(plain)) <= 20
    assert chosen(plain, full=True) == plain
    every_case = [item("test_product", ["every_case"], a=a, b=b, c=c) for a, b, c in cases]
    assert chosen(every_case) == every_case


def test_rows_of_a_table_are_all_kept():
    """Each has its own expected result."""
    columns = ("first", "second", "third")
    rows = [dict(zip(columns, row, strict=True)) for row in product("ab", "cd", "ef")]
    for names in (columns, ", ".join(columns)):
        table = pytest.mark.parametrize(names, []).mark
        items = [item("test_rows", tables=[table], **row) for row in rows]
        assert chosen(items) == items
    assert len(chosen([item("test_product", **row) for row in rows])) < len(rows)


def test_devices_do_not_share_what_meets():
    """Each device has all pairs, and beside the CPU only a sample runs."""
    names = devices.ALL[:2]
    cases = list(product(names, "ab", "cd", "ef"))
    items = [item("test_it", ["every_device"], device=d, a=a, b=b, c=c) for d, a, b, c in cases]
    on_all, on_some = (
        Counter(one.callspec.params["device"] for one in chosen(items, every_device=of))
        for of in ("all", "sample")
    )
    assert on_all[names[0]] == on_all[names[1]] == on_some[names[0]] < 8
    assert 1 <= on_some[names[1]] < on_all[names[1]]


THINNED = """
import pytest
from support.ranks import on_ranks

@on_ranks(1, 4)
@pytest.mark.parametrize("second", "klmnop")
@pytest.mark.parametrize("first", "abcdefgh")
def test_product(world, first, second):
    pass
"""


def test_markers_and_words_choose_before_products_are_thinned(tmp_path):
    """Values would otherwise go to cases that -m or -k leaves out."""
    (tmp_path / "test_them.py").write_text(THINNED, encoding="utf-8")
    path = os.pathsep.join(filter(None, [str(durations.TESTS), os.environ.get("PYTHONPATH")]))
    kept = {}
    for options in ((), ("-m", "not mpi"), ("-k", "4-ranks")):
        command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "conftest", *options]
        done = subprocess.run(
            [*command, "--rootdir", str(tmp_path), str(tmp_path)],
            capture_output=True, text=True, check=True, env=os.environ | {"PYTHONPATH": path},
        )  # fmt: skip
        kept[options] = [line for line in done.stdout.splitlines() if "::" in line]
    assert {options: len(cases) for options, cases in kept.items()} == dict.fromkeys(kept, 48)
    assert all("1-ranks" in case for case in kept["-m", "not mpi"])


@pytest.fixture
def known(monkeypatch):
    """Puts lines in place of those of the file."""

    def put(lines):
        monkeypatch.setattr(durations, "stored", lambda: lines)

    return put


def test_a_case_beyond_the_limit_is_named_with_the_remedy(known):
    others = {"tests/c.py::many": (400 * 3.0 - 42.1, 10000)}
    known({"tests/a.py::f[long]": (3.1, 1), "tests/a.py::f": (30.0, 100), "tests/a.py::g": (9.0, 2)} | others)
    said = durations.complaint(
        ["tests/a.py::f[long]", "tests/a.py::f[short]", "tests/a.py::g[x]", "tests/b.py::h"]
    )
    assert "more than 3.0 s" in said
    assert "3.1 s  tests/a.py::f[long]" in said
    assert "4.5 s  tests/a.py::g[x]" in said
    assert "short" not in said
    assert "slow" in said
    assert "--store-durations" in said
    assert durations.complaint(["tests/a.py::f[short]"]) == ""


def test_files_that_take_longest_come_first_and_those_on_ranks_take_turns(known):
    known({"a.py::f": (1.0, 2), "b.py::g": (0.6, 1), "c.py::h": (2.0, 1), "d.py::i": (0.2, 1)})
    items = [
        SimpleNamespace(
            nodeid=name,
            path=name[0],
            get_closest_marker=lambda mark, name=name: mark == "mpi" and name[0] in "cd",
        )
        for name in ("a.py::f[1]", "b.py::g", "a.py::f[2]", "d.py::i", "c.py::h")
    ]
    assert [one.path for one in durations.longest_files_first(items)] == ["a", "a", "c", "b", "d"]
    assert [one.path for one in durations.longest_files_first(items[:2])] == ["b", "a"]


def test_a_run_replaces_what_it_has_run_and_nothing_else():
    here = "tests/python/test_selection.py::"
    old = {
        f"{here}product_of": (5.0, 3),
        f"{here}known[x]": (2.0, 1),
        f"{here}gone": (7.0, 1),
        f"{here}chosen": (0.5, 2),
        f"{here}item[y]": (1.5, 1),
        f"{here}product_of[a]": (4.5, 1),
        f"{here}product_of[slow]": (4.0, 1),
    }
    ran = {
        f"{here}product_of[a]": 1.25,
        f"{here}product_of[b]": 0.25,
        f"{here}product_of[c]": 0.5,
        f"{here}chosen": 0.01,
    }
    assert durations.merged(old, ran) == {
        f"{here}known[x]": (2.0, 1),
        f"{here}item[y]": (1.5, 1),
        f"{here}product_of[slow]": (4.0, 1),
        f"{here}product_of[a]": (1.25, 1),
        f"{here}product_of": (0.75, 2),
    }


def test_what_is_stored_is_read_again(tmp_path, monkeypatch):
    lines = {"tests/a.py::f[two words]": (12.5, 1), "tests/a.py::g": (0.4, 17)}
    monkeypatch.setattr(durations, "FILE", tmp_path / "durations.txt")
    durations.write(lines, "this machine")
    assert durations.stored.__wrapped__() == lines


def test_what_a_case_takes_is_all_of_its_phases_but_the_start_of_ranks():
    recorder = durations.Recorder()
    for when, seconds in {"setup": 0.25, "call": 2.0, "teardown": 0.5}.items():
        started = [] if when == "setup" else [(durations.STARTED, 1.5)]
        recorder.pytest_runtest_logreport(
            SimpleNamespace(
                nodeid="tests/a.py::f", when=when, duration=seconds, skipped=False, user_properties=started
            )
        )
    assert recorder.of_cases == {"tests/a.py::f": 1.25}


def test_the_shortest_fill_the_time_that_there_is(known):
    known({f"tests/a.py::{name}": (seconds, 1) for name, seconds in {"f": 0.4, "g": 0.2, "h": 0.3}.items()})
    items = [SimpleNamespace(nodeid=f"tests/a.py::{name}") for name in "fgh"]
    assert durations.shortest(items, 0.52) == items[1:]
    assert durations.shortest(items, 0.5) == items[1:2]
