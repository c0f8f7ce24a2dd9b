"""Time the same Navier–Stokes step in whorl and in fluidsim, side by side, in one run.

    .venv/bin/python benchmarks/peers.py --points 128 256

Three-dimensional, double precision, 2/3 truncation on each axis, second-order Runge–Kutta with the viscous
factor exact, Taylor–Green vortex; whorl is timed in single precision as well. fluidsim and its FFT plugins
are installed from PyPI into .peers/, an environment of their own. Every way in which a code can use the cores
is timed in turn, the whole list again each round, so that a machine that grows slower does so for all; the
ratios are of the medians of the quickest way of each code.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import venv
from dataclasses import asdict, dataclass, field
from pathlib import Path

from rich.table import Table
from shared import ROOT, console, environment, launcher, pip

PEERS = ROOT / ".peers"
PEERS_PYTHON = PEERS / "bin" / "python"
PLUGINS = ("fluidfft-fftw", "fluidfft-mpi_with_fftw", "fluidfft-fftwmpi")
VISCOSITY = 1 / 1600
TIME_STEP = 0.001


@dataclass
class Contestant:
    """One code run in one way, and what it took: a list entry a round, in seconds."""

    code: str
    method: str
    ranks: int
    threads: int
    precision: str = "double"
    seconds_per_step: list[float] = field(default_factory=list)
    seconds_per_rhs: list[float] = field(default_factory=list)
    results: list[dict] = field(default_factory=list)

    @property
    def name(self) -> str:
        return " ".join(f"{self.code} {self.label} {self.ranks} × {self.threads}".split())

    @property
    def label(self) -> str:
        """The transforms, and the precision if it is not double."""
        precision = "" if self.precision == "double" else self.precision
        return f"{self.method.removeprefix('fft3d.')} {precision}".strip()

    def add(self, result: dict) -> None:
        self.seconds_per_step.append(result["seconds_per_step"])
        self.seconds_per_rhs.append(result["seconds_per_rhs"])
        self.results.append(result)


def install() -> None:
    """Make .peers once; a plugin that does not build is left out, fluidsim itself is needed."""
    stamp = PEERS / ".installed"
    if stamp.exists():
        return
    console.print("installing fluidsim into .peers (a few minutes, once)")
    venv.create(PEERS, with_pip=True, clear=True)
    if not pip(PEERS_PYTHON, "fluidsim[fft,mpi]"):
        sys.exit("peers: fluidsim could not be installed from PyPI, so there is nothing to compare with")
    for plugin in PLUGINS:
        console.print(f"  {plugin}: {'built' if pip(PEERS_PYTHON, plugin) else 'did not build, left out'}")
    stamp.touch()


def fluidsim_methods(ranks: int) -> list[str]:
    """The transforms that fluidfft finds in .peers for one process or for several."""
    code = f"import fluidfft; print(*sorted(fluidfft.get_methods(3, sequential={ranks == 1})))"
    output = subprocess.run([PEERS_PYTHON, "-c", code], capture_output=True, text=True, check=True).stdout
    return output.split()


def contestants(cores: int) -> list[Contestant]:
    """Each code with threads in one process and with one process a core; whorl in single precision, too."""
    ways = [(1, cores), (cores, 1)] if cores > 1 else [(1, 1)]
    entries = [Contestant("whorl", "", 1, cores, "single")]
    for ranks, threads in ways:
        entries.append(Contestant("whorl", "", ranks, threads))
        entries += [Contestant("fluidsim", method, ranks, threads) for method in fluidsim_methods(ranks)]
    return entries


def command(entry: Contestant, whorl: Path, points: int, steps: int, folder: Path) -> list[str]:
    if entry.code == "whorl":
        options = [
            "--points",
            str(points),
            "--precision",
            entry.precision,
            "--json",
            str(folder / "whorl.json"),
        ]
        return [*launcher(entry.ranks), str(whorl), "bench", "step", *options]
    script = [str(PEERS_PYTHON), str(Path(__file__).with_name("fluidsim_step.py"))]
    options = ["--points", str(points), "--steps", str(steps), "--fft", entry.method]
    physics = ["--viscosity", str(VISCOSITY), "--time-step", str(TIME_STEP)]
    return [*launcher(entry.ranks), *script, *options, *physics]


def measure(entry: Contestant, whorl: Path, points: int, steps: int) -> bool:
    """Time one contestant once, in a process of its own; False, with the reason shown, if it fails."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run = subprocess.run(
            command(entry, whorl, points, steps, folder),
            env=environment(entry.threads) | {"FLUIDSIM_PATH": name},
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode:
            console.print(f"{entry.name} failed:\n{run.stderr[-1500:]}", markup=False, style="dim")
            return False
        if entry.code == "whorl":
            text = (folder / "whorl.json").read_text()
        else:
            text = next(line for line in run.stdout.splitlines() if line.startswith("{"))
        entry.add(json.loads(text))
    console.print(f"  {points}³ {entry.name}: {entry.seconds_per_step[-1]:.4f} s a step", highlight=False)
    return True


