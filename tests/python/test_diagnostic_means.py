"""Means of diagnostics over a window: what is summed, weighted and averaged, with errors; what is refused."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
import xarray as xr
from support.build import needs
from support.diagnostic_files import BLOCKS, case_of, run_with_diagnostics, states_of
from support.processes import equal, process
from whorl.base.errors import CaseError
from whorl.diagnostics.results.means import diagnostic_means, pooled, weighted_mean
from whorl.output.means import mean_of, means_of
from whorl.results.estimate import Rows

pytestmark = needs("hdf5")

TIMES = equal(40, 1.0)


def drawn(weights, values, seed):
    """Points of bins, so many of each at each time: the values of all of them."""
    rng = np.random.default_rng(seed)
    return [
        [rng.normal(value, 0.5, count) for value, count in zip(*row, strict=True)]
        for row in zip(values, weights, strict=True)
    ]


def test_many_means_are_each_its_own():
    """Bit for bit but for the order of sums; constants have no error."""
    series = np.concatenate([process(TIMES, 5, seed=1), np.ones((1, len(TIMES)))]).T
    mean, error, samples = means_of(TIMES, series.reshape(-1, 2, 3))
    for n, values in enumerate(series.T):
        one = mean_of(TIMES, values)
        found = (mean.flat[n], error.flat[n], samples.flat[n])
        np.testing.assert_allclose(found, (one.mean, one.error, one.samples), rtol=1e-12)
    assert (error[1, 2], samples[1, 2]) == (0, len(TIMES))


def test_more_quantities_than_go_at_once(monkeypatch):
    series = process(TIMES, 50, seed=2).T
    whole = means_of(TIMES, series)
    monkeypatch.setattr("whorl.output.means.AT_ONCE", 7)
    np.testing.assert_array_equal(means_of(TIMES, series), whole)


def test_correlation_times_are_emcees():
    from emcee.autocorr import integrated_time
    from whorl.output.means import _correlation_times

    for rows in (4, 5, 33, 128):
        series = process(equal(0.1 * (rows - 1), 0.1), 20, seed=rows).T
        assert len(series) == rows
        wanted = np.maximum(integrated_time(series, c=5, tol=0, has_walkers=False), 1)
        np.testing.assert_allclose(_correlation_times(series, 0)[0], wanted, rtol=1e-12)


def test_a_mean_over_points_is_that_of_all_points():
    """Of states of equal duration but the first and the last, which count half."""
    rng = np.random.default_rng(3)
    counts = rng.poisson(2.0, (len(TIMES), 6))
    points = drawn(counts, rng.normal(size=counts.shape), seed=4)
    with np.errstate(all="ignore"):
        means = np.array([[one.mean() if one.size else np.nan for one in row] for row in points])
    share = np.r_[0.5, np.ones(len(TIMES) - 2), 0.5]
    value, error, samples = weighted_mean(Rows(TIMES), means, counts)
    for cell in range(counts.shape[1]):
        weight = np.repeat(share, counts[:, cell])
        everything = np.concatenate([row[cell] for row in points])
        assert value[cell] == pytest.approx(np.average(everything, weights=weight), rel=1e-12)
    assert np.isfinite(error).all()
    assert (samples > 1).all()


def test_bins_without_points_say_nothing():
    counts = np.ones((len(TIMES), 3))
    counts[:, 1] = 0
    counts[5:, 2] = 0
    values = np.where(counts > 0, process(TIMES, 3, seed=5).T, np.nan)
    value, error, samples = weighted_mean(Rows(TIMES), values, counts)
    assert np.isnan([value[1], error[1], samples[1]]).all()
    np.testing.assert_allclose(value[2], np.average(values[:5, 2], weights=[0.5, 1, 1, 1, 1]))
    counts[3:, 2] = 0
    assert np.isnan(
        weighted_mean(Rows(TIMES), values, counts).error[2]
    )  # of three states, which is no error of 0


def test_means_are_a_mapping_and_tables():
    """A row for each number of all arrays, with its place; the axes of all are columns."""
    case = case_of([{"kind": "moments", "of": ["u.x", "u.y"]}, {"kind": "pdf", "of": ["u.x"], "bins": 3}])
    means = diagnostic_means(states_of(case, TIMES), None, case, start=0.0)
    assert list(means) == ["moments", "pdf"]
    assert (len(means), "pdf" in means, "pfd" in means) == (2, True, False)
    assert [data.attrs["states"] for data in means.values()] == [len(TIMES)] * 2
    assert dict(means.items())["pdf"] is means["pdf"]
    frame = means.to_dataframe()
    assert list(frame)[:2] == ["diagnostic", "number"]
    assert list(frame)[-5:] == ["over_time", "mean", "error", "samples", "unit"]
    assert frame["bin"].dtype == float  # nan where an array has no such axis
    assert set(frame.loc[frame["over_time"] == "sum", "number"]) == {"count", "outside"}
    for name, data in means.items():
        for array in (one for one in data.data_vars if f"{one}_error" in data):
            rows = frame[(frame["diagnostic"] == name) & (frame["number"] == array)]
            for column, end in (("mean", ""), ("error", "_error"), ("samples", "_samples")):
                np.testing.assert_array_equal(rows[column], data[f"{array}{end}"].values.ravel())
    wanted = means["moments"]["moment"].sel(quantity="u.y", order=3)
    row = frame[(frame["quantity"] == "u.y") & (frame["order"] == 3) & (frame["number"] == "moment")]
    assert row["mean"].item() == float(wanted)
    assert means.to_csv().splitlines()[0] == ",".join(frame)
    assert len(means.to_csv().splitlines()) == len(frame) + 1
    tree = means.to_xarray()
    assert tree["pdf"].to_dataset().identical(means["pdf"])


def test_a_value_that_is_not_finite_costs_no_mean_and_is_told(tmp_path):
    """As that of a state at rest; the others are the means of all states."""
    case = case_of([{"kind": "pressure"}])
    states = states_of(case, TIMES)["pressure"]
    name = next(str(key) for key, one in states.data_vars.items() if "weighted_by" not in one.attrs)
    states[name].values[0] = np.inf
    found = diagnostic_means({"pressure": states}, None, case, start=0.0)
    later = diagnostic_means({"pressure": states}, None, case, start=1.0)
    np.testing.assert_array_equal(found["pressure"][name], later["pressure"][name])
    assert found.notes == (
        f"pressure: {name} is not finite in up to 1 of {len(TIMES)} states, which the means leave out there.",
    )
    assert later.notes == ()


def test_errors_over_points_are_the_scatter():
    """The numbers of points vary and follow the values: errors are not those of the states' values."""
    times, found = equal(400, 0.5), []
    for f, g in zip(process(times, 300, seed=6), process(times, 300, seed=7), strict=True):
        counts = np.exp(0.3 * f + 1.1 * g)[:, None]
        told = {"over_time": "std", "weighted_by": "count", "about": "m"}
        states = xr.Dataset(
            {
                "count": (("time", "bin"), counts, {"over_time": "sum"}),
                "m": (("time", "bin"), f[:, None], {"weighted_by": "count"}),
                "s": (("time", "bin"), np.full_like(counts, 0.5), told),
            },
            {"time": times},
        )
        data = pooled(states)
        found.append([float(data[name][0]) for name in ("m", "m_error", "s", "s_error")])
    means, errors, stds, errors_of_std = np.array(found).T
    assert math.sqrt((errors**2).mean()) == pytest.approx(means.std(), rel=0.15)
    assert math.sqrt((errors_of_std**2).mean()) == pytest.approx(stds.std(), rel=0.15)
    assert means.mean() == pytest.approx(0.3, abs=0.03)  # of a Gaussian f weighted by exp(0.3 f)
    assert (stds**2).mean() == pytest.approx(1.25, abs=0.06)


