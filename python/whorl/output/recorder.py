"""Writes the output of a run when it is due."""

import math
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import astuple
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from whorl import _core
from whorl.base.hdf5 import has_h5py
from whorl.base.parallel import agreed, on_root
from whorl.base.ranks import MPI
from whorl.base.version import __version__
from whorl.config.case import Case
from whorl.config.clock import FIRST_SECONDS, FIRST_STEPS, Clock, Every, Stopwatch
from whorl.config.outputs import FILES, GROWING, OutputFile
from whorl.config.schemes import SCHEMES
from whorl.diagnostics.record import Diagnostics
from whorl.expressions.answers import answer
from whorl.expressions.case import snapshot_entry, snapshot_expressions
from whorl.output.accuracy import Accuracy
from whorl.output.checkpoint import COUNT, PACE, SOURCES, Checkpoint
from whorl.output.checkpoint_files import CheckpointFiles
from whorl.output.condition import Condition
from whorl.output.directory import RunDirectory
from whorl.output.finite import FiniteWatch
from whorl.output.patience import Patience
from whorl.output.resolution import Resolution
from whorl.output.sample import StateSample
from whorl.output.series import Series, gap_of, step_of
from whorl.output.snapshot_series import SnapshotSeries
from whorl.output.snapshot_writer import write_snapshot
from whorl.output.spectra import Spectra
from whorl.output.sums import Sums
from whorl.output.table import Kept, Single, Table, Writer
from whorl.particles.checkpoint import write_particles
from whorl.particles.record import Paths
from whorl.probes.record import Probes

LAST_OF_FILES = list(FILES)[-1]


