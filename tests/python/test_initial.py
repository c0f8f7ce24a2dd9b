"""Initial fields: what a case and a script may ask for, and the values that come of it."""

import math
import tomllib

import h5py
import numpy as np
import pytest
import xarray as xr
from mpi4py import MPI
from whorl.base.errors import CaseError
from whorl.config.case import Case, load_case
from whorl.config.positions import coordinates
from whorl.initial.fields import set_initial
from whorl.models import MODELS
from whorl.run.simulation import Simulation


class Recorder:
    """Stands for the core's flow: keeps what is set, in one block of all points."""

    kmax = 1000.0

    def __init__(self, case):
        self.case, self.fields, self.random = case, {}, {}
        _, ny, nz = case.grid.points
        self.physical_block = (0, nz, 0, ny)

    def set_physical(self, fill, project=True, field="velocity"):
        nx, ny, nz = self.case.grid.points
        known = self.case.flow.outputs | self.case.flow.state
        components = known[field].components if field in known else 1
        out = np.full((components, nz, ny, nx), np.nan)
        fill(0, nz, 0, ny, out)
        self.fields[field] = out

    def set_random(self, energy, seed, field="velocity"):
        self.random[field] = (list(energy), seed)

    def read_fields(self, name, take):
        """All that was set; of a random field one component of the right energy."""
        nx, ny, nz = self.case.grid.points
        if name in self.fields:
            take(0, nz, 0, ny, self.fields[name])
            return
        take(0, nz, 0, ny, np.full((1, nz, ny, nx), math.sqrt(2 * sum(self.random[name][0]))))


def case_of(model="navier-stokes", **sections):
    example = MODELS[model].example
    grid = {"points": [8, 6, 1] if MODELS[model].must_be_flat else [8, 6, 10]}
    if model == "rayleigh-benard":
        grid["lengths"] = [2.0, 3.0, 1.0]
    base = {"grid": grid, "flow": {"model": model, **example["flow"]}, "time": {"dt": 0.1, "steps": 1}}
    return Case(**base | sections)


def set_of(case, given=None):
    flow = Recorder(case)
    set_initial(flow, case, given, MPI.COMM_SELF)
    return flow


def refusal(*arguments, **sections):
    with pytest.raises(CaseError) as caught:
        case_of(*arguments, **sections)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def grid_of(case):
    x, y, z = coordinates(case.grid)
    return x[None, None, :], y[None, :, None], z[:, None, None]


# Which field, and by what


def test_tables_set_further_fields():
    magnetic = {"name": "abc", "A": 2.0}
    case = case_of("mhd", initial={"name": "taylor-green", "magnetic": magnetic})
    flow = set_of(case)
    _, _, z = grid_of(case)
    assert set(flow.fields) == {"velocity", "magnetic"}
    assert np.abs(flow.fields["velocity"][2]).max() == 0
    _, y, z = np.broadcast_arrays(*grid_of(case))
    np.testing.assert_allclose(flow.fields["magnetic"][0], 2 * np.sin(z) + np.cos(y), atol=1e-15)
    assert Case(**tomllib.loads(case.to_toml())) == case
    assert case.initial.magnetic.A == 2


def test_what_is_not_named_stays_zero():
    flow = set_of(case_of("mhd", initial={"magnetic": {"name": "roberts"}}))
    assert set(flow.fields) == {"magnetic"}


@pytest.mark.parametrize(
    ("given", "sections"),
    [
        (None, {"initial": {"vorticity": {"name": "formula", "value": "cos(x)"}}}),
        (None, {"initial": {"name": "zero", "vorticity": {"name": "formula", "value": "cos(x)"}}}),
        ({"vorticity": lambda x, y, z: np.cos(x) + 0 * y + 0 * z}, {"forcing": [{"kind": "script"}]}),
    ],
)
def test_a_vorticity_is_given_in_place_of_the_velocity(given, sections):
    """A velocity that is zero by default is not given; ω = cos x has v = sin x and the energy ½⟨v²⟩ = ¼."""
    case = case_of("navier-stokes-2d", grid={"points": [16, 16, 1]}, **sections)
    still = np.zeros((3, 1, 16, 16)) if "forcing" in sections else None
    simulation = Simulation(case, given, forcing=still)
    assert simulation.statistics()["energy"] == pytest.approx(0.25, rel=1e-14)
    simulation.step()


def test_a_vorticity_and_a_velocity_are_not_both_given():
    case = case_of("navier-stokes-2d", initial={"vorticity": {"name": "random"}})
    with pytest.raises(CaseError, match="an initial velocity and one of vorticity set the same"):
        set_of(case, lambda x, y, z: (np.sin(y), 0, 0))


