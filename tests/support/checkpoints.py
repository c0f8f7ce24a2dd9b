"""Reads and seals a checkpoint as docs/checkpoints.md describes it, with nothing of the core."""

from pathlib import Path

import h5py
import numpy as np

from support.twin import Twin

DATASETS = ("velocity_first", "velocity_second")


def modes_in(path: Path, twin: Twin) -> np.ndarray:
    """The whole field a[component, z, y, x], conjugates included."""
    first, second = (values[:, 0] + 1j * values[:, 1] for values in datasets_in(path, twin).values())
    with h5py.File(path) as file:
        mean_z = complex(*file.attrs["velocity_mean_z"])
    numbers = np.array(order_of_modes(twin)).T
    assert first.shape == second.shape == numbers.shape[1:]
    unit = 2 * np.pi / np.array(twin.lengths)
    k = numbers * unit[:, None]
    x, y, z = np.abs(k.astype("f4" if first.dtype == np.complex64 else "f8"))
    dependent = np.where((z >= x) & (z >= y), 2, np.where(y >= x, 1, 0))
    u, modes = np.zeros(k.shape, complex), np.arange(first.size)
    u[np.where(dependent == 0, 1, 0), modes] = first
    u[np.where(dependent == 2, 1, 2), modes] = second
    u[dependent, modes] = -(k * u).sum(0) / np.where(k.any(0), k[dependent, modes], 1)
    u[2, 0] = mean_z
    a = np.zeros((3, *twin.points[::-1]), complex)
    a[:, -numbers[2], -numbers[1], -numbers[0]] = u.conj()
    a[:, numbers[2], numbers[1], numbers[0]] = u
    return a


def datasets_in(path: Path, twin: Twin) -> dict[str, np.ndarray]:
    """The datasets of the velocity in the order of the format, also of a set of files."""
    with h5py.File(path) as file:
        if "data_folder" not in file.attrs:
            return {name: file[name][:] for name in DATASETS}
        folder = path.parent / text_of(file.attrs["data_folder"])
        count = file.attrs["data_files"]
    place = {mode: i for i, mode in enumerate(order_of_modes(twin))}
    whole, filled = {}, np.zeros(len(place), int)
    assert sorted(one.name for one in folder.iterdir()) == [f"{i:05d}.h5" for i in range(count)]
    for number in range(count):
        with h5py.File(folder / f"{number:05d}.h5") as file:
            places = [place[mode] for mode in modes_of(file["columns"][:].tolist(), list(place))]
            filled[places] += 1
            for name in DATASETS:
                values = file[name][:]
                assert values.shape == (file.attrs["modes"], 2) == (len(places), 2)
                whole.setdefault(name, np.empty((len(place), 2), values.dtype))[places] = values
    assert (filled == 1).all()
    return whole


def modes_of(columns: list[int], order: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """The modes in a file of a set, by its lists of columns and the modes of all files in their order."""
    by_column: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
    for mode in order:
        by_column.setdefault(mode[:2], []).append(mode)
    modes = []
    while columns:
        (n_x, n_y), columns = columns[:2], columns[2:]
        of_x, of_y, columns = columns[:n_x], columns[n_x : n_x + n_y], columns[n_x + n_y :]
        modes += [mode for x in of_x for y in of_y for mode in by_column.get((x, y), [])]
    return modes


def text_of(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value


def order_of_modes(twin: Twin) -> list[tuple[int, int, int]]:
    """(n_x, n_y, n_z) of every mode in the file."""
    kept = {tuple(n) for n in np.moveaxis(twin.numbers, 0, -1)[twin.mask].tolist()}

    def signed(most: int) -> list[int]:
        return [*range(most + 1), *range(-most, 0)]

    largest = [max(n[axis] for n in kept) for axis in range(3)]
    return [
        (n_x, n_y, n_z)
        for n_x in range(largest[0] + 1)
        for n_y in signed(largest[1])
        for n_z in signed(largest[2])
        if (n_x, n_y, n_z) in kept
    ]


def content(path: Path) -> dict:
    """Everything in the file that is data or attribute."""
    with h5py.File(path) as file:
        attributes = {name: np.asarray(value).tolist() for name, value in file.attrs.items()}
        return attributes | {name: file[name][:].tobytes() for name in DATASETS}


WORD = 2**64 - 1


def absorb(hash_: int, word: int) -> int:
    """The finaliser of SplitMix64."""
    x = (hash_ + 0x9E3779B97F4A7C15 + word) & WORD
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & WORD
    return x ^ (x >> 31)


def checksum_of_attributes(path: Path) -> str:
    """Of all but itself and the mark of completeness: names, kinds, numbers and bits of values."""
    hash_ = 0
    with h5py.File(path) as file:
        for name in sorted(set(file.attrs) - {"attributes", "complete"}):
            value = file.attrs[name]
            text = value.encode() if isinstance(value, str) else value
            array = np.atleast_1d(value)
            kind = 3 if isinstance(text, bytes) else 1 if array.dtype.kind == "f" else 0
            hash_ = absorb_text(hash_, name.encode())
            hash_ = absorb(absorb(hash_, kind), 1 if kind == 3 else array.size)
            if kind == 3:
                hash_ = absorb_text(hash_, text)
            else:
                for word in array.astype("f8" if kind == 1 else "i8").view("u8"):
                    hash_ = absorb(hash_, int(word))
    return f"{hash_:016x}"


def absorb_text(hash_: int, text: bytes) -> int:
    hash_ = absorb(hash_, len(text))
    for begin in range(0, len(text), 8):
        hash_ = absorb(hash_, int.from_bytes(text[begin : begin + 8], "little"))
    return hash_


def seal(path: Path) -> None:
    """After attributes were changed: as if they had been written so."""
    checksum = checksum_of_attributes(path)
    with h5py.File(path, "r+") as file:
        file.attrs["attributes"] = checksum
