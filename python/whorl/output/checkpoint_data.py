"""The files of a checkpoint's data, read by h5py; docs/checkpoints.md describes them."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from whorl.base.declared import DECLARED
from whorl.base.hdf5 import open_hdf5, python_value
from whorl.output.checksums import of_attributes, of_words

if TYPE_CHECKING:
    import h5py

FORMAT, VERSION, SET_VERSION = (DECLARED["checkpoint"][name] for name in ("format", "version", "set_version"))
FOLDER, IDENTITIES = "data_folder", "data_identities"
COLUMNS, COLUMNS_CHECKSUM = "columns", "columns_checksum"

# The places of the modes of columns, among those of all, by their kx and ky.
PlacesOf = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class CheckpointData:
    """The datasets of a checkpoint, in it or in the files of its set."""

    files: "list[h5py.File]"
    places: list[np.ndarray]  # of the modes of each file; none for the checkpoint itself

    def read(self, dataset: str, modes: int) -> np.ndarray:
        """All modes of a dataset (modes, 2), in the order of the format. Raises ValueError."""
        parts = [file[dataset][:] for file in self.files]
        sizes = [places.size for places in self.places] or [modes]
        if [part.shape for part in parts] != [(size, 2) for size in sizes] or sum(sizes) != modes:
            raise ValueError(f"{dataset} does not have the {modes} modes of its grid")
        if not self.places:
            return parts[0]
        whole = np.empty((modes, 2), parts[0].dtype)
        for places, part in zip(self.places, parts, strict=True):
            whole[places] = part
        return whole


@contextmanager
def open_data(path: Path, checkpoint: "h5py.File", places_of: PlacesOf) -> Iterator[CheckpointData]:
    """Open the data of a checkpoint. Raises ValueError for files that are missing, damaged or foreign."""
    if FOLDER not in checkpoint.attrs:
        yield CheckpointData([checkpoint], [])
        return
    folder = path.parent / python_value(checkpoint.attrs[FOLDER])
    with ExitStack() as stack:
        files, places = [], []
        for number, identity in enumerate(checkpoint[IDENTITIES][:]):
            name = folder / f"{number:05d}.h5"
            if not name.is_file():
                raise ValueError(f"its file {name} is missing: put back the folder that was written with it")
            file = stack.enter_context(open_hdf5(name))
            _check(file, name, f"{int(identity) % 2**64:016x}")
            files.append(file)
            places.append(np.concatenate([places_of(*columns) for columns in _columns(file[COLUMNS][:])]))
        yield CheckpointData(files, places)


def _check(file: "h5py.File", name: Path, identity: str) -> None:
    """Raises ValueError unless the file is the one that was written with the checkpoint."""
    attributes: dict[str, Any] = {key: python_value(value) for key, value in file.attrs.items()}
    if "complete" not in attributes or of_attributes(attributes) != identity:
        raise ValueError(f"its file {name} is damaged, or of another checkpoint")
    if of_words(file[COLUMNS][:]) != attributes.get(COLUMNS_CHECKSUM):
        raise ValueError(f"the list of columns in its file {name} is damaged")


def _columns(lists: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The kx and ky of each rank that wrote into a file."""
    at = 0
    while at < lists.size:
        n_x, n_y = lists[at : at + 2]
        yield lists[at + 2 : at + 2 + n_x], lists[at + 2 + n_x : at + 2 + n_x + n_y]
        at += 2 + n_x + n_y


def remove_checkpoint(path: Path) -> None:
    """Remove a checkpoint, then the files of its data."""
    path.unlink(missing_ok=True)
    for folder in data_folders(path):
        remove_folder(folder)


def data_folders(path: Path) -> list[Path]:
    """Folders of data of the checkpoint of this path: that of its set, and those that a kill has left."""
    stem = f"{path.name.partition('.')[0]}.data"
    return [
        folder
        for folder in sorted(path.parent.glob(f"{stem}*"))
        if folder.name == stem or folder.name.removeprefix(f"{stem}-").isdecimal()
    ]


def remove_folder(folder: Path) -> None:
    """Remove a folder of data, of files by the core's names only."""
    for file in (*folder.glob("[0-9]*.h5"), *folder.glob("[0-9]*.h5.part")):
        file.unlink()
    folder.rmdir()


def unused_folders(checkpoints: Path) -> Iterator[Path]:
    """Folders of data that no checkpoint names: a kill has left them before their checkpoint was complete."""
    for folder in sorted(checkpoints.glob("*.data*")):
        step = folder.name.partition(".")[0]
        path = folder.with_name(f"{step}.h5")
        if step.isdecimal() and folder in data_folders(path) and _folder_of(path) != folder.name:
            yield folder


def _folder_of(path: Path) -> str | None:
    """The name of the folder that a checkpoint names; None without one, or of a damaged checkpoint."""
    try:
        with open_hdf5(path) as file:
            return str(python_value(file.attrs[FOLDER]))
    except (OSError, RuntimeError, KeyError):
        return None
