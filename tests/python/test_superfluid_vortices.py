"""The wavefunction of the Taylor–Green flow's vortices: circulation, cores, what it needs of the box."""

import math

import numpy as np
import pytest
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.initial.superfluid_vortices import taylor_green_wavefunction


def case_of(**sections):
    base = {"grid": {"points": [8, 6, 10]}, "time": {"dt": 0.1, "steps": 1}}
    return Case(**base | sections)


def wavefunction_at(case, x, y, z):
    """ψ at any points."""
    real, imaginary = taylor_green_wavefunction(case, case.initial.amplitude)(*map(np.asarray, (x, y, z)))
    return real + 1j * imaginary


def test_taylor_green_vortices_of_a_superfluid():
    """|ψ|² is ρ0 far from lines and 0 on them (z = 0, cos x = ½, cos y = 0); the phase turns n times."""
    flow = {"model": "gross-pitaevskii", "sound_speed": 2.0, "coherence_length": 0.04, "density": 3.0}
    case = case_of(flow=flow, initial={"name": "taylor-green"})
    quanta = int(2 * math.sqrt(2) / (math.pi * 2.0 * 0.04) / 4)
    assert quanta == 2
    circle = np.linspace(0, 2 * np.pi, 64, endpoint=False)
    x, y = np.pi / 3 + 0.3 * np.cos(circle), np.pi / 2 + 0.3 * np.sin(circle)
    psi = wavefunction_at(case, x, y, np.zeros(64))
    turns = np.angle(np.roll(psi, -1) / psi).sum() / (2 * np.pi)
    assert abs(turns) == pytest.approx(quanta)
    above = wavefunction_at(case, x, y, np.full(64, np.pi))
    assert np.angle(np.roll(above, -1) / above).sum() / (2 * np.pi) == pytest.approx(-turns)
    assert abs(wavefunction_at(case, np.pi / 3, np.pi / 2, 0.0)) < 1e-12
    assert abs(wavefunction_at(case, 0.0, 0.0, 0.0)) ** 2 == pytest.approx(3.0, rel=1e-6)


@pytest.mark.parametrize(
    ("box", "velocity", "cell"),
    [(1.0, None, 8), (2.0, None, 16), (2.0, 0.51, 8), (1.0, -2.0, -16), (1.0, 1.0, 8)],
)
def test_a_cell_of_a_superfluid_has_the_circulation_of_the_flow(box, velocity, cell):
    """8 A/a by quanta of 4π c ξ/√2 = 0.889, cut to four vortices: 9 where a = 1, 18 where it is ½."""
    model = "gross-pitaevskii" if velocity is None else "ginzburg-landau"
    flow = {"model": model, "sound_speed": 2.0, "coherence_length": 0.05}
    tables = {} if velocity is None else {"velocity": {"name": "taylor-green", "amplitude": velocity}}
    length = 2 * np.pi * box
    grid = {"points": 8, "lengths": [length, length, 3.0]}
    case = case_of(flow=flow, grid=grid, initial={"name": "taylor-green"} | tables)
    side = np.linspace(0, length / 2, 4000, endpoint=False)
    start, end = np.zeros_like(side), np.full_like(side, length / 2)
    x, y = np.r_[side, end, length / 2 - side, start], np.r_[start, side, end, length / 2 - side]
    psi = wavefunction_at(case, x, y, 0 * x)
    assert np.angle(np.roll(psi, -1) / psi).sum() / (2 * np.pi) == pytest.approx(cell)


@pytest.mark.parametrize("box", [1.0, 3.0])
def test_cores_of_a_superfluid_are_as_wide_in_every_box(box):
    """Across the line at (x, y) = (lx/6, ly/4), z = 0, |ψ| = tanh(r/ξ) to ξ/box."""
    length, xi = 2 * np.pi * box, 0.002
    flow = {"model": "gross-pitaevskii", "sound_speed": 0.2 * box / xi, "coherence_length": xi}
    grid = {"points": 8, "lengths": [length, length, 3.0]}
    case = case_of(flow=flow, grid=grid, initial={"name": "taylor-green"})
    r = np.array([0.3, 1.0, 2.0]) * xi
    psi = wavefunction_at(case, length / 6, length / 4 + r, 0 * r)
    np.testing.assert_allclose(abs(psi), np.tanh(r / xi), rtol=1e-4)


def test_a_superfluid_needs_square_cells():
    flow = {"model": "gross-pitaevskii", "sound_speed": 2.0, "coherence_length": 0.05}
    grid = {"points": 8, "lengths": [6.0, 5.0, 6.0]}
    case = case_of(flow=flow, grid=grid, initial={"name": "taylor-green"})
    with pytest.raises(CaseError, match="along x and y are 6 and 5; give them one length"):
        taylor_green_wavefunction(case, 1.0)


def test_too_large_a_core_for_a_taylor_green_superfluid():
    flow = {"model": "gross-pitaevskii", "sound_speed": 2.0, "coherence_length": 0.2}
    case = case_of(flow=flow, initial={"name": "taylor-green"})
    with pytest.raises(CaseError, match=r"= 0\.4; the product must be at most 0\.2251"):
        taylor_green_wavefunction(case, 1.0)
