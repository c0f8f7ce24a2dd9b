"""The length of vortex lines, and the momentum, of wavefunctions in closed form."""

import math

import numpy as np
import pytest
from support import devices
from support.ranks import on_ranks
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.run.simulation import Simulation

TAU = 2 * math.pi
pytestmark = pytest.mark.every_device


def condensate(points, coherence_length=0.3, density=1.0, lengths=(TAU, TAU, 3.0), precision="double"):
    return Case(
        grid={"points": points, "lengths": lengths},
        flow={
            "model": "gross-pitaevskii",
            "sound_speed": 2.0,
            "coherence_length": coherence_length,
            "density": density,
        },
        time={"dt": 0.001, "until": 1.0},
        initial={"name": "zero"},
        run={"threads": 1, "device": devices.current(), "precision": precision},
    )


def lattice(x, y, z, core=None):
    """Four straight vortices along z, at the zeros of cos x and cos y; with cores of tanh(r/√2ξ) or wide."""
    psi = np.cos(x) + 1j * np.cos(y) + 0 * z
    size = np.maximum(np.abs(psi), 1e-300)
    return psi if core is None else psi / size * np.tanh(size / (math.sqrt(2) * core))


@on_ranks(1, 2)
@pytest.mark.parametrize("precision", ["double", "single"])
def test_lines_are_counted_by_what_they_wind_about(world, precision):
    """∬ Gaussian of (cos x, cos y) |sin x sin y| dx dy = 4 erf(√6)², whatever the density."""
    case = condensate((64, 64, 6), density=2.5, precision=precision)
    with Simulation(case, comm=world) as state:
        scale = math.sqrt(2.5)
        state.set_field("psi", lambda x, y, z: (scale * np.cos(x) + 0 * y * z, scale * np.cos(y) + 0 * x * z))
        length = float(state.diagnose("condensate")["line_length"])
    assert length == pytest.approx(3.0 * 4 * math.erf(math.sqrt(6)) ** 2, rel=3e-5)


@pytest.mark.parametrize(("points", "error"), [(64, 0.01), (96, 0.004)])
def test_lines_of_thin_cores(points, error):
    """With a core of 1.5 and 2.25 grid spacings."""
    xi = 1.5 * TAU / 64
    with Simulation(condensate((points, points, 6), xi), comm=MPI.COMM_SELF) as state:

        def psi(x, y, z):
            value = lattice(x, y, z, xi)
            return value.real, value.imag

        state.set_field("psi", psi)
        length = float(state.diagnose("condensate")["line_length"])
    assert length == pytest.approx(3.0 * 4, rel=error)


def test_a_ring_has_its_circumference():
    """Of nearly radius R about the middle of the box, and a second one half a box above."""
    R, points = 1.2, 64

    def psi(x, y, z):
        a, b, c = x - math.pi, y - math.pi, z - math.pi
        # Periodic, and √(x² + y²) − R near the ring.
        s = np.sqrt((2 * np.sin(a / 2)) ** 2 + (2 * np.sin(b / 2)) ** 2)
        return 2 * (s - 2 * math.sin(R / 2)) + 0 * c, 2 * np.sin(c) + 0 * a * b

    case = condensate((points, points, points), lengths=(TAU, TAU, TAU))
    with Simulation(case, comm=MPI.COMM_SELF) as state:
        state.set_field("psi", psi)
        found = float(state.diagnose("condensate")["line_length"])
    t = np.linspace(0, TAU, 4001)
    # The level line of (2 sin(x/2))² + (2 sin(y/2))², found along each direction.
    radii = []
    for angle in t:
        r = np.linspace(0, math.pi, 4001)
        s = np.hypot(2 * np.sin(r * math.cos(angle) / 2), 2 * np.sin(r * math.sin(angle) / 2))
        radii.append(np.interp(2 * math.sin(R / 2), s, r))
    ring = np.array(radii) * np.exp(1j * t)
    assert found == pytest.approx(2 * np.abs(np.diff(ring)).sum(), rel=0.005)


def test_the_number_of_vortices_in_a_plane():
    with Simulation(condensate((64, 64, 1)), comm=MPI.COMM_SELF) as state:
        state.set_field("psi", lambda x, y, z: (np.cos(x) + 0 * y, np.cos(2 * y) + 0 * x))
        assert float(state.diagnose("condensate")["line_length"]) == pytest.approx(
            8 * math.erf(math.sqrt(6)) ** 2, rel=1e-4
        )


def test_the_momentum_of_a_plane_wave():
    """ρu = 2a |A|² k of ψ = A exp(ik·x), a = cξ/√2."""
    with Simulation(condensate((16, 12, 20)), comm=MPI.COMM_SELF) as state:
        k = 2 * TAU / 3.0
        state.set_field(
            "psi", lambda x, y, z: (0.7 * np.cos(x - k * z) + 0 * y, 0.7 * np.sin(x - k * z) + 0 * y)
        )
        found = state.mean("momentum")
    a = 2.0 * 0.3 / math.sqrt(2)
    assert found == pytest.approx(2 * a * 0.49 * np.array([1.0, 0.0, -k]), abs=1e-12)
