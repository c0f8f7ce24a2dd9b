"""Plans of equations in the core: equal to the compiled models, and linear terms with exact solutions."""

import numpy as np
import pytest
from support import flows, typed
from support.build import needs
from support.ranks import on_ranks
from support.twin import Twin
from support.typed import EVEN, Term, close, part
from whorl import _core
from whorl.config.schemes import SCHEMES

pytestmark = pytest.mark.every_device
CUBE = Twin((16, 12, 10), viscosity=0.02)
BASES = ("FFF", "SFF", "SSF", "SSS")
DIFFUSIVITY, FREQUENCY = 0.03, 2.0
STRATIFICATION = {"diffusivity": DIFFUSIVITY, "buoyancy_frequency": FREQUENCY}
SOURCES = {
    "stochastic": {"seed": 4.0, "correlation_time": 0.2, "power": 0.3, "horizontal": 0.0, "helicity": 0.0},
    "constant-power": {"power": 0.2},
    "linear": {"rate": 0.7},
}


def typed_options(plan, twin, **settings):
    given = flows.options(twin, **settings)
    given.model, given.parameters = "equations", {}
    if plan is not None:
        given.equations = plan
    return given


def built_in(twin, model="navier-stokes", **settings):
    given = flows.options(twin, **settings)
    given.model = model
    if model == "boussinesq":
        given.parameters = given.parameters | STRATIFICATION
    if model == "navier-stokes-2d":
        frame = ("rotation", "mean_velocity")
        losses = {name: of for name, of in given.parameters.items() if not name.startswith(frame)}
        given.parameters = losses | {"beta": 0.0}
    return given


def source(kind, field="velocity"):
    band = {} if kind == "linear" else {"k_min": 1.0, "k_max": 2.5, "of": 0.0}
    return _core.Source(kind=kind, name="force", field=field, numbers=SOURCES[kind] | band, shells=[])


def run(world, options, steps=20, last=True, **fields):
    """The fields after some steps of a fixed length and one of a Courant number, its length, the energy."""
    flow = _core.Flow(options, world.py2f())
    for name, values in fields.items():
        typed.write(flow, name, values, project=True)
    flow.begin_sources(0.0)
    for n in range(steps):
        flow.step(0.01, time=0.01 * n, step_number=n)
    dt = flow.step(0.0, courant=0.5, time=0.01 * steps, step_number=steps).dt if last else 0.0
    found = {name: typed.read(world, flow, name, len(values)) for name, values in fields.items()}
    energy = flow.statistics()["velocity_energy" if options.model == "equations" else "energy"]
    flow.close()
    return found, dt, energy


def compare(world, one, other, precision="double", last=True, **fields):
    found, dt, energy = run(world, one, last=last, **fields)
    expected, dt_expected, energy_expected = run(world, other, last=last, **fields)
    for name in expected:
        close(found[name], expected[name], precision)
    close(dt, dt_expected, precision)
    close(energy, energy_expected, precision)


def noise(twin, components=3, seed=0):
    return 0.2 * flows.noise(twin, seed)[:components]


@pytest.mark.parametrize("precision", flows.PRECISIONS)
@pytest.mark.parametrize("dealias", ["2/3", "phase-shift", "phase-shift-exact"])
@pytest.mark.parametrize("scheme", SCHEMES)
@on_ranks(1)
def test_navier_stokes_is_that_of_the_compiled_model(world, scheme, dealias, precision):
    twin = Twin((16, 12, 10), viscosity=0.02, dealias=dealias)
    given = {"precision": precision, "scheme": scheme}
    plan = typed.navier_stokes(twin)
    compare(
        world, typed_options(plan, twin, **given), built_in(twin, **given), precision, velocity=noise(twin)
    )


