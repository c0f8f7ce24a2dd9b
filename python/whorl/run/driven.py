"""Decay of driven modes: an integrating factor is not accurate for modes that decay within a step."""

from collections import defaultdict
from typing import NamedTuple

from whorl import _core
from whorl.base.text import rounded_down
from whorl.config.case import Case
from whorl.config.schemes import SCHEMES
from whorl.config.wavenumbers import smallest_wavenumber

# The parameter of the core by which a field diffuses.
DIFFUSIVITIES = {
    "velocity": "viscosity",
    "vorticity": "viscosity",
    "temperature": "diffusivity",
    "magnetic": "resistivity",
}
MOVING = ("velocity", "vorticity")


class Driven(NamedTuple):
    """Modes that something drives: its name, their wavenumber and their rate of decay."""

    by: str
    k: float
    rate: float


NONE = Driven("nothing", 0.0, 0.0)


def fastest_driven(case: Case, flow: _core.Flow) -> Driven:
    """The driven modes that decay fastest; of rate 0 if none do, or if the scheme is accurate. Collective."""
    if SCHEMES[case.time.scheme].exponential:
        return NONE
    scalars = dict(scalar.of_core(case.flow.viscosity_of_schmidt()) for scalar in case.scalars)
    found, number, stirring = [], 0, 0.0
    for force in case.forcing:
        wavenumbers = [flow.forced_wavenumber(number + n) for n in range(len(force.sources(case)))]
        number += len(wavenumbers)
        k = max(wavenumbers, default=0.0)
        if force.field in MOVING:
            stirring = max(stirring, k)
        rate = scalars[force.field][0] * k**2 if force.field in scalars else decay(case, force.field, k)
        found.append(Driven(f"forcing {force.label}", k, rate))
    k = stirring or smallest_wavenumber(case.grid)
    for name, (diffusivity, *gradient) in scalars.items():
        if any(gradient):
            found.append(Driven(f"the mean gradient of {name}", k, diffusivity * k**2))
    return max(found, key=lambda driven: driven.rate, default=NONE)


def decay(case: Case, field: str, k: float) -> float:
    """The rate that is integrated exactly; for a velocity ν k² + ν_h k^2p + μ k^−2q + α, plus at most Q."""
    flow = defaultdict(float, case.flow.constants())
    rate = flow[DIFFUSIVITIES.get(field, "none")] * k**2
    if field in MOVING:
        rate += flow["drag"] + flow["interaction"]
        rate += flow["hyperviscosity"] * k ** (2 * flow["hyperviscosity_power"])
        rate += flow["hypoviscosity"] / k ** (2 * flow["hypoviscosity_power"]) if k > 0 else 0.0
    return rate


def step_too_long(case: Case, driven: Driven, dt: float) -> str | None:
    """A warning if the driven modes decay in less than a step of an integrating factor."""
    if driven.rate * dt <= 1.0:
        return None
    option = "time.dt" if case.time.dt is not None else "time.dt_max"
    return (
        f"the modes of k = {driven.k:.3g} that {driven.by} drives decay {driven.rate * dt:.3g} times by e in "
        f"a step of {dt:.3g}, where the integrating factor of {case.time.scheme} is not accurate; give "
        f'{option} = {rounded_down(1 / driven.rate, 2)} or less, or time.scheme = "etdrk4"'
    )
