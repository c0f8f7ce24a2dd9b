"""C99 text of functions of rows, in place of loops over the tables of a plan (`core/equations/row_code.hpp`).

Each function is one loop over the modes or points of a row. Numbers are written exactly. A function is left
out where its terms have a band, a sector or an average: there the tables are read. The text is one for the
compilers of C and, for GPUs, NVRTC.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

from whorl.equations.complete import CompletePlan
from whorl.equations.multipliers import Tag
from whorl.equations.plan import EquationPlan, PlanTerm, PointProgram

FUNCTIONS = ("load", "work", "contract", "tendency")
KERNELS_CALL = ("work", "contract", "tendency")  # a GPU loads an input at a time, by tables
# The structure of core/equations/row_code.hpp. `fused` rounds once where the core does (base/fused.hpp).
HEAD = """#ifdef __CUDACC_RTC__
#define FUNCTION extern "C" __device__
#define INLINE static __device__ inline
#else
#include <math.h>
#define FUNCTION
#define INLINE static inline
#endif
typedef {real} real;
#if defined(__FP_FAST_FMA) || defined(__CUDACC_RTC__)
#define fused(a, b, c) fma{f}(a, b, c)
#else
#define fused(a, b, c) ((a) * (b) + (c))
#endif
struct row {{
    long long length;
    const real *kx;
    real ky, kz;
    const real *from;
    long long from_stride;
    real *to;
    long long to_stride;
    const real *state;
    long long state_stride;
    const real *numbers;
    const real *positions[3];
    real *bounds;
    long long bounds_stride;
}};
INLINE real floored_remainder(real a, real b) {{
    const real rest = fmod{f}(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}}
"""
# Formulas of core/programs/operations.hpp; {f} is the suffix of functions of the precision.
FORMULAS = {
    "add": "{0} + {1}",
    "subtract": "{0} - {1}",
    "multiply": "{0} * {1}",
    "divide": "{0} / {1}",
    "multiply_add": "fused({0}, {1}, {2})",
    "multiply_subtract": "fused({0}, {1}, -{2})",
    "subtract_product": "fused(-{0}, {1}, {2})",
    "add_products": "fused({0}, {1}, {2} * {3})",
    "subtract_products": "fused({0}, {1}, -({2} * {3}))",
    "power": "pow{f}({0}, {1})",
    "remainder": "floored_remainder({0}, {1})",
    "minimum": "{0} < {1} || {0} != {0} ? {0} : {1}",
    "maximum": "{0} > {1} || {0} != {0} ? {0} : {1}",
    "arctan2": "atan2{f}({0}, {1})",
    "less": "{0} < {1} ? (real)1 : (real)0",
    "less_equal": "{0} <= {1} ? (real)1 : (real)0",
    "equal": "{0} == {1} ? (real)1 : (real)0",
    "where": "{0} != 0 ? {1} : {2}",
    "negative": "-{0}",
    "abs": "fabs{f}({0})",
    "sign": "{0} != {0} ? {0} : (real)({0} > 0) - (real)({0} < 0)",
    "round": "rint{f}({0})",
} | {
    name: f"{function}{{f}}({{0}})"
    for name, function in (
        *((name, name) for name in ("sqrt", "exp", "expm1", "log", "log1p", "log2", "log10", "sin", "cos")),
        *((name, name) for name in ("tan", "sinh", "cosh", "tanh", "floor", "ceil", "trunc")),
        *((f"arc{name}", f"a{name}") for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")),
    )
}
MOST_IN_SINGLE = 2  # a higher order of a term may be beyond single precision


@dataclass(frozen=True)
class Source:
    """A text, and the functions that it has."""

    text: str
    functions: tuple[str, ...]
    key: int


def source_of(plan: CompletePlan, *, double: bool) -> Source:
    """The text of all functions that can be written."""
    writers = {"load": _load, "work": _work, "contract": _contract, "tendency": _tendency}
    own = plan.plan
    terms = {
        "load": [*_all(own.inputs)],
        "tendency": [*_all(own.tendency), *(one.term for one in plan.linear)],
    }
    made = {
        name: writers[name](plan, "" if double else "f")
        for name in FUNCTIONS
        if all(_is_written(term.tag) for term in terms.get(name, ()))
    }
    head = HEAD.format(real="double" if double else "float", f="" if double else "f")
    functions = (f"{_declared(name)} {{\n{body}}}\n" for name, body in made.items())
    text = head + "".join(functions) + _for_kernels(plan, made)
    key = crc32(text.encode())
    return Source(f"{text}const unsigned whorl_key = {key}u;\n", tuple(made), key)


def _declared(name: str) -> str:
    return f"FUNCTION void whorl_{name}(const struct row *row)"


def _for_kernels(plan: CompletePlan, made: Collection[str]) -> str:
    """The numbers that kernels know, and functions that are not called in place of missing ones."""
    widest = max(map(len, plan.blocks()), default=0)
    has = (int(name in made) for name in KERNELS_CALL)
    numbers = [plan.plan.components, len(plan.plan.fluxes), widest, *has]
    solenoidal = {field.first: len(field.components) for field in plan.plan.fields if field.solenoidal}
    missing = "".join(f"{_declared(name)} {{}}\n" for name in KERNELS_CALL if name not in made)
    return (
        f"#ifdef __CUDACC_RTC__\n{_switch('number', dict(enumerate(numbers)))}"
        f"{_switch('solenoidal', solenoidal)}{missing}#endif\n"
    )


def _switch(name: str, numbers: Mapping[int, int]) -> str:
    """A function of a number, which is 0 for others."""
    cases = "".join(f"    if (which == {one}) return {number};\n" for one, number in numbers.items())
    return f"FUNCTION int whorl_{name}(int which) {{\n{cases}    return 0;\n}}\n"


def _all(sums: Iterable[Sequence[PlanTerm]]) -> Iterable[PlanTerm]:
    return (term for one in sums for term in one)


def _is_written(tag: Tag) -> bool:
    return tag._replace(radial=()) == Tag()


def _loop(before: Sequence[str], inside: Sequence[str]) -> str:
    """A loop without dependences of one turn on another."""
    head = [
        "const long long length = row->length;",
        *before,
        "#pragma omp simd",
        "for (long long i = 0; i < length; ++i) {",
    ]
    lines = [*head, *(f"    {line}" for line in inside), "}"]
    return "".join(line + "\n" if line.startswith("#") else f"    {line}\n" for line in lines)


def _complex_rows(name: str, numbers: Iterable[int], pointer: str, stride: str) -> list[str]:
    """Pointers to rows of complex numbers."""
    return [f"const real *{name}{n}s = {pointer} + 2 * {n} * {stride};" for n in numbers]


def _loaded(name: str, numbers: Iterable[int]) -> list[str]:
    return [
        f"const real {name}{n}r = {name}{n}s[2 * i], {name}{n}i = {name}{n}s[2 * i + 1];" for n in numbers
    ]


def _stored(name: str, count: int) -> list[str]:
    return [
        line
        for n in range(count)
        for line in (f"{name}{n}s[2 * i] = {name}{n}r;", f"{name}{n}s[2 * i + 1] = {name}{n}i;")
    ]


def _targets(name: str, count: int) -> list[str]:
    return [f"real *{name}{n}s = row->to + 2 * {n} * row->to_stride;" for n in range(count)]


class _Terms:
    """Sums of terms of complex rows, with factors of a row that are worked out before the loop."""

    def __init__(self, suffix: str):
        self.suffix = suffix
        self.before = ["const double ky = row->ky, kz = row->kz;"]
        self.inside = [
            "const double x = row->kx[i], square = x * x + ky * ky + kz * kz;",
            "const double inverse = square > 0 ? 1 / square : 0;",
        ]
        if suffix:  # loops in single precision are twice as fast
            self.before.append("const real ky_ = row->ky, kz_ = row->kz;")
            self.inside.append("const real x_ = row->kx[i], square_ = x_ * x_ + ky_ * ky_ + kz_ * kz_;")
            self.inside.append("const real inverse_ = square_ > 0 ? 1 / square_ : 0;")
        self._factors: dict[str, str] = {}

    def add(self, to: str, source: str, term: PlanTerm, turn: int) -> None:
        """Adds a term of a source, times i^turn."""
        power = (term.turn + turn) % 4
        factor = self._multiplier(term, -term.factor if power >= 2 else term.factor)
        real, imaginary = f"{source}r", f"{source}i"
        if power % 2 == 1:
            self.inside += [f"{to}r -= {factor} * {imaginary};", f"{to}i += {factor} * {real};"]
        else:
            self.inside += [f"{to}r += {factor} * {real};", f"{to}i += {factor} * {imaginary};"]

    def _multiplier(self, term: PlanTerm, factor: float) -> str:
        a, b, c = term.orders
        plain = not term.tag.radial and a <= MOST_IN_SINGLE and abs(term.power) <= 1
        own = "_" if plain and self.suffix else ""
        factors = [
            self._of_row(factor, b, c, "real" if plain else "double"),
            *[f"x{own}"] * a,
            *[f"square{own}" if term.power > 0 else f"inverse{own}"] * abs(term.power),
            *(_radial(name, number) for name, number in term.tag.radial),
        ]
        if term.meanless:
            factors.append("(square > 0 ? 1 : 0)")
        product = " * ".join(factors)
        return f"({product})" if plain else f"(real)({product})"

    def _of_row(self, factor: float, b: int, c: int, kind: str) -> str:
        value = " * ".join([f"({factor.hex()})", *["ky"] * b, *["kz"] * c])
        if (key := f"{kind} {value}") not in self._factors:
            self._factors[key] = f"c{len(self._factors)}"
            self.before.append(f"const {kind} {self._factors[key]} = {value};")
        return self._factors[key]


def _radial(name: str, number: float) -> str:
    """A radial factor of |k|²; a power of a mean is left out."""
    value = f"({number.hex()})"
    if name == "helmholtz":
        return f"(1 / (1 + {value} * {value} * square))"
    if name == "gauss":
        return f"exp(-0.5 * {value} * {value} * square)"
    return f"(square > 0 ? pow(square, 0.5 * {value}) : 0)"


def _load(complete: CompletePlan, suffix: str) -> str:
    plan = complete.plan
    terms, used = _Terms(suffix), sorted({term.of for term in _all(plan.inputs)})
    inner = [n for n in used if n >= plan.components]
    terms.before += _complex_rows("a", [n for n in used if n not in inner], "row->from", "row->from_stride")
    terms.before += [
        f"const real *a{n}s = row->state + 2 * {n - plan.components} * row->state_stride;" for n in inner
    ]
    terms.before += _targets("v", len(plan.inputs))
    terms.inside += _loaded("a", used)
    for number, form in enumerate(plan.inputs):
        terms.inside.append(f"real v{number}r = 0, v{number}i = 0;")
        for term in form:
            terms.add(f"v{number}", f"a{term.of}", term, 0)
    return _loop(terms.before, [*terms.inside, *_stored("v", len(plan.inputs))])


def _contract(complete: CompletePlan, _suffix: str) -> str:
    """Fluxes: sums of i^turn factor kx^a ky^b product."""
    fluxes = complete.plan.fluxes
    used = sorted({part.product for flux in fluxes for part in flux})
    before = ["const double ky = row->ky;", *_complex_rows("p", used, "row->from", "row->from_stride")]
    before += _targets("f", len(fluxes))
    inside = ["const real x = row->kx[i];", *_loaded("p", used)]
    for number, flux in enumerate(fluxes):
        inside.append(f"real f{number}r = 0, f{number}i = 0;")
        for place, given in enumerate(flux):
            part, name = complete.part(number, given), f"c{number}_{place}"
            value = " * ".join([f"({part.factor.hex()})", *["ky"] * part.b])
            before.append(f"const real {name} = {value};")
            by, product = " * ".join([name, *["x"] * part.a]), f"p{part.product}"
            real, imaginary = (f"-{product}i", f"{product}r") if part.turn else (f"{product}r", f"{product}i")
            inside += [f"f{number}r += {by} * {real};", f"f{number}i += {by} * {imaginary};"]
    return _loop(before, [*inside, *_stored("f", len(fluxes))])


def _tendency(complete: CompletePlan, suffix: str) -> str:
    """Sums of fluxes, projected; with linear terms where row->state is no null pointer."""
    without = _sums(complete, suffix, linear=False)
    if not complete.linear:
        return without
    return f"    if (!row->state) {{\n{without}    }} else {{\n{_sums(complete, suffix, linear=True)}    }}\n"


def _sums(complete: CompletePlan, suffix: str, *, linear: bool) -> str:
    plan, terms = complete.plan, _Terms(suffix)
    used = sorted({term.of for term in _all(plan.tendency)})
    terms.before += _complex_rows("f", used, "row->from", "row->from_stride")
    terms.before += _targets("d", plan.components)
    terms.inside += _loaded("f", used)
    for component, of in enumerate(plan.tendency):
        terms.inside.append(f"real d{component}r = 0, d{component}i = 0;")
        for term in of:
            terms.add(f"d{component}", f"f{term.of}", term, complete.turns[term.of])
    for first in plan.projected:
        terms.inside += _projection(plan, first, "_" if suffix else "")
    if linear:
        states = sorted({one.term.of for one in complete.linear})
        terms.before += _complex_rows("a", states, "row->state", "row->state_stride")
        terms.inside += _loaded("a", states)
        for one in complete.linear:
            terms.add(f"d{one.to}", f"a{one.term.of}", one.term, 0)
    return _loop(terms.before, [*terms.inside, *_stored("d", plan.components)])


def _projection(plan: EquationPlan, first: int, own: str) -> list[str]:
    """D <- d − k (k·d)/k²."""
    count = next(len(field.components) for field in plan.fields if field.first == first)
    axes = [f"x{own}", f"ky{own}", f"kz{own}"][:count]
    lines = []
    for part in "ri":
        along = " + ".join(f"{k} * d{first + c}{part}" for c, k in enumerate(axes))
        lines.append(f"const real along{first}{part} = ({along}) * inverse{own};")
        lines += [f"d{first + c}{part} -= {k} * along{first}{part};" for c, k in enumerate(axes)]
    return lines


def _work(complete: CompletePlan, suffix: str) -> str:
    """Products; with the bounds of a step where row->bounds is no null pointer; or bounds without row->to."""
    point, products = complete.plan.point, complete.plan.products
    shares = slice(products), slice(products + 2), slice(products, products + 2)
    alone, both, bounds = (_points(point, suffix, range(products + 2)[share]) for share in shares)
    return (
        f"    if (!row->bounds) {{\n{alone}    }} else if (row->to) {{\n{both}"
        f"    }} else {{\n{bounds}    }}\n"
    )


def _points(program: PointProgram, suffix: str, results: Sequence[int]) -> str:
    """The instructions that some of the results need; the last two go to the bounds."""
    axes = program.inputs + len(program.numbers)
    needed = _needed(program, [program.results[one] for one in results])
    products = len(program.results) - 2
    before = [
        *(f"const real *v{n}s = row->from + {n} * row->from_stride;" for n in needed if n < program.inputs),
        *(
            f"const real v{n} = row->numbers[{n - program.inputs}];"
            for n in needed
            if program.inputs <= n < axes
        ),
        *(f"const real *v{n}s = row->positions[{n - axes}];" for n in needed if axes <= n < axes + 3),
        *(f"real *p{n} = row->to + {n} * row->to_stride;" for n in results if n < products),
        *(
            f"real *p{n} = row->bounds + {n - products} * row->bounds_stride;"
            for n in results
            if n >= products
        ),
    ]
    inside = [f"const real v{n} = v{n}s[i];" for n in needed if n < program.inputs or axes <= n < axes + 3]
    for place, (name, operands) in enumerate(program.instructions):
        if (number := axes + 3 + place) in needed:
            formula = FORMULAS[name].format(*(f"v{n}" for n in operands), f=suffix)
            inside.append(f"const real v{number} = {formula};")
    return _loop(before, [*inside, *(f"p{n}[i] = v{program.results[n]};" for n in results)])


def _needed(program: PointProgram, results: Sequence[int]) -> list[int]:
    """The operands that results need, in order."""
    first = program.inputs + len(program.numbers) + 3
    needed, left = set(), [*results]
    while left:
        if (one := left.pop()) not in needed:
            needed.add(one)
            if one >= first:
                left += program.instructions[one - first][1]
    return sorted(needed)
