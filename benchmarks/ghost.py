"""Build GHOST from its source and read the times of its benchmark; used by peers.py.

GHOST solves the same equations: P. D. Mininni, D. Rosenberg, R. Reddy and A. Pouquet, Parallel Computing 37,
316 (2011); github.com/pmininni/GHOST. Versions that are built with make are supported. They have a folder
3D/src with Makefile, Makefile.in and main3D.fpp, and a namelist parameter.inp or parameter.txt in its
examples. The build fixes the number of points and the precision. GHOST's truncation is a sphere and its
viscous term explicit. Its own clock includes all steps, also the first. The given source is copied and never
changed.
"""

import itertools
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from shared import console, environment

NAME, SOLVER = "GHOST", "HD"
PRECISIONS = ("single", "double")
SOURCES = ("3D/src", "src", ".")
FILES = ("Makefile", "Makefile.in", "main3D.fpp")
PARAMETERS = ("parameter.inp", "parameter.txt")
ASSIGNMENT = re.compile(r"^([ \t]*)(\w+)[ \t]*=[^!\n]*", re.MULTILINE)
REQUIRED = {"bench", "dt", "step", "nu"}
# Files that an earlier build may have left, which make would take for up to date.
LEFT_BEHIND = shutil.ignore_patterns("*.o", "*.mod", SOLVER, f"{SOLVER}.f90", ".git")
COMPILER = "FC_GNU"
MAKE = {
    "SOLVER": SOLVER,
    "ORD": "2",
    "COMPILER": "GNU",
    COMPILER: "mpif90 -w -fallow-argument-mismatch",
    "FFLAGS_GNU": "-O3 -march=native",
    "TARGET_GNU": "",
    "P_HYBRID": "no",
    "P_CUDA": "no",
    "FFTP": "fftp-3",
    "FFTW3DIR": "/usr",
    # mpif90 knows its own libraries.
    "MPIINC": "",
    "MPILIB": "",
    "MPILDFLAGS": "",
}
# Memory that GHOST frees and allocates again is not returned to the system.
MALLOC = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "68719476736"}
LOG_LINES = 15
WALL = "TWTIME"  # seconds a step by the wall clock in its benchmark.txt
STAGES = 2  # right-hand sides a step, of ORD


def find_source(directory: Path) -> tuple[Path, str]:
    """The folder to build and the text of its example; ends the program if the layout is not supported."""
    for source in (directory / place for place in SOURCES):
        if not all((source / name).is_file() for name in FILES):
            continue
        for name in PARAMETERS:
            example = source / "examples" / name
            text = example.read_text(encoding="utf-8", errors="replace") if example.is_file() else ""
            if not REQUIRED - {match[2].lower() for match in ASSIGNMENT.finditer(text)}:
                return source.resolve(), text
    needed = f"{', '.join(FILES)} and examples/{PARAMETERS[0]} (with {', '.join(sorted(REQUIRED))})"
    sys.exit(
        f"peers: {directory} is not laid out as a GHOST that is built with make, which has {needed} in "
        "3D/src: give --ghost the folder that holds 3D."
    )


def check_tools(compiler: str) -> None:
    """End the program if make or the compiler, with its options, is missing."""
    for needed in ("make", compiler.split()[0]):
        if not shutil.which(needed):
            sys.exit(
                f"peers: GHOST cannot be built because {needed} is missing: install make, gfortran and "
                "libopenmpi-dev, or leave out --ghost."
            )


def around(folder: Path) -> dict[str, str]:
    """The environment of make in this folder.

    GHOST's Makefile reads the folder from PWD, which only a shell would set. It must not inherit the
    options of a make that runs this program.
    """
    of_make = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")
    kept = {name: value for name, value in environment().items() if name not in of_make}
    return kept | {"PWD": str(folder)}


