"""Options in turnovers L/u': which a case has, whether its model counts them, and the column of the count."""

from typing import TYPE_CHECKING

from whorl.config.clock import Every
from whorl.config.columns import Column

if TYPE_CHECKING:
    from whorl.config.case import Case

COLUMN = Column(
    "turnovers",
    "",
    "∫ u'/L dt, u'/L as last measured; NaN in rows before it was counted",
    lambda clock: clock.turnovers.count,
    of="clock",
    later=True,
)


def in_turnovers(case: "Case") -> dict[str, str]:
    """The options of a case that are in turnovers, with their values."""
    times = {f"time.{name}": getattr(case.time, name) for name in ("until", "average_from")}
    every = {f"output.{name}": value for name, value in case.output if name.endswith("_every")}
    every |= {f"diagnostics.{one.label}.every": one.every for one in case.diagnostics}
    every |= {f"{one.section}.{one.label}.every": one.every for one in (*case.probes, *case.particles)}
    texts = {name: value for name, value in (times | every).items() if isinstance(value, str)}
    return {name: value for name, value in texts.items() if Every.parse(value).unit == "turnovers"}


def turnover_columns(case: "Case") -> tuple[Column, ...]:
    """The column of the count, in cases with options in turnovers; other cases do not measure u'/L."""
    return (COLUMN,) if in_turnovers(case) else ()


def check_turnovers(case: "Case") -> None:
    """Raises ValueError if options are in turnovers and the model has none."""
    for name, value in in_turnovers(case).items():
        check_counted(case, f'{name} = "{value}"')


def check_counted(case: "Case", asked: str) -> None:
    """Raises ValueError, which begins with `asked`, if the model has no turnovers."""
    if case.flow.turnover_rate is None:
        raise ValueError(
            f'{asked} counts turnovers L/u\' of a viscous velocity, and flow.model = "{case.flow.model}" has '
            "none; give a time, or for an interval also steps"
        )
