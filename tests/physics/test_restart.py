"""A run that was interrupted and one that was not end in the same bits."""

import h5py
import numpy as np
import pytest
import xarray as xr
from physics.flows import SCHEMES, TRUNCATIONS, distance
from support import devices
from support.build import needs
from support.checkpoints import seal
from whorl import _core
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.results.runs import open_run
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

RANDOM = {"name": "random", "k0": 2.0, "seed": 5}


def make_case(directory, truncation=TRUNCATIONS[0], threads=1, **time) -> Case:
    return Case(
        grid={"points": [12, 16, 10], **truncation},
        flow={"viscosity": 0.01},
        time={"courant": 0.7, "steps": 10} | time,
        initial=RANDOM,
        output={
            "directory": str(directory),
            "series_every": "1 steps",
            "spectra_every": "2 steps",
            "checkpoint_every": "4 steps",
            "snapshot_every": "5 steps",
            "snapshot_precision": "double",
        },
        run={"threads": threads, "device": devices.current()},
    )


def finished(case: Case, initial=None) -> Simulation:
    simulation = Simulation(case, initial)
    simulation.run(progress=False)
    return simulation


def interrupted(case: Case, at: int = 6) -> None:
    """Steps that end without a word, as a kill does: checkpoints of step 4 remain."""
    simulation = Simulation(case)
    for _ in range(at):
        simulation.step()


def check_same(one, other) -> None:
    """Series, spectra and snapshots of two directories, bit for bit."""
    one, other = open_run(one), open_run(other)
    xr.testing.assert_identical(one.series, other.series)
    xr.testing.assert_identical(one.spectra, other.spectra)
    xr.testing.assert_identical(one.snapshots["time"], other.snapshots["time"])
    assert np.array_equal(one.snapshots["velocity"].values, other.snapshots["velocity"].values)


@pytest.mark.turns
@pytest.mark.parametrize(
    ("scheme", "truncation"),
    [("rk3", truncation) for truncation in TRUNCATIONS] + [(scheme, TRUNCATIONS[3]) for scheme in SCHEMES],
    ids=str,
)
def test_the_same_bits(tmp_path, scheme, truncation):
    whole = finished(make_case(tmp_path / "whole", truncation, scheme=scheme))
    interrupted(make_case(tmp_path / "parts", truncation, scheme=scheme))
    again = Simulation.restart(tmp_path / "parts")
    assert again.step_number == 4
    again.run(progress=False)
    assert np.array_equal(again.velocity(), whole.velocity())
    assert (again.time, again.clock.compensation) == (whole.time, whole.clock.compensation)
    check_same(tmp_path / "whole", tmp_path / "parts")


def test_the_same_bits_between_two_steps_that_share_their_grids(tmp_path):
    odd = ["output.checkpoint_every='3 steps'"]
    whole = finished(make_case(tmp_path / "whole", TRUNCATIONS[3]).updated(odd))
    interrupted(make_case(tmp_path / "parts", TRUNCATIONS[3]).updated(odd), at=4)
    again = Simulation.restart(tmp_path / "parts")
    assert again.step_number == 3
    again.run(progress=False)
    assert np.array_equal(again.velocity(), whole.velocity())


def test_the_same_bits_beyond_an_end_that_the_steps_missed_by_a_rounding(tmp_path):
    time = {"courant": None, "dt": 0.1, "steps": None}
    whole = finished(make_case(tmp_path / "whole", **time, until=0.7))
    first = finished(make_case(tmp_path / "parts", **time, until=0.3))
    assert (first.time, first.step_number) == (0.3, 3)
    again = Simulation.restart(tmp_path / "parts", until=0.7)
    assert (again.time, again.step_number) == (0.3, 3)
    again.run(progress=False)
    assert (again.time, again.step_number) == (0.7, 7)
    assert (whole.time, whole.step_number) == (0.7, 7)
    assert np.array_equal(again.velocity(), whole.velocity())


