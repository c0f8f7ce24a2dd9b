"""Lists of ready cases, models and options, and facts about this machine."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from whorl.base.errors import CaseError
from whorl.base.files import text_of
from whorl.base.plain import write_as_file
from whorl.cli.tables import INDENT, show_rows, show_table, show_text
from whorl.config.case import Case, find_case, load_case, ready_cases
from whorl.config.explain import Option, describe, did_you_mean, sections
from whorl.config.explain import options as case_options
from whorl.config.section import Section, tag_key, tag_of
from whorl.diagnostics.options import KINDS
from whorl.equations.told import told
from whorl.models import MODELS, Model
from whorl.models.equations import Equations
from whorl.run.progress import stdout_console


def cases(
    name: Annotated[str | None, typer.Argument(help="A case to print, to save and edit.")] = None,
) -> None:
    """List the ready cases, or print one."""
    if name is not None:
        write_as_file(text_of(find_case(name)))
        return
    rows = []
    for known, path in ready_cases().items():
        points = load_case(path).grid.points
        size = f"{points[0]}³" if len(set(points)) == 1 else " × ".join(map(str, points))
        rows.append((known, size, path.read_text(encoding="utf-8").splitlines()[0].lstrip("# ")))
    show_rows(stdout_console(), rows, ("case", "points", "what it is"))


def list_runs(
    folder: Annotated[Path, typer.Argument(help="A folder with runs; the present one by default.")] = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print all facts as JSON.")] = False,
) -> None:
    """List the runs below a folder, the last changed first: how each stands, its place, case and size."""
    from whorl.report.listing import HEADING, runs_below

    found = runs_below(folder)
    if as_json:
        print(json.dumps([one.to_dict() for one in found], ensure_ascii=False, indent=1))
    elif found:
        table = Table(*HEADING, box=None, header_style="bold", pad_edge=False)
        for one in found:
            table.add_row(*map(escape, one.row()))
        show_table(stdout_console(), table)
    else:
        print(f"no run below {folder}")


def models(
    name: Annotated[str | None, typer.Argument(help="A model to show in full.")] = None,
    equations: Annotated[
        str | None, typer.Option("--equations", metavar="CASE", help="Show the plan of a case's equations.")
    ] = None,
) -> None:
    """List the equation sets with their parameters, or show one in full."""
    from whorl.cli.templates import facts, named_quantities, own_options

    console = stdout_console()
    if equations is not None:
        _show_equations(console, load_case(equations))
        return
    if name is not None:
        model = _find_model(name)
        show_text(console, f"{name}: {model.__doc__.strip()}")
        console.print()
        show_text(console, model.formulas, INDENT)
        console.print()
        show_rows(console, list(own_options(model)), ("option", "default", "meaning"))
        console.print()
        show_rows(console, list(named_quantities(name)), ("quantity", "expression", "meaning"))
        console.print()
        show_rows(console, list(facts(name).items()))
        console.print(f"\nwhorl new {name} > case.toml   writes a case to begin with", soft_wrap=True)
        return
    for known, model in MODELS.items():
        parameters = ", ".join(key for key in model.model_fields if key != "model")
        console.print(f"[bold]{known}[/]", soft_wrap=True)
        show_text(console, model.formulas, INDENT)
        show_text(console, f"Parameters: {parameters}.", INDENT)


def _show_equations(console: Console, case: Case) -> None:
    """The equations of a case as they are solved."""
    if not isinstance(case.flow, Equations):
        raise CaseError(
            f'flow.model = "{case.flow.model}" is wrong here: --equations shows equations that are typed, of '
            '"equations"; leave it out, and give the name of the model'
        )
    plan = case.flow.plan(case.grid)
    show_text(console, case.flow.formulas, INDENT)
    console.print()
    show_text(console, told(plan))


def new(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="An equation set; see whorl models.")],
) -> None:
    """Write a case of a model with every option, its default, unit and meaning (whorl new mhd > my.toml)."""
    from whorl.cli.templates import new_case

    write_as_file(new_case(_find_model(model)))


def _find_model(name: str) -> type[Model]:
    if name not in MODELS:
        near = did_you_mean(name, MODELS) or "."
        raise CaseError(f"{name} is no model{near} Models: {', '.join(MODELS)}.")
    return MODELS[name]


def options(
    section: Annotated[str | None, typer.Argument(help="Only this section of a case.")] = None,
) -> None:
    """List every option of a case file: type, default, range, unit and meaning."""
    known = list(sections(Case))
    if section is not None and section not in known:
        near = did_you_mean(section, known) or "."
        raise CaseError(f"[{section}] is no section of a case{near} The sections are {', '.join(known)}.")
    console = stdout_console()
    if section in ("forcing", "diagnostics", "probes", "particles"):
        _print_alternatives(console, section)
        return
    for o in case_options(Case):
        if section in (None, o.key.partition(".")[0]):
            _print_option(console, o)


def diagnostics(
    kind: Annotated[str | None, typer.Argument(help="A kind to show with its options.")] = None,
) -> None:
    """List the kinds of diagnostics, or show one with its options."""
    console = stdout_console()
    if kind is not None:
        if kind not in KINDS:
            near = did_you_mean(kind, KINDS) or "."
            raise CaseError(f"{kind} is no diagnostic{near} Kinds: {', '.join(KINDS)}.")
        _print_alternative(console, "diagnostics", KINDS[kind], ())
        console.print(f"\ndocs/diagnostics/{KINDS[kind].page or kind}.md has its definition", soft_wrap=True)
        return
    rows = [(name, " ".join((one.__doc__ or "").split())) for name, one in KINDS.items()]
    show_rows(console, rows, ("kind", "what it measures"))
    console.print()
    show_text(console, "whorl diagnostics KIND   its options, for a block [[diagnostics]] of a case")


def _print_option(console: Console, about: Option) -> None:
    show_text(console, f"{about.key}   {_what_it_takes(about)}".rstrip())
    show_text(console, about.help + (f" [{about.unit}]" if about.unit else ""), INDENT)


def _print_alternatives(console: Console, section: str) -> None:
    """The options that all alternatives of a section share, then each alternative with its own."""
    alternatives = [kind for kind in sections(Case)[section] if issubclass(kind, Section)]
    described = [
        [describe(f"{section}.{name}", field) for name, field in kind.model_fields.items()]
        for kind in alternatives
    ]
    shared = [about for about in described[0] if all(about in others for others in described)]
    for about in shared:
        _print_option(console, about)
    for kind in alternatives:
        console.print("")
        _print_alternative(console, section, kind, shared)


def _print_alternative(console: Console, section: str, kind: type[Section], shared: Sequence[Option]) -> None:
    tag = tag_key(kind)
    console.print(f'[bold]{section}.{tag} = "{tag_of(kind)}"[/]', soft_wrap=True)
    show_text(console, " ".join((kind.__doc__ or "").split()), INDENT)
    for name, field in kind.model_fields.items():
        about = describe(f"{section}.{name}", field)
        if about not in shared and name != tag:
            _print_option(console, about)


def _what_it_takes(about: Option) -> str:
    """Type, range and default; an option with one choice, such as a model's name, has no separate default."""
    if about.default in ("", "required"):
        default = about.default
    else:
        default = "" if about.default.strip('"') == about.kind else f"default {about.default}"
    return ", ".join(filter(None, (about.kind, about.range, default)))


def info() -> None:
    """Show versions, compiled-in libraries, cores, GPUs and ranks."""
    from whorl.base.parallel import world
    from whorl.machine.information import information

    facts = information(world())
    if world().rank == 0:
        show_rows(stdout_console(), [(name, str(fact)) for name, fact in facts.items()])
