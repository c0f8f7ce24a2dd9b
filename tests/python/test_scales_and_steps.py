"""What follows from a flow's options and statistics: scales, and whether waves or fields limit the step."""

import math
import re

import numpy as np
import pytest
import xarray as xr
from scipy.special import j1
from whorl.base.text import rounded_down, rounded_up
from whorl.config.case import Case, load_case, ready_cases
from whorl.config.schemes import SCHEMES, largest_courant
from whorl.models import MODELS
from whorl.run.checks import step_too_large, warnings
from whorl.run.simulation import Simulation


def case_of(model, flow=None, **sections):
    example = MODELS[model].example
    return Case(**example | {"flow": {"model": model, **example["flow"], **(flow or {})}} | sections)


def test_at_rest_means_that_no_step_can_be_set():
    still, moving = {"energy": 0.0, "potential_energy": 1.0, "magnetic_energy": 0.0}, {"energy": 1.0}
    magnetic = still | {"magnetic_energy": 1.0}
    assert case_of("navier-stokes").flow.at_rest(still)
    assert not case_of("navier-stokes").flow.at_rest(moving)
    assert case_of("mhd").flow.at_rest(still)
    assert not case_of("mhd").flow.at_rest(magnetic)
    assert case_of("mhd", {"kinematic": True}).flow.at_rest(magnetic)
    assert not case_of("rayleigh-benard").flow.at_rest(still)
    assert case_of("rayleigh-benard", {"linear": "exact"}).flow.at_rest(still)
    assert not case_of("rayleigh-benard", {"linear": "exact"}).flow.at_rest(moving)


WAVES = [
    ("navier-stokes", {"rotation": 0.1}),
    ("navier-stokes", {"mean_velocity": 1.0}),
    ("boussinesq", {"buoyancy_frequency": 2.0}),
    ("mhd", {"mean_field": [0.0, 0.3, 0.0]}),
    ("navier-stokes-2d", {"beta": 1.0}),
]


@pytest.mark.parametrize(("name", "option"), WAVES)
def test_explicit_waves_set_the_step_of_a_flow_at_rest(name, option):
    still, own = {"energy": 0.0, "magnetic_energy": 0.0}, [f"flow.{key}" for key in option]
    flows = [case_of(name, {**option, "linear": linear}).flow for linear in ("explicit", "exact")]
    assert [flow.explicit_waves() for flow in flows] == [own, []]
    assert [flow.at_rest(still) for flow in flows] == [False, True]


@pytest.mark.parametrize("name", ["navier-stokes", "boussinesq", "mhd", "rayleigh-benard"])
def test_scales_are_those_of_the_viscous_loss(name):
    """By 2 ν Z, whatever else is lost: λ² = 15 ν u'²/ε, η⁴ = ν³/ε."""
    flow = case_of(name, {"rayleigh": 100.0, "prandtl": 1.0} if name[0] == "r" else {"viscosity": 0.1}).flow
    flux = {"convective_flux": 0.0, "thermal_dissipation": 0.0}
    statistics = {"energy": 3.0, "enstrophy": 40.0, "dissipation": 100.0, "energy_per_wavenumber": 1.0} | flux
    found, viscous = flow.derived(statistics, 10.0), 2 * 0.1 * 40.0
    assert found["taylor_scale"] == pytest.approx(math.sqrt(15 * 0.1 * 2.0 / viscous))
    assert found["R_lambda"] == pytest.approx(math.sqrt(2.0) * found["taylor_scale"] / 0.1)
    assert found["kolmogorov_length"] == pytest.approx((0.1**3 / viscous) ** 0.25)
    assert found["kmax_eta"] == pytest.approx(10 * found["kolmogorov_length"])
    assert found["rms_velocity"] == pytest.approx(math.sqrt(2.0))
    assert found["kolmogorov_time"] == pytest.approx((0.1 / viscous) ** 0.5)
    assert found["kolmogorov_velocity"] == pytest.approx((0.1 * viscous) ** 0.25)


@pytest.mark.filterwarnings("error")
def test_a_viscosity_below_all_that_is_normal_has_infinite_reynolds_numbers():
    statistics = {"energy": 3.0, "enstrophy": 40.0, "dissipation": 0.0, "energy_per_wavenumber": 1.0}
    found = case_of("navier-stokes", {"viscosity": 1e-310}).flow.derived(statistics, 10.0)
    assert found["R_lambda"] == found["R_L"] == math.inf
    assert found["kolmogorov_length"] == 0.0


