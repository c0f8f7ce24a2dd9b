"""The picture of a diagnostic of a run, from its files alone."""

from collections.abc import Mapping
from pathlib import Path

import xarray as xr
from matplotlib.figure import Figure

from whorl.base.errors import CaseError
from whorl.base.text import counted
from whorl.diagnostics.draw import DRAWINGS, draw_plain
from whorl.diagnostics.draw.base import tell_empty
from whorl.diagnostics.options import KINDS, Diagnostic
from whorl.diagnostics.results.means import check_measured
from whorl.output.growing_file import read_groups
from whorl.pictures.slices import Tell, nearest, silent
from whorl.pictures.style import draw_title, title_of
from whorl.results.runs import RunResults


def diagnostic_picture(
    run: RunResults,
    *,
    name: str,
    time: float | None = None,
    start: float | None = None,
    end: float | None = None,
    states: Mapping[str, xr.Dataset] | str | Path | None = None,
    tell: Tell = silent,
) -> Figure:
    """Return the figure of a diagnostic of a run: its mean over a window of time with errors, or one state.

    `time` selects the nearest state in place of a mean. `start` and `end` are the window, by default that
    of `RunResults.average`. Without such a window the last state is drawn, as it is of slices and lines
    unless a window is given. `states` are those that `whorl.analyse` returns, or their file; those of
    diagnostics.h5 by default. `tell` is called with sentences on the window or the state. Raises
    CaseError if the run has no such diagnostic, window or state.
    """
    found = read_groups(Path(states)) if isinstance(states, str | Path) else states or run.diagnostics
    check_measured(name, found)
    if time is not None and (start, end) != (None, None):
        raise CaseError("--time draws one state, --from and --to the mean of several; give one of the two.")
    shown, when = what_to_draw(run, found, name, time, (start, end), tell)
    return draw_diagnostic(shown, title_of(run.directory, name, when))


def draw_diagnostic(data: xr.Dataset, title: str = "") -> Figure:
    """Return the figure of a diagnostic of one state, or of means with errors.

    `data` has the diagnostic over its axes, as `Simulation.diagnose` returns it, as a state of
    `RunResults.diagnostics`, or as in `DiagnosticMeans.means`. Raises CaseError if no array of it can be
    drawn.
    """
    figure = Figure(layout="constrained")
    DRAWINGS.get(data.attrs.get("kind", ""), draw_plain)(figure, data)
    tell_empty(figure)
    draw_title(figure, title)
    return figure


def what_to_draw(
    run: RunResults,
    states: Mapping[str, xr.Dataset],
    name: str,
    time: float | None,
    window: tuple[float | None, float | None],
    tell: Tell,
) -> tuple[xr.Dataset, str]:
    """The state or the means to draw, and their title; see `diagnostic_picture`. Raises CaseError."""
    data = states[name]
    if not data.sizes["time"]:
        raise CaseError(f"the diagnostic {name} has no state yet.")
    kind = KINDS.get(data.attrs.get("kind", ""), Diagnostic)
    if time is None and kind.of_moments and window == (None, None):
        tell("the last state is drawn; --from and --to draw a mean.")
        time = float(data["time"][-1])
    if time is None:
        try:
            means = run.mean_diagnostics(name, *window, found=states)
        except CaseError as error:
            if window != (None, None):
                raise
            tell(f"the last state is drawn, not a mean: {error}")
            time = float(data["time"][-1])
        else:
            for remark in means.remarks(of_table=False):
                tell(remark)
            mean = means[name]
            of = data["time"].values[(data["time"] >= means.start) & (data["time"] <= means.end)]
            return mean, f"mean of t = {of[0]:.4g} to {of[-1]:.4g}, {counted(mean.attrs['states'], 'state')}"
    state = data.isel(time=nearest(data, time, "state", tell))
    return state, f"t = {float(state['time']):.4g}"
