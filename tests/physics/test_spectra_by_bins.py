"""Spectra by any coordinate of the wavenumber, against NumPy: what each option makes of them."""

from itertools import pairwise
from itertools import product as product_of
from typing import NamedTuple

import numpy as np
import pytest
import xarray as xr
from support import devices
from support.box import Box
from support.ranks import on_ranks
from whorl.base.errors import CaseError
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

POINTS, LENGTHS = (24, 20, 18), (2 * np.pi, 3.0, 5.0)
EDGES = [1.0, 2.5, 4.0, 9.0]
LIMITS = {"double": 1e-12, "single": 3e-5}  # of the largest value
RANKS = (1, 2, 4)
OVER = [
    {"over": "k"},
    {"over": "kx"},
    {"over": "ky"},
    {"over": "kperp"},
    {"over": "kpar", "axis": "y"},
    {"over": "angle", "axis": "x", "sectors": 5},
    {"over": ["kperp", "kpar"], "axis": "x"},
    {"over": ["k", "angle"], "sectors": 3},
    {"over": ["kx", "kz"]},
]


class Flow(NamedTuple):
    """A state, its velocity at all points on every rank, and the modes of its box."""

    state: Simulation
    u: np.ndarray
    box: Box


def begun(world: MPI.Intracomm, precision: str) -> Flow:
    case = Case(
        grid={"points": POINTS, "lengths": LENGTHS},
        flow={"viscosity": 0.01},
        time={"dt": 0.01, "until": 1.0},
        initial={"name": "random", "k0": 3.0, "seed": 3},
        run={"precision": precision, "device": devices.current(), "threads": 1},
    )
    state = Simulation(case, comm=world)
    return Flow(state, np.asarray(world.bcast(state.gather("u")), float), Box(case.grid))


def edges_of(found: xr.Dataset, name: str) -> np.ndarray:
    return np.append(found[f"{name}_lower"], found[f"{name}_upper"][-1])


def summed(box: Box, found: xr.Dataset, terms: np.ndarray, axis: str = "z") -> np.ndarray:
    """The sums of some numbers of the modes over the bins that a spectrum has."""
    names = [str(name) for name in found["modes"].dims]
    # The last bins have what is beyond: of angles what rounding puts beyond π/2.
    edges = [np.append(edges_of(found, name)[:-1], np.inf) for name in names]
    values = [box.coordinate(name, "xyz".index(axis)).ravel() for name in names]
    sums, _ = np.histogramdd(values, edges, weights=terms.ravel())
    return sums


def product(box: Box, f: np.ndarray, g: np.ndarray) -> np.ndarray:
    """Re(f̂·ĝ*) of each mode, of vectors at the points."""
    return (box.modes(f) * box.modes(g).conj()).real.sum(0)


def close(found: xr.DataArray, wanted: np.ndarray, limit: float) -> bool:
    return np.abs(found.values - wanted).max() <= limit * np.abs(wanted).max()


@on_ranks(*RANKS)
@pytest.mark.parametrize("precision", LIMITS)
def test_sums_over_bins_are_numpys_and_add_up(world, precision):
    state, u, box = begun(world, precision)
    with state:
        for options in OVER:
            for shells in ("linear", "logarithmic"):
                found = state.diagnose("spectrum", of="u", shells=shells, per_octave=2, **options)
                axis = options.get("axis", "z")
                place = (options, shells)
                spectrum = found["spectrum"].isel(quantity=0)
                assert close(spectrum, summed(box, found, product(box, u, u), axis), LIMITS[precision]), place
                kept = summed(box, found, box.kept.astype(float), axis)
                np.testing.assert_array_equal(found["modes"], kept, err_msg=str(place))
                assert found["modes"].sum() == box.kept.sum()
                mean = (u**2).sum(0).mean()
                assert float(spectrum.sum()) == pytest.approx(mean, rel=LIMITS[precision]), place


