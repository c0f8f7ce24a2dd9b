"""The language of expressions: what it refuses, with the place, and the plans it makes."""

import pickle
import re
import time
from pathlib import Path

import pytest
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.expressions.faults import ExpressionError
from whorl.expressions.histogram import Histogram
from whorl.expressions.language import FUNCTIONS
from whorl.expressions.parse import Parser, Vocabulary, component_text
from whorl.expressions.plan import plan
from whorl.expressions.vocabulary import vocabulary
from whorl.models import MODELS

FLOW = {"viscosity": 0.1}
TIME = {"dt": 0.1, "until": 1.0}


def parser(**sections) -> Parser:
    given = {"grid": {"points": 16}, "flow": FLOW, "time": TIME} | sections
    return Parser(vocabulary(Case(**given)))


def told(text: str, **sections) -> str:
    of = parser(**sections)
    return str(plan(of.graph, of.parse(text).nodes()))


# Texts with a part of the reason, and where they have a place what stands above the caret.
MALFORMED = [
    ("", "is empty", None),
    ("   \n ", "is empty", None),
    ("1 +", "invalid syntax", None),
    ("u.x u.y", "invalid syntax", None),
    ("dx(u.x", "never closed", "("),
    ("crul(u)", "there is no function crul(); did you mean curl?", "crul(u)"),
    ("2*dxx(u.x)", "there is no function dxx(); did you mean dx?", "dxx(u.x)"),
    ("d(u.x, x)", "there is no function d(); a derivative is dx(f), dy(f) or dz(f)", "d(u.x, x)"),
    ("maximum(u.x)", "called maximum(a, b); the largest value at all points is max(f)", "maximum(u.x)"),
    ("minimum(p)", "called minimum(a, b); the smallest value at all points is min(f)", "minimum(p)"),
    ("corr(u.x, p)", "no function corr(); the correlation coefficient is correlation(a, b)", "corr(u.x, p)"),
    ("1 + covariance(u, p)", "two values of one rank, not a vector and a number", "covariance(u, p)"),
    ("velocty.x", '"velocty" is not known; did you mean velocity?', "velocty"),
    ("nuu*u.x", '"nuu" is not known; did you mean nu?', "nuu"),
    ("b.x", '"b" is not known', "b"),
    ("theta", '"theta" is not known', "theta"),
    ("u.w", ".w is no component of a vector: they are .x, .y and .z", "u.w"),
    ("u.xy", ".xy is no component of a vector", "u.xy"),
    ("u.x.x", ".x is no component of a number: it has none", "u.x.x"),
    ("grad(u).x", "they are .xx, .xy and so on", "grad(u).x"),
    ("u.__class__", ".__class__ is no component", "u.__class__"),
    ("u.x.real", ".real is no component", "u.x.real"),
    ("__import__('os')", "there is no function __import__()", "__import__('os')"),
    ("__import__('os').system('true')", "an expression may not hold this", "__import__('os').system('true')"),
    ("(lambda: 1)()", "an expression may not hold this", "(lambda: 1)()"),
    ("[u.x for i in u]", "an expression may not hold this", "[u.x for i in u]"),
    ("u[0]", "an expression may not hold this", "u[0]"),
    ("{1: 2}", "an expression may not hold this", "{1: 2}"),
    ("(a := 1)", "an expression may not hold this", "a := 1"),
    ("'text'", "is no real number", "'text'"),
    ("1j*u.x", "is no real number", "1j"),
    ("True", "is no real number", "True"),
    ("u + 1", "a vector and a number have no sum", "u + 1"),
    ("grad(u) - u", "a tensor and a vector have no sum", "grad(u) - u"),
    ("u*u", "write dot, cross or outer", "u*u"),
    ("1/u", "divide by a number", "1/u"),
    ("u.x**u", "the exponent is a vector", "u.x**u"),
    ("u // 2", "the operators are", "u // 2"),
    ("u.x << 1", "the operators are", "u.x << 1"),
    ("u.x and u.y", '"and" does not go with values at points', "u.x and u.y"),
    ("not u.x", "write ~", "not u.x"),
    ("0 < u.x < 1", "it compares twice", "0 < u.x < 1"),
    ("u.x is u.y", "the comparisons are", "u.x is u.y"),
    ("mean(u.x^2)", "a power is written **", "u.x^2"),
    ("2^u.x", "a power is written **", "2^u.x"),
    ("u^(1/2)", "a power is written **", "u^(1/2)"),
    ("1 if u.x > 0 else 2", "an expression may not hold this", "1 if u.x > 0 else 2"),
    ("dx(u.x, u.y)", "it is called dx(f)", "dx(u.x, u.y)"),
    ("dx()", "it is called dx(f)", "dx()"),
    ("cross(u)", "it is called cross(a, b)", "cross(u)"),
    ("filter(u, k1=2)", "arguments have no names", "filter(u, k1=2)"),
    ("filter(u, 4, 2)", "is not below", "filter(u, 4, 2)"),
    ("filter(u, -1)", "is not below", "filter(u, -1)"),
    ("filter(u, t)", "numbers that are known beforehand", "filter(u, t)"),
    ("average(u)", "it is called average(f, r)", "average(u)"),
    ("average(u, 0)", "average takes a radius above 0, not 0", "average(u, 0)"),
    ("average(u, u.x)", "numbers that are known beforehand", "average(u, u.x)"),
    ("average(2*average(u, 1), 3)", "is an average over 1 already", "average(2*average(u, 1), 3)"),
    ("dx(*u)", "an expression may not hold this", "*u"),
    ("dot(u.x, u.y)", "dot takes vectors or tensors", "dot(u.x, u.y)"),
    ("curl(u.x)", "curl takes a vector", "curl(u.x)"),
    ("grad(grad(u))", "grad takes a number or a vector", "grad(grad(u))"),
    ("div(u.x)", "div takes a vector or a tensor", "div(u.x)"),
    ("det(u)", "it takes a tensor", "det(u)"),
    ("strain(u.x)", "it takes a vector", "strain(u.x)"),
    ("vector(u, 1, 2)", "vector takes three real numbers", "vector(u, 1, 2)"),
    ("where(u, u, grad(u))", "do not go together", "where(u, u, grad(u))"),
    ("dx(x*u.x)", "x is not periodic", "dx(x*u.x)"),
    ("u.x/0", "it divides by zero", "u.x/0"),
    ("10**10**10", "becomes inf", "10**10**10"),
    ("log(0)", "becomes -inf", "log(0)"),
    ("u.x*1e300*1e10", "becomes inf", "u.x*1e300*1e10"),
    ("u.x*1e308 + 9e307*u.x", "becomes inf", "u.x*1e308 + 9e307*u.x"),
    ("sqrt(-1)", "becomes nan", "sqrt(-1)"),
    ("u.x + 1" + "0" * 400, "a number in it is too large", None),
    ("curl", "curl is a function; write curl(f)", "curl"),
    ("1if u.x else 2", "an expression may not hold this", "1if u.x else 2"),
    ("2*u.x + 0x1for", "invalid syntax", None),
    ("1or u.x", '"or" does not go with values at points', "1or u.x"),
    ("u.x # + u.y", "an expression has no comments", "#"),
    ("u.x # one\n + u.y", "an expression has no comments", "#"),
    ("2*u\u200b.x", "U+200B (ZERO WIDTH SPACE), which is not seen", " "),
    (" \n 2*\u202eu.x", "U+202E (RIGHT-TO-LEFT OVERRIDE), which is not seen", " "),
    ("\ufeffu.x", "U+FEFF (ZERO WIDTH NO-BREAK SPACE), which is not seen", None),
    ("u.x\x00", "U+0000 (a control character), which is not seen", None),
    ("u.x*\x7f2", "U+007F (a control character), which is not seen", " "),
    ("u(3)", "u is no function", "u(3)"),
    ("1" + "+1" * 2500, "is too long", None),
    ("x" * 10**6, "is too long", None),
    ("(" * 10**6, "is too long", None),
    ("(" * 2000, "too many nested parentheses", None),
    ("-" * 3900 + "1", "nested too deeply", None),
    ("sin(" * 150 + "x" + ")" * 150, "nested too deeply", None),
    ("u.x" + "**2" * 300, "", None),
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("text", "reason", "place"), MALFORMED, ids=lambda value: str(value)[:30])
def test_malformed_texts_are_refused_with_the_place(text, reason, place):
    of, start = parser(), time.monotonic()
    with pytest.raises(ExpressionError) as refused:
        of.parse(text)
    assert time.monotonic() - start < 20
    assert isinstance(refused.value, CaseError)
    first, *rest = str(refused.value).split("\n")
    assert reason in first
    assert len(first) < 700
    if place:
        shown, carets = rest
        begin = carets.index("^")
        assert shown[begin : begin + len(place)] == place
        assert carets.count("^") == len(place)


