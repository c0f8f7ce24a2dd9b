"""The skewness of the longitudinal derivative by isotropy, against that of the field itself."""

import numpy as np
import pytest
from whorl import Case, Simulation
from whorl.config.columns import ColumnState
from whorl.models.viscous import derivative_skewness

POINTS, SEEDS = 32, range(1, 25)


def simulation_of(seed, until):
    case = Case(
        grid={"points": POINTS},
        flow={"viscosity": 0.02},
        time={"courant": 0.8, "until": until},
        initial={"name": "random", "k0": 2.5, "energy": 0.5, "seed": seed},
        output={"series_every": until, "spectra_every": until},
    )
    return Simulation(case)


def by_isotropy(simulation, index=-1):
    spectra, series = (table.isel(time=index) for table in (simulation.spectra, simulation.series))
    return derivative_skewness(ColumnState(spectra, series))


def of_the_field(simulation):
    """⟨(∂u/∂x)³⟩/⟨(∂u/∂x)²⟩^{3/2} along x, y and z: modes below a third of the points have no alias."""
    modes = simulation.modes("velocity")
    places = np.ix_(*(modes[f"k{axis}"].values.astype(int) for axis in "xyz"))
    found = []
    for component, axis in enumerate("xyz"):
        slope = 1j * modes[f"k{axis}"] * modes.isel(component=component)
        whole = np.zeros((POINTS // 2 + 1, POINTS, POINTS), complex)
        whole[places] = slope.transpose("kx", "ky", "kz").values
        values = np.fft.irfftn(whole, s=(POINTS,) * 3, axes=(1, 2, 0), norm="forward")
        found.append((values**3).mean() / (values**2).mean() ** 1.5)
    return found


@pytest.fixture(scope="module")
def developed():
    """Skewnesses by isotropy and along three axes, of turbulence with Rλ about 15."""
    simulations = [simulation_of(seed, 1.2) for seed in SEEDS]
    for simulation in simulations:
        simulation.run(progress=False)
    pairs = [(by_isotropy(simulation), of_the_field(simulation)) for simulation in simulations]
    return np.array([one for one, _ in pairs]), np.array([each for _, each in pairs])


def test_random_phases_have_none():
    """It is zero but for the scatter of a realisation, a fortieth of that of the developed flow."""
    simulations = [simulation_of(seed, 0.1) for seed in SEEDS]
    for simulation in simulations:
        simulation.step()
    found = np.array([by_isotropy(simulation, 0) for simulation in simulations])
    assert abs(found).max() < 0.1
    assert abs(found.mean()) < 4 * found.std() / np.sqrt(len(found))


@pytest.mark.long("turbulence has to develop")
def test_it_is_that_of_the_field(developed):
    """Which differs from direction to direction and from seed to seed: within three of its standard errors.

    These are 1.5 per cent of it.
    """
    isotropic, direct = developed
    of_seeds = direct.mean(axis=1)
    error = (isotropic - of_seeds).std() / np.sqrt(len(SEEDS))
    assert error < 0.01
    assert isotropic.mean() == pytest.approx(of_seeds.mean(), abs=3 * error)
    assert -0.55 < of_seeds.mean() < -0.4