@on_ranks(*RANKS)
@pytest.mark.parametrize("precision", LIMITS)
def test_a_density_times_the_width_is_the_sum(world, precision):
    with begun(world, precision).state as state:
        for over, shells in (("k", EDGES), ("kpar", "logarithmic"), (["kperp", "angle"], "linear")):
            of = {"of": "u", "over": over, "shells": shells}
            sums = state.diagnose("spectrum", **of)["spectrum"]
            density = state.diagnose("spectrum", density=True, **of)
            widths = [np.diff(edges_of(density, name)) for name in sums.dims[1:]]
            volume = widths[0] if len(widths) == 1 else np.multiply.outer(*widths)
            assert close(density["spectrum"] * volume, sums.values, LIMITS[precision]), over
            assert (density["spectrum"].units, sums.units) == ("length³/time²", "length²/time²")


@on_ranks(*RANKS)
@pytest.mark.parametrize("precision", LIMITS)
def test_a_corrected_shell_is_as_if_its_modes_were_a_continuum(world, precision):
    """The mean of the modes of the shell, times the volume of the shell over that of a mode."""
    state, u, box = begun(world, precision)
    with state:
        found = state.diagnose("spectrum", of="u", shells=EDGES, correct_shells=True)
        both = state.diagnose("spectrum", of="u", shells=EDGES, correct_shells=True, density=True)
    power = product(box, u, u)
    cell = np.prod(2 * np.pi / np.array(LENGTHS))
    wanted = []
    for inside, (a, b) in zip(box.inside("k", EDGES), pairwise(EDGES), strict=True):
        wanted.append(power[inside].sum() / (inside & box.kept).sum() * 4 * np.pi / 3 * (b**3 - a**3) / cell)
    assert np.isnan(found["spectrum"][0, 2])  # of which the truncation keeps a part along z alone
    assert close(found["spectrum"][0, :2], np.array(wanted[:2]), LIMITS[precision])
    assert close(both["spectrum"][0, :2], np.array(wanted[:2]) / np.diff(EDGES)[:2], LIMITS[precision])


def test_a_corrected_spectrum_in_a_plane_is_by_areas():
    """The mean of the modes of the ring, times its area over that of a mode."""
    case = Case(
        grid={"points": (48, 40, 1), "lengths": (2 * np.pi, 5.0, 1.0)},
        flow={"model": "navier-stokes-2d", "viscosity": 0.01},
        time={"dt": 0.01, "until": 1.0},
        initial={"name": "random", "k0": 4.0},
        run={"device": devices.current()},
    )
    box, edges = Box(case.grid), [1.0, 4.0, 8.0, 12.0]
    with Simulation(case) as state:
        found = state.diagnose("spectrum", of="omega", shells=edges, correct_shells=True)["spectrum"][0]
        power = np.abs(box.modes(state.gather("omega"))[0]) ** 2
    means = [power[inside & box.kept].mean() for inside in box.inside("k", edges)]
    areas = np.pi * np.diff(np.square(edges)) / (2 * np.pi / 5.0)
    assert close(found, np.array(means) * areas, 1e-12)


@on_ranks(*RANKS)
@pytest.mark.parametrize("precision", LIMITS)
def test_components_are_apart(world, precision):
    state, u, box = begun(world, precision)
    with state:
        apart = state.diagnose("spectrum", of=["u", "grad(u)"], components=True, over="kperp")
        whole = state.diagnose("spectrum", of=["u", "grad(u)"], over="kperp")["spectrum"]
        crossed = state.diagnose("spectrum", of="u", times="omega", components=True, over="kperp")
    names = [f"u.{a}" for a in "xyz"] + [f"grad(u).{a}{b}" for a in "xyz" for b in "xyz"]
    assert list(apart["quantity"].values) == names
    slopes = [box.values(1j * k * box.modes(one)) for one in u for k in box.k]
    for name, values in zip(names, [*u, *slopes], strict=True):
        wanted = summed(box, apart, product(box, values[None], values[None]))
        assert close(apart["spectrum"].sel(quantity=name), wanted, LIMITS[precision]), name
    assert close(whole[0], apart["spectrum"].values[:3].sum(0), LIMITS[precision])
    assert close(whole[1], apart["spectrum"].values[3:].sum(0), LIMITS[precision])
    vorticity = np.cross(1j * box.k, box.modes(u), axis=0)
    for n, name in enumerate("xyz"):
        wanted = summed(box, crossed, (box.modes(u[n]) * vorticity[n].conj()).real)
        assert close(crossed["spectrum"].sel(quantity=f"u.{name}"), wanted, LIMITS[precision]), name