@pytest.mark.parametrize("name", ["navier-stokes", "boussinesq", "mhd", "quasi-static-mhd"])
def test_columns_of_the_large_eddies_are_of_the_same_row(name):
    """T = L/u', u'L/ν, Cε = 15 (u'L/ν)/Rλ² = 2νZ L/u'³."""
    flow = {"interaction": 0.1} if name == "quasi-static-mhd" else {}
    case = case_of(name, {"viscosity": 0.1, "drag": 0.2} | flow)
    time, random = {"dt": 0.02, "steps": 3}, {"name": "random", "k0": 2.0, "energy": 1.0, "seed": 3}
    case = Case(**case.to_dict() | {"grid": {"points": 16}, "time": time, "initial": random})
    simulation = Simulation(case.updated(output={"series_every": "1 steps"}))
    simulation.run(progress=False)
    series = simulation.series
    speed, scale = np.sqrt(2 * series["energy"] / 3), series["integral_scale"]
    np.testing.assert_allclose(series["turnover_time"], scale / speed)
    np.testing.assert_allclose(series["R_L"], speed * scale / 0.1)
    np.testing.assert_allclose(series["C_epsilon"], 2 * 0.1 * series["enstrophy"] * scale / speed**3)
    np.testing.assert_allclose(series["C_epsilon"], 15 * series["R_L"] / series["R_lambda"] ** 2)
    assert series.sizes["time"] == 4


def test_an_inviscid_flow_has_no_reynolds_number():
    case = case_of("navier-stokes", {"viscosity": 0.0}, grid={"points": 8}, time={"dt": 0.01, "steps": 1})
    simulation = Simulation(case)
    simulation.step()
    last = simulation.series.isel(time=-1)
    assert [float(last[name]) for name in ("R_lambda", "R_L")] == [math.inf, math.inf]
    assert [float(last[name]) for name in ("C_epsilon", "kolmogorov_velocity")] == [0, 0]
    assert float(last["turnover_time"]) > 0


def test_a_flow_at_rest_has_no_turnover_time():
    zero = {"name": "zero"}
    case = case_of("navier-stokes", grid={"points": 8}, time={"dt": 0.01, "steps": 1}, initial=zero)
    simulation = Simulation(case)
    simulation.step()
    assert all(np.isnan(simulation.series[name]).all() for name in ("turnover_time", "C_epsilon"))


def test_two_dimensional_scales():
    flow = case_of("navier-stokes-2d", {"viscosity": 0.01}).flow
    lost = {"energy": 4.0, "enstrophy_dissipation": 7.0, "palinstrophy": 1e-6 * 64 / (2 * 0.01)}
    lost["energy_per_wavenumber"] = 1.0
    found = flow.derived(lost, 10.0)
    assert found["enstrophy_length"] == pytest.approx((1e-6 / 64e-6) ** (1 / 6))
    assert found["kmax_eta"] == pytest.approx(5.0)
    assert found["rms_velocity"] == 2.0
    assert math.isnan(flow.derived(lost | {"palinstrophy": 0.0}, 10.0)["enstrophy_length"])


# Waves that a scheme lets grow


DT, BEGINNING = 0.02, 20
SCHEMES_THAT_DAMP = ("rk3", "rk4", "rk4-gill", "rk4-carpenter", "ab3")


@pytest.mark.parametrize(("name", "option"), [*WAVES, ("gross-pitaevskii", {}), ("rayleigh-benard", {})])
@pytest.mark.parametrize("growing", ["rk2", "ab2"])
def test_a_run_warns_of_explicit_waves_that_grow(name, option, growing):
    explicit = {"rayleigh-benard": {"taylor": 5.0}, "gross-pitaevskii": {"linear": "explicit"}}
    option = option or explicit[name]
    (warning,) = warnings(with_scheme(name, option, growing))
    assert f'"{growing}"' in warning
    assert 'flow.linear = "exact" or time.scheme = "rk3" or "rk4"' in warning
    assert ("flow.sound_speed" if name[0] == "g" else f"flow.{next(iter(option))};") in warning
    for scheme in SCHEMES_THAT_DAMP:
        assert warnings(with_scheme(name, option, scheme)) == []
    assert warnings(with_scheme(name, option | {"linear": "exact"}, growing)) == []
    if name != "gross-pitaevskii":
        assert warnings(with_scheme(name, {}, growing)) == []


