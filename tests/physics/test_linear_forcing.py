"""Linear forcing of all modes, a part of the integrating factor; its power is summed as fields are stored."""

import copy
import math

import pytest
from physics.flows import EXPONENTIAL, SCHEMES, distance, slope
from physics.forced_flows import RANDOM, advanced, make, work
from whorl import _core

pytestmark = pytest.mark.every_device

SHEAR = {"name": "formula", "value": ["sin(y)", "0", "0"]}


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("scheme", [name for name in SCHEMES if name not in EXPONENTIAL])
def test_a_constant_rate_is_exact(scheme, precision):
    """f = A u on a Beltrami flow: u = u₀ exp((A − ν) t), whatever the scheme and the step."""
    A, nu, t, count = 0.4, 0.1, 1.0, 5
    force = {"kind": "linear", "rate": A}
    sections = {"initial": {"name": "abc"}, "run": {"precision": precision}}
    flow = make(force, viscosity=nu, dt=t / count, scheme=scheme, **sections)
    start = flow.velocity()
    advanced(flow, count)
    rounding = 1e-14 if precision == "double" else 3e-6
    assert distance(flow.velocity(), math.exp((A - nu) * t) * start) < rounding


@pytest.mark.parametrize("dealias", ["2/3", "phase-shift-exact"])
@pytest.mark.parametrize("scheme", sorted(EXPONENTIAL))
def test_a_constant_rate_is_a_part_of_the_tendency(scheme, dealias):
    """It has the order of a scheme of exponential time differencing, whose grids take it once."""
    A, nu, t, errors = 0.4, 0.1, 1.0, []
    for count in (10, 20):
        sections = {"initial": {"name": "abc"}, "grid": {"dealias": dealias}}
        flow = make({"kind": "linear", "rate": A}, viscosity=nu, dt=t / count, scheme=scheme, **sections)
        start = flow.velocity()
        advanced(flow, count)
        errors.append(distance(flow.velocity(), math.exp((A - nu) * t) * start))
    order = 4 if scheme == "etdrk4" else 2
    assert errors[0] < 0.1 ** (order + 1)
    assert math.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.2)


def test_growth_beyond_what_a_factor_holds_is_refused():
    scalar = {"scalars": [{"name": "dye", "initial": {"name": "formula", "value": "sin(x)"}}]}
    for force, more in (({}, {}), ({"field": "dye"}, scalar)):
        flow = make({"kind": "linear", "rate": 100.0} | force, dt=1.0, scheme="rk2", initial=SHEAR, **more)
        with pytest.raises(
            _core.Error, match=r"of rate 100 .* grow by exp\(100\) in a stage of a step of 1;"
        ):
            flow.step()


@pytest.mark.parametrize(("precision", "rate", "rounding"), [("double", 75.0, 1e-12), ("single", 40.0, 1e-5)])
def test_large_growth_in_a_step(precision, rate, rounding):
    """Of a shear flow, whose nonlinear term is zero however large it is."""
    flow = make({"kind": "linear", "rate": rate}, dt=1.0, initial=SHEAR, run={"precision": precision})
    start = flow.velocity()
    flow.step()
    assert distance(flow.velocity() / math.exp(rate), start) < rounding


def test_each_field_grows_at_its_own_rate():
    """u and b along one Beltrami field, which leaves no nonlinear term."""
    rates, nu, eta, t = {"velocity": 0.5, "magnetic": 0.2}, 0.1, 0.3, 0.4
    forces = [
        {"kind": "linear", "field": field, "rate": rate, "name": field} for field, rate in rates.items()
    ]
    abc = {"name": "abc"}
    model = {"model": "mhd", "viscosity": nu, "resistivity": eta}
    flow = make(forces, flow=model, dt=0.1, initial=abc | {"magnetic": abc})
    start = {field: flow.field(field) for field in rates}
    energy = {field: 0.5 * float((values**2).sum(axis=0).mean()) for field, values in start.items()}
    advanced(flow, 4)
    for field, decay in (("velocity", nu), ("magnetic", eta)):
        net = rates[field] - decay
        assert distance(flow.field(field), math.exp(net * t) * start[field]) < 1e-13
        gained = 2 * rates[field] * energy[field] * math.expm1(2 * net * t) / (2 * net)
        assert work(flow, field)[1] == pytest.approx(gained, rel=1e-6)


def test_growth_of_a_field_with_exact_coupling():
    """In a rotating frame Beltrami waves turn, each at its rate, and all grow alike."""
    rate, nu, t = 0.5, 0.1, 0.4
    rotating = {"rotation": [0.0, 0.0, 3.0], "linear": "exact"}
    force = {"kind": "linear", "rate": rate}
    flow = make(force, viscosity=nu, flow=rotating, initial={"name": "abc"}, dt=0.1, scheme="rk2")
    start = flow.statistics()["energy"]
    advanced(flow, 4)
    grown = math.exp(2 * (rate - nu) * t) * start
    assert flow.statistics()["energy"] == pytest.approx(grown, rel=1e-12)


