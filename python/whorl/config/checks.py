"""Defaults that depend on the model, and checks that the sections of a case fit together."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations
from keyword import iskeyword
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import ValidationError

from whorl.base.errors import CaseError
from whorl.base.text import counted
from whorl.config.columns import CLOCK
from whorl.config.explain import did_you_mean
from whorl.config.measures import (
    all_fields,
    growing_columns,
    quantities,
    series_columns,
    spectra_columns,
    state_fields,
)
from whorl.config.scalars import STATISTICS
from whorl.config.section import Section, block_of, tag_of
from whorl.config.turnovers import check_turnovers
from whorl.config.wavenumbers import resolved_wavenumber, smallest_wavenumber
from whorl.expressions.case import (
    NUMBERS,
    RESERVED,
    check_column_names,
    check_diagnostic_names,
    check_snapshot_fields,
)
from whorl.expressions.formulas import SHORT
from whorl.forcing.names import force_name, forceable
from whorl.forcing.options import DesignGrid, FormulaInTime, Steady, Stochastic, undesigned
from whorl.initial.options import KINDS, Formula, InitialField, Zero
from whorl.models import DEFAULT, MODELS, Model
from whorl.particles.options import with_number
from whorl.probes.options import check_names

if TYPE_CHECKING:
    from whorl.config.case import Case


def fill_in(sections: dict[str, Any]) -> dict[str, Any]:
    """The sections with the defaults that depend on the model: itself, bases, dealiasing, snapshot fields.

    Sections that are not tables stay as they are; the validation refuses them.
    """
    given = {name: _plain(section) for name, section in sections.items()}
    flow, initial = given.get("flow"), given.get("initial")
    if isinstance(flow, dict) and "model" not in flow:
        given["flow"] = flow = {"model": DEFAULT, **flow}
    if isinstance(initial, dict) and "name" not in initial and any(map(_is_table, initial.values())):
        given["initial"] = {"name": "zero", **initial}
    if given.get("forcing") and initial is None:
        given["initial"] = {"name": "zero"}
    chosen = flow.get("model") if isinstance(flow, dict) else None
    if model := MODELS.get(chosen) if isinstance(chosen, str) else None:
        grid, output = given.get("grid"), given.get("output", {})
        if isinstance(grid, dict):
            given["grid"] = {"bases": model.bases[0], "dealias": model.dealias} | grid
        if isinstance(output, dict) and output.get("fields") is None:
            given["output"] = output | {"fields": model.snapshot}
        if isinstance(forces := given.get("forcing"), list | tuple):
            given["forcing"] = [
                {"field": model.first_field()} | force if isinstance(force, dict) else force
                for force in forces
            ]
            given["forcing"] = [_designed(force, given) for force in given["forcing"]]
    if isinstance(groups := given.get("particles"), list | tuple):
        given["particles"] = [with_number(group) for group in groups]
    return given


def _designed(force: Any, sections: dict[str, Any]) -> Any:
    """The force with the options that its target sets, in its place; sets flow.viscosity in `sections`.

    A force or grid that is not valid by itself stays as it is; the validation refuses it. Raises CaseError.
    """
    if not (isinstance(force, dict) and force.get("kind") == "stochastic" and force.get("target")):
        return force
    try:
        stochastic, grid = Stochastic(**force), DesignGrid.of(sections.get("grid"))
    except (ValidationError, ValueError, TypeError, KeyError):
        return force
    if len(sections["forcing"]) > 1:
        raise CaseError(
            f"forcing.target designs a flow with one force; the case has {len(sections['forcing'])}; give "
            "forcing.power and forcing.correlation_time instead."
        )
    if not stochastic.isotropic:
        raise CaseError(
            "forcing.target is for an isotropic force; leave forcing.modes, forcing.polarisation and "
            "forcing.peak out, or give forcing.power and forcing.correlation_time instead."
        )
    if unknown := undesigned(sections.get("flow") or {}, grid.lengths):
        raise CaseError(
            f"forcing.target does not allow for {unknown}; leave it out, or give forcing.power and "
            "forcing.correlation_time instead of the target."
        )
    if 1 in grid.points or grid.bases != "FFF" or force.get("field", "velocity") != "velocity":
        raise CaseError(
            "forcing.target is for the velocity of three-dimensional turbulence in a periodic box; give "
            "forcing.power and forcing.correlation_time instead."
        )
    try:
        sizes = stochastic.designed(grid)
    except ValueError as error:
        raise CaseError(f"{error}.") from None
    viscosity, flow = sizes.pop("viscosity"), sections.get("flow")
    given = flow.get("viscosity") if isinstance(flow, dict) else None
    if given is not None and given != viscosity:
        raise CaseError(
            f"flow.viscosity = {given} is given with forcing.target, which sets it to {viscosity:.6g}; "
            "leave one of them out."
        )
    if isinstance(flow, dict):
        sections["flow"] = flow | {"viscosity": viscosity}
    return {key: value for key, value in force.items() if key != "target"} | sizes


def _plain(value: Any) -> Any:
    """Sections given as objects become dicts, and numbers of NumPy become Python's."""
    if isinstance(value, Section):
        return value.model_dump(exclude_unset=True)
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(_plain, value))
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def _is_table(value: Any) -> bool:
    return isinstance(value, dict | Section)


