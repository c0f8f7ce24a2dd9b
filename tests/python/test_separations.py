"""Pairs and tetrahedra of paths that are known: straight flight, exponential and Richardson's separation."""

from types import SimpleNamespace

import numpy as np
import pytest
from support.paths import BOX, made, random_points
from whorl.base.errors import CaseError
from whorl.particles.results.separations import first_passages, pairs, tetrahedra

SCALES = (0.01, 2.0)  # ν, ε


def flown(first, second, velocity, dt=0.1, times=40):
    """Straight paths of the members of pairs [pair, axis], next to each other, with the velocity read."""
    start = np.stack([first, second], axis=1).reshape(-1, 3)
    speed = np.repeat(velocity, 2, axis=0) * np.tile([[-0.5], [0.5]], (len(velocity), 1))
    time = dt * np.arange(times)[:, None, None]
    return start + speed * time, np.broadcast_to(speed, (times, *speed.shape))


def directions(count, seed=0):
    found = np.random.default_rng(seed).standard_normal((count, 3))
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def grown(apart, dt, **more):
    """Pairs whose separation is `apart` [time], in any directions."""
    course = apart[:, None, None] * directions(50)
    centre = np.random.default_rng(1).uniform(0, BOX, (50, 3))
    both = np.stack([centre - course / 2, centre + course / 2], axis=2).reshape(len(apart), 100, 3)
    return made(both, dt, scales=SCALES, **more)


def test_straight_flight_is_ballistic_by_separations_one_after_another():
    """Pairs of members that lie across the box from each other, which are near all the same."""
    rng = np.random.default_rng(3)
    first, way = rng.uniform(0, BOX, (64, 3)), directions(64)
    apart = np.repeat([0.1, 0.4], 32)
    second = np.mod(first + apart[:, None] * way, BOX)
    velocity = rng.standard_normal((64, 3))
    x, v = flown(first, second, velocity)
    group = SimpleNamespace(pairs=[0.1, 0.4])
    found = pairs(made(x, 0.1, v, scales=SCALES, group=group))
    np.testing.assert_allclose(found["separation"], [0.1, 0.4])
    assert found["sets"].values.tolist() == [32, 32]
    lag = found["lag"].values
    for n, some in enumerate((slice(0, 32), slice(32, 64))):
        square = (velocity[some] ** 2).sum(axis=1)
        one = found.isel(separation=n)
        np.testing.assert_allclose(one["mean_square_change"], square.mean() * lag**2, rtol=1e-10)
        np.testing.assert_allclose(one["ballistic"], one["mean_square_change"], rtol=1e-10)
        error = square.std(ddof=1) / np.sqrt(32) * lag**2
        np.testing.assert_allclose(one["mean_square_change_error"], error, rtol=1e-10)
        r0 = [0.1, 0.4][n]
        np.testing.assert_allclose(
            one["batchelor"], 11 / 3 * 2.1 * (2.0 * r0) ** (2 / 3) * lag**2, rtol=1e-12
        )
        moved = r0 * way[some] + velocity[some] * lag[:, None, None]
        np.testing.assert_allclose(one["mean_square"], (moved**2).sum(axis=2).mean(axis=1), rtol=1e-10)
        np.testing.assert_allclose(one["richardson"], one["mean_square"] / (2.0 * lag**3), rtol=1e-12)


def test_exponential_separation_has_equal_exit_times():
    """|r| = r₀ exp(λt): the time from r to ρ r is ln ρ/λ, to the lines between times."""
    rate, dt = 0.7, 0.02
    tracks = grown(0.05 * np.exp(rate * dt * np.arange(200)), dt)
    found = pairs(tracks, separations=[0.05], ratio=1.5).isel(separation=0)
    full = found["exit_share"].values == 1
    assert full.sum() == 6
    np.testing.assert_allclose(found["exit_separation"], 0.05 * 1.5 ** np.arange(len(full)), rtol=1e-12)
    np.testing.assert_allclose(found["exit_time"][full], np.log(1.5) / rate, rtol=1e-3)
    assert np.isnan(found["exit_time"][~full]).all()
    assert (found["exit_share"][~full] == 0).all()


def test_separation_by_richardson_has_its_constant():
    """|r|^{2/3} = r₀^{2/3} + 2 k₀ t has the exit times of the diffusivity k₀ r^{4/3}; g ε = (1144/81) k₀³."""
    k0, dt = 0.4, 0.01
    apart = (0.2 ** (2 / 3) + 2 * k0 * dt * np.arange(150)) ** 1.5
    found = pairs(grown(apart, dt), separations=[0.2]).isel(separation=0)
    full = found["exit_share"].values == 1
    assert full.sum() > 8
    np.testing.assert_allclose(found["exit_richardson"][full], 1144 / 81 * k0**3 / 2.0, rtol=2e-3)


def test_first_passages_are_those_of_the_first_time():
    time = 0.5 * np.arange(5)
    apart = np.array([[1.0, 2.0, 0.5, 4.0, 8.0], [3.0, 1.0, 1.0, 1.0, 1.0]]).T
    found = first_passages(apart, time, np.array([1.0, 1.5, 3.0, 9.0]))
    np.testing.assert_allclose(found[0], [0.0, 0.25, 1.25, np.nan])
    np.testing.assert_allclose(found[1], [0.0, 0.0, 0.0, np.nan])


