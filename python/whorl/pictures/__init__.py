"""The pictures of a run from its files alone, a line for each kind, and the style of all pictures."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING, Any

from whorl.base.errors import CaseError
from whorl.base.files import check_picture
from whorl.config.explain import did_you_mean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WINDOW = {"--from": "start", "--to": "end"}


@dataclass(frozen=True)
class PictureKind:
    """A kind of picture.

    `home`, "module:function", is the function (run, *, tell, **options) → Figure, imported when it is
    drawn. `file` is the name of its file in the directory of the run, in which {name} is an option.
    `called` is its name in errors of `whorl plot`. `options` are those of `whorl plot` that it has, each
    with the argument of the function, or "" if it only chooses the kind.
    """

    home: str
    file: str
    called: str
    options: Mapping[str, str] = field(default_factory=dict)

    def needed(self) -> list[str]:
        """The options that its file is named by."""
        return [name for _, name, _, _ in Formatter().parse(self.file) if name]

    def function(self) -> "Callable[..., Figure]":
        """The function of the kind, whose module is imported here."""
        module, name = self.home.split(":")
        return getattr(import_module(module), name)


PICTURES = {
    "run": PictureKind(
        "whorl.pictures.run:run_picture",
        "plot.png",
        "a picture of the run",
        {"--field": "field", "--plane": "plane", "--time": "time", **WINDOW},
    ),
    "compensated": PictureKind(
        "whorl.pictures.compensated:compensated_picture",
        "compensated.png",
        "a picture with --compensated",
        {"--diagnostic": "name", **WINDOW},
    ),
    "diagnostic": PictureKind(
        "whorl.diagnostics.picture:diagnostic_picture",
        "{name}.png",
        "a picture of a --diagnostic",
        {"--diagnostic": "name", "--time": "time", "--file": "states", **WINDOW},
    ),
    "probe": PictureKind(
        "whorl.probes.draw.series:probe_picture",
        "probe-{name}.png",
        "a picture of --probes without --correlation",
        {"--probes": "name", "--resample": "resample"},
    ),
    "probe-correlation": PictureKind(
        "whorl.probes.draw.correlation:correlation_picture",
        "probe-{name}-correlation.png",
        "a picture of --probes with --correlation",
        {
            "--probes": "name",
            "--correlation": "",
            "--resample": "resample",
            "--remove-mean/--keep-mean": "remove_mean",
            **WINDOW,
        },
    ),
    "particles": PictureKind(
        "whorl.particles.draw.paths:paths_picture",
        "particles-{name}.png",
        "a picture of --particles without -d KIND",
        {"--particles": "name"},
    ),
    "particle-statistics": PictureKind(
        "whorl.particles.draw.statistics:statistics_picture",
        "particles-{name}-{statistics}.png",
        "a picture of --particles with -d KIND",
        {"--particles": "name", "--diagnostic": "statistics", "--resample": "resample", **WINDOW},
    ),
}


def plot(
    directory: str | Path,
    kind: str = "run",
    output: str | Path | None = None,
    *,
    tell: Callable[[str], object] = lambda remark: None,
    **options: Any,
) -> Path:
    """Draw a picture of a run from its files and save it.

    Parameters
    ----------
    directory : str or Path
        The output directory of the run.
    kind : str
        The kind of picture, one of `PICTURES`.
    output : str or Path, optional
        The picture, a PNG, PDF or SVG by its ending; by default the file of its kind in `directory`.
    tell : callable, optional
        Called with sentences on the window, the state and the numbers.
    **options
        The options of the kind: those of its function.

    Returns
    -------
    Path
        The path of the picture.

    Raises
    ------
    CaseError
        If the kind is unknown, if the directory has no run, if the picture cannot have this path, and as
        from the function of the kind.

    Examples
    --------
    >>> plot("vortex", output="u.pdf", field="velocity.x", plane="y=pi/2", time=1.0)
    PosixPath('u.pdf')
    >>> plot("forced", "diagnostic", name="pdf", start=20)
    PosixPath('forced/pdf.png')
    """
    if kind not in PICTURES:
        near = did_you_mean(kind, PICTURES) or "."
        raise CaseError(f"kind = {kind} is no kind of picture{near} Known: {', '.join(PICTURES)}.")
    from matplotlib import rc_context

    from whorl.pictures.style import STYLE, save_picture
    from whorl.results.runs import open_run

    chosen = PICTURES[kind]
    if missing := [name for name in chosen.needed() if options.get(name) is None]:
        raise CaseError(f"plot of kind {kind} needs {' and '.join(missing)}; give it as an argument.")
    run = open_run(directory)
    path = Path(output) if output else run.directory / chosen.file.format(**options)
    check_picture(path)
    with rc_context(STYLE):
        save_picture(chosen.function()(run, tell=tell, **options), path)
    return path
