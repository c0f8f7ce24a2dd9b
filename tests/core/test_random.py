"""Random initial fields."""

import numpy as np
import pytest
from support import flows
from support.flows import assert_close
from support.ranks import on_ranks
from support.twin import Twin
from whorl import _core
from whorl.base.ranks import MPI

pytestmark = pytest.mark.every_device

BOXES = [
    ((20, 14, 18), (2 * np.pi, 2 * np.pi, 2 * np.pi), "2/3"),
    ((12, 30, 10), (2.0, 5.0, 3.0), "phase-shift"),
    ((28, 20, 1), (2 * np.pi, 4.0, 1.0), "none"),
]
boxes = pytest.mark.parametrize(("points", "lengths", "dealias"), BOXES)


def energy_by_shell(twin):
    """More shells than there are, none of them empty."""
    return [0.1 + 1 / (1 + n) for n in range(twin.shell[twin.mask].max() + 5)]


@on_ranks()
@pytest.mark.parametrize("precision", flows.PRECISIONS)
@boxes
def test_spectrum_is_exact_and_nothing_is_compressed(world, points, lengths, dealias, precision):
    twin = Twin(points, lengths, dealias)
    energy = energy_by_shell(twin)
    flow = flows.make(world, twin, precision=precision)
    flow.set_random(energy, 7)
    expected = np.array(energy[: twin.shell[twin.mask].max() + 1])
    expected[np.bincount(twin.shell[twin.mask], twin.k2[twin.mask]) == 0] = 0  # the mean, and empty shells
    assert_close(flow.spectra()["energy"], expected, precision, what="spectrum")
    a = twin.to_modes(flows.read(world, flow))
    assert_close(twin.energy_spectrum(a), expected, precision, what="spectrum of the field at the points")
    assert_close(a * ~twin.mask, np.zeros_like(a), precision, 1.0, "modes that are not kept")
    assert_close(a[:, 0, 0, 0], np.zeros(3), precision, 1.0, "mean")
    scale = np.sqrt(twin.k2.max()) * np.abs(a).max()
    assert_close((twin.k * a).sum(0), np.zeros_like(a[0]), precision, scale, "divergence")
    assert flow.statistics()["maximum_divergence"] <= flows.ROUNDING[precision] * scale


@on_ranks()
@pytest.mark.parametrize("precision", flows.PRECISIONS)
@boxes
def test_the_field_is_the_same_on_any_process_grid(world, points, lengths, dealias, precision):
    twin = Twin(points, lengths, dealias)
    alone = flows.make(MPI.COMM_SELF, twin)
    alone.set_random(energy_by_shell(twin), 2**40 + 5)
    expected = flows.read(MPI.COMM_SELF, alone)
    for grid in _core.allowed_process_grids(flows.options(twin), world.size):
        flow = flows.make(world, twin, precision=precision, process_grid=grid, threads=2)
        flow.set_random(energy_by_shell(twin), 2**40 + 5)
        assert_close(flows.read(world, flow), expected, precision, what=f"velocity on {grid}")


@on_ranks(1)
def test_seeds_give_fields_without_relation(world):
    twin = Twin((20, 14, 18))
    fields = []
    for seed in (1, 2, 2**32 + 1):
        flow = flows.make(world, twin)
        flow.set_random(energy_by_shell(twin), seed)
        fields.append(flows.read(world, flow).ravel())
    correlations = np.corrcoef(fields) - np.eye(3)
    # 690 modes of which the first shells hold most: a few hundredths, and by chance a tenth
    assert np.abs(correlations).max() < 0.2


@on_ranks(2)
def test_shells_left_out_of_the_spectrum_hold_nothing(world):
    twin = Twin((12, 14, 10))
    flow = flows.make(world, twin)
    flow.set_random([0.0, 0.0, 1.5], 1)
    expected = np.zeros(len(flow.spectra()["k"]))
    expected[2] = 1.5
    assert_close(flow.spectra()["energy"], expected, "double")
    flow.set_random([], 1)
    assert flow.statistics()["energy"] == 0.0


@on_ranks(1)
def test_directions_and_components_share_the_energy(world):
    """Over a whole shell of many modes no direction is favoured."""
    twin = Twin((48, 48, 48), dealias="phase-shift")
    flow = flows.make(world, twin)
    flow.set_random([0.0] * 18 + [1.0], 3)
    u = flows.read(world, flow)
    shares = (u**2).mean((1, 2, 3)) / (u**2).mean((1, 2, 3)).sum()
    assert shares == pytest.approx(np.full(3, 1 / 3), abs=0.02)
    assert np.mean(u**3) == pytest.approx(0.0, abs=0.02)
    assert np.mean(u**4) / np.mean(u**2) ** 2 == pytest.approx(3.0, abs=0.1)
