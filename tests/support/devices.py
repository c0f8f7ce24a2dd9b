"""The device that tests of the core run on: every test of a marked folder runs on each there is."""

from functools import cache

from whorl import _core

ALL = ("cpu", "cpu-as-gpu", "cuda")
MOST_RANKS = 8
_current = "cpu"


def current() -> str:
    return _current


def use(name: str) -> None:
    global _current
    _current = name


def can_move(transport: str, device: str | None = None) -> bool:
    """Does a transport move what is in the memory of a device, the current one unless another is given?"""
    cannot = {"cpu": ("nccl",), "cpu-as-gpu": ("rma-shared", "nccl"), "cuda": ("rma-shared", "datatypes")}
    if transport == "nccl" and len(_core.gpus()) < MOST_RANKS:
        return False  # which wants one for each rank
    return transport not in cannot[device or _current]


def lines() -> tuple[str, str]:
    """The kinds of lines the current device has: whorl's choice, and another."""
    return ("own", "direct" if _current == "cpu" else "fftw")


@cache
def missing(name: str) -> str | None:
    """Why a device cannot be tested here, if it cannot."""
    if name not in _core.build_info()["devices"]:
        return f"this build has no device {name}"
    if name == "cuda" and not _core.gpus():
        return "there is no GPU"
    return None
