"""Statistics of single particles along their paths: dispersion, velocity, acceleration, structure functions.

Each function returns a dataset of the numbers NAME of `Tracks`, with their standard errors NAME_error and
numbers of independent samples NAME_samples. `whorl.particles.results.path_means` explains these.
"""

import numpy as np
import xarray as xr

from whorl.base.errors import CaseError
from whorl.particles.results.path_means import BATCHES, Blocks, correlations, density, moments, spread
from whorl.particles.results.path_series import Tracks
from whorl.probes.results.spectra import frequency_spectrum
from whorl.results.estimate import ENDS, Estimate, gathered

LAGS = 60
ORDERS = (2, 4, 6)
PIECES = 4  # of the series, for their spectrum
SPEED, FORCE = "length/time", "length/time²"


def dispersion(
    tracks: Tracks, *, origins: str = "all", longest: float | None = None, lags: int = LAGS
) -> xr.Dataset:
    """Dispersion of single particles, ⟨(X_i(t₀ + τ) − X_i(t₀))²⟩, with the limits of Taylor.

    Parameters
    ----------
    tracks : Tracks
        The paths.
    origins : str, default "all"
        "all" for the mean over all t₀ in the window, or "first" for only its first time.
    longest : float, optional
        The longest lag; half of the window by default, or all of it for the first origin.
    lags : int, default 60
        The most lags, with even ratios.

    Returns
    -------
    Dataset
        Over `lag`: `displacement` by `axis`, and `total` over all axes, in units of length². The limits of
        `total` at small and large τ are `ballistic`, ⟨v²⟩ τ², and `diffusive`, 2 ⟨v²⟩ T_L τ, with the
        variance ⟨v²⟩ about the mean of all particles. `diffusivity` is `total` over 2 d τ with d axes.

    Raises
    ------
    CaseError
        If `origins` is neither, or the longest lag is beyond the window.

    References
    ----------
    G. I. Taylor, Proc. London Math. Soc. 20, 196 (1922).
    """
    if origins not in ("all", "first"):
        raise CaseError(f'origins are "all" or "first", and not "{origins}".')
    first = origins == "first"
    position = tracks.position[..., tracks.columns]
    steps = lag_steps(tracks, longest, lags, 1.0 if first else 0.5)
    by_axis, total = [], []
    for step in steps:
        until = 1 if first else len(position) - step
        squares = (position[step : step + until] - position[:until]) ** 2
        each = tracks.blocks.mean(squares)
        by_axis.append(each.settled())
        total.append(each.sum().settled())
    lag, number = tracks.dt * steps, len(tracks.axes)
    whole = gathered(total)
    found = (
        gathered(by_axis).variables("displacement", ("lag", "axis"), "length²", "⟨(X_i(t₀ + τ) − X_i(t₀))²⟩")
        | whole.variables("total", ("lag",), "length²", "⟨|X(t₀ + τ) − X(t₀)|²⟩")
        | (whole / (2 * number * lag)).variables(
            "diffusivity", ("lag",), "length²/time", f"⟨|X(t₀ + τ) − X(t₀)|²⟩/({2 * number} τ)"
        )
    )
    return _dataset(tracks, found | _limits(tracks, lag), lag).assign_attrs(origins=origins)


def _limits(tracks: Tracks, lag: np.ndarray) -> dict[str, tuple]:
    """The laws of small and of large times, by the velocity along the paths."""
    velocity = tracks.velocity
    square = float(((velocity - velocity.mean(axis=(0, 1))) ** 2).sum(axis=2).mean())
    time = float("nan")
    if len(velocity) >= 16:
        at = tracks.at_times_of(tracks.time, velocity)
        found = correlations(velocity, at, tracks.blocks, tracks.axes, lags=1)
        time = float(found["mean_integral_time"][1])
    laws = {
        "ballistic": (square * lag**2, "⟨v²⟩ τ², of small τ"),
        "diffusive": (2 * square * time * lag, "2 ⟨v²⟩ T_L τ, of large τ"),
    }
    return {
        name: ("lag", values, {"units": "length²", "long_name": meaning})
        for name, (values, meaning) in laws.items()
    }


