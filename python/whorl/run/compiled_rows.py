"""Compiled rows of typed equations: rank 0 makes them, all ranks load them, a process keeps them."""

import math
from collections.abc import Callable
from typing import TypeVar

from whorl import _core
from whorl.base.parallel import on_root
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.equations.c_source import Source, source_of
from whorl.equations.complete import completed
from whorl.equations.gpu_code import linked
from whorl.equations.plan import EquationPlan
from whorl.equations.row_code import Library, NoCode, compiled, loaded
from whorl.models.equations import Equations
from whorl.output.recorder import rows_of

Result = TypeVar("Result")
MANY = 64**3  # points from which on "auto" compiles: a second of a compiler is few steps there
DEVICES = ("cpu", "cpu-as-gpu", "cuda")
Key = tuple[EquationPlan, bool, bool]  # plan, double precision, for a GPU
KNOWN: dict[Key, dict[str, int]] = {}  # addresses


def compile_rows(case: Case, comm: MPI.Intracomm) -> str:
    """Compile the rows of a case whose equations are typed, and return a line about it. Collective.

    If this fails on a rank, all ranks read the tables, which gives the same but for rounding.
    """
    if not isinstance(case.flow, Equations) or not _is_asked(case):
        return ""
    if (key := _key(case)) in KNOWN:
        return "rows of equations: compiled before"
    source = source_of(completed(key[0]), double=key[1])
    make, load = (_of_gpu if case.run.device == "cuda" else _of_processor)(source, key[1])
    made = on_root(comm, lambda: _or_reason(make))
    if isinstance(made, Library):
        library = made
        own = _or_reason(lambda: load(library))
        made = next((one for one in comm.allgather(own if isinstance(own, str) else "") if one), "")
        if not made and isinstance(own, dict):
            KNOWN[key] = own
            return f"rows of equations: compiled by {library.compiler} in {library.seconds:.2g} s"
    return f"rows of equations: tables are read, since {made}"


Steps = tuple[Callable[[], Library], Callable[[Library], dict[str, int]]]  # on rank 0; on every rank


def _of_processor(source: Source, double: bool) -> Steps:
    level = _core.build_info()["level"]
    return lambda: compiled(source, level), lambda library: loaded(library, source)


def _of_gpu(source: Source, double: bool) -> Steps:
    def make() -> Library:
        architecture = max((one["architecture"] for one in _core.gpus()), default=0)
        if not architecture:
            raise NoCode("no GPU was found")
        return linked(source, _core.kernels_to_link("double" if double else "single"), architecture)

    def load(library: Library) -> dict[str, int]:
        try:
            return {"kernels": _core.load_kernels(library.made)}
        except _core.Error as error:
            raise NoCode(f"a GPU does not load the kernels: {error}") from None

    return make, load


def code_of(case: Case) -> _core.RowCode:
    """The functions of a case that were compiled before, or none."""
    code = KNOWN.get(_key(case), {}) if _is_asked(case) else {}
    return _core.RowCode(of_double=case.run.precision == "double", **code)


def other_rows(before: str, flow: _core.Flow) -> list[str]:
    """A warning if the run so far had compiled rows and this one has none, or the other way round."""
    own = rows_of(flow)
    if before in ("", own):
        return []
    setting = "always" if before == "compiled" else "never"
    return [
        f"the run so far worked out its equations by {before} rows, and goes on by {own}, which round "
        f'otherwise; run.compile = "{setting}" repeats the bits of an uninterrupted one.'
    ]


def _key(case: Case) -> Key:
    assert isinstance(case.flow, Equations)
    return case.flow.plan(case.grid), case.run.precision == "double", case.run.device == "cuda"


def _is_asked(case: Case) -> bool:
    many = math.prod(case.grid.points) >= MANY
    return case.run.device in DEVICES and (
        case.run.compile == "always" or (case.run.compile == "auto" and many)
    )


def _or_reason(work: Callable[[], Result]) -> Result | str:
    """The result of work, or the reason of a failure."""
    try:
        return work()
    except NoCode as error:
        return str(error)
