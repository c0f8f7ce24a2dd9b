"""Energies, spectra and what is counted."""

import numpy as np
import pytest
from support import flows
from support.flows import assert_close
from support.ranks import on_ranks
from support.twin import Twin

pytestmark = pytest.mark.every_device

BOXES = [
    ((20, 14, 18), (2 * np.pi, 3.0, 5.0), "2/3"),
    ((12, 30, 10), (1.0, 2 * np.pi, 0.7), "phase-shift"),
    ((42, 16, 12), (7.0, 2.0, 2 * np.pi), "none"),  # 7 to 2: modes on the boundary between shells
    ((28, 20, 1), (2 * np.pi, 4.0, 1.0), "phase-shift-exact"),
]
boxes = pytest.mark.parametrize(("points", "lengths", "dealias"), BOXES)
precisions = pytest.mark.parametrize("precision", flows.PRECISIONS)


@on_ranks()
@precisions
@boxes
def test_spectra_and_statistics(world, points, lengths, dealias, precision):
    twin = Twin(points, lengths, dealias, viscosity=0.03)
    u = flows.noise(twin)
    a = twin.load(u)
    flow = flows.make(world, twin, precision=precision, threads=2)
    flows.write(flow, u)
    spectra = flow.spectra()
    assert_close(spectra["energy"], twin.energy_spectrum(a), precision, what="energy")
    size = twin.by_shell(np.sqrt(twin.k2) * (np.abs(a) ** 2).sum(0)).max()
    assert_close(spectra["helicity"], twin.helicity_spectrum(a), precision, size, "helicity")
    statistics, expected = flow.statistics(), twin.statistics(a)
    assert statistics.keys() == expected.keys()
    scales = {"helicity": np.sqrt(expected["enstrophy"] * expected["energy"])}
    scales["maximum_divergence"] = np.sqrt(twin.k2.max()) * np.abs(a).max()
    for name, value in expected.items():
        assert_close(statistics[name], value, precision, scales.get(name, 0), name)


@on_ranks()
@precisions
@boxes
def test_energy_of_shells_modes_and_points_is_one(world, points, lengths, dealias, precision):
    twin = Twin(points, lengths, dealias)
    flow = flows.make(world, twin, precision=precision)
    flows.write(flow, flows.noise(twin, seed=6))
    energy = (flows.read(world, flow) ** 2).sum(0).mean() / 2
    assert_close(flow.statistics()["energy"], energy, precision, what="energy of the modes")
    assert_close(flow.spectra()["energy"].sum(), energy, precision, what="energy of the shells")
    enstrophy = (flows.read(world, flow, "vorticity") ** 2).sum(0).mean() / 2
    assert_close(flow.statistics()["enstrophy"], enstrophy, precision, what="enstrophy")


@on_ranks(1, 2)
@pytest.mark.parametrize("n", [24, 54, 72])
def test_a_mode_on_the_boundary_of_the_last_shell_stays_in_it(world, n):
    """Single precision may round it above the boundary: 3/2 of an odd number of smallest wavenumbers."""
    twin = Twin((4, n, 1), (0.1 + 0.2, (0.1 + 0.2) / 1.5, 1.0), "phase-shift")
    last = int(np.abs(twin.numbers[1][twin.mask]).max())
    assert last % 2 == 1
    u = np.zeros((3, 1, n, 4))
    u[0] = np.cos(2 * np.pi * last * np.arange(n) / n)[:, None]
    for precision in flows.PRECISIONS:
        flow = flows.make(world, twin, precision=precision)
        flows.write(flow, u)
        expected = np.zeros(len(flow.spectra()["k"]))
        expected[(3 * last + 1) // 2] = 0.25
        assert_close(flow.spectra()["energy"], expected, precision)


@on_ranks()
@precisions
def test_the_transfer_to_enstrophy_has_k_of_each_mode(world, precision):
    """Not that of the middle of its shell: the two differ by a tenth and more in the first shells."""
    points, lengths, dealias = BOXES[0]
    twin = Twin(points, lengths, dealias)
    u = flows.noise(twin)
    flow = flows.make(world, twin, precision=precision)
    flows.write(flow, u)
    a = twin.load(u)
    expected = twin.by_shell(twin.k2 * (a.conj() * twin.nonlinear(a, None)).sum(0).real)
    found = flow.transfer()
    assert_close(found["enstrophy of velocity"], expected, precision, np.abs(expected).max())
    middle = flow.spectra()["k"] ** 2 * found["velocity"]
    assert np.abs(middle - expected)[1:4].max() > 0.1 * np.abs(expected[1:4]).max()


@on_ranks()
@pytest.mark.parametrize("dealias", ["2/3", "phase-shift", "phase-shift-exact"])
def test_the_nonlinear_term_moves_energy_and_makes_none(world, dealias):
    twin = Twin((20, 14, 18), (2 * np.pi, 3.0, 5.0), dealias)
    flow = flows.make(world, twin)
    flows.write(flow, flows.noise(twin))
    transfer = flow.transfer()["velocity"]
    assert len(transfer) == len(flow.spectra()["k"])
    assert np.abs(transfer).max() > 0.001
    assert abs(transfer.sum()) < 1e-13 * np.abs(transfer).sum()


@on_ranks()
@boxes
def test_imbalance_is_the_largest_share_of_columns(world, points, lengths, dealias):
    flow = flows.make(world, Twin(points, lengths, dealias))
    state = world.allgather(flow.memory()["state"])
    assert min(state) > 0
    assert 1.0 <= flow.imbalance <= world.size
    if world.size == 1 or len(set(state)) == 1:
        assert flow.imbalance == pytest.approx(1.0, abs=0.1)
    # Columns of a cylinder are as long as the sphere is high: modes are spread a little less evenly.
    assert max(state) * world.size / sum(state) <= 1.3 * flow.imbalance
    first_z, last_z, first_y, last_y = flow.physical_block
    planes = world.allreduce((last_z - first_z) * (last_y - first_y))
    assert planes == points[1] * points[2]
