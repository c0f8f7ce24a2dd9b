"""Units of expressions: how they are written, what follows from what, and which sums are refused."""

from fractions import Fraction

import pytest
from support.cases import sections_of
from whorl.base.dimension import LENGTH, OF_CASE, PURE, TIME, Dimension, common, product
from whorl.cli.templates import example_case, example_sections
from whorl.config.case import Case
from whorl.config.measures import balances, exchanges, quantities
from whorl.config.outputs import FILES
from whorl.diagnostics.options import KINDS
from whorl.expressions.parse import ExpressionError, Parser
from whorl.expressions.questions import Questions
from whorl.expressions.vocabulary import vocabulary
from whorl.models import MODELS
from whorl.output.directory import MARK, RunDirectory
from whorl.probes.options import KINDS as PROBES

WRITTEN = [
    *("", "length", "1/length", "length²/time³", "1/(length² time²)", "density length²/time²", "√density"),
    *("1/(length time)", "length³/time²", "length^1.5/time", "density/time", "length⁴"),
]


@pytest.mark.parametrize("text", WRITTEN)
def test_a_unit_is_written_as_it_is_read(text):
    assert str(Dimension.of(text)) == text


def test_units_of_products_powers_and_the_case():
    velocity = LENGTH / TIME
    assert str(velocity**2 / TIME) == "length²/time³"
    assert str(Dimension.of("density") ** Fraction(1, 2)) == "√density"
    assert Dimension.of("1") == PURE == velocity / velocity
    assert [str(one) for one in (OF_CASE, OF_CASE**2, OF_CASE**-1, OF_CASE**2 * LENGTH)] == [
        *("case's units", "(case's units)²", "1/(case's units)", "(case's units)² length"),
    ]
    assert (common([LENGTH, LENGTH]), common([LENGTH, TIME]), common([LENGTH, None])) == (
        LENGTH,
        OF_CASE,
        OF_CASE,
    )
    assert (product(LENGTH, TIME), product(LENGTH, None)) == (LENGTH * TIME, None)


def parser_of(model, **sections):
    return Parser(vocabulary(Case(**(example_sections(MODELS[model]) | sections))))


SCALARS = {"scalars": [{"name": "ink", "diffusivity": 0.1, "gradient": [1.0, 0.0, 0.0]}]}
OF_FLOW = {
    "length/time": [
        *(
            "u",
            "u.x",
            "-u",
            "2*u",
            "u/3",
            "filter(u, 3)",
            "sector(u, 0, 1)",
            "average(u, 0.1)",
            "abs(u)",
            "norm(u)",
        ),
        *(
            "rms(u)",
            "std(u.x)",
            "max(u)",
            "min(u)",
            "sum(u)",
            "sqrt(dot(u, u))",
            "(norm(u)**2)**0.5",
            "hypot(u.x, u.y)",
        ),
        *(
            "copysign(u.x, u.y)",
            "fmod(u.x, u.y)",
            "u.x % u.y",
            "round(u.x)",
            "u - mean(u)",
            "u.x - 0.3",
            "u.x + 1",
        ),
        *(
            "u.x - sin(2*y)",
            "u.x*cos(y)",
            "0.5*u",
            "where(u.x > 0, u.x, 0)",
            "maximum(u.x, 0)",
            "minimum(u.y, u.x)",
        ),
        *(
            "vector(-u.y, u.x, 0)",
            "u + 0.01*lap(u)",
            "u.x + 0.1*z",
            "u.x + z",
            "u.x*ink",
            "conj(u)",
            "viscosity/Lx",
        ),
        *(
            "transpose(outer(u, u)).xy/u.z",
            "curl(inv_lap(omega))",
            "u.x + 0*p",
            "u.x + dz(u.x)*where(z < 1, 1.0, 2.0)",
        ),
    ],
    "1/time": ["dx(u)", "curl(u)", "grad(u)", "div(u)", "strain(u)", "rotation(u)", "trace(grad(u))"],
    "1/(length time)": ["lap(u)", "dx(dy(u.z))"],
    "length³/time": ["inv_lap(u)"],
    "1/time³": ["det(grad(u))", "R"],
    "length²/time²": ["dot(u, u)", "u @ u", "outer(u, u)", "cross(u, 2*u)", "p", "covariance(u, u)", "u**2"],
    "length²/time³": [
        "dissipation",
        "2*nu*sum(strain(u)**2)",
        "velocity_force_power",
        "nu*mean(dot(omega, omega))",
    ],
    "length^1.5/time^1.5": ["abs(u.x)**1.5", "sqrt(abs(u.x)**3)"],
    "": [
        *("u.x > 0", "~(u.x > 0)", "(u.x > 0) & (u.y < 1)", "sign(u.x)", "correlation(u.x, u.y)", "pi", "3"),
        *("arctan2(u.y, u.x)", "exp(-u.x**2/mean(u.x**2))", "mean(dx(u.x)**3)/mean(dx(u.x)**2)**1.5", "ink"),
        *("tanh(x)", "mean(ink**2)", "3*ink**(u.x/rms(u.x))", "norm(u)*Lx/nu", "u.x/0.25/u.y"),
    ],
    "1/length": ["dx(ink)", "2*pi/Lx"],
    "length": ["vector(0, x, 0)", "Lx"],
    None: [
        "0.01*u",
        "12.5*u",
        "0.01",
        "x - t",
        "vector(u.x, p, 0)",
        "where(u.x > 0, u.x, p)",
        "1 + cos(y)*u.x",
    ],
}


@pytest.mark.parametrize(
    ("unit", "text"), [(unit, text) for unit, texts in OF_FLOW.items() for text in texts]
)
def test_the_unit_of_an_expression(unit, text):
    found = parser_of("navier-stokes", **SCALARS).parse(text).unit
    assert (None if found is None else str(found)) == unit