@pytest.mark.parametrize("given", [3, ["u.x"], None])
def test_what_is_no_text_is_refused(given):
    with pytest.raises(ExpressionError, match=f"an expression is a text, .* type {type(given).__name__}"):
        parser().parse(given)


def test_a_list_of_names_that_is_cut_says_so():
    few, many = (Vocabulary(parameters={f"b{i}": 1.0 for i in range(n)}) for n in (2, 60))
    for known, end in ((few, "pi:"), (many, ", …:")):
        with pytest.raises(ExpressionError) as refused:
            Parser(known).parse("quite_another")
        assert str(refused.value).split("\n")[0].endswith(end)


def test_text_that_is_not_ascii_has_the_caret_below_it():
    with pytest.raises(ExpressionError) as refused:
        parser().parse("2*ν*u.x")
    shown, carets = str(refused.value).split("\n")[1:]
    assert shown[carets.index("^")] == "ν"


PLANS = [
    ("u.x", "1 input, 0 products, 0 operations a point"),
    ("dot(curl(u), curl(u))", "3 inputs, 0 products, 2 operations a point"),
    # One of the nine gradients follows from two others, and curl and strain from all of them.
    ("grad(u)", "8 inputs, 0 products, 2 operations a point"),
    ("strain(u)", "5 inputs, 0 products, 2 operations a point"),
    ("vector(det(grad(u)), norm(strain(u)), norm(curl(u)))", "8 inputs"),
    ("dz(dz(u.z)) + dx(dz(u.x))", "1 input"),
    ("vector(dz(dz(u.z)) + dx(dz(u.x)), dy(dz(u.y)), 0)", "1 input"),
    ("div(u)", "1 input, 0 products, 0 operations a point"),
    ("vector(div(u), 2*div(u), dx(u.x))", "3 inputs"),
    ("inv_lap(lap(u.x)) + 3*u.x - u.x", "1 input, 0 products, 0 operations"),
    ("u.x - u.x", "0 inputs, 0 products, 0 operations"),
    ("inv_lap(u.x*u.y)", "3 inputs, 1 product, 1 operation a point in 2 round trips"),
    ("p", "4 inputs, 6 products, 6 operations a point in 2 round trips"),
    ("u.x*u.y + u.y*u.x", "2 inputs, 0 products, 2 operations"),
    ("u.x - mean(u.x)", "1 input, 0 products, 1 operation a point, 1 mean in the modes"),
    ("u.x*mean(u.x*u.y + 2.0*u.z)", "1 input, 0 products, 1 operation a point, 2 means in the modes"),
    ("u.x*mean(u.x*u.y*u.z)", "4 inputs, 0 products, 3 operations a point in 2 round trips"),
    ("u.x/max(u.x)", "2 inputs, 0 products, 1 operation a point in 2 round trips"),
    ("max(u.x) - min(u.y)", "2 inputs, 0 products, 0 operations a point in 2 round trips"),
    ("abs(u.x)**2", "1 input, 0 products, 1 operation"),
    ("norm(u)**4", "3 inputs, 0 products, 3 operations"),
    ("mean(p**2)", "3 inputs, 6 products, 6 operations a point in 2 round trips, 1 mean in the modes"),
    ("dot(u, curl(u)) - 1.0*u.x*u.y", "6 inputs, 0 products, 3 operations"),
]


