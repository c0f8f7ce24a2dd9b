"""What the nonlinear term must leave alone: energy and helicity, in two dimensions energy and enstrophy.

Exact dealiasing keeps them for any field, whatever its energy at the truncation; so fields here are noise of
all wavenumbers. Time schemes spoil it by their own error only.
"""

import numpy as np
import pytest
from physics.flows import EXACT, SCHEMES, TAU, TRUNCATIONS, make_case, names, noise, run, slope

pytestmark = pytest.mark.every_device

BOX = (12, 18, 10)
LENGTHS = (TAU, 1.3 * TAU, 0.8 * TAU)
exactly = pytest.mark.parametrize("truncation", EXACT, ids=names(EXACT))


def imbalance(points=BOX, **grid) -> float:
    """|Σ T(k)| relative to Σ |T(k)|."""
    transfer = run(make_case(points, **grid), noise(points), 0).flow.transfer()["velocity"]
    return abs(transfer.sum()) / np.abs(transfer).sum()


@pytest.mark.parametrize("truncation", TRUNCATIONS[:-1], ids=names(TRUNCATIONS[:-1]))
@pytest.mark.parametrize("lengths", [(TAU,) * 3, LENGTHS], ids=["cube", "brick"])
def test_transfer_sums_to_zero(truncation, lengths):
    assert imbalance(lengths=lengths, **truncation) < 1e-14


def test_transfer_with_aliases_does_not():
    assert imbalance(dealias="none") > 0.05


def test_transfer_is_the_rate_of_change_of_the_spectrum():
    """E(k, t + dt) − E(k, t − dt) = 2 dt T(k) without viscosity."""
    case = make_case(16, 0.0, dt=1e-3)
    simulation = run(case, noise(16, reach=4), 1)
    before = simulation.flow.spectra()["energy"]
    simulation.step()
    transfer = simulation.flow.transfer()["velocity"]
    simulation.step()
    rate = (simulation.flow.spectra()["energy"] - before) / 2e-3
    assert np.abs(rate - transfer).max() < 2e-5 * np.abs(transfer).max()


def drifts(quantity: str, counts: list[int], points=BOX, **options) -> list[float]:
    """Relative change over one step of 1/n without viscosity: root mean square over a few noise fields."""
    changes = np.zeros((len(counts), SEEDS))
    for seed in range(SEEDS):
        field = noise(points, seed)
        field[2] *= points[2] > 1  # plane flow has no third component
        for i, n in enumerate(counts):
            simulation = run(make_case(points, dt=1 / n, lengths=LENGTHS, **options), field, 0)
            before = simulation.statistics()[quantity]
            simulation.step()
            changes[i, seed] = simulation.statistics()[quantity] / before - 1
    return list(np.sqrt((changes**2).mean(axis=1)))


SEEDS = 3
COUNTS = [10, 14, 20, 28]


@pytest.mark.turns
@exactly
@pytest.mark.parametrize("scheme", SCHEMES)
def test_energy_drifts_by_the_scheme_s_error_only(truncation, scheme):
    changes = drifts("energy", COUNTS, scheme=scheme, **truncation)
    assert slope([1 / n for n in COUNTS], changes) > SCHEMES[scheme] + 0.7


@exactly
def test_helicity_drifts_by_the_scheme_s_error_only(truncation):
    changes = drifts("helicity", COUNTS, **truncation)
    assert slope([1 / n for n in COUNTS], changes) > 4.7


@exactly
@pytest.mark.parametrize("quantity", ["energy", "enstrophy"])
def test_invariants_of_plane_flow(truncation, quantity):
    changes = drifts(quantity, COUNTS, points=(30, 24, 1), **truncation)
    assert slope([1 / n for n in COUNTS], changes) > 4.7


def test_helicity_is_kept_to_rounding_by_a_short_step():
    for truncation in EXACT:
        assert drifts("helicity", [10000], **truncation)[0] < 1e-13


@pytest.mark.parametrize("quantity", ["energy", "helicity"])
def test_aliases_create_and_destroy(quantity):
    """A drift per step ∝ dt: the tendency itself does not conserve."""
    changes = drifts(quantity, [1000, 2000], dealias="none")
    assert changes[0] / changes[1] == pytest.approx(2, rel=0.2)
    assert changes[0] > 1e-5