def quickest(entries: list[Contestant], code: str) -> Contestant:
    """The contestant of a code with the shortest median step in double precision."""
    timed = [entry for entry in entries if entry.code == code and entry.precision == "double"]
    if not timed:
        sys.exit(f"peers: {code} could not be timed in any way; the reasons are above")
    return min(timed, key=lambda entry: statistics.median(entry.seconds_per_step))


def compare(points: int, options: argparse.Namespace) -> dict:
    """What every contestant took at one size, and the ratios between the quickest of each code."""
    entries = contestants(options.cores)
    for _ in range(options.rounds):
        entries = [entry for entry in entries if measure(entry, options.whorl, points, options.steps)]
    whorl, fluidsim = (quickest(entries, code) for code in ("whorl", "fluidsim"))
    ratios = {
        key: statistics.median(getattr(fluidsim, key)) / statistics.median(getattr(whorl, key))
        for key in ("seconds_per_step", "seconds_per_rhs")
    }
    return {"points": points, "ratios": ratios, "contestants": entries}


def show(results: list[dict], cores: int) -> None:
    table = Table(title=f"Seconds, median (shortest) of the rounds; {cores} cores, 2/3, rk2")
    for title in ("points", "code", "ranks × threads", "a step", "a right-hand side"):
        table.add_column(title)
    for result in results:
        for entry in result["contestants"]:
            cells = [
                f"{statistics.median(times):.4f} ({min(times):.4f})"
                for times in (entry.seconds_per_step, entry.seconds_per_rhs)
            ]
            name = f"{entry.code} {entry.label}"
            table.add_row(f"{result['points']}³", name, f"{entry.ranks} × {entry.threads}", *cells)
        ratios = [f"[bold]{ratio:.2f}" for ratio in result["ratios"].values()]
        table.add_row("", "[bold]fluidsim ÷ whorl", "[bold]quickest", *ratios, end_section=True)
    console.print(table)


def parse() -> argparse.Namespace:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    parser.add_argument("--points", type=int, nargs="+", default=[128, 256], help="points an axis")
    parser.add_argument("--rounds", type=int, default=3, help="times each way is timed")
    parser.add_argument("--steps", type=int, default=5, help="fluidsim's steps a timing")
    parser.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)), help="cores to use")
    parser.add_argument("--whorl", type=Path, default=ROOT / ".venv/bin/whorl", help="whorl to compare")
    parser.add_argument(
        "--json", type=Path, default=ROOT / "runs/peers.json", help="where to write the result"
    )
    return parser.parse_args()


def main() -> None:
    options = parse()
    if not options.whorl.exists():
        sys.exit(f"peers: {options.whorl} does not exist; run `make setup` or give --whorl")
    install()
    results = [compare(points, options) for points in options.points]
    show(results, options.cores)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(results, default=asdict, indent=2) + "\n")
    console.print(f"written to {options.json}", highlight=False, soft_wrap=True)


if __name__ == "__main__":
    main()
