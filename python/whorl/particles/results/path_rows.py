"""The rows of paths that statistics use: those at which all numbers that they need are finite."""

from collections.abc import Sequence

import numpy as np
import xarray as xr

from whorl.base.errors import CaseError
from whorl.particles.options import ParticleGroup
from whorl.results.window import lacking

ACCELERATION = "acceleration"
OWN = "own velocity"  # of particles that have one
FEWEST = ParticleGroup.fewest_rows


def finite_rows(data: xr.Dataset, axes: Sequence[str]) -> tuple[xr.DataArray, list[str]]:
    """Positions and quantities, (time, particle, of), at finite rows, and notes on those left out.

    Rows at the ends are left out if the velocity or the acceleration of the fluid is not finite there. One of
    these is left out if it is not finite in between, or finite in fewer than half of the rows. Other
    quantities that are not finite are left out without a note, since statistics do not use them. Raises
    CaseError if too few rows are left, or if a position between two others is not finite.
    """
    whole, own = _columns(data)
    names = [str(name) for name in whole["of"].values]
    core = ["x", "y", "z", *(name for name in names if name.startswith(own))] if own else ["x", "y", "z"]
    rows = _span(_finite(whole, core))
    notes: list[str] = []
    # Particles with a velocity of their own have neither the velocity nor the acceleration of the fluid.
    for what in () if own else ("u", ACCELERATION):
        wanted = [f"{what}.{axis}" for axis in axes]
        if not set(wanted) <= set(names):
            continue
        there = _finite(whole[rows], wanted)
        found = np.flatnonzero(there)
        notes += lacking(there, f"{what} along paths", "particles.h5")
        if 2 * found.size >= len(there) and np.ptp(found) + 1 == found.size:
            rows = slice(rows.start + int(found[0]), rows.start + int(found[-1]) + 1)
        elif not there.all():
            names = [name for name in names if name not in wanted]
            notes[-1] = f"{notes[-1].rstrip('.')}; without it, differences along the paths are taken."
    kept = whole[rows]
    if len(kept) < FEWEST:
        raise _too_few(len(kept))
    if not _finite(kept, core).all():
        raise CaseError("paths have positions that are not finite between others; leave out their times.")
    known = [name for name in names if name in core or np.isfinite(kept.sel(of=name)).all()]
    return kept.sel(of=known), notes


def _columns(data: xr.Dataset) -> tuple[xr.DataArray, str]:
    """All numbers of the rows, by name along `of`, and the prefix of the particles' own velocity, or ""."""
    names, values = list("xyz"), [data["position"].values]
    own = f"{OWN}." if "velocity" in data else ""
    if own:
        names += [f"{own}{axis}" for axis in "xyz"]
        values.append(data["velocity"].values)
    if "value" in data:
        names += map(str, data["quantity"].values)
        values.append(data["value"].transpose("time", "particle", "quantity").values)
    coordinates = {"time": data["time"].values, "of": names}
    return xr.DataArray(np.concatenate(values, axis=-1), coordinates, ("time", "particle", "of")), own


def _finite(whole: xr.DataArray, names: Sequence[str]) -> np.ndarray:
    """Whether these are finite for all particles, [time]."""
    return np.isfinite(whole.sel(of=list(names)).values).all(axis=(1, 2))


def _span(finite: np.ndarray) -> slice:
    """The rows from the first that is finite to the last. Raises CaseError if they are too few."""
    found = np.flatnonzero(finite)
    if found.size < FEWEST:
        raise _too_few(found.size)
    return slice(int(found[0]), int(found[-1]) + 1)


def _too_few(rows: int) -> CaseError:
    return CaseError(
        f"statistics along paths need {FEWEST} times or more, and {rows} have been written in the window: "
        "see particles.every, and --from and --to."
    )
