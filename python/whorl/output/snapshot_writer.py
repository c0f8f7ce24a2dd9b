"""Writes snapshots: fields of the model, and expressions."""

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from whorl import _core
from whorl.expressions.answers import answer
from whorl.expressions.questions import Questions


def write_snapshot(
    flow: _core.Flow,
    path: str | Path,
    names: Iterable[str],
    attributes: Mapping[str, Any],
    *,
    single: bool = False,
    expressions: Mapping[str, Questions] | None = None,
) -> None:
    """Write fields by their names, in single or double precision, with attributes, among them the time.

    A name in `expressions` is evaluated, any other is a field of the model. Collective. A failure leaves no
    part of the file, and an earlier file stays.
    """
    expressions = expressions or {}
    with flow.open_snapshot(path, attributes, single) as file:
        for name in names:
            consume = partial(file.write_block, name)
            if of := expressions.get(name):
                file.add_field(name, len(of.values[0].nodes()))
                answer(of, flow, attributes["time"], consume)
            else:
                file.add_field(name, flow.components_of(name))
                flow.read_fields(name, consume)
