"""Faults while a run goes on: a blow-up, signals, kills at any moment, a rank that is killed."""

import os
import random
import re
import shutil
import signal
import time
from pathlib import Path

import h5py
import numpy as np
import psutil
import pytest
import xarray as xr
from cli.commands import SECONDS_TO_END_ALL, contents, settings
from support.examples import FULL
from whorl.output.recorder import Recorder
from whorl.results.runs import open_run
from whorl.run.signals import StopFlag


def arguments(out="out", **changes: str) -> list[str]:
    """A run of small steps, each with a checkpoint, that would go on for hours."""
    options = {
        "grid.points": "16",
        "time.dt": "0.001",
        "time.until": "1000",
        "output.checkpoint_every": "'1 steps'",
        "output.keep_checkpoints": "3",
    }
    pairs = (f"{key}={value}" for key, value in (options | changes).items())
    return ["run", "taylor-green", "-o", out, *settings(*pairs)]


def wait_for_checkpoint(directory: Path, process: psutil.Popen, after: int = 0) -> None:
    """Until there is a checkpoint of a step beyond `after`."""
    deadline = time.monotonic() + 60
    while not any(int(path.stem) > after for path in checkpoints(directory)):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)


def checkpoints(directory: Path) -> list[Path]:
    return sorted((directory / "checkpoints").glob("*[0-9].h5"))


def ranks_of(launcher: psutil.Popen) -> list[psutil.Process]:
    """The processes of whorl or Python below mpiexec."""
    return [p for p in launcher.children(recursive=True) if "python" in p.exe()]


# Blow-up

EXPLOSIVE = {"time.dt": "1.5", "time.scheme": "rk2", "output.checkpoint_every": "'1 steps'"}


@pytest.mark.parametrize("ranks", [1, pytest.param(2, marks=pytest.mark.mpi)])
def test_a_blow_up(whorl, tmp_path, ranks):
    result = whorl(*arguments(**EXPLOSIVE), ranks=ranks)
    assert result.code == 3
    [line] = [line for line in result.err.splitlines() if line.startswith("whorl: ")]
    last = checkpoints(tmp_path / "out")[-1]
    step = int(last.stem) + 1
    assert f"the flow blew up at t = {1.5 * step:g}, step {step}: " in line
    assert f"the last good checkpoint is out/checkpoints/{last.name}." in line
    assert "smaller time.dt" in line
    assert "Traceback" not in result.err
    assert line.removeprefix("whorl: ") in (tmp_path / "out" / "log.txt").read_text()
    series = open_run(tmp_path / "out").series
    assert np.isfinite(series["energy"]).all()
    with h5py.File(last) as file:
        assert file.attrs["step"] == step - 1
        assert np.isfinite(file["velocity_first"][:]).all()


def test_after_a_blow_up_a_smaller_step_goes_on(whorl, tmp_path):
    """From a checkpoint before the flow was lost."""
    options = EXPLOSIVE | {"time.dt": "0.5", "flow.viscosity": "0", "output.keep_checkpoints": "1000"}
    assert whorl(*arguments(**options)).code == 3
    again = whorl("restart", "out", "--step", "1", "--until", "1.5", *settings("time.dt=0.05"))
    assert again.code == 0, again.err
    series = open_run(tmp_path / "out").series
    assert float(series["energy"][-1]) == pytest.approx(0.125, rel=0.01)
    assert "time.dt=0.05" in (tmp_path / "out" / "log.txt").read_text()


def test_a_blow_up_before_any_checkpoint(whorl):
    result = whorl(*arguments(**EXPLOSIVE | {"output.checkpoint_every": "'30 minutes'"}))
    assert result.code == 3
    assert "no checkpoint had been written" in result.err