def test_work_of_a_constant_rate():
    """∫2AE dt of E = E₀ exp(2 (A − ν) t)."""
    A, nu = 0.4, 0.1
    force = {"kind": "linear", "rate": A}
    flow = advanced(make(force, viscosity=nu, dt=0.05, initial={"name": "abc"}), 20)
    energy = 0.5 * 3 * (math.exp(2 * (A - nu)) - 1) / (2 * (A - nu)) * 2 * A
    assert work(flow, "linear")[1] == pytest.approx(energy, rel=1e-7)


def test_growth_in_a_step_is_not_rounded_to_single_precision():
    """A factor 1 + A dt in single precision would be 1 + 1.00136e-5 in each step, for A dt = 1e-5."""
    A, dt, count = 1.0, 1e-5, 500
    flow = make(
        {"kind": "linear", "rate": A}, dt=dt, scheme="rk2", initial=RANDOM, run={"precision": "single"}
    )
    start = flow.statistics()["energy"]
    grown = math.log(advanced(flow, count).statistics()["energy"] / start)
    assert grown == pytest.approx(2 * A * dt * count, rel=6e-4)


COUPLED = {
    "boussinesq": {"viscosity": 0.1, "diffusivity": 0.05, "buoyancy_frequency": 3.0, "rotation": 1.5},
    "mhd": {"viscosity": 0.1, "resistivity": 0.05, "mean_field": [0.0, 0.0, 2.0]},
}


@pytest.mark.parametrize("dealias", ["2/3", "phase-shift-exact"])
@pytest.mark.parametrize("model", COUPLED)
def test_linear_forcing_of_one_of_two_fields_that_are_coupled_exactly(model, dealias):
    """To the order of the scheme, in the other field, which begins at zero.

    The growth of one field alone, as a factor, does not commute with the coupling: an error of first order.
    """

    def other_field(linear, count, scheme="rk4"):
        flow = make(
            {"kind": "linear", "rate": 1.2},
            grid={"dealias": dealias},
            points=8,
            flow={"model": model, "linear": linear} | COUPLED[model],
            initial={"name": "random", "k0": 1.0, "energy": 1e-8, "seed": 3},
            scheme=scheme,
            dt=1.0 / count,
        )
        return advanced(flow, count).field(list(flow.case.flow.state)[1])

    expected = other_field("explicit", 200)
    errors = [distance(other_field("exact", count, "rk2"), expected) for count in (10, 20)]
    assert errors[1] < 0.01
    assert 1.7 < math.log2(errors[0] / errors[1]) < 2.4


WAVES = {"name": "formula", "value": "cos(x + 2*y) + sin(z)"}
# What a stage sums of a force on all modes.
ON_ALL_MODES = {
    "phase shifts": ({"grid": {"points": [14, 18, 10], "dealias": "phase-shift"}}, "velocity"),
    "walls": (
        {
            "grid": {"points": [12, 10, 8], "lengths": [2.0, 3.0, 1.0], "bases": "SSS"},
            "flow": {"model": "rayleigh-benard", "rayleigh": 1e4, "prandtl": 1.0},
            "initial": {"name": "random", "spectrum": [0, 0, 0, 0, 0.3, 0.2]},
        },
        "velocity",
    ),
    "a scalar": ({"scalars": [{"name": "dye", "diffusivity": 0.02, "initial": WAVES}]}, "dye"),
    "threads": ({"run": {"threads": 2}}, "velocity"),
    "single precision": ({"run": {"precision": "single"}}, "velocity"),
    "a plane": (
        {"grid": {"points": [16, 12, 1]}, "flow": {"model": "navier-stokes-2d", "viscosity": 0.01}},
        "vorticity",
    ),
}


@pytest.mark.parametrize("scheme", ["rk2", "rk4-gill", "ab2"])
@pytest.mark.parametrize("name", ON_ALL_MODES)
def test_power_of_a_force_on_all_modes_is_that_of_the_field(name, scheme):
    """P = A⟨a²⟩ of stages so near each other that they have one field; also of a field set in between."""
    sections, field = ON_ALL_MODES[name]
    force = {"kind": "linear", "rate": 0.7, "field": field}
    flow = make(force, scheme=scheme, dt=1e-9, **{"initial": RANDOM} | copy.deepcopy(sections))
    for factor in (1.0, 3.0):
        flow.set_field(field, factor * flow.field(field))
        for _ in range(3):
            flow.step()
            square = float((flow.field(field).astype(float) ** 2).mean() * (3 if field == "velocity" else 1))
            assert work(flow, "linear")[0] == pytest.approx(0.7 * square, rel=1e-6)


