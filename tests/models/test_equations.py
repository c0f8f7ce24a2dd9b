"""Equations typed as text: the compiled models, exact solutions and rates of growth."""

import numpy as np
import pytest
from support.ranks import on_ranks
from whorl.config.case import Case
from whorl.run.simulation import Simulation

TAU = 2 * np.pi
RANDOM = {"name": "random", "k0": 3.0, "energy": 0.3, "seed": 2}
FORMS = ["-advect(u, u)", "-div(outer(u, u))", "cross(u, curl(u))"]
PSI = {"name": "formula", "value": ["1 + 0.3*cos(x) + 0.2*sin(y + z)", "0.2*sin(x) - 0.3*cos(y)"]}


def typed(fields, equations, grid, parameters=None, **flow):
    """The sections [grid] and [flow] of typed equations."""
    return {
        "grid": grid,
        "flow": {
            "model": "equations",
            "fields": fields,
            "equations": equations,
            "parameters": parameters or {},
            **flow,
        },
    }


def advanced(sections, initial, dt, steps, comm=None, scheme="rk4", **further):
    """The simulation after some steps."""
    case = Case(
        **sections,
        initial=initial,
        time={"scheme": scheme, "dt": dt, "steps": steps},
        run={"threads": 1},
        **further,
    )
    simulation = Simulation(case, comm=comm)
    while not simulation.finished:
        simulation.step()
    return simulation


def assert_same(one, other, names):
    """Fields of two simulations are equal to 1e-12 of the largest value."""
    for name, of_other in names.items():
        found, expected = one.field(name), other.field(of_other)
        assert np.abs(found - expected).max() <= 1e-12 * np.abs(expected).max(), name


# The compiled models


@pytest.mark.parametrize("form", FORMS)
@on_ranks(1, 3)
def test_navier_stokes(world, form):
    grid = {"points": [16, 20, 12], "lengths": [TAU, 5.0, 7.0]}
    sections = typed({"u": "velocity"}, [f"dt(u) = {form} + nu*lap(u)"], grid, {"nu": 0.02})
    built = {"grid": grid, "flow": {"viscosity": 0.02}}
    assert_same(
        advanced(sections, RANDOM, 0.01, 20, world),
        advanced(built, RANDOM, 0.01, 20, world),
        {"u": "velocity"},
    )


@pytest.mark.parametrize("linear", ["explicit", "exact"])
def test_boussinesq(linear):
    grid = {"points": [16, 12, 10]}
    sections = typed(
        {"u": "velocity", "b": "scalar"},
        [
            "dt(u) = -advect(u, u) - N*b*ez + nu*lap(u)",
            "dt(b) = -dot(u, grad(b)) + N*dot(u, ez) + kappa*lap(b)",
        ],
        grid,
        {"nu": 0.02, "kappa": 0.03, "N": 1.7},
        linear=linear,
    )
    flow = {"model": "boussinesq", "viscosity": 0.02, "diffusivity": 0.03, "buoyancy_frequency": 1.7}
    built = {"grid": grid, "flow": flow | {"linear": linear}}
    assert_same(
        advanced(sections, RANDOM | {"b": RANDOM}, 0.01, 20),
        advanced(built, RANDOM | {"temperature": RANDOM}, 0.01, 20),
        {"u": "velocity", "b": "temperature"},
    )


@pytest.mark.parametrize("hall", [0.0, 0.2])
def test_mhd(hall):
    grid = {"points": 16}
    of_field = ", ".join(f"B{axis}" for axis in "xyz")
    induced = f"curl(cross(u - d*curl(b), b + vector({of_field})))"
    if not hall:
        induced = f"curl(cross(u, b + vector({of_field})))"
    numbers = {"nu": 0.02, "eta": 0.03, "Bx": 0.3, "By": 0.2, "Bz": 1.1} | ({"d": hall} if hall else {})
    sections = typed(
        {"u": "velocity", "b": "velocity"},
        [
            f"dt(u) = -advect(u, u) + cross(curl(b), b + vector({of_field})) + nu*lap(u)",
            f"dt(b) = {induced} + eta*lap(b)",
        ],
        grid,
        numbers,
        linear="explicit",
    )
    flow = {"model": "mhd", "viscosity": 0.02, "resistivity": 0.03, "mean_field": [0.3, 0.2, 1.1]}
    built = {"grid": grid, "flow": flow | ({"hall": hall} if hall else {})}
    assert_same(
        advanced(sections, RANDOM | {"b": RANDOM}, 0.005, 20),
        advanced(built, RANDOM | {"magnetic": RANDOM}, 0.005, 20),
        {"u": "velocity", "b": "magnetic"},
    )


