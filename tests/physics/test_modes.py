"""Modes as arrays, of a flow and of its checkpoints: amplitudes of exp(i k·x), read and set."""

import h5py
import numpy as np
import pytest
import xarray as xr
from models.runs import EPSILON
from models.test_all import case_of, every, fields_of
from support import devices
from support.build import needs
from support.ranks import on_ranks
from whorl import open_run
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

ROUNDING = {name: 100 * epsilon for name, epsilon in EPSILON.items()}


def case(points=(12, 16, 10), initial=None, precision="double", **grid):
    return Case(
        grid={"points": points} | grid,
        flow={"viscosity": 0.01},
        time={"dt": 0.01, "steps": 3},
        initial=initial or {"name": "random", "k0": 2.0, "seed": 5},
        run={"threads": 1, "device": devices.current(), "precision": precision},
    )


def whole(world, modes):
    """The blocks of all ranks as one, wavenumbers rising; each mode is one rank's."""
    parts = world.allgather(modes)
    together = parts[0]
    for part in parts[1:]:
        together, part = xr.align(together, part, join="outer", fill_value=0)
        together = together + part
    return together.sortby(["kx", "ky", "kz"])


def numpy_modes(field, lengths):
    """Those of numpy's transform, kx ≥ 0."""
    points = field.shape[:0:-1]
    k = [np.fft.fftfreq(n, length / n / (2 * np.pi)) for n, length in zip(points, lengths, strict=True)]
    a = np.fft.fftn(field, axes=(1, 2, 3), norm="forward").transpose(0, 3, 2, 1)
    array = xr.DataArray(a, {"kx": k[0], "ky": k[1], "kz": k[2]}, ["component", "kx", "ky", "kz"])
    return array.sel(kx=k[0] >= 0).sortby(["kx", "ky", "kz"])


def norm(modes):
    return float((np.abs(modes) ** 2).sum())


def distance(modes, expected):
    return np.sqrt(norm(modes - expected) / norm(expected))


def at_those_of(modes, other):
    """Wavenumbers differ by rounding."""
    return other.sel(kx=modes.kx, ky=modes.ky, kz=modes.kz, method="nearest").values


@on_ranks()
@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("rule", [{}, {"shape": "sphere"}, {"dealias": "phase-shift"}], ids=str)
def test_they_are_those_of_numpy(world, rule, precision):
    lengths = (2 * np.pi, 3.0, 5.0)
    simulation = Simulation(case(lengths=lengths, precision=precision, **rule), comm=world)
    for name in ("velocity", "vorticity"):
        modes = whole(world, simulation.modes(name))
        expected = numpy_modes(world.bcast(simulation.gather(name)).astype(float), lengths)
        assert distance(modes.values, at_those_of(modes, expected)) < ROUNDING[precision]
        assert norm(modes) == pytest.approx(norm(expected), rel=ROUNDING[precision])
    simulation.close()


def test_a_wave_is_half_of_it_on_either_side():
    """u = cos(2x + y − 3z + 0.4): exp(0.4 i)/2 at (2, 1, −3)."""
    simulation = Simulation(case(initial={"name": "zero"}))

    def wave(x, y, z):
        values = np.cos(2 * x + y - 3 * z + 0.4)
        return 0 * values, 3 * values, values

    simulation.set_field("velocity", wave)
    modes = simulation.modes("velocity")
    assert complex(modes.sel(component="z", kx=2, ky=1, kz=-3)) == pytest.approx(np.exp(0.4j) / 2)
    assert int((np.abs(modes.sel(component="z")) > 1e-12).sum()) == 1
    assert modes.attrs["units"] == "length/time"


@on_ranks()
def test_a_field_is_moved_by_turning_its_modes(world):
    simulation = Simulation(case(), comm=world)
    before = world.bcast(simulation.gather("velocity"))
    modes = simulation.modes("velocity")
    dx, dy, dz = (2 * np.pi / n for n in (12, 16, 10))
    turned = modes * np.exp(-1j * (2 * dx * modes.kx + 5 * dy * modes.ky - dz * modes.kz))
    simulation.set_modes("velocity", turned)
    after = world.bcast(simulation.gather("velocity"))
    assert distance(after, np.roll(before, (-1, 5, 2), (1, 2, 3))) < ROUNDING["double"]
    simulation.set_modes("velocity", turned.transpose("kz", "ky", "kx", "component"))
    assert np.array_equal(world.bcast(simulation.gather("velocity")), after)
    simulation.close()


@every
def test_what_is_set_is_what_was_read(name):
    simulation = Simulation(case_of(name))
    fields = {field: simulation.field(field) for field in simulation.case.flow.state}
    arrays = {field: simulation.modes(field) for field in fields}
    for field, modes in arrays.items():
        simulation.set_modes(field, 0 * modes)
        assert not simulation.field(field).any()
        simulation.set_modes(field, modes.values)
        assert distance(simulation.field(field), fields[field]) < ROUNDING["double"]


