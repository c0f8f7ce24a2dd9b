"""Make the runs and pictures of docs/diagnostics/ and docs/probes.md, in a quarter of an hour.

    .venv/bin/python validation/diagnostic_pictures.py                   # all runs and pictures
    .venv/bin/python validation/diagnostic_pictures.py convection line   # these and the runs they need
    .venv/bin/python validation/diagnostic_pictures.py --draw pdf        # draw an existing run

The runs are in runs/pictures/. docs/figures/diagnostic-NAME.png is the picture of
`whorl plot RUN --diagnostic NAME`, in the window or at the time that `PICTURES` gives.
docs/figures/probe-modes.png is that of `--probes modes`, and docs/figures/probe-shells.png that of
`--probes shells --correlation`. All of them are reduced to `COLOURS` colours.
"""

import argparse
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from whorl.config.case import Case, load_case
from whorl.pictures import plot
from whorl.run.simulation import Simulation

ROOT = Path(__file__).resolve().parents[1]
RUNS, FIGURES = ROOT / "runs" / "pictures", ROOT / "docs" / "figures"
COLOURS = 256  # for small files
GRADIENTS = ["dx(u.x)", "dx(u.y)"]
RATES = ["2*nu*sum(strain(u)**2)", "nu*dot(omega, omega)"]
Q_R = ["-det(grad(u))", "-trace(grad(u) @ grad(u))/2"]
TRIADS = [[[1, 1, 0], [1, -2, n]] for n in range(4)] + [[[2, 0, 1], [0, 2, n]] for n in range(4)]
FORCED = [
    {"kind": "pdf", "of": [*GRADIENTS, "p"], "bins": 200},
    {"kind": "moments", "of": ["u.x", *GRADIENTS, "p"]},
    {"kind": "joint-pdf", "of": Q_R, "range": [[-5, 5], [-6, 6]]},
    {"kind": "conditional", "of": RATES, "given": "p", "bins": 60, "range": [-8, 4]},
    {"kind": "profile", "of": ["u", "u.x*u.z"]},
    {"kind": "spectrum", "of": ["u", "omega", "p"]},
    {"kind": "correlation", "of": ["u", "dye"]},
    {"kind": "transfer"},
    {"kind": "shell-to-shell", "shells": "logarithmic"},
    {"kind": "triads", "modes": TRIADS},
    {"kind": "structure-functions"},
    {"kind": "slice", "of": ["omega.z", "p"], "at": 3.14},
    {"kind": "line", "of": ["u", "dye"], "along": "z", "at": [3.14, 0.0]},
    {"kind": "gradients", "bins": 200},
    {"kind": "dissipation", "bins": 200},
    {"kind": "pressure", "bins": 200},
    {"kind": "scalars", "bins": 200},
]
MODES = [[1, 0, n] for n in range(8)]
SHELLS = {"kind": "modes", "name": "shells", "of": "u", "shells": "logarithmic", "sample": 40}


def _measured(kind: str, every: float, **options: Any) -> list[dict[str, Any]]:
    return [{"kind": kind, "every": every} | options]


