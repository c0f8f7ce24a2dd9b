"""Reads a checkpoint as docs/checkpoints.md describes it, with nothing of the core."""

from pathlib import Path

import h5py
import numpy as np

from support.twin import Twin

DATASETS = ("velocity_first", "velocity_second")


def modes_in(path: Path, twin: Twin) -> np.ndarray:
    """The whole field a[component, z, y, x], conjugates included."""
    with h5py.File(path) as file:
        first, second = (file[name][:, 0] + 1j * file[name][:, 1] for name in DATASETS)
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
