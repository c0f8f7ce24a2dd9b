"""The identity of equations: equal for all texts of one equation and all values of its parameters."""

import hashlib
import zlib
from dataclasses import replace

from whorl.base.errors import CaseError
from whorl.equations.blocks import blocks_of
from whorl.equations.forms import HIGHEST_DEGREE, Problem
from whorl.equations.problem import linear_of, problem_of
from whorl.equations.text import Declarations, read
from whorl.equations.waves import Waves
from whorl.equations.written import Writer

SAMPLES = 3
LENGTH = 16


def identity_of(declared: Declarations) -> str:
    """A hash of kinds and equations, in which each parameter is a number that follows from its name."""
    numbers = {
        name: value if isinstance(value, str) else 1 + zlib.crc32(name.encode()) % 997 / 1024
        for name, value in declared.parameters.items()
    }
    try:
        problem = problem_of(read(replace(declared, parameters=numbers)))
    except CaseError:  # a parameter for which other numbers are not possible
        problem = problem_of(read(declared))
    parts = [repr(list(declared.fields.items())), repr(declared.axes), repr(declared.walls), *_parts(problem)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:LENGTH]


def _parts(problem: Problem) -> list[str]:
    """The canonical texts of all parts; products by their values on waves."""
    split = problem.split
    linear, clocks = linear_of(problem)
    parts = [repr(linear), repr([*clocks]), repr(sorted(split.points.items()))]
    parts.append(repr(sorted(split.sources.items())))
    texts = Writer(problem.normal)
    parts += [
        repr(texts.text(one.node) if (poly := split.inner[one.number]) is None else sorted(poly.items()))
        for one in problem.inner
    ]
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
