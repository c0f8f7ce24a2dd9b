"""Positions of particles in a file: an array of NumPy, or a text with columns x, y, z."""

from pathlib import Path
from typing import Any

import numpy as np

from whorl.base.errors import CaseError
from whorl.base.numbers import check_real
from whorl.base.text import counted


def read_places(path: str) -> np.ndarray:
    """Return the positions, [particle][axis], in units of length.

    A file .npy has an array (particles, 3). Any other file is a text with x, y, z in each line, separated by
    blanks or commas. It may begin with a line of names and have comments after "#".

    Raises
    ------
    CaseError
        If the file does not exist, or if it has any other content.
    """
    try:
        found = np.load(path, allow_pickle=False) if Path(path).suffix == ".npy" else _from_text(Path(path))
        check_real(found, "it")
        places = np.asarray(found, float)
    except (OSError, ValueError, EOFError) as error:
        reason = getattr(error, "strerror", None) or str(error).rstrip(".")
        raise CaseError(
            f"the positions of particles in {path} cannot be read ({reason}); give as particles.path "
            "a .npy of shape (particles, 3), or a text with x, y, z in each line."
        ) from None
    if places.ndim != 2 or places.shape[1] != 3 or not len(places):
        raise CaseError(
            f"{path} has an array of shape {np.shape(found)}, and positions of particles are finite numbers "
            "of shape (particles, 3)."
        )
    if len(wrong := np.flatnonzero(~np.isfinite(places).all(axis=1))):
        x, y, z = places[wrong[0]]
        raise CaseError(
            f"{path} has {x:g}, {y:g}, {z:g} as the position of particle {wrong[0]}, counted from 0, "
            "and positions are finite numbers; leave this particle out."
        )
    return places


def _from_text(path: Path) -> np.ndarray:
    with path.open(encoding="utf-8-sig") as file:
        lines = enumerate((line.partition("#")[0].replace(",", " ").split() for line in file), 1)
        rows = [(number, line) for number, line in lines if line]
    if rows and not any(character.isdigit() for word in rows[0][1] for character in word):
        rows = rows[1:]
    for number, row in rows:
        if len(row) != len(rows[0][1]):
            raise ValueError(
                f"line {number} has {counted(len(row), 'number')}, and the first {len(rows[0][1])}"
            )
        for word in row:
            if not _is_number(word):
                raise ValueError(f'line {number} has "{word}", which is no number')
    return np.array([row for _, row in rows], float) if rows else np.empty((0, 3))


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def with_number(block: Any) -> Any:
    """The options of a group, with the number of the particles in its file. Raises CaseError."""
    if isinstance(block, dict) and isinstance(block.get("path"), str) and block.get("count") is None:
        return block | {"count": len(read_places(block["path"]))}
    return block
