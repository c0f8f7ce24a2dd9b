"""Probes of a run: exact solutions, spectra of their series, and a file that restarts continue."""

import os
import signal

import numpy as np
import pytest
import xarray as xr
from support import devices
from support.build import needs
from support.ranks import on_ranks
from whorl.base.errors import BlowUp, CaseError
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.output import growing_file
from whorl.output import growing_table as output
from whorl.probes.results.spectra import frequency_spectrum, spatio_temporal_spectrum
from whorl.results.runs import open_run
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

PROBES = [
    {"kind": "modes", "of": ["u"], "modes": [[1, 0, 1], [-2, 1, 0]]},
    {"kind": "points", "of": ["u", "dx(u.x)**2 + x*t"], "positions": [[0.1, 0.2, 0.3], [3.0, 2.0, 1.0]]},
    {
        "kind": "points",
        "name": "line",
        "of": ["u.z"],
        "first": 0.0,
        "last": [3, 0, 0],
        "points": 5,
        "every": "3 steps",
    },
]


def case_of(directory=None, **sections) -> Case:
    output = {"series_every": "2 steps", "checkpoint_every": "4 steps", "spectra_every": "never"}
    given = {
        "grid": {"points": 16},
        "flow": {"viscosity": 0.01},
        "time": {"dt": 0.01, "steps": 10},
        "initial": {"name": "random", "seed": 5},
        "output": output | ({"directory": str(directory)} if directory else {}),
        "run": {"threads": 1, "device": devices.current()},
        "probes": PROBES,
    }
    return Case(**given | sections)


def test_the_decay_of_a_taylor_green_vortex_at_a_point():
    at = (0.3, 1.1, 2.0)
    probe = {"kind": "points", "of": ["u", "dx(u.x)*t"], "positions": [at]}
    case = case_of(
        flow={"viscosity": 0.1},
        time={"scheme": "rk4", "dt": 0.02, "steps": 50},
        probes=[probe],
        initial={"name": "zero"},
    )
    simulation = Simulation(case)
    simulation.set_field("velocity", lambda x, y, z: (np.sin(x) * np.cos(y), -np.cos(x) * np.sin(y), 0.0))
    simulation.run(progress=False)
    found = simulation.probes["points"]
    t, (x, y, _) = found["time"].values, at
    decay = np.exp(-2 * 0.1 * t)
    assert len(t) == 51
    assert t[-1] == pytest.approx(1.0)
    wanted = [np.sin(x) * np.cos(y), -np.cos(x) * np.sin(y), 0, t * np.cos(x) * np.cos(y)]
    for number, factor in enumerate(wanted):
        np.testing.assert_allclose(found["value"][:, number, 0], factor * decay, rtol=0, atol=1e-12)


def test_an_inertial_wave_has_its_frequency():
    """A Beltrami wave of positive helicity, whose products vanish: ω = −2 Ω k_z/k."""
    rotation, steps = 3.0, 400
    probe = {"kind": "modes", "of": ["u"], "modes": [[1, 0, 1], [-1, 0, -1], [0, 1, 1]]}
    case = case_of(
        flow={"viscosity": 0.0, "rotation": rotation, "linear": "exact"},
        time={"scheme": "rk4", "dt": 0.05, "steps": steps},
        initial={"name": "zero"},
        probes=[probe],
    )
    simulation = Simulation(case)

    def wave(x, y, z):
        across = np.sin(x + z) / np.sqrt(2)
        return across, np.cos(x + z), -across

    simulation.set_field("velocity", wave)
    simulation.run(progress=False)
    found = simulation.probes["modes"]
    energy = spatio_temporal_spectrum(found, segments=1)
    spacing = float(energy["frequency"][1] - energy["frequency"][0])
    omega = rotation * np.sqrt(2)
    peaks = energy["frequency"].values[energy.values.argmax(1)]
    assert peaks[0] == pytest.approx(-omega, abs=spacing)
    assert peaks[1] == pytest.approx(omega, abs=spacing)
    # Half of the energy ½ is in each of k and −k, none elsewhere.
    total = energy.sum("frequency") * spacing
    np.testing.assert_allclose(total, [0.25, 0.25, 0], rtol=1e-5, atol=1e-12)
    k = np.array([[1.0, 0], [0, 1], [1, 1]])
    up, down = case.flow.frequencies(k)
    np.testing.assert_allclose(up, [omega, omega])
    np.testing.assert_allclose(down, [-omega, -omega])


