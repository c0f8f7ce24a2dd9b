"""Find the largest step of each time scheme for a given error at a given time, and the seconds of such a run.

    .venv/bin/python benchmarks/accuracy.py
    .venv/bin/python benchmarks/accuracy.py --points 64 --flows taylor-green

Every scheme advances the Taylor–Green vortex (to t = 3) and a decaying random field (to t = 1) with fixed
steps, each shorter by a factor of √2. The first blow up, and the last have an error below the least target.
Bisection finds the longest stable step, to a twentieth. The error is the relative distance of the velocity
from the reference, √(Σ|u − u_r|² / Σ|u_r|²) over all points. The reference is rk4 with half the shortest step
of all. Its own error is printed, by Richardson's rule from twice that step. Between two steps log(error) is
assumed linear in log(step). Seconds are the steps to the end times the least seconds of a step of that scheme
in its runs.

The script writes the table into docs/method.md; with --keep-page it only prints it and writes the JSON. It
runs for about a quarter of an hour on two cores; nothing else should run meanwhile.
"""

import argparse
import itertools
import json
import math
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import shared
from figures import of_machine
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from shared import ROOT, console, table
from whorl.base.errors import BlowUp, CaseError
from whorl.base.files import write_text
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.config.schemes import SCHEMES
from whorl.machine.benches.common import provenance
from whorl.run.simulation import Simulation
from whorl.run.threads import threads_of_rank

TARGETS = (1e-2, 1e-3, 1e-4, 1e-5)
ORDER_OF_REFERENCE = 4
METHOD = ROOT / "docs" / "method.md"
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Flow:
    """The initial field, the end time, and the largest speed, which sets the first steps by FIRST_COURANT."""

    initial: dict[str, Any]
    until: float
    speed: float  # about the largest |u| + |v| + |w|


FLOWS = {
    "taylor-green": Flow({"name": "taylor-green"}, 3.0, 1.0),
    "random": Flow({"name": "random", "k0": 4.0, "energy": 0.5, "seed": 1}, 1.0, 4.0),
}
FIRST_COURANT = 4.0
BISECTIONS = 3  # of the last factor of √2 before a scheme blows up


def make_case(flow: Flow, points: int, scheme: str, steps: int) -> Case:
    """A case with a viscosity that resolves both flows to about k_max η = 1.5 on these points."""
    return Case(
        grid={"points": points},
        flow={"viscosity": 0.01 * (64 / points) ** (4 / 3)},
        time={"scheme": scheme, "dt": flow.until / steps, "steps": steps},
        initial=flow.initial,
        run={"lines": "own"},
    )


@dataclass
class Run:
    """The result of a run to the end."""

    velocity: np.ndarray | None  # None: the run blew up
    seconds_per_step: float
    courant: float  # largest


def run(case: Case) -> Run:
    """Run to the end, with the least seconds of a step."""
    least, courant = math.inf, 0.0
    with Simulation(case) as simulation:
        try:
            while not simulation.finished:
                began = time.perf_counter()
                report = simulation.step()
                least = min(least, time.perf_counter() - began)
                courant = max(courant, report.courant)
        except BlowUp:
            return Run(None, least, courant)
        return Run(simulation.velocity(), least, courant)


def distance(velocity: np.ndarray, reference: np.ndarray) -> float:
    return float(np.linalg.norm(velocity - reference) / np.linalg.norm(reference))


@dataclass
class Ladder:
    """The runs of one scheme and flow: errors by number of steps, and the least seconds of a step."""

    scheme: str
    errors: dict[int, float] = field(default_factory=dict)  # infinite: the run blew up
    courants: dict[int, float] = field(default_factory=dict)
    seconds_per_step: float = math.inf

    def add(self, steps: int, result: Run, reference: np.ndarray) -> None:
        lost = result.velocity is None
        self.errors[steps] = math.inf if lost else distance(result.velocity, reference)
        self.courants[steps] = result.courant
        self.seconds_per_step = min(self.seconds_per_step, result.seconds_per_step)

    def steps_for(self, target: float) -> float | None:
        """The fewest steps beyond which the error is at most the target; None: more than were tried."""
        counts = sorted(self.errors)
        enough = list(itertools.takewhile(lambda n: self.errors[n] <= target, reversed(counts)))
        if not enough:
            return None
        few = enough[-1]
        more = [n for n in counts if n < few]
        if not more or not math.isfinite(self.errors[more[-1]]) or self.errors[few] == 0:
            return few
        slope = math.log(self.errors[more[-1]] / self.errors[few]) / math.log(more[-1] / few)
        return few * (target / self.errors[few]) ** (1 / slope)

    def between(self) -> int | None:
        """The geometric mean of the largest number of steps that blows up and the next that does not."""
        lost = max((n for n, error in self.errors.items() if not math.isfinite(error)), default=0)
        enough = [n for n in self.errors if n > lost]
        if not lost or not enough:
            return None
        middle = round(math.sqrt(lost * min(enough)))
        return middle if middle not in self.errors else None

    def courant_of(self, steps: float) -> float:
        """The largest Courant number of a run in `steps` steps, from that of the nearest run."""
        near = min(self.courants, key=lambda n: abs(math.log(n / steps)))
        return self.courants[near] * near / steps

    def found(self, until: float) -> dict[str, Any]:
        rows = {}
        for target in TARGETS:
            steps = self.steps_for(target)
            rows[f"{target:.0e}"] = steps and {
                "dt": until / steps,
                "courant": self.courant_of(steps),
                "seconds": steps * self.seconds_per_step,
            }
        return {
            "scheme": self.scheme,
            "right_hand_sides": SCHEMES[self.scheme].right_hand_sides,
            "seconds_per_step": self.seconds_per_step,
            "errors": {n: e if math.isfinite(e) else None for n, e in sorted(self.errors.items())},
            "targets": rows,
        }


