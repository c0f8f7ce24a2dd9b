"""Where particles begin: figures of the right shape at random, planes, files; and when: their release."""

import codecs
import re

import h5py
import numpy as np
import pytest
from physics.test_particle_runs import case_of
from scipy.spatial.distance import pdist
from support.build import needs
from support.particles import finished, same
from support.ranks import on_ranks
from whorl.base.errors import CaseError
from whorl.base.ranks import MPI
from whorl.config.case import Case, load_case
from whorl.results.runs import open_run
from whorl.run.simulation import Simulation

pytestmark = needs("hdf5")

LENGTHS = np.array([2 * np.pi, 3.0, 5.0])


def placed(world=MPI.COMM_SELF, **options) -> np.ndarray | None:
    """The positions of a group in a case, on rank 0."""
    group = {"kind": "tracer"} | options
    with Simulation(case_of(particles=[group]), comm=world) as simulation:
        assert simulation.tracers["tracer"].count == case_of(particles=[group]).particles[0].number()
        return simulation.tracers["tracer"].positions()


def test_pairs_are_of_their_separations_in_random_directions():
    count, separations = 20_000, (0.1, 0.25)  # of more than one piece
    found = placed(count=count, pairs=separations).reshape(2, count, 2, 3)
    apart = found[:, :, 1] - found[:, :, 0]
    np.testing.assert_allclose(
        np.linalg.norm(apart, axis=-1), np.array(separations)[:, None] + np.zeros(count)
    )
    along = apart / np.array(separations)[:, None, None]
    assert np.abs(along.mean(axis=1)).max() < 4 / np.sqrt(3 * count)
    assert np.abs((along**2).mean(axis=1) - 1 / 3).max() < 4 * np.sqrt(4 / 45 / count)
    middles = found.mean(axis=2) / LENGTHS
    assert np.abs(middles.mean(axis=1) - 0.5).max() < 4 / np.sqrt(12 * count)
    assert 0 <= middles.min() < middles.max() <= 1
    assert len(np.unique(along[..., 0])) == 2 * count


def test_tetrahedra_are_regular_and_turned_at_random():
    count = 20_000
    found = placed(count=count, tetrahedra=[0.2]).reshape(count, 4, 3)
    for tetrahedron in found[:100]:
        np.testing.assert_allclose(pdist(tetrahedron), 0.2)
    corner = (found[:, 0] - found.mean(axis=1)) / (0.2 * np.sqrt(3 / 8))
    assert np.abs(corner.mean(axis=0)).max() < 4 / np.sqrt(3 * count)
    assert np.abs((corner**2).mean(axis=0) - 1 / 3).max() < 4 * np.sqrt(4 / 45 / count)
    assert np.abs((corner[:, 0] * corner[:, 1]).mean()) < 4 / np.sqrt(15 * count)
    volume = np.linalg.det(found[:, 1:] - found[:, :1])
    assert (np.sign(volume) == np.sign(volume[0])).all()  # turned, not mirrored


def test_figures_lie_between_walls_and_in_the_plane():
    flow = {"model": "rayleigh-benard", "rayleigh": 1000.0, "prandtl": 1.0}
    case = Case(
        grid={"points": 8, "lengths": 1.0},
        flow=flow,
        time={"dt": 0.1, "until": 1.0},
        initial={"name": "zero"},
    )
    with Simulation(case, comm=MPI.COMM_SELF) as state:
        for figure in ("pairs", "tetrahedra"):
            found = state.particles(2000, **{figure: [0.9]}).positions()
            assert 0 <= found[:, 2].min() < 0.1 < 0.9 < found[:, 2].max() <= 1
            np.testing.assert_allclose(np.linalg.norm(found[1::2] - found[::2], axis=1), 0.9)
        with pytest.raises(
            CaseError, match=r"pairs holds 1.5, which does not fit between the walls, 1 apart"
        ):
            state.particles(3, pairs=[1.5])
    flat = case_of(grid={"points": [12, 16, 1]}, particles=[], initial={"name": "abc"})
    with Simulation(flat, comm=MPI.COMM_SELF) as state:
        pairs = state.particles(500, pairs=[0.3]).positions().reshape(500, 2, 3)
        np.testing.assert_allclose(np.linalg.norm(pairs[:, 1] - pairs[:, 0], axis=-1), 0.3)
        assert np.abs(pairs[..., 2]).max() == 0
        with pytest.raises(CaseError, match="tetrahedra need three dimensions"):
            state.particles(3, tetrahedra=0.1)


