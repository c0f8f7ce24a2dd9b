"""Time a right-hand side of every model against Navier–Stokes, and write the table of docs/performance.md.

    .venv/bin/python benchmarks/models.py

Each model and Navier–Stokes on the same points are timed in turn, all of them in every round; the table has
medians. A model is compared by its lines: the variables transformed to the points and back, on rows (inputs,
products) and on columns (inputs, fluxes). Nothing else should run meanwhile; it takes about three minutes on
two cores.
"""

import argparse
import statistics
from dataclasses import dataclass

import shared
from mpi4py import MPI
from whorl import _core
from whorl.config.case import Case
from whorl.machine.benches.common import bench_case
from whorl.machine.benches.step import measure_step
from whorl.run.core_options import core_options

POINTS, PLANE_POINTS = 128, 1024
LIMIT = 1.15
REFERENCE = "navier-stokes"
SCALARS = 'scalars=[{name = "a", diffusivity = 0.01}, {name = "b", diffusivity = 0.01}]'
# Model, settings, and name in the table.
ENTRIES = (
    ("navier-stokes", ("flow.rotation=1.0",), "navier-stokes, rotating"),
    ("navier-stokes", ("flow.rotation=1.0", "flow.linear=exact"), "navier-stokes, rotating, exact"),
    ("navier-stokes", (SCALARS,), "navier-stokes, two scalars"),
    ("navier-stokes-2d", (), "navier-stokes-2d"),
    ("boussinesq", (), "boussinesq"),
    ("rayleigh-benard", ("grid.bases=FFF",), "rayleigh-benard, FFF"),
    ("rayleigh-benard", ("grid.bases=SFF",), "rayleigh-benard, SFF"),
    ("rayleigh-benard", ("grid.bases=SSF",), "rayleigh-benard, SSF"),
    ("rayleigh-benard", ("grid.bases=SSS",), "rayleigh-benard, SSS"),
    ("mhd", (), "mhd"),
    ("mhd", ("flow.hall=0.1",), "mhd, Hall"),
    ("mhd", ("flow.kinematic=true",), "mhd, kinematic"),
    ("quasi-static-mhd", (), "quasi-static-mhd"),
    ("gross-pitaevskii", (), "gross-pitaevskii"),
    ("ginzburg-landau", (), "ginzburg-landau"),
)


@dataclass
class Entry:
    """A model on its grid, and Navier–Stokes on the same grid."""

    name: str
    case: Case
    reference: Case
    seconds: list[float]
    reference_seconds: list[float]

    @property
    def ratio(self) -> float:
        return statistics.median(self.seconds) / statistics.median(self.reference_seconds)

    @property
    def lines(self) -> float:
        return lines_of(self.case) / lines_of(self.reference)


def lines_of(case: Case) -> int:
    """The number of variables on rows and on columns."""
    shape = _core.model_shape(core_options(case, 1))
    return 2 * shape["inputs"] + shape["products"] + shape["fluxes"]


def make(model: str, settings: tuple[str, ...], name: str) -> Entry:
    def case(of: str, *changes: str) -> Case:
        points = PLANE_POINTS if model == "navier-stokes-2d" else POINTS
        return bench_case(points, "double", None, of, "rk2", 0, list(changes))

    own = case(model, *settings)
    nx, ny, nz = own.grid.points
    return Entry(name, own, case(REFERENCE, f"grid.points=[{nx}, {ny}, {nz}]"), [], [])


def table(entries: list[Entry]) -> str:
    titles = ("model", "points", "lines ÷", "right-hand side", "time ÷", "time ÷ lines")
    rows = []
    for e in entries:
        points = " × ".join(str(n) for n in e.case.grid.points if n > 1)
        milliseconds = f"{1e3 * statistics.median(e.seconds):.1f} ms"
        ratios = (f"{e.ratio:.2f}", f"{e.ratio / e.lines:.2f}")
        rows.append((e.name, points, f"{e.lines:.2f}", milliseconds, *ratios))
    return shared.table(titles, rows)


def main() -> None:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    parser.add_argument("--rounds", type=int, default=3, help="times each is timed")
    parser.add_argument("--steps", type=int, default=10, help="steps a timing")
    parser.add_argument("--only", default="", help="entries whose name holds this; the page stays as it is")
    options = parser.parse_args()
    entries = [make(*entry) for entry in ENTRIES if options.only in entry[2]]
    result = {}
    for _ in range(options.rounds):
        for entry in entries:
            for case, seconds in ((entry.case, entry.seconds), (entry.reference, entry.reference_seconds)):
                result = measure_step(case, options.steps, MPI.COMM_WORLD)
                seconds.append(result["seconds_per_rhs"])
    text = table(entries)
    if not options.only:
        machine = result["machine"]["processor"]
        shared.write_page(
            "models", f"{machine}, {result['layout']['threads']} threads, {result['date'][:10]}.\n\n{text}"
        )
    print(text)
    if slow := [entry.name for entry in entries if entry.ratio / entry.lines > LIMIT]:
        print(f"above {LIMIT} times their lines: {', '.join(slow)}")


if __name__ == "__main__":
    main()
