"""The standing of a run: in progress, ended, stopped, blown up or killed."""

from dataclasses import dataclass
from typing import Literal

from whorl.base.text import sentence
from whorl.output.directory import RunDirectory
from whorl.output.lock import is_held
from whorl.report.run_log import Session

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
