"""The cost of forces: steps with a force against steps without, in turn, in one process.

    .venv/bin/python benchmarks/forcing.py                 128³ and 256³, every force
    .venv/bin/python benchmarks/forcing.py --points 128    one grid

For each force it prints the ratio of the times of a step with and without the force, each the least of a
flow. The columns are the median, least and greatest ratio of several pairs of flows. Each pair has new flows,
because the time of a flow depends on where its memory lies. The row "none" compares two flows without force
and shows the noise. It writes no file. Nothing else should run meanwhile.
"""

import statistics
import time
from typing import Annotated, Any

import typer
from rich.table import Table
from whorl import Case
from whorl._core import Flow
from whorl.base.ranks import MPI
from whorl.forcing.shapes import begin_forces, set_forces
from whorl.initial.fields import set_initial
from whorl.run.core_options import core_options
from whorl.run.progress import stdout_console
from whorl.run.threads import threads_of_rank

DT = 1e-4
BAND = {"k_max": 2.83}
FORCES: dict[str, dict[str, Any] | None] = {
    "none": None,
    "stochastic": {"kind": "stochastic", "power": 1.0, "correlation_time": 0.2} | BAND,
    "white noise": {"kind": "stochastic", "power": 1.0, "correlation_time": 0.0} | BAND,
    "alvelius": {"kind": "alvelius", "power": 1.0},
    "constant-power": {"kind": "constant-power", "power": 1.0} | BAND,
    "constant-power, helicity": {"kind": "constant-power", "power": 1.0, "helicity_rate": 0.1} | BAND,
    "constant-energy by shell": {"kind": "constant-energy", "by_shell": True} | BAND,
    "linear, a band": {"kind": "linear", "rate": 0.2} | BAND,
    "linear, all modes": {"kind": "linear", "rate": 0.2},
    "steady": {"kind": "steady", "shape": {"name": "taylor-green"}, "frequency": 1.0},
    "stochastic, K_F = 8": {"kind": "stochastic", "power": 1.0, "correlation_time": 0.2, "k_max": 8.0},
    "lindborg": {"kind": "lindborg", "power": 1.0, "k_f": 4.0},
    "noise, k ≤ 8": {"kind": "noise", "power": 1.0, "interval": 0.01, "k_max": 8.0},
    "noise, all modes": {"kind": "noise", "power": 1.0, "interval": 0.01},
    "formula in t": {"kind": "steady", "shape": {"name": "formula", "value": ["sin(y - t)", "0", "0"]}},
    "formula in t, at each stage": {
        "kind": "steady",
        "shape": {"name": "formula", "value": ["exp(sin(y - t))", "0", "0"]},
    },
}


def flow_of(points: int, forcing: list[dict[str, Any]], dealias: str) -> Flow:
    case = Case(
        grid={"points": points, "dealias": dealias},
        flow={"viscosity": 1e-3},
        time={"scheme": "rk2", "dt": DT, "steps": 10**6},
        initial={"name": "random"},
        forcing=forcing,
    )
    comm = MPI.COMM_SELF
    flow = Flow(core_options(case, threads_of_rank(comm)), comm.py2f())
    set_forces(flow, case, comm)
    set_initial(flow, case, None, comm)
    begin_forces(flow, 0.0)
    return flow


def step_in_turn(flows: list[Flow], rounds: int) -> list[list[float]]:
    """Seconds of steps, one of each flow at a time, after a warm-up of two."""
    seconds: list[list[float]] = [[] for _ in flows]
    for number in range(rounds + 2):
        for flow, of_flow in zip(flows, seconds, strict=True):
            began = time.perf_counter()
            flow.step(DT, time=number * DT, step_number=number)
            of_flow.append(time.perf_counter() - began)
    return [of_flow[2:] for of_flow in seconds]


def main(
    points: Annotated[list[int] | None, typer.Option(help="Points along an axis; repeat as needed.")] = None,
    rounds: Annotated[int, typer.Option(help="Steps of each flow.")] = 8,
    pairs: Annotated[int, typer.Option(help="Pairs of flows of each force.")] = 7,
    dealias: Annotated[str, typer.Option(help="The dealiasing.")] = "phase-shift",
    only: Annotated[list[str] | None, typer.Option(help="These forces only.")] = None,
) -> None:
    """Time every force on every grid."""
    for n in points or [128, 256]:
        table = Table("force", "median", "least", "greatest", title=f"{n}³, rk2, {dealias}", box=None)
        for name, force in FORCES.items():
            if only and name not in only:
                continue
            ratios = [ratio_of(n, [force] if force else [], dealias, rounds) for _ in range(pairs)]
            told = statistics.median(ratios), min(ratios), max(ratios)
            table.add_row(name, *(f"{ratio:.3f}" for ratio in told))
        stdout_console().print(table)


def ratio_of(points: int, forcing: list[dict[str, Any]], dealias: str, rounds: int) -> float:
    """The time of a step with these forces, relative to that without."""
    flows = [flow_of(points, [], dealias), flow_of(points, forcing, dealias)]
    plain, own = step_in_turn(flows, rounds)
    for flow in flows:
        flow.close()
    return min(own) / min(plain)


if __name__ == "__main__":
    typer.run(main)
