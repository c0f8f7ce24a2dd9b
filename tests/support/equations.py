"""A small interpreter of plans of equations by NumPy, and the right-hand sides of texts without a plan.

Modes are all modes of complex transforms on a grid of a few points. Fields are random with few modes, so
that no product has aliases.
"""

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from whorl.equations.plan import EquationPlan, LinearTerm, Number, PlanTerm, PointProgram
from whorl.equations.text import System
from whorl.expressions.linear import LinearForm, Multiplier
from whorl.expressions.nodes import Node, within
from whorl.expressions.operations import OPERATIONS


class Box:
    """The wavenumbers and points of a box of 2π; axes beyond the first ones have one point."""

    def __init__(self, axes: int, points: int):
        self.axes, self.shape = axes, tuple(points if axis < axes else 1 for axis in range(3))
        numbers = [np.fft.fftfreq(count, 1 / count) for count in self.shape]
        self.k = np.meshgrid(*numbers, indexing="ij")
        self.k2 = sum(k * k for k in self.k)
        self.x = np.meshgrid(*(2 * np.pi * np.arange(count) / count for count in self.shape), indexing="ij")

    @cached_property
    def inverse(self) -> np.ndarray:
        """1/k², 0 at k = 0."""
        return np.where(self.k2 > 0, 1 / np.where(self.k2 > 0, self.k2, 1), 0)

    def to_points(self, modes: np.ndarray) -> np.ndarray:
        return np.fft.ifftn(modes).real * modes.size

    def to_modes(self, values: np.ndarray) -> np.ndarray:
        return np.fft.fftn(values) / values.size

    def field(self, random: np.random.Generator, modes: int) -> np.ndarray:
        """The modes of a random field, with |n| ≤ modes along each axis."""
        kept = np.all([abs(k) <= modes for k in self.k], axis=0)
        return self.to_modes(random.standard_normal(self.shape)) * kept

    def projected(self, vectors: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Modes of a vector without their part along k."""
        along = sum(k * one for k, one in zip(self.k, vectors, strict=False)) * self.inverse
        return [one - k * along for k, one in zip(self.k, vectors, strict=False)]

    def powers(self, orders: Sequence[int], power: float) -> np.ndarray:
        base = self.k2 if power >= 0 else self.inverse
        return math.prod(k**order for k, order in zip(self.k, orders, strict=True)) * base ** abs(power)

    def tagged(self, low: float, high: float, radius: float, sector, radial) -> np.ndarray:
        """The values of a band and of radial factors; averages and sectors are left to the core."""
        assert not radius
        assert sector[0] < 0
        size = np.sqrt(self.k2)
        result = np.where((size >= low) & (size < high), 1.0, 0.0)
        for name, a in radial:
            result = result * {
                "power": lambda a: size**a,
                "helmholtz": lambda a: 1 / (1 + a * a * self.k2),
                "gauss": lambda a: np.exp(-a * a * self.k2 / 2),
            }[name](a)
        return result

    def term(self, term: PlanTerm) -> np.ndarray:
        """The multiplier of a term of a plan."""
        values = term.factor * 1j**term.turn * self.powers(term.orders, term.power) * self.tagged(*term.tag)
        return np.where(self.k2 == 0, 0, values) if term.meanless else values

    def multiplier(self, multiplier: Multiplier) -> np.ndarray:
        """A multiplier of the language."""
        turn = 1j ** sum(multiplier.derivatives)
        tag = (multiplier.low, multiplier.high, multiplier.radius, multiplier.sector, multiplier.radial)
        return turn * self.powers(multiplier.derivatives, multiplier.power) * self.tagged(*tag)


def state(system: System, box: Box, seed: int, modes: int = 1) -> list[np.ndarray]:
    """Random modes of all components; vectors without a divergence are projected."""
    random = np.random.default_rng(seed)
    fields = [box.field(random, modes) for _ in range(system.components)]
    for name, kind in system.declared.fields.items():
        if kind in ("velocity", "plane velocity"):
            first = system.first[name]
            fields[first : first + box.axes] = box.projected(fields[first : first + box.axes])
    return fields


class Direct:
    """Right-hand sides of texts: each node is worked out on the points or in the modes as it stands."""

    def __init__(self, system: System, box: Box, fields: Sequence[np.ndarray], t: float = 0.0):
        self.system, self.box, self.fields, self.t = system, box, fields, t
        self.known: dict[Node, np.ndarray | float] = {}
        self.products: dict[int, np.ndarray] = {}

    def tendencies(self) -> list[np.ndarray]:
        """The modes of all tendencies."""
        found = []
        for side in self.system.sides:
            own = [self.modes(node) for node in side.nodes]
            kind = self.system.declared.fields[side.name]
            found += self.box.projected(own) if kind in ("velocity", "plane velocity") else own
        return found

    def modes(self, node: Node) -> np.ndarray:
        return self.box.to_modes(self.value(node) * np.ones(self.box.shape))

    def value(self, node: Node):
        for one in within(node):
            if one not in self.known:
                self.known[one] = self._made(one)
        return self.known[node]

    def _made(self, node: Node):
        if node.kind == "constant":
            return node.value
        if node.kind == "coordinate":
            return self.box.x[node.value]
        if node.kind == "number":
            return self.t if node.value == "t" else np.mean(self.value(node.value))
        if node.kind == "linear":
            return self.box.to_points(self._form(node.value))
        return OPERATIONS[node.kind].function(*(self.known[one] for one in node.arguments))

    def _form(self, form: LinearForm) -> np.ndarray:
        total = np.zeros(self.box.shape, complex)
        for term, value in form.items():
            serial = term.field.serial
            if term.field.product and serial not in self.products:
                self.products[serial] = self.modes(term.field.product)
            modes = self.products[serial] if term.field.product else self.fields[serial]
            total += value * self.box.multiplier(term.multiplier) * modes
        return total


class Interpreter:
    """Runs the tables of a plan."""

    def __init__(self, plan: EquationPlan, box: Box, fields: Sequence[np.ndarray], t: float = 0.0):
        self.plan, self.box, self.fields, self.t = plan, box, fields, t
        means = [self._mean(one.first, one.second) for one in plan.clock.means]
        self.clock = self._run(plan.clock.program, [], means, [])
        known = [*fields]
        for one in plan.rounds:
            inputs = [box.to_points(self._sum(terms, known)) for terms in one.inputs]
            products = self._run(one.point, inputs, means, self.clock)
            known += [box.to_modes(product * np.ones(box.shape)) for product in products]
        inputs = [box.to_points(self._sum(terms, known)) for terms in plan.inputs]
        self.results = self._run(plan.point, inputs, means, self.clock)

    def tendencies(self) -> list[np.ndarray]:
        """The modes of all tendencies: of products, sources and linear terms."""
        box, plan = self.box, self.plan
        products = [box.to_modes(one * np.ones(box.shape)) for one in self.results[: plan.products]]
        fluxes = [
            sum(
                part.factor * 1j**part.turn * box.k[0] ** part.a * box.k[1] ** part.b * products[part.product]
                for part in flux
            )
            for flux in plan.fluxes
        ]
        found = [self._sum(terms, fluxes) for terms in plan.tendency]
        for first in plan.projected:
            found[first : first + plan.axes] = box.projected(found[first : first + plan.axes])
        for source in plan.sources:
            found[source.component][0, 0, 0] += source.factor * self._by(source.clock)
        for number, rates in enumerate(plan.rates):
            for rate in rates:
                size = np.ones(box.shape) if rate.exponent == 0 else np.sqrt(box.k2) ** rate.exponent
                found[number] = found[number] + rate.coefficient * size * self.fields[number]
        terms: list[LinearTerm] = [term for block in plan.blocks for term in block.terms]
        for term in (*terms, *plan.explicit):
            added = self._by(term.clock) * box.term(term.term) * self.fields[term.term.of]
            found[term.to] = found[term.to] + added
        return found

    def _by(self, clock: int) -> float:
        return self.clock[clock] if clock >= 0 else 1.0

    def _sum(self, terms: Sequence[PlanTerm], of: Sequence[np.ndarray]) -> np.ndarray:
        return sum((self.box.term(term) * of[term.of] for term in terms), np.zeros(self.box.shape, complex))

    def _mean(self, first: Sequence[PlanTerm], second: Sequence[PlanTerm]) -> float:
        one = self._sum(first, self.fields)
        return (
            float(np.sum(one * self._sum(second, self.fields).conj()).real) if second else one[0, 0, 0].real
        )

    def _number(self, number: Number, means: Sequence[float], clock: Sequence[float]) -> float:
        if number.source in ("mean", "clock"):
            return {"mean": means, "clock": clock}[number.source][number.which]
        return self.t if number.source == "t" else number.value

    def _run(
        self, program: PointProgram, inputs: list, means: Sequence[float], clock: Sequence[float]
    ) -> list:
        operands = [*inputs, *(self._number(one, means, clock) for one in program.numbers), *self.box.x]
        for name, places in program.instructions:
            operands.append(OPERATIONS[name].function(*(operands[place] for place in places)))
        return [operands[place] for place in program.results]


def difference(system: System, plan: EquationPlan, seed: int, *, points: int = 8, t: float = 0.7) -> float:
    """The largest difference of the right-hand sides of a plan and of its text, relative to the largest."""
    box = Box(plan.axes, points)
    fields = state(system, box, seed)
    wanted = Direct(system, box, fields, t).tendencies()
    found = Interpreter(plan, box, fields, t).tendencies()
    size = max(float(np.max(np.abs(one))) for one in wanted) or 1.0
    return max(float(np.max(np.abs(a - b))) for a, b in zip(found, wanted, strict=True)) / size
