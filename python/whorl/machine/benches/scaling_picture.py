"""The picture of `whorl bench scaling`: times over ranks, with the fitted powers."""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from whorl.machine.benches.scaling import SYMBOLS, TIMES, shown
from whorl.pictures.style import STYLE, save_picture

COLORS = {"computation": "#2b6cb0", "communication": "#c2410c", "total": "0.2"}
MARKERS = {"computation": "o", "communication": "s", "total": "D"}


def draw_scaling(figures: dict[str, Any], path: Path) -> None:
    """Writes a picture with a panel for each series."""
    with rc_context(STYLE):
        figure = Figure(figsize=(5.4 * len(figures["series"]), 4.6), layout="constrained")
        panels = figure.subplots(1, len(figures["series"]), sharey=True, squeeze=False)[0]
        for ax, (name, series) in zip(panels, figures["series"].items(), strict=True):
            _draw(ax, name, series)
        what = "Pair of transforms" if figures["kernel"] == "fft" else "Time step"
        panels[0].set_ylabel(f"{what}, seconds")
        save_picture(figure, path)


def _draw(ax: Axes, name: str, series: dict[str, Any]) -> None:
    ranks = np.array([run["ranks"] for run in series["runs"]])
    for part in TIMES:
        seconds = np.array([run[part]["median"] for run in series["runs"]])
        timed = seconds > 0
        fitted = series["exponents"][part]
        label = f"{part}, {SYMBOLS[part]} = {shown(fitted)}"
        ax.plot(ranks[timed], seconds[timed], MARKERS[part], color=COLORS[part], label=label)
        if fitted["gamma"] is not None:
            law = fitted["seconds"] * ranks[timed] ** -fitted["gamma"]
            ax.plot(ranks[timed], law, color=COLORS[part], linewidth=1.2)
    first, last = (" × ".join(map(str, run["points"])) for run in (series["runs"][0], series["runs"][-1]))
    title = f"{name.capitalize()} scaling, {first}"
    ax.set_title(title if first == last else f"{title} to {last}")
    ax.set(xscale="log", yscale="log", xlabel=r"ranks $p$,  time ∝ $p^{-\gamma}$")
    ax.set_xticks(ranks, [str(count) for count in ranks])
    ax.xaxis.set_minor_locator(NullLocator())
    ax.legend(frameon=False, fontsize=8.5)
