"""The command itself: its subcommands and its exit codes."""

import re
import sys
from typing import Annotated, Any, NoReturn

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.markup import escape

from whorl.base.errors import BlowUp, CaseError, RunFault
from whorl.base.instruction_levels import LevelError
from whorl.base.plain import show_what_is_possible
from whorl.base.ranks import rank_launched
from whorl.base.text import one_paragraph, typed
from whorl.base.version import with_commit
from whorl.cli.analyse import analyse
from whorl.cli.averages import average
from whorl.cli.bench import bench
from whorl.cli.lists import cases, diagnostics, info, list_runs, models, new, options
from whorl.cli.options import help_without_command, paragraphs
from whorl.cli.plan import bench_machine, plan
from whorl.cli.runs import plot, report, restart, run
from whorl.cli.start import demo, doctor
from whorl.cli.sweep import sweep
from whorl.config.explain import did_you_mean, requirement

START = """\
Direct numerical simulation of turbulence.

[bold]whorl demo[/]                          half a minute of forced turbulence, averages and a picture
[bold]whorl doctor[/]                        whether this machine is ready: MPI, threads, memory, disk, GPU
[bold]whorl run taylor-green[/]              a ready case, output in ./taylor-green
[bold]whorl plot taylor-green[/]             a picture of it
[bold]whorl report taylor-green[/]           all of it in one HTML file, to hand on
[bold]whorl average taylor-green[/]          its averages over time, with errors
[bold]whorl list[/]                          the runs below this folder: how they stand, t, size
[bold]whorl cases taylor-green > my.toml[/]  a case of your own to edit
[bold]whorl models[/]                        the equation sets; whorl new MODEL > my.toml begins a case
[bold]whorl diagnostics[/]                   what a run can measure in addition to series and spectra
[bold]mpiexec -n 4 whorl run my.toml[/]      the same on four MPI ranks
[bold]whorl restart my --until 20[/]         continue, on any number of ranks
[bold]whorl plan my.toml[/]                  predict its cost here; -m frontier: on another machine
"""

app = typer.Typer(rich_markup_mode="rich", pretty_exceptions_enable=False)
for command in (
    *(run, restart, plot, report, average, analyse, sweep),
    *(cases, models, new, options, diagnostics, info, plan, demo, doctor),
):
    app.command(help=paragraphs(command))(command)
app.command("list", help=paragraphs(list_runs))(list_runs)
bench.command("machine", help=paragraphs(bench_machine))(bench_machine)
app.add_typer(bench, name="bench")


@app.callback(invoke_without_command=True, help=START)
def start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show version and commit, and exit.")] = False,
) -> None:
    if version:
        typer.echo(f"whorl {with_commit()}")
        raise typer.Exit()
    help_without_command(context)


# Typer contains click and exports only some of its exceptions; the others are reached by their base classes.
UsageError: Any = typer.BadParameter.__mro__[1]


def main() -> NoReturn:
    """Entry point: exit code 0, 2 for input that cannot be run, 3 for a blow-up, 1 for anything else.

    A run that its wall time stopped has 85.
    """
    show_what_is_possible()
    try:
        code = app(prog_name="whorl", standalone_mode=False)
    except UsageError as error:
        where = error.ctx.command_path if error.ctx else _command_typed()
        message = one_paragraph(_wrong_value(error) or _with_hint(error.format_message()))
        _leave(f"{message}{'' if message.endswith(('.', '?', ')')) else '.'} See {where} --help.", 2)
    except CaseError as error:  # a paragraph; an error in an expression shows the text below it
        _leave(str(error), error.exit_code)
    except (BlowUp, RunFault) as error:
        _leave(one_paragraph(str(error)), error.exit_code)
    except LevelError as error:
        _leave(str(error), 2)
    except OSError as error:
        _leave(one_paragraph(f"{error}."), 1)
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(130)
    except Exception as error:
        core = sys.modules.get("whorl._core")
        if core is None or not isinstance(error, core.Error):
            raise
        _leave(one_paragraph(str(error)), 2)
    sys.exit(code or 0)


def _wrong_value(error: Any) -> str:
    """A sentence on a value of an option that is not of its type or range; empty for another mistake."""
    if not isinstance(error.__cause__, ValidationError):
        return ""
    problem = error.__cause__.errors(include_url=False)[0]
    given = f"{max(error.param.opts, key=len)} = {typed(problem['input'])}"
    choices = str(problem.get("ctx", {}).get("error", "")).partition(" is not one of ")[2]
    if choices:
        words = re.findall("[^', .]+", choices)
        near = did_you_mean(str(problem["input"]), words)
        return f"{given}: it must be one of {', '.join(words)}{near}"
    return f"{given}: {requirement(problem)}"


def _with_hint(message: str) -> str:
    """The message, with a hint if a second setting follows one --set."""
    several = "unexpected extra argument" in message and "=" in message and "--set" in sys.argv
    return f"{message}; each setting needs a --set of its own." if several else message


def _command_typed() -> str:
    """The typed command, for the error of an option without its value, which does not name the command."""
    names = {command.name or command.callback.__name__ for command in app.registered_commands}
    return " ".join(["whorl", *(word for word in sys.argv[1:2] if word in names)])


def _show(text: str) -> None:
    Console(stderr=True, highlight=False).print(f"[bold red]whorl:[/] {escape(text)}", soft_wrap=True)


def _leave(message: str, code: int) -> NoReturn:
    try:
        from whorl.base.parallel import leave_together
    except (CaseError, LevelError) as reason:
        # MPI or the core does not start here, and processes know of each other by their launcher alone. The
        # processor may be another one on each node.
        rank = rank_launched()
        if rank == 0 or isinstance(reason, LevelError):
            _show(f"{message} (rank {rank})" if rank else message)
        sys.exit(code)
    leave_together(message, code, _show)
