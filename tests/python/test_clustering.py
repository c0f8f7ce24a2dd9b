"""Where points are: random ones, points on lines, planes and lattices, whose numbers are known."""

import numpy as np
import pytest
from scipy.stats import chi2, kstest
from support.examples import examples
from support.paths import BOX, made, random_points
from whorl.base.errors import CaseError
from whorl.particles.results.clustering import cell_volumes, clustering, uniformity


def test_random_points_have_g_of_one_and_three_dimensions():
    found = clustering(made(random_points(1500, 16, seed=1)), voronoi=False)
    g, error = found["radial_distribution"], found["radial_distribution_error"]
    assert (np.abs(g - 1) < 4.5 * error + 1e-12).all()
    assert float(error[-1]) < 0.012
    value, one = (float(found[f"dimension{end}"]) for end in ("", "_error"))
    assert abs(value - 3) < 4 * one
    assert one < 0.05
    spacing = BOX / 1500 ** (1 / 3)
    assert found.attrs["from_r"] == pytest.approx(0.2 * spacing)
    assert found.attrs["to_r"] == pytest.approx(spacing)


def test_cells_of_random_points_have_their_variance():
    found = clustering(made(random_points(160, 8, seed=1)), states=8)
    value, one = (float(found[f"voronoi_variance{end}"]) for end in ("", "_error"))
    assert abs(value - 0.179) < 4 * one
    assert one < 0.025


@pytest.mark.slow
def test_errors_cover_the_truth_over_many_seeds():
    """Of D₂ and of g near a spacing, of random points: a pair counts in two particles, but once."""
    off = []
    for seed in range(examples(60)):
        found = clustering(made(random_points(200, 24, seed)), voronoi=False)
        near = found.sel(r=0.7, method="nearest")
        off.append(
            [
                (float(found["dimension"]) - 3) / float(found["dimension_error"]),
                (float(near["radial_distribution"]) - 1) / float(near["radial_distribution_error"]),
            ]
        )
    within = np.abs(off)
    assert ((within < 2).mean(axis=0) > 0.88).all()
    assert ((within < 1).mean(axis=0) > 0.55).all()
    assert ((within < 1).mean(axis=0) < 0.92).all()


def test_at_one_time_the_error_is_that_of_blocks_in_which_pairs_count_twice():
    how = {"states": 1, "voronoi": False, "between": (0.3, 0.85)}
    found = [clustering(made(random_points(400, 8, seed)), **how) for seed in range(examples(150))]
    near = [one.sel(r=0.7, method="nearest") for one in found]
    for of, name in ((found, "dimension"), (near, "radial_distribution")):
        spread = np.std([float(one[name]) for one in of])
        error = np.mean([float(one[f"{name}_error"]) for one in of])
        assert error == pytest.approx(spread, rel=0.2), name
        assert float(of[0][f"{name}_samples"]) == 32


@pytest.mark.parametrize(("dimension", "on"), [(1, [0]), (2, [0, 1])])
def test_points_on_lines_and_planes_have_their_dimension(dimension, on):
    place = np.full((8, 1500, 3), 1.0)
    place[..., on] = random_points(1500, 8, seed=2)[..., on]
    found = clustering(made(place), between=(0.01, 0.3), voronoi=False)
    value, error = (float(found[f"dimension{end}"]) for end in ("", "_error"))
    assert abs(value - dimension) < 4 * error
    assert error < 0.06


def test_pairs_across_the_edges_of_the_box_count():
    """Twins on either side of the edge: a peak of g at their distance, as anywhere else."""
    rng = np.random.default_rng(3)
    at = rng.uniform(0, BOX, (400, 3))
    edge = at * [0, 1, 1]
    for one in (at, edge):
        place = np.concatenate([one + np.array([way, 0, 0]) for way in (-0.15, 0.15)])
        found = clustering(made(np.repeat(place[None], 8, axis=0)), states=1, voronoi=False)
        peak = found["radial_distribution"].sel(r=0.3, method="nearest")
        assert float(peak) > 5


def test_plane_flow_has_two_dimensions():
    tracks = made(random_points(1000, 8, seed=4))
    plane = tracks.__class__(**{**vars(tracks), "axes": ("x", "y")})
    found = clustering(plane)
    assert abs(float(found["dimension"]) - 2) < 4 * float(found["dimension_error"])
    assert found.attrs["voronoi_random"] == 0.28
    assert abs(float(found["voronoi_variance"]) - 0.28) < 4 * float(found["voronoi_variance_error"])


def test_cells_of_a_lattice_are_equal_and_cells_fill_the_box():
    # A little off the lattice, on which more than four cells meet in a point.
    lattice = np.stack(np.meshgrid(*[(np.arange(5) + 0.5) * BOX / 5] * 3), axis=-1).reshape(-1, 3)
    even = cell_volumes(made(np.repeat(lattice[None], 8, axis=0)), 0)
    np.testing.assert_allclose(even, (BOX / 5) ** 3, rtol=1e-9)
    random = cell_volumes(made(random_points(60, 8, seed=5) + 100), 3)
    assert random.sum() == pytest.approx(BOX**3, rel=1e-10)


def test_p_is_uniform_for_random_points_and_small_for_others():
    p = [
        float(uniformity(made(random_points(700, 8, seed)), states=1)["probability"][0])
        for seed in range(200)
    ]
    assert kstest(p, "uniform").pvalue > 0.001
    one = uniformity(made(random_points(700, 8, seed=3)))
    np.testing.assert_allclose(one["probability"], chi2.sf(one["chi_squared"], 4**3 - 1), rtol=1e-10)
    place = random_points(4000, 8, seed=6)
    place[..., 0] += 0.5 * np.sin(place[..., 0])
    found = uniformity(made(place))
    assert (found["probability"] < 1e-4).all()
    assert found.attrs["freedom"] == found.attrs["cells"] - 1 == 342
    assert "343 cells; random ones have about 342" in found["chi_squared"].attrs["long_name"]
    one = np.repeat(random_points(700, 1, seed=7), 8, axis=0)
    moved = uniformity(made(one + BOX * np.arange(8)[:, None, None]))
    np.testing.assert_allclose(moved["chi_squared"], moved["chi_squared"][0])


def test_the_chi_square_is_that_of_the_cells():
    counts = np.array([30, 50])
    place = np.concatenate([np.tile([0.1, 0.1, 0.1], (30, 1)), np.tile([4.0, 4.0, 4.0], (50, 1))])
    found = uniformity(made(np.repeat(place[None], 8, axis=0)), states=1)
    assert found.attrs["cells"] == 8
    wanted = ((counts - 10) ** 2 / 10).sum() + 6 * 10
    assert float(found["chi_squared"][0]) == pytest.approx(wanted)


def test_walls_few_particles_and_unfit_ranges_are_refused():
    with pytest.raises(CaseError, match="need a periodic box: near the walls"):
        clustering(made(random_points(100), periodic=False))
    assert uniformity(made(random_points(100), periodic=False)).attrs["states"] == 5
    with pytest.raises(CaseError, match=r"20 particles are too few: .* need 32\."):
        clustering(made(random_points(20)))
    for wrong in ((0.5, 0.1), (0.0, 0.1), (0.1, 4.0)):
        with pytest.raises(CaseError, match="two separations that rise, at most half of the box"):
            clustering(made(random_points(100)), between=wrong)
