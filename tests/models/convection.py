"""Flows between free-slip plates for tests: cases, their modes, and how they begin."""

import math

import numpy as np
from models.waves import (
    case_of,
    spectral,
)

CRITICAL = 27 * math.pi**4 / 4
WALLS = {"FFF": (), "SFF": (2,), "SSF": (1, 2), "SSS": (0, 1, 2)}
POINTS, LENGTHS = (14, 12, 10), (2.2, 1.7, 1.0)


def make(points=POINTS, rayleigh=2000.0, prandtl=1.0, flow=None, **options):
    given = {"rayleigh": rayleigh, "prandtl": prandtl} | (flow or {})
    return case_of("rayleigh-benard", points, given, **({"lengths": LENGTHS} | options))


def diffusivities(rayleigh, prandtl):
    return math.sqrt(prandtl / rayleigh), 1 / math.sqrt(rayleigh * prandtl)


def parity(name, axis, component):
    """−1 where a component is odd at the walls of an axis."""
    odd = {"velocity": component == axis, "vorticity": component != axis, "temperature": axis == 2}
    return -1 if odd[name] else 1


def doubled(field, name, bases):
    """The periodic field that a field between walls is a part of."""
    for axis in WALLS[bases]:
        signs = np.array([parity(name, axis, c) for c in range(len(field))])[:, None, None, None]
        field = np.concatenate([field, signs * np.flip(field, 3 - axis)], 3 - axis)
    return field


def modes_of(simulation, name):
    """Amplitudes on the doubled box, with their wavenumbers."""
    grid = simulation.case.grid
    lengths = [n * (2 if axis in WALLS[grid.bases] else 1) for axis, n in enumerate(grid.lengths)]
    field = doubled(simulation.field(name), name, grid.bases)
    # Between walls points lie half a spacing from them.
    amplitudes, k = spectral(field, lengths)
    for axis in WALLS[grid.bases]:
        amplitudes = amplitudes * np.exp(-0.5j * k[axis] * grid.lengths[axis] / grid.points[axis])
    return amplitudes, k


def random_start(points, bases, seed=0, size=0.3):
    """White noise, θ in FFF without a mean, which is refused; the core leaves out what does not fit walls."""
    generator = np.random.default_rng(seed)
    nx, ny, nz = points
    velocity, temperature = (
        generator.standard_normal((3, nz, ny, nx)),
        generator.standard_normal((1, nz, ny, nx)),
    )
    if bases == "FFF":
        temperature -= temperature.mean()
    return {"velocity": size * velocity, "temperature": size * temperature}
