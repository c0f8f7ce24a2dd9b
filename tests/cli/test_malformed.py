"""Malformed expressions and diagnostics, as typed: each is refused with a paragraph that tells the place.

The exit code is 2, within a second, nothing is written, and nothing that is typed is executed.
"""

import json
import time

import pytest
from cli.commands import CASE, contents

NESTED = "sin(" * 150 + "x" + ")" * 150
SPY = "__import__('pathlib').Path('executed').touch()"


def column(text, words):
    """A column of the series called e."""
    return f"output.columns.e={json.dumps(text, ensure_ascii=False)}", ("output.columns.e", words)


def field(text, words):
    """A field of snapshots called Q."""
    return f"output.fields=[{json.dumps('Q = ' + text)}]", ("output.fields", words)


def diagnostic(words, **options):
    """One block of diagnostics."""
    block = ", ".join(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in options.items())
    return f"diagnostics=[{{{block}}}]", ("diagnostics", words)


def elsewhere(words, model, grid, **options):
    """One block of diagnostics in another flow."""
    setting, told = diagnostic(words, **options)
    return [f"flow={model}", f"grid={grid}", 'initial={name="zero"}', setting], told


def pdf(text, words):
    """A text in a diagnostic."""
    return diagnostic(words, kind="pdf", of=text)


