"""Programs of expressions against NumPy: every operator, on any ranks and device."""

import numpy as np
import pytest
from support import flows
from support.build import LEFT_OUT
from support.programs import (
    LENGTHS,
    POINTS,
    PRESSURE,
    RULES,
    TIME,
    between_walls,
    case_of,
    expected,
    names_of,
    smooth,
    worked_out,
    worked_out_together,
)
from support.ranks import on_ranks, run_on
from support.twin import Twin
from whorl import _core
from whorl.base.ranks import MPI
from whorl.expressions.answers import answer
from whorl.expressions.faults import ExpressionError
from whorl.expressions.operations import OPERATIONS

pytestmark = pytest.mark.every_device

OPERATORS = [
    *("u", "u.y", "dx(u.x)", "dy(u)", "dz(u.z)", "grad(u)", "grad(u.x)", "grad(u).xy", "div(u)", "curl(u)"),
    *(
        "lap(u)",
        "inv_lap(u)",
        "inv_lap(lap(u))",
        "filter(u, 3)",
        "filter(u, 2, 6)",
        "sector(u, 0.3, 1.1)",
        "sector(dx(u.y), 0, 0.7, x) + 1.0*sector(sector(u.y, 0.2, 1.0, y), 0.5, 2, y)",
        "average(u, 0.3)",
        "average(u.x*u.y, 1.7)",
        "dx(average(u.y, 0.3))",
        "average(dx(u.y) + 1.0*filter(u.x, 5), 1e-4)",
        "average(2*nu*sum(strain(u)**2), 0.3)",
        "mean(average(u.x, 0.5)*u.y)",
        "strain(u)",
        "rotation(u)",
    ),
    *("dot(u, curl(u))", "dot(grad(u), u)", "u @ grad(u)", "grad(u) @ grad(u)", "cross(u, curl(u))"),
    *(
        "outer(u, u)",
        "norm(u)",
        "norm(strain(u))",
        "sum(strain(u)**2)",
        "trace(grad(u))",
        "transpose(grad(u))",
    ),
    *(
        "det(grad(u))",
        "vector(u.y, x, 2)",
        "omega",
        "vorticity",
        "p",
        "grad(p)",
        "lap(p)",
        "div(div(outer(u, u)))",
    ),
    # Even and odd derivatives.
    *("inv_lap(u.x*u.y + 1.0*dx(u.x*u.z))", "filter(u.x*u.y - 1.0*dy(u.y*u.z), 4)", "dx(u.x*u.y)"),
    *("inv_lap(u.x*u.y - 1.0*u.z)", "filter(u.x*u.y, 4)", "dy(3*u.x*u.y + 1.0*u.z)", "lap(dot(u, u))"),
    # Products that are summed on their way back: of one flux, of several, of unlike and of high orders.
    *(
        "div(outer(u, u))",
        "div(u.x*u)",
        "dx(dx(u.x*u.x)) + 2*dx(dy(u.x*u.y)) + dy(dy(u.y*u.y))",
        "dx(u.x*u.y) + dy(u.y*u.z)",
    ),
    *("filter(1.0*dx(dx(u.x*u.y)) + 1.0*u.y*u.z - dz(u.x*u.z), 4)", "dx(dx(dx(u.x*u.y))) + 2.0*dy(u.x*u.z)"),
    *("dx(u.x*u.x) + dx(u.x*u.y) + dx(u.y*u.y) + dx(u.y*u.z)/3", "mean(p*u.x)", "std(p)", "div(u)*u.x"),
    *("x", "y", "z", "t*x", "Lx*y", "nu*lap(u) - u @ transpose(grad(u))", "2*nu*sum(strain(u)**2)", "pi"),
    *("-u.x + +u.y", "u.x/(2 + u.y**2)", "u.x % 1", "u.x**3", "u.x**-2", "abs(u.x)**0.5", "abs(u.x)**1.5"),
    *(
        "sin(u.x)",
        "cos(u.x)",
        "exp(u.x)",
        "log(1 + u.x**2)",
        "sqrt(abs(u.y))",
        "tanh(u.z)",
        "abs(u)",
        "sign(u)",
    ),
    *(
        "floor(u.x)",
        "where(u.x > u.y, u.x, u.y)",
        "minimum(u.x, 0)",
        "maximum(u.x, u.y)",
        "arctan2(u.x, u.y)",
    ),
    *("expm1(u.x)", "log1p(u.x**2)", "log2(1 + u.x**2)", "log10(1 + u.x**2)", "tan(u.x)", "arcsin(u.x/9)"),
    *("arccos(u.x/9)", "arctan(u.x)", "sinh(u.x)", "cosh(u.x)", "arcsinh(u.x)", "arccosh(1 + u.x**2)"),
    *("arctanh(u.x/9)", "ceil(3*u.x)", "trunc(3*u.x)", "round(3*u.x)"),
    *("(u.x > 0) & (u.y <= 0)", "(u.x < 0) | (u.y >= 0)", "u.x == u.x", "u.x != 0", "~(u.x > 0)"),
    *("mean(u)", "mean(u.x*u.y)", "std(u.x)", "rms(u)", "(u.x - mean(u.x))/std(u.x)", "mean(dot(u, u))*u.x"),
    *("covariance(u.x, u.y + 2)", "correlation(u.x, 1.0*dx(u.y) + u.x)", "correlation(u, 1.0*omega - u)"),
    *("covariance(grad(u), strain(u))", "covariance(u.x*u.y, u.z)"),
    *("max(u)", "min(u)", "max(-1 - u.x**2)", "min(2 + abs(u.y))", "max(u.x*u.y) - min(x*u.z)", "max(3)"),
    *("u.x/max(norm(u))", "max(mean(u.x)*u.y + 1.0*max(u.z))", "min(y - max(x))"),
    *("mean(u.x**2 - 1.0*max(u.x))",),
    # Products in sums are worked out in one operation.
    *("u.x*u.y + 1.0*u.z", "1.0*u.z + u.x*u.y", "u.x*u.y + u.z*u.z"),
    *("u.x*u.y - 1.0*u.z", "1.0*u.z - u.x*u.y", "u.x*u.y - u.y*u.z"),
    *("hypot(u.x, u.y)", "copysign(u.x, u.y)", "fmod(u.x, 0.3)", "(u.x > 0) ^ (u.y > 0)"),
    *("mean((dx(u.x) - mean(dx(u.x)))**3)", "u.x*mean(u.x*mean(u.y**2))", "3", "1 + t"),
]


