"""Whole commands with whatever is typed, on what may be there, links and loops, and on any terminal."""

from typing import Any

import pytest
import typer
from cli.fuzzing import BOUNDED, RESTARTED, call, check, names, quick, told
from cli.test_fuzz import setting
from hypothesis import example, given
from hypothesis import strategies as st
from support.build import needs
from whorl.cli.main import app

pytestmark = needs("hdf5")

COMMANDS: dict[str, Any] = typer.main.get_command(app).commands
# Words after those that are drawn.
FIXED = {
    "run": BOUNDED,
    "restart": RESTARTED,
    "plan": ("-m", "toy.toml"),
}
CHOSEN = [name for name in COMMANDS if name not in ("bench", "info", "demo", "doctor")]
hidden = [
    "a\nb",
    "\x1b[31mred",
    "zero\u200bwidth",
    "\u202eabc",
    "\ufeffcase",
    "\udcff\udc80",
    "é",
    "\t",
    "\u3000",
]
numbers = [
    "1e-310",
    "5e-324",
    "-1e-310",
    "1e400",
    "nan",
    "inf",
    "-0",
    "٣",
    "1_0",
    "0x10",
    "",
    " 1",
    "yesterday",
]
units = ["20 turnovers", "1e-310 turnovers", "5 minuts", "3 hours", "never"]
paths = [
    *(
        "run",
        "run/",
        ".",
        "..",
        "",
        "missing",
        "missing/deeper",
        "loop",
        "loop/deeper",
        "dangling",
        "link",
        "a",
    ),
    *("case.toml", "case.toml/deeper", "/dev/null", "/proc/self/mem", "~", "-", "--", "n" * 300, "toy.toml"),
    *(
        "run/checkpoints",
        "run/snapshots",
        "run/series.csv",
        "run/plot.svg",
        "x.png",
        "x.html",
        "x.jpg",
        "x.h5",
    ),
]
word = st.one_of(
    *map(st.sampled_from, (hidden, numbers, units, paths)), st.text("abz./=-[]{}'\"\\ 019", max_size=6)
)


@st.composite
def commands(draw) -> list[str]:
    """A command with some of its options, each with a word that may be right or wrong."""
    name = draw(st.sampled_from(CHOSEN))
    options = [one for one in COMMANDS[name].params if one.param_type_name == "option" and one.name != "help"]
    typed: list[str] = []
    for one in draw(st.lists(st.sampled_from(options), max_size=3)) if options else []:
        typed.append(draw(st.sampled_from([*one.opts, *one.secondary_opts])))
        if not one.is_flag:
            given = setting if one.name == "settings" else word
            typed += [draw(given) for _ in range(max(one.nargs, 1))]
    places = [one for one in COMMANDS[name].params if one.param_type_name == "argument"]
    usual = {"directory": "run", "case": "case.toml", "name": "mhd", "model": "mhd", "section": "time"}
    arguments = [
        draw(st.one_of(st.just(usual.get(one.name, "pdf")), word))
        for one in places
        if draw(st.integers(0, 9))
    ]
    drawn = [text.replace("\0", "") for text in (*arguments, *typed)]
    return [name, *drawn, *FIXED.get(name, ())]


@quick
@given(commands())
@example(["run", "case.toml", "-o", "loop", *BOUNDED])
@example(["run", "loop", *BOUNDED])
@example(["restart", "loop", *RESTARTED])
@example(["plot", "run", "-o", "loop/x.png"])
@example(["report", "run", "-o", "a"])
@example(["run", "case.toml", "-o", "out", "--set", "output.series_every=1e-310", *BOUNDED])
@example(["average", "run", "--from", "yesterday"])
@example(["average", "run", "--from", "1e-310"])
@example(["models", "zero\u200bwidth"])
@example(["models", "--equations", ""])
@example(["models", "--equations", "~"])
@pytest.mark.usefixtures("undrawn_reports")
def test_a_command(fresh, words):
    done = check(fresh(), words)
    if done.code == 2:
        assert told(words[1:], done.err) or "See whorl" in done.err, (words, done)


@quick
@given(
    st.sampled_from(["latin-1", "ascii", "cp1252", "utf-16", "koi8-r"]),
    st.sampled_from(
        [
            *(["options"], ["models"], ["models", "mhd"], ["diagnostics"], ["cases"], ["average", "run"]),
            *(
                ["plan", "case.toml", "-m", "toy.toml"],
                ["run", "case.toml", "-o", "out", *BOUNDED],
                ["plot", "run"],
            ),
            *(["models", "é\u202e"], ["run", "ν.toml"], ["new", "mhd"]),
        ]
    ),
)
def test_a_terminal_that_shows_few_characters(fresh, encoding, words):
    folder = fresh()
    there, code = names(folder), call(folder, words, encoding).code
    assert code in (0, 2)
    assert code == 0 or names(folder) == there
