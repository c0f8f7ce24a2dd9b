"""Particles of a case: their file against known paths, and restarts that repeat every bit of them."""

import os
import shutil
import signal

import h5py
import numpy as np
import pytest
import xarray as xr
from physics.test_tracers import CELLS, DECAYED
from support import devices
from support.build import needs
from support.particles import by_ranks, finished, same, whole_and_begun
from support.ranks import on_ranks
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.output import growing_file, growing_table, recorder
from whorl.particles import checkpoint as particle_checkpoint
from whorl.results.runs import open_run
from whorl.run.simulation import Simulation

pytestmark = needs("hdf5")

CLOUD = {
    "kind": "tracer",
    "name": "cloud",
    "lattice": [4, 3, 2],
    "of": ["u", "dx(u.x)**2 + x*t"],
    "every": "3 steps",
}
PAIR = {"kind": "tracer", "positions": [[1.0, 0.4, 2.0], [-9.0, 5.0, 30.0]], "points": 6, "every": "1 step"}


def case_of(directory=None, **sections) -> Case:
    output = {"checkpoint_every": "4 steps", "spectra_every": "never", "keep_checkpoints": 2}
    given = {
        "grid": {"points": [12, 16, 14], "lengths": [2 * np.pi, 3.0, 5.0]},
        "flow": {"viscosity": 0.02},
        "time": {"dt": 0.02, "steps": 10},
        "initial": {"name": "random", "seed": 5, "k0": 2},
        "output": output | ({"directory": str(directory)} if directory else {}),
        "run": {"threads": 1, "device": devices.current()},
        "particles": [CLOUD, PAIR],
    }
    return Case(**given | sections)


@pytest.mark.every_device
def test_the_file_has_the_paths_that_are_known(tmp_path):
    """A tracer in decaying cells, and what it reads: its velocity is that of the cells where it is."""
    group = {
        "kind": "tracer",
        "positions": [[1.0, 0.4, 0.0], [1.0 + 2 * np.pi, 0.4, 0.0]],
        "points": 8,
        "of": ["u", "dx(u.x)*t"],
        "every": "7 steps",
    }
    case = case_of(
        tmp_path / "run",
        grid={"points": [48, 48, 1]},
        flow={"viscosity": 0.03},
        time={"dt": 0.09, "until": 9.0, "scheme": "rk4"},
        initial=CELLS,
        particles=[group],
    )
    with Simulation(case) as simulation:
        assert simulation.tracers["tracer"].count == 2
        simulation.run(progress=False)
    data = open_run(tmp_path / "run").particles["tracer"]
    assert data["step"].values.tolist() == [*range(0, 100, 7), 100]
    assert data["time"].values[-1] == pytest.approx(9.0)
    position, value = data["position"], data["value"]
    assert position.dims == ("time", "particle", "axis")
    assert value.dims == ("time", "particle", "quantity")
    assert position[0, :, 0].values.tolist() == [1.0, 1.0 + 2 * np.pi]
    assert position[-1, 0, :2].values == pytest.approx(DECAYED, abs=1e-5)
    np.testing.assert_allclose(position[:, 1] - position[:, 0], [[2 * np.pi, 0, 0]] * 16, atol=1e-9)
    x, y = position.sel(axis="x").values, position.sel(axis="y").values
    t = data["time"].values[:, None]
    decay = np.exp(-2 * 0.03 * t)
    wanted = {
        "u.x": np.sin(x) * np.cos(y),
        "u.y": -np.cos(x) * np.sin(y),
        "u.z": 0 * x,
        "dx(u.x)*t": t * np.cos(x) * np.cos(y),
    }
    assert data["quantity"].values.tolist() == list(wanted)
    for name, expected in wanted.items():
        np.testing.assert_allclose(value.sel(quantity=name), expected * decay, atol=2e-5)
    assert position.attrs["units"] == "length"
    with xr.open_dataset(tmp_path / "run" / "particles.h5", group="tracer", engine="h5netcdf") as there:
        np.testing.assert_array_equal(there["position"], position)
        assert '"points": 8' in there.attrs["options"]


def test_a_lattice_is_even():
    case = case_of(
        grid={"points": [12, 16, 1], "lengths": [3.0, 2.0, 1.0]},
        initial={"name": "abc"},
        particles=[CLOUD | {"lattice": [3, 2, 1]}],
    )
    with Simulation(case) as simulation:
        found = simulation.tracers["cloud"].positions()
        again = simulation.particles(lattice=(3, 2, 1)).positions()
    wanted = [[x, y, 0.0] for y in (0.5, 1.5) for x in (0.5, 1.5, 2.5)]
    np.testing.assert_allclose(found, wanted, rtol=1e-15)
    np.testing.assert_array_equal(again, found)


