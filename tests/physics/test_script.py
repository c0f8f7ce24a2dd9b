"""whorl from a script: initial fields, the loop by hand, callbacks, fields and results."""

import numpy as np
import pytest
import whorl
import xarray as xr
from physics.flows import beltrami, curl, distance, gradient, make_case, noise, on_twice_the_points, run
from support import devices
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.output.snapshot_writer import write_snapshot
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

BOX = (8, 12, 10)


def script_case(**sections) -> Case:
    usual = {
        "grid": {"points": BOX},
        "flow": {"viscosity": 0.05},
        "time": {"dt": 0.05, "steps": 6},
        "run": {"device": devices.current()},
    }
    return Case(**(usual | sections))


# Initial fields


def test_a_function_and_its_array_are_the_same_flow():
    by_function = Simulation(script_case(), beltrami(0.0))
    by_array = Simulation(script_case(), by_function.velocity())
    for simulation in (by_function, by_array):
        simulation.run(progress=False)
    assert distance(by_array.velocity(), by_function.velocity()) < 1e-14


def test_a_function_sees_x_y_and_z_as_they_are():
    """x varies along the last axis; scalars fill a component; the mean flow stays."""
    seen = []

    def velocity(x, y, z):
        seen.append((x.shape[2], y.shape[1], *z.ravel()))
        assert x.shape[:2] == (1, 1)
        assert y.shape[::2] == (1, 1)
        assert z.shape[1:] == (1, 1)
        return np.cos(2 * y), 0.5, np.cos(x)

    u, v, w = Simulation(script_case(), velocity).velocity()
    x, y = 2 * np.pi * np.arange(8) / 8, 2 * np.pi * np.arange(12) / 12
    assert u == pytest.approx(np.broadcast_to(np.cos(2 * y)[:, None], u.shape), abs=1e-14)
    assert v == pytest.approx(np.full(v.shape, 0.5), abs=1e-14)
    assert w == pytest.approx(np.broadcast_to(np.cos(x), w.shape), abs=1e-14)
    assert all(place[:2] == (8, 12) for place in seen)
    assert len({z for place in seen for z in place[2:]}) == 10


def test_a_field_with_divergence_is_projected():
    u = noise(BOX, reach=2)
    A = gradient(Simulation(script_case(), u).velocity())
    assert np.abs(np.einsum("iizyx->zyx", A)).max() < 1e-13
    both = Simulation(script_case(), lambda x, y, z: (np.cos(x + y), np.cos(x + y) + np.cos(z), 0.0))
    assert both.velocity()[0].max() < 1e-15
    left = np.cos(both.coordinates[2])[:, None, None] + np.zeros_like(both.velocity()[1])
    np.testing.assert_allclose(both.velocity()[1], left, atol=1e-15)


@pytest.mark.parametrize(
    ("initial", "message"),
    [
        (lambda x, y, z: (x, y), "2 components, not three"),
        (np.zeros((3, 8, 12, 10)), r"\(3, 8, 12, 10\), not \(3, nz, ny, nx\) = \(3, 10, 12, 8\)"),
        (None, "no initial field.*abc, roberts, kolmogorov, orszag-tang, random, formula, from-file, zero"),
    ],
)
def test_initial_fields_that_cannot_be(initial, message):
    with pytest.raises(CaseError, match=message):
        Simulation(script_case(), initial)


@pytest.mark.parametrize("kind", ["noise", "without its mean"])
def test_a_function_must_depend_on_points_alone(kind):
    """It is called block by block: what depends on the block would be another field on other ranks."""

    def velocity(x, y, z):
        shape = (3, *np.broadcast_shapes(x.shape, y.shape, z.shape))
        if kind == "noise":
            return np.random.default_rng(0).standard_normal(shape)
        u = np.broadcast_to(np.sin(x) + np.cos(z), shape)
        return u - u.mean()

    with pytest.raises(CaseError, match="must depend on x, y and z alone"):
        Simulation(script_case(), velocity)


def test_two_initial_fields_are_one_too_many():
    with pytest.raises(CaseError, match=r'initial\.name = "abc" and the script gives a field'):
        Simulation(script_case(initial={"name": "abc"}), beltrami(0.0))


def test_what_is_no_case_is_refused():
    with pytest.raises(CaseError, match=r'needs a Case, not "x\.toml": load_case'):
        Simulation("x.toml", beltrami(0.0))


def test_calls_that_cannot_be_are_refused():
    simulation = Simulation(script_case(), beltrami(0.0))
    with pytest.raises(ValueError, match="root = 3 is no rank to gather on: ranks are 0 to 0"):
        simulation.gather("velocity", root=3)
    with pytest.raises(ValueError, match="3 cannot be called"):
        simulation.every("1 steps", 3)
    with pytest.raises(ValueError, match="until = -1 is no time to pause at"):
        simulation.run(until=-1, progress=False)
    assert simulation.step_number == 0
    simulation.run(until=0.05, progress=False)
    assert not simulation.run(until=0.0, progress=False)
    assert simulation.step_number == 1


