"""Transfers between shells of modes."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from whorl.base.dimension import UNITS_OF_CASE
from whorl.config.measures import all_fields, exchanges
from whorl.config.narrowed import narrowed_grids
from whorl.config.section import option
from whorl.diagnostics.options.base import Array, ArrayLayout, Axis, ComputedOnce, Diagnostic, Texts, chosen
from whorl.diagnostics.options.wave_bins import Found, ModeBins, Shelled, sum_of_pairs
from whorl.expressions.questions import Answers, Questions
from whorl.forcing.options.base import units_of
from whorl.models.base import Exchange

if TYPE_CHECKING:
    from whorl.config.case import Case

TOGETHER = 2  # exchanges in one round trip


@dataclass(frozen=True)
class Cells:
    """The cells between which transfers are measured: shells, or bins of |k| and of another coordinate.

    `filtered` is the expression of a field filtered to a cell.
    """

    bins: Sequence[ModeBins]
    filtered: Callable[[str, tuple[int, ...]], str]

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of bins of each coordinate."""
        return tuple(len(one.centres) for one in self.bins)

    def axes(self, role: str) -> list[Axis]:
        """The axes of the giving or of the receiving cells."""
        return [
            Axis(f"{role}_{axis.name}", axis.values, f"{axis.meaning}, of the {role}", axis.unit)
            for axis in (one.coordinate() for one in self.bins)
        ]

    def up_to(self, shell: int) -> list[ModeBins]:
        """The bins of all shells up to this one."""
        shells, *others = self.bins
        return [shells.up_to(shell), *others]


