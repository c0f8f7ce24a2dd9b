"""Facts on a run: its set-up, its sessions, its files, and how to repeat and cite it."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from whorl.base.text import spelled, told_size, typed
from whorl.config.case import Case, as_toml
from whorl.config.explain import describe, show
from whorl.config.section import tag_of
from whorl.output.checkpoint_data import data_folders
from whorl.output.directory import OWN_FILES, RunDirectory
from whorl.pictures.run import resolved
from whorl.report.run_log import Session

# Copied from CITATION.cff, which an installed package does not have.
AUTHORS = "The whorl developers"
TITLE = "whorl: direct numerical simulation of turbulence, pseudo-spectral, from a laptop to a supercomputer"

MEMORY, IN_ALL = "memory of rank 0", "in all"

Row = tuple[str, ...]


@dataclass(frozen=True)
class Repeat:
    """Commands that repeat a run, sentences on its other inputs, and the checksum of case.toml."""

    commands: tuple[str, ...]
    needs: tuple[str, ...]
    checksum: str


def parameters(case: Case) -> list[Row]:
    """Name, value, unit and meaning of each parameter of the equations."""
    rows: list[Row] = []
    for name, field in type(case.flow).model_fields.items():
        value = getattr(case.flow, name)
        if name == "model" or value is None:
            continue
        about = describe(f"flow.{name}", field)
        rows.append((name, show(as_toml(value)), about.unit, about.help))
    return rows


def set_up(case: Case, origin: Path | None) -> list[Row]:
    """Name and value of the box, the modes, the scheme, the initial fields and the forces.

    `origin` is the checkpoint of another run that this one began from, or None.
    """
    grid, time = case.grid, case.time
    walls = [axis for axis, basis in zip("zyx", grid.bases, strict=True) if basis != "F"]
    step = f"dt = {time.dt:g}" if time.dt else f"Courant number {time.courant:g}"
    ends = {name: getattr(time, name) for name in ("until", "steps", "until_error", "stop_when")}
    rows = [
        ("points", " × ".join(map(str, grid.points))),
        ("box", f"{' × '.join(f'{length:.6g}' for length in grid.lengths)}, along x, y, z"),
        ("boundaries", f"free-slip walls in {', '.join(walls)}" if walls else "periodic"),
        ("modes", f"dealiasing {grid.dealias}; kept up to k = {resolved(grid):.6g} in every direction"),
        ("time scheme", f"{time.scheme}, {step}"),
        ("end", ", ".join(f"{name} = {show(value)}" for name, value in ends.items() if value is not None)),
        ("precision", case.run.precision),
        ("initial field", _initial(case) if origin is None else f"the checkpoint {spelled(str(origin))}"),
        ("forces", "; ".join(f"{force.kind} on {force.field}" for force in case.forcing)),
        ("passive scalars", ", ".join(scalar.name for scalar in case.scalars)),
    ]
    return [row for row in rows if row[1]]


def _initial(case: Case) -> str:
    if case.initial is None:
        return "given by a script"
    others = (f"{name}: {tag_of(type(one))}" for name, one in case.initial.others.items())
    return "; ".join([tag_of(type(case.initial)), *others])


def session_rows(sessions: list[Session]) -> list[Row]:
    """Times of the first and last line, kind, version, summary, end, steps, time and pace of each session."""
    rows: list[Row] = []
    for one in sessions:
        origin = f" from {one.source}" if one.source else ""
        settings = f" with {', '.join(one.settings)}" if one.settings else ""
        end = one.ends[-1] if one.ends else None
        if one.error is not None:
            how = "blew up" if one.blew_up else "error"
        else:
            how = f"{end['how']}, t = {end['time']}" if end else "no end in the log"
        steps = sum(int(found["steps"]) for found in one.ends)
        wall = ", ".join(found["wall"] for found in one.ends)
        pace = ", ".join(f"{found['pace']} s" for found in one.ends)
        rows.append(
            (
                *(one.begin, one.last, f"{one.what}{origin}{settings}", one.version, one.summary, how),
                *((f"{steps}", wall, pace) if one.ends else ("", "", "")),
            )
        )
    return rows


def memory_rows(session: Session) -> list[Row]:
    """The parts of the memory of rank 0, with the size counted before and that taken; none if not logged."""
    counted, taken = (dict(session.facts.get(f"{MEMORY}, {what}", [])) for what in ("counted", "taken"))
    names = [*(name for name in (*counted, *taken) if name != IN_ALL), IN_ALL]
    if not counted and not taken:
        return []
    return [(name, counted.get(name, "–"), taken.get(name, "–")) for name in dict.fromkeys(names)]


def files(place: RunDirectory) -> list[Row]:
    """Name, size and content of each file and folder of the run."""
    rows: list[Row] = []
    for name in OWN_FILES:
        if (size := _size(place.path / name)) and not name.startswith("."):
            rows.append((name, told_size(size), CONTENT.get(name, "")))
    for folder, of, paths in (
        ("checkpoints/", "restart files", place.checkpoints()),
        ("snapshots/", "fields at the points, for xarray and ParaView", place.snapshots()),
    ):
        if paths:
            first, last = int(paths[0].stem), int(paths[-1].stem)
            steps = f"{len(paths)} files, step {first} to {last}" if len(paths) > 1 else f"step {first}"
            inside = [file for path in paths for folders in data_folders(path) for file in folders.iterdir()]
            rows.append((folder, told_size(sum(map(_size, [*paths, *inside]))), f"{of}: {steps}"))
    return rows


CONTENT = {
    "case.toml": "the case with every option",
    "series.csv": "numbers over time",
    "spectra.h5": "spectra over time",
    "log.txt": "the log",
    "exchange.toml": "the exchange that was chosen, and what was tried",
    "diagnostics.h5": "what the diagnostics measured",
    "analysis.h5": "what whorl analyse measured",
    "probes.h5": "what the probes read",
    "particles.h5": "the paths of particles",
    "plot.png": "the picture of whorl plot",
    "snapshots.vtkhdf.series": "the snapshots with their times",
}


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # a run in progress removes old checkpoints
        return 0


def repeat(place: RunDirectory, case: Case, sessions: list[Session], window: str) -> Repeat:
    """Commands that repeat the run and this report."""
    name = typed(place.path.resolve().name)
    ranks = sessions[0].ranks if sessions else 1
    launcher = f"mpiexec -n {ranks} " if ranks > 1 else ""
    origin = place.origin()
    begin = f"run case.toml -o {name}" if origin is None else _from_checkpoint(origin, case, sessions, name)
    reports = (f"whorl average {name}{window}", f"whorl report {name}{window}")
    checksum = hashlib.sha256(place.case_file.read_bytes()).hexdigest()
    return Repeat((f"{launcher}whorl {begin}", *reports), tuple(_needs(case, origin, sessions)), checksum)


def _from_checkpoint(origin: Path, case: Case, sessions: list[Session], name: str) -> str:
    settings = "".join(f" --set {typed(one)}" for one in (sessions[0].settings if sessions else ()))
    until = "" if case.time.until is None else f" --until {typed(case.time.until)}"
    source = typed(origin.parent.parent)
    return f"restart {source} -o {name} --step {int(origin.stem)}{until}{settings}"


def _needs(case: Case, origin: Path | None, sessions: list[Session]) -> Iterator[str]:
    """Sentences on inputs of the run other than case.toml, and on changes during the run."""
    if case.initial is None and origin is None:
        yield "The initial field came from a script, which the commands do not have."
    if scripts := [force.label for force in case.forcing if force.kind == "script"]:
        yield f"The force {', '.join(scripts)} came from a script, which the commands do not have."
    if paths := sorted(set(_files_of(case.to_dict()))):
        yield f"The case reads {', '.join(spelled(path) for path in paths)}."
    if origin is not None:
        yield f"The run began from the checkpoint {spelled(str(origin))}."
    for one in sessions[1:]:
        if one.settings:
            changed = ", ".join(one.settings)
            yield (
                f"At {one.begin} it was continued from {one.source} with {changed}; the commands have these "
                "changes from the start."
            )


def _files_of(value: Any, key: str = "") -> Iterator[str]:
    """The files that a case names."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _files_of(inner, name)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _files_of(inner, key)
    elif key in ("path", "file") and isinstance(value, str):
        yield value


def citation(sessions: list[Session], version: str) -> str:
    """The citation of whorl, with the versions that made the run."""
    versions = list(dict.fromkeys(one.version for one in sessions)) or [version]
    return f"{AUTHORS}. {TITLE}. Version {' and '.join(versions)}."


def commits(sessions: list[Session]) -> list[str]:
    """The commits of whorl that made the run, by its log."""
    told = (dict(one.facts.get("machine", [])).get("commit", "") for one in sessions)
    return [one for one in dict.fromkeys(told) if re.fullmatch(r"[0-9a-f]+(-dirty)?", one)]


def levels(sessions: list[Session]) -> list[str]:
    """The instruction levels of the core that made the run one after another, by its log."""
    return [level for level, _ in groupby(one.level for one in sessions if one.level)]
