"""Particles of a flow: where they are, and what the flow is there."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from whorl import _core
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.config.particles import MOST
from whorl.config.vocabulary import vocabulary
from whorl.measure.answers import questions_of, terms_of
from whorl.measure.particles import AtParticles
from whorl.programs.linear import NO_SECTOR
from whorl.programs.parse import Parser, fault, in_one_line
from whorl.run.checks import check_particles
from whorl.run.core_options import particle_needs

CHUNK = 1 << 16  # particles that are drawn at a time
SENSELESS = 10**15  # a number of particles that is refused like any larger one
NOTHING = [(0, 0.0, [0, 0, 0], 0, 0.0, np.inf, 0.0, NO_SECTOR)]  # an input that is zero


class Particles:
    """Tracers: particles that move with the velocity of the flow in every step, by its scheme.

    Positions are in double precision and unwrapped: a particle that leaves a periodic box goes on beyond it.
    Made by `Simulation.particles`, and of a case's [[particles]] in `Simulation.tracers`. A checkpoint holds
    those of the case alone.

    Attributes
    ----------
    count : int
        The number of particles on all ranks.
    """

    def __init__(self, case: Case, comm: MPI.Intracomm, flow: _core.Flow, clock: Any, group: _core.Particles):
        self._case, self._comm, self._flow, self._clock, self._group = case, comm, flow, clock, group

    def __repr__(self) -> str:
        return f"<Particles: {self._group.count} on this rank>"

    @property
    def count(self) -> int:
        """The number of particles on all ranks. Collective."""
        return self._comm.allreduce(self._group.count)

    def read(self) -> tuple[np.ndarray, np.ndarray]:
        """Identities, and unwrapped positions [particle][axis] in units of length, of those on this rank."""
        ids, positions = np.empty(self._group.count, np.int64), np.empty((self._group.count, 3))
        self._group.read(ids, positions)
        return ids, positions

    @property
    def count_here(self) -> int:
        """The number of particles on this rank."""
        return self._group.count

    def registers(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Identities and positions [particle][register][axis] of those on this rank, of so many registers."""
        ids, positions = np.empty(self._group.count, np.int64), np.empty((count, self._group.count, 3))
        for number in range(count):
            self._group.read(ids, positions[number], number)
        return ids, positions.transpose(1, 0, 2)

    def add(self, ids: np.ndarray, positions: np.ndarray) -> None:
        """Add those on this rank of some particles, [particle][axis], or [particle][register][axis].

        Registers that are not given are for work within a step.
        """
        if positions.ndim == 3:
            missing = self._group.registers - positions.shape[1]
            positions = np.pad(positions, ((0, 0), (0, missing), (0, 0)), mode="edge")
        self._group.add(np.ascontiguousarray(ids, np.int64), np.ascontiguousarray(positions, float))

    def positions(self) -> np.ndarray | None:
        """Return the unwrapped positions, [particle][axis], in the order of identities.

        Returns
        -------
        ndarray or None
            On rank 0, and None on the others; in units of length. Collective.
        """
        return self._gathered(self.read()[1])

    def sample(self, text: str) -> np.ndarray | None:
        """Return an expression at the particles, as it is in the flow at the present time.

        The fields and derivatives in it are interpolated like the velocity of these particles.

        Parameters
        ----------
        text : str
            An expression (docs/expressions.md). Derivatives, filters and inverse Laplacians of products, as
            in the pressure and the acceleration, are brought to the modes and interpolated from there; what
            is left is worked out of the interpolated values.

        Returns
        -------
        ndarray or None
            On rank 0 of shape (particles, components), in the order of identities; None on the others.
            Collective.

        Raises
        ------
        ExpressionError
            If it means nothing, or is complex.
        """
        questions = questions_of(self._case)
        value = questions.parser.parse(text)
        if value.complex:
            raise fault("it is complex; take real(…), imag(…) or abs(…) of it", in_one_line(text))
        return self._gathered(self._values(AtParticles.of(questions, value.nodes())))

    def measure(self, wanted: AtParticles) -> np.ndarray | None:
        """Positions and then values, [particle][x, y, z and values] by identities, on rank 0. Collective."""
        return self._gathered(np.hstack([self.read()[1], self._values(wanted)]))

    def _values(self, wanted: AtParticles) -> np.ndarray:
        return wanted.values(self._flow, self._clock.time, self._group)

    def _gathered(self, values: np.ndarray) -> np.ndarray | None:
        """Rows of all ranks in the order of identities, on rank 0."""
        parts = self._comm.gather((self.read()[0], values))
        if self._comm.rank:
            return None
        order = np.argsort(np.concatenate([ids for ids, _ in parts]), kind="stable")
        return np.concatenate([rows for _, rows in parts])[order]


