"""The advected real Ginzburg–Landau equation: relaxation in closed form, and its energy that only falls."""

import math
from itertools import pairwise

import numpy as np
import pytest
from models.runs import Modes, advance, error, make_case, noise
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

BOX = (12, 16, 20)


def relaxing(points=8, *, alpha=0.5, beta=1.0, density=1.0, **options):
    """∂ψ/∂t = α∇²ψ − β(|ψ|² − ρ0)ψ − i u·∇ψ − u²/(4α) ψ, by c = √(2αβρ0) and ξ = √(α/βρ0)."""
    c, xi = math.sqrt(2 * alpha * beta * density), math.sqrt(alpha / (beta * density))
    return make_case(
        "ginzburg-landau", points, sound_speed=c, coherence_length=xi, density=density, **options
    )


@pytest.mark.parametrize("k", [(0, 0, 0), (1, 0, 0), (0, -1, 0), (0, 0, 1), (1, 1, -1)], ids=str)
def test_a_plane_wave_in_a_uniform_flow(k):
    """ρ obeys dρ/dt = 2ρ[βρ0 − α|k − u/2α|² − βρ], a logistic growth; the phase stays k·x."""
    alpha, beta, density, u = 0.4, 1.7, 1.3, np.array([0.5, -0.3, 0.6])
    case = relaxing(8, alpha=alpha, beta=beta, density=density, dt=0.005)
    rate = 2 * (beta * density - alpha * np.sum((np.array(k) - u / (2 * alpha)) ** 2))
    start, limit = 0.2, rate / (2 * beta)

    def psi(x, y, z, t):
        rho = limit / (1 + (limit / start - 1) * math.exp(-rate * t))
        phase = k[0] * x + k[1] * y + k[2] * z + 0.4
        return math.sqrt(rho) * np.cos(phase), math.sqrt(rho) * np.sin(phase)

    flow = np.broadcast_to(u[:, None, None, None], (3, 8, 8, 8))
    simulation = advance(case, {"psi": psi, "velocity": flow}, 100)
    assert error(simulation, "psi", psi) < 1e-8
    assert np.abs(simulation.velocity() - flow).max() < 1e-15


def free_energy(case, psi: np.ndarray, u: np.ndarray, alpha: float, beta: float, density: float) -> float:
    """F = α⟨|∇ψ − i u ψ/2α|²⟩ + ½β⟨(|ψ|² − ρ0)²⟩."""
    modes = Modes(case)
    slopes = np.fft.ifftn(1j * modes.k * np.fft.fftn(psi, norm="forward"), axes=(1, 2, 3), norm="forward")
    apart = slopes - 1j * u * psi / (2 * alpha)
    potential = beta * ((np.abs(psi) ** 2 - density) ** 2).mean() / 2
    return alpha * (np.abs(apart) ** 2).sum(0).mean() + potential


def test_it_is_the_gradient_flow_of_the_energy():
    """dF/dt = −2⟨|∂ψ/∂t|²⟩, with both sides by centred differences of order 4."""
    alpha, beta, density, dt = 0.4, 1.7, 1.3, 2e-4
    case = relaxing(BOX, alpha=alpha, beta=beta, density=density, dt=dt, grid={"dealias": "1/2"})
    fields = {"psi": noise(case, 2, 1, mean=(0.6, 0.2)), "velocity": noise(case, 3, 2)}
    simulation, psis, energies = advance(case, fields, 0), [], []
    u = simulation.velocity()
    for _ in range(5):
        real, imaginary = simulation.field("psi")
        psis.append(real + 1j * imaginary)
        energies.append(free_energy(case, psis[-1], u, alpha, beta, density))
        simulation.step()
    weights = np.array([1, -8, 0, 8, -1]) / (12 * dt)
    change = np.tensordot(weights, psis, 1)
    assert weights @ energies == pytest.approx(-2 * (np.abs(change) ** 2).mean(), rel=1e-7)
    assert np.array_equal(simulation.velocity(), u)


def test_statistics():
    """Mass, 2α²⟨|∇ψ|²⟩ and ½⟨u²⟩ of the prescribed flow."""
    case = relaxing(BOX, alpha=0.4)
    fields = {"psi": noise(case, 2, 1, reach=2), "velocity": noise(case, 3, 2, reach=2)}
    simulation, modes = advance(case, fields, 1), Modes(case)
    psi, u = simulation.field("psi"), simulation.velocity()
    a, found = modes.of(psi), simulation.statistics()
    assert found["mass"] == pytest.approx((psi**2).sum(0).mean(), rel=1e-12)
    assert found["gradient_energy"] == pytest.approx(
        2 * 0.4**2 * (modes.k2 * np.abs(a) ** 2).sum(), rel=1e-12
    )
    assert found["flow_energy"] == pytest.approx((u**2).sum(0).mean() / 2, rel=1e-12)
    assert found["maximum_divergence"] < 1e-14


def test_relaxation_keeps_the_vortices_of_the_flow():
    """The Taylor–Green superfluid in its flow: sound and energy go, most vortices and the flow stay."""
    case = make_case("ginzburg-landau", 32, sound_speed=2.0, coherence_length=0.1, scheme="rk2", dt=0.02)
    flows = ["initial.name=taylor-green", "initial.velocity.name=taylor-green"]
    simulation = Simulation(case.updated(flows))
    rows = [simulation.statistics()]
    for _ in range(25):
        simulation.step()
        rows.append(simulation.statistics())
    assert all(b["energy"] < a["energy"] for a, b in pairwise(rows))
    assert rows[-1]["kinetic_compressible"] < 0.95 * rows[0]["kinetic_compressible"]
    assert rows[-1]["kinetic_incompressible"] > 0.6 * rows[0]["kinetic_incompressible"]
    assert rows[-1]["flow_energy"] == rows[0]["flow_energy"] == pytest.approx(0.125, rel=1e-12)