def test_scalars_have_their_own():
    scalars = [{"name": "dye"}, {"name": "salt", "initial": {"name": "formula", "value": "x + 10*z"}}]
    case = case_of(initial={"name": "abc"}, scalars=scalars)
    flow = set_of(case)
    assert set(flow.fields) == {"velocity", "salt"}
    x, _, z = np.broadcast_arrays(*grid_of(case))
    np.testing.assert_allclose(flow.fields["salt"][0], x + 10 * z)


def test_fields_of_one_seed_differ():
    random = {"name": "random", "seed": 5}
    case = case_of("mhd", initial=random | {"magnetic": random}, scalars=[{"name": "dye", "initial": random}])
    found = set_of(case).random
    assert found["velocity"][1] == 5
    assert len({seed for _, seed in found.values()}) == 3
    assert sum(found["magnetic"][0]) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("model", "first"),
    [("navier-stokes", "velocity"), ("boussinesq", "velocity"), ("navier-stokes-2d", "velocity")],
)
def test_the_first_field_may_have_a_table_of_its_own(model, first):
    kolmogorov = {"name": "formula", "value": ["sin(y)", "0", "0"]}
    expected = set_of(case_of(model, initial=kolmogorov)).fields
    assert np.ptp(expected[first]) > 1
    for table in ({first: kolmogorov}, {"name": "zero", first: kolmogorov}):
        found = set_of(case_of(model, initial=table)).fields
        assert found.keys() == expected.keys()
        np.testing.assert_array_equal(found[first], expected[first])


def test_a_script_and_a_table_of_the_first_field_exclude_each_other():
    case = case_of(initial={"velocity": {"name": "abc"}})
    with pytest.raises(CaseError, match=r'the case has initial\.velocity\.name = "abc" and the script'):
        set_of(case, given=lambda x, y, z: (0 * x + y + z,) * 3)


@pytest.mark.parametrize(
    ("model", "initial", "words"),
    [
        (
            "navier-stokes",
            {"name": "abc", "magnetic": {"name": "abc"}},
            ["[initial.magnetic]", "navier-stokes"],
        ),
        ("mhd", {"name": "abc", "magnetc": {"name": "abc"}}, ["[initial.magnetc]", "did you mean magnetic"]),
        ("mhd", {"name": "abc", "velocity": {"name": "abc"}}, ["[initial.velocity] and [initial] both"]),
        (
            "mhd",
            {"name": "abc", "magnetic": {"name": "ab"}},
            ['initial.magnetic.name = "ab"', "did you mean abc?"],
        ),
        ("mhd", {"name": "abc", "magnetic": {"A": 1.0}}, ["initial.magnetic.name is missing"]),
        (
            "mhd",
            {"name": "abc", "magnetic": {"name": "abc", "D": 1.0}},
            ["initial.magnetic.D is not an option"],
        ),
        (
            "mhd",
            {"name": "abc", "magnetic": {"name": "abc", "energy": 1.0}},
            ["initial.magnetic.energy", 'it goes with initial.magnetic.name = "random"'],
        ),
        (
            "mhd",
            {"name": "abc", "magnetic": {"name": "random", "k0": -1}},
            ["initial.magnetic.k0 = -1", "greater"],
        ),
        (
            "mhd",
            {"name": "abc", "magnetic": {"name": "abc", "velocity": {"name": "abc"}}},
            ["[initial.magnetic.velocity] is a table in a table"],
        ),
        ("boussinesq", {"name": "abc", "temperature": {"name": "abc"}}, ["does not make", "random, formula"]),
        ("gross-pitaevskii", {"name": "abc"}, ['initial.name = "abc"', "psi", "taylor-green"]),
        ("rayleigh-benard", {"name": "abc"}, ["does not fit walls", "taylor-green"]),
        (
            "navier-stokes",
            {"name": "formula", "value": "x"},
            ["initial.value holds 1 formula; velocity needs 3 formulas"],
        ),
        ("navier-stokes", {"name": "formula", "value": 3}, ["initial.value = 3"]),
        (
            "navier-stokes-2d",
            {"name": "random", "vorticity": {"name": "random"}},
            ["[initial.vorticity] and [initial] both"],
        ),
        (
            "navier-stokes-2d",
            {"velocity": {"name": "random"}, "vorticity": {"name": "random"}},
            ["[initial.velocity] and [initial.vorticity] set the same"],
        ),
        ("navier-stokes", {"velocty": {"name": "abc"}}, ["did you mean velocity", "[initial.velocity]"]),
    ],
)
def test_a_refusal_names_value_and_remedy(model, initial, words):
    message = refusal(model, initial=initial)
    for word in words:
        assert word in message


