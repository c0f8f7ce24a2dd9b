"""The commit of this package, and the name of the processor."""

import platform
import subprocess
from functools import cache
from pathlib import Path

RECORDED = Path(__file__).with_name("COMMIT")  # by packaging/recorded.py, in an installed package alone


@cache
def commit() -> str | None:
    """The commit of this package, with "-dirty" if files differed; None if it is not known.

    It is that of the checkout, or the one that the build of an installed package recorded.
    """
    if found := commit_of_checkout():
        return found
    try:
        return RECORDED.read_text(encoding="utf-8").strip() or None
    except OSError:
        return None


def commit_of_checkout() -> str | None:
    """The commit of the checkout this file is in, with "-dirty" if files changed; None outside one."""
    here = Path(__file__).parent

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(here), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        # The repository must track this file: a package may be installed within another repository.
        git("ls-files", "--error-unmatch", Path(__file__).name)
        return git("describe", "--always", "--dirty", "--abbrev=12", "--exclude=*")
    except (OSError, subprocess.CalledProcessError):
        return None


def processor() -> str:
    """The processor's name, if the system reports it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")),
        platform.machine(),
    )
