"""`whorl report` of runs of all sorts, and whether what it says of them is true."""

import re
import subprocess
import sys

import numpy as np
import pytest
from cli.commands import CASE, SCRIPT, settings
from support.report_pages import Page
from whorl.output.lock import Lock
from whorl.results.runs import open_run

MEASURED = """
[[diagnostics]]
kind = "pdf"
of = ["u.x"]
every = "2 steps"
[[probes]]
kind = "points"
of = ["u.x"]
positions = [[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]]
"""
EVERY = settings("output.series_every='1 steps'", "output.spectra_every='2 steps'")
BOX = {
    "plane": ("vortices-2d", "grid.points=[16, 16, 1]", "initial.k0=3", "time.until=0.2"),
    "walls": (
        "rayleigh-benard",
        "grid.points=[16, 1, 8]",
        "initial.temperature.k0=3",
        "time.until=0.2",
        "output.snapshot_every=0.2",
    ),
    "superfluid": ("snake-instability", "grid.points=16", "time.until=0.02", "output.snapshot_every=0.02"),
    "magnetic": ("orszag-tang", "grid.points=[16, 16, 1]", "time.until=0.2"),
}


def box(tmp_path, text=CASE):
    (tmp_path / "box.toml").write_text(text)
    return "box.toml"


def test_a_run_with_all(whorl, tmp_path, monkeypatch, undrawn):
    """Its averages are those that whorl average prints, number by number; each part has its pictures."""
    monkeypatch.setenv("COLUMNS", "200")  # whorl average then shortens nothing
    case = box(tmp_path, CASE + MEASURED)
    assert whorl("run", case, *EVERY, *settings("output.snapshot_every=0.1", "time.until=0.8")).code == 0
    done = whorl("report", "box", "--from", "0.05", "--to", "0.55")
    assert (done.code, done.err) == (0, "")
    assert done.out == "output   box\nreport   box/report.html\n"
    made = Page(tmp_path / "box" / "report.html")
    printed = [
        re.split(r"  +", line.strip())
        for line in whorl("average", "box", "--from", "0.05", "--to", "0.55").out.splitlines()
    ]
    (table,) = made.tables("averages")
    assert len(table) == 20
    for row in table[1:]:
        assert [cell for cell in row[:-1] if cell] in printed
    assert {"slices", "curves", "spectra", "diagnostics", "probes", "checks"} <= set(made.sections)
    for part in ("slices", "curves", "spectra", "diagnostics", "probes"):
        assert list(made[part].iter("img"))
    assert made.standing()[0] == "Finished."
    assert "This report does not show" not in made.told()
    assert "points, correlation in time" in made.told("probes")
    assert "Over t = 0.06 to 0.54; bands are standard errors." in made.told("probes")
    machine = dict(made.tables("provenance")[0])
    assert {"host", "processor", "hardware threads"} <= set(machine)
    parts = {row[0]: row[1:] for row in made.tables("timing")[1]}
    assert parts["state"][0] == parts["state"][1]
    assert parts["in all"][0].endswith("GiB")


def test_a_correlation_of_too_few_rows_is_told(whorl, tmp_path, undrawn):
    """Its spectra, of all rows, are there."""
    assert whorl("run", box(tmp_path, CASE + MEASURED), *EVERY, *settings("time.until=0.8")).code == 0
    assert whorl("report", "box", "--from", "0.05", "--to", "0.15").code == 0
    made = Page(tmp_path / "box" / "report.html")
    assert "correlation in time of probe points: a series of 5 times is too short" in made.told()
    assert len(list(made["probes"].iter("img"))) == 1


def test_the_commands_of_a_report_repeat_the_run(whorl, tmp_path, undrawn):
    assert whorl("run", box(tmp_path), *EVERY, "-o", "first run").code == 0
    assert whorl("report", "first run").code == 0
    made = Page(tmp_path / "first run" / "report.html")
    again = tmp_path / "again"
    again.mkdir()
    (again / "case.toml").write_text(made["case-text"].text)
    command = made["commands"].text.splitlines()[0]
    assert command == "whorl run case.toml -o 'first run'"
    subprocess.run(command.replace("whorl", str(SCRIPT), 1), cwd=again, check=True, shell=True)
    first, second = (open_run(path / "first run").series for path in (tmp_path, again))
    assert first.equals(second)