PLANE = ("{viscosity=0.1}", "{points=[16, 16, 1]}")
PLATES = (
    '{model="rayleigh-benard", rayleigh=1000, prandtl=1}',
    '{points=16, lengths=[2, 2, 1], bases="SFF"}',
)
SUPERFLUID = ('{model="gross-pitaevskii", sound_speed=1, coherence_length=1}', "{points=16}")
SLANTED = ('{model="navier-stokes-2d", viscosity=0.1, beta=1}', "{points=[16, 16, 1]}")
LONG = ("{viscosity=0.1}", "{points=[600, 16, 16]}")
LARGE = ("{viscosity=0.1}", "{points=64}")
MALFORMED = {
    "empty": column("", "is empty"),
    "spaces": column("  \t ", "is empty"),
    "half": column("mean(u.x", "was never closed"),
    "no operator": column("mean(u.x) mean(u.y)", "invalid syntax"),
    "a million characters": pdf("u.x" + "+1" * 500_000, "an expression of 1000003 characters is too long"),
    "a million brackets": field("(" * 10**6, "is too long"),
    "brackets": field("(" * 2000, "too many nested parentheses"),
    "signs": column("-" * 3900 + "t", "is nested too deeply"),
    "nested functions": pdf(NESTED, "is nested too deeply"),
    "powers": column("2**" * 90 + "2", "becomes inf"),
    "huge power": column("9**9**9**9", "becomes inf"),
    "huge number": column("1" + "0" * 400, "a number in it is too large"),
    "null": column("t\0t", "U+0000 (a control character), which is not seen"),
    "new line": column("t\nt", "invalid syntax"),
    "import": column(SPY, "may not hold this"),
    "import alone": pdf("__import__('os')", "there is no function __import__()"),
    "eval": field("eval('1')", "there is no function eval()"),
    "open": field("open('executed', 'w')", "there is no function open()"),
    "lambda": column(f"(lambda: {SPY})()", "may not hold this"),
    "comprehension": pdf("[u.x for i in u]", "may not hold this"),
    "walrus": column("(t := 3)", "may not hold this"),
    "subscript": pdf("u[0]", "may not hold this"),
    "format": column("f'{t}'", "may not hold this"),
    "class": pdf("u.__class__", ".__class__ is no component of a vector"),
    "globals": pdf("dx.__globals__", "dx is a function"),
    "method": pdf("u.x.real", ".real is no component of a number"),
    "component": pdf("u.w", "they are .x, .y and .z"),
    "components of a tensor": pdf("grad(u).x", "they are .xx, .xy and so on"),
    "unknown function": pdf("crul(u)", "there is no function crul(); did you mean curl?"),
    "unknown name": pdf("velocty.x", '"velocty" is not known; did you mean velocity?'),
    "field of another model": column("mean(b.x)", '"b" is not known'),
    "sum of ranks": pdf("u + 1", "a vector and a number have no sum"),
    "product of vectors": pdf("u*u", "write dot, cross or outer"),
    "division by a vector": pdf("1/u", "divide by a number"),
    "division by zero": pdf("u.x/0", "it divides by zero"),
    "curl of a number": field("curl(u.x)", "curl takes a vector"),
    "determinant of a vector": field("det(u)", "it takes a tensor"),
    "arguments": field("cross(u)", "it is called cross(a, b)"),
    "names of arguments": field("filter(u, k1=2)", "arguments have no names"),
    "star": field("dx(*u)", "may not hold this"),
    "derivative of position": field("dx(x*u.x)", "x is not periodic"),
    "and": pdf("u.x and u.y", '"and" does not go with values at points'),
    "two comparisons": pdf("0 < u.x < 1", "it compares twice"),
    "complex": pdf("1j*u.x", "is no real number"),
    "text": pdf("'u.x'", "is no real number"),
    "NaN": column("nan", '"nan" is not known'),
    "becomes NaN": column("sqrt(-1)", "becomes nan"),
    "Greek": pdf("ν*u.x", "is not known"),
    "a column at points": column("u.x", "it differs from point to point"),
    "a column that is a vector": column("mean(u)", "a column is one real number"),
    "a column of another's name": ('output.columns.energy="t"', ("output.columns.energy", "already")),
    "a field without a name": ('output.fields=["curl(u)"]', ("output.fields", 'write "NAME = curl(u)"')),
    "two fields of one name": ('output.fields=["Q = u.x", "Q = u.y"]', ("output.fields", '"Q" twice')),
    "unknown kind": diagnostic("did you mean pdf?", kind="pfd", of="u"),
    "no kind": diagnostic("kind is missing", of="u"),
    "kind no text": diagnostic("kind", kind=3, of="u"),
    "nothing to measure": diagnostic("is missing", kind="pdf"),
    "an empty list": diagnostic("at least 1", kind="moments", of=[]),
    "unknown option": diagnostic("did you mean", kind="pdf", of="u", bin=3),
    "renamed option": diagnostic(".correct_shells? Options are", kind="spectrum", of="u", compensate=True),
    "no bins": diagnostic("it must be at least 1", kind="pdf", of="u", bins=0),
    "too many bins": diagnostic("it must be at most 100000", kind="pdf", of="u", bins=10**9),
    "half a bin": diagnostic("whole number", kind="pdf", of="u", bins=1.5),
    "upside down": diagnostic("the smaller one first", kind="pdf", of="u", range=[1, -1]),
    "an empty range": diagnostic("the smaller one first", kind="pdf", of="u", range=[1, 1]),
    "three ends": diagnostic("range", kind="pdf", of="u", range=[1, 2, 3]),
    "unknown scale": diagnostic("it must be one of std, absolute, log", kind="pdf", of="u", scale="lin"),
    "logarithm of no mean": diagnostic("a mean that is not zero", kind="pdf", of="dx(u.x)", scale="log"),
    "the same everywhere": pdf("2 + t", "it is the same at all points"),
    "never mind": diagnostic("every", kind="pdf", of="u", every="0 steps"),
    "every zero": diagnostic("every", kind="pdf", of="u", every=0),
    "every less": diagnostic("every", kind="pdf", of="u", every=-1.0),
    "unknown interval": diagnostic("every", kind="pdf", of="u", every="3 parsecs"),
    "a name with a slash": diagnostic("it must begin with a letter", kind="pdf", of="u", name="../a"),
    "too many quantities": diagnostic("at most 100 are taken", kind="pdf", of=["u.x"] * 101),
    "low order": diagnostic("it must be at least 3", kind="moments", of="u", order=1),
    "high order": diagnostic("it must be at most 12", kind="moments", of="u", order=99),
    "order NaN": ("diagnostics=[{kind='moments', of='u', order=nan}]", ("diagnostics", "order")),
    "range NaN": ("diagnostics=[{kind='pdf', of='u', range=[nan, 1]}]", ("diagnostics", "range")),
    "range infinite": ("diagnostics=[{kind='pdf', of='u', range=[-inf, inf]}]", ("diagnostics", "range")),
    "one of two": diagnostic("of", kind="joint-pdf", of=["u.x"]),
    "vectors of two": diagnostic("needs two numbers", kind="joint-pdf", of=["u", "u.x"]),
    "bins of two": diagnostic("must be 1 to 1000 each", kind="joint-pdf", of=["u.x", "u.y"], bins=[0, 5]),
    "without condition": diagnostic("given", kind="conditional", of="u"),
    "vector as condition": diagnostic("needs one number", kind="conditional", of="u", given="u"),
    "along time": diagnostic("it must be one of x, y, z", kind="profile", of="u", along="t"),
    "cospectrum of ranks": diagnostic("two real values of one rank", kind="spectrum", of="u", times="u.x"),
    "spectrum of position": diagnostic("x is not periodic", kind="spectrum", of="x*u"),
    "unknown coordinate": diagnostic("did you mean kpar?", kind="spectrum", of="u", over="kr"),
    "a coordinate twice": diagnostic("over names kx twice", kind="spectrum", of="u", over=["kx", "kx"]),
    "three coordinates": diagnostic("one coordinate, or two", kind="transfer", over=["kx", "ky", "kz"]),
    "no coordinate": diagnostic("one coordinate, or two", kind="transfer", over=[]),
    "unknown axis": diagnostic("it must be one of x, y, z", kind="transfer", over="kpar", axis="w"),
    "unknown shells": diagnostic("did you mean logarithmic?", kind="shell-to-shell", shells="logaritmic"),
    "edges that fall": diagnostic("which rise from 0 or more on", kind="spectrum", of="u", shells=[1, 4, 2]),
    "one edge": diagnostic("edges are two numbers at least", kind="shell-to-shell", shells=[1]),
    "an edge below 0": diagnostic("which rise from 0 or more on", kind="transfer", shells=[-1, 1]),
    "an edge that is true": diagnostic("or a list of numbers", kind="transfer", shells=[0, True]),
    "edges NaN": ("diagnostics=[{kind='transfer', shells=[0, nan]}]", ("[0].shells = ", "which rise")),
    "edges infinite": ("diagnostics=[{kind='transfer', shells=[0, inf]}]", ("[0].shells = ", "which rise")),
    "edges beyond all modes": diagnostic("begin at 99, beyond all k", kind="transfer", shells=[99, 100]),
    "no sectors": diagnostic("it must be at least 1", kind="spectrum", of="u", over="angle", sectors=0),
    "corrected planes": diagnostic(
        'is for spectra over = "k"', kind="spectrum", of="u", over="kx", correct_shells=True
    ),
    "unknown balance": diagnostic("did you mean energy?", kind="transfer", of="energi"),
    "a balance twice": diagnostic("holds energy more than once", kind="transfer", of=["energy", "energy"]),
    "unknown exchange": diagnostic("no exchange u to b here, but u to u", kind="shell-to-shell", of="u to b"),
    "an exchange twice": diagnostic("more than once", kind="ring-to-ring", of=["u to u", "u to u"]),
    "sector upside down": pdf("sector(u, 1, 0.5)", "sector"),
    "sector about no axis": pdf("sector(u, 0, 1, w)", '"w" is not known'),
    "one point along": elsewhere("one point along z", *PLANE, kind="spectrum", of="u", over="kz"),
    "no angle": elsewhere("one point along z", *PLANE, kind="transfer", over=["k", "angle"]),
    "no angle of rings": elsewhere("one point along z, and all wavenumbers", *PLANE, kind="ring-to-ring"),
    "spectrum between walls": elsewhere("is for periodic boxes", *PLATES, kind="spectrum", of="u"),
    "transfer between walls": elsewhere("is for periodic boxes", *PLATES, kind="transfer"),
    "shells between walls": elsewhere("is for periodic boxes", *PLATES, kind="shell-to-shell"),
    "rings between walls": elsewhere("is for periodic boxes", *PLATES, kind="ring-to-ring"),
    "no exchanges": elsewhere("is not possible with flow.model", *SUPERFLUID, kind="shell-to-shell"),
    "components without p": elsewhere("p is not known", *SLANTED, kind="transfer", components=True),
    "too many bins of modes": elsewhere(
        "bins, more than 131072", *LONG, kind="spectrum", of="u", over=["k", "angle"], sectors=1000
    ),
    "too many rings": elsewhere("rings, more than 1000", *LARGE, kind="ring-to-ring", sectors=90),
    "two of one name": (
        "diagnostics=[{kind='pdf', of='u'}, {kind='pdf', of='p'}]",
        ("two diagnostics", "pdf"),
    ),
    "no list": ('diagnostics="pdf"', ("diagnostics", "")),
}


@pytest.mark.parametrize(("setting", "words"), MALFORMED.values(), ids=MALFORMED.keys())
def test_it_is_refused_in_a_paragraph(whorl, tmp_path, setting, words):
    (tmp_path / "box.toml").write_text(CASE)
    before, began = contents(tmp_path), time.monotonic()
    settings = [setting] if isinstance(setting, str) else setting
    result = whorl("run", "box.toml", *(word for one in settings for word in ("--set", one)))
    took = time.monotonic() - began
    assert (result.code, result.out) == (2, ""), result.err[:2000]
    paragraph, *shown = result.err.rstrip("\n").split("\n")
    assert paragraph.startswith("whorl: ")
    assert not paragraph.endswith("?.")
    for word in words:
        assert word in paragraph
    assert len(paragraph) <= 1700
    assert len(shown) in (0, 2)
    if shown:
        assert set(shown[1].strip()) == {"^"}
        assert max(map(len, shown)) <= 130
    assert contents(tmp_path) == before
    assert took < 20  # what grows with the nesting takes minutes


def test_there_are_fifty_and_more():
    assert len(MALFORMED) >= 50
