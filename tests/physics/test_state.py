"""The state in scripts: whole fields, means and maxima on any ranks, fields set meanwhile, pauses."""

import numpy as np
import pytest
from physics.flows import beltrami
from support.build import needs
from support.ranks import on_ranks
from whorl.base.errors import BlowUp, CaseError
from whorl.config.case import Case
from whorl.results.runs import open_run
from whorl.run.simulation import Simulation


def case_of(**changes) -> Case:
    sections = {
        "grid": {"points": [16, 12, 10]},
        "flow": {"viscosity": 0.02},
        "time": {"dt": 0.05, "until": 0.5},
        "scalars": [{"name": "dye"}],
        "run": {"threads": 1},
    }
    return Case(**sections | changes)


def start(x, y, z):
    return np.sin(y + 0 * x + 0 * z) + 0.25, np.cos(x + 0 * y + 0 * z) + 0.5, 0.0


def dye(x, y, z):
    return 2.0 + np.cos(x) * np.cos(2 * y) * np.sin(z)


@on_ranks(1, 2, 3, 6)
def test_whole_fields_means_and_maxima(world):
    with Simulation(case_of(), {"velocity": start, "dye": dye}, comm=world) as simulation:
        whole = simulation.gather("velocity")
        z0, z1, y0, y1 = simulation.block
        assert (whole is None) == (world.rank > 0)
        whole = world.bcast(whole)
        assert whole.shape == (3, 10, 12, 16)
        assert np.array_equal(whole[:, z0:z1, y0:y1], simulation.velocity())
        last = simulation.gather("dye", root=world.size - 1)
        assert (last is None) == (world.rank < world.size - 1)
        assert simulation.mean("velocity") == pytest.approx([0.25, 0.5, 0.0], abs=1e-14)
        assert simulation.mean("dye") == pytest.approx([2.0])
        assert simulation.maximum("velocity") == pytest.approx(np.sqrt((whole**2).sum(0)).max())
        assert simulation.maximum("dye") == pytest.approx(np.abs(world.bcast(last, world.size - 1)).max())
        with pytest.raises(ValueError, match=r'"heat" is not known; known are velocity, u, dye, .*vorticity'):
            simulation.maximum("heat")


def test_a_maximum_that_is_none():
    simulation = Simulation(case_of(), start)
    simulation.flow.set_physical(lambda z0, z1, y0, y1, out: out.fill(np.nan), field="velocity")
    with pytest.raises(BlowUp, match="the largest velocity is nan"):
        simulation.maximum("velocity")
    with pytest.raises(BlowUp, match="the largest velocity is nan"):
        simulation.maximum("norm(curl(u))")


def test_an_expression_that_is_none_somewhere_is_no_blow_up():
    with pytest.raises(CaseError, match=r"^log\(u.x - 10\) is not finite at all points, though the flow is"):
        Simulation(case_of(), start).maximum("log(u.x - 10)")


@on_ranks(1, 2)
def test_a_callback_may_change_the_state(world):
    """Statistics that were known are of the state before."""
    with Simulation(case_of(), beltrami(0.02), comm=world) as simulation:
        energies = []

        @simulation.every("4 steps")
        def stir(now):
            energies.append(now.statistics()["energy"])
            now.set_field("velocity", lambda x, y, z: [2 * each for each in beltrami(0.02)(x, y, z)])
            energies.append(now.statistics()["energy"])

        simulation.run(progress=False)
        assert energies[1] == pytest.approx(energies[3])
        assert energies[2] < 0.995 * energies[1]
        assert energies[0] < 0.3 * energies[1]


def test_a_field_can_be_an_array_and_is_projected():
    simulation = Simulation(case_of(), start)
    given = np.random.default_rng(1).standard_normal((1, 10, 12, 16))
    simulation.set_field("dye", given)
    assert simulation.mean("dye") == pytest.approx([given.mean()])
    with pytest.raises(CaseError, match=r'gives a field "heat".*velocity, dye'):
        simulation.set_field("heat", given)
    with pytest.raises(CaseError, match=r"has shape \(1, 10, 12, 16\), not \(3, nz, ny, nx\)"):
        simulation.set_field("velocity", given)


def test_a_script_gives_one_field_and_the_case_another():
    case = case_of(
        initial={"name": "taylor-green"},
        scalars=[{"name": "dye"}, {"name": "ink", "initial": {"name": "formula", "value": "3"}}],
    )
    simulation = Simulation(case, {"dye": dye})
    assert simulation.statistics()["energy"] == pytest.approx(0.125)
    assert simulation.mean("dye") == pytest.approx([2.0])
    assert simulation.mean("ink") == pytest.approx([3.0])
    with pytest.raises(
        CaseError, match=r'initial.name = "taylor-green" and the script gives a field velocity'
    ):
        Simulation(case, start)
    with pytest.raises(CaseError, match=r'scalars.initial.name = "formula" and the script gives a field ink'):
        Simulation(case, {"ink": dye})
    rest = Simulation(case_of(initial={"name": "zero"}), {"velocity": start})
    assert rest.mean("velocity")[:2] == pytest.approx([0.25, 0.5])


@pytest.mark.parametrize("time", [{"dt": 0.04}, {"courant": 0.5}], ids=str)
def test_a_run_may_pause(time, tmp_path):
    """At the very time, with the directory still its own; then it goes on to its end."""
    directory = tmp_path / "out"
    every = {"series_every": "1 steps", "directory": str(directory)}
    simulation = Simulation(case_of(time={"until": 0.5, **time}, output=every), start)
    assert not simulation.run(until=0.1, progress=False)
    assert simulation.time == 0.1
    with pytest.raises(CaseError, match="still open in this program"):
        Simulation.restart(directory)
    assert not simulation.run(until=0.1, progress=False)
    steps = simulation.step_number
    simulation.step()
    assert simulation.step_number == steps + 1
    assert simulation.run(until=9.0, progress=False)
    assert simulation.time == 0.5
    assert simulation.finished
    times = open_run(directory).series["time"].values
    assert 0.1 in times
    assert (np.diff(times) > 0).all()
    assert "paused at t = 0.1" in (directory / "log.txt").read_text()


