"""Typed equations with products within products: several round trips a stage, and boxes with walls."""

import numpy as np
import pytest
from support.ranks import on_ranks
from whorl import _core
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.run.simulation import Simulation

ALONE = MPI.COMM_SELF
# The pressure carries a scalar, and the square of the scalar drives the flow through a filter.
FIELDS = {"u": "velocity", "s": "scalar"}
EQUATIONS = [
    "dt(u) = -advect(u, u) + 0.3*s*grad(inv_lap(s*s)) + nu*lap(u)",
    "dt(s) = -dot(u, grad(s)) + inv_lap(div(advect(u, u)))*s + cos(3*t)*s*helmholtz(s*s*cos(t), 0.4)"
    " + nu*lap(s)",
]
WHIRLS = {
    "name": "formula",
    "value": ["sin(x)*cos(y)*cos(z)", "-cos(x)*sin(y)*cos(z)", "0.4*sin(x + y)*0"],
    "s": {"name": "formula", "value": "0.5*cos(x - y)*cos(2*z) + 0.2*sin(y) + 0.1"},
}


def case(points=(16, 14, 12), lengths=None, **further) -> dict:
    """A case of whirls with a scalar."""
    grid = {"points": list(points), "dealias": "1/2"} | further.pop("grid", {})
    if lengths:
        grid["lengths"] = lengths
    flow = {"model": "equations", "fields": FIELDS, "equations": EQUATIONS, "parameters": {"nu": 0.03}}
    run = {"threads": 1} | further.pop("run", {})
    sections = {
        "grid": grid,
        "flow": flow | {"rate": "norm(u) + abs(s)"},
        "initial": WHIRLS,
        "time": {"scheme": "rk3", "dt": 0.02, "steps": 10},
        "run": run,
    }
    return sections | further


def final(sections: dict, comm=ALONE) -> dict[str, np.ndarray]:
    with Simulation(Case(**sections), comm=comm) as simulation:
        simulation.run(progress=False)
        return {name: simulation.field(name) for name in FIELDS}


def assert_alike(found: dict, expected: dict, limit: float = 1e-12) -> None:
    for name, field in expected.items():
        assert np.abs(found[name] - field).max() <= limit * np.abs(field).max(), name


def test_a_run_is_that_of_numpy():
    """du/dt = −u ∂x ∇⁻²(u²) + ν ∂x²u by a scheme of fourth order, as long as both keep these modes."""
    n, nu, dt, steps = 64, 0.05, 0.01, 50
    k = np.fft.rfftfreq(n, 1 / n)
    kept = k < n / 3
    inverse = np.where(k > 0, -1 / np.where(k > 0, k, 1) ** 2, 0)
    half = np.exp(-nu * k**2 * dt / 2)

    def tendency(modes):
        u = np.fft.irfft(modes, n)
        slope = np.fft.irfft(1j * k * inverse * kept * np.fft.rfft(u * u), n)
        return kept * np.fft.rfft(-u * slope)

    x = 2 * np.pi * np.arange(n) / n
    modes = np.fft.rfft(1 + 0.5 * np.sin(x) + 0.2 * np.cos(3 * x))
    for _ in range(steps):
        a = dt * tendency(modes)
        b = dt * tendency(half * (modes + a / 2))
        c = dt * tendency(half * modes + b / 2)
        d = dt * tendency(half * (half * modes + c))
        modes = half * (half * (modes + a / 6) + (b + c) / 3) + d / 6
    sections = {
        "grid": {"points": [n, 1, 1]},
        "flow": {
            "model": "equations",
            "fields": {"u": "scalar"},
            "equations": ["dt(u) = -u*dx(inv_lap(u*u)) + nu*lap(u)"],
            "parameters": {"nu": nu},
            "rate": "abs(u)",
        },
        "initial": {"name": "formula", "value": "1 + 0.5*sin(x) + 0.2*cos(3*x)"},
        "time": {"scheme": "rk4", "dt": dt, "steps": steps},
        "run": {"threads": 1},
    }
    with Simulation(Case(**sections), comm=ALONE) as simulation:
        simulation.run(progress=False)
        found = simulation.field("u").ravel()
    assert np.abs(found - np.fft.irfft(modes, n)).max() < 1e-13
    assert np.abs(found - 1 - 0.5 * np.sin(x) - 0.2 * np.cos(3 * x)).max() > 0.05


MEANS = ["dot(u, u)", "s*1", "s*s", "u.x*u.x", "s*s*s", "dot(grad(s), grad(s))", "s*u.z*x"]


def means(sections: dict, comm, texts=MEANS) -> list[float]:
    with Simulation(Case(**sections), comm=comm) as simulation:
        simulation.run(progress=False)
        return [simulation.mean(text) for text in texts]


@on_ranks(2, 4, 6)
def test_ranks_make_no_difference(world):
    np.testing.assert_allclose(means(case(), world), means(case(), ALONE), rtol=1e-11, atol=1e-14)


