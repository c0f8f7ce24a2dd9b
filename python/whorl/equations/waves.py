"""Linear forms and products of them on waves, as numbers modulo a prime.

A product of d fields is linear in each of them. So it is known from its value on d waves, of which each has
one field. D stands for the derivatives of a wave, a vector of random numbers; k² = −D·D. The seed is fixed.
"""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import permutations

import numpy as np

from whorl.equations.modular import PRIME, inverse, power, residue
from whorl.equations.multipliers import PLAIN, Factor, Form
from whorl.expressions.linear import NO_SECTOR

SEED = 20_250_707
MIXING = 65_537  # the exponent that makes a function of k² which is no polynomial of a low degree


@dataclass(frozen=True)
class Classes:
    """The fields of which forms are made.

    Attributes
    ----------
    axes : int
        The number of axes.
    components : tuple of tuple of int
        The components of each class.
    solenoidal : frozenset of int
        The classes without a divergence.
    """

    axes: int
    components: tuple[tuple[int, ...], ...]
    solenoidal: frozenset[int]

    @cached_property
    def of(self) -> Mapping[int, int]:
        """The class of each component."""
        return {one: number for number, all_of in enumerate(self.components) for one in all_of}


class Wave:
    """The derivatives D of a wave in some samples, and multipliers of it.

    `outer`: it is the wave of a product, on which factors without a mean are not told from others.
    """

    def __init__(self, derivatives: np.ndarray, prime: int, *, outer: bool = False):
        self.derivatives, self.prime, self.outer = derivatives % prime, prime, outer
        self.square = -sum(one * one % prime for one in self.derivatives) % prime
        self._factors: dict[Factor, np.ndarray] = {}

    @cached_property
    def inverse_square(self) -> np.ndarray:
        """1/k²."""
        return inverse(self.square, self.prime)

    def factor(self, factor: Factor) -> np.ndarray:
        """The values of a factor."""
        if factor not in self._factors:
            self._factors[factor] = self._made(factor)
        return self._factors[factor]

    def _made(self, factor: Factor) -> np.ndarray:
        base = self.square if factor.power >= 0 else self.inverse_square
        result = power(base, abs(factor.power), self.prime)
        for order, derivative in zip(factor.orders, self.derivatives, strict=True):
            if order:
                result = result * power(derivative, order, self.prime) % self.prime
        if factor.tag != PLAIN:
            result = result * self._mixed(repr(factor.tag), factor.tag.sector != NO_SECTOR) % self.prime
        if factor.meanless and not self.outer:
            result = result * self._mixed("meanless", False) % self.prime
        return result

    def _mixed(self, name: str, of_angle: bool) -> np.ndarray:
        """The values of a function of k² or of k, which depends on its name."""
        start = self.square + zlib.crc32(name.encode())
        if of_angle:
            start = start + sum((2 * axis + 3) * one for axis, one in enumerate(self.derivatives))
        return power(start % self.prime, MIXING, self.prime)


class Waves:
    """Waves of some classes, whose derivatives add up to those of the product.

    `fixed`: the product has one k in all samples.
    """

    def __init__(
        self, classes: Classes, content: Sequence[int], count: int, *, prime: int = PRIME, fixed: bool = False
    ):
        self.classes, self.content, self.prime = classes, tuple(content), prime
        self.random = np.random.default_rng(SEED + prime % 1000)
        total = self._vector(1 if fixed else count) * np.ones(count, dtype=np.int64)
        derivatives = [self._vector(count) for _ in self.content[1:]]
        last = (total - sum(derivatives)) % prime
        self.total = Wave(total, prime, outer=True)
        self.waves = [Wave(one, prime) for one in (*derivatives, last)]
        self.amplitudes = [self._amplitudes(*pair) for pair in zip(self.content, self.waves, strict=True)]
        self._forms: dict[tuple[Form, int], np.ndarray] = {}
        self._products: dict[tuple[Form, ...], np.ndarray] = {}

    def _vector(self, count: int) -> np.ndarray:
        result = np.zeros((3, count), dtype=np.int64)
        result[: self.classes.axes] = self.random.integers(1, self.prime, (self.classes.axes, count))
        return result

    def _amplitudes(self, number: int, wave: Wave) -> dict[int, np.ndarray]:
        components = self.classes.components[number]
        shape = wave.derivatives.shape[1]
        values = self.random.integers(1, self.prime, (max(3, len(components)), shape))
        if number in self.classes.solenoidal:
            values = _across(wave.derivatives, values, self.classes.axes) % self.prime
        return {component: values[place] for place, component in enumerate(components)}

    def form(self, form: Form, wave: int) -> np.ndarray:
        """The values of a form on one of the waves."""
        key = form, wave
        if key not in self._forms:
            total = np.zeros_like(self.total.square)
            for (component, factor), value in form:
                one = self.waves[wave].factor(factor) * self.amplitudes[wave][component] % self.prime
                total = (total + one * residue(value, self.prime)) % self.prime
            self._forms[key] = total
        return self._forms[key]

    def product(self, forms: tuple[Form, ...]) -> np.ndarray:
        """The values of a product of forms, each of one class."""
        if forms not in self._products:
            of = [self.classes.of[form[0][0][0]] for form in forms]
            total = np.zeros_like(self.total.square)
            for places in permutations(range(len(forms))):
                if all(self.content[place] == one for place, one in zip(places, of, strict=True)):
                    term = np.ones_like(total)
                    for place, form in zip(places, forms, strict=True):
                        term = term * self.form(form, place) % self.prime
                    total = (total + term) % self.prime
            self._products[forms] = total
        return self._products[forms]

    def value(self, terms: Sequence[tuple[Fraction, Factor, tuple[Form, ...]]]) -> np.ndarray:
        """The values of a sum of products under outer factors."""
        total = np.zeros_like(self.total.square)
        for coefficient, outer, forms in terms:
            one = self.total.factor(outer) * self.product(forms) % self.prime
            total = (total + one * residue(coefficient, self.prime)) % self.prime
        return total

    def projected(self, values: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Vectors without their part along D."""
        derivatives = self.total.derivatives[: len(values)]
        along = (
            sum(one * value % self.prime for one, value in zip(derivatives, values, strict=True)) % self.prime
        )
        along = along * self.total.inverse_square % self.prime  # D·D = −k²
        return [(value + one * along) % self.prime for one, value in zip(derivatives, values, strict=True)]


def _across(derivatives: np.ndarray, values: np.ndarray, axes: int) -> np.ndarray:
    """Vectors at right angles to D."""
    if axes == 2:
        return np.stack([-derivatives[1] * values[0], derivatives[0] * values[0], 0 * values[0]])
    x, y, z = derivatives
    a, b, c = values
    return np.stack([_difference(y, c, z, b), _difference(z, a, x, c), _difference(x, b, y, a)])


def _difference(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """a·b − c·d; each product of two residues fits, and so does a difference of two."""
    return a * b - c * d