def test_a_scalar_has_its_initial_field_in_its_own_block():
    message = refusal(initial={"name": "abc", "dye": {"name": "random"}}, scalars=[{"name": "dye"}])
    assert "[scalars.initial]" in message
    message = refusal(initial={"name": "abc"}, scalars=[{"name": "dye", "initial": {"name": "abc"}}])
    assert "scalars.initial.name" in message


def test_settings_reach_into_tables():
    case = case_of("mhd", initial={"name": "abc", "magnetic": {"name": "random", "spectrum": [0.0, 1.0]}})
    changed = case.updated(["initial.magnetic.energy=3", "initial.A=4"])
    assert (changed.initial.magnetic.energy, changed.initial.magnetic.spectrum) == (3, None)
    assert changed.initial.A == 4
    other = case.updated(["initial.name=taylor-green", "initial.magnetic.name=roberts"])
    assert other.to_dict()["initial"] == {
        "name": "taylor-green",
        "amplitude": 1.0,
        "magnetic": {"name": "roberts", "amplitude": 1.0},
    }
    with pytest.raises(CaseError, match=r"--set grid.points.x=3: grid.points is an option"):
        case.updated(["grid.points.x=3"])
    with pytest.raises(CaseError, match=r"--set scalars.0.name=dye: scalars is a list of length 0"):
        case.updated(["scalars.0.name=dye"])
    assert case.updated(['scalars=[{name="dye"}]']).scalars[0].name == "dye"


def test_paths_are_relative_to_the_case_file(tmp_path):
    by_file = {"name": "from-file", "path": "b.h5"}
    case = case_of(
        "mhd", initial={"name": "abc", "magnetic": by_file}, scalars=[{"name": "dye", "initial": by_file}]
    )
    (tmp_path / "case.toml").write_text(case.to_toml())
    loaded = load_case(tmp_path / "case.toml")
    assert loaded.initial.magnetic.path == loaded.scalars[0].initial.path == str(tmp_path / "b.h5")


# From a script


def test_a_script_gives_fields_by_name():
    case = case_of("boussinesq", scalars=[{"name": "dye"}])
    shape = tuple(reversed(case.grid.points))
    temperature = np.arange(math.prod(shape), dtype=float).reshape(shape) - (math.prod(shape) - 1) / 2
    given = {
        "velocity": lambda x, y, z: (y, 0 * x, x),
        "temperature": temperature,
        "dye": lambda x, y, z: x * z,
    }
    flow = set_of(case, given)
    np.testing.assert_array_equal(flow.fields["temperature"][0], temperature)
    x, y, z = np.broadcast_arrays(*grid_of(case))
    np.testing.assert_array_equal(flow.fields["velocity"], [y, 0 * x, x])
    np.testing.assert_array_equal(flow.fields["dye"][0], x * z)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"temprature": 0}, ['"temprature"', "did you mean temperature"]),
        ({"temperature": np.zeros((2, 2, 2))}, ["(2, 2, 2)", "(1, 10, 6, 8)"]),
        ({"velocity": lambda x, y, z: (x, y)}, ["velocity", "2 components, not three"]),
        ({"temperature": lambda x, y, z: (x, y)}, ["temperature", "2 components, not one"]),
        (lambda x, y, z: np.random.default_rng().random((3, z.size, y.size, x.size)), ["x, y and z alone"]),
    ],
)
def test_what_a_script_gives_is_checked(given, words):
    with pytest.raises(CaseError) as caught:
        set_of(case_of("boussinesq"), given)
    for word in words:
        assert word in str(caught.value)


def test_a_case_or_a_script_but_not_both():
    with pytest.raises(CaseError, match="leave one out"):
        set_of(case_of(initial={"name": "abc"}), lambda x, y, z: (x, y, z))
    with pytest.raises(CaseError, match="no initial field"):
        set_of(case_of())


# Values


def test_points_lie_between_walls_and_on_periodic_edges():
    case = case_of("rayleigh-benard", grid={"points": [8, 6, 10], "lengths": [2.0, 3.0, 1.0], "bases": "SSF"})
    x, y, z = coordinates(case.grid)
    np.testing.assert_allclose(x, np.arange(8) * 0.25)
    np.testing.assert_allclose(y, (np.arange(6) + 0.5) * 0.5)
    np.testing.assert_allclose(z, (np.arange(10) + 0.5) * 0.1)