def test_a_spectrum_has_the_variance_and_the_place_of_a_wave():
    t = np.arange(4096) * 0.1
    rng = np.random.default_rng(0)
    noise = xr.DataArray(rng.standard_normal(t.size), {"time": t}, attrs={"units": "m"})
    for segments in (1, 4, 16):
        one = frequency_spectrum(noise, segments=segments)
        assert float(one.integrate("frequency")) == pytest.approx(float(noise.var()), rel=0.05)
        assert one["frequency"][0] == 0
        assert one["frequency"][-1] == pytest.approx(np.pi / 0.1)
    # White noise of variance 1: 1/(π/dt) at all frequencies.
    level = frequency_spectrum(noise, segments=64).mean()
    assert float(level) == pytest.approx(0.1 / np.pi, rel=0.05)
    cosine = frequency_spectrum(noise.copy(data=3 * np.cos(2 * t)))
    assert float(cosine.integrate("frequency")) == pytest.approx(4.5, rel=1e-2)
    assert float(cosine["frequency"][cosine.argmax("frequency")]) == pytest.approx(2, abs=0.07)
    turning = frequency_spectrum(noise.copy(data=3 * np.exp(-2j * t)), remove_mean=False)
    assert float(turning.integrate("frequency")) == pytest.approx(9, rel=1e-3)
    assert float(turning["frequency"][turning.argmax("frequency")]) == pytest.approx(2, abs=0.07)


def test_steps_that_differ_are_refused_or_interpolated():
    t = np.cumsum(0.1 + 0.02 * np.sin(np.arange(2000)))
    series = xr.DataArray(np.cos(1.5 * t), {"time": t}, attrs={"units": "m"})
    with pytest.raises(CaseError, match=r"the steps of time differ, from 0\.0800"):
        frequency_spectrum(series)
    found = frequency_spectrum(series, resample=True)
    assert float(found["frequency"][found.argmax("frequency")]) == pytest.approx(1.5, abs=0.1)
    with pytest.raises(CaseError, match="no 300 pieces of 8 times"):
        frequency_spectrum(series, segments=300, resample=True)


def test_the_frequencies_of_the_models():
    k = np.array([[3.0], [0.0], [4.0]])
    of = {
        "boussinesq": ({"viscosity": 0, "buoyancy_frequency": 5.0, "rotation": 1.0}, [np.hypot(3, 8 / 5)]),
        "mhd": ({"viscosity": 0, "mean_field": 2.0}, [8.0]),
        "gross-pitaevskii": ({"sound_speed": 2.0, "coherence_length": 0.1}, [10 * np.sqrt(1 + 0.125)]),
        "navier-stokes": ({"viscosity": 0, "rotation": 1.0, "mean_velocity": 0.25}, [1 + 8 / 5]),
    }
    for model, (options, wanted) in of.items():
        case = case_of(flow={"model": model, **options}, probes=(), initial=None)
        assert case.flow.frequencies(k)[0] == pytest.approx(wanted), model
        assert np.isnan(case.flow.frequencies(0 * k)[0]).all() or model == "mhd"


@needs("hdf5")
def test_a_restart_goes_on_without_a_gap_or_a_double(tmp_path, monkeypatch):
    monkeypatch.setattr(output, "MOST_ROWS", 3)
    case = case_of(tmp_path / "whole")
    Simulation(case).run(progress=False)
    begun = Simulation(case.updated(output={"directory": str(tmp_path / "parts")}))
    for _ in range(7):
        begun.step()
    # Rows behind the checkpoint of step 4 are in the file.
    assert open_run(tmp_path / "parts").probes["modes"]["step"].values[-1] > 4
    del begun
    Simulation.restart(tmp_path / "parts").run(progress=False)
    one, two = open_run(tmp_path / "whole").probes, open_run(tmp_path / "parts").probes
    assert set(one) == {"modes", "points", "line"}
    for name, data in one.items():
        xr.testing.assert_identical(data, two[name])
    assert one["modes"]["step"].values.tolist() == list(range(11))
    assert one["line"]["step"].values.tolist() == [0, 3, 6, 9]
    with xr.open_dataset(tmp_path / "whole" / "probes.h5", group="points", engine="h5netcdf") as data:
        assert data["value"].dims == ("time", "quantity", "point")
        np.testing.assert_array_equal(data["value"], one["points"]["value"])


@needs("hdf5")
def test_rows_after_the_checkpoint_are_those_of_the_restart(tmp_path, monkeypatch):
    monkeypatch.setattr(output, "MOST_ROWS", 3)
    begun = Simulation(case_of(tmp_path / "run"))
    for _ in range(7):
        begun.step()
    dt = begun.case.time.dt
    del begun
    Simulation.restart(tmp_path / "run", settings=[f"time.dt={dt / 2}"]).run(progress=False)
    rows = open_run(tmp_path / "run").probes["modes"]
    assert rows["step"].values.tolist() == list(range(11))
    np.testing.assert_allclose(np.diff(rows["time"]), [dt] * 4 + [dt / 2] * 6)


