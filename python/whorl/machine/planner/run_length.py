"""The number of steps of a case, and its output."""

import math
from dataclasses import dataclass
from typing import Any, TypeVar

from whorl import _core
from whorl.base.errors import CaseError
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.config.clock import FIRST_SECONDS, FIRST_STEPS, LANDING, NEAR, Every
from whorl.config.explain import show
from whorl.config.sizes import next_good_size
from whorl.config.turnovers import in_turnovers
from whorl.config.wavenumbers import smallest_wavenumber
from whorl.expressions.case import snapshot_components
from whorl.forcing.options import Expected, expectation
from whorl.initial.fields import set_initial
from whorl.initial.options import InitialField, Random
from whorl.machine.planner.machine import Machine
from whorl.machine.planner.whorl_load import planned_options
from whorl.models.mhd import Mhd
from whorl.run.core_options import core_options

COARSE = 40  # points along the longest axis of the coarse grid on which the first step is measured
MOST = 128**3  # points of a coarse grid, if the field needs more, so that planning takes seconds
FROM_ELSEWHERE = {"from-file"}
PLANNED = ("time.until", "output.snapshot_every", "output.checkpoint_every")
# The largest |u| + |v| + |w| over u' in stationary turbulence: 6.8 to 9 for R_λ of 38 to 120.
SUM_OF_SPEEDS = 8.0
MOST_STEPS = 10**12  # days even at a microsecond a step


Count = TypeVar("Count", int, float)


@dataclass(frozen=True)
class Length:
    """The number of steps to the end, the mean step, and the options or field that determine them.

    `turnover` is the time of a turnover, if the plan depends on it.
    """

    steps: int
    dt: float | None
    known_by: str
    turnover: float | None = None


@dataclass(frozen=True)
class Sought:
    """A number that the initial field should determine: the option that needs it, its name, the remedy."""

    why: str
    what: str
    remedy: str

    def untold(self, reason: str) -> CaseError:
        return CaseError(f"{self.why}{reason} {self.what}; {self.remedy}.")


def _step_by_courant(case: Case) -> Sought:
    why = f"time.courant = {case.time.courant:g} sets the step"
    return Sought(why, "its length", "give the mean step you expect with --dt")


def _turnover_for(name: str, value: str) -> Sought:
    why = f'{name} = "{value}" is in turnovers'
    return Sought(why, "the length of one", f"plan with a number there (--set {name}=T)")


def length_of(case: Case, dt: float | None = None) -> Length:
    """Steps to the end of a case, by time.dt, time.steps, the given step, or the step of the initial field.

    The given step takes precedence over time.dt. Raises CaseError if time.courant sets the step and it cannot
    be determined, and for more than MOST_STEPS.
    """
    time, turnover = case.time, turnover_of(case)
    if dt is not None and not 0 < dt < math.inf:
        raise CaseError(f"--dt {dt:g}: the mean time step must be above zero and finite.")
    if time.until is None and time.steps is None:
        by_errors = f"time.until_error = {show(time.until_error)} ends the run when means are this accurate"
        by_condition = f"time.stop_when = {show(time.stop_when)} ends the run when it holds"
        raise CaseError(
            f"{by_errors if time.until_error else by_condition}, so the number of steps is unknown; plan "
            "with another limit, too (--set time.until=T, time.steps=N)."
        )
    if time.until is None:
        return Length(_counted(time.steps, "time.steps"), dt or time.dt, "time.steps", turnover)
    step, known_by = _step(case, dt)
    steps = (time.end.time or time.end.turnovers * turnover) / step
    if time.steps is not None and time.steps < steps - LANDING:
        return Length(_counted(time.steps, "time.steps"), step, "time.steps", turnover)
    counted = _counted(steps, f"{known_by} = {step:g}")
    return Length(max(1, math.ceil(counted - LANDING)), step, known_by, turnover)


def _counted(steps: Count, by: str) -> Count:
    if steps > MOST_STEPS:
        raise CaseError(
            f"{by} asks for {steps:.3g} time steps, more than any run takes; plan {MOST_STEPS:.0e} at most."
        )
    return steps


