"""How many steps a case takes and what it writes."""

import math
from dataclasses import dataclass

from mpi4py import MPI

from whorl import _core
from whorl.case import Case
from whorl.clock import Every
from whorl.core_options import core_options
from whorl.errors import CaseError
from whorl.initial import set_initial
from whorl.planner.machine import Machine
from whorl.tune import plain

COARSE = 32  # points along the longest axis of the grid on which an initial field's first step is measured
FROM_ELSEWHERE = {"from-file"}


@dataclass(frozen=True)
class Length:
    """Steps to the end, the mean step, and how it is known."""

    steps: int
    dt: float | None
    known_by: str


def length_of(case: Case, dt: float | None = None) -> Length:
    """Steps to the end of a case: by time.dt, time.steps, the step given, or that of the initial field.

    Raises CaseError when time.courant sets the step and nothing tells how large it is.
    """
    time = case.time
    if time.until is None:
        return Length(time.steps, time.dt or dt, "time.steps")
    step, known_by = _step(case, dt)
    steps = max(1, math.ceil(time.until / step * (1 - 1e-9)))
    if time.steps is not None and time.steps < steps:
        return Length(time.steps, step, "time.steps")
    return Length(steps, step, known_by)


def _step(case: Case, dt: float | None) -> tuple[float, str]:
    if dt is not None:
        return dt, "--dt"
    if case.time.dt is not None:
        return case.time.dt, "time.dt"
    if case.initial is None or case.initial.name in FROM_ELSEWHERE:
        origin = "no initial field" if case.initial is None else f'initial.name = "{case.initial.name}"'
        raise CaseError(
            f"time.courant = {case.time.courant:g} sets the step and {origin} does not tell how large it is; "
            "give the mean step you expect with --dt."
        )
    return first_step(case), "time.courant and the initial field"


def first_step(case: Case) -> float:
    """The first step of a case by its Courant number, from its initial field on a coarse grid.

    The step is proportional to the spacing as far as advection limits it. Raises CaseError at rest.
    """
    points = case.grid.points
    factor = max(1.0, max(points) / COARSE)
    coarse = [1 if n == 1 else _core.next_good_size(max(4, math.ceil(n / factor))) for n in points]
    small = case.updated(
        [f"grid.points={coarse}", "run.process_grid=[0, 0]", "run.batches=0", "run.transport=alltoall"]
    )
    flow = _core.Flow(core_options(small, 1), MPI.COMM_SELF.py2f())
    set_initial(flow, small, None, MPI.COMM_SELF)
    report = flow.step(0.0, courant=small.time.courant)
    step = report.dt * min(c / n for c, n in zip(coarse, points, strict=True))
    if not 0 < step < math.inf:
        raise CaseError(
            f"time.courant = {case.time.courant:g} sets no step while the initial field is at rest; give the "
            "mean step you expect with --dt."
        )
    return min(step, case.time.dt_max or math.inf)


@dataclass(frozen=True)
class Output:
    """What a run writes: files and bytes, and the seconds that takes."""

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
) -> Output:
    """Snapshots (points × components), checkpoints (`modes` a field, two of three components of a vector)."""
    shape = _core.model_shape(core_options(plain(case), 1))
    points = math.prod(case.grid.points)
    components = sum(shape["outputs"][name] for name in _known(case, shape["outputs"]))
    stored = sum(2 if count == 3 else count for count in shape["fields"].values())
    snapshot = points * components * (4 if case.output.snapshot_precision == "single" else 8)
    checkpoint = modes * stored * (8 if case.run.precision == "single" else 16)
    snapshots = _times(case.output.snapshot_every, length, run_seconds, ends=2)
    checkpoints = _times(case.output.checkpoint_every, length, run_seconds, ends=1)
    speed = 1e9 * min(machine.files.bandwidth, nodes * machine.files.bandwidth_node)
    written = snapshots * snapshot + checkpoints * checkpoint
    return Output(snapshots, checkpoints, snapshot, checkpoint, written / speed)


def _known(case: Case, outputs: dict[str, int]) -> list[str]:
    """The fields of a snapshot by the core's names: passive scalars are numbered there."""
    scalars = {scalar.name: f"scalar{i}" for i, scalar in enumerate(case.scalars)}
    return [scalars.get(name, name) for name in case.output.fields]


def _times(interval: float | str, length: Length, run_seconds: float, ends: int) -> int:
    """How often something is written, `ends` times at the start and the end besides; never if never."""
    every = Every.parse(interval)
    if every.unit == "never":
        return 0 if ends == 2 else ends
    if every.unit == "steps":
        return ends + max(0, math.ceil(length.steps / every.amount) - 1)
    if every.unit == "minutes":
        return ends + int(run_seconds / (60 * every.amount))
    if length.dt is None:
        raise CaseError(
            f"an interval of {every.amount:g} of time cannot be counted in time.steps = {length.steps} "
            "without time.dt; give the mean step you expect with --dt."
        )
    return ends + max(0, math.ceil(length.steps * length.dt / every.amount * (1 - 1e-9)) - 1)
