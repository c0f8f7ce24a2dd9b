"""What the host and a device have to do with each other: nothing but reductions and output."""

import numpy as np
import pytest
from support import flows
from support.build import needs
from support.ranks import on_ranks
from support.twin import Twin
from whorl import _core

pytestmark = pytest.mark.every_device


def counted(work):
    """What `work` adds to the counts of copies between host and devices."""
    before = dict(_core.transfers())
    work()
    return {name: count - before[name] for name, count in _core.transfers().items()}


def a_flow(world, device, dealias="phase-shift", **settings):
    twin = Twin((20, 14, 18), (3.0, 2 * np.pi, 5.0), dealias, viscosity=0.01, scheme="rk2")
    flow = flows.make(world, twin, device=device, **settings)
    flows.write(flow, flows.noise(twin))
    flow.step(0.001, step_number=0)
    return flow


@on_ranks(1)
@pytest.mark.parametrize("dealias", ["2/3", "phase-shift", "phase-shift-exact"])
def test_a_step_copies_nothing(world, device, dealias):
    """The one reduction is that of the velocity the step is chosen by."""
    flow = a_flow(world, device, dealias)
    during = counted(lambda: flow.step(0.0, courant=0.2, step_number=1))
    reductions = 0 if device == "cpu" else 1
    assert during == {"to_host": 0, "from_host": 0, "bytes": 0, "reductions": reductions}


@on_ranks(1)
def test_measures_are_reductions(world, device):
    flow = a_flow(world, device)
    during = counted(lambda: (flow.statistics(), flow.spectra(), flow.transfer()))
    assert (during["to_host"], during["from_host"]) == (0, 0)
    assert (during["reductions"] > 2) == (device != "cpu")


@needs("hdf5")
@on_ranks(1)
@pytest.mark.parametrize("precision", flows.PRECISIONS)
def test_output_copies_what_it_is(world, device, precision, tmp_path):
    flow = a_flow(world, device, precision=precision)
    size = 4 if precision == "single" else 8
    points, modes = 20 * 14 * 18, flow.modes

    def bytes_of(work):
        return counted(work)["bytes"]

    read = bytes_of(lambda: flow.read_fields("velocity", lambda *block: None))
    written = bytes_of(lambda: flow.write_checkpoint(str(tmp_path / "state.h5"), {}))
    assert read == (0 if device == "cpu" else 3 * points * size)
    # Two components of a solenoidal field, the mean, and where each column of modes lies.
    tables = 12 * 8 * 15 + 2 * 6 * 64 * (4 + 8)
    assert (written == 0) if device == "cpu" else (0 <= written - 4 * modes * size < tables + 16 * 3 * 64)


@on_ranks(1)
def test_a_device_nobody_has_is_refused(world):
    twin = Twin((8, 8, 8))
    with pytest.raises(_core.Error, match='device "abacus" is unknown; choose one of: cpu'):
        flows.make(world, twin, device="abacus")


@on_ranks(1)
def test_lines_of_the_cpu_are_refused_elsewhere(world, device):
    if device == "cpu":
        flows.make(world, Twin((8, 8, 8)), device=device, lines="direct")
        return
    with pytest.raises(_core.Error, match=r"a GPU has whorl's own lines .*: choose lines = "):
        flows.make(world, Twin((8, 8, 8)), device=device, lines="direct")
