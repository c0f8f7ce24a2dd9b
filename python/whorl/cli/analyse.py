"""`whorl analyse`: diagnostics of the checkpoints or snapshots of a run."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from whorl.base.errors import CaseError
from whorl.base.text import typed
from whorl.cli.options import StateArgument
from whorl.cli.tables import show_table
from whorl.config.explain import did_you_mean
from whorl.output.directory import RunDirectory
from whorl.output.states import named_state
from whorl.run.progress import stdout_console

FILE = "analysis.h5"
# Kinds of diagnostics that have an option of their name.
OF_KINDS = (
    *("pdf", "moments", "profile", "spectrum", "transfer", "shell-to-shell", "ring-to-ring"),
    "structure-functions",
)
MOMENTS = {3.0: "skewness", 4.0: "flatness"}  # printed moments by their order; the file has all orders


def _of_kind(kind: str, metavar: str, about: str) -> Any:
    """A repeatable option for the `of` of a kind of diagnostic."""
    return Annotated[list[str] | None, typer.Option(f"--{kind}", metavar=metavar, help=about)]


Densities = _of_kind("pdf", "EXPRESSION", "Probability densities of it.")
MomentsOf = _of_kind("moments", "EXPRESSION", "Moments of it.")
ProfilesOf = _of_kind("profile", "EXPRESSION", "Its profiles along z.")
SpectraOf = _of_kind("spectrum", "EXPRESSION", "Its spectrum by shell.")
TransfersOf = _of_kind("transfer", "BALANCE", "Contribution of each term by shell: --transfer energy.")
ShellsOf = _of_kind("shell-to-shell", "EXCHANGE", 'Its transfers between shells: --shell-to-shell "u to u".')
RingsOf = _of_kind("ring-to-ring", "EXCHANGE", "Its transfers between rings, by the angle from z.")
IncrementsOf = _of_kind("structure-functions", "EXPRESSION", "Moments of its increments.")


def analyse(
    directory: StateArgument,
    diagnostic: Annotated[
        list[str] | None,
        typer.Option(
            "--diagnostic", "-d", metavar="NAME", help="A diagnostic of the run's case; all by default."
        ),
    ] = None,
    pdf: Densities = None,  # type: ignore[valid-type]
    moments: MomentsOf = None,  # type: ignore[valid-type]
    profile: ProfilesOf = None,  # type: ignore[valid-type]
    spectrum: SpectraOf = None,  # type: ignore[valid-type]
    transfer: TransfersOf = None,  # type: ignore[valid-type]
    shell_to_shell: ShellsOf = None,  # type: ignore[valid-type]
    ring_to_ring: RingsOf = None,  # type: ignore[valid-type]
    structure_functions: IncrementsOf = None,  # type: ignore[valid-type]
    checkpoint: Annotated[
        int | None, typer.Option("--checkpoint", metavar="STEP", help="The one of this step, not the newest.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All checkpoints of the run.")] = False,
    snapshot: Annotated[
        int | None, typer.Option("--snapshot", metavar="STEP", help="The snapshot of this step.")
    ] = None,
    snapshots: Annotated[bool, typer.Option("--snapshots", help="All snapshots of the run.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help=f"File for the results; DIR/{FILE} by default.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", "-s", metavar="KEY=VALUE", help="Change run.*: --set run.device=cuda."),
    ] = None,
) -> None:
    """Measure diagnostics of the checkpoints or snapshots of a run, also under mpiexec.

    It writes the results to a file like diagnostics.h5, and prints numbers.
    """
    from whorl.base.endings import abort_on_exception
    from whorl.base.parallel import on_root, world
    from whorl.run.analysis import analyse as measure

    abort_on_exception()
    states = _states(checkpoint, every, snapshot, snapshots)
    place = RunDirectory(on_root(world(), lambda: named_state(directory).directory))
    texts_of = (pdf, moments, profile, spectrum, transfer, shell_to_shell, ring_to_ring, structure_functions)
    given = zip(OF_KINDS, texts_of, strict=True)
    wanted = [{"kind": kind, "of": list(texts)} for kind, texts in given if texts]
    wanted += on_root(world(), lambda: [_of_case(place, name) for name in diagnostic or []])
    path = output or place.path / FILE
    found = measure(directory, wanted, **states, output=path, settings=settings or [])
    if world().rank == 0:
        _show(found, path)


def _states(checkpoint: int | None, every: bool, snapshot: int | None, snapshots: bool) -> dict[str, Any]:
    """The states chosen by an option, as arguments of `whorl.analyse`. Raises CaseError for two options."""
    of = {"--all": every, "--checkpoint": checkpoint, "--snapshot": snapshot, "--snapshots": snapshots}
    given = [name for name, value in of.items() if value not in (None, False)]
    if len(given) > 1:
        raise CaseError(f"{' and '.join(given)} exclude each other; give one.")
    steps = next(([step] for step in (checkpoint, snapshot) if step is not None), None)
    return {"steps": "all" if every or snapshots else steps, "snapshots": snapshots or snapshot is not None}


def _of_case(place: RunDirectory, name: str) -> dict[str, Any]:
    """The diagnostic of this name in the run's case."""
    own = {one.label: one for one in place.read_case().diagnostics}
    if name in own:
        return own[name].model_dump(exclude_none=True)
    known = f"it has {', '.join(own)}{did_you_mean(name, own) or '.'}" if own else "it has none."
    other = "Options such as --pdf EXPRESSION measure others."
    if name in OF_KINDS:
        other = f"--{name} EXPRESSION measures one."
    raise CaseError(f"the case of {typed(place.path)} has no diagnostic {name}: {known} {other}")


def _show(found: dict[str, Any], path: Path) -> None:
    """Print numbers of the last state: arrays over the quantity alone, and MOMENTS."""
    console = stdout_console()
    for name, data in found.items():
        last = data.isel(time=-1)
        numbers = {key: one for key, one in last.data_vars.items() if one.dims == ("quantity",)}
        if "moment" in last:
            orders = [float(order) for order in last["order"]]
            numbers |= {MOMENTS[n]: last["moment"].sel(order=n) for n in orders if n in MOMENTS}
        if not numbers:
            continue
        table = Table(name, *numbers, box=None, header_style="bold", pad_edge=False)
        for n, text in enumerate(last["quantity"].values):
            table.add_row(escape(str(text)), *(f"{float(one[n]):.6g}" for one in numbers.values()))
        show_table(console, table)
        console.print()
    groups = ", ".join(found)
    console.print(
        escape(f"{path}: {groups}; xarray.open_dataset({str(path)!r}, group={next(iter(found))!r})")
    )
