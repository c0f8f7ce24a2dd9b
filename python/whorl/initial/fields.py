"""Initial fields: by name, from formulas, from a file, or from a function or an array of a script.

To add one, put its parameters as a section into options.py (and into KINDS), and its function here.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from whorl import _core
from whorl.base.errors import CaseError
from whorl.base.numbers import check_real
from whorl.base.parallel import on_root
from whorl.base.ranks import MPI
from whorl.base.text import counted
from whorl.config.case import Case
from whorl.config.explain import did_you_mean
from whorl.config.measures import all_fields, state_fields
from whorl.config.positions import coordinates
from whorl.config.section import STRIDE, tag_of
from whorl.config.wavenumbers import smallest_wavenumber
from whorl.expressions.nodes import Known
from whorl.expressions.points import AtPoints
from whorl.initial import options as kinds
from whorl.initial.checkpoints import set_from_checkpoint
from whorl.initial.checks import FieldTarget, check_energy, check_shells
from whorl.initial.files import check_file, filled_by, is_checkpoint, open_field
from whorl.initial.superfluid_vortices import taylor_green_wavefunction

Setter = Callable[[FieldTarget, Any], None]
FIELDS: dict[type, Setter] = {}

# A function of x, y, z (arrays that broadcast to a block [z][y][x]) returning the components of a field.
FieldFunction = Callable[[np.ndarray, np.ndarray, np.ndarray], Any]


def initial_field(parameters: type) -> Callable[[Setter], Setter]:
    """Registers a function that sets a field from its section of parameters."""

    def register(function: Setter) -> Setter:
        FIELDS[parameters] = function
        return function

    return register


def set_initial(flow: _core.Flow, case: Case, given: Any, comm: MPI.Intracomm) -> list[str]:
    """Sets the flow from the fields that a script gives, else from the case's [initial] and [[scalars]].

    A script gives a function or an array for the model's first field, or a dict of them by field; [initial]
    may give others. Arrays have shape (components, nz, ny, nx), the whole field on every rank. Fields that
    are not given are zero, and the divergent part of solenoidal fields is removed. Returns sentences for the
    log. Raises CaseError.
    """
    if given is None and case.initial is None:
        names = ", ".join(map(tag_of, kinds.KINDS))  # type: ignore[arg-type]
        raise CaseError(f"the case has no initial field: give [initial] with name one of {names}.")
    by_script, by_name = _by_field(case, given), _by_name(case)
    for name in by_script:
        if name in by_name:
            place, kind = _place(case, name), tag_of(type(by_name[name]))
            raise CaseError(
                f'the case has {place}.name = "{kind}" and the script gives a field {name}; leave one out.'
            )
    _check_one_of_the_first(case, [*by_script, *by_name])
    remarks = []
    for name, value in by_script.items():
        remarks += set_field(flow, case, comm, name, value)
    for name, field in by_name.items():
        target = _target(flow, case, comm, name, _place(case, name))
        FIELDS[type(field)](target, field)
        remarks += target.remarks
    return list(dict.fromkeys(remarks))


def _check_one_of_the_first(case: Case, names: Sequence[str]) -> None:
    """Raises CaseError if a field of the state and the field of [initial] that determines it are given."""
    first = case.flow.first_field()
    if first in names and first not in case.flow.state and any(name in case.flow.state for name in names):
        raise CaseError(
            f"an initial {first} and one of {', '.join(case.flow.state)} set the same; give one of them."
        )


def set_field(flow: _core.Flow, case: Case, comm: MPI.Intracomm, name: str, value: Any) -> list[str]:
    """Sets a field from a function of x, y, z or an array; returns remarks for the log. Raises CaseError."""
    target = target_of(flow, case, comm, name)
    if callable(value):
        set_from_function(target, value)
    else:
        set_from_array(target, np.asarray(value))
    return target.remarks


def target_of(flow: _core.Flow, case: Case, comm: MPI.Intracomm, name: str) -> FieldTarget:
    """A field of the state that a script sets. Raises CaseError, naming the fields of the state."""
    _check_names(case, [name])
    return _target(flow, case, comm, name, "initial")


def _by_name(case: Case) -> dict[str, kinds.InitialField]:
    """The initial fields of the case by the field they set, without those that are zero."""
    own = {} if case.initial is None else {case.flow.first_field(): case.initial} | case.initial.others
    own |= {scalar.name: scalar.initial for scalar in case.scalars if scalar.initial is not None}
    return {name: field for name, field in own.items() if not isinstance(field, kinds.Zero)}


def _by_field(case: Case, given: Any) -> dict[str, Any]:
    """The values that the script gave, by field."""
    if given is None:
        return {}
    fields = given if isinstance(given, dict) else {case.flow.first_field(): given}
    _check_names(case, fields)
    return fields


def _check_names(case: Case, names: Iterable[str]) -> None:
    known = list(dict.fromkeys([case.flow.first_field(), *state_fields(case)]))
    for name in names:
        if name not in known:
            raise CaseError(
                f'the script gives a field "{name}", which {case.flow.model} does not have'
                f"{did_you_mean(str(name), known).rstrip('?')}; its fields are {', '.join(known)}."
            )


def _target(flow: _core.Flow, case: Case, comm: MPI.Intracomm, name: str, place: str) -> FieldTarget:
    about = all_fields(case)[name]
    return FieldTarget(flow, case, comm, name, about.components, place)


def _place(case: Case, name: str) -> str:
    if any(name == scalar.name for scalar in case.scalars):
        return "scalars.initial"
    of_its_own = case.initial is not None and name in case.initial.others
    return f"initial.{name}" if of_its_own or name != case.flow.first_field() else "initial"


def set_from_function(target: FieldTarget, function: FieldFunction) -> None:
    """Calls the function with a block of planes at a time; its values must depend on the position alone."""
    x, y, z = coordinates(target.case.grid)
    checked = False

    def evaluate(planes: slice, y0: int, y1: int, out: np.ndarray) -> None:
        values = function(x[None, None, :], y[None, y0:y1, None], z[planes, None, None])
        if target.components == 1 and not isinstance(values, tuple | list):
            values = (values,)
        if not isinstance(values, tuple | list | np.ndarray):
            raise CaseError(
                f"the {target.called} function returned {type(values).__name__}; it must return a tuple of "
                "the components."
            )
        if len(values) != target.components:
            expected = {1: "one", 2: "two", 3: "three"}[target.components]
            raise CaseError(
                f"the {target.called} function returned {counted(len(values), 'component')}, not {expected}."
            )
        for component, of_component in zip(out, values, strict=True):
            _check_real(target, "function", np.asarray(of_component))
            component[...] = of_component

    def fill(z0: int, z1: int, y0: int, y1: int, out: np.ndarray) -> None:
        nonlocal checked
        evaluate(slice(z0, z1), y0, y1, out)
        if checked or z1 - z0 < 2 or not np.isfinite(out).all():
            return
        checked = True
        again = np.empty_like(out[:, -1:])
        evaluate(slice(z1 - 1, z1), y0, y1, again)
        alone, among = again, out[:, -1:]
        rounding = 1e-6 * max(np.abs(alone).max(), np.abs(among).max())
        if not np.allclose(alone, among, rtol=0, atol=rounding, equal_nan=True):
            raise CaseError(
                f"the {target.called} function gives plane {z1 - 1} other values by itself than with planes "
                f"{z0} to {z1 - 1}: it must depend on x, y and z alone (no random numbers, no means); give "
                f"an array ({target.components}, nz, ny, nx) instead."
            )

    target.fill(fill)


def _check_real(target: FieldTarget, what: str, values: np.ndarray) -> None:
    try:
        check_real(values, f"the {what} of the {target.called}")
    except ValueError as error:
        raise CaseError(f"{error}.") from None


def set_from_array(target: FieldTarget, values: np.ndarray) -> None:
    _check_real(target, "array", values)
    nx, ny, nz = target.case.grid.points
    expected = (target.components, nz, ny, nx)
    if target.components == 1 and values.shape == expected[1:]:
        values = values[None]
    if values.shape != expected:
        raise CaseError(
            f"the array of the {target.called} has shape {values.shape}, not "
            f"({target.components}, nz, ny, nx) = {expected}."
        )

    def fill(z0: int, z1: int, y0: int, y1: int, out: np.ndarray) -> None:
        out[...] = values[:, z0:z1, y0:y1]

    target.fill(fill)


def set_at_points(target: FieldTarget, values: AtPoints, known: Mapping[Known, float]) -> None:
    """Sets the field to values that follow from the position and from known numbers."""
    x, y, z = coordinates(target.case.grid)

    def fill(z0: int, z1: int, y0: int, y1: int, out: np.ndarray) -> None:
        values.put((x, y[y0:y1], z[z0:z1]), known, out)

    target.fill(fill)


def wavenumbers(case: Case) -> tuple[float, float, float]:
    """2π/l along x, y, z."""
    return tuple(2 * math.pi / length for length in case.grid.lengths)  # type: ignore[return-value]


@initial_field(kinds.TaylorGreen)
def taylor_green(target: FieldTarget, parameters: kinds.TaylorGreen) -> None:
    """Taylor and Green's vortex (1937).

    u = A sin(ax) cos(by) cos(cz), v = −A (a/b) cos(ax) sin(by) cos(cz), w = 0
    """
    if target.field == "psi":
        return set_from_function(target, taylor_green_wavefunction(target.case, parameters.amplitude))
    a, b, c = wavenumbers(target.case)
    amplitude = parameters.amplitude

    def velocity(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> tuple:
        along_z = np.cos(c * z)
        u = amplitude * np.sin(a * x) * np.cos(b * y) * along_z
        v = -amplitude * (a / b) * np.cos(a * x) * np.sin(b * y) * along_z
        return u, v, 0.0

    return set_from_function(target, velocity)


@initial_field(kinds.Abc)
def abc(target: FieldTarget, parameters: kinds.Abc) -> None:
    """The flow of Arnold, Beltrami and Childress, as in Dombre et al. (1986).

    u = A sin cz + C cos by, v = B sin ax + A cos cz, w = C sin by + B cos ax
    """
    a, b, c = wavenumbers(target.case)
    A, B, C = parameters.A, parameters.B, parameters.C

    def velocity(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> tuple:
        u = A * np.sin(c * z) + C * np.cos(b * y)
        v = B * np.sin(a * x) + A * np.cos(c * z)
        w = C * np.sin(b * y) + B * np.cos(a * x)
        return u, v, w

    set_from_function(target, velocity)


@initial_field(kinds.Roberts)
def roberts(target: FieldTarget, parameters: kinds.Roberts) -> None:
    """The flow A (cos by, sin ax, sin by + cos ax); G. O. Roberts, Phil. Trans. R. Soc. A 271, 411 (1972)."""
    a, b, _ = wavenumbers(target.case)
    A = parameters.amplitude

    def velocity(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> tuple:
        return A * np.cos(b * y), A * np.sin(a * x), A * (np.sin(b * y) + np.cos(a * x))

    set_from_function(target, velocity)


@initial_field(kinds.Kolmogorov)
def kolmogorov(target: FieldTarget, parameters: kinds.Kolmogorov) -> None:
    """The flow A sin(k_f b y) along x; Meshalkin and Sinai, J. Appl. Math. Mech. 25, 1700 (1961)."""
    k = parameters.k_f * wavenumbers(target.case)[1]
    amplitude = parameters.amplitude

    def components(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> tuple:
        return amplitude * np.sin(k * y), 0.0, 0.0

    set_from_function(target, components)


@initial_field(kinds.OrszagTang)
def orszag_tang(target: FieldTarget, parameters: kinds.OrszagTang) -> None:
    """Velocity A (−sin by, sin ax, 0) or magnetic field A (−sin by, sin 2ax, 0); Orszag and Tang (1979)."""
    a, b, _ = wavenumbers(target.case)
    A, n = parameters.amplitude, 2 if target.field == "magnetic" else 1

    def components(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> tuple:
        return -A * np.sin(b * y), A * np.sin(n * a * x), 0.0

    set_from_function(target, components)


@initial_field(kinds.Formula)
def formula(target: FieldTarget, parameters: kinds.Formula) -> None:
    """The formulas at x, y and z."""
    set_at_points(target, target.case.planned.initial(parameters.value), {})


@initial_field(kinds.Random)
def random(target: FieldTarget, parameters: kinds.Random) -> None:
    """Random phases with the given spectrum, or with E(k) ∝ k⁴ exp(−2 (k/k0)²) of the given total energy."""
    case, flow = target.case, target.flow
    smallest = smallest_wavenumber(case.grid)
    largest = flow.kmax / smallest
    if parameters.spectrum is not None:
        energy = list(parameters.spectrum)
    else:
        if parameters.k0 > largest:
            raise CaseError(
                f"{target.place}.k0 = {parameters.k0:g} is beyond the largest wavenumber kept, {largest:.4g} "
                "times the smallest; lower it or use more points."
            )
        energy = standard_spectrum(parameters.k0, parameters.energy)
    names = list(state_fields(case))
    seed = parameters.seed + STRIDE * (names.index(target.field) if target.field in names else 0)
    kept = energy[: math.floor(flow.kmax / smallest) + 1]
    flow.set_random(kept, seed, field=target.field)
    check_energy(target, sum(kept), smallest)
    if len(kept) < len(energy):
        flow.set_random(energy, seed, field=target.field)  # also modes in the corners of the truncation
    if parameters.spectrum is not None:
        check_shells(target, sum(energy), largest)


def standard_spectrum(peak: float, total: float) -> list[float]:
    """E of the shells 0, 1, 2, …, up to where it vanishes in double precision; independent of the grid."""
    n = np.arange(math.ceil(5 * peak) + 3)
    energy = (n / peak) ** 4 * np.exp(-2 * (n / peak) ** 2)
    return list(energy * (total / energy.sum()))


@initial_field(kinds.FromFile)
def from_file(target: FieldTarget, parameters: kinds.FromFile) -> None:
    """The field of this name in a checkpoint or a snapshot of whorl, or in arrays of an HDF5 or npz file."""
    place = f"{target.place}.path"
    if on_root(target.comm, lambda: is_checkpoint(parameters.path)):
        set_from_checkpoint(target, parameters.path, place)
        return
    wanted = (parameters.path, target.field, target.about, target.case.grid)
    remark = on_root(target.comm, lambda: check_file(*wanted, place))
    target.remarks.extend(filter(None, [remark]))
    with open_field(*wanted) as readers:
        target.fill(filled_by(readers))
