"""The balances and the checks of resolution and steps in a report, against numbers worked out by hand."""

import numpy as np
import pytest
import xarray as xr
from support.run_files import make_run
from whorl.cli.templates import example_case
from whorl.config.case import Case
from whorl.models import MODELS
from whorl.report.checks import balances, checks
from whorl.results.runs import open_run


@pytest.fixture
def run(tmp_path):
    return make_run(tmp_path / "run")


def series_of(columns):
    time = np.linspace(0.0, 2.0, 201)
    data = {name: ("time", np.array(np.broadcast_to(of(time), time.shape))) for name, of in columns.items()}
    return xr.Dataset(data, {"time": time})


def forced_case(**changes):
    force = {"kind": "steady", "shape": {"name": "abc"}, "amplitude": 1.0}
    base = {
        "grid": {"points": 8},
        "flow": {"viscosity": 0.1},
        "time": {"until": 2},
        "initial": {"name": "abc"},
    }
    return Case(**base | {"forcing": [force]} | changes)


def test_a_balance_of_decay_and_work():
    """E = exp(−t) + w with ε = exp(−t) and work w: exact but for the trapezoids, dt²/12 of ε."""
    work = lambda t: 5 + 0.25 * t**3  # noqa: E731
    series = series_of(
        {
            "energy": lambda t: np.exp(-t) + work(t),
            "dissipation": lambda t: np.exp(-t),
            "steady_work": work,
        }
    )
    (one,) = balances(forced_case(), series)
    assert dict(one.terms) == pytest.approx({"−dissipation": np.exp(-2) - 1, "steady_work": 2.0}, rel=1e-4)
    assert one.change == pytest.approx(np.exp(-2) - 1 + 2)
    assert one.residual == pytest.approx(0.01**2 / 12 * (1 - np.exp(-2)), rel=1e-3)
    assert one.relative == pytest.approx(one.residual / (1 - np.exp(-2) + 2), rel=1e-3)


def test_a_balance_that_is_wrong_by_a_known_part():
    series = series_of(
        {"energy": lambda t: 1 - t / 4, "dissipation": lambda t: 0.2 + 0 * t, "steady_work": lambda t: 0 * t}
    )
    (one,) = balances(forced_case(), series)
    assert one.residual == pytest.approx(-0.1)
    assert one.relative == pytest.approx(0.25)


def test_rows_that_are_not_finite_are_left_out_of_a_balance():
    series = series_of(
        {"energy": lambda t: 1 - t / 4, "dissipation": lambda t: 0.25 + 0 * t, "steady_work": lambda t: 0 * t}
    )
    series["energy"].values[-1] = np.inf
    (one,) = balances(forced_case(), series)
    assert one.end == pytest.approx(1.99)
    assert one.relative == pytest.approx(0, abs=1e-12)


def test_a_force_on_the_vorticity_has_no_power_for_the_energy():
    """series.csv has its power on ½ω² alone, so the balance of the energy is not there."""
    force = {"kind": "stochastic", "field": "vorticity", "power": 1.0, "correlation_time": 0.1, "k_max": 2.0}
    case = forced_case(
        grid={"points": [8, 8, 1]},
        flow={"model": "navier-stokes-2d", "viscosity": 0.1},
        initial={"name": "zero"},
        forcing=[force],
    )
    names = ("energy", "dissipation", "enstrophy", "enstrophy_dissipation", "stochastic_work")
    series = series_of(dict.fromkeys(names, lambda t: t))
    assert [one.column for one in balances(case, series)] == ["enstrophy"]


def test_what_a_superfluid_conserves():
    series = series_of({"mass": lambda t: 1 + 1e-6 * t, "energy": lambda t: 2 - t})
    found = {one.column: one for one in balances(example_case(MODELS["gross-pitaevskii"]), series)}
    assert found["mass"].terms == ()
    assert found["mass"].of_largest == pytest.approx(2e-6, rel=1e-4)
    assert found["energy"].of_largest == pytest.approx(1.0)
    assert np.isnan(found["energy"].relative)


@pytest.mark.parametrize("model", MODELS)
def test_every_term_of_a_budget_is_a_column_or_a_force(model):
    """Of each model without forces, every balance that it has."""
    case = example_case(MODELS[model])
    if case.forcing:
        case = case.updated(forcing=[])
    names = [column.name for column in case.flow.columns]
    found = [one.column for one in balances(case, series_of(dict.fromkeys(names, lambda t: t)))]
    assert found == list(case.flow.budget())


def test_checks_of_resolution_and_steps(run):
    """The smallest k_max η of the series, and its last; steps without that of the first row."""
    results = open_run(run.path)
    series = results.rows()
    series["kmax_eta"].values[:] = [0.0, 2.0, 1.25, 1.75, 3.0]
    series["dt"].values[:] = [9.0, 0.1, 0.2, 0.3, 0.4]
    found = {one.name: one for one in checks(results.case, series, None)}
    assert found["kmax_eta"].value == "1.25 at t = 0.2, the smallest; 3 at the end"
    assert found["time step"].value == "0.1 to 0.4, median 0.25"
    assert "1 is usual" in found["kmax_eta"].meaning


def test_the_end_of_a_spectrum(run):
    """Of the last state, up to the last shell that is kept in every direction: k < 8/3 on 8 points."""
    values = [[0.0, 1.0, 0.9, 0.9, 0.9], [9.0, 2.0, 0.5, 0.001, 0.001]]
    spectra = xr.Dataset({"energy": (("time", "k"), values)}, {"time": [0.0, 1.0], "k": np.arange(5.0)})
    found = checks(forced_case(), open_run(run.path).rows(), spectra)
    (one,) = (one for one in found if "spectrum" in one.name)
    assert one.value == "0.25 of the largest shell's"
    assert "the shell k = 2, the last kept in every direction, at t = 1;" in one.meaning
