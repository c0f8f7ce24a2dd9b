"""Schemes that remember earlier steps: against an independent one, with steps of any length."""

import h5py
import numpy as np
import pytest
from support import flows
from support.build import needs
from support.flows import assert_close
from support.ranks import on_ranks
from support.twin import EARLIER, Twin
from whorl import _core

pytestmark = pytest.mark.every_device

BOX = {"points": (12, 14, 10), "lengths": (3.0, 2 * np.pi, 5.0), "viscosity": 0.02, "shift_seed": 11}
# As parts of a first one: shorter, longer, so much longer that it begins anew.
PARTS = (1.0, 0.7, 1.3, 0.6, 0.1, 0.5, 0.6, 0.4)


def flow_at_start(world, twin: Twin, **settings) -> tuple[_core.Flow, np.ndarray]:
    """A flow of noise, its modes beside it."""
    flow, u = flows.make(world, twin, **settings), 0.5 * flows.noise(twin, seed=4)
    flows.write(flow, u)
    return flow, twin.load(u)


@on_ranks(1, 4)
@pytest.mark.parametrize("precision", flows.PRECISIONS)
@pytest.mark.parametrize("dealias", ["2/3", "phase-shift", "phase-shift-exact"])
@pytest.mark.parametrize("scheme", EARLIER)
def test_it_steps_like_its_twin(world, scheme, dealias, precision):
    twin = Twin(**BOX, dealias=dealias, scheme=scheme)
    flow, a = flow_at_start(world, twin, precision=precision)
    steps = [0.3 / twin.speeds(twin.to_points(a))[0] * part for part in PARTS]
    for number, expected in enumerate(twin.multistep(a, steps, 2**33 + 1)):
        flow.step(steps[number], step_number=2**33 + 1 + number)
        assert_close(flows.read(world, flow), twin.to_points(expected), precision, what=f"step {number}")


@on_ranks(1, 3)
@pytest.mark.parametrize("scheme", EARLIER)
def test_steps_of_a_courant_number(world, scheme):
    """The weights are those of the step that is only found while its tendency is computed."""
    twin = Twin(**BOX, scheme=scheme)
    flow, a = flow_at_start(world, twin)
    limits = (1.0, 0.003, 1.0, 1.0, 1.0)  # the second is cut short
    steps = [flow.step(0.0, courant=0.2, dt_max=limit, step_number=i).dt for i, limit in enumerate(limits)]
    assert len(set(steps)) == len(steps)
    assert_close(flows.read(world, flow), twin.to_points(twin.multistep(a, steps)[-1]), "double")


@on_ranks(1, 4)
@pytest.mark.parametrize("dealias", ["2/3", "phase-shift-exact"])
@pytest.mark.parametrize("scheme", EARLIER)
def test_what_is_read_between_steps_changes_nothing(world, scheme, dealias):
    twin = Twin(**BOX, dealias=dealias, scheme=scheme)
    left, read = (flow_at_start(world, twin)[0] for _ in range(2))
    for number in range(4):
        left.step(0.01, step_number=number)
        read.step(0.01, step_number=number)
        flows.read(world, read, "vorticity")
        read.statistics(), read.spectra(), read.transfer()
    assert np.array_equal(flows.read(world, read), flows.read(world, left))


@on_ranks(1)
@pytest.mark.parametrize("scheme", EARLIER)
def test_a_field_that_is_set_has_no_past(world, scheme):
    twin = Twin(**BOX, scheme=scheme)
    new, used = (flow_at_start(world, twin)[0] for _ in range(2))
    for number in range(3):
        used.step(0.02, step_number=number)
    u = flows.noise(twin, seed=9)
    for flow in (new, used):
        flows.write(flow, u)
        for number in range(3):
            flow.step(0.01, step_number=number)
    assert np.array_equal(flows.read(world, new), flows.read(world, used))


# Checkpoints


@needs("hdf5")
@on_ranks(1, 4)
@pytest.mark.parametrize(
    ("written_by", "read_by"), [("ab3", "ab2"), ("ab2", "ab3"), ("rk4", "ab3"), ("ab3", "rk4")]
)
def test_another_scheme_goes_on_with_what_there_is(world, written_by, read_by, tmp_path):
    """As one that has made the same steps; of three states the last two or three have a tendency."""
    path, dt = str(tmp_path / "a.h5"), 0.01
    first, _ = flow_at_start(world, Twin(**BOX, scheme=written_by))
    states = []
    for number in range(4):
        states.append(flows.read(world, first))
        first.step(dt, step_number=number)
    first.write_checkpoint(path, {})
    twin = Twin(**BOX, scheme=read_by)
    again = flows.make(world, twin)
    again.read_checkpoint(path)
    a, now = twin.load(flows.read(world, again)), [twin.load(u) for u in states[:0:-1]]
    known = min(EARLIER.get(written_by, 0), EARLIER.get(read_by, 0))
    again.step(dt, step_number=4)
    tendencies = [twin.nonlinear(state) for state in [a, *now[:known]]]
    decay = np.exp(-twin.viscosity * twin.k2 * dt)
    if read_by == "rk4":
        expected = twin.step(a, dt)
    elif known == 0:
        expected = Twin(**BOX, scheme="rk2").step(a, dt)
    else:
        assert known == 1
        expected = decay * (a + dt * (1.5 * tendencies[0] - 0.5 * decay * tendencies[1]))
    assert_close(flows.read(world, again), twin.to_points(expected), "double")


@needs("hdf5")
@on_ranks(1, 3)
def test_any_ranks_and_precision_go_on(world, tmp_path):
    path, twin = str(tmp_path / "a.h5"), Twin(**BOX, scheme="ab3")
    flow, a = flow_at_start(world, twin)
    steps = [0.01, 0.012, 0.008, 0.01, 0.011]
    for number in range(3):
        flow.step(steps[number], step_number=number)
    flow.write_checkpoint(path, {})
    expected = twin.multistep(a, steps)[-1]
    for precision in flows.PRECISIONS:
        for grid in _core.allowed_process_grids(flows.options(twin), world.size):
            again = flows.make(world, twin, precision=precision, process_grid=grid)
            again.read_checkpoint(path)
            for number in (3, 4):
                again.step(steps[number], step_number=number)
            assert_close(flows.read(world, again), twin.to_points(expected), precision)


@needs("hdf5")
@on_ranks(1, 3)
@pytest.mark.parametrize("what", ["number", "dt"])
def test_a_damaged_past_is_refused(world, what, tmp_path):
    path, twin = tmp_path / "a.h5", Twin(**BOX, scheme="ab3")
    flow, _ = flow_at_start(world, twin)
    for number in range(3):
        flow.step(0.01, step_number=number)
    flow.write_checkpoint(str(path), {})
    world.barrier()
    if world.rank == 0:
        with h5py.File(path, "r+") as file:
            if what == "number":
                file["velocity_earlier2_second"][5, 1] += 1e-15
            else:
                file.attrs["earlier_dt"] = [0.01, 0.02]
    world.barrier()
    with pytest.raises(_core.Error, match=f"its {'data' if what == 'number' else 'attributes'} are damaged"):
        flow.read_checkpoint(str(path))
