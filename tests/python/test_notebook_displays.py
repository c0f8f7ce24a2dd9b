"""The display of cases, simulations and results in notebooks: short, and without colours of their own."""

import re
from html.parser import HTMLParser

import pytest
from mpi4py import MPI
from support.build import needs
from whorl import Case, Simulation, load_case, open_run
from whorl.base import html
from whorl.base.html import LEFT

CASE = Case(
    grid={"points": 8},
    flow={"viscosity": 0.1},
    time={"dt": 0.1, "steps": 4, "stop_when": "t > 100"},
    initial={"name": "abc"},
    output={"series_every": "2 steps"},
    run={"threads": 1},
    scalars=[{"name": "dye", "initial": {"name": "zero"}}],
    diagnostics=[{"kind": "profile", "of": "u.x", "name": "own", "every": "2 steps"}],
)


class Tables(HTMLParser):
    """The rows of tables as lists of texts, and the summaries of folded parts; all tags must be closed."""

    def __init__(self, text: str):
        super().__init__()
        self.rows: list[list[str]] = []
        self.summaries: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data
        if self.open[-1] == "summary":
            self.summaries.append(data)


def shown(thing) -> Tables:
    text = thing._repr_html_()
    assert not re.search(r'style="[^"]*(?:colou?r|background)|#[0-9a-f]{3}', text)
    return Tables(text)


def test_a_case_shows_the_options_that_are_not_usual_and_unfolds_all():
    found = shown(CASE)
    assert found.rows[:4] == [
        ["option", "value", "unit"],
        ["grid.points", "[8, 8, 8]", ""],
        ["flow.viscosity", "0.1", "length²/time"],
        ["time.dt", "0.1", "time"],
    ]
    first = [row[0] for row in found.rows[: found.rows.index(found.rows[0], 1)]]
    assert "output.series_every" in first
    assert "diagnostics[0].name" in first
    assert not {"grid.dealias", "grid.bases", "output.fields", "run.precision"} & {*first}
    assert ["time.stop_when", '"t > 100"', ""] in found.rows
    assert ["scalars[0].initial.name", '"zero"', ""] in found.rows
    assert ["run.precision", '"double"', ""] in found.rows
    assert ["diagnostics[0].name", '"own"', ""] in found.rows
    assert len(found.summaries) == 1


@pytest.mark.parametrize("name", ["taylor-green", "vortices-2d", "rayleigh-benard", "snake-instability"])
def test_choices_of_a_model_itself_are_usual(name):
    text = load_case(name)._repr_html_().partition("<details>")[0]
    for option in ("grid.bases", "grid.dealias", "output.fields"):
        assert f">{option}<" not in text


def test_another_choice_than_that_of_the_model_is_shown():
    text = load_case("rayleigh-benard", ["grid.bases=FFF"])._repr_html_().partition("<details>")[0]
    assert f">grid.bases</td><td{LEFT}>&quot;FFF&quot;<" in text


def test_a_simulation_shows_its_place_and_its_last_numbers():
    simulation = Simulation(CASE, comm=MPI.COMM_SELF)
    assert ["place", "step 0 of 4  t 0"] in shown(simulation).rows
    simulation.run(until=0.3, progress=False)
    rows = dict(shown(simulation).rows)
    assert rows["place"] == "step 3 of 4  t 0.3"
    assert rows["step"].startswith("dt 0.1, Courant number ")
    assert rows["numbers"].startswith("E 1.")
    assert rows["numbers"].endswith(" (at step 2)")
    assert "ended" not in rows
    simulation.run(progress=False)
    assert ["ended", "time.steps = 4"] in shown(simulation).rows


@needs("hdf5")
def test_a_run_shows_its_files_and_the_end_of_its_log(tmp_path):
    case = CASE.updated(output={"directory": str(tmp_path / "run"), "snapshot_every": "2 steps"})
    with Simulation(case, comm=MPI.COMM_SELF) as simulation:
        simulation.run(progress=False)
        assert ["directory", str(tmp_path / "run")] in shown(simulation).rows
    rows = dict(shown(open_run(tmp_path / "run")).rows)
    assert rows["log"].startswith("finished at t = 0.4, step 4 ")
    assert rows["series"] == "3 rows, t = 0 to 0.4"
    assert rows["snapshots"] == "3, at step 0, 2, 4"
    assert rows["checkpoints"] == "1, at step 4"
    assert rows["diagnostics"] == "own"
    assert "probes" not in rows
    (tmp_path / "run/log.txt").unlink()
    (tmp_path / "run/series.csv").unlink()
    assert not {"log", "series"} & {*dict(shown(open_run(tmp_path / "run")).rows)}


def test_long_tables_are_folded():
    rows = [(str(n), "&") for n in range(25)]
    found = Tables(html.table(rows, ("n", "sign"), most=20))
    assert found.rows == [["n", "sign"], *map(list, rows[:20]), ["n", "sign"], *map(list, rows[20:])]
    assert found.summaries == ["5 more"]
    assert Tables(html.table(rows, most=None)).summaries == []
