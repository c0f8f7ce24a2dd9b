"""Validation errors as sentences, and the options of a case as a table; both read the models' own fields."""

import json
import re
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from whorl.config.section import block_of, tag_key, tag_of
from whorl.config.suggest import LONGEST_WORD, did_you_mean, nearest, told_by

MOST_SHOWN = 40  # entries of a list
MOST_PROBLEMS = 4  # of a case, in one message
BOUNDS = {Gt: ("gt", "greater than"), Ge: ("ge", "at least"), Lt: ("lt", "less than"), Le: ("le", "at most")}


@dataclass(frozen=True)
class Option:
    """An option in words: `key` is section.name, the rest are texts."""

    key: str
    kind: str
    default: str
    range: str
    unit: str
    help: str


def options(model: type[BaseModel]) -> list[Option]:
    """All options of a case model as declared; options that alternatives of a section share appear once."""
    described = (
        describe(f"{section}.{name}", field)
        for section, alternatives in sections(model).items()
        for alternative in alternatives
        for name, field in alternative.model_fields.items()
    )
    return list(dict.fromkeys(described))


def sections(model: type[BaseModel]) -> dict[str, list[type[BaseModel]]]:
    """Names of the sections with their models; a union has several."""
    return {name: list(_models_in(field.annotation)) for name, field in model.model_fields.items()}


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)


def describe(key: str, field: FieldInfo) -> Option:
    extra: Any = field.json_schema_extra or {}
    choices = get_args(field.annotation)
    if field.is_required():
        default = choices[0] if get_origin(field.annotation) is Literal and len(choices) == 1 else "required"
    else:
        default = show(field.default) if field.default is not None else ""
    bounds = [
        f"{BOUNDS[type(m)][1]} {getattr(m, BOUNDS[type(m)][0])}"
        for m in _bounds(field.metadata, field.annotation)
    ]
    return Option(
        key,
        _kind(field.annotation),
        default,
        ", ".join(bounds),
        extra.get("unit") or "",
        field.description or "",
    )


def _bounds(metadata: Iterable[Any], annotation: Any) -> list[Any]:
    """Bounds of a field, or of the entries of a list."""
    found = {m: None for m in metadata if type(m) in BOUNDS}
    for entry in get_args(annotation):
        if get_origin(entry) is Annotated:
            inner = [m for f in get_args(entry)[1:] if isinstance(f, FieldInfo) for m in f.metadata]
            found.update(dict.fromkeys(_bounds(inner, get_args(entry)[0])))
        else:
            found.update(dict.fromkeys(_bounds((), entry)))
    return list(found)


def _kind(annotation: Any) -> str:
    """A type in words: number, whole number, text, the choices, or a list of them."""
    origin, arguments = get_origin(annotation), [a for a in get_args(annotation) if a is not type(None)]
    if any(_models_in(annotation)):
        return "table"
    if origin is Annotated:
        return _kind(arguments[0])
    if origin is Literal:
        return " | ".join(map(str, arguments))
    if origin is dict:
        return f"table of {_kind(arguments[1])}s"
    if origin is tuple:
        count = "" if arguments[-1] is Ellipsis else f"{len(arguments)} × "
        return f"{count or 'list of '}{_kind(arguments[0])}"
    if origin in (Union, types.UnionType):
        return " or ".join(map(_kind, arguments))
    return {int: "whole number", float: "number", str: "text", bool: "true or false"}[annotation]


def show(value: Any, levels: int = 3) -> str:
    """A value in the notation of TOML, shortened; lists nested deeper than `levels` become "…"."""
    if isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, str):
        text = json.dumps(value[:LONGEST_WORD], ensure_ascii=False)
    elif isinstance(value, list | tuple | dict) and levels == 0:
        text = "…"
    elif isinstance(value, list | tuple):
        text = f"[{', '.join(show(inner, levels - 1) for inner in value[:MOST_SHOWN])}]"
    elif isinstance(value, dict):
        entries = list(value.items())[:MOST_SHOWN]
        text = f"{{{', '.join(f'{key} = {show(inner, levels - 1)}' for key, inner in entries)}}}"
    elif isinstance(value, int) and abs(value) >= 10**LONGEST_WORD:
        text = hex(value)
    else:
        text = f"{value:.6g}" if isinstance(value, float) and value != round(value, 0) else str(value)
    return text if len(text) <= 80 else f"{text[:76]} …"


def dotted_keys(model: type[BaseModel]) -> list[str]:
    return list(dict.fromkeys(o.key for o in options(model)))


def nearest_key(key: str, model: type[BaseModel], section: str = "") -> str:
    """The words "; did you mean …?" for an option, or nothing.

    An exact name in any section comes first, then a similar one in `section`, then a similar one in another.
    """
    keys = dotted_keys(model)
    names = [k.rpartition(".")[2] for k in keys]
    own = [name for k, name in zip(keys, names, strict=True) if k.startswith(f"{section}.")]
    match = key if key in names else nearest(key, own) or nearest(key, names, 0.7)
    if not match:
        return ""
    home = section if match in own else keys[names.index(match)].partition(".")[0]
    return f"; did you mean {home}.{match}?"


