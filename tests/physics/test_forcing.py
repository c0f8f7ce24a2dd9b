"""Forces against exact solutions, and the properties that each kind of force promises."""

import math

import numpy as np
import pytest
from physics.flows import SCHEMES, TAU, distance, slope
from physics.forced_flows import RANDOM, WEAK, advanced, make, work
from support import devices
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device


@pytest.mark.parametrize("linear", ["explicit", "exact"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_laminar_flow_spins_up_to_its_fixed_point(scheme, linear):
    """u = F/(ν k²) (1 − exp(−ν k² t)) sin(k y); the power is ⟨u·f⟩, the work its integral."""
    F, nu, k, t = 0.3, 0.2, 2, 1.0
    shape = {"name": "kolmogorov", "k_f": k, "amplitude": F}
    count = 40
    flow = make(
        {"kind": "steady", "shape": shape},
        viscosity=nu,
        scheme=scheme,
        dt=t / count,
        flow={"linear": linear, "rotation": 0.0},
    )
    advanced(flow, count)
    rate = nu * k * k
    grown = F / rate * (1 - math.exp(-rate * t))
    _, y, _ = flow.coordinates
    u = flow.velocity()
    # The first step of ab3 is of second order.
    allowed = {"ab3": 1e-5}.get(scheme, {2: 2e-4, 3: 2e-6, 4: 2e-8}[SCHEMES[scheme]]) * grown
    assert np.abs(u[0] - (grown * np.sin(k * y))[None, :, None]).max() < allowed
    assert np.abs(u[1:]).max() < 1e-14
    done = F * F / (2 * rate) * (t - (1 - math.exp(-rate * t)) / rate)
    assert work(flow, "steady")[1] == pytest.approx(done, rel=10 * allowed / grown)
    last = F * F / (2 * rate) * (1 - math.exp(-rate * (t - 0.5 / count)))
    assert work(flow, "steady")[0] == pytest.approx(last, rel=1e-3)


def test_abc_force_makes_an_abc_flow():
    shape = {"name": "abc", "A": 0.3, "B": 0.5, "C": 0.2}
    nu, count, dt = 0.5, 60, 0.05
    flow = advanced(make({"kind": "steady", "shape": shape}, viscosity=nu, dt=dt), count)
    grown = (1 - math.exp(-nu * count * dt)) / nu
    still = Simulation(
        Case(
            grid={"points": 16},
            flow={"viscosity": nu},
            time={"dt": dt, "steps": 1},
            initial=shape,
            run={"threads": 1, "device": devices.current()},
        )
    )
    assert distance(flow.velocity(), grown * still.velocity()) < 1e-7


@pytest.mark.cpu_by_default
@pytest.mark.parametrize(("scheme", "order"), SCHEMES.items())
def test_order_with_a_force_that_depends_on_time(scheme, order):
    """u = F sin(k y) Re[(e^{iωt} − e^{−rate t}) / (rate + iω)]: by frequency, and by formulas in t.

    The last formula is not seen to be a product, and evaluated before each stage.
    """
    F, nu, k, omega, end = 1.0, 0.3, 1, 3.0, 1.0
    rate = nu * k * k
    z = (np.exp(1j * omega * end) - math.exp(-rate * end)) / (rate + 1j * omega)
    by_name = {
        "kind": "steady",
        "shape": {"name": "kolmogorov", "amplitude": F},
        "frequency": omega,
        "phase": 0.0,
    }
    by_formula = [
        {"kind": "steady", "shape": {"name": "formula", "value": [text, "0", "0"]}}
        for text in (f"sin(y)*cos({omega}*t)", f"log(exp(sin(y)*cos({omega}*t)))")
    ]
    for force in (by_name, *by_formula):
        errors, counts = [], (10, 14, 20)
        for count in counts:
            flow = advanced(make(force, viscosity=nu, scheme=scheme, dt=end / count, points=8), count)
            _, y, _ = flow.coordinates
            errors.append(np.abs(flow.velocity()[0, 0, :, 0] - F * z.real * np.sin(y)).max())
        assert order - 0.2 < slope([1 / count for count in counts], errors) < order + 0.8


ON_A_BELTRAMI_FLOW = {
    "constant-power": {"kind": "constant-power", "power": 2.0, "k_max": 1.0},
    "linear": {"kind": "linear", "power": 2.0},
    "linear to an energy": {"kind": "linear", "rate": 1.25, "energy": 0.8},
    "linear band": {"kind": "linear", "power": 2.0, "k_max": 1.0},
}


@pytest.mark.turns
@pytest.mark.parametrize("kind", ON_A_BELTRAMI_FLOW)
@pytest.mark.parametrize(("scheme", "order"), SCHEMES.items())
def test_order_with_a_force_that_depends_on_the_field(scheme, order, kind):
    """E = P/2ν + (E₀ − P/2ν) exp(−2νt) of an ABC flow of constant power P, and of its work ∫P dt."""
    P, nu, E, end = 2.0, 0.4, 1.5, 0.4
    expected = P / (2 * nu) + (E - P / (2 * nu)) * math.exp(-2 * nu * end)
    errors, counts = [], (8, 12, 16)
    for count in counts:
        flow = make(
            ON_A_BELTRAMI_FLOW[kind],
            viscosity=nu,
            scheme=scheme,
            dt=end / count,
            points=8,
            initial={"name": "abc"},
        )
        advanced(flow, count)
        errors.append(abs(flow.statistics()["energy"] - expected))
        assert work(flow, flow.case.forcing[0].label)[1] == pytest.approx(P * end, rel=1e-12)
    assert order - 0.3 < slope([1 / count for count in counts], errors) < order + 1.3


@pytest.mark.parametrize("linear", ["explicit", "exact"])
def test_order_with_a_force_in_a_rotating_frame(linear):
    """u + iv = F sin(kz) (1 − exp(−(νk² + 2iΩ) t)) / (νk² + 2iΩ), with coupling in f or in the factor."""
    F, nu, k, rotation, end = 1.0, 0.1, 2, 2.0, 1.0
    rate = nu * k * k + 2j * rotation
    expected = F * (1 - np.exp(-rate * end)) / rate
    shape = {"name": "formula", "value": [f"{F}*sin({k}*z)", "0", "0"]}
    errors, counts = [], (16, 24, 32)
    for count in counts:
        flow = make(
            {"kind": "steady", "shape": shape},
            viscosity=nu,
            dt=end / count,
            points=8,
            flow={"linear": linear, "rotation": rotation},
        )
        u, v, _ = advanced(flow, count).velocity()
        _, _, z = flow.coordinates
        errors.append(np.abs((u + 1j * v)[:, 0, 0] - expected * np.sin(k * z)).max())
    assert 3.7 < slope([1 / count for count in counts], errors) < 4.6


FORCES_OF_POWER = {
    "constant-power": {"kind": "constant-power", "power": 0.7, "k_max": 2.5},
    "linear": {"kind": "linear", "power": 0.7},
    "linear band": {"kind": "linear", "power": 0.7, "k_max": 2.5},
    "helical": {"kind": "constant-power", "power": 0.7, "k_max": 2.5, "helicity_rate": 0.4},
    "alvelius": {"kind": "alvelius", "power": 0.7, "k_f": 2},
}


@pytest.mark.turns
@pytest.mark.parametrize("dealias", ["2/3", "phase-shift", "phase-shift-exact"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_constant_power_is_exact(scheme, dealias):
    for name in ("constant-power", "linear", "linear band", "helical"):
        force = FORCES_OF_POWER[name]
        flow = make(force, viscosity=0.05, scheme=scheme, dt=0.01, initial=RANDOM, grid={"dealias": dealias})
        for step in range(1, 5):
            flow.step()
            power, total = work(flow, force["kind"])
            assert power == pytest.approx(0.7, rel=1e-13)
            assert total == pytest.approx(0.7 * 0.01 * step, rel=1e-13)


@pytest.mark.parametrize("scheme", ["rk2", "rk4-gill", "ab2"])
def test_power_of_alvelius_is_exact_where_the_flow_only_reacts_to_the_force(scheme):
    """From rest the flow is the sum of the forces; ½|f|² dt, and Re(f*·u) = 0 in each mode."""
    weak = FORCES_OF_POWER["alvelius"] | {"power": WEAK}
    for more in ({}, {"polarisation": "horizontal"}, {"polarisation": "helical"}, {"modes": "horizontal"}):
        flow = advanced(make(weak | more, scheme=scheme, dt=0.1), 5)
        energy = flow.statistics()["energy"]
        assert energy / WEAK == pytest.approx(5 * 0.1, rel=1e-9)
        assert work(flow, "alvelius")[1] / WEAK == pytest.approx(5 * 0.1, rel=1e-9)


@pytest.mark.parametrize("kind", FORCES_OF_POWER)
def test_energy_balance_closes(kind):
    """E(t) − E(0) = work − ∫ε dt, to the order of the scheme; without ε where the force has jumps."""
    force = FORCES_OF_POWER[kind]
    viscosity, counts = (0.0, (8, 16)) if kind == "alvelius" else (0.05, (16, 32))
    errors = []
    for count in counts:
        flow = make(force, viscosity=viscosity, scheme="rk4", dt=0.4 / count, initial=RANDOM)
        first = flow.statistics()
        rates = [first["dissipation"]]
        for _ in range(count):
            flow.step()
            rates.append(flow.statistics()["dissipation"])
        lost = 0.4 / count / 3 * sum(w * r for w, r in zip(simpson(count), rates, strict=True))
        gained = flow.statistics()["energy"] - first["energy"]
        errors.append(abs(gained - work(flow, force["kind"])[1] + lost))
    assert errors[1] < 1e-5
    assert errors[1] < errors[0] / 6


def simpson(count: int) -> list[int]:
    return [1, *(4 if i % 2 else 2 for i in range(1, count)), 1]


def test_helicity_rate_is_exact():
    """dH/dt = R without viscosity; the nonlinear term conserves helicity."""
    force = FORCES_OF_POWER["helical"]
    flow = make(force, viscosity=0.0, scheme="rk4", dt=0.01, initial=RANDOM)
    before = flow.statistics()["helicity"]
    advanced(flow, 10)
    assert flow.statistics()["helicity"] - before == pytest.approx(0.4 * 0.1, rel=1e-5)


@pytest.mark.parametrize("by_shell", [False, True])
def test_constant_energy_holds_the_band_or_its_shells(by_shell):
    force = {"kind": "constant-energy", "k_max": 2.45, "by_shell": by_shell}
    flow = make(force, viscosity=0.05, scheme="rk2", dt=0.02, initial=RANDOM)
    first = flow.flow.spectra()["energy"]
    start = flow.statistics()["energy"]
    rates = [flow.statistics()["dissipation"]]
    for _ in range(12):
        flow.step()
        rates.append(flow.statistics()["dissipation"])
    now = flow.flow.spectra()["energy"]
    if by_shell:
        assert now[1:3] == pytest.approx(first[1:3], rel=1e-13)
    assert now[1:3].sum() == pytest.approx(first[1:3].sum(), rel=1e-13)
    assert abs(now[3:] - first[3:]).max() > 1e-3 * first.max()
    lost = 0.02 / 3 * sum(w * r for w, r in zip(simpson(12), rates, strict=True))
    gained = flow.statistics()["energy"] - start
    assert work(flow, "constant-energy")[1] == pytest.approx(gained + lost, rel=0.01)


def test_constant_energy_takes_what_is_given():
    force = {"kind": "constant-energy", "k_max": 2.45, "energy": 0.123}
    flow = advanced(make(force, viscosity=0.05, initial=RANDOM), 1)
    assert flow.flow.spectra()["energy"][1:3].sum() == pytest.approx(0.123, rel=1e-12)
    spectrum = [0.0, 0.02, 0.05]
    force = {"kind": "constant-energy", "k_max": 2.45, "by_shell": True, "spectrum": spectrum}
    flow = advanced(make(force, viscosity=0.05, initial=RANDOM), 1)
    assert flow.flow.spectra()["energy"][1:3] == pytest.approx(spectrum[1:], rel=1e-12)


def test_several_forces_add_up():
    one = {"kind": "steady", "shape": {"name": "abc"}, "amplitude": 0.2, "name": "one"}
    two = {"kind": "steady", "shape": {"name": "abc"}, "amplitude": 0.3, "name": "two"}
    both = {"kind": "steady", "shape": {"name": "abc"}, "amplitude": 0.5}
    together = advanced(make([one, two], viscosity=0.1), 5)
    at_once = advanced(make(both, viscosity=0.1), 5)
    assert distance(together.velocity(), at_once.velocity()) < 1e-13
    assert work(together, "one")[1] / 2 == pytest.approx(work(together, "two")[1] / 3, rel=1e-12)


def test_the_power_by_shell_is_all_of_the_power():
    varying = {"name": "formula", "value": ["sin(2*y)*cos(40*t)", "0", "0"]}
    for force in (
        {"kind": "stochastic", "power": 0.5, "correlation_time": 0.2},
        {"kind": "steady", "shape": varying},
        FORCES_OF_POWER["linear"],
    ):
        flow = advanced(make(force, viscosity=0.05, initial=RANDOM, dt=0.01), 3)
        [shells] = flow.flow.power_of_sources()
        expected = force["power"] if force["kind"] == "linear" else work(flow, force["kind"])[0]
        assert sum(shells) == pytest.approx(expected, rel=1e-12)
        if force["kind"] == "stochastic":
            assert np.abs(shells[3:]).max() == 0


def test_a_force_counts_in_the_first_step_from_rest():
    """The speed that it gives within dt moves no point over more of its cell than the Courant number says."""
    for F in (1.0, 100.0):
        force = {"kind": "steady", "shape": {"name": "kolmogorov", "amplitude": F}}
        flow = make(force, time={"courant": 0.5, "steps": 5})
        flow.step()
        moved = flow.maximum("velocity") * flow.report.dt / (TAU / 16)
        assert 0.05 < moved <= 0.5


@pytest.mark.cpu_by_default
@pytest.mark.parametrize("kind", ["constant-power", "helical", "linear", "linear to an energy"])
def test_constant_power_lifts_a_weak_field(kind):
    """E = E₀ + P t without viscosity, from an energy that the force doubles many times in the first steps."""
    force = {
        "constant-power": {"kind": "constant-power", "power": 1.0, "k_max": 2.5},
        "helical": {"kind": "constant-power", "power": 1.0, "helicity_rate": 4.0, "k_max": 2.5},
        "linear": {"kind": "linear", "power": 1.0},
        "linear to an energy": {"kind": "linear", "rate": 0.5, "energy": 1.0},
    }[kind]
    weak = {"name": "random", "k0": 1.0, "energy": 1e-6}
    flow = make(force, initial=weak, time={"courant": 0.5, "steps": 1000})
    start = flow.statistics()["energy"]
    while flow.time < 0.05:
        flow.step()
    assert flow.statistics()["energy"] == pytest.approx(start + flow.time, rel=0.01)


def test_the_first_steps_do_not_depend_on_the_end():
    force = {"kind": "steady", "shape": {"name": "kolmogorov"}}
    times = []
    for until in (3.0, 7.3, 250.0):
        flow = advanced(make(force, time={"courant": 0.5, "until": until}), 8)
        times.append((flow.time, flow.report.dt))
    assert times[0] == times[1] == times[2]


def test_a_step_resolves_the_growth_by_a_rate_of_helicity():
    """The fastest helical mode of the band grows at |α| + |β| k_max, and dt is half of the time of this."""
    P, R, k_max = 1.0, 4.0, 2.5
    force = {"kind": "constant-power", "power": P, "helicity_rate": R, "k_max": k_max}
    weak = {"name": "random", "k0": 1.0, "energy": 1e-6}
    flow = make(force, initial=weak, time={"courant": 0.5, "steps": 10})
    modes = flow.modes("velocity")
    k = np.array(np.meshgrid(modes.kx, modes.ky, modes.kz, indexing="ij"))
    a = modes.values * (np.linalg.norm(k, axis=0) <= k_max)
    curl, weight = 1j * np.cross(k, a, axis=0), np.where(k[0] > 0, 2, 1)
    E, H, Z = ((weight * (one.conj() * other).real).sum() for one, other in ((a, a), (a, curl), (curl, curl)))
    alpha, beta = np.linalg.solve([[E, H], [2 * H, 2 * Z]], [P, R])
    assert flow.step().dt == pytest.approx(0.5 / (abs(alpha) + abs(beta) * k_max), rel=1e-9)


def test_a_force_that_moves_no_fluid_sets_no_step():
    """Not a single step to the end."""
    force = {"kind": "stochastic", "field": "dye", "power": 1.0, "correlation_time": 0.1}
    with pytest.raises(CaseError, match=r"at rest.*sets no time step"):
        make(force, viscosity=0.1, time={"courant": 0.5, "until": 20.0}, scalars=[{"name": "dye"}])
