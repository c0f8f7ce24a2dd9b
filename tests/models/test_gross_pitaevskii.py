"""The Gross–Pitaevskii equation: waves, solitons, invariants, an independent solution, energies."""

import math

import numpy as np
import pytest
from models.runs import TAU, Modes, advance, check_spectrum, distance, error, make_case, noise, slope
from whorl.base.errors import BlowUp
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

BOX = (12, 16, 20)
LENGTHS = (TAU, 1.2 * TAU, 0.9 * TAU)
GRID = {"lengths": LENGTHS}
linears = pytest.mark.parametrize("linear", ["explicit", "exact"])


def condensate(points=8, *, alpha=0.5, g=1.0, density=1.0, **options):
    """i ∂ψ/∂t = −α∇²ψ + g(|ψ|² − ρ0)ψ, by c = √(2αgρ0) and ξ = √(α/gρ0)."""
    c, xi = math.sqrt(2 * alpha * g * density), math.sqrt(alpha / (g * density))
    return make_case(
        "gross-pitaevskii", points, sound_speed=c, coherence_length=xi, density=density, **options
    )


def parts(psi):
    """A complex function as the two components of ψ."""
    return lambda x, y, z, t: (psi(x, y, z, t).real, psi(x, y, z, t).imag)


def wavefunction(simulation) -> np.ndarray:
    real, imaginary = simulation.field("psi")
    return real + 1j * imaginary


# Closed forms


@linears
@pytest.mark.parametrize("k", [(0, 0, 0), (1, 0, 0), (0, -1, 0), (0, 0, 1), (1, -1, 1)], ids=str)
def test_plane_wave(k, linear):
    """ψ = A exp i(k·x − (αk² + g(|A|² − ρ0)) t) solves the nonlinear equation."""
    alpha, g, density, A = 0.7, 1.3, 2.0, 1.1 * np.exp(0.4j)
    case = condensate(8, alpha=alpha, g=g, density=density, linear=linear, dt=0.01)
    omega = alpha * np.dot(k, k) + g * (abs(A) ** 2 - density)

    def psi(x, y, z, t):
        return A * np.exp(1j * (k[0] * x + k[1] * y + k[2] * z - omega * t))

    assert error(advance(case, {"psi": parts(psi)}, 50), "psi", parts(psi)) < 1e-7


@linears
@pytest.mark.parametrize("k", [(3, 0, 0), (0, 2, 0), (0, 0, -3), (2, -1, 2)], ids=str)
def test_bogoliubov_waves(k, linear):
    """ω² = α²k⁴ + 2αgρ0 k²; ψ = √ρ0 [1 + ε cos k·x (cos ωt − i (ω/αk²) sin ωt)] + O(ε²)."""
    alpha, g, density, size = 0.5, 1.0, 2.0, 1e-6
    k2 = np.dot(k, k)
    omega = math.sqrt(alpha**2 * k2**2 + 2 * alpha * g * density * k2)
    if k == (3, 0, 0):
        assert omega == pytest.approx(6.1846584384, abs=1e-9)
    case = condensate(16, alpha=alpha, g=g, density=density, linear=linear, dt=0.004)

    def psi(x, y, z, t):
        turn = math.cos(omega * t) - 1j * omega / (alpha * k2) * math.sin(omega * t)
        return math.sqrt(density) * (1 + size * np.cos(k[0] * x + k[1] * y + k[2] * z + 0.3) * turn)

    simulation = advance(case, {"psi": parts(psi)}, 150)
    x, y, z = simulation.coordinates
    expected = psi(x, y[:, None], z[:, None, None], simulation.time)
    rest = math.sqrt(density)
    assert np.abs(wavefunction(simulation) - expected).max() < 1e-5 * np.abs(expected - rest).max()


def test_gray_solitons():
    """Two that move towards each other: products of i v + √(1 − v²) tanh(√(1 − v²)(x − v t)), g = ρ0 = 1."""
    length, v = 64.0, 0.5
    case = condensate((576, 4, 1), grid={"lengths": (length, 1.0, 1.0)}, dt=0.01)

    def psi(x, y, z, t):
        width = math.sqrt(1 - v * v)
        right = 1j * v + width * np.tanh(width * (x - 16 - v * t))
        left = 1j * v + width * np.tanh(width * (48 - x - v * t))
        return right * left + 0 * y

    assert error(advance(case, {"psi": parts(psi)}, 150), "psi", parts(psi)) < 1e-7


def plane_state(x, y, z, t):
    return 1 + 0.3 * np.cos(x) + 0.2j * np.sin(y) + 0.1 * (1 + 1j) * np.cos(x + y)


