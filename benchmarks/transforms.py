"""Time the same 3-D real transform in whorl, FFTW-MPI and mpi4py-fft, side by side, in one run.

    .venv/bin/python benchmarks/transforms.py --points 128 256

Each transforms sin x cos y sin z forward and back in double precision without truncation, and checks the
result. mpi4py-fft is installed from PyPI and fftw_mpi.c is built (mpicc, libfftw3-mpi-dev) into .transforms/.
Every way in which a library can use the cores is timed once in every round, so that a machine that becomes
slower affects all. The ratios are those of the medians of the quickest way of each. whorl transforms three
fields at once and a third of its time counts; the others transform one. The script writes
runs/transforms.json, and docs/performance.md with --page.
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

from shared import ROOT, console, environment, launcher, origin, pip, table, write_page

HERE = Path(__file__).parent
FOLDER = ROOT / ".transforms"
PYTHON = FOLDER / "bin" / "python"
FFTW = FOLDER / "fftw_mpi"
WHORL, FFTW_MPI, MPI4PY_FFT = "whorl", "FFTW-MPI", "mpi4py-fft"
WAYS = {WHORL: ("",), FFTW_MPI: ("out of place", "in place"), MPI4PY_FFT: ("pencils", "slabs")}


@dataclass
class Contestant:
    """A library used in one way, and the seconds of a pair: the median of each round."""

    code: str
    way: str
    ranks: int
    threads: int
    seconds: list[float] = field(default_factory=list)

    @property
    def name(self) -> str:
        return " ".join(f"{self.code} {self.way}".split())

    @property
    def cores(self) -> str:
        return f"{self.ranks} × {self.threads}"


def install() -> None:
    """Make .transforms once."""
    source = HERE / "fftw_mpi.c"
    if not PYTHON.exists():
        venv.create(FOLDER, with_pip=True)
    if not pip(PYTHON, "mpi4py-fft"):
        sys.exit("transforms: mpi4py-fft could not be installed from PyPI; it needs FFTW and mpicc")
    if not FFTW.exists() or FFTW.stat().st_mtime < source.stat().st_mtime:
        libraries = ("-lfftw3_mpi", "-lfftw3_threads", "-lfftw3", "-lm")
        build = ["mpicc", "-O3", "-march=native", str(source), "-o", str(FFTW), *libraries]
        result = subprocess.run(build, capture_output=True, text=True, check=False)
        if result.returncode:
            sys.exit(f"transforms: fftw_mpi.c needs mpicc and libfftw3-mpi-dev:\n{result.stderr}")


def contestants(cores: int) -> list[Contestant]:
    """Each library with threads in one process and with one process a core."""
    spread = [(1, cores), (cores, 1)] if cores > 1 else [(1, 1)]
    entries = []
    for ranks, threads in spread:
        for code, ways in WAYS.items():
            # On one rank pencils and slabs are the same.
            several = ways if ranks > 1 or code != MPI4PY_FFT else ways[:1]
            entries += [Contestant(code, way, ranks, threads) for way in several]
    return entries


def command(entry: Contestant, points: int, options: argparse.Namespace, result: Path) -> list[str]:
    times, threads = str(options.times), str(entry.threads)
    if entry.code == WHORL:
        bench = ["bench", "fft", "--points", str(points), "--times", times, "--json", str(result)]
        return [*launcher(entry.ranks), str(options.whorl), *bench]
    if entry.code == FFTW_MPI:
        in_place = str(int(entry.way == "in place"))
        return [*launcher(entry.ranks), str(FFTW), str(points), times, threads, in_place]
    script = [str(PYTHON), str(HERE / "mpi4py_fft_pair.py")]
    slabs = ["--slab"] if entry.way == "slabs" else []
    given = ["--points", str(points), "--times", times, "--threads", threads, *slabs]
    return [*launcher(entry.ranks), *script, *given]


def measure(entry: Contestant, points: int, options: argparse.Namespace) -> dict | None:
    """Time one contestant in separate processes; return whorl's figures. Exits on a wrong result."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fft.json"
        run = subprocess.run(
            command(entry, points, options, path),
            env=environment(entry.threads),
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode:
            sys.exit(f"transforms: {entry.name} on {entry.cores} failed:\n{run.stderr[-1500:]}")
        figures = json.loads(path.read_text()) if entry.code == WHORL else None
        entry.seconds.append(
            figures["seconds_per_variable"]
            if figures
            else statistics.median(json.loads(run.stdout.splitlines()[-1])["seconds"])
        )
    console.print(
        f"  {points}³ {entry.name}, {entry.cores}: {1e3 * entry.seconds[-1]:.2f} ms", highlight=False
    )
    return figures


def compare(points: int, options: argparse.Namespace) -> dict:
    """The times of every contestant at one size, and the ratios of the quickest way of each to whorl's."""
    entries, about = contestants(options.cores), {}
    for _ in range(options.rounds):
        for entry in entries:
            about = measure(entry, points, options) or about
    best = {code: min(median(entry) for entry in entries if entry.code == code) for code in WAYS}
    return {
        "points": points,
        "contestants": entries,
        "ratios": {code: seconds / best[WHORL] for code, seconds in best.items()},
        "machine": about["machine"],
        "commit": about["commit"],
        "date": about["date"],
    }


def median(entry: Contestant) -> float:
    return statistics.median(entry.seconds)


def tables(results: list[dict]) -> str:
    """The tables in Markdown: every way, then the ratios."""
    rows = []
    for result in results:
        for entry in result["contestants"]:
            times = (f"{1e3 * median(entry):.2f} ms", f"{1e3 * min(entry.seconds):.2f} ms")
            rows.append((f"{result['points']}³", entry.name, entry.cores, *times))
    ratios = [
        (f"{result['points']}³", f"{code} ÷ whorl", f"{ratio:.2f}")
        for result in results
        for code, ratio in result["ratios"].items()
        if code != WHORL
    ]
    last = results[-1]
    where = f"{last['machine']['processor']}, {origin(last)}."
    timed = table(("points", "library", "ranks × threads", "pair, median", "shortest"), rows)
    return "\n\n".join((where, timed, table(("points", "quickest ways", "time"), ratios)))


def parse() -> argparse.Namespace:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    parser.add_argument("--points", type=int, nargs="+", default=[128, 256], help="points an axis")
    parser.add_argument("--rounds", type=int, default=3, help="times each way is timed")
    parser.add_argument("--times", type=int, default=10, help="pairs a timing")
    parser.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)), help="cores to use")
    parser.add_argument("--whorl", type=Path, default=ROOT / ".venv/bin/whorl", help="whorl to compare")
    parser.add_argument("--json", type=Path, default=ROOT / "runs/transforms.json", help="where to write")
    parser.add_argument("--page", action="store_true", help="write the tables into docs/performance.md")
    return parser.parse_args()


def main() -> None:
    options = parse()
    if not options.whorl.exists():
        sys.exit(f"transforms: {options.whorl} does not exist; run `make setup` or give --whorl")
    install()
    results = [compare(points, options) for points in options.points]
    text = tables(results)
    print(text)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(results, default=asdict, indent=2) + "\n")
    if options.page:
        write_page("transforms", text)


if __name__ == "__main__":
    main()
