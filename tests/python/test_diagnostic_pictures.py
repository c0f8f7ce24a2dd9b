"""Pictures of diagnostics, from states that are made up here: what is drawn of which kind."""

import numpy as np
import pytest
import xarray as xr
from matplotlib.collections import QuadMesh
from support.build import needs
from support.diagnostic_files import case_of, run_with_diagnostics, states_of
from support.diagnostic_pictures import STATES, TIMES, bands_of, curves_of, drawn, means
from whorl.base.errors import CaseError
from whorl.diagnostics import picture as diagnostic_picture
from whorl.diagnostics.draw import DRAWINGS, draw_plain
from whorl.diagnostics.options import KINDS
from whorl.diagnostics.results.means import pooled
from whorl.pictures import plot

# Kinds of which each drawing is tried by default.
PLAIN = {"pdf", "slice", "shell-to-shell", "triads", "dissipation"}


@pytest.mark.parametrize("kind", STATES)
def test_every_kind_is_drawn_of_means(kind):
    assert drawn(means(kind)).axes


@pytest.mark.parametrize(
    "kind", [kind if kind in PLAIN else pytest.param(kind, marks=pytest.mark.slow) for kind in STATES]
)
def test_every_kind_is_drawn_of_a_state(kind):
    assert drawn(STATES[kind].isel(time=0)).axes


def test_every_kind_has_a_drawing_and_states_here():
    assert set(STATES) == set(DRAWINGS) == set(KINDS)


def test_densities_are_logarithmic_with_bands_and_a_gaussian():
    data = means("pdf")
    data["pdf"] *= 0.01  # of a sparse density, below which a Gaussian one ends
    data["pdf_error"] *= 0.01
    data["pdf"][:, 0] /= 20  # otherwise there is no need of a logarithm
    data["pdf_error"][:, 0] /= 20
    (ax,) = drawn(data).axes
    assert ax.get_yscale() == "log"
    found = curves_of(ax)
    assert list(found) == ["Gaussian", "u.x", "p"]
    np.testing.assert_array_equal(found["p"], data["pdf"].sel(quantity="p"))
    assert np.nanmax(found["Gaussian"]) == pytest.approx((2 * np.pi) ** -0.5, rel=1e-3)
    upper, lower = (
        data["pdf"].sel(quantity="u.x") + sign * data["pdf_error"].sel(quantity="u.x") for sign in (1, -1)
    )
    places = bands_of(ax)[0].get_paths()[0].vertices[:, 1]
    for value in np.concatenate([upper, lower[lower > ax.get_ylim()[0]]]):
        assert np.isclose(places, value, rtol=1e-12).any()
    data["bin"].attrs["long_name"] = "f, the centre of the bin"
    assert "Gaussian" not in curves_of(drawn(data).axes[0])


def test_densities_without_points_say_why():
    """As of the logarithm of a quantity with the mean zero: of f/⟨f⟩ as much is negative as not."""
    block = {"kind": "pdf", "of": ["u.x", "dissipation"], "scale": "log"}
    (data,) = states_of(case_of([block]), TIMES).values()
    data = data.isel(time=0)
    data["pdf"][0] = 0
    (ax,) = drawn(data).axes
    assert list(curves_of(ax)) == ["u.x   (no points)", "dissipation"]
    assert not ax.texts
    data = data.isel(quantity=[0])
    data["outside"][:] = [[0, 250, 262]]
    data["mean"][:] = -1.64e-19
    (text,) = drawn(data).axes[0].texts
    assert text.get_text() == (
        "no points on the axis: 0 below, 250 above and 262 not a number\n"
        "log₁₀(f/⟨f⟩) needs a mean that is not near zero:\n⟨f⟩ = -1.6·10⁻¹⁹"
    )


def test_densities_end_with_what_is_populated():
    data = means("pdf")
    data["pdf"][:, :3] = 0
    (ax,) = drawn(data).axes
    first = data["bin"].values[1]  # two beside the first that has points
    assert ax.get_xlim()[0] == pytest.approx(first)
    assert np.isnan(curves_of(ax)["p"][:2]).all()
    data["pdf"][:] = 0
    drawn(data)


def test_moments_are_even_and_odd():
    even, odd = drawn(means("moments")).axes
    assert even.get_yscale() == "log"
    assert odd.get_yscale() == "symlog"
    np.testing.assert_array_equal(even.get_xticks(), [4])
    np.testing.assert_array_equal(odd.get_xticks(), [3, 5])
    assert curves_of(even)["Gaussian"].tolist() == pytest.approx([3])
    assert len(odd.containers) == 2  # points with bars of errors