@needs("hdf5")
def test_a_file_is_that_of_memory(tmp_path):
    Simulation(case_of(tmp_path / "run")).run(progress=False)
    memory = Simulation(case_of())
    memory.run(progress=False)
    there = open_run(tmp_path / "run").probes
    for name, data in memory.probes.items():
        xr.testing.assert_allclose(data, there[name], rtol=0, atol=0)
    u = memory.field("velocity")
    assert abs(u).max() > 0


def flow_of(world, directory=None) -> Simulation:
    """A flow whose first modes do not depend on the ranks."""
    case = case_of(directory, initial={"name": "zero"}, grid={"points": [16, 12, 14]})
    simulation = Simulation(case, comm=world)
    simulation.set_field(
        "velocity", lambda x, y, z: (np.sin(y + z), np.exp(np.cos(z + x)), np.cos(x + 2 * y) + 0 * z)
    )
    return simulation


@needs("hdf5")
@on_ranks()
def test_a_run_on_ranks_writes_one_file(world, tmp_path):
    """The file of rank 0 is that of one rank, and a restart on these ranks goes on in it."""
    output.MOST_ROWS = 3
    directory = world.bcast(tmp_path) / "run"
    with flow_of(world, directory) as simulation:
        for _ in range(7):
            simulation.step()
    with Simulation.restart(directory, comm=world) as simulation:
        simulation.run(progress=False)
    if world.rank:
        return
    with flow_of(MPI.COMM_SELF) as alone:
        alone.run(progress=False)
        wanted = alone.probes
    for name, data in open_run(directory).probes.items():
        assert data["step"].values.tolist() == wanted[name]["step"].values.tolist()
        xr.testing.assert_allclose(data, wanted[name], rtol=0, atol=1e-12)
        array = data["amplitude" if name == "modes" else "value"]
        assert np.all(np.abs(array).max("time") > (0 if name == "modes" else 1e-3))


@needs("hdf5")
def test_a_kill_leaves_a_file_that_can_be_read(tmp_path):
    """Killed while it writes rows: the file has those before, and the restart the others."""
    if (child := os.fork()) == 0:
        output.MOST_ROWS = 2
        append, simulation = growing_file.append_states, Simulation(case_of(tmp_path / "run"))

        def dying(group, data):
            append(group, data)
            if simulation.step_number >= 7:
                os.kill(os.getpid(), signal.SIGKILL)

        growing_file.append_states = dying
        simulation.run(progress=False)
        os._exit(0)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
    there = open_run(tmp_path / "run").probes["modes"]["step"].values
    assert 4 < len(there) < 8
    assert there.tolist() == list(range(len(there)))
    Simulation.restart(tmp_path / "run").run(progress=False)
    assert open_run(tmp_path / "run").probes["modes"]["step"].values.tolist() == list(range(11))


@needs("hdf5")
def test_rows_of_a_large_file_are_next_to_it(tmp_path, monkeypatch):
    """They are read there, a restart merges them, and a new run in the directory removes them."""
    monkeypatch.setattr(growing_file, "SMALL", 0)
    monkeypatch.setattr(growing_file, "SHARE", 0.01)
    monkeypatch.setattr(output, "MOST_ROWS", 2)
    place = tmp_path / "run"
    for overwrite in (False, True):
        with Simulation(case_of(place), overwrite=overwrite) as begun:
            assert not list(place.glob("probes*"))
            for _ in range(7):
                begun.step()
        assert list(place.glob("probes-0*.h5"))
    steps = open_run(place).probes["modes"]["step"].values
    assert len(steps) > 5
    assert steps.tolist() == list(range(len(steps)))
    Simulation.restart(place).run(progress=False)
    assert [path.name for path in place.glob("probes*")] == ["probes.h5"]
    assert open_run(place).probes["modes"]["step"].values.tolist() == list(range(11))


@needs("hdf5")
@pytest.mark.parametrize("most", [3, 1000])
def test_a_blow_up_leaves_all_rows_before_it(tmp_path, monkeypatch, most):
    """Those of every state that is finite, though no checkpoint has written them, and no others."""
    monkeypatch.setattr(output, "MOST_ROWS", most)
    sections = {
        "flow": {"viscosity": 0.0},
        "time": {"dt": 3.0, "steps": 100},
        "output": {"directory": str(tmp_path / "run"), "checkpoint_every": "never", "series_every": "never"},
    }
    simulation = Simulation(case_of(probes=PROBES[:2], **sections))
    with pytest.raises(BlowUp) as error:
        simulation.run(progress=False)
    there = open_run(tmp_path / "run").probes
    last = error.value.step
    for name, array in (("modes", "amplitude"), ("points", "value")):
        steps = there[name]["step"].values.tolist()
        assert steps == list(range(len(steps)))
        assert last - 1 <= steps[-1] <= last
        assert 2 < len(steps) < 100
        assert np.isfinite(there[name][array].values).all() or name == "points"
    assert np.abs(there["modes"]["amplitude"]).max() > 10