def test_formulas_are_evaluated_at_the_points():
    case = case_of(initial={"name": "formula", "value": ["sin(x)*cos(y)", "where(z > pi, 1, -1)", "2"]})
    x, y, z = np.broadcast_arrays(*grid_of(case))
    u, v, w = set_of(case).fields["velocity"]
    np.testing.assert_allclose(u, np.sin(x) * np.cos(y), atol=1e-15)
    np.testing.assert_array_equal(v, np.where(z > np.pi, 1, -1))
    np.testing.assert_array_equal(w, np.full_like(x, 2))


def test_orszag_tang():
    vortex = {"name": "orszag-tang", "amplitude": 2.0}
    case = case_of("mhd", initial=vortex | {"magnetic": vortex})
    x, y, _ = np.broadcast_arrays(*grid_of(case))
    fields = set_of(case).fields
    np.testing.assert_allclose(fields["velocity"], [-2 * np.sin(y), 2 * np.sin(x), 0 * x], atol=1e-15)
    np.testing.assert_allclose(fields["magnetic"], [-2 * np.sin(y), 2 * np.sin(2 * x), 0 * x], atol=1e-15)


def test_the_roberts_flow_is_its_own_curl():
    """ω = (∂w/∂y, −∂w/∂x, ∂v/∂x − ∂u/∂y), by differences."""
    case = case_of(grid={"points": [64, 64, 4]}, initial={"name": "roberts", "amplitude": 3.0})
    flow = set_of(case).fields["velocity"][:, 0]
    h = 2 * np.pi / 64
    along = {axis: (np.roll(flow, -1, axis) - np.roll(flow, 1, axis)) / (2 * math.sin(h)) for axis in (1, 2)}
    dy, dx = along[1], along[2]
    np.testing.assert_allclose([dy[2], -dx[2], dx[1] - dy[0]], flow, atol=1e-12)


# Files


@pytest.mark.parametrize("suffix", ["npz", "h5"])
def test_arrays_of_a_file(tmp_path, suffix):
    case = case_of("boussinesq")
    shape = tuple(reversed(case.grid.points))
    rng = np.random.default_rng(1)
    arrays = {name: rng.random(shape) for name in ("u", "v", "w", "temperature")}
    arrays["temperature"] -= arrays["temperature"].mean()
    path = tmp_path / f"start.{suffix}"
    if suffix == "npz":
        np.savez(path, **arrays)
    else:
        with h5py.File(path, "w") as file:
            file.update(arrays)
    by_file = {"name": "from-file", "path": str(path)}
    flow = set_of(case_of("boussinesq", initial=by_file | {"temperature": by_file}))
    np.testing.assert_array_equal(flow.fields["velocity"], [arrays[name] for name in "uvw"])
    np.testing.assert_array_equal(flow.fields["temperature"], [arrays["temperature"]])


SCALARS = [
    {"name": "ink", "initial": {"name": "formula", "value": "1 + 0*x"}},
    {"name": "milk", "initial": {"name": "formula", "value": "2 + 0*x"}},
]


@pytest.fixture
def snapshot(tmp_path):
    """Of plane flow with two scalars, in a box of its own lengths."""
    output = {"directory": str(tmp_path / "run"), "snapshot_every": "1 steps"}
    grid = {"points": [8, 6, 1], "lengths": [2.0, 3.0, 5.0]}
    fields = ["velocity", "ink", "milk"]
    case = case_of(grid=grid, initial={"name": "zero"}, scalars=SCALARS, output=output | {"fields": fields})
    Simulation(case).step()
    return tmp_path / "run" / "snapshots" / "00000001.vtkhdf"


def beginning_with(snapshot, *names, lengths=(2.0, 3.0, 1.0), **grid):
    """A case on the snapshot's grid whose scalars begin with it."""
    by_file = {"name": "from-file", "path": str(snapshot)}
    grid = {"points": [8, 6, 1], "lengths": list(lengths)} | grid
    scalars = [{"name": name, "initial": by_file} for name in names]
    return Simulation(case_of(grid=grid, initial={"name": "zero"}, scalars=scalars))


def test_scalars_of_a_snapshot_are_found_by_name(snapshot):
    simulation = beginning_with(snapshot, "milk")
    np.testing.assert_allclose(simulation.field("milk"), 2, rtol=1e-7)
    simulation = beginning_with(snapshot, "milk", "ink")
    np.testing.assert_allclose(simulation.field("milk"), 2, rtol=1e-7)
    np.testing.assert_allclose(simulation.field("ink"), 1, rtol=1e-7)


