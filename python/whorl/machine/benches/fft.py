"""`whorl bench fft`: the kernel of Yeung and Pekurovsky, which transforms sin x cos y sin z and back.

The spectrum must be a single spike and the field must come back, else the bench fails. Operations are
counted as in their papers, whatever is truncated: two real transforms of half of 5 N log2 N, with N the
number of grid points.
"""

import math
import statistics
from dataclasses import asdict
from typing import Any

import numpy as np
from rich.console import Console

from whorl import _core
from whorl.base.errors import CaseError, RunFault
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.config.positions import coordinates
from whorl.initial.fields import FieldFunction
from whorl.machine.benches.common import (
    WARM_UP,
    add_limits,
    bench_case,
    facts_table,
    layout_of,
    means,
    measure_floor,
    provenance,
    show_headline,
    spread,
    timed_calls,
)
from whorl.machine.floor import pair_work
from whorl.run.core_options import describe
from whorl.run.tune import checked_options

VARIABLES = 3  # the components of the velocity, each transformed by itself
LEAST_POINTS = 8  # so that every dealiasing keeps the kernel
# The parts of a pair in order, from the timers of `Flow.timings`.
PARTS = ("z_lines", "column", "y_lines", "row", "x_lines", "pack", "modes", "point", "other")


def fft_case(
    points: int, precision: str, dealias: str | None, bases: str, threads: int, settings: list[str]
) -> Case:
    """A case whose velocity is transformed, with equally long waves in the kernel. Raises CaseError."""
    model = "navier-stokes" if bases == "FFF" else "rayleigh-benard"
    lengths = [1.0 if basis == "S" else 2.0 for basis in (bases[::-1] + "FFF")[:3]]
    box = [f"grid.bases={bases}", f"grid.lengths={lengths}"]
    case = bench_case(points, precision, dealias or "none", model, "rk2", threads, [*box, *settings])
    if min(n for n in case.grid.points if n > 1) < LEAST_POINTS:
        raise CaseError(
            f"grid.points = {list(case.grid.points)} are too few for whorl bench fft: some dealiasing "
            f"would drop its one mode; give {LEAST_POINTS} or more along each axis."
        )
    return case


