"""The particles in a report: their paths, and the statistics along them with errors."""

from collections.abc import Iterator, Mapping
from functools import partial

import xarray as xr

from whorl.base.errors import CaseError
from whorl.base.text import counted
from whorl.particles.draw.paths import draw_particles, mean_square_displacement
from whorl.particles.draw.statistics import draw_particle_means
from whorl.particles.results.means import average_particles
from whorl.report import pictures
from whorl.report.pictures import Failed, Image, Window
from whorl.results.averages import Averages
from whorl.results.runs import RunResults


def pictures_of(
    run: RunResults,
    groups: Mapping[str, xr.Dataset],
    window: Window,
    averages: Averages | None,
    failed: Failed,
) -> Iterator[tuple[str, str, Image]]:
    """Name, description and picture: the paths of each group of particles, and statistics of a window.

    Paths at uneven times are interpolated to even ones for the statistics, and a caption says so.
    """
    for name, data in groups.items():
        reads = f", which read {pictures.quantities(data)}" if "quantity" in data.sizes else ""
        about = (
            f"{counted(data.sizes['particle'], 'particle')} of kind {data.attrs.get('kind', 'tracer')}{reads}"
        )
        try:
            moved, times = float(mean_square_displacement(data)[-1]), data["time"].values
            alt = (
                f"On the left the paths of the particles {name} in the box, t = {times[0]:.4g} to "
                f"{times[-1]:.4g}; on the right their mean square displacement on logarithmic axes, which "
                f"comes to {moved:.3g}."
            )
            yield name, about, pictures.image_of(partial(draw_particles, data, run.case), alt)
            yield from _statistics(run, name, window, averages)
        except (CaseError, OSError) as error:
            failed(f"particles {name}: {error}")


def _statistics(
    run: RunResults, name: str, window: Window, averages: Averages | None
) -> Iterator[tuple[str, str, Image]]:
    """A picture for each kind of statistics that the particles have."""
    try:
        found = average_particles(run, name, (), *window)
    except CaseError as error:
        if "resample" not in str(error):
            raise
        found = average_particles(run, name, (), *window, resample=True)
    verdict = averages.verdict if averages else ""
    remarks = " ".join(one for one in found.remarks(of_table=False) if one != verdict)
    for number, (kind, data) in enumerate(found.means.items()):
        when = f"Over t = {data.attrs['start']:.4g} to {data.attrs['end']:.4g}; bands are standard errors."
        alt = f"Graphs of the particles {name}, {data.attrs['about']}, with bands of errors."
        caption = f"{when} {remarks}" if number == 0 else when
        image = pictures.image_of(partial(draw_particle_means, kind, data), alt, caption)
        yield f"{name}, {kind}", data.attrs["about"], image
