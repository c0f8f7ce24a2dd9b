"""Averages of runs whose files are written here: windows, words, spectra, and what is refused."""

import csv
import dataclasses
import json
import math

import numpy as np
import pytest
from support.processes import equal, process
from support.run_files import add_spectra, make_run
from whorl.base.errors import CaseError
from whorl.base.text import with_error
from whorl.config.case import Case
from whorl.config.columns import ColumnState
from whorl.config.measures import series_columns, spectra_columns
from whorl.models.viscous import derivative_skewness
from whorl.output.directory import RunDirectory
from whorl.output.series import Series, gap_of
from whorl.output.spectra import Spectra
from whorl.pictures import plot
from whorl.pictures.run import NO_SLICE
from whorl.results.runs import open_run

TIMES = equal(300, 0.25)


@pytest.fixture
def write(tmp_path):
    """Writes a run with the given columns, the others 1 but for what a first row has not."""

    def write(times, gaps=(), points=(8, 6, 4), flow=None, **columns):
        directory = RunDirectory(tmp_path / "run")
        case = Case(grid={"points": points}, flow=flow or {"viscosity": 0.1}, time={"until": 1})
        directory.create(case)
        series = Series(series_columns(case), directory.series)
        series.resume([], gaps)
        names = [column.name for column in series.columns]
        for step, time in enumerate(times):
            row = dict.fromkeys(names, 1.0) | {"step": step, "time": time}
            if step == 0:
                row |= dict.fromkeys(("dt", "courant", "maximum_velocity"), math.nan)
            series.append(row | {name: values[step] for name, values in columns.items()})
        return directory

    return write


def noisy(seed, mean=1.0):
    return mean + 0.1 * process(TIMES, 1, seed)[0]


def test_all_columns_have_means_with_units(write):
    run = write(TIMES, energy=noisy(1, 0.5), dissipation=noisy(2, 3.0))
    averages = open_run(run.path).average()
    columns = {column.name: column for column in series_columns(run.read_case())}
    assert averages.means.keys() == columns.keys() - {"step", "time"}
    assert all(one.unit == columns[name].unit for name, one in averages.means.items())
    energy = averages["energy"]
    assert energy.meaning == columns["energy"].meaning
    assert abs(energy.mean - 0.5) < 4 * energy.error
    assert energy.error == pytest.approx(0.1 / math.sqrt(150), rel=0.4)
    assert energy.samples == pytest.approx(150, rel=0.5)
    assert float(averages.dataset["mean"].sel(quantity="energy")) == energy.mean
    assert averages.dataset.sizes == {"quantity": len(averages.means)}


def test_averages_are_a_mapping_and_a_table(write, tmp_path):
    run = write(TIMES, energy=noisy(1, 0.5), dissipation=noisy(2, 3.0))
    averages = open_run(run.path).average()
    assert list(averages) == list(averages.keys()) == list(averages.means)
    assert len(averages) == len(averages.means)
    assert "energy" in averages
    assert "enrgy" not in averages
    assert dict(averages.items())["energy"] is averages["energy"] is averages.get("energy")
    frame = averages.to_dataframe().set_index("quantity")
    assert list(frame.index) == list(averages)
    assert frame.loc["energy", "mean"] == averages["energy"].mean
    assert frame.loc["energy", "unit"] == "length²/time²"
    assert averages.to_xarray()[list(averages.dataset)].identical(averages.dataset)
    path = averages.to_csv(tmp_path / "means.csv")
    assert path.read_text(encoding="utf-8") == averages.to_csv()
    rows = list(csv.DictReader(averages.to_csv().splitlines()))
    assert [row["quantity"] for row in rows] == list(averages)
    assert [float(row["error"]) for row in rows] == [one.error for one in averages.values()]
    averages.to_csv(path)  # an earlier table is replaced, and nothing else
    for name, words in (
        ("run/series.csv", "is no earlier table of these averages: it is not replaced; name another file"),
        ("means.txt", "must end in .csv; name it .*means.csv"),
        ("nowhere/means.csv", "there is no directory"),
    ):
        with pytest.raises(CaseError, match=words):
            averages.to_csv(tmp_path / name)


