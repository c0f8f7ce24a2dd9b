"""Compensated spectra and structure functions: laws, units, errors of ratios, whole shells, refusals."""

import numpy as np
import pytest
import xarray as xr
from matplotlib.backends.backend_agg import FigureCanvasAgg
from support.diagnostic_files import case_of
from support.processes import equal, process
from whorl.base.errors import CaseError
from whorl.output.means import means_of
from whorl.pictures.compensated import draw_compensated
from whorl.results.compensated import compensated
from whorl.results.runs import RunResults

TIMES, NU, WIDTH = equal(300, 0.25), 0.02, 0.5
SHELLS = WIDTH * np.arange(16)
R = 0.3 * np.arange(1, 6)


class Made(RunResults):
    """A run in a box of 4π on 24³, where shells are half as wide, with states that are made up."""

    def __init__(self, place, epsilon, energy=None, moments=None, **sections):
        lengths = {"grid": {"points": 24, "lengths": 2 * np.pi / WIDTH}, "flow": {"viscosity": NU}}
        super().__init__(place, case_of([], **lengths | sections))
        (place / "diagnostics.h5").touch()
        object.__setattr__(self, "_made", (epsilon, energy, moments))

    def rows_of_window(self, start):
        told = {"units": "1", "long_name": "made up"}
        enstrophy = self._made[0] / (2 * NU)
        columns = {"enstrophy": enstrophy, "energy": 1 + 0 * enstrophy, "dissipation": self._made[0]}
        data = {name: ("time", values, told) for name, values in columns.items()}
        return xr.Dataset(data | {"step": ("time", np.arange(len(TIMES)))}, {"time": TIMES})

    @property
    def spectra(self):
        data = {"energy": (("time", "k"), self._made[1]), "step": ("time", np.arange(len(TIMES)))}
        return xr.Dataset(data, {"time": TIMES, "k": SHELLS})

    @property
    def diagnostics(self):
        return {} if self._made[2] is None else {"structure-functions": self._made[2]}


def by_law(constant, epsilon):
    """Sums over shells of E(k) = C ε^{2/3} k^{−5/3}."""
    k = np.where(SHELLS > 0, SHELLS, np.inf)
    return constant * epsilon[:, None] ** (2 / 3) * k ** (-5 / 3) * WIDTH


def steady(value=0.7):
    return np.full(len(TIMES), value)


def test_a_spectrum_of_the_law_is_its_constant_in_whole_shells(tmp_path):
    """In units of η; of the 2/3 rule modes are kept below 8 k_min, so that the shell of 7 is the last."""
    data = compensated(Made(tmp_path, steady(), by_law(1.5, steady())), start=0.0)["spectrum"]
    np.testing.assert_allclose(data["energy"], 1.5, rtol=1e-12)
    np.testing.assert_array_equal(data["k"], SHELLS[1:8])
    np.testing.assert_allclose(data["k_eta"], SHELLS[1:8] * (NU**3 / 0.7) ** 0.25)
    assert data["energy_error"].values == pytest.approx(0, abs=1e-12)
    assert data.attrs["kolmogorov_length"] == pytest.approx((NU**3 / 0.7) ** 0.25)


