"""A state that is not finite ends a run at once, in every model, whatever sets the step or is due."""

import math
from types import SimpleNamespace

import h5py
import numpy as np
import pytest
from support.build import needs
from whorl.base.errors import BlowUp, CaseError
from whorl.config.case import Case
from whorl.output.finite import FiniteWatch
from whorl.run.simulation import Simulation

SEED = {"name": "random", "k0": 2.0, "energy": 0.1}
MODELS = {
    "navier-stokes": ({"viscosity": 0.01}, {}),
    "mhd": ({"viscosity": 0.01}, {"magnetic": SEED}),
    "boussinesq": ({"viscosity": 0.01, "buoyancy_frequency": 1.0}, {"temperature": SEED}),
    "quasi-static-mhd": ({"viscosity": 0.01, "interaction": 1.0}, {}),
    "rayleigh-benard": ({"rayleigh": 1e4, "prandtl": 1.0}, {"temperature": SEED}),
}
TIMES = {"dt": {"dt": 0.01}, "courant": {"courant": 0.5, "dt_max": 0.01}}


def case_of(model, time, directory=None, every="1000 steps"):
    flow, others = MODELS[model]
    names = ("series", "spectra", "checkpoint")
    return Case(
        grid={"points": 16, "bases": "FFF", "lengths": [1.0, 1.0, 1.0]},
        flow={"model": model, **flow},
        time={"until": 1.0, **TIMES[time]},
        initial=SEED | others,
        output={f"{name}_every": every for name in names}
        | ({"directory": str(directory)} if directory else {}),
        run={"threads": 1},
    )


def spoil(simulation, field):
    """One value of a field becomes NaN, as a defect of memory would have it."""

    def fill(z0, z1, y0, y1, out):
        out[...] = 0.0
        if z0 == 0:
            out[0, 0, 0, 3] = math.nan

    simulation.flow.set_physical(fill, field=field)


@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize("model", MODELS)
def test_nan_between_outputs(model, time):
    simulation = Simulation(case_of(model, time))
    simulation.step()
    spoil(simulation, "velocity")
    with pytest.raises(BlowUp, match=r"blew up at t = .*, step 1: the largest velocity is nan"):
        simulation.step()


@pytest.mark.parametrize("field", ["velocity", None])
@pytest.mark.parametrize("model", MODELS)
def test_nan_before_a_checkpoint(model, field, tmp_path):
    """Also where it is in a field that no step is measured by."""
    simulation = Simulation(case_of(model, "dt", tmp_path / "out"))
    simulation.step()
    others = [name for name in simulation.case.flow.state if name != "velocity"]
    spoil(simulation, field or (others or ["velocity"])[0])
    simulation._recorder.sums.forget()  # of the state before
    with pytest.raises(BlowUp, match=r"the .* is nan"):
        simulation._recorder.checkpoint(0.01)
    assert list((tmp_path / "out" / "checkpoints").iterdir()) == []


@needs("hdf5")
@pytest.mark.parametrize("model", MODELS)
def test_a_blow_up_after_a_restart_names_its_checkpoint(model, tmp_path):
    with Simulation(case_of(model, "dt", tmp_path / "out", "2 steps")) as simulation:
        for _ in range(2):
            simulation.step()
    with Simulation.restart(tmp_path / "out") as simulation:
        spoil(simulation, "velocity")
        with pytest.raises(BlowUp) as caught:
            simulation.run(progress=False)
    assert caught.value.checkpoint == tmp_path / "out" / "checkpoints" / "00000002.h5"
    assert "00000002.h5" in str(caught.value)
    assert (caught.value.step, caught.value.time) == (2, pytest.approx(0.02))


def test_a_step_that_does_not_move_the_time_on():
    simulation = Simulation(case_of("navier-stokes", "dt").updated(time={"dt": 1e-20}))
    simulation.clock.land(0.5)
    with pytest.raises(BlowUp, match="the time step 1e-20 is too small to move the time on"):
        simulation.step()


def test_nothing_is_written_of_a_state_that_is_lost(tmp_path):
    """Snapshots are looked at as rows are."""
    case = case_of("mhd", "dt", tmp_path / "out").updated(output={"snapshot_every": "1 steps"})
    simulation = Simulation(case)
    simulation.step()
    spoil(simulation, "magnetic")
    with pytest.raises(BlowUp):
        simulation.run(progress=False)
    snapshots = sorted(path.name for path in (tmp_path / "out" / "snapshots").iterdir())
    assert snapshots == ["00000000.vtkhdf", "00000001.vtkhdf"]
    assert np.isfinite(simulation.series["energy"]).all()


@needs("hdf5")
def test_fields_in_each_other_s_place_are_damage(tmp_path):
    """The checksum knows which is which."""
    with Simulation(case_of("mhd", "dt", tmp_path / "out", "1 steps")) as simulation:
        simulation.step()
    path = tmp_path / "out" / "checkpoints" / "00000001.h5"
    with h5py.File(path, "r+") as file:
        for part in ("first", "second"):
            one, other = file[f"velocity_{part}"], file[f"magnetic_{part}"]
            one[...], other[...] = other[...], one[...]
    with pytest.raises(CaseError, match="its data are damaged"):
        Simulation.restart(tmp_path / "out")


def test_growth_is_not_judged_without_a_kinetic_energy():
    """The sums of a model may have no energy, as those of a front's height have none."""
    flow = SimpleNamespace(only_kinetic=False, viscous=True)
    watch = FiniteWatch(SimpleNamespace(flow=flow), None, SimpleNamespace(time=1.0, step=2), {}, lambda: None)
    beyond = SimpleNamespace(maximum_velocity=1.0, courant=2.0)
    watch.check_growth(beyond, {"variance": 1e9})
    flow.only_kinetic = True
    watch.check_growth(beyond, {"energy": 1.0})
    with pytest.raises(BlowUp, match=r"the mean energy came to 50, where no point had more than 0\.5"):
        watch.check_growth(beyond, {"energy": 50.0})
