"""Preparation of a fork, for example by multiprocessing.Pool, so that the core works in the child."""

import ctypes
import os

SOFT = 1  # omp_pause_soft of OpenMP 5: threads end, settings stay


def end_threads_before_forks(library: str) -> None:
    """End the idle threads of the OpenMP `library` before each fork; the next parallel work starts new ones.

    A child has only the thread that forked and would wait for the others for ever.
    """
    pause = ctypes.CDLL(library).omp_pause_resource_all
    os.register_at_fork(before=lambda: pause(SOFT))
