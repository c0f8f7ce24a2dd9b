"""The cost of tracers in a step, and the error of their velocity, by kind and order of interpolation.

    .venv/bin/python benchmarks/particles.py                            128³, and 1/64 as many tracers
    .venv/bin/python benchmarks/particles.py --points 256 --tracers 10000000
    .venv/bin/python benchmarks/particles.py --machine here.toml        with planned times

It times steps of Navier–Stokes with and without tracers in turn; a force keeps the flow turbulent. The table
has the least times of both, the difference by tracer and stage, and the root of the mean square error of u at
the tracers over that of u. With a file from `mpiexec -n 1 whorl bench machine` it also has the planned times
of both. It writes no file. Nothing else should run meanwhile.
"""

from typing import Annotated, Any

import numpy as np
import typer
from rich.markup import escape
from rich.table import Table
from shared import seconds_of
from whorl import Case, Simulation, _core
from whorl.base.ranks import MPI
from whorl.config.schemes import SCHEMES
from whorl.machine.planner.machine import load_machine
from whorl.machine.planner.search import best, with_ranks
from whorl.machine.planner.whorl_load import Whorl
from whorl.particles.particles import Particles
from whorl.run.progress import stdout_console

KINDS = [("spline", 4), ("spline", 6), ("spline", 8), ("lagrange", 4), ("lagrange", 6), ("lagrange", 8)]
EXACT = 200  # tracers whose velocity is summed over all modes


def case_of(points: int, scheme: str, **more: Any) -> Case:
    """Turbulence from a random field, which the grid resolves to k_max η of about 1.5."""
    return Case(
        grid={"points": points},
        flow={"viscosity": 1.6 * (2 / points) ** (4 / 3)},
        time={"scheme": scheme, "courant": 0.5, "until": 100.0},
        initial={"name": "random", "k0": 2.0, "energy": 1.5},
        forcing=[{"kind": "constant-power", "power": 1.0, "k_max": 2.5}],
        **more,
    )


def error_of(state: Simulation, cloud: Particles) -> float:
    """The root of the mean square error of u at some tracers, over that of u."""
    positions = cloud.positions()[:EXACT] % (2 * np.pi)
    exact = np.empty(3 * len(positions))
    inputs = [[_core.Term(field=c)] for c in range(3)]
    state.flow.probe_points(inputs, positions.tolist()).read(exact)
    exact = exact.reshape(3, -1).T
    return np.sqrt(((cloud.sample("u")[:EXACT] - exact) ** 2).mean() / (exact**2).mean())


def planned(machine: str, case: Case) -> str:
    """Planned milliseconds of a step on one rank, and its nanoseconds a particle and stage if it has any."""
    way = best(Whorl(case), with_ranks(load_machine(machine), 1), 1)
    if way is None:
        return "no plan"
    stages = len(SCHEMES[case.time.scheme].stages)
    count = sum(one.number() for one in case.particles)
    each = f", {1e9 * way.parts.particles / count / stages:.3g} ns" if count else ""
    return f"{1e3 * way.parts.total:.3g}{each}"


def main(
    points: Annotated[int, typer.Option(help="Points along an axis.")] = 128,
    tracers: Annotated[int, typer.Option(help="Number of tracers; 0: 1/64 of the points.")] = 0,
    scheme: Annotated[str, typer.Option(help="The time scheme.")] = "rk2",
    spin_up: Annotated[int, typer.Option(help="Steps before anything is measured.")] = 100,
    steps: Annotated[int, typer.Option(help="Steps of each.")] = 15,
    machine: Annotated[str, typer.Option(help="A machine file, to plan the same.")] = "",
) -> None:
    """Time steps with tracers and without."""
    count = tracers or points**3 // 64
    title = f"{points}³, {count} tracers, {scheme}, double"
    heads = ["", "step [ms]", "without [ms]", "with / without", "a tracer and stage [ns]", "error of u"]
    if machine:
        heads.append("planned step [ms]")
    table = Table(*map(escape, heads), title=title, box=None)
    stages = len(SCHEMES[scheme].stages)
    with Simulation(case_of(points, scheme), comm=MPI.COMM_SELF) as without:
        for _ in range(spin_up):
            without.step()
        if machine:
            table.add_row("without", *[""] * (len(heads) - 2), planned(machine, without.case))
        checkpoint = without.modes("velocity").copy()
        for kind, order in KINDS:
            with Simulation(case_of(points, scheme), comm=MPI.COMM_SELF) as state:
                state.set_modes("velocity", checkpoint)
                cloud = state.particles(count, interpolation=kind, points=order)
                state.step()
                plain, seconds = seconds_of([without, state], steps)
                error = error_of(state, cloud)
            each = 1e9 * (seconds - plain) / count / stages
            row = (
                f"{kind} {order}",
                f"{1e3 * seconds:.3g}",
                f"{1e3 * plain:.3g}",
                f"{seconds / plain:.3g}",
                f"{each:.3g}",
                f"{error:.2g}",
            )
            if machine:
                group = {"kind": "tracer", "count": count, "interpolation": kind, "points": order}
                row = (*row, planned(machine, case_of(points, scheme, particles=[group])))
            table.add_row(*row)
    stdout_console().print(table)


if __name__ == "__main__":
    typer.run(main)
