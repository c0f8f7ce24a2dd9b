"""Pictures of what is summed over modes: spectra over any coordinate, transfers, and those between shells."""

import numpy as np
import pytest
from matplotlib.collections import LineCollection, QuadMesh
from support.diagnostic_files import case_of, states_of
from support.diagnostic_pictures import (
    STATES,
    TIMES,
    bands_of,
    curves_of,
    drawn,
    means,
    means_of,
    states_of_model,
)
from whorl.diagnostics.draw.triads import PAIRS


def spectrum(**options):
    """The means of a spectrum of two quantities."""
    return means_of(
        states_of(case_of([{"kind": "spectrum", "of": ["u.x", "p"]} | options]), TIMES)["spectrum"]
    )


def mesh_of(ax) -> QuadMesh:
    (mesh,) = (one for one in ax.collections if isinstance(one, QuadMesh))
    return mesh


def edges_of(mesh: QuadMesh) -> tuple[np.ndarray, np.ndarray]:
    """The edges across and up."""
    corners = mesh.get_coordinates()
    return corners[0, :, 0], corners[:, 0, 1]


def graphs_of(figure) -> list:
    """Without those of colours and the empty ones."""
    return [ax for ax in figure.axes if ax.axison and ax.get_label() != "<colorbar>"]


def test_spectra_over_an_angle_have_all_of_its_bins():
    data = spectrum(over="angle", sectors=5)
    ax, strip = drawn(data).axes
    assert (ax.get_xscale(), ax.get_yscale()) == ("linear", "log")
    assert [one.get_text() for one in strip.get_xticklabels()] == ["0", "π/8", "π/4", "3π/8", "π/2"]
    np.testing.assert_array_equal(curves_of(ax)["p"], data["spectrum"].sel(quantity="p"))
    assert strip.get_xlabel() == "angle  [rad]"


@pytest.mark.parametrize(
    ("options", "label"),
    [
        ({}, "spectrum, sum over the bin"),
        ({"density": True}, "spectrum per unit of kx"),
        ({"times": "u.y"}, "cospectrum with u.y, sum over the bin"),
    ],
)
def test_the_label_says_what_is_drawn(options, label):
    ax, strip = drawn(spectrum(over="kx", **options)).axes
    assert (ax.get_ylabel(), strip.get_xlabel()) == (label, "kx  [1/length]")


def test_a_spectrum_of_corrected_shells_says_so():
    ax, _ = drawn(spectrum(correct_shells=True)).axes
    assert ax.get_ylabel() == "spectrum, sum over the bin, as of a continuum"


def test_bins_of_unequal_width_show_their_extent():
    ax, _ = drawn(spectrum(shells=[0.5, 1, 4, 9])).axes
    extents = [one for one in ax.collections if isinstance(one, LineCollection)]
    assert len(extents) == 2
    ends = np.array(extents[0].get_segments())[:, :, 0]
    np.testing.assert_array_equal(ends, [[0.5, 1], [1, 4], [4, 9]])
    ax, _ = drawn(spectrum()).axes
    assert not any(isinstance(one, LineCollection) for one in ax.collections)


def test_bins_without_modes_are_not_drawn():
    data = spectrum()
    data["modes"][-2:] = 0
    ax, _ = drawn(data).axes
    assert len(curves_of(ax)["p"]) == data.sizes["k"] - 3  # nor is the mean


def test_spectra_over_two_coordinates_are_maps_with_contours():
    data = spectrum(over=["kperp", "kpar"])
    shape = data["spectrum"].shape[1:]
    data["spectrum"][:] = 10.0 ** np.linspace(-3, 1, np.prod(shape)).reshape(shape)
    data["modes"][:, -1] = 0
    data["modes"][0, 1] = 0
    first, second = graphs_of(drawn(data))
    assert (first.get_title(), second.get_title()) == ("u.x", "p")
    mesh = mesh_of(second)
    wanted = data["spectrum"].sel(quantity="p").values[:, :-1].T
    found = mesh.get_array()
    np.testing.assert_array_equal(np.argwhere(found.mask), [[1, 0]])
    np.testing.assert_array_equal(found.compressed(), np.delete(wanted.ravel(), shape[0]))
    assert (mesh.norm.vmin, mesh.norm.vmax) == (wanted.min(), wanted.max())
    # What is at 0 is a strip in front of the others, whose edges are true.
    for edges, name in zip(edges_of(mesh), ("kperp", "kpar"), strict=True):
        upper = data[f"{name}_upper"].values[: len(edges) - 1]
        np.testing.assert_array_equal(edges, [upper[0] / 2, *upper])
    assert second.get_xticklabels()[0].get_text() == "0"
    (contours,) = (one for one in second.collections if hasattr(one, "levels"))
    np.testing.assert_allclose(contours.levels, [0.01, 0.1, 1.0], rtol=1e-12)


