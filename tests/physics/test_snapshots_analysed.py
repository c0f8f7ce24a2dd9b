"""What is measured of a snapshot is what is measured of the checkpoint of its step."""

import numpy as np
import pytest
from support.ranks import on_ranks
from whorl import CaseError, Simulation, analyse, load_case

SMALL = [24, 20, 16]
WARM = {"name": "zero", "temperature": {"name": "random", "k0": 3.0, "energy": 1e-2}}
SMOKE = {"name": "smoke", "schmidt": 0.7, "initial": {"name": "formula", "value": "1 + sin(y)*cos(z)"}}
FIELDS = {"fields": ["velocity", "smoke"]}
# What is measured, and what is changed in the ready case.
CASES = {
    "decaying-random": (
        ["u", "p", "smoke*u.x"],
        {"grid": {"points": SMALL}, "scalars": [SMOKE], "output": FIELDS},
    ),
    "dye": (["u", "ink", "milk*u.x"], {"grid": {"points": [24, 20, 1]}}),
    "rayleigh-benard": (["u", "theta", "theta*u.z"], {"grid": {"points": SMALL}, "initial": WARM}),
    "taylor-green-dynamo": (["u", "b", "curl(b)"], {"grid": {"points": 16}}),
    "vortices-2d": (["u", "omega"], {"grid": {"points": [24, 20, 1]}, "initial": {"k0": 3.0}}),
    "snake-instability": (["abs(psi)**2", "real(psi)"], {}),
}
TOLERANCE = {"double": 1e-12, "single": 2e-6}


def run_of(name, directory, comm, **wanted):
    """A run of a ready case, smaller, with a snapshot and a checkpoint of steps 0, 2 and 4."""
    of, changes = CASES[name]
    every = {"snapshot_every": "2 steps", "checkpoint_every": "2 steps", "keep_checkpoints": 10}
    output = {"directory": str(directory), "snapshot_precision": "double", **every}
    output |= changes.get("output", {}) | wanted
    time = {"until": None, "steps": 4} | changes.get("time", {})
    case = load_case(name).updated(**(changes | {"output": output, "time": time}))
    with Simulation(case.updated(run={"precision": "double"}), comm=comm) as simulation:
        simulation.run(progress=False)
    return of


def agree(one, other, tolerance):
    """Whether the arrays of two analyses agree, relative to the largest of each; means to deviations."""
    assert one.keys() == other.keys()
    for name, data in one.items():
        for array, values in data.data_vars.items():
            deviations = {"mean": "std", "profile": "variance"}.get(array, array)
            size = np.abs(data[deviations].values).max() ** (0.5 if array == "profile" else 1)
            difference = np.abs(values.values - other[name][array].values).max()
            assert difference <= tolerance * size, (name, array)


@pytest.mark.turns
@on_ranks(1, 2)
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("precision", TOLERANCE)
def test_a_snapshot_gives_what_its_checkpoint_gives(world, name, precision, tmp_path):
    directory = world.bcast(tmp_path) / name
    of = run_of(name, directory, world, snapshot_precision=precision)
    wanted = [
        {"kind": "moments", "of": of},
        {"kind": "profile", "of": of},
        *([{"kind": "spectrum", "of": of}] if name != "rayleigh-benard" else ()),
    ]
    before, after = (
        analyse(directory, wanted, steps=[2, 4], snapshots=snapshots, comm=world)
        for snapshots in (False, True)
    )
    agree(before, after, TOLERANCE[precision])
    assert before["moments"]["step"].values.tolist() == after["moments"]["step"].values.tolist() == [2, 4]
    assert np.array_equal(before["moments"]["time"], after["moments"]["time"])
    whole = analyse(directory, wanted[:1], steps="all", snapshots=True, comm=world)
    assert whole["moments"]["step"].values.tolist() == [0, 2, 4]