def test_a_flow_that_is_lost_but_finite_leaves_no_checkpoint(whorl, tmp_path):
    """Energy may pass every bound steps before it overflows; a step like this is a blow-up, too."""
    result = whorl(*arguments(**EXPLOSIVE | {"flow.viscosity": "0"}))
    assert result.code == 3
    assert "the mean energy came to" in result.err
    assert float(open_run(tmp_path / "out").series["energy"].max()) < 10
    for path in checkpoints(tmp_path / "out"):
        with h5py.File(path) as file:
            assert np.abs(file["velocity_first"][:]).max() < 10


def test_a_step_too_small_to_tell_the_time_left(whorl):
    result = whorl(*arguments(**{"time.dt": "1e-29", "time.until": "1", "time.steps": "3"}))
    assert result.code == 0, result.err


def test_a_snapshot_is_never_of_a_flow_that_is_lost(whorl, tmp_path):
    rare = {"output.series_every": "'1000 steps'", "output.checkpoint_every": "'1000 steps'"}
    options = EXPLOSIVE | rare | {"time.dt": "5", "output.snapshot_every": "'1 steps'"}
    assert whorl(*arguments(**options)).code == 3
    for path in (tmp_path / "out" / "snapshots").iterdir():
        with xr.open_dataset(path, engine="whorl") as fields:
            assert np.isfinite(fields["velocity"]).all()


def test_a_field_of_nan_is_refused_at_once(whorl, tmp_path):
    nothing = np.full((8, 8, 8), np.nan)
    np.savez(tmp_path / "nan.npz", u=nothing, v=nothing, w=nothing)
    initial = settings("grid.points=8", "initial.name=from-file", f"initial.path={tmp_path / 'nan.npz'}")
    result = whorl("run", "abc", "-o", "out", *initial)
    assert result.code == 2
    assert "the initial velocity is nan in component 1 at the point (0, 0, 0)" in result.err


@pytest.mark.parametrize("value", ["1/sin(x)", "log(x)", "sqrt(-1-x)"])
def test_a_formula_that_is_no_number_somewhere_is_refused(whorl, tmp_path, value):
    initial = settings("grid.points=8", "initial.name=formula", f'initial.value=["0", "{value}", "0"]')
    result = whorl("run", "abc", "-o", "out", *initial)
    assert result.code == 2
    assert re.search(
        r"the initial velocity is (-?inf|nan) in component 2 at the point \(\d+, 0, 0\)", result.err
    )
    assert "Warning" not in result.err


def test_no_model_writes_a_snapshot_of_a_flow_that_is_lost(whorl, tmp_path):
    """Also where other fields hold energy, and nothing else than snapshots is due."""
    only = [f"output.{name}_every='1000 steps'" for name in ("series", "spectra", "checkpoint")]
    far = ["time.scheme=rk2", "time.dt=3", "time.until=300", "output.snapshot_every='1 steps'"]
    result = whorl("run", "orszag-tang", "-o", "out", *settings("grid.points=16", *far, *only))
    assert result.code == 3
    for path in (tmp_path / "out" / "snapshots").iterdir():
        with xr.open_dataset(path, engine="whorl") as snapshot:
            assert all(np.isfinite(field).all() for field in snapshot.data_vars.values()), path


@pytest.mark.parametrize("time", [["time.dt=0.5"], ["time.courant=30"]])
def test_a_step_beyond_what_the_scheme_stands_is_warned_of(whorl, tmp_path, time):
    """Be it that viscosity damps what would grow."""
    large = settings("grid.points=16", "flow.viscosity=10", "time.steps=3", *time)
    result = whorl("run", "taylor-green", "-o", "out", *large)
    assert result.code == 0
    warned = [line for line in result.out.splitlines() if "more than 0.826, up to which rk3" in line]
    assert len(warned) == 1
    assert warned[0].startswith("warning: time.")
    assert "warning: time." in (tmp_path / "out" / "log.txt").read_text()
    quiet = whorl(
        "run",
        "taylor-green",
        "-o",
        "quiet",
        *settings("grid.points=16", "flow.viscosity=0.1", "time.dt=0.01", "time.steps=3"),
    )
    assert "warning" not in quiet.out


