"""The step of equations typed as text, against that of the built-in models.

    .venv/bin/python benchmarks/equations.py                     128³, double precision, one thread
    .venv/bin/python benchmarks/equations.py --points 256 --precision single --threads 2

It times steps in turn: of the model, of its text by tables, of its text with rows that this machine's C
compiler made (run.compile). The table has the least time of each, and the cost of text. Nothing else should
run meanwhile.
"""

from typing import Annotated, Any

import typer
from rich.table import Table
from shared import seconds_of
from whorl import Case, Simulation
from whorl.run.progress import stdout_console

NS = {"fields": {"u": "velocity"}, "parameters": {"nu": 0.01}}
# By name: the built-in model, and the same as text.
MODELS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "navier-stokes": ({"viscosity": 0.01}, NS | {"equations": ["dt(u) = -advect(u, u) + nu*lap(u)"]}),
    "boussinesq": (
        {"viscosity": 0.01, "diffusivity": 0.01, "buoyancy_frequency": 1.0},
        {
            "fields": {"u": "velocity", "b": "scalar"},
            "equations": [
                "dt(u) = -advect(u, u) - N*b*ez + nu*lap(u)",
                "dt(b) = -dot(u, grad(b)) + N*dot(u, ez) + nu*lap(b)",
            ],
            "parameters": {"nu": 0.01, "N": 1.0},
            "linear": "explicit",
        },
    ),
    "mhd": (
        {"viscosity": 0.01, "resistivity": 0.01},
        {
            "fields": {"u": "velocity", "b": "velocity"},
            "equations": [
                "dt(u) = -advect(u, u) + cross(curl(b), b) + nu*lap(u)",
                "dt(b) = curl(cross(u, b)) + nu*lap(b)",
            ],
            "parameters": {"nu": 0.01},
        },
    ),
    "gross-pitaevskii": (
        {"sound_speed": 2.0, "coherence_length": 0.5},
        {
            "fields": {"psi": "complex"},
            "equations": ["dt(psi) = i*(a*lap(psi) - b*(abs(psi)**2 - 1)*psi)"],
            "parameters": {"a": 0.5**0.5, "b": 8**0.5},
        },
    ),
}
ROUNDS = 8


def simulation_of(flow: dict[str, Any], points: int, rows: str, run: dict[str, Any]) -> Simulation:
    """A random field that steps by rk4; rows says whether typed equations are compiled."""
    case = Case(
        grid={"points": points},
        flow=flow,
        time={"scheme": "rk4", "dt": 1e-4, "steps": 1000},
        initial={"name": "random", "k0": 4.0, "energy": 0.5},
        run=run | {"compile": rows},
    )
    return Simulation(case)


def main(
    points: Annotated[int, typer.Option(help="Points along each axis.")] = 128,
    precision: Annotated[str, typer.Option(help="single or double.")] = "double",
    threads: Annotated[int, typer.Option(help="Threads.")] = 1,
) -> None:
    """Time typed equations against the built-in models."""
    table = Table("model", "built in [ms]", "tables [ms]", "compiled rows [ms]", "ratios")
    for model, (own, text) in MODELS.items():
        typed = {"model": "equations"} | text
        kinds = (({"model": model} | own, "never"), (typed, "never"), (typed, "always"))
        run = {"precision": precision, "threads": threads}
        states = [simulation_of(flow, points, rows, run) for flow, rows in kinds]
        built_in, *others = seconds_of(states, ROUNDS)
        for state in states:
            state.close()
        ratios = " ".join(f"{seconds / built_in:.3f}" for seconds in others)
        table.add_row(model, *(f"{1e3 * seconds:.1f}" for seconds in (built_in, *others)), ratios)
    stdout_console().print(table)


if __name__ == "__main__":
    typer.run(main)