def with_scheme(name, option, scheme):
    if name == "boussinesq":
        option = {"buoyancy_frequency": 0.0} | option
    return case_of(name, option, time={"dt": DT, "steps": BEGINNING + 1, "scheme": scheme})


@pytest.mark.parametrize(
    ("scheme", "dealias", "most", "what"),
    [
        ("rk3", "2/3", 0.826, "up to which rk3 is stable without viscosity"),
        ("rk4", "phase-shift", 0.954, "up to which rk4 is stable without viscosity"),
        ("ab3", "none", 0.23, "up to which ab3 is stable without viscosity"),
        ("rk2", "phase-shift", 0.628, "at which each step of rk2 doubles the shortest waves"),
        ("ab2", "none", 0.422, "at which each step of ab2 doubles the shortest waves"),
    ],
)
def test_a_run_warns_of_a_courant_number_that_is_too_large(scheme, dealias, most, what):
    def told(courant):
        time = {"courant": courant, "steps": 1, "scheme": scheme}
        return warnings(Case(grid={"points": 8, "dealias": dealias}, flow={"viscosity": 0.1}, time=time))

    assert told(0.97 * most) == []
    (warning,) = told(1.03 * most)
    assert f"is more than {most}, {what}" in warning
    assert f'(grid.dealias = "{dealias}")' in warning


@pytest.mark.parametrize("beyond", [1.0001, 1.004, 1.3])
@pytest.mark.parametrize("scheme", ["rk2", "rk4-gill", "ab3"])
def test_a_number_beyond_the_limit_is_printed_beyond_it(scheme, beyond):
    case = Case(grid={"points": 8}, flow={"viscosity": 0.1}, time={"dt": 0.1, "steps": 1, "scheme": scheme})
    warning = step_too_large(case, beyond * largest_courant(scheme, "2/3"), 7)
    number, limit = re.search(r"Courant number of (\S+) at step 7, more than (\S+),", warning).groups()
    assert float(number) > float(limit) == pytest.approx(largest_courant(scheme, "2/3"), rel=1e-2)


@pytest.mark.parametrize("text", ["1.1", "0.29", "0.57", "1.36", "0.0115", "12", "0.1"])
def test_a_number_of_few_digits_is_printed_as_it_is(text):
    assert rounded_down(float(text), 3) == rounded_up(float(text), 3) == text
    assert float(rounded_down(np.nextafter(float(text), 0), 3)) < float(text)
    assert float(rounded_up(np.nextafter(float(text), 99), 3)) > float(text)


@pytest.mark.parametrize("name", ready_cases())
def test_no_ready_case_warns_of_itself(name):
    assert warnings(load_case(name).updated(output={"directory": None})) == []


def test_waves_grow_as_the_warning_says():
    """The energy of an inertial wave, ω = 2 Ω, grows by twice as much, and with no other scheme.

    With ab2 and ab3 after some steps, for they begin as rk2.
    """
    gain = {}
    for scheme in ("rk2", "ab2", *SCHEMES_THAT_DAMP):
        case = with_scheme("navier-stokes", {"rotation": 1.5, "viscosity": 0.0}, scheme)
        wave = {"name": "formula", "value": ["cos(z)", "sin(z)", "0"]}
        simulation = Simulation(Case(**case.to_dict() | {"grid": {"points": 8}, "initial": wave}))
        for _ in range(BEGINNING):
            simulation.step()
        before = simulation.statistics()["energy"]
        simulation.step()
        gain[scheme] = simulation.statistics()["energy"] / before - 1
    wave = 2 * 1.5 * DT
    assert gain["rk2"] == pytest.approx(2 * SCHEMES["rk2"].growth * wave**4, rel=1e-9)
    assert gain["ab2"] == pytest.approx(2 * SCHEMES["ab2"].growth * wave**4, rel=0.02)
    assert max(gain[scheme] for scheme in SCHEMES_THAT_DAMP) < 0


