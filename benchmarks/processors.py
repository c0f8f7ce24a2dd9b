"""Time a right-hand side at every instruction level over its floor, with own, FFTW's and the chosen lines.

    .venv/bin/python benchmarks/processors.py
    .venv/bin/python benchmarks/processors.py --quick

A separate process (lines_rhs.py) times Navier–Stokes for each instruction level, size, dealiasing, precision
and number of threads. The levels are those that this machine has and this whorl is built for (make setup
LEVELS=v3,v4). The process times whorl's own lines, FFTW's, those that run.lines = "auto" chooses, own lines
with half the second cache assumed, and the floor of that level, in turn in every round. Ratios of two ways
are of the least seconds, ratios to the floor are of medians. The JSON has both.

The script writes the table into docs/performance.md, the picture docs/figures/lines.png and a file for each
processor in benchmarks/figures/. With --keep-page, and with --quick, which times small sizes once, it writes
only runs/processors.json. Nothing else should run meanwhile; all of it takes an hour on two cores.
"""

import argparse
import itertools
import json
import os
import shlex
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import shared
from figures import kept_file, of_machine
from lines_picture import draw
from lines_rhs import CHOSEN, FFTW, HALF, OWN
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from shared import ROOT, console, origin
from whorl.base import instruction_levels
from whorl.base.files import write_text

SCRIPT = Path(__file__).with_name("lines_rhs.py")
PICTURE = ROOT / "docs" / "figures" / "lines.png"
POINTS = (64, 96, 128, 192, 240, 256, 320, 384)
DEALIAS = ("2/3", "phase-shift")
PRECISIONS = ("single", "double")
# The properties of the build that affect these times.
BUILD = ("compiler", "flags", "fftw")
# The targets: chosen over the better of own and FFTW, and at these sizes over the floor.
MOST_OF_BETTER, MOST_OF_FLOOR, OF_FLOOR = 1.05, 1.5, (192, 256)
TITLES = ("points", "kept", "precision", "threads", "own", "FFTW", "chosen", "lines", "floor",
          "chosen ÷ better", "chosen ÷ floor", "half ÷ own")  # fmt: skip
SHORT = ("own", "FFTW", "chosen", "lines", "floor", "÷ better", "÷ floor", "half")  # after the case


@dataclass(frozen=True)
class Task:
    """The case that one process times."""

    level: str
    points: int
    dealias: str
    precision: str
    threads: int

    @property
    def name(self) -> str:
        threads = f"{self.threads} thread{'s' if self.threads > 1 else ''}"
        return f"{self.level} {self.points}³, {self.dealias}, {self.precision}, {threads}"


def tasks(options: argparse.Namespace) -> list[Task]:
    """The levels of a case one after the other, the large sizes last."""
    cases = itertools.product(options.points, options.dealias, options.precision, options.threads)
    return [Task(level, *case) for case in cases for level in options.levels]


