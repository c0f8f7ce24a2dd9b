"""What is refused, or warned of, before a run begins."""

import os
import signal

import pytest
from mpi4py import MPI
from whorl import _core
from whorl.base.errors import CaseError
from whorl.base.ranks import launched
from whorl.config.case import Case
from whorl.run.checks import (
    MOST_THREADS_A_CORE,
    check_files,
    check_ranks,
    check_threads,
    warnings,
)
from whorl.run.core_options import core_options
from whorl.run.simulation import Simulation
from whorl.run.threads import threads_of_rank


def case_of(**run):
    return Case(grid={"points": 8}, flow={"viscosity": 0.1}, time={"until": 1}, run=run)


def test_absurd_numbers_of_threads_are_refused(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    most = MOST_THREADS_A_CORE * 4
    check_threads(case_of(threads=most), most, MPI.COMM_SELF)
    with pytest.raises(CaseError) as caught:
        check_threads(case_of(threads=most + 1), most + 1, MPI.COMM_SELF)
    for word in (f"run.threads = {most + 1}", "a machine of 4 cores", "at most 4, or 0"):
        assert word in str(caught.value)


def test_absurd_numbers_of_threads_in_the_environment_are_refused(monkeypatch):
    with pytest.raises(CaseError, match=r"OMP_NUM_THREADS = 60000 is too many.* or none"):
        check_threads(case_of(), 60000, MPI.COMM_SELF)
    monkeypatch.setenv("OMP_NUM_THREADS", "4294967296")
    with pytest.raises(CaseError, match="OMP_NUM_THREADS = 4294967296 is no number of threads"):
        Simulation(case_of(), comm=MPI.COMM_SELF)
    for given, threads in (("3", 3), ("2,4", 2), (" 5 ", 5)):
        monkeypatch.setenv("OMP_NUM_THREADS", given)
        assert threads_of_rank(MPI.COMM_SELF) == threads
    for given in ("abc", "0", "-2", "1.5", ","):
        monkeypatch.setenv("OMP_NUM_THREADS", given)
        with pytest.raises(CaseError, match=f"OMP_NUM_THREADS = {given} is no number of threads"):
            threads_of_rank(MPI.COMM_SELF)


def test_more_threads_than_cores_are_warned_of(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 3})
    assert warnings(case_of(), threads=2) == []
    assert warnings(case_of(threads=2), threads=2) == []
    for case, name in ((case_of(threads=3), "run.threads"), (case_of(), "OMP_NUM_THREADS")):
        (warning,) = warnings(case, threads=3)
        assert f"{name} = 3" in warning
        assert "2 cores" in warning
        assert "--bind-to none" in warning


@pytest.fixture
def bare(monkeypatch):
    """A core that was built without HDF5, and no MPI."""
    about = _core.build_info() | {"mpi": "none", "hdf5": "none"}
    monkeypatch.setattr(_core, "build_info", lambda: about)
    monkeypatch.setattr("whorl.run.checks.without_mpi", lambda: "mpi4py is not installed")


def with_output(case, directory, **output):
    return Case(**case.to_dict() | {"output": {"directory": str(directory), **output}})


def test_several_ranks_are_refused_without_mpi(bare):
    case = case_of()
    check_ranks(case, core_options(case, 1), 1)
    message = r"^2 ranks are too many without MPI \(mpi4py is not installed\): .* pip install"
    with pytest.raises(CaseError, match=message):
        check_ranks(case, core_options(case, 1), 2)


@pytest.mark.parametrize("value", ["", " ", "two", "1.5", "0x2"])
def test_a_variable_of_mpiexec_that_is_no_number_is_not_set(monkeypatch, value):
    for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"):
        monkeypatch.setenv(name, value)
    assert launched() == 1
    monkeypatch.setenv("SLURM_STEP_NUM_TASKS", "3")
    assert launched() == 3


@pytest.mark.parametrize("name", ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"])
def test_ranks_that_know_nothing_of_each_other_are_refused(bare, monkeypatch, name):
    """Three runs that would write the same files are what mpiexec -n 3 makes without MPI."""
    for other in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"):
        monkeypatch.delenv(other, raising=False)
    case = case_of()
    monkeypatch.setenv(name, "1")
    check_ranks(case, core_options(case, 1), 1)
    monkeypatch.setenv(name, "3")
    with pytest.raises(CaseError, match=r"^3 ranks are too many without MPI"):
        check_ranks(case, core_options(case, 1), 1)


NO_FILES = {"checkpoint_every": "never", "snapshot_every": "never"}


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"checkpoint_every": 0.5}, "output.checkpoint_every asks for"),
        ({"snapshot_every": "5 steps"}, "output.snapshot_every asks for"),
        (
            {"snapshot_every": 1.0, "checkpoint_every": 1.0},
            "every and output.snapshot_every ask for",
        ),
    ],
)
def test_files_are_refused_by_a_build_without_hdf5(bare, given, named, tmp_path):
    check_files(case_of())
    check_files(with_output(case_of(), tmp_path, **NO_FILES))
    with pytest.raises(CaseError, match=f"{named} files .* without HDF5: set .*-DWHORL_HDF5=ON"):
        check_files(with_output(case_of(), tmp_path, **NO_FILES | given))


def small_run(directory, steps):
    start = {"grid": {"points": 8}, "flow": {"viscosity": 0.1}, "time": {"dt": 0.1, "steps": steps}}
    case = Case(**start, initial={"name": "taylor-green"}, output={"directory": str(directory), **NO_FILES})
    return Simulation(case, comm=MPI.COMM_SELF)


def test_a_run_without_hdf5_and_h5py_writes_its_series(bare, monkeypatch, tmp_path):
    """And no checkpoint, not even the last, nor spectra, of which it warns."""
    for module in ("base.hdf5", "run.checks", "output.recorder"):
        monkeypatch.setattr(f"whorl.{module}.has_h5py", lambda: False)
    simulation = small_run(tmp_path, steps=2)
    simulation.run()
    assert list(simulation.spectra["step"]) == [0, 2]
    names = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert names == {".whorl-run", "case.toml", "series.csv", "log.txt"}
    assert "h5py is not installed, so spectra.h5 will not be written" in (tmp_path / "log.txt").read_text()
    assert warnings(case_of()) == []


def test_a_run_without_hdf5_that_is_stopped_offers_no_restart(bare, tmp_path):
    simulation = small_run(tmp_path, steps=1000)
    simulation.every("2 steps", lambda _: os.kill(os.getpid(), signal.SIGTERM))
    assert not simulation.run()
    end = (tmp_path / "log.txt").read_text().splitlines()[-1]
    assert "stopped by SIGTERM" in end
    assert "restart" not in end
