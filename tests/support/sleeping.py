"""MPI ranks that sleep while they wait, as tests of several ranks on few cores need it.

Open MPI only gives way (sched_yield) to others that want the core; the ranks that wait are most of them then,
and take turns with the few that work. The library has no setting by which they sleep.
"""

import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

SLEEPING = """
#include <time.h>
int sched_yield(void) {
    const struct timespec moment = {0, 20000}; /* seconds, nanoseconds */
    return nanosleep(&moment, 0);
}
"""


def waits() -> dict[str, str]:
    """The environment of such ranks; empty where no C is compiled."""
    library = compiled()
    if library is None:
        return {}
    return {"LD_PRELOAD": " ".join(filter(None, [os.environ.get("LD_PRELOAD"), str(library)]))}


@cache
def compiled() -> Path | None:
    """The function in place of that of the C library, in a folder that ends with this process."""
    if (compiler := shutil.which("cc")) is None:
        return None
    library = Path(folder().name, "sleeping.so")
    command = [compiler, "-shared", "-fPIC", "-O1", "-x", "c", "-", "-o", str(library)]
    done = subprocess.run(command, input=SLEEPING, text=True, capture_output=True)
    return library if done.returncode == 0 else None


@cache
def folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="whorl-")
