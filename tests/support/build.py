"""What the core under test was built with: tests that need more are skipped, and say so."""

import shutil
from importlib.util import find_spec

import pytest
from whorl import _core

LEFT_OUT = {
    name: f"this whorl was built without {name.upper()}"
    for name in ("hdf5", "fftw")
    if _core.build_info()[name] == "none"
}
if find_spec("mpi4py") is None or shutil.which("mpiexec") is None:
    LEFT_OUT["mpi"] = "mpi4py or mpiexec is not there"


def needs(name: str) -> pytest.MarkDecorator:
    """Skips a test where the build has no "mpi", "hdf5" or "fftw"."""
    return pytest.mark.skipif(name in LEFT_OUT, reason=LEFT_OUT.get(name, ""))


def without(name: str) -> pytest.MarkDecorator:
    """Skips a test of what a build without it says, where the build has it."""
    return pytest.mark.skipif(name not in LEFT_OUT, reason=f"this whorl was built with {name.upper()}")
