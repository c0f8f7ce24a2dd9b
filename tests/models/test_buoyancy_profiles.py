"""Profiles of convection and of stratified flow: NumPy's, the core's sums over modes, exact relations."""

import math

import numpy as np
import pytest
from models import convection
from models.convection import POINTS, random_start
from models.waves import case_of
from physics.flows import noise, run
from support.ranks import run_on
from whorl.base.errors import CaseError
from whorl.diagnostics.options.buoyancy import at_lower_wall, highest
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

TIGHT = {"rtol": 1e-11, "atol": 1e-13}


def means(values):
    """Over the planes."""
    return values.mean((-2, -1))


def parts(simulation):
    """u, θ, their gradients, all whole."""
    texts = ("u", "theta", "grad(u)", "grad(theta)")
    u, theta, slopes, gradient = (simulation.gather(text) for text in texts)
    return u, theta[0], slopes.reshape(3, 3, *theta[0].shape), gradient


def squared_strain(slopes):
    return ((slopes + np.swapaxes(slopes, 0, 1)) ** 2).sum((0, 1)) / 4


@pytest.mark.parametrize("bases", ["FFF", "SFF", "SSF", "SSS"])
def test_profiles_of_convection_are_numpys(bases):
    simulation = run(convection.make(bases=bases), random_start(POINTS, bases, 3), 0)
    found = simulation.diagnose("convection")
    nu, kappa = convection.diffusivities(2000.0, 1.0)
    u, theta, slopes, gradient = parts(simulation)
    z = (np.arange(POINTS[2]) + (0.0 if bases == "FFF" else 0.5)) / POINTS[2]
    total = theta + (1 - z)[:, None, None]
    of_total = gradient - np.array([0.0, 0.0, 1.0])[:, None, None, None]
    mean, falling = means(total)[:, None, None], means(of_total[2])
    assert np.allclose(found["z"], z)
    assert np.allclose(found["temperature"], means(total), **TIGHT)
    assert np.allclose(found["temperature_variance"], total.var((1, 2)), **TIGHT)
    flux = means(u[2] * theta)
    if bases != "FFF":  # between plates nothing is carried by the mean of w
        assert np.allclose(flux, means(u[2] * total), **TIGHT)
    assert np.allclose(found["convective_flux"], flux, **TIGHT)
    assert np.allclose(found["conductive_flux"], -kappa * falling, **TIGHT)
    assert np.allclose(found["nusselt"], flux / kappa - falling, **TIGHT)
    assert np.allclose(found["horizontal_variance"], means(u[0] ** 2 + u[1] ** 2), **TIGHT)
    assert np.allclose(found["vertical_variance"], means(u[2] ** 2), **TIGHT)
    assert np.allclose(found["dissipation"], 2 * nu * means(squared_strain(slopes)), **TIGHT)
    assert np.allclose(found["thermal_dissipation"], kappa * means((of_total**2).sum(0)), **TIGHT)
    assert np.allclose(found["variance_production"], -means(u[2] * (total - mean)) * falling, **TIGHT)
    fluctuating = of_total.copy()
    fluctuating[2] -= falling[:, None, None]
    assert np.allclose(found["variance_dissipation"], kappa * means((fluctuating**2).sum(0)), **TIGHT)
    prime = total - mean
    carried = means(u[2] * prime**2) / 2 - kappa * means(prime * fluctuating[2])
    assert np.allclose(found["variance_flux"], carried, **TIGHT)
    check_relations(simulation, found, bases)


def check_relations(simulation, found, bases):
    """The Nusselt numbers are those of the core's sums over modes."""
    _, kappa = convection.diffusivities(2000.0, 1.0)
    sums = simulation.statistics()
    columns = simulation.case.flow.derived(sums, 1.0)
    nusselt = found["nusselt_of"]
    assert nusselt.sel(relation="flux") == pytest.approx(columns["nusselt_volume"], rel=1e-11)
    assert nusselt.sel(relation="thermal dissipation") == pytest.approx(
        columns["nusselt_dissipation"], rel=1e-11
    )
    assert nusselt.sel(relation="dissipation") == pytest.approx(1 + sums["dissipation"] / kappa, rel=1e-11)
    if bases == "FFF":
        assert list(nusselt["relation"].values) == ["flux", "thermal dissipation", "dissipation"]
        assert "slope_thickness" not in found
        return
    plates = nusselt.sel(relation=["lower plate", "upper plate"])
    assert plates.mean() == pytest.approx(columns["nusselt_plates"], rel=1e-11)
    assert np.allclose(found["slope_thickness"], 0.5 / np.abs(plates.values), rtol=1e-12)


