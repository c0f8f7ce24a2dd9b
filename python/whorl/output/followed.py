"""Probes and particles of a run: read when they are due, kept for a while, and written."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from whorl import _core
from whorl.base.hdf5 import has_h5py
from whorl.base.parallel import agreed
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.config.clock import Clock, Every
from whorl.output.directory import RunDirectory
from whorl.particles.ask import PathReading
from whorl.particles.record import Paths
from whorl.probes.ask import Reading
from whorl.probes.record import Probes


class Followed:
    """The tables of probes and of particles, which are read by intervals of their own.

    All methods are collective. `check` raises BlowUp if particles of these names are not finite.
    """

    def __init__(
        self,
        case: Case,
        flow: _core.Flow,
        clock: Clock,
        directory: RunDirectory | None,
        comm: MPI.Intracomm,
        tracers: Mapping[str, Any],
        check: Callable[[Iterable[str]], None],
    ):
        self.flow, self.clock, self.comm, self.tracers, self._check = flow, clock, comm, tracers, check
        written = directory is not None and comm.rank == 0 and has_h5py()
        probes = [Reading(case, one) for one in case.probes]
        paths = [PathReading(case, one, tracers) for one in case.particles]
        keeps = directory is None
        self.probes = Probes(probes, directory.probes if written else None, keeps=keeps)
        self.particles = Paths(paths, directory.particles if written else None, keeps=keeps)
        self.tables: dict[str, Probes] = {"probes": self.probes, "particles": self.particles}
        self._every = {
            kind: {one.label: Every.parse(one.every) for one in getattr(case, kind)} for kind in self.tables
        }

    def read(
        self,
        chosen: Callable[[Every, tuple[int, float]], bool],
        *,
        last: bool = False,
        released: Sequence[str] = (),
    ) -> list[str]:
        """Read the chosen probes and particles that exist, and all particles of the last state.

        They are chosen by their interval, and the step and time from which it is counted: the first row.
        Returns their names. Needs no statistics.
        """
        read = []
        for kind, every_of in self._every.items():
            particles, rows = kind == "particles", self.tables[kind].rows
            wanted = [
                name
                for name, every in every_of.items()
                if (not particles or name in self.tracers)
                and (
                    chosen(every, rows[name].first or (0, 0.0))
                    or ((name in released or (particles and last)) and every.unit != "never")
                )
            ]
            self._read_some(kind, wanted)
            read += wanted
        return read

    def _read_some(self, kind: str, names: list[str]) -> None:
        """Read some, and write the rows in memory if they are many."""
        table = self.tables[kind]
        if kind == "particles":
            self._check(names)
        if names:
            read = table.read_some(self.flow, names)
            if table.keep(self.clock.step, self.clock.time, read):
                agreed(self.comm, table.synchronise)

    def read_new_particles(self, names: Sequence[str]) -> None:
        """Read the particles that a restart has begun where they begin, unless an earlier restart has."""
        rows = self.particles.rows
        self.read_particles(name for name in names if rows[name].last != self.clock.step)

    def read_particles(self, names: Iterable[str]) -> None:
        every = self._every["particles"]
        self._read_some("particles", [name for name in names if every[name].unit != "never"])

    def synchronise(self) -> None:
        """Write the rows in memory."""
        for table in self.tables.values():
            agreed(self.comm, table.synchronise)

    def drop_lost(self) -> None:
        """Drop the rows after which the flow was not finite."""
        for table in self.tables.values():
            table.drop_lost()