def sum_of_waves(modes, case, sines):
    """At the grid points, wave by wave: of one component that is a sine along the axes `sines`."""
    grid = case.grid
    total = modes.values
    if grid.bases[2] == "F":
        total = total * np.where(modes.kx.values > 0, 2, 1)[:, None, None]
    for axis, basis, n, length in zip("xyz", reversed(grid.bases), grid.points, grid.lengths, strict=True):
        k = modes[f"k{axis}"].values
        points = (np.arange(n) + (0.5 if basis == "S" else 0)) * length / n
        waves = np.exp(1j * np.outer(k, points))
        if basis == "S":
            mirrored = np.where(k > 0, -1 if axis in sines else 1, 0)
            waves = waves + mirrored[:, None] * waves.conj()
        total = np.tensordot(total, waves, (0, 0))
    return total.real.T


@pytest.mark.parametrize("name", ["rayleigh-benard SFF", "rayleigh-benard SSF", "rayleigh-benard SSS"])
def test_between_walls_they_are_waves_with_their_mirror_images(name):
    simulation = Simulation(case_of(name))
    state = simulation.case.flow.state
    for field in state:
        modes, points = simulation.modes(field), simulation.field(field)
        parts = [modes] if modes.ndim == 3 else [modes.sel(component=part) for part in "xyz"]
        for part, sines, values in zip(parts, state[field].sines, points, strict=True):
            assert distance(sum_of_waves(part, simulation.case, sines), values) < ROUNDING["double"]


# Set wrongly


def refused(simulation, words, name="velocity", change=None, values=None):
    modes = simulation.modes("velocity") if values is None else values
    with pytest.raises(CaseError) as caught:
        simulation.set_modes(name, modes if change is None else change(modes))
    assert all(word in str(caught.value) for word in words), str(caught.value)


def spoil(value, **place):
    def change(modes):
        modes.loc[place] = value
        return modes

    return change


def test_modes_of_no_real_field_are_refused():
    simulation = Simulation(case())
    refused(simulation, ["no real field", "conjugates"], change=spoil(1.0, kx=0, ky=1, kz=1, component="x"))
    refused(simulation, ["no real field"], change=lambda modes: modes * 1j)
    walled = Simulation(case_of("rayleigh-benard SSS"))
    refused(walled, ["no real field", "sine"], change=lambda modes: modes * np.exp(0.3j))


def test_other_shapes_names_and_numbers_are_refused():
    simulation = Simulation(case())
    refused(
        simulation, ["shape (3, 4, 11, 6), not (3, 4, 11, 7)"], change=lambda modes: modes.values[..., 1:]
    )
    refused(simulation, ["not all finite"], change=spoil(np.nan, kx=1, ky=1, kz=1, component="x"))
    refused(simulation, ['"speed"', "velocity"], name="speed")
    plane = Simulation(case_of("navier-stokes-2d"))
    refused(plane, ["not a field of the state, which has vorticity"])
    with pytest.raises(ValueError, match="vorticity"):
        simulation.modes("speed")


@on_ranks(1, 3)
def test_labels_say_which_mode_is_which(world):
    """In whatever order; an array of other wavenumbers or components is refused."""
    simulation = Simulation(case(), comm=world)
    before, modes = simulation.field("velocity"), simulation.modes("velocity")
    shuffled = modes.sortby(["ky", "kz"]).isel(component=[2, 0, 1]).transpose("kz", "component", "kx", "ky")
    simulation.set_modes("velocity", shuffled)
    assert np.allclose(simulation.field("velocity"), before, rtol=0, atol=1e-14)
    for wrong, words in (
        (modes.assign_coords(kx=7 * modes.kx), "other kx"),
        (modes.isel(kx=slice(1, None)), "other kx"),
        (modes.assign_coords(component=["u", "v", "w"]), "other labels of component"),
        (modes.rename(kx="x"), "over component, x, ky, kz"),
    ):
        refused(simulation, [words], values=wrong)
    refused(simulation, ["no array of complex numbers"], values=[[1.0], [1.0, 2.0]])
    simulation.close()


def test_what_single_precision_cannot_hold_is_refused():
    simulation = Simulation(case(precision="single"))
    refused(simulation, ["not all finite in single"], change=lambda modes: modes.astype(complex) * 1e41)
    refused(simulation, ["too large for single"], change=lambda modes: modes.astype(complex) * 1e39)


