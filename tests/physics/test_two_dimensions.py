"""nz = 1: a flow without z, from the case to the snapshot, the picture and back."""

import numpy as np
import pytest
import whorl
from support import devices
from whorl.config.case import Case
from whorl.pictures import plot
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

NU = 0.05


def flat_case(**sections) -> Case:
    usual = {
        "grid": {"points": (16, 12, 1)},
        "flow": {"viscosity": NU},
        "time": {"dt": 0.05, "steps": 4, "scheme": "rk4"},
        "run": {"device": devices.current()},
    }
    return Case(**(usual | sections))


def vortices(x, y, z):
    return np.sin(x) * np.cos(y), -np.cos(x) * np.sin(y), np.cos(x + 2 * y)


def test_a_flat_run_writes_plots_and_reads_back(tmp_path):
    """The vortices decay as exp(-2 nu t); w is carried along by them."""
    run = tmp_path / "flat"
    simulation = Simulation(
        flat_case(output={"directory": str(run), "snapshot_every": "4 steps", "fields": ["velocity"]}),
        vortices,
    )
    simulation.run(progress=False)
    x, y = (2 * np.pi * np.arange(n) / n for n in (16, 12))
    decayed = np.sin(x) * np.cos(y)[:, None] * np.exp(-2 * NU * simulation.time)
    assert simulation.velocity()[0, 0] == pytest.approx(decayed, abs=1e-9)

    snapshot = whorl.open_run(run).snapshots["velocity"].isel(time=-1)
    assert snapshot.dims == ("y", "x", "component")
    assert np.moveaxis(snapshot.values, -1, 0) == pytest.approx(simulation.velocity()[:, 0], abs=1e-6)
    assert plot(run).stat().st_size > 10_000

    path = sorted((run / "snapshots").iterdir())[-1]
    again = Simulation(flat_case(initial={"name": "from-file", "path": str(path)}))
    assert again.velocity() == pytest.approx(simulation.velocity(), abs=1e-6)