def test_a_stationary_window_is_called_so(write):
    averages = open_run(write(TIMES, energy=noisy(1), dissipation=noisy(2)).path).average()
    assert averages.stationary
    assert "The flow is stationary: energy and dissipation have no trend in" in averages.verdict
    assert not averages["energy"].trend


@pytest.mark.parametrize(("slope", "reliable"), [(-0.0004, True), (-0.002, False)])
@pytest.mark.parametrize("name", ["energy", "dissipation"])
def test_a_window_with_a_trend_is_never_called_stationary(write, name, slope, reliable):
    """Also if it is too weak to look like a long correlation."""
    columns = {"energy": noisy(1), "dissipation": noisy(2)}
    columns[name] = columns[name] + slope * TIMES
    averages = open_run(write(TIMES, **columns).path).average(start=0)
    assert averages[name].reliable == reliable
    assert not averages.stationary
    assert f"The flow is not stationary in it: {name} falls (p = " in averages.verdict
    assert "is stationary" not in averages.verdict


def test_a_trend_of_another_quantity_is_shown_only(write):
    run = write(TIMES, energy=noisy(1), dissipation=noisy(2), helicity=noisy(3) + 0.003 * TIMES)
    averages = open_run(run.path).average(start=0)
    assert averages.stationary
    (cells,) = (row for row in averages.cells() if row[0] == "helicity")
    assert cells[-1] == "rises"


def test_another_field_that_grows_is_not_stationary(write):
    """As the magnetic field of a dynamo whose flow does not feel it yet."""
    columns = {"energy": noisy(1), "dissipation": noisy(2), "magnetic_energy": noisy(3) + 0.003 * TIMES}
    flow = {"model": "mhd", "viscosity": 0.1, "resistivity": 0.1}
    averages = open_run(write(TIMES, flow=flow, **columns).path).average(start=0)
    assert not averages.stationary
    assert "magnetic_energy rises" in averages.verdict


def test_a_short_window_is_said_to_be_short(write):
    averages = open_run(write(TIMES, energy=noisy(1), dissipation=noisy(2)).path).average(100, 110)
    assert not averages.stationary
    assert "cannot be told: it needs 20 independent samples, and energy has " in averages.verdict
    few = {"energy": 4.2, "dissipation": 8.0, "dye_variance": math.nan}
    assert averages._too_few(few).startswith(
        "it needs 20 independent samples, and energy has 4, dissipation 8 and dye_variance too few"
    )
    assert "a window of length " in averages.verdict
    assert not averages["energy"].reliable
    (cells,) = (row for row in averages.cells() if row[0] == "energy")
    assert cells[1].endswith(" ?")
    assert cells[-1] == "unknown"
    assert any(
        "question mark rests on fewer than 20 independent samples" in one for one in averages.remarks()
    )


def test_nearly_enough_samples_are_not_told_as_enough(write):
    averages = open_run(write(TIMES, energy=noisy(1), dissipation=noisy(2)).path).average(100, 110)
    averages.means["energy"] = dataclasses.replace(averages["energy"], samples=19.9)
    assert "it needs 20 independent samples, and energy has 19 and " in averages.verdict
    (cells,) = (row for row in averages.cells() if row[0] == "energy")
    assert cells[3] == "19"


def test_the_window_is_stated_with_its_turnovers(write):
    run = write(TIMES, energy=noisy(1), dissipation=noisy(2), turnover_time=np.full(len(TIMES), 2.5))
    averages = open_run(run.path).average(100.1, 200)
    assert (averages.start, averages.end, averages.rows) == (100.25, 200, 400)
    assert averages.verdict.startswith("The window is t = 100.25 to 200: 400 rows, 39.9 turnovers. ")


def test_rows_on_the_ends_of_a_window_are_in_it(write):
    averages = open_run(write(TIMES).path).average(100 * (1 + 1e-12), 200 * (1 - 1e-12))
    assert (averages.start, averages.end) == (100, 200)


