"""A census of vortices: of known ones, wherever they lie, and of turbulence by a search of its own."""

import numpy as np
import pytest
from support import devices
from support.ranks import on_ranks
from whorl.base.errors import CaseError
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.run.simulation import Simulation

TAU = 2 * np.pi
pytestmark = pytest.mark.every_device


def plane(points=(96, 80, 1), lengths=(TAU, 5.0, 1.0), model="navier-stokes-2d", **initial) -> Case:
    return Case(
        grid={"points": points, "lengths": lengths},
        flow={"model": model, "viscosity": 0.001},
        time={"dt": 0.01, "until": 1.0},
        initial=initial or {"name": "random", "k0": 8},
        run={"threads": 1, "device": devices.current()},
    )


def vortex(x, y, at, size, lengths):
    """A Gaussian vortex of circulation 1, nearest image."""
    dx, dy = (
        (d + length / 2) % length - length / 2
        for d, length in zip((x - at[0], y - at[1]), lengths, strict=True)
    )
    return np.exp(-(dx**2 + dy**2) / (2 * size**2)) / (TAU * size**2)


@on_ranks(1, 2, 3)
@pytest.mark.parametrize("shift", [(0.0, 0.0), (2.1, 0.0), (0.0, 2.4), (3.0, 2.5)])
def test_vortices_are_found_across_the_edges(world, shift):
    """With s = r²/(2 size²) they end where |(1 − e^−s)/s − e^−s| = e^−s, and have 1 − e^−s of all."""
    size, lengths = 0.25, (TAU, 5.0)
    given = [(1.5, (1.5, 1.2)), (-1.0, (4.5, 1.2)), (0.7, (1.5, 3.7)), (-1.2, (4.5, 3.7))]
    with Simulation(plane(), comm=world) as state:
        state.set_field(
            "vorticity",
            lambda x, y, z: sum(
                circulation * vortex(x, y, (a + shift[0], b + shift[1]), size, lengths)
                for circulation, (a, b) in given
            ),
        )
        found = state.diagnose("vortices", threshold=1e-6)
    assert float(found["number"]) == 4
    assert float(found["cyclones"]) == 2
    s = np.linspace(0.5, 3, 200_001)
    strain, rotation = (1 - np.exp(-s)) / s - np.exp(-s), np.exp(-s)
    edge = s[np.argmin(np.abs(strain - rotation))]
    values = found["circulation"].values
    assert np.isnan(values[4:]).all()
    assert values[:4] == pytest.approx(np.array([1.5, -1.2, -1.0, 0.7]) * (1 - np.exp(-edge)), rel=0.03)
    assert found["area"].values[:4] == pytest.approx(np.pi * 2 * size**2 * edge, rel=0.05)
    assert float(found["mean_radius"]) == pytest.approx(size * np.sqrt(2 * edge), rel=0.03)
    assert float(found["covered"]) == pytest.approx(np.nansum(found["area"].values))


def searched(inside: np.ndarray, sign: np.ndarray) -> list[set]:
    """Regions by a search from point to point."""
    left = set(zip(*np.nonzero(inside), strict=True))
    regions = []
    while left:
        region, todo = set(), [left.pop()]
        while todo:
            j, i = todo.pop()
            region.add((j, i))
            for one in ((j + 1, i), (j - 1, i), (j, i + 1), (j, i - 1)):
                near = (one[0] % inside.shape[0], one[1] % inside.shape[1])
                if near in left and sign[near] == sign[j, i]:
                    left.remove(near)
                    todo.append(near)
        regions.append(region)
    return regions


@pytest.mark.parametrize("model", ["navier-stokes-2d", "navier-stokes"])
def test_a_search_from_point_to_point_finds_the_same(model):
    case = plane(model=model)
    name = "vorticity" if model == "navier-stokes-2d" else "curl(u).z"
    with Simulation(case, comm=MPI.COMM_SELF) as state:
        found = state.diagnose("vortices", threshold=0.3, least=4)
        vorticity = np.asarray(state.gather(name), float)[0, 0]
        u = state.gather("grad(velocity)")[:, 0]
    stretch, shear = u[0] - u[4], u[3] + u[1]
    number = stretch**2 + shear**2 - vorticity**2
    inside = number < -0.3 * np.sqrt((number**2).mean())
    regions = [one for one in searched(inside, vorticity > 0) if len(one) >= 4]
    cell = TAU * 5.0 / (96 * 80)
    circulation = [sum(vorticity[at] for at in one) * cell for one in regions]
    order = np.argsort(-np.abs(circulation))
    assert float(found["number"]) == len(regions)
    n = len(regions)
    assert found["circulation"].values[:n] == pytest.approx(np.array(circulation)[order])
    assert found["area"].values[:n] == pytest.approx(np.array([len(regions[m]) for m in order]) * cell)
    share = sum(vorticity[at] ** 2 for one in regions for at in one) / (vorticity**2).sum()
    assert float(found["enstrophy_share"]) == pytest.approx(share)


def test_flow_that_is_in_no_plane_is_refused():
    with (
        Simulation(plane((16, 12, 14), model="navier-stokes", name="zero"), comm=MPI.COMM_SELF) as state,
        pytest.raises(CaseError, match="vortices needs periodic flow in the plane of x and y"),
    ):
        state.diagnose("vortices")


def test_flow_at_rest_has_none():
    with Simulation(plane(name="zero"), comm=MPI.COMM_SELF) as state:
        found = state.diagnose("vortices")
    assert float(found["number"]) == 0
    assert np.isnan(found["circulation"].values).all()
