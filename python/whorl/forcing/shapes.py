"""Gives the core the forces of given shape: by name, by formulas, from files, or from a script."""

import inspect
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from whorl import _core
from whorl.base.errors import CaseError
from whorl.base.parallel import agreed, on_root
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.config.explain import show
from whorl.config.measures import all_fields
from whorl.expressions.formulas import ForcePart
from whorl.expressions.nodes import worked_out
from whorl.forcing.options import Forcing, FormulaInTime, Script, Steady
from whorl.initial.checks import FieldTarget, Fill
from whorl.initial.fields import FIELDS, set_at_points, set_from_array, set_from_function
from whorl.initial.files import is_checkpoint
from whorl.initial.options import FromFile
from whorl.run import modes

# How a script's function is called, by its number of arguments.
MODES, SPACE, SPACE_AND_TIME = 2, 3, 4


@dataclass(frozen=True)
class ForceTarget(FieldTarget):
    """The force on a field, as a field to set: `number` among the core's sources, times `amplitude`."""

    number: int = 0
    amplitude: float = 1.0
    label: str = ""
    part: str = ""  # words before its name

    def give(self, fill: Fill) -> None:
        """Hands the values to the core. Collective."""

        def scaled(z0: int, z1: int, y0: int, y1: int, out: np.ndarray) -> None:
            fill(z0, z1, y0, y1, out)
            out *= self.amplitude

        self.flow.set_force(self.number, scaled)

    def kept(self, fill: Fill) -> float:
        """The root mean square of the part of a force that the core keeps. Collective.

        It is measured in the state, which has no values yet.
        """
        return self._in_the_state(fill, project=True)

    def kept_undivided(self, fill: Fill) -> float:
        return self._in_the_state(fill, project=False)

    def _in_the_state(self, fill: Fill, *, project: bool) -> float:
        def zero(z0: int, z1: int, y0: int, y1: int, out: np.ndarray) -> None:
            out[...] = 0

        self.flow.set_physical(fill, project=project, field=self.field)
        kept = self.moments()[1]
        self.flow.set_physical(zero, field=self.field)
        return kept

    @property
    def called(self) -> str:
        """The name of the force in messages."""
        named = f"force {self.label}" if len(self.case.forcing) > 1 else "force"
        return f"{self.part}{named} on the {self.field}"


def make_flow(options: _core.Options, comm: MPI.Intracomm) -> _core.Flow:
    """The flow of these options. Raises CaseError where a force or the scheme is not possible. Collective."""
    try:
        return _core.Flow(options, comm.py2f())
    except _core.Error as error:
        of_case = str(error).startswith(("forcing", "time.scheme"))
        raise (CaseError(str(error)) if of_case else error) from None


def begin_forces(flow: _core.Flow, time: float) -> None:
    """Prepares forces that depend on the first state. Raises CaseError. Collective."""
    try:
        flow.begin_sources(time)
    except _core.Error as error:
        raise CaseError(str(error)) from None


def with_script(case: Case, given: Any) -> Case:
    """The case with a [[forcing]] of kind script for each field that a script gives a force for."""
    by_field = of_script(case, given)
    known = [force.field for force in case.forcing if isinstance(force, Script)]
    if twice := [field for field in known if known.count(field) > 1]:
        raise CaseError(
            f"two forces of kind script act on the {twice[0]}, and a script gives one function for a "
            "field; leave one of them out."
        )
    if new := [field for field in by_field if field not in known]:
        first = case.flow.first_field()
        added = [
            {"kind": "script", "field": field, "name": "script" if field == first else f"script_{field}"}
            for field in new
        ]
        case = case.updated(forcing=[*case.to_dict().get("forcing", ()), *added])
    for force in case.forcing:
        if isinstance(force, Script) and force.field not in by_field:
            raise CaseError(
                f"the force {force.label} on the {force.field} comes from a script, which must give it: "
                "Simulation(..., forcing=...), or Simulation.restart(..., forcing=...)."
            )
    return case


def kept_of_sources(saved: dict[str, float], before: dict[str, Any], case: Case) -> dict[str, float]:
    """The numbers of this case's forces in a checkpoint, whose case has the sections `before`.

    The work of a force with the same label and field goes on. The state that it remembers is kept only if
    none of its options has changed.
    """
    earlier = {one.get("name") or one.get("kind"): one for one in before.get("forcing", ())}
    kept: dict[str, float] = {}
    for force, now in zip(case.forcing, case.to_dict().get("forcing", ()), strict=True):
        was = earlier.get(force.label)
        if was is None or was.get("field", force.field) != force.field:
            continue
        same = json.dumps(was, sort_keys=True, default=str) == json.dumps(now, sort_keys=True, default=str)
        own = {key: value for key, value in saved.items() if key.startswith(f"{force.label}.")}
        states = {key: value for key, value in own.items() if ".state." in key}
        kept |= states if same else {}
        _add_up(kept, {key: own[key] for key in own.keys() - states}, force.label, len(force.sources(case)))
    return kept


def _add_up(kept: dict[str, float], saved: dict[str, float], label: str, count: int) -> None:
    """Adds the saved work of a force's sources; work of sources that it no longer has goes to its first."""
    for key, value in sorted(saved.items()):
        number, name = key.removeprefix(f"{label}.").split(".", 1)
        place = f"{label}.{number if int(number) < count else 0}.{name}"
        kept[place] = kept.get(place, 0.0) + value


def of_script(case: Case, given: Any) -> dict[str, Any]:
    """The forces that a script gives, by field."""
    if given is None:
        return {}
    return given if isinstance(given, dict) else {case.flow.first_field(): given}


