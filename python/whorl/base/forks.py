"""What is done before a fork, as of a multiprocessing.Pool, so that the core works in the child."""

import ctypes
import os

SOFT = 1  # omp_pause_soft of OpenMP 5: threads end, settings stay


def end_threads_before_forks(library: str) -> None:
    """End the idle threads of OpenMP, as `library` has it, before each fork; the next work starts new ones.

    A child has no threads but the one that forked, and would wait for the others for ever.
    """
    pause = ctypes.CDLL(library).omp_pause_resource_all
    os.register_at_fork(before=lambda: pause(SOFT))
