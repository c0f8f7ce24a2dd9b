"""Every equation set on another grid: from a checkpoint beside its run, and from files as initial fields.

Grids have three times the points, so that every point of the coarse one is a point of the fine one, between
walls, too.
"""

import shutil

import h5py
import numpy as np
import pytest
from models.runs import EPSILON, distance
from models.test_all import case_of, every, fields_of
from support import devices
from support.build import needs
from support.ranks import on_ranks
from support.twin import Twin
from whorl.base.errors import CaseError
from whorl.config.case import Case, Grid
from whorl.initial.files import left_out
from whorl.output.directory import RunDirectory
from whorl.output.snapshot_writer import write_snapshot
from whorl.results.runs import open_run
from whorl.run.simulation import Simulation

pytestmark = [pytest.mark.every_device, needs("hdf5")]

FINER = 3
# A field of three components of 12 x 16 x 10 points goes through some twenty roundings on its way.
ROUNDING = 100 * EPSILON["double"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two steps of a model, its fields, and where its files are; made once for each."""
    made = {}

    def run(name):
        if name not in made:
            directory = tmp_path_factory.mktemp("runs") / "coarse"
            output = files_in(directory, name)
            coarse = Simulation(case_of(name, output=output).updated(time={"steps": 2}))
            coarse.run(progress=False)
            made[name] = (coarse, {field: coarse.field(field) for field in output["fields"]})
        return made[name]

    return run


def files_in(directory, name):
    fields = fields_of(case_of(name)) + (["velocity"] if "2d" in name else [])
    precise = {"snapshot_precision": "double", "snapshot_every": 1.0}
    return {"directory": str(directory), "fields": fields} | precise


def finer(case) -> list[int]:
    return [FINER * n if n > 1 else 1 for n in case.grid.points]


def at_coarse_points(case, values):
    first = [FINER // 2 if basis == "S" else 0 for basis in case.grid.bases]
    steps = [FINER if n > 1 else 1 for n in reversed(case.grid.points)]
    z, y, x = (slice(at, None, step) for at, step in zip(first, steps, strict=True))
    return values[:, z, y, x]


def check_same_field(coarse, fine, fields):
    for field, values in fields.items():
        there = at_coarse_points(coarse.case, fine.field(field))
        assert distance(there, values) < ROUNDING, field
    before, after = coarse.statistics(), fine.statistics()
    sizes = [name for name in ("energy", "mass", "enstrophy", "u_energy") if name in before]
    assert sizes
    for name in sizes:
        assert after[name] == pytest.approx(before[name], rel=1e-12)


@every
def test_a_run_beside_begins_with_the_same_field_on_a_finer_grid(runs, name, tmp_path):
    coarse, fields = runs(name)
    points = f"grid.points={finer(coarse.case)}"
    settings = [points, "time.steps=4", f"run.device={devices.current()}"]
    fine = Simulation.restart(coarse.directory.path, tmp_path / "fine", settings=settings)
    assert (fine.time, fine.step_number) == (coarse.time, 2)
    check_same_field(coarse, fine, fields)
    fine.run(progress=False)
    series = open_run(tmp_path / "fine").series
    assert list(series["step"].values[[0, -1]]) == [2, 4]


@pytest.mark.turns
@every
@pytest.mark.parametrize("file", ["checkpoint", "snapshot"])
def test_a_new_run_begins_with_the_fields_of_a_file_of_another_grid(runs, name, file):
    coarse, fields = runs(name)
    place = coarse.directory
    path = place.checkpoints()[-1] if file == "checkpoint" else place.snapshots()[-1]
    from_file = {"name": "from-file", "path": str(path)}
    flow = coarse.case.flow
    first, scalars = flow.first_field(), [scalar.name for scalar in coarse.case.scalars]
    others = [field for field in flow.state if field != first] if first in flow.state else []
    case = case_of(name, grid={"points": finer(coarse.case)})
    dump = case.model_dump(exclude_none=True, exclude_unset=True)
    dump["initial"] = from_file | dict.fromkeys(others, from_file)
    dump["scalars"] = [scalar | {"initial": from_file} for scalar in dump.get("scalars", [])]
    assert {first, *others, *scalars} <= set(fields) | {"velocity"}
    check_same_field(coarse, Simulation(Case(**dump)), fields)


@on_ranks(1, 2, 3)
@pytest.mark.parametrize("name", ["rayleigh-benard SSF", "mhd"])
def test_ranks_share_the_work(world, name, tmp_path):
    directory = world.bcast(tmp_path / "run")
    coarse = Simulation(
        case_of(name, output=files_in(directory, name)).updated(time={"steps": 1}), comm=world
    )
    coarse.run(progress=False)
    whole = {field: world.bcast(coarse.gather(field)) for field in fields_of(coarse.case)}
    settings = [f"grid.points={finer(coarse.case)}", "time.steps=4"]
    fine = Simulation.restart(directory, world.bcast(tmp_path / "fine"), settings=settings, comm=world)
    path = world.bcast(str(directory / "snapshots" / "00000001.vtkhdf"))
    from_file = {"name": "from-file", "path": path}
    others = {field: from_file for field in coarse.case.flow.state if field != "velocity"}
    case = case_of(name, grid={"points": finer(coarse.case)}).updated(initial=from_file | others)
    again = Simulation(case, comm=world)
    for field in coarse.case.flow.state:
        for run in (fine, again):
            there = at_coarse_points(coarse.case, world.bcast(run.gather(field)))
            assert distance(there, whole[field]) < ROUNDING, field
    for run in (coarse, fine, again):
        run.close()


def test_a_snapshot_of_a_finer_grid_leaves_no_aliases(runs):
    """White noise on fine points: what the coarse grid keeps has the amplitudes that it has there."""
    name = "navier-stokes"
    coarse, _ = runs(name)
    fine = case_of(name, grid={"points": [24, 32, 20], "dealias": "none"})
    noise = np.random.default_rng(3).standard_normal((3, 20, 32, 24))
    simulation = Simulation(fine.updated(), {"velocity": noise} if fine.initial is None else None)
    simulation.set_field("velocity", noise)
    directory = coarse.directory.path.parent / "noise"
    directory.mkdir(exist_ok=True)
    path = directory / "noise.vtkhdf"
    attributes = {"time": 0.0, "step": 0, "case": fine.to_toml()}
    write_snapshot(simulation.flow, str(path), ["velocity"], attributes, single=False)
    checkpoint = directory / "noise.h5"
    clock = {"compensation": 0.0, "dt": 0.1, "series_rows": 0, "spectra_rows": 0}
    simulation.flow.write_checkpoint(str(checkpoint), attributes | clock)
    both = [
        Simulation(case_of(name).updated(initial={"name": "from-file", "path": str(file)})).field("velocity")
        for file in (path, checkpoint)
    ]
    assert distance(*both) < ROUNDING


# What is refused, and what is said


def restarted(runs, tmp_path, *settings, name="navier-stokes", **options):
    coarse, _ = runs(name)
    return Simulation.restart(
        coarse.directory.path, tmp_path / "new", settings=["time.steps=4", *settings], **options
    )


@pytest.mark.only_cpu
@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (["grid.lengths=3"], ["is a checkpoint with grid.lengths", "keeps its box"]),
        (["flow.model=mhd"], ["without magnetic, of velocity, dye", "from-file"]),
        (["output"], ["output"]),
        (["grid.points=[12,16,1]"], ["one point along z", "no coarser grid of the same flow"]),
        (["initial.name=zero"], ["initial.name=zero", "has its fields from there"]),
        (["output.directory=x"], ["output.directory=x"]),
        (["time.steps=2"], ["nothing left to do", "time.steps"]),
        (["grid.pionts=8"], ["did you mean grid.points?"]),
    ],
)
def test_a_run_beside_that_cannot_be_is_refused_and_nothing_written(runs, tmp_path, settings, words):
    with pytest.raises(CaseError) as caught:
        restarted(runs, tmp_path, *settings)
    assert all(word in str(caught.value) for word in words), str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.only_cpu
def test_the_directory_of_the_checkpoint_is_not_taken_for_the_new_one(runs):
    coarse, _ = runs("navier-stokes")
    here = coarse.directory.path
    for same in (here, here / ".." / here.name):
        with pytest.raises(CaseError, match="is that of the checkpoint"):
            Simulation.restart(here, same, until=9.0, overwrite=True)
    assert len(open_run(here).checkpoints) == 1


@pytest.mark.only_cpu
def test_a_run_lies_in_no_other(runs, tmp_path):
    coarse, _ = runs("navier-stokes")
    for inside in (coarse.directory.path / "sub", coarse.directory.path / "snapshots" / "sub"):
        with pytest.raises(CaseError, match=r"lies within .* which holds a run"):
            Simulation.restart(coarse.directory.path, inside, settings=["time.steps=4"])
        assert not inside.exists()


@pytest.mark.only_cpu
def test_a_run_keeps_where_it_began(runs, tmp_path):
    coarse, _ = runs("navier-stokes")
    simulation = restarted(runs, tmp_path)
    [checkpoint] = coarse.directory.checkpoints()
    assert simulation.origin == checkpoint
    simulation.run(progress=False)
    Simulation.restart(tmp_path / "new", settings=["time.steps=5"]).close()
    assert RunDirectory(tmp_path / "new").origin() == checkpoint.resolve()
    assert coarse.directory.origin() is None


@pytest.mark.only_cpu
def test_a_run_that_is_there_is_replaced_only_when_asked(runs, tmp_path):
    restarted(runs, tmp_path).close()
    with pytest.raises(CaseError, match="holds a run already"):
        restarted(runs, tmp_path)
    restarted(runs, tmp_path, overwrite=True).close()


@pytest.mark.only_cpu
def test_a_run_beside_goes_on_though_it_had_no_time_for_a_checkpoint(runs, tmp_path):
    """It begins with one: nothing else tells where its field came from."""
    run = restarted(runs, tmp_path, "output.checkpoint_every=1000", name="mhd")
    run.step()
    run.close()
    again = Simulation.restart(tmp_path / "new")
    assert again.step_number == 2
    again.close()


@pytest.mark.only_cpu
def test_a_damaged_checkpoint_is_offered_for_another_directory(runs, tmp_path):
    source = tmp_path / "source"
    output = files_in(source, "navier-stokes") | {"checkpoint_every": "1 steps"}
    case = case_of("navier-stokes", output=output).updated(time={"steps": 2})
    Simulation(case).run(progress=False)
    with h5py.File(source / "checkpoints" / "00000002.h5", "r+") as file:
        file["velocity_first"][3, 0] += 1.0
    new = tmp_path / "new"
    with pytest.raises(CaseError, match=rf"whorl restart {source} -o {new} --step 1"):
        Simulation.restart(source, new, settings=["time.steps=4"])
    assert not new.exists()


@pytest.mark.only_cpu
def test_a_field_that_the_new_case_has_not_is_told(runs, tmp_path):
    restarted(runs, tmp_path, "scalars=[]", 'output.fields=["velocity"]').close()
    log = (tmp_path / "new" / "log.txt").read_text(encoding="utf-8")
    assert "dye of" in log
    assert "is left out: the case has none" in log


@pytest.mark.parametrize(
    ("before", "here", "lacks"),
    [
        ({}, {}, False),
        ({}, {"points": 24}, False),
        ({"points": 24}, {}, True),
        ({}, {"dealias": "none"}, False),
        ({"dealias": "none"}, {}, True),
        ({"dealias": "none"}, {"points": 24}, False),
        ({"shape": "sphere"}, {}, False),
        ({}, {"shape": "sphere"}, True),
        ({}, {"shape": "sphere", "points": 32}, False),
        ({"dealias": "phase-shift"}, {"dealias": "phase-shift-exact"}, False),
        ({"dealias": "phase-shift"}, {}, True),
        ({"points": [16, 16, 1]}, {}, False),
        ({}, {"points": [16, 16, 1]}, True),
    ],
    ids=str,
)
@pytest.mark.only_cpu
def test_only_a_grid_that_lacks_modes_is_said_to(before, here, lacks):
    """By counting, too: the modes of both together are those of the larger."""
    grids = [Grid(**{"points": 16} | grid) for grid in (before, here)]
    assert (left_out(*grids, "it is") is not None) == lacks
    twins = [Twin(grid.points, dealias=grid.dealias, shape=grid.shape) for grid in grids]
    kept = [
        set(map(tuple, twin.numbers[:, twin.mask].T.tolist()))
        for twin in twins
        if "exact" not in twin.dealias
    ]
    if len(kept) == 2:
        assert (not kept[0] <= kept[1]) == lacks


@pytest.mark.only_cpu
def test_a_mean_that_would_fall_for_ever_is_refused_beside_a_run_too(tmp_path):
    output = {"directory": str(tmp_path / "run"), "snapshot_every": "never"}
    mixed = {"name": "zero", "temperature": {"name": "formula", "value": "1 + sin(z)"}}
    case = case_of("boussinesq", output=output, buoyancy_frequency=0.0)
    Simulation(case.updated(time={"steps": 1}, initial=mixed)).run(progress=False)
    with pytest.raises(CaseError, match="has the mean 1"):
        Simulation.restart(
            tmp_path / "run", tmp_path / "new", settings=["time.steps=4", "flow.buoyancy_frequency=1.5"]
        )
    assert not (tmp_path / "new").exists()


@pytest.mark.only_cpu
def test_what_a_coarser_grid_leaves_out_is_said(runs, tmp_path):
    simulation = restarted(runs, tmp_path, "grid.points=8")
    simulation.close()
    log = (tmp_path / "new" / "log.txt").read_text(encoding="utf-8")
    assert "of 12 x 16 x 10 points, and this run has 8 x 8 x 8 points: modes that it does not keep" in log
    coarse, _ = runs("navier-stokes")
    for files in (coarse.directory.checkpoints(), coarse.directory.snapshots()):
        output = tmp_path / files[0].parent.name
        initial = {"name": "from-file", "path": str(files[-1])}
        case = case_of("navier-stokes", grid={"points": 8}, output={"directory": str(output)})
        Simulation(case.updated(initial=initial)).close()
        assert "modes that it does not keep" in (output / "log.txt").read_text(encoding="utf-8")


@pytest.mark.only_cpu
def test_a_viscosity_changes_nothing_of_the_field_but_the_run(runs, tmp_path):
    coarse, fields = runs("navier-stokes")
    simulation = restarted(runs, tmp_path, "flow.viscosity=0.02", "run.device=cpu")
    assert all(np.array_equal(simulation.field(name), values) for name, values in fields.items())
    assert simulation.statistics()["energy"] == coarse.statistics()["energy"]
    assert simulation.case.flow.viscosity == 0.02
    simulation.run(progress=False)
    again = Simulation.restart(tmp_path / "new", settings=["time.steps=6"])
    assert (again.step_number, again.case.flow.viscosity) == (4, 0.02)
    again.close()


@pytest.mark.only_cpu
def test_a_flow_without_field_begins_a_magnetic_one(runs):
    """The velocity from a checkpoint of another model, the magnetic field from elsewhere."""
    coarse, fields = runs("navier-stokes")
    path = str(coarse.directory.checkpoints()[-1])
    case = case_of("mhd", grid={"points": finer(coarse.case)})
    seed = {"name": "random", "k0": 2.0, "energy": 1e-6}
    simulation = Simulation(case.updated(initial={"name": "from-file", "path": path, "magnetic": seed}))
    values = fields["velocity"]
    assert distance(at_coarse_points(coarse.case, simulation.field("velocity")), values) < ROUNDING


@pytest.mark.only_cpu
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"grid": {"points": 12, "lengths": [1.0, 2.0, 3.0]}}, ["is a checkpoint with grid.lengths"]),
        ({"model": "mhd", "field": "magnetic"}, ["a checkpoint without magnetic, of velocity, dye"]),
    ],
)
def test_a_checkpoint_without_the_field_is_no_initial_field(runs, changes, words):
    coarse, _ = runs("navier-stokes")
    from_file = {"name": "from-file", "path": str(coarse.directory.checkpoints()[-1])}
    field = changes.get("field")
    initial = {"name": "zero", field: from_file} if field else from_file
    case = case_of(changes.get("model", "navier-stokes"), grid=changes.get("grid", {}))
    with pytest.raises(CaseError) as caught:
        Simulation(case.updated(initial=initial))
    assert all(word in str(caught.value) for word in words), str(caught.value)


@pytest.mark.only_cpu
def test_a_mean_that_would_fall_for_ever_is_refused_from_a_checkpoint_too(tmp_path):
    """A scalar with a mean is none of its own; as the temperature under gravity it would be."""
    warm = {"name": "temperature", "initial": {"name": "formula", "value": "1 + sin(z)"}}
    run = case_of("navier-stokes", output={"directory": str(tmp_path / "run")})
    scalars = [scalar.model_dump(exclude_none=True, exclude_unset=True) for scalar in run.scalars]
    Simulation(run.updated(scalars=[*scalars, warm])).run(progress=False)
    [path] = open_run(tmp_path / "run").checkpoints
    initial = {"name": "zero", "temperature": {"name": "from-file", "path": str(path)}}
    with pytest.raises(CaseError, match="has the mean 1"):
        Simulation(case_of("boussinesq").updated(initial=initial))


@pytest.mark.only_cpu
def test_a_damaged_checkpoint_is_no_initial_field(runs, tmp_path):
    coarse, _ = runs("navier-stokes")
    path = tmp_path / "damaged.h5"
    shutil.copy(coarse.directory.checkpoints()[-1], path)
    with h5py.File(path) as checkpoint:
        data = checkpoint["velocity_first"].id.get_offset()
    with path.open("r+b") as file:
        file.seek(data + 200)
        file.write(b"\x55" * 8)
    with pytest.raises(CaseError, match=r"cannot be used: .*damaged"):
        Simulation(case_of("navier-stokes").updated(initial={"name": "from-file", "path": str(path)}))