@pytest.mark.parametrize(("text", "words"), PLANS)
def test_a_plan_is_told(text, words):
    assert told(text).startswith(words)


def fields_of(*texts: str) -> list[int]:
    """The numbers of products of the fields that are transformed back."""
    of = parser()
    nodes = [node for text in texts for node in of.parse(text).nodes()]
    return sorted(len(one.parts) for stage in plan(of.graph, nodes).stages for one in stage.product_fields)


def test_products_are_summed_on_their_way_back_unless_they_are_needed_alone():
    assert fields_of("p") == fields_of("grad(p)") == fields_of("p", "lap(p) - 3.0*dx(p)") == [6]
    assert fields_of("div(u*u.x)") == fields_of("dz(div(u.x*u)) + 1.0*u.y") == [3]
    assert fields_of("filter(dx(u.x*u.y) + 1.0*u.x*u.z, 4)/2 + 1.0*u.x") == [2]
    assert fields_of("dx(u.x*u.y)", "dy(u.x*u.y)") == [1]
    assert fields_of("div(outer(u, u))") == [1] * 6  # each product is in two of these
    assert fields_of("p", "dx(u.x*u.y)") == [1] * 6
    assert fields_of("dx(dx(dx(u.x*u.y))) + 1.0*dy(u.x*u.z)") == [1, 1]  # the third derivative is too high
    assert fields_of("inv_lap(div(u.x*u)) + 1.0*filter(div(u.y*u), 4)") == [1] * 5  # u.x*u.y is in both
    assert fields_of("inv_lap(div(u.x*u)) + 1.0*filter(dy(u.y*u.y) + dz(u.y*u.z), 4)") == [2, 3]


