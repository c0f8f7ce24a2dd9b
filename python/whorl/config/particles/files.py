"""Positions of particles in a file: an array of NumPy, or a text with columns x, y, z."""

from pathlib import Path
from typing import Any

import numpy as np

from whorl.base.errors import CaseError


def read_places(path: str) -> np.ndarray:
    """Return the positions, [particle][axis], in units of length.

    A file .npy has an array (particles, 3); any other is a text with x, y, z in each line, between blanks or
    commas, which may begin with a line of names and have comments behind "#".

    Raises
    ------
    CaseError
        If there is no such file, or it has anything else.
    """
    try:
        found = np.load(path, allow_pickle=False) if Path(path).suffix == ".npy" else _from_text(Path(path))
        places = np.asarray(found, float)
    except (OSError, ValueError, TypeError, EOFError) as error:
        raise CaseError(
            f"the positions of particles in {path} cannot be read ({error}); give a .npy of shape "
            "(particles, 3), or a text with x, y, z in each line."
        ) from None
    if places.ndim != 2 or places.shape[1] != 3 or not len(places) or not np.isfinite(places).all():
        raise CaseError(
            f"{path} has an array of shape {np.shape(found)}, and positions of particles are finite numbers "
            "of shape (particles, 3)."
        )
    return places


def _from_text(path: Path) -> np.ndarray:
    with path.open(encoding="utf-8") as file:
        lines = (line.partition("#")[0].replace(",", " ").split() for line in file)
        rows: list[list[str]] = [line for line in lines if line]
    if rows and not any(character.isdigit() for word in rows[0] for character in word):
        rows = rows[1:]
    return np.array(rows, float).reshape(len(rows), -1)


def with_number(block: Any) -> Any:
    """The options of a group, with the number of the particles in its file. Raises CaseError."""
    if isinstance(block, dict) and isinstance(block.get("path"), str) and block.get("count") is None:
        return block | {"count": len(read_places(block["path"]))}
    return block
