"""The tables of docs/architecture.md list what is in the sources: all of it, with the numbers it has."""

import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
HEADERS = {path.relative_to(ROOT / "core"): path.read_text() for path in (ROOT / "core").glob("*/*.hpp")}
LEGS = ("inputs", "products", "fluxes")

STRUCT = re.compile(
    r"^(?:template <[^\n]*>\s*)?struct (\w+)(?: final)?(?:\s*:([^{;]*))?\s*\{(.*?)^\};", re.M | re.S
)
ROW = re.compile(r"^\| `(\w+)<([^`]*)>` \| `([^`]+)` \| ([^|]*) \|$", re.M)


def constants(body: str) -> dict[str, str]:
    """The numbers of a struct's legs as they are written."""
    lines = " ".join(re.findall(r"static constexpr int ([^;()]*);", body))
    return dict(re.findall(r"(\w+) = ([\w:]+)", lines))


def passes() -> dict[str, tuple[str, dict[str, str]]]:
    """File and numbers of every struct that is a pass.

    It derives from PassDefaults, or has what a round trip calls: numbers of its own (models say the same of
    themselves and are not passes), and load, point or store, perhaps from its base.
    """
    found = {}
    for path, text in HEADERS.items():
        for name, bases, body in STRUCT.findall(text):
            own = constants(body)
            derives = "PassDefaults" in bases
            if derives or (path.parts[0] != "models" and bases and own.keys() >= set(LEGS)):
                found[name] = (str(path), {leg: own.get(leg, "0") for leg in LEGS})
    return found


def table() -> dict[str, tuple[str, str]]:
    begin = TEXT.index("The table lists all passes")
    end = TEXT.index("\n## ", begin)
    return {name: (file, numbers) for name, _, file, numbers in ROW.findall(TEXT, begin, end)}


def test_all_passes_there_are_are_listed():
    found = passes()
    assert len(found) > 4
    assert {name: file for name, (file, _) in table().items()} == {
        name: file for name, (file, _) in found.items()
    }


@pytest.mark.parametrize("name", passes())
def test_a_pass_is_listed_with_its_numbers(name):
    _, numbers = passes()[name]
    listed = table()[name][1]
    if any("Model::" in number for number in numbers.values()):
        assert listed == "the model's"
    else:
        scalar = constants(HEADERS[Path("models/passive_scalar.hpp")])
        known = {f"Scalar::{leg}": scalar[leg] for leg in LEGS}
        expected = ", ".join(known.get(numbers[leg], numbers[leg]) for leg in LEGS)
        assert listed.split(";")[0] == expected


def test_every_pass_that_is_run_is_known():
    """What is given to a round trip is one of them, by the name it is declared with."""
    run = set()
    for path in [*HEADERS, *(p.relative_to(ROOT / "core") for p in (ROOT / "core").glob("*/*.cpp"))]:
        text = (ROOT / "core" / path).read_text()
        if re.search(r"trip_?\.run\(", text):
            run |= set(re.findall(r"\b([A-Z]\w+)<[\w, ]*>(?: (?:pass|first)\b|;)", text))
    assert run == passes().keys() - {"ScalarPart", "LinearInput", "ProductFlux"}


# The walk through the round trip, and where things are


def section(title: str) -> str:
    begin = TEXT.index(f"# {title}\n")
    return TEXT[begin : TEXT.index("\n#", begin + 1)]


@pytest.mark.parametrize("walk", ["Followed by hand", "A tracer"])
def test_what_the_walk_passes_is_there(walk):
    steps = re.findall(r"^\| (`.*) \| (`.*`) \|$", section(walk), re.M)
    assert len(steps) > 15
    for names, files in steps:
        texts = [(ROOT / "core" / file).read_text() for file in re.findall("`([^`]+)`", files)]
        for name in re.findall("`([^`]+)`", names):
            owner, _, function = name.rpartition("::")
            told = (
                rf"\b{owner}(?:<[^;{{]*>)?::{function}\("
                if owner
                else rf"\bstruct {function}\b|\bvoid {function}\("
            )
            inside = rf"\b(?:class|struct) {owner}\b(?s:.*)\b{function}\("
            assert any(re.search(told, text) or re.search(inside, text) for text in texts), name


def test_where_things_are_there_are_files():
    files = re.findall(r"`([\w/]+\.\w+)`", section("Looking for"))
    assert len(files) > 15
    assert [file for file in files if not (ROOT / "core" / file).is_file()] == []


def test_a_mode_passes_few_functions():
    """From the state to its line at most six, from the line to the state at most eight."""
    names = re.findall(r"^\| `[^|]*?(\w+::\w+|\w+)` \|", section("Followed by hand"), re.M)
    first, line = names.index("ColumnsOnThreads::inwards"), names.index("ColumnsOnThreads::lines_in")
    assert 0 < line - first + 1 <= 6
    assert 0 < len(names) - names.index("ColumnsOnThreads::lines_out") <= 8


def test_a_tracer_passes_few_functions():
    """At most 35, and no border between folders is listed twice in one direction."""
    steps = re.findall(r"^\| (`.*) \| (`.*`) \|$", section("A tracer"), re.M)
    assert 20 < sum(len(names.split("→")) for names, _ in steps) <= 35
    folders = [file.split("/")[0] for _, files in steps for file in re.findall("`([^`]+)`", files)]
    crossed = [(one, two) for one, two in pairwise(folders) if one != two]
    assert len(crossed) == len(set(crossed)) <= 5


# What waits until it is wanted

RUN = """
import sys
from whorl import Simulation, load_case
import whorl.cli.main

settings = ["grid.points=8", "time.dt=0.02", "time.until=0.04", "output.spectra_every='1 steps'"]
case = load_case("abc").updated(
    settings,
    diagnostics=[{"kind": "pdf", "of": "u.x", "every": "1 steps"}],
    probes=[{"kind": "modes", "of": "u", "modes": [[1, 0, 0]], "every": "1 steps"}],
    particles=[{"kind": "tracer", "count": 4, "of": "p", "every": "1 steps"}],
    output={"directory": "run"},
)
Simulation(case).run(progress=False)
print(*sys.modules.keys() & {"xarray", "pandas", "scipy", "matplotlib"})
"""


def test_a_run_does_not_wait_for_what_only_results_want(tmp_path):
    """Libraries that take as long to import as all else, on each rank."""
    run = [sys.executable, "-c", RUN]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "\n"), done.stderr
    files = {"series.csv", "spectra.h5", "diagnostics.h5", "probes.h5", "particles.h5"}
    assert files <= {path.name for path in (tmp_path / "run").iterdir()}
