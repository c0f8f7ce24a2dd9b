"""Text for display, from any characters."""

import math
import shlex
import unicodedata
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context

LONGEST = 1600  # characters of a message, as many as a terminal of 24 lines shows
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
BEGINNING = 1100  # of these, characters before the gap; the remedy is at the end


def one_paragraph(text: str) -> str:
    """The text with control characters spelled out, shortened in the middle to fit a screen."""
    text = spelled(text)
    return text if len(text) <= LONGEST else f"{text[:BEGINNING]} … {text[BEGINNING - LONGEST :]}"


def spelled(text: str) -> str:
    """The text with unprintable characters, such as a newline or a null, escaped as in Python."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def hidden_in(text: str) -> tuple[int, str] | None:
    """The place and the name of the first invisible character that is not white space, or None."""
    for place, character in enumerate(text):
        if not (character.isprintable() or character.isspace()):
            name = unicodedata.name(character, "a control character")
            return place, f"U+{ord(character):04X} ({name})"
    return None


def in_words(parts: Sequence[str]) -> str:
    """Texts joined as in a sentence: a, b and c."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def counted(number: int, thing: str) -> str:
    """A number of things: 1 step, 2 steps."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def sentence(text: str) -> str:
    """The clause with a full stop and a capital letter, unless it begins with a symbol of one letter."""
    told = text.strip().rstrip(".")
    return f"{told}." if told[1:2] in ("", " ") else f"{told[:1].upper()}{told[1:]}."


def typed(path: object) -> str:
    """A path as typed in a shell, with unprintable characters spelled out."""
    return spelled(shlex.quote(str(path)))


def storable(text: str) -> str:
    r"""The text in valid UTF-8: bytes of a path that are not characters become \x and two digits."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


UNITS_OF_BYTES = (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("kB", 10**3), ("B", 1))


def told_size(count: int) -> str:
    """A number of bytes as text, in decimal units."""
    unit, size = next(one for one in UNITS_OF_BYTES if one[1] <= max(count, 1))
    return f"{count / size:.3g} {unit}"


def in_powers(number: float, digits: int = 6) -> str:
    """A number with at most `digits` digits; a large or small one has a power of ten: 3·10⁶."""
    number = float(f"{number:.{digits}g}")
    mantissa, _, exponent = f"{number:g}".partition("e")
    if not exponent:
        return mantissa
    power = f"10{str(int(exponent)).translate(SUPERSCRIPTS)}"
    return power if mantissa == "1" else f"{mantissa}·{power}"


def with_error(mean: float, error: float) -> str:
    """A mean and its standard error with two digits of the error: 0.4213 ± 0.0072, (1.20 ± 0.31)·10⁻⁵."""
    if not math.isfinite(error):
        return f"{in_powers(float(f'{mean:.3g}'))} ± unknown"
    if error == 0:
        return in_powers(mean)
    power = math.floor(math.log10(max(abs(mean), error)))
    shift = power if not -3 <= power < 5 else 0
    mean, error = mean / 10.0**shift, float(f"{error:.1e}") / 10.0**shift
    decimals = min(max(0, 1 - math.floor(math.log10(error))), 12)
    told = f"{mean:z.{decimals}f} ± {error:.{decimals}f}"
    return f"({told})·10{str(shift).translate(SUPERSCRIPTS)}" if shift else told


def rounded_down(value: float, digits: int) -> str:
    """The number rounded down to `digits` digits."""
    return _rounded(value, digits, ROUND_FLOOR)


def rounded_up(value: float, digits: int) -> str:
    """The number rounded up to `digits` digits: a value above a limit is printed above it."""
    return _rounded(value, digits, ROUND_CEILING)


def _rounded(value: float, digits: int, way: str) -> str:
    return f"{float(Context(digits, way).create_decimal(repr(float(value)))):.{digits}g}"
