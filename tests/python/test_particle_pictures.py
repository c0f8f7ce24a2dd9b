"""Pictures of particles, from paths that are made up here."""

import numpy as np
import pytest
import xarray as xr
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from support.diagnostic_files import case_of
from whorl.base.errors import CaseError
from whorl.particles.draw.paths import MOST_PATHS, draw_particles, mean_square_displacement, wrapped

LENGTH = 2 * np.pi  # of the box


def paths(position) -> xr.Dataset:
    """Paths [time][particle][axis] at times 0.5 apart, which begin at 3."""
    count = len(position)
    return xr.Dataset(
        {"position": (("time", "particle", "axis"), np.array(position, float))},
        {"time": 3 + 0.5 * np.arange(count), "axis": list("xyz"), "step": ("time", np.arange(count))},
    )


def flight(times=20, particles=7) -> np.ndarray:
    """Straight paths of a speed of 3."""
    t = 0.5 * np.arange(times)
    turn = np.linspace(0, 5, particles)
    way = 3 * np.stack([np.cos(turn), np.sin(turn), 0 * turn], -1)
    return 1 + t[:, None, None] * way


def drawn(data: xr.Dataset):
    figure = draw_particles(data, case_of([]), "title")
    FigureCanvasAgg(figure).draw()
    return figure


def test_the_mean_square_displacement_of_straight_paths():
    found = mean_square_displacement(paths(flight()))
    np.testing.assert_allclose(found, (3 * 0.5 * np.arange(20)) ** 2, rtol=1e-13)
    right = drawn(paths(flight())).axes[1]
    lines = {line.get_label(): line.get_xydata() for line in right.lines}
    curve, ballistic, diffusive = lines.values()
    np.testing.assert_allclose(curve[:, 0], 0.5 * np.arange(1, 20))
    np.testing.assert_allclose(ballistic, curve)
    np.testing.assert_allclose(diffusive[:, 1], curve[-1, 1] * curve[:, 0] / curve[-1, 0])
    assert list(lines)[1:] == ["t²", "t"]


def test_paths_lie_in_the_box_and_no_line_crosses_it():
    left = drawn(paths(flight(60))).axes[0]
    pieces = [
        piece for one in left.collections if isinstance(one, LineCollection) for piece in one.get_segments()
    ]
    assert len(pieces) > 7 * 10
    for piece in pieces:
        assert piece.min() >= -1e-9
        assert piece.max() <= LENGTH + 1e-9
        assert (
            np.hypot(*np.diff(piece, axis=0).T).max() < 1.5 + 1e-9
        )  # as far as a particle goes between two times
    gone = sum(np.hypot(*np.diff(piece, axis=0).T).sum() for piece in pieces)
    assert gone == pytest.approx(7 * 59 * 1.5)


def test_a_path_goes_on_at_the_opposite_side():
    """Through the corner region of the box, by two edges between two times."""
    grid = case_of([]).grid
    start, end = np.array([6.0, 6.2, 0.5]), np.array([6.6, 6.5, 0.7])
    first, second, third = wrapped(np.array([start, end]), grid, (0, 1))
    np.testing.assert_allclose(first[0], start[:2])
    np.testing.assert_allclose(third[-1], end[:2] - LENGTH)
    np.testing.assert_allclose([first[-1, 1], second[0, 1]], [LENGTH, 0], atol=1e-12)
    np.testing.assert_allclose([second[-1, 0], third[0, 0]], [LENGTH, 0], atol=1e-12)
    (stays,) = wrapped(np.array([start - 1, end - 1]), grid, (0, 2))
    np.testing.assert_allclose(stays, [[5.0, -0.5 + LENGTH], [5.6, -0.3 + LENGTH]])


def test_some_of_many_paths_are_drawn_and_this_is_said():
    many = drawn(paths(flight(3, MOST_PATHS + 50)))
    assert sum(isinstance(one, LineCollection) for one in many.axes[0].collections) == MOST_PATHS
    assert many.axes[0].get_title(loc="left") or many.axes[0].get_title() == (
        f"Paths, {MOST_PATHS} of {MOST_PATHS + 50}; a dot at the end of each"
    )


def test_fewer_paths_are_drawn_where_they_are_long():
    """Of 15 times the length of the box each: 10 of them fill it as much as 150 short ones."""
    long = drawn(paths(flight(2 * 31 + 1, 100)))
    assert sum(isinstance(one, LineCollection) for one in long.axes[0].collections) == 10
    assert "Paths, 10 of 100;" in long.axes[0].get_title(loc="left") + long.axes[0].get_title()


def test_what_cannot_be_drawn():
    with pytest.raises(
        CaseError, match=r"picture of paths needs two times, and 1 has been written; lower particles\.every"
    ):
        draw_particles(paths(flight(1)), case_of([]))
    still = drawn(paths(np.ones((4, 2, 3))))
    assert [text.get_text() for text in still.axes[1].texts] == ["no particle has moved"]