def test_statistics_have_what_follows_from_them():
    """Every column of the series but those of the step."""
    case = Case(
        grid={"points": [16, 16, 12], "lengths": [2.0, 2.0, 1.0]},
        flow={"model": "rayleigh-benard", "rayleigh": 1e4, "prandtl": 1.0},
        time={"dt": 0.01, "steps": 1},
        initial={"name": "zero", "temperature": {"name": "random", "k0": 3.0, "energy": 0.01}},
    )
    simulation = Simulation(case)
    simulation.step()
    values, row = simulation.statistics(), simulation.series.isel(time=-1)
    for name in ("nusselt_volume", "nusselt_plates", "thermal_variance"):
        assert values[name] == pytest.approx(float(row[name]))
    not_of_a_state = {"step", "dt", "courant", "maximum_velocity"}
    assert not set(values) & not_of_a_state
    assert set(values) >= {str(name) for name in row.data_vars} - not_of_a_state


@pytest.mark.parametrize("name", ["series", "spectra", "snapshot", "checkpoint"])
def test_never_is_not_at_all(name, tmp_path):
    every = {f"{each}_every": "1 steps" for each in ("series", "spectra", "snapshot", "checkpoint")}
    output = every | {f"{name}_every": "never", "directory": str(tmp_path / "out")}
    with Simulation(case_of(time={"dt": 0.1, "steps": 2}, output=output), start) as simulation:
        simulation.run(progress=False)
    run = open_run(tmp_path / "out")
    counts = {
        "series": run.series.sizes["time"] if (tmp_path / "out" / "series.csv").is_file() else 0,
        "spectra": len(simulation.spectra["time"]),
        "snapshot": run.snapshots.sizes["time"],
        "checkpoint": len(run.checkpoints),
    }
    assert counts == {"series": 3, "spectra": 3, "snapshot": 3, "checkpoint": 2} | {name: 0}


def test_options_of_a_case_are_changed_by_name():
    case = case_of(initial={"name": "abc", "A": 2.0})
    changed = case.updated(
        ["grid.points=8"], flow={"viscosity": 0.5, "rotation": [0, 0, 1.0]}, run={"threads": 2}
    )
    assert changed.grid.points == (8, 8, 8)
    assert (changed.flow.viscosity, changed.flow.rotation, changed.run.threads) == (0.5, (0, 0, 1.0), 2)
    assert changed.initial == case.initial
    other = changed.updated(initial={"name": "random", "k0": 3.0}, time={"courant": 0.4})
    assert (other.initial.k0, other.time.dt, other.time.courant) == (3.0, None, 0.4)
    with pytest.raises(CaseError, match=r"flow.viscosty is not an option .* did you mean flow.viscosity"):
        case.updated(flow={"viscosty": 1.0})


@pytest.mark.parametrize("until", [float("nan"), float("inf")])
def test_a_pause_needs_a_time(until):
    with pytest.raises(ValueError, match="is no time to pause at"):
        Simulation(case_of(), start).run(until=until)


def test_a_run_that_has_ended_leaves_its_directory_alone(tmp_path):
    """Others may be at work there."""
    simulation = Simulation(case_of(output={"directory": str(tmp_path / "out")}), start)

    @simulation.every("2 steps")
    def fail(now):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        simulation.run(progress=False)
    with pytest.raises(ValueError, match="has ended, and its directory is free for others"):
        simulation.step()


@needs("hdf5")
def test_a_state_that_a_callback_changes_is_in_the_checkpoint(tmp_path):
    """A restart goes on from what the callback made of it."""
    every = {"checkpoint_every": "2 steps", "directory": str(tmp_path / "out")}
    case = case_of(time={"dt": 0.05, "steps": 4}, output=every)

    def doubled(now):
        whole = now.gather("velocity")
        now.set_field("velocity", 2 * whole)

    with Simulation(case, start) as simulation:
        simulation.every("2 steps", doubled)
        simulation.run(progress=False)
        expected = simulation.velocity()
        energy = simulation.statistics()["energy"]
        assert energy == pytest.approx(float(simulation.series["energy"][-1]))
    with Simulation.restart(tmp_path / "out", step=2, settings=["time.steps=4"]) as again:
        again.every("2 steps", doubled)
        again.run(progress=False)
        assert np.array_equal(again.velocity(), expected)


def test_a_field_that_is_refused_is_not_taken_for_the_one_before():
    simulation = Simulation(case_of(), start)
    simulation.statistics()
    with pytest.raises(CaseError, match="must be finite everywhere"):
        simulation.set_field("velocity", np.full((3, 10, 12, 16), np.nan))
    with pytest.raises(BlowUp):
        simulation.statistics()


@pytest.mark.parametrize("given", [{"vorticity": dye}, {"velocity": start, "vorticity": dye}])
def test_what_sets_the_same_is_given_once(given):
    """The velocity and the vorticity of a flow in the plane."""
    case = Case(
        grid={"points": [16, 12, 1]},
        flow={"model": "navier-stokes-2d", "viscosity": 0.1},
        time={"dt": 0.1, "steps": 1},
        initial={"name": "taylor-green"} if len(given) == 1 else None,
    )
    with pytest.raises(CaseError, match="an initial velocity and one of vorticity set the same"):
        Simulation(case, given)