def test_joint_densities_are_maps_with_contours():
    data = means("joint-pdf")
    # Of two decades: otherwise there is no contour.
    data["pdf"][:] = 10.0 ** np.linspace(-3, 1, 42).reshape(6, 7)
    ax = drawn(data).axes[0]
    (image,) = (one for one in ax.collections if isinstance(one, QuadMesh))
    np.testing.assert_array_equal(image.get_array(), data["pdf"].T)
    (contours,) = (one for one in ax.collections if hasattr(one, "levels"))
    np.testing.assert_allclose(contours.levels, [0.1, 1.0])
    assert ax.get_xlabel() == "(f − ⟨f⟩)/σ,   f = u.x"
    assert ax.get_ylabel() == "(f − ⟨f⟩)/σ,   f = p"
    data["pdf"][:] = 0
    drawn(data)


def test_conditional_means_stand_above_the_parts_of_points():
    data = means("conditional")
    top, bottom = drawn(data).axes
    np.testing.assert_array_equal(curves_of(top)["u.y"], data["conditional_mean"].sel(quantity="u.y"))
    assert len(bands_of(top)) == 2
    parts = [bar.get_height() for bar in bottom.patches]
    inside = float(data["count"].sum())
    np.testing.assert_allclose(parts, data["count"] / (inside + float(data["outside"])))


def test_profiles_go_up_the_page():
    data = means("profile")
    left, right = drawn(data).axes
    for ax, array in ((left, "profile"), (right, "variance")):
        line = ax.lines[1]
        np.testing.assert_array_equal(line.get_xdata(), data[array].sel(quantity="u.y"))
        np.testing.assert_array_equal(line.get_ydata(), data["z"])
        assert len(bands_of(ax)) == 2


def test_means_over_lines_are_maps():
    block = {"kind": "profile", "of": ["u.x", "u.y"], "along": ["y", "x"]}
    state = states_of(case_of([block]), TIMES)["profile"].isel(time=-1)
    maps = [ax for ax in drawn(state).axes if ax.get_title()]
    assert [ax.get_title() for ax in maps] == ["u.x   mean along z", "u.y   mean along z"]
    for number, ax in enumerate(maps):
        (mesh,) = (one for one in ax.collections if isinstance(one, QuadMesh))
        up_the_page = state["profile"].isel(quantity=number).transpose("y", "x")
        np.testing.assert_array_equal(np.ravel(mesh.get_array()), up_the_page.values.ravel())


def test_spectra_leave_out_the_mean_and_show_what_is_negative():
    data = means("spectrum")
    data["spectrum"][1, 2] = -0.5
    ax, _ = drawn(data).axes
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert len(curves_of(ax)["u.x"]) == data.sizes["k"] - 1
    assert np.isnan(curves_of(ax)["u.y"][1])
    (points,) = (line for line in ax.lines if line.get_marker() == "o")
    assert (points.get_xdata().tolist(), points.get_ydata().tolist()) == ([float(data["k"][2])], [0.5])
    data["spectrum"][:] = 0
    drawn(data)


def test_errors_of_spectra_are_seen_below_them():
    """In per cent: over decades a band of them is thinner than the curve."""
    data = means("spectrum")
    _, strip = drawn(data).axes
    last = data.isel(quantity=-1, k=slice(1, None))
    np.testing.assert_allclose(strip.lines[-1].get_ydata(), 100 * last["spectrum_error"] / last["spectrum"])
    assert (strip.get_ylabel(), strip.get_xlabel()) == ("error  [%]", "k  [1/length]")
    assert len(drawn(STATES["spectrum"].isel(time=0)).axes) == 1


def test_structure_functions_of_the_second_order_alone():
    """Beside them there is nothing of the third order."""
    block = {"kind": "structure-functions", "of": "p", "order": 2}
    (data,) = states_of(case_of([block]), TIMES).values()
    (ax,) = drawn(pooled(data).assign_attrs(data.attrs)).axes
    assert next(iter(curves_of(ax))) == "n = 2"


