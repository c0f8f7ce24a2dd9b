"""Diagnostics of a run against NumPy and exact identities."""

import numpy as np
import pytest
from physics.diagnosed import POINTS, RANDOM, WANTED, case_of, whole
from support import devices
from support.ranks import run_on
from whorl.config.case import Case
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device


@pytest.fixture(scope="module")
def state():
    simulation = Simulation(case_of())
    while simulation.step_number < 4:
        simulation.step()
    return simulation


def test_densities_are_numpys(state):
    data = state.diagnose("pdf", of=["grad(u)", "p"], bins=60, range=[-4, 4])
    values = np.concatenate([whole(state, "grad(u)"), whole(state, "p")])
    assert list(data["quantity"].values) == [f"grad(u).{a}{b}" for a in "xyz" for b in "xyz"] + ["p"]
    assert np.allclose(data["mean"], values.mean(1), atol=1e-12)
    assert np.allclose(data["std"], values.std(1), rtol=1e-12)
    for n, of in enumerate(values):
        scaled = (of - of.mean()) / of.std()
        wanted, edges = np.histogram(scaled, 60, (-4, 4))
        # Rounding may move a point into the next bin, and the last bin does not have its upper end here.
        assert np.abs(data["count"][n] - wanted).sum() <= 2
        assert np.allclose(data["bin"], (edges[1:] + edges[:-1]) / 2)
        assert data["count"][n].sum() + data["outside"][n].sum() == of.size
    density = data["pdf"] * (8 / 60)
    assert np.allclose(density.sum("bin") + data["outside"].sum("beyond") / values.shape[1], 1)


def test_a_logarithmic_axis_counts_what_it_has_no_place_for(state):
    data = state.diagnose("pdf", of="u.x", scale="log", bins=10, range=[-1, 1])
    values = whole(state, "u.x")[0]
    ratio = values / values.mean()
    below, above, no_number = data["outside"].values[0]
    assert no_number == (ratio < 0).sum()
    assert below == ((ratio > 0) & (ratio < 0.1)).sum()
    assert above == (ratio >= 10).sum()
    assert data["count"].sum() + below + above + no_number == values.size


def test_moments_are_numpys(state):
    data = state.diagnose("moments", of=["grad(u)", "dot(omega, omega)"], order=8)
    values = np.concatenate([whole(state, "grad(u)"), whole(state, "dot(omega, omega)")])
    scaled = (values - values.mean(1)[:, None]) / values.std(1)[:, None]
    for order in range(3, 9):
        wanted = (scaled**order).mean(1)
        assert np.allclose(data["moment"].sel(order=order), wanted, rtol=1e-9, atol=1e-9)


