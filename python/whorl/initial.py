"""Initial velocity fields: by name with a function each, from a file, or any function or array of a script.

To add one: its parameters as a section in case.py (and in the union `Initial`), its function here.
"""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from mpi4py import MPI

from whorl import _core
from whorl import case as cases
from whorl.case import Case
from whorl.errors import CaseError
from whorl.parallel import on_root

Setter = Callable[[_core.Flow, Case, Any, MPI.Intracomm], None]
FIELDS: dict[type, Setter] = {}

# A function of x, y, z (arrays that broadcast to a block [z][y][x]) returning the three velocity components.
VelocityFunction = Callable[[np.ndarray, np.ndarray, np.ndarray], Any]


def initial_field(parameters: type) -> Callable[[Setter], Setter]:
    """Registers a function that sets the flow from its section of parameters."""

    def register(function: Setter) -> Setter:
        FIELDS[parameters] = function
        return function

    return register


def set_initial(flow: _core.Flow, case: Case, given: Any, comm: MPI.Intracomm) -> None:
    """Sets the flow from what a script gave (a function or an array), else from the case's [initial].

    Arrays have shape (3, nz, ny, nx), the whole field on every rank. The divergent part is removed.
    Raises CaseError.
    """
    if given is not None and case.initial is not None:
        raise CaseError(
            f'the case has initial.name = "{case.initial.name}" and the script gives a field; leave one out.'
        )
    if callable(given):
        set_from_function(flow, case, given)
    elif given is not None:
        set_from_arrays(flow, case, np.asarray(given))
    elif case.initial is None:
        names = ", ".join(kind.model_fields["name"].annotation.__args__[0] for kind in FIELDS)
        raise CaseError(f"the case has no initial field: give [initial] with name one of {names}.")
    else:
        FIELDS[type(case.initial)](flow, case, case.initial, comm)