@dataclass
class Ghost:
    """The source and its example of parameters, a scratch folder to build in, variables of make that replace
    those of MAKE, and the programs built."""

    source: Path
    example: str
    scratch: Path
    make: dict[str, str] = field(default_factory=dict)
    built: dict[tuple[int, str], Path] = field(default_factory=dict)

    def build(self, points: int, precision: str) -> None:
        """Build the program for a size and a precision; ends this program if that fails."""
        variables = MAKE | self.make
        check_tools(variables[COMPILER])
        console.print(f"building GHOST for {points}³ in {precision} precision", highlight=False)
        folder = self._copy(f"{points}-{precision}")
        size = dict.fromkeys(("N", "NX", "NY", "NZ"), str(points))
        given = variables | size | {"PRECISION": precision.upper()}
        result = subprocess.run(
            ["make", *(f"{name}={value}" for name, value in given.items())],
            cwd=folder / "src",
            env=around(folder / "src"),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        made = [path for path in (folder / "bin" / SOLVER, folder / "src" / SOLVER) if path.is_file()]
        if result.returncode or not made:
            end = "\n".join(result.stdout.splitlines()[-LOG_LINES:])
            console.print(end, markup=False, highlight=False, style="dim", soft_wrap=True)
            sys.exit(
                f"peers: GHOST was not built for {points}³ in {precision} precision; the end of its log is "
                "above. It needs gfortran, MPI and FFTW in both precisions (libfftw3-dev); --ghost-make "
                "NAME=VALUE changes a variable of its Makefile.in, such as FFTW3DIR=/opt/fftw."
            )
        self.built[points, precision] = made[0]

    def _copy(self, name: str) -> Path:
        """A scratch folder with bin and src, with the Taylor–Green vortex as initial field if it has one."""
        folder = self.scratch / name
        shutil.copytree(self.source, folder / "src", ignore=LEFT_BEHIND)
        (folder / "bin").mkdir()
        taylor_green = folder / "src" / "examples" / "initialv.f90_tg"
        if taylor_green.is_file():
            shutil.copy(taylor_green, folder / "src" / "initialv.f90")
        return folder

    def write_parameters(self, folder: Path, points: int, steps: int, viscosity: float, dt: float) -> None:
        """Write its own example with the values of this run, under both names that versions read."""
        values = {"idir": '"."', "odir": '"."', "stat": "0", "mult": "1", "bench": "1", "rand": "0"}
        values |= {"dt": repr(dt), "step": str(steps), "nu": repr(viscosity)}
        values |= {"f0": "0.0", "u0": "0.5", "kdn": "1.0", "kup": "1.0"}
        values |= dict.fromkeys(("n", "nx", "ny", "nz"), str(points))

        def given(match: re.Match) -> str:
            value = values.get(match[2].lower())
            return f"{match[1]}{match[2]} = {value} " if value else match[0]

        text = ASSIGNMENT.sub(given, self.example)
        for name in PARAMETERS:
            (folder / name).write_text(text, encoding="utf-8")


def seconds_per_step(text: str, points: int, steps: int) -> float:
    """Seconds per step in benchmark.txt, by its wall clock.

    A line "# nx ny nz nsteps nprocs nth TCPU TOMP TWTIME ..." names its numbers. In older versions they are
    n (or nx, ny, nz), steps, ranks, threads, then seconds a step of processors, threads and the wall clock.
    Raises ValueError if they are of another run or make no sense.
    """
    lines = [line.strip() for line in text.splitlines()]
    numbers = [word for line in lines if not line.startswith("#") for word in line.split()]
    names = next((line.lstrip("#").split() for line in lines if line.startswith("#")), None)
    if names is None:
        whole = list(itertools.takewhile(str.isdecimal, numbers))
        names = [*("nx", "ny", "nz")[: len(whole) - 3], "nsteps", "nprocs", "nth", "TCPU", "TOMP", WALL]
    found = dict(zip(names, numbers, strict=False))
    size = {found[name] for name in ("nx", "ny", "nz") if name in found}
    if size != {str(points)} or found.get("nsteps") != str(steps) or WALL not in found:
        raise ValueError(f"its benchmark.txt has no time of {steps} steps of {points}³: {text.strip()}")
    seconds = float(found[WALL].upper().replace("D", "E"))
    if not seconds > 0.0:
        raise ValueError(f"its benchmark.txt has {seconds} seconds a step: {text.strip()}")
    return seconds
