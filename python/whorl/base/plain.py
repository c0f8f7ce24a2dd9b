"""Plain replacements for characters that a terminal cannot show, such as ν in ISO 8859-1."""

import codecs
import sys
import unicodedata
from typing import Any

PLAIN = {
    **dict(zip("ΓΔΠΣΩ", ("Gamma", "Delta", "Pi", "Sigma", "Omega"), strict=True)),
    **dict(zip("αβγδεζηθ", ("alpha", "beta", "gamma", "delta", "eps", "zeta", "eta", "theta"), strict=True)),
    **dict(zip("κλμνξπρσ", ("kappa", "lambda", "mu", "nu", "xi", "pi", "rho", "sigma"), strict=True)),
    **dict(zip("τφχψωℓ∂∇", ("tau", "phi", "chi", "psi", "omega", "l", "d", "grad "), strict=True)),
    **dict(zip("–—…′·×÷±", ("-", "-", "...", "'", ".", "x", "/", "+-"), strict=True)),
    **dict(zip("−∓√∝∞∫≈≤≥", ("-", "-+", "sqrt", "~", "inf", "int ", "~", "<=", ">="), strict=True)),
    **dict(zip("←→⟨⟩⁄─│┃━╸╺•", ("<-", "->", "<", ">", "/", "-", "|", "|", "-", "-", "-", "*"), strict=True)),
}
ERRORS = "whorl.plain"
UNKNOWN = "?"


def plain(text: str) -> str:
    """The text in ASCII characters."""
    shown, raised = "", False
    for character in text:
        before, raised = raised, "<super>" in unicodedata.decomposition(character)
        shown += f"^{_letters(character)}" if raised and not before else _letters(character)
    return shown


def _letters(character: str) -> str:
    if character in PLAIN:
        return PLAIN[character]
    parts = unicodedata.normalize("NFKD", character)
    letters = "".join(PLAIN.get(part, part) for part in parts if not unicodedata.combining(part))
    if not letters.isascii() or not letters:
        return "" if unicodedata.combining(character) else UNKNOWN
    return letters


def _stand_in(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return plain(error.object[error.start : error.end]), error.end


codecs.register_error(ERRORS, _stand_in)


def showable(text: str, stream: Any) -> str:
    """The text with plain replacements for the characters that a stream cannot show."""
    encoding = getattr(stream, "encoding", None) or "ascii"
    return text.encode(encoding, ERRORS).decode(encoding)


def show_what_is_possible() -> None:
    """Let standard output and standard error replace characters that they cannot show."""
    for stream in (sys.stdout, sys.stderr):
        encoding = getattr(stream, "encoding", None) or "utf-8"
        if hasattr(stream, "reconfigure") and codecs.lookup(encoding).name != "utf-8":
            stream.reconfigure(errors=ERRORS)


def write_as_file(text: str) -> None:
    """Write the text of a file to standard output, in UTF-8 unless it is a terminal."""
    if hasattr(sys.stdout, "reconfigure") and not sys.stdout.isatty():
        sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(text)
    sys.stdout.flush()