def explain(error: ValidationError, model: type[BaseModel]) -> str:
    """The problems of a case as one paragraph: the first problem of each option, at most MOST_PROBLEMS.

    Unknown keys come before missing options, because many are misspelled names of these.
    """
    first: dict[tuple, Any] = {}
    problems = error.errors(include_url=False)
    for problem in sorted(problems, key=_unknown_first):
        place = tuple(part for part in problem["loc"] if isinstance(part, str))
        first.setdefault(place, problem)
    told = " Also: ".join(_sentence(problem, model) for problem in list(first.values())[:MOST_PROBLEMS])
    left = len(first) - MOST_PROBLEMS
    return told if left <= 0 else f"{told} There {'is 1 more' if left == 1 else f'are {left} more'}."


def _unknown_first(problem: Mapping[str, Any]) -> tuple[bool, int]:
    """A key to sort by: unknown keys come first, and sections before options."""
    unknown = problem["type"] == "extra_forbidden"
    return not unknown, len(problem["loc"]) if unknown else 0


@dataclass(frozen=True)
class ProblemPlace:
    """The place of a problem: a dotted section, its possible models, the chosen one, and an option in it."""

    section: str
    siblings: list[type[BaseModel]]
    chosen: type[BaseModel] | None
    key: str = ""

    @property
    def dotted(self) -> str:
        return f"{self.section}.{self.key}" if self.key else self.section

    @property
    def tag(self) -> str:
        """The option that chooses among the siblings, with its section."""
        return f"{self.section}.{tag_key(self.siblings[0])}"


def _locate(loc: tuple, model: type[BaseModel]) -> ProblemPlace:
    """The place of a pydantic location, which holds the tag of each union and the indices of lists."""
    place = ProblemPlace("", [model], model)
    for part in loc:
        if isinstance(part, int):
            owner = "key" if place.key else "section"
            place = replace(place, **{owner: f"{getattr(place, owner)}[{part}]"})  # type: ignore[arg-type]
        elif place.chosen is None:
            chosen = next((s for s in place.siblings if tag_of(s) == part), None)
            place = replace(place, chosen=chosen)
        elif inner := models_at(place.chosen, part):
            section = f"{place.section}.{part}" if place.section else part
            place = ProblemPlace(section, inner, inner[0] if len(inner) == 1 else None)
        elif not place.section:
            place = replace(place, section=part, siblings=[], chosen=None)
        else:
            place = replace(place, key=f"{place.key}.{part}" if place.key else part)
    return place


def models_at(section: type[BaseModel], key: str) -> list[type[BaseModel]]:
    """The models of a table inside a section, if `key` can be one."""
    if key in section.model_fields:
        return list(_models_in(section.model_fields[key].annotation))
    annotation = get_type_hints(section, include_extras=True).get("__pydantic_extra__")
    return list(_models_in(annotation)) if section.model_config.get("extra") == "allow" else []


def _sentence(error: dict[str, Any], model: type[BaseModel]) -> str:
    place, kind, value = _locate(error["loc"], model), error["type"], error["input"]
    if not error["loc"]:
        return f"{error['ctx']['error']}."
    if kind == "extra_forbidden":
        return _unknown(place, model)
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        return _unknown_alternative(place, value)
    if kind in ("model_type", "model_attributes_type", "dict_type") and not _option_at(place):
        return _no_table(place, error["loc"], value, model)
    if kind == "missing" and not place.key:
        return _no_section(place)
    if kind == "tuple_type" and not place.key:
        name = place.section
        return f"{name} = {show(value)} must be blocks of options: write [[{name}]] before each."
    if kind == "value_error" and not place.key and place.siblings:
        return f"{_block(place.section, value)}{error['ctx']['error']}."
    help = _help(place)
    if kind == "missing":
        return f"{place.dotted}{help} is missing."
    rule = requirement(error, _option_at(place))
    return f"{place.dotted} = {show(value)}{help}: {rule}{'' if rule.endswith('?') else '.'}"


def _block(section: str, value: Any) -> str:
    """The words at the beginning of a sentence that name the block of a list; empty outside of lists."""
    list_name, bracket, number = section.removesuffix("]").partition("[")
    names = [value[key] for key in ("name", "kind") if value.get(key)] if isinstance(value, dict) else []
    if names and number.isdigit():
        return f"{block_of(list_name, int(number), names[0])}: "
    return f"{section}: " if bracket else ""


def _no_section(place: ProblemPlace) -> str:
    """A sentence on a missing section, with the options that its first alternative needs."""
    fields, section = place.siblings[0].model_fields, place.section
    needed = [name for name, field in fields.items() if field.is_required()]
    options = f" with {' and '.join(needed)}" if needed else ""
    listed = re.split(r"\W", section)[0]
    return (
        f"the section [{section}] is missing: write [{section}]{options}; whorl options {listed} explains it."
    )


