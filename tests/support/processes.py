"""Stationary random series of which the correlation is known.

Ornstein–Uhlenbeck processes of variance 1, whose values at t and t + s have the correlation exp(−s): a window
of length W has W/2 independent samples, as long as rows are closer than 1.
"""

import math

import numpy as np
from scipy.signal import lfilter


def process(times, count, seed):
    """`count` independent series at the times."""
    rng = np.random.default_rng(seed)
    kept = np.exp(-np.diff(times))
    values = rng.normal(size=(count, len(times)))
    if np.ptp(kept) < 1e-9:
        noise = values * math.sqrt(1 - kept[0] ** 2)
        noise[:, 0] = values[:, 0]
        return lfilter([1], [1, -kept[0]], noise, axis=1)
    for i, rho in enumerate(kept):
        values[:, i + 1] = rho * values[:, i] + math.sqrt(1 - rho**2) * values[:, i + 1]
    return values


def equal(length, spacing):
    return np.arange(0, length + spacing / 2, spacing)