def test_at_the_plates_it_is_the_sine_series():
    """θ = 0.3 sin πz − 0.2 sin 2πz + 0.1 sin 3πz at rest: slopes π/5 and −π."""
    formula = "0.3*sin(pi*z) - 0.2*sin(2*pi*z) + 0.1*sin(3*pi*z) + 0.4*cos(pi*x)*sin(pi*z)"
    case = convection.make((8, 4, 12), lengths=(2.0, 1.0, 1.0))
    initial = {"name": "zero", "temperature": {"name": "formula", "value": formula}}
    found = Simulation(case.updated(initial=initial)).diagnose("convection")
    slopes = np.array([math.pi / 5, -math.pi])
    assert np.allclose(found["nusselt_of"].sel(relation=["lower plate", "upper plate"]), 1 - slopes)
    assert np.allclose(found["slope_thickness"], 0.5 / np.abs(1 - slopes))
    # It is the largest in the middle.
    assert np.allclose(found["temperature_variance"], 0.08 * np.sin(np.pi * found["z"]) ** 2)
    assert np.allclose(found["fluctuation_thickness"], 0.5, atol=1e-2)


def test_pure_conduction():
    case = convection.make((8, 4, 12)).updated(initial={"name": "zero", "temperature": {"name": "zero"}})
    found = Simulation(case).diagnose("convection")
    assert np.allclose(found["nusselt"], 1, rtol=1e-14)
    assert np.allclose(found["nusselt_of"], 1, rtol=1e-14)
    assert np.allclose(found["temperature"], 1 - found["z"])
    assert np.allclose(found["slope_thickness"], 0.5)
    assert np.isnan(found["fluctuation_thickness"]).all()


def test_at_the_wall_the_cosine_series_is_summed():
    for count in (6, 17):
        z, numbers = (np.arange(count) + 0.5) / count, np.arange(count)
        amplitudes = np.random.default_rng(count).standard_normal(count)
        profile = np.cos(np.pi * np.outer(z, numbers)) @ amplitudes
        assert at_lower_wall(profile) == pytest.approx(amplitudes.sum(), rel=1e-12)
        signs = (-1.0) ** numbers
        assert at_lower_wall(profile[::-1]) == pytest.approx(amplitudes @ signs, rel=1e-11)


def test_the_highest_plane_is_refined_by_a_parabola():
    for top in (0.3, 2.2, 4.9, 7.0):
        places = np.arange(20) + 0.5
        assert highest(5.0 - (places - top) ** 2) == pytest.approx(
            max(top, 0.5), abs=1e-12 if top > 0.5 else 0.5
        )
    assert math.isnan(highest(np.full(20, 3.0)))


# Newton–Galerkin, as in test_rayleigh_benard.py: Ra, Nu.
STEADY = [(1000.0, 1.7385935, (24, 20)), (2000.0, 2.6964746, (32, 24))]


@pytest.mark.parametrize(("rayleigh", "nusselt", "points"), STEADY)
def test_in_a_steady_state_every_plane_carries_the_same_heat(rayleigh, nusselt, points):
    found = steady_roll(rayleigh, points).diagnose("convection")
    assert np.abs(found["nusselt"] / nusselt - 1).max() < 5e-7
    assert np.allclose(found["nusselt_of"], nusselt, rtol=5e-7)
    assert np.allclose(found["slope_thickness"], 0.5 / nusselt, rtol=5e-7)
    production, loss = found["variance_production"].values, found["variance_dissipation"].values
    balance = production - loss - slope(found["variance_flux"].values)
    assert np.abs(balance).max() < 1e-5 * production.max()
    assert np.abs(production - loss).max() > 0.1 * production.max()


def steady_roll(rayleigh, points):
    """From one roll pair without noise, in the plane; Pr = 1, L = 2√2.

    In the end with short steps: the steady states of schemes with exact factors depend on the step.
    """
    length = 2 * math.sqrt(2)

    def temperature(x, y, z):
        return 0.1 * np.cos(2 * math.pi * x / length) * np.sin(math.pi * z) - 0.05 * np.sin(2 * math.pi * z)

    fields = {"temperature": temperature}
    for dt, steps in ((0.1, round(40 * math.sqrt(rayleigh))), (0.02, 200)):
        case = convection.make((points[0], 1, points[1]), rayleigh, dt=dt, lengths=(length, 1.0, 1.0))
        simulation = run(case, fields, steps)
        fields = {name: simulation.field(name) for name in ("velocity", "temperature")}
    return simulation


def slope(profile):
    """The derivative of a sum of sines."""
    count = len(profile)
    numbers = np.arange(1, count)
    angles = np.pi * np.outer(np.arange(count) + 0.5, numbers) / count
    amplitudes = np.sin(angles).T @ profile * 2 / count
    return np.cos(angles) @ (np.pi * numbers * amplitudes)


