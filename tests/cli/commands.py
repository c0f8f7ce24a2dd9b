"""Commands as a user starts them, alone or under mpiexec."""

import contextlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import psutil
from support import sleeping
from whorl.cli.main import main

PATIENCE = 120  # seconds for anything that should take a few
SECONDS_TO_END_ALL = 30  # for all ranks, once one has failed
SCRIPT = Path(sysconfig.get_path("scripts")) / "whorl"
# The installed command; where only a path leads to the package, its module.
WHORL = [str(SCRIPT)] if SCRIPT.is_file() else [sys.executable, "-m", "whorl"]
# A case that runs in a moment, to be spoilt.
CASE = """
[grid]
points = 8
[flow]
viscosity = 0.1
[time]
dt = 0.02
until = 0.2
[initial]
name = "abc"
[output]
checkpoint_every = "4 steps"
keep_checkpoints = 5
"""
# Several ranks may share a core here, so they give way while they wait.
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "COLUMNS": "120",
}
# Variables by which help is written as for a terminal, whatever it is written to.
TERMINAL = ("FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS", "TTY_COMPATIBLE")


@dataclass(frozen=True)
class Finished:
    """A command that ended: its exit code and what it said."""

    code: int
    out: str
    err: str


class Shell:
    """Starts commands in `directory`."""

    def __init__(self, directory: Path):
        self.directory = directory
        self.started: list[psutil.Popen] = []

    def start(self, *command: object, ranks: int = 1, **options) -> psutil.Popen:
        """A process with pipes for stdout and stderr; ended with the test if it is still there."""
        launcher = [] if ranks == 1 else [mpiexec(), "-n", str(ranks)]
        usual = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
        process = psutil.Popen(
            [*launcher, *map(str, command)],
            cwd=self.directory,
            env=environment(ranks),
            text=True,
            **(usual | options),
        )
        self.started.append(process)
        return process

    def finish(self, process: psutil.Popen, patience: float = PATIENCE) -> Finished:
        out, err = process.communicate(timeout=patience)
        return Finished(process.returncode, out, err)

    def __call__(self, *command: object, ranks: int = 1) -> Finished:
        return self.finish(self.start(*command, ranks=ranks))

    def end(self) -> None:
        for process in self.started:
            if process.is_running():
                for each in (*process.children(recursive=True), process):
                    each.kill()
                process.communicate()


def environment(ranks: int) -> dict[str, str]:
    own = {key: value for key, value in os.environ.items() if key not in TERMINAL}
    return own | ENVIRONMENT | (sleeping.waits() if ranks > 1 else {})


def on_this_rank(world, directory: Path, arguments: list[str]) -> tuple[int, str, str]:
    """Runs `whorl` on a rank of the tests: its exit code and what it said."""
    code = 0
    with contextlib.ExitStack() as around:
        out, err = (around.enter_context(tempfile.TemporaryFile()) for _ in range(2))
        with (
            contextlib.chdir(directory),
            patch.object(sys, "argv", ["whorl", *arguments]),
            patch.dict(os.environ, {"COLUMNS": ENVIRONMENT["COLUMNS"]}),
            written_to(1, out.fileno()),
            written_to(2, err.fileno()),
        ):
            try:
                main()
            except SystemExit as exit:
                code = exit.code
        for file in (out, err):
            file.seek(0)
        return code, out.read().decode(), err.read().decode()


@contextlib.contextmanager
def written_to(descriptor: int, other: int) -> Iterator[None]:
    """A descriptor of this process writes to the other one meanwhile."""
    kept = os.dup(descriptor)
    flush()
    os.dup2(other, descriptor)
    try:
        yield
    finally:
        flush()
        os.dup2(kept, descriptor)
        os.close(kept)


def flush() -> None:
    sys.stdout.flush()
    sys.stderr.flush()


def mpiexec() -> str:
    found = shutil.which("mpiexec")
    assert found, "the tests need mpiexec"
    return found


def settings(*pairs: str) -> list[str]:
    """As --set arguments."""
    return [argument for pair in pairs for argument in ("--set", pair)]


def contents(path: Path) -> dict[str, bytes]:
    """All files below a directory."""
    return {str(p.relative_to(path)): p.read_bytes() for p in path.rglob("*") if p.is_file()}
