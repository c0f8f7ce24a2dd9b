"""Transfers between rings of modes, for flows with a preferred direction."""

from typing import TYPE_CHECKING, Literal

from whorl.config.section import option
from whorl.diagnostics.options.base import Array, ArrayLayout, Axis, ComputedOnce
from whorl.diagnostics.options.shell_to_shell import Cells, Exchanging, Transfers, limits_of_giver
from whorl.diagnostics.options.wave_bins import Shelled, sector_bins
from whorl.expressions.questions import Questions

if TYPE_CHECKING:
    from whorl.config.case import Case

MOST_RINGS = 1000


class RingToRing(Exchanging, Shelled):
    """Transfers between rings of modes, shells cut by the angle of the wavenumber to an axis."""

    kind: Literal["ring-to-ring"] = option(..., "kind of diagnostic")
    axis: Literal["x", "y", "z"] = option("z", "the axis from which angles are taken")
    sectors: int = option(4, "number of equal sectors of the angle, 0 to π/2", ge=1, le=90)

    reference = "Teaca, Verma, Knaepen and Carati, Phys. Rev. E 79, 046312 (2009)"

    def ask(self, questions: Questions, case: "Case") -> ArrayLayout:
        axis = "xyz".index(self.axis)
        if case.grid.points[axis] == 1:
            raise ValueError(
                f"diagnostics.{self.label}.axis: the grid has one point along {self.axis}, and all "
                "wavenumbers are normal to it; choose another axis"
            )
        bins = [self.shell_bins(case.grid), sector_bins(self.sectors, axis)]
        known = self.exchanges(case)
        shells, angles = bins[0].edges, [*map(float, bins[1].shown[:-1]), 2.0]
        rings = len(bins[0].centres) * self.sectors
        if rings > MOST_RINGS:
            raise ValueError(
                f"diagnostics.{self.label} has {rings} rings, more than {MOST_RINGS}; choose logarithmic "
                "shells, or edges"
            )

        def filtered(field: str, cell: tuple[int, ...]) -> str:
            n, m = cell
            shell = f"filter({field}, {shells[n]!r}, {shells[n + 1]!r})"
            return f"sector({shell}, {angles[m]!r}, {angles[m + 1]!r}, {self.axis})"

        cells, unit = Cells(bins, filtered), self.unit(case, known)
        found = ComputedOnce(Transfers(questions, case.grid, known, cells))
        axes = (
            Axis("quantity", list(known), "giving and receiving field"),
            *cells.axes("receiver"),
            *cells.axes("giver"),
        )
        names = tuple(axis.name for axis in axes)
        meaning = "what the ring of the receiving field gets of the ring of the giving one"
        of_all = "what the ring gets of all"
        return ArrayLayout(
            axes,
            (
                Array("transfer", names, meaning, found, unit),
                Array("received", names[:3], of_all, lambda answers: found(answers).sum((-1, -2)), unit),
                *limits_of_giver(bins),
            ),
        )