@pytest.mark.parametrize(("linear", "dt", "digits"), [("explicit", 0.002, 1e-12), ("exact", 0.0005, 1e-11)])
def test_gross_pitaevskii(linear, dt, digits):
    """With exact linear terms they differ by their error: the typed one has the uniform density in these."""
    c, xi = 2.0, 0.5
    numbers = {"a": c * xi / np.sqrt(2), "b": c / (np.sqrt(2) * xi)}
    grid = {"points": [16, 12, 20]}
    sections = typed(
        {"psi": "complex"},
        ["dt(psi) = i*(a*lap(psi) - b*(abs(psi)**2 - 1)*psi)"],
        grid,
        numbers,
        linear=linear,
    )
    flow = {"model": "gross-pitaevskii", "sound_speed": c, "coherence_length": xi, "linear": linear}
    one, other = (advanced(of, PSI, dt, 20) for of in (sections, {"grid": grid, "flow": flow}))
    assert np.abs(one.field("psi") - other.field("psi")).max() < 2 * digits


@pytest.mark.parametrize("beta", [0.0, 3.0])
def test_vorticity_in_a_plane(beta):
    grid = {"points": [24, 20, 1]}
    turns = " - beta*dx(inv_lap(zeta))" if beta else ""
    sections = typed(
        {"zeta": "scalar"},
        [f"dt(zeta) = dy(inv_lap(zeta))*dx(zeta) - dx(inv_lap(zeta))*dy(zeta) + nu*lap(zeta){turns}"],
        grid,
        {"nu": 0.02} | ({"beta": beta} if beta else {}),
    )
    initial = {"name": "formula", "value": "cos(x + 2*y) + sin(2*x) - 0.5*cos(y)"}
    built = {
        "grid": grid,
        "flow": {"model": "navier-stokes-2d", "viscosity": 0.02, "beta": beta, "linear": "exact"},
    }
    one = advanced(sections, initial, 0.01, 20)
    other = advanced(built, {"name": "zero", "vorticity": initial}, 0.01, 20)
    assert_same(one, other, {"zeta": "vorticity"})


# Exact solutions

LINE = {"points": [256, 4, 1], "lengths": [TAU, 1.0, 1.0]}


def test_burgers_is_the_solution_of_cole_and_hopf():
    """Half the mean square of u at t = 1, and u(3 pi/4), of u = sin x at first and nu = 0.05."""
    sections = typed({"u": "scalar"}, ["dt(u) = -u*dx(u) + nu*lap(u)"], LINE, {"nu": 0.05})
    ended = advanced(sections, {"name": "formula", "value": "sin(x)"}, 0.00125, 800)
    u = ended.field("u")[0, 0, 0]
    assert 0.5 * np.mean(u**2) == pytest.approx(0.21865474586, abs=1e-10)
    assert u[96] == pytest.approx(0.943956764778, abs=1e-9)


def test_a_bright_soliton_turns():
    """psi = sech(x) exp(it/2) at rest."""
    grid = {"points": [512, 4, 1], "lengths": [40.0, 1.0, 1.0]}
    sections = typed({"psi": "complex"}, ["dt(psi) = i*(lap(psi)/2 + abs(psi)**2*psi)"], grid)
    initial = {"name": "formula", "value": ["1/cosh(x - 20)", "0"]}
    ended = advanced(sections, initial, 0.005, 400)
    real, imaginary = ended.field("psi")[:, 0, 0]
    x = 40.0 / 512 * np.arange(512)
    exact = np.exp(1j) / np.cosh(x - 20)
    assert np.abs(real + 1j * imaginary - exact).max() < 1e-6


