"""Measure the figures of docs/performance.md in one run, write them there and keep them.

    .venv/bin/python benchmarks/figures.py

It times steps of whorl and of fluidsim at 256³ (see peers.py), then measures the memory of short runs. The
page names the machine and the commit. Nothing else should run meanwhile; it takes about ten minutes on two
cores.

The results are kept in benchmarks/figures/, in a file for each processor, with all figures of a median run
of whorl in each way. Before that it compares the runs with the figures kept there (or in
another such file, --against) and reports slowdowns. `whorl bench step --against` reads these files, too.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import peers
from peers import Contestant
from shared import ROOT, console, environment, launcher, origin, table, write_page
from whorl.base.errors import CaseError
from whorl.base.files import write_text
from whorl.config.case import Case
from whorl.machine.benches.against import compare, read_earlier, show_against

KEPT = ROOT / "benchmarks" / "figures"
# The facts of a machine to keep, without its name and its free memory.
MACHINE = ("processor", "caches", "cores", "hardware threads", "GPUs", "ranks", "threads a rank")
POINTS = 256
# Ranks, and options of `whorl bench step`, for which memory is measured.
MEMORY = (
    (1, ("--precision", "double")),
    (1, ("--precision", "single", "--dealias", "phase-shift")),
    (1, ("--precision", "single", "--set", "grid.shape=sphere")),
    (2, ("--precision", "single", "--dealias", "phase-shift")),
    (2, ("--precision", "single", "--set", "grid.shape=sphere")),
)


def memory_of(whorl: Path, ranks: int, options: tuple[str, ...]) -> dict:
    """The figures of `whorl bench step` for a short run."""
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


def memory_table(results: list[dict]) -> str:
    rows = []
    for result in results:
        counted, resident = result["bytes_per_point_counted"], result["bytes_per_point_resident"]
        rows.append((result["summary"], f"{counted:.2f}", f"{resident:.2f}", f"{resident / counted:.3f}"))
    return table(("run", "counted", "resident", "ratio"), rows)


def where(entry: Contestant) -> str:
    """Machine, date and commit of a run."""
    result = entry.results[-1]
    limits = result["limits"]
    lines = max(limits["line_rate"].values()) / 1e9
    machine = result["machine"]
    caches = f" ({machine['caches']})" if "caches" in machine else ""
    return (
        f"{machine['processor']}{caches}, {entry.ranks * entry.threads} cores; lines in cache "
        f"{lines:.0f} GFLOP/s, copies {limits['copy_bandwidth'] / 1e9:.0f} GB/s; {origin(result)}. "
        f"{POINTS}³, 2/3 cube, rk2 where nothing else is said."
    )


def of_machine(result: dict) -> dict[str, Any]:
    return {name: value for name, value in result["machine"].items() if name in MACHINE}


def kept_file(machine: dict[str, Any]) -> Path:
    """The file of a processor, named after it and its caches, because many clouds give all the same name."""
    name = re.sub(r"\((r|tm)\)", "", machine["processor"].lower())
    sizes = re.findall(r"([\d.]+) ([kmg])ib", machine.get("caches", "").lower())
    words = [*re.findall(r"[a-z0-9]+", name), *(f"{size}{unit}" for size, unit in sizes)]
    return KEPT / f"{'-'.join(words)}.json"


def middle(entry: Contestant) -> dict[str, Any]:
    """The run of the median round."""
    seconds = statistics.median_low(entry.seconds_per_step)
    result = entry.results[entry.seconds_per_step.index(seconds)]
    return result | {"machine": of_machine(result)}


def to_keep(own: list[Contestant], fluidsim: Contestant, memory: list[dict], command: str) -> dict[str, Any]:
    last = own[-1].results[-1]
    machine = {name: of_machine(last).get(name) for name in ("processor", "caches", "cores")}
    sizes = ("summary", "bytes_per_point_counted", "bytes_per_point_resident")
    return {
        **machine,
        "commit": last["commit"],
        "date": last["date"],
        "command": command,
        "rounds": {entry.name: entry.seconds_per_step for entry in (*own, fluidsim)},
        "memory": [{name: result[name] for name in sizes} for result in memory],
        "runs": [middle(entry) for entry in own],
    }


def hold_against(runs: list[dict[str, Any]], path: Path) -> None:
    """Report the slowdowns since the runs in this file, run by run."""
    for run in runs:
        console.print(f"\n[bold]{run['summary']}[/]", soft_wrap=True)
        try:
            earlier = read_earlier(path, Case(**run["case"]), run["layout"]["threads"], run["machine"])
        except CaseError as error:
            console.print(str(error), soft_wrap=True, markup=False)
            continue
        name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        show_against(compare(earlier | {"file": str(name)}, run), console)


def parse() -> argparse.Namespace:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    parser.add_argument("--rounds", type=int, default=3, help="times each way is timed")
    parser.add_argument("--steps", type=int, default=5, help="fluidsim's steps a timing")
    parser.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)), help="cores to use")
    parser.add_argument("--whorl", type=Path, default=ROOT / ".venv/bin/whorl", help="whorl to measure")
    parser.add_argument("--against", type=Path, help="figures to compare with; default: this processor's")
    options = parser.parse_args()
    if options.against and not options.against.is_file():
        parser.error(f"--against {options.against} does not exist: give a file of figures")
    return options


def main() -> None:
    options = parse()
    peers.install()
    result = peers.compare(POINTS, options)
    own = [entry for entry in result["contestants"] if entry.code == "whorl"]
    fluidsim = peers.quickest(result["contestants"], "fluidsim")
    short_runs = [memory_of(options.whorl, *run) for run in MEMORY]
    parts = (where(own[-1]), against_the_floor(own), ratios(own, fluidsim))
    memory = f"Bytes a grid point, all arrays:\n\n{memory_table(short_runs)}"
    write_page("figures", "\n\n".join((*parts, memory)))
    peers.show([result], options.cores)
    chosen = f"--rounds {options.rounds} --steps {options.steps} --cores {options.cores}"
    figures = to_keep(own, fluidsim, short_runs, f"benchmarks/figures.py {chosen}")
    path = kept_file(own[-1].results[-1]["machine"])
    earlier = options.against or path
    if earlier.exists():
        hold_against(figures["runs"], earlier)
    KEPT.mkdir(exist_ok=True)
    write_text(path, json.dumps(figures, indent=1, ensure_ascii=False) + "\n")
    console.print(f"kept in {path.relative_to(ROOT)}", highlight=False, soft_wrap=True)


if __name__ == "__main__":
    main()