@pytest.mark.parametrize("bases", BASES)
@on_ranks(1, 2, 3, 4, 6)
def test_on_ranks_and_between_walls(world, bases):
    given = {"bases": bases, "scheme": "rk4", "batches": 2}
    plan = typed.boussinesq(CUBE, DIFFUSIVITY, FREQUENCY)
    compare(
        world,
        typed_options(plan, CUBE, **given),
        built_in(CUBE, "boussinesq", **given),
        last=False,  # the bound on the waves is another one
        velocity=noise(CUBE),
        temperature=noise(CUBE, 1, seed=1),
    )


@pytest.mark.parametrize("precision", flows.PRECISIONS)
@pytest.mark.parametrize("scheme", ["rk4-gill", "ab3", "rk2"])
@on_ranks(1)
def test_coupled_fields_in_the_factor(world, scheme, precision):
    given = {"precision": precision, "scheme": scheme, "linear": "exact"}
    plan = typed.boussinesq(CUBE, DIFFUSIVITY, FREQUENCY)
    compare(
        world,
        typed_options(plan, CUBE, **given),
        built_in(CUBE, "boussinesq", **given),
        precision,
        velocity=noise(CUBE),
        temperature=noise(CUBE, 1, seed=1),
    )


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("scheme", ["rk4", "ab2", "etdrk4"])
@on_ranks(1, 2)
def test_forces_are_those_of_the_compiled_model(world, scheme, kind):
    given = {"scheme": scheme, "forcing": [source(kind)]}
    plan = typed.navier_stokes(CUBE)
    compare(world, typed_options(plan, CUBE, **given), built_in(CUBE, **given), velocity=noise(CUBE))


@pytest.mark.parametrize("linear", ["explicit", "exact"])
@pytest.mark.parametrize(("kind", "field"), [("stochastic", "temperature"), ("linear", "velocity")])
@on_ranks(1)
def test_forces_on_one_of_two_coupled_fields(world, kind, field, linear):
    given = {"scheme": "rk4", "forcing": [source(kind, field)], "linear": linear}
    plan = typed.boussinesq(CUBE, DIFFUSIVITY, FREQUENCY)
    compare(
        world,
        typed_options(plan, CUBE, **given),
        built_in(CUBE, "boussinesq", **given),
        last=linear == "exact",
        velocity=noise(CUBE),
        temperature=noise(CUBE, 1, seed=1),
    )


@pytest.mark.parametrize("turn", [1, 2, 3])
@on_ranks(1)
def test_factors_of_i_may_be_in_the_fluxes(world, turn):
    plans = typed.navier_stokes(CUBE), typed.navier_stokes(CUBE, turn=turn)
    one, other = (typed_options(plan, CUBE, scheme="rk2") for plan in plans)
    compare(world, one, other, velocity=noise(CUBE))


@pytest.mark.parametrize("bases", BASES)
@on_ranks(1, 3)
def test_no_bit_depends_on_threads_batches_or_a_restart(world, bases, tmp_path_factory):
    plan = typed.boussinesq(CUBE, DIFFUSIVITY, FREQUENCY)
    fields = {"velocity": noise(CUBE), "temperature": noise(CUBE, 1, seed=1)}
    given = ({"threads": 1}, {"threads": 2}, {"threads": 1, "batches": 3})
    runs = [
        run(world, typed_options(plan, CUBE, scheme="rk4", bases=bases, **one), **fields) for one in given
    ]
    for found, dt, energy in runs[1:]:
        assert dt == runs[0][1]
        assert energy == runs[0][2]
        for name, values in found.items():
            np.testing.assert_array_equal(values, runs[0][0][name])


@needs("hdf5")
@on_ranks(1, 2)
def test_a_restart_repeats_bits(world, tmp_path):
    path = world.bcast(str(tmp_path / "checkpoint.h5"))
    options = typed_options(typed.boussinesq(CUBE, DIFFUSIVITY, FREQUENCY), CUBE, scheme="rk4")
    flow, again = (_core.Flow(options, world.py2f()) for _ in range(2))
    typed.write(flow, "velocity", noise(CUBE), project=True)
    typed.write(flow, "temperature", noise(CUBE, 1))
    flow.step(0.01)
    flow.write_checkpoint(path, {"time": 0.01, "step": 1})
    again.read_checkpoint(path)
    for one in (flow, again):
        one.step(0.01, time=0.01, step_number=1)
    for name, components in (("velocity", 3), ("temperature", 1)):
        np.testing.assert_array_equal(
            typed.read(world, flow, name, components), typed.read(world, again, name, components)
        )