def stratified(**options):
    flow = {"viscosity": 0.02, "prandtl": 0.7, "buoyancy_frequency": 2.3}
    theta = noise((12, 10, 14), 5)[:1]
    initial = {"velocity": noise((12, 10, 14), 3), "temperature": 0.8 * (theta - theta.mean())}
    case = case_of("boussinesq", (12, 10, 14), flow, **({"lengths": (2.0, 3.0, 4.0)} | options))
    return run(case, initial, 0)


def test_profiles_of_stratified_flow_are_numpys():
    simulation = stratified()
    found = simulation.diagnose("stratification")
    nu, kappa, frequency = 0.02, 0.02 / 0.7, 2.3
    u, theta, slopes, gradient = parts(simulation)
    mean = means(u)
    assert np.allclose(found["z"], np.arange(14) * 4 / 14)
    assert np.allclose(found["anomaly"], means(theta), **TIGHT)
    assert np.allclose(found["anomaly_variance"], theta.var((1, 2)), **TIGHT)
    assert np.allclose(found["velocity"], mean, **TIGHT)
    assert np.allclose(found["velocity_variance"], u.var((2, 3)), **TIGHT)
    assert np.allclose(found["momentum_flux"], means(u * u[2]) - mean * mean[2], **TIGHT)
    stratification = frequency**2 - frequency * means(gradient[2])
    shear = means(slopes[0, 2]) ** 2 + means(slopes[1, 2]) ** 2
    assert np.allclose(found["squared_frequency"], stratification, **TIGHT)
    assert np.allclose(found["squared_shear"], shear, **TIGHT)
    assert np.allclose(found["richardson"], stratification / shear, rtol=1e-9)
    assert np.allclose(found["buoyancy_flux"], frequency * means(theta * u[2]), **TIGHT)
    assert np.allclose(found["diffusive_flux"], -kappa * frequency * means(gradient[2]), **TIGHT)
    assert np.allclose(found["dissipation"], 2 * nu * means(squared_strain(slopes)), **TIGHT)
    assert np.allclose(found["potential_dissipation"], kappa * means((gradient**2).sum(0)), **TIGHT)
    sums = simulation.statistics()
    loss, mixing, flux = (sums[key] for key in ("dissipation", "potential_dissipation", "buoyancy_flux"))
    assert found["dissipation"].mean() == pytest.approx(loss, rel=1e-11)
    assert found["mixing_efficiency"] == pytest.approx(mixing / (loss + mixing), rel=1e-11)
    assert found["flux_richardson"] == pytest.approx(flux / (flux + loss), rel=1e-9)
    assert found["buoyancy_reynolds"] == pytest.approx(loss / (nu * frequency**2), rel=1e-11)


def test_in_the_plane_and_without_stratification():
    case = case_of("boussinesq", (12, 1, 14), {"viscosity": 0.02, "buoyancy_frequency": 0.0})
    found = run(case, {"velocity": noise((12, 1, 14), 3)}, 0).diagnose("stratification")
    assert np.isinf(found["buoyancy_reynolds"])
    assert found["mixing_efficiency"] == 0
    plane = convection.make((12, 1, 14), lengths=(2.0, 1.0, 1.0))
    found = run(plane, random_start((12, 1, 14), "SFF", 4), 0).diagnose("convection")
    assert (found["dissipation"] > 0).all()


def test_each_is_for_its_model():
    for case, kind, model in (
        (convection.make(), "stratification", "boussinesq"),
        (case_of("navier-stokes", (8, 8, 8), {"viscosity": 0.1}), "convection", "rayleigh-benard"),
    ):
        with pytest.raises(CaseError, match=f'^diagnostics.{kind} is for flow.model = "{model}", not'):
            case.updated(diagnostics=[{"kind": kind}])


@pytest.mark.mpi
@pytest.mark.only_cpu
def test_bits_do_not_depend_on_ranks():
    (first,) = run_on(1, profiles_of)
    for ranks in (3, 4):
        for found in run_on(ranks, profiles_of):
            assert all(np.array_equal(a, b) for a, b in zip(first, found, strict=True))


def profiles_of(world):
    def fields(x, y, z):
        return np.sin(np.pi * z) * np.exp(np.cos(np.pi * x) + np.sin(2 * np.pi * y))

    simulation = Simulation(
        convection.make((12, 12, 14), lengths=(2.0, 1.0, 1.0)), {"temperature": fields}, comm=world
    )
    found = simulation.diagnose("convection")
    return [found[key].values for key in ("temperature", "temperature_variance", "thermal_dissipation")]


def test_single_precision():
    start = random_start(POINTS, "SFF", 3)
    double, single = (
        run(convection.make(precision=precision), start, 0).diagnose("convection")
        for precision in ("double", "single")
    )
    for key in double.data_vars:
        size = np.abs(double[key]).max()
        if key != "fluctuation_thickness":
            assert np.allclose(single[key], double[key], rtol=2e-4, atol=2e-5 * size), key
