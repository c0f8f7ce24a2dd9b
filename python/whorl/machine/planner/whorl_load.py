"""The load of whorl's own round trip: kept modes only, fluxes contracted before the column exchange.

A right-hand side of a model has I inputs, P products and F fluxes (`_core.model_shape`), with V bytes a
complex number. Each stage counts the rank that has the most of it, as all-to-alls wait for it between stages.
It has c columns (kx, ky), m modes, z planes, y rows in each, and x kept kx in its y-pencil:

    z lines  (I + F) c        y lines  (I + P) x z         x lines  (I + P) y z, real
    column   (I + F) c nz V   row      (I + P) x ny z V, where p_row > 1
    copies   4 × the bytes of the exchanges
    points   (I + P) nx y z reals         modes   (5 fields + I + F) m V

One copy packs and one unpacks; each reads and writes. Without an exchange the pencils are written and read
likewise. Where ny = 1 the ranks of a row share z, not y.

Particles may read the velocity from the planes of the step. Other groups have further inputs in each stage,
without products. Before them come the round trips of products from which these inputs follow (such as the
pressure in the acceleration of the fluid), twice where phase shifts need two grids. Typed equations with
products within products have such round trips, too, before each of their own. An exchange counts the
rank that sends or receives most: columns end on whole cache lines of 8 (method.md, decomposition and round
trip). Memory is `_core.estimate_memory`, the count by which the core allocates.
"""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from whorl import _core
from whorl.base.declared import DEVICES
from whorl.config.case import Case
from whorl.config.dealiasing import DEALIASINGS, LARGEST_KEPT, edge, is_box
from whorl.config.schemes import SCHEMES
from whorl.config.truncation import positions
from whorl.machine.floor import passes
from whorl.machine.planner.load import (
    AllToAlls,
    FollowedParticles,
    Load,
    Shares,
    least_shares,
    line_operations,
)
from whorl.models.equations import Equations
from whorl.run.core_options import core_options
from whorl.run.exchange_choice import plain
from whorl.run.memory.needs import of_questions

# Choices that this build may lack, each with one of the same layout.
ALIKE = {"nccl": "overlap"}


def planned_options(case: Case, threads: int = 1, device: str = "cpu") -> _core.Options:
    """The core's options to count a case on `device`, even if this build lacks the device."""
    options = core_options(plain(case).with_run(device=device), threads)
    options.transport = ALIKE.get(options.transport, options.transport)
    return options


MOST_ROWS = 64  # of a process grid, if possible: rows belong inside a node


class Trip(NamedTuple):
    """The variables of a round trip on its legs."""

    inputs: int
    products: int = 0
    fluxes: int = 0


def _ways_to_save(case: Case) -> dict[str, bool]:
    """Changes of a case, each with whether it needs less memory."""
    grid, run = case.grid, case.run
    return {
        'run.precision = "single"': run.precision == "double",
        'grid.dealias = "2/3"': LARGEST_KEPT[grid.dealias] > LARGEST_KEPT["2/3"],
        'grid.shape = "sphere"': DEALIASINGS[grid.dealias].shaped and grid.shape == "cube",
        "another run.process_grid": run.process_grid != (0, 0),
    }


def _grids(case: Case) -> int:
    """The grids on which expressions are evaluated: their aliases cancel where there are two."""
    return 2 if DEALIASINGS[case.grid.dealias].shifts else 1


def _inner_trips(case: Case) -> list[tuple[Trip, float]]:
    """The round trips of products within products before each of typed equations, and their number."""
    rounds = case.flow.plan(case.grid).rounds if isinstance(case.flow, Equations) else ()
    return [(Trip(len(one.inputs), *[len(one.parities)] * 2), float(_grids(case))) for one in rounds]