@needs("hdf5")
def test_other_options_under_one_name_are_refused(tmp_path):
    Simulation(case_of(tmp_path / "run")).run(progress=False)
    other = ["time.steps=12", 'probes=[{kind = "modes", of = "u", modes = [[1, 0, 0]]}]']
    with pytest.raises(CaseError, match="has a probe modes with other options; give the new"):
        Simulation.restart(tmp_path / "run", settings=other)
    own = ["time.steps=12", 'probes=[{kind = "modes", name = "w", of = "u.z", modes = [[1, 0, 0]]}]']
    Simulation.restart(tmp_path / "run", settings=own).run(progress=False)
    there = open_run(tmp_path / "run").probes
    assert there["w"]["step"].values.tolist() == [11, 12]
    assert there["modes"]["step"].values.tolist() == list(range(11))


@needs("hdf5")
def test_rows_of_a_probe_that_a_restart_leaves_out_are_not_lost(tmp_path):
    Simulation(case_of(tmp_path / "run")).run(progress=False)
    own = 'probes=[{kind = "points", name = "new", of = "u.z", positions = [[1, 0, 0]]}]'
    again = Simulation.restart(tmp_path / "run", settings=["time.steps=12", own])
    assert not [told for told in again._notices.warnings if "probes.h5" in told]
    again.run(progress=False)
    there = open_run(tmp_path / "run").probes
    assert there["new"]["step"].values.tolist() == [11, 12]
    assert not any(one.attrs.get("gaps") for one in there.values())


@pytest.mark.parametrize(
    ("probe", "told"),
    [
        ({"kind": "modes", "of": "u", "modes": [[6, 0, 0]]}, r"\[6, 0, 0\], which grid.* does not keep"),
        ({"kind": "modes", "of": "u.x**2", "modes": [[1, 0, 0]]}, "this has a product or a"),
        ({"kind": "modes", "of": "p", "modes": [[1, 0, 0]]}, "this has a product or a"),
        ({"kind": "modes", "of": "dx(u.x*u.y)", "modes": [[1, 0, 0]]}, "this has a product or a function"),
        ({"kind": "modes", "of": "v", "modes": [[1, 0, 0]]}, '"v" is not known'),
        ({"kind": "modes", "of": "u", "modes": [[1.5, 0, 0]]}, "probes.*modes"),
        ({"kind": "points", "of": "u", "positions": [[7, 0, 0]]}, "a point at x = 7, outside the box"),
        ({"kind": "points", "of": "u"}, "takes either positions, or a line"),
        ({"kind": "points", "of": "u", "first": 0, "last": 1}, "takes either positions, or a line"),
        ({"kind": "points", "of": "p", "positions": [[0, 0, 0]]}, r"the pressure\) needs a round trip"),
        ({"kind": "points", "of": "u.x - mean(u.y)", "positions": [[0, 0, 0]]}, "a mean needs all points"),
        ({"kind": "points", "of": "u.x/max(u.x)", "positions": [[0, 0, 0]]}, "a maximum needs all points"),
        ({"kind": "points", "of": "x", "positions": [[0, 0, 0]]}, "it does not depend on the flow"),
        ({"kind": "points", "of": "3", "positions": [[0, 0, 0]]}, "it is the same at all points"),
        ({"kind": "modes", "of": ["u", "u.z"], "modes": [[1, 0, 0]]}, "^probes.modes.of holds u.z more"),
        ({"kind": "lines", "of": "u"}, "lines"),
    ],
)  # fmt: skip
def test_what_a_case_may_not_ask(probe, told):
    with pytest.raises(CaseError, match=told) as error:
        case_of(probes=[probe])
    assert "\n\n" not in str(error.value)


def test_two_of_one_name_are_refused():
    with pytest.raises(CaseError, match="two probes are called modes"):
        case_of(probes=[PROBES[0], PROBES[0]])


@needs("hdf5")
def test_pictures(tmp_path):
    from whorl.pictures import plot

    case = case_of(
        tmp_path / "run", flow={"viscosity": 0.01, "rotation": 5.0}, time={"dt": 0.01, "steps": 60}
    )
    Simulation(case).run(progress=False)
    for name in ("modes", "points"):
        picture = plot(tmp_path / "run", "probe", name=name)
        assert picture == tmp_path / "run" / f"probe-{name}.png"
        assert picture.stat().st_size > 10_000
    with pytest.raises(CaseError, match="has no probe modus; did you mean modes"):
        plot(tmp_path / "run", "probe", name="modus")
