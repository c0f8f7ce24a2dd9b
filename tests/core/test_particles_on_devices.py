"""Particles in the memory of a device: nothing of them is copied in a step, and they move as on the CPU."""

import numpy as np
import pytest
from core.test_devices import counted
from core.test_particles import scattered, started
from support import devices
from support.ranks import on_ranks
from whorl.base.ranks import MPI

pytestmark = pytest.mark.every_device

CHARGED = {"model": "mhd", "resistivity": 0.05}
KINDS = {
    "tracer": ({}, {}),
    "inertial": ({}, {"response_time": 0.1, "gravity": (0.0, 0.3, -1.0)}),
    "bubbles": ({}, {"kind": "inertial", "response_time": 0.1, "added_mass": 2.0}),
    "molecular": ({}, {"diffusivity": 0.02}),
    "charged": (CHARGED, {"charge_to_mass": 2.0}),
}


@on_ranks(1)
@pytest.mark.parametrize("kind", KINDS)
def test_a_step_copies_no_particle(world, kind):
    """As many bytes as with few; behind the first step they are put into an order."""
    flow, options = KINDS[kind]
    options = {"kind": kind} | options
    during = []
    for count in (3, 2000):
        with started(flow=flow) as state:
            group = state.particles(count, **options)
            state.step()
            state.step()
            during.append(counted(lambda: [state.step() for _ in range(3)]))
            read = counted(group.positions)
            assert read["bytes"] == (0 if devices.current() == "cpu" else 24 * count)
            assert counted(group.positions)["bytes"] == 0
    assert during[0] == during[1]


@pytest.mark.turns
@on_ranks(1, 4)
@pytest.mark.parametrize("interpolation", ["spline", "lagrange"])
@pytest.mark.parametrize("kind", KINDS)
def test_paths_are_those_on_the_cpu(world, kind, interpolation):
    """To rounding, also where they come to other ranks."""
    flow, options = KINDS[kind]
    options = {"kind": kind} | options
    found = []
    for name, comm in (("cpu", MPI.COMM_SELF), (devices.current(), world)):
        with started(comm, flow=flow, run={"device": name}, time={"dt": 0.05, "until": 1.0}) as state:
            group = state.particles(scattered(300), interpolation=interpolation, **options)
            for _ in range(6):
                state.step()
            moved, read = group.positions(), group.sample("grad(u)")
            found.append((world.bcast(moved), world.bcast(read)))
    for alone, there in zip(*found, strict=True):
        assert np.abs(alone - there).max() < 1e-11 * np.abs(alone).max()


@on_ranks(4)
def test_particles_come_to_the_host_only_if_some_leave_a_rank(world):
    """In a flow at rest they stay, and what is copied is their positions and sums for neighbours."""
    during = []
    for speed in (0.0, 30.0):
        frame = {"mean_velocity": (0.0, speed, speed)}
        with started(world, flow=frame, initial={"name": "random", "energy": 1e-20}) as state:
            group = state.particles(2000, kind="inertial", response_time=0.05)
            state.step()
            during.append(counted(state.step)["from_host"])
            assert len(world.bcast(group.positions())) == 2000
    moved = devices.current() != "cpu"
    assert (during[1] > during[0]) == moved