@pytest.mark.parametrize(("scheme", "order"), SCHEMES.items())
def test_a_force_on_all_modes_and_another_on_one(scheme, order):
    """a' = A a + F for u = a sin 2y: the works of both are ∫A a²/2 dt and ∫F a/2 dt."""
    A, F, a, t = 0.7, 1.0, 0.5, 0.8
    waves = {"name": "formula", "value": [f"{a}*sin(2*y)", "0", "0"]}
    linear = {"kind": "linear", "rate": A}
    steady = {"kind": "steady", "shape": {"name": "kolmogorov", "k_f": 2, "amplitude": F}}
    c, grown = a + F / A, math.exp(A * t)
    of_square = c**2 * (grown**2 - 1) / (2 * A) - 2 * c * F / A**2 * (grown - 1) + (F / A) ** 2 * t
    of_amplitude = c * (grown - 1) / A - F / A * t
    errors, counts = [], (12, 16, 24)
    for count in counts:
        flow = advanced(make([linear, steady], points=8, initial=waves, scheme=scheme, dt=t / count), count)
        errors.append(
            [
                abs(work(flow, "linear")[1] - A / 2 * of_square),
                abs(work(flow, "steady")[1] - F / 2 * of_amplitude),
                abs(flow.statistics()["energy"] - (c * grown - F / A) ** 2 / 4),
            ]
        )
    for of_one in zip(*errors, strict=True):
        assert of_one[-1] < 0.01
        assert order - 0.3 < slope([1 / count for count in counts], of_one) < order + 1.3


def test_several_forces_on_all_modes_of_a_field_add_up():
    forces = [{"kind": "linear", "rate": A, "name": f"rate{A}".replace(".", "_")} for A in (0.3, 0.5)]
    flow = make(forces, initial={"name": "abc"}, viscosity=0.1, dt=0.2)
    start = flow.velocity()
    advanced(flow, 3)
    assert distance(flow.velocity(), math.exp(0.7 * 0.6) * start) < 1e-14


@pytest.mark.parametrize("scheme", ["ab2", "ab3"])
def test_a_constant_rate_is_exact_whatever_the_steps_remembered(scheme):
    """A Beltrami flow that grows by itself, in steps that shorten as it does."""
    A = 2.0
    time = {"courant": 0.3, "steps": 10**6}
    flow = make({"kind": "linear", "rate": A}, scheme=scheme, time=time, initial={"name": "abc"})
    start = flow.velocity()
    steps = [flow.step().dt for _ in range(20)]
    assert steps[-1] < 0.9 * steps[0]
    assert distance(flow.velocity(), math.exp(A * sum(steps)) * start) < 1e-13 * math.exp(A * sum(steps))


def test_linear_forcing_leaves_the_mean_alone():
    """Of u = U + a sin 2y only a grows: a mean would grow from nothing but a rounding, to any size."""
    A, t = 0.7, 0.4
    initial = {"name": "formula", "value": ["0.3 + sin(2*y)", "0", "0"]}
    flow = advanced(make({"kind": "linear", "rate": A}, initial=initial, dt=t / 20), 20)
    assert flow.mean("velocity") == pytest.approx([0.3, 0.0, 0.0], abs=1e-15)
    assert work(flow, "linear")[1] == pytest.approx(0.25 * (math.exp(2 * A * t) - 1), rel=1e-7)
    [shells] = flow.flow.power_of_sources()
    assert shells[0] == 0.0
    assert sum(shells) == pytest.approx(A / 2 * math.exp(2 * A * t), rel=1e-7)
    to_energy = advanced(make({"kind": "linear", "rate": A, "energy": 0.25}, initial=initial, dt=0.01), 1)
    assert work(to_energy, "linear")[0] == pytest.approx(2 * A * 0.25, rel=1e-12)


def test_linear_forcing_of_a_condensate_lifts_its_mean():
    """|ψ| = |ψ₀| exp(A t) where ψ is uniform."""
    A, t = 0.4, 0.5
    initial = {"name": "formula", "value": ["0.5", "0"]}
    model = {"model": "gross-pitaevskii", "sound_speed": 1.0, "coherence_length": 0.5}
    flow = make({"kind": "linear", "rate": A, "field": "psi"}, flow=model, initial=initial, dt=t / 20)
    square = float((advanced(flow, 20).field("psi") ** 2).sum(axis=0).mean())
    assert square == pytest.approx(0.25 * math.exp(2 * A * t), rel=1e-7)
    assert work(flow, "linear")[1] == pytest.approx((square - 0.25) / 2, rel=1e-7)


def test_linear_forcing_towards_an_energy():
    """f = A (E₀/E) u: dE/dt = 2 A E₀ − 2 ν E on a Beltrami flow."""
    A, nu, E0 = 0.4, 0.3, 2.0
    force = {"kind": "linear", "rate": A, "energy": E0}
    flow = advanced(make(force, viscosity=nu, dt=0.05, initial={"name": "abc"}), 40)
    rest = A * E0 / nu
    expected = rest + (1.5 - rest) * math.exp(-2 * nu * 2.0)
    assert flow.statistics()["energy"] == pytest.approx(expected, rel=1e-7)
