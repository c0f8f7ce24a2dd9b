"""The columns, spectra and fields that a case measures and writes, including those of passive scalars."""

from typing import TYPE_CHECKING, Any

from whorl.base.dimension import UNITS_OF_CASE
from whorl.config.columns import CLOCK, Column
from whorl.config.scalars import STATISTICS, VARIANCE
from whorl.config.schemes import SCHEMES
from whorl.config.turnovers import turnover_columns
from whorl.expressions.faults import in_one_line
from whorl.forcing.names import forceable, power_name, powers
from whorl.forcing.options import units_of
from whorl.models.base import Balance, Defined, Exchange, FieldOf
from whorl.models.viscous import advected, balance_of_advected

if TYPE_CHECKING:
    from whorl.config.case import Case

SCALAR = FieldOf(1, "1", "passive scalar", ("",), scaled=True)


def series_columns(case: "Case") -> tuple[Column, ...]:
    """The columns of series.csv in order."""
    of_scalars, of_forcing = _of_scalars(case, STATISTICS), _of_forcing(case)
    own = (*CLOCK, *turnover_columns(case), *case.flow.columns, *of_scalars, *of_forcing)
    return (*own, *expression_columns(case))


def expression_columns(case: "Case") -> tuple[Column, ...]:
    """The columns that the case defines by expressions, without the units that follow from these."""
    return tuple(
        Column(name, UNITS_OF_CASE, in_one_line(text), of="expression", later=True)
        for name, text in case.output.columns.items()
    )


def growing_columns(case: "Case") -> set[str]:
    """The names of columns of the series that grow with the run and have no mean."""
    return {"step", "time", "turnovers", *(f"{force.label}_work" for force in case.forcing)}


def spectra_columns(case: "Case") -> tuple[Column, ...]:
    """The spectra in spectra.h5: the model's, those of scalars, and the transfers."""
    injected = injections(case).values()
    return (*case.flow.spectra, *_of_scalars(case, (VARIANCE,)), *transfers(case).values(), *injected)


def transfers(case: "Case") -> dict[str, Column]:
    """The transfers by their names in the core: `transfer` of the first field, transfer_FIELD of others."""
    columns: dict[str, Column] = {}
    for name, field in state_fields(case).items():
        own = f"transfer_{name}" if columns else "transfer"
        meaning = (
            f"½|{name}|² that all but the exactly integrated terms bring into the shell per unit of time"
        )
        columns[name] = Column(own, units_of(field.unit)[0], meaning)
    if case.flow.transfers_enstrophy:
        meaning = "½|ω|² that these bring into the shell per unit of time, Σ k²T with k of each mode"
        columns["enstrophy of velocity"] = Column("enstrophy_transfer", "1/time³", meaning)
    return columns


def injections(case: "Case") -> dict[str, Column]:
    """The spectrum of the power of each force, by its name."""
    columns = {}
    for force in case.forcing:
        meaning = f"power of the force {force.label} in the shell, {_moment_of(case, force)}"
        columns[force.label] = Column(f"{force.label}_power", _units_of(case, force)[0], meaning)
    return columns


def _moment_of(case: "Case", force: Any) -> str:
    """The time to which the power by shell belongs, in words."""
    if force.multiplies and force.ends() is None:
        return "of the present state"
    if SCHEMES[case.time.scheme].earlier:
        return "of the state before the last step, for a random force the mean of that step"
    return "the mean of the last step"


def _of_forcing(case: "Case") -> list[Column]:
    """The columns of each force: the mean power of the last step and the work since the beginning."""
    columns = []
    for force in case.forcing:
        label, (power, work) = force.label, _units_of(case, force)
        what = f"the force {label} on the {force.field}"
        columns += [
            Column(
                f"{label}_power", power, f"mean power of {what} in that step", _entry(label, 0), of="forcing"
            ),
            Column(f"{label}_work", work, f"work of {what} since t = 0", _entry(label, 1), of="forcing"),
        ]
    return columns


def _entry(label: str, which: int) -> Any:
    return lambda forcing: forcing[label][which]


def _units_of(case: "Case", force: Any) -> tuple[str, str]:
    return units_of(all_fields(case)[force.field].unit)


def state_fields(case: "Case") -> dict[str, FieldOf]:
    """The fields of the state in the core's order, scalars after the model's."""
    return case.flow.state | {scalar.name: SCALAR for scalar in case.scalars}


def output_fields(case: "Case") -> dict[str, FieldOf]:
    """The fields that can be read and written."""
    return case.flow.outputs | {scalar.name: SCALAR for scalar in case.scalars}


def all_fields(case: "Case") -> dict[str, FieldOf]:
    """The fields of the state and those that can be written."""
    return output_fields(case) | state_fields(case)


def quantities(case: "Case") -> dict[str, Defined]:
    """The quantities at the points that expressions may name, the model's and those of scalars.

    A scalar whose name is not an identifier has none.
    """
    known = all_fields(case)
    forced = {name: known[name] for name in forceable(case) if name.isidentifier()}
    named = dict(case.flow.quantities()) | powers(forced)
    for scalar in case.scalars:
        if scalar.name.isidentifier():
            _, (D, *gradient) = scalar.of_core(case.flow.viscosity_of_schmidt())
            g = ", ".join(map(repr, gradient))
            named[f"{scalar.name}_dissipation"] = Defined(
                f"{D!r}*sum(grad({scalar.name})**2)", f"D |∇θ|² of {scalar.name}", "1/time"
            )
            named[f"{scalar.name}_production"] = Defined(
                f"-dot(velocity, vector({g}))*{scalar.name}", f"−g·u θ of {scalar.name}", "1/time"
            )
    return named


def budget(case: "Case") -> dict[str, tuple[str, ...]]:
    """The quantities whose means add up to the rate of change of a column (`Model.budget`), by column."""
    of_scalars = {
        f"{scalar.name}_variance": (
            *(f"{scalar.name}_production", f"-{scalar.name}_dissipation", power_name(scalar.name)),
        )
        for scalar in case.scalars
        if scalar.name.isidentifier()
    }
    return case.flow.budget() | of_scalars


def balances(case: "Case") -> dict[str, Balance]:
    """The balances of the model and of the variances of scalars (`Model.balances`)."""
    of_all = dict(case.flow.balances())
    for scalar in case.scalars:
        if scalar.name.isidentifier():
            _, (D, *gradient) = scalar.of_core(case.flow.viscosity_of_schmidt())
            g = ", ".join(map(repr, gradient))
            sources = {"production": f"-dot(velocity, vector({g}))"} if any(gradient) else {}
            of_all[f"{scalar.name}_variance"] = balance_of_advected(scalar.name, repr(D), sources)
    return of_all


def exchanges(case: "Case") -> dict[str, Exchange]:
    """The exchanges of the model and of scalars (`Model.exchanges`)."""
    names = [scalar.name for scalar in case.scalars if scalar.name.isidentifier()]
    return case.flow.exchanges() | {f"{name} to {name}": advected(name) for name in names}


def _of_scalars(case: "Case", columns: tuple[Column, ...]) -> list[Column]:
    return [
        Column(f"{scalar.name}_{column.name}", column.unit, f"{scalar.name}: {column.meaning}")
        for scalar in case.scalars
        for column in columns
    ]
