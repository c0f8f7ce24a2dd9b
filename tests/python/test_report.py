"""The report on a run, from files made here: what it is as HTML, what it tells, and what it leaves out."""

import base64
import os
import struct
import tomllib
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from cli.commands import contents
from support.report_pages import Page
from support.run_files import add_spectra, make_run, write_snapshot
from whorl import report as reports
from whorl.base.errors import CaseError
from whorl.base.hdf5 import open_hdf5
from whorl.base.text import told_size
from whorl.config.case import Case
from whorl.output.groups import States, cut_group, write_rows
from whorl.output.lock import Lock, is_held
from whorl.report import report
from whorl.report.facts import AUTHORS, TITLE
from whorl.report.run_log import read_log, sessions_of, standing_of
from whorl.results.runs import RunResults, open_run

ALWAYS = ["case", "provenance", "cite"]
BEGIN = (
    "2026-01-02 03:04:05  run: whorl 0.1.0, navier-stokes 8 × 6 × 4, double, 2/3, rk4, 3 ranks × 2 threads\n"
)
END = (
    "2026-01-02 03:04:09  finished at t = 1, step 10 (10 steps in 0:00:04, 0.4 s a step) by time.until = 1\n"
)


@pytest.fixture
def run(tmp_path):
    return make_run(tmp_path / "run")


def make_whole(path):
    """A run with everything that a report reads."""
    run = make_run(path)
    add_spectra(run, [[0.0, 1.0, 0.5, 0.1], [0.0, 0.9, 0.5, 0.2], [0.0, 0.8, 0.4, 0.2]])
    write_snapshot(run.snapshot_path(7), 0.7)
    add_particles(run)
    run.log.write_text(BEGIN + "2026-01-02 03:04:05  warning: a <b>bold</b> & bad choice.\n" + END)
    return run


