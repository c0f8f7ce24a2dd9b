"""Typed quantities against NumPy where numbers could be lost: rounding, whole numbers, truth, shell 0."""

import numpy as np
import pytest
from support import devices
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

POINTS, LENGTHS = [16, 12, 14], [6.0, 4.0, 9.0]


def begun(precision: str = "double") -> Simulation:
    return Simulation(
        Case(
            grid={"points": POINTS, "lengths": LENGTHS},
            flow={"viscosity": 0.05},
            time={"dt": 0.01, "until": 1.0},
            initial={"name": "random", "k0": 2},
            run={"threads": 1, "device": devices.current(), "precision": precision},
        )
    )


@pytest.fixture(scope="module")
def state():
    return begun()


@pytest.fixture(scope="module")
def single():
    return begun("single")


def velocity(simulation: Simulation) -> np.ndarray:
    return np.asarray(simulation.velocity(), float)


TRUTHS = [
    ("minimum(u.x, u.y) & (u.z > 0)", lambda x, y, z: (np.minimum(x, y) != 0) & (z > 0)),
    ("maximum(u.x, u.y) | (u.z > 0)", lambda x, y, z: (np.maximum(x, y) != 0) | (z > 0)),
    ("minimum(u.x, 0) ^ (u.z > 0)", lambda x, y, z: (np.minimum(x, 0) != 0) ^ (z > 0)),
    ("((u.x > 0) & (u.y > 0)) | (u.z > 0)", lambda x, y, z: ((x > 0) & (y > 0)) | (z > 0)),
]


@pytest.mark.parametrize(("text", "of"), TRUTHS)
def test_and_and_or_are_of_what_is_not_zero(state, text, of):
    assert np.array_equal(state.field(text)[0], of(*velocity(state)))


WHOLE = [
    ("fmod(N, 49)", lambda n: np.fmod(n, 49)),
    ("fmod(N, -7)", lambda n: np.fmod(n, -7)),
    ("N % 49", lambda n: np.mod(n, 49)),
    ("N % -7", lambda n: np.mod(n, -7)),
    ("floor(N/49)", lambda n: np.floor(n / 49)),
    ("(N + 98)/49 == 2", lambda n: n == 0),
]


@pytest.mark.parametrize(("text", "of"), WHOLE)
def test_quotients_of_whole_numbers_are_exact(state, text, of):
    n = np.round(100 * velocity(state)[0])
    assert (np.abs(n) % 49 == 0).any()
    assert np.array_equal(state.field(text.replace("N", "round(100*u.x)"))[0], of(n))


def test_the_root_of_a_negative_number_stays_none(state):
    x = velocity(state)[0]
    with np.errstate(invalid="ignore"):
        found, wanted = state.field("sqrt(u.x)**2")[0], np.sqrt(x) ** 2
    assert np.array_equal(np.isnan(found), x < 0)
    assert np.nanmax(np.abs(found - wanted)) < 1e-14


@pytest.mark.parametrize("precision", ["double", "single"])
def test_what_travels_does_not_depend_on_nearly_equal_sums(request, precision):
    """u.y must not be found as the difference of sums that nearly are multiples of each other."""
    flow = request.getfixturevalue("state" if precision == "double" else "single")
    x, y, z = velocity(flow)
    for text, wanted in (
        (
            "(0.1*u.x + 0.3*u.y)*(u.x + 3*u.y)*u.z*(u.y + u.z)",
            (0.1 * x + 0.3 * y) * (x + 3 * y) * z * (y + z),
        ),
        ("u.x*(u.x + 1e-6*u.y)*u.z*(u.y + u.z)", x * (x + 1e-6 * y) * z * (y + z)),
    ):
        error = np.abs(flow.field(text)[0] - wanted).max() / np.abs(wanted).max()
        assert error < (1e-13 if precision == "double" else 3e-6)


def test_deviations_in_single_precision_are_about_the_mean(single):
    """Of 3000 + u the variance over planes and over the points of bins is that of u."""
    x, y, _ = velocity(single)
    profile = single.diagnose("profile", of="u.x + 3000")
    assert profile["variance"].values[0] == pytest.approx(x.var(axis=(1, 2)), rel=1e-3)
    assert profile["profile"].values[0] == pytest.approx(3000 + x.mean(axis=(1, 2)), rel=1e-7)
    found = single.diagnose("conditional", of="u.x + 3000", given="u.y", bins=6, range=[-3, 3])
    bins = np.floor((y - y.mean()) / y.std() + 3).astype(int)
    for n in (2, 3):
        assert found["conditional_std"].values[0, n] == pytest.approx(x[bins == n].std(), rel=1e-3)
        assert found["conditional_mean"].values[0, n] == pytest.approx(3000 + x[bins == n].mean(), rel=1e-7)


def test_deviations_are_about_a_large_mean(state):
    x, y, _ = velocity(state)
    found = state.diagnose("moments", of=["u.x + 1e8", "u.x*u.y - 1e8"], order=4)
    assert found["std"].values == pytest.approx([x.std(), (x * y).std()], rel=1e-6)
    found = state.diagnose("pdf", of="u.x + 1e8", bins=10, range=[-3, 3])
    counts, _ = np.histogram((x - x.mean()) / x.std(), bins=10, range=(-3, 3))
    assert np.abs(found["count"].values[0] - counts).max() <= 2
    found = state.diagnose("profile", of="u.x + 1e8")
    assert found["variance"].values[0] == pytest.approx(x.var(axis=(1, 2)), rel=1e-6)


def test_the_deviation_of_a_field_with_a_large_mean():
    simulation = begun()
    y = np.sin(2 * np.pi * simulation.coordinates[1] / LENGTHS[1])[None, :, None]
    simulation.set_field("velocity", lambda x, _, z: (1e8 + y + 0 * x * z, 0 * x * y * z, 0 * x * y * z))
    found = simulation.diagnose("moments", of="u.x", order=4)
    assert float(found["std"].item()) == pytest.approx(np.sqrt(0.5), rel=1e-6)
    assert float(found["moment"].sel(order=4).item()) == pytest.approx(1.5, rel=1e-6)


def test_shell_0_has_what_is_the_same_at_all_points(state):
    x, y, _ = velocity(state)
    alone = state.diagnose("spectrum", of="vector(3, u.y, 0)")["spectrum"].values[0]
    assert alone[0] == pytest.approx(9 + y.mean() ** 2)
    assert alone.sum() == pytest.approx(9 + (y**2).mean())
    crossed = state.diagnose("spectrum", of="vector(2, u.y, 0)", times="vector(u.x + 3, u.y, u.z)")
    assert crossed["spectrum"].values.sum() == pytest.approx(2 * (3 + x.mean()) + (y**2).mean())


@pytest.mark.parametrize("options", [{"of": "x*u.x"}, {"of": "u", "carried_by": "u*sin(y)"}])
def test_what_is_not_periodic_has_no_increments(state, options):
    with pytest.raises(CaseError, match="is not periodic, so what it is in has no increments along"):
        state.diagnose("structure-functions", **options)


def test_what_is_not_periodic_has_increments_along_other_axes(state):
    x = velocity(state)[0]
    at = state.coordinates[2][:, None, None] * x
    found = state.diagnose("structure-functions", of="z*u.x", along=["x"], separations=[3])
    assert found["scalar_x"].values[0, 1, 0] == pytest.approx(((np.roll(at, -3, axis=2) - at) ** 2).mean())