def test_linear_equations_are_exact():
    """Waves on a line that decay: du/dt = dv/dx, dv/dt = du/dx - mu v, by their exponential."""
    grid = {"points": [16, 1, 1], "lengths": [TAU, 1.0, 1.0]}
    sections = typed(
        {"u": "scalar", "v": "scalar"}, ["dt(u) = dx(v)", "dt(v) = dx(u) - mu*v"], grid, {"mu": 0.4}
    )
    ended = advanced(sections, {"name": "formula", "value": "cos(2*x)"}, 0.7, 3)
    matrix = np.array([[0.0, 2.0j], [2.0j, -0.4]])
    values, vectors = np.linalg.eig(matrix)
    exact = vectors @ np.diag(np.exp(2.1 * values)) @ np.linalg.inv(vectors) @ np.array([1.0, 0.0])
    x = TAU / 16 * np.arange(16)
    for name, amplitude in zip("uv", exact, strict=True):
        assert np.abs(ended.field(name)[0, 0, 0] - (amplitude * np.exp(2j * x)).real).max() < 1e-13


def test_columns_are_mean_squares_of_fields_and_of_their_gradients():
    """½⟨f²⟩ and ½⟨|∇f|²⟩, for a vector the sums over its components."""
    grid = {"points": [16, 12, 10], "lengths": [TAU, 5.0, 7.0]}
    equations = ["dt(u) = -advect(u, u) + nu*lap(u)", "dt(s) = -dot(u, grad(s)) + nu*lap(s)"]
    sections = typed({"u": "velocity", "s": "scalar"}, equations, grid, {"nu": 0.02})
    ended = advanced(sections, RANDOM | {"s": RANDOM}, 0.01, 2)
    k = np.meshgrid(
        *(
            TAU * np.fft.fftfreq(n, d=length / n)
            for n, length in zip((10, 12, 16), (7.0, 5.0, TAU), strict=True)
        ),
        indexing="ij",
    )
    found = ended.statistics()
    for name in ("u", "s"):
        modes = np.fft.fftn(ended.field(name), axes=(1, 2, 3), norm="forward")
        assert found[f"{name}_energy"] == pytest.approx((np.abs(modes) ** 2).sum() / 2, rel=1e-12)
        gradients = (np.abs(modes) ** 2 * sum(one**2 for one in k)).sum() / 2
        assert found[f"{name}_gradients"] == pytest.approx(gradients, rel=1e-12)


# Growth of small disturbances

SMALL = 1e-7


def rates(sections, state, names, numbers, dt, steps):
    """The eigenvalues of small disturbances exp(ik.x) of a uniform state, k = 2 pi (n/lengths)."""
    lengths = sections["grid"].get("lengths", [TAU] * 3)
    phase = " + ".join(
        f"{TAU * n / length!r}*{axis}" for n, length, axis in zip(numbers, lengths, "xyz", strict=False)
    )
    columns = []
    for disturbed in names:
        values = {
            name: {
                "name": "formula",
                "value": f"{state[name]!r} + {SMALL if name == disturbed else 0.0}*cos({phase})",
            }
            for name in names
        }
        first, *others = names
        initial = values[first] | {name: values[name] for name in others}
        ended = advanced(sections, initial, dt, steps)
        modes = [np.fft.fft2(ended.field(name)[0, 0]) for name in names]
        columns.append([2 * of[numbers[1], numbers[0]] / of.size / SMALL for of in modes])
    return np.sort_complex(np.log(np.linalg.eigvals(np.array(columns).T.astype(complex))) / (dt * steps))


SQUARE = {"points": [32, 8, 1], "lengths": [TAU, TAU, 1.0]}


def test_kuramoto_sivashinsky():
    grid = SQUARE | {"lengths": [2 * TAU, TAU, 1.0]}
    sections = typed({"h": "scalar"}, ["dt(h) = -dot(grad(h), grad(h))/2 - lap(h) - lap(lap(h))"], grid)
    assert rates(sections, {"h": 0.0}, ["h"], (1, 0), 0.05, 20)[0] == pytest.approx(0.25 - 0.0625, abs=1e-6)


def test_cahn_hilliard():
    sections = typed({"c": "scalar"}, ["dt(c) = lap(c**3 - c - g*lap(c))"], SQUARE, {"g": 0.05})
    assert rates(sections, {"c": 0.2}, ["c"], (3, 0), 0.005, 100)[0] == pytest.approx(3.87, abs=1e-5)


def test_swift_hohenberg():
    grid = SQUARE | {"lengths": [TAU / 0.3, TAU, 1.0]}
    sections = typed({"u": "scalar"}, ["dt(u) = r*u - (u + 2*lap(u) + lap(lap(u))) - u**3"], grid, {"r": 0.3})
    assert rates(sections, {"u": 0.0}, ["u"], (4, 0), 0.05, 40)[0] == pytest.approx(0.1064, abs=1e-7)


