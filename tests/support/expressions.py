"""Expressions worked out by NumPy on whole arrays: Python evaluates the text, nothing is shared with whorl.

An array has a leading axis of grids: one, or two where products are transformed back by phase shifts. Between
walls it covers the periodic box of twice the length, in which the flow is odd or even.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import j1, spherical_jn

SPACE = (-3, -2, -1)  # z, y, x


# Functions of numbers that NumPy has by the same names.
OF_NUMPY = (
    *("sin", "cos", "tan", "exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", "sinh", "cosh", "tanh"),
    *("arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh", "arctan2", "abs", "sign"),
    *("floor", "ceil", "trunc", "round", "where", "minimum", "maximum", "hypot", "copysign", "fmod"),
)


@dataclass
class Evaluator:
    """The points and kept modes of a box.

    `kept` has True for the modes (z, y, x) of numpy.fft that are kept; `shifts` says that there are two
    grids, half a cell apart. `walls` are the axes x, y, z with walls, whose points lie half a cell off them.
    """

    points: tuple[int, int, int]
    lengths: tuple[float, float, float]
    kept: np.ndarray
    shifts: bool = False
    walls: tuple[bool, bool, bool] = (False, False, False)

    def __post_init__(self) -> None:
        doubled = [n * (2 if wall else 1) for n, wall in zip(self.points, self.walls, strict=True)]
        periods = [length * (2 if wall else 1) for length, wall in zip(self.lengths, self.walls, strict=True)]
        spacing = np.array(periods) / doubled
        waves = [2 * np.pi * np.fft.fftfreq(n, d) for n, d in zip(doubled, spacing, strict=True)]
        self.kz, self.ky, self.kx = np.meshgrid(*reversed(waves), indexing="ij")
        self.k2 = self.kx**2 + self.ky**2 + self.kz**2
        offsets = [0.0, 0.5] if self.shifts else [0.0]
        walls = 0.5 * np.array(self.walls)
        positions = [
            np.meshgrid(
                *[
                    (np.arange(n) + w + o) * d
                    for n, w, d in zip(doubled[::-1], walls[::-1], spacing[::-1], strict=True)
                ],
                indexing="ij",
            )
            for o in offsets
        ]
        self.z, self.y, self.x = (np.array([at[axis] for at in positions]) for axis in range(3))
        phase = self.kx * spacing[0] + self.ky * spacing[1] + self.kz * spacing[2]
        self.phases = np.array([np.exp(1j * o * phase) for o in offsets])

    def modes(self, f: np.ndarray) -> np.ndarray:
        """The kept modes of values on all grids: the mean over the grids."""
        f = np.broadcast_to(f, (len(self.phases), *self.k2.shape))
        return self.kept * (np.conj(self.phases) * np.fft.fftn(f, axes=SPACE)).mean(0)

    def values(self, modes: np.ndarray) -> np.ndarray:
        """The values of modes on all grids."""
        return np.fft.ifftn(self.phases * modes, axes=SPACE).real

    def under(self, f: np.ndarray, multiplier: np.ndarray) -> np.ndarray:
        return self.values(multiplier * self.modes(f))

    def names(self, fields: dict[str, np.ndarray], numbers: dict[str, float]) -> dict[str, object]:
        """What a text may name, for Python's eval. A vector is three arrays, a tensor nine."""
        return _Words(self).all() | {name: _shaped(f) for name, f in fields.items()} | numbers

    def inside(self, f: np.ndarray) -> np.ndarray:
        """The values on the first grid in the box itself."""
        nx, ny, nz = self.points
        return np.broadcast_to(f, self.x.shape)[0, :nz, :ny, :nx]

    def mean(self, f: np.ndarray) -> float:
        return float(self.inside(np.asarray(f, float)).mean())


class Tensor(np.ndarray):
    """An array whose first axes, before those of grids and points, are those of components."""

    x = property(lambda self: self[0])
    y = property(lambda self: self[1])
    z = property(lambda self: self[2])

    def __matmul__(self, other: np.ndarray) -> np.ndarray:
        return dot(self, other)

    def __getattr__(self, name: str) -> np.ndarray:
        if len(name) == 2 and set(name) <= set("xyz"):
            return self["xyz".index(name[0]), "xyz".index(name[1])]
        raise AttributeError(name)


def _shaped(f: np.ndarray) -> np.ndarray:
    return np.asarray(f).view(Tensor)


def rank(f: object) -> int:
    """Of components: arrays of points have four axes."""
    return max(np.ndim(f) - 4, 0)


