"""Particles of a flow: their positions, and values of the flow at these."""

import math
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np

from whorl import _core
from whorl.base.errors import CaseError
from whorl.base.numbers import floats
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.expressions.answers import answer, prepared
from whorl.expressions.faults import fault, in_one_line
from whorl.expressions.questions import Questions
from whorl.particles.ask import at_particles
from whorl.particles.options import ALONE, WITH_COUNT, ParticleGroup
from whorl.particles.placement import Places, places
from whorl.run.core_options import particle_needs
from whorl.run.memory.checks import check_particles


class Particles:
    """Particles that move with the flow in every step, by its time scheme: tracers, or another kind.

    Positions are in double precision and unwrapped: a particle that leaves a periodic box goes on beyond it.
    `Simulation.particles` makes them; `Simulation.tracers` has those of a case's [[particles]]. A checkpoint
    contains only those of the case.

    Attributes
    ----------
    count : int
        The number of particles on all ranks.
    found : dict of str to float
        Options that followed from the flow when they began, such as `response_time` from a Stokes number.
    """

    def __init__(
        self,
        case: Case,
        comm: MPI.Intracomm,
        flow: _core.Flow,
        clock: Any,
        group: _core.Particles,
        found: dict[str, float],
    ):
        self._case, self._comm, self._flow, self._clock, self._group = case, comm, flow, clock, group
        self.found = found

    def __reduce__(self) -> str:
        raise TypeError(
            "particles of a simulation cannot be pickled, nor sent to another process: they are in the core; "
            "send their positions() or samples."
        )

    def __repr__(self) -> str:
        return f"<Particles: {self._group.count} on this rank>"

    @property
    def count(self) -> int:
        """The number of particles on all ranks. Collective."""
        return self._comm.allreduce(self._group.count)

    def read(self) -> tuple[np.ndarray, np.ndarray]:
        """Identities and unwrapped positions on this rank, [particle][axis] in units of length."""
        ids, positions = np.empty(self._group.count, np.int64), np.empty((self._group.count, 3))
        self._group.read(ids, positions)
        return ids, positions

    def lost(self, most: int) -> list[int]:
        """Identities of at most `most` particles whose positions are not finite, on all ranks. Collective."""
        ids, positions = self.read()
        here = ids[~np.isfinite(positions).all(axis=1)][:most]
        return sorted(int(one) for some in self._comm.allgather(here) for one in some)[:most]

    @property
    def count_here(self) -> int:
        """The number of particles on this rank."""
        return self._group.count

    @property
    def variables(self) -> int:
        """The number of vectors of each particle: 1, its position, or 2, with its velocity."""
        return self._group.variables

    def registers(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Identities on this rank, and `count` registers, [particle][register][variable][axis]."""
        ids = np.empty(self._group.count, np.int64)
        values = np.empty((count, self.variables, self._group.count, 3))
        for number, variable in np.ndindex(values.shape[:2]):
            self._group.read(ids, values[number, variable], number, variable)
        return ids, values.transpose(2, 0, 1, 3)

    def add(self, ids: np.ndarray, values: np.ndarray) -> None:
        """Add those of the particles that belong to this rank, [particle][register][variable][axis].

        Registers that are not given are for work within a step. Positions without velocities,
        [particle][axis], are particles at rest.
        """
        self._group.add(np.ascontiguousarray(ids, np.int64), np.ascontiguousarray(values, float))

    def reserve(self, count: int) -> None:
        """Make room for `count` particles on all ranks together, which have about equal shares."""
        ranks = self._comm.size
        self._group.reserve(count if ranks == 1 else math.ceil(1.02 * count / ranks))

    def follow_flow(self) -> None:
        """Set the velocity of each particle to that of the flow at its position. Collective."""
        self._group.follow_flow()

    def positions(self) -> np.ndarray | None:
        """Return the unwrapped positions, [particle][axis], in the order of identities.

        Returns
        -------
        ndarray or None
            On rank 0, and None on the others; in units of length. Collective.
        """
        return self._gathered(self.read()[1])

    def velocities(self) -> np.ndarray | None:
        """Return the velocities of particles that have their own, [particle][axis], by identities.

        Returns
        -------
        ndarray or None
            On rank 0, and None on the others; in units of length/time. Collective.

        Raises
        ------
        ValueError
            If they move with the flow, as tracers do.
        """
        if self.variables == 1:
            raise ValueError(
                "particles of this kind have no velocity of their own; sample the velocity of the flow"
            )
        return self._gathered(self._here()[:, 1])

    def sample(self, text: str) -> np.ndarray | None:
        """Return an expression at the particles, as it is in the flow at the present time.

        The fields and derivatives in it are interpolated like the velocity of these particles.

        Parameters
        ----------
        text : str
            An expression (docs/expressions.md). Derivatives, filters and inverse Laplacians of products, as
            in the pressure and the acceleration, are transformed to the modes and interpolated from there.
            The rest of the expression is worked out from the interpolated values.

        Returns
        -------
        ndarray or None
            On rank 0 of shape (particles, components), in the order of identities; None on the others.
            Collective.

        Raises
        ------
        ExpressionError
            If the expression is wrong, or complex.
        """
        questions = self._case.planned.questions()
        value = questions.parser.parse(text)
        if value.complex:
            raise fault("it is complex; take real(…), imag(…) or abs(…) of it", in_one_line(text))
        questions.sample(value.nodes())
        return self._gathered(self._values(questions))

    def measure(self, wanted: Questions) -> np.ndarray | None:
        """Variables and then values, [particle][number] by identities, on rank 0. Collective."""
        own = self._here()
        return self._gathered(np.hstack([own.reshape(len(own), 3 * self.variables), self._values(wanted)]))

    def _here(self) -> np.ndarray:
        """The variables of this rank's particles, [particle][variable][axis]."""
        return self.registers(1)[1][:, 0]

    def _values(self, wanted: Questions) -> np.ndarray:
        return at_particles(wanted, self._flow, self._clock.time, self._group)

    def _gathered(self, values: np.ndarray) -> np.ndarray | None:
        """Rows of all ranks in the order of identities, on rank 0."""
        parts = self._comm.gather((self.read()[0], values))
        if self._comm.rank:
            return None
        order = np.argsort(np.concatenate([ids for ids, _ in parts]), kind="stable")
        return np.concatenate([rows for _, rows in parts])[order]


def particles_of(
    case: Case,
    comm: MPI.Intracomm,
    flow: _core.Flow,
    clock: Any,
    group: ParticleGroup,
    placed: Places | None = None,
    velocity: np.ndarray | None = None,
) -> Particles:
    """A group of [[particles]] where its options place it, or at other places.

    `velocity`, [particle][axis], has one for each particle, instead of one for all. Raises CaseError for a
    wrong file.
    """
    placed = placed or places(case, group)
    # Wrong places raise an error before the flow has a group, which cannot be removed from it again.
    placed = chain(list(islice(placed, 1)), placed)
    made = no_particles(case, comm, flow, clock, group)
    made.reserve(group.number())
    common = getattr(group, "velocity", None)
    for first, some in placed:
        ids = np.arange(first, first + len(some))
        own = velocity[ids] if velocity is not None else common
        if own is not None:
            some = np.stack([some, np.broadcast_to(own, some.shape)], axis=1)[:, None]
        made.add(ids, some)
    if made.variables > 1 and velocity is None and common is None:
        made.follow_flow()
    return made


def no_particles(
    case: Case,
    comm: MPI.Intracomm,
    flow: _core.Flow,
    clock: Any,
    group: ParticleGroup,
    found: dict[str, float] | None = None,
) -> Particles:
    """A group without particles, which are to be added before the next step.

    `found` are its options that followed from the flow, if the group is not new.
    """
    if found is None:
        found = _of_flow(case, flow, clock, group)
    try:
        group.check_found(case, found)
    except ValueError as error:
        raise CaseError(f"{error}.") from None
    numbers = group.numbers(case) | {name: [value] for name, value in found.items()}
    texts = group.sampled(group.model_dump())
    made = prepared(case.planned.moving(*texts), ", ".join(texts))
    group_of_core = flow.particles(
        made.samples,
        drift=_drift(case),
        interpolation=group.interpolation,
        points=group.points,
        kind=group.kind,
        numbers=numbers,
        forces=made.forces,
        programs=made.programs,
    )
    return Particles(case, comm, flow, clock, group_of_core, found)


def _of_flow(case: Case, flow: _core.Flow, clock: Any, group: ParticleGroup) -> dict[str, float]:
    """The options that follow from the present flow. Raises CaseError if one is not a number above zero."""
    if not (texts := group.from_flow()):
        return {}
    values = answer(case.planned.means(*texts.values()), flow, clock.time).numbers
    found = {name: float(value) for name, value in zip(texts, values, strict=True)}
    for name, value in found.items():
        if not 0 < value < math.inf:
            raise CaseError(
                f"particles.{group.label} have no {name}, since nothing moves in the flow where they begin: "
                f"it would be {value:g}. Give {name} itself, or let them begin later (release)."
            )
    return found


def _drift(case: Case) -> list[float]:
    return [float(part) for part in getattr(case.flow, "mean_velocity", (0.0, 0.0, 0.0))]


NOT_IN_A_SCRIPT = ("name", "of", "every", "release")


def added(
    case: Case,
    comm: MPI.Intracomm,
    flow: _core.Flow,
    clock: Any,
    positions: Sequence[Sequence[float]] | np.ndarray | int | None,
    options: dict[str, Any],
) -> Particles:
    """See `Simulation.particles`; the options are those of a block, and declared there."""
    if wrong := [name for name in NOT_IN_A_SCRIPT if name in options]:
        raise ValueError(f"{', '.join(wrong)}: only [[particles]] of a case have this; leave it out")
    ways = [way for way in (*ALONE, *WITH_COUNT) if options.get(way) is not None]
    placed: Iterator | None = None
    given = None
    if isinstance(positions, int | np.integer):
        if positions < 0:
            raise ValueError(f"the number of particles is 0 or more, not {positions}")
        placed = None if positions else iter(())
        options = options | {"count": max(int(positions), 1)}
    elif positions is not None:
        given = floats(positions, "positions")
        if given.ndim != 2 or given.shape[1] != 3 or not np.isfinite(given).all():
            raise ValueError(f"positions are finite numbers of shape (particles, 3), not {given.shape}")
        placed = iter([(0, given)])
        options = options | {"count": max(len(given), 1)}
        if ways:
            raise ValueError(f"particles are placed at positions or by {', '.join(ways)}; give one of them")
    elif not ways:
        raise ValueError("particles are placed at positions or on a lattice; give one of them")
    velocity = options.get("velocity")
    if each := np.ndim(velocity) == 2:
        velocity = floats(velocity, "velocity")
        options = {name: value for name, value in options.items() if name != "velocity"}
    (group,) = Case(**(case.to_dict() | {"particles": (options,)})).particles
    if given is not None:
        for axis, along in zip("xyz", given.T, strict=True):
            group.check_along(axis, along, case.grid, "positions")
    needs = group.needs(group.model_dump()) | {"count": group.number()}
    check_particles(flow, comm, particle_needs(flow.options.scheme, **needs))
    if each and velocity.shape != (group.number(), 3):
        raise ValueError(
            f"velocity is one, or one for each of {group.number()} particles, not of shape {velocity.shape}"
        )
    return particles_of(case, comm, flow, clock, group, placed, velocity if each else None)
