"""Sessions of a run in its log, each from a start to an end, and the standing of the run."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from whorl.base.text import sentence
from whorl.output.directory import RunDirectory
from whorl.output.lock import is_held

LINE = re.compile(r"(?P<when>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)  (?P<text>.*)")
BEGIN = re.compile(
    r"(?P<what>run|restart)(?: from (?P<source>.+?) \([\d x]+ points\)(?: with (?P<settings>.+?))?)?"
    r": whorl (?P<version>\S+), (?P<summary>.*)"
)
END = re.compile(
    r"(?P<how>finished|stopped by [\w.]+|paused) at t = (?P<time>\S+), step (?P<step>\d+).*?"
    r"\((?P<steps>\d+) steps in (?P<wall>.+?), (?P<pace>\S+) s a step\)"
)
ERROR, WARNING = "error: ", "warning: "
BLOW_UP = re.compile("the (flow|particles .*) blew up at t = ")
FACTS = re.compile(r"(?P<name>machine|memory of rank 0, \w+): (?P<facts>.* = .*)")
LEVEL = re.compile(r"instruction level (?P<level>\w+), lines .*")
PROGRESS = re.compile(r"step (?P<step>\d+)(?: of \d+)?  t (?P<time>\S+).*")
SETTING = re.compile(r", (?=[A-Za-z_]\w*(?:\.\w+)*\s*=)")  # between two settings, not within a list


@dataclass
class Session:
    """One start of a run and its log up to the next start; `ends` are the ends of its parts, in order.

    `facts` has lists of (name, value) under "machine" and, for example, "memory of rank 0, taken". `error` is
    the message that ended the session, `progress` the last line of progress after the last end, and `level`
    the instruction level of the core, if the log has it.
    """

    begin: str
    what: str
    source: str | None
    settings: tuple[str, ...]
    version: str
    summary: str
    last: str
    level: str = ""
    ends: list[re.Match[str]] = field(default_factory=list)
    error: str | None = None
    progress: re.Match[str] | None = None
    warnings: list[str] = field(default_factory=list)
    facts: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    @property
    def ranks(self) -> int:
        """The number of MPI ranks."""
        found = re.search(r"(\d+) ranks?\b", self.summary)
        return int(found[1]) if found else 1

    @property
    def blew_up(self) -> bool:
        """Whether the flow or its particles stopped being finite."""
        return self.error is not None and BLOW_UP.match(self.error) is not None

    def add(self, when: str, text: str) -> None:
        """Add a line of the log."""
        self.last = when
        if text.startswith(WARNING):
            self.warnings.append(text.removeprefix(WARNING))
        elif text.startswith(ERROR):
            self.error = text.removeprefix(ERROR)
        elif found := END.match(text):
            self.ends.append(found)
            self.progress = None
        elif found := FACTS.fullmatch(text):
            pairs = (fact.partition(" = ") for fact in found["facts"].split("; "))
            self.facts[found["name"]] = [(name, value) for name, _, value in pairs]
        elif found := LEVEL.fullmatch(text):
            self.level = found["level"]
        elif found := PROGRESS.match(text):
            self.progress = found


def read_log(path: Path) -> list[Session]:
    """The sessions in a log, the earliest first; none if the log cannot be read."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return sessions_of(text.splitlines())


def sessions_of(lines: Iterable[str]) -> list[Session]:
    """The sessions in the lines of a log, without torn lines and those before the first start."""
    sessions: list[Session] = []
    for line in lines:
        if not (found := LINE.fullmatch(line)):
            continue
        when, text = found["when"], found["text"]
        if begun := BEGIN.fullmatch(text):
            settings = tuple(SETTING.split(begun["settings"])) if begun["settings"] else ()
            about = (begun["what"], begun["source"], settings, begun["version"], begun["summary"])
            sessions.append(Session(when, *about, when))
        elif sessions:
            sessions[-1].add(when, text)
    return sessions


Kind = Literal["good", "going", "bad"]


@dataclass(frozen=True)
class Standing:
    """A word on a run, sentences on it, and its kind: "good" at its end, "going" in progress, else "bad"."""

    kind: Kind
    word: str
    told: str


def standing_of(place: RunDirectory, sessions: list[Session]) -> Standing:
    """The standing of the run in a directory, by its lock and its log."""
    if is_held(place.path):
        reached = _reached(sessions[-1]) if sessions else ""
        return Standing("going", "In progress", f"A process works in the directory{reached}.")
    if not sessions:
        return Standing("bad", "Unknown", "The run has no log, so how it ended is not known.")
    last = sessions[-1]
    if last.error is not None:
        told, word = sentence(last.error), "Blown up" if last.blew_up else "Ended by an error"
        beware = " What was written near its end is not to be used." if last.blew_up else ""
        return Standing("bad", word, f"{told}{beware}")
    if last.ends and last.progress is None:
        how = last.ends[-1]["how"]
        place_of = f"at t = {last.ends[-1]['time']}, step {last.ends[-1]['step']}"
        if how == "finished":
            return Standing("good", "Finished", f"The run reached its end {place_of}.")
        return Standing(
            "bad", f"{how[:1].upper()}{how[1:]}", f"The run was {how} before its end, {place_of}."
        )
    return Standing(
        "bad",
        "Killed",
        f"The log has no end{_reached(last)}: the run was killed, or it goes on on another machine, whose "
        "locks are not seen here.",
    )


def _reached(session: Session) -> str:
    """A clause on the last progress in the log, or on the time of its last line."""
    if (found := session.progress) is not None:
        return f"; at {session.last} it was at step {found['step']}, t = {found['time']}"
    return f"; its log was last written at {session.last}"