@pytest.mark.every_device
@pytest.mark.parametrize("scheme", ["rk2", "rk4", "ab2", "ab3"])
def test_a_restart_repeats_every_bit(tmp_path, monkeypatch, scheme):
    """From a checkpoint behind which rows are in the file already."""
    monkeypatch.setattr(growing_table, "MOST_ROWS", 2)
    time = {"dt": 0.02, "steps": 10, "scheme": scheme}
    whole_and_begun(tmp_path, lambda directory: Simulation(case_of(directory, time=time)))
    assert open_run(tmp_path / "parts").particles["tracer"]["step"].values[-1] > 4
    with Simulation.restart(tmp_path / "parts") as simulation:
        assert simulation.step_number == 4
        simulation.run(progress=False)
        there = simulation.tracers["cloud"].positions()
    one, two = (open_run(tmp_path / name).particles for name in ("whole", "parts"))
    same(one, two)
    np.testing.assert_array_equal(there, one["cloud"]["position"][-1])
    assert one["tracer"]["step"].values.tolist() == list(range(11))
    assert one["cloud"]["step"].values.tolist() == [0, 3, 6, 9, 10]
    assert np.abs(one["cloud"]["position"][-1] - one["cloud"]["position"][0]).max() > 0.05


def sheared(comm, directory=None) -> Simulation:
    """A flow that does not depend on the ranks."""
    simulation = Simulation(case_of(directory, initial={"name": "zero"}), comm=comm)
    simulation.set_field(
        "velocity",
        lambda x, y, z: (np.sin(2.0943951 * y), np.exp(np.cos(x)), np.cos(x) + np.sin(1.2566371 * z * 0)),
    )
    return simulation


@on_ranks(2, 3, 4)
@pytest.mark.every_device
def test_ranks_write_one_file_and_go_on_on_others(world, tmp_path):
    """To rounding as on one rank; a restart on the same ranks repeats every bit, one on others does not."""
    for data in by_ranks(world, tmp_path, sheared).values():
        assert np.abs(data["position"][-1] - data["position"][0]).max() > 0.1


# Where a run is killed: within which function, and the share at which rows beside particles.h5 are merged.
MOMENTS = {
    "rows": (growing_file, "append_states", None),
    "rows beside": (growing_file, "write_group", 0.5),
    "merged": (growing_file, "append_states", 50),
    "not removed": (growing_file.GrowingFile, "_change", 50),
    "particles": (particle_checkpoint, "_put", None),
    "checkpoint": (recorder, "write_particles", 0.5),
}


@pytest.mark.turns
@pytest.mark.parametrize("order", ["time", "particle"])
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_kill_loses_nothing(tmp_path, moment, order):
    """Killed while it writes rows, the particles of a checkpoint, or before the checkpoint itself."""
    particles = [CLOUD | {"order": order}, PAIR | {"order": order}]
    if (child := os.fork()) == 0:
        place, name, share = MOMENTS[moment]
        growing_table.MOST_ROWS = 2
        if share:
            growing_file.SMALL, growing_file.SHARE = 0, share
        simulation = Simulation(case_of(tmp_path / "run", particles=particles))
        done = getattr(place, name)

        def dying(*arguments, **named):
            found = done(*arguments, **named)
            if simulation.step_number >= 7:
                os.kill(os.getpid(), signal.SIGKILL)
            return found

        setattr(place, name, dying)
        simulation.run(progress=False)
        os._exit(0)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
    steps = open_run(tmp_path / "run").particles["tracer"]["step"].values
    assert steps.tolist() == list(range(len(steps)))
    there = finished(tmp_path / "run")
    with Simulation(case_of(tmp_path / "whole", particles=particles)) as simulation:
        simulation.run(progress=False)
    same(there, open_run(tmp_path / "whole").particles)
    assert not list((tmp_path / "run").rglob("*.part"))
    assert not list((tmp_path / "run").glob("particles-*.h5"))


def test_old_checkpoints_go_with_their_particles(tmp_path):
    with Simulation(case_of(tmp_path / "run")) as simulation:
        simulation.run(progress=False)
    files = sorted(path.name for path in (tmp_path / "run" / "checkpoints").iterdir())
    assert files == [f"000000{step}{end}" for step in ("08", "10") for end in (".h5", ".particles.h5")]
    with Simulation.restart(tmp_path / "run", step=8) as simulation:
        files = sorted(path.name for path in (tmp_path / "run" / "checkpoints").iterdir())
        assert files[2:] == ["00000010.h5.aside", "00000010.particles.h5.aside"]
    with Simulation(case_of(tmp_path / "run"), overwrite=True):
        assert not list((tmp_path / "run" / "checkpoints").iterdir())
        assert not (tmp_path / "run" / "particles.h5").exists()


