"""What tests with random input share: a tree to spoil, a command in this process, what it must satisfy."""

import contextlib
import io
import itertools
import os
import re
import sys
import tempfile
import time
from pathlib import Path

import pytest
from cli.commands import CASE, ENVIRONMENT, Finished, written_to
from hypothesis import HealthCheck
from hypothesis import settings as how
from planner.cases import sections
from support.examples import FULL
from whorl.cli.main import main
from whorl.machine.planner.machine import machine_from, machine_toml

SECONDS = 20.0  # of the processor, where a picture takes one
MORE = """series_every = "1 steps"
spectra_every = "2 steps"
snapshot_every = "4 steps"
[[diagnostics]]
kind = "pdf"
of = "u.x"
every = "2 steps"
[[probes]]
kind = "points"
of = "u.x"
positions = [[0.0, 0.0, 0.0]]
[[particles]]
kind = "tracer"
count = 3
every = "1 steps"
"""
# A run ends after so many steps on so many points, whatever else is set.
RESTARTED = ("--set", "time.steps=44", "--set", "run.threads=1")
BOUNDED = ("--set", "grid.points=8", *RESTARTED)
# Few examples by default, for each is a whole command.
quick = how(
    max_examples=200 if FULL in os.environ else 8,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    deadline=None,
)


def make_tree(folder: Path) -> None:
    """A run with all kinds of files, links that lead to it, to nothing and in a circle, and a machine."""
    (folder / "case.toml").write_text(CASE + MORE)
    made = call(
        folder, ["run", "case.toml", "-o", "run", "--set", "time.dt=0.004", "--set", "time.until=0.16"]
    )
    assert made.code == 0, made
    (folder / "toy.toml").write_text(machine_toml(machine_from(sections())))
    (folder / "loop").symlink_to("loop")
    (folder / "a").symlink_to("b")
    (folder / "b").symlink_to("a")
    (folder / "dangling").symlink_to("nothing")
    (folder / "link").symlink_to("run")


def call(folder: Path, words: list[str], encoding: str = "utf-8") -> Finished:
    """The command on a terminal of that encoding, in this process; what it raises but its exit is raised."""

    def stream(descriptor: int) -> io.TextIOWrapper:
        return io.TextIOWrapper(io.FileIO(descriptor, "w", closefd=False), encoding, write_through=True)

    with contextlib.ExitStack() as around:
        out, err = (around.enter_context(tempfile.TemporaryFile()) for _ in range(2))
        with (
            contextlib.chdir(folder),
            pytest.MonkeyPatch.context() as patch,
            written_to(1, out.fileno()),
            written_to(2, err.fileno()),
        ):
            patch.setenv("COLUMNS", ENVIRONMENT["COLUMNS"])
            for name, shown in {"argv": ["whorl", *words], "stdout": stream(1), "stderr": stream(2)}.items():
                patch.setattr(sys, name, shown)
            with pytest.raises(SystemExit) as exit:
                main()
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode(encoding, "replace"))
    return Finished(exit.value.code, *texts)


def check(folder: Path, words: list[str], encoding: str = "utf-8") -> Finished:
    """It ends soon with a code that has a meaning; a refusal names what was typed and leaves nothing."""
    there, began = names(folder), time.process_time()
    done = call(folder, words, encoding)
    took = time.process_time() - began
    assert done.code in (0, 1, 2, 3), (words, done)
    assert "Traceback" not in done.err, (words, done)
    assert took < SECONDS, (words, took)
    if done.code:
        assert done.err.strip(), (words, done)
        assert done.err.replace("\n", "").isprintable(), (words, done)
    if done.code == 2:
        assert names(folder) == there, (words, done)
    return done


def names(folder: Path) -> set[str]:
    """All files and folders, but for what a lock leaves."""
    found = itertools.chain.from_iterable(
        (str(Path(top, name).relative_to(folder)) for name in (*inner, *files))
        for top, inner, files in os.walk(folder)
    )
    return {name for name in found if not name.endswith(".lock")}


def told(words: list[str], message: str) -> bool:
    """Whether a message has a word of what was typed, if that has one, as it may show it."""
    shown = ["".join(c if c.isprintable() else ascii(c).strip("'") for c in text) for text in words]
    parts = [part for text in shown for part in re.findall(r"\w+", text)]
    # A word without letters may be the one that is told.
    bare = not shown or not all(re.search(r"\w", text) for text in shown)
    return bare or any(part[:20] in message for part in parts)