MHD = Case(
    grid={"points": 64},
    flow={"model": "mhd", "viscosity": 0.01, "resistivity": 0.01},
    time={"courant": 0.7, "until": 2.0},
    initial={
        "name": "random",
        "k0": 2.0,
        "energy": 0.5,
        "magnetic": {"name": "random", "k0": 2.0, "energy": 0.5, "seed": 2},
    },
)
CASES: dict[str, Case] = {
    "forced-turbulence": load_case("forced-turbulence").updated(
        time={"until": "40 turnovers"},
        scalars=[{"name": "dye", "gradient": [0.0, 0.0, 1.0]}],
        diagnostics=[one | {"every": "0.5 turnovers"} for one in FORCED],
    ),
    "rayleigh-benard": load_case("rayleigh-benard").updated(
        grid={"points": [64, 64, 48], "lengths": [2.0, 2.0, 1.0]},
        flow={"rayleigh": 1e5},
        time={"until": 80.0},
        diagnostics=_measured("convection", 0.5),
    ),
    "kelvin-helmholtz": load_case("kelvin-helmholtz").updated(diagnostics=_measured("stratification", 0.5)),
    "decaying-mhd": MHD.updated(diagnostics=_measured("current", 0.5, bins=200)),
    "mhd-in-a-field": MHD.updated(
        flow={"mean_field": 1.0},
        time={"until": 1.0},
        diagnostics=_measured(
            "ring-to-ring", 1.0, of=["u to u", "b to b"], shells="logarithmic", per_octave=1, sectors=6
        ),
    ),
    "taylor-green-superfluid": load_case("taylor-green-superfluid").updated(
        diagnostics=_measured("condensate", 0.5, bins=100)
    ),
    "vortices-2d": load_case("vortices-2d").updated(diagnostics=[{"kind": "vortices", "every": 1.0}]),
    "rotating": Case(
        grid={"points": 32},
        flow={"viscosity": 0.002, "rotation": 10.0, "linear": "exact"},
        time={"dt": 0.02, "until": 40.0},
        initial={"name": "random", "k0": 3.0, "energy": 0.01},
        probes=[{"kind": "modes", "of": "u", "modes": MODES}],
    ),
    # With a constant time step.
    "swept": load_case("forced-turbulence").updated(
        time={"dt": 0.006, "until": 48.0}, probes=[SHELLS | {"every": "4 steps"}]
    ),
}
# By picture: its run, and the window or the time that `plot` draws.
PICTURES: dict[str, tuple[str, dict[str, float]]] = {
    **{one["kind"]: ("forced-turbulence", {}) for one in FORCED},
    "convection": ("rayleigh-benard", {"start": 30.0}),
    "stratification": ("kelvin-helmholtz", {"time": 6.0}),
    "current": ("decaying-mhd", {"time": 2.0}),
    "ring-to-ring": ("mhd-in-a-field", {"time": 1.0}),
    "vortices": ("vortices-2d", {}),
    "condensate": ("taylor-green-superfluid", {"time": 1.0}),
    "modes": ("rotating", {}),
    "shells": ("swept", {"start": 6.0}),
}
CORRELATIONS = ("shells",)  # of probes, drawn instead of their spectra


def run(name: str) -> None:
    case = CASES[name].updated(output={"directory": str(RUNS / name), "snapshot_every": "never"})
    with Simulation(case, overwrite=True) as simulation:
        if not simulation.run():
            raise SystemExit(f"{name} stopped before its end, so its pictures are unchanged; run it again.")


def draw(name: str) -> None:
    directory, shown = RUNS / PICTURES[name][0], PICTURES[name][1]
    probes = [one.label for one in CASES[PICTURES[name][0]].probes]
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.png"
        if name in CORRELATIONS:
            plot(directory, "probe-correlation", whole, name=name, **shown)
        elif name in probes:
            plot(directory, "probe", whole, name=name)
        else:
            plot(directory, "diagnostic", whole, name=name, **shown)
        picture = Image.open(whole).convert("RGB").quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE)
    path = FIGURES / f"{'probe' if name in probes else 'diagnostic'}-{name}.png"
    picture.save(path, optimize=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("name", nargs="*", help=f"pictures, all by default: {', '.join(PICTURES)}")
    parser.add_argument("--draw", action="store_true", help="draw existing runs, without running")
    given = parser.parse_args()
    if unknown := set(given.name) - set(PICTURES):
        parser.error(f"no such picture: {', '.join(sorted(unknown))}; choose from {', '.join(PICTURES)}")
    wanted = given.name or list(PICTURES)
    for name in {} if given.draw else dict.fromkeys(PICTURES[one][0] for one in wanted):
        run(name)
    for name in wanted:
        draw(name)


if __name__ == "__main__":
    main()
