"""The picture of processors.py: the right-hand side over its floor by size and level, a panel a precision."""

from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from whorl.base.files import whole_file
from whorl.pictures.style import STYLE

COLORS = {"baseline": "0.5", "v2": "#4d7c0f", "v3": "#c2410c", "v4": "#2b6cb0"}
RATIO = "chosen ÷ floor"
GOAL = 1.3


def draw(results: list[dict[str, Any]], path: Path) -> None:
    """Write a PNG for the first dealiasing; lines are solid with all threads and dashed with fewer."""
    dealias = results[0]["dealias"]
    shown = [result for result in results if result["dealias"] == dealias]
    precisions = list(dict.fromkeys(result["precision"] for result in shown))
    with rc_context(STYLE):
        figure = Figure(figsize=(5.4 * len(precisions), 4.2), layout="constrained")
        panels = figure.subplots(1, len(precisions), sharey=True, squeeze=False)[0]
        for ax, precision in zip(panels, precisions, strict=True):
            _draw(ax, [result for result in shown if result["precision"] == precision])
            ax.set_title(f"{precision.capitalize()} precision, {dealias}")
        panels[0].set_ylabel("right-hand side ÷ floor")
        panels[0].set_ylim(bottom=min(0.9, *(result["ratios"][RATIO] for result in shown)))
        FigureCanvasAgg(figure)
        with whole_file(path) as beside:
            figure.savefig(beside, format="png", dpi=150)


def _draw(ax: Axes, results: list[dict[str, Any]]) -> None:
    most = max(result["threads"] for result in results)
    series: dict[tuple[str, int], dict[int, float]] = {}
    for result in results:
        key = result["level"], result["threads"]
        series.setdefault(key, {})[result["points"]] = result["ratios"][RATIO]
    sizes = sorted({result["points"] for result in results})
    for (level, threads), found in sorted(series.items()):
        points = sorted(found)
        style = {"color": COLORS[level], "linestyle": "-" if threads == most else "--", "marker": "o"}
        label = f"{level}, {threads} thread{'s' if threads > 1 else ''}"
        places = [sizes.index(n) for n in points]
        ax.plot(places, [found[n] for n in points], markersize=4, label=label, **style)
    for ratio in (1.0, GOAL):
        ax.axhline(ratio, color="0.6", linewidth=0.8, linestyle=":" if ratio > 1 else "-")
    ax.set_xlabel("points an axis")
    ax.set_xticks(range(len(sizes)), [str(n) for n in sizes])
    ax.legend(frameon=False, fontsize=8.5, handlelength=3)
