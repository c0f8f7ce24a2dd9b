"""A run waits for a file system that is away, and its files are those of a run that never had to."""

import errno
import os
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from mpi4py import MPI
from support.build import needs
from support.ranks import on_ranks
from whorl import _core
from whorl.base.errors import RunFault
from whorl.base.parallel import agreed
from whorl.config.case import Case
from whorl.config.columns import Column
from whorl.output import patience
from whorl.output.patience import Patience, may_pass
from whorl.output.series import Series
from whorl.results.runs import open_run
from whorl.run.simulation import Simulation


def make_case(directory: Path, seconds: float = 100.0) -> Case:
    every = dict.fromkeys(("series_every", "spectra_every", "snapshot_every", "checkpoint_every"), "2 steps")
    return Case(
        grid={"points": 8},
        flow={"viscosity": 0.1},
        time={"dt": 0.1, "steps": 6},
        initial={"name": "abc"},
        output=every | {"directory": str(directory), "patience": seconds},
        run={"threads": 1},
        diagnostics=[{"kind": "profile", "of": "u.x", "name": "own", "every": "2 steps"}],
        probes=[{"kind": "points", "name": "there", "of": "u", "positions": [[1.0, 2.0, 3.0]]}],
        particles=[{"kind": "tracer", "name": "some", "lattice": 2, "every": "2 steps"}],
    )


# Names in the errors of all pieces of output; rows in memory are one piece with the series.
WRITTEN = (
    *("series.csv", "spectra.h5", "diagnostics.h5", "snapshots.vtkhdf.series"),
    *("the checkpoint ", "the snapshot ", "checkpoints/00000002.particles.h5"),
)


@pytest.fixture
def clock(monkeypatch):
    """A clock on which only pauses take time; `asleep` is called in each of them."""
    made = SimpleNamespace(now=0.0, pauses=[], asleep=lambda: None)

    def sleep(seconds: float) -> None:
        made.now += seconds
        made.pauses.append(seconds)
        made.asleep()

    monkeypatch.setattr(patience, "time", SimpleNamespace(monotonic=lambda: made.now, sleep=sleep))
    return made