def test_positions_of_a_script_are_in_the_box_between_walls():
    """Where rounding puts them beyond a wall they count as on it."""
    flow = {"model": "rayleigh-benard", "rayleigh": 1000.0, "prandtl": 1.0}
    grid = {"points": 16, "lengths": 1.0}
    with Simulation(case_of(flow=flow, grid=grid, initial={"name": "zero"}, particles=[])) as simulation:
        for axis, far, told in (
            ("z", -0.5, "behind a wall, since z is 0 to 1"),
            ("z", 1.001, "behind a wall, since z is 0 to 1"),
            ("y", -1e7, "more than 1e.06 lengths of the box away"),
        ):
            beyond = np.where(np.array(list("xyz")) == axis, far, 0.2)
            with pytest.raises(ValueError, match=rf"positions has {axis} = {re.escape(f'{far:g}')}, {told}"):
                simulation.particles([[0.1, 0.2, 0.3], beyond])
        on_walls = np.array([[0.1, 0.2, -1e-16], [0.3, 7.2, np.nextafter(1, 2)]])
        np.testing.assert_array_equal(simulation.particles(on_walls).positions(), on_walls)


def test_a_plane_is_even():
    found = placed(count=4000, plane={"axis": "y", "position": 1.25})
    assert (found[:, 1] == 1.25).all()
    for axis in (0, 2):
        held = np.histogram(found[:, axis], bins=8, range=(0, LENGTHS[axis]))[0]
        assert np.abs(held - 500).max() < 5 * np.sqrt(500)


@on_ranks(1, 3)
def test_places_do_not_depend_on_ranks(world):
    for options in ({"pairs": [0.4]}, {"tetrahedra": [0.4]}):
        alone, found = placed(count=40, **options), placed(world, count=40, **options)
        if world.rank == 0:
            assert np.array_equal(found, alone)


def test_positions_of_a_file(tmp_path):
    places = np.random.default_rng(3).uniform(-9, 9, (7, 3))
    np.save(tmp_path / "a.npy", places)
    np.savetxt(tmp_path / "b.txt", places, header="x y z", fmt="%.17g")
    np.savetxt(tmp_path / "c.csv", places, header="x,y,z", delimiter=",", comments="", fmt="%.17g")
    (tmp_path / "d.csv").write_bytes(codecs.BOM_UTF8 + (tmp_path / "c.csv").read_bytes())
    (tmp_path / "e.txt").write_bytes(
        codecs.BOM_UTF8 + b"".join(b"%.17g %.17g %.17g\n" % (*p,) for p in places)
    )
    for name in ("a.npy", "b.txt", "c.csv", "d.csv", "e.txt"):
        assert np.array_equal(placed(path=str(tmp_path / name)), places)
    # Beside the case file; and without it a run goes on, since its particles are in the checkpoint.
    case = case_of(tmp_path / "run", particles=[{"kind": "tracer", "path": str(tmp_path / "a.npy")}])
    text = case.to_toml().replace(str(tmp_path / "a.npy"), "a.npy").replace("count = 7", "#")
    (tmp_path / "case.toml").write_text(text)
    loaded = load_case(tmp_path / "case.toml")
    assert (loaded.particles[0].count, loaded.particles[0].number()) == (7, 7)
    with Simulation(loaded) as simulation:
        simulation.run(until=0.1, progress=False)
        simulation._recorder.checkpoint(0.02)
    (tmp_path / "a.npy").unlink()
    assert finished(tmp_path / "run")["tracer"]["position"].shape == (2, 7, 3)


