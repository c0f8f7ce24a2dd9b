"""Columns, fields of snapshots and diagnostics that a case types as text: what is refused, and how."""

import json
import time

import pytest
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.diagnostics.options import KINDS
from whorl.expressions.case import snapshot_components, snapshot_entry

BASE = {
    "grid": {"points": 16},
    "flow": {"viscosity": 0.1},
    "time": {"dt": 0.05, "until": 0.5},
    "initial": {"name": "taylor-green"},
}
POINTWISE = "it differs from point to point; write mean"

COLUMNS = [
    ({"e": "dot(u, u)"}, f"^output.columns.e: {POINTWISE}"),
    ({"e": "mean(u)"}, "^output.columns.e: a column is one real number, and this is a vector"),
    ({"e": "mean(u.w)"}, "^output.columns.e: .w is no component of a vector"),
    ({"e": ""}, "^output.columns.e: the expression is empty"),
    ({"e": "mean(u.x"}, "^output.columns.e: "),
    ({"e": "__import__('os').system('true')"}, "^output.columns.e: "),
    ({"e": "-" * 150 + "t"}, "^output.columns.e: it is nested too deeply"),
    ({"e": "1+" * 500_000 + "1"}, "^output.columns.e: an expression of 1000001 characters"),
    ({"e": "mean(psi)"}, '^output.columns.e: "psi" is not known'),
    ({"e": 3}, "^output.columns.e = 3 .* it must be text in quotes"),
    ({"energy": "mean(u.x)"}, "^output.columns.energy is a column of series.csv already"),
    ({"time": "t"}, "^output.columns.time is a column of series.csv already"),
    ({"2e": "t"}, '^output.columns holds the name "2e": it must begin with a letter'),
    ({"e/f": "t"}, '^output.columns holds the name "e/f": it must begin'),
    ({"e" * 70: "t"}, "it must have at most 64 letters"),
    ("e", '^output.columns = "e" .* it must be a table of texts by name, such as {NAME = "…"}'),
]


@pytest.mark.parametrize(("columns", "words"), COLUMNS)
def test_columns_that_are_refused(columns, words):
    refused({"output": {"columns": columns}}, words)


FIELDS = [
    (["curl(u)"], r'^output.fields = "curl\(u\)" needs a name: write "NAME = curl\(u\)"'),
    (["velocty"], '^output.fields = "velocty" is no field .* did you mean velocity; it must be one of'),
    (["omga"], '^output.fields = "omga" is no field .* did you mean omega; it must be one of'),
    (["x"], '^output.fields = "x" is no field'),
    (["Q = u.x", "Q = u.y"], '^output.fields holds "Q" twice'),
    (["velocity", "velocity"], '^output.fields holds "velocity" twice'),
    (["velocity = u"], 'velocity is a name that flow.model = "navier-stokes" has'),
    (["time = u.x"], "time is a name that whorl's files use themselves"),
    (["component = u"], "component is a name that whorl's files use themselves"),
    (["Q = u.q"], "^output.fields, Q: .q is no component"),
    (["Q = "], "^output.fields, Q: the expression is empty"),
    (["Q == u.x"], "needs a name"),
    (["Q = __import__('os')"], "^output.fields, Q: "),
]


@pytest.mark.parametrize(("fields", "words"), FIELDS)
def test_fields_that_are_refused(fields, words):
    refused({"output": {"fields": fields}}, words)