def test_gray_and_scott():
    sections = typed(
        {"u": "scalar", "v": "scalar"},
        ["dt(u) = Du*lap(u) - u*v**2 + F*(1 - u)", "dt(v) = Dv*lap(v) + u*v**2 - (F + k)*v"],
        {"points": [192, 4, 1], "lengths": [TAU, 1.0, 1.0]},
        {"Du": 2e-5, "Dv": 1e-5, "F": 0.04, "k": 0.057},
    )
    state = {"u": 0.378447542189, "v": 0.256310291881}
    found = rates(sections, state, ["u", "v"], (40, 0), 0.25, 40)
    assert found.real == pytest.approx([-0.0283474828621] * 2, abs=1e-6)
    assert np.sort(found.imag) == pytest.approx([-0.0280704710009, 0.0280704710009], abs=1e-6)


@pytest.mark.parametrize(
    ("beta", "r", "k", "rate"),
    [
        (0.0, 0.0, (1.0, 0.0), 0.57735026919),
        (0.5, 0.0, (1.0, 0.0), 0.552770798393),
        (0.5, 0.2, (1.0, 0.0), 0.490199142997),
        (0.5, 0.2, (0.75, 0.5), 0.398941658095),
    ],
)
def test_two_layers(beta, r, k, rate):
    """Quasi-geostrophic flow in two layers, U = 1 and -1, F = 1: the rate of baroclinic instability."""
    half = "inv_lap(q + s)/2"
    turned = "helmholtz(q - s, a)/4"
    upper, lower = f"({half} - {turned})", f"({half} + {turned})"
    terms = [f"dt(q) = dy{upper}*dx(q) - dx{upper}*dy(q) - dx(q) - (beta + 2)*dx{upper}"]
    drag = f" - r*lap{lower}" if r else ""
    terms += [f"dt(s) = dy{lower}*dx(s) - dx{lower}*dy(s) + dx(s) - (beta - 2)*dx{lower}{drag}"]
    numbers_of = {"a": np.sqrt(0.5), "beta": beta} | ({"r": r} if r else {})
    grid = SQUARE | {"lengths": [TAU / one if one else TAU for one in k] + [1.0]}
    sections = typed({"q": "scalar", "s": "scalar"}, terms, grid, numbers_of)
    found = rates(sections, {"q": 0.0, "s": 0.0}, ["q", "s"], [int(one > 0) for one in k], 0.01, 50)
    assert found.real.max() == pytest.approx(rate, abs=1e-6)


# Terms that do not multiply fields, and numbers that depend on the time


@pytest.mark.parametrize("kind", ["scalar", "vector", "complex"])
def test_forces_act_on_linear_equations(kind):
    """du/dt = mu u + cos x by its exact solution; there are no inputs but for the force's position."""
    right = {"scalar": "cos(x)", "vector": "vector(cos(x), sin(y), 0)", "complex": "cos(x) + i*sin(x)"}[kind]
    sections = typed({"u": kind}, [f"dt(u) = -mu*u + {right}"], {"points": [16, 16, 1]}, {"mu": 0.4})
    ended = advanced(sections, {"name": "zero"}, 0.05, 40)
    x = TAU / 16 * np.arange(16)
    size = (1 - np.exp(-0.8)) / 0.4
    u = ended.field("u")[:, 0]
    assert np.abs(u[0] - size * np.cos(x)).max() < 1e-9
    if kind == "vector":
        assert np.abs(u[1] - size * np.sin(x)[:, None]).max() < 1e-9
    if kind == "complex":
        assert np.abs(u[1] - size * np.sin(x)).max() < 1e-9


@pytest.mark.parametrize("dealias", ["2/3", "phase-shift", "phase-shift-exact"])
@pytest.mark.parametrize("scheme", ["rk4", "ab3", "etdrk4"])
def test_the_time_is_that_of_a_stage(scheme, dealias):
    sections = typed(
        {"u": "scalar"},
        ["dt(u) = cos(3*t) + sin(t)*cos(x) - 1e-9*u**2"],
        {"points": [16, 16, 1], "dealias": dealias},
    )
    ended = advanced(sections, {"name": "zero"}, 0.01, 100, scheme=scheme)
    x = TAU / 16 * np.arange(16)
    exact = np.sin(3.0) / 3 + (1 - np.cos(1.0)) * np.cos(x)
    assert np.abs(ended.field("u")[0, 0] - exact).max() < 1e-5


