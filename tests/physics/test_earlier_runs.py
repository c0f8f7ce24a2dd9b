"""Runs that earlier versions have written stay readable, whatever their options are called today."""

import json
from types import SimpleNamespace

import pytest
from whorl.config.case import Case
from whorl.config.earlier import as_of_today
from whorl.output.growing_table import measures
from whorl.results.runs import open_run
from whorl.run.simulation import Simulation

SPECTRUM = {"kind": "spectrum", "of": "u", "correct_shells": True, "every": "2 steps"}


def test_a_run_with_an_option_of_before_is_read_and_goes_on(tmp_path):
    case = Case(
        grid={"points": 12},
        flow={"viscosity": 0.1},
        time={"dt": 0.01, "steps": 4},
        initial={"name": "taylor-green"},
        diagnostics=[SPECTRUM],
        output={"directory": str(tmp_path / "run")},
    )
    with Simulation(case) as simulation:
        simulation.run(progress=False)
    written = tmp_path / "run" / "case.toml"
    written.write_text(written.read_text().replace("correct_shells", "compensate"))
    assert open_run(tmp_path / "run").case.diagnostics[0].correct_shells
    with Simulation.restart(tmp_path / "run", settings=["time.steps=6"]) as again:
        again.run(progress=False)
    [found] = open_run(tmp_path / "run").diagnostics.values()
    assert found["step"].values.tolist() == [0, 2, 4, 6]


def test_what_is_no_such_option_stays(tmp_path):
    sections = {"grid": {"points": 8}, "diagnostics": [{"kind": "spectrum", "compensate": True}, "damaged"]}
    assert as_of_today(sections)["diagnostics"] == [{"kind": "spectrum", "correct_shells": True}, "damaged"]
    assert as_of_today({"diagnostics": 3}) == {"diagnostics": 3}


@pytest.mark.parametrize("section", ["diagnostics", "probes", "particles"])
def test_options_of_a_group_are_renamed_by_the_section_of_its_kind(monkeypatch, section):
    names = {"diagnostics": "spread", "probes": "distance", "particles": "mass"}
    renamed = {one: {"width": name} for one, name in names.items()}
    monkeypatch.setattr("whorl.config.earlier.RENAMED", renamed)
    block = SimpleNamespace(section=section, free=("name", "every"))
    written = {"options": json.dumps({"width": 2.0, "name": "E", "every": 3})}
    assert measures(written, block) == {names[section]: 2.0}
