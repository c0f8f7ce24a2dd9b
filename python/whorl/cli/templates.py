"""The texts of `whorl new MODEL`, a case to edit with every option and its help, and of `whorl models`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import tomlkit

from whorl.base.dimension import common
from whorl.config.case import LISTS, Case, as_toml
from whorl.config.explain import Option, describe
from whorl.config.measures import budget, quantities, spectra_columns
from whorl.config.scalars import Scalar
from whorl.config.section import Section, tag_of
from whorl.diagnostics.options import KINDS as DIAGNOSTICS
from whorl.expressions.parse import Parser
from whorl.expressions.vocabulary import vocabulary
from whorl.forcing.options import KINDS as FORCES
from whorl.initial.options import KINDS, InitialField
from whorl.models import MODELS, Model
from whorl.models.equations import Equations
from whorl.particles.options import KINDS as PARTICLES
from whorl.probes.options import KINDS as PROBES

NO_VALUE = "?"
WIDEST = 40  # characters of a setting; its comment follows
# Sections of any number of blocks, with the title, the kinds and a block to begin with.
BLOCKS: tuple[tuple[str, str, Mapping[str, type[Section]], Sequence[str]], ...] = (
    ("Forces", "forcing", FORCES, ('kind = "stochastic"', "power = 1.0", "correlation_time = 0.1")),
    ("Diagnostics", "diagnostics", DIAGNOSTICS, ('kind = "pdf"', 'of = ["dx(u.x)"]', 'every = "100 steps"')),
    ("Probes", "probes", PROBES, ('kind = "modes"', 'of = ["u"]', "modes = [[1, 0, 0], [0, 0, 2]]")),
    ("Particles", "particles", PARTICLES, ('kind = "tracer"', "count = 1000", 'of = ["u"]')),
)


def example_sections(model: type[Model]) -> dict[str, Any]:
    """The model's example, with the model's name and a final snapshot, so that a picture can be drawn."""
    sections = dict(model.example)
    own = {
        "flow": {"model": tag_of(model), **sections.get("flow", {})},
        "output": {"snapshot_every": sections["time"]["until"], **sections.get("output", {})},
    }
    return sections | own


def example_case(model: type[Model]) -> Case:
    """The resolved example case of a model, which runs for a minute."""
    return Case(**example_sections(model))


def new_case(model: type[Model]) -> str:
    """A case file that runs unchanged; an option that is commented out has the value shown, or none."""
    case = example_case(model)
    sections = example_sections(model)
    given = {name: sections.get(name, {}) for name in Case.model_fields if name not in LISTS}
    blocks = [_head(model)]
    for name, values in given.items():
        blocks.append(_block(name, getattr(case, name), values))
        if name == "initial":
            tables = {key: value for key, value in values.items() if isinstance(value, dict)}
            blocks += [_block(f"initial.{key}", case.initial.others[key], tables[key]) for key in tables]
            blocks.append(_other_initial_fields(model))
            blocks += [_scalars()] if model.viscous else []
            blocks += [_blocks(*one) for one in BLOCKS]
    return "\n".join(blocks)


def own_options(model: type[Model]) -> Iterator[tuple[str, str, str]]:
    """Name, default and meaning of each option of a model except its name."""
    for key, field in model.model_fields.items():
        if key != "model":
            about = describe(f"flow.{key}", field)
            yield key, about.default, _meaning(about)


def facts(name: str) -> dict[str, str]:
    """Facts about a model besides equations and options, by heading."""
    model = MODELS[name]
    also = "" if model.must_be_flat else "also "
    bases = ", ".join(model.bases)
    return {
        "fields": ", ".join(f"{field} ({about.meaning})" for field, about in model.state.items()),
        "outputs": ", ".join(model.outputs),
        "series": ", ".join(column.name for column in model.columns),
        "spectra": ", ".join(column.name for column in spectra_columns(example_case(model))),
        "grid": f"bases {bases}; dealias {model.dealias} by default; {also}one point along {model.flat_axes}",
        "budgets": "; ".join(
            f"d/dt {column} = {told_sum(terms)}" for column, terms in budget(example_case(model)).items()
        )
        or "none",
        "scalars": _scalars_of(model),
    }


def named_quantities(name: str) -> Iterator[tuple[str, str, str]]:
    """The names in a model that expressions may use, with the expression and meaning of each."""
    case = example_case(MODELS[name])
    parser = Parser(vocabulary(case))
    for called, one in quantities(case).items():
        yield called, one.text, f"{one.meaning} [{common([parser.parse(called).unit])}]"


def told_sum(terms: Iterable[str]) -> str:
    """Means with their signs, as text."""
    signed = (f"{'−' if term.startswith('-') else '+'} ⟨{term.removeprefix('-')}⟩" for term in terms)
    return " ".join(signed).removeprefix("+ ") or "0"


def _head(model: type[Model]) -> str:
    summary = " ".join(model.__doc__.strip().split("\n\n")[0].split())
    lines = [f"{tag_of(model)}: {summary}", "", *(f"    {line}" for line in model.formulas.splitlines()), ""]
    lines.append(f'A commented option shows the default; "{NO_VALUE}" means none. See whorl options.')
    return "".join(f"# {line}".rstrip() + "\n" for line in lines)


def _block(name: str, section: Section, given: Mapping[str, Any]) -> str:
    options = [
        (describe(f"{name}.{key}", field), given.get(key, getattr(section, key)), key in given)
        for key, field in type(section).model_fields.items()
    ]
    return f"[{name}]\n" + _aligned([(*_setting(*option), option[0]) for option in options])


def _setting(about: Option, value: Any, active: bool) -> tuple[str, bool]:
    key = about.key.rpartition(".")[2]
    text = NO_VALUE if value is None else tomlkit.item(as_toml(value)).as_string()
    return f"{'' if active else '# '}{key} = {text}", active


def _aligned(lines: list[tuple[str, bool, Option]]) -> str:
    """Settings, each followed by its choices, if it is not set, and by its meaning."""
    width = max([len(setting) for setting, _, _ in lines if len(setting) <= WIDEST], default=0)
    text = ""
    for setting, active, about in lines:
        choices = f"{about.kind}; " if " | " in about.kind and not active else ""
        meaning = f"  # {choices}{_meaning(about)}" if about.help else ""
        text += f"{setting:{width}}{meaning}".rstrip() + "\n"
    return text


def _meaning(about: Option) -> str:
    unit, limits = about.unit and f" [{about.unit}]", about.range and f" ({about.range})"
    return f"{about.help}{unit}{limits}"


def _other_initial_fields(model: type[Model]) -> str:
    """The kinds of initial fields that are possible, one per line."""
    lines = ["# Initial fields:"]
    for kind in KINDS:
        if _fits(kind, model):
            options = ", ".join(key for key in kind.model_fields if key != "name")
            lines.append(
                f"#   {tag_of(kind):13} {kind.__doc__.strip()}" + (f" Options: {options}." if options else "")
            )
    if further := [f"[initial.{name}]" for name in model.state if name != model.first_field()]:
        lines.append(f"# Further fields have a table each, and are zero without it: {', '.join(further)}.")
    return "".join(f"{line}\n" for line in lines)


def _fits(kind: type[InitialField], model: type[Model]) -> bool:
    fields = {model.first_field(), *model.state}
    return any(map(kind.makes, fields)) and (kind.any_bases or model.bases[0] == "FFF")


def _scalars_of(model: type[Model]) -> str:
    if model is Equations:
        return "any number of [[scalars]], if a field is a velocity"
    return "any number of [[scalars]]" if model.viscous else "none"


def _scalars() -> str:
    shown = {"name": "dye", "schmidt": 1.0, "gradient": (0.0, 0.0, 0.0)}
    options = [
        describe(f"scalars.{key}", field) for key, field in Scalar.model_fields.items() if key != "initial"
    ]
    lines = [(*_setting(about, shown.get(about.key.rpartition(".")[2]), False), about) for about in options]
    head = "# Passive scalars, any number of blocks:\n# [[scalars]]\n"
    return f'{head}{_aligned(lines)}# [scalars.initial]\n# name = "random"\n'


def _blocks(title: str, section: str, kinds: Mapping[str, type[Section]], block: Sequence[str]) -> str:
    """The kinds of a section of any number of blocks, one per line, and a block to begin with."""
    of_each = "" if section == "particles" else " of each kind"
    lines = [f"# {title}, any number of blocks; whorl options {section} has all options{of_each}:"]
    lines += [f"#   {tag:15} {(kind.__doc__ or '').strip().splitlines()[0]}" for tag, kind in kinds.items()]
    return "".join(f"{line}\n" for line in (*lines, f"# [[{section}]]", *(f"# {line}" for line in block)))
