"""Suggestions for unknown words: the nearest of some choices, or of options."""

import difflib
import re
from collections.abc import Iterable, Mapping

from pydantic.fields import FieldInfo


def _plainest(word: str) -> str:
    """A word in lower case, with 0 for o and _ for -, which users mix up."""
    return word.lower().translate(str.maketrans("o-", "0_"))


# Known words by those that users may type instead, as _plainest writes them.
MEANT = {
    _plainest(word): _plainest(meant)
    for meant, words in {
        "cuda": ("gpu", "nvidia"),
        "hip": ("amd",),
        "points": ("n", "nx", "resolution"),
        "lengths": ("l",),
        "until": ("end", "t_end", "tmax", "t_max"),
        "courant": ("cfl",),
        "directory": ("dir",),
        "correct_shells": ("compensate",),  # its earlier name
    }.items()
    for word in words
}
# Symbols in the helps of options, by the names that users type.
GREEK = dict(
    zip(
        ("alpha", "beta", "eta", "kappa", "mu", "nu", "omega", "rho", "sigma", "tau", "xi"),
        ("α", "β", "η", "κ", "μ", "ν", "Ω", "ρ0", "σ", "τ", "ξ"),
        strict=True,
    )
)
WORDS = re.compile(r"(?<![/\w])\w+(?![/\w(])")  # and symbols, which are neither part of a ratio nor functions
FIRST_WORDS = 4
SHORT_WORD = 3  # characters: such words are alike by chance
LONGEST_WORD = 100  # characters: a longer word resembles no known word


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """The words "; did you mean …?" for the nearest choice, or nothing."""
    near = nearest(word, choices)
    return f"; did you mean {near}?" if near else ""


def nearest(word: str, choices: Iterable[str], cutoff: float = 0.6) -> str:
    """The most similar choice, or none; the case of letters, O for 0 and - for _ make no difference."""
    if len(word) > LONGEST_WORD:
        return ""
    by_name: dict[str, str] = {}
    for choice in choices:
        by_name.setdefault(_plainest(choice), choice)
    plain = _plainest(word)
    meant = plain if plain in by_name else MEANT.get(plain, plain)
    near = difflib.get_close_matches(meant, list(by_name), 1, cutoff)
    return by_name[near[0]] if near else ""


def told_by(word: str, fields: Mapping[str, FieldInfo]) -> str:
    """The first option whose help begins with a word, or its symbol (ν for nu), in its FIRST_WORDS words."""
    symbols = {word, GREEK.get(word.lower(), word)}
    for name, field in fields.items():
        first = WORDS.findall(field.description or "")[:FIRST_WORDS]
        if not symbols.isdisjoint(first) or (len(word) > SHORT_WORD and nearest(word, first, 0.85)):
            return name
    return ""