def test_joint_densities_and_conditional_means_are_numpys(state):
    data = state.diagnose("joint-pdf", of=["u.x", "u.y"], bins=[8, 12], scale=["absolute", "std"])
    a, b = whole(state, "u.x")[0], whole(state, "u.y")[0]
    scaled = (b - b.mean()) / b.std()
    wanted, *_ = np.histogram2d(a, scaled, (8, 12), ((-1, 1), (-20, 20)))
    assert np.abs(data["count"] - wanted).sum() <= 2
    assert data["count"].sum() + data["outside"] == a.size
    assert np.allclose(data["pdf"] * (2 / 8) * (40 / 12) * a.size, data["count"])
    data = state.diagnose("conditional", of="u", given="u.x", bins=6, range=[-3, 3])
    cells = np.floor((a - a.mean()) / a.std() + 3).astype(int)
    for n, of in enumerate(whole(state, "u")):
        for cell in range(6):
            inside = of[cells == cell]
            assert data["count"][cell] == inside.size
            assert np.isclose(data["conditional_mean"][n, cell], inside.mean(), rtol=1e-10, atol=1e-12)
            assert np.isclose(data["conditional_std"][n, cell], inside.std(), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("along", ["x", "y", "z", ["x", "z"], ["z", "x"]], ids="".join)
def test_profiles_are_numpys(state, along):
    data = state.diagnose("profile", of=["u", "u.x*u.z"], along=along)
    axes = [*along, *sorted(set("xyz") - set(along))]
    values = np.concatenate([state.gather("u"), state.gather("u.x*u.z")])
    values = values.transpose(0, *("_zyx".index(axis) for axis in axes))
    others = tuple(range(1 + len(along), 4))
    assert data["profile"].dims == data["variance"].dims == ("quantity", *along)
    assert np.allclose(data["profile"], values.mean(others), rtol=1e-12, atol=1e-14)
    assert np.allclose(data["variance"], values.var(others), rtol=1e-9, atol=1e-12)
    for axis in along:
        n = POINTS["xyz".index(axis)]
        assert np.allclose(data[axis], np.arange(n) * state.case.grid.lengths["xyz".index(axis)] / n)


def test_spectra_are_those_of_the_modes(state):
    """Twice the energy's, the transfer that the core has itself, and Parseval for what comes back."""
    data = state.diagnose("spectrum", of=["u", "curl(u)", "u.x"])
    core = {name: np.asarray(values) for name, values in state.flow.spectra().items()}
    count = len(core["k"])
    assert np.allclose(data["k"][:count], core["k"])
    assert np.allclose(data["spectrum"][0][:count], 2 * core["energy"], rtol=1e-12, atol=1e-18)
    assert np.allclose(data["spectrum"][0][count:], 0)
    means = [state.mean(text) for text in ("dot(u, u)", "dot(omega, omega)", "u.x**2")]
    assert np.allclose(data["spectrum"].sum("k"), means, rtol=1e-12)
    advection = state.diagnose("spectrum", of="-div(outer(u, u))", times="u")["spectrum"][0]
    assert np.allclose(advection[:count], state.flow.transfer()["velocity"], rtol=1e-9, atol=1e-13)
    assert abs(advection.sum()) < 1e-13
    product = state.diagnose("spectrum", of="u.x*u.y")["spectrum"].sum()
    assert np.isclose(product, state.mean("filter(u.x*u.y, 1e9)**2"), rtol=1e-12)


def test_profiles_between_walls():
    """Every plane has all of its points, half a cell off the walls."""
    convection = Case(
        grid={"points": [12, 10, 14], "lengths": [2.0, 2.0, 1.0]},
        flow={"model": "rayleigh-benard", "rayleigh": 1e4, "prandtl": 1.0},
        time={"dt": 1e-3, "until": 1.0},
        initial={"name": "zero", "temperature": {"name": "formula", "value": "sin(pi*z)*cos(pi*x)"}},
        run={"threads": 1, "device": devices.current()},
    )
    simulation = Simulation(convection)
    data = simulation.diagnose("profile", of=["theta", "dz(theta)"])
    z = (np.arange(14) + 0.5) / 14
    assert np.allclose(data["z"], z)
    assert np.allclose(data["variance"][0], np.sin(np.pi * z) ** 2 / 2, atol=1e-12)
    assert np.allclose(data["profile"], 0, atol=1e-12)


def test_identities_of_incompressible_flow(state):
    """Betchov's, J. Fluid Mech. 1, 497 (1956): ⟨s_ij s_ij⟩ = ⟨ω²⟩/2, ⟨s_ij s_jk s_ki⟩ = −¾⟨ω_i s_ij ω_j⟩."""
    strain, enstrophy = state.mean("sum(strain(u)**2)"), state.mean("dot(omega, omega)")
    assert np.isclose(strain, enstrophy / 2, rtol=1e-12)
    skewness = state.mean("trace(strain(u) @ strain(u) @ strain(u))")
    stretching = state.mean("dot(omega, strain(u) @ omega)")
    assert np.isclose(skewness, -0.75 * stretching, rtol=1e-10)
    assert np.isclose(state.mean("det(grad(u))"), 0, atol=1e-10 * enstrophy**1.5)
    # ∇²p = −∂_i u_j ∂_j u_i, and the pressure has no mean.
    assert np.abs(whole(state, "lap(p) + trace(filter(grad(u) @ grad(u), 1e9))")).max() < 1e-9 * enstrophy
    assert abs(state.mean("p")) < 1e-13


@pytest.mark.parametrize("points", [(16, 12, 20), (16, 12, 1)])
def test_the_average_of_a_wave_is_that_of_its_points_in_the_ball(points):
    """By a sum over many points of the ball or disc, not by the formula."""
    grid = {"points": points, "lengths": [3.0, 2 * np.pi, 4.0]}
    time = {"dt": 0.01, "until": 1.0}
    simulation = Simulation(case_of(grid=grid, diagnostics=[], initial={"name": "zero"}, time=time))
    kx, ky = 2 * np.pi / 3 * 2, 3.0
    simulation.set_field("velocity", lambda x, y, z: (0 * x, 0 * x, 0.25 + np.cos(kx * x + ky * y)))
    n, r = 120, 0.35
    across = (np.arange(n) + 0.5) / n * 2 - 1
    depth = across if points[2] > 1 else np.zeros(1)
    x, y, z = np.meshgrid(across, across, depth, indexing="ij")
    inside = x**2 + y**2 + z**2 < 1
    ratio = np.cos(r * (kx * x + ky * y))[inside].mean()
    wave = whole(simulation, "u.z") - 0.25
    assert np.allclose(whole(simulation, "average(u.z, 0.35)"), 0.25 + ratio * wave, atol=1e-3)
    assert np.abs(ratio - 1) > 0.05


COLUMNS = {
    "own_energy": "mean(dot(u, u))/2",
    "own_dissipation": "2*nu*mean(sum(strain(u)**2))",
    "skewness": "mean(dx(u.x)**3)/mean(dx(u.x)**2)**1.5",
    "clock": "t",
    "fastest": "max(norm(u))",
    "range": "max(u.x) - min(u.x)",
}


def test_columns_of_the_series_are_what_they_say():
    case = case_of()
    simulation = Simulation(case.updated(output={"columns": COLUMNS}))
    simulation.run(progress=False)
    series = simulation.series
    assert np.allclose(series["own_energy"], series["energy"], rtol=1e-13)
    assert np.allclose(series["own_dissipation"], series["dissipation"], rtol=1e-12)
    assert np.array_equal(series["clock"], series["time"])
    u = whole(simulation, "u")
    assert series["fastest"][-1] == pytest.approx(np.linalg.norm(u, axis=0).max(), rel=1e-14)
    assert series["range"][-1] == pytest.approx(np.ptp(u[0]), rel=1e-14)
    slopes = whole(simulation, "dx(u.x)")
    assert np.isclose(series["skewness"][-1], (slopes**3).mean() / (slopes**2).mean() ** 1.5)
    assert series["skewness"].attrs == {"units": "1", "long_name": COLUMNS["skewness"]}


@pytest.mark.mpi
@pytest.mark.only_cpu
def test_bits_do_not_depend_on_ranks_and_threads():
    (first,) = run_on(1, numbers_of, threads=1)
    for ranks, threads in [(1, 2), (2, 1), (3, 1), (4, 1), (6, 1)]:
        for found in run_on(ranks, numbers_of, threads=threads):
            for one, other in zip(first, found, strict=True):
                assert np.array_equal(one, other, equal_nan=True)


def numbers_of(world, threads):
    """All arrays of all diagnostics of a state whose modes do not depend on the ranks."""
    grid = {"points": POINTS, "dealias": "phase-shift"}
    case = case_of(
        run={"threads": threads}, grid=grid, initial={"name": "zero"}, time={"dt": 0.01, "steps": 1}
    )
    with Simulation(case, comm=world) as simulation:
        simulation.set_field(
            "velocity",
            lambda x, y, z: (np.sin(y) * np.exp(np.cos(z)), np.exp(np.sin(z + x)), np.cos(x + 2 * y) / 3),
        )
        found = [simulation.diagnose(**wanted) for wanted in WANTED]
    return [data[key].values for data in found for key in data.data_vars]


def test_more_than_a_gpu_keeps_of_a_point(state):
    """Then a round trip has some of it only."""
    data = state.diagnose("moments", of=["grad(u)", "omega"], order=12)
    alone = state.diagnose("moments", of="dz(u.x)", order=12)
    same = data["moment"].sel(quantity="grad(u).xz").values
    assert np.allclose(same, alone["moment"].sel(quantity="dz(u.x)").values, rtol=1e-12)


def test_a_plane_flow_has_the_components_that_vary():
    plane = Case(
        grid={"points": [16, 12, 1]},
        flow={"model": "navier-stokes-2d", "viscosity": 0.01},
        time={"dt": 0.01, "until": 1.0},
        initial=RANDOM,
        run={"threads": 1, "device": devices.current()},
    )
    simulation = Simulation(plane)
    pdf = simulation.diagnose("pdf", of=["u", "grad(u)"])
    # u.z is known to be zero, dz(u.x) is found to be: it has no place on an axis of standard deviations.
    flat = {"grad(u).xz", "grad(u).yz"}
    names = ["u.x", "u.y", *(f"grad(u).{a}{b}" for a in "xy" for b in "xyz")]
    assert list(pdf["quantity"].values) == names
    for n, name in enumerate(names):
        assert (pdf["std"][n] == 0) == (name in flat)
        assert pdf["outside"].sel(beyond="not a number")[n] == (16 * 12 if name in flat else 0)
    spectrum = simulation.diagnose("spectrum", of=["u", "vector(u.x, u.y, 0)"])["spectrum"]
    assert np.array_equal(spectrum[0], spectrum[1])
    assert np.isclose(spectrum[0].sum(), simulation.mean("dot(u, u)"), rtol=1e-12)
