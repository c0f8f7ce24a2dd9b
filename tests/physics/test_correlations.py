"""Two-point correlations against NumPy's at the points, and closed forms of single waves."""

import numpy as np
import pytest
from support import devices
from support.ranks import on_ranks
from whorl.base.errors import CaseError
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.run.simulation import Simulation

POINTS, LENGTHS = (24, 20, 18), (2 * np.pi, 3.0, 5.0)
LIMITS = {"double": 1e-12, "single": 2e-5}


def case_of(points=POINTS, precision="double", initial=None, **flow) -> Case:
    return Case(
        grid={"points": points, "lengths": LENGTHS},
        flow={"viscosity": 0.05} | flow,
        time={"dt": 0.01, "until": 1.0},
        initial=initial or {"name": "random", "k0": 3},
        run={"threads": 1, "precision": precision, "device": devices.current()},
    )


def products(f: np.ndarray, axis: int) -> np.ndarray:
    """⟨f(x) f(x + r)⟩ at all separations up to half of the box."""
    along = 2 - axis
    return np.array([(f * np.roll(f, -n, along)).mean() for n in range(f.shape[along] // 2 + 1)])


@on_ranks()
@pytest.mark.every_device
@pytest.mark.parametrize("precision", LIMITS)
def test_correlations_are_those_of_the_points(world, precision):
    """Of a vector along and across each axis, of a product, which is less dealiased, and with a mean."""
    with Simulation(case_of(precision=precision), comm=world) as state:
        found = state.diagnose("correlation", of=["u", "u.x + 3", "curl(u).z"])
        u, w = (np.asarray(world.bcast(state.gather(name)), float) for name in ("u", "curl(u).z"))
    for axis, name in enumerate("xyz"):
        across = [products(u[one], axis) for one in range(3) if one != axis]
        wanted = {
            "u longitudinal": products(u[axis], axis),
            "u transverse": np.mean(across, axis=0),
            "u.x + 3": products(u[0] - u[0].mean(), axis),
            "curl(u).z": products(w[0], axis),
        }
        values = found[f"correlation_{name}"]
        assert list(found[f"{name}_quantity"].values) == list(wanted)
        for quantity, one in wanted.items():
            error = np.abs(values.sel({f"{name}_quantity": quantity}).values - one).max()
            assert error < LIMITS[precision] * one[0], (name, quantity)
        spacing = LENGTHS[axis] / POINTS[axis]
        assert found[f"r_{name}"].values == pytest.approx(spacing * np.arange(POINTS[axis] // 2 + 1))


def test_lengths_of_single_waves():
    """R = cos(kr)/2: no integral length, 1/k up to the zero at π/(2k), Taylor scale √2/k."""
    with Simulation(case_of(initial={"name": "zero"}), comm=MPI.COMM_SELF) as state:
        k = 2 * np.pi / LENGTHS[1]
        state.set_field(
            "velocity", lambda x, y, z: (np.sin(2 * k * y) + 0 * x * z, 0 * x * y * z, 0 * x * y * z)
        )
        found = state.diagnose("correlation", of="u.x", along=["y", "x"])
    assert "correlation_z" not in found
    assert float(found["variance_y"].squeeze()) == pytest.approx(0.5)
    assert float(found["integral_length_y"].squeeze()) == pytest.approx(0, abs=1e-12)
    assert float(found["length_to_zero_y"].squeeze()) == pytest.approx(1 / (2 * k))
    assert float(found["taylor_scale_y"].squeeze()) == pytest.approx(np.sqrt(2) / (2 * k))
    # Along x it is the same everywhere.
    assert float(found["integral_length_x"].squeeze()) == pytest.approx(LENGTHS[0] / 2)
    assert np.isnan(found["length_to_zero_x"].squeeze())
    assert np.isinf(found["taylor_scale_x"].squeeze())


def test_the_zero_of_two_waves():
    """R = cos(2kr)/2 + 1/8 of sin 2ky and sin(x)/2, which is the same all along y, is 0 at cos 2kr = −1/4."""
    with Simulation(case_of(initial={"name": "zero"}), comm=MPI.COMM_SELF) as state:
        k = 2 * np.pi / LENGTHS[1]
        state.set_field("velocity", lambda x, y, z: (0 * x, 0 * x, np.sin(2 * k * y) + np.sin(x) / 2 + 0 * z))
        found = state.diagnose("correlation", of="u.z", along=["y"])
    zero = np.arccos(-0.25) / (2 * k)
    integral = np.sin(2 * k * zero) / (4 * k) + zero / 8
    assert float(found["length_to_zero_y"].squeeze()) == pytest.approx(integral / 0.625)
    assert float(found["integral_length_y"].squeeze()) == pytest.approx(LENGTHS[1] / 2 / 8 / 0.625)


def test_a_plane_has_the_transverse_component_in_it():
    case = case_of((24, 20, 1), model="navier-stokes-2d")
    with Simulation(case, comm=MPI.COMM_SELF) as state:
        found = state.diagnose("correlation", of="velocity")
        v = np.asarray(state.gather("velocity"), float)[1]
    values = found["correlation_x"].sel(x_quantity="velocity transverse").values
    assert values == pytest.approx(products(v, 0), abs=1e-12 * (v**2).mean())
    assert "correlation_z" not in found


def test_what_has_no_correlation_is_refused():
    for options, words in [
        ({"of": "strain(u)"}, "correlations are of real vectors and numbers, and this is a tensor"),
        ({"of": "nu"}, "it is the same at all points"),
        ({"of": "x*u.x"}, "x is not periodic"),
        ({"of": ["u", "u"]}, "holds u more than once"),
        ({"of": "u", "along": ["w"]}, "along"),
    ]:
        with Simulation(case_of(), comm=MPI.COMM_SELF) as state, pytest.raises(CaseError, match=words):
            state.diagnose("correlation", **options)
    with (
        Simulation(case_of((24, 20, 1), model="navier-stokes-2d"), comm=MPI.COMM_SELF) as state,
        pytest.raises(CaseError, match="the grid has one point along z"),
    ):
        state.diagnose("correlation", of="velocity", along=["z"])
