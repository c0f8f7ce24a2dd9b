"""The functions of equations: those of expressions, and multipliers that only equations have."""

from collections.abc import Callable

from whorl.expressions import units
from whorl.expressions.language import FUNCTIONS, Function, gradient
from whorl.expressions.linear import Multiplier, joined_radial
from whorl.expressions.values import Algebra, Value


def _advect(algebra: Algebra, a: Value, b: Value) -> Value:
    if a.rank != 1 or a.complex:
        raise ValueError(f"advect takes a real vector first, not {a}")
    if b.complex:
        parts = [_advect(algebra, a, Value(part)) for part in (b.real, b.imaginary)]
        return Value(parts[0].real, parts[1].real)
    if b.rank == 2:
        raise ValueError(
            "advect takes a number or a vector second, not a tensor; write advect for components"
        )
    return algebra.dot(gradient(algebra, b), a) if b.rank else algebra.dot(a, gradient(algebra, b))


def _number(a: Value, what: str) -> float:
    if a.rank or a.complex or a.scalar.kind != "constant":
        raise ValueError(f"{what} must be a number that is known beforehand")
    return float(a.scalar.value)


def _under(algebra: Algebra, a: Value, multiplier: Multiplier) -> Value:
    return algebra.linear(lambda node: algebra.graph.under(node, multiplier, 1.0), a)


def _size_of_k(algebra: Algebra, a: Value, exponent: Value) -> Value:
    power = _number(exponent, "the exponent of abs_k")
    whole, radial = joined_radial((("power", power),), ())
    return a if power == 0 else _under(algebra, a, Multiplier(power=whole, radial=radial))


def _radial(name: str) -> Callable[[Algebra, Value, Value], Value]:
    def made(algebra: Algebra, a: Value, length: Value) -> Value:
        size = _number(length, f"the length of {name}")
        if size <= 0:
            raise ValueError(f"{name} takes a length above 0, not {size:g}")
        return _under(algebra, a, Multiplier(radial=((name, size),)))

    return made


OWN = {
    "advect": Function("u, f", "u_j ∂f/∂x_j", _advect, local=False, unit=units.times),
    "abs_k": Function("f, s", "the modes times |k|^s, without the mean if s < 0", _size_of_k, local=False),
    "helmholtz": Function("f, a", "the modes divided by 1 + a²k²", _radial("helmholtz"), local=False),
    "gauss": Function("f, a", "the modes times exp(−a²k²/2)", _radial("gauss"), local=False),
}
KNOWN = {name: one for name, one in FUNCTIONS.items() if name not in ("max", "min")} | OWN