def test_by_default_the_window_begins_behind_the_transient(write):
    run = write(TIMES, energy=noisy(1) + 2 * np.exp(-TIMES / 10), dissipation=noisy(2))
    averages = open_run(run.path).average()
    assert 20 < averages.start < 100
    assert (
        "(from the end of the transient of energy and dissipation, by White's rule MSER)" in averages.verdict
    )
    assert averages.stationary
    assert open_run(run.path).average(end=150).end == 150


def test_a_transient_that_has_not_ended_leaves_the_second_half(write):
    run = write(TIMES, energy=noisy(1) + TIMES / 30, dissipation=noisy(2))
    averages = open_run(run.path).average()
    assert averages.start == 150
    assert "the second half, since no end of a transient of energy was found in the first" in averages.verdict
    assert not averages.stationary


def test_rows_without_a_number_are_left_out_and_told(write):
    broken = noisy(3)
    broken[::2] = math.nan
    endless = np.full(len(TIMES), math.inf)
    run = write(TIMES, energy=noisy(1), dissipation=noisy(2), helicity=broken, R_lambda=endless)
    averages = open_run(run.path).average(start=0)
    assert averages["dt"].rows == len(TIMES) - 1
    assert averages["helicity"].rows == len(TIMES) // 2
    assert (
        "1 of 1201 rows has no finite dt, courant, maximum_velocity; the means are those of the others."
        in (averages.notes)
    )
    assert any(note.startswith("601 of 1201 rows have no finite helicity;") for note in averages.notes)
    assert "R_lambda: fewer than two rows have a finite value, so there is no mean." in averages.notes
    assert "R_lambda" not in averages.means
    assert averages["helicity"].mean == pytest.approx(np.mean(broken[1::2]), rel=1e-3)


def test_lost_rows_are_told(write):
    gap = gap_of(7, 120, 600)
    run = write(TIMES, gaps=[gap], energy=noisy(1), dissipation=noisy(2))
    assert f"series.csv has a gap: {gap}; the means bridge it by straight lines." in (
        open_run(run.path).average(start=0).notes
    )
    told = [
        note for start, end in ((160, 300), (0, 100)) for note in open_run(run.path).average(start, end).notes
    ]
    assert not any("gap" in note for note in told)


def test_holes_between_rows_are_told(write):
    times = np.concatenate((TIMES[:400], TIMES[500:]))
    notes = open_run(write(times).path).average(start=0).notes
    assert any(
        "no row between t = 99.75 and t = 125, 101 times their usual spacing" in note for note in notes
    )


def test_printed_and_in_a_notebook(write):
    run = write(TIMES, energy=noisy(1), dissipation=noisy(2), helicity=np.full(len(TIMES), 0.25))
    averages = open_run(run.path).average()
    text, html = str(averages), averages._repr_html_()
    assert repr(averages) == text
    heading, *rows = text.splitlines()
    assert heading.split() == ["quantity", "mean", "±", "error", "unit", "independent", "samples", "trend"]
    (energy,) = (row for row in rows if row.startswith("energy"))
    assert energy.split()[1:5] == [
        *with_error(averages["energy"].mean, averages["energy"].error).split(),
        "length²/time²",
    ]
    (helicity,) = (row for row in rows if row.startswith("helicity"))
    assert helicity.split() == ["helicity", "0.25", "length/time²", "constant"]
    assert text.endswith(averages.verdict)
    assert html.count("<tr>") == 1 + len(averages.means)
    assert ">length²/time²</td>" in html
    assert "The flow is stationary" in html