def test_components_of_complex_vectors_have_both_parts():
    case = Case(
        grid={"points": (12, 10, 14), "lengths": LENGTHS},
        flow={"model": "gross-pitaevskii", "sound_speed": 2.0, "coherence_length": 0.4},
        time={"dt": 0.01, "until": 1.0},
        initial={"name": "formula", "value": ["1 + 0.3*cos(x)*sin(2*pi*y/Ly)", "0.4*sin(x + 2*pi*z/Lz)"]},
        run={"device": devices.current()},
    )
    with Simulation(case) as state:
        text = "psi*vector(1, 2, 3)"
        apart = state.diagnose("spectrum", of=text, components=True)["spectrum"]
        squares = np.array([1, 4, 9]) * state.mean("abs(psi)**2")
    assert list(apart["quantity"].values) == [f"({text}).{axis}" for axis in "xyz"]
    np.testing.assert_allclose(apart.sum("k"), squares, rtol=1e-12)


@on_ranks(*RANKS)
@pytest.mark.parametrize("precision", LIMITS)
def test_the_longitudinal_spectrum_is_that_of_lines(world, precision):
    """E_11(k_x): the mean over all lines along x of the squares of their modes, those of ±k_x together."""
    state, u, _ = begun(world, precision)
    with state:
        found = state.diagnose("spectrum", of="u.x", over="kx")
    of_lines = (np.abs(np.fft.rfft(u[0], axis=-1) / POINTS[0]) ** 2).mean((0, 1))
    of_lines[1:-1] *= 2
    np.testing.assert_allclose(found["kx"], np.arange(len(of_lines)) * 2 * np.pi / LENGTHS[0])
    assert close(found["spectrum"][0], of_lines, LIMITS[precision])


@on_ranks(*RANKS)
@pytest.mark.parametrize("precision", LIMITS)
def test_two_coordinates_add_up_to_one(world, precision):
    """E(k_⊥, k_∥) to E(k_⊥) and to E(k_∥), rings to shells."""
    with begun(world, precision).state as state:
        for first, second in (("kperp", "kpar"), ("k", "angle")):
            both = state.diagnose("spectrum", of="u", over=[first, second], axis="y")
            for name, other in ((first, second), (second, first)):
                one = state.diagnose("spectrum", of="u", over=name, axis="y")
                assert close(both["spectrum"].sum(other), one["spectrum"].values, LIMITS[precision]), name
                np.testing.assert_array_equal(both["modes"].sum(other), one["modes"])


@on_ranks(*RANKS)
@pytest.mark.parametrize("precision", LIMITS)
def test_the_cospectrum_with_the_vorticity_is_the_helicity(world, precision):
    state, u, box = begun(world, precision)
    with state:
        found = state.diagnose("spectrum", of="u", times="omega", over="kpar", shells="logarithmic")
        mean = state.mean("dot(u, omega)")
    vorticity = np.cross(1j * box.k, box.modes(u), axis=0)
    helicity = (box.modes(u) * vorticity.conj()).real.sum(0)
    assert close(found["spectrum"][0], summed(box, found, helicity), LIMITS[precision])
    largest = float(np.abs(found["spectrum"]).max())
    assert float(found["spectrum"].sum()) == pytest.approx(mean, abs=LIMITS[precision] * largest)


