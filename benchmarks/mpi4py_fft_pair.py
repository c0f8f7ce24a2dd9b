"""Time pairs of 3-D real transforms of mpi4py-fft; run by transforms.py with the Python of .transforms.

Prints one line of JSON (rank 0): seconds of each pair on the slowest rank, and the largest error of the last.
"""

import argparse
import json
import sys
import time

import numpy as np
from mpi4py import MPI
from mpi4py_fft import PFFT, newDistArray
from mpi4py_fft.fftw import FFTW_MEASURE

WARM_UP = 2


def kernel(transforms: PFFT, points: int) -> np.ndarray:
    """sin x cos y sin z on this rank's points [z][y][x]."""
    angle = 2 * np.pi / points * np.arange(points)
    z, y, x = (angle[part] for part in transforms.local_slice(False))
    return np.sin(z)[:, None, None] * np.cos(y)[None, :, None] * np.sin(x)[None, None, :]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, required=True)
    parser.add_argument("--times", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--slab", action="store_true", help="slabs instead of pencils")
    options = parser.parse_args()
    comm = MPI.COMM_WORLD
    transforms = PFFT(
        comm,
        [options.points] * 3,
        dtype=float,
        grid=(-1,) if options.slab else None,
        threads=options.threads,
        flags=(FFTW_MEASURE,),
    )
    field, modes = newDistArray(transforms, False), newDistArray(transforms, True)
    exact = kernel(transforms, options.points)
    seconds = []
    for call in range(WARM_UP + options.times):
        field[...] = exact
        comm.Barrier()
        start = time.perf_counter()
        transforms.forward(field, modes, normalize=False)
        transforms.backward(modes, field, normalize=False)
        elapsed = comm.allreduce(time.perf_counter() - start, MPI.MAX)
        if call >= WARM_UP:
            seconds.append(elapsed)
    error = comm.allreduce(float(np.abs(field / options.points**3 - exact).max(initial=0.0)), MPI.MAX)
    if comm.rank == 0:
        print(json.dumps({"seconds": seconds, "error": error}))
    sys.exit(not error < 1e-12)


if __name__ == "__main__":
    main()