def test_the_sum_of_a_form_and_its_parts_travels_once():
    assert told("vector(u.x, dx(u.y), u.x + 2.0*dx(u.y))").startswith("2 inputs, 0 products, ")


@pytest.mark.parametrize("model", MODELS)
def test_names_and_quantities_of_every_model(model):
    example = MODELS[model].example
    case = Case(
        **{section: dict(values) for section, values in example.items()}
        | {"flow": dict(example["flow"], model=model)}
    )
    of = Parser(vocabulary(case))
    for name in of.vocabulary.names:
        assert of.parse(name).nodes()
    for field, declared in (case.flow.outputs | case.flow.state).items():
        assert len(of.parse(field).nodes()) == declared.components


def test_the_velocity_of_a_vorticity():
    flow = {"model": "navier-stokes-2d", "viscosity": 0.1}
    assert told("u", flow=flow, grid={"points": [16, 16, 1]}).startswith("2 inputs, ")
    assert told("curl(u).z - omega", flow=flow, grid={"points": [16, 16, 1]}).startswith("1 input, ")


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("u", "u.x"),
        ("curl(u)", "curl(u).x"),
        ("(u + 1.0*omega)", "(u + 1.0*omega).x"),
        ("u + 1.0*omega", "(u + 1.0*omega).x"),
        ("curl(u) + curl(u)", "(curl(u) + curl(u)).x"),
        ("-curl(u)", "(-curl(u)).x"),
        ("(p)*curl(u)", "((p)*curl(u)).x"),
    ],
)
def test_the_label_of_a_component_is_that_component_as_an_expression(text, label):
    of = parser()
    assert component_text(text, (0,)) == label
    assert of.parse(label).scalar is of.parse(text).real[0]
    assert component_text("p + 1", ()) == "p + 1"


def test_complex_numbers():
    superfluid = {
        "flow": {"model": "gross-pitaevskii", "sound_speed": 1.0, "coherence_length": 0.1},
    }
    assert told("abs(psi)**2", **superfluid) == "2 inputs, 0 products, 1 operation a point"
    assert told("imag(conj(psi)*dx(psi))", **superfluid).startswith("4 inputs, 0 products, ")
    for text, reason in [
        ("exp(psi)", "exp of a complex value"),
        ("psi > 0", "of a complex value"),
        ("psi**0.5", "whole powers"),
    ]:
        with pytest.raises(ExpressionError, match=reason):
            parser(**superfluid).parse(text)


def test_the_page_has_every_function_and_quantity():
    page = (Path(__file__).parents[2] / "docs" / "expressions.md").read_text()
    for name in FUNCTIONS:
        assert re.search(rf"`[^`]*\b{name}\b[^`]*`", page), name
    assert "`p`" in page


def test_functions_tell_how_they_are_called():
    for name, function in FUNCTIONS.items():
        assert function.help, name
        assert function.takes(function.signature.partition("[")[0].count(",") + 1), name


def test_derivatives_and_filters_without_k_0_have_no_mean():
    for text in ("mean(dx(u.x))", "mean(inv_lap(u.y))", "mean(filter(u.x, 1, 3) + 1.0*lap(u.x))", "mean(p)"):
        assert told(text) == "0 inputs, 0 products, 0 operations a point", text
    assert told("mean(filter(u.x, 3) + 1.0*dx(u.y))").endswith(", 1 mean in the modes")


def test_extremes_count_among_what_a_round_trip_may_measure():
    of = parser()
    means = of.parse("mean(exp(u.x)) + max(u.x) + max(u.y) + min(u.z)").nodes()
    stages = plan(of.graph, [], means, most=3).stages
    assert [len((*stage.means, *stage.maxima)) for stage in stages] == [3, 1]
    assert [len(stage.maxima) for stage in plan(of.graph, [], means).stages] == [3]


def test_so_does_each_axis_and_weight_of_a_histogram():
    of = parser()
    x, y, z = of.parse("u").nodes()
    histograms = [Histogram((x, y), (4, 4), (z,)), Histogram((z,), (4,), (x,)), Histogram((y,), (4,))]
    stages = plan(of.graph, [], histograms=histograms, most=3).stages
    assert [tuple(stage.histograms) for stage in stages] == [(histograms[0],), (histograms[1], histograms[2])]


def test_an_error_is_the_same_on_other_ranks():
    with pytest.raises(ExpressionError) as error:
        told("dot(u, crul(u))")
    again = pickle.loads(pickle.dumps(error.value))
    assert type(again) is ExpressionError
    assert str(again) == str(error.value)
    assert str(again.at("here")).startswith("here: there is no function crul(); did you mean curl?:\n  dot")
