"""The load of GESTS's algorithm: pencils (slabs with one row), without truncation in the round trip.

P. K. Yeung, K. Ravikumar, S. Nichols and R. Uma-Vaideswaran, Comput. Phys. Commun. 306, 109364 (2025). A
variable has D = 4 N³/P bytes in single precision. A right-hand side of Navier–Stokes counts, for each rank,

    x, y lines      3 velocities + 5 products         z lines and columns   3 velocities + 4 fluxes
    rows            3 + 5 variables, where p_row > 1  copies                4 D a variable and exchange
    points          3 read, 5 written
    modes           5 products → 4 fluxes; 3 velocities read and written; update 13: 10 read, 3 written
                    (in the first stage 7 read, 6 written)

This is the conservative form of Rogallo (NASA TM 81315, 1981) with the five products of Basdevant (1983). A
copy that packs and one that unpacks each read and write the data they move.
"""

import math
from dataclasses import dataclass

from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.machine.planner.load import AllToAlls, Load, line_operations

VELOCITIES, PRODUCTS, FLUXES = 3, 5, 4
UPDATED = 13
WORDS = 10.5  # of memory a grid point, eq. 9 of the paper with Q = 1: 42 bytes in single precision
STAGES = 2  # RK2


@dataclass(frozen=True)
class Gests:
    """GESTS on a case; run.variables_per_message is its Q, 1 if that is left open.

    `fluxes` is the number of variables that return by columns.
    """

    case: Case
    fluxes: int = FLUXES

    def __post_init__(self) -> None:
        if self.case.flow.model != "navier-stokes" or self.case.scalars:
            raise CaseError(
                f'--algorithm gests plans flow.model = "navier-stokes" without scalars, not '
                f'"{self.case.flow.model}" with {len(self.case.scalars)}; use --algorithm whorl.'
            )

    @property
    def variables_per_message(self) -> int:
        return self.case.run.variables_per_message or 1

    @property
    def real_bytes(self) -> int:
        return 8 if self.case.run.precision == "double" else 4

    @property
    def stages(self) -> int:
        return STAGES

    def grids(self, ranks: int) -> list[tuple[int, int]]:
        """Process grids (p_row, p_col) that cut the box equally, or the case's grid if it does so."""
        nx, ny, nz = self.case.grid.points
        wanted = self.case.run.process_grid
        shared = math.gcd(ranks, nx // 2, ny)
        return [
            (rows, ranks // rows)
            for rows in range(1, shared + 1)
            if shared % rows == 0
            and wanted in ((0, 0), (rows, ranks // rows))
            and ny % (ranks // rows) == 0
            and nz % (ranks // rows) == 0
        ]

    @property
    def modes(self) -> float:
        """Modes of a field, in complex numbers, without truncation on disk either."""
        return math.prod(self.case.grid.points) / 2

    def own_batches(self, grid: tuple[int, int]) -> int:
        return 1

    def batch_counts(self, grid: tuple[int, int]) -> list[int]:
        return [1]

    def memory(
        self, grid: tuple[int, int], batches: int, threads: int, overlap: bool = False
    ) -> dict[str, float]:
        """Bytes of a rank: eq. 9 for Q = 1, plus a send and a receive buffer for each further variable."""
        nx, ny, nz = self.case.grid.points
        variable = self.real_bytes * nx * ny * nz / (grid[0] * grid[1])
        further = 2 * (self.variables_per_message - 1)
        return {"arrays": WORDS * variable, "wider_messages": further * variable}

    def memory_at_least(
        self, grid: tuple[int, int], batches: int, threads: int, overlap: bool = False
    ) -> float:
        return sum(self.memory(grid, batches, threads, overlap).values())

    @property
    def less_memory(self) -> list[str]:
        """Changes of the case that need less memory."""
        return ['run.precision = "single"'] if self.case.run.precision == "double" else []

    @property
    def least_memory(self) -> float:
        """Bytes of all ranks together."""
        return sum(self.memory((1, 1), 1, 1).values())

    def load(self, grid: tuple[int, int], batches: int, overlap: bool = False) -> Load:
        nx, ny, nz = self.case.grid.points
        p_row, p_col = grid
        ranks = p_row * p_col
        variable = self.real_bytes * nx * ny * nz / ranks
        inner, outer = VELOCITIES + PRODUCTS, VELOCITIES + self.fluxes
        rows = inner if p_row > 1 else 0
        points = nx * ny * nz / 2 / ranks  # complex numbers of a variable
        return Load(
            lengths={"x": nx, "y": ny, "z": nz},
            operations={
                "x": inner * line_operations(nx, points / nx),
                "y": inner * line_operations(ny, points / ny),
                "z": outer * line_operations(nz, points / nz),
            },
            copy=4 * (rows + outer) * variable,
            point=(VELOCITIES + PRODUCTS) * variable,
            modes=(PRODUCTS + self.fluxes + 2 * VELOCITIES + UPDATED) * variable,
            row=AllToAlls(p_row, 1, rows * variable, self._calls(VELOCITIES, PRODUCTS), ranks),
            column=AllToAlls(p_col, p_row, outer * variable, self._calls(VELOCITIES, self.fluxes), ranks),
            working_set=WORDS * variable,
            batches=batches,
            overlap=overlap,
        )

    def _calls(self, *variables: int) -> int:
        """Number of all-to-alls for these variables, each leg by itself, Q at a time."""
        return sum(-(-count // self.variables_per_message) for count in variables)