def kernel(case: Case) -> FieldFunction:
    """The kernel sin x cos y sin z in every component; between walls half a wave, sine or cosine as required.

    It is constant along an axis of one point.
    """
    nx, ny, nz = case.grid.points
    walls = [basis == "S" for basis in reversed(case.grid.bases)]

    def wave(axis: int, component: int, x: np.ndarray) -> np.ndarray:
        if (nx, ny, nz)[axis] == 1:
            return np.ones_like(x)
        sine = component == axis if walls[axis] else axis != 1
        phase = wavenumber(case, axis) * x
        return np.sin(phase) if sine else np.cos(phase)

    def components(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> list[np.ndarray]:
        return [wave(0, v, x) * wave(1, v, y) * wave(2, v, z) for v in range(VARIABLES)]

    return components


def wavenumber(case: Case, axis: int) -> float:
    """The wavenumber of a wave in the box, or half a wave between walls; 0 along an axis of one point."""
    if case.grid.points[axis] == 1:
        return 0.0
    return (1 if case.grid.bases[2 - axis] == "S" else 2) * math.pi / case.grid.lengths[axis]


def set_kernel(flow: _core.Flow, case: Case) -> None:
    x, y, z = coordinates(case.grid)
    function = kernel(case)

    def fill(z0: int, z1: int, y0: int, y1: int, out: np.ndarray) -> None:
        block = function(x[None, None, :], y[None, y0:y1, None], z[z0:z1, None, None])
        for component, values in zip(out, block, strict=True):
            component[...] = values

    flow.set_physical(fill, project=False, field="velocity")


def verify(flow: _core.Flow, case: Case, pairs: int, comm: MPI.Intracomm) -> dict[str, float]:
    """The errors of the kernel after `pairs` pairs, with the error that rounding allows; RunFault if larger.

    `spike` is the fraction of the energy that is missing in the kernel's shell or is in another; `field` is
    the largest error at a point, relative to the kernel's amplitude of 1. Collective.
    """
    allowed = 4 * rounding(case, comm) * pairs * math.log2(math.prod(case.grid.points))
    found = {"spike": _spike_error(flow, case), "field": _field_error(flow, case, comm), "allowed": allowed}
    plain = comm.size == 1 or flow.options.transport == "alltoall"
    for name, what in (("spike", "its spectrum is no single spike: "), ("field", "it did not come back: ")):
        if not found[name] <= allowed:
            raise RunFault(
                f"sin x cos y sin z is wrong after {pairs} pairs of transforms, {what}an error of "
                f"{found[name]:.3g} where rounding allows {allowed:.3g}. Please report it with this command"
                + ("." if plain else '; meanwhile run.transport = "alltoall" may do.')
            )
    return found


def rounding(case: Case, comm: MPI.Intracomm) -> float:
    """Half the spacing of numbers around 1 in the precision of the transforms, or of the wire."""
    single = case.run.precision == "single" or (case.run.wire == "single" and comm.size > 1)
    return float(np.finfo(np.float32 if single else np.float64).eps) / 2


def _spike_error(flow: _core.Flow, case: Case) -> float:
    spectra = flow.spectra()
    energy = np.asarray(spectra["energy"])
    k = math.hypot(*(wavenumber(case, axis) for axis in range(3)))
    shell = math.floor(k / spectra["k"][1] + 0.5)
    waving = sum(n > 1 for n in case.grid.points)
    whole = 0.5 * VARIABLES * 0.5**waving  # ½⟨u²⟩, each wave a mean square of ½
    expected = np.zeros_like(energy)
    expected[shell] = whole
    return float(np.abs(energy - expected).sum() / whole)


def _field_error(flow: _core.Flow, case: Case, comm: MPI.Intracomm) -> float:
    x, y, z = coordinates(case.grid)
    function = kernel(case)
    largest = 0.0

    def compare(z0: int, z1: int, y0: int, y1: int, values: np.ndarray) -> None:
        nonlocal largest
        exact = function(x[None, None, :], y[None, y0:y1, None], z[z0:z1, None, None])
        for of_component, expected in zip(values, exact, strict=True):
            error = float(np.abs(of_component - expected).max(initial=0.0))
            largest = max(largest, error if math.isfinite(error) else math.inf)

    flow.read_fields("velocity", compare)
    return comm.allreduce(largest, MPI.MAX)


def operations(case: Case) -> float:
    """Operations of a pair of transforms of all variables: 2 · 5/2 N log2 N each, with N grid points."""
    n = math.prod(case.grid.points)
    return VARIABLES * 2 * 2.5 * n * math.log2(n)


def time_pairs(flow: _core.Flow, times: int, comm: MPI.Intracomm) -> list[dict[str, float]]:
    """Seconds by part of each pair of transforms of the velocity, after a warm-up. Collective."""
    return timed_calls(flow, lambda _: flow.transform_pair("velocity"), times, comm)


def measure_fft(case: Case, times: int, comm: MPI.Intracomm) -> dict[str, Any]:
    """Times `times` pairs after a warm-up. Collective; the same figures on every rank.

    Seconds are those of a pair of all VARIABLES, the median of the slowest rank; `parts` are means. Raises
    CaseError, and RunFault if the kernel does not come back.
    """
    options, trials = checked_options(case, comm)
    flow = _core.Flow(options, comm.py2f())
    set_kernel(flow, case)
    calls = time_pairs(flow, times, comm)
    errors = verify(flow, case, WARM_UP + times + 1, comm)  # setting and reading the kernel are a pair, too
    layout = layout_of(flow) | {"tried": [asdict(trial) for trial in trials]}
    summary = describe(case, flow)
    flow.close()
    seconds = statistics.median(call["wall"] for call in calls)
    floor, limits = measure_floor(pair_work(case, VARIABLES), case.run, layout["threads"], comm)
    mean = means(calls)
    return {
        "seconds_per_pair": seconds,
        "seconds_per_variable": seconds / VARIABLES,
        "variables": VARIABLES,
        "pairs": spread([call["wall"] for call in calls]),
        "parts": {part: mean[part] for part in PARTS} | {"exchange": mean["exchange"]},
        "operations": operations(case),
        "gigaflops": operations(case) / seconds / 1e9,
        "floor_seconds_per_pair": floor,
        "fraction_of_floor": floor / seconds,
        "errors": errors,
        "limits": limits,
        "summary": summary,
        "case": case.to_dict(),
        "layout": layout,
        **provenance(comm),
    }


def show_fft(figures: dict[str, Any], console: Console) -> None:
    """Print the figures as a table."""
    show_headline(figures, console)
    seconds, floor, pairs = (figures[key] for key in ("seconds_per_pair", "floor_seconds_per_pair", "pairs"))
    table = facts_table()
    about = f"{figures['variables']} variables; median of {pairs['count']}, least {pairs['minimum']:.4g}"
    table.add_row("pair of transforms", f"{seconds:.4g} s", about)
    table.add_row("a variable", f"{figures['seconds_per_variable']:.4g} s")
    for name in PARTS:
        value = figures["parts"][name]
        table.add_row(f"  {name}", f"{value:.4g} s", f"{100 * value / pairs['mean']:.0f} %")
    table.add_row("rate", f"{figures['gigaflops']:.4g}", "GFLOP/s, counting 2 · 5/2 N³ log2 N³ each")
    table.add_row("floor", f"{floor:.4g} s", f"{figures['fraction_of_floor']:.2f} of it reached")
    errors = figures["errors"]
    remark = f"spectrum {errors['spike']:.2g}; rounding allows {errors['allowed']:.2g}"
    table.add_row("largest error", f"{errors['field']:.2g}", remark)
    add_limits(table, figures["limits"])
    console.print(table)