class Recorder:
    """Series, spectra, snapshots and checkpoints; without a directory only tables, in memory.

    All methods are collective; rank 0 writes the tables, all ranks the fields.
    """

    def __init__(
        self,
        case: Case,
        flow: _core.Flow,
        clock: Clock,
        directory: RunDirectory | None,
        comm: MPI.Intracomm,
        tracers: Mapping[str, Any],
    ):
        self.case, self.flow, self.clock, self.directory, self.comm = case, flow, clock, directory, comm
        self.tracers = tracers  # by name, once they are placed
        writes = directory is not None and comm.rank == 0
        folder = directory.path if writes else None
        path = {name: folder / f"{name}.h5" if folder and has_h5py() else None for name in GROWING}
        keeps = directory is None
        self.diagnostics = Diagnostics(case, comm, path["diagnostics"], keeps=keeps)
        self.probes = Probes(case, path["probes"], keeps=keeps)
        self.finite = FiniteWatch(case, flow, clock, tracers, self._write_rows)
        self.particles = Paths(case, tracers, self.finite.check_particles, path["particles"], keeps=keeps)
        # By the names with which a checkpoint counts their rows.
        self.tables: dict[str, Table] = {name: table_of(file, case, folder) for name, file in FILES.items()}
        self.tables |= {name: getattr(self, name) for name in GROWING}
        self.series = self.tables["series"]
        # The series is first, because its rows may end the run; no other output is older than a checkpoint.
        self.writers: dict[str, Writer] = {"series": self.series, **self.tables}
        self.writers["snapshot"] = Single("snapshot", case.output.snapshot_every, self._snapshot)
        self.writers["checkpoint"] = Single("checkpoint", case.output.checkpoint_every, self._checkpoint)
        self.snapshots = SnapshotSeries(directory.snapshot_series if writes else None)
        self.accuracy, self.condition = Accuracy(case, comm), Condition(case)
        self.resolution = Resolution(case)
        checkpoints, now = Every.parse(case.output.checkpoint_every), time.monotonic()
        self._in_minutes = checkpoints.unit == "minutes" and directory is not None
        self._alarm = Stopwatch(60 * checkpoints.amount if self._in_minutes else math.inf, now)
        self._first = Stopwatch(FIRST_SECONDS, now)
        self.sums = Sums(case, flow, clock, self.finite.check_sums)
        self.patience = Patience(comm, case.output.patience)
        self.checkpoints = CheckpointFiles(case, flow, directory, self.patience)

    def check_start(self, withdraw: Callable[[], None]) -> None:
        """Call `withdraw` and raise CaseError if time.stop_when holds before the first step. Collective."""
        if not self.condition.text:
            return
        self.check_condition()
        if self.condition.holds:
            withdraw()
        self.condition.check_at_start(self.clock)

    def begin(self, dt: float) -> None:
        """Write the initial state; `dt` is the step before it, if the run begins from a checkpoint."""
        self.sums.values()
        due = {name: writer.wanted() for name, writer in self.writers.items()}
        self._write(due | {"checkpoint": []})
        if self.clock.step > 0:
            self.checkpoint(dt)  # so that a run begun from another's checkpoint can be restarted

    def kept(self, checkpoint: Checkpoint) -> dict[str, Kept]:
        """The tables up to the checkpoint; the rows of the series determine whether the run has ended."""
        kept = on_root(
            self.comm, lambda: {name: table.kept(checkpoint.step) for name, table in self.tables.items()}
        )
        rows = kept["series"].data
        self.accuracy.check(rows)
        if on_root(self.comm, lambda: bool(rows) and rows[-1]["step"] == checkpoint.step):
            self.check_condition()
        return kept

    def check_condition(self) -> None:
        """Find whether time.stop_when holds in the present state, as with a row. Collective."""
        self.condition.check(self._sample().expression)

    def resume(self, checkpoint: Checkpoint, kept: dict[str, Kept]) -> list[str]:
        """Cut the tables to the rows kept and resume after them; return a sentence for each gap."""
        self.checkpoints.last = checkpoint.path
        told = []
        for name, table in self.tables.items():
            data, there, gaps = kept[name]
            written = checkpoint.rows.get(name, 0)
            known = [gap for gap in gaps if step_of(gap) <= checkpoint.step]
            gap = gap_of(written - there, written, checkpoint.step)
            lost = there < written
            # A table whose rows are all after the checkpoint is cut, too.
            if data is not None or lost or table.wanted():
                told_in_it = [*known, gap] if lost and gap not in known else known
                agreed(self.comm, partial(table.resume, data, told_in_it))
            told += [f"{name}{table.suffix} has a gap: {gap}."] if lost else []
        on_root(self.comm, lambda: self._keep_files(checkpoint.step))
        return told

    def _keep_files(self, step: int) -> None:
        self.directory.set_aside_later(step)
        self.snapshots.resume(self.directory.snapshots())

    def alarm(self) -> bool:
        """Whether a checkpoint is due by this rank's stopwatch, the first after some steps or a minute."""
        now = time.monotonic()
        due = self._alarm.ring(now)
        if self._in_minutes and self.checkpoints.none:
            due = due or self.clock.step >= FIRST_STEPS or self._first.ring(now)
        return due

    def after_step(
        self, report: _core.StepReport, *, alarm: bool, last: bool, released: Sequence[str] = ()
    ) -> None:
        """Write all that is due after a step, the checkpoint last, so that no other output is older.

        `released` are groups of particles that this step has released.
        """
        due = self._due(last=last, released=released)
        self._write(due | {"checkpoint": ["checkpoint"]} if alarm else due, report)
        if last or self.reached:
            self.finish()

    def _due(self, *, last: bool, released: Collection[str] = ()) -> dict[str, list[str]]:
        """The parts of each writer that are due after a step."""
        return {name: one.due(self.clock, last=last, released=released) for name, one in self.writers.items()}

    def _write(self, due: Mapping[str, list[str]], report: _core.StepReport | None = None) -> None:
        """Write the parts that are due, first those that need no sums over modes.

        If a row of the series ends the run, it is the last, and all parts are due.
        """
        self._write_without_sums(due)
        if not any(due[name] for name, writer in self.writers.items() if writer.needs_sums):
            return
        if report:
            self.finite.check_growth(report, self.sums.values())
        sample = self._sample(report)
        for name, writer in self.writers.items():
            if writer.needs_sums and due[name]:
                writer.write(sample, due[name], self._agree)
            if writer is self.series and due[name]:
                self.accuracy.check(self.series.rows)
                self.condition.check(sample.expression)
                if self.reached:
                    written, due = due, self._due(last=True)
                    self._write_without_sums({one: _without(due[one], written[one]) for one in due})
            if name == LAST_OF_FILES and any(due[one] for one in FILES):
                self.resolution.judge(sample)

    def _write_without_sums(self, due: Mapping[str, Sequence[str]]) -> None:
        """Write the parts that are due of writers that need no sums over modes."""
        sample = StateSample(self.case, self.flow, self.clock, {})
        for name, parts in due.items():
            if parts and not self.writers[name].needs_sums:
                self.writers[name].write(sample, parts, self._agree)

    def read_new_particles(self, names: Collection[str]) -> None:
        """Read the particles that a restart has begun where they begin, unless an earlier restart has."""
        rows = self.particles.rows
        read = [name for name, one in rows.items() if one.last == self.clock.step or name not in names]
        self._write_without_sums({"particles": _without(self.particles.wanted(), read)})

    def _sample(self, report: _core.StepReport | None = None) -> StateSample:
        columns = partial(answer, self.case.planned.row())
        return StateSample(self.case, self.flow, self.clock, self.sums.values(), report, columns)

    @property
    def reached(self) -> bool:
        """Whether rows ended the run: means are accurate enough, or time.stop_when holds."""
        return self.accuracy.reached or self.condition.holds

    def finish(self) -> None:
        """Write the rows in memory, merge single states into their files, and complete the checkpoint."""
        self.checkpoints.end()
        for table in self.tables.values():
            self._agree(table.finish)

    def _checkpoint(self, sample: StateSample) -> None:
        self.checkpoint(sample.report.dt)

    def checkpoint(self, dt: float) -> None:
        """Write a restart file of the present state, unless one exists; then remove the oldest.

        If checkpoints are never wanted, as in every build without HDF5 (see `check_files`), it writes only
        the rows of probes and particles.
        """
        self.finite.check_particles(self.tracers)
        self._agree(self._synchronise)
        if not self.keeps_checkpoints:
            return
        self.checkpoints.end()
        path = self.directory.checkpoint_path(self.clock.step)
        if path == self.checkpoints.last:
            return
        began = time.monotonic()
        self.sums.values()
        clock = {"compensation": self.clock.compensation, "dt": dt}
        timed = {"plane_bytes": self.flow.options.plane_bytes}
        if turnovers := self.clock.turnovers:
            clock |= dict(zip(COUNT, (turnovers.count, turnovers.rate), strict=True))
        if self.clock.pace:
            clock |= dict(zip(PACE, astuple(self.clock.pace), strict=True))
        rows = {f"{name}_rows": table.states for name, table in self.tables.items()}
        sources = {SOURCES + name: value for name, value in self.flow.save_sources().items()}
        particles = self.patience(self._write_particles)
        attributes = self._attributes() | timed | clock | rows | sources | particles
        self.checkpoints.write(path, attributes, began)

    @property
    def keeps_checkpoints(self) -> bool:
        return self.directory is not None and bool(self.writers["checkpoint"].wanted())

    def _write_particles(self) -> dict[str, str]:
        """Write the particles of a checkpoint before it, and return the checkpoint's attribute for them."""
        if not self.tracers:
            return {}
        path = self.directory.particles_path(self.clock.step)
        registers = 1 + SCHEMES[self.case.time.scheme].earlier
        return {"particles": write_particles(path, self.tracers, self.comm, registers)}

    def _agree(self, work: Callable[[], None]) -> None:
        """Do the work of each rank, again after errors that may pass; raise an error of any rank on all."""
        self.patience(partial(agreed, self.comm, work))

    def _synchronise(self) -> None:
        for table in self.tables.values():
            table.synchronise()

    def _write_rows(self) -> Path | None:
        """Write the rows before a state that is not finite; return the last checkpoint. Collective."""
        self.checkpoints.end()
        for table in self.tables.values():
            table.drop_lost()
        self._agree(self._synchronise)
        return self.checkpoints.last

    def _snapshot(self, sample: StateSample) -> None:
        if self.directory is None:
            return
        path = self.directory.snapshot_path(self.clock.step)
        single = self.case.output.snapshot_precision == "single"
        names = [snapshot_entry(entry)[0] for entry in self.case.output.fields]
        asked = {name: self.case.planned.field(name) for name in snapshot_expressions(self.case)}
        written = partial(write_snapshot, self.flow, path, names, self._attributes())
        self.patience(lambda: written(single=single, expressions=asked))
        self.patience(lambda: on_root(self.comm, lambda: self.snapshots.append(path, self.clock.time)))

    @cached_property
    def _case_text(self) -> str:
        return self.case.to_toml()

    def _attributes(self) -> dict[str, str | float | int]:
        typed = {"code": rows} if (rows := rows_of(self.flow)) else {}
        return typed | {
            "time": self.clock.time,
            "step": self.clock.step,
            "case": self._case_text,
            "whorl": __version__,
            "lines": self.flow.options.lines,
            "level": _core.build_info()["level"],
        }


def rows_of(flow: _core.Flow) -> str:
    """The kind of rows of typed equations, which sets the bits: compiled or tabulated."""
    equations = flow.options.equations
    return "" if equations is None else "compiled" if equations.compiled else "tabulated"


def table_of(output: OutputFile, case: Case, folder: Path | None) -> Table:
    """The table of an output file; it is written if a folder is given and its packages are installed."""
    kind = {table.suffix: table for table in (Series, Spectra)}[Path(output.file).suffix]
    written = folder is not None and (kind is not Spectra or has_h5py())
    every = {output.quantity: Every.parse(getattr(case.output, f"{output.quantity}_every"))}
    return kind(output.columns_of(case), folder / output.file if written else None, every)


def _without(parts: Sequence[str], others: Collection[str]) -> list[str]:
    return [part for part in parts if part not in others]
