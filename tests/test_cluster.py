"""Job scripts of docs/cluster.md, run with stand-ins for the programs of batch systems (support/batch).

The stand-ins start two ranks, let the time limit come early, twice for each run, and queue a job again
that asks for it. The page's shell blocks run in order, in one directory with a small case.toml.
"""

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import whorl
from support import sleeping
from support.build import needs
from test_readme import OF_ROOT, blocks, run_shell, shell_environment  # noqa: F401
from whorl import _core

PAGE = "docs/cluster.md"
STAND_INS = Path(__file__).parent / "support/batch"
CASE = """
[grid]
points = 16
[flow]
viscosity = 0.05
[time]
dt = 0.02
steps = 160
[initial]
name = "random"
[[forcing]]
kind = "stochastic"
power = 0.5
correlation_time = 0.2
[output]
series_every = "2 steps"
spectra_every = "100 steps"
checkpoint_every = "1000 steps"
[run]
threads = 1
"""
ACTIVATE = ":\n"  # the environment is that of the tests


@pytest.fixture
def cluster(tmp_path, shell_environment):  # noqa: F811
    """The environment of a login node, whose home has the set-up of the page."""
    (tmp_path / "case.toml").write_text(CASE)
    activate = tmp_path / "home/whorl/.venv/bin/activate"
    activate.parent.mkdir(parents=True)
    activate.write_text(ACTIVATE)
    mpiexec = shutil.which("mpiexec")
    assert mpiexec, "the tests need mpiexec"
    devices = _core.build_info()["devices"]
    return (
        shell_environment
        | sleeping.waits()
        | dict.fromkeys(OF_ROOT, "1")
        | {
            "PATH": f"{STAND_INS}{os.pathsep}{shell_environment['PATH']}",
            "HOME": str(activate.parents[3]),
            "MPIEXEC": mpiexec,
            "STAND_IN_DEVICE": "cpu-as-gpu" if "cpu-as-gpu" in devices else "cpu",
        }
    )


def log(run: Path) -> list[str]:
    return (run / "log.txt").read_text().splitlines()


def check_stopped_twice(run: Path) -> None:
    stops = [line for line in log(run) if "stopped by SIGUSR1" in line]
    assert len(stops) == 2, "\n".join(log(run))
    assert "finished at" in log(run)[-1]


@needs("mpi")
@needs("hdf5")
@pytest.mark.pages
@pytest.mark.timeout(1800)  # fifteen starts of ranks, on a machine that may be busy
@pytest.mark.mpi
def test_the_jobs_of_the_page_end_with_the_series_of_an_uninterrupted_run(tmp_path, cluster):
    for block in blocks(PAGE):
        if block.tested:
            assert block.language == "sh", f"{block} is {block.language}, which nothing tests: say no-test"
            run_shell(block, tmp_path, cluster)
    whole = [cluster["MPIEXEC"], "-n", "2", "whorl", "run", "case.toml", "-o", "whole"]
    subprocess.run(whole, cwd=tmp_path, env=cluster, check=True, capture_output=True)

    series = (tmp_path / "whole/series.csv").read_bytes()
    for name in ("forced", "chained", "forced-pbs"):
        check_stopped_twice(tmp_path / name)
        assert (tmp_path / name / "series.csv").read_bytes() == series, name
    check_stopped_twice(tmp_path / "forced-gpu")
    energy = [whorl.open_run(tmp_path / name).series["energy"].values for name in ("forced-gpu", "whole")]
    np.testing.assert_allclose(*energy, rtol=1e-9)
    for seed in (0, 1):
        assert "finished at" in log(tmp_path / f"seed-{seed}")[-1]
    assert len(whorl.open_runs(tmp_path / "seed-0", tmp_path / "seed-1").series["run"]) == 2


@pytest.mark.parametrize(
    ("script", "wrong"),
    [
        ("cpu.slurm", "#SBATCH --task-per-node=8"),
        ("cpu.slurm", "#SBATCH --nodes 4"),
        ("cpu.pbs", "#PBS -l nodes=4"),
    ],
)
def test_the_stand_ins_refuse_unknown_directives(tmp_path, script, wrong):
    (tmp_path / script).write_text(f"#!/bin/bash\n{wrong}\ntouch begun\n")
    program = "qsub" if script.endswith("pbs") else "sbatch"
    result = subprocess.run([STAND_INS / program, script], cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 1
    assert wrong in result.stdout
    assert not (tmp_path / "begun").exists()