def check_together(case: "Case") -> None:
    """Raises ValueError, naming values and remedy, if sections that are valid alone do not fit together."""
    case.flow.check_grid(case.grid)
    check_forcing(case)
    check_column_names(case)
    check_scalars(case)
    check_snapshot_fields(case)
    check_diagnostic_names(case)
    for probes in (case.probes, case.particles):
        check_names(probes)
        for probe in probes:
            probe.check(case)
    check_turnovers(case)
    check_ends(case)
    if case.initial is not None:
        check_initial(case)


def check_scalars(case: "Case") -> None:
    model, names = case.flow.model, [scalar.name for scalar in case.scalars]
    if names and not case.flow.viscous:
        raise ValueError(
            f'[[scalars]] go with a viscous velocity, not with flow.model = "{model}"; leave them out'
        )
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f'scalars.name = "{name}" is given twice; every scalar needs a name of its own')
        if is_taken(name, case.flow):
            by = "whorl's files use themselves" if name in RESERVED else f'flow.model = "{model}" uses itself'
            raise ValueError(f'scalars.name = "{name}" is a name that {by}; choose another')
        if name in {*quantities(case), *case.flow.unknown(), *map(force_name, forceable(case))}:
            raise ValueError(
                f'scalars.name = "{name}" is the name of another quantity of the case in expressions; choose '
                "another"
            )
    for columns in (series_columns(case), spectra_columns(case)):
        called = [column.name for column in columns]
        if twice := [name for name in called if called.count(name) > 1]:
            raise ValueError(
                f'the names of [[scalars]] and [[forcing]] give two columns "{twice[0]}"; choose another name'
            )
    for number, scalar in enumerate(case.scalars):
        _check_gradient(scalar, case.grid)
        _check_plane_gradient(scalar, case.flow)
        if scalar.initial is not None:
            with _in_block(block_of("scalars", number, scalar.name)):
                _check_kind(scalar.initial, "scalar", 1, "scalars.initial", case)
                _check_no_tables(scalar.initial, "scalars.initial")


def check_forcing(case: "Case") -> None:
    """Raises ValueError for a force that the model or the grid does not allow, or names that clash."""
    labels = [force.label for force in case.forcing]
    for number, force in enumerate(case.forcing):
        if labels.count(force.label) > 1:
            raise ValueError(f"two forces are called {force.label}; give forcing.name, a name for each")
        components = _check_forced_field(force, case)
        with _in_block(block_of("forcing", number, force.label)):
            _check_force(force, components, case)
    _check_seeds(case.forcing)
    _check_held(case.forcing)


@contextmanager
def _in_block(block: str) -> Iterator[None]:
    """Begins the message of a ValueError raised inside with the block of options."""
    try:
        yield
    except CaseError:
        raise
    except ValueError as error:
        raise ValueError(f"{block}: {error}") from None


def _check_force(force: Any, components: int, case: "Case") -> None:
    if not force.any_bases and case.grid.bases != "FFF":
        raise ValueError(
            f'forcing.kind = "{force.kind}" is for periodic boxes (grid.bases = "FFF"), not for '
            f'"{case.grid.bases}"; choose another kind'
        )
    _check_band(force, case)
    _check_shape(force, components, case)
    force.check(case)


