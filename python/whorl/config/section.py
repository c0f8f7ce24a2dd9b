"""The base class of the sections of a case, the declaration of an option and the types that options share."""

from collections.abc import Iterable
from functools import partial, reduce
from operator import or_
from typing import Annotated, Any, ClassVar, Literal, get_args

from annotated_types import Gt
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationInfo,
    field_validator,
)

from whorl.base.declared import CHOICES, SIZES
from whorl.config.clock import LONGEST, Every, Instant
from whorl.config.sizes import LARGEST_FACTOR, next_good_size, prime_factors

LARGEST_COUNT = 65536  # threads, rows or columns of ranks, batches
Seed = Annotated[int, Field(ge=0, lt=2**31)]
# The seeds of the fields of a case differ by this times their place in the state.
STRIDE = 15485863
LARGEST_NUMBER = LONGEST  # in any option, so that squares fit; its inverse is the smallest positive number
LARGEST_LENGTH = 1e12  # of a box; its inverse is the smallest: squared wavenumbers fit in single precision


class Section(BaseModel):
    """Base of all sections: unknown keys are errors, nothing is converted, nothing changes afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    # The options that each option excludes: setting it on the command line drops them.
    rivals: ClassVar[dict[str, tuple[str, ...]]] = {}

    @field_validator("*")
    @classmethod
    def _of_usual_size(cls, value: Any, about: ValidationInfo) -> Any:
        numbers = value if isinstance(value, tuple) else (value,)
        if any(isinstance(number, float) and abs(number) > LARGEST_NUMBER for number in numbers):
            raise ValueError(f"it must be at most {LARGEST_NUMBER:g} in size; choose other units")
        positive = any(isinstance(bound, Gt) for bound in cls.model_fields[about.field_name].metadata)
        if positive and isinstance(value, float) and value < 1 / LARGEST_NUMBER:
            raise ValueError(f"it must be at least {1 / LARGEST_NUMBER:g}; choose other units")
        return value


def option(default: Any, help: str, *, unit: str | None = None, **constraints: Any) -> Any:
    """A field with its help and unit; `...` as default makes it required."""
    return Field(default, description=help, json_schema_extra={"unit": unit}, **constraints)


def one_of(kinds: Iterable[type[BaseModel]], key: str) -> Any:
    """The type of a section of any of these kinds, chosen by its word `key`."""
    return Annotated[reduce(or_, kinds), Field(discriminator=key)]


def tag_of(section: type[BaseModel]) -> str:
    """The word that chooses a section among its alternatives: its `kind`, `model` or `name`."""
    return get_args(section.model_fields[tag_key(section)].annotation)[0]


def tag_key(section: type[BaseModel]) -> str:
    """The option that holds this word."""
    return next(key for key in ("kind", "model", "name") if key in section.model_fields)


def block_of(section: str, number: int, name: str) -> str:
    """The name of a block in messages; blocks of a list are counted from 0, as in settings."""
    return f'{section}[{number}] ("{name}")'


def at_most_one(section: Section, place: str, *names: str) -> None:
    """Raises ValueError if more than one of these options of [place] is given."""
    given = [
        f"{place}.{name} = {getattr(section, name):g}" for name in names if getattr(section, name) is not None
    ]
    if len(given) > 1:
        raise ValueError(f"{' and '.join(given)} exclude each other; give one")


def given_one(data: Any, name: str, default: float, *others: str) -> Any:
    """The data of a section, with `name` = default where none of the options `name` and `others` is given."""
    if isinstance(data, dict) and all(data.get(option) is None for option in (name, *others)):
        return {**data, name: default}
    return data


def three(value: Any) -> Any:
    """Three values, one for each axis; a single number stands for all three."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return (value,) * 3
    if not isinstance(value, list | tuple) or len(value) != 3:
        raise ValueError("it must be one number, or three in the order x, y, z")
    return tuple(value)


def vector(value: Any) -> Any:
    """Three components; a single number stands for a vector along z."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return (0.0, 0.0, value)
    if not isinstance(value, list | tuple) or len(value) != 3:
        raise ValueError("it must be three numbers in the order x, y, z, or one: along z")
    return tuple(value)


def listed(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def one_or_listed(value: Any) -> Any:
    """A list; one text stands for a list of one."""
    return (value,) if isinstance(value, str) else listed(value)


def two(value: Any) -> Any:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ValueError("it must be two whole numbers, rows and columns of ranks")
    return tuple(value)


def usual_lengths(lengths: tuple[float, float, float]) -> tuple[float, float, float]:
    if not all(1 / LARGEST_LENGTH <= length <= LARGEST_LENGTH for length in lengths):
        raise ValueError(
            f"lengths must be {1 / LARGEST_LENGTH:g} to {LARGEST_LENGTH:g}; choose another unit of length"
        )
    return lengths


def path_of_file(text: str) -> str:
    if not text or "\0" in text:
        raise ValueError("it must be a path" if text else "it is empty; leave it out, or give a path")
    return text


def good_sizes(points: tuple[int, int, int]) -> tuple[int, int, int]:
    for axis, n in zip("xyz", points, strict=True):
        if axis != "x" and n == 1:
            continue
        if not SIZES["least"] <= n <= SIZES["most"]:
            flat = "" if axis == "x" else f"; along {axis} also 1: two-dimensional flow"
            raise ValueError(f"the size along {axis} must be {SIZES['least']} to {SIZES['most']}{flat}")
        if n != next_good_size(n):
            factors = prime_factors(n)
            why = f"has the prime factor {factors[-1]}" if factors[-1] > LARGEST_FACTOR else "is odd"
            raise ValueError(f"{n} along {axis} {why}; the next good size is {next_good_size(n)}")
    return points


def _interval(value: Any, *, real_time: bool = False) -> Any:
    if Every.parse(value).unit == "minutes" and not real_time:
        raise ValueError("an interval of real time is possible for output.checkpoint_every only")
    return value if isinstance(value, str) else float(value)


def _instant(value: Any, *, zero: bool = False) -> Any:
    instant = Instant.parse(value, zero=zero)
    return value if isinstance(value, str) else instant.time


Linear = Literal[*CHOICES["linear"]]  # type: ignore[valid-type]
Precision = Literal[*CHOICES["precision"]]  # type: ignore[valid-type]
Positive = Annotated[float, Field(gt=0)]
Share = Annotated[float, Field(gt=0, lt=1)]
NotNegative = Annotated[float, Field(ge=0)]
Points = Annotated[tuple[int, int, int], BeforeValidator(three), AfterValidator(good_sizes)]
Lengths = Annotated[
    tuple[Positive, Positive, Positive], BeforeValidator(three), AfterValidator(usual_lengths)
]
FilePath = Annotated[str, AfterValidator(path_of_file)]
Vector = Annotated[tuple[float, float, float], BeforeValidator(vector)]
Names = Annotated[tuple[str, ...], BeforeValidator(listed)]
Numbers = Annotated[tuple[NotNegative, ...], BeforeValidator(listed)]
Count = Annotated[int, Field(ge=0, le=LARGEST_COUNT)]
ProcessGrid = Annotated[tuple[Count, Count], BeforeValidator(two)]
Interval = Annotated[float | str, PlainValidator(_interval)]
# The validators check the bounds, too; here they are for `explain`.
EndOfRun = Annotated[float | str, Field(gt=0), PlainValidator(_instant)]
Beginning = Annotated[float | str, Field(ge=0), PlainValidator(partial(_instant, zero=True))]
CheckpointInterval = Annotated[float | str, PlainValidator(partial(_interval, real_time=True))]