def test_an_exception_in_the_function_comes_through():
    def velocity(x, y, z):
        raise ZeroDivisionError("in the user's function")

    with pytest.raises(ZeroDivisionError, match="in the user's function"):
        Simulation(script_case(), velocity)


def test_a_random_field_has_its_spectrum_and_follows_its_seed():
    spectrum = [0.0, 0.3, 0.2, 0.1]
    fields = []
    for seed in (1, 1, 2):
        case = script_case(initial={"name": "random", "spectrum": spectrum, "seed": seed})
        simulation = Simulation(case)
        energy = simulation.flow.spectra()["energy"]
        assert energy[:4] == pytest.approx(spectrum, rel=1e-13, abs=1e-30)
        assert energy[4:].sum() == pytest.approx(0, abs=1e-30)
        fields.append(simulation.velocity())
    assert np.array_equal(fields[0], fields[1])
    assert distance(fields[0], fields[2]) > 0.5


def test_the_usual_random_spectrum_peaks_where_asked():
    simulation = Simulation(
        make_case(32).updated(["initial.name=random", "initial.k0=5", "initial.energy=2"])
    )
    energy = simulation.flow.spectra()["energy"]
    k = np.arange(energy.size)
    shape = k**4 * np.exp(-2 * (k / 5) ** 2)
    # The corner shells of the truncation have too few modes, or none, to count in the sum.
    assert energy[:10] == pytest.approx(
        2 * shape[:10] / (np.arange(99) ** 4 * np.exp(-0.08 * np.arange(99) ** 2)).sum()
    )
    assert energy.argmax() == 5


@pytest.mark.parametrize("kind", ["snapshot", "h5", "npz"])
def test_from_file(tmp_path, kind):
    given = Simulation(script_case(), beltrami(0.0))
    path = tmp_path / {"snapshot": "field.vtkhdf", "h5": "field.h5", "npz": "field.npz"}[kind]
    u, v, w = given.velocity()
    if kind == "snapshot":
        write_snapshot(given.flow, str(path), ["velocity"], {"time": 0.0}, single=False)
    elif kind == "npz":
        np.savez(path, u=u, v=v, w=w)
    else:
        xr.Dataset({name: (("z", "y", "x"), f) for name, f in (("u", u), ("v", v), ("w", w))}).to_netcdf(
            path, engine="h5netcdf"
        )
    read = Simulation(script_case(initial={"name": "from-file", "path": str(path)}))
    assert distance(read.velocity(), given.velocity()) < 1e-14


# The loop


def test_steps_by_hand_are_a_run():
    by_hand = Simulation(script_case(), noise(BOX))
    reports = [by_hand.step() for _ in range(6)]
    whole = Simulation(script_case(), noise(BOX))
    assert whole.run(progress=False)
    assert np.array_equal(by_hand.velocity(), whole.velocity())
    assert by_hand.time == whole.time == pytest.approx(0.3)
    assert by_hand.step_number == 6
    assert all(report.dt == 0.05 and report.courant > 0 for report in reports)
    with pytest.raises(ValueError, match=r"finished at t = 0\.3, step 6"):
        by_hand.step()


def test_callbacks_in_steps_and_in_time():
    simulation = Simulation(script_case(time={"dt": 0.03, "until": 0.3}), beltrami(0.05))
    steps, times, states = [], [], []
    simulation.every("4 steps", lambda s: steps.append(s.step_number))

    @simulation.every(0.1)
    def note(s):
        times.append(s.time)
        states.append(s.velocity())

    simulation.run(progress=False)
    assert steps == [4, 8]
    assert times == pytest.approx([0.12, 0.21, 0.3])
    assert np.abs(states[0]).max() > np.abs(states[2]).max()
    assert callable(note)


def test_callbacks_cannot_follow_the_wall_clock():
    simulation = Simulation(script_case(), beltrami(0.0))
    with pytest.raises(ValueError, match="follow steps, time or turnovers, not real time"):
        simulation.every("5 minutes", print)
    with pytest.raises(ValueError, match=r"^the interval 'now and then': it must be a positive number"):
        simulation.every("now and then", print)


def test_a_callback_may_stop_the_run_by_raising():
    simulation = Simulation(script_case(), beltrami(0.0))

    @simulation.every("2 steps")
    def enough(s):
        raise StopIteration

    with pytest.raises(StopIteration):
        simulation.run(progress=False)
    assert simulation.step_number == 2


