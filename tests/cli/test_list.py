"""`whorl list`: the runs below a folder, as they stand."""

import json
import os
from contextlib import suppress

import pytest
from whorl.base.errors import BlowUp
from whorl.config.case import Case
from whorl.output.lock import Lock
from whorl.report.listing import last_row, runs_below
from whorl.run.simulation import Simulation


def run(directory, **time):
    flat = "plane" in str(directory)
    case = Case(
        grid={"points": [8, 8, 1 if flat else 8]},
        flow={"model": "navier-stokes-2d" if flat else "navier-stokes", "viscosity": 1e-4},
        time={"dt": 0.02, "steps": 4} | time,
        initial={"name": "random", "k0": 2.0},
        output={"directory": str(directory), "series_every": "2 steps"},
    )
    with suppress(BlowUp), Simulation(case) as simulation:
        simulation.run(progress=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A finished run, one of another model in a folder of its own, one that blew up, and no run."""
    place = tmp_path_factory.mktemp("runs")
    run(place / "finished")
    run(place / "others" / "plane")
    run(place / "lost", dt=3.0, steps=400, scheme="rk2")
    (place / "notes").mkdir()
    return place


def test_how_runs_stand(folder):
    found = {one.directory: one for one in runs_below(folder)}
    assert {name: one.standing for name, one in found.items()} == {
        "finished": "Finished",
        "others/plane": "Finished",
        "lost": "Blown up",
    }
    one = found["finished"]
    assert (one.step, one.steps, one.points, one.until) == (4, 4, (8, 8, 8), None)
    assert one.time == pytest.approx(0.08)
    assert one.R_lambda == last_row(folder / "finished" / "series.csv")["R_lambda"] > 0
    files = [path for path in (folder / "finished").rglob("*") if path.is_file()]
    assert one.bytes == sum(path.stat().st_size for path in files)
    assert one.changed == max(path.stat().st_mtime for path in files)


def test_a_run_in_progress_is_told_by_its_lock(folder):
    lock = Lock(folder / "finished")
    standing = {one.directory: one.standing for one in runs_below(folder)}
    lock.release()
    assert standing["finished"] == "In progress"


def test_the_last_row_is_whole(folder, tmp_path):
    path = tmp_path / "series.csv"
    text = (folder / "finished" / "series.csv").read_text()
    expected = last_row(folder / "finished" / "series.csv")
    assert expected["step"] == 4
    path.write_text(text + "6,0.12,")
    assert last_row(path) == expected
    path.write_text(text.splitlines()[0])
    assert last_row(path) == {}
    assert last_row(tmp_path / "nothing.csv") == {}


def test_the_last_changed_is_the_first_in_the_table(whorl, folder):
    os.utime(folder / "others" / "plane" / "log.txt", (2**31, 2**31))
    shown = whorl("list", str(folder))
    assert shown.code == 0
    names = [line.split()[0] for line in shown.out.splitlines() if line and not line.startswith(" ")]
    assert names[:2] == ["run", "others/plane"]
    assert set(names[2:]) == {"finished", "lost"}
    facts = json.loads(whorl("list", str(folder), "--json").out)
    assert facts[0]["directory"] == "others/plane"
    assert {one["model"] for one in facts} == {"navier-stokes", "navier-stokes-2d"}


def test_a_folder_without_runs_and_one_that_is_none(whorl, folder):
    assert whorl("list", str(folder / "notes")).out == f"no run below {folder / 'notes'}\n"
    result = whorl("list", str(folder / "nowhere"))
    assert result.code == 2
    assert "is no folder: name one that holds runs" in result.err