def set_forces(flow: _core.Flow, case: Case, comm: MPI.Intracomm, by_script: Any = None) -> list[str]:
    """Sets the values of all forces of given shape, before the state has values.

    Returns sentences for the log. Collective. Raises CaseError.
    """
    script, remarks = of_script(case, by_script), []
    for target, force in _shaped(flow, case, comm):
        _set_force(target, force, script.get(force.field))
        remarks += target.remarks
    return remarks


def set_known_forces(flow: _core.Flow, case: Case, comm: MPI.Intracomm) -> list[str]:
    """Sets the forces that need no script and no missing file. Collective.

    Returns the labels of the others.
    """
    missing = []
    for target, force in _shaped(flow, case, comm):
        if isinstance(force, Script):
            missing.append(force.label)
            continue
        try:
            _set_force(replace(target, measured=False), force, None)
        except CaseError:
            missing.append(force.label)
    return missing


def _shaped(flow: _core.Flow, case: Case, comm: MPI.Intracomm) -> Iterator[tuple[ForceTarget, Forcing]]:
    """The forces of given shape, with the targets that set them."""
    number = 0
    for force in case.forcing:
        if isinstance(force, Steady | Script):
            about = all_fields(case)[force.field]
            amplitude = force.amplitude if isinstance(force, Steady) else 1.0
            own: Any = {"number": number, "amplitude": amplitude, "label": force.label}
            yield ForceTarget(flow, case, comm, force.field, about.components, "forcing.shape", **own), force
        number += len(force.sources(case))


def _set_force(target: ForceTarget, force: Any, given: Any) -> None:
    if isinstance(force, Script):
        return _from_script(target, given)
    shape = force.shape
    if isinstance(shape, FormulaInTime):
        return _from_formula(target, shape)
    if isinstance(shape, FromFile) and on_root(target.comm, lambda: is_checkpoint(shape.path)):
        raise CaseError(
            f"forcing.shape.path = {show(shape.path)} is a checkpoint; give a snapshot, or arrays in HDF5 or "
            "npz."
        )
    return FIELDS[type(shape)](target, shape)


def _from_formula(target: ForceTarget, shape: FormulaInTime) -> None:
    """Each part of the formula is a source; where time is a factor, the shape is set once."""
    parts = target.case.planned.force(shape.value)
    for number, part in enumerate(parts, target.number):
        several = len(parts) > 1
        of_part = replace(
            target,
            number=number,
            is_whole=not (several or part.in_time),
            part=f"part {number - target.number + 1} of the " if several else "",
        )
        if part.in_time:
            _at_each_stage(
                of_part,
                lambda target, time, part=part: set_at_points(target, part.shape, {"t": time}),  # type: ignore[misc]
            )
            continue
        set_at_points(of_part, part.shape, {})
        if part.factor:
            _times_factor(of_part, part)


def _times_factor(target: ForceTarget, part: ForcePart) -> None:
    number, called = target.number, target.called

    def factor_at(time: float) -> float:
        return float(worked_out(part.factor, {"t": time}))

    def give(flow: _core.Flow, time: float) -> None:
        factor = factor_at(time)
        if not np.isfinite(factor):
            raise CaseError(
                f"the {called} is {factor} at t = {time:.9g}; it must be finite at all times of the run."
            )
        flow.set_factor(number, factor)

    give(target.flow, 0.0)
    target.flow.call_for_force(number, give)
    target.flow.set_factor_in_time(number, factor_at)


def _at_each_stage(target: ForceTarget, put: Callable[[ForceTarget, float], None]) -> None:
    """Sets the force by put(target, time) before each stage."""
    put(target, 0.0)
    flow, later = target.flow, replace(target, flow=None, measured=False)  # the flow will keep `give`

    def give(flow: _core.Flow, time: float) -> None:
        put(replace(later, flow=flow), time)

    flow.call_for_force(target.number, give)


def _from_script(target: ForceTarget, given: Any) -> None:
    if not callable(given):
        return set_from_array(target, np.asarray(given))
    arguments = arguments_of(given)
    if arguments == SPACE:
        return set_from_function(target, given)
    if arguments == SPACE_AND_TIME:
        return _at_each_stage(
            replace(target, is_whole=False),
            lambda of, time: set_from_function(of, lambda x, y, z: given(x, y, z, time)),
        )
    if arguments == MODES:
        return _on_modes(target, given)
    raise CaseError(
        f"the force on the {target.field} takes {arguments} arguments; a function of (x, y, z), of "
        "(x, y, z, t), or of (t, modes) is possible."
    )


def arguments_of(function: Callable) -> int:
    """The number of positional arguments without a default that a function takes."""
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    given = inspect.signature(function).parameters.values()
    return sum(one.kind in positional and one.default is inspect.Parameter.empty for one in given)


def _on_modes(target: ForceTarget, function: Callable) -> None:
    """Sets the force before each stage from a function of t and this rank's modes of the field."""
    flow, target = target.flow, replace(target, flow=None)
    layout = modes.ModeLayout(flow, target.case.grid)

    def give(flow: _core.Flow, time: float) -> None:
        present = modes.read(flow, target.case, target.field)
        of_flow = replace(target, flow=flow)
        own = agreed(target.comm, lambda: modes.checked(of_flow, layout, function(time, present)))
        try:
            flow.set_force_modes(target.number, own)
        except _core.Error as error:
            raise CaseError(str(error)) from None

    flow.call_for_force(target.number, give)
