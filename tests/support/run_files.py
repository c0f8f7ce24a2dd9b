"""Files of runs for tests of what reads them, written here."""

import h5py
import numpy as np
from whorl.config.case import Case
from whorl.config.measures import series_columns, spectra_columns
from whorl.output.directory import RunDirectory
from whorl.output.series import Series
from whorl.output.spectra import Spectra

SHAPE = (4, 6, 8)


def write_snapshot(path, time, names=("velocity", "vorticity")):
    """As the core writes it: VTKHDF image data, fields (nz, ny, nx, 3)."""
    nz, ny, nx = SHAPE
    values = np.arange(np.prod(SHAPE) * 3, dtype=np.float32).reshape(*SHAPE, 3)
    with h5py.File(path, "w") as file:
        file.attrs.update({"time": time, "step": 7})
        image = file.create_group("VTKHDF")
        image.attrs["WholeExtent"] = [0, nx - 1, 0, ny - 1, 0, nz - 1]
        image.attrs["Origin"] = [0.0, 0.0, 0.0]
        image.attrs["Spacing"] = [0.5, 1.0, 2.0]
        for name in names:
            image[f"PointData/{name}"] = values
    return values


def make_run(path):
    """Five rows of a series, nothing else."""
    directory = RunDirectory(path)
    nz, ny, nx = SHAPE
    case = Case(
        grid={"points": (nx, ny, nz), "lengths": (4.0, 6.0, 8.0)},
        flow={"viscosity": 0.1},
        time={"until": 1},
    )
    directory.create(case)
    series = Series(series_columns(case), directory.series)
    series.resume([])
    names = [column.name for column in series.columns]
    for step in range(5):
        series.append(dict.fromkeys(names, 1.0 / (1 + step)) | {"step": step, "time": 0.1 * step})
    return directory


def add_spectra(run, energies):
    spectra = Spectra(spectra_columns(run.read_case()), run.spectra)
    for step, energy in enumerate(energies):
        shells = {column.name: np.array(energy) for column in spectra.columns}
        spectra.append(0.1 * step, step, np.arange(len(energy), dtype=float), shells)