def test_energy_is_balanced(whorl, tmp_path, undrawn):
    """An ABC flow is a solution that decays by exp(−2νt); rows at every step leave the trapezoids' error."""
    assert whorl("run", box(tmp_path), *EVERY).code == 0
    assert whorl("report", "box").code == 0
    (row,) = Page(tmp_path / "box" / "report.html").tables("checks")[1][1:]
    series = open_run(tmp_path / "box").series
    change = float(series["energy"][-1] - series["energy"][0])
    assert float(row[1]) == pytest.approx(1.5 * (np.exp(-0.04) - 1), rel=1e-3)
    assert float(row[1]) == pytest.approx(change, rel=1e-3)
    assert float(row[4]) == pytest.approx((2 * 0.1 * 0.02) ** 2 / 12, rel=0.05)
    assert float(row[5]) == pytest.approx(abs(float(row[3])) / 1.5, rel=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("kind", BOX)
def test_flows_of_all_sorts(whorl, tmp_path, kind):
    """A plane, walls, a superfluid without viscous scales, a magnetic field: each has its pictures."""
    check_report(whorl, tmp_path, kind)


@pytest.mark.parametrize("kind", BOX)
def test_flows_of_all_sorts_undrawn(whorl, tmp_path, kind, undrawn):
    check_report(whorl, tmp_path, kind)


def check_report(whorl, tmp_path, kind):
    case, *changes = BOX[kind]
    done = whorl("run", case, *settings(*changes), *EVERY, "-o", "run")
    assert done.code == 0, done.err
    done = whorl("report", "run")
    assert (done.code, done.err) == (0, "")
    made = Page(tmp_path / "run" / "report.html")
    assert made.unbalanced() == []
    assert {"averages", "slices", "curves", "spectra", "checks"} <= set(made.sections)
    assert open_run(tmp_path / "run").case.flow.formulas.split("\n")[0] in made["case"].find("pre/code").text
    assert ("free-slip walls in z" in made.told("case")) == (kind == "walls")
    assert ("kmax_eta" in made.told("checks")) == (kind in ("walls", "magnetic"))
    _, (_, *balances) = made.tables("checks")  # the balances of each of these are known
    terms = {row[0]: row[2] for row in balances}
    assert (terms.get("mass") == "none: it is conserved") == (kind == "superfluid")
    assert ("−dissipation: " in terms["energy"]) == (kind != "superfluid")
    assert "This report does not show" not in made.told()


def test_what_whorl_analyse_measured_is_told_apart(whorl, tmp_path, undrawn):
    assert whorl("run", box(tmp_path, CASE + MEASURED), *settings("time.until=0.8")).code == 0
    done = whorl("analyse", "box", "--pdf", "u.y")
    assert done.code == 0, done.err
    assert whorl("report", "box").code == 0
    made = Page(tmp_path / "box" / "report.html")
    assert [one.text for one in made["diagnostics"].iter("h3")] == ["pdf", "pdf, by whorl analyse"]
    assert [one.attrib["alt"].split(":")[0] for one in made["diagnostics"].iter("img")] == [
        "Graphs of the diagnostic pdf (pdf) of u.x",
        "Graphs of the diagnostic pdf (pdf) of u.y",
    ]
    assert [one.text for one in made["probes"].iter("h3")] == ["points", "points, correlation in time"]


def test_a_run_without_snapshots_and_spectra(whorl, tmp_path, undrawn):
    never = settings(
        "output.snapshot_every=never", "output.spectra_every=never", "output.checkpoint_every=never"
    )
    assert whorl("run", box(tmp_path), *never).code == 0
    assert whorl("report", "box").code == 0
    made = Page(tmp_path / "box" / "report.html")
    assert not {"slices", "spectra", "diagnostics", "probes"} & set(made.sections)
    assert "checkpoints/" not in made.told("provenance")


def test_a_run_that_blew_up(whorl, tmp_path, undrawn):
    """It says so at its top, and the rest is there."""
    explosive = settings("grid.points=16", "time.dt=1.5", "time.scheme=rk2", "time.until=1000")
    assert whorl("run", "taylor-green", "-o", "box", *explosive, *EVERY).code == 3
    done = whorl("report", "box")
    assert (done.code, done.err) == (0, "")
    made = Page(tmp_path / "box" / "report.html")
    word, told = made.standing()
    assert word == "Blown up."
    assert "The flow blew up at t = " in told
    assert "is not to be used" in told
    assert "curves" in made.sections


def test_a_run_in_progress(whorl, tmp_path, undrawn):
    assert whorl("run", box(tmp_path)).code == 0
    lock = Lock(tmp_path / "box")
    try:
        done = whorl("report", "box")
    finally:
        lock.release()
    assert done.code == 0
    assert Page(tmp_path / "box" / "report.html").standing()[0] == "In progress."


def test_a_process_that_is_killed_as_it_runs(whorl, start, tmp_path, undrawn):
    """In progress while it is there, killed when it is not."""
    case = box(tmp_path)
    process = start("run", case, *settings("time.until=1e6", "output.series_every='1 steps'"))
    while process.poll() is None and b"\n0," not in _bytes(tmp_path / "box" / "series.csv"):
        pass
    assert whorl("report", "box", "-o", "during.html").code == 0
    assert Page(tmp_path / "during.html").standing()[0] == "In progress."
    process.kill()
    process.wait()
    assert whorl("report", "box", "-o", "after.html").code == 0
    assert Page(tmp_path / "after.html").standing()[0] == "Killed."


def _bytes(path):
    return path.read_bytes() if path.is_file() else b""


def test_a_run_that_goes_on(whorl, tmp_path, undrawn):
    """Both sessions are told, with what was changed between them."""
    assert whorl("run", box(tmp_path)).code == 0
    done = whorl("restart", "box", "--until", "0.4", *settings("time.dt=0.01"))
    assert done.code == 0, done.err
    assert whorl("report", "box").code == 0
    made = Page(tmp_path / "box" / "report.html")
    _, first, second = made.tables("timing")[0]
    assert (first[2], first[5], first[6]) == ("run", "finished, t = 0.2", "10")
    assert second[2].startswith("restart from box/checkpoints/00000010.h5 with time.dt=0.01")
    assert second[6] == "20"
    assert "it was continued from box/checkpoints/00000010.h5 with time.dt=0.01" in made.told("cite")


@pytest.mark.mpi
def test_a_run_on_ranks(whorl, tmp_path, undrawn):
    done = whorl("run", box(tmp_path), *EVERY, ranks=2)
    assert done.code == 0, done.err
    assert whorl("report", "box").code == 0
    made = Page(tmp_path / "box" / "report.html")
    assert "2 ranks" in made.tables("timing")[0][1][4]
    assert made["commands"].text.startswith("mpiexec -n 2 whorl run case.toml -o box\n")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["nothing"], "nothing does not exist"),
        (["box", "--from", "0.2", "--to", "0.1"], "from t = 0.2 to t = 0.1 ends before it begins"),
        (["box", "--from", "5"], "it has 2 rows, from t = 0 to t = 0.2"),
        (["box", "--to", "soon"], "--to = soon: it must be a number"),
        (["box", "-o", "report.pdf"], "the report report.pdf must end in .html or .htm"),
        (["box", "-o", "."], "is a directory"),
        (["box", "-o", "no/report.html"], "there is no directory no"),
        (["box", "--pictures"], "No such option"),
        ([], "Missing argument"),
    ],
)
def test_what_is_refused(whorl, tmp_path, options, words):
    """In one paragraph; no report is made."""
    assert whorl("run", box(tmp_path), "-s", "output.series_every=1.0").code == 0
    done = whorl("report", *options)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert len(done.err.splitlines()) == 1
    assert not list(tmp_path.rglob("report*"))


def test_a_window_of_a_run_without_rows_is_refused(whorl, tmp_path):
    assert whorl("run", box(tmp_path), "-s", "output.series_every=never").code == 0
    done = whorl("report", "box", "--from", "0.1")
    assert done.code == 2
    assert "box has no rows in series.csv yet; output.series_every is never" in done.err
    assert whorl("report", "box").code == 0


@pytest.mark.long("all is imported in a process of its own")
def test_the_report_needs_neither_the_core_nor_mpi(tmp_path):
    code = (
        "import sys; sys.modules['whorl._core'] = sys.modules['mpi4py.MPI'] = None\n"
        "import whorl.report; print('read')"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "read\n"
