"""The identity of equations: equal for all texts of one equation and all values of its parameters."""

import ast
import hashlib
import warnings
import zlib
from dataclasses import replace

from whorl.base.errors import CaseError
from whorl.equations.blocks import blocks_of
from whorl.equations.forms import HIGHEST_DEGREE, Problem
from whorl.equations.linear_part import linear_part
from whorl.equations.problem import problem_of
from whorl.equations.text import Declarations, System, read
from whorl.equations.waves import Waves

SAMPLES = 3
LENGTH = 16


def normalised(system: System) -> str:
    """The equations with operands of sums and products in alphabetical order."""
    kinds = ", ".join(f"{name}: {kind}" for name, kind in system.declared.fields.items())
    sides = [f"dt({side.name}) = {_ordered(_right(side.text))}" for side in system.sides]
    return "; ".join([kinds, *sides])


def _right(text: str) -> ast.expr:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        return ast.parse(text.partition("=")[2].strip(), mode="eval").body


def _ordered(node: ast.expr) -> str:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        return " + ".join(sorted(f"({one})" if sign > 0 else f"-({one})" for sign, one in _summands(node, 1)))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return "*".join(sorted(f"({_ordered(one)})" for one in _factors(node)))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return f"{node.func.id}({', '.join(_ordered(one) for one in node.args)})"
    return ast.unparse(node)


def _summands(node: ast.expr, sign: int) -> list[tuple[int, str]]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        other = sign if isinstance(node.op, ast.Add) else -sign
        return [*_summands(node.left, sign), *_summands(node.right, other)]
    return [(sign, _ordered(node))]


def _factors(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return [*_factors(node.left), *_factors(node.right)]
    return [node]


def identity_of(declared: Declarations, problem: Problem) -> str:
    """A hash of kinds and equations, in which each parameter is a number that follows from its name."""
    numbers = {
        name: value if isinstance(value, str) else 1 + zlib.crc32(name.encode()) % 997 / 1024
        for name, value in declared.parameters.items()
    }
    try:
        problem = problem_of(read(replace(declared, parameters=numbers)))
    except CaseError:  # a parameter for which other numbers are not possible
        numbers = {}
    parts = [repr(list(declared.fields.items())), repr(declared.axes), repr(declared.walls), *_parts(problem)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:LENGTH]


def _parts(problem: Problem) -> list[str]:
    """The canonical texts of all parts; products by their values on waves."""
    split = problem.split
    clocks = {clock: number for number, clock in enumerate(sorted({clock for *_, clock in split.linear}))}
    components = len(problem.classes.of)
    linear = linear_part(split, problem.normal, problem.groups, components, clocks)
    parts = [repr(linear), repr(sorted(clocks)), repr(sorted(split.points.items()))]
    parts.append(repr(sorted(split.sources.items())))
    for block in blocks_of(split, problem.classes, problem.groups):
        if len(block.content) > HIGHEST_DEGREE:
            parts.append(repr((block.clock, block.tag, block.outputs, block.terms)))
            continue
        waves = Waves(problem.classes, block.content, SAMPLES)
        values = [waves.value(of) for of in block.terms]
        values = waves.projected(values) if block.projected else values
        numbers = [value.tolist() for value in values]
        if any(any(one) for one in numbers):
            kept = [(output, one) for output, one in zip(block.outputs, numbers, strict=True) if any(one)]
            parts.append(repr((block.clock, block.tag, block.vanishing, block.content, block.degree, kept)))
    return sorted(parts)
