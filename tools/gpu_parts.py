"""The parts of tools/gpu_check that use whorl; each prints its result as one line of JSON.

python tools/gpu_parts.py machine | small | equality | steps SIZES SECONDS | choices SECONDS
"""

import json
import math
import sys
import time
from typing import Any

import numpy as np
from whorl import _core
from whorl.base.ranks import MPI
from whorl.machine.benches.common import bench_case
from whorl.run.core_options import core_scheme
from whorl.run.fitting import choose_planes, largest_points

DEVICE = "cuda"
MOST = 4096  # largest number of points of an axis that is tried
CHOICES = ((512, "single"), (1024, "single"), (512, "double"))  # points an axis, precision
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
    known = bench_case(8, "double", None, model, "rk2", 1, []).flow.parameters()
    parameters = {name: PARAMETERS[name] for name in known}
    given = {"lengths": (2 * math.pi,) * 3, "parameters": parameters, **settings}
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


def machine() -> dict[str, Any]:
    gpu = _core.gpus()[0]
    return {"gpu": f"{gpu['name']}, {gpu['memory'] / 2**30:.0f} GiB", "copies": _core.gpu_copy_bandwidth()}


def small() -> dict[str, Any]:
    """All parts of a run, on a grid small enough for a checked run."""
    flow = make(options("navier-stokes", (24, 20, 18), dealias="phase-shift", device=DEVICE))
    fill(flow)
    for step in range(2):
        flow.step(0.001, 0.5, 0.01, step)
    read(flow, "vorticity", 3)
    return {"statistics": dict(flow.statistics())}


def equality() -> dict[str, Any]:
    """Three steps of each model on the CPU and on the GPU: roundings between their fields."""
    models: dict[str, dict[str, float]] = {}
    for model in _core.build_info()["models"]:
        points = (24, 20, 1) if model == "navier-stokes-2d" else (24, 20, 18)
        bases = "SFF" if model == "rayleigh-benard" else "FFF"
        models[model] = {}
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
            models[model][precision] = float(difference / epsilon) if np.isfinite(difference) else math.inf
    worst = max(value for of in models.values() for value in of.values())
    if not worst < ALLOWED:
        raise SystemExit(f"CPU and GPU differ by {worst:.0f} roundings: {models}")
    return {"models": models}


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


def seconds_of(flow: Any) -> float:
    """The shortest of five steps."""
    seconds = []
    for number in range(1, 6):
        start = time.perf_counter()
        flow.step(1e-4, 0.0, 1.0, number)
        flow.timings()  # waits for the device
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def time_steps(
    n: int, precision: str, dealias: str, shape: str, copies: float, chosen: Any
) -> dict[str, Any]:
    planned = sum(_core.estimate_memory(chosen, 1).values())
    free = _core.gpu_free_memory(0)
    flow = a_flow(chosen)
    taken = free - _core.gpu_free_memory(0)
    best = seconds_of(flow)
    flow.reset_timings()
    flow.step(1e-4, 0.0, 1.0, 6)
    timings = flow.timings()
    parts = {
        name: timings[name] / timings["total"]
        for name in ("z_lines", "y_lines", "x_lines", "pack", "point", "modes")
    }
    block_memory = _core.gpus()[0]["block_memory"]
    moved, least = traffic(n, dealias, shape, 8 if precision == "single" else 16, block_memory)
    return {
        "case": f"{n}³ {precision} {dealias}{' sphere' if dealias == '2/3' and shape == 'sphere' else ''}",
        "seconds": best,
        "bytes": moved,
        "over_floor": best / (least / copies),
        "memory": taken,
        "planned": planned,
        "parts": parts,
    }


def steps(sizes: str, seconds: str) -> dict[str, Any]:
    end = time.monotonic() + float(seconds)
    copies, room = _core.gpu_copy_bandwidth(), 0.97 * _core.gpu_free_memory(0)
    wanted = [(int(n), precision, "phase-shift", "cube") for n in sizes.split(",") for precision in EPSILON]
    for precision, *truncation in (
        ("single", "2/3", "sphere"),
        ("single", "phase-shift", "cube"),
        ("double", "phase-shift", "cube"),
    ):
        wanted.append((largest(precision, *truncation, room), precision, *truncation))
    done: list[dict[str, Any]] = []
    for case in wanted:
        if time.monotonic() > end:
            break
        chosen = cube(*case) if case[0] else None
        if chosen and choose_planes(chosen, 1, room) <= room:
            done.append(time_steps(*case, copies, chosen))
            print(json.dumps({"steps": done}), flush=True)
    return {"steps": done}


def choices(seconds: str) -> dict[str, Any]:
    """Seconds of a step by planes at a time (0: whorl's choice) and by kind of lines."""
    end, found = time.monotonic() + float(seconds), []
    room = 0.97 * _core.gpu_free_memory(0)
    for n, precision in CHOICES:
        for lines, planes in [("own", p) for p in (0, 1, 2, 4, 8, 16)] + [("fftw", 0)]:
            if time.monotonic() > end:
                return {"choices": found}
            case = {"dealias": "phase-shift", "precision": precision, "lines": lines, "planes": planes}
            chosen = options("navier-stokes", (n, n, n), device=DEVICE, **case)
            if sum(_core.estimate_memory(chosen, 1).values()) > room:
                continue
            flow = a_flow(chosen)
            found.append(
                {"case": f"{n}³ {precision}", "lines": lines, "planes": planes, "seconds": seconds_of(flow)}
            )
            print(json.dumps({"choices": found}), flush=True)
    return {"choices": found}


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](*sys.argv[2:])), flush=True)