def tracers(
    case: Case,
    comm: MPI.Intracomm,
    flow: _core.Flow,
    clock: Any,
    positions: Sequence[Sequence[float]] | np.ndarray | int | None = None,
    *,
    lattice: Sequence[int] | None = None,
    seed: int = 1,
    interpolation: str = "spline",
    points: int = 4,
) -> Particles:
    """See `Simulation.particles`."""
    count = _count(positions, lattice)
    needs = particle_needs(flow.options.scheme, count=min(count, SENSELESS), points=points)
    check_particles(flow, comm, needs)
    if count > MOST:
        raise ValueError(f"a group has at most {MOST:.0e} particles, not {count}")
    placed = _placed(case, positions, lattice, seed)
    made = no_particles(case, comm, flow, clock, interpolation=interpolation, points=points)
    for first, some in placed:
        made.add(np.arange(first, first + len(some)), some)
    return made


def no_particles(
    case: Case, comm: MPI.Intracomm, flow: _core.Flow, clock: Any, *, interpolation: str, points: int
) -> Particles:
    """A group without particles, which are to be added before the next step."""
    group = flow.particles(_velocity(case), _drift(case), interpolation, points)
    return Particles(case, comm, flow, clock, group)


def _velocity(case: Case) -> list[list[tuple[Any, ...]]]:
    """Its components as inputs. Raises ValueError if the model has none."""
    if "velocity" not in case.flow.outputs:
        raise ValueError(
            f'flow.model = "{case.flow.model}" has no velocity that particles could move with; choose a '
            "model that has one"
        )
    inputs = []
    for node in Parser(vocabulary(case)).parse("velocity").nodes():
        fields = {term.field: term.field.serial for term in node.value} if node.kind == "linear" else {}
        # A plane flow may have no component across it.
        inputs.append(terms_of(node.value, fields) if fields else NOTHING)
    return inputs


def _drift(case: Case) -> list[float]:
    return [float(part) for part in getattr(case.flow, "mean_velocity", (0.0, 0.0, 0.0))]


def _placed(
    case: Case, positions: Any, lattice: Sequence[int] | None, seed: int
) -> Iterator[tuple[int, np.ndarray]]:
    """Positions of some particles at a time, and the identity of the first. Raises ValueError."""
    if (positions is None) == (lattice is None):
        raise ValueError("particles are placed at positions or on a lattice; give one of them")
    if lattice is not None:
        return _on_lattice(case, tuple(map(int, lattice)))
    if isinstance(positions, int | np.integer):
        if positions < 0:
            raise ValueError(f"the number of particles is 0 or more, not {positions}")
        return _at_random(case, int(positions), seed)
    given = np.asarray(positions, float)
    if given.ndim != 2 or given.shape[1] != 3 or not np.isfinite(given).all():
        raise ValueError(f"positions are finite numbers of shape (particles, 3), not {given.shape}")
    return iter([(0, given)])


def _count(positions: Any, lattice: Sequence[int] | None) -> int:
    """The number of particles, 0 if it does not follow."""
    if isinstance(positions, int | np.integer):
        return max(0, int(positions))
    if positions is not None:
        return len(np.atleast_1d(positions))
    return math.prod(max(0, int(one)) for one in lattice or (0,))


def _at_random(case: Case, count: int, seed: int) -> Iterator[tuple[int, np.ndarray]]:
    for first in range(0, count, CHUNK):
        draw = np.random.Generator(np.random.Philox(key=seed, counter=[0, 0, 0, first // CHUNK]))
        here = draw.random((min(CHUNK, count - first), 3))
        yield first, _in_box(case, here)


def _on_lattice(case: Case, numbers: tuple[int, ...]) -> Iterator[tuple[int, np.ndarray]]:
    """The middles of as many cells along each axis, x before y before z."""
    if len(numbers) != 3 or min(numbers) < 1:
        raise ValueError(f"a lattice has three numbers of at least 1, not {numbers}")
    count = math.prod(numbers)
    return (
        (first, _in_box(case, _middles(np.arange(first, min(first + CHUNK, count)), numbers)))
        for first in range(0, count, CHUNK)
    )


def _middles(ids: np.ndarray, numbers: tuple[int, ...]) -> np.ndarray:
    z, y, x = np.unravel_index(ids, numbers[::-1])
    return (np.stack([x, y, z], -1) + 0.5) / numbers


def _in_box(case: Case, shares: np.ndarray) -> np.ndarray:
    """Positions by shares of the lengths of the box; 0 along an axis with one point."""
    flat = np.array(case.grid.points) == 1
    return np.where(flat, 0.0, shares * case.grid.lengths)
