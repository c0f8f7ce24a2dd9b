"""The command `whorl` in a directory of its own: installed and under mpiexec, or where all is imported."""

import sys
from collections.abc import Callable, Iterator

import psutil
import pytest
from cli.commands import WHORL, Finished, Shell, on_this_rank, settings
from support.ranks import run_on
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
def whorl(request, tmp_path, monkeypatch, capfd) -> Callable[..., Finished]:
    """Runs `whorl` in this process or on ranks: whorl("run", "abc", ranks=2).

    That spares the start. Tests on ranks are marked mpi; what ends its ranks by MPI needs `installed`.
    """
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object, ranks: int = 1) -> Finished:
        words = [*map(str, arguments)]
        if ranks > 1:
            assert request.node.get_closest_marker("mpi")
            return finished(run_on(ranks, on_this_rank, directory=tmp_path, arguments=words))
        monkeypatch.setattr(sys, "argv", ["whorl", *words])
        capfd.readouterr()
        with pytest.raises(SystemExit) as exit:
            main()
        out, err = capfd.readouterr()
        return Finished(exit.value.code, out, err)

    return call


def finished(of_ranks: list[tuple[int, str, str]]) -> Finished:
    """The code that all ranks ended with, and what one after another said."""
    [code] = {code for code, _, _ in of_ranks}
    return Finished(code, "".join(out for _, out, _ in of_ranks), "".join(err for _, _, err in of_ranks))


@pytest.fixture
def quick() -> list[str]:
    """Arguments that make a ready case a matter of a moment."""
    return settings("grid.points=8", "time.dt=0.02", "time.until=0.2", "output.checkpoint_every='2 steps'")
