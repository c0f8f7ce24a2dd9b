"""Every option of a run, declared once: type, default, range, unit and help.

A case is a TOML file with the sections below, or the same as keywords:
`Case(grid={"points": 64}, flow={"viscosity": 0.01}, time={"until": 10}, initial={"name": "abc"})`.
"""

import math
import tomllib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import tomlkit
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    model_validator,
)

from whorl.clock import Every
from whorl.errors import CaseError
from whorl.explain import describe, did_you_mean, explain, nearest_key
from whorl.sizes import next_good_size, prime_factors

LARGEST_POINTS = 65536
DEFAULT_COURANT = 0.5
DEFAULT_PEAK = 4.0
DEFAULT_ENERGY = 0.5


def option(default: Any, help: str, *, unit: str | None = None, **constraints: Any) -> Any:
    """A field with its help and unit; `...` as default makes it required."""
    return Field(default, description=help, json_schema_extra={"unit": unit}, **constraints)


def _three(value: Any) -> Any:
    """A single number stands for all three axes."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return (value,) * 3
    if not isinstance(value, list | tuple) or len(value) != 3:
        raise ValueError("it must be one number, or three in the order x, y, z")
    return tuple(value)


def _listed(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _good_sizes(points: tuple[int, int, int]) -> tuple[int, int, int]:
    for axis, n in zip("xyz", points, strict=True):
        if axis == "z" and n == 1:
            continue
        if not 4 <= n <= LARGEST_POINTS:
            raise ValueError(
                f"the size along {axis} must be 4 to {LARGEST_POINTS} (along z also 1: two-dimensional flow)"
            )
        if n != next_good_size(n):
            factors = prime_factors(n)
            why = f"has the prime factor {factors[-1]}" if factors[-1] > 7 else "is odd"
            raise ValueError(f"{n} along {axis} {why}; the next good size is {next_good_size(n)}")
    return points


def _interval(value: Any, *, minutes: bool = False) -> Any:
    if Every.parse(value).unit == "minutes" and not minutes:
        raise ValueError("minutes of real time are possible for output.checkpoint_every only")
    return value


Positive = Annotated[float, Field(gt=0)]
Points = Annotated[tuple[int, int, int], BeforeValidator(_three), AfterValidator(_good_sizes)]
Lengths = Annotated[tuple[Positive, Positive, Positive], BeforeValidator(_three)]
ProcessGrid = Annotated[
    tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)]], BeforeValidator(_listed)
]
Interval = Annotated[float | str, PlainValidator(_interval)]
CheckpointInterval = Annotated[float | str, PlainValidator(partial(_interval, minutes=True))]
FieldNames = Annotated[tuple[Literal["velocity", "vorticity"], ...], BeforeValidator(_listed)]
Spectrum = Annotated[tuple[Annotated[float, Field(ge=0)], ...], BeforeValidator(_listed)]


class Section(BaseModel):
    """Base of all sections: unknown keys are errors, nothing is converted, nothing changes afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class Grid(Section):
    """The box and its points."""

    points: Points = option(
        ...,
        "grid points along x, y, z, or one number; even, with factors 2, 3, 5, 7; nz = 1 is two-dimensional",
    )
    lengths: Lengths = option((2 * math.pi,) * 3, "box lengths along x, y, z, or one number", unit="length")
    dealias: Literal["2/3", "phase-shift", "phase-shift-exact", "none"] = option(
        "2/3", "which modes are kept and how aliases are removed"
    )
    shape: Literal["cube", "sphere"] = option(
        "cube", "shape of the kept modes with dealias = 2/3 (else always a sphere)"
    )
    shift_seed: int = option(0, "seed of the random grid shifts of dealias = phase-shift", ge=0, lt=2**31)

    @model_validator(mode="after")
    def _sphere_only_with_two_thirds(self) -> "Grid":
        if self.shape == "sphere" and self.dealias != "2/3":
            raise ValueError(
                f'grid.shape = "sphere" goes with grid.dealias = "2/3", not "{self.dealias}"; leave it out'
            )
        return self


class Flow(Section):
    """The equations."""

    model: Literal["navier-stokes"] = option("navier-stokes", "equation set")
    viscosity: float = option(..., "kinematic viscosity", unit="length²/time", ge=0)