DIAGNOSTICS = [
    ({"kind": "pdff", "of": "u"}, r'^diagnostics\[0\].kind = "pdff" is unknown; did you mean pdf\?'),
    ({"of": "u"}, r"^diagnostics\[0\].kind is missing; choose one of pdf"),
    ({"kind": "pdf"}, r"^diagnostics\[0\].of .* is missing"),
    ({"kind": "pdf", "of": "u.w"}, "^diagnostics.pdf.of: .w is no component"),
    ({"kind": "pdf", "of": []}, "it must be a list of at least 1"),
    ({"kind": "pdf", "of": "u", "bin": 3}, "bin is not an option .* did you mean diagnostics.*bins"),
    ({"kind": "pdf", "of": "u", "bins": 0}, "it must be at least 1"),
    ({"kind": "pdf", "of": "u", "bins": 10**7}, "it must be at most 100000"),
    ({"kind": "pdf", "of": "u", "range": [1, 0]}, "two numbers, the smaller one first"),
    ({"kind": "pdf", "of": "u", "range": 3.0}, "range = 3"),
    (
        {"kind": "pdf", "of": "u", "range": [0, 1e-320]},
        r"^diagnostics\[0\].range = .* must be at least 1e-30 apart; choose other units\.$",
    ),
    (
        {"kind": "joint-pdf", "of": ["u.x", "u.y"], "range": [[-1e40, 1], [0, 1]]},
        r"^diagnostics\[0\].range\[0\] = .* both must be at most 1e\+30 in size",
    ),
    (
        {"kind": "structure-functions", "separations": [True]},
        r"^diagnostics\[0\].separations = \[true\] \(.*\): it must be logarithmic or all, or a list of whole "
        r"numbers\.$",
    ),
    (
        {"kind": "structure-functions", "separations": "logaritmic"},
        r"or a list of whole numbers; did you mean logarithmic\?$",
    ),
    ({"kind": "pdf", "of": "u", "scale": "lin"}, "it must be one of std, absolute, log"),
    ({"kind": "pdf", "of": "u", "name": "a/b"}, "it must begin with a letter"),
    ({"kind": "pdf", "of": "u", "every": "3 parsecs"}, "every"),
    ({"kind": "pdf", "of": "u", "every": "3 minutes"}, "interval of real time"),
    ({"kind": "pdf", "of": ["u.x"] * 101}, "at most 100 are taken"),
    ({"kind": "pdf", "of": ["u", "u.x", "u.x"]}, "^diagnostics.pdf.of holds u.x more than once; give"),
    ({"kind": "spectrum", "of": ["u", "p", "u"]}, "^diagnostics.spectrum.of holds u more than once"),
    ({"kind": "structure-functions", "of": ["p", "p"]}, "^diagnostics.structure-functions.of holds p more"),
    ({"kind": "moments", "of": "u", "order": 2}, "it must be at least 3"),
    ({"kind": "moments", "of": "u", "order": 40}, "it must be at most 12"),
    ({"kind": "joint-pdf", "of": ["u.x"]}, "of"),
    ({"kind": "joint-pdf", "of": ["u", "u.y"]}, "^diagnostics.joint-pdf.of needs two numbers"),
    ({"kind": "joint-pdf", "of": ["u.x", "u.y"], "bins": [0, 5]}, "must be 1 to 1000 each"),
    ({"kind": "joint-pdf", "of": ["u.x", "u.y"], "bins": [5, 5000]}, "must be 1 to 1000 each"),
    ({"kind": "conditional", "of": "u"}, "given .* is missing"),
    ({"kind": "conditional", "of": "u", "given": "u"}, "given needs one number, not a vector"),
    ({"kind": "conditional", "of": "u", "given": "u.x +"}, "^diagnostics.conditional.given: "),
    ({"kind": "profile", "of": "u", "along": "t"}, "it must be one of x, y, z"),
    (
        {"kind": "pdf", "of": "dx(u.x)", "scale": "log"},
        "^diagnostics.pdf.of: .* needs a mean that is not zero",
    ),
    ({"kind": "pdf", "of": "2 + t"}, "^diagnostics.pdf.of: it is the same at all points"),
    ({"kind": "slice", "of": "u"}, "^diagnostics.slice.at is missing: the grid has .* planes across z; give"),
    ({"kind": "slice", "of": "u", "at": 7.0}, "^diagnostics.slice.at: z = 7 is outside the box, 0 to 6.28"),
    ({"kind": "slice", "of": "u", "at": -1.0}, "^diagnostics.slice.at: z = -1 is outside the box"),
    ({"kind": "slice", "of": "u", "at": 1.0, "stride": 0}, "it must be at least 1"),
    ({"kind": "slice", "of": "grad(u.w)", "at": 1.0}, "^diagnostics.slice.of: .w is no component"),
    ({"kind": "slice", "of": "2 + t", "at": 1.0}, "^diagnostics.slice.of: it is the same at all points"),
    ({"kind": "line", "of": "u", "at": [1.0]}, "at"),
    ({"kind": "line", "of": "u", "along": "y", "at": [1.0, 9.0]}, "^diagnostics.line.at: z = 9 is outside"),
    ({"kind": "spectrum", "of": "x*u"}, "^diagnostics.spectrum.of: x is not periodic"),
    ({"kind": "spectrum", "of": "mean(u)"}, "^diagnostics.spectrum.of: it is the same at all points"),
    ({"kind": "spectrum", "of": "u", "times": "u.x"}, "two real values of one rank, not a vector and a"),
    ({"kind": "spectrum", "of": "u", "times": "u.q"}, "^diagnostics.spectrum.times: .q is no component"),
]


