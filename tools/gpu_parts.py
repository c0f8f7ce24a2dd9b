"""The parts of tools/gpu_check that use whorl; each prints its result as one line of JSON.

python tools/gpu_parts.py machine | small | equality MODEL | steps SIZES SECONDS | particles SIZES SECONDS |
    choices CASES SECONDS

They use the device cuda, or cpu-as-gpu where WHORL_CHECKED names that, as a card with little memory.
"""

import json
import math
import os
import sys
import time
from typing import Any

import numpy as np
from whorl import _core
from whorl.base.ranks import MPI
from whorl.config.clock import Clock
from whorl.machine.benches.common import bench_case
from whorl.machine.benches.step import OF_TRACERS
from whorl.particles.particles import added
from whorl.run.core_options import core_options, core_scheme
from whorl.run.memory.fitting import choose_planes, largest_points

DEVICE = os.environ.get("WHORL_CHECKED", "cuda")
TOY = {"name": "cpu-as-gpu", "memory": 16 << 20, "block_memory": 227 << 10, "copies": 1e10}
MOST = 4096  # largest number of points of an axis that is tried
# What is chosen by hand, one after another, beside planes that fill the GPU where the choice is not of these.
FULL = {"plane_bytes": _core.MOST_PLANE_BYTES}
CHOICES: tuple[dict[str, Any], ...] = (
    FULL,
    {"plane_bytes": 24 << 20},  # of a stream: with those of the other they stay in the second cache
    *({"lane_bytes": lanes} for lanes in (32, 64, 128)),
    *({"block_threads": threads} for threads in (128, 192, 256, 384, 512)),
    *({"block_pairs": pairs} for pairs in (1, 2, 4, 8)),
    *({"planes": planes} for planes in (16, 8, 4, 2, 1)),
    {"lines": "fftw"},
)
STEPS = 5  # of which the shortest counts
STEPS_OF_CHOICE = 2  # of many choices, which are compared only with each other
EPSILON = {"single": float(np.finfo("f4").eps), "double": float(np.finfo("f8").eps)}
# Roundings by which two computations of the same three steps may differ: transforms have errors of about
# eps log2 of the points, and values are sums of a few terms.
ALLOWED = 500.0
ZERO = [
    *("hyperviscosity", "hyperviscosity_power", "hypoviscosity", "hypoviscosity_power", "drag"),
    *("beta", "hall", "kinematic", "field_direction_x", "field_direction_y"),
    *(f"{name}_{axis}" for name in ("rotation", "mean_velocity", "mean_field") for axis in "xyz"),
]
PARAMETERS = dict.fromkeys(ZERO, 0.0) | {
    "viscosity": 0.01,
    "diffusivity": 0.02,
    "resistivity": 0.02,
    "buoyancy_frequency": 1.0,
    "interaction": 0.5,
    "field_direction_z": 1.0,
    "dispersion": 0.05,
    "density": 1.0,
}


def options(model: str, points: tuple[int, int, int], **settings: Any) -> Any:
    case = bench_case(8, "double", None, model, "rk2", 1, [])
    typed = model == "equations"
    parameters = {} if typed else {name: PARAMETERS[name] for name in case.flow.constants()}
    given = {"lengths": (2 * math.pi,) * 3, "parameters": parameters, **settings}
    if typed:
        given["equations"] = core_options(case, 1).equations
    given["scheme"] = core_scheme("rk2")
    return _core.Options(model=model, points=points, **given)


def make(chosen: Any) -> Any:
    return _core.Flow(chosen, MPI.COMM_SELF.py2f())


def fill(flow: Any, energy: float = 0.5) -> None:
    """Set every field of the state with random phases."""
    shells = [0.0] + [energy / (n + 1) ** 2 for n in range(1, 16)]
    for seed, name in enumerate(_core.model_shape(flow.options)["fields"]):
        flow.set_random(shells, seed + 1, name)


def read(flow: Any, name: str, components: int) -> np.ndarray:
    nx, ny, nz = flow.options.points
    whole = np.zeros((components, nz, ny, nx))

    def consume(z0: int, z1: int, y0: int, y1: int, block: np.ndarray) -> None:
        whole[:, z0:z1, y0:y1] = block

    flow.read_fields(name, consume)
    return whole


def card() -> dict[str, Any]:
    return _core.gpus()[0] if DEVICE == "cuda" else TOY


def free_memory() -> int:
    return _core.gpu_free_memory(0) if DEVICE == "cuda" else TOY["memory"]


def copy_bandwidth() -> float:
    return _core.gpu_copy_bandwidth() if DEVICE == "cuda" else TOY["copies"]


def machine() -> dict[str, Any]:
    gpu = card()
    size = f"{gpu['memory'] / 2**30:.3g} GiB"
    models = list(_core.build_info()["models"])
    return {"gpu": f"{gpu['name']}, {size}", "copies": copy_bandwidth(), "models": models}


