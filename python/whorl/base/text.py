"""Text for display, from any characters."""

import shlex

LONGEST = 1600  # characters of a message, which a terminal of 24 lines shows
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
BEGINNING = 1100  # of these, characters before the gap; the remedy is at the end


def one_paragraph(text: str) -> str:
    """The text with control characters spelled out, shortened in the middle to what a screen shows."""
    text = spelled(text)
    return text if len(text) <= LONGEST else f"{text[:BEGINNING]} … {text[BEGINNING - LONGEST :]}"


def spelled(text: str) -> str:
    """The text with unprintable characters, such as a newline or a null, as Python writes them."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def typed(path: object) -> str:
    """A path as typed in a shell, with unprintable characters spelled out."""
    return spelled(shlex.quote(str(path)))


def storable(text: str) -> str:
    r"""The text in valid UTF-8: bytes of a path that are not characters become \x and two digits."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def in_powers(number: float) -> str:
    """A number with six digits; a large or small one has a power of ten: 3·10⁶."""
    mantissa, _, exponent = f"{number:g}".partition("e")
    if not exponent:
        return mantissa
    power = f"10{str(int(exponent)).translate(SUPERSCRIPTS)}"
    return power if mantissa == "1" else f"{mantissa}·{power}"
