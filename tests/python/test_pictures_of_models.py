"""Pictures of what models have: profiles, ready sets, slices and lines; and looks that all pictures share."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.collections import QuadMesh
from support.diagnostic_pictures import STATES, bands_of, curves_of, drawn, means
from whorl.diagnostics.draw.base import look
from whorl.diagnostics.picture import draw_diagnostic
from whorl.diagnostics.results.means import DiagnosticMeans
from whorl.pictures.style import COLORS

# Machado et al., IEEE Trans. Vis. Comput. Graph. 15, 1291 (2009): without red, without green.
SEEN = {
    "all": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
}
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
TOLD_APART = 18.0  # in CIELAB


def lab(color: str, seen) -> np.ndarray:
    """CIE L*a*b* of a colour as it is seen."""
    part = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    x, y, z = TO_XYZ @ np.clip(np.asarray(seen) @ linear, 0, 1) / TO_XYZ.sum(axis=1)
    fx, fy, fz = (np.cbrt(one) if one > 216 / 24389 else (24389 / 27 * one + 16) / 116 for one in (x, y, z))
    return np.array([116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)])


@pytest.mark.parametrize("seen", SEEN)
def test_colours_are_told_apart(seen):
    places = {color: lab(color, SEEN[seen]) for color in COLORS}
    nearest = min(np.linalg.norm(places[a] - places[b]) for a, b in combinations(COLORS, 2))
    assert nearest > TOLD_APART


def test_more_curves_than_colours_have_other_dashes():
    looks = [look(n) for n in range(2 * len(COLORS) + 3)]
    assert len(set(looks)) == len(looks)


def test_convection_stands_up_with_relations_and_boundary_layers():
    data = means("convection")
    data["nusselt_of"][:] = [3.0, 4.0, 5.0, 6.0, 7.0]
    axes = drawn(data).axes
    temperature, _, flux, nusselt = axes[:4]
    np.testing.assert_array_equal(temperature.lines[0].get_xdata(), data["temperature"])
    np.testing.assert_array_equal(temperature.lines[0].get_ydata(), data["z"])
    layers = sorted(line.get_ydata()[0] for line in temperature.lines if len(line.get_xdata()) == 2)
    np.testing.assert_allclose(layers, [0.5 / 4, 1 - 0.5 / 5], rtol=1e-14)
    assert len(bands_of(flux)) == 2
    points = {one.get_label(): one.lines[0].get_xydata()[0] for one in nusselt.containers}
    names = [str(name) for name in data["relation"].values]
    assert [points[name][0] for name in names] == data["nusselt_of"].values.tolist()
    assert (points["lower plate"][1], points["upper plate"][1]) == (0, 1)
    free = data.drop_vars("slope_thickness").sel(relation=["flux", "dissipation"])
    assert drawn(free).axes


def test_stratification_shows_small_richardson_numbers_and_leaves_out_rounding():
    data = means("stratification")
    data["velocity"][1] = 1e-17
    data["richardson"][:] = 1e27
    data["richardson"][0] = 10.0
    axes = drawn(data).axes
    assert list(curves_of(axes[0])) == ["⟨u⟩", "⟨w⟩", "⟨θ⟩"]
    np.testing.assert_array_equal(axes[0].lines[0].get_xdata(), data["velocity"].sel(component="x"))
    assert axes[2].get_xlim() == (-0.5, 40.0)
    told = axes[7].texts[0].get_text()
    numbers = as_in_the_table(data)
    assert f"mixing efficiency\n{numbers['mixing_efficiency']}\n" in told
    told = drawn(STATES["stratification"].isel(time=0)).axes[7].texts[0].get_text()
    assert "±" not in told
    data["richardson"][:] = np.nan
    assert [text.get_text() for text in drawn(data).axes[2].texts] == ["no numbers"]


def as_in_the_table(data) -> dict[str, str]:
    """The numbers of the whole box as `whorl average --diagnostics` shows them."""
    table = DiagnosticMeans(0.0, 1.0, "", {"of": data.assign_attrs(states=30)}, ()).cells()
    return {number: told for _, quantity, number, told, samples in table if not quantity and samples != "sum"}


def test_ready_sets_are_densities_a_joint_density_and_numbers():
    data = means("dissipation")
    density, joint = drawn(data).axes[:2]
    np.testing.assert_array_equal(curves_of(density)["enstrophy"], data["pdf"].sel(quantity="enstrophy"))
    assert "Gaussian" not in curves_of(density)
    (image,) = (one for one in joint.collections if isinstance(one, QuadMesh))
    shown = np.where(data["joint_pdf"] > 0, data["joint_pdf"], np.nan)
    assert np.nanmax(image.get_array()) == np.nanmax(shown)
    assert joint.get_ylabel().endswith("f = enstrophy")
    data = means("gradients")
    data["skewness_samples"][...] = 19.0
    density, column = drawn(data).axes
    assert "Gaussian" in curves_of(density)
    told = [text.get_text() for text in column.texts]
    numbers = as_in_the_table(data)
    assert told[told.index("skewness") + 1] == numbers["skewness"]
    assert numbers["skewness"].endswith(" ?")
    assert told[-1].startswith("?  of fewer than 20 independent")
    assert not any("error" in one or one.endswith("samples") for one in told)
    for name in numbers:
        data[f"{name}_samples"][...] = 20.0
    told = [text.get_text() for text in drawn(data).axes[1].texts]
    assert told[told.index("skewness") + 1] == numbers["skewness"].removesuffix(" ?")
    assert not any("?" in one for one in told)
    data["mean_Q"][...], data["mean_Q_error"][...] = -6e-19, 1.2e-18
    told = [text.get_text() for text in drawn(data).axes[1].texts]
    assert told[told.index("mean Q") + 1] == as_in_the_table(data)["mean_Q"] == "0 to rounding"
    (text,) = (one.get_text() for one in drawn(STATES["gradients"].isel(time=0)).axes[1].texts[1:2])
    assert float(text) == pytest.approx(float(STATES["gradients"]["skewness"][0]), rel=1e-3)
    parts, cosines = drawn(means("current")).axes
    assert "cos(u, b)" in curves_of(cosines)
    assert "j.x" in curves_of(parts)
    assert cosines.get_title().startswith("alignment = ")


def test_many_densities_are_told_apart_and_have_no_bands():
    """A component has a colour, and dashes tell the axis; what is lost in its error is left out."""
    data = means("gradients")
    data["pdf_error"][:] = 0.4 * data["pdf"]
    data["pdf_error"][:, 3] = 0.6 * data["pdf"][:, 3]
    ax = drawn(data).axes[0]
    assert not bands_of(ax)
    lines = {line.get_label(): line for line in ax.lines if line.get_label().startswith("d")}
    assert len(lines) == 9
    looks = {(line.get_color(), str(line._dash_pattern)) for line in lines.values()}
    assert len(looks) == 9
    assert len({line.get_color() for line in lines.values()}) == 3
    assert lines["dx(u.x)"].get_color() == lines["dz(u.x)"].get_color()
    assert all(np.flatnonzero(np.isnan(line.get_ydata())).tolist() == [3] for line in lines.values())
    assert ax.get_legend().get_title().get_text() == "errors below 50 %"
    few = means("pdf")
    few["pdf_error"][:, 3] = 2 * few["pdf"][:, 3]
    (ax,) = drawn(few).axes
    assert len(bands_of(ax)) == few.sizes["quantity"]
    assert np.isnan(curves_of(ax)["p"][3])


def test_slices_have_equal_scales_and_a_white_zero():
    data = STATES["slice"].isel(time=0).copy(deep=True)
    data["slice"][0] = np.abs(data["slice"][0])
    data["slice"][1, 0, 0] = -50.0
    data["position"][()] = np.pi / 4
    axes = drawn(data).axes[:4]
    meshes = [next(one for one in ax.collections if isinstance(one, QuadMesh)) for ax in axes]
    np.testing.assert_array_equal(meshes[1].get_array(), data["slice"][1])
    assert meshes[0].norm.vmin == 0
    assert meshes[1].norm.vmin == -meshes[1].norm.vmax
    assert {ax.get_aspect() for ax in axes} == {1.0}
    assert axes[0].get_title() == "u.x   at y = π/4"
    data["slice"][1] = np.nan
    drawn(data)


def test_a_slice_one_point_wide_is_a_curve():
    data = STATES["slice"].isel(time=0, z=[0]).copy(deep=True)
    ax = drawn(data).axes[0]
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), data["slice"][0, 0])


def test_what_is_not_drawn_is_said():
    data = STATES["slice"].isel(time=0).copy(deep=True)
    many = data.isel(quantity=[0, 1, 2, 3] * 3)
    assert drawn(many).get_supxlabel() == "3 more are not drawn"
    assert drawn(data).get_supxlabel() == ""


def test_lines_say_where_they_lie_and_dots_show_what_stands_alone():
    data = STATES["line"].isel(time=0).copy(deep=True)
    data["position"][:] = [np.pi / 4, 0.0]
    data["line"][0, 1] = data["line"][0, 3] = np.nan
    (ax,) = drawn(data).axes
    np.testing.assert_array_equal(curves_of(ax)["p"], data["line"].sel(quantity="p"))
    assert ax.get_title() == "x = π/4,   y = 0"
    dots = [line for line in ax.lines if line.get_marker() == "."]
    assert [line.get_xdata().tolist() for line in dots] == [data["z"].values[[0, 2]].tolist()]


def test_graphs_without_numbers_say_so():
    data = means("profile")
    data["variance"][:] = np.nan
    left, right = drawn(data).axes
    assert not left.texts
    assert [text.get_text() for text in right.texts] == ["no numbers"]
    data = means("joint-pdf")
    data["pdf"][:] = 0
    assert [text.get_text() for text in drawn(data).axes[0].texts] == ["no points"]
    data = means("conditional")
    data["conditional_mean"][:], data["count"][:] = np.nan, 0
    assert drawn(data).axes[1].get_yscale() == "linear"


def test_moments_of_the_third_order_alone_are_one_graph():
    (ax,) = drawn(means("moments").sel(order=[3.0])).axes
    assert ax.get_xticks().tolist() == [3]


def test_flat_densities_are_linear_and_single_bins_are_dots():
    data = means("pdf")
    data["pdf"][:] = np.linspace(0.5, 1.0, data.sizes["bin"])
    (ax,) = drawn(data).axes
    assert (ax.get_yscale(), ax.get_ylim()[0]) == ("linear", 0)
    data["pdf"][:] = 0
    data["pdf"][0, 4] = 1.0
    (ax,) = drawn(data).axes
    dots = [line for line in ax.lines if line.get_marker() == "."]
    assert [line.get_ydata().tolist() for line in dots] == [[1.0]]


def test_long_titles_fit_above_the_graph():
    for times in (1, 5):
        figure = draw_diagnostic(means("joint-pdf"), "forced-turbulence   ·   " * times)
        figure.canvas.draw()
        assert figure._suptitle.get_window_extent().x1 < figure.bbox.width
