"""The C compiler of this machine makes functions of rows, which a process loads."""

import atexit
import ctypes
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from whorl.equations.c_source import Source

COMPILERS = ("cc", "gcc", "clang")
# Rounding and speed of loops as in the core (CMakeLists.txt).
FLAGS = ("-std=c99", "-O3", "-fPIC", "-shared", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast")
FLAGS_OF_LOOPS = ("-fopenmp-simd",)
# Instruction levels of the core (cmake/levels.cmake); others have the compiler's default.
LEVELS = {
    "v2": ("-march=x86-64-v2",),
    "v3": ("-march=x86-64-v3",),
    "v4": ("-march=x86-64-v4", "-mprefer-vector-width=512"),
}
PATIENCE = 60.0  # seconds


class NoCode(Exception):
    """The reason for functions that were not made or loaded."""


@dataclass(frozen=True)
class Library:
    """A shared library as bytes, its compiler and the seconds that it took."""

    made: bytes
    compiler: str
    seconds: float


def compiler() -> list[str]:
    """The command of the C compiler: that of CC, or the first known one. Raises NoCode."""
    if given := shlex.split(os.environ.get("CC", "")):
        return given
    found = next(filter(None, map(shutil.which, COMPILERS)), None)
    if found is None:
        raise NoCode("this machine has no C compiler (cc, gcc or clang)")
    return [found]


def compiled(source: Source, level: str) -> Library:
    """The library of a text, for an instruction level. Raises NoCode."""
    start = time.perf_counter()
    command = [*compiler(), *FLAGS, *FLAGS_OF_LOOPS, *LEVELS.get(level, ())]
    with tempfile.TemporaryDirectory(prefix="whorl-") as folder:
        target = Path(folder) / "rows.so"
        told = _run([*command, "-x", "c", "-", "-o", str(target), "-lm"], source.text)
        if not target.is_file():
            raise NoCode(f"{command[0]} wrote nothing{told}")
        made = target.read_bytes()
    return Library(made, Path(command[0]).name, time.perf_counter() - start)


def _run(command: list[str], text: str) -> str:
    """The messages of a compiler. All its processes end after PATIENCE. Raises NoCode."""
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        raise NoCode(f"{command[0]} does not start: {error.strerror}") from None
    try:
        messages, _ = process.communicate(text, PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise NoCode(f"{command[0]} took longer than {PATIENCE:g} s") from None
    last = next((f": {line.strip()}" for line in reversed(messages.splitlines()) if "error" in line), "")
    if process.returncode:
        raise NoCode(f"{command[0]} failed (exit {process.returncode}){last}")
    return last


def loaded(library: Library, source: Source) -> dict[str, int]:
    """The addresses of the functions, from a private copy that stays in memory. Raises NoCode."""
    try:
        of = ctypes.CDLL(_file_of(library.made))
        functions = {name: getattr(of, f"whorl_{name}") for name in source.functions}
        key = ctypes.c_uint32.in_dll(of, "whorl_key").value
    except (OSError, AttributeError, ValueError) as error:
        raise NoCode(f"the library of {library.compiler} cannot be loaded: {error}") from None
    if key != source.key:
        raise NoCode(f"the library of {library.compiler} is of other equations")
    return {name: ctypes.cast(one, ctypes.c_void_p).value or 0 for name, one in functions.items()}


def _file_of(made: bytes) -> str:
    """The path of a file in memory, or of a temporary one.

    The file stays open: the loader takes two libraries of one path for one.
    """
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("whorl-rows")
        path = f"/proc/self/fd/{descriptor}"
    else:
        descriptor, path = tempfile.mkstemp(suffix=".so", prefix="whorl-")
        atexit.register(Path(path).unlink, missing_ok=True)
    file = os.fdopen(descriptor, "wb")
    file.write(made)
    file.flush()
    KEPT.append(file)
    return path


KEPT: list[IO[bytes]] = []