class Time(Section):
    """The time scheme, its step (dt or courant) and the end (until, steps or both)."""

    scheme: Literal["rk2", "rk3", "rk4", "rk4-gill"] = option(
        "rk3", "Runge–Kutta scheme, its order in the name"
    )
    dt: float | None = option(None, "fixed time step; instead of courant", unit="time", gt=0)
    courant: float | None = option(
        None,
        f"Courant number dt·max(|u|/dx + |v|/dy + |w|/dz) that sets the step; {DEFAULT_COURANT} without dt",
        gt=0,
    )
    dt_max: float | None = option(None, "largest step with courant", unit="time", gt=0)
    until: float | None = option(None, "time to stop at, reached exactly", unit="time", gt=0)
    steps: int | None = option(None, "number of steps to stop after", ge=1)

    @model_validator(mode="before")
    @classmethod
    def _courant_unless_fixed(cls, data: Any) -> Any:
        if isinstance(data, dict) and data.get("dt") is None and data.get("courant") is None:
            return {**data, "courant": DEFAULT_COURANT}
        return data

    @model_validator(mode="after")
    def _consistent(self) -> "Time":
        if self.dt is not None and self.courant is not None:
            raise ValueError(
                f"time.dt = {self.dt} and time.courant = {self.courant} exclude each other; give one"
            )
        if self.dt is not None and self.dt_max is not None:
            raise ValueError(
                "time.dt_max goes with time.courant, not with the fixed step time.dt; leave one out"
            )
        if self.until is None and self.steps is None:
            raise ValueError("[time] has no end: give time.until, time.steps or both")
        return self


class TaylorGreen(Section):
    """Taylor–Green vortex: u = A sin x cos y cos z, v = −A cos x sin y cos z, w = 0."""

    name: Literal["taylor-green"]
    amplitude: float = option(1.0, "A", unit="length/time")


class Abc(Section):
    """Arnold–Beltrami–Childress: u = A sin z + C cos y, v = B sin x + A cos z, w = C sin y + B cos x."""

    name: Literal["abc"]
    A: float = option(1.0, "coefficient of sin z, cos z", unit="length/time")
    B: float = option(1.0, "coefficient of sin x, cos x", unit="length/time")
    C: float = option(1.0, "coefficient of sin y, cos y", unit="length/time")


class Random(Section):
    """Solenoidal field of random phases with E(k) ∝ k⁴ exp(−2 (k/k0)²), or with a given spectrum."""

    name: Literal["random"]
    k0: float | None = option(
        None,
        f"peak of E(k), in units of the box's smallest wavenumber; {DEFAULT_PEAK:g} without spectrum",
        gt=0,
    )
    energy: float | None = option(
        None, f"mean kinetic energy; {DEFAULT_ENERGY:g} without spectrum", unit="length²/time²", ge=0
    )
    spectrum: Spectrum | None = option(
        None,
        "energies of the shells 0, 1, 2, … in units of the smallest wavenumber",
        unit="length²/time²",
        min_length=2,
    )
    seed: int = option(0, "seed; the same field on any number of ranks", ge=0, lt=2**31)

    @model_validator(mode="before")
    @classmethod
    def _standard_form(cls, data: Any) -> Any:
        if isinstance(data, dict) and data.get("spectrum") is None:
            given = {key: value for key, value in data.items() if value is not None}
            return {"k0": DEFAULT_PEAK, "energy": DEFAULT_ENERGY, **given}
        return data

    @model_validator(mode="after")
    def _one_spectrum(self) -> "Random":
        if self.spectrum is not None and (self.k0 is not None or self.energy is not None):
            raise ValueError(
                "initial.spectrum gives every shell's energy; leave initial.k0 and initial.energy out"
            )
        return self


class FromFile(Section):
    """Velocity on the same grid: a snapshot of whorl, or u, v, w (nz, ny, nx) in an HDF5 or npz file."""

    name: Literal["from-file"]
    path: str = option(..., "the file; relative to the case file")


Initial = Annotated[TaylorGreen | Abc | Random | FromFile, Field(discriminator="name")]


class Output(Section):
    """What is written, where and how often: a number is time, "20 steps" steps, "never" only where noted."""

    directory: str | None = option(
        None, "output directory; the case's name by default, no files from a script"
    )
    series_every: Interval = option("10 steps", "rows of series.csv; also at the start and the end")
    spectra_every: Interval = option("100 steps", "spectra in spectra.h5; also at the start and the end")
    checkpoint_every: CheckpointInterval = option(
        "30 minutes", "checkpoints; also at the end and when stopped by a signal"
    )
    snapshot_every: Interval = option("never", "snapshots; also at the start and the end unless never")
    fields: FieldNames = option(("velocity", "vorticity"), "fields in a snapshot", min_length=1)
    snapshot_precision: Literal["single", "double"] = option("single", "precision of snapshots on disk")
    keep_checkpoints: int = option(2, "checkpoints kept on disk, the newest", ge=1)


class Run(Section):
    """How it is computed; the solution depends on these only by rounding."""

    precision: Literal["single", "double"] = option("double", "floating-point precision")
    threads: int = option(0, "threads a rank; 0: the cores available, shared fairly among the ranks", ge=0)
    process_grid: ProcessGrid = option((0, 0), "ranks as rows × columns; [0, 0]: chosen")
    batches: int = option(0, "parts the exchange is cut into; 0: chosen", ge=0)
    transport: Literal["alltoall"] = option("alltoall", "how ranks exchange data")
    device: Literal["cpu", "cuda"] = option("cpu", "where the fields live")