def velocity(tracks: Tracks, *, longest: float | None = None, lags: int = 200) -> xr.Dataset:
    """Velocity along paths: moments, PDF, autocorrelation ρ_L(τ), integral time T_L, and spectrum.

    Parameters
    ----------
    tracks : Tracks
        The paths.
    longest, lags : float, int
        As for `whorl.probes.results.time_correlation.time_correlation`.

    Returns
    -------
    Dataset
        `mean`, `variance`, `flatness`, `correlation`, `integral_time`, `first_zero` and `micro_time` by
        `axis`; all but the mean are also for all axes together, with `mean_` before their names. `pdf` is
        over `bin`, in units of σ. `spectrum` is over `frequency`; its integral is the variance, mean over the
        axes. Where the series has the scales, `integral_time_over_kolmogorov_time` is T_L/τ_η. Where it has
        the energy, `energy_ratio` is ½⟨|v|²⟩ of the particles over the mean kinetic energy of the flow at the
        same times; v is then in the frame of the mean velocity.

    Raises
    ------
    CaseError
        If the paths have fewer than 16 times, or `longest` is beyond half of the window.
    """
    values = tracks.velocity
    time = tracks.at_times_of(tracks.time, values)
    found = moments(values, tracks.blocks, SPEED) | density(values, tracks.blocks, "velocity")
    found |= correlations(values, time, tracks.blocks, tracks.axes, longest=longest, lags=lags)
    found |= _spectrum(values, time, tracks.blocks)
    if (small := tracks.small_scales) is not None:
        found |= _over(found, "mean_integral_time", small.time, "kolmogorov_time", "T_L/τ_η")
    if tracks.scales is not None and tracks.scales.energy is not None:
        found |= _energy_ratio(tracks)
    return _dataset(tracks, found).assign_attrs(velocity=tracks.velocity_from)


def _energy_ratio(tracks: Tracks) -> dict[str, tuple]:
    """½⟨|v|²⟩ over the energy of the flow; the error is that of their difference at each time."""
    values = tracks.velocity_in_frame
    flow = tracks.blocks.common(tracks.at_times_of(tracks.scales.energy, values))
    own = tracks.blocks.mean(0.5 * (values**2).sum(axis=2))
    return (own / flow).variables("energy_ratio", (), "1", "½⟨|v|²⟩ of particles over the energy of the flow")


def _spectrum(values: np.ndarray, time: np.ndarray, blocks: Blocks) -> dict[str, tuple]:
    """The frequency spectrum, mean over components and `PIECES` parts of the series; none of a short one."""
    length = len(values) // PIECES
    if length < 8:
        return {}
    left = values - values.mean(axis=(0, 1))
    parts = []
    for piece in range(PIECES):
        rows = slice(piece * length, (piece + 1) * length)
        series = xr.DataArray(left[rows], {"time": time[rows]}, ("time", "particle", "axis"))
        found = frequency_spectrum(series, segments=1, remove_mean=False)
        parts.append(blocks.means(found.values.mean(axis=2)))
    parts = np.stack(parts, axis=0)  # [piece, frequency, block]
    about = {"units": "1/time", "long_name": "angular frequency ω"}
    return {"frequency": ("frequency", found["frequency"].values, about)} | blocks.estimate(
        np.swapaxes(parts, 1, 2)
    ).variables("spectrum", ("frequency",), "length²/time", "S(ω), dω from 0, whose integral is the variance")