class Transfers:
    """T of each exchange by the receiving and the giving cell.

    Each giving cell has a round trip of its own, with the products of all exchanges in which its field gives.
    If its field gives in one exchange, two cells share a round trip, in which the mediator is transformed
    once. Cells of small wavenumbers need fewer points, on which the transfer to larger shells is not known.
    The reverse exchange gives this transfer, since m has no divergence:

        ∫ f·(m·∇)g = −∫ g·(m·∇)f.
    """

    def __init__(self, questions: Questions, grid: Any, known: dict[str, Exchange], cells: Cells) -> None:
        self.cells = cells
        self.names = list(known)
        self._points = narrowed_grids(grid, cells.bins[0].edges[1:])
        self._exchanges = dict(known)
        self._reverse = self._add_reverse() if any(self._points) else {}
        self._found: dict[tuple[str, tuple[int, ...]], Found] = {}
        for giver in dict.fromkeys(one.giver for one in self._exchanges.values()):
            given = {name: one for name, one in self._exchanges.items() if one.giver == giver}
            for together in self._batches(len(given)):
                apart = questions.alone(self._points[together[0][0]])
                for name, one in given.items():
                    for cell in together:
                        self._found[name, cell] = self._received(apart, one, cell)

    def _batches(self, exchanges: int) -> Iterator[list[tuple[int, ...]]]:
        """The cells in order, in batches: of TOGETHER exchanges on all points, of one cell on fewer."""
        for points, alike in groupby(np.ndindex(self.cells.shape), lambda cell: self._points[cell[0]]):
            most = 1 if points else max(1, TOGETHER // exchanges)
            while batch := list(islice(alike, most)):
                yield batch

    def _add_reverse(self) -> dict[str, str]:
        """Adds the reverse exchanges that are missing, and returns the name of the reverse of each one."""
        names = {}
        for name, one in list(self._exchanges.items()):
            reverse = replace(one, giver=one.receiver, receiver=one.giver)
            alike = (other for other, known in self._exchanges.items() if known == reverse)
            names[name] = next(alike, f"{name} reversed")
            self._exchanges.setdefault(names[name], reverse)
        return names

    def _received(self, questions: Questions, one: Exchange, giver: tuple[int, ...]) -> Found:
        """The transfer to all cells from one; on fewer points only to the shells up to its own."""
        given = questions.parser.parse(one.term(self.cells.filtered(one.giver, giver)))
        receiver = questions.parser.parse(one.receiver)
        bins = self.cells.up_to(giver[0]) if self._points[giver[0]] else self.cells.bins
        return sum_of_pairs(questions, list(zip(receiver.nodes(), given.nodes(), strict=True)), bins)

    def __call__(self, answers: Answers) -> np.ndarray:
        """The transfers, [exchange][receiver …][giver …]."""
        return np.stack([self._whole(answers, name) for name in self.names])

    def _whole(self, answers: Answers, name: str) -> np.ndarray:
        """The transfers of an exchange, [receiver …][giver …]."""
        direct = self._direct(answers, name)
        if not self._reverse:
            return direct
        count, shells = len(self.cells.shape), np.arange(self.cells.shape[0])
        fewer = np.array([points is not None for points in self._points])
        # Numbers of the shells, in the shape [receiver …][giver …].
        receiver = shells.reshape(-1, *[1] * (2 * count - 1))
        giver = shells.reshape(-1, *[1] * (count - 1))
        unknown = fewer[giver] & (receiver > giver)
        reverse = np.moveaxis(
            self._direct(answers, self._reverse[name]), range(count), range(count, 2 * count)
        )
        return np.where(unknown, -reverse, direct)

    def _direct(self, answers: Answers, name: str) -> np.ndarray:
        """The transfers of an exchange as measured, zero where they are not."""
        shape = self.cells.shape
        found = np.zeros((*shape, *shape))
        for giver in np.ndindex(shape):
            received = self._found[name, giver](answers)
            found[(slice(received.shape[0]), ..., *giver)] = received
        return found


class Exchanging(Diagnostic):
    """Base of diagnostics of transfers by the exchanges of a model."""

    of: Texts = option((), 'exchanges of the model, such as "u to u" or "b to u"; all by default')

    def exchanges(self, case: "Case") -> dict[str, Exchange]:
        """The exchanges that `of` names. Raises ValueError if the model has none of a name."""
        place = f"diagnostics.{self.label}"
        return chosen(self.of, exchanges(case), "exchange", place, case.flow.model)

    def unit(self, case: "Case", wanted: dict[str, Exchange]) -> str:
        """The unit of the transfers."""
        fields = all_fields(case)
        units = {units_of(fields[one.receiver].unit)[0] for one in wanted.values()}
        return units.pop() if len(units) == 1 else UNITS_OF_CASE


class ShellToShell(Exchanging, Shelled):
    """Transfers between shells of modes, from each shell to each other."""

    kind: Literal["shell-to-shell"] = option(..., "kind of diagnostic")

    reference = "Alexakis, Mininni and Pouquet, Phys. Rev. E 72, 046301 (2005)"

    def ask(self, questions: Questions, case: "Case") -> ArrayLayout:
        bins = self.shell_bins(case.grid)
        known = self.exchanges(case)
        unit, edges = self.unit(case, known), bins.edges

        def filtered(field: str, cell: tuple[int, ...]) -> str:
            return f"filter({field}, {edges[cell[0]]!r}, {edges[cell[0] + 1]!r})"

        cells = Cells([bins], filtered)
        found = ComputedOnce(Transfers(questions, case.grid, known, cells))
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
        return ArrayLayout((names, *cells.axes("receiver"), *cells.axes("giver")), arrays)


def limits_of_giver(bins: Sequence[ModeBins]) -> list[Array]:
    """The edges of the giving cells."""
    return [
        Array(f"giver_{end.name}", (f"giver_{one.name}",), end.meaning, end.of, end.unit)
        for one in bins
        for end in one.limits()
    ]


def _flux(transfer: np.ndarray) -> np.ndarray:
    """The flux out of the shells up to each: [exchange][receiver][giver] to [exchange][shell]."""
    count = transfer.shape[-1]
    return np.stack([transfer[:, n + 1 :, : n + 1].sum((1, 2)) for n in range(count)], axis=-1)
