"""particles-NAME.vtkhdf: the paths of a group of particles as ParaView opens them, points that move.

It is polygonal data of the VTKHDF format with as many steps as there are times
(https://docs.vtk.org/en/latest/vtk_file_formats/vtkhdf_file_format/). Positions and values stay in
particles.h5 beside it: they are virtual datasets, so the two files go together.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl.base.files import whole_file
from whorl.base.hdf5 import open_hdf5

if TYPE_CHECKING:
    import h5py

VERSION = (2, 2)
CELLS = ("Vertices", "Lines", "Polygons", "Strips")


def view_path(path: Path, name: str) -> Path:
    """The file for a group of a file of particles."""
    return path.with_name(f"{path.stem}-{name}.vtkhdf")


def remove_view(path: Path, name: str) -> None:
    """Remove the file of a group that is there no longer as it was."""
    view_path(path, name).unlink(missing_ok=True)


def write_view(path: Path, name: str) -> None:
    """Write the file of a group, unless it has no rows."""
    with open_hdf5(path) as file:
        if name not in file or not len(file[name]["time"]):
            return
        with whole_file(view_path(path, name)) as beside, open_hdf5(beside, "w") as view:
            root = view.create_group("VTKHDF")
            root.attrs["Version"] = VERSION
            root.attrs.create("Type", np.bytes_("PolyData"))
            _Steps(root, file[name], path.name).write()


class _Steps:
    """The steps of a view: each has all points once more, and the same cells."""

    def __init__(self, root: "h5py.Group", group: "h5py.Group", source: str):
        self.root, self.group, self.source = root, group, source
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
        self._link("Points", self.group["position"], (slice(None),))
        offsets = steps.create_group("PointDataOffsets")
        data = self.root.create_group("PointData")
        data["identity"] = np.arange(self.count)
        offsets["identity"] = np.zeros(number, np.int64)
        names = self.group["quantity"].asstr()[:] if "value" in self.group else ()
        for place, quantity in enumerate(names):
            called = quantity.replace("/", "÷")  # which would be a path in the file
            self._link(f"PointData/{called}", self.group["value"], (place,))
            offsets[called] = first

    def _write_cells(self) -> None:
        """A vertex for each point, and no other cells."""
        for kind in CELLS:
            here = self.count if kind == "Vertices" else 0
            cells = self.root.create_group(kind)
            cells["NumberOfCells"] = cells["NumberOfConnectivityIds"] = np.array([here])
            cells["Connectivity"], cells["Offsets"] = np.arange(here), np.arange(here + 1)

    def _link(self, name: str, data: "h5py.Dataset", part: tuple[Any, ...]) -> None:
        """A dataset [step and particle][axis] of what is in an array of particles.h5."""
        import h5py

        source = h5py.VirtualSource(self.source, data.name, data.shape, data.dtype)
        width = data.shape[2:] if isinstance(part[0], slice) else ()
        layout = h5py.VirtualLayout((len(self.times) * self.count, *width), data.dtype)
        if self.by_time:
            layout[...] = source[(slice(None), slice(None), *part)]
        else:
            for step in range(len(self.times)):
                layout[step * self.count : (step + 1) * self.count] = source[(slice(None), step, *part)]
        self.root.create_virtual_dataset(name, layout, np.nan)
