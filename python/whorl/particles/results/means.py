"""Statistics of a group of particles of a run over a window of time, with errors, as a table."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import xarray as xr

from whorl.base.errors import CaseError
from whorl.base.text import in_words
from whorl.config.explain import did_you_mean
from whorl.diagnostics.results.means import DiagnosticMeans, few_samples
from whorl.particles.results.clustering import clustering, uniformity
from whorl.particles.results.lagrangian import acceleration, dispersion, structure_functions, velocity
from whorl.particles.results.path_series import Tracks, tracks_of
from whorl.particles.results.separations import pairs, tetrahedra
from whorl.results.as_text import listed
from whorl.results.runs import RunResults

MIXED = "The steps of time differ: paths were interpolated to even ones by cubic splines."


@dataclass(frozen=True)
class Kind:
    """A kind of statistics: its function and description, the paths that have it, and where these begin."""

    find: Callable[[Tracks], xr.Dataset]
    about: str
    of: Callable[[Tracks], bool] = lambda tracks: True
    from_release: bool = False


def _released(kind: str) -> Callable[[Tracks], bool]:
    return lambda tracks: bool(getattr(tracks.group, kind, None))


KINDS = {
    "dispersion": Kind(dispersion, "dispersion of single particles"),
    "velocity": Kind(velocity, "velocity along paths"),
    "acceleration": Kind(
        acceleration, "acceleration along paths", lambda one: one.has_velocity or one.has_acceleration
    ),
    "structure-functions": Kind(structure_functions, "Lagrangian structure functions"),
    "pairs": Kind(pairs, "pairs since their release", _released("pairs"), from_release=True),
    "nearest-pairs": Kind(
        partial(pairs, nearest=True), "pairs of nearest particles of the first time", lambda one: False
    ),
    "tetrahedra": Kind(
        tetrahedra, "tetrahedra since their release", _released("tetrahedra"), from_release=True
    ),
    "clustering": Kind(clustering, "where particles are", lambda one: bool(one.periodic[one.columns].all())),
    "uniformity": Kind(uniformity, "whether particles are uniform in the box"),
}


class ParticleMeans(DiagnosticMeans):
    """Statistics of particles over a window, from `average_particles`; printing shows a table.

    `means["velocity"]` is the dataset of this kind. It has each number NAME, the standard error `NAME_error`
    and the number of independent samples `NAME_samples`. All else is as for `DiagnosticMeans`.
    """

    first: ClassVar[str] = "statistics"

    def to_dict(self) -> dict[str, Any]:
        """Return all results as lists, numbers and text for JSON, where None replaces nan and infinity."""
        return {
            "window": {"start": self.start, "end": self.end},
            "verdict": self.verdict,
            "notes": list(self.notes),
            "statistics": {
                name: data.attrs | {str(key): listed(one.values) for key, one in data.variables.items()}
                for name, data in self.means.items()
            },
        }

    def cells(self) -> list[tuple[str, ...]]:
        """Return the rows of the table as text: numbers that are known, and short arrays."""
        return [
            (*row[:4], "" if row[4] == "sum" else row[4])
            for row in super().cells()
            if not row[3].startswith("nan")
        ]

    def remarks(self, *, of_table: bool = True) -> list[str]:
        """Return the sentences below the table, or of a picture: sources, doubtful errors, the window."""
        doubtful = [line for name, data in self.means.items() for line in few_samples(name, data, of_table)]
        sources = dict.fromkeys(line for data in self.means.values() for line in _sources(data))
        return [*self.notes, *sources, *doubtful, self.verdict]


def average_particles(
    run: RunResults,
    name: str,
    kinds: str | Sequence[str] = (),
    start: float | None = None,
    end: float | None = None,
    *,
    resample: bool = False,
) -> ParticleMeans:
    """Return statistics of a group of particles of a run over a window of time, with errors.

    Parameters
    ----------
    run : RunResults
        The run, from `whorl.open_run`.
    name : str
        The name of the group.
    kinds : str or sequence of str, optional
        Names in `KINDS`; all kinds that the particles have by default.
    start, end : float, optional
        The window; by default that of `RunResults.average`. For pairs and tetrahedra it begins by default at
        the first row of the particles.
    resample : bool, default False
        Whether to interpolate paths at uneven times to even ones, by cubic splines in time.

    Returns
    -------
    ParticleMeans
        A dataset of each kind, with a table of its numbers.

    Raises
    ------
    CaseError
        If the particles or a kind do not exist, if the window is wrong or has too few times, if steps of time
        differ and `resample` is false, or if a requested kind cannot be computed.

    Examples
    --------
    >>> found = average_particles(whorl.open_run("tracers"), "tracer", start=5)
    >>> float(found["acceleration"]["a0"]), float(found["acceleration"]["a0_error"])
    """
    wanted = (kinds,) if isinstance(kinds, str) else tuple(kinds)
    for one in wanted:
        if one not in KINDS:
            near = did_you_mean(one, KINDS) or "."
            raise CaseError(f"whorl has no statistics {one} of particles{near} Known: {', '.join(KINDS)}.")
    taken: dict[bool, tuple[Tracks, str]] = {}
    means, notes = {}, []

    def window(from_release: bool) -> tuple[Tracks, str]:
        if from_release not in taken:
            how = {"resample": resample, "from_release": from_release}
            taken[from_release] = tracks_of(run, name, start, end, **how)
        return taken[from_release]

    for kind in wanted or KINDS:
        chosen = KINDS[kind]
        tracks, _ = window(chosen.from_release)
        if not wanted and not chosen.of(tracks):
            continue
        try:
            means[kind] = _described(chosen, tracks)
        except CaseError as error:
            if wanted:
                raise
            notes.append(f"{kind}: {error}")
    if not means:
        raise CaseError(f"the particles {name} have no statistics: {' '.join(notes)}")
    tracks, verdict = taken.get(False) or taken[True]
    of_scales = tracks.scales.notes if tracks.scales else ()
    notes = [*tracks.notes, *of_scales, *notes, *([MIXED] if resample else []), *_scales(tracks)]
    return ParticleMeans(float(tracks.time[0]), float(tracks.time[-1]), verdict, means, tuple(notes))


def _described(kind: Kind, tracks: Tracks) -> xr.Dataset:
    data = kind.find(tracks)
    window = {"start": float(tracks.time[0]), "end": float(tracks.time[-1])}
    if (small := tracks.small_scales) is not None:
        window |= {"dissipation": small.epsilon, "viscosity": small.viscosity}
    return data.assign_attrs(about=kind.about, **window)


def _sources(data: xr.Dataset) -> Iterator[str]:
    """Sentences on the sources of velocities and accelerations, and on the error of differences in time."""
    for name in ("velocity", "acceleration"):
        if name in data.attrs:
            yield f"{name.capitalize()}: {data.attrs[name]}."
    if "resolution" in data.attrs:
        yield (
            f"Differences of second order have {100 * data.attrs['resolution']:.2g} % less of the variance "
            "of the acceleration than those of fourth, which are taken; where this is much, write rows more "
            "often."
        )


def _scales(tracks: Tracks) -> list[str]:
    """A sentence on the scales that normalise the numbers, or on the reason that these are missing."""
    if (small := tracks.small_scales) is not None:
        return [
            f"Scales: ε = {small.epsilon:.4g}, the mean 2νZ of the series in the window, ν = "
            f"{small.viscosity:.4g}, τ_η = {small.time:.4g}, η = {small.length:.4g}."
        ]
    without = in_words(["a₀", "C₀", "T_L/τ_η", "Richardson's g"])
    return [f"Without {without}: {_why_not(tracks)}."]


def _why_not(tracks: Tracks) -> str:
    """The reason why the small scales are missing."""
    if len(tracks.axes) < 3:
        return "the flow is plane"
    if tracks.scales is None or tracks.scales.dissipation is None:
        return "the series has no dissipation by viscosity"
    if not tracks.scales.viscosity > 0:
        return "the flow has no viscosity"
    return "its mean dissipation by viscosity, 2νZ, is 0 in the window"
