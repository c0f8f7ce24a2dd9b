"""The cost of expressions and diagnostics in right-hand sides, and against passes of the core's own.

    .venv/bin/python benchmarks/programs.py                  128³ and 256³
    .venv/bin/python benchmarks/programs.py --points 128     one grid

Each row is the least time of several calls, in turn with right-hand sides of Navier–Stokes, and in units of
these. Operations cost the difference of the two rows with all gradients, programs as such the ratios of the
velocity and of the vorticity to the core's own passes. It writes nothing. Nothing else should run meanwhile.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import typer
from rich.table import Table
from whorl import Case
from whorl._core import Flow
from whorl.base.ranks import MPI
from whorl.config.clock import Clock
from whorl.diagnostics.record import Diagnostics
from whorl.expressions.answers import answer
from whorl.expressions.plan import plan_of
from whorl.initial.fields import set_initial
from whorl.output.sample import StateSample
from whorl.probes.ask import Reading
from whorl.run.core_options import core_options
from whorl.run.progress import stdout_console
from whorl.run.threads import threads_of_rank

GRADIENTS = [f"d{axis}(u.{part})" for axis in "xyz" for part in "xyz"]
# The gradients with one operation each, and the same gradients with many.
FEW = "mean(" + " + ".join(f"abs({name})" for name in GRADIENTS) + ")"
MANY = "mean(sum(grad(u)**2)*nu + 1.0*det(grad(u)) + 1.0*trace(grad(u) @ grad(u))/2)"
QUANTITIES = {
    "PDFs of nine gradients": {"kind": "pdf", "of": "grad(u)"},
    "PDFs of nine gradients, bins given": {
        "kind": "pdf",
        "of": "grad(u)",
        "scale": "absolute",
        "range": [-50, 50],
    },
    "moments of nine gradients": {"kind": "moments", "of": "grad(u)"},
    "PDF of the pressure": {"kind": "pdf", "of": "p"},
    "set gradients": {"kind": "gradients"},
    "set dissipation": {"kind": "dissipation"},
    "set pressure": {"kind": "pressure"},
    "joint PDF of Q and R": {"kind": "joint-pdf", "of": ["-trace(grad(u) @ grad(u))/2", "-det(grad(u))"]},
    "conditional mean": {"kind": "conditional", "of": "u.y", "given": "u.x"},
    "profiles": {"kind": "profile", "of": ["u", "u.x*u.z"]},
    "structure functions along x": {"kind": "structure-functions", "of": "u", "along": ["x"]},
    "structure functions along x, y and z": {"kind": "structure-functions", "of": "u"},
    "spectrum": {"kind": "spectrum", "of": "u"},
    "spectrum over kperp and kpar": {"kind": "spectrum", "of": "u", "over": ["kperp", "kpar"]},
    "transfer of all terms": {"kind": "transfer"},
    "shell to shell": {"kind": "shell-to-shell", "shells": "logarithmic", "per_octave": 2},
    "correlations": {"kind": "correlation", "of": "u"},
}
PROBES = {
    "100 modes": {"kind": "modes", "of": "u", "modes": [[n % 10, n // 10, 3] for n in range(100)]},
    "a point": {"kind": "points", "of": "u", "positions": [1.0, 2.0, 3.0]},
    "a line of 64 points along x": {"kind": "points", "of": "u", "first": 0, "last": [6, 0, 0], "points": 64},
    "a line of 64 points along z": {"kind": "points", "of": "u", "first": 0, "last": 6, "points": 64},
    "8 scattered points": {
        "kind": "points",
        "of": "u",
        "positions": [[0.1 + 0.7 * n, 0.2 + 0.6 * n, 0.3 + 0.5 * n] for n in range(8)],
    },
}
EXPRESSIONS = {
    "mean(u.x*u.y)": "mean(u.x*u.y)",
    "2ν⟨s_ij s_ij⟩": "2*nu*mean(sum(strain(u)**2))",
    "mean(p**2)": "mean(p**2)",
    "average over a ball": "mean(average(2*nu*sum(strain(u)**2), 0.3)**2)",
}


def case_of(points: int, dealias: str, precision: str, device: str = "cpu") -> Case:
    return Case(
        grid={"points": points, "dealias": dealias},
        flow={"viscosity": 1e-3},
        time={"scheme": "rk2", "dt": 1e-4, "steps": 10**6},
        initial={"name": "random"},
        run={"precision": precision, "device": device},
    )


def flow_of(case: Case) -> Flow:
    comm = MPI.COMM_SELF
    flow = Flow(core_options(case, threads_of_rank(comm)), comm.py2f())
    set_initial(flow, case, None, comm)
    return flow


def least_in_turn(
    calls: dict[str, Callable[[], Any]], rounds: int, wait: Callable[[], Any]
) -> dict[str, float]:
    """The least seconds of each call, one of each at a time, after a warm-up."""
    least = dict.fromkeys(calls, float("inf"))
    for number in range(rounds + 1):
        for name, call in calls.items():
            began = time.perf_counter()
            call()
            wait()
            if number:
                least[name] = min(least[name], time.perf_counter() - began)
    return least


def calls_of(case: Case, flow: Flow) -> dict[str, Callable[[], Any]]:
    """All that is timed, by name."""
    ignore = lambda *_: None  # noqa: E731
    calls: dict[str, Callable[[], Any]] = {"right-hand side": flow.evaluate}
    for name, text in (("gradients", FEW), ("gradients, more operations", MANY)):
        of = case.planned.asked(means=[text])
        calls[f"{name}: {plan_of(of)}"] = partial(answer, of, flow, 0.0)
    for name in ("velocity", "vorticity"):
        calls[f"{name}, a pass of the core"] = partial(flow.read_fields, name, ignore)
        of = case.planned.asked([name if name == "velocity" else "curl(u)"])
        calls[f"{name}, a program"] = partial(answer, of, flow, 0.0, ignore)
    for name, text in EXPRESSIONS.items():
        calls[name] = partial(answer, case.planned.asked(means=[text]), flow, 0.0)
    for name, options in QUANTITIES.items():
        asked = case.updated(diagnostics=[options])
        table, sample = Diagnostics(asked, MPI.COMM_SELF, keeps=True), StateSample(asked, flow, Clock(), {})
        calls[name] = partial(table.measure, sample, list(table.rows))
    for name, options in PROBES.items():
        asked = case.updated(probes=[options])
        calls[f"probes, {name}"] = partial(Reading(asked, asked.probes[0]).read, flow)
    return calls


def main(
    points: Annotated[list[int] | None, typer.Option(help="Points along an axis; repeat as needed.")] = None,
    rounds: Annotated[int, typer.Option(help="Calls of each.")] = 7,
    dealias: Annotated[str, typer.Option(help="The dealiasing.")] = "2/3",
    precision: Annotated[str, typer.Option(help="single or double.")] = "double",
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
) -> None:
    """Time every diagnostic on every grid."""
    for n in points or [128, 256]:
        case = case_of(n, dealias, precision, device)
        flow = flow_of(case)
        least = least_in_turn(calls_of(case, flow), rounds, flow.timings)  # which waits for a device
        unit = least["right-hand side"]
        table = Table("", "ms", "right-hand sides", title=f"{n}³, {precision}, {dealias}, {device}", box=None)
        for name, seconds in least.items():
            table.add_row(name, f"{1e3 * seconds:.3g}", f"{seconds / unit:.2g}")
        stdout_console().print(table)
        flow.close()


if __name__ == "__main__":
    typer.run(main)
