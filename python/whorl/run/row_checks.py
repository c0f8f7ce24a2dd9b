"""Warnings of rows of probes and particles that their own statistics would refuse."""

from whorl.config.case import Case
from whorl.config.clock import LANDING, Every
from whorl.probes.options import Probe

WITH_RESAMPLING = "so that spectra, correlations and statistics of them need --resample, which interpolates"


def refused_rows(case: Case) -> list[str]:
    """Sentences on rows at uneven times, and on rows that are too few."""
    reasons: dict[tuple[str, str], list[str]] = {}
    few = []
    for one in (*case.probes, *case.particles):
        every, name = Every.parse(one.every), f"{one.section}.{one.label}"
        if every.unit == "never":
            continue
        if why := _uneven(case, every):
            reasons.setdefault(why, []).append(name)
        elif (rows := _count(case, one, every)) is not None and rows < one.fewest_rows:
            few.append(
                f"{name} will have {rows} rows, and {one.statistics} need {one.fewest_rows}; write them more "
                f"often ({name}.every), or run longer."
            )
    uneven = [
        f"the rows of {', '.join(names)} are at uneven times, {WITH_RESAMPLING}: {why}; {remedy}."
        for (why, remedy), names in reasons.items()
    ]
    return uneven + few


def _uneven(case: Case, every: Every) -> tuple[str, str] | None:
    """Why rows are not at even times, and the remedy; None if they are."""
    dt = case.time.dt
    if dt is None:
        return "steps by time.courant differ", "give time.dt"
    if every.unit == "turnovers":
        return "turnovers differ in length", "give every in steps"
    steps = every.amount / dt
    if every.unit == "steps" or steps <= 1 or abs(steps - round(steps)) < LANDING * steps:
        return None
    return f"every = {every.amount:g} is {steps:.4g} steps of time.dt = {dt:g}", (
        f'every = "{round(steps)} steps" makes them even'
    )


def _count(case: Case, one: Probe, every: Every) -> int | None:
    """The number of evenly spaced rows; None if the end is not known."""
    time, dt = case.time, case.time.dt
    ends = [end for end in (time.end.time, time.steps and time.steps * dt) if end]
    if not ends or time.until_error:
        return None
    between = max(every.amount, dt) if every.unit == "time" else every.amount * dt
    return 1 + int((min(ends) - getattr(one, "release", 0.0)) / between * (1 + LANDING))
