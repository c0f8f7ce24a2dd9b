"""tools/check_prose finds odd turns; tools/check_subjects finds wrong subjects."""

import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def tool(name):
    loader = SourceFileLoader(name, str(ROOT / "tools" / name))
    module = module_from_spec(spec_from_loader(name, loader))
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    try:
        loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = before
    return module


PROSE, SUBJECTS = tool("check_prose"), tool("check_subjects")


def odd(text):
    return [name for _, name, _ in PROSE.turns(1, text)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Shells of one wavenumber, in units of the smallest.", []),
        ("The core says what it keeps.", ["a clause with what"]),
        ("What does a step cost? Nothing.", []),
        ("There are walls.", ["there is"]),
        ("The row behind the first, beside it.", ["behind", "beside"]),
        ("The plan is made anew.", ["anew"]),
        ("At so many times.", ["so many"]),
        ("The log tells the time.", ["tell"]),
        ("tell : callable", []),
        ("A velocity, which this model has not.", ["has not"]),
        ("Planes that go by.", ["go by"]),
        ("Of the means of shells.", ["no noun at the beginning"]),
        ("A sum.\n\nThose of the shells.", ["no noun at the beginning"]),
        ("The option `what behind there is` and [a link](behind/what.md).", []),
        ("One word " * 20 + "more. And another.", ["a sentence of 41 words"]),
        ("One word " * 15 + "for ν = 0.5 m. " + "One word " * 15, []),
        ("One word " * 20 + "more | one word", ["a sentence of 41 words"]),
        ("One word " * 15 + "| one word " + "one word " * 10, []),
    ],
)
def test_odd_turns(text, names):
    assert odd(text) == names


def found(path, text):
    path.write_text(text, encoding="utf-8")
    return [(line, name) for line, name, _ in PROSE.of_file(path)[1]]


def test_comments_docstrings_and_errors_of_python(tmp_path):
    text = (
        '"""Of means."""\n\n\ndef one():\n    """Sum.\n\n    Those of shells.\n    """\n'
        '    x = "what is behind"  # behind\n    # A row\n    # so many of\n'
        '    raise ValueError(f"{x} is behind {x}")\n'
    )
    assert found(tmp_path / "a.py", text) == [
        (1, "no noun at the beginning"),
        (7, "no noun at the beginning"),
        (9, "behind"),
        (11, "so many"),
        (12, "behind"),
    ]


def test_comments_of_cpp(tmp_path):
    text = 'int a; // behind\n/// Of a row.\n/// One that goes by.\nauto b = "// there is";\n'
    assert found(tmp_path / "a.cpp", text) == [(1, "behind"), (2, "no noun at the beginning"), (3, "go by")]


def test_pages_without_their_code(tmp_path):
    text = "# What\n\nText.\n\n```sh\nthere is\n```\n\n| a | behind |\n|---|---|\n| Of | beside |\n"
    names = [name for _, name in found(tmp_path / "a.md", text)]
    assert sorted(names) == ["a clause with what", "behind", "beside", *["no noun at the beginning"] * 2]


def check(root, *arguments):
    run = [sys.executable, ROOT / "tools" / "check_prose", "--root", root, *arguments]
    return subprocess.run(run, capture_output=True, text=True, check=False)


def test_a_file_may_have_one_odd_turn_in_200_words(tmp_path):
    page = tmp_path / "docs" / "a.md"
    page.parent.mkdir()
    page.write_text("It is behind.\n")
    few = check(tmp_path)
    assert few.returncode == 1
    assert "a.md:1: behind: It is behind." in few.stdout
    assert "1 odd turns in 3 words, 0 at most" in few.stdout
    page.write_text("It is behind." + " Word." * 200 + "\n")
    assert check(tmp_path).returncode == 0
    page.write_text("Of rows." + " Word." * 200 + "\n")
    assert check(tmp_path).returncode == 1
    assert check(tmp_path, "--show", page).returncode == 0


@pytest.mark.parametrize(
    ("subject", "words"),
    [
        ("particles: wrap positions beyond double precision", []),
        ("core/flow: move the engine", []),
        ("tests and tools: pass each case", []),
        ("particles: wrapped positions", ['"wrapped"']),
        ("particles: wraps positions", ['"wraps"']),
        ("docs: the guide is shorter", ['"the"']),
        ("Words", ["no place"]),
        ("docs: say it; mend it.", ["semicolon", "full stop"]),
        ("docs: " + "say " * 17, ["74 characters"]),
    ],
)
def test_subjects(subject, words):
    faults = [*SUBJECTS.faults(subject)]
    assert len(faults) == len(words)
    assert all(word in fault for word, fault in zip(words, faults, strict=True))