def test_a_signal_while_a_checkpoint_is_written_stops_behind_it(whorl, tmp_path, monkeypatch):
    write = Recorder.checkpoint

    def interrupted(self, dt):
        signal.raise_signal(signal.SIGTERM)
        write(self, dt)

    monkeypatch.setattr(Recorder, "checkpoint", interrupted)
    result = whorl(*arguments())
    assert result.code == 0
    assert "stopped by SIGTERM at t = 0.002, step 2" in result.out
    assert newest_step(tmp_path / "out") == 2


def test_a_second_interrupt_ends_a_run_without_a_checkpoint(whorl, tmp_path, monkeypatch):
    def interrupted(self, report, **due):
        for _ in range(2):
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Recorder, "after_step", interrupted)
    result = whorl(*arguments(**{"output.checkpoint_every": "'1000 steps'"}))
    assert result.code == 130
    assert result.err == ""
    assert newest_step(tmp_path / "out") == 0


# Signals


@pytest.mark.parametrize(
    "number",
    [signal.SIGTERM, signal.SIGHUP, pytest.param(signal.SIGINT, marks=pytest.mark.slow)],
    ids=lambda n: n.name,
)
def test_a_signal_stops_with_a_checkpoint(start, shell, whorl, tmp_path, number):
    """Whether or not these tests were started by nohup."""
    usual = {"preexec_fn": lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL)}
    process = start(*arguments(**{"output.checkpoint_every": "'1000000 steps'"}), **usual)
    wait_for_step(tmp_path / "out", process)
    process.send_signal(number)
    result = shell.finish(process)
    assert (result.code, result.err) == (0, "")
    assert f"stopped by {number.name} at t = " in result.out
    assert result.out.rstrip().endswith("go on with: whorl restart out")
    [checkpoint] = checkpoints(tmp_path / "out")
    step = int(checkpoint.stem)
    assert f"step {step} " in result.out
    again = whorl("restart", "out", "--until", str(0.001 * (step + 5)))
    assert again.code == 0
    assert list(open_run(tmp_path / "out").series["step"].values[-1:]) == [step + 5]


def wait_for_step(directory: Path, process: psutil.Popen) -> None:
    """Until the time loop has begun: its first row of the series is there."""
    deadline = time.monotonic() + 60
    while not (directory / "series.csv").is_file():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.long("mpiexec starts and ends the ranks")
@pytest.mark.parametrize(
    ("number", "to"),
    [
        pytest.param(signal.SIGTERM, "mpiexec", marks=pytest.mark.slow),
        (signal.SIGUSR1, "mpiexec"),
        (signal.SIGTERM, "one rank"),
    ],
)
def test_a_signal_stops_all_ranks_with_a_checkpoint(start, shell, tmp_path, number, to):
    """Mpiexec passes signals on to all, one rank tells the others; how mpiexec ends is its own affair."""
    process = start(*arguments(), ranks=2)
    wait_for_checkpoint(tmp_path / "out", process)
    (process if to == "mpiexec" else ranks_of(process)[1]).send_signal(number)
    result = shell.finish(process)
    assert f"stopped by {number.name} at t = " in result.out
    assert result.out.count("stopped by") == 1
    assert "Traceback" not in result.err
    if (number, to) != (signal.SIGTERM, "mpiexec"):
        assert result.code == 0
    assert f"step {newest_step(tmp_path / 'out')} " in result.out


def test_a_second_interrupt_does_not_wait():
    before = signal.getsignal(signal.SIGINT)
    with StopFlag() as flag:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.raise_signal(number)
            assert flag.signal == number
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


# SIGKILL