def _check_seeds(forces: Any) -> None:
    """Raises ValueError for two random forces on one field with the same random numbers."""
    known: dict[tuple[str, int], str] = {}
    for force in forces:
        for seed in force.seeds():
            if other := known.get((force.field, seed)):
                raise ValueError(
                    f"the forces {other} and {force.label} on the {force.field} have the same random "
                    f"numbers, of forcing.seed = {seed}; give them other seeds (lindborg uses seed and "
                    "seed + 1)"
                )
        known |= {(force.field, seed): force.label for seed in force.seeds()}


def _check_held(forces: Any) -> None:
    """Raises ValueError for two forces that hold the energy of the same modes: neither could."""
    for one, other in combinations([force for force in forces if force.holds], 2):
        alike = one.modes == other.modes or "all" in (one.modes, other.modes)
        meet = max(one.k_min, other.k_min) <= min(one.k_max, other.k_max)
        if one.field == other.field and alike and meet:
            first, last = max(one.k_min, other.k_min), min(one.k_max, other.k_max)
            raise ValueError(
                f"the forces {one.label} and {other.label} hold the energy of the {one.field} on the same "
                f"modes, between {first:g} and {last:g}; give them bands of their own"
            )


def _check_forced_field(force: Any, case: "Case") -> int:
    """The number of components of the field. Raises ValueError where it cannot be forced."""
    flow, place = case.flow, f'the force "{force.label}"'
    known = {flow.first_field(): None} | dict.fromkeys(state_fields(case))
    if force.field not in known:
        near = did_you_mean(str(force.field), known).rstrip("?")
        raise ValueError(
            f'forcing.field = "{force.field}" is no field of flow.model = "{flow.model}" that can be '
            f"forced{near}; it must be one of {', '.join(known)}"
        )
    if force.field in flow.prescribed():
        how = "flow.kinematic = true" if hasattr(flow, "kinematic") else f'flow.model = "{flow.model}"'
        others = ", ".join(name for name in state_fields(case) if name not in flow.prescribed())
        raise ValueError(
            f"{place} acts on a {force.field} that {how} prescribes, so that it stays as it is; force "
            f"{others} instead"
        )
    components = all_fields(case)[force.field].components
    if force.vector and components != 3:
        raise ValueError(
            f'{place} of kind "{force.kind}" is for a vector field, not for {force.field} of '
            f"{components} component{'s' if components > 1 else ''}; choose another kind"
        )
    return components


def _check_band(force: Any, case: "Case") -> None:
    """Raises ValueError for a band without modes, or beyond those that are kept."""
    if (ends := force.ends()) is None:
        return
    k_min, k_max = ends
    most = resolved_wavenumber(case.grid) / smallest_wavenumber(case.grid)
    if k_min > k_max:
        raise ValueError(
            f"forcing.k_min = {k_min:g} is larger than forcing.k_max = {k_max:g}: the band has no modes"
        )
    if k_max > most * (1 + 1e-9):
        raise ValueError(
            f"{force.end_of_band} = {k_max:g} is beyond the largest wavenumber that is kept in every "
            f"direction, {most:.4g} times the smallest; lower it or use more points"
        )


def _check_shape(force: Any, components: int, case: "Case") -> None:
    if not isinstance(force, Steady):
        return
    shape = force.shape
    if isinstance(shape, FormulaInTime):
        if len(shape.value) != components:
            raise ValueError(
                f"forcing.shape.value holds {counted(len(shape.value), 'formula')}; {force.field} needs "
                f"{counted(components, 'formula')}"
            )
        return
    _check_kind(shape, force.field, components, "forcing.shape", case)
    _check_no_tables(shape, "forcing.shape")


def _check_gradient(scalar: Any, grid: Any) -> None:
    """No scalar flows through a wall: it is a cosine there, and a gradient across would need sines."""
    walls = [axis for axis, base in zip("zyx", grid.bases, strict=True) if base == "S"]
    crossed = [axis for axis in walls if scalar.gradient["xyz".index(axis)] != 0]
    if crossed:
        raise ValueError(
            f'the mean gradient of scalars.name = "{scalar.name}" crosses the walls along '
            f'{" and ".join(crossed)} (grid.bases = "{grid.bases}"), which let nothing through; '
            "set it to 0 there"
        )