def test_maps_of_both_signs_are_about_zero_and_those_of_nothing_say_so():
    data = spectrum(over=["k", "angle"], times="u.y")
    data["spectrum"][0, 1, 1] = -30.0
    data["spectrum"][0, 2, 2] = np.nan
    data["spectrum"][1] = 0
    first, second = graphs_of(drawn(data))
    mesh = mesh_of(first)
    assert (mesh.get_cmap().name, mesh.norm.vmin, mesh.norm.vmax) == ("RdBu_r", -30.0, 30.0)
    assert mesh.get_array().mask[2, 2]
    assert [text.get_text() for text in second.texts] == ["it is zero"]


def test_transfers_are_by_the_logarithm_of_k_beside_fluxes():
    data = means("transfer")
    graphs = graphs_of(drawn(data))
    parts = ["energy", "magnetic energy"]
    assert [ax.get_title() for ax in graphs] == [
        f"{part}: {array}" for part in parts for array in ("transfer", "flux")
    ]
    left, right = graphs[2:]
    assert left.get_ylabel() == "T / Δ ln k  [length²/time³]"
    lower, upper = data["k_lower"].values[1:], data["k_upper"].values[1:]
    of = {term: f"magnetic_energy {term}" for term in ("advection", "stretching", "ohmic")}
    assert list(curves_of(left)) == list(of)
    for term, label in of.items():
        wanted = data["transfer"].sel(quantity=label).values[1:] / np.log(upper / lower)
        np.testing.assert_allclose(curves_of(left)[term], wanted, rtol=1e-12)
        np.testing.assert_array_equal(curves_of(right)[term], data["flux"].sel(quantity=label)[1:])
    line = next(one for one in right.lines if one.get_label() == "ohmic")
    np.testing.assert_array_equal(line.get_xdata(), upper)
    assert left.get_xlim()[0] > 0.5  # no mode is below
    assert left.get_xlim()[0] == pytest.approx(right.get_xlim()[0], rel=0.7)
    (law,) = (one for one in right.lines if one.get_label() == "whole loss, ohmic")
    assert law.get_ydata()[0] == float(data["flux"].sel(quantity="magnetic_energy ohmic")[-1])
    assert len(bands_of(left)) == len(bands_of(right)) == 3
    same = {ax.lines[0].get_color() for ax in graphs[::2]}  # advection of both
    assert len(same) == 1


def test_transfers_that_are_zero_or_unknown_are_drawn():
    data = means("transfer")
    data["transfer"][0] = 0
    data["transfer"][1, 2] = np.nan
    data["flux"][1, 2:] = np.nan
    left, *_ = graphs_of(drawn(data))
    assert np.isnan(curves_of(left)["viscous"][1])
    data["transfer"][:], data["flux"][:] = np.nan, np.nan
    assert all("no numbers" in [text.get_text() for text in ax.texts] for ax in graphs_of(drawn(data)))


def test_transfers_over_an_angle_are_per_radian():
    data = means_of(states_of_model("transfer", over="angle", sectors=4, of="energy", components=True))
    graphs = graphs_of(drawn(data))
    assert [ax.get_title() for ax in graphs[::2]] == [f"energy.{axis}: transfer" for axis in "xyz"]
    wanted = data["transfer"].sel(quantity="energy.y viscous") / (np.pi / 8)
    np.testing.assert_allclose(curves_of(graphs[2])["viscous"], wanted, rtol=1e-12)
    assert graphs[2].get_xscale() == "linear"


def test_transfers_over_two_coordinates_are_maps_of_one_scale_for_a_balance():
    data = means_of(states_of_model("transfer", over=["kperp", "kpar"]))
    data["transfer"].loc[{"quantity": "energy viscous"}] *= 100
    graphs = graphs_of(drawn(data))
    assert [ax.get_title() for ax in graphs] == [
        str(one).replace(" ", ": ").replace("_", " ") for one in data["quantity"].values
    ]
    limits = [mesh_of(ax).norm.vmax for ax in graphs]
    largest = float(np.abs(data["transfer"].sel(quantity="energy viscous")).max())
    assert limits[:3] == [largest] * 3
    assert max(limits[3:]) < largest / 10
    np.testing.assert_array_equal(mesh_of(graphs[1]).get_array(), data["transfer"][1].T)


