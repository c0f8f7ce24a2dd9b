"""Terminals that do not show all characters: plain ones stand for them, and no run is lost."""

import io
import json
import logging
import sys

import pytest
from cli.commands import PATIENCE, settings
from rich.console import Console
from whorl.base.plain import PLAIN, plain, showable
from whorl.cli.main import main
from whorl.config.case import Case, load_case
from whorl.config.clock import Instant
from whorl.run.lasting_output import LastingStream
from whorl.run.progress import Progress, Status
from whorl.run.simulation import Simulation

QUICK = settings("grid.points=8", "time.dt=0.01", "time.steps=4", "output.series_every='1 steps'")


def stream(encoding):
    """As of a pipe or a terminal in a locale of this encoding: what it cannot show raises."""
    return io.TextIOWrapper(io.BytesIO(), encoding=encoding)


def written(stream):
    stream.flush()
    return stream.buffer.getvalue()


@pytest.fixture
def says(tmp_path, monkeypatch):
    """says("ascii", "run", …): the exit code of a command, and the bytes on its stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def call(encoding, *arguments):
        out, err = stream(encoding), stream(encoding)
        monkeypatch.setattr(sys, "argv", ["whorl", *map(str, arguments)])
        with monkeypatch.context() as replaced:
            replaced.setattr(sys, "stdout", out)
            replaced.setattr(sys, "stderr", err)
            with pytest.raises(SystemExit) as exit:
                main()
        return exit.value.code, written(out), written(err)

    return call


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["run", "abc", *QUICK], "eps"),
        (["options", "flow"], "nu"),
        (["models"], "nu"),
        (["models", "gross-pitaevskii"], "psi"),
        (["plan", "abc", "-m", "two-epyc-cores"], "steps"),
        (["diagnostics"], "spectr"),
        (["cases"], "rayleigh-benard"),
        (["run", "--help"], "Ctrl-C"),
        (["info"], "whorl"),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else value,
)
def test_a_command_replaces_what_cannot_be_shown(says, tmp_path, arguments, shown):
    code, out, err = says("ascii", *arguments)
    assert (code, err) == (0, b"")
    text = out.decode("ascii")
    assert shown in text
    assert "?" not in text
    if arguments[0] == "run" and "abc" in arguments:
        log = (tmp_path / "abc" / "log.txt").read_text(encoding="utf-8")
        assert "8 × 8 × 8" in log


def test_an_error_is_shown(says):
    code, out, err = says("ascii", "run", "abc", "--set", "flow.viscosity=-1")
    assert (code, out) == (2, b"")
    assert b"(kinematic viscosity nu [length^2/time]): it must be at least 0." in err


def test_what_becomes_a_file_is_in_utf_8(says, tmp_path):
    """`whorl new mhd > case.toml` in any locale writes a case that can be read."""
    _, out, _ = says("latin-1", "new", "mhd")
    assert "ν" in out.decode("utf-8")
    (tmp_path / "case.toml").write_bytes(out)
    assert load_case(tmp_path / "case.toml").flow.model == "mhd"
    _, out, _ = says("ascii", "cases", "rayleigh-benard")
    assert "·" in out.decode("utf-8")
    says("ascii", "run", "abc", *QUICK)
    code, out, _ = says("ascii", "average", "abc", "--from", "0", "--json")
    assert code == 0
    assert json.loads(out.decode("utf-8"))


def test_the_command_in_another_locale(start, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "latin-1")
    process = start("run", "abc", *QUICK, encoding="latin-1")
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (0, "")
    assert "eps" in out
    assert "8 × 8 × 8" in out


def test_a_script_in_another_locale(monkeypatch):
    """Its streams are its own, and it has them back behind the run."""
    case = Case(
        grid={"points": 8}, flow={"viscosity": 0.1}, time={"dt": 0.1, "steps": 2}, initial={"name": "abc"}
    )
    out = stream("ascii")
    monkeypatch.setattr(sys, "stdout", out)
    assert Simulation(case).run()
    assert b"eps 0." in written(out)
    assert out.errors == "strict"


def test_a_live_display_on_a_plain_terminal():
    out = stream("ascii")
    console = Console(file=LastingStream(out, lambda reason: None), force_terminal=True, width=100)
    status = Status(
        step=3,
        time=0.1,
        turnovers=None,
        end=Instant(1.0),
        steps=None,
        done=0.5,
        dt=0.1,
        courant=0.2,
        values={"ε": 0.5, "kmax·η": 1.5},
    )
    with Progress(logging.Logger("of a test"), console) as progress:
        progress.begin(0.0)
        progress.show(status)
        progress.say("warning: ν is small – too small…")
    text = written(out).decode("ascii")
    assert "eps 0.5  kmax.eta 1.5" in text
    assert "nu is small - too small..." in text


def test_what_stands_for_characters():
    assert all(one.isascii() for one in PLAIN.values())
    assert plain("10⁻⁵·ν½ ∇²u ½⟨u²⟩ R_λ ü ẑ k₀ ⅓ 流") == (
        "10^-5.nu1/2 grad ^2u 1/2<u^2> R_lambda u z k0 1/3 ?"
    )
    assert showable("½ν² \udcff", stream("latin-1")) == "½nu² ?"
    assert showable("½ν² ε", stream("cp437")) == "½nu² ε"