def test_a_deviation_over_points_is_that_of_all_points():
    rng = np.random.default_rng(8)
    counts = rng.poisson(3.0, (len(TIMES), 5))
    points = drawn(counts, rng.normal(size=counts.shape), seed=9)
    with np.errstate(all="ignore"):
        means = np.array([[one.mean() if one.size else np.nan for one in row] for row in points])
        stds = np.array([[one.std() if one.size else np.nan for one in row] for row in points])
    told = {"over_time": "std", "weighted_by": "count", "about": "m"}
    states = xr.Dataset(
        {
            "count": (("time", "bin"), counts, {"over_time": "sum"}),
            "m": (("time", "bin"), means, {"weighted_by": "count"}),
            "s": (("time", "bin"), stds, told),
        },
        {"time": TIMES},
    )
    data = pooled(states)
    share = np.r_[0.5, np.ones(len(TIMES) - 2), 0.5]
    for cell in range(5):
        everything, weight = np.concatenate([row[cell] for row in points]), np.repeat(share, counts[:, cell])
        mean = np.average(everything, weights=weight)
        wanted = math.sqrt(np.average((everything - mean) ** 2, weights=weight))
        assert float(data["s"][cell]) == pytest.approx(wanted, rel=1e-12)
        assert 0 < float(data["s_error"][cell]) < 0.3 * wanted
    np.testing.assert_array_equal(data["count"], counts.sum(axis=0))
    assert "count_error" not in data