def spoilt(path, how) -> None:
    if how == "missing":
        path.unlink()
    elif how == "no HDF5":
        path.write_bytes(b"nothing")
    elif how == "foreign":
        shutil.copyfile(path.with_name("00000004.particles.h5"), path)
    else:
        with h5py.File(path, "a") as file:
            if how == "identity":
                file["cloud"]["ids"][3] = 7
            elif how == "position":
                file["tracer"]["positions"][1, 0, 2] += 1e-12
            else:
                del file["tracer"]


@pytest.mark.parametrize(
    ("how", "told"),
    {
        "missing": "its particles are not there: no file",
        "no HDF5": "is damaged",
        "foreign": "has the particles of another checkpoint",
        "identity": "is damaged: its checksum is wrong",
        "position": "is damaged: its checksum is wrong",
        "group": "is damaged: its checksum is wrong",
    }.items(),
)
def test_a_wrong_file_of_particles_is_told(tmp_path, how, told):
    with Simulation(case_of(tmp_path / "run")) as simulation:
        for _ in range(9):
            simulation.step()
    place = tmp_path / "run"
    spoilt(place / "checkpoints" / "00000008.particles.h5", how)
    with pytest.raises(CaseError) as error:
        Simulation.restart(place)
    text = str(error.value)
    assert told in text
    assert "\n" not in text
    assert "put back the file that was written with it" in text
    assert f"whorl restart {place} --step 4" in text
    # As it advises: without particles, and from the checkpoint before.
    with Simulation.restart(place, tmp_path / "new", settings=["particles=[]"]) as simulation:
        assert not simulation.tracers
        assert any(
            "the particles cloud, the particles tracer of" in told for told in simulation._notices.warnings
        )
    assert finished(place, step=4)["tracer"]["step"].values.tolist() == list(range(11))


def test_a_run_in_another_directory_takes_them_along(tmp_path):
    with Simulation(case_of(tmp_path / "run")) as simulation:
        simulation.run(until=0.1, progress=False)
        simulation._recorder.checkpoint(0.02)
        wanted = simulation.tracers["cloud"].positions()
    new = {"kind": "tracer", "name": "new", "count": 70_000}
    for scheme in ("rk3", "ab2"):
        settings = ["grid.points=[16,16,16]", f"time.scheme={scheme}", "particles.1.points=8"]
        settings.append(
            "particles.2={" + ", ".join(f"{k} = {v!r}" for k, v in new.items()).replace("'", '"') + "}"
        )
        with Simulation.restart(tmp_path / "run", tmp_path / scheme, settings=settings) as simulation:
            np.testing.assert_array_equal(simulation.tracers["cloud"].positions(), wanted)
            assert simulation.tracers["new"].count == 70_000
            simulation.run(until=0.14, progress=False)
        with Simulation.restart(tmp_path / scheme, step=5) as simulation:
            np.testing.assert_array_equal(simulation.tracers["cloud"].positions(), wanted)
    with pytest.raises(CaseError, match=r"the particles cloud of .* have other options"):
        Simulation.restart(tmp_path / "run", tmp_path / "no", settings=["particles.0.lattice=5"])


def test_what_a_restart_may_change(tmp_path):
    place = tmp_path / "run"
    with Simulation(case_of(place)) as simulation:
        simulation.run(progress=False)
    for setting, told in {
        "particles.0.points=8": "the particles cloud of .* have other options; a restart may change",
        "particles.1.positions=[[1, 0, 0]]": "the particles tracer of .* have other options",
        "particles=[]": "has the particles cloud, tracer, and the case has none of that name",
    }.items():
        with pytest.raises(CaseError, match=told):
            Simulation.restart(place, settings=["time.steps=12", setting])
    new = 'particles.2={kind = "tracer", name = "new", count = 3, every = "never"}'
    other = 'particles.3={kind = "tracer", name = "other", count = 3, of = "u.z"}'
    changes = [
        "particles.0.of=['u.x','u.x*u.y']",
        "particles.0.every=1 step",
        "particles.1.of=u.z",
        new,
        other,
    ]
    there = finished(place, settings=["time.steps=12", *changes])
    assert "new" not in there
    assert there["other"]["step"].values.tolist() == [10, 12]
    cloud, pair = there["cloud"], there["tracer"]
    assert cloud["step"].values.tolist() == [0, 3, 6, 9, 10, 11, 12]
    assert cloud["quantity"].values.tolist() == ["u.x", "u.y", "u.z", "dx(u.x)**2 + x*t", "u.x*u.y"]
    known = np.isfinite(cloud["value"]).all("particle").values
    assert known[:5].tolist() == [[True] * 4 + [False]] * 5
    assert known[5:].tolist() == [[True, False, False, False, True]] * 2
    assert np.isfinite(pair["value"]).all("particle").values.ravel().tolist() == [False] * 11 + [True] * 2
    assert '"every": "1 step"' in cloud.attrs["options"]
    whole = case_of(tmp_path / "whole", time={"dt": 0.02, "steps": 12})
    with Simulation(whole) as simulation:
        simulation.run(progress=False)
    np.testing.assert_array_equal(
        pair["position"], open_run(tmp_path / "whole").particles["tracer"]["position"]
    )
    # Again from the checkpoint where the others began: their first row is not doubled.
    there = finished(place, settings=["time.steps=12", other], step=10)
    assert there["other"]["step"].values.tolist() == [10, 12]