def check(world, flow, case, evaluator, known, texts, precision="double"):
    """Each text alone on one rank, some in a run on several; each rank compares its share of them."""
    some = 1 if world.size == 1 else 10
    parts = [texts[n : n + some] for n in range(0, len(texts), some)]
    worked = [one for part in parts for one in worked_out_together(world, flow, case, part)]
    mine = slice(world.rank, None, world.size)
    for text, (actual, means) in zip(texts[mine], worked[mine], strict=True):
        wanted = expected(evaluator, known, text)
        # Derivatives raise what rounding did to the largest wavenumbers.
        scale = max(1.0, float(np.abs(wanted).max()))
        limit = (1e-11 if precision == "double" else 2e-2) * scale
        error = np.abs(actual - wanted).max()
        assert error <= limit, f"{text}: the difference {error:.3g} is above {limit:.3g}"
        assert np.abs(means.ravel() - wanted.mean((1, 2, 3))).max() <= limit, f"the mean of {text}"


@pytest.mark.turns
@pytest.mark.parametrize("dealias", RULES)
@on_ranks()
def test_every_operator(world, dealias):
    case, twin = case_of(dealias=dealias), Twin(POINTS, LENGTHS, dealias)
    flow, u = flows.make(world, twin), smooth(twin)
    flows.write(flow, u)
    evaluator, known = names_of(twin, u)
    check(world, flow, case, evaluator, known, OPERATORS)


