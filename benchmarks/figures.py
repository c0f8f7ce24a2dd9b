"""Measure the figures of docs/performance.md in one run, and write them there.

    .venv/bin/python benchmarks/figures.py

Steps of whorl and of fluidsim at 256³ (see peers.py), then the memory of short runs. The page says on which
machine and at which commit. Nothing else should run meanwhile; it takes about ten minutes on two cores.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

import peers
from peers import Contestant
from shared import ROOT, environment, launcher, table, write_page

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
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "step.json"
        command = [*launcher(ranks), str(whorl), "bench", "step", "--points", str(POINTS), "--steps", "2"]
        subprocess.run(
            [*command, *options, "--json", str(path)],
            env=environment(),
            check=True,
            capture_output=True,
        )
        return json.loads(path.read_text())


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


def where(entry: Contestant) -> str:
    """Machine, date and commit of a run."""
    result = entry.results[-1]
    limits = result["limits"]
    lines = max(limits["line_rate"].values()) / 1e9
    return (
        f"{result['machine']['processor']}, {entry.ranks * entry.threads} cores; lines in cache "
        f"{lines:.0f} GFLOP/s, copies {limits['copy_bandwidth'] / 1e9:.0f} GB/s; commit {result['commit']}, "
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
    write_page("figures", "\n\n".join((*parts, memory)))
    peers.show([result], options.cores)


if __name__ == "__main__":
    main()
