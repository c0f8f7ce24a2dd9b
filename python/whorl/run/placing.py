"""Particles of a run: those of its case, and those that a script adds."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from whorl.config.schemes import SCHEMES
from whorl.particles.groups import placed
from whorl.particles.particles import Particles, added
from whorl.run.current import CurrentRun


class Placing:
    """The placing of particles in the flow of a run."""

    def __init__(self, run: CurrentRun):
        self._run = run

    def release(self) -> list[str]:
        """Place the groups of the case whose time has come, and return their names. Collective."""
        run = self._run
        waiting = [one.label for one in run.case.particles if one.label not in run.tracers]
        found = placed(run.case, run.comm, run.flow, run.clock, waiting)
        run.tracers.update(found)
        return list(found)

    def add(
        self,
        positions: Sequence[Sequence[float]] | np.ndarray | int | None = None,
        *,
        lattice: Sequence[int] | None = None,
        seed: int = 1,
        interpolation: str = "lagrange",
        points: int = 4,
        kind: str = "tracer",
        **options: Any,
    ) -> Particles:
        """Add particles, which move with the flow in all later steps.

        Parameters
        ----------
        positions : array_like or int, optional
            Positions of shape (particles, 3) in units of length, the same on every rank and not necessarily
            in the box. Or a number of particles, for positions that are uniformly random in the box; for
            pairs and tetrahedra it is the number of each size.
        lattice : sequence of three int, optional
            Numbers along x, y, z of evenly spaced particles, in the middles of as many cells; instead of
            positions.
        seed : int
            The seed of random positions, which depend on neither ranks nor devices.
        interpolation : str
            "lagrange": polynomials through the nearest values; "spline": B-splines through all, exactly
            by the Fourier series.
        points : int
            The points along each axis from which a value is interpolated, which is the order: 2, 4, 6 or 8.
        kind : str
            "tracer", or another kind of [[particles]].
        **options
            The options of a block of this kind, such as `response_time`, `pairs` or `path`; `velocity` may
            have one for each particle, of shape (particles, 3).

        Returns
        -------
        Particles
            The particles. Checkpoints do not contain them, only the case's particles, `tracers`.

        Raises
        ------
        ValueError
            If the model has no velocity, if the positions are no finite numbers of that shape, or if a scheme
            that remembers earlier steps (ab2, ab3) has made some, which these particles would lack.
        CaseError
            If the options are not those of a block, or if the particles do not fit into memory.
        """
        run = self._run
        if run.makes_steps and not run.fresh and SCHEMES[run.case.time.scheme].earlier:
            raise ValueError(
                f'time.scheme = "{run.case.time.scheme}" remembers earlier steps, which particles would '
                "lack; add them before the first step, or use a one-step scheme, such as rk2"
            )
        given = {"kind": kind, "seed": seed, "interpolation": interpolation, "points": points} | options
        if lattice is not None:
            given["lattice"] = tuple(map(int, lattice))
        return added(run.case, run.comm, run.flow, run.clock, positions, given)