@on_ranks(1, 2, 4)
def test_single_precision(world):
    case, twin = case_of(), Twin(POINTS, LENGTHS)
    flow, u = flows.make(world, twin, precision="single"), smooth(twin)
    flows.write(flow, u)
    evaluator, known = names_of(twin, u)
    check(
        world,
        flow,
        case,
        evaluator,
        known,
        [
            *("u", "grad(u)", "p", "x*u.y", "norm(strain(u))", "filter(u, 2, 6)", "mean(u.x*u.y)"),
            *("max(u)", "min(norm(u))", "average(u, 0.3)", "average(u, 30)"),
        ],
        "single",
    )


def nested(function, times, of):
    return f"{function}(" * times + of + ")" * times


# Factors below or above single precision, of products that are in it: k is 300 to 3000 here.
BEYOND = [
    f"1e-44*{nested('lap', 8, 'u.x')}",
    f"1e-44*{nested('dy', 14, 'u.x')}",
    f"1e-44*{nested('dy', 8, nested('dz', 5, 'dx(u.x)'))}",
    f"1e44*{nested('inv_lap', 8, 'u.x')}",
    f"filter(1e-44*{nested('lap', 8, 'u.x')}, 1, 2000)",
    f"average(1e-44*{nested('lap', 8, 'u.x')}, 1e-3)",
]


@pytest.mark.parametrize("precision", flows.PRECISIONS)
@on_ranks(1, 3)
def test_factors_beyond_single_precision(world, precision):
    points, lengths = (32, 16, 16), (0.02, 0.02, 0.02)
    case, twin = case_of(points, lengths), Twin(points, lengths)
    flow, u = flows.make(world, twin, precision=precision), smooth(twin)
    flows.write(flow, u)
    evaluator, known = names_of(twin, u)
    for text in BEYOND:
        wanted = expected(evaluator, known, text)
        error = np.abs(worked_out(world, flow, case, text)[0] - wanted).max()
        assert error <= {"single": 1e-4, "double": 1e-10}[precision] * np.abs(wanted).max(), text


@pytest.mark.parametrize("lines", ["own", "fftw"])
@pytest.mark.parametrize("points", [(20, 12, 1), (14, 20, 18), (8, 6, 10), (160, 6, 8)])
@on_ranks(1, 3, 6)
def test_other_grids_and_lines(world, points, lines):
    """Blocks of rows that are not full, a pair of rows without its second, two dimensions."""
    if lines == "fftw" and "fftw" in LEFT_OUT:
        return
    case, twin = case_of(points, dealias="phase-shift"), Twin(points, LENGTHS, "phase-shift")
    flow, u = flows.make(world, twin, lines=lines, batches=1), smooth(twin)
    flows.write(flow, u)
    evaluator, known = names_of(twin, u)
    check(
        world,
        flow,
        case,
        evaluator,
        known,
        [
            *("u", "grad(u)", "p", "x + 2*y + 3*z", "u.x*mean(u.x**2)", "dot(u, curl(u))"),
            "max(u) - 1.0*min(dx(u))",
            *("average(u, 0.4)", "average(u.x*u.y, 0.1)", "mean(average(u.x, 0.7)*u.y)"),
        ],
    )


BITS = [
    "mean(u.x*u.y)",
    "norm(grad(p))",
    "exp(u.x)",
    "std(dx(u.x))*u.y",
    "filter(u.x*u.y, 4)",
    "sector(u.x*u.y, 0, 0.9)",
    "max(exp(u.x)) + u.y/min(u.z)",
]


@pytest.mark.mpi
@pytest.mark.only_cpu
def test_bits_do_not_depend_on_ranks_and_threads():
    (first,) = run_on(1, bits, threads=1)
    for ranks, threads in [(1, 2), (2, 1), (3, 1), (4, 1), (6, 1)]:
        for values, means in run_on(ranks, bits, threads=threads):
            assert means == first[1]
            assert np.array_equal(values, first[0])