@pytest.mark.parametrize("forced", [False, True])
@on_ranks(1, 2)
def test_a_velocity_in_a_plane(world, forced):
    """It moves as in navier-stokes-2d, and stays without divergence under a random force, too."""
    twin = Twin((32, 24, 1), viscosity=0.02)
    forcing = [source("stochastic")] if forced else []
    plan = typed.plane_flow(twin, 0.02)
    flow = _core.Flow(typed_options(plan, twin, scheme="rk4", forcing=forcing), world.py2f())
    flow.set_random([0.0, 0.3, 0.2, 0.1], 7)
    start = typed.read(world, flow, "velocity", 2)
    other = _core.Flow(built_in(twin, "navier-stokes-2d", scheme="rk4"), world.py2f())
    typed.write(other, "velocity", np.concatenate([start, 0 * start[:1]]), project=True)
    for one in (flow, other):
        one.begin_sources(0.0)
        for n in range(20):
            one.step(0.01, time=0.01 * n, step_number=n)
    found = typed.read(world, flow, "velocity", 2)
    kx, ky = np.fft.fftfreq(32, 1 / 32), np.fft.fftfreq(24, 1 / 24)
    u, v = np.fft.fft2(found[:, 0])
    assert np.abs(kx * u + ky[:, None] * v).max() < 1e-10
    if not forced:
        close(found, typed.read(world, other, "velocity", 3)[:2], "double")


# One scalar in a box of one wave

LINE = Twin((16, 4, 4), (2 * np.pi, 1.0, 1.0))
SMALL = 1e-9  # squares are below rounding


def wave(n, phase=0.0):
    x = 2 * np.pi * np.arange(LINE.points[0]) / LINE.points[0]
    return np.broadcast_to(np.cos(n * x - phase), (1, 4, 4, 16)).copy()


def advance(world, plan, values, dt, steps, **settings):
    flow = _core.Flow(typed_options(plan, LINE, **settings), world.py2f())
    typed.write(flow, "s", values)
    for n in range(steps):
        flow.step(dt, time=n * dt, step_number=n)
    found = typed.read(world, flow, "s")
    flow.close()
    return found


def korteweg_de_vries(**more):
    """ds/dt = -6 s ds/dx - d3s/dx3, the dispersion as a linear term."""
    return typed.scalar(
        [[Term(field=0)]],
        [(0, 0)],
        [[part(0)]],
        [Term(field=0, factor=-3.0, derivatives=(1, 0, 0))],
        coupling=[Term(field=0, factor=-1.0, derivatives=(3, 0, 0))],
        **more,
    )


@pytest.mark.parametrize("precision", flows.PRECISIONS)
@on_ranks(1)
def test_dispersion_in_the_factor_turns_a_wave_exactly(world, precision):
    found = advance(
        world, korteweg_de_vries(), SMALL * wave(3), 0.7, 3, scheme="rk2", linear="exact", precision=precision
    )
    close(found / SMALL, wave(3, 3 * -(3**2) * 2.1), precision, largest=10.0)


@pytest.mark.cpu_by_default
@on_ranks(1)
def test_a_soliton_keeps_its_speed_and_shape(world):
    twin = Twin((128, 4, 4), (40.0, 1.0, 1.0))
    x = 40.0 / 128 * np.arange(128) - 20.0
    flow = _core.Flow(typed_options(korteweg_de_vries(), twin, scheme="rk4", linear="exact"), world.py2f())
    typed.write(flow, "s", np.broadcast_to(0.5 / np.cosh(0.5 * x) ** 2, (1, 4, 4, 128)).copy())
    for n in range(8000):
        flow.step(0.005, time=0.005 * n, step_number=n)
    found = typed.read(world, flow, "s")[0, 0, 0]
    flow.close()
    assert np.abs(found - 0.5 / np.cosh(0.5 * x) ** 2).max() < 5e-8  # its tails meet at 1e-8


