"""The command `whorl` in a directory of its own: installed and under mpiexec, or quicker in this process."""

import sys
from collections.abc import Callable, Iterator

import psutil
import pytest
from cli.commands import WHORL, Finished, Shell, settings
from whorl.cli.main import main


@pytest.fixture
def shell(tmp_path) -> Iterator[Shell]:
    """Commands in a fresh directory."""
    shell = Shell(tmp_path)
    yield shell
    shell.end()


@pytest.fixture
def installed(shell) -> Callable[..., Finished]:
    """Runs the installed `whorl` to its end: installed("run", "abc", ranks=2)."""
    return lambda *arguments, ranks=1: shell(*WHORL, *arguments, ranks=ranks)


@pytest.fixture
def start(shell) -> Callable[..., psutil.Popen]:
    """Starts the installed `whorl` and leaves it running."""
    return lambda *arguments, ranks=1, **options: shell.start(*WHORL, *arguments, ranks=ranks, **options)


@pytest.fixture
def whorl(tmp_path, monkeypatch, capfd) -> Callable[..., Finished]:
    """Runs `whorl` in this process, which spares the imports: whorl("run", "abc")."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> Finished:
        monkeypatch.setattr(sys, "argv", ["whorl", *map(str, arguments)])
        capfd.readouterr()
        with pytest.raises(SystemExit) as exit:
            main()
        out, err = capfd.readouterr()
        return Finished(exit.value.code, out, err)

    return call


@pytest.fixture
def quick() -> list[str]:
    """Arguments that make a ready case a matter of a moment."""
    return settings("grid.points=8", "time.dt=0.02", "time.until=0.2", "output.checkpoint_every='2 steps'")
