"""Every option of a run, declared once: type, default, range, unit and help.

A case is a TOML file with the sections below, or the same sections as keywords:
`Case(grid={"points": 64}, flow={"viscosity": 0.01}, time={"until": 10}, initial={"name": "abc"})`.
The equations, [flow], are in models/; [time], [output] and [run] are in time.py, outputs.py and run.py,
[[scalars]] in scalars.py, and the other sections in initial/, forcing/, diagnostics/, probes/, particles/.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

import tomlkit
from pydantic import BeforeValidator, Field, ValidationError, model_validator
from tomlkit.items import AoT, Table

from whorl.base import toml
from whorl.base.declared import CHOICES
from whorl.base.errors import CaseError
from whorl.base.files import is_file, text_of
from whorl.base.text import storable
from whorl.config.checks import check_together, fill_in
from whorl.config.dealiasing import DEALIASINGS
from whorl.config.earlier import as_of_today
from whorl.config.explain import describe, did_you_mean, explain, show
from whorl.config.notebooks import html_of
from whorl.config.outputs import Output
from whorl.config.run import Run
from whorl.config.scalars import Scalar
from whorl.config.section import Lengths, Points, Section, Seed, listed, option
from whorl.config.settings import apply_settings, from_tables, parse_settings
from whorl.config.time import Time
from whorl.diagnostics.options import AnyDiagnostic
from whorl.expressions.planned import Planned
from whorl.forcing.options import AnyForcing
from whorl.initial.options import Initial
from whorl.models import Flow
from whorl.particles.options import AnyParticles
from whorl.probes.options import AnyProbe

LISTS = ("scalars", "forcing", "diagnostics", "probes", "particles")  # sections of any number of blocks


class Grid(Section):
    """The box and its points."""

    points: Points = option(
        ...,
        "grid points along x, y, z, or one number; even, with factors 2, 3, 5, 7; nz = 1 is two-dimensional",
    )
    lengths: Lengths = option((2 * math.pi,) * 3, "box lengths along x, y, z, or one number", unit="length")
    bases: Literal[*CHOICES["bases"]] = option(  # type: ignore[valid-type]
        CHOICES["bases"][0],
        "basis along z, y, x: F periodic, S between free-slip walls; SFF with rayleigh-benard",
    )
    dealias: Literal[*DEALIASINGS] = option(  # type: ignore[valid-type]
        next(iter(DEALIASINGS)),
        "which modes are kept and how aliases are removed; 1/2 with the models of superfluids",
    )
    shape: Literal[*CHOICES["shape"]] = option(  # type: ignore[valid-type]
        CHOICES["shape"][0],
        "shape of the kept modes with dealias = 2/3; with phase shifts always a sphere, else a cube",
    )
    shift_seed: Seed = option(0, "seed of the random grid shifts of dealias = phase-shift")

    @model_validator(mode="after")
    def _sphere_only_with_two_thirds(self) -> "Grid":
        if self.shape == "sphere" and not DEALIASINGS[self.dealias].shaped:
            shaped = " or ".join(f'"{name}"' for name, rule in DEALIASINGS.items() if rule.shaped)
            raise ValueError(
                f'grid.shape = "sphere" goes with grid.dealias = {shaped}, not "{self.dealias}"; leave it out'
            )
        return self


class Case(Planned):
    """A whole case: grid, equations, initial fields, length of the run, measurements and output.

    Each section is a dict of its options, named as in a case file, or an object of the section's class.
    A case is immutable; `updated` returns a changed copy.

    Parameters
    ----------
    grid : dict or Grid
        The box and its points.
    flow : dict or Model
        The equations, by the option `model` ("navier-stokes" by default), and their parameters.
    time : dict or Time
        The time scheme, its step (dt or courant) and the end (until, steps, until_error, stop_when).
    initial : dict or InitialField, optional
        The initial fields. They may be missing if the `Simulation` is given its initial field.
    scalars : sequence of dict or Scalar, optional
        The passive scalars, none by default.
    forcing : sequence of dict or Forcing, optional
        The forces, none by default.
    diagnostics : sequence of dict or Diagnostic, optional
        Measurements in addition to the series and the spectra, none by default.
    probes : sequence of dict or Probe, optional
        Modes and points whose values are kept at every step, none by default.
    particles : sequence of dict or ParticleGroup, optional
        Groups of particles that move with the flow, none by default.
    output : dict or Output, optional
        The directory, the files and how often each is written. Without `directory` a script writes no files.
    run : dict or Run, optional
        Precision, threads, ranks and device. The solution depends on these only by rounding.

    Raises
    ------
    CaseError
        If a section or an option is missing, unknown or not allowed, or if sections do not fit together. The
        message names the option, its value and the allowed values.

    See Also
    --------
    load_case : Read a case from a file, or load a ready case.

    Notes
    -----
    The command `whorl new MODEL` writes a case file of an equation set with every option, its default, unit
    and meaning. Units of length and time are the case's own.

    Examples
    --------
    >>> case = Case(
    ...     grid={"points": 64},
    ...     flow={"viscosity": 0.01},
    ...     time={"until": 10},
    ...     initial={"name": "abc"},
    ... )
    >>> case
    <Case: navier-stokes 64 × 64 × 64, double, until = 10>
    >>> case.grid.points, case.time.courant
    ((64, 64, 64), 0.9)
    """

    grid: Grid
    flow: Flow
    time: Time
    initial: Initial | None = None
    scalars: Annotated[tuple[Scalar, ...], BeforeValidator(listed)] = ()
    forcing: Annotated[tuple[AnyForcing, ...], BeforeValidator(listed)] = ()
    diagnostics: Annotated[tuple[AnyDiagnostic, ...], BeforeValidator(listed)] = ()
    probes: Annotated[tuple[AnyProbe, ...], BeforeValidator(listed)] = ()
    particles: Annotated[tuple[AnyParticles, ...], BeforeValidator(listed)] = ()
    output: Output = Field(default_factory=Output)
    run: Run = Field(default_factory=Run)

    def __init__(self, **sections: Any):
        self._fill(sections)
        self.flow.check_equations(self.grid)
        self.planned.check()

    def _fill(self, sections: Mapping[str, Any]) -> None:
        try:
            super().__init__(**fill_in(dict(sections)))
        except ValidationError as error:
            raise CaseError(explain(error, Case)) from None

    @classmethod
    def of_run(cls, sections: Mapping[str, Any]) -> "Case":
        """The case of a run that is there, with expressions that today's rules may refuse."""
        case = cls.__new__(cls)
        case._fill(as_of_today(sections))
        return case

    @model_validator(mode="after")
    def _sections_fit_together(self) -> "Case":
        check_together(self)
        return self

    def __repr__(self) -> str:
        size = " × ".join(map(str, self.grid.points))
        given = {name: getattr(self.time, name) for name in ("until", "steps", "until_error", "stop_when")}
        shown: dict[type, Any] = {str: str, dict: show}
        ends = [
            f"{name} = {shown.get(type(value), '{:g}'.format)(value)}"
            for name, value in given.items()
            if value
        ]
        return f"<Case: {self.flow.model} {size}, {self.run.precision}, {' or '.join(ends)}>"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        """The options, in a notebook."""
        return html_of(self, LISTS)

    def to_dict(self) -> dict[str, Any]:
        """Return every option that is set or has a default, with its value.

        Returns
        -------
        dict of str to Any
            A dict of options for each section; `Case(**sections)` makes an equal case. `scalars`, `forcing`,
            `diagnostics`, `probes` and `particles` are tuples of dicts, and are missing where they are empty.
        """
        sections = self.model_dump(exclude_none=True)
        return {name: section for name, section in sections.items() if section != ()}

    def to_toml(self) -> str:
        """Return the case as the text of a case file, with all options, including defaults, and their help.

        Returns
        -------
        str
            TOML with the help and the unit of each option in a comment after it.
            `Case(**tomllib.loads(text))` equals the case.
        """
        document = tomlkit.document()
        for name in self.to_dict():
            value = getattr(self, name)
            document.add(name, _tables(value) if isinstance(value, tuple) else _table(value))
        return tomlkit.dumps(document)

    def updated(self, settings: Sequence[str] = (), **sections: Any) -> "Case":
        """Return a copy in which some options are changed.

        Parameters
        ----------
        settings : sequence of str, optional
            Settings as on the command line, "section.key=value". A value that is not TOML is text, and
            "section={...}" replaces a whole section.
        **sections : dict
            Options by section, such as `flow={"viscosity": 0.1}`; they are set after `settings`. A list, such
            as that of `scalars`, replaces the whole list.

        Returns
        -------
        Case
            The changed case.

        Raises
        ------
        CaseError
            If a setting is not of this form, or if the changed case is not valid.

        Notes
        -----
        Options that a new option excludes are dropped: `time.courant` with a new `time.dt`, the options of
        the old initial field with a new `initial.name`, and options that the new equations do not have with
        a new `flow.model`.

        Examples
        --------
        >>> case = load_case("taylor-green")
        >>> case.updated(["grid.points=128"], flow={"viscosity": 0.001})
        <Case: navier-stokes 128 × 128 × 128, double, until = 10>
        """
        changes = [*parse_settings(settings, Case), *from_tables(sections)]
        return Case(**apply_settings(self.to_dict(), changes, Case))


