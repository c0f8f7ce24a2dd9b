"""A sweep: a case with several values of some options, and the folder that keeps it.

sweep.toml    the options with their values, and the directory of each run
case.toml     the case without them
NAME=VALUE,…  the output directory of a run, by the values that it has
"""

import math
import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import tomlkit

from whorl.base.errors import CaseError
from whorl.base.files import text_of, write_text
from whorl.base.text import spelled, typed
from whorl.base.toml import loads
from whorl.config.case import Case, sections_of
from whorl.config.settings import apply_settings, parse_settings

FILE, CASE = "sweep.toml", "case.toml"
MOST = 10_000  # runs of a sweep
PLAIN = re.compile(r"[^A-Za-z0-9.+=,_-]+")  # what is no plain character of a name


@dataclass(frozen=True)
class Member:
    """A run of a sweep: the name of its directory, and its value of each option as text."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Sweep:
    """The options of a sweep with the texts of their values, and its folder."""

    folder: Path
    options: dict[str, tuple[str, ...]]

    @property
    def members(self) -> list[Member]:
        """All runs: the last option varies fastest."""
        names = short_names(self.options)
        found = []
        for values in product(*self.options.values()):
            told = ",".join(f"{name}={value}" for name, value in zip(names, values, strict=True))
            found.append(Member(PLAIN.sub("-", told), values))
        return found

    def case_of(self, member: Member, sections: dict[str, Any] | None = None) -> Case:
        """The case of a run, with its directory, from the sections of the sweep's case. Raises CaseError."""
        sections = sections_of(self.folder / CASE) if sections is None else deepcopy(sections)
        settings = [f"{key}={value}" for key, value in zip(self.options, member.values, strict=True)]
        sections = apply_settings(sections, parse_settings(settings, Case), Case)
        return Case(**sections).updated(output={"directory": str(self.folder / member.name)})

    def numbers(self) -> dict[str, list[Any]]:
        """The values of each option as its case has them: numbers, texts, or texts of lists."""
        found: dict[str, list[Any]] = {key: [] for key in self.options}
        for n, (key, texts) in enumerate(self.options.items()):
            for text in texts:
                member = next(one for one in self.members if one.values[n] == text)
                value: Any = self.case_of(member).to_dict()
                for part in key.split("."):
                    value = value[int(part)] if isinstance(value, list | tuple) else value[part]
                found[key].append(value if isinstance(value, bool | int | float | str) else str(value))
        return found

    def write(self, source: str, fixed: Sequence[str]) -> None:
        """Write the folder, after the case of every run has been checked. Raises CaseError."""
        sections = sections_of(source, fixed)
        for member in self.members:
            self.case_of(member, sections)
        self.folder.mkdir(parents=True, exist_ok=True)
        write_text(self.folder / CASE, tomlkit.dumps(sections))
        table = {"options": {key: list(values) for key, values in self.options.items()}}
        write_text(self.folder / FILE, tomlkit.dumps(table))


def read_sweep(folder: Path) -> Sweep:
    """The sweep in a folder. Raises CaseError."""
    path = folder / FILE
    if not path.is_file():
        raise CaseError(f"{folder} is no folder of a sweep: it has no {FILE}; begin one by whorl sweep CASE.")
    try:
        options = {key: tuple(map(str, values)) for key, values in loads(text_of(path))["options"].items()}
    except (KeyError, AttributeError, ValueError) as error:
        raise CaseError(f"{path} is damaged ({error}): put it back, or begin another sweep.") from None
    return Sweep(folder, options)


def made(folder: Path, source: str, settings: Sequence[str]) -> Sweep:
    """The sweep of a case: settings with several values are its options. Raises CaseError.

    A folder that has the same sweep already is used again, and keeps its case.
    """
    parted = [parts_of(setting) for setting in settings]
    options = {key: values for key, values in parted if len(values) > 1}
    fixed = [f"{key}={values[0]}" for key, values in parted if len(values) == 1]
    if not options:
        raise CaseError(
            f"a sweep of {spelled(source)} needs an option with several values, apart by commas: --set "
            "flow.viscosity=1e-2,5e-3."
        )
    sweep, runs = Sweep(folder, options), math.prod(map(len, options.values()))
    if runs > MOST:
        raise CaseError(
            f"the sweep of {spelled(source)} has {runs} runs, more than {MOST}: give fewer values."
        )
    if (folder / FILE).is_file():
        if read_sweep(folder).options != options:
            raise CaseError(
                f"{folder} holds a sweep of other values: go on with that by whorl sweep {typed(folder)}, or "
                "choose another folder with -o."
            )
        return sweep
    if folder.is_dir() and any(folder.iterdir()):
        raise CaseError(f"{folder} is not empty and holds no sweep: choose another folder with -o.")
    sweep.write(source, fixed)
    return sweep


def parts_of(setting: str) -> tuple[str, tuple[str, ...]]:
    """The key of a setting, and its values: a comma within brackets or quotes parts none."""
    key, equals, text = setting.partition("=")
    if not equals:
        raise CaseError(f"--set {setting} is not of the form KEY=VALUE or KEY=VALUE,VALUE.")
    values = tuple(value.strip() for value in _split(text))
    if len(set(values)) < len(values) or not all(values):
        raise CaseError(f"--set {setting} is wrong: each value is given once, and none is empty.")
    return key.strip(), values


def _split(text: str) -> Iterator[str]:
    """The parts of a text between commas that are not within brackets or quotes."""
    part, depth, quote = "", 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        else:
            depth += (letter in "[{") - (letter in "]}")
        if letter == "," and not quote and depth == 0:
            yield part
            part = ""
        else:
            part += letter
    yield part


def short_names(keys: Sequence[str] | dict[str, Any]) -> list[str]:
    """The last word of each key, or the whole key where words are the same."""
    last = [key.rpartition(".")[2] for key in keys]
    return [word if last.count(word) == 1 else key for word, key in zip(last, keys, strict=True)]
