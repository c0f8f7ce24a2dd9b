"""Whatever is typed: a case, or one paragraph within two seconds; inputs are drawn from grammars."""

import string
import time
import warnings

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.examples import examples
from whorl.base import toml
from whorl.base.errors import CaseError
from whorl.base.text import LONGEST
from whorl.config.case import Case, load_case
from whorl.config.explain import options
from whorl.expressions.faults import ExpressionError
from whorl.expressions.language import FUNCTIONS
from whorl.expressions.parse import Parser, Vocabulary
from whorl.expressions.points import AtPoints

SECONDS = 2.0  # of the processor
KEYS = [option.key.split(".") for option in options(Case) if option.key.count(".") == 1]
NAMES = sorted({name for _, name in KEYS})
BASE = {
    "grid": {"points": "8"},
    "flow": {"viscosity": "0.1"},
    "time": {"dt": "0.1", "steps": "1"},
    "initial": {"name": '"abc"'},
}

OF_FIELDS = [name for name, one in FUNCTIONS.items() if not one.local]
OPERATORS = "+ - * / // % ** < == & | ^ and or is in , if << @ := .".split()  # noqa: SIM905

number = st.one_of(
    st.integers().map(str),
    st.floats().map(repr),
    st.sampled_from(["1e400", "-0", "0x" + "f" * 30, "1_0", "+inf", "nan", "07", "9" * 4400, "1979-05-27"]),
    st.sampled_from(["1e-310", "5e-324", "-1e-310", "2.2e-308", "1e-30", "1e30"]),
)
# Characters that do not show, that turn what follows, or that a terminal obeys.
HIDDEN = [
    "\u200b",
    "\u202e",
    "\u2066",
    "\u00ad",
    "\ufeff",
    "\x1b[31m",
    "\x07",
    "\x7f",
    "\u0301",
]
text = st.text(max_size=8).map(lambda t: '"' + "".join(f"\\U{ord(c):08x}" for c in t) + '"')
value = st.recursive(
    st.one_of(number, text, st.sampled_from(["true", "{}", "[]", "", "=", '"', "'''", "[[", "8 # eight"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda parts: f"[{', '.join(parts)}]"),
        st.dictionaries(st.sampled_from([*NAMES, "x", '""']), inner, max_size=3).map(
            lambda table: "{" + ", ".join(f"{key} = {entry}" for key, entry in table.items()) + "}"
        ),
    ),
    max_leaves=8,
)
key = st.one_of(st.sampled_from(NAMES), st.text(string.ascii_letters, min_size=1, max_size=12))
section = st.one_of(st.sampled_from(sorted({name for name, _ in KEYS})), st.just("[scalars]"), key)


@st.composite
def case_texts(draw):
    """A case that is right, with some options changed or added, and sections of any name."""
    tables = {name: dict(table) for name, table in BASE.items()}
    for name in draw(st.lists(section, max_size=4)):
        tables.setdefault(name, {}).update(draw(st.dictionaries(key, value, max_size=3)))
    return "\n".join(
        f"[{name}]\n" + "\n".join(f"{key} = {entry}" for key, entry in table.items())
        for name, table in tables.items()
    )


setting = st.one_of(
    st.tuples(st.sampled_from(KEYS), value).map(lambda pair: f"{'.'.join(pair[0])}={pair[1]}"),
    st.tuples(section, value).map("=".join),
    st.tuples(section, key, key, value).map(lambda parts: f"{'.'.join(parts[:3])}={parts[3]}"),
    st.tuples(st.sampled_from(KEYS), st.sampled_from(HIDDEN), value).map(
        lambda parts: f"{parts[1].join(parts[0])}={parts[2]}"
    ),
    st.integers(1, 3000).map(lambda parts: f"{'.'.join(['a'] * parts)}=1"),
    st.text(max_size=20),
)
plain_formula = st.recursive(
    st.sampled_from(["x", "y", "z", "pi", "1", "2.5", "1e400", "10**10", "q", "True", "'a'", "1j", "()"]),
    lambda inner: st.one_of(
        st.tuples(
            inner,
            st.sampled_from(OPERATORS),
            inner,
        ).map(" ".join),
        st.tuples(st.sampled_from(["-", "+", "~", "not", "lambda:", "*"]), inner).map(" ".join),
        st.tuples(
            st.sampled_from([*sorted(FUNCTIONS), "sum", "max", "real", "eval", "f"]),
            st.lists(inner, max_size=3),
        ).map(lambda call: f"{call[0]}({', '.join(call[1])})"),
        inner.map(lambda part: f"({part})"),
    ),
    max_leaves=12,
)

PUT = [*HIDDEN, "\u2028", "if ", "1if", "#", "\n", "\\", "ﬁ", "𝑥"]
# With one of these put somewhere, and cut somewhere.
formula = st.one_of(
    plain_formula,
    st.tuples(
        plain_formula, st.integers(0, 40), st.sampled_from([*HIDDEN, "if ", "1if", "#", "\n", "\\"])
    ).map(lambda parts: parts[0][: parts[1]] + parts[2] + parts[0][parts[1] :]),
    st.tuples(plain_formula, st.integers(0, 40)).map(lambda parts: parts[0][: parts[1]]),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One for all examples; nothing but the case may be in it."""
    folder = tmp_path_factory.mktemp("fuzz")
    yield folder
    assert [path.name for path in folder.iterdir()] == ["case.toml"]


def check(call, *refusals: type[Exception]) -> None:
    """It returns, or refuses in one readable paragraph, at once."""
    began = time.process_time()
    try:
        call()
    except refusals as error:
        message = str(error)
        assert message
        assert len(message) <= LONGEST + 3
        assert message.isprintable()
    assert time.process_time() - began < SECONDS


@given(case_texts())
def test_a_case(folder, text):
    (folder / "case.toml").write_text(text, encoding="utf-8", errors="surrogatepass")
    check(lambda: load_case(folder / "case.toml").to_toml(), CaseError)


@given(
    case_texts(),
    st.sampled_from(["utf-8-sig", "utf-16", "utf-32", "latin-1", "cp1252", "shift-jis", "utf-7"]),
    st.floats(0, 1),
    st.sampled_from(["", "\0", *HIDDEN]),
)
@settings(max_examples=examples(100))
def test_a_case_in_any_encoding_with_hidden_characters_and_cut(folder, text, encoding, share, hidden):
    at = int(share * len(text))
    whole = (text[:at] + hidden + text[at:]).encode(encoding, "replace")
    for data in (whole, whole[: int(share * len(whole))]):
        (folder / "case.toml").write_bytes(data)
        check(lambda: load_case(folder / "case.toml").to_toml(), CaseError)


@given(st.lists(setting, min_size=1, max_size=3))
@example(["grid.points=8\n[run]\nthreads=1"])
@example(["grid.points=8", "grid=[0]"])
@example(["grid.5=8", "grid=[0]"])
def test_settings(folder, given):
    (folder / "case.toml").write_text(
        "\n".join(
            f"[{name}]\n" + "\n".join(f"{key} = {entry}" for key, entry in table.items())
            for name, table in BASE.items()
        )
    )
    check(lambda: load_case(folder / "case.toml", given).to_toml(), CaseError)


@given(formula)
@example("1if x else 2")
@example("x*\u200by")
@example("\u202ex + y")
@settings(max_examples=300)
def test_a_formula_that_is_taken_has_a_value(text):
    """One that is refused is refused when it is checked, not at the points; what is taken can be seen."""
    began = time.process_time()
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            value = Parser(Vocabulary(refused=dict.fromkeys(OF_FIELDS, "it is of fields"))).parse(text)
    except ExpressionError:
        pass
    else:
        assert not any(character in text.strip() for character in HIDDEN)
        nodes = value.nodes()
        x, y, z = np.full(2, 0.25), np.full(3, 0.5), np.full(4, 0.75)
        AtPoints(nodes).put((x, y, z), {}, np.empty((len(nodes), 4, 3, 2)))
    assert said == []
    assert time.process_time() - began < SECONDS


@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_text_that_is_no_toml(text):
    check(lambda: toml.loads(text), toml.TOMLDecodeError)
