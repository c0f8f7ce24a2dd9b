"""Run the benches that reproduce the papers' tables, and write the tables into docs/performance.md.

    .venv/bin/python benchmarks/papers.py

`whorl bench fft`, `exchange`, `step` and `scaling` run with threads in one process and with one process per
core. The page names the machine and the commit; the full figures are in runs/papers/. Nothing else should
run meanwhile; it takes about five minutes on two cores.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from shared import PAGE, ROOT, console, environment, launcher, origin, table, write_page
from whorl.machine.benches.scaling import TIMES, shown

FOLDER = ROOT / "runs" / "papers"
PICTURE = PAGE.parent / "figures" / "scaling.png"
FIGURE = "![Times of a pair of transforms over ranks](figures/scaling.png)"
# The variants of the transforms, as options.
TRANSFORMS = (
    ("--dealias", "none"),
    ("--dealias", "none", "--precision", "single"),
    ("--dealias", "none", "--bases", "SFF"),
    ("--dealias", "2/3"),
)
STEPS = (
    ("--dealias", "2/3"),
    ("--dealias", "2/3", "--set", "grid.shape=sphere"),
    ("--dealias", "phase-shift"),
)


def bench(options: argparse.Namespace, name: str, ranks: int, *arguments: object) -> dict:
    """The figures of a bench on `ranks` ranks, which share all cores."""
    path = FOLDER / f"{name}.json"
    command = [*launcher(ranks), str(options.whorl), "bench", *map(str, arguments), "--json", str(path)]
    console.print(" ".join(command), style="dim", highlight=False, soft_wrap=True)
    cores = environment(max(1, options.cores // ranks))
    run = subprocess.run(command, env=cores, capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"papers: {name} failed:\n{run.stderr[-1500:]}")
    return json.loads(path.read_text())


def milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:.3g}"


def spreads(cores: int) -> list[int]:
    """Numbers of ranks: one rank with threads, and one rank per core."""
    return [1, cores] if cores > 1 else [1]


def transforms(options: argparse.Namespace) -> tuple[str, dict]:
    """A pair of transforms of a variable by step, and the last figures."""
    titles = ("ranks × threads", "bases, precision, kept", "z", "column", "y", "row", "x", "pack", "pair")
    rows = []
    for ranks in spreads(options.cores):
        for number, given in enumerate(TRANSFORMS):
            name = f"fft-{ranks}-{number}"
            figures = bench(options, name, ranks, "fft", "--points", options.points, *given)
            case, parts = figures["case"], figures["parts"]
            what = f"{case['grid']['bases']}, {case['run']['precision']}, {case['grid']['dealias']}"
            steps = ("z_lines", "column", "y_lines", "row", "x_lines", "pack")
            times = [milliseconds(parts[step] / figures["variables"]) for step in steps]
            rate = (f"{figures['gigaflops']:.1f}", f"{figures['fraction_of_floor']:.2f}")
            pair = milliseconds(figures["seconds_per_variable"])
            rows.append((f"{ranks} × {figures['layout']['threads']}", what, *times, pair, *rate))
    return table((*titles, "GFLOP/s", "floor ÷ time"), rows), figures


def exchanges(options: argparse.Namespace) -> str:
    """Best times of the all-to-alls, with a column for each transport."""
    figures = bench(options, "exchange", options.cores, "exchange", "--points", options.points)
    names = list(dict.fromkeys(one["transport"] for one in figures["exchanges"]))
    rows: dict[tuple, list[str]] = {}
    for one in figures["exchanges"]:
        grid = " × ".join(map(str, one["process_grid"]))
        key = (f"{one['leg']} {one['direction']}", grid, str(one["variables"]))
        first = [*key, f"{one['message_bytes'] / 2**20:.3g}"]
        best, rate = milliseconds(one["seconds"]["minimum"]), one["best_bandwidth"] / 1e9
        rows.setdefault(key, first).append(f"{best} ({rate:.1f})")
    return table(("leg", "grid", "Q", "MiB", *names), [tuple(row) for row in rows.values()])


def steps(options: argparse.Namespace) -> str:
    titles = ("ranks × threads", "kept", "", "FFT", "pack", "row", "column", "other", "total", "sent")
    rows = []
    for ranks in spreads(options.cores):
        for number, given in enumerate(STEPS):
            figures = bench(
                options, f"step-{ranks}-{number}", ranks, "step", "--points", options.points, *given
            )
            grid, fraction = figures["case"]["grid"], figures["sent"]["total"]["of_untruncated"]
            kept = f"{grid['dealias']} sphere" if grid["shape"] == "sphere" else grid["dealias"]
            sent = f"{fraction:.3f}" if fraction else "–"
            for which, values in figures["columns"].items():
                times = [milliseconds(value) for value in values.values()]
                rows.append((f"{ranks} × {figures['layout']['threads']}", kept, which, *times, sent))
    return table(titles, rows)


def scaling(options: argparse.Namespace) -> str:
    """The exponents, with one thread per rank."""
    rows = []
    for kernel in ("fft", "step"):
        points = ("--points", options.points // 2)
        plot = PICTURE if kernel == "fft" else FOLDER / "scaling-step.png"
        asked = ("scaling", "--kernel", kernel, *points, "--plot", plot)
        figures = bench(options, f"scaling-{kernel}", options.cores, *asked)
        for name, series in figures["series"].items():
            gammas = [shown(series["exponents"][part]) for part in TIMES]
            counts = ", ".join(str(run["ranks"]) for run in series["runs"])
            rows.append((f"{kernel}, {name}", f"{options.points // 2}³", counts, *gammas))
    return table(("what", "points of one rank", "ranks", "γ1", "γ2", "γ"), rows)


def main() -> None:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    parser.add_argument("--points", type=int, default=256, help="points an axis")
    parser.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)), help="cores to use")
    parser.add_argument("--whorl", type=Path, default=ROOT / ".venv/bin/whorl", help="whorl to measure")
    options = parser.parse_args()
    if not options.whorl.exists():
        sys.exit(f"papers: {options.whorl} does not exist; run `make setup` or give --whorl")
    FOLDER.mkdir(parents=True, exist_ok=True)
    timed, last = transforms(options)
    host = f"{last['machine']['processor']}, {options.cores} cores; {origin(last)}"
    where = f"{host}; {options.points}³."
    write_page("fft", f"{where} Milliseconds a pair and variable.\n\n{timed}")
    write_page("step", f"{where} Milliseconds a step, rk2.\n\n{steps(options)}")
    if options.cores > 1:
        about = "Milliseconds (GB/s a rank), the best of ten; double precision, 2/3."
        write_page("all-to-all", f"{where} {about}\n\n{exchanges(options)}")
        write_page("scaling", f"{host}.\n\n{scaling(options)}\n\n{FIGURE}")


if __name__ == "__main__":
    main()