def test_nearest_pairs_and_those_between_separations():
    """Each particle has its twin nearby, some of them across the edge of the box."""
    rng = np.random.default_rng(4)
    # On a lattice, so that no other particle is as near.
    middle = np.stack(np.meshgrid(*[np.arange(4) * BOX / 4] * 3), axis=-1).reshape(-1, 3)
    order = rng.permutation(128)
    place = np.concatenate([middle - 0.02, middle + 0.02])[order]
    tracks = made(np.repeat(place[None], 10, axis=0))
    found = pairs(tracks, nearest=True)
    assert found["sets"].values.tolist() == [64]
    apart = 0.04 * np.sqrt(3)
    np.testing.assert_allclose(found["separation"], [apart], rtol=1e-9)
    np.testing.assert_allclose(found["mean_square"], apart**2, rtol=1e-9)
    between = pairs(tracks, between=[0.01, 0.1, BOX / 4 - 0.05, BOX / 4 + 0.05])
    assert between["sets"].values[0] == 64
    np.testing.assert_allclose(between["separation"][0], apart, rtol=1e-9)
    assert between.sizes["separation"] == 2  # none is in the middle
    for wrong in ([0.1], [0.3, 0.1], [0.1, np.inf]):
        with pytest.raises(CaseError, match="two numbers at least, which rise"):
            pairs(tracks, between=wrong)
    with pytest.raises(CaseError, match=r"no two particles are 0\.1 to 0\.2 apart"):
        pairs(tracks, between=[0.1, 0.2])


def test_walls_do_not_bring_particles_near():
    place = np.array([[0.1, 1.0, 1.0], [BOX - 0.1, 1.0, 1.0], [0.1, 3.0, 3.0], [0.5, 3.0, 3.0]])
    paths = np.repeat(place[None], 10, axis=0)
    assert float(pairs(made(paths), between=[0.1, 0.3])["sets"][0]) == 1
    with pytest.raises(CaseError, match="no two particles"):
        pairs(made(paths, periodic=False), between=[0.1, 0.3])
    nearest = pairs(made(paths, periodic=False), nearest=True)
    assert float(nearest["sets"][0]) == 3
    wanted = (0.4 + np.sqrt(8) + BOX - 0.2) / 3
    assert float(nearest["separation"][0]) == pytest.approx(wanted)


def test_particles_that_are_no_pairs_are_refused():
    with pytest.raises(CaseError, match=r"not released in pairs: particles\.pairs has their separations"):
        pairs(made(random_points(10, 10)))
    with pytest.raises(CaseError, match="10 particles are not as many pairs of each of 2 separations"):
        pairs(made(random_points(10, 10)), separations=[0.1, 0.2])
    with pytest.raises(CaseError, match="not released in tetrahedra"):
        tetrahedra(made(random_points(12, 10)))


REGULAR = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) / np.sqrt(8)  # edges of 1


def moved(shape, matrices, count=40, edge=0.3):
    """Tetrahedra of one shape [member, axis], turned at random, moved by matrices [time, axis, axis]."""
    rng = np.random.default_rng(5)
    turns = np.linalg.qr(rng.standard_normal((count, 3, 3)))[0]
    members = edge * np.einsum("nij,mj->nmi", turns, shape)
    course = np.einsum("tij,nmj->tnmi", matrices, members)
    centre = rng.uniform(0, BOX, (count, 1, 3))
    return (course + centre).reshape(len(matrices), -1, 3)


def rotation(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def test_a_rigid_rotation_keeps_the_size_and_shape_of_tetrahedra():
    """A regular one of edge a has R² = 3 a²/2, a volume of a³/(6√2), and three equal eigenvalues."""
    turned = np.stack([rotation(0.1 * n) for n in range(20)])
    found = tetrahedra(made(moved(REGULAR, turned)), separations=[0.3]).isel(separation=0)
    np.testing.assert_allclose(found["mean_square_radius"], 1.5 * 0.3**2, rtol=1e-10)
    np.testing.assert_allclose(found["volume"], 0.3**3 / (6 * np.sqrt(2)), rtol=1e-10)
    np.testing.assert_allclose(found["shape"], 1 / 3, rtol=1e-9)
    skew = np.array([[0, 0, 0], [1, 0, 0], [0.3, 0.8, 0], [0.1, 0.2, 0.5]])
    found = tetrahedra(made(moved(skew, turned)), separations=[0.3]).isel(separation=0)
    left = skew - skew.mean(axis=0)
    eigenvalues = np.linalg.eigvalsh(left.T @ left)[::-1] * 0.3**2
    np.testing.assert_allclose(found["shape"], np.tile(eigenvalues / eigenvalues.sum(), (19, 1)), rtol=1e-9)
    np.testing.assert_allclose(found["mean_square_radius"], eigenvalues.sum(), rtol=1e-10)
    np.testing.assert_allclose(found["volume"], 0.8 * 0.5 / 6 * 0.3**3, rtol=1e-10)
    assert float(found["volume_error"].max()) < 1e-12


def test_flat_and_long_tetrahedra_have_no_third_and_second_eigenvalue():
    flat = np.stack([np.diag([1.0, 1.0, 1.0 - n / 9]) for n in range(10)])
    found = tetrahedra(made(moved_straight(flat)), separations=[1.0]).isel(separation=0, lag=-1)
    assert float(found["shape"].sel(eigenvalue=3)) == pytest.approx(0.0, abs=1e-12)
    assert float(found["volume"]) == pytest.approx(0.0, abs=1e-12)
    long = np.stack([np.diag([1.0, 1.0 - n / 9, 1.0 - n / 9]) for n in range(10)])
    found = tetrahedra(made(moved_straight(long)), separations=[1.0]).isel(separation=0, lag=-1)
    np.testing.assert_allclose(found["shape"], [1.0, 0.0, 0.0], atol=1e-12)


def moved_straight(matrices):
    """One regular tetrahedron under matrices, forty times."""
    course = np.einsum("tij,mj->tmi", matrices, REGULAR)
    return np.tile(course, (1, 40, 1)) + 3.0
