"""Which plane of which snapshot is drawn, and in which colours."""

import numpy as np
import pytest
import xarray as xr
from support.run_files import make_run, write_snapshot
from whorl.base.errors import CaseError
from whorl.config.case import Grid
from whorl.models.base import PictureSlice
from whorl.pictures import plot
from whorl.pictures.run import picture_of
from whorl.pictures.slices import (
    PlaneValues,
    Wanted,
    choose,
    colours,
    liveliest_plane,
    normal_axis,
    told_position,
)
from whorl.results.runs import open_run


@pytest.fixture
def run(tmp_path):
    return make_run(tmp_path / "run")


def chosen(run, **wanted):
    opened = open_run(run.path)
    return choose(opened.snapshots, picture_of(opened.case).slices, opened.case.grid, Wanted(**wanted))


def test_a_person_chooses_field_plane_and_time(run):
    """Points are at 0.5 x, y and 2 z apart; the snapshots hold vorticity and velocity."""
    values = write_snapshot(run.snapshot_path(7), 0.7)
    later = write_snapshot(run.snapshot_path(9), 1.5) + 0.0
    size = np.linalg.norm(values, axis=-1)
    plane = chosen(run, field="velocity", plane="z=4.9", time=0.9)
    assert (plane.time, plane.normal, plane.of.symbol) == (0.7, "z", "|u|")
    assert float(plane.values["z"]) == 4.0
    np.testing.assert_allclose(plane.values[:-1, :-1], size[2])
    plane = chosen(run, field="vorticity.y", plane="x = pi/2 - 0.5")
    assert (plane.time, plane.normal, plane.axes, plane.of.title) == (1.5, "x", ("y", "z"), "Vorticity  y")
    np.testing.assert_allclose(plane.values[:-1, :-1], later[:, :, 2, 1])
    assert float(chosen(run, field="velocity", plane="y").values["y"]) == 5.0  # where it is the largest
    assert float(chosen(run, plane="z=7.9").values["z"]) == 0.0  # nearer than 6, the box is periodic
    assert float(chosen(run, plane="z=6.9").values["z"]) == 6.0
    assert chosen(run).of.field == "vorticity"


@pytest.mark.parametrize(
    ("named", "title"), [("dye", "Dye"), ("p", "p"), ("Q", "Q"), ("eps_r", "eps_r"), ("lambdaCi", "lambdaCi")]
)
def test_titles_leave_symbols_as_they_are_typed(named, title):
    assert PictureSlice(named, "", "value").title == title
    assert PictureSlice("temperature", "θ", name="density anomaly").title == "Density anomaly  θ"


def test_the_nearest_of_two_snapshots_is_taken(run):
    for step, time in ((7, 0.7), (9, 1.5)):
        write_snapshot(run.snapshot_path(step), time)
    times = {wanted: chosen(run, time=wanted).time for wanted in (-1.0, 1.09, 1.11, 99.0)}
    assert times == {-1.0: 0.7, 1.09: 0.7, 1.11: 1.5, 99.0: 1.5}


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"field": "vortcity"}, ['no field "vortcity"', "did you mean vorticity?", "velocity, vorticity"]),
        ({"field": "velocity.w"}, ['no component "w"', "velocity are x, y, z"]),
        ({"plane": "w"}, ["must be x, y or z", "z=pi/2"]),
        ({"plane": "z=8.1"}, ["z = 8.1 is outside the box, 0 to 8."]),
        ({"plane": "z=x+1"}, ["is nowhere", "one number"]),
        ({"plane": "z=1/0"}, ["is nowhere"]),
        ({"time": float("nan")}, ["nan is no time"]),
        ({"plane": "z=two"}, ['"two" is not known; known are pi']),
    ],
)
def test_what_is_not_there_is_not_drawn(run, wanted, words):
    write_snapshot(run.snapshot_path(7), 0.7)
    with pytest.raises(CaseError) as caught:
        chosen(run, **wanted)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_the_snapshot_of_another_time_is_told(run, tmp_path):
    for step, time in ((7, 0.7), (9, 1.5)):
        write_snapshot(run.snapshot_path(step), time)
    told = []
    for wanted in (0.7, 1.4999, 1.2):
        plot(run.path, output=tmp_path / "a.png", time=wanted, tell=told.append)
    assert told == ["there is no snapshot of t = 1.2; the nearest, of t = 1.5, is drawn"]


def test_a_slice_that_is_asked_for_needs_a_snapshot(run):
    assert chosen(run) is None
    with pytest.raises(CaseError, match=r"output\.snapshot_every"):
        chosen(run, field="velocity")


