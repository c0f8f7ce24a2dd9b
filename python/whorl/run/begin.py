"""The beginning of a run: builds the core from a case, and opens the log."""

import time
from collections.abc import Sequence
from typing import Any

from whorl import _core
from whorl.base.endings import abort_on_exception
from whorl.base.errors import CaseError
from whorl.base.files import write_text
from whorl.base.parallel import in_directory
from whorl.base.ranks import MPI
from whorl.base.version import __version__
from whorl.config.case import Case
from whorl.config.clock import Clock
from whorl.forcing.options import Script, Steady
from whorl.forcing.shapes import begin_forces, make_flow, set_forces, with_script
from whorl.initial import fields as initials
from whorl.output.checkpoint import OPEN, Timed
from whorl.output.directory import RunDirectory
from whorl.output.plans import expression_plans
from whorl.output.recorder import Recorder
from whorl.particles.particles import Particles
from whorl.run import provenance, tune
from whorl.run.checks import at_rest, warnings
from whorl.run.compiled_rows import compile_rows
from whorl.run.core_options import describe
from whorl.run.current import CurrentRun
from whorl.run.hold import Hold
from whorl.run.memory.checks import no_room_for_copy
from whorl.run.placing import Placing
from whorl.run.progress import run_log
from whorl.run.turnovers import count_of_case


def begin(case: Case, initial: Any, forcing: Any, comm: MPI.Intracomm, overwrite: bool) -> CurrentRun:
    """A new run. Collective. Raises CaseError, and then writes nothing."""
    directory = RunDirectory(case.output.directory) if case.output.directory else None
    if directory:
        in_directory(comm, lambda: directory.check_free(overwrite))
    case = with_script(case, forcing)
    run = set_up(case, comm, directory, Clock(), forcing=forcing)
    flow = run.flow
    remarks = initials.set_initial(flow, case, initial, comm)
    begin_forces(flow, 0.0)
    Placing(run).release()
    follows = case.time.courant is not None and case.time.dt_max is None
    shaped = any(isinstance(force, Steady | Script) for force in case.forcing)
    pushed = shaped or flow.speed_of_sources(1.0) > 0
    if follows and not pushed and case.flow.at_rest(flow.statistics()):
        raise CaseError(at_rest(case))
    if directory:
        run.hold.take(lambda: directory.create(case, overwrite))
    with run.hold.released_on_error():
        open_log(run, "run", remarks)
    return run


def set_up(
    case: Case,
    comm: MPI.Intracomm,
    directory: RunDirectory | None,
    clock: Clock,
    *,
    hold: Hold | None = None,
    measured_grid: tuple[int, int] | None = None,
    timed: Timed = OPEN,
    forcing: Any = None,
    forced: bool = True,
) -> CurrentRun:
    """A run whose flow has no state yet. Collective. Raises CaseError."""
    started = time.time()
    abort_on_exception()
    if case.forces_not_there:  # the case of an opened state, whose forces are given here
        case = case.without_forces(())
    count_of_case(case, clock)
    rows = compile_rows(case, comm)
    options, trials = tune.checked_options(case, comm, timed, measured_grid)
    flow = make_flow(options, comm)
    of_forces = set_forces(flow, case, comm, forcing) if forced else []
    tracers: dict[str, Particles] = {}
    recorder = Recorder(case, flow, clock, directory, comm, tracers)
    remarks = [*of_forces, *_copies(recorder)]
    hold = hold or Hold(directory, comm)
    return CurrentRun(
        case, comm, directory, clock, flow, trials, recorder, tracers, hold, remarks, rows, started=started
    )


def _copies(recorder: Recorder) -> list[str]:
    """Let checkpoints be written from copies of the state if the case asks for it and they fit."""
    case = recorder.case
    if recorder.directory is None or not case.output.checkpoint_in_background:
        return []
    remark = no_room_for_copy(recorder.flow, case, recorder.comm)
    recorder.checkpoints.in_background = not remark
    return [remark] if remark else []


def open_log(run: CurrentRun, event: str, remarks: Sequence[str] = ()) -> None:
    """Log the case, its ranks, device and machine, and warnings of these."""
    directory, flow, notices = run.directory if run.comm.rank == 0 else None, run.flow, run.notices
    log = notices.log = run_log(directory.log if directory else None)
    log.info(f"{event}: whorl {__version__}, {describe(run.case, flow)}")
    log.info(f"instruction level {_core.build_info()['level']}, lines {flow.options.lines}")
    if run.rows:
        log.info(run.rows)
    if planes := provenance.planes_tried(flow):
        log.info(planes)
    if directory:
        log.info(provenance.on_machine())
        log.info(provenance.memory_counted(flow))
    for what, plan in expression_plans(run.case).items():
        log.info(f"{what}: {plan}")
    if run.trials and directory:
        write_text(directory.exchange, tune.to_toml(run.trials))
        log.info(f"fastest exchange of {len(run.trials)}: see {directory.exchange.name}")
    notices.begin_with([*run.remarks, *remarks, *warnings(run.case, run.comm.size, flow.threads)])