def add_particles(run):
    """Two groups that fly apart; the last row of each is beside the file."""
    begin = np.random.default_rng(2).uniform(0, 6, (9, 3))
    for name, speed in (("cloud", 0.5), ("<dust>", 2.0)):
        times = np.arange(6.0)
        position = begin + speed * times[:, None, None] * [1.0, 0.3, 0.0]
        data = xr.Dataset(
            {"position": (("time", "particle", "axis"), position)},
            {"time": times, "step": ("time", np.arange(6)), "particle": np.arange(9), "axis": list("xyz")},
            {"kind": "tracer"},
        )
        with open_hdf5(run.particles, "a") as file:
            write_rows(file, name, States.of(data.isel(time=slice(5))))
        with open_hdf5(run.path / "particles-00000005.h5", "a") as file:
            write_rows(file, name, States.of(data.isel(time=slice(5, 6))))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run as `make_whole` makes it, which tests leave as it is, and its report."""
    run = make_whole(tmp_path_factory.mktemp("whole") / "run")
    return run, page(run)


def page(run, **options) -> Page:
    return Page(report(run.path, **options))


@pytest.mark.long("it draws all pictures of a report, which other tests share")
def test_the_page_is_whole(whole):
    """Its elements are closed in order, for HTML and as XML; its links lead to what is there."""
    _, made = whole
    assert made.text.startswith("<!DOCTYPE html>")
    assert made.root.tag == "html"
    assert made.root.attrib["lang"] == "en"
    assert made.unbalanced() == []
    idents = [one.attrib["id"] for one in made.root.iter() if "id" in one.attrib]
    assert len(set(idents)) == len(idents)
    links = [one.attrib["href"] for one in made.root.iter("a")]
    assert links == [f"#{ident}" for ident in made.sections]
    labels = [one.attrib["aria-labelledby"] for one in made.root.iter() if "aria-labelledby" in one.attrib]
    assert set(labels) <= set(idents)
    levels = [int(one.tag[1]) for one in made.root.iter() if one.tag in ("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert max(np.diff(levels)) == 1


def test_the_page_loads_nothing(whole):
    _, made = whole
    beside = [one for one in made.loads() if not one.startswith(("data:image/png;base64,", "#"))]
    assert made.loads()
    assert beside == []
    assert not [one for one in made.root.iter() if one.tag in ("script", "link", "iframe", "object", "base")]


def test_each_image_is_a_picture_with_a_text(whole):
    images = list(whole[1].root.iter("img"))
    assert len(images) > 20
    for image in images:
        raw = base64.b64decode(image.attrib["src"].partition(",")[2], validate=True)
        assert raw.startswith(b"\x89PNG")
        width, height = struct.unpack(">II", raw[16:24])
        shown = (int(image.attrib["width"]), int(image.attrib["height"]))
        assert shown == pytest.approx((0.72 * width, 0.72 * height), abs=0.51)
        assert len(image.attrib["alt"]) > 30
    assert len({image.attrib["alt"] for image in images}) == len(images)


def test_the_style_is_for_light_dark_phones_and_paper(whole):
    style = "".join(one.text for one in whole[1].root.iter("style"))
    for condition in ("(prefers-color-scheme: dark)", "(max-width: 36rem)", "print"):
        assert f"@media {condition}" in style
    assert "color-scheme: light dark" in style
    assert style.count("{") == style.count("}")
    heads = {one.attrib.get("name"): one.attrib.get("content") for one in whole[1].root.iter("meta")}
    assert heads["viewport"] == "width=device-width, initial-scale=1"


def test_the_sessions_fit_on_the_page(whole):
    """Their nine columns are wider than it unless texts may have several lines."""
    (table,) = (one for one in whole[1]["timing"].iter("table") if one.attrib.get("class") == "narrow")
    unbroken = [cell.text for cell in table.iter("td") if cell.attrib["class"] == "whole"]
    assert unbroken == ["0.1.0"]


def test_all_sections_of_a_whole_run(whole):
    _, made = whole
    assert made.sections == [
        *("case", "averages", "slices", "curves", "spectra"),
        *("particles", "checks", "timing", "provenance", "cite"),
    ]
    assert "a <b>bold</b> & bad choice." in made.told("checks")


def test_particles_have_their_paths_and_displacement(whole):
    _, made = whole
    told = made.told("particles")
    for name in ("cloud", "<dust>"):
        assert name in told
    assert "9 particles of kind tracer" in told
    images = [one.attrib["alt"] for one in made["particles"].iter("img")]
    assert len(images) == 2
    # |X(t) - X(t0)|^2 = (speed t)^2 1.09, of the row beside the file.
    assert any("cloud" in one and "comes to 6.81" in one and "t = 0 to 5" in one for one in images)
    assert any("dust" in one and "comes to 109" in one for one in images)


def test_particles_with_one_time_are_told_of(tmp_path, undrawn):
    run = make_whole(tmp_path / "run")
    (run.path / "particles-00000005.h5").unlink()
    with open_hdf5(run.particles, "a") as file:
        cut_group(file["cloud"], 1)
    made = page(run)
    assert "<dust>" in made.told("particles")
    assert "particles cloud: a picture of paths needs two times" in made.told()


@pytest.mark.parametrize(
    "name", ["a<b>&'\"c", "<script>alert(1)</script>", "{{ 7*7 }} {% raw %}", "ξ – Größe\n"]
)
def test_names_are_shown_as_they_are(tmp_path, name, undrawn):
    """What is a tag or a template elsewhere is text here."""
    folder = tmp_path / name.replace("/", "∕")
    made = page(make_run(folder))
    shown = folder.name.replace("\n", "\\n")
    (heading,) = made.root.iter("h1")
    assert heading.text == shown
    assert next(made.root.iter("title")).text.startswith(shown)
    assert not list(made.root.iter("script"))
    assert made.unbalanced() == []


def test_a_bare_run_has_nothing_empty(run, undrawn):
    """No snapshots, spectra, log: their sections are not there, nor links to them."""
    made = page(run)
    assert made.sections == ["case", "averages", "curves", "checks", "provenance", "cite"]
    assert made.standing() == ("Unknown.", "Unknown. The run has no log, so how it ended is not known.")
    for section in made.root.iter("section"):
        assert len(list(section)) > 1
    for table in made.root.iter("tbody"):
        assert len(list(table))


def test_a_run_without_rows(run, undrawn):
    run.series.unlink()
    made = page(run)
    assert made.sections == ALWAYS
    assert "averages and curves: the run has no rows in series.csv" in made.told()


def test_a_run_with_warnings_alone_has_no_empty_table_of_checks(run, undrawn):
    run.series.unlink()
    run.log.write_text(BEGIN + "2026-01-02 03:04:05  warning: this is doubtful.\n")
    made = page(run)
    assert made.told("checks") == "Checks Warnings of the log this is doubtful."
    assert made.tables("checks") == []


def test_a_table_that_cannot_be_read_is_told_of(tmp_path, undrawn, monkeypatch):
    """As where a part of a file is lost, which is noticed when it is read."""
    run = make_whole(tmp_path / "run")
    lost = property(lambda _: (_ for _ in ()).throw(OSError("a part of spectra.h5 is lost")))
    monkeypatch.setattr(RunResults, "spectra", lost)
    made = page(run)
    assert "a part of spectra.h5 is lost" in made.told()
    assert "averages" in made.sections


def test_a_run_with_a_row_has_no_averages(run, undrawn):
    lines = run.series.read_text().splitlines(keepends=True)
    head = next(place for place, line in enumerate(lines) if line.startswith("step,"))
    run.series.write_text("".join(lines[: head + 2]))
    made = page(run)
    assert "averages" not in made.sections
    assert "curves" in made.sections
    assert "averages: only one row of series.csv lies in the window" in made.told()


@pytest.mark.parametrize("file", ["series.csv", "spectra.h5", "diagnostics.h5", "probes.h5", "particles.h5"])
def test_a_damaged_file_is_told_of(tmp_path, undrawn, file):
    """The rest is there."""
    whole = make_whole(tmp_path / "run")
    (whole.path / file).write_bytes(b"step,time\n1,\xff\xfe\n1,2,3\n")
    made = page(whole)
    assert "This report does not show:" in made.told()
    assert file in made.told()
    assert set(ALWAYS) < set(made.sections)
    assert ("averages" in made.sections) == (file != "series.csv")


def test_the_case_is_the_file_and_has_its_checksum(run, undrawn):
    from hashlib import sha256

    made = page(run)
    assert made["case-text"].text == run.case_file.read_text()
    assert made["checksum"].text == sha256(made["case-text"].text.encode()).hexdigest()
    assert Case(**tomllib.loads(made["case-text"].text)) == run.read_case()


def test_the_citation_is_that_of_the_repository():
    cff = (Path(__file__).parents[2] / "CITATION.cff").read_text()
    assert f'title: "{TITLE}"\n' in cff
    assert f"authors:\n  - name: {AUTHORS}\n" in cff


# how a run stands


def standing(run, log):
    run.log.write_text(log)
    found = standing_of(run, read_log(run.log))
    return found.word, found.told


def test_a_run_that_finished(run):
    progress = "2026-01-02 03:04:06  step 5 of 10  t 0.5 of 1  dt 0.1  0:00:02 left\n"
    word, told = standing(run, BEGIN + progress + END)
    assert word == "Finished"
    assert "at t = 1, step 10" in told


def test_a_run_in_progress(run):
    lock = Lock(run.path)
    try:
        assert is_held(run.path)
        word, told = standing(
            run, BEGIN + "2026-01-02 03:04:06  step 5 of 10  t 0.5 of 1  dt 0.1  0:00:02 left\n"
        )
    finally:
        lock.release()
    assert word == "In progress"
    assert "at 2026-01-02 03:04:06 it was at step 5, t = 0.5" in told
    assert not is_held(run.path)


def test_asking_for_the_lock_leaves_it(run):
    assert not is_held(run.path)
    Lock(run.path).release()


def test_a_run_that_was_killed(run):
    word, told = standing(
        run, BEGIN + "2026-01-02 03:04:06  step 5 of 10  t 0.5 of 1  dt 0.1  0:00:02 left\n2026-01-02 03"
    )
    assert word == "Killed"
    assert "step 5, t = 0.5" in told


def test_a_restart_that_was_killed_is_no_finished_run(run):
    again = BEGIN.replace("run:", "restart from run/checkpoints/00000010.h5 (8 x 6 x 4 points):")
    assert standing(run, BEGIN + END + again)[0] == "Killed"
    assert standing(run, BEGIN + END + again + END)[0] == "Finished"


def test_a_run_that_blew_up(run):
    lost = "he flow blew up at t = 0.5, step 5: the velocity is not finite."
    word, told = standing(run, f"{BEGIN}2026-01-02 03:04:06  error: t{lost}\n")
    assert (word, told) == ("Blown up", f"T{lost} What was written near its end is not to be used.")


def test_a_run_that_met_an_error(run):
    word, told = standing(run, f"{BEGIN}2026-01-02 03:04:06  error: no space left on device\n")
    assert (word, told) == ("Ended by an error", "No space left on device.")


def test_a_run_that_was_stopped(run):
    word, told = standing(run, BEGIN + END.replace("finished", "stopped by SIGTERM"))
    assert word == "Stopped by SIGTERM"
    assert "before its end, at t = 1, step 10" in told


# the log


def test_sessions_of_a_log():
    settings = "grid.points=[32, 24, 16], run.threads=2"
    lines = [
        "2026-01-02 03:04:04  warning: of nobody",
        "2026-01-02 03:04:05  run from a (b)/00000004.h5 (8 x 8 x 8 points) with "
        f"{settings}: whorl 0.1.0, mhd 8 × 8 × 8, double, 1 rank × 2 threads",
        "2026-01-02 03:04:05  machine: host = a = b; processor = P; commit = 0123abc-dirty",
        "2026-01-02 03:04:05  memory of rank 0, counted: state = 1 GiB; in all = 1 GiB",
        "2026-01-02 03:04:06  step 7  t 0.7  dt 0.1",
        "2026-01-02 03:04:06  paused at t = 1, step 10, 2 turnovers (6 steps in 1 day, 0:00:04, 4 s a step)",
        "2026-01-02 03:04:07  step 12  t 1.2  dt 0.1",
        "torn",
    ]
    (one,) = sessions_of(lines)
    assert (one.source, one.settings) == ("a (b)/00000004.h5", ("grid.points=[32, 24, 16]", "run.threads=2"))
    assert (one.version, one.ranks, one.warnings, one.last) == ("0.1.0", 1, [], "2026-01-02 03:04:07")
    assert one.facts["machine"][0] == ("host", "a = b")
    assert dict(one.facts["machine"])["commit"] == "0123abc-dirty"
    assert [end["wall"] for end in one.ends] == ["1 day, 0:00:04"]
    assert one.progress["step"] == "12"


def test_a_log_that_is_not_there(tmp_path):
    assert read_log(tmp_path / "log.txt") == []


def test_ranks_settings_and_files_in_the_commands(run, undrawn):
    run.log.write_text(BEGIN + END)
    commands = page(run, start=0.1)["commands"].text.splitlines()
    assert commands == [
        "mpiexec -n 3 whorl run case.toml -o run",
        "whorl average run --from 0.1",
        "whorl report run --from 0.1",
    ]


@pytest.mark.parametrize(
    ("levels", "told"),
    [
        ((), "level the run"),
        (("v3", "v3"), "v3"),
        (("v4", "v2", "v2", "v4"), "v4 and then v2 and then v4"),
    ],
)
def test_the_instruction_level_that_repeats_the_run(run, undrawn, levels, told):
    sessions = [BEGIN + f"2026-01-02 03:04:05  instruction level {level}, lines own\n" for level in levels]
    run.log.write_text("".join(sessions) or BEGIN)
    said = page(run).told("cite")
    assert "at the same instruction level" in said
    assert (f"(here {told}, which WHORL_LEVEL chooses) the run" if levels else told) in said


def test_the_commands_of_a_run_from_a_checkpoint(run, tmp_path, undrawn):
    run.write_case(run.read_case(), tmp_path / "other run" / "checkpoints" / "00000040.h5")
    begin = BEGIN.replace("run:", "run from x/00000040.h5 (8 x 8 x 8 points) with flow.viscosity=0.1:")
    run.log.write_text(begin + END)
    made = page(run)
    assert ["initial field", f"the checkpoint {run.origin()}"] in made.tables("case")[1]
    command = made["commands"].text.splitlines()[0]
    options = "-o run --step 40 --until 1.0 --set flow.viscosity=0.1"
    assert command == f"mpiexec -n 3 whorl restart '{tmp_path}/other run' {options}"


# averages


def test_the_averages_are_those_of_the_run(whole):
    run, made = whole
    averages = open_run(run.path).average()
    (table,) = made.tables("averages")
    assert [tuple(row[:-1]) for row in table[1:]] == [tuple(cells) for cells in averages.cells()]
    assert [row[-1] for row in table[1:]] == [one.meaning for one in averages.means.values()]
    for remark in averages.remarks():
        assert remark in made.told("averages")


# the file


def test_the_parts_are_told_as_they_come(tmp_path, undrawn):
    run, told = make_whole(tmp_path / "run"), []
    report(run.path, progress=lambda *at: told.append(at))
    parts = list(dict.fromkeys(part.partition(" (")[0] for part, _ in told))
    assert parts == [
        *("slices", "curves", "columns", "spectra"),
        *("diagnostics", "analyses", "probes", "particles"),
    ]
    done = [share for _, share in told]
    assert done == sorted(done)
    assert done[0] == 0.0 < done[-1] < 1.0
    assert ("slices (1 picture)", 0.0) in told
    assert told[-1][0].startswith("particles (")


def test_where_the_report_goes(run, tmp_path, undrawn):
    assert report(run.path) == run.path / "report.html"
    assert report(run.path, tmp_path / "x.htm") == tmp_path / "x.htm"


def test_a_report_is_whole_or_absent(run, monkeypatch, undrawn):
    """A failure leaves the earlier one, and nothing beside it."""
    path = report(run.path)
    earlier = path.read_bytes()
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("no space left on device")))
    with pytest.raises(OSError, match="no space"):
        report(run.path, start=0.1)
    assert path.read_bytes() == earlier
    assert [one.name for one in run.path.iterdir() if "report" in one.name] == ["report.html"]


def test_an_error_of_the_page_leaves_the_earlier_report(run, monkeypatch, undrawn):
    path = report(run.path)
    earlier = path.read_bytes()
    monkeypatch.setattr(reports, "page_of", lambda *_: (_ for _ in ()).throw(CaseError("no")))
    with pytest.raises(CaseError):
        report(run.path)
    assert path.read_bytes() == earlier


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("", "is a directory; name a file in it, such as"),
        ("report.pdf", r"must end in .html or .htm; name it .*report.html"),
        ("nowhere/report.html", "there is no directory"),
    ],
)
def test_files_that_are_refused(run, tmp_path, output, words):
    with pytest.raises(CaseError, match=words):
        report(run.path, tmp_path / output)
    assert not list(run.path.glob("report*"))


def test_a_directory_that_is_no_run(tmp_path):
    with pytest.raises(CaseError, match="is not a run of whorl"):
        report(tmp_path)


@pytest.mark.parametrize(
    ("count", "told"), [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (5965056, "5.97 MB"), (3.2e12, "3.2 TB")]
)
def test_sizes(count, told):
    assert told_size(int(count)) == told


def test_the_directory_of_a_run_is_the_same_but_for_the_report(tmp_path, undrawn):
    run = make_whole(tmp_path / "run")
    before = contents(run.path)
    report(run.path)
    after = contents(run.path)
    assert after.pop("report.html")
    assert after == before