WRONG_FILES = {
    "none": (None, r"cannot be read \(No such file or directory\); give as particles.path"),
    "words": ("1 2 3\n4 five 6\n", r'cannot be read \(line 2 has "five", which is no number\)'),
    "ragged": ("1 2 3\n\n4 5\n", r"cannot be read \(line 3 has 2 numbers, and the first 3\)"),
    "short": ("1 2 3\n4\n", r"cannot be read \(line 2 has 1 number, and the first 3\)"),
    "narrow": ("1 2\n4 5\n", r"shape \(2, 2\)"),
    "empty": ("# x y z\n", r"has an array of shape \(0, 3\)"),
    "infinite": ("1 2 3\n4 inf 5\n", "has 4, inf, 5 as the position of particle 1, counted from 0"),
}


@pytest.mark.parametrize(("text", "told"), WRONG_FILES.values(), ids=WRONG_FILES)
def test_a_wrong_file_is_told(tmp_path, text, told):
    if text is not None:
        (tmp_path / "places.txt").write_text(text)
    with pytest.raises(CaseError, match=told) as error:
        case_of(particles=[{"kind": "tracer", "path": str(tmp_path / "places.txt")}])
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("kind", "called"), [(complex, "complex numbers"), ("M8[s]", "dates"), ("m8[s]", "times"), ("U3", "text")]
)
def test_positions_that_are_no_real_numbers_are_refused(tmp_path, kind, called):
    places = np.ones((4, 3), int).astype(kind)
    np.save(tmp_path / "a.npy", places)
    with pytest.raises(CaseError, match=rf"cannot be read \(it holds {called}, not real numbers\)"):
        case_of(particles=[{"kind": "tracer", "path": str(tmp_path / "a.npy")}])
    with Simulation(case_of()) as simulation:
        with pytest.raises(ValueError, match=f"positions holds {called}, not real numbers"):
            simulation.particles(places)
        with pytest.raises(ValueError, match=f"velocity holds {called}, not real numbers"):
            simulation.particles(4, kind="inertial", response_time=1.0, velocity=places)


def test_a_file_has_the_number_that_is_given(tmp_path):
    (tmp_path / "places.txt").write_text("1 2 3\n4 5 6\n")
    case = case_of(particles=[{"kind": "tracer", "path": str(tmp_path / "places.txt"), "count": 3}])
    with pytest.raises(CaseError, match=r"has 2 positions, and particles.tracer.count is 3"):
        Simulation(case)


EARLY = {"kind": "inertial", "count": 4, "response_time": 0.1, "every": "3 steps"}
LATE = {"kind": "tracer", "name": "late", "count": 5, "release": 0.1, "every": "3 steps"}


def test_a_release_begins_at_its_time(tmp_path):
    """At step 5; rows begin there, with the paths of a group that is added then."""
    with Simulation(case_of(tmp_path / "run", particles=[EARLY, LATE])) as simulation:
        assert list(simulation.tracers) == ["inertial"]
        for _ in range(5):
            simulation.step()
        assert list(simulation.tracers) == ["inertial", "late"]
        added = simulation.particles(5)
        simulation.run(progress=False)
        wanted = added.positions()
    data = open_run(tmp_path / "run").particles
    assert data["inertial"]["step"].values.tolist() == [0, 3, 6, 9, 10]
    assert data["late"]["step"].values.tolist() == [5, 8, 10]
    np.testing.assert_array_equal(data["late"]["position"][-1], wanted)
    assert np.abs(data["late"]["position"][-1] - data["late"]["position"][0]).max() > 0.01


def test_rows_are_evenly_spaced_from_the_first_on(tmp_path):
    """Of a release, and of a run from another one's checkpoint, in steps and in time; of probes, too."""
    rows = {"late": "3 steps", "timed": 0.06}
    groups = [LATE | {"name": name, "every": every} for name, every in rows.items()]
    probe = {"kind": "points", "of": ["u.x"], "positions": [[1, 1, 1]], "every": "2 steps"}
    case = case_of(tmp_path / "run", particles=groups, probes=[probe], time={"dt": 0.02, "steps": 20})
    case = case.updated(output={"keep_checkpoints": 20})
    with Simulation(case) as simulation:
        for _ in range(7):
            simulation.step()
        simulation._recorder.checkpoint(0.02)
        simulation.run(progress=False)
    with Simulation.restart(tmp_path / "run", tmp_path / "other", step=7) as simulation:
        simulation.run(progress=False)
    for name, last, probed in (("run", [5, 8, 11, 14, 17, 20], 0), ("other", [7, 10, 13, 16, 19, 20], 7)):
        run = open_run(tmp_path / name)
        for group in rows:
            assert run.particles[group]["step"].values.tolist() == last, (name, group)
        assert run.probes["points"]["step"].values.tolist() == list(range(probed, 21, 2))