def _table(section: Section) -> Table:
    """A section as TOML with the help after each option; its tables come last, as TOML requires."""
    table = tomlkit.table()
    values = section.model_dump(exclude_none=True)
    inner = {key for key in values if isinstance(getattr(section, key), Section)}
    for key, value in values.items():
        if key in inner:
            continue
        item = tomlkit.item(as_toml(value))
        about = describe(key, type(section).model_fields[key])
        if about.help:
            item.comment(f"{about.help} [{about.unit}]" if about.unit else about.help)
        table.add(key, item)
    for key in inner:
        table.add(key, _table(getattr(section, key)))
    return table


def as_toml(value: Any) -> Any:
    """The value of an option in a form that tomlkit writes."""
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, dict):
        inline = tomlkit.inline_table()
        inline.update(value)
        return inline
    return storable(value) if isinstance(value, str) else value


def _tables(sections: tuple[Section, ...]) -> AoT:
    tables = tomlkit.aot()
    for section in sections:
        tables.append(_table(section))
    return tables


def ready_cases() -> dict[str, Path]:
    """Return the cases that come with whorl.

    Returns
    -------
    dict of str to Path
        The file of each case by its name, sorted by name.
    """
    files = (Path(__file__).parent.parent / "cases").glob("*.toml")
    return {path.stem: path for path in sorted(files, key=lambda path: path.stem)}