def test_against_an_independent_solution():
    """i ∂ψ/∂t = −½∇²ψ + 5|ψ|²ψ at t = 2 by a split-step code of order 4 at 64²; ψ turns by μ = 5."""
    case = condensate((96, 96, 1), g=5.0, dt=0.004)
    start = advance(case, {"psi": parts(plane_state)}, 0)
    energies = start.statistics()
    assert energies["mass"] == pytest.approx(1.075, rel=1e-13)
    total = energies["gradient_energy"] + 2.5 * (np.abs(wavefunction(start)) ** 4).mean()
    assert total == pytest.approx(3.437968750, rel=1e-12)
    simulation = advance(case, {"psi": parts(plane_state)}, 500)
    psi = wavefunction(simulation) * np.exp(-5j * simulation.time)
    assert psi[0, 0, 0] == pytest.approx(-1.03335636 + 0.50370312j, abs=1e-7)
    assert simulation.statistics()["gradient_energy"] == pytest.approx(0.44153229, abs=1e-7)
    assert 2.5 * (np.abs(psi) ** 4).mean() == pytest.approx(2.99643646, abs=1e-7)


# Invariants


def state(case, seed=2, size=0.3) -> np.ndarray:
    """Random about the uniform density, without a zero."""
    return noise(case, 2, seed, reach=2, size=size, mean=(0.9, 0.5))


@linears
def test_mass_energy_and_momentum_are_conserved(linear):
    """By the truncated equation with the 1/2 rule, to the order of the scheme."""
    case = condensate(BOX, alpha=0.3, g=2.0, linear=linear, grid=GRID)
    drifts, start = [], invariants(advance(case, {"psi": state(case)}, 0))
    for dt in (0.01, 0.005):
        end = advance(case.updated([f"time.dt={dt}"]), {"psi": state(case)}, round(0.5 / dt))
        drifts.append(np.abs(invariants(end) - start).max())
    assert np.abs(start).min() > 1e-3
    assert drifts[1] < 1e-6
    assert slope([2, 1], drifts) > 3.8


def invariants(simulation) -> np.ndarray:
    """Mass, energy and the three components of ⟨Im ψ* ∇ψ⟩."""
    modes, psi = Modes(simulation.case), wavefunction(simulation)
    a = np.fft.fftn(psi, norm="forward")
    momentum = (modes.k * np.abs(a) ** 2).sum((1, 2, 3))
    measured = simulation.statistics()
    return np.array([measured["mass"], measured["energy"], *momentum])


# Energies


def energies(simulation) -> dict:
    """By numpy from ψ: kinetic, quantum and interaction energy, and the parts of the kinetic one by modes."""
    flow, modes, psi = simulation.case.flow.constants(), Modes(simulation.case), wavefunction(simulation)
    alpha, g, density = flow["dispersion"], flow["interaction"], flow["density"]
    a = np.fft.fftn(psi, norm="forward")
    slopes = np.fft.ifftn(1j * modes.k * a, axes=(1, 2, 3), norm="forward")
    rho = np.abs(psi) ** 2
    current = 2 * alpha * (psi.conj() * slopes).imag / np.sqrt(rho)
    slope_of_root = (psi.conj() * slopes).real / np.sqrt(rho)
    w = modes.of(current)
    solenoidal = modes.solenoidal(w)
    return {
        "kinetic_incompressible_by_shell": modes.by_shell((np.abs(solenoidal) ** 2).sum(0) / 2),
        "kinetic_compressible_by_shell": modes.by_shell((np.abs(w - solenoidal) ** 2).sum(0) / 2),
        "mass": rho.mean(),
        "kinetic_incompressible": (np.abs(solenoidal) ** 2).sum() / 2,
        "kinetic_compressible": (np.abs(w - solenoidal) ** 2).sum() / 2,
        "quantum_energy": 2 * alpha**2 * (slope_of_root**2).sum(0).mean(),
        "interaction_energy": alpha * g * ((rho - density) ** 2).mean(),
    }


@pytest.mark.parametrize("precision", ["double", "single"])
def test_energies_are_their_definitions(precision):
    """Of a smooth state without vortices, so that no part of √ρ u is beyond the kept modes."""
    case = condensate(48, alpha=0.3, g=2.0, density=1.2, run={"precision": precision})
    psi = noise(case, 2, 2, reach=1, size=0.03, mean=(0.9, 0.5))
    simulation = advance(case, {"psi": psi}, 2)
    measured, expected = simulation.statistics(), energies(simulation)
    limit = {"double": 1e-9, "single": 3e-4}[precision]
    expected = {name: value for name, value in expected.items() if np.isscalar(value)}
    for name, value in expected.items():
        assert measured[name] == pytest.approx(value, rel=limit), name
    total = sum(value for name, value in expected.items() if name != "mass")
    assert measured["energy"] == pytest.approx(total, rel=limit)
    kinetic_and_quantum = total - expected["interaction_energy"]
    assert measured["gradient_energy"] == pytest.approx(kinetic_and_quantum, rel=limit)