@on_ranks(*RANKS)
@pytest.mark.parametrize("precision", LIMITS)
def test_each_component_with_each_other(world, precision):
    """The nine of u and ω, and the six of u alone; the coefficient has the squares of both below it."""
    state, u, box = begun(world, precision)
    with state:
        nine = state.diagnose("spectrum", of="u", times="omega", pairs=True, shells=EDGES)
        six = state.diagnose("spectrum", of="u", pairs=True, over="kz")
        whole = state.diagnose("spectrum", of="u", times="omega", shells=EDGES)
        flux = state.diagnose("spectrum", of="u", times="dx(u.x)", pairs=True, shells=EDGES)
        alone = state.diagnose("spectrum", of="u", components=True, shells=EDGES)
    f, g = box.modes(u), np.cross(1j * box.k, box.modes(u), axis=0)
    assert "coefficient" not in alone

    def sums(found, a, b):
        names = [str(name) for name in found["modes"].dims]
        cells = box.inside(names[0], edges_of(found, names[0]))
        return np.array([(a * b.conj()).real[..., cell].sum() for cell in cells])

    largest = max(np.abs(sums(nine, f[i], g[j])).max() for i in range(3) for j in range(3))
    for (i, a), (j, b) in product_of(enumerate("xyz"), enumerate("xyz")):
        one = nine.sel(quantity=f"u.{a} omega.{b}")
        wanted = sums(nine, f[i], g[j])
        assert np.abs(one["spectrum"] - wanted).max() <= LIMITS[precision] * largest
        sizes = np.sqrt(sums(nine, f[i], f[i]) * sums(nine, g[j], g[j]))
        assert np.abs(one["coefficient"] - wanted / sizes).max() <= 10 * LIMITS[precision]
    assert [str(one) for one in six["quantity"].values] == [
        f"u.{a} u.{b}" for n, a in enumerate("xyz") for b in "xyz"[n:]
    ]
    np.testing.assert_allclose(six["coefficient"].sel(quantity="u.y u.y")[:6], 1.0, rtol=1e-6)
    assert close(six["spectrum"].sel(quantity="u.x u.z"), sums(six, f[0], f[2]), 10 * LIMITS[precision])
    helicity = sum(sums(whole, f[i], g[i]) for i in range(3))
    sizes = np.sqrt(sum(sums(whole, a, a) for a in f) * sum(sums(whole, a, a) for a in g))
    assert np.abs(whole["coefficient"][0] - helicity / sizes).max() <= 10 * LIMITS[precision]
    assert [str(one) for one in flux["quantity"].values] == [f"u.{a} dx(u.x)" for a in "xyz"]
    assert close(flux["spectrum"][1], sums(flux, f[1], 1j * box.k[0] * f[0]), 10 * LIMITS[precision])


def test_a_coefficient_of_nothing_is_not_known():
    """Of shells without a wave; of complex values there are no pairs."""
    case = Case(
        grid={"points": 12},
        flow={"viscosity": 0.01},
        time={"dt": 0.01, "until": 1.0},
        initial={"name": "abc"},
        run={"device": devices.current()},
    )
    with Simulation(case) as state:
        found = state.diagnose("spectrum", of="u", times="omega")["coefficient"][0]
    assert float(found[1]) == pytest.approx(1.0)
    assert np.isnan(found[2:]).all()
    superfluid = {"model": "gross-pitaevskii", "sound_speed": 2.0, "coherence_length": 0.4}
    with (
        Simulation(case.updated(flow=superfluid, initial={"name": "zero"})) as state,
        pytest.raises(CaseError, match="pairs need real values"),
    ):
        state.diagnose("spectrum", of="psi", pairs=True)


def test_logarithmic_bins_have_their_ratio_and_begin_about_zero():
    with begun(MPI.COMM_SELF, "double").state as state:
        found = state.diagnose("spectrum", of="u", shells="logarithmic", per_octave=3)
        across = state.diagnose("spectrum", of="u", over="kperp", axis="x")
    edges, smallest = edges_of(found, "k"), 2 * np.pi / LENGTHS[0]
    assert (edges[0], edges[1], found["k"].values[0]) == (0.0, smallest / 2, 0.0)
    widths, ratios = np.diff(edges[1:]), edges[2:] / edges[1:-1]
    wide = widths > 1.0001 * smallest
    assert (widths > 0.9999 * smallest).all()
    assert np.allclose(ratios[wide], 2 ** (1 / 3))
    assert 2 <= wide.sum() < len(wide)
    # Across x the smallest wavenumber is that along z.
    assert np.allclose(np.diff(across["kperp"]), 2 * np.pi / LENGTHS[2])
