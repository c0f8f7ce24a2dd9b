"""All kinds of particles in one case: their file, ranks, and restarts that repeat every bit."""

import h5py
import numpy as np
import pytest
from physics.test_particle_runs import case_of
from support import devices
from support.build import needs
from support.particles import by_ranks, finished, same, whole_and_begun
from support.ranks import on_ranks
from whorl.base.errors import BlowUp, CaseError
from whorl.output.directory import RunDirectory
from whorl.results.runs import open_run
from whorl.run.simulation import Simulation

pytestmark = needs("hdf5")

GROUPS = [
    {"kind": "tracer", "lattice": 2},
    {"kind": "inertial", "count": 20, "response_time": 0.05, "gravity": [0.0, 0.3, -2.0], "of": ["u"]},
    {"kind": "molecular", "count": 20, "diffusivity": 0.2},
    {"kind": "charged", "count": 20, "charge_to_mass": 3.0, "pairs": [0.3]},
]
MHD = {"model": "mhd", "viscosity": 0.02, "mean_field": [0.0, 0.5, 1.0]}
SHEAR = ["sin(2.0943951023931953*y)", "exp(cos(x))", "cos(x)"]
INITIAL = {
    "name": "formula",
    "value": SHEAR,
    "magnetic": {"name": "formula", "value": ["cos(2*pi*z/5)", "0.3", "sin(x)"]},
}


def all_kinds(directory=None, scheme="rk4", **sections):
    time = {"dt": 0.02, "steps": 10, "scheme": scheme}
    groups = [group | {"every": "1 step"} for group in GROUPS]
    given = {"flow": MHD, "initial": INITIAL, "time": time, "particles": groups} | sections
    return case_of(directory, **given)


@pytest.mark.every_device
@pytest.mark.parametrize("scheme", ["rk2", "rk4-gill", "ab2", "ab3"])
def test_a_restart_repeats_every_bit(tmp_path, scheme):
    whole_and_begun(tmp_path, lambda directory: Simulation(all_kinds(directory, scheme)))
    whole = open_run(tmp_path / "whole").particles
    same(whole, finished(tmp_path / "parts"))
    assert set(whole) == {"tracer", "inertial", "molecular", "charged"}
    for name, data in whole.items():
        assert ("velocity" in data.data_vars) == (name in ("inertial", "charged"))
        assert np.abs(data["position"][-1] - data["position"][0]).max() > 0.05
    inertial = whole["inertial"]
    assert inertial["velocity"].dims == ("time", "particle", "axis")
    assert inertial["velocity"].attrs["units"] == "length/time"
    np.testing.assert_allclose(inertial["velocity"][0], inertial["value"][0], atol=1e-12)


def test_steps_of_another_scheme_that_remembers_fewer_or_more(tmp_path):
    """From ab3 to ab2 and back: particles have the history that the fields have."""
    found = {}
    for first, then in (("ab2", "ab3"), ("ab3", "ab2"), ("rk4", "ab2"), ("ab3", "rk4")):
        place = tmp_path / f"{first}-{then}"
        with Simulation(all_kinds(place, first)) as simulation:
            for _ in range(8):
                simulation.step()
        data = finished(place, settings=[f"time.scheme={then}", "time.steps=12"])
        found[first, then] = data["tracer"]["position"][-1].values
    wanted = found["ab3", "rk4"]
    for one in found.values():
        assert np.abs(one - wanted).max() < 2e-3


@on_ranks(2, 3, 4)
@pytest.mark.every_device
def test_ranks_make_a_difference_of_rounding(world, tmp_path):
    """A restart on the same ranks repeats every bit; one on another number differs by rounding."""
    there = by_ranks(
        world, tmp_path, lambda comm, directory=None: Simulation(all_kinds(directory), comm=comm)
    )
    assert set(there) == ({"tracer", "inertial", "molecular", "charged"} if world.rank == 0 else set())


@pytest.mark.parametrize("how", ["changed", "missing"])
def test_a_wrong_velocity_in_a_checkpoint_is_told(tmp_path, how):
    with Simulation(all_kinds(tmp_path / "run")) as simulation:
        for _ in range(9):
            simulation.step()
    with h5py.File(tmp_path / "run" / "checkpoints" / "00000008.particles.h5", "a") as file:
        assert file["inertial"]["velocities"].shape == (20, 1, 3)
        assert "velocities" not in file["tracer"]
        if how == "changed":
            file["inertial"]["velocities"][3, 0, 1] += 1e-12
        else:
            del file["inertial"]["velocities"]
    with pytest.raises(CaseError, match=r"is damaged: (its checksum is wrong|inertial lacks velocities)"):
        Simulation.restart(tmp_path / "run")


def test_another_directory_takes_velocities_along(tmp_path):
    with Simulation(all_kinds(tmp_path / "run")) as simulation:
        simulation.run(until=0.1, progress=False)
        simulation._recorder.checkpoint(0.02)
        wanted = {name: simulation.tracers[name].velocities() for name in ("inertial", "charged")}
    for scheme in ("rk3", "ab2"):
        settings = ["grid.points=[16,16,16]", f"time.scheme={scheme}"]
        with Simulation.restart(tmp_path / "run", tmp_path / scheme, settings=settings) as simulation:
            for name, velocities in wanted.items():
                np.testing.assert_array_equal(simulation.tracers[name].velocities(), velocities)
            simulation.run(until=0.14, progress=False)