class _Words:
    """The functions of the language."""

    def __init__(self, of: Evaluator):
        self.of = of

    def each(self, function, f):
        if rank(f) == 0:
            return function(f)
        return _shaped(np.array([self.each(function, part) for part in f]))

    def derivative(self, axis):
        k = (self.of.kx, self.of.ky, self.of.kz)[axis]
        return lambda f: self.each(lambda g: self.of.under(g, 1j * k), f)

    def grad(self, f):
        slopes = [self.derivative(axis)(f) for axis in range(3)]
        return _shaped(np.array(slopes)) if rank(f) == 0 else _shaped(np.stack(slopes, axis=1))

    def div(self, f):
        if rank(f) == 1:
            return sum(self.derivative(axis)(f[axis]) for axis in range(3))
        return _shaped(np.array([self.div(row) for row in f]))

    def curl(self, f):
        a = self.grad(f)
        return _shaped(np.array([a[2, 1] - a[1, 2], a[0, 2] - a[2, 0], a[1, 0] - a[0, 1]]))

    def inv_lap(self, f):
        k2 = self.of.k2
        return self.each(
            lambda g: self.of.under(g, np.divide(-1, k2, out=np.zeros_like(k2), where=k2 > 0)), f
        )

    def filter(self, f, low, high=None):
        low, high = (0, low) if high is None else (low, high)
        k = np.sqrt(self.of.k2)
        return self.each(lambda g: self.of.under(g, (k >= low * (1 - 2e-7)) & (k < high * (1 - 2e-7))), f)

    def axis_of(self, about):
        """The number of a coordinate, z without any."""
        return 2 if about is None else [about is one for one in (self.of.x, self.of.y, self.of.z)].index(True)

    def sector(self, f, low, high, axis=2):
        k = [self.of.kx, self.of.ky, self.of.kz]
        along = np.abs(k.pop(axis))
        angle = np.arctan2(np.hypot(*k), along)
        inside = (angle >= low * (1 - 2e-7)) & (angle < high * (1 - 2e-7))
        return self.each(lambda g: self.of.under(g, inside), f)

    def average(self, f, radius):
        x = np.sqrt(self.of.k2) * radius
        with np.errstate(invalid="ignore"):
            of_wave = 2 * j1(x) / x if 1 in self.of.points else 3 * spherical_jn(1, x) / x
        return self.each(lambda g: self.of.under(g, np.where(x > 0, of_wave, 1.0)), f)

    def all(self) -> dict[str, object]:
        of, mean = self.of, lambda f: self.each_number(f)
        transpose = lambda a: _shaped(np.swapaxes(a, 0, 1))  # noqa: E731
        words = {name: getattr(np, name) for name in OF_NUMPY}
        return words | {
            "dx": self.derivative(0),
            "dy": self.derivative(1),
            "dz": self.derivative(2),
            "grad": self.grad,
            "div": self.div,
            "curl": self.curl,
            "lap": lambda f: self.each(lambda g: of.under(g, -of.k2), f),
            "inv_lap": self.inv_lap,
            "filter": self.filter,
            "sector": lambda f, low, high, about=None: self.sector(f, low, high, self.axis_of(about)),
            "average": self.average,
            "strain": lambda f: (self.grad(f) + transpose(self.grad(f))) / 2,
            "rotation": lambda f: (self.grad(f) - transpose(self.grad(f))) / 2,
            "dot": dot,
            "cross": lambda a, b: _shaped(np.cross(a, b, axis=0)),
            "outer": lambda a, b: _shaped(np.einsum("i...,j...->ij...", a, b)),
            "norm": lambda f: np.sqrt((np.asarray(f) ** 2).sum(tuple(range(rank(f))))),
            "sum": lambda f: np.asarray(f).sum(tuple(range(rank(f)))),
            "trace": lambda f: f[0, 0] + f[1, 1] + f[2, 2],
            "transpose": transpose,
            "det": lambda f: np.linalg.det(np.moveaxis(np.asarray(f), (0, 1), (-2, -1))),
            "vector": lambda *parts: _shaped(np.array([np.broadcast_to(p, of.x.shape) for p in parts])),
            "mean": mean,
            "max": lambda f: self.each(lambda g: np.full(of.x.shape, of.inside(g).max()), f),
            "min": lambda f: self.each(lambda g: np.full(of.x.shape, of.inside(g).min()), f),
            "rms": lambda f: np.sqrt(self.each_number(np.asarray(f) ** 2)),
            "std": lambda f: np.sqrt(self.each_number((f - self.each_number(f)) ** 2)),
            "covariance": self.covariance,
            "correlation": lambda a, b: (
                self.covariance(a, b) / np.sqrt(self.covariance(a, a) * self.covariance(b, b))
            ),
            "pi": np.pi,
            "x": of.x,
            "y": of.y,
            "z": of.z,
        }

    def covariance(self, a, b):
        """Of all components together."""
        products = (a - self.each_number(a)) * (b - self.each_number(b))
        return self.each_number(np.asarray(products).sum(tuple(range(rank(products)))))

    def each_number(self, f):
        """The means of components, of the shape of points."""
        return self.each(lambda g: np.full(self.of.x.shape, self.of.mean(g)), f)


def dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The sum over the last index of components of a and the first of b."""
    return _shaped(np.einsum(_letters(rank(a), rank(b)), a, b))


def _letters(a: int, b: int) -> str:
    left, right = "ij"[:a], ("j" if a == 2 else "i") + "k" * (b - 1)
    return f"{left}...,{right}...->{left[:-1]}{right[1:]}..."