RATES = [([(0.3, 2.0)], 0.3 * 9), ([(0.2, 1.5)], 0.2 * 3**1.5), ([(0.5, 0.0), (-0.001, 4.0)], 0.5 - 0.081)]


@pytest.mark.parametrize(("rate", "expected"), RATES)
@on_ranks(1)
def test_rates_of_decay_and_growth_are_exact(world, rate, expected):
    plan = typed.scalar(
        [[Term(field=0)]], [(0, 0)], [[part(0)]], [Term(field=0, derivatives=(1, 0, 0))], rate=rate
    )
    found = advance(world, plan, SMALL * wave(3), 0.1, 2, scheme="rk4")
    close(found, SMALL * np.exp(-0.2 * expected) * wave(3), "double")


FACTORS = {
    "number": ({"factor": -2.0}, -2.0),
    "fractional": ({"factor": -0.4, "exponent": 1.5}, -0.4 * 3**1.5),
    "helmholtz": ({"factor": -2.0, "screen": 0.25}, -2.0 / (1 + 0.25 * 9)),
    "gauss": ({"factor": -2.0, "width": 0.1}, -2.0 * np.exp(-0.9)),
    "inverse": ({"factor": -2.0, "power": -1, "low": 0.1}, -2.0 / 9),
}


@pytest.mark.parametrize("linear", ["explicit", "exact"])
@pytest.mark.parametrize("factor", FACTORS)
@on_ranks(1)
def test_factors_of_modes(world, factor, linear):
    given, rate = FACTORS[factor]
    plan = typed.scalar(
        [[Term(field=0)]],
        [(0, 0)],
        [[part(0)]],
        [Term(field=0, derivatives=(1, 0, 0))],
        coupling=[Term(field=0, **given)],
    )
    found = advance(world, plan, SMALL * wave(3), 0.001, 20, scheme="rk4", linear=linear)
    close(found, SMALL * np.exp(0.02 * rate) * wave(3), "double")


@pytest.mark.parametrize("factor", FACTORS)
@on_ranks(1)
def test_factors_of_inputs_and_of_fluxes(world, factor):
    """ds/dt = g (g s)^2, with g a factor of modes: of s = cos 3x one step makes 1/2 g(3)^2 g(6) cos 6x."""
    given, at_3 = FACTORS[factor]
    at_6 = {
        "number": -2.0,
        "fractional": -0.4 * 6**1.5,
        "helmholtz": -2.0 / (1 + 0.25 * 36),
        "gauss": -2.0 * np.exp(-3.6),
        "inverse": -2.0 / 36,
    }[factor]
    twin = Twin((32, 4, 4), (2 * np.pi, 1.0, 1.0))
    plan = typed.scalar([[Term(field=0, **given)]], [(0, 0)], [[part(0)]], [Term(field=0, **given)])
    flow = _core.Flow(typed_options(plan, twin, scheme="rk2"), world.py2f())
    x = 2 * np.pi * np.arange(32) / 32
    typed.write(flow, "s", np.broadcast_to(np.cos(3 * x), (1, 4, 4, 32)).copy())
    dt = 1e-7
    flow.step(dt)
    found = 2 * np.fft.rfft(typed.read(world, flow, "s")[0, 0, 0])[6].real / 32
    flow.close()
    assert found / dt == pytest.approx(0.5 * at_3**2 * at_6, rel=1e-5)


