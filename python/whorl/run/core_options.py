"""A case as the core takes it."""

from whorl import _core
from whorl.config.case import Case


def core_options(case: Case, threads: int, known_lines: str = "") -> _core.Options:
    """What the core needs of a case; with these lines in place of its own, if they are given."""
    return _core.Options(
        model=case.flow.model,
        parameters=case.flow.parameters(),
        linear=getattr(case.flow, "linear", "explicit"),
        scalars=[scalar.of_core(case.flow.viscosity_of_schmidt()) for scalar in case.scalars],
        points=case.grid.points,
        lengths=case.grid.lengths,
        bases=case.grid.bases,
        dealias=case.grid.dealias,
        shape=case.grid.shape,
        shift_seed=case.grid.shift_seed,
        scheme=case.time.scheme,
        device=case.run.device,
        precision=case.run.precision,
        process_grid=case.run.process_grid,
        batches=case.run.batches,
        threads=threads,
        transport=case.run.transport,
        gpu_aware=case.run.gpu_aware,
        wire=case.run.wire,
        threading=case.run.threading,
        variables_per_message=case.run.variables_per_message,
        exchange_timeout=case.run.exchange_timeout,
        lines=known_lines or case.run.lines,
    )


def describe(case: Case, flow: _core.Flow) -> str:
    """One line on what runs and how."""
    rows, columns = flow.process_grid
    grid = f"{rows} × {columns}, {flow.options.transport}"
    ranks = "1 rank" if flow.ranks == 1 else f"{flow.ranks} ranks ({grid})"
    threads = f"{flow.threads} thread{'s' if flow.threads > 1 else ''}"
    device = f" on {case.run.device}" if case.run.device != "cpu" else ""
    planes = flow.options.planes  # 0: as many as it likes
    short = (
        f" (its memory has room for {planes} plane{'s' if planes > 1 else ''} at a time)" if planes else ""
    )
    return f"{what(case)}, {case.time.scheme}, {ranks} × {threads}{device}{short}"


def what(case: Case) -> str:
    """One line on what is solved, however it is run."""
    size = " × ".join(map(str, case.grid.points))
    kept = f"{case.grid.dealias} sphere" if case.grid.shape == "sphere" else case.grid.dealias
    bases = "" if case.grid.bases == "FFF" else f", {case.grid.bases}"
    scalars = f" + {len(case.scalars)} scalar{'s' if len(case.scalars) > 1 else ''}" if case.scalars else ""
    rounds = case.run.wire == "single" and case.run.precision == "double"
    precision = f"{case.run.precision}{' (single on the wire)' if rounds else ''}"
    return f"{case.flow.model}{scalars} {size}{bases}, {precision}, {kept}"