def test_structure_functions_of_the_laws_are_their_constants(tmp_path):
    epsilon = steady(1.3)
    er = 1.3 * np.broadcast_to(R, (len(TIMES), len(R)))
    absolute = np.stack([0 * er, 2.1 * er ** (2 / 3), 0 * er], axis=1)[:, None]
    arrays = {"step": ("time", np.arange(len(TIMES)))}
    for axis in "xyz":
        places = ("time", "vector", "order", f"r_{axis}")
        arrays |= {
            f"longitudinal_{axis}": (places, absolute),
            f"transverse_{axis}": (places, 4 / 3 * absolute),
            f"signed_longitudinal_{axis}": (
                ("time", "vector", "odd_order", f"r_{axis}"),
                -0.8 * er[:, None, None],
            ),
        }
    axes = {"time": TIMES, "vector": ["u"], "order": [1.0, 2.0, 3.0], "odd_order": [3.0]}
    states = xr.Dataset(arrays, axes | {f"r_{axis}": R for axis in "xyz"}, {"kind": "structure-functions"})
    run = Made(tmp_path, epsilon, by_law(1.5, epsilon), states)
    found = compensated(run, start=0.0)
    assert list(found) == ["spectrum", "structure-functions"]
    data = found["structure-functions"]
    np.testing.assert_allclose(data["longitudinal_second"], 2.1)
    np.testing.assert_allclose(data["transverse_second"], 2.8)
    np.testing.assert_allclose(data["longitudinal_third"], -0.8)
    np.testing.assert_allclose(data["r_eta"], R / (NU**3 / 1.3) ** 0.25)
    assert "longitudinal_third" in str(found)
    figure = draw_compensated(found, "title")
    FigureCanvasAgg(figure).draw()
    assert [ax.get_title(loc="left") or ax.get_title() for ax in figure.axes] == [
        "Compensated spectrum",
        "Second order",
        "Third order",
    ]
    third = figure.axes[2].lines[0].get_ydata()
    np.testing.assert_allclose(third, 0.8)


def test_separations_that_differ_from_axis_to_axis_leave_the_spectrum(tmp_path):
    moments = {
        f"longitudinal_{axis}": (
            ("time", "vector", "order", f"r_{axis}"),
            np.ones((len(TIMES), 1, 1, len(R))),
        )
        for axis in "xyz"
    }
    axes = {"time": TIMES, "vector": ["u"], "order": [2.0], "r_x": R, "r_y": R, "r_z": R / 2}
    states = xr.Dataset(moments | {"step": ("time", np.arange(len(TIMES)))}, axes)
    run = Made(tmp_path, steady(), by_law(1.5, steady()), states.assign_attrs(kind="structure-functions"))
    found = compensated(run, start=0.0)
    assert list(found) == ["spectrum"]
    assert any("The separations of longitudinal differ" in note for note in found.notes)
    with pytest.raises(CaseError, match="The separations of longitudinal differ"):
        compensated(run, "structure-functions", start=0.0)


def test_the_error_of_a_ratio_counts_what_rises_and_falls_together(tmp_path):
    """E as ε^{2/3} has none to first order, independent ones have both parts."""
    a, b = (1 + 0.05 * one for one in process(TIMES, 2, seed=4))
    together = compensated(Made(tmp_path, a, by_law(1.5, a)), start=0.0)["spectrum"]
    apart = compensated(Made(tmp_path, a, by_law(1.5, b)), start=0.0)["spectrum"]
    of_a, of_b = (means_of(TIMES, one)[1] for one in (a ** (2 / 3), b ** (2 / 3)))
    np.testing.assert_allclose(apart["energy_error"], 1.5 * np.hypot(of_a, of_b), rtol=0.3)
    assert (together["energy_error"] < 0.05 * apart["energy_error"]).all()
    assert (np.abs(together["energy"] - 1.5) < 0.002).all()


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        ({"grid": {"points": [24, 24, 1]}}, "in three dimensions, and this one is plane"),
        ({"flow": {"viscosity": 0.0, "hyperviscosity": 1e-4}}, "need a dissipation by viscosity"),
    ],
)
def test_what_has_no_such_laws_is_refused(tmp_path, sections, words):
    with pytest.raises(CaseError, match=words):
        compensated(Made(tmp_path, steady(), by_law(1.5, steady()), **sections), start=0.0)


def test_names_and_windows_are_checked(tmp_path):
    run = Made(tmp_path, steady(), by_law(1.5, steady()))
    with pytest.raises(CaseError, match="is named spectrm; did you mean spectrum"):
        compensated(run, "spectrm")
    with pytest.raises(CaseError, match="averages need two"):
        compensated(run, start=0.0, end=0.1)
    with pytest.raises(CaseError, match="the flow is at rest"):
        compensated(Made(tmp_path, steady(0.0), by_law(1.5, steady())), start=0.0)