@pytest.mark.parametrize(
    ("text", "one", "other"),
    [
        ("u + curl(u)", "length/time", "1/time"),
        ("u.x - p", "length/time", "length²/time²"),
        ("lap(u) + 2*u", "1/(length time)", "length/time"),
        ("mean(p**2) - mean(dissipation)", "length⁴/time⁴", "length²/time³"),
        ("0.01*p + (u.x + p)", "length/time", "length²/time²"),
        ("sqrt(nu + Lx)", "length²/time", "length"),
    ],
)
def test_a_sum_of_different_units_is_refused(text, one, other):
    with pytest.raises(ExpressionError) as refused:
        parser_of("navier-stokes").parse(text)
    reason = f"the sum adds different units ({one} and {other}): its parts need one unit; give a part its"
    assert refused.value.reason.startswith(reason)


def test_a_case_says_which_option_has_the_sum_and_the_remedy_helps():
    columns = {"output": {"columns": {"wrong": "mean(u.x**2 + omega.x)"}}}
    with pytest.raises(
        ExpressionError, match=r"^output\.columns\.wrong: the sum adds different units \(length"
    ):
        Case(**sections_of(**columns))
    columns["output"]["columns"]["wrong"] = "mean(u.x**2 + 1.0*omega.x)"
    (*_, column) = FILES["series"].columns_of(Case(**sections_of(**columns)))
    assert column.unit == "length²/time²"


@pytest.mark.parametrize("model", MODELS)
def test_no_quantity_or_term_of_a_model_is_refused(model):
    """Units of all quantities are known: in each model, also where fields are in units of their own."""
    scalars = SCALARS if MODELS[model].viscous else {}
    case = Case(**(example_sections(MODELS[model]) | scalars))
    parser = Parser(vocabulary(case))
    for name in quantities(case):
        assert parser.parse(name).unit is not None, name
    for balance in balances(case).values():
        texts = [*balance.terms.values(), *balance.turning.values(), *balance.together.values()]
        assert [parser.parse(one) for text in texts for one in text]
    for exchange in exchanges(case).values():
        parser.parse(exchange.term(exchange.giver))


def test_the_unit_of_a_loss_has_its_power():
    losses = {"viscosity": 0.1, "hyperviscosity": 0.1, "hyperviscosity_power": 3, "hypoviscosity": 0.1}
    parser = parser_of("navier-stokes", flow={"model": "navier-stokes"} | losses | {"drag": 0.1})
    assert str(parser.parse("hyperviscosity").unit) == "length⁶/time"
    assert str(parser.parse("hypoviscosity").unit) == "1/(length² time)"
    assert str(parser.parse("dissipation").unit) == "length²/time³"


def units_of(kind, model="navier-stokes", **options):
    case = example_case(MODELS[model])
    layout = KINDS[kind](kind=kind, **options).ask(Questions(Parser(vocabulary(case))), case)
    return {one.name: one.unit for one in (*layout.arrays, *layout.axes)}


def test_arrays_have_the_units_of_what_they_are_of():
    profile = units_of("profile", of=["u", "grad(p)/omega.x"])
    assert (profile["profile"], profile["variance"]) == ("length/time", "length²/time²")
    assert units_of("profile", of=["u", "p"])["profile"] == "case's units"
    assert units_of("profile", of="0.01*u.x")["variance"] == "(case's units)²"
    density = units_of("joint-pdf", of=["u.x", "p"], scale=["absolute", "absolute"])
    assert (density["pdf"], density["first"], density["second"]) == (
        *("time³/length³", "length/time", "length²/time²"),
    )
    assert units_of("pdf", of="u.x", scale="absolute")["pdf"] == "time/length"
    assert units_of("pdf", of="0.01*u.x", scale="absolute")["pdf"] == "1/(case's units)"
    assert units_of("spectrum", of="u", times="omega", density=True)["spectrum"] == "length²/time²"
    assert units_of("spectrum", of=["u", "omega"], density=True)["spectrum"] == "(case's units)² length"
    moments = units_of("structure-functions", of="u")
    assert (moments["flux_x"], moments["slope_x"]) == ("length³/time³", "length/time²")
    assert units_of("transfer", "gross-pitaevskii")["transfer"] == "density/time"
    acceleration = units_of("pressure")
    assert (acceleration["pressure_gradient"], acceleration["a0"]) == ("length²/time⁴", "")
    assert units_of("gradients")["betchov"] == units_of("gradients")["isotropy"] == ""


def test_probes_have_the_units_of_what_they_read():
    case = example_case(MODELS["mhd"])
    for of, unit in (("u", "length/time"), (["u", "b"], "length/time"), (["u", "j"], "case's units")):
        probe = PROBES["modes"](kind="modes", of=of, modes=[[1, 0, 0]])
        (amplitude,) = probe.layout(case, probe.reads(Parser(vocabulary(case)), case)).arrays
        assert amplitude.unit == unit


def test_a_run_with_a_sum_that_was_allowed_stays_readable(tmp_path):
    """Its case is not checked again, though a new case with this column is refused."""
    case = Case(**sections_of(output={"columns": {"sum": "mean(u.x**2 + 1.0*omega.x)"}}))
    place = RunDirectory(tmp_path)
    (tmp_path / MARK).touch()
    place.case_file.write_text(case.to_toml().replace("1.0*omega", "omega"))
    assert place.read_case().output.columns == {"sum": "mean(u.x**2 + omega.x)"}
    with pytest.raises(ExpressionError, match="the sum adds different units"):
        place.read_case().updated([])