def load_case(source: str | Path, settings: Sequence[str] = ()) -> Case:
    """Read a case from a TOML file, or load a ready case that comes with whorl.

    Parameters
    ----------
    source : str or Path
        The path of a case file, or the name of a ready case, such as "taylor-green"; a file comes first.
    settings : sequence of str, optional
        Dotted settings, "section.key=value", that change options of the case, as in `Case.updated`.

    Returns
    -------
    Case
        The case with the settings applied.

    Raises
    ------
    CaseError
        If neither a file nor a ready case has that name, if the file cannot be read or is not TOML, or if
        the case is not valid.

    See Also
    --------
    Case : A case from keywords.
    ready_cases : The names of the ready cases.

    Notes
    -----
    Relative paths of fields and positions, such as `initial.path`, start at the folder of the case file.

    Examples
    --------
    >>> load_case("taylor-green", ["grid.points=32", "time.until=1"])
    <Case: navier-stokes 32 × 32 × 32, double, until = 1>
    """
    return Case(**sections_of(source, settings))


def sections_of(source: str | Path, settings: Sequence[str] = ()) -> dict[str, Any]:
    """The sections of a case file or a ready case, with settings applied. Raises CaseError."""
    path = find_case(source)
    sections = read_toml(path)
    for name in ("initial", "scalars", "forcing", "particles"):
        _resolve_paths(sections.get(name), path.parent.resolve())
    return apply_settings(sections, parse_settings(settings, Case), Case)


def _resolve_paths(tables: Any, folder: Path) -> None:
    """Prepends `folder` to each relative `path` in these tables, and in their tables."""
    if isinstance(tables, list):
        for table in tables:
            _resolve_paths(table, folder)
    if isinstance(tables, dict):
        if isinstance(tables.get("path"), str):
            tables["path"] = str(folder / tables["path"])
        for table in tables.values():
            _resolve_paths(table, folder)


def find_case(source: str | Path) -> Path:
    """Return the case file with this path, or else the ready case of this name.

    Raises
    ------
    CaseError
        If neither exists; the message names the ready cases, and a similar file of the folder.
    """
    if is_file(Path(source)):
        return Path(source)
    ready = ready_cases()
    if str(source) in ready:
        return ready[str(source)]
    near, named = _meant(str(source), ready), str(source) or '""'
    raise CaseError(
        f"there is no case file {named} and no ready case of that name{near} "
        f"Ready cases: {', '.join(ready)} (see whorl cases)."
    )


def _meant(typed: str, ready: Iterable[str]) -> str:
    """The question for a case file of the folder, or a ready case, or the end of the sentence."""
    if typed and is_file(Path(f"{typed}.toml")):
        return f"; did you mean {typed}.toml?"
    source, beside = Path(typed), list[str]()
    with suppress(OSError, ValueError):  # is_file gives False there
        beside = sorted(str(source.with_name(path.name)) for path in source.parent.glob("*.toml"))
    return did_you_mean(typed, [*beside, *ready]) or "."


def read_toml(path: Path) -> dict[str, Any]:
    """Return the tables of a TOML file, in UTF-8 and of at most 1 MiB, by name.

    Raises
    ------
    CaseError
        If the file cannot be read, is not valid TOML or is too long.
    """
    try:
        return toml.loads(text_of(path))
    except toml.TOMLDecodeError as error:
        raise CaseError(f"{path} is not valid TOML: {error}.") from None