@pytest.mark.parametrize("scheme", ["ab2", "ab3"])
def test_particles_begin_with_a_scheme_of_several_steps(tmp_path, scheme):
    time = {"dt": 0.02, "steps": 10, "scheme": scheme}
    with Simulation(case_of(tmp_path / "run", time=time)) as simulation:
        simulation.particles(3)
        simulation.step()
        with pytest.raises(ValueError, match=f'time.scheme = "{scheme}" remembers earlier steps'):
            simulation.particles(3)
        simulation.run(progress=False)
    new = ["time.steps=12", 'particles.2={kind = "tracer", name = "new", count = 3}']
    with pytest.raises(CaseError, match=r"the particles new cannot begin in this restart"):
        Simulation.restart(tmp_path / "run", settings=new)
    there = finished(tmp_path / "run", settings=[*new, "time.scheme=rk4"])
    assert there["new"]["step"].values.tolist() == [10, 12]


WRONG = [
    ({}, "particles.tracer takes one of count, positions, lattice, path to place particles; given: none"),
    ({"count": 3, "lattice": 3}, "given: particles.tracer.count and particles.tracer.lattice"),
    ({"count": 0}, "it must be at least 1"),
    ({"count": 10**9 + 1}, "it must be at most 1000000000"),
    ({"lattice": [2000, 2000, 2000]}, "has 8000000000 particles; a group has at most"),
    ({"lattice": [2, 0, 2]}, r"lattice\[1\] = 0"),
    ({"positions": []}, "at least 1"),
    ({"positions": [[0, float("nan"), 0]]}, "it must be a finite number"),
    ({"positions": [[0, 1e30, 0]]}, "y = 1e.30, more than 1e.06 lengths of the box away"),
    ({"count": 3, "points": 5}, "it must be one of 2, 4, 6, 8"),
    ({"count": 3, "interpolation": "linear"}, "spline"),
    ({"count": 3, "of": "dx(x*u.x)"}, "particles.tracer.of: x is not periodic"),
    ({"count": 3, "of": "mean(u.x**3)"}, "it is the same at all points"),
    ({"count": 3, "of": "crul(u)"}, "did you mean curl?"),
    ({"count": 3, "of": ["u", "u.z"]}, "particles.tracer.of holds u.z more than once"),
    ({"count": 3, "every": "3 minutes"}, "interval of real time"),
    ({"count": 3, "kind": "inert"}, "did you mean inertial?"),
    ({"count": 3, "seeds": 3}, "did you mean particles.*seed"),
    ({"count": 3, "order": "axis"}, "order = .axis.*it must be one of time, particle"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "told"), WRONG)
def test_what_a_case_may_not_ask(options, told):
    with pytest.raises(CaseError, match=told) as error:
        case_of(particles=[{"kind": "tracer"} | options])
    assert "\n\n" not in str(error.value)


def test_what_does_not_fit_the_rest_of_a_case():
    group = {"kind": "tracer", "count": 3}
    with pytest.raises(CaseError, match=r"two groups of particles are called tracer; give particles.name"):
        case_of(particles=[group, group])
    with pytest.raises(CaseError, match=r"lattice has 2 particles along z, along which the flow is plane"):
        case_of(grid={"points": [16, 16, 1]}, particles=[{"kind": "tracer", "lattice": 2}])
    flow = {"model": "gross-pitaevskii", "sound_speed": 2.0, "coherence_length": 0.4}
    with pytest.raises(CaseError, match='"gross-pitaevskii" has no velocity that particles could move with'):
        case_of(flow=flow, initial={"name": "zero"}, particles=[group])
    flow = {"model": "rayleigh-benard", "rayleigh": 1000.0, "prandtl": 1.0}
    with pytest.raises(CaseError, match=r"positions has z = 1.5, behind a wall, since z is 0 to 1"):
        case_of(
            flow=flow,
            initial={"name": "zero"},
            grid={"points": 16, "lengths": 1.0},
            particles=[{"kind": "tracer", "positions": [0, 0, 1.5]}],
        )


def test_a_setting_replaces_the_way_of_placing():
    case = case_of().updated(["particles.0.count=7"])
    assert (case.particles[0].count, case.particles[0].lattice) == (7, None)
    assert Case(**case.to_dict()) == case
