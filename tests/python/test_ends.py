"""The end of a run as an option: a time, turnovers, steps, or errors of means."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import refusal, sections_of
from whorl.config.case import Case

TURNOVERS = st.floats(1e-12, 1e12).map(lambda n: f"{n} turnovers")


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("time.until=2 tunrovers", ['time.until = "2 tunrovers"', "(time)", '"N turnovers".']),
        ("time.until=20 steps", ['time.until = "20 steps"', '"N turnovers".']),
        ("time.until='10'", ['time.until = "10"', "a positive number (time)"]),
        ("time.until=0", ["time.until = 0", "a positive number (time)"]),
        ("time.until=1e-31", ["time.until = ", "1e-30 to 1e+30 in size"]),
        ("time.until=1e31", ["time.until = ", "1e-30 to 1e+30 in size"]),
        (
            "time.until_error={disipation=0.1}",
            ["time.until_error", '"disipation"', "did you mean dissipation"],
        ),
        ("time.until_error={time=0.1}", ['"time"', "not a column of series.csv with a mean"]),
        ("time.until_error={}", ["time.until_error = {}", "{dissipation = 0.02}"]),
        ("time.until_error={energy=2}", ["time.until_error.energy = 2", "less than 1"]),
        ("time.until_error={energy='low'}", ["time.until_error.energy", "must be"]),
        ("time.until_error=0.1", ["time.until_error = 0.1", "a table of numbers by name"]),
        ("time.average_from=2", ["time.average_from = 2", "goes with time.until_error"]),
    ],
)
def test_refusals_name_key_value_and_remedy(setting, words):
    message = refusal(setting)
    for word in words:
        assert word in message


def test_an_end_by_errors_needs_rows():
    error = {"until_error": {"energy": 0.1}}
    message = refusal(time=error, output={"series_every": "never"})
    assert 'output.series_every = "never"' in message
    wrong = refusal(time=error | {"average_from": -1})
    assert "time.average_from = -1" in wrong
    assert 'a number, not below zero (time) or "N turnovers"' in wrong


shares = st.dictionaries(
    st.sampled_from(["energy", "dissipation", "R_lambda", "integral_scale"]),
    st.floats(1e-9, 0.99),
    min_size=1,
)


@given(shares, st.one_of(st.none(), st.just(0), st.floats(1e-12, 1e12), TURNOVERS))
def test_an_end_by_errors_is_shown_and_kept(wanted, beginning):
    case = Case(**sections_of(time={"until_error": wanted, "average_from": beginning}))
    assert case.time.until_error == wanted
    assert Case(**tomllib.loads(case.to_toml())) == case
    assert "until_error = {" in repr(case)
    changed = case.updated(["time.until_error.helicity=0.5"])
    assert changed.time.until_error == wanted | {"helicity": 0.5}


@given(st.floats(1e-12, 1e12))
def test_an_end_in_turnovers_is_shown_and_kept(amount):
    case = Case(**sections_of(time={"until": f"{amount} turnovers"}))
    assert case.time.end.turnovers == amount
    assert repr(case).endswith(f"until = {amount} turnovers>")
    assert case.updated(["time.until=2 turnovers"]).time.end.turnovers == 2
    assert case.updated(["time.until=2"]).time.end.time == 2
