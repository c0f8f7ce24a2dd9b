"""Structure functions of a case: exact waves, NumPy, walls, balances, and what is refused."""

import warnings

import numpy as np
import pytest
from scipy.special import gamma
from support import devices
from support.ranks import on_ranks
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

POINTS, LENGTHS = [20, 16, 18], [2 * np.pi, 3.0, 5.0]


def case_of(**sections) -> Case:
    given = {
        "grid": {"points": POINTS, "lengths": LENGTHS},
        "flow": {"viscosity": 0.02},
        "time": {"dt": 0.01, "steps": 3},
        "initial": {"name": "random", "k0": 2.0, "seed": 5},
        "run": {"threads": 1, "device": devices.current()},
    }
    return Case(**given | sections)


DYE = {
    "name": "dye",
    "diffusivity": 0.03,
    "initial": {"name": "formula", "value": "sin(x) + cos(2*x + 2*pi*y/3)"},
}


FLAT_DYE = DYE | {"initial": {"name": "formula", "value": "sin(x)"}}


@pytest.fixture(scope="module")
def state():
    simulation = Simulation(case_of(scalars=[DYE]))
    for _ in range(3):
        simulation.step()
    return simulation


def increments(values, axis, separation):
    return np.roll(values, -separation, 3 - axis) - values


def test_moments_are_numpys(state):
    data = state.diagnose("structure-functions", of=["u", "dye", "u.x*u.y"], separations="all")
    u, dye, product = state.gather("u"), state.gather("dye"), state.gather("u.x*u.y")
    for axis, letter in enumerate("xyz"):
        n = POINTS[axis] // 2
        np.testing.assert_allclose(data[f"r_{letter}"], LENGTHS[axis] / POINTS[axis] * np.arange(1, n + 1))
        for s in (1, 2, n):
            d = increments(u, axis, s)
            across = [d[i] for i in range(3) if i != axis]
            at = {f"r_{letter}": s - 1}
            for order in range(1, 9):
                long = data[f"longitudinal_{letter}"].isel(at).sel(vector="u", order=order)
                np.testing.assert_allclose(long, (np.abs(d[axis]) ** order).mean(), rtol=1e-12)
                trans = data[f"transverse_{letter}"].isel(at).sel(vector="u", order=order)
                np.testing.assert_allclose(trans, (np.abs(across) ** order).mean(), rtol=1e-12)
                for name, values in (("dye", dye), ("u.x*u.y", product)):
                    found = data[f"scalar_{letter}"].isel(at).sel(number=name, order=order)
                    wanted = (np.abs(increments(values, axis, s)) ** order).mean()
                    np.testing.assert_allclose(found, wanted, rtol=1e-12)
            for order in (3, 5, 7):
                found = data[f"signed_longitudinal_{letter}"].isel(at).sel(vector="u", odd_order=order)
                scale = (np.abs(d[axis]) ** order).mean()
                assert abs(found - (d[axis] ** order).mean()) < 1e-12 * scale
            for name, of in (("u", d), ("dye", increments(dye, axis, s))):
                found = data[f"flux_{letter}"].isel(at).sel(quantity=name)
                carried = d[axis] * (of**2).sum(0)
                assert abs(found - carried.mean()) < 1e-12 * np.abs(carried).mean()


def test_a_wave_has_the_moments_of_a_sine():
    """Of u = sin(m z) e_x: ⟨|δu|ⁿ⟩ = |2 sin(m r/2)|ⁿ ⟨|cos|ⁿ⟩, but for what the grid does not resolve."""
    wave = case_of(
        grid={"points": [8, 8, 64]},
        initial={"name": "formula", "value": ["sin(z)", "0", "0"]},
    )
    data = Simulation(wave).diagnose("structure-functions", along=["x", "z"], order=6)
    np.testing.assert_allclose(data["r_x"], 2 * np.pi / 8 * np.array([1, 2, 3, 4]))
    np.testing.assert_allclose(data["r_z"], 2 * np.pi / 64 * np.array([1, 2, 3, 4, 6, 8, 12, 16, 24, 32]))
    orders = np.arange(1, 7)
    means = gamma((orders + 1) / 2) / (np.sqrt(np.pi) * gamma(orders / 2 + 1))
    for s, r in enumerate(data["r_z"].values):
        wanted = np.abs(2 * np.sin(r / 2)) ** orders * means
        found = 2 * data["transverse_z"].isel(vector=0, r_z=s)  # the other component is zero
        np.testing.assert_allclose(found[1::2], wanted[1::2], rtol=1e-12)
        np.testing.assert_allclose(found[::2], wanted[::2], rtol=2e-3)
    assert float(np.abs(data["longitudinal_z"]).max()) < 1e-12
    assert float(np.abs(data["transverse_x"]).max()) < 1e-12
    np.testing.assert_allclose(data["slope_z"][0], np.sin(data["r_z"]), atol=1e-12)