def acceleration(tracks: Tracks, *, longest: float | None = None, lags: int = 200) -> xr.Dataset:
    """Acceleration along paths: moments, PDF, autocorrelation and its zero, and a₀.

    Parameters
    ----------
    tracks : Tracks
        The paths; the acceleration is the quantity read as `acceleration`, or differences of the velocity.
    longest, lags : float, int
        As for `whorl.probes.results.time_correlation.time_correlation`.

    Returns
    -------
    Dataset
        The numbers of `velocity`, without integral times, spectrum and energy. Where the series has the
        scales, also `first_zero_over_kolmogorov_time` and `a0`, the mean of ⟨a_i²⟩ over the axes, over
        ε^{3/2} ν^{−1/2}. For differences, the attribute `resolution` is the share of the variance that those
        of second order lack compared with those of fourth, which are used. Where it is small, those of fourth
        order lack far less.

    Raises
    ------
    CaseError
        If the paths have fewer than 16 times, or `longest` is beyond half of the window.
    """
    values, blocks = tracks.acceleration, tracks.blocks
    time = tracks.at_times_of(tracks.time, values)
    found = moments(values, blocks, FORCE) | density(values, blocks, "acceleration")
    found |= correlations(values, time, blocks, tracks.axes, longest=longest, lags=lags)
    for name in ("integral_time", "mean_integral_time"):  # ∫ ρ_a dτ to its zero is no time of the flow
        for end in ENDS:
            found.pop(f"{name}{end}")
    if (small := tracks.small_scales) is not None:
        found |= _over(found, "mean_first_zero", small.time, "kolmogorov_time", "zero of ρ_a over τ_η")
        found |= _a0(tracks, values).variables("a0", (), "1", "⟨a_i a_i⟩/3 over ε^{3/2} ν^{−1/2}")
    about = {"acceleration": tracks.acceleration_from}
    if not tracks.has_acceleration:
        about |= {"resolution": _resolution(tracks, values)}
    return _dataset(tracks, found).assign_attrs(about)


def _resolution(tracks: Tracks, values: np.ndarray) -> float:
    """1 − ⟨a²⟩ of second over ⟨a²⟩ of fourth order."""
    whole = tracks.velocity
    second = (whole[3:-1] - whole[1:-3]) / (2 * tracks.dt)
    return 1.0 - float((second**2).sum() / (values**2).sum())


def _a0(tracks: Tracks, values: np.ndarray) -> Estimate:
    """a₀; its error includes that of the dissipation, which rises and falls with squared accelerations."""
    small, blocks = tracks.small_scales, tracks.blocks
    squares = blocks.mean((values**2).mean(axis=2))
    epsilon = blocks.common(tracks.at_times_of(small.dissipation, values), small.epsilon)
    return squares / (epsilon**1.5 * small.viscosity**-0.5)


def structure_functions(tracks: Tracks, *, longest: float | None = None, lags: int = LAGS) -> xr.Dataset:
    """Lagrangian structure functions D_n(τ) = ⟨|v_i(t + τ) − v_i(t)|ⁿ⟩, n = 2, 4, 6.

    Parameters
    ----------
    tracks : Tracks
        The paths.
    longest : float, optional
        The longest lag; half of the window by default.
    lags : int, default 60
        The most lags, with even ratios.

    Returns
    -------
    Dataset
        Over `lag`: `structure` by `order` and `axis`, `mean_structure` of all axes together, `flatness`,
        D₄/D₂². Where the series has the dissipation: `compensated`, D₂/(ε τ); `C0`, its largest value; and
        `C0_lag_over_kolmogorov_time`, the lag of that. Both are of the parabola of ln τ through the largest
        value and its neighbours.

    References
    ----------
    P. K. Yeung, Annu. Rev. Fluid Mech. 34, 115 (2002).
    """
    values, blocks = tracks.velocity, tracks.blocks
    steps = lag_steps(tracks, longest, lags, 0.5)
    batches = min(BATCHES, len(values) - int(steps[-1]))  # the same number for all lags
    of_axes, of_all, flat, compensated, parts = [], [], [], [], []
    for step in steps:
        change = np.abs(values[step:] - values[:-step])
        powers = np.stack([blocks.means(change**order) for order in ORDERS], axis=2)
        each = blocks.estimate(powers)
        mean = each.mean()
        of_axes.append(each.settled())
        of_all.append(mean.settled())
        flat.append((mean[1] / mean[0] ** 2).settled())
        if (small := tracks.small_scales) is not None:
            series = tracks.at_times_of(small.dissipation, values)[: len(change)]
            epsilon = blocks.common(series, small.epsilon)
            compensated.append((mean[0] / (epsilon * (tracks.dt * step))).settled())
            parts.append(_batched(powers[:, :, 0].mean(axis=2) / (tracks.dt * step), batches))
    lag = tracks.dt * steps
    found = {"order": ("order", list(ORDERS), {"units": "1", "long_name": "order n"})}
    for name, numbers, dims, unit, meaning in (
        ("structure", of_axes, ("lag", "order", "axis"), f"({SPEED})ⁿ", "⟨|v_i(t + τ) − v_i(t)|ⁿ⟩"),
        ("mean_structure", of_all, ("lag", "order"), f"({SPEED})ⁿ", "D_n, mean over the axes"),
        ("flatness", flat, ("lag",), "1", "D₄/D₂²"),
        ("compensated", compensated, ("lag",), "1", "D₂/(ε τ)"),
    ):
        if numbers:
            found |= gathered(numbers).variables(name, dims, unit, meaning)
    if compensated:
        found |= _peak(tracks, lag, gathered(compensated), np.stack(parts, axis=-1))
    return _dataset(tracks, found, lag).assign_attrs(velocity=tracks.velocity_from)