def _check_plane_gradient(scalar: Any, flow: Model) -> None:
    """A plane flow has no velocity along its flat axis, so a gradient along it does nothing."""
    across = scalar.gradient["xyz".index(flow.flat_axes[0])]
    if flow.must_be_flat and across != 0:
        raise ValueError(
            f'the mean gradient of scalars.name = "{scalar.name}" along {flow.flat_axes}, {across:g}, does '
            f'nothing with flow.model = "{flow.model}", which has no velocity along {flow.flat_axes} (one '
            "number as gradient stands for that); give it along x or y, such as gradient = [1.0, 0.0, 0.0]"
        )


def is_taken(name: str, flow: Model) -> bool:
    """Whether the name of the scalar, or of a column that it adds, is that of something else."""
    columns = {column.name for column in (*CLOCK, *flow.columns)}
    symbols = {field.symbol for field in (flow.state | flow.outputs).values()}
    numbers = {*flow.parameters(), *SHORT}
    own = {name, *(f"{name}_{column.name}" for column in STATISTICS)}
    words = {*symbols, *numbers, *flow.quantities(), *NUMBERS}
    return iskeyword(name) or not own.isdisjoint({*flow.state, *flow.outputs, *columns, *RESERVED, *words})


def check_ends(case: "Case") -> None:
    growing = growing_columns(case)
    columns = [column.name for column in series_columns(case) if column.name not in growing]
    for name in case.time.until_error or ():
        if name not in columns:
            near = did_you_mean(name, columns).rstrip("?")
            raise ValueError(
                f'time.until_error names "{name}", which is not a column of series.csv with a mean{near}; '
                f"choose among {', '.join(columns)}"
            )
    if case.time.until_error and case.output.series_every == "never":  # type: ignore[attr-defined]
        raise ValueError(
            'time.until_error is checked with each row of series.csv, and output.series_every = "never"; '
            "give an interval"
        )
    if case.time.stop_when is not None and case.output.series_every == "never":  # type: ignore[attr-defined]
        raise ValueError(
            'time.stop_when is evaluated in each row of series.csv, and output.series_every = "never"; give '
            "an interval"
        )


def check_initial(case: "Case") -> None:
    flow, initial, first = case.flow, case.initial, case.flow.first_field()
    fields = all_fields(case)
    _check_kind(initial, first, fields[first].components, "initial", case)
    for name, field in initial.others.items():
        if name not in (first, *flow.state):
            scalar = any(name == scalar.name for scalar in case.scalars)
            known = list(dict.fromkeys((first, *flow.state)))
            near = did_you_mean(name, known).rstrip("?")
            if scalar:
                near = f"; the scalar {name} has it as [scalars.initial]"
            tables = ", ".join(f"[initial.{other}]" for other in known) or "none"
            raise ValueError(
                f'[initial.{name}] is no field of flow.model = "{flow.model}"{near}; besides [initial] '
                f"itself the tables may be {tables}"
            )
        if (name == first or first not in flow.state) and not isinstance(initial, Zero):
            raise ValueError(f"[initial.{name}] and [initial] both set the {name}; give one of them")
        _check_kind(field, name, fields[name].components, f"initial.{name}", case)
        _check_no_tables(field, f"initial.{name}")
    same = [name for name in initial.others if name in flow.state]
    if first not in flow.state and first in initial.others and same:
        raise ValueError(f"[initial.{first}] and [initial.{same[0]}] set the same; give one of them")


def _check_kind(field: InitialField, name: str, components: int, place: str, case: "Case") -> None:
    tag = tag_of(type(field))
    if not field.makes(name):
        fitting = ", ".join(_kinds_for(name))
        raise ValueError(f'{place}.name = "{tag}" does not make the field {name}; choose one of {fitting}')
    if not field.any_bases and case.grid.bases != "FFF":
        raise ValueError(
            f'{place}.name = "{tag}" does not fit walls (grid.bases = "{case.grid.bases}"); choose one of '
            f"{', '.join(_kinds_for(name, walls=True))}"
        )
    if isinstance(field, Formula) and len(field.value) != components:
        raise ValueError(
            f"{place}.value holds {counted(len(field.value), 'formula')}; {name} needs "
            f"{counted(components, 'formula')}"
        )


def _kinds_for(name: str, *, walls: bool = False) -> Iterator[str]:
    return (tag_of(kind) for kind in KINDS if kind.makes(name) and (kind.any_bases or not walls))


def _check_no_tables(field: InitialField, place: str) -> None:
    for name in field.others:
        raise ValueError(f"[{place}.{name}] is a table in a table; write [initial.{name}]")
