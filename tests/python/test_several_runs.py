"""Several runs as one dataset, without a warning and without a number in the wrong place."""

import shutil
import warnings

import numpy as np
import pytest
import whorl
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.run.simulation import Simulation


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """slow and fast have other times, plane other columns and shells."""
    place = tmp_path_factory.mktemp("runs")
    for name, dt, points, model in (
        ("slow", 0.1, 8, "navier-stokes"),
        ("fast", 0.05, 12, "navier-stokes"),
        ("plane", 0.1, [8, 8, 1], "navier-stokes-2d"),
    ):
        case = Case(
            grid={"points": points},
            flow={"model": model, "viscosity": 0.05},
            time={"dt": dt, "steps": 2},
            initial={"name": "random", "k0": 2, "seed": 1},
            output={
                "directory": str(place / name),
                "series_every": "1 steps",
                "spectra_every": "1 steps",
                **dict.fromkeys(("snapshot_every", "checkpoint_every"), "never"),
            },
        )
        Simulation(case).run(progress=False)
    return place


@pytest.fixture(autouse=True)
def no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_runs_are_a_mapping(place):
    runs = whorl.open_runs(place / "slow", place / "fast")
    assert (list(runs), len(runs), "slow" in runs, "plane" in runs) == (["slow", "fast"], 2, True, False)
    assert runs["fast"].series.sizes["time"] == 3


@pytest.mark.parametrize("quantity", ["series", "spectra"])
def test_each_number_stands_where_its_run_has_it(place, quantity):
    together = getattr(whorl.open_runs(place / "slow", place / "fast"), quantity)
    assert list(together["run"].values) == ["slow", "fast"]
    for name in ("slow", "fast"):
        own = getattr(whorl.open_run(place / name), quantity)
        there = together.sel(run=name, time=own["time"])
        for column in own.data_vars:
            values = there[column].sel(k=own["k"]) if "k" in own[column].dims else there[column]
            assert np.array_equal(values.values, own[column].values, equal_nan=True), column
            assert values.attrs == own[column].attrs
    assert np.array_equal(together["time"], [0.0, 0.05, 0.1, 0.2])
    energy = together["energy"].sel(run="slow", time=0.05)
    assert np.isnan(energy.values).all()


def test_columns_are_those_that_all_have(place):
    together = whorl.open_runs(place / "slow", place / "plane").series
    assert "energy" in together
    assert "palinstrophy" not in together
    assert "integral_scale" in whorl.open_run(place / "slow").series


def test_runs_of_one_name_are_called_by_their_paths(place, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    shutil.copytree(place / "fast", other / "slow")
    names = list(whorl.open_runs(place / "slow", other / "slow").runs)
    assert names == [str(place / "slow"), str(other / "slow")]


def test_one_run_is_not_given_twice(place, tmp_path):
    (tmp_path / "again").symlink_to(place / "slow")
    with pytest.raises(CaseError, match="given twice"):
        whorl.open_runs(place / "slow", tmp_path / "again")


def test_a_list_is_no_directory(place):
    with pytest.raises(CaseError, match=r"open_runs\(\*directories\)"):
        whorl.open_runs([place / "slow", place / "fast"])


def test_times_are_the_same_though_rounding_tells_them_apart(place, tmp_path):
    shutil.copytree(place / "slow", tmp_path / "near")
    table = tmp_path / "near" / "series.csv"
    text = table.read_text()
    assert ",0.2," in text
    table.write_text(text.replace(",0.2,", ",0.20000000000000004,"))
    together = whorl.open_runs(place / "slow", tmp_path / "near").series
    assert np.array_equal(together["time"], [0.0, 0.1, 0.2])
    assert np.array_equal(together["energy"].sel(run="near"), together["energy"].sel(run="slow"))


def test_spectra_that_were_never_written_are_not_called_damaged(place, tmp_path):
    shutil.copytree(place / "slow", tmp_path / "without")
    (tmp_path / "without" / "spectra.h5").unlink()
    with pytest.raises(CaseError, match=r"there is no .*without/spectra.h5: output.spectra_every"):
        whorl.open_runs(place / "slow", tmp_path / "without").spectra  # noqa: B018


def test_what_is_no_run_is_named(place, tmp_path):
    with pytest.raises(CaseError, match="nothing does not exist"):
        whorl.open_runs(place / "slow", tmp_path / "nothing")
    with pytest.raises(CaseError, match="give one output directory"):
        whorl.open_runs()


def test_a_gap_of_one_is_a_gap_of_all(place, tmp_path):
    shutil.copytree(place / "fast", tmp_path / "torn")
    table = tmp_path / "torn" / "series.csv"
    table.write_text("# gap: 3 of 5 rows up to step 5 were lost before a restart\n" + table.read_text())
    together = whorl.open_runs(place / "slow", tmp_path / "torn").series
    assert together.attrs["gaps"] == "torn: 3 of 5 rows up to step 5 were lost before a restart"
    assert "gaps" not in whorl.open_runs(place / "slow", place / "fast").series.attrs
