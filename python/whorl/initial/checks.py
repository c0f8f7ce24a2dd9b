"""Checks of initial fields, given or random: they refuse an impossible field and never change one.

Each check raises CaseError on every rank; all are collective.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import field as dataclass_field

import numpy as np

from whorl import _core
from whorl.base.errors import CaseError
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.config.measures import all_fields, state_fields
from whorl.models.base import FieldOf

Fill = Callable[[int, int, int, int, np.ndarray], None]

# The error of rounding in single precision, relative to the root mean square of the field.
NEGLIGIBLE = 1e-5

# A field is extrapolated to a wall by 3, 4 and 5 points. If the results agree this well, relative to the
# last, the field is smooth there and they are its value at the wall. Noise and layers that the points do not
# resolve give unrelated results.
ORDERS = (3, 4, 5)
AGREEMENT = 0.1
# The largest allowed value of a sine at a wall, and slope of a cosine times the length of the axis. Both are
# relative to the root mean square of the field. Tails of bubbles and jets may reach them.
LARGEST_AT_WALL = {"sine": 0.02, "cosine": 0.3}
NEAR = max(ORDERS)

# The least fraction of the requested energy that a random field must have.
ENOUGH = 0.95

# Shares of the mean square of given values that projection and truncation may remove. The log reports more
# than the first, an error refuses more than the second.
TOLD, REFUSED = 0.01, 0.999
DIVERGENT, CUT = "its divergent part", "waves that the grid does not keep"


def _weights() -> dict[str, np.ndarray]:
    """Weights of the points at ½, 1½, … spacings for the value, or the slope, at 0; a row for each order."""
    rows: dict[str, list] = {"sine": [], "cosine": []}
    for order in ORDERS:
        powers = np.vander(np.arange(order) + 0.5, increasing=True).T
        for derivative, kind in enumerate(rows):
            weights = np.linalg.solve(powers, np.eye(order)[derivative])
            rows[kind].append(np.pad(weights, (0, max(ORDERS) - order)))
    return {kind: np.array(of_kind) for kind, of_kind in rows.items()}


WEIGHTS = _weights()


@dataclass(frozen=True)
class FieldTarget:
    """A field to set: its name in the case, its components, and its name in messages about [initial]."""

    flow: _core.Flow
    case: Case
    comm: MPI.Intracomm
    field: str
    components: int
    place: str
    remarks: list[str] = dataclass_field(default_factory=list)  # sentences for the log
    is_whole: bool = True  # the values are the whole field, at all times
    measured: bool = True  # report the share that projection and truncation remove

    def fill(self, fill: Fill) -> None:
        """Sets the field by `fill(z0, z1, y0, y1, out)`, out of shape (components, z1 − z0, y1 − y0, nx)."""
        given = Given(self, fill)
        self.give(given)
        given.check()
        if self.measured and given.size > 0:
            check_kept(self, fill, given.size)

    def give(self, fill: Fill) -> None:
        """Hands the values to the core. Collective."""
        self.flow.set_physical(fill, field=self.field)

    def kept(self, fill: Fill) -> float:
        """The root mean square that the core keeps of the given values. Collective."""
        return self.moments()[1]

    def kept_undivided(self, fill: Fill) -> float:
        """The root mean square kept without projection; the field is set again afterwards. Collective."""
        self.flow.set_physical(fill, project=False, field=self.field)
        kept = self.moments()[1]
        self.flow.set_physical(fill, field=self.field)
        return kept

    @property
    def called(self) -> str:
        """The name of the field in messages."""
        return f"initial {self.field}"

    def at_walls(self) -> dict[str, tuple[str, ...]]:
        """For each walled axis with room for extrapolation, whether the components are sines or cosines."""
        about = self.about
        axes = zip("xyz", reversed(self.case.grid.bases), self.case.grid.points, strict=True)
        return {
            axis: tuple("sine" if axis in sines else "cosine" for sines in about.sines)
            for axis, basis, n in axes
            if basis == "S" and n > NEAR
        }

    def sine_lengths(self) -> list[float]:
        """The distances between walls between which a component is a sine."""
        grid, about = self.case.grid, self.about
        axes = zip("xyz", reversed(grid.bases), grid.lengths, strict=True)
        return [
            length for axis, basis, length in axes if basis == "S" and any(axis in s for s in about.sines)
        ]

    @property
    def about(self) -> FieldOf:
        """The components, unit and sines of the field."""
        return all_fields(self.case)[self.field]

    def energy(self) -> float:
        """Half the mean square of the present field. Collective."""
        return self.moments()[1] ** 2 / 2

    def moments(self) -> tuple[np.ndarray, float]:
        """The mean of each component of the present field, and its root mean square. Collective."""
        sums = np.zeros(self.components + 1)

        def add(z0: int, z1: int, y0: int, y1: int, values: np.ndarray) -> None:
            sums[:-1] += values.sum(axis=(1, 2, 3), dtype=float)
            sums[-1] += _sum_of_squares(values)

        self.flow.read_fields(self.field, add)
        self.comm.Allreduce(MPI.IN_PLACE, sums, MPI.SUM)
        sums /= math.prod(self.case.grid.points)
        return sums[:-1], math.sqrt(sums[-1])


def _sum_of_squares(values: np.ndarray) -> float:
    """The sum of squares, without an array of the squares: a batch of planes needs much memory."""
    return float(np.einsum("czyx,czyx->", values, values, dtype=float))


class Given:
    """A fill that keeps sums of its values, and extrapolates them to the walls."""

    def __init__(self, target: FieldTarget, fill: Fill):
        self.target, self._fill, self._walls = target, fill, target.at_walls()
        self.total, self.square = np.zeros(target.components), 0.0
        self.largest = np.zeros(target.components)
        self.size = math.nan  # root mean square, which `check` sets
        self.spoilt: str | None = None  # the first value that is not finite, and where it is
        # By component: sums of squares of the last extrapolation and of the differences between successive
        # ones, followed by the number of lines. The check divides the sums by it.
        self.at_wall = {axis: np.zeros((target.components, len(ORDERS) + 1)) for axis in self._walls}

    def __call__(self, z0: int, z1: int, y0: int, y1: int, out: np.ndarray) -> None:
        self._fill(z0, z1, y0, y1, out)
        if self.spoilt is None and not np.isfinite(out).all():
            component, z, y, x = np.argwhere(~np.isfinite(out))[0]
            value = out[component, z, y, x]
            self.spoilt = f"is {value} in component {component + 1} at the point ({x}, {y0 + y}, {z0 + z})"
        self.total += out.sum(axis=(1, 2, 3), dtype=float)
        self.square += _sum_of_squares(out)
        for extreme in (out.max(axis=(1, 2, 3), initial=0), -out.min(axis=(1, 2, 3), initial=0)):
            self.largest = np.maximum(self.largest, extreme)
        if "x" in self._walls:
            self._add("x", out[..., :NEAR])
            self._add("x", out[..., : -NEAR - 1 : -1])

    def check(self) -> None:
        """Checks the values after the fill has been called for all points of this rank. Collective."""
        self.check_finite()
        self._look_at_walls()
        comm, points = self.target.comm, math.prod(self.target.case.grid.points)
        sums = np.array([*self.total, self.square])
        comm.Allreduce(MPI.IN_PLACE, sums, MPI.SUM)
        comm.Allreduce(MPI.IN_PLACE, self.largest, MPI.MAX)
        self.size = size = math.sqrt(sums[-1] / points)
        check_plane(self.target, self.largest, size)
        check_mean(self.target, sums[:-1] / points, size)
        for axis, squares in self.at_wall.items():
            comm.Allreduce(MPI.IN_PLACE, squares, MPI.SUM)
            if squares[0, -1] > 0:
                check_walls(self.target, axis, np.sqrt(squares[:, :-1] / squares[:, -1:]), size)

    def check_finite(self) -> None:
        """Raises CaseError if a value is not finite. Collective."""
        spoilt = [where for where in self.target.comm.allgather(self.spoilt) if where]
        if spoilt:
            raise CaseError(
                f"the {self.target.called} {spoilt[0]} (x, y, z, counted from 0); it must be finite "
                "everywhere."
            )

    def _look_at_walls(self) -> None:
        """Evaluates points near walls along y and z again: lines may cross batches of planes and ranks."""
        z0, z1, y0, y1 = self.target.flow.physical_block
        _, ny, nz = self.target.case.grid.points
        if z1 == z0 or y1 == y0:
            return
        if "y" in self._walls:
            self._add("y", self._block(z0, z1, 0, NEAR))
            self._add("y", self._block(z0, z1, ny - NEAR, ny)[:, :, ::-1])
        if "z" in self._walls:
            self._add("z", self._block(0, NEAR, y0, y1))
            self._add("z", self._block(nz - NEAR, nz, y0, y1)[:, ::-1])

    def _block(self, z0: int, z1: int, y0: int, y1: int) -> np.ndarray:
        out = np.empty((self.target.components, z1 - z0, y1 - y0, self.target.case.grid.points[0]))
        self._fill(z0, z1, y0, y1, out)
        return out

    def _add(self, axis: str, values: np.ndarray) -> None:
        """Adds the extrapolation of `values`, the points next to a wall, the nearest first."""
        lines = np.moveaxis(values, 1 + "zyx".index(axis), -1).astype(float)
        for component, kind in enumerate(self._walls[axis]):
            results = lines[component].reshape(-1, NEAR) @ WEIGHTS[kind].T
            squares = np.square(np.c_[results[:, -1], np.diff(results)]).sum(axis=0)
            self.at_wall[axis][component] += [*squares, len(results)]


def check_kept(target: FieldTarget, fill: Fill, size: float) -> None:
    """Report the share that the core removes of values of root mean square `size`; CaseError if nearly all.

    The core removes the divergent part of a solenoidal field, and waves beyond those of the grid. Collective.
    """
    lost = 1 - (target.kept(fill) / size) ** 2
    if not lost > TOLD:
        return
    if target.components != 3:
        parts = {CUT: lost}
    elif target.field not in state_fields(target.case):
        parts = {f"{DIVERGENT} and {CUT}": lost}
    else:
        cut = min(max(0.0, 1 - (target.kept_undivided(fill) / size) ** 2), lost)
        both = {DIVERGENT: lost - cut, CUT: cut}
        parts = {what: share for what, share in both.items() if share > NEGLIGIBLE}
    shares = " and ".join(f"{100 * share:.3g} % in {what}" for what, share in parts.items())
    where = shares if len(parts) > 1 else f"all of that in {next(iter(parts))}"
    told = f"the {target.called} loses {100 * lost:.4g} % of its mean square, {where}"
    if lost > REFUSED and target.is_whole:
        raise CaseError(f"{told}: nothing would be left of it; give one that has another part.")
    target.remarks.append(f"{told}.")


def check_plane(target: FieldTarget, largest: np.ndarray, size: float) -> None:
    """Raises CaseError if a flow that must be plane has a velocity across the plane."""
    flow = target.case.flow
    if flow.must_be_flat and target.components == 3 and largest[2] > NEGLIGIBLE * size:
        raise CaseError(
            f"the {target.called} has a component along z, up to {largest[2]:.3g}, and flow.model = "
            f'"{flow.model}" has none; make it 0, or choose flow.model = "navier-stokes", whose plane flow '
            "has it."
        )


def check_mean(target: FieldTarget, mean: np.ndarray, size: float) -> None:
    """Raises CaseError for a mean that the state cannot have.

    Gravity would turn a mean of θ into an acceleration of the whole box. A vorticity cannot contain the mean
    of a velocity that sets it.
    """
    if target.field not in state_fields(target.case) and np.abs(mean).max() > NEGLIGIBLE * size:
        told, kept = ", ".join(f"{one:.9g}" for one in mean), " and ".join(target.case.flow.state)
        raise CaseError(
            f"the {target.called} has the mean ({told}), which the {kept} of flow.model = "
            f'"{target.case.flow.model}" does not carry; subtract it.'
        )
    bases = target.case.grid.bases
    if target.field in target.case.flow.without_mean(bases) and abs(mean[0]) > NEGLIGIBLE * size:
        raise CaseError(
            f"the {target.called} has the mean {mean[0]:.9g}, which would accelerate the fluid as a "
            f'whole in a box that is periodic along z (grid.bases = "{bases}"); subtract it.'
        )


def check_walls(target: FieldTarget, axis: str, at_wall: np.ndarray, size: float) -> None:
    """Raises CaseError for values at a wall where the field is a sine, or slopes where it is a cosine.

    `at_wall` has a row of root mean squares for each component: the last extrapolation and the differences
    between successive ones. Slopes are per spacing of the points.
    """
    grid, index = target.case.grid, "xyz".index(axis)
    points, length = grid.points[index], grid.lengths[index]
    for component, kind in enumerate(target.at_walls()[axis]):
        found, *steps = at_wall[component]
        relative = found * (1 if kind == "sine" else points)
        if max(steps) > AGREEMENT * found or not relative > LARGEST_AT_WALL[kind] * size:
            continue
        which = target.field if target.components == 1 else f"{target.field} along {'xyz'[component]}"
        if kind == "sine":
            found_and_fit = f"is {found:.3g} there; it must be 0, as sin(n pi {axis}/{length:g}) is"
        else:
            slope = found * points / length
            found_and_fit = (
                f"has the slope {slope:.3g} there; it must be 0, as that of cos(n pi {axis}/{length:g}) is"
            )
        called = target.called.replace(target.field, which)
        raise CaseError(
            f"the {called} is a {kind} between the walls along {axis} (grid.bases = "
            f'"{grid.bases}") and {found_and_fit}.'
        )


def check_energy(target: FieldTarget, asked: float, smallest: float) -> None:
    """Raises CaseError if a random field lacks energy because some of the first shells have no modes."""
    reached = target.energy()
    if reached >= ENOUGH * asked:
        return
    first = max([1.0, *(math.pi / length / smallest for length in target.sine_lengths())])
    raise CaseError(
        f"the random {target.field} holds the energy {reached:.3g} instead of the {asked:.3g} of "
        f"[{target.place}]: its first shells have no modes (the mean, or waves too long for sines between "
        f"walls). Raise {target.place}.k0 well above {first:.3g}, or in {target.place}.spectrum leave the "
        f"shells before {math.ceil(first)} at 0."
    )


def check_shells(target: FieldTarget, asked: float, largest: float) -> None:
    """Raises CaseError if a random field lacks energy of its spectrum in shells beyond the grid."""
    reached = target.energy()
    if reached < (1 - NEGLIGIBLE) * asked:
        raise CaseError(
            f"the random {target.field} holds the energy {reached:.6g} instead of the {asked:.6g} of "
            f"{target.place}.spectrum: some shells have no modes on this grid, which keeps {largest:.4g} "
            "times the smallest wavenumber along every axis; leave them at 0, or use more points."
        )