@pytest.mark.skipif("cpu-as-gpu" not in _core.build_info()["devices"], reason="this whorl has no cpu-as-gpu")
@pytest.mark.parametrize("dealias", ["1/2", "none"])
def test_devices_make_no_difference(dealias):
    cpu, gpu = (
        final(case(grid={"dealias": dealias}, run={"device": device})) for device in ("cpu", "cpu-as-gpu")
    )
    assert_alike(gpu, cpu)


def test_rows_are_compiled_alike():
    tables, rows = (final(case(run={"compile": how})) for how in ("never", "always"))
    assert_alike(rows, tables)
    assert any((rows[name] != tables[name]).any() for name in FIELDS)


def test_single_precision_is_as_good():
    double, single = (final(case(run={"precision": precision})) for precision in ("double", "single"))
    assert_alike(single, double, 1e-5)


def test_steps_converge_by_the_order_of_the_scheme():
    fields = {n: final(case(time={"scheme": "rk3", "dt": 0.4 / n, "steps": n})) for n in (8, 16, 64)}
    errors = [max(np.abs(fields[n][name] - fields[64][name]).max() for name in FIELDS) for n in (8, 16)]
    assert 6.5 < errors[0] / errors[1] < 9.5, errors


@pytest.mark.parametrize("dealias", ["phase-shift", "phase-shift-exact"])
def test_phase_shifts_have_no_aliases_of_inner_products(dealias):
    """Fields whose products fit into the kept modes give the same with every way of dealiasing."""
    equations = ["dt(u) = u*dx(inv_lap(u*u)) + nu*lap(u)"]
    flow = {"model": "equations", "fields": {"u": "scalar"}, "equations": equations, "rate": "abs(u)"}
    sections = {
        "flow": flow | {"parameters": {"nu": 0.1}},
        "initial": {"name": "formula", "value": "cos(x)*sin(y) + 0.3*cos(z)"},
        "time": {"scheme": "rk2", "dt": 0.001, "steps": 4},
        "run": {"threads": 1},
    }
    found = []
    for how in ("2/3", dealias):
        with Simulation(Case(grid={"points": 32, "dealias": how}, **sections), comm=ALONE) as simulation:
            simulation.run(progress=False)
            found.append(simulation.field("u"))
    assert np.abs(found[1] - found[0]).max() < 1e-13


WALLED = {"SFF": "z", "SSF": "yz", "SSS": "xyz"}


OF_WALLS = {
    "inner": EQUATIONS,
    "plain": [
        "dt(u) = -advect(u, u) + 0.2*lap(s)*grad(s) + nu*lap(u)",
        "dt(s) = -dot(u, grad(s)) + cos(t)*s*s + nu*lap(s)",
    ],
    "means": [
        "dt(u) = -mean(dot(u, u))*u - advect(u, u) + nu*lap(u)",
        "dt(s) = -dot(u, grad(s)) + mean(s)*mean(dz(s)**2)*s*s - mean(u.z*dz(s)) + s + nu*lap(s)",
    ],
}


@pytest.mark.parametrize("what", OF_WALLS)
@pytest.mark.parametrize("bases", WALLED)
@on_ranks(1, 2)
def test_a_box_with_walls_is_half_of_a_periodic_one(world, bases, what):
    """The fields are symmetric about walls, so that a box of twice the length has their means."""
    half, whole = case((12, 10, 8)), case((12, 10, 8))
    half["grid"] |= {"bases": bases, "lengths": [6.0, 5.0, 4.0]}
    axes = [axis in WALLED[bases] for axis in "xyz"]
    lengths = [length * (1 + wall) for length, wall in zip([6.0, 5.0, 4.0], axes, strict=True)]
    points = [n * (1 + wall) for n, wall in zip([12, 10, 8], axes, strict=True)]
    whole["grid"] |= {"lengths": lengths, "points": points}
    # Each component has its own sines and cosines: pi n x/L about walls, twice that where there is none.
    k = [np.pi * (1 if wall else 2) / length for wall, length in zip(axes, [6.0, 5.0, 4.0], strict=True)]
    x, y, z = (f"{number!r}*{axis}" for number, axis in zip(k, "xyz", strict=True))
    initial = {
        "name": "formula",
        "value": [
            f"{k[1]!r}*sin({x})*cos({y})*cos({z})",
            f"-{k[0]!r}*cos({x})*sin({y})*cos({z})",
            "0*z",
        ],
        "s": {"name": "formula", "value": f"0.3*cos({x}) + 0.2*cos({y})*cos({z}) + 0.1*cos(2*{z}) + 0.1"},
    }
    found = []
    for sections in (half, whole):
        sections |= {"initial": initial, "flow": sections["flow"] | {"equations": OF_WALLS[what]}}
        found.append(means(sections, world, MEANS[:-1]))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12, atol=1e-14)


def test_memory_and_plan_know_the_inner_fields():
    sections = case((32, 28, 24))
    plan = Case(**sections).flow.plan(Case(**sections).grid)
    with Simulation(Case(**sections), comm=ALONE) as simulation:
        simulation.step()
        memory, registers = simulation.flow.memory(), 2
        assert memory["inner_fields"] == memory["state"] // (4 * registers) * plan.inner_fields > 0
        assert _core.estimate_memory(simulation.flow.options, 1)["inner_fields"] == memory["inner_fields"]
