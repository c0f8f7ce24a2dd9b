"""Defaults that depend on the model, and checks that the sections of a case fit together."""

from keyword import iskeyword
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl.config.columns import CLOCK
from whorl.config.explain import did_you_mean
from whorl.config.initial_checks import check_initial, check_kind, check_no_tables, in_block
from whorl.config.measures import (
    growing_columns,
    quantities,
    series_columns,
    spectra_columns,
)
from whorl.config.run import AUTO, NEVER
from whorl.config.scalars import STATISTICS
from whorl.config.section import Section, block_of
from whorl.config.turnovers import check_turnovers
from whorl.expressions.case import (
    NUMBERS,
    RESERVED,
    check_column_names,
    check_diagnostic_names,
    check_snapshot_fields,
)
from whorl.expressions.formulas import SHORT
from whorl.forcing.checks import check_forcing, designed
from whorl.forcing.names import force_name, forceable
from whorl.models import DEFAULT, Model, declared_by
from whorl.models.carried import with_carried
from whorl.models.equations import Equations, with_dimensions
from whorl.models.registered import written_out
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
    if isinstance(flow, dict):
        given["flow"] = with_dimensions(written_out(flow), given.get("grid"))
        given = with_carried(given)
        flow = given["flow"]
    if model := declared_by(flow):
        grid, output = given.get("grid"), given.get("output", {})
        if isinstance(grid, dict):
            given["grid"] = {"bases": model.bases[0]} | grid
            if "dealias" not in grid:
                given["grid"]["dealias"] = model.dealias
        if isinstance(output, dict) and output.get("fields") is None:
            given["output"] = output | {"fields": model.snapshot}
        if isinstance(forces := given.get("forcing"), list | tuple):
            given["forcing"] = [
                {"field": model.first_field()} | force if isinstance(force, dict) else force
                for force in forces
            ]
            given["forcing"] = [designed(force, given) for force in given["forcing"]]
    if isinstance(groups := given.get("particles"), list | tuple):
        given["particles"] = [with_number(group) for group in groups]
    return given


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
    check_typed_fields(case)
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
    check_wall_time(case)
    check_patience(case)
    if case.initial is not None:
        check_initial(case)


def check_patience(case: "Case") -> None:
    if case.output.patience > 0 and case.output.checkpoint_in_background:
        raise ValueError(
            f"output.patience = {case.output.patience:g} is wrong with output.checkpoint_in_background: the "
            "copy of a state is written once; leave one of them out"
        )


def check_wall_time(case: "Case") -> None:
    given, every = case.run.wall_time, case.output.checkpoint_every
    if given not in (AUTO, NEVER) and every == "never":
        raise ValueError(
            f'run.wall_time = "{given}" is wrong: the run would end without a checkpoint, as '
            'output.checkpoint_every = "never"; give that an interval'
        )


def check_typed_fields(case: "Case") -> None:
    """Files have dimensions and groups of their own."""
    for name in case.flow.state if isinstance(case.flow, Equations) else ():
        if name in RESERVED:
            raise ValueError(
                f"the name of a field is wrong ({name}): whorl's files use it themselves; choose another"
            )


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
            with in_block(block_of("scalars", number, scalar.name)):
                check_kind(scalar.initial, "scalar", 1, "scalars.initial", case)
                check_no_tables(scalar.initial, "scalars.initial")


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
    numbers = {*flow.constants(), *SHORT}
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
