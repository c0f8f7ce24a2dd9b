"""The output directory: its layout, its files, and those that may be removed.

    .whorl-run               the mark of a directory that whorl made
    case.toml                the case, every option resolved
    log.txt
    exchange.toml            with run.transport = "auto": the choice and the trials

    series.csv               see series.py
    spectra.h5               see spectra.py
    diagnostics.h5           see diagnostics/record.py
    diagnostics-STEP.h5      states that are not yet in it
    analysis.h5              diagnostics of checkpoints by `whorl analyse`
    and the other tables of config/outputs.py

    probes.h5                see probes/record.py
    probes-STEP.h5           rows that are not yet in it
    particles.h5             see particles/record.py
    particles-STEP.h5        rows that are not yet in it
    particles-NAME.vtkhdf    a group of particles for ParaView, see particles/views.py

    checkpoints/STEP.h5      restart files, the newest few
    checkpoints/STEP.particles.h5  their particles, see particles/checkpoint.py
    checkpoints/STEP.data    folders of their data, see checkpoint_data.py
    snapshots/STEP.vtkhdf    fields for ParaView and xarray
    snapshots.vtkhdf.series  the snapshots with their times, for ParaView

Files grow by whole lines, or are written under another name and renamed: a kill at any moment damages none.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from whorl.base import toml
from whorl.base.errors import CaseError
from whorl.base.files import PARTIAL, numbered, resolved, write_text
from whorl.base.text import spelled, typed
from whorl.config.case import Case, read_toml
from whorl.config.explain import did_you_mean
from whorl.config.outputs import FILES, GROWING
from whorl.output.checkpoint import read_clock
from whorl.output.checkpoint_data import data_folders, remove_checkpoint, remove_folder, unused_folders
from whorl.output.lock import Lock

MARK = ".whorl-run"
SNAPSHOT_SERIES = "snapshots.vtkhdf.series"
OWN_FILES = (
    *(MARK, "case.toml", *(output.file for output in FILES.values()), "log.txt", "exchange.toml"),
    *(f"{name}.h5" for name in GROWING),
    *("analysis.h5", "plot.png", SNAPSHOT_SERIES),
)
ASIDE = ".aside"
BEGUN = "# begun from the checkpoint "
PARTICLES = ".particles.h5"
OWN_FOLDERS = {
    folder: tuple(("", ending + aside) for ending in endings for aside in ("", ASIDE))
    for folder, endings in {"checkpoints": (".h5", PARTICLES), "snapshots": (".vtkhdf",)}.items()
} | {
    "": tuple((f"{name}-", ".h5") for name in GROWING)
}  # by folder: texts before and after the step in the names of files


class RunDirectory:
    """Paths and checkpoints of one run. One rank reads and writes the files; see `parallel.on_root`."""

    def __init__(self, path: str | Path):
        self.path = Path(path)
        self.case_file = self.path / "case.toml"
        self.series = self.path / FILES["series"].file
        self.spectra = self.path / FILES["spectra"].file
        self.diagnostics = self.path / "diagnostics.h5"
        self.probes = self.path / "probes.h5"
        self.particles = self.path / "particles.h5"
        self.log = self.path / "log.txt"
        self.exchange = self.path / "exchange.toml"
        self.snapshot_series = self.path / SNAPSHOT_SERIES

    def checkpoint_path(self, step: int) -> Path:
        return self.path / "checkpoints" / f"{step:08d}.h5"

    def particles_path(self, step: int) -> Path:
        """The file of the particles of a checkpoint."""
        return self.path / "checkpoints" / f"{step:08d}{PARTICLES}"

    def snapshot_path(self, step: int) -> Path:
        return self.path / "snapshots" / f"{step:08d}.vtkhdf"

    def checkpoints(self) -> list[Path]:
        """Checkpoint files, the oldest first, without unfinished ones, which have another name."""
        return numbered(self.path / "checkpoints", ".h5")

    def snapshots(self) -> list[Path]:
        return numbered(self.path / "snapshots", ".vtkhdf")

    def steps_of(self, snapshots: bool) -> list[int]:
        """The steps of all snapshots, or of all checkpoints."""
        return [int(one.stem) for one in (self.snapshots() if snapshots else self.checkpoints())]

    def is_run(self) -> bool:
        return (self.path / MARK).is_file()

    # making and removing

    def lock(self) -> Lock:
        """Lock out other processes; do so before choosing a checkpoint, because a run removes old ones."""
        self.check_run()
        return Lock(self.path)

    def written(self) -> tuple[int, int] | None:
        """The identity of case.toml, which each run and each restart in the directory writes again."""
        try:
            found = self.case_file.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns

    def lock_again(self, left: tuple[int, int] | None) -> Lock:
        """Lock it again for a run that left it when `written` gave `left`.

        Raises CaseError if others have it, or had it meanwhile.
        """
        lock = self.lock()
        if self.written() != left:
            lock.release()
            raise CaseError(
                f"another run has been in {self.path} since this one was stopped: {self.case_file.name} was "
                f"written again; go on with Simulation.restart({str(self.path)!r})."
            )
        return lock

    def check_free(self, overwrite: bool) -> None:
        """Raises CaseError unless a new run may be placed here now; writes nothing."""
        self._check_place(overwrite)
        if self.is_run():
            Lock(self.path).release()

    def _check_place(self, overwrite: bool) -> None:
        """Raises CaseError unless a run may be placed here, even if one is still in progress."""
        try:
            there = self.path.exists()
        except OSError as error:
            raise CaseError(f"the output directory {self.path} is not possible: {error.strerror}.") from None
        for parent in resolved(self.path).parents:
            if (parent / MARK).is_file():
                raise CaseError(
                    f"the output directory {self.path} lies within {parent}, which holds a run; choose "
                    "another with -o."
                )
        if not there and self.path.is_symlink():
            raise CaseError(
                f"the output directory {self.path} is a link to a place that does not exist; make it, or "
                "choose another with -o."
            )
        if there and not self.path.is_dir():
            raise CaseError(f"the output directory {self.path} is a file; choose another with -o.")
        if not there or not any(self.path.iterdir()):
            return
        if not self.is_run():
            raise CaseError(
                f"the output directory {self.path} is not empty and was not made by whorl, so it is not "
                "touched, not even with --overwrite; choose another with -o."
            )
        if not overwrite:
            raise CaseError(
                f"the output directory {self.path} holds a run already; go on with it by whorl restart "
                f"{typed(self.path)}, choose another with -o, or replace it with --overwrite."
            )

    def check_beside(self, source: "RunDirectory", overwrite: bool) -> None:
        """Raises CaseError unless a run that begins from a checkpoint of `source` may be placed here."""
        if resolved(self.path) == resolved(source.path):
            raise CaseError(
                f"the output directory {self.path} is that of the checkpoint; choose another with -o, or go "
                f"on in it without -o (whorl restart {typed(source.path)})."
            )
        self.check_free(overwrite)

    def create(self, case: Case, overwrite: bool = False, origin: Path | None = None) -> Lock:
        """Create the directory for a new run; only the files of an earlier run are removed."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            lock = Lock(self.path)
        except OSError as error:
            raise self._not_written(error) from None
        try:
            self._check_place(overwrite)  # again, now that others are locked out
            self._remove_own_files()
            for folder in OWN_FOLDERS:
                (self.path / folder).mkdir(parents=True, exist_ok=True)
            (self.path / MARK).write_text(
                "A run of whorl; with this file here, --overwrite may replace it.\n"
            )
            self.write_case(case, origin)
        except BaseException as error:
            lock.release()
            if isinstance(error, OSError):
                raise self._not_written(error) from None
            raise
        return lock

    def _not_written(self, error: OSError) -> CaseError:
        return CaseError(f"the output directory {self.path} cannot be written: {error}.")

    def write_case(self, case: Case, origin: Path | None = None) -> None:
        """Write the case; a run that began from `origin`, a checkpoint, keeps the [initial] of its run."""
        told = f"{BEGUN}{spelled(str(origin))}\n" if origin else ""
        reads = f'whorl restart {typed(self.path.name)} reads it, to the line "{toml.END}"'
        write_text(self.case_file, f"# resolved by whorl; {reads}\n{told}\n{case.to_toml()}\n{toml.END}\n")

    def origin(self) -> Path | None:
        """The checkpoint of another run that this one began from."""
        head = self.case_file.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)[:3]
        for line in head:
            if line.startswith(BEGUN) and line.endswith("\n"):
                return Path(line.removeprefix(BEGUN).removesuffix("\n"))
        return None

    def _remove_own_files(self) -> None:
        """Remove the files of a run, the mark last, so that a killed removal can be repeated."""
        if not self.is_run():
            return
        self.remove_unfinished()
        for path in self.checkpoints():
            remove_checkpoint(path)
        for folder in (self.path / "checkpoints").glob(f"*.data*{ASIDE}"):
            remove_folder(folder)
        self._remove_own("")

    def remove_unfinished(self) -> None:
        """Remove half-written files of a run that was killed; no run may be in progress here."""
        self._remove_own(PARTIAL)
        for folder in unused_folders(self.path / "checkpoints"):
            remove_folder(folder)

    def _remove_own(self, ending: str) -> None:
        for file in self.path.glob(f"particles-*.vtkhdf{ending}"):
            file.unlink()
        for folder, names in OWN_FOLDERS.items():
            for before, behind in names:
                for file in numbered(self.path / folder, behind + ending, before):
                    file.unlink()
        for name in reversed(OWN_FILES):
            (self.path / (name + ending)).unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove the files of a run that has not begun, and the directory unless others are in it."""
        self._remove_own_files()
        for folder in sorted(OWN_FOLDERS, reverse=True):  # "", the directory itself, is the last
            with suppress(OSError):
                (self.path / folder).rmdir()

    def prune(self, keep: int) -> None:
        """Remove all but the newest `keep` checkpoints, and particles without a checkpoint."""
        checkpoints = self.checkpoints()
        for path in checkpoints[:-keep]:
            remove_checkpoint(path)
        stay = {self.particles_path(int(path.stem)) for path in checkpoints[-keep:]}
        for path in self._particles():
            if path not in stay:
                path.unlink()

    def _particles(self) -> list[Path]:
        return numbered(self.path / "checkpoints", PARTICLES)

    def set_aside_later(self, step: int) -> None:
        """Rename checkpoints and snapshots after `step`: a run that resumes from there writes its own."""
        checkpoints = self.checkpoints()
        data = [folder for path in checkpoints for folder in data_folders(path)]
        for path in (*checkpoints, *data, *self._particles(), *self.snapshots()):
            if int(path.name.partition(".")[0]) > step:
                aside = path.with_name(path.name + ASIDE)
                if aside.is_dir():
                    remove_folder(aside)
                path.rename(aside)

    # reading

    def check_run(self) -> None:
        """Raises CaseError unless the directory has a run."""
        if not self.path.exists():
            runs = [place.name for place in self.path.parent.glob("*") if (place / MARK).is_file()]
            near = did_you_mean(self.path.name, runs) or "; name the output directory of a run."
            raise CaseError(f"{self.path} does not exist{near}")
        if not self.is_run() or not self.case_file.is_file():
            raise CaseError(f"{self.path} is not a run of whorl: it has no {MARK} and case.toml.")

    def read_case(self) -> Case:
        """The case of the run; that of its newest checkpoint if case.toml was cut. Raises CaseError."""
        self.check_run()
        written = self._kept_case() if self._is_cut() else read_toml(self.case_file)
        return Case.of_run(written)

    def _is_cut(self) -> bool:
        text = self.case_file.read_bytes().decode("utf-8", errors="replace")
        return "\n" not in text or toml.is_cut(text)

    def _kept_case(self) -> dict[str, Any]:
        """The case in the newest checkpoint that can be read. Raises CaseError."""
        for path in reversed(self.checkpoints()):
            try:
                return read_clock(path).case
            except ValueError:
                continue
        raise CaseError(
            f"{self.case_file} was cut, and no checkpoint has the case; put the whole file back, or begin "
            "the run again with --overwrite."
        )

    def remarks(self) -> list[str]:
        """A sentence if the case is that of a checkpoint."""
        if not self._is_cut():
            return []
        return [
            f"{self.case_file} was cut, so the case is that of the newest checkpoint; later changes by "
            "restarts without a checkpoint of their own are lost."
        ]

    def path_of_checkpoint(self, step: int | None = None) -> Path:
        """The path of the newest checkpoint, or of that of `step`. Raises CaseError."""
        paths = self.checkpoints()
        if not paths:
            raise CaseError(
                f"{self.path} has no checkpoint to restart from; begin it again with --overwrite, by "
                f"whorl run or, if {self.log} says so, from another run's checkpoint by whorl restart -o."
            )
        return of_step(step, paths, self.checkpoint_path)


def of_step(step: int | None, paths: list[Path], path_of: Callable[[int], Path]) -> Path:
    """The last of some checkpoints or snapshots, or that of `step`. Raises CaseError."""
    wanted = paths[-1] if step is None else path_of(step)
    if wanted not in paths:
        kind, steps = wanted.parent.name, ", ".join(_steps(paths))
        raise CaseError(f"{wanted} does not exist; there are {kind} of step {steps}.")
    return wanted


def _steps(paths: list[Path]) -> list[str]:
    """The steps of files; of more than eight, only the first and the last few."""
    steps = [str(int(path.stem)) for path in paths]
    return steps if len(steps) <= 8 else [*steps[:3], "…", *steps[-4:]]
