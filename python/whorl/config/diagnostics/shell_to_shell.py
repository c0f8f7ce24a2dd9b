"""What each shell of modes gives to each other one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from whorl.config.columns import UNITS_OF_CASE
from whorl.config.diagnostics.base import Array, Axis, Diagnostic, Layout, Texts, chosen
from whorl.config.diagnostics.wave_bins import Bins, Found, Shelled, sum_of_pairs
from whorl.config.forcing.base import units_of
from whorl.config.measures import all_fields, exchanges
from whorl.config.models.base import Exchange
from whorl.config.section import option
from whorl.programs.questions import Answers, Questions


@dataclass(frozen=True)
class Cells:
    """The cells between which there are transfers: bins of one or two coordinates, of which a giver is one.

    `filtered` is the text of what a field is in a cell.
    """

    bins: Sequence[Bins]
    filtered: Callable[[str, tuple[int, ...]], str]

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of bins of each coordinate."""
        return tuple(len(one.centres) for one in self.bins)

    def axes(self, role: str) -> list[Axis]:
        """Those of the cells that give, or receive."""
        return [
            Axis(f"{role}_{axis.name}", axis.values, f"{axis.meaning}, of the {role}", axis.unit)
            for axis in (one.coordinate() for one in self.bins)
        ]


def transfers(questions: Questions, known: dict[str, Exchange], cells: Cells) -> Found:
    """T of each exchange by the receiving and the giving cell, [exchange][receiver …][giver …].

    Each giver has a round trip of its own, whose products are those of all exchanges that it gives in.
    """
    givers = dict.fromkeys(one.giver for one in known.values())
    found: dict[tuple[str, tuple[int, ...]], Found] = {}
    for giver in givers:
        for cell in np.ndindex(cells.shape):
            apart = questions.alone()
            for name, one in known.items():
                if one.giver == giver:
                    found[name, cell] = _received(apart, one, cells, cell)

    def of(answers: Answers) -> np.ndarray:
        values = np.array(
            [[found[name, cell](answers) for cell in np.ndindex(cells.shape)] for name in known]
        )
        by_giver = values.reshape((len(known), *cells.shape, *cells.shape))
        count = len(cells.shape)
        return np.moveaxis(by_giver, range(1, count + 1), range(count + 1, 2 * count + 1))

    return of


def _received(questions: Questions, one: Exchange, cells: Cells, giver: tuple[int, ...]) -> Found:
    """What all cells receive of one."""
    given = questions.parser.parse(one.term(cells.filtered(one.giver, giver)))
    receiver = questions.parser.parse(one.receiver)
    return sum_of_pairs(questions, list(zip(receiver.nodes(), given.nodes(), strict=True)), cells.bins)


class Exchanging(Diagnostic):
    """Base of what tells who gives to whom."""

    of: Texts = option((), 'exchanges of the model, such as "u to u" or "b to u"; all by default')

    def exchanges(self, case: Any) -> dict[str, Exchange]:
        """Those that are wanted. Raises ValueError if the model has none of a name."""
        place = f"diagnostics.{self.label}"
        return chosen(self.of, exchanges(case), "exchange", place, case.flow.model)

    def unit(self, case: Any, wanted: dict[str, Exchange]) -> str:
        """That of the transfers."""
        fields = all_fields(case)
        units = {units_of(fields[one.receiver].unit)[0] for one in wanted.values()}
        return units.pop() if len(units) == 1 else UNITS_OF_CASE


class ShellToShell(Exchanging, Shelled):
    """Transfers between shells of modes: what each gives to each other one."""

    kind: Literal["shell-to-shell"] = option(..., "kind of diagnostic")

    reference = "Alexakis, Mininni and Pouquet, Phys. Rev. E 72, 046301 (2005)"

    def ask(self, questions: Questions, case: Any) -> Layout:
        bins = self.shell_bins(case.grid)
        known = self.exchanges(case)
        unit, edges = self.unit(case, known), bins.edges

        def filtered(field: str, cell: tuple[int, ...]) -> str:
            return f"filter({field}, {edges[cell[0]]!r}, {edges[cell[0] + 1]!r})"

        cells = Cells([bins], filtered)
        found = transfers(questions, known, cells)
        arrays = (
            Array(
                "transfer",
                ("quantity", "receiver_k", "giver_k"),
                "T(K, Q), what the shell K of the receiving field gets of the shell Q of the giving one",
                found,
                unit,
            ),
            Array(
                "received",
                ("quantity", "receiver_k"),
                "Σ T(K, Q) over Q, what the shell gets of all",
                lambda answers: found(answers).sum(-1),
                unit,
            ),
            Array(
                "flux",
                ("quantity", "giver_k"),
                "Σ T(K, Q) over K beyond this shell and Q up to it",
                lambda answers: _flux(found(answers)),
                unit,
            ),
            *limits_of_giver([bins]),
        )
        names = Axis("quantity", list(known), "giving and receiving field")
        return Layout((names, *cells.axes("receiver"), *cells.axes("giver")), arrays)


def limits_of_giver(bins: Sequence[Bins]) -> list[Array]:
    """Where the cells begin and end, by those that give."""
    return [
        Array(f"giver_{end.name}", (f"giver_{one.name}",), end.meaning, end.of, end.unit)
        for one in bins
        for end in one.limits()
    ]


def _flux(transfer: np.ndarray) -> np.ndarray:
    """[exchange][receiver][giver] to [exchange][shell]."""
    count = transfer.shape[-1]
    return np.stack([transfer[:, n + 1 :, : n + 1].sum((1, 2)) for n in range(count)], axis=-1)
