"""The rows of a table in a window of time, and sentences on missing ones."""

import math

import numpy as np
import xarray as xr

from whorl.base.errors import CaseError
from whorl.output.series import gaps_of, step_of

HOLE = 10.0  # times the usual spacing of rows, above which adaptive steps do not explain a hole
SAME = 1e-9  # of the largest time: the distance of a row from an end of the window by rounding


def check_order(table: xr.Dataset, file: str) -> None:
    """Raises CaseError unless the times of a file's rows increase."""
    time = table["time"].values
    if late := np.flatnonzero(np.diff(time) <= 0).tolist():
        raise CaseError(
            f"{file} is damaged: its row of t = {time[late[0]]:.6g} is followed by one of t = "
            f"{time[late[0] + 1]:.6g}, and times must increase."
        )


def check_window(start: float | None, end: float | None) -> tuple[float, float]:
    """The ends of a window, which may be infinite if not given. Raises CaseError."""
    given = [edge for edge in (start, end) if edge is not None]
    if unfit := [edge for edge in given if not math.isfinite(edge)]:
        raise CaseError(f"{unfit[0]} is no time at which a window of averages begins or ends.")
    if len(given) == 2 and start > end:
        raise CaseError(
            f"the window from t = {start:.6g} to t = {end:.6g} ends before it begins; give the earlier time "
            "first."
        )
    return (-math.inf if start is None else start), (math.inf if end is None else end)


def between(table: xr.Dataset, low: float, high: float) -> xr.Dataset:
    """The rows at these times and between them."""
    time = table["time"].values
    slack = SAME * np.abs(time).max(initial=0.0)
    return table.isel(time=(time >= low - slack) & (time <= high + slack))


def around(table: xr.Dataset, time: np.ndarray) -> xr.Dataset:
    """The rows between the first and the last of these times, and those next to them."""
    rows = table["time"].values
    first = max(int(np.searchsorted(rows, time[0], side="right")) - 1, 0)
    return table.isel(time=slice(first, int(np.searchsorted(rows, time[-1])) + 1))


def lacking(finite: np.ndarray, name: str, file: str, what: str = "row") -> list[str]:
    """A sentence on the rows at which a quantity is not finite, which are left out; none if it always is."""
    if finite.all():
        return []
    count = int((~finite).sum())
    rows, have = (f"{what}s", "have") if len(finite) > 1 else (what, "has")
    return [
        f"{count} of {len(finite)} {rows} of {file} {'has' if count == 1 else have} no finite {name}, and "
        f"{'is' if count == 1 else 'are'} left out."
    ]


def missing(rows: xr.Dataset, file: str) -> list[str]:
    """Sentences on rows that were lost before a restart, and on holes between rows."""
    steps, time = rows["step"].values, rows["time"].values
    notes = [
        f"{file} has a gap: {gap}; the means bridge it by straight lines."
        for gap in gaps_of(rows)
        if steps[0] < step_of(gap) <= steps[-1]
    ]
    apart = np.diff(time)
    widest = int(np.argmax(apart))
    if not notes and apart[widest] > HOLE * np.median(apart):
        notes.append(
            f"{file} has no row between t = {time[widest]:.6g} and t = {time[widest + 1]:.6g}, "
            f"{apart[widest] / np.median(apart):.0f} times their usual spacing; the means bridge it by a "
            "straight line."
        )
    return notes
