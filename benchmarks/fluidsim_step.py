"""Time one Navier–Stokes step of fluidsim; run by peers.py with the Python of .peers.

Prints one line of JSON (rank 0): seconds_per_step and seconds_per_rhs, each the median over the steps of
the slowest rank's time; ranks; energy, the mean kinetic energy after the last step.
"""

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable

import numpy as np
from fluiddyn.util import mpi
from fluidsim.solvers.ns3d.solver import Simul


def simulation(points: int, viscosity: float, time_step: float, fft: str) -> Simul:
    """A periodic cube of side 2π with the Taylor–Green vortex, rk2, 2/3 truncation on each axis."""
    params = Simul.create_default_params()
    for axis in "xyz":
        setattr(params.oper, f"n{axis}", points)
        setattr(params.oper, f"L{axis}", 2 * np.pi)
    params.oper.type_fft = fft
    params.oper.coef_dealiasing = 2 / 3
    params.oper.truncation_shape = "cubic"
    params.nu_2 = viscosity
    params.time_stepping.type_time_scheme = "RK2"
    params.time_stepping.USE_CFL = False
    params.time_stepping.deltat0 = time_step
    params.init_fields.type = "in_script"
    params.output.HAS_TO_SAVE = False
    sim = Simul(params)
    x, y, z = sim.oper.get_XYZ_loc()
    sim.state.init_statephys_from(
        vx=np.sin(x) * np.cos(y) * np.cos(z),
        vy=-np.cos(x) * np.sin(y) * np.cos(z),
        vz=np.zeros_like(x),
    )
    sim.state.statespect_from_statephys()
    sim.time_stepping.init_from_params()
    return sim


def right_hand_side(sim: Simul) -> Callable[[], object]:
    """One full right-hand side from modes to modes, into an array that is allocated once."""
    state = sim.state.state_spect
    tendency = sim.tendencies_nonlin(state)
    return lambda: sim.tendencies_nonlin(state, old=tendency)


def slowest_rank(work: Callable[[], object], repeats: int) -> float:
    """Median over `repeats` of the slowest rank's seconds in `work`."""
    seconds = []
    for _ in range(repeats):
        if mpi.nb_proc > 1:
            mpi.comm.barrier()
        start = time.perf_counter()
        work()
        elapsed = time.perf_counter() - start
        seconds.append(mpi.comm.allreduce(elapsed, op=mpi.MPI.MAX) if mpi.nb_proc > 1 else elapsed)
    return statistics.median(seconds)


def mean_energy(sim: Simul) -> float:
    """½⟨u²⟩ over the whole box."""
    state = sim.state.state_phys
    local = 0.5 * float(np.sum(np.square(state)))
    total = mpi.comm.allreduce(local) if mpi.nb_proc > 1 else local
    return total / sim.params.oper.nx**3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, required=True)
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--viscosity", type=float, required=True)
    parser.add_argument("--time-step", type=float, required=True)
    parser.add_argument("--fft", required=True, help="a fluidfft method, such as fft3d.with_pyfftw")
    options = parser.parse_args()
    sim = simulation(options.points, options.viscosity, options.time_step, options.fft)
    step = sim.time_stepping.one_time_step_computation
    step()
    result = {
        "seconds_per_step": slowest_rank(step, options.steps),
        "energy": mean_energy(sim),
        "seconds_per_rhs": slowest_rank(right_hand_side(sim), options.steps),
        "ranks": mpi.nb_proc,
        "threads": int(os.environ.get("OMP_NUM_THREADS", "1")),
    }
    if mpi.rank == 0:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