WRONG = [
    ({"kind": "inertial"}, "response_time"),
    ({"kind": "inertial", "response_time": 0.0}, "greater than 0"),
    (
        {"kind": "inertial", "response_time": 1e-3},
        r"time.dt = 0.02 is more than 10 times .*response_time = 0.001",
    ),
    ({"kind": "inertial", "response_time": 1.0, "gravity": [1, 2]}, "three numbers"),
    ({"kind": "molecular"}, "takes either diffusivity or schmidt_number; given: none"),
    ({"kind": "molecular", "diffusivity": 1.0, "schmidt_number": 1.0}, "given: both"),
    ({"kind": "molecular", "diffusivity": -1.0}, "greater than 0"),
    ({"kind": "charged"}, "charge_to_mass"),
    (
        {"kind": "charged", "charge_to_mass": 1.0},
        "has no magnetic field b that would act on charged particles",
    ),
    ({"kind": "inert"}, "Choose one of tracer, inertial, molecular, charged"),
    ({"kind": "tracer", "response_time": 1.0}, "response_time"),
]


@pytest.mark.parametrize(("options", "told"), WRONG)
def test_what_a_case_may_not_ask(options, told):
    with pytest.raises(CaseError, match=told) as error:
        case_of(particles=[{"count": 3} | options])
    assert "\n\n" not in str(error.value)


def test_a_schmidt_number_needs_a_viscosity():
    group = {"kind": "molecular", "count": 3, "schmidt_number": 0.7}
    with pytest.raises(
        CaseError, match=r"schmidt_number = 0.7 gives no diffusivity, since the flow has no visc"
    ):
        case_of(flow={"viscosity": 0.0}, particles=[group])


def test_what_a_script_may_not_ask():
    with Simulation(case_of(particles=[], run={"device": devices.current()})) as state:
        for options, told in {
            "response_time": ({"kind": "inertial"}, "response_time"),
            "unknown": ({"response_tim": 1.0, "kind": "inertial"}, "did you mean particles.*response_time"),
            "kind": ({"kind": "inert"}, "Choose one of tracer, inertial, molecular, charged"),
            "of": ({"of": ["u"]}, "of: only .* of a case have this"),
            "shape": (
                {"kind": "inertial", "response_time": 1.0, "velocity": np.zeros((2, 3))},
                r"one for each of 3 particles, not of shape \(2, 3\)",
            ),
        }.values():
            with pytest.raises(ValueError, match=told):
                state.particles(3, **options)
        with pytest.raises(ValueError, match="at positions or by pairs; give one of them"):
            state.particles(np.zeros((3, 3)), pairs=[0.1])
        with pytest.raises(ValueError, match="have no velocity of their own"):
            state.particles(3).velocities()
        assert state.particles(0).count == state.particles(np.empty((0, 3)), kind="tracer").count == 0


@on_ranks(1, 2)
@pytest.mark.parametrize(("every", "checkpoints"), [("2 steps", True), ("never", True), ("2 steps", False)])
def test_particles_that_blow_up_stop_the_run(world, tmp_path, every, checkpoints):
    """Charges whose gyration no step resolves; the last good checkpoint and the rows before stay."""
    charged = {"kind": "charged", "count": 20, "charge_to_mass": 1e6, "every": every}
    output = {"directory": str(tmp_path / "run"), "checkpoint_every": "4 steps" if checkpoints else "never"}
    case = all_kinds(particles=[charged], time={"dt": 0.02, "steps": 60}, output=output)
    known = "last good checkpoint is .*" if checkpoints else "no checkpoint had been written."
    told = (
        r"the particles charged blew up at t = .*: the positions of [\d, ]+ and others are not finite; "
        rf".*{known} A smaller time.dt or time.courant may keep them"
    )
    with Simulation(case, comm=world) as simulation:
        with pytest.raises(BlowUp, match=told):
            simulation.run(progress=False)
        lost = simulation.clock.step
    if world.rank > 0:
        return
    run = open_run(tmp_path / "run")
    if checkpoints:
        with h5py.File(RunDirectory(run.directory).particles_path(4 * ((lost - 1) // 4))) as file:
            assert np.isfinite(file["charged/positions"][:]).all()
    if every != "never":
        data = run.particles["charged"]
        assert np.isfinite(data["position"].values).all()
        assert data["step"].values[-1] == lost - 2


@on_ranks(1, 2)
def test_a_flow_that_blows_up_is_told_where_it_takes_particles_along(world, tmp_path):
    tracer = {"kind": "tracer", "count": 20, "every": "1 step"}
    time, flow = {"dt": 3.0, "steps": 60, "scheme": "rk4"}, {"viscosity": 1e-6}
    case = case_of(tmp_path / "run", particles=[tracer], time=time, flow=flow)
    with (
        Simulation(case, comm=world) as simulation,
        pytest.raises(BlowUp, match=r"the flow blew up at t = .*: the kinetic energy is "),
    ):
        simulation.run(progress=False)