def test_structure_functions_of_vectors_and_numbers_stand_side_by_side():
    data = means("structure-functions")
    longitudinal, transverse, scalar, balances = drawn(data).axes
    for ax, name, kind, quantity in (
        (longitudinal, "longitudinal", "vector", "u"),
        (transverse, "transverse", "vector", "u"),
        (scalar, "scalar", "number", "p"),
    ):
        assert ax.get_ylabel().endswith(f"f = {quantity}")
        assert "_{" not in ax.get_ylabel().replace("$", "")
        fourth = data[f"{name}_x"].sel({kind: quantity, "order": 4})
        np.testing.assert_array_equal(curves_of(ax)["n = 4"], fourth)
        assert ax.get_xlabel() == "r  [length]"
        assert list(curves_of(ax))[-2:] == ["along x", "along z"]
    of_cubes, of_flux, of_number, *_ = curves_of(balances).values()
    np.testing.assert_array_equal(of_cubes, data["cubic_balance_x"].sel(vector="u"))
    np.testing.assert_array_equal(of_flux, data["flux_balance_x"].sel(quantity="u"))
    np.testing.assert_array_equal(of_number, data["flux_balance_x"].sel(quantity="p"))
    block = {"kind": "structure-functions", "of": ["p", "u.x", "u", "omega"]}
    (data,) = states_of(case_of([block]), TIMES).values()
    assert drawn(data.isel(time=0)).get_supxlabel() == "2 more are not drawn"


def test_structure_functions_can_be_read_on_a_page():
    """A report has them 10 inches wide, with their text."""
    figure = drawn(means("structure-functions"))
    legends = [text for ax in figure.axes for text in ax.get_legend().get_texts()]
    assert min(text.get_fontsize() for text in legends) * 10 / figure.get_size_inches()[0] > 5.8


def test_signed_structure_functions_say_what_they_are():
    """In two dimensions there are no balances."""
    case = case_of([{"kind": "structure-functions"}], grid={"points": [8, 8, 1]})
    (data,) = states_of(case, TIMES).values()
    *_, signed = drawn(data.isel(time=0)).axes
    assert signed.get_ylabel() == r"$\langle \delta f_L^3 \rangle$,   f = velocity"
    assert signed.get_title() == "signed moments, third order"
    third = data["signed_longitudinal_y"].isel(time=0).sel(odd_order=3)[0]
    curve = [line for line in signed.lines if len(line.get_xdata()) == third.size][1]
    np.testing.assert_array_equal(curve.get_ydata(), third)
    assert list(curves_of(signed)) == ["along x", "along y"]


def bars_of(ax) -> list[np.ndarray]:
    """The ends of the bars of errors, [bar][end][place, value], of each curve that has some."""
    return [
        np.array(one.get_segments())
        for container in ax.containers
        for one in container.lines[2]
        if len(one.get_segments())
    ]


def test_errors_along_several_axes_are_bars_at_places_of_their_own():
    """Bands would lie over each other; a bar ends below its curve where a logarithmic axis has no end."""
    data = means("structure-functions")
    moment = data["longitudinal_x"]
    moment[:] = 10.0 ** -np.arange(moment.size).reshape(moment.shape)
    data["longitudinal_x_error"][:] = 3 * moment
    ax = drawn(data).axes[0]
    assert not bands_of(ax)
    along_x, along_z = bars_of(ax)[0], bars_of(ax)[3]
    second = moment.sel(order=2)[0]
    for (r, low), (_, high) in along_x:
        value = float(second.sel(r_x=r))
        assert (low, high) == pytest.approx((0.3 * value, 4 * value))
    places = [set(np.round(bars[:, 0, 0], 9)) for bars in (along_x, along_z)]
    assert places[0].isdisjoint(places[1])


def test_balances_are_seen_below_zero_and_moments_that_are_zero():
    data = means("structure-functions")
    data["cubic_balance_x"][0, -1] = -0.7
    left, *_, right = drawn(data).axes
    assert right.get_ylim()[0] < -0.7
    assert left.get_yscale() == "log"
    for axis in "xz":
        data[f"longitudinal_{axis}"][:] = 0
    assert drawn(data).axes[0].get_yscale() == "linear"


def plain(**arrays) -> xr.Dataset:
    """A dataset of a kind that has no drawing of its own."""
    axes = {"quantity": ["a", "b"], "r": [1.0, 2.0, 4.0], "part": ["long", "wide"], "s": [0.0, 1.0]}
    rng = np.random.default_rng(3)
    values = {
        name: (dims, rng.random(size=tuple(len(axes[axis]) for axis in dims)))
        for name, dims in arrays.items()
    }
    used = {axis for dims in arrays.values() for axis in dims}
    return xr.Dataset(values, {name: one for name, one in axes.items() if name in used}, {"kind": "other"})