def _step(case: Case, dt: float | None) -> tuple[float, str]:
    if dt is not None:
        return dt, "--dt"
    if case.time.dt is not None:
        return case.time.dt, "time.dt"
    if flow := expectation(case):
        return step_in(flow, case), "time.courant and the flow that the force should keep up"
    _check_initial(case, _step_by_courant(case))
    return first_step(case), "time.courant and the initial field"


def step_in(flow: Expected, case: Case) -> float:
    """The step by the Courant number in stationary turbulence."""
    spacing = min(length / n for length, n in zip(case.grid.lengths, case.grid.points, strict=True))
    step = case.time.courant * spacing / (SUM_OF_SPEEDS * flow.rms_velocity)
    return min(step, case.time.dt_max or math.inf)


def _check_initial(case: Case, sought: Sought) -> None:
    elsewhere = [field.name for field in _initial_fields(case) if field.name in FROM_ELSEWHERE]
    if elsewhere:
        raise sought.untold(f', and an initial field "{elsewhere[0]}" does not determine')
    if case.initial is None:
        raise sought.untold(", and no initial field determines")


def turnover_of(case: Case) -> float | None:
    """The time L/u' of a turnover, None if nothing planned needs it.

    It belongs to the flow that a designed force should keep up, else to the initial field on a coarse grid.
    Raises CaseError at rest, and if the initial field or a coarse grid is not sufficient.
    """
    asked = {name: value for name, value in in_turnovers(case).items() if name in PLANNED}
    if not asked:
        return None
    if flow := expectation(case):
        return flow.turnover_time
    sought = _turnover_for(*next(iter(asked.items())))
    _check_initial(case, sought)
    rate = case.flow.turnover_rate(_flow(_coarse(case, sought), case, sought).sums_over_modes())
    if not 0 < rate < math.inf:
        raise sought.untold(", and an initial field at rest does not determine")
    return 1 / rate


def first_step(case: Case) -> float:
    """The first step of a case by its Courant number, from its initial field on a coarse grid.

    Advection is faster on the case's grid, by the ratio of the spacings. Waves are as fast as at rest: large
    ones in the same box, small ones in a box smaller by that ratio, where the coarse grid has the wavenumbers
    of the case. Raises CaseError at rest, and if a coarse grid is not sufficient.
    """
    if isinstance(case.flow, Mhd) and case.flow.hall > 0:
        raise CaseError(
            f"with flow.hall = {case.flow.hall:g} whistler waves limit the step, which a coarse grid cannot "
            "predict; give the mean step you expect with --dt."
        )
    sought = _step_by_courant(case)
    small = _coarse(case, sought)
    ratios = [c / n for c, n in zip(small.grid.points, case.grid.points, strict=True)]
    lengths = [ratio * length for ratio, length in zip(ratios, case.grid.lengths, strict=True)]
    at_rest, in_small_box = _flow(small), _flow(small.updated([f"grid.lengths={lengths}"]))
    waves, finest = _rate(at_rest), _rate(in_small_box)
    rate = (_rate(_flow(small, case, sought)) - waves) / min(ratios) + max(waves, finest)
    if not 0 < rate < math.inf:
        raise CaseError(
            f"time.courant = {case.time.courant:g} sets no step while the initial field is at rest; give the "
            "mean step you expect with --dt."
        )
    return min(case.time.courant / rate, case.time.dt_max or math.inf)


def _coarse(case: Case, sought: Sought) -> Case:
    """The case on COARSE points along its longest axis, or on enough points for its random fields."""
    points = case.grid.points
    shells = max((_shells(field) for field in _initial_fields(case)), default=0)
    # Every truncation keeps |n| < N/4, in multiples of the smallest wavenumber of the axis.
    axes = zip(points, case.grid.lengths, reversed(case.grid.bases), strict=True)
    room = min(n / length * (0.5 if basis == "S" else 1) for n, length, basis in axes if n > 1)
    needed = 4 * shells * smallest_wavenumber(case.grid) / (2 * math.pi)
    factor = max(1.0, min(max(points) / COARSE, room / needed if needed else math.inf))
    coarse = [1 if n == 1 else next_good_size(math.ceil(n / factor)) for n in points]
    if math.prod(coarse) > MOST:
        size = " × ".join(map(str, coarse))
        raise sought.untold(f", and a random field of {shells:g} shells needs {size} points to determine")
    open_here = ["run.process_grid=[0, 0]", "run.batches=0", "run.transport=alltoall", "run.device=cpu"]
    return case.updated([f"grid.points={coarse}", *open_here], forcing=[])