def test_a_run_that_goes_on_behind_its_end_has_even_rows(tmp_path):
    """Without the row of the end, as the run has that was not interrupted."""
    block, whole = [{"kind": "tracer", "count": 3, "every": "3 steps"}], {"dt": 0.02, "steps": 17}
    with Simulation(case_of(tmp_path / "whole", particles=block, time=whole)) as simulation:
        simulation.run(progress=False)
    with Simulation(case_of(tmp_path / "parts", particles=block)) as simulation:
        simulation.run(progress=False)
    before = open_run(tmp_path / "parts").particles["tracer"]
    assert before["step"].values.tolist() == [0, 3, 6, 9, 10]
    finished(tmp_path / "parts", settings=["time.steps=17"])
    after = open_run(tmp_path / "parts").particles["tracer"]
    assert after["step"].values.tolist() == [0, 3, 6, 9, 12, 15, 17]
    same(*(open_run(tmp_path / name).particles for name in ("whole", "parts")))
    assert "gap" not in (tmp_path / "parts" / "log.txt").read_text()


@pytest.mark.parametrize("step", [3, 5, 6])
def test_a_release_is_safe_through_restarts(tmp_path, step):
    """From a checkpoint before it, of the same step, and behind it."""
    with Simulation(case_of(tmp_path / "whole", particles=[EARLY, LATE])) as simulation:
        simulation.run(progress=False)
    with Simulation(case_of(tmp_path / "parts", particles=[EARLY, LATE])) as simulation:
        for _ in range(step):
            simulation.step()
        simulation._recorder.checkpoint(0.02)
        simulation.step()
    path = tmp_path / "parts" / "checkpoints" / f"{step:08d}.particles.h5"
    with h5py.File(path) as file:
        assert list(file) == (["inertial"] if step < 5 else ["inertial", "late"])
    finished(tmp_path / "parts", step=step)
    same(*(open_run(tmp_path / name).particles for name in ("whole", "parts")))


WRONG = [
    (
        {"pairs": [0.1]},
        "pairs goes with particles.tracer.count, which is missing; give it: the number of each size",
    ),
    ({}, "takes one of count, positions, lattice, path to place particles; given: none"),
    ({"count": 3, "pairs": [0.1], "tetrahedra": [0.1]}, "takes one of pairs, tetrahedra, plane, path"),
    ({"lattice": 3, "pairs": [0.1]}, "and with it count; given: particles.tracer.pairs"),
    ({"count": 3, "pairs": []}, "at least 1"),
    ({"count": 3, "pairs": [0.1, -0.1]}, "greater than 0"),
    ({"count": 10**9, "tetrahedra": [0.1]}, "tetrahedra has 4000000000 particles"),
    ({"count": 3, "plane": {"axis": "w", "position": 1.0}}, "it must be one of x, y, z"),
    ({"count": 3, "plane": {"axis": "x"}}, "position"),
    ({"count": 3, "release": -1.0}, "at least 0"),
    ({"count": 3, "release": 5.0}, "never be released"),
]


@pytest.mark.parametrize(("options", "told"), WRONG)
def test_what_a_case_may_not_ask(options, told):
    time = {"dt": 0.02, "until": 0.2}
    with pytest.raises(CaseError, match=told) as error:
        case_of(time=time, particles=[{"kind": "tracer"} | options])
    assert "\n\n" not in str(error.value)


def test_a_release_takes_a_scheme_of_one_step():
    with pytest.raises(CaseError, match=r'release = 0.1 is after steps that time.scheme = "ab2"'):
        case_of(time={"dt": 0.02, "steps": 10, "scheme": "ab2"}, particles=[LATE])
