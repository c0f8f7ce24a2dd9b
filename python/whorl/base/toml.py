"""TOML within limits, so that any file or setting is accepted or refused at once.

The limits beyond the syntax: 1 MiB, tables nested 20 deep, whole numbers of 64 bits, as in TOML.
"""

import re
import tomllib
from tomllib import TOMLDecodeError
from typing import Any

MOST_BYTES = 2**20
TOO_LONG = f"it is longer than {MOST_BYTES // 2**20} MiB"
MOST_LEVELS = 20
LARGEST = 2**63
# The last line of a text whose first line names it; a text without it was cut.
END = "# end of the case"
CUT = f'it was cut: its last line, "{END}", is missing'
TOO_DEEP = f"tables or lists in it lie more than {MOST_LEVELS} deep in each other"
# QUOTED matches a string or a comment within one line, KEYS a key with its dots.
QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"?' + "|'[^'\\n]*'?|#[^\\n]*")
KEYS = re.compile(r'(?:[\w-]+|"")(?:[ \t]*\.[ \t]*(?:[\w-]+|""))*')


def loads(text: str) -> dict[str, Any]:
    """The tables in a text. Raises TOMLDecodeError with the reason."""
    if len(text) > MOST_BYTES:
        raise TOMLDecodeError(TOO_LONG)
    if is_cut(text):
        raise TOMLDecodeError(CUT)
    # The time that tomllib needs for a key grows with the square of the number of its parts.
    if any(key[0].count(".") > MOST_LEVELS for key in KEYS.finditer(QUOTED.sub('""', text))):
        raise TOMLDecodeError(TOO_DEEP)
    try:
        tables = tomllib.loads(text)
    except RecursionError:
        raise TOMLDecodeError("tables or lists in it lie too deep in each other") from None
    except TOMLDecodeError:
        raise
    except ValueError as error:  # a number with more digits than Python reads
        raise TOMLDecodeError(f"a number in it cannot be read ({str(error).partition(':')[0]})") from None
    _check(tables)
    return tables


def is_cut(text: str) -> bool:
    """Whether the end that the first line names is missing."""
    first, _, rest = text.partition("\n")
    return f'"{END}"' in first and END not in rest.splitlines()


def single_value(text: str) -> Any:
    """The value in a text. Raises TOMLDecodeError, also if the text holds more than a value."""
    tables = loads(f"value = {text}")
    if tables.keys() != {"value"}:
        raise TOMLDecodeError("it holds more than a value")
    return tables["value"]


def _check(tables: dict[str, Any]) -> None:
    """Raises TOMLDecodeError if values are nested too deeply or are larger than TOML allows."""
    level: list[Any] = [tables]
    for _ in range(MOST_LEVELS):
        for value in level:
            if isinstance(value, int) and not -LARGEST <= value < LARGEST:
                raise TOMLDecodeError("a whole number in it has more than 64 bits")
        level = [
            inner
            for value in level
            if isinstance(value, dict | list)
            for inner in (value.values() if isinstance(value, dict) else value)
        ]
        if not level:
            return
    raise TOMLDecodeError(TOO_DEEP)
