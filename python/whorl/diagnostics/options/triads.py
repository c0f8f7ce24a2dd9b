"""Transfers between single modes, from one to another by a third."""

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator

from whorl.config.section import listed, option
from whorl.config.wavenumbers import check_kept, label_of_mode, smallest_wavenumbers
from whorl.diagnostics.options.base import Array, ArrayLayout, Axis
from whorl.diagnostics.options.shell_to_shell import Exchanging
from whorl.diagnostics.options.wave_bins import check_periodic
from whorl.expressions.histogram import Amplitudes
from whorl.expressions.nodes import Node
from whorl.expressions.questions import Answers, Questions
from whorl.models.base import Exchange

if TYPE_CHECKING:
    from whorl.config.case import Case

Mode = tuple[int, int, int]
ORDERS = list(permutations("kpq"))  # receiver, giver, mediator


def pairs_of_modes(value: Any) -> Any:
    """Lists as tuples, to three levels."""
    return tuple(
        tuple(listed(mode) for mode in pair) if isinstance(pair, list | tuple) else pair
        for pair in (value if isinstance(value, list | tuple) else [value])
    )


class Triads(Exchanging):
    """Transfers between the modes of triads, k + p + q = 0, from one to another by the third."""

    kind: Literal["triads"] = option(..., "kind of diagnostic")
    modes: Annotated[tuple[tuple[Mode, Mode], ...], BeforeValidator(pairs_of_modes)] = option(
        ...,
        "pairs of modes k and p, as whole numbers along x, y, z of the smallest wavenumbers; q = −k − p",
        min_length=1,
        max_length=10_000,
    )

    reference = "Dar, Verma and Eswaran, Physica D 157, 207 (2001)"

    def ask(self, questions: Questions, case: "Case") -> ArrayLayout:
        place = f"diagnostics.{self.label}"
        check_periodic(case.grid, place)
        triads = [self._triad(case.grid, pair) for pair in self.modes]
        modes = list(dict.fromkeys(mode for triad in triads for mode in triad))
        known = self.exchanges(case)
        fields = dict.fromkeys(
            name for one in known.values() for name in (one.giver, one.receiver, one.mediator)
        )
        nodes = {name: questions.parser.parse(name).nodes() for name in fields}
        read = _read(questions, nodes, modes)
        k = np.array(smallest_wavenumbers(case.grid)) * np.array(modes)
        places = np.array([[modes.index(mode) for mode in triad] for triad in triads])

        def transfer(answers: Answers) -> np.ndarray:
            found = read(answers)
            return np.array([_transfers(one, found, k, places) for one in known.values()])

        axes = (
            Axis("quantity", list(known), "giving and receiving field"),
            Axis("triad", [" ".join(map(label_of_mode, triad)) for triad in triads], "the modes k p q"),
            Axis("order", ["|".join(order) for order in ORDERS], "receiver, giver and mediator"),
        )
        meaning = "what the giver gives to the receiver by the mediator, each with its conjugate"
        return ArrayLayout(axes, (Array("transfer", ("quantity", "triad", "order"), meaning, transfer),))

    def _triad(self, grid: Any, pair: tuple[Mode, Mode]) -> tuple[Mode, Mode, Mode]:
        """The three modes. Raises ValueError if one is not kept or has no wavenumber."""
        k, p = pair
        triad = (k, p, (-k[0] - p[0], -k[1] - p[1], -k[2] - p[2]))
        for mode in triad:
            check_kept(grid, mode, f"diagnostics.{self.label}.modes holds {list(k)}, {list(p)}, of which")
        return triad


def _read(
    questions: Questions, nodes: dict[str, list[Node]], modes: Sequence[Mode]
) -> Callable[[Answers], dict[str, np.ndarray]]:
    """The coefficients of fields by name, [component][mode]; zero for components that a plane flow lacks."""
    varying = [node for of in nodes.values() for node in of if not node.uniform]
    asked = questions.amplitude(Amplitudes(tuple(dict.fromkeys(varying)), tuple(modes)))

    def of(answers: Answers) -> dict[str, np.ndarray]:
        found = dict(zip(asked.nodes, answers.coefficients(asked), strict=True))
        none = np.zeros(len(modes), complex)
        return {name: np.array([found.get(node, none) for node in of]) for name, of in nodes.items()}

    return of


def _transfers(one: Exchange, found: dict[str, np.ndarray], k: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Transfers to the receiver a from the giver b by the mediator c, a + b + c = 0: [triad][order]."""
    f, g, m = (found[name] for name in (one.receiver, one.giver, one.mediator))
    values = []
    for order in ORDERS:
        a, b, c = (places[:, "kpq".index(letter)] for letter in order)
        values.append(one.of_triad(k[a], k[b], f[:, a], g[:, b], m[:, c]))
    return np.stack(values, axis=-1)
