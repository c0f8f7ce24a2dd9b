"""particles-NAME.vtkhdf: the paths of a group of particles for ParaView, as moving points.

It is polygonal data of the VTKHDF format with a step for each time
(https://docs.vtk.org/en/latest/vtk_file_formats/vtkhdf_file_format/). Its points are the positions in the
box. All else is virtual datasets that read particles.h5, so the two files must stay together.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl.base.files import whole_file
from whorl.base.hdf5 import open_hdf5
from whorl.config.case import Grid

if TYPE_CHECKING:
    import h5py

VERSION = (2, 2)
CELLS = ("Vertices", "Lines", "Polygons", "Strips")
UNWRAPPED = "unwrapped"  # the array with the positions that do not jump at the edges of the box
BLOCK_BYTES = 1 << 24  # of positions in memory at a time
AXES = ("x", "y", "z")
COMPONENTS = (AXES, tuple(row + column for row in AXES for column in AXES))


def view_path(path: Path, name: str) -> Path:
    """The file for a group of a file of particles."""
    return path.with_name(f"{path.stem}-{name}.vtkhdf")


def remove_view(path: Path, name: str) -> None:
    """Remove the file of a group that has changed."""
    view_path(path, name).unlink(missing_ok=True)


def in_box(positions: np.ndarray, grid: Grid) -> np.ndarray:
    """Positions [..., axis] moved by whole lengths of the box along its periodic axes: 0 ≤ x < L."""
    lengths, periodic = np.array(grid.lengths), [basis == "F" for basis in reversed(grid.bases)]
    inside = np.mod(positions, lengths)
    inside[inside >= lengths] = 0.0  # positions less than a rounding error below 0
    return np.where(periodic, inside, positions)


def fields_of(names: Sequence[str]) -> dict[str, int | slice]:
    """The places of quantities, by name; the parts of a vector or tensor are one: u for u.x, u.y and u.z."""
    found: dict[str, int | slice] = {}
    place = 0
    while place < len(names):
        for parts in COMPONENTS:
            stem, end = names[place].removesuffix(f".{parts[0]}"), place + len(parts)
            if list(names[place:end]) == [f"{stem}.{part}" for part in parts]:
                found[stem] = slice(place, end)
                break
        else:
            end = place + 1
            found[names[place]] = place
        place = end
    return found


def write_view(path: Path, name: str, grid: Grid) -> None:
    """Write the file of a group in the box of `grid`, unless it has no rows."""
    with open_hdf5(path) as file:
        if name not in file or not len(file[name]["time"]):
            return
        with whole_file(view_path(path, name)) as beside, open_hdf5(beside, "w") as view:
            root = view.create_group("VTKHDF")
            root.attrs["Version"] = VERSION
            root.attrs.create("Type", np.bytes_("PolyData"))
            _Steps(root, file[name], path.name, grid).write()


class _Steps:
    """The steps of a view: each has its own copy of all points, and the same cells."""

    def __init__(self, root: "h5py.Group", group: "h5py.Group", source: str, grid: Grid):
        self.root, self.group, self.source, self.grid = root, group, source, grid
        self.times = group["time"][:]
        self.by_time = group["position"].dims[0].keys()[:1] == ["time"]
        self.count = group["position"].shape[1 if self.by_time else 0]

    def write(self) -> None:
        steps = self.root.create_group("Steps")
        number = len(self.times)
        steps.attrs["NSteps"] = number
        steps["Values"] = self.times
        first = np.arange(number, dtype=np.int64) * self.count
        steps["PointOffsets"], steps["NumberOfParts"] = first, np.ones(number, np.int64)
        steps["PartOffsets"] = np.zeros(number, np.int64)
        for name in ("CellOffsets", "ConnectivityIdOffsets"):
            steps[name] = np.zeros((number, len(CELLS)), np.int64)
        self.root["NumberOfPoints"] = np.array([self.count])
        self._write_cells()
        self._write_points()
        offsets = steps.create_group("PointDataOffsets")
        data = self.root.create_group("PointData")
        data["identity"] = np.arange(self.count)
        offsets["identity"] = np.zeros(number, np.int64)
        for called, (array, part) in self._arrays().items():
            self._link(f"PointData/{called}", array, part)
            offsets[called] = first

    def _arrays(self) -> "dict[str, tuple[h5py.Dataset, int | slice]]":
        """Vectors and values of the group by name, each with its place in an array."""
        found: dict[str, Any] = {UNWRAPPED: (self.group["position"], slice(0, 3))}
        if "velocity" in self.group:
            found["velocity"] = (self.group["velocity"], slice(0, 3))
        names = self.group["quantity"].asstr()[:].tolist() if "value" in self.group else []
        for quantity, place in fields_of(names).items():
            called = quantity.replace("/", "÷")  # a slash would make a path in the file
            found[f"{called} (value)" if called in found else called] = (self.group["value"], place)
        return found

    def _write_points(self) -> None:
        """The positions in the box, a block of steps at a time."""
        position, number = self.group["position"], len(self.times)
        points = self.root.create_dataset("Points", (number * self.count, 3), position.dtype)
        block = max(1, BLOCK_BYTES // (3 * position.dtype.itemsize * self.count))
        for begin in range(0, number, block):
            end = min(begin + block, number)
            read = position[begin:end] if self.by_time else position[:, begin:end].swapaxes(0, 1)
            points[begin * self.count : end * self.count] = in_box(read.reshape(-1, 3), self.grid)

    def _write_cells(self) -> None:
        """A vertex for each point, and no other cells."""
        for kind in CELLS:
            here = self.count if kind == "Vertices" else 0
            cells = self.root.create_group(kind)
            cells["NumberOfCells"] = cells["NumberOfConnectivityIds"] = np.array([here])
            cells["Connectivity"], cells["Offsets"] = np.arange(here), np.arange(here + 1)

    def _link(self, name: str, data: "h5py.Dataset", part: int | slice) -> None:
        """A dataset [step and particle][component] of a part of an array of particles.h5."""
        import h5py

        source = h5py.VirtualSource(self.source, data.name, data.shape, data.dtype)
        width = (part.stop - part.start,) if isinstance(part, slice) else ()
        layout = h5py.VirtualLayout((len(self.times) * self.count, *width), data.dtype)
        if self.by_time:
            layout[...] = source[:, :, part]
        else:
            for step in range(len(self.times)):
                layout[step * self.count : (step + 1) * self.count] = source[:, step, part]
        self.root.create_virtual_dataset(name, layout, np.nan)