@pytest.mark.parametrize(("precision", "part"), [("double", 1e-6), ("single", 1e-3)])
def test_what_is_let_through_leaves_a_real_field(precision, part):
    """The energy of the modes is that at the points, and a checkpoint gives back what it was written from."""
    simulation = Simulation(case(precision=precision))
    modes = simulation.modes("velocity")
    modes.loc[{"kx": 0, "ky": 1, "kz": 1, "component": "x"}] += part * np.sqrt(norm(modes))
    simulation.set_modes("velocity", modes)
    at_points = (simulation.field("velocity").astype(float) ** 2).sum(axis=0).mean() / 2
    assert simulation.statistics()["energy"] == pytest.approx(at_points, rel=10 * EPSILON[precision])


@on_ranks(2, 3)
def test_what_is_wrong_on_one_rank_is_refused_by_all(world):
    simulation = Simulation(case(), comm=world)
    modes = simulation.modes("velocity")
    spoilt = modes * np.nan if world.rank == 1 else modes
    refused(simulation, ["not all finite"], values=spoilt)
    simulation.set_modes("velocity", modes)
    simulation.close()


def test_a_callback_changes_the_modes_and_the_series_knows():
    """Modes of the smallest wavenumbers held, as simple forcings do; the divergent part goes."""
    simulation = Simulation(case().updated(output={"series_every": "1 steps"}))

    @simulation.every("1 steps")
    def hold(run):
        modes = run.modes("velocity")
        modes[:] = 0
        modes.loc[{"kx": 1, "ky": 0, "kz": 0}] = [9.0, 0.5, 0.25j]
        assert run.statistics()["energy"] == pytest.approx(0.5, rel=0.1)  # known before
        run.set_modes("velocity", modes)
        assert run.statistics()["energy"] == pytest.approx(0.3125)

    simulation.step()
    assert simulation.statistics()["energy"] == pytest.approx(0.25 + 0.0625, rel=1e-14)
    assert simulation.series["energy"].values[-1] == pytest.approx(0.3125, rel=1e-14)


# Checkpoints


def written(tmp_path, case, comm=None, velocity=None):
    simulation = Simulation(case.updated(output={"directory": str(tmp_path / "run")}), comm=comm)
    if velocity is not None:
        simulation.set_field("velocity", velocity)
    simulation.run(progress=False)
    return simulation


@needs("hdf5")
@every
def test_a_checkpoint_has_the_modes_of_the_flow(name, tmp_path):
    simulation = written(tmp_path, case_of(name).updated(time={"steps": 2}))
    data = open_run(tmp_path / "run").checkpoint(2)
    assert set(data) == set(fields_of(simulation.case))
    for field in data:
        expected = simulation.modes(field)
        assert data[field].dims == expected.dims
        assert distance(data[field].values, expected.values) < ROUNDING["double"]
        assert data[field].attrs == expected.attrs
        for axis in ("kx", "ky", "kz"):
            assert np.array_equal(data[axis], expected[axis])
    assert (data.attrs["time"], data.attrs["step"]) == (simulation.time, 2)


@needs("hdf5")
@on_ranks(1, 3)
@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize(
    "grid", [{"shape": "sphere"}, {"dealias": "phase-shift"}, {"dealias": "none"}], ids=str
)
def test_of_every_truncation_and_precision(world, grid, precision, tmp_path):
    tmp_path = world.bcast(tmp_path)
    noise = np.random.default_rng(2).standard_normal((3, 10, 16, 12)) + np.ones((3, 1, 1, 1))
    simulation = written(tmp_path, case(precision=precision, **grid), world, noise)
    expected = whole(world, simulation.modes("velocity"))
    data = open_run(tmp_path / "run").checkpoint()["velocity"].sortby(["kx", "ky", "kz"])
    assert data.dtype == {"double": "c16", "single": "c8"}[precision]
    assert distance(data.values, expected.values) < ROUNDING[precision]
    simulation.close()


@needs("hdf5")
@pytest.mark.only_cpu
def test_a_damaged_one_is_refused(tmp_path):
    written(tmp_path, case())
    run = open_run(tmp_path / "run")
    with h5py.File(run.checkpoints[-1], "r+") as file:
        mean = file.attrs["velocity_mean_z"]
        file.attrs["velocity_mean_z"] = [0.5, 0.0]
    with pytest.raises(CaseError, match="its attributes are damaged"):
        run.checkpoint()
    with h5py.File(run.checkpoints[-1], "r+") as file:
        file.attrs["velocity_mean_z"] = mean
        file["velocity_first"][17, 1] *= 1 + 1e-15
    with pytest.raises(CaseError, match="its data are damaged"):
        run.checkpoint()
    for name in ("complete", "format"):
        with h5py.File(run.checkpoints[-1], "r+") as file:
            del file.attrs[name]
        with pytest.raises(CaseError, match=r"is incomplete|no checkpoint of format 3"):
            run.checkpoint()
    with pytest.raises(CaseError, match="there are checkpoints of step 3"):
        run.checkpoint(7)
