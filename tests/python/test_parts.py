"""Parts of a simulation have its members, and none keeps it alive."""

import gc
import inspect
import weakref

import pytest
from mpi4py import MPI
from whorl import Case, Simulation
from whorl.run.fields import Fields

CASE = Case(
    grid={"points": 8},
    flow={"viscosity": 0.1},
    time={"dt": 0.01, "steps": 2},
    initial={"name": "abc"},
    particles=[{"kind": "tracer", "count": 8}],
    run={"threads": 1},
)
MEMBERS = [name for name in vars(Simulation) if not name.startswith("_")]


def test_a_simulation_is_freed_at_once():
    """Its parts do not refer to it, so that it need not wait for the collector."""
    gc.collect()
    gc.disable()
    try:
        simulation = Simulation(CASE, comm=MPI.COMM_SELF)
        simulation.every("1 steps", lambda flow: flow.mean("u.x"))
        simulation.particles(lattice=(2, 2, 2))
        simulation.run(progress=False)
        parts = [weakref.ref(one) for one in (simulation, simulation._fields, simulation._loop)]
        del simulation
        assert [part() for part in parts] == [None] * 3
    finally:
        gc.enable()


@pytest.mark.parametrize("name", MEMBERS)
def test_a_member_has_a_docstring(name):
    assert inspect.getdoc(getattr(Simulation, name))


def test_a_member_of_a_part_has_its_signature():
    assert inspect.signature(Simulation.gather) == inspect.signature(Fields.gather)
    assert list(inspect.signature(Simulation.restart).parameters)[:2] == ["directory", "output"]