# Grids small enough for a checked run: lines in blocks; of the library, with scalars; with a single row in a
# plane, beside which there is none to pair it with; between walls; and one so long that a block has more
# memory than without asking, and the most threads.
SMALL: tuple[tuple[str, tuple[int, int, int], dict[str, Any]], ...] = (
    ("navier-stokes", (24, 20, 18), {"dealias": "phase-shift"}),
    ("navier-stokes", (24, 14, 18), {"lines": "fftw", "scalars": [("dye", [0.02, 0.0, 0.0, 1.0])]}),
    ("navier-stokes", (24, 1, 18), {"lines": "fftw"}),
    ("rayleigh-benard", (12, 14, 16), {"bases": "SFF"}),
    ("navier-stokes", (4, 6, 4096), {}),
)


def small() -> dict[str, Any]:
    """All parts of a run on each of SMALL."""
    energies = []
    for model, points, settings in SMALL:
        flow = make(options(model, points, device=DEVICE, **settings))
        fill(flow)
        for step in range(2):
            flow.step(0.0001, 0.5, 0.01, step)
        name, components = next(iter(_core.model_shape(flow.options)["outputs"].items()))
        read(flow, name, components)
        energies.append(dict(flow.statistics())["energy"])
    return {"energies": energies}


def equality(model: str) -> dict[str, Any]:
    """Three steps of a model on the CPU and on the GPU: roundings between their fields."""
    points = (24, 20, 1) if model == "navier-stokes-2d" else (24, 20, 18)
    bases = "SFF" if model == "rayleigh-benard" else "FFF"
    found = {}
    for precision, epsilon in EPSILON.items():
        after = []
        for device in ("cpu", DEVICE):
            flow = make(options(model, points, bases=bases, precision=precision, device=device))
            fill(flow)
            for step in range(3):
                flow.step(0.001, 0.0, 1.0, step)
            names = _core.model_shape(flow.options)["fields"]
            after.append(np.concatenate([read(flow, name, n) for name, n in names.items()]))
        difference = np.abs(after[0] - after[1]).max() / np.abs(after[0]).max()
        found[precision] = float(difference / epsilon) if np.isfinite(difference) else math.inf
    if not max(found.values()) < ALLOWED:
        raise SystemExit(f"CPU and GPU differ by {max(found.values()):.0f} roundings: {model} {found}")
    return {"models": {model: found}}


def traffic(n: int, dealias: str, shape: str, value: int, block_memory: int) -> tuple[float, float]:
    """Bytes of a step (two right-hand sides, rk2) of Navier-Stokes: those its kernels read and write, each
    array of a kernel once, and the least: state and columns, if planes never left the chip.

    Work that does not fit into a block with its lines (docs/gpu.md) is a separate kernel.
    """
    chosen = options("navier-stokes", (n, n, n), dealias=dealias, shape=shape)
    shares = _core.shares(chosen, (1, 1))
    columns = shares["columns"] * n
    modes = _core.estimate_memory(chosen, 1)["state"] / 16 / 6  # double, two registers of three fields
    planes, kept = shares["elements"] * n * n, (2 * shares["elements"] - 1) / n
    inputs, products, fluxes, fields = 3, 5, 4, 3

    def alone(variables: int) -> bool:
        return 32 * n * variables > block_memory

    inwards = fields * modes + inputs * (2 * columns + 2 * planes)
    outwards = products * 2 * planes + fluxes * 2 * columns
    if alone(inputs):
        inwards += inputs * 2 * kept * columns
    if alone(products):
        outwards += products * (kept * planes + columns)
    if alone(fluxes):
        outwards += fluxes * (kept * columns + modes)
    registers = 3.5 * fields * modes  # read and written by the two stages, on average
    all_moved = inwards + outwards + registers
    least = fields * modes + 2 * (inputs + fluxes) * columns + registers
    return 2 * value * all_moved, 2 * value * least


def cube(n: int, precision: str, dealias: str, shape: str) -> Any:
    case = {"dealias": dealias, "shape": shape, "precision": precision, "device": DEVICE}
    return options("navier-stokes", (n, n, n), **case)


def largest(precision: str, dealias: str, shape: str, room: float) -> int:
    """Points an axis of the largest cube that fits."""
    chosen = cube(MOST, precision, dealias, shape)
    points = largest_points(chosen, 1, choose_planes(chosen, 1, room), room)
    return points[0] if points else 0


def a_flow(chosen: Any) -> Any:
    """A flow that has made its first step."""
    flow = make(chosen)
    fill(flow)
    flow.step(1e-4, 0.0, 1.0, 0)
    flow.timings()
    return flow