def counts_of(flow: Flow, points: int, halvings: int) -> list[int]:
    """Numbers of steps, each √2 times the one before, starting at FIRST_COURANT."""
    first = flow.until * flow.speed * points / (2 * math.pi) / FIRST_COURANT
    return [math.ceil(first * 2 ** (n / 2)) for n in range(2 * halvings + 1)]


def measure(name: str, points: int, options: argparse.Namespace, progress: Progress) -> dict[str, Any]:
    """Measure every scheme on one flow."""
    flow = FLOWS[name]
    counts = counts_of(flow, points, options.halvings)
    bar = progress.add_task(f"{name} {points}³", total=2 + (len(counts) + BISECTIONS) * len(options.schemes))

    def reference_of(steps: int) -> np.ndarray:
        found = run(make_case(flow, points, "rk4", steps)).velocity
        progress.advance(bar)
        if found is None:
            raise CaseError(f"the reference of {name} at {points}³ with {steps} steps is not finite")
        return found

    reference = reference_of(2 * counts[-1])
    own_error = distance(reference_of(counts[-1]), reference) / (2**ORDER_OF_REFERENCE - 1)
    ladders = [Ladder(scheme) for scheme in options.schemes]
    for steps in counts:
        for ladder in ladders:
            done = ladder.errors and min(ladder.errors.values()) <= min(TARGETS)
            if not done:
                ladder.add(steps, run(make_case(flow, points, ladder.scheme, steps)), reference)
            progress.advance(bar)
    for _, ladder in itertools.product(range(BISECTIONS), ladders):
        if steps := ladder.between():
            ladder.add(steps, run(make_case(flow, points, ladder.scheme, steps)), reference)
        progress.advance(bar)
    return {
        "flow": name,
        "points": points,
        "until": flow.until,
        "error_of_reference": own_error,
        "schemes": [ladder.found(flow.until) for ladder in ladders],
    }


def table_of(result: dict[str, Any]) -> str:
    """By scheme and target: step, Courant number and seconds, in Markdown; the least seconds are bold."""
    names = [f"{target:.0e}" for target in TARGETS]
    best = {
        name: min((s["targets"][name]["seconds"] for s in result["schemes"] if s["targets"][name]), default=0)
        for name in names
    }

    def cell(name: str, found: dict[str, float] | None) -> str:
        if not found:
            return "–"
        mark = "**" if found["seconds"] == best[name] else ""
        seconds = f"{mark}{found['seconds']:.3g} s{mark}"
        return f"{found['dt']:.3g}, C = {found['courant']:.2f}, {seconds}"

    titles = ("scheme", *(f"error ≤ {power_of_ten(t)}" for t in TARGETS))
    rows = [
        (f"`{s['scheme']}`", *(cell(name, s["targets"][name]) for name in names)) for s in result["schemes"]
    ]
    about = (
        f"{result['flow']}, {result['points']}³, to t = {result['until']:g} "
        f"(error of the reference {result['error_of_reference']:.0e}):"
    )
    return f"{about}\n\n{table(titles, rows)}"


def power_of_ten(value: float) -> str:
    return "10" + str(round(math.log10(value))).translate(RAISED)


def page(results: list[dict[str, Any]], about: dict[str, Any]) -> str:
    """The text between the marks of docs/method.md."""
    machine = about["machine"]
    caches = f" ({machine['caches']})" if machine.get("caches") else ""
    host = (
        f"{machine['processor']}{caches}, {about['threads']} threads; commit {about['commit']}. Largest "
        "step, its largest Courant number C, and seconds to the end."
    )
    return "\n\n".join((host, *map(table_of, results)))


def about_this() -> dict[str, Any]:
    """Machine, build, commit and threads."""
    found = provenance(MPI.COMM_SELF)
    return found | {"machine": of_machine(found), "threads": threads_of_rank(MPI.COMM_SELF)}


def parse() -> argparse.Namespace:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    add = parser.add_argument
    add("--points", type=int, nargs="+", default=(64, 128), help="points an axis")
    add("--flows", nargs="+", default=tuple(FLOWS), choices=FLOWS)
    add("--schemes", nargs="+", default=tuple(SCHEMES), choices=SCHEMES)
    add("--halvings", type=int, default=5, help="of the step, from the first to the shortest")
    add("--keep-page", action="store_true", help="print, and write the JSON, only")
    add("--json", type=Path, default=ROOT / "runs/accuracy.json")
    return parser.parse_args()


def main() -> None:
    options = parse()
    about = about_this()
    results = []
    options.json.parent.mkdir(parents=True, exist_ok=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        for points, name in itertools.product(options.points, options.flows):
            results.append(measure(name, points, options, progress))
            write_text(options.json, json.dumps({**about, "flows": results}, indent=1) + "\n")
            console.print(table_of(results[-1]), markup=False, highlight=False, soft_wrap=True)
    if not options.keep_page:
        shared.write_page("accuracy", page(results, about), METHOD)


if __name__ == "__main__":
    main()
