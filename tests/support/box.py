"""The modes of fields in a periodic box, by NumPy."""

from itertools import pairwise

import numpy as np
from whorl.config.case import Grid

ROUNDING = 2e-7  # a mode that lies on an edge of bins, to this, is not below it


class Box:
    """Wavenumbers [axis][z][y][x] of a grid with the 2/3 rule, their sizes and angles to an axis."""

    def __init__(self, grid: Grid):
        sides = list(zip(grid.points, grid.lengths, strict=True))
        waves = [2 * np.pi * np.fft.fftfreq(n, length / n) for n, length in sides]
        kz, ky, kx = np.meshgrid(*reversed(waves), indexing="ij")
        self.k = np.array([kx, ky, kz])
        x, y, z = (3 * np.abs(np.rint(np.fft.fftfreq(n, 1 / n))) < n for n in grid.points)
        self.kept = z[:, None, None] & y[:, None] & x

    def coordinate(self, name: str, axis: int = 2) -> np.ndarray:
        """That of each mode: k, kx, ky, kz; kperp, kpar and angle about an axis."""
        along = np.abs(self.k[axis])
        across = np.sqrt(sum(self.k[other] ** 2 for other in range(3) if other != axis))
        of_name = {"k": np.hypot(along, across), "kperp": across, "kpar": along}
        of_name |= {"angle": np.arctan2(across, along)}
        of_name |= {f"k{letter}": np.abs(one) for letter, one in zip("xyz", self.k, strict=True)}
        return of_name[name] * (1 + ROUNDING)

    def modes(self, f: np.ndarray) -> np.ndarray:
        """Of values [..., z, y, x]."""
        return np.fft.fftn(f, axes=(-3, -2, -1)) / self.kept.size

    def values(self, modes: np.ndarray) -> np.ndarray:
        """Those at the points."""
        return np.fft.ifftn(modes * self.kept.size, axes=(-3, -2, -1)).real

    def inside(self, name: str, edges: np.ndarray, axis: int = 2) -> list[np.ndarray]:
        """The modes of each bin."""
        value = self.coordinate(name, axis)
        return [(a <= value) & (value < b) for a, b in pairwise(edges)]
