"""The command `whorl` in a directory of its own: installed and under mpiexec, or where all is imported."""

import itertools
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from cli.commands import WHORL, Finished, Shell, on_this_rank, settings
from cli.fuzzing import make_tree
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


@pytest.fixture(scope="module")
def kept_tree(tmp_path_factory) -> Path:
    """What `fresh` copies."""
    folder = tmp_path_factory.mktemp("kept")
    make_tree(folder)
    return folder


@pytest.fixture(scope="module")
def fresh(kept_tree, tmp_path_factory):
    """fresh() is a copy of the tree, of which no example finds what another left."""
    root, count = tmp_path_factory.mktemp("fuzz"), itertools.count()

    def copy() -> Path:
        folder = root / f"{next(count)}"
        shutil.copytree(kept_tree, folder, symlinks=True)
        return folder

    return copy


@pytest.fixture(scope="module")
def undrawn_reports():
    """Pictures of reports are made but not drawn, as by `undrawn` for a single test."""
    from whorl.report import pictures

    def dot(make, alt, caption=""):
        make()
        return pictures.Image("AA==", 1, 1, alt, caption)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pictures, "image_of", dot)
        yield