def test_states_without_a_value_are_left_out_of_its_mean():
    values = process(TIMES, 4, seed=10).T.copy()
    values[3, 1] = np.nan
    values[:-1, 2] = np.inf
    value, error, _ = Rows(TIMES).mean(values)
    rest = np.arange(len(TIMES)) != 3
    one = mean_of(TIMES[rest], values[rest, 1])
    assert (value[1], error[1]) == pytest.approx((one.mean, one.error))
    assert np.isnan([value[2], error[2]]).all()
    assert value[0] == pytest.approx(mean_of(TIMES, values[:, 0]).mean)


def test_every_array_has_its_error_beside_it(tmp_path):
    run = run_with_diagnostics(tmp_path / "run", TIMES)
    means = run.mean_diagnostics()
    assert list(means.means) == [block["kind"] for block in BLOCKS]
    for name, states in run.diagnostics.items():
        inside = states.sel(time=slice(means.start, means.end))
        data = means[name]
        assert data.attrs["states"] == inside.sizes["time"]
        assert data.attrs["kind"] == states.attrs["kind"]
        for array, of in states.data_vars.items():
            if of.attrs["over_time"] == "sum":
                np.testing.assert_array_equal(data[array], of.sel(time=inside["time"]).sum("time"))
                assert f"{array}_error" not in data
                continue
            assert data[array].dims == of.dims[1:] == data[f"{array}_error"].dims
            assert data[array].attrs["units"] == of.attrs["units"]
            if "weighted_by" not in of.attrs:
                first = inside[array].values.reshape(inside.sizes["time"], -1)[:, 0]
                wanted = mean_of(inside["time"].values, first)
                found = (data[array].values.flat[0], data[f"{array}_error"].values.flat[0])
                assert found == pytest.approx((wanted.mean, wanted.error))


def test_means_are_written_and_read_by_xarray(tmp_path):
    means = run_with_diagnostics(tmp_path / "run", TIMES).mean_diagnostics(["pdf", "conditional"], start=10)
    path = means.write(tmp_path / "means.h5")
    for name in ("pdf", "conditional"):
        with xr.open_dataset(path, group=name) as data:
            xr.testing.assert_identical(data.drop_attrs(), means[name].drop_attrs())
            assert data.attrs["start"] == 10
            assert data["mean"].attrs["long_name"].startswith("over the window: ")
    means.write(path)  # replaces earlier means
    with pytest.raises(CaseError, match="is no earlier file of means, so it is not replaced"):
        means.write(tmp_path / "run" / "diagnostics.h5")


