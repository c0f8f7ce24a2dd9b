"""Checks of the forces of a case, and the design of a force by its target."""

from itertools import combinations
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from whorl.base.errors import CaseError
from whorl.base.text import counted
from whorl.config.explain import did_you_mean
from whorl.config.initial_checks import check_kind, check_no_tables, in_block
from whorl.config.measures import all_fields, state_fields
from whorl.config.section import block_of
from whorl.config.wavenumbers import resolved_wavenumber, smallest_wavenumber
from whorl.forcing.options import DesignGrid, FormulaInTime, Steady, Stochastic, undesigned

if TYPE_CHECKING:
    from whorl.config.case import Case


def designed(force: Any, sections: dict[str, Any]) -> Any:
    """The force with the options that its target sets, in its place; sets flow.viscosity in `sections`.

    A force or grid that is not valid by itself stays as it is; the validation refuses it. Raises CaseError.
    """
    if not (isinstance(force, dict) and force.get("kind") == "stochastic" and force.get("target")):
        return force
    try:
        stochastic, grid = Stochastic(**force), DesignGrid.of(sections.get("grid"))
    except (ValidationError, ValueError, TypeError, KeyError):
        return force
    if refusal := _undesignable(force, stochastic, grid, sections):
        raise CaseError(f"{refusal}.")
    try:
        sizes = stochastic.designed(grid)
    except ValueError as error:
        raise CaseError(f"{error}.") from None
    viscosity, flow = sizes.pop("viscosity"), sections.get("flow")
    given = flow.get("viscosity") if isinstance(flow, dict) else None
    if given is not None and given != viscosity:
        raise CaseError(
            f"flow.viscosity = {given} is given with forcing.target, which sets it to {viscosity:.6g}; "
            "leave one of them out."
        )
    if isinstance(flow, dict):
        sections["flow"] = flow | {"viscosity": viscosity}
    return {key: value for key, value in force.items() if key != "target"} | sizes


def _undesignable(force: dict, stochastic: Stochastic, grid: DesignGrid, sections: dict) -> str | None:
    """The reason why a flow cannot be designed by the target of its force."""
    instead = "give forcing.power and forcing.correlation_time instead"
    if len(sections["forcing"]) > 1:
        count = len(sections["forcing"])
        return f"forcing.target designs a flow with one force; the case has {count}; {instead}"
    if not stochastic.isotropic:
        return (
            "forcing.target is for an isotropic force; leave forcing.modes, forcing.polarisation and "
            f"forcing.peak out, or {instead}"
        )
    if unknown := undesigned(sections.get("flow") or {}, grid.lengths):
        return f"forcing.target does not allow for {unknown}; leave it out, or {instead} of the target"
    if 1 in grid.points or grid.bases != "FFF" or force.get("field", "velocity") != "velocity":
        return (
            f"forcing.target is for the velocity of three-dimensional turbulence in a periodic box; {instead}"
        )
    return None


def check_forcing(case: "Case") -> None:
    """Raises ValueError for a force that the model or the grid does not allow, or names that clash."""
    labels = [force.label for force in case.forcing]
    for number, force in enumerate(case.forcing):
        if labels.count(force.label) > 1:
            raise ValueError(f"two forces are called {force.label}; give forcing.name, a name for each")
        components = _check_forced_field(force, case)
        with in_block(block_of("forcing", number, force.label)):
            _check_force(force, components, case)
    _check_seeds(case.forcing)
    _check_held(case.forcing)


def _check_force(force: Any, components: int, case: "Case") -> None:
    if not force.any_bases and case.grid.bases != "FFF":
        raise ValueError(
            f'forcing.kind = "{force.kind}" is for periodic boxes (grid.bases = "FFF"), not for '
            f'"{case.grid.bases}"; choose another kind'
        )
    _check_band(force, case)
    _check_shape(force, components, case)
    force.check(case)


def _check_seeds(forces: Any) -> None:
    """Raises ValueError for two random forces on one field with the same random numbers."""
    known: dict[tuple[str, int], str] = {}
    for force in forces:
        for seed in force.seeds():
            if other := known.get((force.field, seed)):
                raise ValueError(
                    f"the forces {other} and {force.label} on the {force.field} have the same random "
                    f"numbers, of forcing.seed = {seed}; give them other seeds (lindborg uses seed and "
                    "seed + 1)"
                )
        known |= {(force.field, seed): force.label for seed in force.seeds()}


def _check_held(forces: Any) -> None:
    """Raises ValueError for two forces that hold the energy of the same modes: neither could."""
    for one, other in combinations([force for force in forces if force.holds], 2):
        alike = one.modes == other.modes or "all" in (one.modes, other.modes)
        meet = max(one.k_min, other.k_min) <= min(one.k_max, other.k_max)
        if one.field == other.field and alike and meet:
            first, last = max(one.k_min, other.k_min), min(one.k_max, other.k_max)
            raise ValueError(
                f"the forces {one.label} and {other.label} hold the energy of the {one.field} on the same "
                f"modes, between {first:g} and {last:g}; give them bands of their own"
            )


def _check_forced_field(force: Any, case: "Case") -> int:
    """The number of components of the field. Raises ValueError where it cannot be forced."""
    flow, place = case.flow, f'the force "{force.label}"'
    known = {flow.first_field(): None} | dict.fromkeys(state_fields(case))
    if force.field not in known:
        near = did_you_mean(str(force.field), known).rstrip("?")
        raise ValueError(
            f'forcing.field = "{force.field}" is no field of flow.model = "{flow.model}" that can be '
            f"forced{near}; it must be one of {', '.join(known)}"
        )
    if force.field in flow.prescribed():
        how = "flow.kinematic = true" if hasattr(flow, "kinematic") else f'flow.model = "{flow.model}"'
        others = ", ".join(name for name in state_fields(case) if name not in flow.prescribed())
        raise ValueError(
            f"{place} acts on a {force.field} that {how} prescribes, so that it stays as it is; force "
            f"{others} instead"
        )
    components = all_fields(case)[force.field].components
    if force.vector and components != 3:
        raise ValueError(
            f'{place} of kind "{force.kind}" is for a vector field, not for {force.field} of '
            f"{components} component{'s' if components > 1 else ''}; choose another kind"
        )
    return components


def _check_band(force: Any, case: "Case") -> None:
    """Raises ValueError for a band without modes, or beyond those that are kept."""
    if (ends := force.ends()) is None:
        return
    k_min, k_max = ends
    most = resolved_wavenumber(case.grid) / smallest_wavenumber(case.grid)
    if k_min > k_max:
        raise ValueError(
            f"forcing.k_min = {k_min:g} is larger than forcing.k_max = {k_max:g}: the band has no modes"
        )
    if k_max > most * (1 + 1e-9):
        raise ValueError(
            f"{force.end_of_band} = {k_max:g} is beyond the largest wavenumber that is kept in every "
            f"direction, {most:.4g} times the smallest; lower it or use more points"
        )


def _check_shape(force: Any, components: int, case: "Case") -> None:
    if not isinstance(force, Steady):
        return
    shape = force.shape
    if isinstance(shape, FormulaInTime):
        if len(shape.value) != components:
            raise ValueError(
                f"forcing.shape.value holds {counted(len(shape.value), 'formula')}; {force.field} needs "
                f"{counted(components, 'formula')}"
            )
        return
    check_kind(shape, force.field, components, "forcing.shape", case)
    check_no_tables(shape, "forcing.shape")
