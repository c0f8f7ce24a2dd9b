"""The memory of typed equations: counted before a run, and nothing is allocated after the first step."""

import pytest
from support.allocated import allocated
from support.ranks import on_ranks
from whorl import _core
from whorl.config.case import Case
from whorl.run.simulation import Simulation

NOISE = {"name": "random", "k0": 3.0, "energy": 0.3, "seed": 2}
FLOW = "dt(u) = -advect(u, u) + nu*lap(u)"
EQUATIONS = {
    "navier-stokes": ({"u": "velocity"}, [FLOW], {"nu": 0.02}),
    "mhd": (
        {"u": "velocity", "b": "velocity"},
        ["dt(u) = -advect(u, u) + cross(curl(b), b) + nu*lap(u)", "dt(b) = curl(cross(u, b)) + nu*lap(b)"],
        {"nu": 0.02},
    ),
    "condensate": (
        {"psi": "complex"},
        ["dt(psi) = i*(a*lap(psi) - g*(abs(psi)**2 - 1)*psi)"],
        {"a": 0.7, "g": 2.0},
    ),
    "clock": (
        {"u": "velocity", "s": "scalar"},
        [FLOW, "dt(s) = -dot(u, grad(s)) + cos(t)*s*mean(s*s) + sin(x)*u.x + nu*lap(s)"],
        {"nu": 0.02},
    ),
    "inner": (
        {"u": "velocity", "s": "scalar"},
        [FLOW, "dt(s) = -dot(u, grad(s)) - inv_lap(div(div(outer(u, u))))*s + nu*lap(s)"],
        {"nu": 0.02},
    ),
}


def case(name: str, points: int, precision: str = "double", rows: str = "never") -> Case:
    fields, equations, parameters = EQUATIONS[name]
    flow = {"model": "equations", "fields": fields, "equations": equations, "parameters": parameters}
    return Case(
        grid={"points": points, "dealias": "1/2" if name == "condensate" else "2/3"},
        flow=flow | ({"rate": "norm(u)"} if name in ("inner", "clock") else {}),
        time={"dt": 1e-3, "steps": 100, "scheme": "rk3"},
        initial=NOISE | dict.fromkeys(list(fields)[1:], NOISE),
        run={"precision": precision, "threads": 1, "compile": rows},
    )


@pytest.mark.turns
@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("name", EQUATIONS)
@on_ranks(1, 2)
def test_memory_is_what_was_counted(world, name, precision):
    """To five per cent: arrays, which the core tells, and all else, which the C library does."""
    of = case(name, 96 if name == "condensate" else 64, precision)  # tables are small beside arrays
    with Simulation(of, comm=world) as first:  # tables of the process
        first.step()
    before = allocated()
    with Simulation(of, comm=world) as simulation:
        for _ in range(2):
            simulation.step()
        taken = sum(simulation.flow.memory().values()) + allocated() - before
        counted = sum(_core.estimate_memory(simulation.flow.options, world.size).values())
    assert max(world.allgather(taken)) == pytest.approx(counted, rel=0.05)


@pytest.mark.parametrize("rows", ["never", "always"])
@pytest.mark.parametrize("name", ["navier-stokes", "mhd", "condensate"])
@on_ranks(1, 3)
def test_nothing_is_allocated_after_the_first_step(world, name, rows):
    with Simulation(case(name, 24, rows=rows), comm=world) as simulation:
        simulation.step()
        before, memory = _core.allocations(), simulation.flow.memory()
        for _ in range(4):
            simulation.step()
            simulation.flow.statistics()
        assert _core.allocations() == before
        assert simulation.flow.memory() == memory