def test_energy_of_a_wave_is_half_kinetic():
    """Sound of long waves: compressible kinetic and interaction energy in turn, nothing incompressible."""
    k, c, size = 1, 2.0, 1e-4
    case = condensate(16, alpha=0.005, g=400.0, density=1.0, dt=0.001)
    omega = c * k * math.sqrt(1 + (0.005 / 400) * k * k / 2)

    def psi(x, y, z, t):
        turn = math.cos(omega * t) - 1j * omega / (0.005 * k * k) * math.sin(omega * t)
        return 1 + size * np.cos(k * y + 0 * x) * turn

    simulation = advance(case, {"psi": parts(psi)}, 0)
    before = simulation.statistics()
    while simulation.time < TAU / omega / 4 - 1e-9:
        simulation.step()
    after = simulation.statistics()
    assert before["kinetic_compressible"] < 1e-3 * before["interaction_energy"]
    assert after["interaction_energy"] < 1e-3 * after["kinetic_compressible"]
    assert after["energy"] == pytest.approx(before["energy"], rel=1e-6)
    assert after["kinetic_incompressible"] < 1e-6 * after["kinetic_compressible"]


def test_spectra():
    case = condensate(48, alpha=0.3, g=2.0, density=1.2)
    simulation = advance(case, {"psi": noise(case, 2, 2, reach=1, size=0.03, mean=(0.9, 0.5))}, 1)
    modes, psi, spectra = Modes(case), simulation.field("psi"), simulation.flow.spectra()
    check_spectrum(spectra["mass"], modes.by_shell((np.abs(modes.of(psi)) ** 2).sum(0)))
    measured = simulation.statistics()
    for name in ("kinetic_incompressible", "kinetic_compressible"):
        assert sum(spectra[name]) == pytest.approx(measured[name], rel=1e-9)


def test_energies_of_vortices():
    """√ρ u jumps at their cores: each part is that of the kept modes, the total that of all points."""
    case = make_case("gross-pitaevskii", 32, sound_speed=2.0, coherence_length=0.1, dt=0.005)
    simulation = Simulation(case.updated(["initial.name=taylor-green"]))
    measured, expected, spectra = simulation.statistics(), energies(simulation), simulation.flow.spectra()
    for name in ("kinetic_incompressible", "kinetic_compressible"):
        assert measured[name] == pytest.approx(sum(spectra[name]), rel=1e-12)
        by_shell = expected[f"{name}_by_shell"]
        kept = 8  # shells that the cube of the 1/2 rule, up to 7, holds in full
        assert np.abs(spectra[name][:kept] - by_shell[:kept]).max() < 1e-12
        assert 0.8 < measured[name] / expected[name] < 1
    total = sum(value for name, value in expected.items() if np.isscalar(value) and name != "mass")
    assert measured["energy"] == pytest.approx(total, rel=1e-12)
    assert measured["kinetic_incompressible"] > 10 * measured["kinetic_compressible"]


# Time step


def test_a_blow_up_is_one_of_the_density():
    """Of ψ there is no velocity to be measured, nor a viscosity to be larger."""
    case = condensate(BOX, grid=GRID, dt=100.0, linear="explicit").updated(["output.series_every=never"])
    simulation = advance(case, {"psi": state(case)}, 0)
    with pytest.raises(BlowUp, match=r"step \d+: the largest density is nan; no") as error:
        simulation.run(progress=False)
    assert "velocity" not in str(error.value)
    assert "viscosity" not in str(error.value)


def test_courant_number_of_the_nonlinear_term():
    """The phase g(|ψ|² − ρ0) and, where it is not exact, the dispersion α k²."""
    for linear in ("exact", "explicit"):
        case = condensate(BOX, alpha=0.3, g=2.0, linear=linear, grid=GRID, time={"courant": 0.4})
        simulation = advance(case, {"psi": state(case)}, 0)
        rate = np.abs(2.0 * (np.abs(wavefunction(simulation)) ** 2 - 1)).max()
        if linear == "explicit":
            largest = [(n // 2 - 1) // 2 * TAU / length for n, length in zip(BOX, LENGTHS, strict=True)]
            rate += 0.3 * np.dot(largest, largest)
        assert simulation.step().dt == pytest.approx(0.4 / rate, rel=1e-12)


def test_psi_comes_back():
    case = condensate(BOX, grid=GRID)
    simulation = advance(case, {"psi": state(case)}, 0)
    assert distance(simulation.field("psi"), state(case)) < 1e-13