@pytest.mark.parametrize(("options", "words"), DIAGNOSTICS)
def test_diagnostics_that_are_refused(options, words):
    refused({"diagnostics": [options]}, words)


def test_two_diagnostics_of_one_name_are_refused():
    refused({"diagnostics": [{"kind": "pdf", "of": "u"}] * 2}, "^two diagnostics are called pdf; give diagn")


def test_turnovers_are_of_viscous_flows_alone():
    superfluid = {"model": "gross-pitaevskii", "sound_speed": 1.0, "coherence_length": 0.1}
    refused(
        {"flow": superfluid, "diagnostics": [{"kind": "pdf", "of": "abs(psi)", "every": "1 turnovers"}]},
        "diagnostics.pdf.every = .* counts turnovers",
    )


def refused(sections, words):
    began = time.monotonic()
    with pytest.raises(CaseError, match=words) as error:
        Case(**{**BASE, **sections})
    assert time.monotonic() - began < 20
    paragraph, *shown = str(error.value).split("\n")
    assert len(paragraph) <= 1600
    # Below it there may be the text and the caret.
    assert len(shown) in (0, 2)
    if shown:
        assert set(shown[1].strip()) == {"^"}


def test_a_case_with_expressions_is_written_and_read_again():
    import tomllib

    case = Case(
        **BASE,
        output={"columns": {"skew": "mean(dx(u.x)**3)"}, "fields": ["velocity", "Q = det(grad(u))", "p"]},
        diagnostics=[
            {"kind": "pdf", "of": ["grad(u)", "p"], "every": "2 turnovers"},
            {"kind": "joint-pdf", "of": ["u.x", "u.y"], "name": "both", "range": [[-5, 5], [0.0, 1.0]]},
        ],
    )
    assert Case(**tomllib.loads(case.to_toml())) == case
    assert case.updated(["diagnostics.0.bins=50"]).diagnostics[0].bins == 50
    changed = case.updated(["output.columns.more=mean(u.x*u.y)"])
    assert changed.output.columns == {"skew": "mean(dx(u.x)**3)", "more": "mean(u.x*u.y)"}
    assert snapshot_components(case) == 5


def test_names_of_snapshot_entries():
    assert snapshot_entry("Q = u.x > 0") == ("Q", "u.x > 0")
    assert snapshot_entry("velocity") == ("velocity", "velocity")
    assert snapshot_entry("a == b") == ("a == b", "a == b")


def test_every_kind_says_what_it_measures():
    for kind in KINDS.values():
        assert kind.__doc__.strip().endswith(".")
        json.dumps(kind.model_json_schema())
