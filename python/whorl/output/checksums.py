"""The checksums of a checkpoint by NumPy, as docs/checkpoints.md describes them; the core has its own.

h <- mix(h + g + word) for each word, mix the finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
APART = frozenset(["attributes", "complete"])  # written last, and not part of a checksum
INTEGER, REAL, TEXT = 0, 1, 3  # kinds of attributes, by HDF5's numbers


def of_modes(fields: Iterable[np.ndarray]) -> str:
    """The checksum of fields (components, modes): chained sums of hashes of each mode's place and bits."""
    total = np.zeros(1, np.uint64)
    for field in fields:
        hashes = _absorb(np.zeros(1, np.uint64), np.arange(field.shape[1], dtype=np.uint64))
        for component in field:
            for part in (component.real, component.imag):
                words = np.ascontiguousarray(part).view(f"u{part.dtype.itemsize}").astype(np.uint64)
                hashes = _absorb(hashes, words)
        total = _mix(total) + hashes.sum(dtype=np.uint64)
    return f"{int(total[0]):016x}"


def of_words(words: np.ndarray) -> str:
    """The checksum of a list of integers."""
    return f"{int(_absorb_words(np.zeros(1, np.uint64), words.astype('i8').view('u8'))[0]):016x}"


def of_attributes(attributes: dict[str, Any]) -> str:
    """The checksum of all attributes but APART: names, kinds, numbers and bits of values."""
    sum_ = np.zeros(1, np.uint64)
    for name in sorted(attributes.keys() - APART):
        value = attributes[name]
        if isinstance(value, str | bytes):
            text = value.encode() if isinstance(value, str) else value
            sum_ = _absorb_words(_absorb_text(sum_, name.encode()), np.array([TEXT, 1], np.uint64))
            sum_ = _absorb_text(sum_, text)
        else:
            array = np.atleast_1d(value)
            kind = REAL if array.dtype.kind == "f" else INTEGER
            sum_ = _absorb_words(_absorb_text(sum_, name.encode()), np.array([kind, array.size], np.uint64))
            sum_ = _absorb_words(sum_, array.astype("f8" if kind == REAL else "i8").view("u8"))
    return f"{int(sum_[0]):016x}"


def _absorb_text(sum_: np.ndarray, text: bytes) -> np.ndarray:
    words = np.frombuffer(text.ljust(-(-len(text) // 8) * 8, b"\0"), "<u8")
    return _absorb_words(_absorb(sum_, np.uint64(len(text))), words)


def _absorb_words(sum_: np.ndarray, words: np.ndarray) -> np.ndarray:
    for word in words:
        sum_ = _absorb(sum_, word)
    return sum_


def _absorb(hashes: np.ndarray, words: np.ndarray | np.uint64) -> np.ndarray:
    return _mix(hashes + GOLDEN + words)


def _mix(x: np.ndarray) -> np.ndarray:
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