def test_json_has_all_of_it(write):
    run = write(TIMES, energy=noisy(1), dissipation=noisy(2))
    add_states(run, np.linspace(0, 300, 100))
    told = json.loads(json.dumps(open_run(run.path).average(start=0).to_dict(), allow_nan=False))
    assert told["window"] | {"turnovers": 0} == {
        "start": 0,
        "end": 300,
        "rows": 1201,
        "rule": "",
        "turnovers": 0,
    }
    assert told["stationary"] is True
    energy = told["quantities"]["energy"]
    assert energy["mean"] == open_run(run.path).average(start=0)["energy"].mean
    assert (energy["unit"], energy["reliable"], energy["trend"], energy["rows"]) == (
        "length²/time²",
        True,
        "",
        1201,
    )
    assert [len(told["spectra"][name]) for name in ("k", "energy", "energy_error", "transfer_samples")] == [
        5
    ] * 4
    few = open_run(run.path).average(10, 10.5).to_dict()["quantities"]["energy"]
    assert (few["rows"], few["error"], few["samples"], few["reliable"]) == (3, None, None, False)


# Spectra


def add_states(run, times, seed=1):
    """Spectra that fluctuate about (0, 4, 2, 1, 0), and a transfer of the mean (0, −1, 0, 1, 0)."""
    spectra = Spectra(spectra_columns(run.read_case()), run.spectra)
    rng = np.random.default_rng(seed)
    states = []
    for step, time in enumerate(times):
        energy = np.array([0, 4, 2, 1, 0]) * (1 + 0.1 * rng.normal(size=5))
        transfer = np.array([0, -1, 0, 1, 0]) * (1 + 0.1 * rng.normal(size=5))
        shells = {"energy": energy, "helicity": 0 * energy, "transfer": transfer}
        shells["enstrophy_transfer"] = np.array([0, 3, 4, 10, 16]) * transfer
        spectra.append(time, step, np.arange(5.0), shells)
        states.append(shells | {"k": np.arange(5.0)})
    return states


def test_mean_spectra_and_what_follows_from_each_state(write):
    run = write(TIMES, energy=noisy(1), dissipation=noisy(2))
    states = add_states(run, TIMES[::4])
    averages = open_run(run.path).average(start=100)
    spectra = averages.spectra
    seen = [state for state, time in zip(states, TIMES[::4], strict=True) if time >= 100]
    np.testing.assert_allclose(spectra["energy"], np.mean([s["energy"] for s in seen], axis=0), rtol=0.01)
    expected = 0.1 * np.array([0, 4, 2, 1, 0]) / math.sqrt(len(seen))
    np.testing.assert_allclose(spectra["energy_error"], expected, rtol=0.3)
    assert float(spectra["energy_samples"][2]) == pytest.approx(len(seen), rel=0.3)
    assert spectra["energy"].attrs["units"] == "length²/time²"
    skewness = averages["derivative_skewness"]
    each = [derivative_skewness(ColumnState(state, {"enstrophy": 1.0})) for state in seen]
    assert skewness.mean == pytest.approx(np.mean(each), rel=0.01)
    assert skewness.error == pytest.approx(np.std(each) / math.sqrt(len(each)), rel=0.3)


def test_a_state_without_a_spectrum_is_left_out_of_its_mean(write):
    """As the first of a forced run, which has no power yet."""
    run = write(TIMES, energy=noisy(1), dissipation=noisy(2))
    spectra, rising = Spectra(spectra_columns(run.read_case()), run.spectra), np.array([0.0, 4, 2, 1, 0])
    for step, time in enumerate(TIMES[:40]):
        shells = {
            "energy": rising,
            "helicity": 0 * rising,
            "transfer": rising * (math.nan if step == 0 else 1),
            "enstrophy_transfer": rising,
        }
        spectra.append(time, step, np.arange(5.0), shells)
    averages = open_run(run.path).average()
    np.testing.assert_allclose(averages.spectra["transfer"], rising)
    assert "1 of 40 states of spectra.h5 has no finite transfer; the means are those of the others." in str(
        averages
    )
    np.testing.assert_allclose(averages.spectra["energy"], rising)