def _no_table(place: ProblemPlace, loc: tuple, value: Any, model: type[BaseModel]) -> str:
    """A sentence on a value in place of a table; an unknown option, where tables may have any name."""
    if isinstance(loc[-1], int):
        name = place.section.partition("[")[0]
        return f"{place.section} = {show(value)} must be a block of options: write [[{name}]]."
    above = _locate(loc[:-1], model)
    if above.chosen is not None and above.section and loc[-1] not in above.chosen.model_fields:
        return _unknown(replace(above, key=str(loc[-1])), model)
    return f"{place.section} = {show(value)} must be a table of options: write [{place.section}]."


def _unknown(place: ProblemPlace, model: type[BaseModel]) -> str:
    if not place.key:
        names = [f"[{name}]" for name in sections(model)]
        near = did_you_mean(place.section, names) or nearest_key(place.section, model)
        return f"{place.section} is not a section{near or '.'} The sections are {', '.join(names)}."
    own = list(place.chosen.model_fields) if place.chosen else []
    alone = len(place.siblings) == 1
    where = f"[{place.section}]" if alone else f'{place.tag} = "{tag_of(place.chosen)}"'
    homes = [tag_of(s) for s in place.siblings if place.key in s.model_fields]
    if homes:
        near = f"; it goes with {place.tag} = {show(homes[0])}."
    else:
        near = _similar_here(place) or nearest_key(place.key, model, place.section.partition("[")[0])
    return f"{place.dotted} is not an option of {where}{near or '.'} Options are {', '.join(own)}."


def _similar_here(place: ProblemPlace) -> str:
    """The words "; did you mean …?" for an option of the chosen model, else of another, which is named."""
    chosen = [place.chosen] if place.chosen else []
    for section in [*chosen, *place.siblings]:
        fields = section.model_fields
        if similar := nearest(place.key, fields) or told_by(place.key, fields):
            own = any(similar in one.model_fields for one in chosen)
            goes = "" if own else f" It goes with {place.tag} = {show(tag_of(section))}."
            return f"; did you mean {place.section}.{similar}?{goes}"
    return ""


def _unknown_alternative(place: ProblemPlace, value: Any) -> str:
    tags = [tag_of(s) for s in place.siblings]
    name = value.get(tag_key(place.siblings[0])) if isinstance(value, dict) else None
    if name is None:
        return f"{place.tag} is missing; choose one of {', '.join(tags)}."
    near = did_you_mean(str(name), tags)
    return f"{place.tag} = {show(name)} is unknown{near or '.'} Choose one of {', '.join(tags)}."


def _help(place: ProblemPlace) -> str:
    option = _option_at(place)
    if option is None or not option.help:
        return ""
    return f" ({option.help}{f' [{option.unit}]' if option.unit else ''})"


def _option_at(place: ProblemPlace) -> Option | None:
    field = place.chosen.model_fields.get(re.split(r"[\[.]", place.key)[0]) if place.chosen else None
    return describe(place.dotted, field) if field else None


def requirement(error: Mapping[str, Any], option: Option | None = None) -> str:
    """The rule that a wrong value breaks, in words, by an error of pydantic and the option if known."""
    kind, context = error["type"], error.get("ctx", {})
    if kind == "dict_type" and option:
        example = '{NAME = "…"}' if option.kind.endswith("texts") else "{energy = 0.1}"
        return f"it must be a {option.kind} by name, such as {example}"
    if kind in _REQUIREMENTS:
        return _REQUIREMENTS[kind] + _without_quotes(kind, error["input"])
    if kind == "literal_error":
        choices = context["expected"].replace(" or ", ", ").replace("'", "").split(", ")
        near = did_you_mean(str(error["input"]), choices)
        return f"it must be {'one of ' if len(choices) > 1 else ''}{', '.join(choices)}{near}"
    if kind == "value_error":
        return str(context["error"])
    for name, words in BOUNDS.values():
        if name in context:
            bound = context[name]
            return f"it must be {words} {bound if isinstance(bound, int) else f'{bound:g}'}"
    if "min_length" in context:
        return f"it must be a list of at least {context['min_length']}"
    return f"it must be {option.kind if option else 'something else'}"


def _without_quotes(kind: str, value: Any) -> str:
    """The words ", without quotes" if the value is right except that it is text."""
    quoted = isinstance(value, str) and re.fullmatch(
        _WITHOUT_QUOTES.get(kind, "(?!)"), value.strip(), re.IGNORECASE
    )
    return ", without quotes" if quoted else ""


_WITHOUT_QUOTES = {
    "float_type": r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?",
    "int_type": r"[-+]?\d+",
    "bool_type": "true|false",
}
_REQUIREMENTS = {
    "float_type": "it must be a number",
    "float_parsing": "it must be a number",
    "finite_number": "it must be a finite number",
    "int_type": "it must be a whole number",
    "int_parsing": "it must be a whole number",
    "int_from_float": "it must be a whole number",
    "bool_type": "it must be true or false",
    "string_type": "it must be text in quotes",
    "tuple_type": "it must be a list",
}