@pytest.mark.parametrize("linear", ["exact", "explicit"])
def test_modes_of_no_real_field_do_not_grow(linear):
    """Coupled fields that grow and saturate: the energy of the modes is that at the points."""
    sections = typed(
        {"u": "scalar", "v": "scalar"},
        ["dt(u) = 2*v - u + 0.01*lap(u) - u**3", "dt(v) = 2*u - v + 0.01*lap(v) - v**3"],
        {"points": [16, 16, 1]},
        linear=linear,
    )
    ended = advanced(sections, {"name": "random", "k0": 2.0, "v": {"name": "random", "k0": 2.0}}, 0.05, 1200)
    energy = ended.flow.statistics()["u_energy"]
    assert energy == pytest.approx(0.5 * np.mean(ended.field("u") ** 2), rel=1e-6)


@pytest.mark.parametrize("term", ["nu*lap(u)", "nu*dx(u)"])
def test_a_step_resolves_linear_terms_that_depend_on_the_time(term):
    sections = typed(
        {"u": "scalar"}, [f"dt(u) = {term} - 1e-6*u*dx(u)"], {"points": [64, 1, 1]}, {"nu": "3*t"}
    )
    case = Case(
        **sections,
        initial={"name": "formula", "value": "cos(9*x)"},
        time={"courant": 0.5, "dt_max": 0.05, "until": 1.0},
        run={"threads": 1},
    )
    simulation = Simulation(case)
    while not simulation.finished:
        simulation.step()
    u = simulation.field("u")[0, 0, 0]
    x = TAU / 64 * np.arange(64)
    exact = np.cos(9 * (x + 1.5)) if "dx" in term else np.exp(-1.5 * 81) * np.cos(9 * x)
    assert np.abs(u - exact).max() < 1e-2


def test_a_flux_may_have_parts_of_unlike_orders():
    """The tendency uv + d2(uu)/dx2 of u = cos x and v = sin x, by a short step."""
    sections = typed(
        {"u": "scalar", "v": "scalar"},
        ["dt(u) = u*v + dx(dx(u*u))", "dt(v) = lap(v)"],
        {"points": [16, 1, 1]},
    )
    initial = {"name": "formula", "value": "cos(x)", "v": {"name": "formula", "value": "sin(x)"}}
    ended = advanced(sections, initial, 1e-6, 1)
    x = TAU / 16 * np.arange(16)
    tendency = (ended.field("u")[0, 0, 0] - np.cos(x)) / 1e-6
    assert np.abs(tendency - 0.5 * np.sin(2 * x) + 2 * np.cos(2 * x)).max() < 1e-4


# Particles


def test_tracers_move_with_the_field_called_velocity():
    sections = typed(
        {"b": "velocity", "velocity": "velocity"},
        [f"dt({name}) = lap({name}) - 1e-9*advect({name}, {name})" for name in ("b", "velocity")],
        {"points": 8},
    )
    initial = {
        "name": "formula",
        "value": ["0", "3", "0"],
        "velocity": {"name": "formula", "value": ["1", "0", "0"]},
    }
    case = Case(
        **sections, initial=initial, time={"scheme": "rk4", "dt": 0.01, "steps": 10}, run={"threads": 1}
    )
    simulation = Simulation(case)
    tracers = simulation.particles(5, seed=3, interpolation="lagrange")
    start = tracers.positions()
    while not simulation.finished:
        simulation.step()
    moved = (tracers.positions() - start + 1) % TAU - 1
    assert np.abs(moved - [0.1, 0.0, 0.0]).max() < 1e-9


def test_tracers_move_with_a_typed_velocity():
    """As in the compiled model, whose velocity has the name that particles have by default."""
    grid = {"points": 16}
    sections = typed({"u": "velocity"}, ["dt(u) = -advect(u, u) + nu*lap(u)"], grid, {"nu": 0.02})
    places = []
    for of in (sections, {"grid": grid, "flow": {"viscosity": 0.02}}):
        case = Case(**of, initial=RANDOM, time={"scheme": "rk4", "dt": 0.01, "steps": 20}, run={"threads": 1})
        simulation = Simulation(case)
        tracers = simulation.particles(50, seed=3)
        while not simulation.finished:
            simulation.step()
        places.append(tracers.positions())
    assert np.abs(places[0] - places[1]).max() < 1e-13
