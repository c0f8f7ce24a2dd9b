"""Input of any size and shape is refused at once in a paragraph that a screen shows; nothing is written."""

import os
import time

import pytest
from cli.commands import CASE, Finished, contents, settings
from support.examples import FULL
from whorl.base.text import LONGEST

SECONDS = 2.0  # of the processor


QUOTED = "'b,'.\"b,\". "  # parts of a key


@pytest.fixture
def refuses(whorl, tmp_path):
    """refuses("run", …): what it says, once it is one readable paragraph and nothing is on disk.

    Below it may stand what is wrong, and carets.
    """

    def call(*arguments: object) -> str:
        before, began = contents(tmp_path), time.process_time()
        result: Finished = whorl(*arguments)
        took = time.process_time() - began
        assert result.code == 2, result
        assert result.out == ""
        line, *shown = result.err.splitlines()
        assert line.startswith("whorl: ")
        assert result.err.replace("\n", "").isprintable()
        assert len(line) <= LONGEST + 20
        assert not shown or set(shown.pop()) == {" ", "^"}
        assert len(shown) < 2
        assert took < SECONDS
        assert contents(tmp_path) == before
        return line

    return call


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (f"a = {'9' * 5000}", "a number in it cannot be read"),
        (f"a = 0x{'f' * 5000}", "more than 64 bits"),
        (f"a = {'[' * 20000}{']' * 20000}", "too deep"),
        (f"a = {'[' * 50}{']' * 50}", "more than 20 deep"),
        (f"a = {'{b=' * 5000}1{'}' * 5000}", "too deep"),
        (f"{'.'.join(['b'] * 20000)} = 1", "more than 20 deep"),
        (f"{' . '.join(['b'] * 20000)} = 1", "more than 20 deep"),
        (f"{QUOTED * 20000}b = 1", "more than 20 deep"),
        (f"a = {{c = 1, {QUOTED * 20000}b = 1}}", "more than 20 deep"),
        ('"\\' * 200000, "Unescaped"),
        (f"[{'.'.join(['b'] * 20000)}]", "more than 20 deep"),
        (f"# {'b.' * 99}c\na = 'x.{'y.' * 99}' # {'b.' * 99}c", "time.a is not an option"),
        (f"a = [{', '.join(['{b=1}'] * 5000)}]", "time.a is not an option"),
        ("\n".join(f"key{n} = {n}" for n in range(10000)), "There are 9996 more"),
        (f"{'k' * 100000} = 1", "is not an option of [time]"),
        (f'a = "{"x" * 2**21}"', "longer than 1 MiB"),
        ('scheme = "rk\\u0000\\n4"', 'time.scheme = "rk\\u0000\\n4"'),
    ],
    ids=lambda value: value[:12],
)
def test_a_file(refuses, tmp_path, more, words):
    (tmp_path / "case.toml").write_text(CASE.replace("until = 0.2", f"until = 0.2\n{more}"))
    assert words in refuses("run", "case.toml")


def test_a_file_beyond_the_limit_is_not_read_in_part(refuses, tmp_path):
    """Bytes count, not characters."""
    (tmp_path / "case.toml").write_text(CASE + f"# {'é' * 600_000}\n" + "[run]\nthreads = 1\n")
    assert "longer than 1 MiB" in refuses("run", "case.toml")


def test_what_is_spelled_out_counts(refuses):
    assert "there is no case file" in refuses("run", "\x01" * 3000)


def test_blocks_that_are_many(refuses, tmp_path):
    (tmp_path / "case.toml").write_text(CASE + "[[scalars]]\nnom = 1\n" * 5000)
    assert "scalars[0].name" in refuses("run", "case.toml")


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        (f"time.dt={'[' * 5000}", "must be a number"),
        (f"time.dt={'9' * 5000}", "must be a number"),
        (f"time.dt={'x' * 1000000}", "must be a number"),
        ("time.dt=1\x00\n\x1b[31m", "must be a number"),
        ("grid.lengths=1e-200", "lengths must be 1e-12 to 1e+12"),
        ("grid.lengths=[1e-150, 1e150, 1]", "lengths"),
        ("flow.viscosity=1e308", "at most 1e+30 in size; choose other units"),
        ("time.dt=1e-300", "at least 1e-30"),
        ("time.dt=1e300", "at most 1e+30"),
        ("initial={name='random', k0=1e300}", "at most 1e+30"),
        ("initial={name='random', k0=1e-300}", "at least 1e-30"),
        ("initial={name='random', k0=1e29}", "beyond the largest wavenumber"),
        ("grid.points=8\n[run]\nthreads=1", "must be"),
        ("output.directory=''", "it is empty"),
        ('output.directory="a\\u0000b"', "must be a path"),
        (f"output.directory={'d' * 300}", "File name too long"),
        (f"initial={{name='from-file', path='{'p' * 300}'}}", "File name too long"),
        (f"scalars=[{{name='{'s' * 300}'}}]", "at most 64 letters"),
        ("x" * 100000, "give section.key=value"),
        (f"{'a.' * 19999}b=1", "has a key of 20000 parts; at most 20 are taken"),
        (f"time.{'a.' * 19}b=1", "time.a is not an option"),
    ],
    ids=lambda value: value[:24].encode("unicode_escape").decode(),
)
def test_a_setting(refuses, tmp_path, setting, words):
    (tmp_path / "case.toml").write_text(CASE)
    assert words in refuses("run", "case.toml", "--set", setting)


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("-" * 50000 + "x", "too long"),
        ("-" * 3900 + "x", "nested too deeply"),
        ("(" * 1900 + "x" + ")" * 1900, "too many nested parentheses"),
        ("x is y", "the comparisons are"),
        ("x and y", "does not go with values at points"),
        ("not x", "write ~"),
        ("0 < x < 1", "compares twice"),
        ("x if y else z", "an expression may not hold this"),
        ("summ(x)", "there is no function summ(); did you mean sum?"),
        ("max(x)", "max() is of fields"),
        ("x.real", ".real is no component of a number"),
        ("x[0]", "an expression may not hold this"),
    ],
    ids=lambda value: value[:12],
)
def test_a_formula(refuses, tmp_path, formula, words):
    (tmp_path / "case.toml").write_text(CASE)
    assert words in refuses(
        "run", "case.toml", "--set", f"initial={{name='formula', value=['{formula}', '0', '0']}}"
    )


@pytest.mark.parametrize("name", ["x" * 300, "a\nb", "\udcff", "x" * 100000])
def test_a_name(refuses, name):
    assert "there is no case file" in refuses("run", name)


@pytest.mark.parametrize(
    "name", ["a\\b", "tab\there", 'it\'s "quoted"', "new\nline", "ünï", os.fsdecode(b"byte\xff"), "[x] = 1"]
)
def test_a_path_is_taken_as_it_is(whorl, tmp_path, name):
    """Also by a restart, and by what writes checkpoints."""
    quick = settings("grid.points=8", "time.dt=0.02", "time.steps=2", "output.snapshot_every='2 steps'")
    assert whorl("run", "abc", "-o", name, *quick).code == 0
    assert [os.fsencode(path.name) for path in tmp_path.iterdir()] == [os.fsencode(name)]
    assert (tmp_path / name / "checkpoints" / "00000002.h5").is_file()
    assert whorl("restart", name, "--set", "time.steps=4").code == 0
    assert (tmp_path / name / "checkpoints" / "00000004.h5").is_file()
    if name.startswith("it's") or FULL in os.environ:
        assert whorl("plot", name).code == 0
