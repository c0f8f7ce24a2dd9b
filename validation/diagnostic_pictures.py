"""The pictures of docs/diagnostics/: forced turbulence with a diagnostic of each kind; a quarter of an hour.

    .venv/bin/python validation/diagnostic_pictures.py          # runs the case, then draws
    .venv/bin/python validation/diagnostic_pictures.py draw     # draws the run that is there

The run is in runs/forced-turbulence/, the pictures docs/figures/diagnostic-NAME.png are those of
`whorl plot runs/forced-turbulence --diagnostic NAME`, with fewer dots and colours.
"""

import io
import sys
from pathlib import Path

from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image
from whorl.config.case import load_case
from whorl.results.diagnostic_picture import draw_diagnostic
from whorl.results.picture_style import STYLE
from whorl.results.runs import open_run
from whorl.run.simulation import Simulation

ROOT = Path(__file__).resolve().parents[1]
RUN = ROOT / "runs" / "forced-turbulence"
FIGURES = ROOT / "docs" / "figures"
DOTS, COLOURS = 100, 256  # small files
GRADIENTS = ["dx(u.x)", "dx(u.y)"]
RATES = ["2*nu*sum(strain(u)**2)", "nu*dot(omega, omega)"]
Q_R = ["-det(grad(u))", "-trace(grad(u) @ grad(u))/2"]
DIAGNOSTICS = [
    {"kind": "pdf", "of": [*GRADIENTS, "p"], "bins": 200},
    {"kind": "moments", "of": ["u.x", *GRADIENTS, "p"]},
    {"kind": "joint-pdf", "of": Q_R, "range": [[-5, 5], [-6, 6]]},
    {"kind": "conditional", "of": RATES, "given": "p", "bins": 60, "range": [-8, 4]},
    {"kind": "profile", "of": ["u", "u.x*u.z"]},
    {"kind": "spectrum", "of": ["u", "omega", "p"]},
    {"kind": "structure-functions"},
]


def run() -> None:
    case = load_case("forced-turbulence").updated(
        time={"until": "40 turnovers"},
        output={"directory": str(RUN), "snapshot_every": "never"},
        diagnostics=[one | {"every": "0.5 turnovers"} for one in DIAGNOSTICS],
    )
    with Simulation(case, overwrite=True) as simulation:
        if not simulation.run():
            raise SystemExit(f"stopped before the end; {FIGURES} is as it was")


def draw() -> None:
    means = open_run(RUN).mean_diagnostics()
    for name, data in means.means.items():
        title = f"{RUN.name}   ·   {name}   ·   mean of {data.attrs['states']} states"
        with rc_context(STYLE):
            figure = draw_diagnostic(data, title)
            FigureCanvasAgg(figure)
            whole = io.BytesIO()
            figure.savefig(whole, dpi=DOTS)
        picture = Image.open(whole).convert("RGB").quantize(COLOURS)
        picture.save(FIGURES / f"diagnostic-{name}.png", optimize=True)
    print(means.verdict)


if __name__ == "__main__":
    if "draw" not in sys.argv[1:]:
        run()
    draw()