def test_shells_that_receive_go_up_and_those_that_give_across():
    data = means("shell-to-shell")
    data["transfer"][0, 2, 0] = -50.0
    data["transfer_error"][:] = 0.0
    data["transfer_error"][0, 1, 2] = 40.0  # larger than the value
    data["transfer"][0, 0, 2], data["transfer_error"][0, 0, 2] = 10.0, 5.0
    *matrices, last = graphs_of(drawn(data))
    assert [ax.get_title() for ax in matrices] == [
        f"{name}  [length²/time³]" for name in data["quantity"].values
    ]
    mesh = mesh_of(matrices[0])
    np.testing.assert_array_equal(mesh.get_array(), data["transfer"][0])
    assert (mesh.norm.vmin, mesh.norm.vmax) == (-50.0, 50.0)
    edges = [*data["giver_k_lower"].values, data["giver_k_upper"].values[-1]]
    for found in edges_of(mesh):
        np.testing.assert_array_equal(found, edges)
    assert matrices[0].get_xlabel() == "k of the giver  [1/length]"
    assert matrices[0].get_ylabel() == "k of the receiver  [1/length]"
    assert mesh_of(matrices[1]).norm.vmax < 50
    doubtful = next(one for one in matrices[0].lines if one.get_marker() == ".")
    k = data["giver_k"].values
    assert (doubtful.get_xdata(), doubtful.get_ydata()) == ([k[2]], [k[1]])
    np.testing.assert_array_equal(curves_of(last)["b to u"], data["flux"].sel(quantity="b to u"))
    assert len(bands_of(last)) == 4


@pytest.mark.long("a picture of all rings")
def test_rings_are_drawn_by_shell_and_angle():
    data = means("ring-to-ring")
    shells, sectors = data.sizes["giver_k"], data.sizes["giver_angle"]
    data["transfer"][1, :, :, 2, 1] *= 100
    graphs = graphs_of(drawn(data))
    assert len(graphs) == 2 * data.sizes["quantity"]
    received, strongest = graphs[2:4]
    assert received.get_title() == "b to b, of all rings  [length²/time³]"
    every = mesh_of(received).get_array().reshape(shells, sectors, -1)
    np.testing.assert_array_equal(every[..., 0], data["received"][1])
    assert (every == every[..., :1]).all()
    of_one = mesh_of(strongest).get_array().reshape(shells, sectors, -1)
    np.testing.assert_array_equal(of_one[..., 0], data["transfer"][1, :, :, 2, 1])
    outline = next(one for one in strongest.lines if one.get_color() == "black")
    angles = outline.get_xdata()
    assert (min(angles), max(angles)) == (data["giver_angle_lower"][1], data["giver_angle_upper"][1])
    assert received.get_xlabel() == "k  [1/length], θ from z"
    assert not any(ax.texts for ax in graphs_of(drawn(STATES["ring-to-ring"].isel(time=0))))


@pytest.mark.turns
@pytest.mark.parametrize("value", [0.0, np.nan])
@pytest.mark.parametrize("kind", ["shell-to-shell", "ring-to-ring"])
def test_transfers_between_shells_and_rings_of_nothing_say_so(kind, value):
    data = STATES[kind].isel(time=0).copy(deep=True)
    for name in ("transfer", "received"):
        data[name][:] = value
    told = [text.get_text() for ax in drawn(data).axes for text in ax.texts]
    assert told.count("it is zero") == (4 if kind == "shell-to-shell" else 8)


def test_triads_have_a_row_each_with_bars_of_their_errors():
    """Over each exchange, in the order of the file; the first three orders of the roles are apart."""
    data = means("triads")
    axes = drawn(data).axes
    assert [ax.get_title() for ax in axes] == ["u to u", "b to b", "u to b", "b to u"]
    for ax, name in zip(axes, data["quantity"].values, strict=True):
        assert len(ax.containers) == 3
        for bars, (order, label) in zip(ax.containers, PAIRS, strict=True):
            assert bars.get_label() == label
            wanted = {"quantity": name, "order": order}
            value, error = (data[of].sel(wanted).values for of in ("transfer", "transfer_error"))
            np.testing.assert_array_equal(bars.lines[0].get_xdata(), value)
            ends = np.array(bars.lines[2][0].get_segments())[:, :, 0]
            np.testing.assert_allclose(ends.T, [value - error, value + error])


def test_triads_beyond_the_first_are_counted():
    modes = [[[n, 1, 0], [0, m, end]] for n in (1, -1, 2) for m in (0, 1, -1) for end in (1, 2)]
    figure = drawn(means_of(states_of_model("triads", modes=modes, of="u to u")))
    (bars, *_) = figure.axes[0].containers
    assert len(bars.lines[0].get_xdata()) == 16
    assert figure.get_supxlabel() == "2 more are not drawn"
