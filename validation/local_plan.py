"""The planner against this machine: steps and memory of Navier–Stokes, predicted and measured at once.

    .venv/bin/python validation/local_plan.py [ROUNDS]

Each of ROUNDS (3) rounds measures the machine with `mpiexec -n 2 whorl bench machine`. It then times steps
with `whorl bench step`, on one rank with both cores and on two ranks, and plans the same with its machine
file. The median of the rounds counts, so a drift of the machine affects both. Rates are of the quickest
steps, so the plan is compared with the quickest step. The script prints the errors and writes
validation/results/local-plan.json and the table in docs/planner.md. It exits with 1 if an error is too large.
It needs two cores; nothing else should run.
"""

import json
import os
import statistics
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from pathlib import Path

from comparison import ROOT, Error, show, write_page_table, write_result
from whorl.base.host import processor
from whorl.config.case import Case
from whorl.machine.planner.machine import Machine, load_machine
from whorl.machine.planner.search import best, threads_of_rank, with_ranks
from whorl.machine.planner.whorl_load import Whorl

PAGE = ROOT / "docs" / "planner.md"
WHORL = [sys.executable, str(Path(sysconfig.get_path("scripts"), "whorl"))]
SIZES = {64: 60, 96: 30, 128: 20, 192: 10, 256: 8, 384: 4}  # points and steps
RANKS = (1, 2)
PRECISIONS = ("double", "single")
TIME_LIMIT, MEMORY_LIMIT = 0.20, 0.05


@dataclass(frozen=True)
class Sample:
    """One configuration in one round: predicted over measured."""

    time: float
    memory: float
    measured: float


def command(ranks: int, *arguments: object) -> None:
    """Run a whorl command on ranks that may use every core."""
    unbound = {"OMPI_MCA_hwloc_base_binding_policy": "none", "PRTE_MCA_hwloc_default_binding_policy": "none"}
    root = dict.fromkeys(("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"), "1")
    call = ["mpiexec", "-n", str(ranks), *WHORL, *map(str, arguments)]
    subprocess.run(call, check=True, env=os.environ | unbound | root, stdout=subprocess.DEVNULL)


def sample(machine: Machine, points: int, ranks: int, precision: str, folder: Path) -> Sample:
    figures = folder / "step.json"
    # Symmetric flows keep modes near the smallest numbers of single precision, on which processors are slow.
    steps = ("--steps", SIZES[points], "--set", "initial.name=random", "--set", "initial.k0=4")
    command(ranks, "bench", "step", "--points", points, "--precision", precision, *steps, "--json", figures)
    measured = json.loads(figures.read_text(encoding="utf-8"))
    seconds = measured["columns"]["best"]["total"]
    # The planner may advise other batches, but the measured step has the core's own.
    case = Case(**measured["case"]).updated([f"run.batches={measured['layout']['batches']}"])
    there = with_ranks(machine, ranks)
    way = best(Whorl(case), there, 1)
    assert way is not None
    assert list(way.grid) == measured["layout"]["process_grid"]
    assert way.batches == measured["layout"]["batches"]
    assert threads_of_rank(there) == measured["layout"]["threads"]
    return Sample(
        way.parts.total / seconds,
        ranks * way.memory_needed / measured["bytes_of_processes"],
        seconds,
    )


def measure(rounds: int) -> dict[tuple[int, int, str], list[Sample]]:
    found: dict[tuple[int, int, str], list[Sample]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(rounds):
            command(2, "bench", "machine", "-o", folder / "local.toml")
            machine = load_machine(folder / "local.toml")
            for precision in PRECISIONS:
                for points in SIZES:
                    for ranks in RANKS:
                        one = sample(machine, points, ranks, precision, folder)
                        found.setdefault((points, ranks, precision), []).append(one)
                        print(f"round {number + 1}: {points}³, {ranks} ranks, {precision}: {one}", flush=True)
    return found


def errors_of(found: dict[tuple[int, int, str], list[Sample]]) -> list[Error]:
    errors = []
    for (points, ranks, precision), samples in sorted(found.items()):
        what = f"{points}³, {ranks} × {2 // ranks}, {precision}"
        time = statistics.median(one.time for one in samples)
        errors.append(Error(f"step time, {what}", abs(time - 1), TIME_LIMIT))
        memory = statistics.median(one.memory for one in samples)
        errors.append(Error(f"memory, {what}", abs(memory - 1), MEMORY_LIMIT))
    return errors


def main() -> int:
    found = measure(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
    errors = errors_of(found)
    title = f"The planner on {processor()}, 2 cores: |predicted / measured − 1|"
    show(title, errors)
    samples = {" ".join(map(str, key)): [vars(one) for one in all_of] for key, all_of in found.items()}
    write_result("local-plan", title, errors, samples)
    write_page_table("local", errors, PAGE)
    return int(any(error.verdict == "FAILED" for error in errors))


if __name__ == "__main__":
    sys.exit(main())