def test_slopes_are_derivatives(state):
    """Of the moments of the field at all separations, which is a trigonometric polynomial of r."""
    data = state.diagnose("structure-functions", of=["u", "dye", "u.x*u.y"], separations="all", order=2)
    for axis, letter in enumerate("xyz"):
        n, length = POINTS[axis], LENGTHS[axis]
        second = data[f"longitudinal_{letter}"].sel(vector="u", order=2).values
        period = np.concatenate([[0.0], second, second[-2::-1]])
        k = 2j * np.pi / length * np.fft.fftfreq(n, 1 / n)
        k[n // 2] = 0
        slope = np.fft.ifft(k * np.fft.fft(period)).real[1 : n // 2 + 1]
        np.testing.assert_allclose(data[f"longitudinal_slope_{letter}"][0], slope, atol=1e-11)
        assert np.isfinite(data[f"slope_{letter}"].sel(quantity=["u", "dye"])).all()
        assert np.isnan(data[f"slope_{letter}"].sel(quantity="u.x*u.y")).all()


def test_a_component_that_is_zero_has_no_increments(state):
    data = state.diagnose("structure-functions", of="vector(u.x, u.y, 0)", order=2, separations=[1, 3])
    for name in ("longitudinal_z", "longitudinal_slope_z"):
        assert np.all(data[name] == 0)
    assert np.all(data["slope_z"] > 0)


def test_balances_are_of_their_parts(state):
    data = state.diagnose("structure-functions", of=["u", "dye", "u.x*u.y"])
    for text, kappa in (("u", 0.02), ("dye", 0.03)):
        loss = kappa * float(state.mean(f"sum(grad({text})**2)"))
        for letter in "xyz":
            parts = data.sel(quantity=text)
            r = data[f"r_{letter}"].values
            wanted = (2 * kappa * parts[f"slope_{letter}"] - parts[f"flux_{letter}"]) / (loss * r)
            np.testing.assert_allclose(parts[f"flux_balance_{letter}"], wanted, rtol=1e-11)
    assert np.isnan(data["flux_balance_x"].sel(quantity="u.x*u.y")).all()
    loss = 0.02 * float(state.mean("sum(grad(u)**2)"))
    cubes = data["signed_longitudinal_y"].sel(vector="u", odd_order=3)
    wanted = (6 * 0.02 * data["longitudinal_slope_y"].sel(vector="u") - cubes) / (loss * data["r_y"].values)
    np.testing.assert_allclose(data["cubic_balance_y"].sel(vector="u"), wanted, rtol=1e-11)


def test_at_rest_there_are_no_balances_and_no_warning():
    simulation = Simulation(case_of(initial={"name": "zero"}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = simulation.diagnose("structure-functions")
    assert np.isnan(data["cubic_balance_x"]).all()
    assert np.isnan(data["flux_balance_x"]).all()


def test_small_separations_are_gradients():
    """As r → 0: S_n/rⁿ → ⟨|∂u|ⁿ⟩, and the balances go as r², since 6ν S₂′ → 12 ν r⟨(∂u/∂x)²⟩."""
    fine = case_of(
        grid={"points": [96, 6, 6]}, initial={"name": "formula", "value": ["sin(y)", "sin(x)", "cos(x)"]}
    )
    with Simulation(fine) as simulation:
        data = simulation.diagnose("structure-functions", along=["x"], separations=[1], order=4)
        r = float(data["r_x"][0])
        for order in (2, 4):
            gradient = sum(float(simulation.mean(f"abs(dx(u.{c}))**{order}")) for c in "yz") / 2
            found = float(data["transverse_x"].sel(order=order)[0, 0])
            assert found / r**order == pytest.approx(gradient, rel=2e-3)


@on_ranks(1, 2, 3)
@pytest.mark.parametrize(("bases", "axes"), [("SFF", "xy"), ("SSF", "x")])
def test_between_walls(world, bases, axes):
    points = [12, 10, 16]
    case = case_of(
        grid={"points": points, "lengths": [2.0, 1.5, 1.0], "bases": bases},
        flow={"model": "rayleigh-benard", "rayleigh": 1000.0, "prandtl": 1.0},
        initial={"name": "zero"},
    )
    with Simulation(case, comm=world) as simulation:
        noise = np.random.default_rng(3).standard_normal((3, 16, 10, 12))
        simulation.set_field("velocity", noise - noise.mean((1, 2, 3), keepdims=True))
        data = simulation.diagnose("structure-functions", of=["u", "u.z*z"], order=4, separations=[1, 4])
        u, product = world.bcast(simulation.gather("u")), world.bcast(simulation.gather("u.z*z"))
        if world.rank > 0:
            return
        assert [axis for axis in "xyz" if f"r_{axis}" in data.dims] == list(axes)
        assert "slope_x" not in data
        for axis in axes:
            number = "xyz".index(axis)
            d, of_product = increments(u, number, 4), increments(product, number, 4)
            found = data[f"longitudinal_{axis}"].sel(vector="u", order=4)[1]
            np.testing.assert_allclose(found, (d[number] ** 4).mean(), rtol=1e-11)
            across = [d[i] for i in range(3) if i != number]
            found = data[f"transverse_{axis}"].sel(vector="u", order=3)[1]
            np.testing.assert_allclose(found, (np.abs(across) ** 3).mean(), rtol=1e-11)
            found = data[f"scalar_{axis}"].sel(number="u.z*z", order=3)[1]
            np.testing.assert_allclose(found, (np.abs(of_product) ** 3).mean(), rtol=1e-11)


def test_a_plane_flow_has_one_transverse_component():
    plane = case_of(grid={"points": [16, 12, 1]}, flow={"model": "navier-stokes-2d", "viscosity": 0.01})
    with Simulation(plane) as simulation:
        data = simulation.diagnose("structure-functions", separations=[2])
        assert "r_z" not in data.dims
        d = increments(simulation.gather("u"), 0, 2)
        np.testing.assert_allclose(data["transverse_x"].sel(order=4)[0, 0], (d[1] ** 4).mean(), rtol=1e-12)


@pytest.mark.parametrize("model", ["navier-stokes", "navier-stokes-2d"])
def test_a_flat_box_has_no_balances(model):
    """4/5 and 4/3 are of three dimensions."""
    plane = case_of(
        grid={"points": [16, 12, 1]}, flow={"model": model, "viscosity": 0.01}, scalars=[FLAT_DYE]
    )
    with Simulation(plane) as simulation:
        data = simulation.diagnose("structure-functions", of=["u", "dye"], separations=[2])
        assert not [name for name in data if "balance" in name]
        assert {"slope_x", "flux_x"} <= set(data)


@pytest.mark.only_cpu
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"separations": [9]}, "9 points along y are not between 1 and 8"),
        ({"separations": [0]}, "0 points along x are not between"),
        ({"separations": []}, "separations is empty"),
        ({"separations": "some"}, "separations"),
        ({"order": 9}, "order"),
        ({"along": ["w"]}, "along"),
        ({"of": "grad(u)"}, "real vectors and numbers"),
        ({"of": "nu"}, "the same at all points"),
        ({"of": "u.q"}, "u.q"),
        ({"carried_by": "p"}, "the carrier is a vector, and this is"),
        ({"carried_by": "w"}, "w"),
    ],
)
def test_what_is_refused(options, words):
    with pytest.raises(CaseError, match=words.replace("(", r"\(")):
        case_of(diagnostics=[{"kind": "structure-functions", **options}])


@pytest.mark.only_cpu
def test_axes_with_walls_are_refused():
    walled = {
        "grid": {"points": [12, 10, 16], "lengths": [2.0, 1.5, 1.0], "bases": "SFF"},
        "flow": {"model": "rayleigh-benard", "rayleigh": 1000.0, "prandtl": 1.0},
        "initial": {"name": "zero"},
    }
    with pytest.raises(CaseError, match="z has walls or one point"):
        case_of(**walled, diagnostics=[{"kind": "structure-functions", "along": ["z"]}])
    walled["grid"] = walled["grid"] | {"bases": "SSS"}
    with pytest.raises(CaseError, match="all have walls"):
        case_of(**walled, diagnostics=[{"kind": "structure-functions"}])