def test_nothing_is_printed_or_written_unasked(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    Simulation(script_case(), beltrami(0.0)).run(progress=False)
    assert capfd.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == []


# Fields and results


def test_fields_are_copies():
    simulation = Simulation(script_case(), noise(BOX))
    field = simulation.velocity()
    kept = field.copy()
    assert field.flags.writeable
    assert field.flags.owndata
    assert field.shape == (3, 10, 12, 8)
    simulation.step()
    assert np.array_equal(field, kept)
    now = simulation.velocity()
    field[...] = np.nan
    assert np.array_equal(simulation.velocity(), now)


def test_coordinates_and_block_of_one_rank():
    simulation = Simulation(script_case(grid={"points": BOX, "lengths": [4.0, 6.0, 5.0]}), noise(BOX))
    x, y, z = simulation.coordinates
    assert x == pytest.approx(np.arange(8) / 2)
    assert y == pytest.approx(np.arange(12) / 2)
    assert z == pytest.approx(np.arange(10) / 2)
    assert simulation.block == (0, 10, 0, 12)


def test_vorticity_is_the_curl_of_the_velocity():
    simulation = Simulation(script_case(), noise(BOX))
    assert distance(curl(gradient(simulation.velocity())), simulation.vorticity()) < 1e-14
    assert on_twice_the_points(simulation.velocity())[:, ::2, ::2, ::2] == pytest.approx(
        simulation.velocity(), abs=1e-14
    )


def test_results_are_datasets_with_units():
    simulation = Simulation(
        script_case(output={"series_every": "2 steps", "spectra_every": "3 steps"}), noise(BOX)
    )
    simulation.run(progress=False)
    series, spectra = simulation.series, simulation.spectra
    assert isinstance(series, xr.Dataset)
    assert series["time"].values == pytest.approx([0, 0.1, 0.2, 0.3])
    assert list(series["step"].values) == [0, 2, 4, 6]
    assert series["energy"].attrs["units"] == "length²/time²"
    assert float(series["energy"][-1]) == simulation.statistics()["energy"]
    assert list(spectra["step"].values) == [0, 3, 6]
    assert spectra["energy"].dims == ("time", "k")
    assert spectra["energy"].sum("k").values == pytest.approx(series["energy"].values[[0, -2, -1]], rel=0.05)
    assert float(spectra["energy"][-1].sum()) == pytest.approx(float(series["energy"][-1]), rel=1e-14)
    assert np.abs(spectra["transfer"].sum("k")).max() < 1e-14
    spectra["energy"][:] = 0
    assert float(simulation.spectra["energy"].sum()) > 0


def test_results_on_disk_are_those_in_memory(tmp_path):
    output = {"directory": str(tmp_path / "run"), "snapshot_every": "3 steps", "snapshot_precision": "double"}
    case = script_case(output=output)
    simulation = Simulation(case, noise(BOX))
    simulation.run(progress=False)
    results = whorl.open_run(tmp_path / "run")
    xr.testing.assert_identical(results.series, simulation.series)
    xr.testing.assert_identical(results.spectra, simulation.spectra)
    assert results.case == case
    assert results.snapshots["time"].values == pytest.approx([0, 0.15, 0.3])
    with xr.open_dataset(tmp_path / "run" / "snapshots" / "00000006.vtkhdf", engine="whorl") as snapshot:
        for name in ("velocity", "vorticity"):
            assert snapshot[name].dims == ("z", "y", "x", "component")
            field = snapshot[name].transpose("component", "z", "y", "x").values
            assert np.array_equal(field, getattr(simulation, name)())
        assert snapshot["x"].values == pytest.approx(simulation.coordinates[0])
        assert snapshot.attrs["step"] == 6


def test_the_public_names():
    assert set(whorl.__all__) <= set(dir(whorl))
    assert whorl.Simulation is Simulation
    assert whorl.load_case("abc").initial.name == "abc"
    with pytest.raises(AttributeError, match="no attribute 'simulation_'"):
        _ = whorl.simulation_


def test_a_run_of_keywords_decays_like_the_closed_form():
    simulation = run(make_case(8, 0.05, dt=0.05), beltrami(0.05), 6)
    assert simulation.statistics()["energy"] == pytest.approx(
        (1 + 0.7**2 + 0.43**2) / 2 * np.exp(-2 * 0.05 * 0.3), rel=1e-14
    )


def test_a_callback_is_due_at_the_last_step_too():
    """The step that lands on the end passes a multiple of the interval as any other does."""
    simulation = Simulation(script_case(time={"dt": 0.04, "until": 0.1}), beltrami(0.05))
    times = []
    simulation.every(0.1, lambda s: times.append(s.time))
    simulation.every(0.05, lambda s: times.append(-s.time))
    simulation.run(progress=False)
    assert times == pytest.approx([-0.08, 0.1, -0.1])