def test_a_spectrum_of_one_state_alone_has_no_mean_and_is_told(write):
    run = write(TIMES, energy=noisy(1), dissipation=noisy(2))
    spectra, shells = Spectra(spectra_columns(run.read_case()), run.spectra), np.arange(5.0)
    for step, time in enumerate(TIMES[:2]):
        transfer = shells * (math.nan if step == 0 else 1)
        others = dict.fromkeys(("energy", "helicity", "enstrophy_transfer"), shells)
        spectra.append(time, step, shells, others | {"transfer": transfer})
    averages = open_run(run.path).average()
    assert "transfer" not in averages.spectra
    assert "energy" in averages.spectra
    assert "transfer: fewer than two states of spectra.h5 have a finite value" in averages.notes[-1]


def test_a_plane_flow_has_no_skewness(write):
    run = write(TIMES, points=(8, 8, 1), energy=noisy(1), dissipation=noisy(2))
    add_states(run, TIMES[::4])
    averages = open_run(run.path).average()
    assert "derivative_skewness" not in averages.means
    assert "energy_error" in averages.spectra


@pytest.mark.parametrize(("count", "told"), [(0, "no state"), (1, "only one state")])
def test_a_window_without_spectra_says_so(write, count, told):
    run = write(TIMES, energy=noisy(1), dissipation=noisy(2))
    if count:
        add_states(run, TIMES[:count])
    averages = open_run(run.path).average(start=0)
    assert not averages.spectra.variables
    assert f"spectra.h5 has {told} in the window" in averages.notes[-1]


def test_skewness_takes_the_enstrophy_of_the_row():
    """Of the row at the time of the spectrum, or between those beside it."""
    spectra = {"k": [0, 1, 2], "transfer": [0, -1, 1], "enstrophy_transfer": [0, -2, 5]}
    by = math.sqrt(135 / 98)
    assert derivative_skewness(ColumnState(spectra, {"enstrophy": 4.0})) == pytest.approx(-by * 3 / 8)
    assert math.isnan(derivative_skewness(ColumnState(spectra, {"enstrophy": 0.0})))


def test_files_of_an_earlier_version_are_told_of(write):
    """Their L is by shells, and their spectra have no transfer of enstrophy."""
    run = write(TIMES, energy=noisy(1), dissipation=noisy(2))
    (scale,) = (one for one in series_columns(run.read_case()) if one.name == "integral_scale")
    assert "earlier version" not in str(open_run(run.path).average())
    text = run.series.read_text(encoding="utf-8").replace(scale.meaning, scale.before[0])
    run.series.write_text(text, encoding="utf-8")
    columns = [one for one in spectra_columns(run.read_case()) if one.name != "enstrophy_transfer"]
    spectra = Spectra(columns, run.spectra)
    for step, time in enumerate(TIMES[:4]):
        spectra.append(time, step, np.arange(5.0), {one.name: np.ones(5) for one in columns})
    averages = open_run(run.path).average()
    assert "integral_scale was written by an earlier version of whorl: L = π/(2u'²) Σ E(k)/k" in str(averages)
    assert "derivative_skewness" not in averages.means


def test_rows_between_spectra_are_interpolated(write):
    times = [0.0, 1.0, 3.0]
    run = write(times, enstrophy=[4.0, 4.0, 8.0])
    states = add_states(run, [0.0, 1.0, 2.0])
    each = [
        derivative_skewness(ColumnState(state, {"enstrophy": z}))
        for state, z in zip(states, (4.0, 4.0, 6.0), strict=True)
    ]
    mean = open_run(run.path).average(start=0)["derivative_skewness"].mean
    assert mean == pytest.approx((each[0] + 2 * each[1] + each[2]) / 4)


# What is refused


@pytest.mark.parametrize(
    ("start", "end", "words"),
    [
        (5, 3, ["from t = 5 to t = 3 ends before it begins", "earlier time first"]),
        (
            400,
            None,
            ["no row of series.csv", "window from t = 400,", "it has 1201 rows, from t = 0 to t = 300"],
        ),
        (None, -1, ["no row of series.csv lies in the window to t = -1,"]),
        (3.1, 3.2, ["no row of series.csv", "from t = 3.1 to t = 3.2"]),
        (3.2, 3.3, ["only one row of series.csv", "averages need two"]),
        (math.nan, None, ["nan is no time"]),
        (None, math.inf, ["inf is no time"]),
    ],
)
def test_windows_that_are_refused(write, start, end, words):
    run = open_run(write(TIMES).path)
    with pytest.raises(CaseError) as caught:
        run.average(start, end)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_a_run_without_rows_is_refused(write):
    with pytest.raises(CaseError, match=r"has no rows in series.csv yet; wait"):
        open_run(write([]).path).average()