def _batched(parts: np.ndarray, batches: int) -> np.ndarray:
    """Means [batch, block] over batches of times of means [time, block]."""
    return Blocks.of(len(parts), batches).means(parts, axis=0)


def _peak(tracks: Tracks, lag: np.ndarray, curve: Estimate, parts: np.ndarray) -> dict[str, tuple]:
    """The largest value of D₂/(ε τ) and its place, of parts [batch, block, lag] of D₂/τ."""
    small = tracks.small_scales
    height, place = _top(lag, curve.value)
    at = int(np.argmax(curve.value))
    off = spread(parts, tracks.blocks, lambda one: np.array(_top(lag, one)[1]))
    top = Estimate.known(height, curve.error[at], curve.samples[at])
    off = Estimate.known(place, off, curve.samples[at]) / small.time
    return top.variables("C0", (), "1", "largest D₂/(ε τ)") | off.variables(
        "C0_lag_over_kolmogorov_time", (), "1", "τ/τ_η of the largest D₂/(ε τ)"
    )


def _top(lag: np.ndarray, values: np.ndarray) -> tuple[float, float]:
    """The largest value and its lag, of the parabola of ln τ through it and its neighbours."""
    at = int(np.argmax(values))
    if at in (0, len(lag) - 1):
        return float(values[at]), float(lag[at])
    x, y = np.log(lag[at - 1 : at + 2]), values[at - 1 : at + 2]
    a, b, c = np.polyfit(x - x[1], y, 2)
    if not a < 0:
        return float(values[at]), float(lag[at])
    return float(c - b * b / (4 * a)), float(np.exp(x[1] - b / (2 * a)))


def _over(found: dict[str, tuple], name: str, unit: float, of: str, meaning: str) -> dict[str, tuple]:
    """A number divided by a scale of the flow."""
    number = Estimate.known(*(found[f"{name}{end}"][1] for end in ENDS)) / unit
    return number.variables(f"{name.removeprefix('mean_')}_over_{of}", (), "1", meaning)


def lag_steps(tracks: Tracks, longest: float | None, lags: int, part: float) -> np.ndarray:
    """Lags in steps, at most `lags` of them with even ratios, to a part of the window. Raises CaseError."""
    most = int(part * (len(tracks.time) - 1))
    if longest is not None:
        given = int(longest / tracks.dt * (1 + 1e-9)) if np.isfinite(longest) else most + 1
        if not 1 <= given <= most:
            raise CaseError(
                f"the longest lag is from {tracks.dt:.6g} to {most * tracks.dt:.6g}, and not {longest:.6g}; "
                "choose another."
            )
        most = given
    return np.unique(np.rint(np.geomspace(1, most, lags)).astype(int))


def _dataset(tracks: Tracks, found: dict[str, tuple], lag: np.ndarray | None = None) -> xr.Dataset:
    """A dataset of variables and coordinates, with its axes."""
    coordinates = {
        name: found.pop(name) for name in ("lag", "axis", "bin", "frequency", "order") if name in found
    }
    if lag is not None:
        coordinates["lag"] = ("lag", lag, {"units": "time", "long_name": "lag τ"})
    coordinates.setdefault("axis", ("axis", list(tracks.axes)))
    return xr.Dataset(found, coordinates, {"particles": tracks.count, "states": len(tracks.time)})
