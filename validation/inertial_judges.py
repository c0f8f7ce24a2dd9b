"""Numbers that inertial.py measures in its runs, and the published ones that it compares them with.

Two results are those of the abstracts of the papers:

    clustering    is strongest where the response time is about the Kolmogorov time
                  Bec et al., Phys. Rev. Lett. 98, 084502 (2007)
    acceleration  its variance falls with St
                  Bec et al., J. Fluid Mech. 550, 349 (2006)

Others are recalled, unchecked, and therefore have no limits:

    clustering    D₂ is about 2.3 where it is least
                  Bec et al., Phys. Rev. Lett. 98, 084502 (2007)
    places        heavy particles are where vorticity is low, bubbles where it is high
                  Calzavarini et al., J. Fluid Mech. 607, 13 (2008)
    settling      is faster than in fluid at rest
                  Wang and Maxey, J. Fluid Mech. 256, 27 (1993)

In a stationary flow the equation of motion gives two exact means over the particles: ⟨v⟩ = ⟨u⟩ + τ g, and
⟨v·(u − v)⟩ + τ g·⟨v⟩ = 0.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from comparison import UNCHECKED, Error
from whorl.base.text import with_error
from whorl.output.means import mean_of
from whorl.particles.results.clustering import clustering
from whorl.particles.results.path_series import tracks_of

Number = tuple[float, float]  # a value and its error
SQUARED = "dot(curl(u), curl(u))"
STOKES = {"St = 0.2": 0.2, "St = 0.7": 0.7, "St = 2": 2.0}
MOST, SETTLING, BUBBLES = "St = 0.7", "settling", "bubbles"
LEAST_DIMENSION = 2.3
FITTED = (0.3, 1.5)  # r/η of the fit of D₂
STATES = 60
ERRORS = 3.0  # standard errors


def label(name: str) -> str:
    """The name of a group in a case."""
    return name.replace(" = ", "-").replace(".", "_")


def groups(gravity: float) -> dict[str, dict[str, Any]]:
    """The options of each group."""
    heavy = {label(name): {"stokes_number": of} for name, of in STOKES.items()}
    return heavy | {
        SETTLING: {"stokes_number": STOKES[MOST], "gravity": gravity},
        BUBBLES: {"stokes_number": STOKES[MOST], "added_mass": 3.0},
    }


@dataclass(frozen=True)
class Found:
    """Numbers of each group and of the flow, the clustering, the final positions, η and the box lengths."""

    groups: dict[str, dict[str, Number]]
    clustering: dict[str, Any]
    places: dict[str, np.ndarray]
    eta: float
    lengths: np.ndarray


def measured(run: Any, gravity: float, start: float, end: float) -> Found:
    """The numbers of a window of time."""
    averages = run.average(start, end)
    epsilon = averages["dissipation"].mean
    viscosity = run.case.flow.viscosity
    eta, turn = (viscosity**3 / epsilon) ** 0.25, (viscosity / epsilon) ** 0.5
    fields = run.mean_diagnostics(("pressure",), start, end)["pressure"]
    unit = epsilon**1.5 * viscosity**-0.5
    variance = tuple(float(fields[f"a0_forced{of}"]) * unit for of in ("", "_error"))
    of_fluid = run.diagnostics["pressure"]["forced_acceleration_square"]
    found: dict[str, dict[str, Number]] = {
        "flow": {"R_lambda": (averages["R_lambda"].mean, averages["R_lambda"].error), "variance": variance}
    }
    where, places, squares = {}, {}, {}
    for name in (*STOKES, SETTLING, BUBBLES):
        tracks, _ = tracks_of(run, label(name), start, end)
        data = run.particles[label(name)].sel(time=slice(start, end))
        tau = float(data.attrs["response_time"])
        g = gravity if name == SETTLING else 0.0
        between = [one * eta for one in FITTED]
        where[name] = clustering(tracks, states=STATES, between=between, voronoi=False)
        dimension = tuple(float(where[name][f"dimension{of}"]) for of in ("", "_error"))
        places[name] = tracks.position[-1]
        found[name] = of_group(run, data, tau, g) | {"D2": dimension, "stokes": (tau / turn, 0.0)}
        if name in STOKES:
            squares[name] = data["time"].values, squared_acceleration(data, tau, g)
    for name, fall in falls(of_fluid, squares).items():
        found[name]["fall"] = fall
    return Found(found, where, places, eta, np.array(run.case.grid.lengths))


def falls(of_fluid: Any, squares: dict[str, tuple[Any, Any]]) -> dict[str, Number]:
    """The ratio of ⟨a²⟩ of each group to that of the one before it, or to the fluid's for the first.

    `squares` has the times and values of ⟨a²⟩ of each group.
    """
    found, above = {}, None
    for name, (time, own) in squares.items():
        above = np.interp(time, of_fluid["time"].values, of_fluid.values) if above is None else above
        found[name] = ratio_of(time, own, above)
        above = own
    return found


def of_group(run: Any, data: Any, tau: float, g: float) -> dict[str, Number]:
    """Means over the particles and time, all over the same rows."""
    time = data["time"].values
    u, v = velocities(data)
    squared = data["value"].sel(quantity=SQUARED).values.mean(axis=1)
    series = run.series
    field = 2 * np.interp(time, series["time"].values, series["enstrophy"].values)
    rows = {
        "enstrophy": squared / field,
        "variance": squared_acceleration(data, tau, g) / 3,
        "work": ((u - v) * v).sum(-1).mean(1) / tau + g * v[..., 2].mean(1),
        "power": (u * v).sum(-1).mean(1) / tau,
    }
    if g:
        rows["excess"] = u[..., 2].mean(1) / (tau * g)
        rows["slip"] = (v[..., 2] - u[..., 2]).mean(1) / (tau * g)
    means = {name: mean_of(time, one) for name, one in rows.items()}
    return {name: (one.mean, one.error) for name, one in means.items()}


def velocities(data: Any) -> tuple[np.ndarray, np.ndarray]:
    """Velocities of the fluid at the particles, and of the particles, [time, particle, axis]."""
    u = np.stack([data["value"].sel(quantity=f"u.{axis}").values for axis in "xyz"], axis=-1)
    return u, data["velocity"].values


def squared_acceleration(data: Any, tau: float, g: float) -> np.ndarray:
    """The mean of the squared acceleration over the particles at each time."""
    u, v = velocities(data)
    return ((((u - v) / tau) + np.array([0.0, 0.0, g])) ** 2).sum(-1).mean(1)


def ratio_of(time: np.ndarray, own: np.ndarray, other: np.ndarray) -> Number:
    """The ratio of two means over the same times, with an error that allows for their correlation."""
    of_other = mean_of(time, other).mean
    ratio = mean_of(time, own).mean / of_other
    return ratio, mean_of(time, own - ratio * other).error / of_other


def apart(low: Number, high: Number) -> float:
    """Three standard errors of a difference, over the difference; infinite if it is not positive."""
    difference = high[0] - low[0]
    return ERRORS * float(np.hypot(low[1], high[1])) / difference if difference > 0 else np.inf


def judged(found: Found) -> list[Error]:
    """The numbers with their errors and limits."""
    flow = found.groups["flow"]
    return [
        Error(f"R_λ = {with_error(*flow['R_lambda'])}", flow["R_lambda"][0]),
        *(
            Error(f"Stokes number of {name} over the window", found.groups[name]["stokes"][0])
            for name in STOKES
        ),
        *_of_dimensions(found),
        *_of_acceleration(found),
        *_of_places(found),
        *_of_settling(found),
    ]


def _of_dimensions(found: Found) -> list[Error]:
    of = {name: one["D2"] for name, one in found.groups.items() if name != "flow"}
    least = of[MOST]
    told = {name: with_error(*one) for name, one in of.items()}
    errors = [
        Error(
            f"D₂ = {told[MOST]} at {MOST}, from {LEAST_DIMENSION} ({UNCHECKED})",
            abs(least[0] - LEAST_DIMENSION),
        )
    ]
    for name in STOKES:
        if name != MOST:
            errors.append(
                Error(
                    f"D₂ = {told[name]} at {name}, above that at {MOST}: three standard errors over the "
                    "difference",
                    apart(least, of[name]),
                    1.0,
                )
            )
    return [*errors, Error(f"D₂ = {told[BUBBLES]} of bubbles at {MOST}", of[BUBBLES][0])]


def _of_acceleration(found: Found) -> list[Error]:
    """The variance falls from the fluid to each larger Stokes number by more than its errors."""
    errors, above = [], "the fluid"
    for name in STOKES:
        own = found.groups[name]["fall"]
        errors.append(
            Error(
                f"⟨a²⟩ at {name} over that of {above} = {with_error(*own)}, below 1: three standard errors "
                "over the difference",
                apart(own, (1.0, 0.0)),
                1.0,
            )
        )
        above = name
    return errors


def _of_places(found: Found) -> list[Error]:
    errors = []
    for name in (*STOKES, BUBBLES):
        own, one = found.groups[name]["enstrophy"], (1.0, 0.0)
        low, high, side = (one, own, "above") if name == BUBBLES else (own, one, "below")
        errors.append(
            Error(
                f"⟨ω²⟩ at {name} over that of the field = {with_error(*own)}, {side} 1 ({UNCHECKED}): "
                "three standard errors over the difference",
                apart(low, high),
            )
        )
    return errors


def _of_settling(found: Found) -> list[Error]:
    own = found.groups[SETTLING]
    errors = [
        Error(
            f"⟨v_z − u_z⟩/(τ g) of settling particles = {with_error(*own['slip'])}, from 1",
            abs(own["slip"][0] - 1),
            0.02,
        ),
        Error(
            f"they settle faster than in fluid at rest by {with_error(*own['excess'])} of τ g "
            f"({UNCHECKED}): three standard errors over it",
            apart((0.0, 0.0), own["excess"]),
        ),
    ]
    for name in (*STOKES, SETTLING):
        work, power = found.groups[name]["work"], found.groups[name]["power"]
        errors.append(
            Error(f"mean work on the particles of {name} over ⟨u·v⟩/τ", abs(work[0] / power[0]), 0.02)
        )
    return errors
