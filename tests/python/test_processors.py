"""What benchmarks/processors.py times, writes and draws, from flows and timings that are made up."""

import importlib
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from matplotlib.figure import Figure
from support.bench_figures import MACHINE, spread
from support.build import needs
from whorl import _core
from whorl.base import instruction_levels
from whorl.base.errors import CaseError
from whorl.machine.benches.common import bench_case
from whorl.machine.floor import work

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
NAMES = ("processors", "lines_rhs", "lines_picture", "figures", "peers", "ghost", "shared")
CACHES = "L1d 48 KiB 12-way, L2 1.25 MiB 10-way, L3 24 MiB 12-way"
HERE = MACHINE | {"processor": "One(TM) 7", "caches": CACHES, "cores": 2, "host": "secret"}
WAYS = ["own", "fftw", "auto", "own, half the cache"]
SECONDS = {"own": 0.20, "fftw": 0.16, "auto": 0.17, "own, half the cache": 0.24}
PAGE = "before\n<!-- processors -->\nold\n<!-- end of processors -->\nbehind\n"


@pytest.fixture
def scripts(monkeypatch, tmp_path):
    """The modules; what they write goes into a folder of the test."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    modules = {name: importlib.import_module(name) for name in NAMES}
    found = SimpleNamespace(**modules)
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "docs" / "figures").mkdir(parents=True)
    (tmp_path / "page.md").write_text(PAGE)
    monkeypatch.setattr(found.shared, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(found.figures, "KEPT", tmp_path / "benchmarks" / "figures")
    monkeypatch.setattr(found.processors, "ROOT", tmp_path)
    monkeypatch.setattr(found.processors, "PICTURE", tmp_path / "docs" / "figures" / "lines.png")
    yield found
    for name in NAMES:
        del sys.modules[name]


def case_of(points=16):
    return bench_case(points, "double", "2/3", "navier-stokes", "rk2", 1, [])


class Timing:
    """A clock, and flows that take the seconds of their way on it, each the more the later it is."""

    def __init__(self, slower=0.0):
        self.now, self.slower, self.evaluated, self.most, self.alive = 0.0, slower, [], 0, set()

    def perf_counter(self):
        return self.now

    def make(self, case, way):
        self.alive.add(way)
        self.most = max(self.most, len(self.alive))
        return Flow(self, way), {"lines": way, "seconds_to_make": 0.0}


class Flow:
    def __init__(self, timing, way):
        self.timing, self.way = timing, way

    def evaluate(self):
        self.timing.evaluated.append(self.way)
        self.timing.now += SECONDS[self.way] * (1 + self.timing.slower * self.timing.now)

    def __del__(self):
        self.timing.alive.discard(self.way)


@pytest.fixture
def rhs(scripts, monkeypatch):
    """lines_rhs on such a clock."""

    def use(timing):
        monkeypatch.setattr(scripts.lines_rhs, "time", timing)
        monkeypatch.setattr(scripts.lines_rhs, "make", timing.make)
        return scripts.lines_rhs

    return use


def test_the_ways_take_turns(rhs):
    timing = Timing()
    flows = {way: Flow(timing, way) for way in WAYS[:3]}
    taken = rhs(timing).time_rounds(flows, 3, 100.0)
    assert timing.evaluated[::2] == [*WAYS[:3], *WAYS[2::-1], *WAYS[:3]]
    assert timing.evaluated[1::2] == timing.evaluated[::2]
    assert taken == {way: pytest.approx([SECONDS[way]] * 3) for way in WAYS[:3]}


def test_a_machine_that_grows_slower_does_so_for_all(rhs):
    """Twice as slow at the end: one after the other would take half of the ratio or double it."""
    timing = Timing(slower=0.1)
    flows = {way: Flow(timing, way) for way in WAYS[:3]}
    taken = rhs(timing).time_rounds(flows, 6, 100.0)
    assert max(taken["own"]) > 1.5 * min(taken["own"])
    for way in WAYS[:3]:
        assert sum(taken[way]) / sum(taken["own"]) == pytest.approx(SECONDS[way] / SECONDS["own"], rel=0.05)


def test_small_grids_are_timed_more_often(rhs, monkeypatch):
    timing = Timing()
    monkeypatch.setitem(SECONDS, "own", 0.004)
    taken = rhs(timing).time_rounds({way: Flow(timing, way) for way in WAYS[:2]}, 1, 100.0)
    assert [len(taken[way]) for way in WAYS[:2]] == [7, 1]


@pytest.mark.parametrize(("budget", "rounds"), [(0.0, 2), (4.0, 4), (100.0, 9)])
def test_no_round_begins_beyond_the_budget(rhs, budget, rounds):
    """A round of two right-hand sides each takes 1.06 s."""
    timing = Timing()
    taken = rhs(timing).time_rounds({way: Flow(timing, way) for way in WAYS[:3]}, 9, budget)
    assert {len(times) for times in taken.values()} == {rounds}


@pytest.mark.parametrize(
    ("points", "room", "most"), [(16, 2.5, 2), (16, 3.5, 3), (16, 9.0, 4), (384, 9.0, 2), (384, 2.0, 2)]
)
def test_memory_has_room_for_those_that_take_turns(rhs, monkeypatch, points, room, most):
    """Two at most at 384³; own lines are in every group and made once."""
    timing = Timing()
    module = rhs(timing)
    case = case_of(points)
    size = sum(_core.estimate_memory(module.options_of(case, "own"), 1).values())
    memory = SimpleNamespace(available=int(room * size))
    monkeypatch.setattr(module, "psutil", SimpleNamespace(virtual_memory=lambda: memory))
    monkeypatch.setattr(module, "ways", lambda: WAYS)
    made = []
    monkeypatch.setattr(module, "make", lambda case, way: made.append(way) or timing.make(case, way))
    found = module.time_ways(case, 2, 0.0)
    assert timing.most == most
    assert made == list(found) == WAYS
    turns = {4: 1, 3: 2, 2: 3}[most]
    assert [found[way]["seconds"]["count"] for way in WAYS] == [2 * turns, 2, 2, 2]
    assert found["fftw"]["seconds"]["minimum"] == pytest.approx(0.16)


def test_what_does_not_fit_is_refused(rhs, monkeypatch):
    module = rhs(Timing())
    memory = SimpleNamespace(available=2**20)
    monkeypatch.setattr(module, "psutil", SimpleNamespace(virtual_memory=lambda: memory))
    with pytest.raises(CaseError, match=r"2 flows of 64³ need 0\.\d GiB, more than is free"):
        module.groups(case_of(64))


def test_each_way_has_its_lines_and_caches(scripts):
    options = {way: scripts.lines_rhs.options_of(case_of(), way) for way in WAYS}
    assert [options[way].lines for way in WAYS] == ["own", "fftw", "auto", "own"]
    assert [options[way].second_cache for way in WAYS] == [0, 0, 0, _core.second_cache() // 2]


@needs("fftw")
def test_a_case_is_measured(scripts, monkeypatch):
    """On real flows; the floor has its turn in each of the two rounds, and every trial counts."""
    operations = work(case_of()).operations[16]
    rates = [operations / 0.5, operations / 0.4]
    monkeypatch.setattr(scripts.lines_rhs._core, "line_rate", lambda *_, trials: rates.pop(0) * trials)
    result = scripts.lines_rhs.measure(case_of(), 2, 0.0)
    assert (result["floor"]["seconds"]["count"], rates) == (2, [])
    assert result["floor"]["seconds"]["median"] == pytest.approx(0.45)
    assert result["limits"]["line_rate"] == {"16": pytest.approx(operations / 0.4)}
    assert 1e8 < result["limits"]["copy_bandwidth"] < 1e13
    assert list(result["ways"]) == WAYS
    kinds = [result["ways"][way]["lines"].split(",")[0] for way in WAYS]
    assert kinds == ["own", "fftw", "own", "own"]
    assert all(timed["seconds"]["minimum"] > 0 for timed in result["ways"].values())
    assert result["level"] == _core.build_info()["level"]
    assert json.loads(json.dumps(result)) == result


def result_of(task, slower=1.0, without=(), machine=HERE):
    """Own lines over the floor: 2.0 at v3, 1.6 at v4; in single precision half of the seconds."""
    unit = (task.points / 64) ** 3 * (0.5 if task.precision == "single" else 1.0)
    ways = {
        way: {"lines": "own,fftw,own" if way == "auto" else way, "seconds_to_make": 0.1,
              "seconds": spread(unit * seconds * (slower if way == "auto" else 1.0))}
        for way, seconds in SECONDS.items() if way not in without
    }  # fmt: skip
    return {
        "level": task.level,
        "points": task.points,
        "dealias": task.dealias,
        "precision": task.precision,
        "threads": task.threads,
        "ways": ways,
        "half_of_cache": 640 * 2**10,
        "floor": {"seconds": spread(unit * {"v3": 0.1, "v4": 0.125}[task.level])},
        "limits": {"line_rate": {"64": 1e10}, "copy_bandwidth": 1e10},
        "machine": machine,
        "build": {"compiler": "GCC", "flags": f"-march={task.level}", "fftw": "3", "models": ["a"]},
        "whorl": "0.1",
        "commit": "0123456789ab",
        "date": "2026-01-02T03:04:05+0000",
    }


@pytest.fixture
def run(scripts, monkeypatch, capsys, tmp_path):
    """The script, where a process answers so; the command and level of each, and what is said."""
    asked = []

    def go(*arguments, answer=result_of, levels=("v3", "v4")):
        def process(command, env, **_):
            given = dict(zip(command[2::2], command[3::2], strict=True))
            level = env[instruction_levels.VARIABLE]
            numbers = int(given["--points"]), int(given["--threads"])
            task = scripts.processors.Task(
                level, numbers[0], given["--dealias"], given["--precision"], numbers[1]
            )
            asked.append((task, given["--rounds"], given["--seconds"]))
            found = answer(task)
            if isinstance(found, str):
                return SimpleNamespace(returncode=1, stdout="", stderr=found)
            return SimpleNamespace(returncode=0, stdout=f"noise\n{json.dumps(found)}\n", stderr="")

        monkeypatch.setattr(instruction_levels, "usable", lambda: list(levels))
        monkeypatch.setattr(instruction_levels, "of_processor", lambda: ["v2", "v3", "v4"])
        monkeypatch.setattr(scripts.processors.os, "sched_getaffinity", lambda _: {0, 1})
        monkeypatch.setattr(scripts.processors.subprocess, "run", process)
        given = ("processors.py", "--json", str(tmp_path / "runs" / "now.json"), *arguments)
        monkeypatch.setattr(sys, "argv", list(given))
        scripts.processors.main()
        return " ".join(capsys.readouterr().out.split())

    return SimpleNamespace(go=go, asked=asked)


def test_every_case_is_timed_at_every_level(run, scripts, monkeypatch):
    monkeypatch.setattr(scripts.processors, "measure", lambda options, _: all_of.append(options) or ([], []))
    all_of = []
    with pytest.raises(SystemExit, match="nothing could be timed"):
        run.go()
    found = scripts.processors.tasks(all_of[0])
    assert [task.level for task in found] == ["v3", "v4"] * 64  # one after the other
    cases = {(task.points, task.dealias, task.precision, task.threads) for task in found}
    assert len(cases) == 64
    assert {threads for *_, threads in cases} == {1, 2}
    assert {points for points, *_ in cases} == {64, 96, 128, 192, 240, 256, 320, 384}


def test_quick_takes_small_ones_once(run, tmp_path):
    said = run.go("--quick", "--levels", "v3", "--threads", "1", "--precision", "double")
    assert "not built here: v2" in said
    assert [(task.points, task.dealias) for task, _, _ in run.asked] == [(32, "2/3"), (64, "2/3")]
    assert {rounds for _, rounds, _ in run.asked} == {"1"}
    run.go("--keep-page", "--points", "48", "--levels", "v3", "--threads", "1", "--dealias", "2/3")
    assert {task.points for task, _, _ in run.asked[2:]} == {48}
    assert (tmp_path / "page.md").read_text() == PAGE
    assert not (tmp_path / "benchmarks" / "figures").exists()


CHOICE = ("--points", "64", "256", "--threads", "2", "--dealias", "2/3")


def test_figures_are_written_and_kept(run, tmp_path):
    run.go(*CHOICE)
    page = (tmp_path / "page.md").read_text()
    assert page.startswith(f"before\n<!-- processors -->\nOne(TM) 7 ({CACHES}), 2 cores; commit 0123456789ab")
    assert page.endswith("(figures/lines.png)\n<!-- end of processors -->\nbehind\n")
    assert "half the second cache: 640 KiB." in page
    first, second = page.split("Level v4:")
    row = "| 64³ | 2/3 | double | 2 | 204 | 163.2 | 173.4 | own,fftw,own | {} | 1.06 | {} | 1.20 |"
    assert row.format("102", "1.70") in first
    assert row.format("127.5", "1.36") in second
    assert "| v3 | 1.06 (64³, 2/3, single, 2) | 1.70 (256³, 2/3, single, 2) | 1.70 (64³," in first
    assert (tmp_path / "docs" / "figures" / "lines.png").read_bytes().startswith(b"\x89PNG")
    kept = json.loads((tmp_path / "benchmarks" / "figures" / "one-7-48k-1.25m-24m-lines.json").read_text())
    assert (kept["processor"], kept["caches"], kept["cores"]) == ("One(TM) 7", CACHES, 2)
    assert kept["command"].endswith(" ".join(CHOICE))
    builds = {level: {"compiler": "GCC", "flags": f"-march={level}", "fftw": "3"} for level in ("v3", "v4")}
    assert kept["builds"] == builds
    assert len(kept["cases"]) == 8
    assert kept["cases"][-1]["ratios"]["chosen ÷ floor"] == pytest.approx(1.36)
    assert kept["cases"][-1]["ways"]["auto"]["seconds"]["median"] > 0
    assert "secret" not in json.dumps(kept)
    assert "machine" not in kept["cases"][0]


def test_the_better_is_the_better_of_both(run, scripts):
    task = scripts.processors.Task("v3", 64, "2/3", "double", 1)
    ratio = scripts.processors.ratios
    assert ratio(result_of(task))["chosen ÷ better"] == pytest.approx(0.17 / 0.16)
    assert ratio(result_of(task, without=("fftw",)))["chosen ÷ better"] == pytest.approx(0.17 / 0.20)
    same = result_of(task)
    same["ways"]["own"]["lines"] = same["ways"]["auto"]["lines"]
    assert ratio(same)["chosen ÷ better"] == pytest.approx(0.17 / 0.16)
    assert ratio(same)["half ÷ own"] == pytest.approx(0.24 / 0.17)
    assert scripts.processors.cells(
        result_of(task, without=("fftw",)) | {"ratios": ratio(result_of(task, without=("fftw",)))}
    )[4:7] == ("204", "–", "173.4")


def test_a_moment_of_a_faster_clock_does_not_lower_the_floor(run, scripts):
    """Ratios over the floor are of medians."""
    result = result_of(scripts.processors.Task("v3", 64, "2/3", "double", 1))
    result["floor"]["seconds"]["minimum"] *= 0.5
    result["ways"]["auto"]["seconds"]["minimum"] *= 0.9
    assert scripts.processors.ratios(result)["chosen ÷ floor"] == pytest.approx(1.7)
    result["floor"]["seconds"]["median"] *= 0.85
    assert scripts.processors.ratios(result)["chosen ÷ floor"] == pytest.approx(2.0)


def test_what_fails_is_left_out_and_named(run, tmp_path):
    def answer(task):
        return "2 flows of 256³ need 9 GiB" if task.points == 256 else result_of(task)

    said = run.go(*CHOICE, answer=answer)
    assert "v4 256³, 2/3, double, 2 threads failed: 2 flows of 256³ need 9 GiB" in said
    kept = json.loads((tmp_path / "runs" / "now.json").read_text())
    assert len(kept["cases"]) == 4
    assert kept["failed"][0] == "v3 256³, 2/3, single, 2 threads"
    assert "| v3 | 1.06 (64³, 2/3, single, 2) | not timed | 1.70" in (tmp_path / "page.md").read_text()
    with pytest.raises(SystemExit, match="nothing could be timed; the reasons are above"):
        run.go(*CHOICE, answer=lambda task: "no")


def test_another_level_than_asked_for_is_no_result(run, tmp_path):
    said = run.go(*CHOICE, answer=lambda task: result_of(task) | {"level": "v4"})
    assert "v3 64³, 2/3, single, 2 threads failed: it ran at level v4 instead" in said
    kept = json.loads((tmp_path / "runs" / "now.json").read_text())
    assert {case["level"] for case in kept["cases"]} == {"v4"}
    assert len(kept["failed"]) == len(kept["cases"]) == 4


def test_the_picture_shows_chosen_over_floor(run, scripts, monkeypatch, tmp_path):
    figures = []
    monkeypatch.setattr(
        scripts.lines_picture, "Figure", lambda **given: figures.append(Figure(**given)) or figures[-1]
    )
    run.go("--points", "256", "64")
    panels = figures[0].axes
    assert [ax.get_title(loc="left") for ax in panels] == ["Single precision, 2/3", "Double precision, 2/3"]
    drawn = {line.get_label(): line for line in panels[1].lines if not line.get_label().startswith("_")}
    assert list(drawn) == ["v3, 1 thread", "v3, 2 threads", "v4, 1 thread", "v4, 2 threads"]
    line = drawn["v4, 2 threads"]
    assert [label.get_text() for label in panels[1].get_xticklabels()] == ["64", "256"]
    assert (list(line.get_xdata()), list(line.get_ydata())) == ([0, 1], pytest.approx([1.36, 1.36]))
    assert [drawn[name].get_linestyle() for name in ("v3, 1 thread", "v3, 2 threads")] == ["--", "-"]