def test_the_same_bits_in_single_precision(tmp_path):
    single = ["run.precision=single"]
    whole = finished(make_case(tmp_path / "whole").updated(single))
    interrupted(make_case(tmp_path / "parts").updated(single))
    again = Simulation.restart(tmp_path / "parts")
    again.run(progress=False)
    assert again.velocity().dtype == np.float32
    assert np.array_equal(again.velocity(), whole.velocity())


@pytest.mark.parametrize("time", [{"courant": None, "dt": 0.013}, {"steps": None, "until": 0.55}], ids=str)
def test_the_same_bits_with_threads(tmp_path, time):
    whole = finished(make_case(tmp_path / "whole", threads=2, **time))
    interrupted(make_case(tmp_path / "parts", threads=2, **time), at=5)
    again = Simulation.restart(tmp_path / "parts")
    again.run(progress=False)
    assert np.array_equal(again.velocity(), whole.velocity())
    check_same(tmp_path / "whole", tmp_path / "parts")


def test_the_same_bits_after_a_longer_end(tmp_path):
    whole = finished(make_case(tmp_path / "whole", courant=None, dt=0.01, steps=12))
    finished(make_case(tmp_path / "parts", courant=None, dt=0.01, steps=6))
    again = Simulation.restart(tmp_path / "parts", settings=["time.steps=12"])
    assert again.step_number == 6
    again.run(progress=False)
    assert np.array_equal(again.velocity(), whole.velocity())


def test_until_goes_further(tmp_path):
    finished(make_case(tmp_path / "run", courant=None, dt=0.01, steps=None, until=0.05))
    again = Simulation.restart(tmp_path / "run", until=0.1)
    again.run(progress=False)
    assert again.time == pytest.approx(0.1, rel=1e-15)
    assert list(open_run(tmp_path / "run").series["step"].values) == list(range(11))
    assert open_run(tmp_path / "run").case.time.until == 0.1


def test_an_earlier_checkpoint_and_what_came_after_it(tmp_path):
    """Rows behind the checkpoint are made anew, later checkpoints are set aside, not lost."""
    whole = finished(make_case(tmp_path / "run"))
    again = Simulation.restart(tmp_path / "run", step=8, settings=["output.keep_checkpoints=5"])
    assert again.step_number == 8
    assert list(open_run(tmp_path / "run").series["step"].values) == list(range(9))
    assert [path.name for path in (tmp_path / "run" / "checkpoints").glob("*.aside")] == ["00000010.h5.aside"]
    again.run(progress=False)
    assert np.array_equal(again.velocity(), whole.velocity())
    assert list(open_run(tmp_path / "run").series["step"].values) == list(range(11))


@pytest.mark.parametrize(("first", "second"), [("double", "single"), ("single", "double")])
def test_another_precision_goes_on_to_single_rounding(tmp_path, first, second):
    case = make_case(tmp_path / "run", courant=None, dt=0.01)
    whole = finished(make_case(tmp_path / "whole", courant=None, dt=0.01))
    interrupted(case.updated([f"run.precision={first}"]))
    again = Simulation.restart(tmp_path / "run", settings=[f"run.precision={second}"])
    again.run(progress=False)
    assert again.velocity().dtype == {"single": np.float32, "double": np.float64}[second]
    assert 1e-9 < distance(again.velocity(), whole.velocity()) < 1e-6


def test_a_complete_run_says_so(tmp_path):
    finished(make_case(tmp_path / "run"))
    with pytest.raises(CaseError, match=r"at t = .*, step 10, .* nothing left to do before time\.steps = 10"):
        Simulation.restart(tmp_path / "run")