@pytest.mark.long("a run is started and killed again and again")
def test_killed_again_and_again_it_ends_as_if_never_killed(start, whorl, tmp_path):
    """At each kill the newest checkpoint is whole, and the end is that of a run that was not, to the bit.

    The other run goes on from the first checkpoint, so that both use the transforms planned at the start.
    """
    rng = random.Random(1)
    process = start(*arguments(**{"output.series_every": "'1 steps'"}))
    kills = 4 if FULL in os.environ else 2
    for kill in range(kills):
        before = newest_step(tmp_path / "out")
        wait_for_checkpoint(tmp_path / "out", process, after=before)
        time.sleep(rng.uniform(0, 0.3))
        process.kill()
        process.communicate()
        assert newest_step(tmp_path / "out") > before
        if kill == 0:
            shutil.copytree(tmp_path / "out", tmp_path / "whole")
        if kill < kills - 1:
            process = start("restart", "out")
    last = newest_step(tmp_path / "out") + 3
    for directory in ("out", "whole"):
        assert whorl("restart", directory, "--set", f"time.steps={last}").code == 0
    killed, whole = open_run(tmp_path / "out"), open_run(tmp_path / "whole")
    assert killed.series.identical(whole.series)
    assert list(killed.series["step"].values) == list(range(last + 1))
    with h5py.File(killed.checkpoints[-1]) as one, h5py.File(whole.checkpoints[-1]) as other:
        assert one.attrs["step"] == other.attrs["step"] == last
        assert np.array_equal(one["velocity_first"][:], other["velocity_first"][:])
        assert np.array_equal(one["velocity_second"][:], other["velocity_second"][:])


def newest_step(directory: Path) -> int:
    return max((int(path.stem) for path in checkpoints(directory)), default=0)


@pytest.mark.parametrize("then", ["restart", "run --overwrite"])
def test_a_killed_write_leaves_nothing_that_counts(whorl, tmp_path, then):
    """What a kill leaves behind beside the files is no checkpoint, and the next run removes it."""
    small = settings("grid.points=8", "time.dt=0.02", "time.steps=4", "output.checkpoint_every='2 steps'")
    assert whorl("run", "abc", "-o", "out", *small).code == 0
    for half in ("checkpoints/00000099.h5", "snapshots/00000099.vtkhdf", "spectra.h5"):
        (tmp_path / "out" / f"{half}.part").write_bytes(checkpoints(tmp_path / "out")[-1].read_bytes()[:5000])
    with (tmp_path / "out" / "series.csv").open("a") as file:
        file.write("5,0.1,0.0")
    assert whorl("plot", "out").code == 0
    if then == "restart":
        assert whorl("restart", "out", "--set", "time.steps=6").code == 0
        assert list(open_run(tmp_path / "out").series["step"].values) == [0, 4, 5, 6]
    else:
        assert whorl("run", "abc", "-o", "out", "--overwrite", *small).code == 0
        assert set(contents(tmp_path / "out" / "checkpoints")) == {"00000002.h5", "00000004.h5"}
    assert not list((tmp_path / "out").rglob("*.part"))


# A rank that is killed


@pytest.mark.long("mpiexec takes seconds to end what is left")
@pytest.mark.parametrize(
    "transport",
    ["alltoall", *(pytest.param(name, marks=pytest.mark.slow) for name in ("overlap", "rma-shared"))],
)
def test_a_rank_that_is_killed_ends_all(start, shell, whorl, tmp_path, transport):
    """Within the time an exchange may take, and somebody says why."""
    options = settings(f"run.transport={transport}", "run.exchange_timeout=20")
    process = start(*arguments(), *options, ranks=3)
    wait_for_checkpoint(tmp_path / "out", process)
    ranks = ranks_of(process)
    assert len(ranks) == 3
    ranks[2].kill()
    finished = shell.finish(process, SECONDS_TO_END_ALL)  # reads: MPI may say more than a pipe holds
    assert finished.code != 0
    _, alive = psutil.wait_procs(ranks, timeout=SECONDS_TO_END_ALL)
    assert not alive
    assert re.search("signal 9|run.exchange_timeout = 20 s", finished.out + finished.err)
    if transport != "overlap":
        step = newest_step(tmp_path / "out")
        assert whorl("restart", "out", "--until", str(0.001 * (step + 2))).code == 0
