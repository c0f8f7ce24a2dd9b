"""Make the runs, reports and pictures of docs/report.md, with Chromium, in some minutes.

    .venv/bin/python validation/report_pictures.py             # all runs and pictures
    .venv/bin/python validation/report_pictures.py mhd         # this picture
    .venv/bin/python validation/report_pictures.py --draw mhd  # draw an existing run

The runs and reports are in runs/reports/. docs/figures/report-NAME.png is the beginning of a report at the
width and in the colours of `PICTURES`, cut into columns side by side. `--all` draws each report in every
look, to runs/reports/. Only this script needs Chromium or Chrome on the path; no set-up installs it.
"""

import argparse
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from whorl.config.case import Case, load_case
from whorl.report import report
from whorl.run.simulation import Simulation

ROOT = Path(__file__).resolve().parents[1]
RUNS, FIGURES = ROOT / "runs" / "reports", ROOT / "docs" / "figures"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
COLOURS, GAP = 256, 16  # colours, for small files; pixels between columns
PATIENCE = 120  # seconds for a picture
CASES: dict[str, Case] = {
    "forced": load_case("forced-turbulence", ["grid.points=32"]).updated(
        time={"until": "20 turnovers"},
        diagnostics=[
            {"kind": kind, "every": "0.5 turnovers"} | options
            for kind, options in {"pdf": {"of": ["dx(u.x)", "dx(u.y)"]}, "dissipation": {}}.items()
        ],
        probes=[{"kind": "points", "of": ["u.x"], "positions": [[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]]}],
    ),
    "convection": load_case("rayleigh-benard").updated(
        grid={"points": [96, 1, 48]},
        flow={"rayleigh": 3e5},
        time={"until": 50.0},
        diagnostics=[{"kind": "convection", "every": 0.5}],
    ),
    "mhd": load_case("orszag-tang").updated(
        grid={"points": [128, 128, 1]}, flow={"viscosity": 0.004, "resistivity": 0.004}
    ),
}


@dataclass(frozen=True)
class Look:
    """How a report is shown: width in pixels, dark or light, number, height and scale of columns."""

    width: int
    dark: bool
    columns: int
    height: int
    scale: float


LIGHT, DARK, PHONE = (
    Look(1080, False, 3, 1700, 0.62),
    Look(1080, True, 3, 1700, 0.62),
    Look(390, False, 5, 1400, 1.0),
)
PICTURES = {"forced": LIGHT, "convection": DARK, "mhd": PHONE}


def run(name: str) -> None:
    case = CASES[name].updated(output={"directory": str(RUNS / name)})
    with Simulation(case, overwrite=True) as simulation:
        if not simulation.run():
            raise SystemExit(f"{name} stopped before its end, so its picture is unchanged; run it again.")


def draw(page: Path, look: Look, path: Path) -> None:
    """Open a report and write its picture."""
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.png"
        subprocess.run(
            [
                *(browser(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
                *(f"--user-data-dir={folder}/profile", f"--screenshot={whole}"),
                f"--window-size={look.width},{look.columns * look.height}",
                f"--blink-settings=preferredColorScheme={0 if look.dark else 1}",
                page.resolve().as_uri(),
            ],
            check=True,
            capture_output=True,
            timeout=PATIENCE,
        )
        seen = Image.open(whole).convert("RGB")
    side_by_side = Image.new(
        "RGB", (look.columns * (look.width + GAP) - GAP, look.height), "#3a3f45" if look.dark else "#c9ced6"
    )
    for n in range(look.columns):
        column = seen.crop((0, n * look.height, look.width, (n + 1) * look.height))
        side_by_side.paste(column, (n * (look.width + GAP), 0))
    size = tuple(round(look.scale * length) for length in side_by_side.size)
    small = side_by_side.resize(size, Image.Resampling.LANCZOS)
    small.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE, kmeans=2).save(path, optimize=True)


def browser() -> str:
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        raise SystemExit(f"pictures of reports need one of {', '.join(BROWSERS)} on the path; install one.")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("name", nargs="*", help=f"pictures, all by default: {', '.join(PICTURES)}")
    parser.add_argument("--draw", action="store_true", help="draw existing runs, without running")
    parser.add_argument("--all", action="store_true", help="in every look, to runs/reports/")
    given = parser.parse_args()
    if unknown := set(given.name) - set(PICTURES):
        parser.error(f"no such picture: {', '.join(sorted(unknown))}; choose from {', '.join(PICTURES)}")
    browser()
    for name in given.name or PICTURES:
        if not given.draw:
            run(name)
        page = report(RUNS / name)
        if given.all:
            for look, of in {"light": LIGHT, "dark": DARK, "phone": PHONE}.items():
                draw(page, of, RUNS / f"report-{name}-{look}.png")
        else:
            draw(page, PICTURES[name], FIGURES / f"report-{name}.png")


if __name__ == "__main__":
    main()
