"""Time the same Navier–Stokes step in whorl, in fluidsim and in GHOST, side by side, in one run.

    .venv/bin/python benchmarks/peers.py --points 128 256 --ghost ~/src/GHOST

The flow is the three-dimensional Taylor–Green vortex in double precision, with 2/3 truncation on each axis
and second-order Runge–Kutta with the viscous factor exact. whorl is timed in single precision as well.
fluidsim and its FFT plugins are installed from PyPI into a separate environment, .peers/. GHOST is timed in
both precisions if its source is given (see ghost.py), with one rank per core. Every way in which a code can
use the cores is timed once in every round, so that a machine that becomes slower affects all. The ratios are
those of the medians of the quickest way of each code.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import venv
from dataclasses import asdict, dataclass, field
from pathlib import Path

import ghost
from ghost import Ghost
from rich.table import Table
from shared import ROOT, console, environment, launcher, pip

PEERS = ROOT / ".peers"
PEERS_PYTHON = PEERS / "bin" / "python"
PLUGINS = ("fluidfft-fftw", "fluidfft-mpi_with_fftw", "fluidfft-fftwmpi")
VISCOSITY = 1 / 1600
TIME_STEP = 0.001


@dataclass
class Contestant:
    """A code used in one way, and its seconds: a list entry for each round."""

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
    """Make .peers once; a plugin that does not build is left out, but fluidsim itself is required."""
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


def contestants(cores: int, built: Ghost | None) -> list[Contestant]:
    """Each code with threads in one process and with one process a core; whorl in single precision, too.

    GHOST, if it is built, runs in both precisions with one process per core.
    """
    ways = [(1, cores), (cores, 1)] if cores > 1 else [(1, 1)]
    entries = [Contestant("whorl", "", 1, cores, "single")]
    for ranks, threads in ways:
        entries.append(Contestant("whorl", "", ranks, threads))
        entries += [Contestant("fluidsim", method, ranks, threads) for method in fluidsim_methods(ranks)]
    if built:
        entries += [Contestant(ghost.NAME, "", cores, 1, precision) for precision in ghost.PRECISIONS]
    return entries


def command(
    entry: Contestant, points: int, options: argparse.Namespace, folder: Path, built: Ghost | None
) -> list[str]:
    if entry.code == "whorl":
        given = ["--points", str(points), "--precision", entry.precision]
        bench = ["bench", "step", *given, "--json", str(folder / "whorl.json")]
        return [*launcher(entry.ranks), str(options.whorl.absolute()), *bench]
    if built and entry.code == ghost.NAME:
        built.write_parameters(folder, points, ghost_steps(options), VISCOSITY, TIME_STEP)
        return [*launcher(entry.ranks), str(built.built[points, entry.precision])]
    script = [str(PEERS_PYTHON), str(Path(__file__).with_name("fluidsim_step.py"))]
    given = ["--points", str(points), "--steps", str(options.steps), "--fft", entry.method]
    physics = ["--viscosity", str(VISCOSITY), "--time-step", str(TIME_STEP)]
    return [*launcher(entry.ranks), *script, *given, *physics]


def ghost_steps(options: argparse.Namespace) -> int:
    """Twice as many steps, because its clock includes the first, in which memory is touched first."""
    return 2 * options.steps


def result_of(entry: Contestant, points: int, options: argparse.Namespace, folder: Path, output: str) -> dict:
    """The result of a successful run. Raises ValueError."""
    if entry.code == "whorl":
        return json.loads((folder / "whorl.json").read_text())
    if entry.code == ghost.NAME:
        path = folder / "benchmark.txt"
        text = path.read_text() if path.exists() else ""
        step = ghost.seconds_per_step(text, points, ghost_steps(options))
        return {"seconds_per_step": step, "seconds_per_rhs": step / ghost.STAGES}
    return json.loads(next(line for line in output.splitlines() if line.startswith("{")))


def measure(entry: Contestant, points: int, options: argparse.Namespace, built: Ghost | None) -> bool:
    """Time one contestant once, in a separate process; False, with the reason shown, if it fails.

    Ends the program if GHOST fails, since it was requested.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        malloc = ghost.MALLOC if entry.code == ghost.NAME else {}
        run = subprocess.run(
            command(entry, points, options, folder, built),
            cwd=folder,
            env=environment(entry.threads) | {"FLUIDSIM_PATH": name} | malloc,
            capture_output=True,
            text=True,
            check=False,
        )
        try:
            if run.returncode:
                raise ValueError((run.stderr or run.stdout)[-1500:])
            entry.add(result_of(entry, points, options, folder, run.stdout))
        except ValueError as error:
            console.print(f"{entry.name} failed:\n{error}", markup=False, style="dim")
            if entry.code == ghost.NAME:
                sys.exit("peers: GHOST was built but its benchmark failed; the reason is above")
            return False
    console.print(f"  {points}³ {entry.name}: {entry.seconds_per_step[-1]:.4f} s a step", highlight=False)
    return True