@on_ranks(2, 4)
def test_shared_planes_change_them_by_rounding(world):
    """Where the process grid has two rows, rows of points share their transforms with others."""
    case, twin = case_of(), Twin(POINTS, LENGTHS)
    found = []
    for grid in ((1, world.size), (2, world.size // 2)):
        flow = flows.make(world, twin, process_grid=grid)
        flows.write(flow, smooth(twin))
        found.append([worked_out(world, flow, case, text) for text in BITS])
    for (values, mean), (others, other_mean) in zip(*found, strict=True):
        assert np.allclose(values, others, rtol=1e-12, atol=1e-12)
        assert np.allclose(mean, other_mean, rtol=1e-12, atol=1e-14)


@on_ranks(1, 3)
def test_values_beside_products(world):
    """Products take the place of inputs at the points, which values, means and selections still need."""
    for lines in ("own", "fftw"):
        case, twin = case_of(), Twin(POINTS, LENGTHS)
        flow = flows.make(world, twin, lines=lines)
        flows.write(flow, smooth(twin))
        alone, mean_alone = worked_out(world, flow, case, "u")
        asked = case.planned.asked(["u"], ["u", "mean(p*p)"])
        beside = np.zeros_like(alone)

        def take(z0, z1, y0, y1, values, beside=beside):
            beside[:, z0:z1, y0:y1] = values

        means = answer(asked, flow, TIME, take).numbers
        world.Allreduce(MPI.IN_PLACE, beside)
        assert np.array_equal(beside, alone)
        assert np.array_equal(means[0], mean_alone)


@on_ranks(1, 2)
def test_modes_on_an_edge_are_above_it(world):
    """|n| = 3 is at 3 · 2π/L whatever rounding does: (3, 0, 0), (2, 2, 1) and their like."""
    lengths = (3.0, 3.0, 3.0)
    for precision in flows.PRECISIONS:
        case, twin = case_of((16, 16, 16), lengths), Twin((16, 16, 16), lengths)
        flow, u = flows.make(world, twin, precision=precision), smooth(twin)
        flows.write(flow, u)
        axes = [np.rint(np.fft.fftfreq(16) * 16)] * 3
        n2 = sum(n**2 for n in np.meshgrid(*axes, indexing="ij"))
        modes = np.fft.fftn(worked_out(world, flow, case, "u.x")[0][0]) / 16**3
        for edge in (2, 3, 5, 6):
            text = f"mean(filter(u.x, {edge}*2*pi/Lx)**2)"
            below = (np.abs(modes) ** 2)[n2 < edge**2].sum()
            [found] = answer(case.planned.asked(means=[text]), flow, TIME).numbers
            assert found == pytest.approx(below, rel=2e-6)


def bits(world, threads):
    case, twin = case_of(dealias="phase-shift"), Twin(POINTS, LENGTHS, "phase-shift")
    flow = flows.make(world, twin, threads=threads)
    flows.write(flow, smooth(twin))
    results = [worked_out(world, flow, case, text) for text in BITS]
    return np.concatenate([values for values, _ in results]), [float(means) for _, means in results]


# A value that is not finite at one point, and what the largest and the smallest of it are.
AT_ONE_POINT = "where((abs(x - 3.1) < 0.2) & (abs(y - 1.5) < 0.1) & (abs(z - 4) < 0.2), {}, u.x)"
EXTREMES = [
    ("sqrt(u.x - 10)", np.nan, np.nan),
    ("1/floor(abs(u.x)/99)", np.inf, None),
    ("-exp(1e3 + u.x)", None, -np.inf),
]


@on_ranks()
def test_an_extreme_tells_what_is_not_finite(world):
    case, twin = case_of(), Twin(POINTS, LENGTHS)
    flow, u = flows.make(world, twin), smooth(twin)
    flows.write(flow, u)
    evaluator, known = names_of(twin, u)
    within = expected(evaluator, known, "u.x")
    for text, largest, smallest in EXTREMES:
        texts = [f"{name}({AT_ONE_POINT.format(text)})" for name in ("max", "min")]
        found = [worked_out(world, flow, case, one)[1] for one in texts]
        for value, wanted, finite in zip(
            found, (largest, smallest), (within.max(), within.min()), strict=True
        ):
            assert value == pytest.approx(finite if wanted is None else wanted, rel=0.1, nan_ok=True), text


@pytest.mark.only_cpu
def test_both_sides_have_the_same_operations():
    assert _core.operations() == {name: one.arguments for name, one in OPERATIONS.items()}


@pytest.mark.only_cpu
@on_ranks(1, 2)
def test_programs_that_do_not_fit_together_are_refused(world):
    twin = Twin((8, 8, 8))
    flow = flows.make(world, twin)
    u = [[_core.Term(field=0)]]
    values, product = _core.Wanted(values=1), _core.Wanted(products=1)
    part, square = _core.Returned(field=0), {"inputs": u, "instructions": [("multiply", [0, 0])]}
    for program, wanted, words in [
        (
            {"inputs": u, "instructions": [("blend", [0, 0])], "results": [0]},
            values,
            "unknown operation blend",
        ),
        (
            {"inputs": u, "instructions": [("add", [0])], "results": [0]},
            values,
            "has 1 operands instead of 2",
        ),
        (
            {"inputs": u, "instructions": [("add", [0, 7])], "results": [0]},
            values,
            "operand 7 where there are 4",
        ),
        ({"inputs": u, "results": [9]}, values, "uses operand 9 where there are 4"),
        ({"inputs": u, "results": [0]}, _core.Wanted(means=1, values=1), "has 1 results and 1 inputs"),
        ({"inputs": [], "numbers": [1.0], "results": [0]}, values, "has 1 results and 0 inputs"),
        ({"inputs": [[]], "results": [0]}, values, "has no terms"),
        ({"inputs": [[_core.Term(field=5)]], "results": [0]}, values, "names field 5 of 3"),
        (
            {"inputs": u, "results": [0], "products": [part]},
            product,
            "a product of a program is one of its inputs",
        ),
        (square | {"results": [4]}, product, "does not say which fields"),
        (
            square | {"results": [4], "products": [_core.Returned(field=1)]},
            product,
            "belongs to field 1 of 0",
        ),
        (
            square | {"results": [4], "products": [_core.Returned(field=0, derivatives=[3, 0, 0])]},
            product,
            "not of order",
        ),
    ]:
        with pytest.raises(_core.Error, match=words):
            flow.run_program(_core.Program(**program), wanted, lambda *_: None)
        flow.forget_products()


WALLED = [
    *("u", "u.z", "grad(u)", "curl(u)", "strain(u)", "dot(u, curl(u))", "p", "dz(theta)", "theta*u.z"),
    *(
        "u.x + u.z",
        "dx(u.x*u.z)",
        "dz(cos(u.z))",
        "lap(u.x*u.y) + 1.0*u.z",
        "z*u.z",
        "filter(theta*u.z, 12)",
        "sector(theta*u.z, 0.4, 1.5, x)",
    ),
    *("div(theta*u)", "dx(dx(u.x*u.x)) + 2*dx(dy(u.x*u.y)) + dy(dy(u.y*u.y))", "grad(p)"),
    *("average(u, 0.3)", "average(theta*u.z, 0.2)", "average(dz(theta), 0.1)"),
    *("max(theta*u.z)", "min(u.z)"),
    *("mean(theta*u.z)", "theta - mean(theta)", PRESSURE),
]


@pytest.mark.parametrize("bases", ["SFF", "SSF", "SSS"])
@on_ranks(1, 2, 3, 6)
def test_between_walls(world, bases):
    simulation, evaluator, known = between_walls(world, bases)
    with simulation:
        for text in WALLED:
            actual = simulation.field(text)
            z0, z1, y0, y1 = simulation.block
            wanted = expected(evaluator, known, text)[:, z0:z1, y0:y1]
            limit = 1e-10 * max(1.0, float(np.abs(wanted).max(initial=0)))
            assert np.abs(actual - wanted).max(initial=0) <= limit, text
        with pytest.raises(ExpressionError, match="odd or even about them"):
            simulation.field("dz(exp(u.z))")
