"""series.csv and spectra.h5: what is written is read, cut where asked, and survives a torn end."""

import math

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.config.measures import series_columns, spectra_columns
from whorl.output.series import Series, read_series, read_table
from whorl.output.spectra import Spectra, read_spectra

CASE = Case(grid={"points": 8}, flow={"viscosity": 0.1}, time={"until": 1}, initial={"name": "abc"})
COLUMNS = series_columns(CASE)


def read_rows(path):
    return read_table(path)[1]


def row(step, **values):
    return (
        dict.fromkeys((c.name for c in COLUMNS), math.pi / (1 + step))
        | {"step": step, "time": 0.1 * step}
        | values
    )


@pytest.fixture
def series(tmp_path):
    table = Series(COLUMNS, tmp_path / "series.csv")
    table.resume([])
    for step in range(0, 50, 10):
        table.append(row(step))
    return table


def test_rows_come_back_to_the_bit(series):
    assert read_rows(series.path) == series.rows


@given(st.floats(allow_nan=False))
def test_any_number_comes_back(tmp_path_factory, value):
    table = Series(COLUMNS, tmp_path_factory.mktemp("series") / "series.csv")
    table.resume([])
    table.append(row(3, energy=value, helicity=np.float64(value)))
    (back,) = read_rows(table.path)
    assert (back["energy"], back["helicity"]) == (value, value)


def test_a_file_cut_anywhere_keeps_its_whole_rows(series):
    text = series.path.read_bytes()
    head = text.index(b"\n0,0.0,") + 1
    for end in range(head, len(text)):
        series.path.write_bytes(text[:end])
        whole = text[head:end].count(b"\n")
        assert read_rows(series.path) == series.rows[:whole]


def test_a_torn_series_goes_on_cleanly(series):
    series.path.write_bytes(series.path.read_bytes()[:-7])
    resumed = Series(COLUMNS, series.path)
    resumed.resume([r for r in read_rows(series.path) if r["step"] <= 20])
    resumed.append(row(30))
    assert [r["step"] for r in read_rows(series.path)] == [0, 10, 20, 30]


def test_foreign_and_damaged_series_are_named(series):
    text = series.path.read_text()
    series.path.write_text(text.replace("energy,dissipation", "dissipation,energy"))
    with pytest.raises(CaseError, match=r"series\.csv.*columns"):
        read_rows(series.path)
    series.path.write_text(text.replace("\n10,", "\nten,"))
    with pytest.raises(CaseError, match=r"series\.csv is damaged.*ten"):
        read_rows(series.path)


def test_a_number_of_an_earlier_definition_is_not_gone_on_with(series):
    """Rows of both would be in one column."""
    (scale,) = (column for column in COLUMNS if column.name == "integral_scale")
    assert scale.before == ("L = π/(2u'²) Σ E(k)/k",)
    assert series.kept(20).states == 3
    text = series.path.read_text(encoding="utf-8")
    series.path.write_text(text.replace(scale.meaning, scale.before[0]), encoding="utf-8")
    words = r"has another integral_scale, L = π.*E\(k\)/k; move it away, and the restart begins a new one"
    with pytest.raises(CaseError, match=words):
        series.kept(20)


def test_the_dataset_carries_units(series):
    data = read_series(series.path)
    assert data["energy"].attrs["units"] == "length²/time²"
    assert data["step"].dtype.kind == "i"
    np.testing.assert_array_equal(data["time"], [0.1 * step for step in range(0, 50, 10)])
    xr.testing.assert_identical(data, series.dataset())


def test_an_empty_series_is_a_dataset_too(tmp_path):
    assert Series(COLUMNS).dataset().sizes["time"] == 0


K = np.arange(4.0)  # as many shells as times, so that no dimension can be told by its size


def shells(step):
    return dict.fromkeys((c.name for c in spectra_columns(CASE)), (step + 1) * K)


@pytest.fixture
def spectra(tmp_path):
    table = Spectra(spectra_columns(CASE), tmp_path / "spectra.h5")
    for step in range(4):
        table.append(0.5 * step, step, K, shells(step))
    return table


def test_spectra_come_back(spectra):
    data = read_spectra(spectra.path)
    xr.testing.assert_identical(data, spectra.dataset())
    assert data["transfer"].dims == ("time", "k")
    np.testing.assert_array_equal(data["energy"].sel(time=1.0), 3 * K)


def test_spectra_are_cut_and_go_on(spectra):
    data = read_spectra(spectra.path)
    resumed = Spectra(spectra_columns(CASE), spectra.path)
    resumed.resume(resumed.kept(1).data)
    assert read_spectra(spectra.path).sizes["time"] == 2
    resumed.append(1.0, 2, K, shells(2))
    xr.testing.assert_identical(read_spectra(spectra.path), data.isel(time=slice(3)))


def test_spectra_open_in_xarray_alone(spectra):
    with xr.open_dataset(spectra.path, engine="h5netcdf") as data:
        assert data["energy"].dims == ("time", "k")
        np.testing.assert_array_equal(data["k"], K)


def test_an_addition_that_fails_leaves_the_file_as_it_was(spectra, monkeypatch):
    before = spectra.path.read_bytes()
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("no space left")))
    with pytest.raises(OSError, match="no space"):
        spectra.append(9.0, 9, K, shells(9))
    assert spectra.path.read_bytes() == before
    assert [path.name for path in spectra.path.parent.iterdir()] == ["spectra.h5"]
