"""Chaos and coarsening by equations that are typed as text, against numbers of independent programs.

    .venv/bin/python validation/patterns.py              all of them; half an hour
    .venv/bin/python validation/patterns.py NAME         one of chaos-22, chaos-20pi, coarsening

chaos-22, chaos-20pi: the Kuramoto–Sivashinsky equation on a line of length 22 and 20π. A disturbance w
follows the linearised equation, with a loss that keeps it within the range of numbers. Its mean rate of
growth without the loss is the largest Lyapunov exponent.

coarsening: two phases that the Cahn–Hilliard equation parts in a plane of 384² points. Their size grows as
t^(1/3) (Lifshitz and Slyozov, J. Phys. Chem. Solids 19, 35 (1961)). The length of the interfaces, and with it
½⟨|∇c|²⟩, falls as t^(−1/3). Domains only some widths of an interface large grow more slowly (Huse,
Phys. Rev. B 34, 7845 (1986)), which the range of the exponent allows for.

The script prints the errors, writes them to validation/results, and exits with 1 if one is too large.
"""

import math
import tempfile
from typing import Annotated

import numpy as np
import typer
from comparison import Error, show, write_page_table, write_result
from whorl import Case, Simulation, open_run
from whorl.output.means import mean_of

app = typer.Typer(add_completion=False, help=__doc__, rich_markup_mode=None, pretty_exceptions_enable=False)

# By name: length, loss of the disturbance, and ½⟨u²⟩ and the largest exponent with their uncertainties, as an
# independent program found them. Published exponents of the length 22 are between 0.043 and 0.048.
CHAOS = {
    "chaos-22": (22.0, 0.048, (0.7028, 0.0035), (0.052, 0.006)),
    "chaos-20pi": (20 * math.pi, 0.085, (0.875, 0.007), (0.085, 0.005)),
}
AFTER, UNTIL = 500.0, 13000.0
SLOPE, SLOPE_RANGE = -1 / 3, 0.05
COARSE_FROM, COARSE_UNTIL = 8.0, 64.0  # earlier the phases part; later a box has few domains
SEEDS = range(3)


def chaos(name: str) -> Case:
    length, loss, *_ = CHAOS[name]
    points = 64 if length < 30 else 192
    k = 2 * math.pi / length
    return Case(
        grid={"points": [points, 1, 1], "lengths": [length, 1.0, 1.0]},
        flow={
            "model": "equations",
            "fields": {"u": "scalar", "w": "scalar"},
            "equations": [
                "dt(u) = -u*dx(u) - lap(u) - lap(lap(u))",
                "dt(w) = -dx(u*w) - lap(w) - lap(lap(w)) - loss*w",
            ],
            "parameters": {"loss": loss},
            "rate": f"abs(u)*{points / length!r}",
        },
        time={"scheme": "etdrk4", "dt": 0.1, "until": UNTIL},
        initial={
            "name": "formula",
            # without a symmetry, which the equation would keep
            "value": f"cos({k!r}*x) + 0.5*cos({2 * k!r}*x + 1) + 0.3*cos({5 * k!r}*x + 2)",
            "w": {"name": "formula", "value": f"sin({k!r}*x) + cos({3 * k!r}*x + 1)"},
        },
        output={"series_every": 1.0},
        run={"threads": 1},
    )


def coarsening(seed: int = 0) -> Case:
    return Case(
        grid={"points": [384, 384, 1], "lengths": [8 * math.pi, 8 * math.pi, 1.0]},
        flow={
            "model": "equations",
            "fields": {"c": "scalar"},
            "equations": ["dt(c) = lap(c**3 - c - g*lap(c))"],
            "parameters": {"g": 0.01},
        },
        time={"scheme": "etdrk2", "dt": 0.004, "until": COARSE_UNTIL},
        initial={"name": "random", "k0": 7.0, "energy": 0.005, "seed": seed},
        output={"series_every": 1.0},
        run={"threads": 1},
    )


def series_of(case: Case):
    """The series of a run."""
    with tempfile.TemporaryDirectory() as folder:
        with Simulation(case.updated(output={"directory": folder + "/run"})) as simulation:
            simulation.run()
        return open_run(folder + "/run").series.load()


def compare_chaos(name: str) -> list[Error]:
    _, loss, energy, exponent = CHAOS[name]
    series = series_of(chaos(name)).sel(time=slice(AFTER, None))
    growth = np.diff(np.log(series["w_energy"].values)) / 2 + loss
    errors = []
    for what, values, (expected, uncertainty) in (
        ("½⟨u²⟩", series["u_energy"].values[1:], energy),
        ("the largest exponent", growth, exponent),
    ):
        found = mean_of(series["time"].values[1:], values)
        own = f"{found.mean:.4f} ± {found.error:.4f} against {expected:g} ± {uncertainty:g}"
        apart = abs(found.mean - expected) / math.hypot(found.error, uncertainty)
        errors.append(Error(f"{name}: {what} {own}, in errors of both", apart, 3.0))
    return errors


def compare_coarsening() -> list[Error]:
    slopes = []
    for seed in SEEDS:
        series = series_of(coarsening(seed)).sel(time=slice(COARSE_FROM, None))
        slopes.append(np.polyfit(np.log(series["time"].values), np.log(series["c_gradients"].values), 1)[0])
    mean, error = np.mean(slopes), np.std(slopes, ddof=1) / math.sqrt(len(slopes))
    what = (
        f"coarsening: ½⟨|∇c|²⟩ ∝ t^({mean:.3f} ± {error:.3f}) for t from {COARSE_FROM:g} to "
        f"{COARSE_UNTIL:g}, in {len(slopes)} realisations, against -1/3"
    )
    return [Error(what, abs(mean - SLOPE), SLOPE_RANGE)]


NAMES = (*CHAOS, "coarsening")


@app.command()
def main(name: Annotated[str | None, typer.Argument(help=f"One of {', '.join(NAMES)}.")] = None) -> None:
    if name is not None and name not in NAMES:
        raise typer.BadParameter(f"{name} is none of {', '.join(NAMES)}")
    failed = False
    for one in NAMES if name is None else (name,):
        errors, case = (
            (compare_chaos(one), chaos(one)) if one in CHAOS else (compare_coarsening(), coarsening())
        )
        title = "The Kuramoto–Sivashinsky equation" if one in CHAOS else "Two phases coarsen"
        show(title, errors)
        write_result(one, title, errors, {"case": case.to_dict()})
        write_page_table(one, errors)
        failed |= any(error.verdict == "FAILED" for error in errors)
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    app()