@dataclass(frozen=True, eq=False)  # a case may hold tables, which have no hash
class Whorl:
    """whorl on a case and a device, "cpu", or "cuda" for any GPU, which determines batches and memory."""

    case: Case
    device: str = "cpu"

    @property
    def real_bytes(self) -> int:
        return 8 if self.case.run.precision == "double" else 4

    @property
    def stages(self) -> int:
        """Round trips of a time step."""
        return SCHEMES[self.case.time.scheme].right_hand_sides * passes(self.case)

    def grids(self, ranks: int) -> list[tuple[int, int]]:
        """Process grids (p_row, p_col) that the core allows, or that of the case."""
        wanted = self.case.run.process_grid
        if wanted != (0, 0):
            return [wanted] if wanted[0] * wanted[1] == ranks else []
        allowed = _core.allowed_process_grids(self._options, ranks)
        return [grid for grid in allowed if grid[0] <= MOST_ROWS] or allowed

    def own_batches(self, grid: tuple[int, int]) -> int:
        """The batches that the core uses: the case's, limited by the number of planes, or its own choice."""
        return _core.choose_batches(self._options, grid)

    def batch_counts(self, grid: tuple[int, int]) -> list[int]:
        """Numbers of batches worth trying, ascending: the core's, and others if the case leaves it open."""
        own = self.own_batches(grid)
        if self.case.run.batches:
            return [own]
        planes = 1 if self._shares_planes(grid) else max(1, self.case.grid.points[2] // grid[1])
        return sorted({own} | {2**i for i in range(8) if 2**i <= planes})

    def memory(
        self, grid: tuple[int, int], batches: int, threads: int, overlap: bool = False
    ) -> dict[str, float]:
        """Bytes by array on the fullest rank; `overlap` is for a transport that does not block."""
        return dict(_memory(self, grid, batches, threads, overlap))

    @property
    def less_memory(self) -> list[str]:
        """Changes of the case that need less memory."""
        return [way for way, saves in _ways_to_save(self.case).items() if saves]

    @cached_property
    def least_memory(self) -> float:
        """A lower bound of the bytes of all ranks: those of a single rank."""
        return self._whole["state"] + self._whole["exchange"]

    def memory_at_least(
        self, grid: tuple[int, int], batches: int, threads: int, overlap: bool = False
    ) -> float:
        """A lower bound of the bytes of the fullest rank: a few per cent below `memory`, and fast."""
        _, ny, nz = self.case.grid.points
        p_row, p_col = grid
        value, shape = 2 * self.real_bytes, self._shape
        cut = _least_shares(self, grid)
        z, y = nz // p_col, ny // p_row
        a_column = self._whole["exchange"] / self.shares((1, 1)).padded_columns
        columns = cut.columns + (z / nz * cut.row_columns if p_col > 1 else 0.0)
        at_a_time = min(batches, _core.ROW_BATCHES) if overlap else 1
        own_rows = z // p_row if self._shares_planes(grid) else -(-z // batches) * y
        rows = at_a_time * (-(-z // batches) * ny * cut.elements + own_rows * self.kept_x) if p_row > 1 else 0
        plane = (_core.STREAMS if DEVICES[self.device]["streams"] else threads) * ny * cut.elements
        variables = max(shape["inputs"], shape["products"])
        wide_columns, wide_rows = self._wide_variables
        return (
            self._whole["state"] / (p_row * p_col)
            + columns * a_column
            + (rows + plane) * variables * value
            + (wide_columns * columns * nz + wide_rows * (rows + plane)) * value
            + self._programs_at_least(grid, batches)
            + self._particles_at_least(grid, batches)
        )

    def _programs_at_least(self, grid: tuple[int, int], batches: int) -> float:
        """Bytes of the largest run of a program: fields besides the state, values of a batch of planes."""
        points = self._points_of_batch(grid, batches)
        modes = self.modes / (grid[0] * grid[1])
        streams = DEVICES[self.device]["streams"]
        runs = self._programs
        fields = max((run.kept + run.product_fields for run in runs), default=0)
        fields += max((run.forces for run in runs), default=0)
        rest = max(
            (
                2 * modes * run.fields
                + points * (run.values + (run.of_rows + run.histogram_operands if streams else 0))
                for run in runs
            ),
            default=0,
        )
        return self.real_bytes * (2 * modes * fields + rest)

    def _points_of_batch(self, grid: tuple[int, int], batches: int) -> int:
        nx, ny, nz = self.case.grid.points
        planes = nz // grid[1] // (grid[0] if self._shares_planes(grid) else 1)
        return -(-planes // batches) * (ny // grid[0] if ny > 1 else 1) * nx

    def _particles_at_least(self, grid: tuple[int, int], batches: int) -> float:
        """Bytes of particles, in vectors of three numbers, and of batches of planes with row exchanges."""
        streams, ranks = DEVICES[self.device]["streams"], grid[0] * grid[1]
        points = self._points_of_batch(grid, batches) if streams or grid[0] > 1 else 0
        return sum(
            (3 + one.inputs) * points * self.real_bytes
            + 24 * (2 if streams else 1 + one.vectors) * one.count / ranks
            for one in self._options.particles
        )

    @cached_property
    def _programs(self) -> list[_core.ProgramNeeds]:
        """The needs of programs on all points; others need little."""
        return [one for one in self._options.programs if one.nx == 0]

    @cached_property
    def _wide_variables(self) -> tuple[int, int]:
        """Variables by column and by row of the further round trip of expressions; none without one."""
        columns = max((max(one.inputs, one.fluxes) for one in self._programs), default=0)
        rows = max((max(one.inputs, one.products) for one in self._programs), default=0)
        fits = columns <= self._shape["column_variables"] and rows <= self._shape["row_variables"]
        return (0, 0) if fits else (columns, rows)

    @cached_property
    def _whole(self) -> dict[str, float]:
        return self.memory((1, 1), 1, 1)

    def load(self, grid: tuple[int, int], batches: int, overlap: bool = False) -> Load:
        nx, ny, nz = self.case.grid.points
        p_row, p_col = grid
        ranks = p_row * p_col
        shape = self._shape
        inputs, products, fluxes = (shape[leg] for leg in ("inputs", "products", "fluxes"))
        fields = sum(shape["fields"].values())
        of_particles = [(one, 1 / passes(self.case)) for one in self._trips_of_particles(grid)]
        trips = [(Trip(inputs, products, fluxes), 1.0), *_inner_trips(self.case), *of_particles]
        inner = sum(times * (one.inputs + one.products) for one, times in trips)
        outer = sum(times * (one.inputs + one.fluxes) for one, times in trips)
        value = 2 * self.real_bytes
        z, y = -(-nz // p_col), -(-ny // p_row)
        own_rows = -(-z // p_row) if self._shares_planes(grid) else y * z
        cut = self.shares(grid)
        modes = self.modes * cut.columns / int(self.lengths.sum())
        carried = inner * max(z * cut.elements * ny, own_rows * self.kept_x) * value if p_row > 1 else 0.0
        exchanged = outer * max(cut.padded_columns * nz, z * cut.row_columns) * value
        on_rows = sum(times * self._calls(one.inputs, one.products) for one, times in trips)
        on_columns = sum(times * self._calls(one.inputs, one.fluxes) for one, times in trips)
        thinned = 0.5 if self.case.run.wire == "single" and self.real_bytes == 8 else 1.0
        return Load(
            lengths={"x": nx, "y": ny, "z": nz},
            operations={
                "x": inner * line_operations(nx, own_rows / 2),
                "y": inner * line_operations(ny, cut.elements * z),
                "z": outer * line_operations(nz, cut.columns),
            },
            copy=4 * (exchanged + carried),
            point=inner * nx * own_rows * self.real_bytes,
            modes=(5 * fields + outer) * modes * value,
            row=AllToAlls(p_row, 1, thinned * carried, batches * on_rows, ranks),
            column=AllToAlls(p_col, p_row, thinned * exchanged, batches * on_columns, ranks),
            working_set=self.least_memory / ranks,
            batches=batches,
            overlap=overlap,
            particles=self._followed(ranks),
        )

    def _followed(self, ranks: int) -> tuple[FollowedParticles, ...]:
        share = 1 / ranks / passes(self.case)  # they move once in a stage, whatever its round trips
        return tuple(
            FollowedParticles(one.kind, one.interpolation, one.points, share * one.number())
            for one in self.case.particles
        )

    def _trips_of_particles(self, grid: tuple[int, int]) -> list[Trip]:
        """The round trips in a stage of the groups of particles that have their own."""
        planewise = grid[0] == 1 and self.case.run.lines != "fftw" and not DEVICES[self.device]["streams"]
        all_trips = (trips for own, trips in self._trips_of_groups if own or not planewise)
        return [trip for trips in all_trips for trip in trips]

    @cached_property
    def _trips_of_groups(self) -> list[tuple[bool, list[Trip]]]:
        """For each group of particles, whether no step has the fields it samples, and its round trips."""
        groups = []
        for one in self.case.particles:
            options = one.model_dump()
            needs, runs = one.needs(options), of_questions(self.case.planned.moving(*one.sampled(options)))
            before = [Trip(run.inputs, run.products, run.fluxes) for run in runs if run.products]
            own = one.interpolation == "spline" or needs["sampled"] > 3
            groups.append((own, [*(_grids(self.case) * before), Trip(needs["sampled"])]))
        return groups

    def _shares_planes(self, grid: tuple[int, int]) -> bool:
        """Whether the ranks of a row have no rows of y to share and therefore share planes, all at once."""
        return self.case.grid.points[1] == 1 and grid[0] > 1

    @cached_property
    def kept_x(self) -> int:
        """Complex numbers of a row along x: kept kx, two of them in one if x has walls."""
        return math.ceil(self._kept_along("x") / self._wavenumbers_of_element)

    @cached_property
    def lengths(self) -> np.ndarray:
        """Complex numbers along x of each kept ky, ky in the order 0, 1, …, −1."""
        y = positions(self.case.grid.points[1], self._walls["y"])
        y = np.concatenate([y[y >= 0], y[y < 0]])
        x = positions(self.case.grid.points[0], self._walls["x"])
        x = np.sort(x[x >= 0])
        if self._is_cube:
            kept = np.full(self._kept_along("y"), self._kept_along("x"))
        else:
            y = y[abs(y) < self._edge]
            kept = np.searchsorted(x, np.sqrt(self._edge**2 - y**2))
        return -(-kept // self._wavenumbers_of_element)

    @cached_property
    def longest(self) -> np.ndarray:
        """`lengths`, the longest first."""
        return np.sort(self.lengths)[::-1]

    def shares(self, grid: tuple[int, int]) -> Shares:
        """The most that ranks have of the kept modes, in complex numbers."""
        return _shares(self, grid)

    def imbalance(self, grid: tuple[int, int]) -> float:
        """The columns of the fullest rank over the mean."""
        return self.shares(grid).columns * grid[0] * grid[1] / int(self.lengths.sum())

    @cached_property
    def modes(self) -> float:
        """Kept modes of a field, in complex numbers."""
        values = self._whole["state"] / (2 * self.real_bytes * _core.registers(self._options))
        return values / sum(self._shape["fields"].values())

    def _calls(self, *variables: int) -> int:
        """Number of all-to-alls of a batch for these variables, each leg by itself; none without any."""
        together = self.case.run.variables_per_message
        return sum(-(-count // together) if together else min(count, 1) for count in variables)

    @cached_property
    def _shape(self) -> dict:
        return _core.model_shape(planned_options(self.case))

    @cached_property
    def _options(self) -> _core.Options:
        return planned_options(self.case, device=self.device)

    @property
    def _walls(self) -> dict[str, bool]:
        return {axis: basis == "S" for axis, basis in zip("zyx", self.case.grid.bases, strict=True)}

    @property
    def _wavenumbers_of_element(self) -> int:
        return 2 if self._walls["x"] else 1

    @property
    def _is_cube(self) -> bool:
        return is_box(self.case.grid.dealias, self.case.grid.shape)

    @property
    def _edge(self) -> float:
        return edge(self.case.grid.dealias)

    def _kept_along(self, axis: str) -> int:
        n = self.case.grid.points["xyz".index(axis)]
        place = positions(n, self._walls[axis])
        place = place[place >= 0] if axis == "x" else place
        return int((abs(place) < self._edge).sum())


@lru_cache(maxsize=4096)
def _least_shares(algorithm: Whorl, grid: tuple[int, int]) -> Shares:
    return least_shares(algorithm.longest, *grid)


@lru_cache(maxsize=4096)
def _shares(algorithm: Whorl, grid: tuple[int, int]) -> Shares:
    return Shares(**_core.shares(algorithm._options, grid))


@lru_cache(maxsize=4096)
def _memory(
    algorithm: Whorl,
    grid: tuple[int, int],
    batches: int,
    threads: int,
    overlap: bool = False,
) -> dict[str, int]:
    options = planned_options(algorithm.case, threads, algorithm.device)
    if overlap and _core.exchange_blocks(options):
        options.transport = "overlap"
    options.process_grid, options.batches = grid, batches
    return _core.estimate_memory(options, grid[0] * grid[1])