@pytest.mark.parametrize(
    "setting", ["flow.viscosity=1", "grid.points=8", "output.directory=x", "initial.seed=2"]
)
def test_what_a_restart_must_not_change(tmp_path, setting):
    interrupted(make_case(tmp_path / "run"))
    before = (tmp_path / "run" / "case.toml").read_text()
    with pytest.raises(CaseError, match="not for a restart"):
        Simulation.restart(tmp_path / "run", settings=[setting])
    assert (tmp_path / "run" / "case.toml").read_text() == before


def test_a_run_from_a_script_s_own_field_restarts(tmp_path):
    case = Case(**(make_case(tmp_path / "run").to_dict() | {"initial": None}))
    simulation = Simulation(case, lambda x, y, z: (np.sin(y), np.sin(z), np.sin(x)))
    for _ in range(5):
        simulation.step()
    expected = simulation.velocity()
    simulation.close()
    again = Simulation.restart(tmp_path / "run")
    again.step()
    assert np.array_equal(again.velocity(), expected)


@pytest.mark.only_cpu
@needs("fftw")
def test_lines_that_were_measured_are_taken_again(tmp_path):
    """A checkpoint says what run.lines = "auto" came to; who asks for others has them."""
    interrupted(make_case(tmp_path / "run"))
    (path,) = (tmp_path / "run" / "checkpoints").glob("*.h5")
    with h5py.File(path, "r+") as file:
        assert file.attrs["lines"].startswith(b"own,own,own,")
        assert file.attrs["level"].decode() == _core.build_info()["level"]
        file.attrs["lines"] = "own,fftw-estimate,own,24"
    seal(path)
    again = Simulation.restart(tmp_path / "run")
    assert (again.case.run.lines, again.flow.options.lines) == ("auto", "own,fftw-estimate,own,24")
    del again
    again = Simulation.restart(tmp_path / "run", settings=["run.lines=fftw"])
    assert again.flow.options.lines.startswith("fftw,fftw,fftw,")


@pytest.mark.only_cpu
@pytest.mark.skipif("cpu-as-gpu" not in _core.build_info()["devices"], reason="there is no other device")
def test_lines_are_chosen_anew_on_another_device(tmp_path):
    interrupted(make_case(tmp_path / "run"))
    again = Simulation.restart(tmp_path / "run", settings=["run.device=cpu-as-gpu"])
    assert again.flow.options.lines == "own,own,own"


@pytest.mark.only_cpu
@pytest.mark.skipif("cpu-as-gpu" not in _core.build_info()["devices"], reason="there are no streams")
def test_planes_that_were_measured_are_taken_again(tmp_path):
    """Where a library transforms lines, a result may differ in its last bits with the planes at a time."""
    on_streams = make_case(tmp_path / "run").updated(["run.device=cpu-as-gpu"])
    interrupted(on_streams)
    (path,) = (tmp_path / "run" / "checkpoints").glob("*.h5")
    with h5py.File(path, "r+") as file:
        assert file.attrs["plane_bytes"] == 0  # all planes fit, so that there is nothing to choose
        file.attrs["plane_bytes"] = 4096
    seal(path)
    again = Simulation.restart(tmp_path / "run")
    assert again.flow.options.plane_bytes == 4096
    del again
    for setting in ("run.lines=fftw", "run.device=cpu"):
        again = Simulation.restart(tmp_path / "run", settings=[setting])
        assert again.flow.options.plane_bytes == 0
        again.close()
        del again


def test_a_restart_at_another_instruction_level_says_so(tmp_path):
    interrupted(make_case(tmp_path / "run"))
    Simulation.restart(tmp_path / "run").close()
    assert "WHORL_LEVEL" not in (tmp_path / "run" / "log.txt").read_text()
    (path,) = (tmp_path / "run" / "checkpoints").glob("*.h5")
    with h5py.File(path, "r+") as file:
        file.attrs["level"] = "v9"
    seal(path)
    Simulation.restart(tmp_path / "run").close()
    said = (tmp_path / "run" / "log.txt").read_text()
    assert "warning: the run so far was computed at instruction level v9" in said
    assert "WHORL_LEVEL=v9" in said