def _initial_fields(case: Case) -> list[Any]:
    return [case.initial, *case.initial.others.values()] if case.initial else []


def _shells(field: InitialField) -> float:
    """Number of shells with nearly all energy of a random field: only 1/10^4 lies beyond twice the peak."""
    if not isinstance(field, Random):
        return 0
    return len(field.spectrum) - 1 if field.spectrum is not None else 2 * field.k0


def _flow(small: Case, of: Case | None = None, sought: Sought | None = None) -> _core.Flow:
    """A flow on the grid of `small` with the initial field of `of`, from which the sought number follows.

    Without `of` the flow is at rest.
    """
    flow = _core.Flow(core_options(small, 1), MPI.COMM_SELF.py2f())
    if of is not None:
        try:
            set_initial(flow, small, None, MPI.COMM_SELF)
        except CaseError as error:
            if small.grid.points == of.grid.points:
                raise
            points, reason = " × ".join(map(str, small.grid.points)), str(error).rstrip(".")
            raise CaseError(
                f"{sought.why}, and on the {points} points that should determine {sought.what}, {reason}; "
                f"{sought.remedy}."
            ) from None
    return flow


def _rate(flow: _core.Flow) -> float:
    """Courant number over step."""
    return 1 / flow.step(0.0, courant=1.0).dt


@dataclass(frozen=True)
class OutputCost:
    """The output of a run: files, bytes and the seconds to write them."""

    snapshots: int
    checkpoints: int
    snapshot_bytes: float
    checkpoint_bytes: float
    seconds: float

    @property
    def bytes(self) -> float:
        return self.snapshots * self.snapshot_bytes + self.checkpoints * self.checkpoint_bytes


def output_of(
    case: Case, machine: Machine, nodes: int, length: Length, run_seconds: float, modes: float
) -> OutputCost:
    """Snapshots (points × components), checkpoints (`modes` a field, two of three components of a vector)."""
    shape = _core.model_shape(planned_options(case))
    points = math.prod(case.grid.points)
    components = snapshot_components(case)
    stored = sum(2 if count == 3 else count for count in shape["fields"].values())
    snapshot = points * components * (4 if case.output.snapshot_precision == "single" else 8)
    single = "single" in (case.run.precision, case.output.checkpoint_precision)
    checkpoint = modes * stored * (8 if single else 16)
    snapshots = _times(case.output.snapshot_every, length, run_seconds, ends=2)
    checkpoints = _times(case.output.checkpoint_every, length, run_seconds, ends=1)
    speed = 1e9 * min(machine.files.bandwidth, nodes * machine.files.bandwidth_node)
    written = snapshots * snapshot + checkpoints * checkpoint
    return OutputCost(snapshots, checkpoints, snapshot, checkpoint, written / speed)


def _times(interval: float | str, length: Length, run_seconds: float, ends: int) -> int:
    """The number of files of a kind: those due before the last step, and `ends` at start and end.

    The recorder, too, writes a file after each step that completes an interval and after the last step.
    """
    every, between = Every.parse(interval), length.steps - 1
    if every.unit == "never":
        return 0
    if every.unit == "steps":
        return ends + between // int(every.amount)
    if every.unit == "minutes":
        # The stopwatch restarts when it is read after it has rung, at the end of a step.
        after, first = (
            math.ceil(min(seconds * length.steps / run_seconds, MOST_STEPS)) if run_seconds else MOST_STEPS
            for seconds in (60 * every.amount, FIRST_SECONDS)
        )
        first = min(first, FIRST_STEPS)
        return ends + between // after + (first < after and first <= between)
    if length.dt is None:
        of = "of time" if every.unit == "time" else "turnovers"
        raise CaseError(
            f"an interval of {every.amount:g} {of} cannot be counted in time.steps = {length.steps} "
            "without time.dt; give the mean step you expect with --dt."
        )
    time = every.amount * (length.turnover if every.unit == "turnovers" else 1.0)
    return ends + min(between, math.floor(between * length.dt / time * (1 + NEAR)))