def seconds_of(flow: Any, steps: int = STEPS) -> float:
    """The shortest of some steps."""
    seconds = []
    for number in range(1, steps + 1):
        start = time.perf_counter()
        flow.step(1e-4, 0.0, 1.0, number)
        flow.timings()  # waits for the device
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def time_steps(
    n: int, precision: str, dealias: str, shape: str, copies: float, chosen: Any
) -> dict[str, Any]:
    free = free_memory()
    flow = a_flow(chosen)
    taken = free - free_memory()
    planned = sum(_core.estimate_memory(flow.options, 1).values())
    best = seconds_of(flow)
    flow.reset_timings()
    flow.step(1e-4, 0.0, 1.0, STEPS + 1)
    timings = flow.timings()
    parts = {
        name: timings[name] / timings["total"]
        for name in ("z_lines", "y_lines", "x_lines", "pack", "point", "modes")
    }
    block_memory = card()["block_memory"]
    moved, least = traffic(n, dealias, shape, 8 if precision == "single" else 16, block_memory)
    return {
        "case": name_of((n, precision, dealias, shape)),
        "seconds": best,
        "bytes": moved,
        "over_floor": best / (least / copies),
        "memory": taken,
        "planned": planned,
        "parts": parts,
        "planes": [trial for trial in flow.plane_trials if trial[2] > 0],
    }


def name_of(case: tuple[int, str, str, str]) -> str:
    n, precision, dealias, shape = case
    return f"{n}³ {precision} {dealias}{' sphere' if dealias == '2/3' and shape == 'sphere' else ''}"


def told(key: str, found: list[dict[str, Any]], wanted: list[str]) -> dict[str, Any]:
    """What was found so far, and what of the wanted is left; printed, since all may end at any time."""
    so_far = {key: found, "left_out": wanted[len(found) :]}
    print(json.dumps(so_far), flush=True)
    return so_far


def steps(sizes: str, seconds: str) -> dict[str, Any]:
    end = time.monotonic() + float(seconds)
    copies, room = copy_bandwidth(), 0.97 * free_memory()
    wanted = [(int(n), precision, "phase-shift", "cube") for n in sizes.split(",") for precision in EPSILON]
    for precision, *truncation in (
        ("single", "2/3", "sphere"),
        ("single", "phase-shift", "cube"),
        ("double", "phase-shift", "cube"),
    ):
        wanted.append((largest(precision, *truncation, room), precision, *truncation))
    fitting = [case for case in wanted if case[0] and choose_planes(cube(*case), 1, room) <= room]
    names, done = [name_of(case) for case in fitting], []
    found = told("steps", done, names)
    for case in fitting:
        if time.monotonic() > end:
            break
        chosen = cube(*case)
        choose_planes(chosen, 1, room)
        done.append(time_steps(*case, copies, chosen))
        found = told("steps", done, names)
    return found


def particles(sizes: str, seconds: str) -> dict[str, Any]:
    """Steps in single precision with N³/64 tracers against steps without."""
    end, room, done = time.monotonic() + float(seconds), 0.97 * free_memory(), []
    names = [f"{n}³ single" for n in sizes.split(",")]
    found = told("particles", done, names)
    for n in map(int, sizes.split(",")):
        case = bench_case(n, "single", "phase-shift", "navier-stokes", "rk2", 1, [f"run.device={DEVICE}"])
        chosen = core_options(case, 1)
        if time.monotonic() > end or sum(_core.estimate_memory(chosen, 1).values()) > room:
            break
        flow = a_flow(chosen)
        without = seconds_of(flow)
        count = max(n**3 // 64, 1)
        group = added(case, MPI.COMM_SELF, flow, Clock(), count, OF_TRACERS)
        flow.step(1e-4, 0.0, 1.0, 1)
        with_them = seconds_of(flow)
        of_group = {"count": group.count, "without": without, "seconds": with_them}
        done.append({"case": f"{n}³ single", **of_group})
        found = told("particles", done, names)
    return found


def in_words(chosen: dict[str, Any]) -> str:
    return ", ".join(
        f"{name} {value >> 20} MiB" if name == "plane_bytes" else f"{name} {value}"
        for name, value in chosen.items()
    )


def choices(cases: str, seconds: str) -> dict[str, Any]:
    """Seconds of a step of cases, such as 512:single,512:double, by each of CHOICES.

    Each case has the same part of the time that is left. None is tried that does not fit.
    """
    end, room = time.monotonic() + float(seconds), 0.97 * free_memory()
    found, left_out = [], []
    all_cases = [(int(n), precision) for n, precision in (case.split(":") for case in cases.split(","))]
    for number, (n, precision) in enumerate(all_cases):
        now = time.monotonic()
        until = now + (end - now) / (len(all_cases) - number)
        for chosen in CHOICES:
            with_it = options(
                "navier-stokes",
                (n, n, n),
                **{"device": DEVICE, "dealias": "phase-shift", "precision": precision, **FULL, **chosen},
            )
            if sum(_core.estimate_memory(with_it, 1).values()) > room:
                continue
            case, choice = f"{n}³ {precision}", in_words(chosen)
            if time.monotonic() > until:
                left_out.append(f"{case}, {choice}")
                continue
            taken = seconds_of(a_flow(with_it), STEPS_OF_CHOICE)
            found.append({"case": case, "choice": choice, "seconds": taken})
            print(json.dumps({"choices": found, "left_out": left_out}), flush=True)
    return {"choices": found, "left_out": left_out}


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](*sys.argv[2:])), flush=True)
