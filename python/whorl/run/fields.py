"""The fields of a flow in a script: read on this rank, gathered from all ranks, and set."""

from typing import TYPE_CHECKING, Any

import numpy as np

from whorl.base.errors import CaseError
from whorl.config.measures import output_fields, state_fields
from whorl.config.positions import coordinates
from whorl.diagnostics.record import measured_now
from whorl.expressions.answers import answer
from whorl.initial import fields as initials
from whorl.models.base import FieldOf
from whorl.run import modes
from whorl.run.current import CurrentRun

if TYPE_CHECKING:
    import xarray as xr


class Fields:
    """The fields of the present state, and what is measured in it.

    Notes
    -----
    Every method is collective but `block` and `coordinates`. Arrays of values at grid points are of type
    float64, or float32 with `run.precision = "single"`, with z before y before x.
    """

    def __init__(self, run: CurrentRun):
        self.case, self.comm, self.flow, self.clock = run.case, run.comm, run.flow, run.clock
        self._run = run

    @property
    def block(self) -> tuple[int, int, int, int]:
        """The bounds z0, z1, y0, y1 of this rank's grid points: z0 ≤ z < z1, y0 ≤ y < y1 and all x."""
        z0, z1, y0, y1 = self.flow.physical_block
        return z0, z1, y0, y1

    @property
    def coordinates(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The positions x, y, z of this rank's grid points, three one-dimensional arrays."""
        z0, z1, y0, y1 = self.block
        x, y, z = coordinates(self.case.grid)
        return x, y[y0:y1], z[z0:z1]

    def velocity(self) -> np.ndarray:
        """Return u, v, w at this rank's grid points.

        Returns
        -------
        ndarray
            A copy of shape (3, z1 − z0, y1 − y0, nx), in units of length/time.

        Raises
        ------
        ValueError
            If the model has no velocity; the message names its fields.

        See Also
        --------
        field : Any field.
        block : The bounds z0, z1, y0, y1.
        """
        return self.field("velocity")

    def vorticity(self) -> np.ndarray:
        """Return the curl of the velocity at this rank's grid points.

        Returns
        -------
        ndarray
            A copy of shape (3, z1 − z0, y1 − y0, nx), in units of 1/time. The model navier-stokes-2d has one
            component, along z.

        Raises
        ------
        ValueError
            If the model has no vorticity; the message names its fields.
        """
        return self.field("vorticity")

    def field(self, name: str) -> np.ndarray:
        """Return a field of the model, a scalar, or any expression, at this rank's grid points.

        Parameters
        ----------
        name : str
            The name of a field, such as "velocity", or of a scalar of the case, or an expression
            (docs/expressions.md), such as "curl(u)" or "2*nu*sum(strain(u)**2)".

        Returns
        -------
        ndarray
            A copy of shape (components, z1 − z0, y1 − y0, nx), the rank's `block` of the grid. A tensor has
            nine components, row by row; a complex expression has its real parts before its imaginary parts.

        Raises
        ------
        ExpressionError
            If it is neither a field nor an expression; it is a ValueError and shows the place.

        See Also
        --------
        gather : The whole field on one rank.
        modes : The field as amplitudes of modes.
        """
        known = output_fields(self.case)
        asked = None if name in known else self.case.planned.asked([name])
        components = len(asked.values[0].nodes()) if asked else known[name].components
        z0, z1, y0, y1 = self.block
        shape = (components, z1 - z0, y1 - y0, self.case.grid.points[0])
        field: np.ndarray = np.empty(shape, self._dtype)

        def take(first_z: int, last_z: int, first_y: int, last_y: int, values: np.ndarray) -> None:
            field[:, first_z - z0 : last_z - z0, first_y - y0 : last_y - y0] = values

        if asked:
            answer(asked, self.flow, self.clock.time, take)
        else:
            self.flow.read_fields(name, take)
        return field

    def modes(self, name: str) -> "xr.DataArray":
        """Return this rank's modes of a field: the amplitudes of exp(i k·x).

        Parameters
        ----------
        name : str
            The name of a field of the model, or of a scalar.

        Returns
        -------
        DataArray
            Complex amplitudes over (component, kx, ky, kz) with kx ≥ 0, zero where no mode is kept. A field
            of one component has no dimension `component`; a complex field, such as ψ, has `part` instead,
            real and imaginary. The coordinates are wavenumbers, in units of 1/length.

        Raises
        ------
        ValueError
            If the model has no such field; the message names its fields.

        See Also
        --------
        set_modes : Set a field from such modes.
        whorl.output.mode_arrays : The modes of a field between walls.

        Notes
        -----
        On several ranks, each has some of the kx and, for these, some of the ky, as the coordinates say. A
        mode with kx > 0 also stands for its conjugate at −k.

        Examples
        --------
        The mean kinetic energy of the flow, in a simulation on one rank:

        >>> modes = simulation.modes("velocity")
        >>> weight = np.where(modes["kx"] > 0, 1.0, 0.5)[:, None, None]
        >>> energy = float((weight * (abs(modes) ** 2).sum("component")).sum())
        """
        self._known(name)
        return modes.read(self.flow, self.case, name)

    def set_modes(self, name: str, values: "xr.DataArray | np.ndarray") -> None:
        """Set a field of the state from this rank's modes.

        Parameters
        ----------
        name : str
            The name of a field of the state.
        values : DataArray or ndarray
            The modes, in the shape that `modes` returns. The dimensions and the wavenumbers of a DataArray
            may be in another order.

        Raises
        ------
        CaseError
            If the state has no such field, if the shape or the wavenumbers are not those of this rank, if a
            value is not finite, or if the modes are those of no real field. The earlier field may then be
            lost.

        Notes
        -----
        The divergent part of a solenoidal field is removed, and values where no mode is kept are ignored.

        Examples
        --------
        Halve the waves of |k| < 2.5:

        >>> modes = simulation.modes("velocity")
        >>> large = modes.kx**2 + modes.ky**2 + modes.kz**2 < 2.5**2
        >>> simulation.set_modes("velocity", modes.where(~large, 0.5 * modes))
        """
        try:
            modes.write(initials.target_of(self.flow, self.case, self.comm, name), values)
        finally:
            self._run.changed()

    def gather(self, name: str, root: int = 0) -> np.ndarray | None:
        """Return a field, or an expression, of all ranks on one of them.

        Parameters
        ----------
        name : str
            The name of a field of the model, or of a scalar, or an expression as for `field`.
        root : int, default 0
            The rank that receives the field.

        Returns
        -------
        ndarray or None
            The field, of shape (components, nz, ny, nx), on rank `root`; None on the others.

        Raises
        ------
        ValueError
            If the field or the rank does not exist; the message names those that do.
        """
        if not 0 <= root < self.comm.size:
            raise ValueError(f"root = {root} is no rank to gather on: ranks are 0 to {self.comm.size - 1}")
        own, blocks = self.field(name), self.comm.allgather(self.block)
        if self.comm.rank != root:
            for component in own:
                self.comm.send(component, root)
            return None
        nx, ny, nz = self.case.grid.points
        whole: np.ndarray = np.empty((len(own), nz, ny, nx), self._dtype)
        for rank, (z0, z1, y0, y1) in enumerate(blocks):
            for number, component in enumerate(own):
                part = component if rank == root else self.comm.recv(None, rank)
                whole[number, z0:z1, y0:y1] = part
        return whole

    def mean(self, name: str) -> np.ndarray | float | complex:
        """Return the mean of a field, or of any expression, over all grid points.

        Parameters
        ----------
        name : str
            The name of a field of the model, or of a scalar, or an expression (docs/expressions.md), such as
            "dot(u, curl(u))".

        Returns
        -------
        ndarray or number
            The means of the components of a field, of shape (components,); the mean of an expression, a
            number, or an array of the shape of its vector or tensor. Every rank gets the same, and the bits
            do not depend on the numbers of ranks and threads.

        Raises
        ------
        ExpressionError
            If it is neither a field nor an expression; it is a ValueError and shows the place.
        """
        [found] = answer(self.case.planned.asked(means=[name]), self.flow, self.clock.time).numbers
        known = output_fields(self.case).get(name)
        if known and known.parts:
            return np.array([found.real, found.imag])
        return np.atleast_1d(found) if known else found[()]

    def diagnose(self, kind: str, **options: Any) -> "xr.Dataset":
        """Return the results of a diagnostic for the present state.

        Parameters
        ----------
        kind : str
            The kind of diagnostic, such as "pdf"; `whorl diagnostics` lists them.
        **options
            Its options as in a block [[diagnostics]], such as of="dx(u.x)" and bins=200.

        Returns
        -------
        Dataset
            Its arrays with units and meanings over their axes, and `time` and `step`; on every rank.

        Raises
        ------
        CaseError
            If the kind or an option is unknown or not allowed, or if an expression means nothing.

        Examples
        --------
        >>> gradients = simulation.diagnose("moments", of="grad(u)")
        >>> gradients["moment"].sel(order=3, quantity="grad(u).xx")
        """
        case = self.case.updated(diagnostics=[{"kind": kind, **options}])
        case = case.without_forces(self.case.forces_not_there)
        return measured_now(case, self.flow, self.clock, self.comm)

    def maximum(self, name: str) -> float:
        """Return the largest magnitude |f| of a field, or an expression, on the grid points.

        Parameters
        ----------
        name : str
            The name of a field of the model, or of a scalar, or an expression as for `field`.

        Returns
        -------
        float
            The largest magnitude, the same on every rank.

        Raises
        ------
        ValueError
            If the model has no such field; the message names its fields.
        BlowUp
            If a value of the flow is not finite.
        CaseError
            If the flow is finite, and the expression is not, such as the logarithm of a negative number.
        """
        field = self.field(name)
        squares = np.einsum("czyx,czyx->zyx", field, field, dtype=float)
        [largest] = self.flow.maximum([squares.max(initial=0.0)])
        if not np.isfinite(largest):
            if name in state_fields(self.case):
                self._run.recorder.finite.check_field(name, largest)
            for one in state_fields(self.case):
                self.maximum(one)
            raise CaseError(f"{name} is not finite at all points, though the flow is.")
        return float(np.sqrt(largest))

    def set_field(self, name: str, values: Any) -> None:
        """Set a field of the state, also while a run goes on: from a callback, for example.

        Parameters
        ----------
        name : str
            The name of a field of the state, or of the field that [initial] sets.
        values : callable or array_like
            A function (x, y, z) → components, or an array of shape (components, nz, ny, nx), the whole field
            on every rank; the first dimension may be missing for a field of one component.

        Raises
        ------
        CaseError
            If the state has no such field, or if the values are not possible for it, for example not finite
            or of another shape. The earlier field may then be lost.

        Notes
        -----
        A function is called block by block, with arrays that broadcast to (z, y, x), so it must depend only
        on x, y and z. The divergent part of a solenoidal field is removed.

        Examples
        --------
        >>> def shear(x, y, z):
        ...     return np.sin(y), 0.01 * np.sin(x), 0.0
        >>> simulation.set_field("velocity", shear)
        """
        try:
            remarks = initials.set_field(self.flow, self.case, self.comm, name, values)
        finally:
            self._run.changed()
        for remark in remarks:
            self._run.notices.warn(remark)

    def _known(self, name: str) -> FieldOf:
        known = output_fields(self.case)
        if name not in known:
            raise ValueError(f'{self.case.flow.model} has no field "{name}": it has {", ".join(known)}')
        return known[name]

    @property
    def _dtype(self) -> type:
        return np.float32 if self.case.run.precision == "single" else np.float64
