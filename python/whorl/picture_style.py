"""How every picture of whorl looks."""

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
