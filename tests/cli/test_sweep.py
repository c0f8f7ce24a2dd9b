"""`whorl sweep`: a product of values as runs that go on, and as one dataset."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from cli.commands import settings
from whorl import open_sweep
from whorl.base.errors import CaseError
from whorl.config.sweeps import made, parts_of, read_sweep
from whorl.results.runs import open_run
from whorl.run.simulation import Simulation

SMALL = settings(
    "grid.points=8", "time.dt=0.02", "time.steps=4", "output.series_every='2 steps'",
    "output.checkpoint_every='2 steps'", "run.threads=1",
)  # fmt: skip
OVER = settings("flow.viscosity=1e-1,0.05", "initial.A=1,2,3")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("flow.viscosity=1e-2,5e-3", ("1e-2", "5e-3")),
        ("grid.points=[8,8,8],[16,16,16]", ("[8,8,8]", "[16,16,16]")),
        ("initial={name = 'random', k0 = 2}", ("{name = 'random', k0 = 2}",)),
        ("output.series_every='1 steps','2, steps'", ("'1 steps'", "'2, steps'")),
    ],
)
def test_commas_within_brackets_and_quotes_part_nothing(text, values):
    assert parts_of(text)[1] == values


@pytest.mark.parametrize("text", ["flow.viscosity", "flow.viscosity=1,1", "flow.viscosity=1,"])
def test_values_that_are_none_are_refused(text):
    with pytest.raises(CaseError, match=r"--set flow\.viscosity"):
        parts_of(text)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A sweep whose runs are finished."""
    sweep = made(tmp_path_factory.mktemp("sweeps") / "swept", "abc", (SMALL + OVER)[1::2])
    for member in sweep.members:
        with Simulation(sweep.case_of(member)) as simulation:
            simulation.run(progress=False)
    return sweep.folder


@pytest.fixture
def swept(whole, tmp_path):
    return Path(shutil.copytree(whole, tmp_path / "swept"))


def test_the_runs_of_a_product_are_one_dataset(whole):
    sweep = open_sweep(whole)
    assert sweep.missing == []
    assert list(sweep.runs)[:2] == ["viscosity=1e-1,A=1", "viscosity=1e-1,A=2"]
    series = sweep.series
    assert dict(series.sizes) == {"viscosity": 2, "A": 3, "time": 3}
    assert series["viscosity"].values.tolist() == [0.1, 0.05]
    assert series["A"].values.tolist() == [1, 2, 3]
    for viscosity, text in ((0.1, "1e-1"), (0.05, "0.05")):
        for a in (1, 2, 3):
            run = open_run(whole / f"viscosity={text},A={a}")
            assert run.case.flow.viscosity == viscosity
            assert a == run.case.initial.A
            found = series["energy"].sel(viscosity=viscosity, A=a)
            assert np.array_equal(found, run.series["energy"])
    assert sweep.spectra["energy"].dims == ("viscosity", "A", "time", "k")
    means = sweep.means("energy", start=0.0)
    one = open_run(whole / "viscosity=0.05,A=2").average(start=0.0)["energy"]
    assert float(means["energy"].sel(viscosity=0.05, A=2)) == one.mean
    assert np.array_equal(means["energy_error"].sel(viscosity=0.05, A=2), one.error, equal_nan=True)


def test_it_goes_on_where_it_was(whorl, swept, tmp_path):
    """A finished run is not repeated, one without its end goes on, one that is missing begins."""
    before = {path: path.stat().st_mtime_ns for path in swept.glob("*/series.csv")}
    first, second, third = sorted(path.parent for path in before)[:3]
    shutil.rmtree(first)
    sweep = read_sweep(swept)
    member = next(one for one in sweep.members if one.name == second.name)
    with Simulation(sweep.case_of(member), overwrite=True) as simulation:
        for _ in range(3):
            simulation.step()
    assert open_sweep(swept).missing == [first.name]
    assert np.isnan(open_sweep(swept).series["energy"]).any()
    result = whorl("sweep", "swept")
    assert result.code == 0, result.err
    assert f"{first.name}: begins" in result.out
    assert f"{second.name}: goes on" in result.out
    assert f"{third.name}: finished before" in result.out
    assert not np.isnan(open_sweep(swept).series["energy"]).any()
    assert (third / "series.csv").stat().st_mtime_ns == before[third / "series.csv"]


def test_a_run_that_fails_stops_no_other(whorl, tmp_path):
    explosive = settings("grid.points=16", "time.scheme=rk2", "time.steps=40", "time.until=100")
    over = settings("time.dt=1.5,0.02")
    result = whorl("sweep", "taylor-green", "-o", "swept", *explosive, *over)
    assert result.code == 1
    assert "1 run of the sweep failed: dt=1.5." in result.err
    assert "dt=1.5: the flow blew up" in result.out
    assert open_sweep(tmp_path / "swept").runs["dt=0.02"].series["step"][-1] == 40


def test_a_job_array_has_a_task_for_each_run(whorl, tmp_path):
    command = ["sweep", "abc", "-o", "swept", *SMALL, *OVER, "--job-array", "jobs.slurm"]
    result = whorl(*command)
    assert result.code == 0, result.err
    text = (tmp_path / "jobs.slurm").read_text()
    assert "#SBATCH --array=0-5\n" in text
    assert f"whorl sweep {tmp_path / 'swept'} --member" in text
    assert whorl("sweep", "swept", "--member", "4").code == 0
    assert list(open_sweep(tmp_path / "swept").runs) == ["viscosity=0.05,A=2"]


@pytest.mark.mpi
def test_two_ranks_run_each_together(whorl, tmp_path):
    over = settings("flow.viscosity=0.1,0.05", "time.steps=1")
    assert whorl("sweep", "abc", "-o", "swept", *SMALL, *over, ranks=2).code == 0
    assert open_sweep(tmp_path / "swept").series.sizes["viscosity"] == 2


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["abc", "-o", "new"], "a sweep of abc needs an option with several values"),
        (["abc", "-o", "new", *settings("flow.viscosty=1,2")], "did you mean"),
        (["abc", "-o", "new", *settings("flow.viscosity=1,-2")], "flow.viscosity = -2"),
        (["abc", "-o", "full", *OVER], "full is not empty and holds no sweep"),
        (["there", *OVER], "there holds a sweep, which keeps its values"),
        (["abc", "-o", "there", *settings("flow.viscosity=1,2")], "there holds a sweep of other values"),
        (["there", "--member", "2"], "--member 2 is wrong: the sweep has runs 0 to 1"),
    ],
)
def test_what_is_wrong_is_told_in_words(whorl, tmp_path, arguments, told):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("years of work")
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "sweep.toml").write_text('[options]\n"flow.viscosity" = ["1", "3"]\n')
    result = whorl("sweep", *arguments)
    assert result.code == 2, result.out
    assert told in " ".join(result.err.split())
    assert not (tmp_path / "new").exists()
