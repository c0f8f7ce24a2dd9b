"""Dotted settings of the command line ("grid.points=128") applied to the sections of a case."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from whorl.base import toml
from whorl.base.errors import CaseError
from whorl.config.explain import models_at, nearest_key, show
from whorl.config.section import Section, tag_key, tag_of
from whorl.models import DEFAULT, MODELS, Model, declared_by
from whorl.models.equations import Equations
from whorl.models.registered import REGISTERED


@dataclass(frozen=True)
class Setting:
    """One setting: the table it is for (["initial", "magnetic"]), the option there and its value."""

    text: str
    table: tuple[str, ...]
    key: str
    value: Any


def apply_settings(
    sections: dict[str, Any], settings: Sequence[Setting], model: type[BaseModel]
) -> dict[str, Any]:
    """A copy of `sections` with the settings applied.

    Whole sections, "section={key = value, …}", are replaced before all other settings. Options that a setting
    excludes are dropped (time.dt and time.courant). A new initial.name drops the parameters of the old one, a
    new flow.model the options it does not have. Raises CaseError.
    """
    result = {
        section: list(table) if isinstance(table, tuple) else table
        for section, table in copy.deepcopy(sections).items()
    }
    for setting in (setting for setting in settings if not setting.table):
        _replace(result, setting)
    parsed = [setting for setting in settings if setting.table]
    for setting in parsed:
        table = _table(result, setting)
        if isinstance(table, dict):
            _make_room(result, table, setting)
    tags = {setting.table: setting.value for setting in parsed if setting.key in ("name", "model")}
    for setting in parsed:
        table = _table(result, setting)
        if isinstance(table, dict):
            section = _section_of(setting.table, table, tags, model)
            for rival in section.rivals.get(setting.key, ()) if section else ():
                table.pop(rival, None)
    for setting in parsed:
        table = _table(result, setting)
        if isinstance(table, dict):
            table[setting.key] = setting.value
        elif isinstance(table, list) and setting.key.isdigit() and int(setting.key) < len(table):
            table[int(setting.key)] = setting.value
    return result


def from_tables(sections: dict[str, Any]) -> list[Setting]:
    """The options of these sections as settings; a list of tables replaces the whole list."""
    return [
        setting
        for section, table in sections.items()
        for setting in (
            [Setting(f"{section}.{key}", (section,), key, value) for key, value in table.items()]
            if isinstance(table, dict)
            else [Setting(section, (), section, table)]
        )
    ]


def parse_settings(settings: Sequence[str], model: type[BaseModel]) -> list[Setting]:
    """Parses each setting with `parse_setting`. Raises CaseError."""
    check_list(settings)
    return [parse_setting(setting, model) for setting in settings]


def check_list(settings: Sequence[str]) -> None:
    """Raises CaseError for a single text, since a text is a sequence, too."""
    if isinstance(settings, str):
        shown = show(settings)
        raise CaseError(f"settings = {shown} is one text; give a list of settings, such as [{shown}].")


def parse_setting(setting: str, model: type[BaseModel]) -> Setting:
    """A setting of the command line, "section.key=value"; a value that is not TOML is taken as text.

    Raises CaseError.
    """
    path, equals, text = setting.partition("=")
    *table, key = path.strip().split(".")
    if len(table) > toml.MOST_LEVELS:
        raise CaseError(
            f"--set {setting} has a key of {len(table) + 1} parts; at most {toml.MOST_LEVELS} are taken."
        )
    whole = not table and key in model.model_fields and text.strip().startswith(("[", "{"))
    if not (equals and key and all(table) and (table or whole)):
        first = path.strip().partition(".")[0]
        hint = "" if first in model.model_fields else nearest_key(first, model)
        raise CaseError(
            f"--set {setting}: give section.key=value, such as grid.points=128, or a whole section, such as "
            f"'initial={{name = \"random\"}}'{hint or '.'}"
        )
    try:
        value = toml.single_value(text.strip())
    except toml.TOMLDecodeError as error:
        if whole:
            raise CaseError(
                f"--set {setting}: a whole section must be TOML ({error}), with text in quotes, such as "
                'initial={name = "random", k0 = 3}; in a shell put single quotes around all of it.'
            ) from None
        value = text.strip()
    return Setting(setting, tuple(table), key, value)


def _replace(sections: dict[str, Any], setting: Setting) -> None:
    """Replaces a whole section, or list of tables."""
    new = setting.value
    if setting.key == "flow":
        before, after = declared_by(sections.get("flow", {})), _model_of(new)
        if before and after and _differ(before, after, new.get("model")):
            _drop_defaults(sections, before)
    sections[setting.key] = copy.deepcopy(new)


def _table(sections: dict[str, Any], setting: Setting) -> Any:
    """The table a setting is for, created if missing; lists of tables, from 0, may grow by one."""
    table: Any = sections
    for depth, part in enumerate(setting.table):
        if isinstance(table, list | tuple):
            if not part.isdigit() or int(part) >= len(table):
                raise _without_index(setting, ".".join(setting.table[:depth]), len(table))
            table = table[int(part)]
        elif isinstance(table, dict):
            indexed = setting.table[depth + 1 : depth + 2] or (setting.key,)
            table = table.setdefault(part, [] if indexed[0].isdigit() else {})
    place = ".".join(setting.table)
    if isinstance(table, list) and all(isinstance(one, dict) for one in table):
        if setting.key == str(len(table)) and isinstance(setting.value, dict):
            table.append({})
        if setting.key.isdigit() and int(setting.key) < len(table):
            return table
        raise _without_index(setting, place, len(table))
    if not isinstance(table, dict) and len(setting.table) > 1:
        raise CaseError(f"--set {setting.text}: {place} is an option, not a table.")
    return table


def _without_index(setting: Setting, place: str, length: int) -> CaseError:
    example = f"{place}.0" if setting.key.isdigit() else f"{place}.0.{setting.key}"
    return CaseError(
        f"--set {setting.text}: {place} is a list of length {length}; give an index from 0, such as "
        f"{example}, or add to it by '{place}.{length}={{key = value, …}}'."
    )


def _make_room(sections: dict[str, Any], table: dict[str, Any], setting: Setting) -> None:
    """Drops the options that a new name, or a new model, does not have."""
    if setting.key == "name" and "initial" in setting.table and table.get("name") != setting.value:
        for key in [key for key, value in table.items() if not isinstance(value, dict)]:
            del table[key]
    if setting.table == ("flow",) and setting.key == "model":
        old, new = declared_by(table), _model_of({"model": setting.value})
        if old and new and _differ(old, new, setting.value):
            named = setting.value in REGISTERED  # whose equations take the place of all options
            for key in [key for key in table if named or key not in new.model_fields]:
                del table[key]
            _drop_defaults(sections, old)


def _model_of(flow: Any) -> type[Model] | None:
    """The model that a section [flow] chooses; None if it is not a table or names no model."""
    name = flow.get("model", DEFAULT) if isinstance(flow, dict) else None
    known = MODELS | dict.fromkeys(REGISTERED, Equations)
    return known.get(name) if isinstance(name, str) else None


def _differ(old: type[Model] | Model, new: type[Model], name: Any) -> bool:
    """Whether a new model is another one, or has equations of its own by its name."""
    return name in REGISTERED or (old if isinstance(old, type) else type(old)) is not new


def _drop_defaults(sections: dict[str, Any], old: type[Model] | Model) -> None:
    """Drops the old model's defaults, which a resolved case holds as if they had been chosen."""
    for section, key, default in (
        ("grid", "dealias", old.dealias),
        ("grid", "bases", old.bases[0]),
        ("output", "fields", old.snapshot),
    ):
        table = sections.get(section)
        if isinstance(table, dict) and key in table and table[key] in (default, list(default)):
            del table[key]


def _section_of(
    path: tuple[str, ...], table: dict[str, Any], tags: dict[tuple, Any], model: type[BaseModel]
) -> type[Section] | None:
    """The class of the table at `path`, by the tag it has or is about to get."""
    candidates: list[type] = [model]
    for part in path:
        if not part.isdigit():
            candidates = models_at(candidates[0], part) if candidates else []
    if len(candidates) < 2:
        return candidates[0] if candidates else None
    tag = tags.get(path, table.get(tag_key(candidates[0]), DEFAULT))
    return next((c for c in candidates if tag_of(c) == tag), None)
