"""Job scripts of examples/cluster/, run with stand-ins for the programs of batch systems (support/batch).

The stand-ins start two ranks, give little time to the first two jobs of each run, and queue a job again that
asks for it. The shell blocks of docs/cluster.md run in order, in one directory with a small case.toml.
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
from test_readme import OF_ROOT, ROOT, blocks, run_shell, shell_environment  # noqa: F401
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
    (activate.parents[2] / "examples").symlink_to(ROOT / "examples")
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
    """The first two jobs made a step each, the third one the others."""
    lines = log(run)
    stops = [line for line in lines if "stopped by run.wall_time" in line]
    assert [f", step {step} (" in stop for step, stop in enumerate(stops, 1)] == [True] * 2, "\n".join(lines)
    assert "finished at" in lines[-1]


@needs("mpi")
@needs("hdf5")
@pytest.mark.pages
@pytest.mark.timeout(1800)  # twenty-five starts of ranks, on a machine that may be busy
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
    for name in ("forced-gpu", "forced-container", "forced-gpu-pbs"):
        check_stopped_twice(tmp_path / name)
        energy = [whorl.open_run(tmp_path / one).series["energy"].values for one in (name, "whole")]
        np.testing.assert_allclose(*energy, rtol=1e-9)
    for seed in (0, 1):
        assert "finished at" in log(tmp_path / f"seed-{seed}")[-1]
    assert len(whorl.open_runs(tmp_path / "seed-0", tmp_path / "seed-1").series["run"]) == 2


def test_the_page_runs_every_script():
    text = "".join(block.text for block in blocks(PAGE) if block.tested)
    for script in (ROOT / "examples/cluster").glob("*.*"):
        if script.suffix in (".slurm", ".pbs"):
            assert f"examples/cluster/{script.name}" in text


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
