"""`whorl average`, and the averages that `whorl plot` draws."""

import json
import re

import numpy as np
import pytest
from cli.commands import CASE
from matplotlib.image import imread
from whorl.config.measures import series_columns
from whorl.results.runs import open_run


@pytest.fixture
def run(whorl, tmp_path):
    (tmp_path / "box.toml").write_text(CASE)
    assert (
        whorl(
            "run", "box.toml", "--set", "output.series_every=1 steps", "-s", "output.spectra_every=1 steps"
        ).code
        == 0
    )
    return tmp_path / "box"


def test_average(whorl, run):
    """A row for each quantity, then what is doubtful and what the window is; the flow decays."""
    result = whorl("average", "box", "--from", "0.05")
    assert (result.code, result.err) == (0, "")
    columns = [column.name for column in series_columns(open_run("box").case)]
    names = [line.split()[0] for line in result.out.splitlines() if line.strip()]
    first = names.index("dt")
    assert names[first : first + len(columns) - 1] == [*columns[2:], "derivative_skewness"]
    assert re.search(r"^energy +\d\.\d+ ± \S+ \? +length²/time² +\d+  falls", result.out, re.MULTILINE)
    assert "The window is t = 0.06 to 0.2: 8 rows, " in result.out
    assert "turnovers. The flow is not stationary in it: energy falls (p = " in result.out
    assert "An error with a question mark rests on fewer than 20 independent samples" in result.out


def test_average_as_csv(whorl, run, tmp_path):
    """Printed, or in a file before or after the run, with what is doubtful on the screen."""
    averages = open_run("box").average(start=0.05)
    assert whorl("average", "box", "--from", "0.05", "--csv").out == averages.to_csv()
    for words in (("box", "--csv", "means.csv"), ("--csv", "means.csv", "box")):
        result = whorl("average", *words, "--from", "0.05")
        assert result.code == 0
        assert f"means.csv: {len(averages)} rows" in result.out
        assert "The window is t = 0.06 to 0.2: 8 rows" in result.out
        assert (tmp_path / "means.csv").read_text(encoding="utf-8") == averages.to_csv()
        (tmp_path / "means.csv").unlink()
    assert "give one of them" in whorl("average", "box", "--csv", "--json").err
    assert "is no earlier table" in whorl("average", "box", "--csv", "box/series.csv").err


def test_compensated_averages_and_their_picture(whorl, run, tmp_path):
    result = whorl("average", "box", "--from", "0.05", "--compensated")
    assert result.code == 0
    assert re.search(r"^ *energy k_eta = 0\.\d+ +\d", result.out, re.MULTILINE)
    assert "spectrum: energy is k^{5/3} ε^{−2/3} E(k)." in result.out
    assert "the mean 2νZ at the times of its states, ν = " in result.out
    table = whorl("average", "box", "--from", "0.05", "--compensated", "-d", "spectrum", "--csv").out
    assert table.startswith("of,number,k_eta,k,over_time,mean,error,samples,unit\nspectrum,energy,")
    assert whorl("plot", "box", "--from", "0.05", "--compensated").out.endswith("compensated.png\n")
    assert imread("box/compensated.png").shape[0] > 100
    assert "do not take this" in whorl("average", "box", "--compensated", "--resample").err
    assert "does not take this" in whorl("plot", "box", "--compensated", "--field", "velocity").err


def test_the_default_window_is_stated(whorl, run):
    out = whorl("average", "box").out
    assert re.search(r"The window is t = \S+ to 0\.2 \(.*(MSER|the second half).*\): \d+ rows", out)


def test_average_as_json(whorl, run):
    told = json.loads(whorl("average", "box", "--to", "0.1", "--json").out)
    assert told["window"]["end"] == 0.1
    assert told["stationary"] is False
    assert told["quantities"]["energy"]["mean"] == open_run("box").average(end=0.1)["energy"].mean
    assert len(told["spectra"]["energy"]) == len(told["spectra"]["k"])


@pytest.mark.parametrize(
    ("window", "words"),
    [
        (["--from", "0.2", "--to", "0.1"], "from t = 0.2 to t = 0.1 ends before it begins"),
        (["--from", "5"], "it has 11 rows, from t = 0 to t = 0.2"),
        (["--from", "nan"], "nan is no time"),
        (["--to", "soon"], "--to = soon: it must be a number"),
    ],
)
@pytest.mark.parametrize("command", ["average", "plot"])
def test_windows_that_are_refused(whorl, run, command, window, words):
    """In one paragraph; no picture is made."""
    result = whorl(command, "box", *window)
    assert (result.code, result.out) == (2, "")
    assert words in result.err
    assert len(result.err.splitlines()) == 1
    assert not (run / "plot.png").exists()


def test_a_run_without_rows(whorl, run):
    (run / "series.csv").unlink()
    result = whorl("average", "box")
    assert result.code == 2
    assert "box has no rows in series.csv yet" in result.err


def test_plot_with_averages(whorl, run):
    """It says of the window what whorl average says, and the picture differs."""
    assert whorl("plot", "box", "-o", "plain.png").code == 0
    result = whorl("plot", "box", "--from", "0.05", "-o", "averaged.png")
    assert result.code == 0
    assert "The window is t = 0.06 to 0.2: 8 rows" in result.out
    assert not np.array_equal(imread("plain.png"), imread("averaged.png"))