@on_ranks(1, 2)
def test_a_state_is_named_by_its_file(world, tmp_path):
    directory = world.bcast(tmp_path) / "run"
    of = run_of("decaying-random", directory, world)
    wanted = [{"kind": "moments", "of": of}]
    for path, options in [
        ("checkpoints/00000002.h5", {"steps": [2]}),
        ("snapshots/00000004.vtkhdf", {"steps": [4], "snapshots": True}),
    ]:
        one = analyse(str(directory / path), wanted, comm=world)["moments"]
        assert one.identical(analyse(directory, wanted, comm=world, **options)["moments"])
        for more in ({"steps": [2]}, {"steps": "all"}, {"snapshots": True}):
            with pytest.raises(CaseError, match="is one state of a run; leave out which"):
                analyse(directory / path, wanted, comm=world, **more)


@on_ranks(1)
def test_a_velocity_gives_the_vorticity_of_a_plane_flow(world, tmp_path):
    of = run_of("vortices-2d", tmp_path / "run", world, fields=["velocity"])
    wanted = [{"kind": "moments", "of": of}]
    before, after = (analyse(tmp_path / "run", wanted, snapshots=snapshots) for snapshots in (False, True))
    agree(before, after, 1e-12)


@on_ranks(1)
def test_what_a_snapshot_does_not_know_is_refused(world, tmp_path):
    run_of("taylor-green-dynamo", tmp_path / "run", world, fields=["velocity"])
    energy = [{"kind": "moments", "of": "u"}]
    with pytest.raises(CaseError, match="has velocity, and its state needs magnetic: analyse checkpoints"):
        analyse(tmp_path / "run", energy, snapshots=True)
    with pytest.raises(CaseError, match=r"does not exist; there are snapshots of step 0, 2, 4\."):
        analyse(tmp_path / "run", energy, steps=[3], snapshots=True)
    run_of("decaying-random", tmp_path / "none", world, snapshot_every="never")
    with pytest.raises(CaseError, match="has no snapshots; take its checkpoints"):
        analyse(tmp_path / "none", energy, steps="all", snapshots=True)
    run_of("decaying-random", tmp_path / "other", world)
    there = tmp_path / "other" / "snapshots" / "00000002.vtkhdf"
    (tmp_path / "run" / "snapshots" / "00000002.vtkhdf").replace(there)
    with pytest.raises(
        CaseError, match=r"the snapshot .* is of another run: its .* put this run's own snapshot"
    ):
        analyse(tmp_path / "other", energy, steps=[2], snapshots=True)
    there.write_bytes(there.read_bytes()[:3000])
    with pytest.raises(CaseError, match="cannot be used: it cannot be read"):
        analyse(tmp_path / "other", energy, steps=[2], snapshots=True)


@on_ranks(1)
def test_forces_of_a_snapshot_are_those_of_its_moment(world, tmp_path):
    """A stochastic force is a function of time, and one of a formula, too; a snapshot makes no steps."""
    case = load_case("forced-turbulence").updated(
        grid={"points": 16},
        time={"until": None, "steps": 3},
        output={
            "directory": str(tmp_path / "run"),
            "snapshot_every": "3 steps",
            "snapshot_precision": "double",
        },
    )
    wind = {"kind": "steady", "name": "wind", "shape": {"name": "formula", "value": ["sin(z - t)", "0", "0"]}}
    case = case.updated(forcing=[*case.to_dict()["forcing"], wind])
    with Simulation(case) as simulation:
        simulation.run(progress=False)
    with (
        Simulation.open(tmp_path / "run") as checkpoint,
        Simulation.open(tmp_path / "run", snapshot=True) as snapshot,
    ):
        assert (snapshot.time, snapshot.step_number) == (checkpoint.time, 3)
        for text in ("velocity_force_power", "mean(dot(velocity_force, velocity_force))"):
            assert snapshot.mean(text) == pytest.approx(checkpoint.mean(text), rel=1e-11)
        with pytest.raises(CaseError, match="is opened to look at it; begin a run from it"):
            snapshot.step()
