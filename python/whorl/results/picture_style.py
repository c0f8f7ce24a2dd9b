"""The style of all pictures of whorl, and how they are saved."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.textpath import TextPath

from whorl.base.files import whole_file

# Also told apart without red or green: tests/python/test_diagnostic_pictures.py.
COLORS = ("#2563a8", "#d9590b", "#0aa17a", "#86206b", "#e0a800", "#6bb8ea", "#1f2937", "#94a3b8")
STYLE = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.labelcolor": "0.3",
    "axes.edgecolor": "0.6",
    "xtick.color": "0.35",
    "ytick.color": "0.35",
    "axes.grid": True,
    "grid.color": "0.92",
    "axes.axisbelow": True,
    "lines.linewidth": 2,
}
DOTS = 150  # per inch, in a PNG and in the images within other formats
TITLE, POINTS = 11.0, 72  # the size of titles, and of an inch
ROOM = 0.92  # of the width for a title


def draw_title(figure: Figure, title: str) -> None:
    """The title of a whole figure, smaller if it is too long for it."""
    if not title:
        return
    length = TextPath((0, 0), title, size=TITLE).get_extents().width
    room = ROOM * POINTS * figure.get_figwidth() / length
    figure.suptitle(title, x=0.012, ha="left", fontsize=TITLE * min(1.0, room))


def draw_notes(figure: Figure, notes: Sequence[str]) -> None:
    """Sentences below a whole figure, on what is not in it."""
    if notes:
        figure.supxlabel("\n".join(notes), fontsize=9, color="0.35")


def save_picture(figure: Figure, path: Path) -> None:
    """Save a figure as PNG, PDF or SVG, by the ending of the name; see `files.check_picture`."""
    FigureCanvasAgg(figure)
    with whole_file(path) as beside:
        figure.savefig(beside, format=path.suffix[1:].lower(), dpi=DOTS)