def growing():
    """ds/dt = cos(t) s + 0.1 t s^2: a clock that gives a factor and a number of the point program."""
    clock = _core.ClockPlan(
        program=_core.Program(
            inputs=[[]], numbers=[0.1], instructions=[("cos", [0]), ("multiply", [0, 1])], results=[6, 5]
        ),
        numbers=[(0, 0)],
    )
    points = typed.Points(1, [0.0])
    square = points("multiply", 0, 0)
    varied = points("multiply", square, points.number(0))
    program = _core.Program(
        inputs=[[Term(field=0)]],
        numbers=points.numbers,
        instructions=points.instructions,
        results=[varied, points.first, points.first],
    )
    return _core.EquationPlan(
        fields=[_core.EquationField(name="s")],
        point=program,
        odd_products=[EVEN],
        fluxes=[[part(0)]],
        tendency=[[Term(field=0)]],
        coupling=[[]],
        varying=[[Term(field=0)]],
        varying_by=[1],
        clock=clock,
    )


@pytest.mark.cpu_by_default
@pytest.mark.parametrize("scheme", ["rk4", "ab3", "rk2"])
@on_ranks(1)
def test_numbers_and_factors_follow_the_time(world, scheme):
    """The order of the scheme is kept, and the solution is that of an accurate integration."""
    plan = growing()
    ends = []
    for steps in (50, 100, 400):
        found = advance(world, plan, np.ones((1, 4, 4, 16)), 2.0 / steps, steps, scheme=scheme)
        ends.append(found.mean())
    s, dt = 1.0, 2.0 / 40000

    def slope(t, value):
        return np.cos(t) * value + 0.1 * t * value**2

    for n in range(40000):
        middle = s + 0.5 * dt * slope(n * dt, s)
        s += dt * slope((n + 0.5) * dt, middle)
    errors = np.abs(np.array(ends) - s)
    assert errors[2] < 1e-4
    order = {"rk4": 4, "ab3": 3, "rk2": 2}[scheme]
    assert errors[0] / errors[1] > 0.7 * 2**order


@pytest.mark.parametrize("dealias", ["2/3", "phase-shift"])
@on_ranks(1, 2)
def test_a_source_is_where_it_was_typed(world, dealias):
    """ds/dt = sin x + s^2 / 10^9 on a shifted grid, too."""
    points = typed.Points(1, [1e-9])
    source_term = points("multiply_add", points("multiply", 0, 0), points.number(0), points("sin", 2))
    size = points("abs", 0)
    plan = _core.EquationPlan(
        fields=[_core.EquationField(name="s")],
        point=_core.Program(
            inputs=[[Term(field=0)]],
            numbers=points.numbers,
            instructions=points.instructions,
            results=[source_term, size, size],
        ),
        odd_products=[EVEN],
        fluxes=[[part(0)]],
        tendency=[[Term(field=0)]],
        coupling=[[]],
    )
    twin = Twin((16, 12, 8), dealias=dealias)
    flow = _core.Flow(typed_options(plan, twin, scheme="rk2"), world.py2f())
    for n in range(4):
        flow.step(0.1, time=0.1 * n, step_number=n)
    x = 2 * np.pi * np.arange(16) / 16
    assert np.abs(typed.read(world, flow, "s")[0] - 0.4 * np.sin(x)).max() < 1e-8
    flow.close()


@pytest.mark.cpu_by_default
@on_ranks(1, 2)
def test_means_and_sources(world):
    """ds/dt = 2 - <s^2> <s>, which ends at <s>^3 + var <s> = 2 with the variance that s has at first."""
    clock = _core.ClockPlan(
        forms=[[Term(field=0)]],
        means=[(0, 0), (0, -1)],
        program=_core.Program(inputs=[[], [], []], instructions=[("multiply", [1, 2])], results=[6]),
    )
    plan = typed.scalar(
        [[Term(field=0)]],
        [(0, 0)],
        [[part(0)]],
        [Term(field=0, factor=0.0)],
        clock=clock,
        sources=[
            _core.MeanSource(component=0, factor=2.0),
            _core.MeanSource(component=0, factor=-1.0, clock=0),
        ],
    )
    found = advance(world, plan, 0.5 + wave(1), 0.02, 1000, scheme="rk4")
    mean = np.roots([1.0, 0.0, 0.5, -2.0])
    close(found, mean[np.abs(mean.imag) < 1e-12].real + wave(1), "double")
