"""The fields of a flow as a script sees them: this rank's part, all of them together, and set anew."""

from typing import Any

import numpy as np
import xarray as xr

from whorl import _core
from whorl.base.errors import BlowUp
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.config.models.base import FieldOf
from whorl.initial import fields as initials
from whorl.output.measures import name_in_core, output_fields
from whorl.run import modes


class State:
    """Reads and sets the fields of a flow; every method is collective but `block` and `coordinates`."""

    case: Case
    comm: MPI.Intracomm
    flow: _core.Flow

    @property
    def block(self) -> tuple[int, int, int, int]:
        """z0, z1, y0, y1: the grid points z0 ≤ z < z1, y0 ≤ y < y1 and all x are this rank's."""
        return tuple(self.flow.physical_block)

    @property
    def coordinates(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Positions x, y, z of this rank's grid points, one-dimensional."""
        z0, z1, y0, y1 = self.block
        x, y, z = initials.coordinates(self.case)
        return x, y[y0:y1], z[z0:z1]

    def velocity(self) -> np.ndarray:
        """u, v, w at this rank's grid points: a copy of shape (3, z1 − z0, y1 − y0, nx)."""
        return self.field("velocity")

    def vorticity(self) -> np.ndarray:
        """The curl of the velocity, as `velocity`."""
        return self.field("vorticity")

    def field(self, name: str) -> np.ndarray:
        """Any field of the model, or a scalar: a copy of shape (components, z1 − z0, y1 − y0, nx).

        Raises ValueError, naming those there are.
        """
        components = self._known(name).components
        z0, z1, y0, y1 = self.block
        shape = (components, z1 - z0, y1 - y0, self.case.grid.points[0])
        field = np.empty(shape, self._dtype)

        def take(first_z: int, last_z: int, first_y: int, last_y: int, values: np.ndarray) -> None:
            field[:, first_z - z0 : last_z - z0, first_y - y0 : last_y - y0] = values

        self.flow.read_fields(name_in_core(self.case, name), take)
        return field

    def modes(self, name: str) -> xr.DataArray:
        """This rank's modes of a field: amplitudes of exp(i k·x), complex, over component, kx ≥ 0, ky and kz.

        Zero where none is kept. On several ranks each has some kx and, of these, some ky; which, say the
        coordinates. See `whorl.output.mode_arrays` for walls. Raises ValueError, naming the fields there are.
        """
        self._known(name)
        return modes.read(self.flow, self.case, name)

    def set_modes(self, name: str, values: xr.DataArray | np.ndarray) -> None:
        """Sets a field of the state from this rank's modes, in the shape that `modes` gives them.

        Of solenoidal fields the divergent part is removed, and values where no mode is kept are left out.
        Raises CaseError for modes of no real field; what was there is lost then, too.
        """
        try:
            modes.write(initials.target_of(self.flow, self.case, self.comm, name), values)
        finally:
            self._changed()

    def gather(self, name: str, root: int = 0) -> np.ndarray | None:
        """A field of all ranks, (components, nz, ny, nx), on rank `root`; None on the others.

        Raises ValueError, naming those there are, of fields and of ranks.
        """
        if not 0 <= root < self.comm.size:
            raise ValueError(f"there is no rank {root} to gather on: ranks are 0 to {self.comm.size - 1}")
        own, blocks = self.field(name), self.comm.allgather(self.block)
        if self.comm.rank != root:
            for component in own:
                self.comm.send(component, root)
            return None
        nx, ny, nz = self.case.grid.points
        whole = np.empty((len(own), nz, ny, nx), self._dtype)
        for rank, (z0, z1, y0, y1) in enumerate(blocks):
            for number, component in enumerate(own):
                part = component if rank == root else self.comm.recv(None, rank)
                whole[number, z0:z1, y0:y1] = part
        return whole

    def mean(self, name: str) -> np.ndarray:
        """The mean of each component of a field over all grid points, the same on every rank.

        Raises ValueError, naming the fields there are.
        """
        sums = self.field(name).sum(axis=(1, 2, 3), dtype=float)
        self.comm.Allreduce(MPI.IN_PLACE, sums, MPI.SUM)
        return sums / np.prod(self.case.grid.points, dtype=float)

    def maximum(self, name: str) -> float:
        """The largest magnitude of a field on the grid points, |f|, the same on every rank.

        Raises ValueError, naming the fields there are, BlowUp where a value is not finite.
        """
        field = self.field(name)
        squares = np.einsum("czyx,czyx->zyx", field, field, dtype=float)
        [largest] = self.flow.maximum([squares.max(initial=0.0)])
        if not np.isfinite(largest):
            raise self._lost(f"the largest {name} is {largest}")
        return float(np.sqrt(largest))

    def set_field(self, name: str, values: Any) -> None:
        """Sets a field of the state, also while a run goes on: from a callback, for example.

        `values`: a function (x, y, z) → components, or an array (components, nz, ny, nx), as for `initial`;
        of solenoidal fields the divergent part is removed. Raises CaseError for what no field can be; what
        was there is lost then, too.
        """
        try:
            initials.set_field(self.flow, self.case, self.comm, name, values)
        finally:
            self._changed()

    def _known(self, name: str) -> FieldOf:
        known = output_fields(self.case)
        if name not in known:
            raise ValueError(f'there is no field "{name}" in {self.case.flow.model}, but {", ".join(known)}')
        return known[name]

    @property
    def _dtype(self) -> type:
        return np.float32 if self.case.run.precision == "single" else np.float64

    def _changed(self) -> None:
        """What was known of the state before is not known any more."""

    def _lost(self, reason: str) -> BlowUp:
        raise NotImplementedError
