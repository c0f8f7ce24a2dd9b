"""The memory that the C library has given to this process."""

import ctypes
import gc

import pytest

NUMBERS = (
    *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
    *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
)


class Mallinfo(ctypes.Structure):
    """The answer of glibc about its memory."""

    _fields_ = tuple((name, ctypes.c_size_t) for name in NUMBERS)


def allocated() -> int:
    """Bytes of this process that are in use, of the heap and of mapped memory."""
    libc = ctypes.CDLL(None)
    if not hasattr(libc, "mallinfo2"):
        pytest.skip("this C library does not tell how much memory is in use")
    libc.mallinfo2.restype = Mallinfo
    gc.collect()
    told = libc.mallinfo2()
    return told.uordblks + told.hblkhd