def test_other_kinds_are_drawn_by_the_number_of_their_axes():
    data = plain(
        mean=("quantity",), f=("quantity", "r"), f_error=("quantity", "r"), f_samples=("quantity", "r")
    )
    (ax,) = drawn(data).axes
    np.testing.assert_array_equal(curves_of(ax)["b"], data["f"].sel(quantity="b"))
    assert len(bands_of(ax)) == 2
    figure = drawn(plain(f=("quantity", "s", "r"), g=("r",)))
    maps = [
        ax
        for ax in figure.axes
        if any(isinstance(one, QuadMesh) for one in ax.collections) and ax.get_title()
    ]
    assert [ax.get_title() for ax in maps] == ["a", "b"]
    drawn(plain(f=("part", "r")))
    drawn(plain(f=("quantity", "part")))
    (ax,) = drawn(plain(f=("quantity",), f_error=("quantity",))).axes
    assert [text.get_text() for text in ax.get_xticklabels()] == ["a", "b"]
    with pytest.raises(CaseError, match="no array of numbers over two axes or fewer"):
        drawn(plain(f=("quantity", "part", "s", "r")))


@pytest.mark.parametrize(
    "kind", [kind if kind in PLAIN else pytest.param(kind, marks=pytest.mark.slow) for kind in STATES]
)
def test_the_plain_drawing_takes_every_kind(kind):
    assert drawn(means(kind), draw_plain).axes


@needs("hdf5")
def test_a_picture_is_of_the_mean_a_state_or_the_last_one(tmp_path):
    run_with_diagnostics(tmp_path / "run", TIMES)
    told = []
    path = plot(tmp_path / "run", "diagnostic", name="pdf", tell=told.append)
    assert path == tmp_path / "run" / "pdf.png"
    assert "States in the window: pdf" in told[-2]
    plot(tmp_path / "run", "diagnostic", tmp_path / "few.svg", name="pdf", start=20.0, tell=told.append)
    assert any("rest on fewer than 20 independent samples: they" in one for one in told)
    told.clear()
    plot(tmp_path / "run", "diagnostic", tmp_path / "a.svg", name="pdf", time=4.4, tell=told.append)
    assert told == ["there is no state of t = 4.4; the nearest, of t = 4, is drawn"]
    assert "t = 4" in (tmp_path / "a.svg").read_text()
    (tmp_path / "run" / "series.csv").unlink()
    plot(tmp_path / "run", "diagnostic", tmp_path / "b.svg", name="pdf", tell=told.append)
    assert told[1].startswith("the last state is drawn, not a mean: ")
    assert "t = 30" in (tmp_path / "b.svg").read_text()


@needs("hdf5")
@pytest.mark.parametrize(
    "block",
    [
        {"kind": "slice", "of": ["u.x"], "at": 0.0},
        {"kind": "line", "of": ["u.x"], "along": "x", "at": [0.0, 0.0]},
    ],
)
def test_slices_and_lines_show_the_last_state_unless_a_window_is_given(tmp_path, monkeypatch, block):
    run, shown, told = run_with_diagnostics(tmp_path / "run", TIMES, [block]), [], []
    monkeypatch.setattr(
        diagnostic_picture, "draw_diagnostic", lambda data, title: shown.append(data) or drawn(data)
    )
    plot(tmp_path / "run", "diagnostic", name=block["kind"], tell=told.append)
    plot(tmp_path / "run", "diagnostic", name=block["kind"], start=0.0, tell=told.append)
    last = run.diagnostics[block["kind"]].isel(time=-1)
    np.testing.assert_array_equal(shown[0][block["kind"]], last[block["kind"]])
    assert shown[1].attrs["states"] == len(TIMES)
    assert "the last state is drawn; --from and --to draw a mean." in told


def test_correlations_are_over_their_variance_with_a_dash_an_axis():
    data = means("correlation")
    figure = drawn(data)
    (ax,) = figure.axes
    assert ax.get_xlabel() == "r  [length]"
    found = [line for line in ax.lines if len(line.get_xdata()) > 2]
    assert [line.get_linestyle() for line in found] == [dash for dash in ("-", "--", ":") for _ in range(3)]
    values = [one / one[0] for axis in "xyz" for one in data[f"correlation_{axis}"].values]
    errors = [
        error / one[0]
        for axis in "xyz"
        for one, error in zip(*(data[f"correlation_{axis}{of}"].values for of in ("", "_error")), strict=True)
    ]
    assert not bands_of(ax)
    for line, bars, value, error in zip(found, bars_of(ax), values, errors, strict=True):
        np.testing.assert_array_equal(line.get_ydata(), value)
        places = line.get_xdata()
        for (r, low), (_, high) in bars:
            at = int(np.flatnonzero(np.isclose(places, r))[0])
            assert at > 0  # where it is 1
            assert (low, high) == pytest.approx((value[at] - error[at], value[at] + error[at]))
    assert list(curves_of(ax)) == ["u longitudinal", "u transverse", "dye", "along x", "along y", "along z"]