def test_a_plane_flow_has_one_plane():
    field = xr.DataArray(
        np.ones((1, 4, 6)), dims=("time", "y", "x"), coords={"x": np.arange(6.0), "y": np.arange(4.0)}
    )
    grid = Grid(points=(6, 4, 1), lengths=(6.0, 4.0, 1.0))
    data = xr.Dataset({"vorticity": field}, {"time": [0.0]})
    with pytest.raises(CaseError, match="only plane is normal to z, not to x"):
        choose(data, [], grid, Wanted(field="vorticity", plane="x"))
    assert choose(data, [], grid, Wanted(field="vorticity", plane="z=0.5")).normal == "z"
    assert choose(data, [], grid, Wanted()).of.field == "vorticity"  # which the model has no slice of


def shown_plane(values, of):
    grid = Grid(points=(8, 6, 4), lengths=(4.0, 6.0, 2.0))
    coordinates = {"x": np.arange(values.shape[1]), "z": np.arange(len(values))}
    return PlaneValues(xr.DataArray(values, coordinates, ("z", "x")), of, grid, "y", 0.0)


def test_white_is_the_middle_of_a_signed_scale():
    """0 of a signed value; of a temperature that goes from 1 to 0 over the height, its mean."""
    signed = colours(shown_plane(np.array([[-1.0, 3.0], [0.5, 0.5]]), PictureSlice("a", "a", "value")))
    assert signed["norm"].vmin == -signed["norm"].vmax
    heat = PictureSlice("temperature", "T", "value", "y", (1.0, -0.5))
    warm = colours(shown_plane(np.array([[0.2, 0.9], [0.5, 0.5]]), heat))
    assert (warm["norm"].vmin + warm["norm"].vmax) / 2 == pytest.approx(0.5)
    assert signed["cmap"] == warm["cmap"] == "RdBu_r"


@pytest.mark.parametrize("shows", ["value", "magnitude", "density"])
def test_what_is_never_negative_has_a_scale_from_zero(shows):
    scale = colours(shown_plane(np.array([[0.0, 3.0], [0.5, 0.5]]), PictureSlice("a", "a", shows)))
    assert (scale["norm"].vmin, scale["cmap"]) == (0.0, "inferno")


def test_the_liveliest_plane_is_found():
    field = xr.DataArray(
        np.ones((8, 3, 3, 3)), dims=("z", "y", "x", "component"), coords={"z": np.arange(8.0)}
    )
    field[5] = 2.0
    plane = liveliest_plane(field)
    assert float(plane["z"]) == 5.0
    np.testing.assert_allclose(plane, 2 * np.sqrt(3))


def test_the_liveliest_plane_of_a_density_is_where_it_varies():
    """A uniform density is large everywhere, and shows nothing."""
    field = xr.DataArray(np.ones((8, 4, 4, 2)), dims=("z", "y", "x", "part"), coords={"z": np.arange(8.0)})
    field[3, 1] = 0.0
    plane = liveliest_plane(field, "z", "density")
    assert float(plane["z"]) == 3.0
    np.testing.assert_array_equal(plane[0], np.full(4, 2.0))


def test_a_value_keeps_its_sign_and_any_axis_may_be_cut():
    field = xr.DataArray(np.ones((4, 6, 5)), dims=("z", "y", "x"), coords={"y": np.arange(6.0)})
    field[:, 2] = -3.0
    plane = liveliest_plane(field, "y", "value")
    assert (float(plane["y"]), plane.dims) == (2.0, ("z", "x"))
    np.testing.assert_array_equal(plane, np.full((4, 5), -3.0))


@pytest.mark.parametrize(
    ("shape", "dims", "axis"),
    [((6, 8), ("y", "x"), "z"), ((4, 1, 8), ("z", "y", "x"), "y"), ((4, 6, 8), ("z", "y", "x"), "x")],
)
def test_a_flat_flow_is_cut_across(shape, dims, axis):
    assert normal_axis("x", xr.DataArray(np.zeros(shape), dims=dims)) == axis


@pytest.mark.parametrize(
    ("place", "told"),
    [
        (0.0, "0"),
        (np.pi, "π"),
        (np.float32(np.pi / 2), "π/2"),
        (7 * np.pi / 4, "7π/4"),
        (5 * np.pi / 32, "0.491"),
        (1.57, "1.57"),
    ],
)
def test_a_plane_at_a_simple_part_of_pi_is_called_so(place, told):
    assert told_position(float(place)) == told