def test_the_table_has_numbers_and_short_arrays(tmp_path):
    means = run_with_diagnostics(tmp_path / "run", TIMES).mean_diagnostics(["moments", "pdf"])
    rows = [row[:3] for row in means.cells()]
    assert ("moments", "p", "moment 4") in rows
    assert ("pdf", "u.x", "outside below") in rows
    data = means["pdf"].copy(deep=True)
    data["outside"].loc[{"beyond": ["below", "not a number"]}] = 0
    data["outside"].loc[{"quantity": "p"}] = 0
    told = replace(means, means={"pdf": data}).cells()
    assert [row[1:3] for row in told if "outside" in row[2]] == [("u.x", "outside above")]
    assert ("moments", "u.x", "std") in rows
    assert len(set(rows)) == len(rows)
    assert "pdf" in str(means)
    assert "The window is t = " in means.remarks()[-1]
    told = json.loads(json.dumps(means.to_dict(), allow_nan=False))
    assert np.shape(told["diagnostics"]["pdf"]["pdf"]) == (2, 9)


def test_too_few_states_for_an_error_are_told(tmp_path):
    run = run_with_diagnostics(tmp_path / "run", TIMES)
    means = run.mean_diagnostics("moments", start=37.5)
    assert np.isnan(means["moments"]["std_error"]).all()
    assert "moments has only 3 states in the window, and an error needs 4" in means.remarks()[0]
    assert all("± unknown ?" in row[3] for row in means.cells())
    few = run.mean_diagnostics("moments", start=30)
    doubt = "errors of moments rest on fewer than 20 independent samples"
    assert f"{doubt} (a question mark): they are not reliable" in few.remarks()[0]
    assert f"{doubt}: they are not reliable" in few.remarks(of_table=False)[0]
    assert all(row[3].endswith(" ?") for row in few.cells())
    with pytest.raises(CaseError, match="moments has only one state in the window"):
        run.mean_diagnostics("moments", found={"moments": run.diagnostics["moments"].isel(time=[39])})


def test_what_is_not_measured_is_refused(tmp_path):
    run = run_with_diagnostics(tmp_path / "run", TIMES)
    with pytest.raises(CaseError, match=r"has measured no diagnostic pfd: it has .*; did you mean pdf"):
        run.mean_diagnostics("pfd")
    with pytest.raises(CaseError, match="ends before it begins"):
        run.mean_diagnostics("pdf", 3, 1)


def test_a_run_without_a_series_needs_the_beginning(tmp_path):
    run = run_with_diagnostics(tmp_path / "run", TIMES)
    (tmp_path / "run" / "series.csv").unlink()
    with pytest.raises(CaseError, match=r"no rows in series\.csv"):
        run.mean_diagnostics("pdf")
    means = run.mean_diagnostics("pdf", start=20)
    assert means["pdf"].attrs["states"] == 21
    assert means.remarks()[-1] == "The window begins at t = 20, and the series tells nothing of it."


def test_all_kinds_say_what_is_summed_and_weighted():
    """A count is never averaged; weights are counts."""
    for name, data in states_of(case_of(), TIMES[:2]).items():
        for array, one in data.data_vars.items():
            whole = array in ("count", "outside")
            assert (one.attrs["over_time"] == "sum") == whole, name
            if by := one.attrs.get("weighted_by"):
                assert data[by].attrs["over_time"] == "sum"


def test_means_of_a_file_are_tables(tmp_path):
    """Its names of quantities are objects of Python."""
    run = run_with_diagnostics(tmp_path / "run", equal(10, 1.0))
    means = run.mean_diagnostics(start=0.0)
    frame = means.to_dataframe()
    assert set(frame["diagnostic"]) == set(means)
    assert set(frame["quantity"].dropna()) >= {"u.x"}
    assert len(means.to_csv().splitlines()) == len(frame) + 1