def test_scalars_of_a_snapshot_that_numbers_them(snapshot):
    """As the first version of snapshots does."""
    with h5py.File(snapshot, "r+") as file:
        file.attrs["version"] = 1
        for number, name in enumerate(("ink", "milk")):
            file.move(f"VTKHDF/PointData/{name}", f"VTKHDF/PointData/scalar{number}")
    simulation = beginning_with(snapshot, "milk")
    np.testing.assert_allclose(simulation.field("milk"), 2, rtol=1e-7)
    assert set(xr.open_dataset(snapshot, engine="whorl").data_vars) == {"velocity", "ink", "milk"}


@pytest.mark.parametrize("name", ["tea", "scalar1"])
def test_a_scalar_that_a_snapshot_has_not(snapshot, name):
    with pytest.raises(CaseError, match=f"snapshot without {name}, of ink, milk, velocity"):
        beginning_with(snapshot, name)


@pytest.mark.parametrize("suffix", ["npz", "h5"])
def test_scalars_of_arrays_are_found_by_name(tmp_path, suffix):
    shape = (10, 6, 8)
    arrays = {"ink": np.full(shape, 1.0), "milk": np.full(shape, 2.0), "scalar0": np.full(shape, 3.0)}
    path = tmp_path / f"start.{suffix}"
    if suffix == "npz":
        np.savez(path, **arrays)
    else:
        with h5py.File(path, "w") as file:
            file.update(arrays)
    scalars = [{"name": "milk", "initial": {"name": "from-file", "path": str(path)}}]
    flow = set_of(case_of("mhd", initial={"name": "zero"}, scalars=scalars))
    np.testing.assert_array_equal(flow.fields["milk"], [arrays["milk"]])


@pytest.mark.parametrize("lengths", [(2.0, 4.0, 5.0), (2.002, 3.0, 5.0)])
def test_a_snapshot_of_another_box_is_refused(snapshot, lengths):
    with pytest.raises(CaseError) as caught:
        beginning_with(snapshot, "ink", lengths=lengths)
    shown = f"[{', '.join(f'{length:g}' for length in lengths)}]"
    for word in ("grid.lengths = [2, 3, 5]", f"grid.lengths = {shown}", "give the case those of the"):
        assert word in str(caught.value)


def test_a_snapshot_of_other_bases_is_refused(tmp_path):
    def convection(bases, **sections):
        grid = {"points": 8, "lengths": [2.0, 2.0, 1.0], "bases": bases}
        return case_of("rayleigh-benard", grid=grid, **sections)

    output = {"directory": str(tmp_path / "run"), "snapshot_every": "1 steps"}
    Simulation(convection("SFF", initial={"name": "zero"}, output=output)).step()
    path = str(tmp_path / "run" / "snapshots" / "00000001.vtkhdf")
    by_file = {"name": "from-file", "path": path}
    Simulation(convection("SFF", initial=by_file))
    with pytest.raises(CaseError, match=r'grid\.bases = "SFF" and the case has grid\.bases = "SSF"'):
        Simulation(convection("SSF", initial=by_file))


def test_a_file_without_the_field_is_named(tmp_path):
    path = tmp_path / "start.npz"
    np.savez(path, u=np.zeros(3))
    by_file = {"name": "from-file", "path": str(path)}
    with pytest.raises(CaseError, match=r"initial\.magnetic\.path = .*magnetic_x, magnetic_y and magnetic_z"):
        set_of(case_of("mhd", initial={"name": "abc", "magnetic": by_file}))


def test_abc_and_taylor_green_in_a_box_of_unequal_sides():
    """As their formulas say, and without divergence: nothing of them is projected away."""
    lengths = [2.0, 3.0, 5.0]
    a, b, c = (2 * np.pi / length for length in lengths)
    grid = {"points": [8, 12, 10], "lengths": lengths}
    abc = case_of(grid=grid, initial={"name": "abc", "A": 0.5, "B": 0.7, "C": 1.1})
    x, y, z = grid_of(abc)
    expected = [
        0.5 * np.sin(c * z) + 1.1 * np.cos(b * y) + 0 * x,
        0.7 * np.sin(a * x) + 0.5 * np.cos(c * z) + 0 * y,
        1.1 * np.sin(b * y) + 0.7 * np.cos(a * x) + 0 * z,
    ]
    assert Simulation(abc).velocity() == pytest.approx(np.array(expected), abs=1e-14)
    vortex = case_of(grid=grid, initial={"name": "taylor-green", "amplitude": 0.3})
    wave = np.cos(c * z)
    expected = [
        0.3 * np.sin(a * x) * np.cos(b * y) * wave,
        -0.3 * a / b * np.cos(a * x) * np.sin(b * y) * wave,
        np.zeros((10, 12, 8)),
    ]
    assert Simulation(vortex).velocity() == pytest.approx(np.array(expected), abs=1e-14)