class Away:
    """A folder that is away before each piece of work, until the second pause."""

    def __init__(self, folder: Path, real: Patience, clock: SimpleNamespace):
        self.folder, self.real, self.clock = folder, real, clock
        self.elsewhere, self.works = folder.with_name("elsewhere"), 0
        clock.asleep = self.come_back

    def __call__(self, work):
        self.works += 1
        self.folder.rename(self.elsewhere)
        self.left = 2
        try:
            return self.real(work)
        finally:
            if self.elsewhere.exists():  # no file was written
                self.elsewhere.rename(self.folder)

    def come_back(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.elsewhere.rename(self.folder)


@needs("hdf5")
def test_each_piece_of_output_is_written_when_the_folder_is_back(tmp_path, clock):
    whole = Simulation(make_case(tmp_path / "whole", 0.0), comm=MPI.COMM_SELF)
    whole.run(progress=False)
    simulation = Simulation(make_case(tmp_path / "run"), comm=MPI.COMM_SELF)
    away = simulation._recorder.patience = Away(tmp_path / "run", simulation._recorder.patience, clock)
    simulation._recorder.checkpoints._patience = away
    assert simulation.run(progress=False)
    assert away.works > 30
    assert set(clock.pauses) == {1.0, 2.0}
    assert clock.pauses.count(1.0) > 20  # of all kinds of output; others had nothing to write
    run, other = open_run(tmp_path / "run"), open_run(tmp_path / "whole")
    assert (tmp_path / "run/series.csv").read_bytes() == (tmp_path / "whole/series.csv").read_bytes()
    assert run.spectra.identical(other.spectra)
    for kind in ("diagnostics", "probes", "particles"):
        for name, data in getattr(run, kind).items():
            assert data.identical(getattr(other, kind)[name]), kind
    np.testing.assert_array_equal(run.snapshots["velocity"], other.snapshots["velocity"])
    names = [[path.name for path in one.checkpoints[-2:]] for one in (run, other)]
    assert names[0] == names[1]
    assert np.array_equal(run.checkpoint()["velocity"], other.checkpoint()["velocity"])
    assert not list((tmp_path / "run").rglob("*.part"))
    log = (tmp_path / "run/log.txt").read_text()
    assert "No such file or directory" in log
    retried = [line for line in log.splitlines() if "tried again" in line]
    for name in WRITTEN:
        assert any(name in line for line in retried), name
    assert "tried again in 1 s (output.patience)" in log
    assert "warning: written at attempt 3, after 3 s" in log
    again = Simulation.restart(tmp_path / "run", settings=["time.steps=7"], comm=MPI.COMM_SELF)
    assert again.run(progress=False)


@needs("hdf5")
@pytest.mark.parametrize(("seconds", "pauses"), [(0.0, []), (10.0, [1.0, 2.0, 4.0, 3.0])])
def test_after_the_patience_the_run_ends_with_its_last_checkpoint(tmp_path, clock, seconds, pauses):
    simulation = Simulation(make_case(tmp_path / "run", seconds), comm=MPI.COMM_SELF)
    last = tmp_path / "run/checkpoints/00000002.h5"
    simulation.run(until=0.25, progress=False)
    (tmp_path / "run").rename(tmp_path / "elsewhere")
    with pytest.raises(RunFault, match=rf"No such file .* the last good checkpoint is {last}\.") as risen:
        simulation.run(progress=False)
    (tmp_path / "elsewhere").rename(tmp_path / "run")
    assert "\n" not in str(risen.value)
    assert clock.pauses == pauses
    whole = Simulation.restart(tmp_path / "run", comm=MPI.COMM_SELF)
    assert whole.run(progress=False)
    assert list(open_run(tmp_path / "run").series["step"].values) == [0, 2, 4, 6]


@pytest.mark.parametrize(
    ("error", "passes"),
    [
        (OSError(errno.ESTALE, "stale"), True),
        (OSError(errno.ENOSPC, "full"), True),
        (PermissionError(errno.EACCES, "denied"), False),
        (OSError("Unable to create file (errno = 5, error message = 'Input/output error')"), True),
        (RuntimeError("Can't decrement id (errno = 28, error message = 'No space left on device')"), True),
        (RuntimeError("errno = 13"), False),
        (RuntimeError("another"), False),
        (_core.Error("the checkpoint a cannot be written: pwrite(a.part) failed: Stale file handle."), True),
        (_core.Error("the state is not finite"), False),
    ],
)
def test_errors_that_may_pass(error, passes, clock):
    assert may_pass(error) == passes
    attempts = []

    def work():
        attempts.append(1)
        if len(attempts) == 1:
            raise error

    patient = Patience(MPI.COMM_SELF, 5.0)
    if passes:
        patient(work)
    else:
        with pytest.raises(type(error)):
            patient(work)
    assert len(attempts) == 1 + passes


def test_pauses_grow_to_a_minute_and_end_with_the_patience(clock):
    def work():
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with pytest.raises(OSError, match="Input/output error"):
        Patience(MPI.COMM_SELF, 200.0)(work)
    assert clock.pauses == [1, 2, 4, 8, 16, 32, 60, 60, 17]


@on_ranks(2)
def test_all_ranks_try_again_where_one_fails(world):
    """The clock of the other rank says that no time is left."""
    attempts, pauses = [], []

    def work():
        attempts.append(1)
        if world.rank == 1 and len(attempts) < 3:
            raise OSError(errno.ETIMEDOUT, "away")

    now = iter(range(0, 10**9, 1 if world.rank == 0 else 10**6))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(patience, "time", SimpleNamespace(monotonic=now.__next__, sleep=pauses.append))
        Patience(world, 50.0)(partial(agreed, world, work))
    assert (len(attempts), pauses) == (3, [1.0, 2.0])


def test_a_torn_row_is_written_anew(tmp_path, monkeypatch):
    columns = (Column("step", "", "number"), Column("time", "time", "t"))
    table, whole = (Series(columns, tmp_path / name) for name in ("torn.csv", "whole.csv"))
    for step in range(3):
        whole.append({"step": step, "time": 0.1 * step})
    table.append(whole.rows[0])
    line = Series._line
    monkeypatch.setattr(Series, "_line", lambda self, row: line(self, row)[:3] if row["step"] else fail())
    table.rows += whole.rows[1:2]
    table.rows.append({"step": 0, "time": 0.0})
    with pytest.raises(OSError, match="full"):
        table.put()
    assert not (tmp_path / "torn.csv").read_text().endswith("\n")
    monkeypatch.undo()
    table.rows[-1] = whole.rows[-1]
    table.put()
    assert (tmp_path / "torn.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


def fail():
    raise OSError(errno.ENOSPC, "full")


def test_rows_are_written_anew_after_a_failed_synchronisation(tmp_path, monkeypatch):
    """Linux forgets pages that it could not write, and the next synchronisation succeeds without them."""
    columns = (Column("step", "", "number"), Column("time", "time", "t"))
    table = Series(columns, tmp_path / "a.csv")
    table.append({"step": 0, "time": 0.0})
    before = (tmp_path / "a.csv").read_bytes()
    monkeypatch.setattr("whorl.output.series.synchronise", lambda path: fail())
    with pytest.raises(OSError, match="full"):
        table.synchronise()
    (tmp_path / "a.csv").write_bytes(b"")
    monkeypatch.undo()
    table.synchronise()
    assert (tmp_path / "a.csv").read_bytes() == before