class Case(Section):
    """A whole case, from sections given as dicts or models. See also `load_case`.

    Raises CaseError naming the option, its value and what is allowed.
    """

    grid: Grid
    flow: Flow
    time: Time
    initial: Initial | None = None
    output: Output = Field(default_factory=Output)
    run: Run = Field(default_factory=Run)

    def __init__(self, **sections: Any):
        try:
            super().__init__(**sections)
        except ValidationError as error:
            raise CaseError(explain(error, Case)) from None

    def to_dict(self) -> dict[str, Any]:
        """Every option with its value, without those that are not set."""
        return self.model_dump(exclude_none=True)

    def to_toml(self) -> str:
        """All options, defaults too, with their help; `Case(**tomllib.loads(text))` equals the case."""
        document = tomlkit.document()
        for name, values in self.to_dict().items():
            table = tomlkit.table()
            fields = type(getattr(self, name)).model_fields
            for key, value in values.items():
                item = tomlkit.item(list(value) if isinstance(value, tuple) else value)
                about = describe(key, fields[key])
                if about.help:
                    item.comment(f"{about.help} [{about.unit}]" if about.unit else about.help)
                table.add(key, item)
            document.add(name, table)
        return tomlkit.dumps(document)

    def updated(self, settings: Sequence[str]) -> "Case":
        """A copy with dotted settings such as "grid.points=128" applied in order."""
        return Case(**apply_settings(self.to_dict(), settings))


def ready_cases() -> dict[str, Path]:
    """Names of the cases that come with whorl, with their files."""
    files = (Path(__file__).parent / "cases").glob("*.toml")
    return {path.stem: path for path in sorted(files, key=lambda path: path.stem)}


def load_case(source: str | Path, settings: Sequence[str] = ()) -> Case:
    """The case of a TOML file or of a ready case's name, with dotted settings ("key=value") applied.

    A relative initial.path in a file is taken from the file's own folder. Raises CaseError.
    """
    path = find_case(source)
    sections = read_toml(path)
    initial = sections.get("initial")
    if isinstance(initial, dict) and isinstance(initial.get("path"), str):
        initial["path"] = str(path.parent.resolve() / initial["path"])
    return Case(**apply_settings(sections, settings))


def find_case(source: str | Path) -> Path:
    """The file that `source`, a path or the name of a ready case, stands for."""
    if Path(source).is_file():
        return Path(source)
    ready = ready_cases()
    if str(source) in ready:
        return ready[str(source)]
    near = did_you_mean(str(source), ready) or "."
    raise CaseError(
        f"there is no case file {source} and no ready case of that name{near} "
        f"Ready cases: {', '.join(ready)} (see whorl cases)."
    )


def read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise CaseError(f"{path} cannot be read: {error}.") from None
    except tomllib.TOMLDecodeError as error:
        raise CaseError(f"{path} is not valid TOML: {error}.") from None


def apply_settings(sections: dict[str, Any], settings: Sequence[str]) -> dict[str, Any]:
    """`sections` with each "section.key=value" set; a value that is not TOML is taken as text.

    Setting one of time.dt and time.courant drops the other, a new initial.name the old one's parameters.
    """
    pairs = [_parse_setting(setting) for setting in settings]
    result = {
        name: dict(section) if isinstance(section, dict) else section for name, section in sections.items()
    }
    for name, key, value in pairs:
        section = result.setdefault(name, {})
        if not isinstance(section, dict):
            continue
        for rival in _RIVALS.get((name, key), ()):
            section.pop(rival, None)
        if (name, key) == ("initial", "name") and section.get("name") != value:
            section.clear()
    for name, key, value in pairs:
        if isinstance(result[name], dict):
            result[name][key] = value
    return result


_RIVALS = {
    ("time", "dt"): ("courant", "dt_max"),
    ("time", "courant"): ("dt",),
    ("initial", "spectrum"): ("k0", "energy"),
    ("initial", "k0"): ("spectrum",),
    ("initial", "energy"): ("spectrum",),
}


def _parse_setting(setting: str) -> tuple[str, str, Any]:
    key, equals, text = setting.partition("=")
    section, dot, name = key.strip().partition(".")
    if not (equals and dot and section and name) or "." in name:
        known = section in Case.model_fields
        hint = "" if known else nearest_key(section, Case)
        raise CaseError(f"--set {setting}: give section.key=value, for example grid.points=128{hint or '.'}")
    try:
        value = tomllib.loads(f"value = {text.strip()}")["value"]
    except tomllib.TOMLDecodeError:
        value = text.strip()
    return section, name, value