def run(task: Task, rounds: int, seconds: float) -> dict[str, Any] | str:
    """The result of lines_rhs.py, or the reason why it failed."""
    given = ["--points", task.points, "--dealias", task.dealias, "--precision", task.precision]
    given += ["--threads", task.threads, "--rounds", rounds, "--seconds", seconds]
    result = subprocess.run(
        [sys.executable, str(SCRIPT), *map(str, given)],
        env=shared.environment() | {instruction_levels.VARIABLE: task.level},
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode:
        said = result.stderr.strip()[-1500:]
        return said or f"ended by signal {-result.returncode}"
    found = json.loads(result.stdout.splitlines()[-1])
    return found if found["level"] == task.level else f"it ran at level {found['level']} instead"


def timed(result: dict[str, Any], way: str, what: str) -> float | None:
    """The minimum or the median of a way."""
    found = result["ways"].get(way)
    return found and found["seconds"][what]


def own_and_chosen(result: dict[str, Any], what: str) -> tuple[float, float]:
    """Seconds of own and of chosen lines. If the chosen lines are whorl's own, both flows run the same
    program and differ only by noise of the machine: the smaller value stands for both.
    """
    own, chosen = timed(result, OWN, what), timed(result, CHOSEN, what)
    same = result["ways"][CHOSEN]["lines"] == result["ways"][OWN]["lines"]
    return (min(own, chosen), min(own, chosen)) if same else (own, chosen)


def ratios(result: dict[str, Any]) -> dict[str, float]:
    """The ratios under the last titles.

    Chosen ÷ the better of own and FFTW's and half the cache ÷ own are of the least seconds, the best that a
    processor can do. Chosen ÷ floor is of medians, since the least of short trials is a moment of a faster
    clock.
    """
    own, chosen = own_and_chosen(result, "minimum")
    better = min(filter(None, (own, timed(result, FFTW, "minimum"))))
    of_floor = own_and_chosen(result, "median")[1] / result["floor"]["seconds"]["median"]
    values = (chosen / better, of_floor, timed(result, HALF, "minimum") / own)
    return dict(zip(TITLES[-3:], values, strict=True))


def cells(result: dict[str, Any]) -> tuple[str, ...]:
    """The cells under TITLES, in milliseconds."""

    def milliseconds(seconds: float | None) -> str:
        if not seconds:
            return "–"
        return f"{1e3 * seconds:.0f}" if seconds >= 1 else f"{1e3 * seconds:.4g}"

    case = (f"{result['points']}³", result["dealias"], result["precision"], str(result["threads"]))
    seconds = (milliseconds(timed(result, way, "median")) for way in (OWN, FFTW, CHOSEN))
    lines = (result["ways"][CHOSEN]["lines"], milliseconds(result["floor"]["seconds"]["median"]))
    return (*case, *seconds, *lines, *(f"{ratio:.2f}" for ratio in result["ratios"].values()))


def levels_of(results: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(result["level"] for result in results))


def of_level(results: list[dict[str, Any]], level: str) -> list[dict[str, Any]]:
    return [result for result in results if result["level"] == level]


def highest(results: list[dict[str, Any]], ratio: str) -> str:
    """The largest ratio and where it is."""
    if not results:
        return "not timed"
    worst = max(results, key=lambda result: result["ratios"][ratio])
    where = f"{worst['points']}³, {worst['dealias']}, {worst['precision']}, {worst['threads']}"
    return f"{worst['ratios'][ratio]:.2f} ({where})"


def summary(results: list[dict[str, Any]]) -> str:
    """The largest ratios of each level, as a table in Markdown."""
    sizes = " and ".join(f"{points}³" for points in OF_FLOOR)
    titles = ("level", "chosen ÷ better, at most", f"chosen ÷ floor at {sizes}, at most", "anywhere")
    rows = []
    for level in levels_of(results):
        found = of_level(results, level)
        there = [result for result in found if result["points"] in OF_FLOOR]
        at_most = (highest(found, TITLES[-3]), highest(there, TITLES[-2]), highest(found, TITLES[-2]))
        rows.append((level, *at_most))
    return shared.table(titles, rows)


def where(result: dict[str, Any]) -> str:
    machine = result["machine"]
    caches = f" ({machine['caches']})" if "caches" in machine else ""
    return (
        f"{machine['processor']}{caches}, {machine['cores']} cores; {origin(result)}. "
        f"Milliseconds a right-hand side, medians; half the second cache: "
        f"{result['half_of_cache'] / 2**10:.4g} KiB."
    )


def page(results: list[dict[str, Any]]) -> str:
    """The text between the marks of docs/performance.md."""
    parts = [where(results[-1]), summary(results)]
    for level in levels_of(results):
        rows = [cells(result) for result in of_level(results, level)]
        parts += [f"Level {level}:", shared.table(TITLES, rows)]
    picture = PICTURE.relative_to(ROOT / "docs")
    return "\n\n".join((*parts, f"![Right-hand side over its floor by size and level]({picture})"))


def show(results: list[dict[str, Any]]) -> None:
    table = Table(title="Milliseconds a right-hand side, medians", box=None, pad_edge=False)
    table.add_column("case", no_wrap=True)
    for title in SHORT:
        table.add_column(title, justify="left" if title == "lines" else "right", no_wrap=True)
    for level in levels_of(results):
        for result in of_level(results, level):
            *case, threads = (level, *cells(result)[:4])
            of_better, of_floor = result["ratios"][TITLES[-3]], result["ratios"][TITLES[-2]]
            too_slow = of_better > MOST_OF_BETTER or (
                result["points"] in OF_FLOOR and of_floor > MOST_OF_FLOOR
            )
            name = f"{' '.join(case)} × {threads}"
            table.add_row(name, *cells(result)[4:], style="yellow" if too_slow else None)
    console.print(table)


def to_keep(results: list[dict[str, Any]], failed: list[str], command: str) -> dict[str, Any]:
    """The results to keep, with the machine as figures.py keeps it; the build differs by level only."""
    last = results[-1]
    machine = {name: of_machine(last).get(name) for name in ("processor", "caches", "cores")}
    about = {name: last[name] for name in ("commit", "date", "whorl")}
    builds = {one["level"]: {name: one["build"].get(name) for name in BUILD} for one in results}
    left_out = ("machine", "build", *about)
    rows = [{key: value for key, value in one.items() if key not in left_out} for one in results]
    return {**machine, **about, "command": command, "builds": builds, "cases": rows, "failed": failed}


def measure(options: argparse.Namespace, command: str) -> tuple[list[dict[str, Any]], list[str]]:
    """Run every task, with results so far in runs/processors.json; return results and names of failures."""
    results: list[dict[str, Any]] = []
    failed: list[str] = []
    options.json.parent.mkdir(parents=True, exist_ok=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        all_tasks = tasks(options)
        bar = progress.add_task("", total=len(all_tasks))
        for task in all_tasks:
            progress.update(bar, description=task.name)
            result = run(task, options.rounds, options.seconds)
            if isinstance(result, str):
                failed.append(task.name)
                console.print(f"{task.name} failed:\n{result}", markup=False, style="dim")
            else:
                results.append(asdict(task) | result | {"ratios": ratios(result)})
                said = ", ".join(f"{name} {ratio:.2f}" for name, ratio in results[-1]["ratios"].items())
                console.print(f"  {task.name}: {said}", highlight=False, soft_wrap=True)
            if results:
                write_text(options.json, text_of(to_keep(results, failed, command)))
            progress.advance(bar)
    return results, failed


def text_of(kept: dict[str, Any]) -> str:
    """JSON with one case in a line."""
    cases = ",\n  ".join(json.dumps(case, ensure_ascii=False) for case in kept["cases"])
    frame = json.dumps(kept | {"cases": ["CASES"]}, indent=1, ensure_ascii=False)
    return frame.replace('"CASES"', cases) + "\n"


def parse() -> argparse.Namespace:
    usable = instruction_levels.usable()
    cores = len(os.sched_getaffinity(0))
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    add = parser.add_argument
    add("--points", type=int, nargs="+", default=POINTS, help="points an axis")
    add("--levels", nargs="+", default=usable, choices=usable, help="instruction levels")
    add("--dealias", nargs="+", default=DEALIAS, help="dealiasing")
    add("--precision", nargs="+", default=PRECISIONS, choices=PRECISIONS)
    add("--threads", type=int, nargs="+", default=sorted({1, cores}), help="numbers of threads")
    add("--rounds", type=int, default=100, help="times the ways take turns, at most")
    add("--seconds", type=float, default=6, help="of a case, after which no round begins")
    add("--quick", action="store_true", help="32³ and 64³, 2/3, one round; keeps the page")
    add("--keep-page", action="store_true", help="print, and write the JSON, only")
    add("--json", type=Path, default=ROOT / "runs/processors.json", help="file of the results so far")
    options = parser.parse_args()
    if options.quick:
        chosen: dict[str, Any] = {"rounds": 1, "keep_page": True}
        if options.points == POINTS:
            chosen["points"] = (32, 64)
        if options.dealias == DEALIAS:
            chosen["dealias"] = DEALIAS[:1]
        options = argparse.Namespace(**vars(options) | chosen)
    return options


def main() -> None:
    options = parse()
    command = shlex.join(["benchmarks/processors.py", *sys.argv[1:]])
    usable = instruction_levels.usable()
    if others := [level for level in instruction_levels.of_processor() if level not in usable]:
        console.print(f"not built here: {', '.join(others)} (make setup LEVELS=...)", style="dim")
    results, failed = measure(options, command)
    if not results:
        sys.exit("processors: nothing could be timed; the reasons are above")
    show(results)
    console.print(summary(results), markup=False, highlight=False, soft_wrap=True)
    console.print(f"written to {options.json}", highlight=False, soft_wrap=True)
    if options.keep_page:
        return
    shared.write_page("processors", page(results))
    draw(results, PICTURE)
    path = kept_file(results[-1]["machine"])
    path = path.with_stem(f"{path.stem}-lines")
    path.parent.mkdir(exist_ok=True)
    write_text(path, text_of(to_keep(results, failed, command)))
    console.print(f"kept in {path.relative_to(ROOT)}", highlight=False, soft_wrap=True)


if __name__ == "__main__":
    main()
