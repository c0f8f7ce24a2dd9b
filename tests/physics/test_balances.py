"""Budgets along a run, and identities of any solenoidal field, seen from the points by numpy.fft alone."""

import numpy as np
import pytest
from physics.flows import EXACT, TAU, curl, gradient, make_case, names, noise, on_twice_the_points, run

pytestmark = pytest.mark.every_device

BOX = (16, 18, 12)
LENGTHS = (TAU, 1.2 * TAU, 0.9 * TAU)
NU = 0.03


@pytest.fixture(scope="module", params=EXACT, ids=names(EXACT))
def flow(request, device):
    """A developed flow: noise that the nonlinear term has worked on."""
    return run(
        make_case(BOX, NU, dt=0.02, lengths=LENGTHS, **request.param), noise(BOX, seed=11, reach=3), 10
    )


@pytest.fixture(scope="module")
def A(flow, device):
    """A[i, j] = ∂u_i/∂x_j."""
    return gradient(flow.velocity(), LENGTHS)


def mean(subscripts: str, *tensors: np.ndarray) -> float:
    """Space average of a contraction of tensors."""
    points = tensors[0].shape[-3:]
    operands = ",".join(f"{part}zyx" for part in subscripts.split(","))
    return float(np.einsum(f"{operands}->", *tensors, optimize=True) / np.prod(points))


def test_no_divergence(A):
    assert np.abs(np.einsum("iizyx->zyx", A)).max() < 1e-13 * np.abs(A).max()


def test_vorticity_is_the_curl(flow, A):
    expected = curl(A)
    assert np.abs(flow.vorticity() - expected).max() < 1e-13 * np.abs(expected).max()


def test_statistics_are_averages_over_the_points(flow, A):
    u, vorticity, is_now = flow.velocity(), flow.vorticity(), flow.statistics()
    assert is_now["energy"] == pytest.approx(mean("i,i", u, u) / 2, rel=1e-13)
    assert is_now["enstrophy"] == pytest.approx(mean("i,i", vorticity, vorticity) / 2, rel=1e-13)
    assert is_now["helicity"] == pytest.approx(mean("i,i", u, vorticity), rel=1e-11)
    assert is_now["dissipation"] == pytest.approx(NU * mean("ij,ij", A, A), rel=1e-13)
    bends = gradient(vorticity, LENGTHS)
    assert is_now["palinstrophy"] == pytest.approx(mean("ij,ij", bends, bends) / 2, rel=1e-13)


def test_spectra_sum_to_the_totals(flow):
    spectra, is_now = flow.flow.spectra(), flow.statistics()
    assert spectra["energy"].sum() == pytest.approx(is_now["energy"], rel=1e-14)
    assert spectra["helicity"].sum() == pytest.approx(is_now["helicity"], rel=1e-12)
    assert spectra["k"] == pytest.approx(np.arange(spectra["k"].size) / 1.2)


def test_shells_are_as_wide_as_the_smallest_wavenumber(flow):
    """E(k) gathers the modes with |k| from k − ½ to k + ½ smallest wavenumbers."""
    modes = np.fft.fftn(flow.velocity(), axes=(1, 2, 3), norm="forward")
    k = [np.fft.fftfreq(n, 1 / n) / length for n, length in zip(BOX, LENGTHS, strict=True)]
    size = np.sqrt(k[2][:, None, None] ** 2 + k[1][:, None] ** 2 + k[0] ** 2) * max(LENGTHS)
    spectrum = flow.flow.spectra()["energy"]
    energy = np.bincount(np.floor(size + 0.5).astype(int).ravel(), (np.abs(modes) ** 2).sum(0).ravel() / 2)
    assert spectrum == pytest.approx(energy[: spectrum.size], rel=1e-12, abs=1e-25)


def test_betchov_identities(flow):
    """Betchov, J. Fluid Mech. 1, 497 (1956)."""
    A = gradient(on_twice_the_points(flow.velocity()), LENGTHS)
    S, vorticity = (A + A.swapaxes(0, 1)) / 2, curl(A)
    size = mean("ij,ij", A, A)
    stretching = mean("i,ij,j", vorticity, S, vorticity)
    assert abs(mean("ij,ji", A, A)) < 1e-14 * size
    assert abs(mean("ij,jk,ki", A, A, A)) < 1e-13 * size**1.5
    assert stretching == pytest.approx(-4 / 3 * mean("ij,jk,ki", S, S, S), rel=1e-11)
    assert 2 * mean("ij,ij", S, S) == pytest.approx(2 * flow.statistics()["enstrophy"], rel=1e-13)
    assert abs(stretching) > 1e-3 * size**1.5


def rate(truncation: dict, quantity: str, dt=1e-3) -> tuple[float, dict[str, float], np.ndarray]:
    """d/dt of a quantity by central differences, with the statistics and velocity in the middle."""
    simulation = run(
        make_case(BOX, NU, dt=dt, lengths=LENGTHS, **truncation), noise(BOX, seed=11, reach=3), 1
    )
    before = simulation.statistics()[quantity]
    simulation.step()
    middle, velocity = simulation.statistics(), simulation.velocity()
    simulation.step()
    return (simulation.statistics()[quantity] - before) / (2 * dt), middle, velocity


@pytest.mark.parametrize("truncation", EXACT, ids=names(EXACT))
def test_energy_balance(truncation):
    """dE/dt = −2 ν Z."""
    loss, middle, _ = rate(truncation, "energy")
    assert loss == pytest.approx(-2 * NU * middle["enstrophy"], rel=1e-5)
    assert loss == pytest.approx(-middle["dissipation"], rel=1e-5)


def test_enstrophy_balance():
    """dZ/dt = ⟨ω·S·ω⟩ − 2 ν P."""
    growth, middle, velocity = rate({}, "enstrophy")
    A = gradient(velocity, LENGTHS)
    stretching = mean("i,ij,j", curl(A), A, curl(A))
    assert growth == pytest.approx(stretching - 2 * NU * middle["palinstrophy"], rel=1e-4)
    assert abs(stretching) > 0.02 * abs(growth)


def test_helicity_balance():
    """dH/dt = −2 ν ⟨ω·∇×ω⟩."""
    loss, _, velocity = rate({}, "helicity")
    vorticity = curl(gradient(velocity, LENGTHS))
    expected = -2 * NU * mean("i,i", vorticity, curl(gradient(vorticity, LENGTHS)))
    assert loss == pytest.approx(expected, rel=1e-3)


def test_energy_balance_over_a_run():
    """E(0) − E(t) = ∫ ε dt by Simpson's rule on the rows of the series."""
    case = make_case(BOX, NU, dt=0.01, lengths=LENGTHS).updated(['output.series_every="1 steps"'])
    series = run(case, noise(BOX, seed=12, reach=3), 40).series
    weights = np.r_[1, np.tile([4, 2], 20)[:-1], 1] * 0.01 / 3
    lost = float(series["energy"][0] - series["energy"][-1])
    assert lost == pytest.approx(float((weights * series["dissipation"]).sum()), rel=1e-7)
    assert lost > 0.1 * float(series["energy"][0])