def coordinates(case: Case) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions of the grid points along x, y and z."""
    return tuple(
        np.arange(n) * (length / n) for n, length in zip(case.grid.points, case.grid.lengths, strict=True)
    )


def set_from_function(flow: _core.Flow, case: Case, function: VelocityFunction) -> None:
    """Calls the function with a block of planes at a time; it must be one of the points alone."""
    x, y, z = coordinates(case)
    checked = False

    def evaluate(planes: slice, y0: int, y1: int, out: np.ndarray) -> None:
        velocity = function(x[None, None, :], y[None, y0:y1, None], z[planes, None, None])
        if len(velocity) != 3:
            raise CaseError(f"the initial velocity function returned {len(velocity)} components, not three.")
        for component, values in zip(out, velocity, strict=True):
            component[...] = values

    def fill(z0: int, z1: int, y0: int, y1: int, out: np.ndarray) -> None:
        nonlocal checked
        evaluate(slice(z0, z1), y0, y1, out)
        if checked or z1 - z0 < 2:
            return
        checked = True
        again = np.empty_like(out[:, -1:])
        evaluate(slice(z1 - 1, z1), y0, y1, again)
        alone, among = again, out[:, -1:]
        rounding = 1e-6 * max(np.abs(alone).max(), np.abs(among).max())
        if not np.allclose(alone, among, rtol=0, atol=rounding, equal_nan=True):
            raise CaseError(
                f"the initial velocity function gives plane {z1 - 1} other values alone than in planes {z0} "
                f"to {z1 - 1}: it must depend on x, y and z alone, for it is called block by block (no "
                "random numbers, no means); give an array (3, nz, ny, nx) instead."
            )

    flow.set_physical(fill)


def set_from_arrays(flow: _core.Flow, case: Case, velocity: np.ndarray) -> None:
    nx, ny, nz = case.grid.points
    if velocity.shape != (3, nz, ny, nx):
        raise CaseError(
            f"the initial array has shape {velocity.shape}, not (3, nz, ny, nx) = {(3, nz, ny, nx)}."
        )

    def fill(z0: int, z1: int, y0: int, y1: int, out: np.ndarray) -> None:
        out[...] = velocity[:, z0:z1, y0:y1]

    flow.set_physical(fill)


def wavenumbers(case: Case) -> tuple[float, float, float]:
    """Smallest wavenumbers 2π/l along x, y, z."""
    return tuple(2 * math.pi / length for length in case.grid.lengths)


@initial_field(cases.TaylorGreen)
def taylor_green(flow: _core.Flow, case: Case, parameters: cases.TaylorGreen, comm: MPI.Intracomm) -> None:
    """u = A sin(ax) cos(by) cos(cz), v = −A (a/b) cos(ax) sin(by) cos(cz), w = 0; Taylor and Green (1937)."""
    a, b, c = wavenumbers(case)
    amplitude = parameters.amplitude

    def velocity(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> tuple:
        along_z = np.cos(c * z)
        u = amplitude * np.sin(a * x) * np.cos(b * y) * along_z
        v = -amplitude * (a / b) * np.cos(a * x) * np.sin(b * y) * along_z
        return u, v, 0.0

    set_from_function(flow, case, velocity)


@initial_field(cases.Abc)
def abc(flow: _core.Flow, case: Case, parameters: cases.Abc, comm: MPI.Intracomm) -> None:
    """u = A sin cz + C cos by, v = B sin ax + A cos cz, w = C sin by + B cos ax; Dombre et al. (1986)."""
    a, b, c = wavenumbers(case)
    A, B, C = parameters.A, parameters.B, parameters.C

    def velocity(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> tuple:
        u = A * np.sin(c * z) + C * np.cos(b * y)
        v = B * np.sin(a * x) + A * np.cos(c * z)
        w = C * np.sin(b * y) + B * np.cos(a * x)
        return u, v, w

    set_from_function(flow, case, velocity)


@initial_field(cases.Random)
def random(flow: _core.Flow, case: Case, parameters: cases.Random, comm: MPI.Intracomm) -> None:
    """Random phases under the given spectrum, or E(k) ∝ k⁴ exp(−2 (k/k0)²) summing to the given energy."""
    if parameters.spectrum is not None:
        energy = list(parameters.spectrum)
    else:
        energy = standard_spectrum(parameters.k0, parameters.energy)
        largest = flow.kmax / min(
            w for w, n in zip(wavenumbers(case), case.grid.points, strict=True) if n > 1
        )
        if parameters.k0 > largest:
            raise CaseError(
                f"initial.k0 = {parameters.k0:g} is beyond the largest wavenumber kept, {largest:.4g} times "
                "the smallest; lower it or use more points."
            )
    flow.set_random(energy, parameters.seed)


def standard_spectrum(peak: float, total: float) -> list[float]:
    """E of the shells 0, 1, 2, …, up to where it vanishes in double precision; independent of the grid."""
    n = np.arange(math.ceil(5 * peak) + 3)
    energy = (n / peak) ** 4 * np.exp(-2 * (n / peak) ** 2)
    return list(energy * (total / energy.sum()))


@initial_field(cases.FromFile)
def from_file(flow: _core.Flow, case: Case, parameters: cases.FromFile, comm: MPI.Intracomm) -> None:
    """Velocity of a snapshot of whorl, or of the datasets u, v, w of an HDF5 or npz file."""
    path = Path(parameters.path)
    on_root(comm, lambda: check_file(path, case))
    with _open(path) as file:
        components = _components(file)

        def fill(z0: int, z1: int, y0: int, y1: int, out: np.ndarray) -> None:
            for target, component in zip(out, components, strict=True):
                target[...] = component(z0, z1, y0, y1)

        flow.set_physical(fill)


def check_file(path: Path, case: Case) -> None:
    """Raises CaseError unless the file holds a velocity of the grid's shape."""
    nx, ny, nz = case.grid.points
    try:
        with _open(path) as file:
            shapes = {name: _grid_shape(name, file[name].shape) for name in _dataset_names(file)}
    except (OSError, KeyError, ValueError) as error:
        raise CaseError(
            f"initial.path = {path} cannot be used: {error}. It must be a whorl snapshot with velocity, "
            "or an HDF5 (.h5) or NumPy (.npz) file with u, v and w."
        ) from None
    for name, shape in shapes.items():
        if shape != (nz, ny, nx):
            raise CaseError(
                f"initial.path = {path} holds {name} of shape {shape}; grid.points asks for (nz, ny, nx) = "
                f"{(nz, ny, nx)}."
            )


SNAPSHOT_VELOCITY = "VTKHDF/PointData/velocity"


def _open(path: Path) -> Any:
    return np.load(path) if path.suffix == ".npz" else h5py.File(path, "r")


def _dataset_names(file: Any) -> list[str]:
    return [SNAPSHOT_VELOCITY] if SNAPSHOT_VELOCITY in file else ["u", "v", "w"]


def _grid_shape(name: str, shape: tuple[int, ...]) -> tuple[int, ...]:
    """(nz, ny, nx) of a dataset; a snapshot ends with the components and has no z where the flow is flat."""
    points = shape[:-1] if name == SNAPSHOT_VELOCITY else shape
    return (1, *points) if len(points) == 2 else points


def _components(file: Any) -> list[Callable[[int, int, int, int], np.ndarray]]:
    """Readers of a block z0:z1, y0:y1 of each velocity component."""
    names = _dataset_names(file)
    if len(names) == 1:
        velocity = file[names[0]]
        if velocity.ndim == 3:
            return [lambda z0, z1, y0, y1, i=i: velocity[y0:y1, :, i][None] for i in range(3)]
        return [lambda z0, z1, y0, y1, i=i: velocity[z0:z1, y0:y1, :, i] for i in range(3)]
    arrays = {name: file[name] for name in names}
    return [
        lambda z0, z1, y0, y1, a=arrays[name]: a[z0:z1, y0:y1] if a.ndim == 3 else a[y0:y1][None]
        for name in names
    ]