def quickest(entries: list[Contestant], code: str, precision: str = "double") -> Contestant:
    """The contestant of a code with the shortest median step."""
    timed = [entry for entry in entries if entry.code == code and entry.precision == precision]
    if not timed:
        sys.exit(f"peers: {code} could not be timed in any way; the reasons are above")
    return min(timed, key=lambda entry: statistics.median(entry.seconds_per_step))


def ratios(entries: list[Contestant]) -> dict[str, dict[str, float]]:
    """The ratios of the quickest way of another code to whorl's quickest, in each precision it has."""
    others = dict.fromkeys((e.code, e.precision) for e in entries if e.code != "whorl")
    found = {}
    for code, precision in others:
        other, own = (quickest(entries, name, precision) for name in (code, "whorl"))
        name = f"{code} ÷ whorl{'' if precision == 'double' else f', {precision}'}"
        found[name] = {
            key: statistics.median(getattr(other, key)) / statistics.median(getattr(own, key))
            for key in ("seconds_per_step", "seconds_per_rhs")
        }
    return found


def compare(points: int, options: argparse.Namespace, built: Ghost | None = None) -> dict:
    """The times of every contestant at one size, and the ratios between the quickest of each code."""
    entries = contestants(options.cores, built)
    for _ in range(options.rounds):
        entries = [entry for entry in entries if measure(entry, points, options, built)]
    for code in ("whorl", "fluidsim"):
        quickest(entries, code)
    return {"points": points, "ratios": ratios(entries), "contestants": entries}


def show(results: list[dict], cores: int) -> None:
    whorl = quickest(results[-1]["contestants"], "whorl")
    level = whorl.results[-1].get("layout", {}).get("level", "unknown")
    what = f"{cores} cores, 2/3, rk2; whorl's instruction level {level}"
    table = Table(title=f"Seconds, median (shortest) of the rounds; {what}")
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
        for name, ratios_of_code in result["ratios"].items():
            values = [f"[bold]{ratio:.2f}" for ratio in ratios_of_code.values()]
            table.add_row("", f"[bold]{name}", "[bold]quickest", *values)
        table.add_section()
    console.print(table)


def parse() -> argparse.Namespace:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    parser.add_argument("--points", type=int, nargs="+", default=[128, 256], help="points an axis")
    parser.add_argument("--rounds", type=int, default=3, help="times each way is timed")
    parser.add_argument("--steps", type=int, default=5, help="fluidsim's steps a timing")
    parser.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)), help="cores to use")
    parser.add_argument("--whorl", type=Path, default=ROOT / ".venv/bin/whorl", help="whorl to compare")
    parser.add_argument("--ghost", type=Path, metavar="DIR", help="source of GHOST, the folder that holds 3D")
    parser.add_argument(
        "--ghost-make",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="variable of GHOST's Makefile.in, such as FFTW3DIR=/opt/fftw; several times for several",
    )
    parser.add_argument(
        "--json", type=Path, default=ROOT / "runs/peers.json", help="where to write the result"
    )
    options = parser.parse_args()
    if unclear := [given for given in options.ghost_make if not re.match(r"\w+=", given)]:
        parser.error(f"--ghost-make {unclear[0]}: give NAME=VALUE, such as FFTW3DIR=/opt/fftw")
    return options


def build_ghost(options: argparse.Namespace, scratch: Path) -> Ghost | None:
    """Build GHOST for every size and precision, before anything is timed; None if no source is given."""
    if not options.ghost:
        return None
    make = dict(given.split("=", 1) for given in options.ghost_make)
    built = Ghost(*ghost.find_source(options.ghost), scratch, make)
    for points in options.points:
        for precision in ghost.PRECISIONS:
            built.build(points, precision)
    return built


def main() -> None:
    options = parse()
    if not options.whorl.exists():
        sys.exit(f"peers: {options.whorl} does not exist; run `make setup` or give --whorl")
    with tempfile.TemporaryDirectory(prefix="ghost-") as scratch:
        built = build_ghost(options, Path(scratch))
        install()
        results = [compare(points, options, built) for points in options.points]
    show(results, options.cores)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(results, default=asdict, indent=2) + "\n")
    console.print(f"written to {options.json}", highlight=False, soft_wrap=True)


if __name__ == "__main__":
    main()