def test_the_warning_is_shown_and_logged(tmp_path, capfd):
    case = with_scheme("navier-stokes", {"rotation": 1.5}, "rk2")
    directory = f"output.directory={str(tmp_path / 'run')!r}"
    case = case.updated(["grid.points=8", "initial.name='abc'", directory])
    Simulation(case).run()
    (warning,) = warnings(case)
    assert f"warning: {warning}" in capfd.readouterr().out
    assert f"warning: {warning}" in (tmp_path / "run" / "log.txt").read_text()


# Waves of energy a²/4 with their |k|: √2 is in the shell of 1, √3, √5 and √6 are in that of 2.
WAVES_OF_ONE_SHELL = (
    (1.0, "cos(z)", 1.0),
    (2.0, "cos(y + z)", math.sqrt(2)),
    (3.0, "cos(y + 2*z)", math.sqrt(5)),
)
BY_MODES = sum(a**2 / 4 / k for a, _, k in WAVES_OF_ONE_SHELL)


def with_waves(**sections):
    """u = Σ a cos(k·x) along x at rest, with a mean flow, which has no scale."""
    value = [" + ".join(f"{a}*{wave}" for a, wave, _ in WAVES_OF_ONE_SHELL), "0.5", "0"]
    sections = {"grid": {"points": 16}, "time": {"dt": 1e-3, "steps": 2}} | sections
    return case_of("navier-stokes", initial={"name": "formula", "value": value}, **sections)


def test_the_integral_scale_takes_the_wavenumber_of_each_mode():
    """L = π/(2u'²) Σ E/|k| with u'² = 2E/3 (Pope, Turbulent Flows, eq. 6.259), also in statistics.

    By the middles of the shells it is larger by a fifth.
    """
    simulation = Simulation(with_waves())
    energy = sum(a**2 / 4 for a, _, _ in WAVES_OF_ONE_SHELL) + 0.5**2 / 2
    scale = 3 * math.pi / (4 * energy) * BY_MODES
    found = simulation.statistics()
    assert found["energy"] == pytest.approx(energy)
    assert found["integral_scale"] == pytest.approx(scale, rel=1e-12)
    assert found["turnover_time"] == pytest.approx(scale / math.sqrt(2 * energy / 3), rel=1e-12)
    simulation.step()
    first = simulation.series.isel(time=0)
    for name in ("integral_scale", "turnover_time", "R_L", "C_epsilon"):
        assert float(first[name]) == pytest.approx(found[name], rel=1e-12), name
    shells = simulation.spectra["energy"].isel(time=0)[1:]
    by_shells = 3 * math.pi / (4 * energy) * float((shells / shells["k"]).sum())
    assert by_shells > 1.2 * scale


def test_turnovers_are_of_the_same_scale():
    simulation = Simulation(with_waves(time={"dt": 1e-3, "steps": 2, "until": "1 turnovers"}))
    simulation.step()
    assert 1 / simulation.clock.turnovers.rate == pytest.approx(
        float(simulation.series["turnover_time"][0]), rel=1e-12
    )


def test_scales_of_plane_eddies():
    """L is the integral of the longitudinal correlation, 2 J₁(kr)/(kr) for isotropic eddies of one k."""
    case = case_of("navier-stokes-2d", grid={"points": [32, 32, 1]}, time={"dt": 0.01, "steps": 1})
    simulation = Simulation(case.updated(initial={"name": "random", "k0": 3.0, "energy": 0.5, "seed": 1}))
    simulation.step()
    last, now = simulation.series.isel(time=-1), simulation.modes("velocity")
    r = np.linspace(1e-9, 4000, 4_000_000)
    k = np.sqrt(now.kx**2 + now.ky**2 + now.kz**2)
    energy = (abs(now) ** 2).sum("component") * xr.where(now.kx > 0, 2, 1) / 2
    u = math.sqrt(float(energy.sum()))
    each = np.trapezoid(2 * j1(r) / r, r)  # times 1/k
    scale = float((energy / k.where(k > 0)).sum()) * each / u**2
    assert each == pytest.approx(2, rel=1e-3)
    assert float(last["rms_velocity"]) == pytest.approx(u)
    assert float(last["integral_scale"]) == pytest.approx(scale, rel=1e-3)
    assert float(last["turnover_time"]) == pytest.approx(scale / u, rel=1e-3)
