"""Lists on terminals of any width: lines end between words, and nothing is left out."""

from collections import Counter

import pytest
from rich.console import Console
from rich.table import Table
from whorl.cli.tables import show_rows, show_table, show_text
from whorl.diagnostics.options import KINDS
from whorl.models import MODELS

LISTS = {
    "models": (["models"], []),
    "model": (["models", "mhd"], ["option", "default", "meaning", "quantity", "expression"]),
    "cases": (["cases"], ["case", "points", "what", "it", "is"]),
    "options": (["options"], []),
    "options of a list": (["options", "particles"], []),
    "diagnostics": (["diagnostics"], ["kind", "what", "it", "measures"]),
    "diagnostic": (["diagnostics", "structure-functions"], []),
}


@pytest.mark.turns
@pytest.mark.parametrize("which", LISTS)
@pytest.mark.parametrize("width", [1, 30, 60, 80, 81, 100, 132])
def test_words_are_whole_at_any_width(whorl, monkeypatch, which, width):
    """Those of a terminal so wide that no line ends early; heads stand above a table alone."""
    command, heads = LISTS[which]
    monkeypatch.setenv("COLUMNS", "4000")
    whole = Counter(whorl(*command).out.split())
    monkeypatch.setenv("COLUMNS", str(width))
    narrow = whorl(*command)
    assert narrow.code == 0
    missing = whole - Counter(narrow.out.split())
    assert set(missing) <= set(heads)
    assert not Counter(narrow.out.split()) - whole


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("width", range(20, 140, 7))
def test_expressions_of_models_are_whole(whorl, monkeypatch, name, width):
    monkeypatch.setenv("COLUMNS", "4000")
    whole = Counter(whorl("models", name).out.split())
    monkeypatch.setenv("COLUMNS", str(width))
    assert not Counter(whorl("models", name).out.split()) - whole


def test_kinds_and_models_are_there_once(whorl):
    listed = whorl("diagnostics").out.splitlines()
    for kind in KINDS:
        assert sum(line.split()[:1] == [kind] for line in listed) == 1
    names = [line for line in whorl("models").out.splitlines() if line and not line.startswith(" ")]
    assert names == list(MODELS)


def console(width):
    return Console(width=width, force_terminal=False, highlight=False)


def test_a_table_fills_the_width_it_has(capfd):
    rows = [("name", "one two three four five six seven", "a " * 30), ("n", "x", "y")]
    show_rows(console(60), rows, ("head", "second", "third"))
    lines = capfd.readouterr().out.splitlines()
    assert lines[0].split() == ["head", "second", "third"]
    assert 50 <= max(map(len, lines)) <= 60
    show_rows(console(15), rows, ("head", "second", "third"))
    assert capfd.readouterr().out.splitlines()[:4] == [
        "name",
        "    one two",
        "    three four",
        "    five six",
    ]


def test_a_table_too_wide_for_the_terminal_keeps_its_columns(capfd):
    table = Table("quantity", "mean", box=None, pad_edge=False)
    table.add_row("dx(u.x)**2*viscosity", "0.123456")
    show_table(console(10), table)
    assert capfd.readouterr().out.splitlines()[1].split() == ["dx(u.x)**2*viscosity", "0.123456"]


def test_text_has_its_own_lines_and_marks(capfd):
    show_text(console(12), "[bold] of a word\n  and more", 2)
    assert capfd.readouterr().out == "  [bold] of\n  a word\n    and more\n"