def test_times_that_do_not_increase_are_refused(write):
    with pytest.raises(
        CaseError, match=r"series.csv is damaged: its row of t = 2 is followed by one of t = 2, and"
    ):
        open_run(write([0.0, 1.0, 2.0, 2.0, 3.0]).path).average()


# Text and picture


@pytest.mark.parametrize(
    ("mean", "error", "told"),
    [
        (0.42129, 0.00716, "0.4213 ± 0.0072"),
        (26.16, 0.2, "26.16 ± 0.20"),
        (1234.5, 67.0, "1234 ± 67"),
        (-0.0003, 0.02, "0.000 ± 0.020"),
        (1.2e-5, 3.1e-6, "(1.20 ± 0.31)·10⁻⁵"),
        (3.2e7, 1e6, "(3.20 ± 0.10)·10⁷"),
        (0.0098, 0.0996, "0.01 ± 0.10"),
        (2.5, 0.0, "2.5"),
        (2.51234, math.nan, "2.51 ± unknown"),
    ],
)
def test_a_number_is_told_with_two_digits_of_its_error(mean, error, told):
    assert with_error(mean, error) == told


@pytest.mark.long("averages of a run and their picture")
def test_the_picture_has_the_window_the_means_and_the_mean_spectrum(write, monkeypatch, tmp_path):
    run = write(TIMES, energy=noisy(1), dissipation=noisy(2))
    add_states(run, TIMES[::4])
    figures = []
    monkeypatch.setattr("whorl.pictures.style.save_picture", lambda figure, path: figures.append(figure))
    said = []
    plot(run.path, start=100, end=200, tell=said.append)
    averages = open_run(run.path).average(100, 200)
    assert said == [*averages.remarks(), NO_SLICE]
    axes = {
        ax.get_title(loc="left").partition("  ")[0]: ax
        for ax in figures[0].findobj(lambda a: hasattr(a, "get_title") and hasattr(a, "lines"))
    }
    energy = axes["Kinetic energy"]
    (mean,) = (c.get_segments()[0] for c in energy.collections if hasattr(c, "get_segments"))
    np.testing.assert_allclose(mean, [[100, averages["energy"].mean], [200, averages["energy"].mean]])
    assert any(
        text.get_text() == f"mean  {with_error(averages['energy'].mean, averages['energy'].error)}"
        for text in energy.texts
    )
    (spectrum, *_) = axes["Energy spectrum"].lines
    np.testing.assert_allclose(spectrum.get_ydata()[0], averages.spectra["energy"].values[1])
    assert spectrum.get_label() == "mean of t = 100 to 200"
    assert "Rλ = 1" in figures[0].get_suptitle()


def test_a_picture_of_a_run_with_little_in_it(tmp_path):
    run = make_run(tmp_path / "run")
    add_spectra(run, [[0.0, 1.0, 0.5]] * 4)
    assert plot(run.path, output=tmp_path / "a.png", end=0.35).is_file()
    run.spectra.unlink()
    assert plot(run.path, output=tmp_path / "b.png", start=0.0).is_file()


def test_turnovers_of_a_flow_from_rest_are_counted(write):
    """T = 1/t, of which the mean is that of the first rows: ∫ t dt."""
    since = TIMES - TIMES[0]
    speed = np.where(since > 0, since, np.nan)
    run = write(TIMES, energy=noisy(1, 0.5), dissipation=noisy(2, 3.0), turnover_time=1 / speed)
    averages = open_run(run.path).average(start=TIMES[0])
    assert averages.turnovers == pytest.approx(np.trapezoid(np.nan_to_num(speed), TIMES), rel=1e-6)
