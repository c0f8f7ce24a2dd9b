"""Measure the figures of docs/performance.md in one run, and write them there.

    .venv/bin/python benchmarks/figures.py

Steps of whorl and of fluidsim at 256³ (see peers.py), then the memory of short runs. The page says on which
machine and at which commit. Nothing else should run meanwhile; it takes about ten minutes on two cores.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import peers
from peers import ROOT, Contestant

PAGE = ROOT / "docs" / "performance.md"
POINTS = 256
# Ranks, and the options of `whorl bench step` whose memory is looked at.
MEMORY = (
    (1, ("--precision", "double")),
    (1, ("--precision", "single", "--dealias", "phase-shift")),
    (1, ("--precision", "single", "--set", "grid.shape=sphere")),
    (2, ("--precision", "single", "--dealias", "phase-shift")),
    (2, ("--precision", "single", "--set", "grid.shape=sphere")),
)


def memory_of(whorl: Path, ranks: int, options: tuple[str, ...]) -> dict:
    """What `whorl bench step` says of a short run."""
    launcher = ["mpiexec", "-n", str(ranks)] if ranks > 1 else []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "step.json"
        command = [*launcher, str(whorl), "bench", "step", "--points", str(POINTS), "--steps", "2"]
        allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        subprocess.run(
            [*command, *options, "--json", str(path)],
            env=os.environ | allowed,
            check=True,
            capture_output=True,
        )
        return json.loads(path.read_text())


def table(titles: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [titles, tuple("---" for _ in titles), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def median(entry: Contestant, key: str) -> float:
    return statistics.median(result[key] for result in entry.results)


def against_the_floor(entries: list[Contestant]) -> str:
    rows = []
    for entry in entries:
        rhs, floor = median(entry, "seconds_per_rhs"), median(entry, "floor_seconds_per_rhs")
        times = (f"{median(entry, 'seconds_per_step'):.3f} s", f"{rhs:.4f} s", f"{floor:.4f} s")
        rows.append((f"{entry.ranks} × {entry.threads}", entry.precision, *times, f"{rhs / floor:.2f}"))
    titles = ("ranks × threads", "precision", "step", "right-hand side", "floor", "ratio")
    return table(titles, rows)


def ratios(entries: list[Contestant], fluidsim: Contestant) -> str:
    def whorl(threads: int, precision: str) -> Contestant:
        return next(e for e in entries if e.threads == threads and e.precision == precision)

    cores = max(entry.threads for entry in entries)
    double, single, ranks = whorl(cores, "double"), whorl(cores, "single"), whorl(1, "double")
    step = "seconds_per_step"
    rows = [
        ("single precision faster than double", f"{median(double, step) / median(single, step):.2f} ×"),
        (f"{cores} ranks × 1 thread over 1 × {cores}", f"{median(ranks, step) / median(double, step):.2f} ×"),
        (
            f"a step of fluidsim ({fluidsim.label}, {fluidsim.ranks} × {fluidsim.threads}) over whorl's",
            f"{median(fluidsim, step) / median(double, step):.2f} ×",
        ),
    ]
    return table(("", "ratio"), rows)


def memory_table(whorl: Path) -> str:
    rows = []
    for ranks, options in MEMORY:
        result = memory_of(whorl, ranks, options)
        counted, resident = result["bytes_per_point_counted"], result["bytes_per_point_resident"]
        rows.append((result["summary"], f"{counted:.2f}", f"{resident:.2f}", f"{resident / counted:.3f}"))
    return table(("run", "counted", "resident", "ratio"), rows)


def write_page(text: str) -> None:
    """Between the marks of docs/performance.md."""
    begin, end = "<!-- figures -->", "<!-- end -->"
    page = PAGE.read_text(encoding="utf-8")
    marked = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    if not marked.search(page):
        sys.exit(f"figures: {PAGE} has no place for them: put '{begin}' and '{end}' on lines there")
    PAGE.write_text(marked.sub(lambda _: f"{begin}\n{text}\n{end}", page, count=1), encoding="utf-8")


def where(entry: Contestant) -> str:
    """Machine, date and commit of a run."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    result = entry.results[-1]
    limits = result["limits"]
    lines = max(limits["line_rate"].values()) / 1e9
    return (
        f"{result['machine']['processor']}, {entry.ranks * entry.threads} cores; lines in cache "
        f"{lines:.0f} GFLOP/s, copies {limits['copy_bandwidth'] / 1e9:.0f} GB/s; commit {commit}, "
        f"{result['date'][:10]}. {POINTS}³, 2/3 cube, rk2 where nothing else is said."
    )


def main() -> None:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    parser.add_argument("--rounds", type=int, default=3, help="times each way is timed")
    parser.add_argument("--steps", type=int, default=5, help="fluidsim's steps a timing")
    parser.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)), help="cores to use")
    parser.add_argument("--whorl", type=Path, default=ROOT / ".venv/bin/whorl", help="whorl to measure")
    options = parser.parse_args()
    peers.install()
    result = peers.compare(POINTS, options)
    own = [entry for entry in result["contestants"] if entry.code == "whorl"]
    fluidsim = peers.quickest(result["contestants"], "fluidsim")
    parts = (where(own[-1]), against_the_floor(own), ratios(own, fluidsim))
    memory = f"Bytes a grid point, all arrays:\n\n{memory_table(options.whorl)}"
    write_page("\n\n".join((*parts, memory)))
    peers.show([result], options.cores)


if __name__ == "__main__":
    main()
