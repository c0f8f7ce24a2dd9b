"""Boxes with free-slip walls against the periodic box of twice their size that they are a part of."""

from dataclasses import replace

import h5py
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support import devices, flows
from support.build import needs
from support.examples import examples
from support.flows import assert_close
from support.ranks import COUNTS, on_ranks, run_on
from support.twin import Twin
from whorl import _core
from whorl.base.ranks import MPI
from whorl.output.snapshot_writer import write_snapshot

pytestmark = pytest.mark.every_device

# Axes 0, 1, 2 are x, y, z.
WALLS = {"SFF": (2,), "SSF": (1, 2), "SSS": (0, 1, 2)}
RULES = [("double", "2/3", "cube"), ("double", "2/3", "sphere"), ("double", "none", "cube")]
RULES += [("single", "2/3", "cube"), ("single", "2/3", "sphere")]
# Odd and even numbers of kept wavenumbers: 20 keeps 14, 14 keeps 10, 10 keeps 7, 16 keeps 11.
BOXES = [((10, 14, 18), (3.0, 4.0, 5.0)), ((16, 10, 6), (1.0, 2 * np.pi, 0.7))]
SIZES = [4, 6, 8, 10, 12, 14, 16, 18, 20]

bases_of_box = pytest.mark.parametrize("bases", WALLS)
rules = pytest.mark.parametrize(("precision", "dealias", "shape"), RULES)
boxes = pytest.mark.parametrize(("points", "lengths"), BOXES)


class Walled:
    """A box with walls, as the part of a periodic twin that has twice its points and its length."""

    def __init__(self, bases, points, lengths=(3.0, 4.0, 5.0), **settings):
        self.axes = WALLS[bases]
        times = [2 if axis in self.axes else 1 for axis in range(3)]
        self.here = Twin(points, lengths, **settings)
        self.twin = replace(
            self.here,
            points=tuple(n * t for n, t in zip(points, times, strict=True)),
            lengths=tuple(length * t for length, t in zip(lengths, times, strict=True)),
        )
        self.settings = {"bases": bases}

    def make(self, world, **settings):
        return flows.make(world, self.here, **self.settings, **settings)

    def options(self, **settings):
        return flows.options(self.here, **self.settings, **settings)

    def extended(self, u):
        """A velocity beyond the walls: the component across a wall is odd there, the others are even."""
        for axis in self.axes:
            sign = np.where(np.arange(3) == axis, -1, 1)[:, None, None, None]
            u = np.concatenate([u, sign * np.flip(u, 3 - axis)], 3 - axis)
        return u

    def inside(self, u):
        nx, ny, nz = self.here.points
        return u[:, :nz, :ny, :nx]

    @property
    def modes(self):
        positive = [self.twin.numbers[axis] >= 0 for axis in {0, *self.axes}]
        return int((self.twin.mask & np.logical_and.reduce(positive)).sum())

    def grids(self, world):
        return _core.allowed_process_grids(self.options(), world.size)


def check_fields(world, flow, box, precision):
    twin, u = box.twin, flows.noise(box.here)
    assert flow.modes == box.modes
    for project in (False, True):
        a = twin.load(box.extended(u), project=project)
        flows.write(flow, u, project=project)
        assert_close(flows.read(world, flow), box.inside(twin.to_points(a)), precision, what="velocity")
    curl = box.inside(twin.to_points(twin.curl(a)))
    assert_close(flows.read(world, flow, "vorticity"), curl, precision, what="vorticity")
    spectra = flow.spectra()
    assert_close(spectra["energy"], twin.energy_spectrum(a), precision, what="energy spectrum")
    expected, statistics = twin.statistics(a), flow.statistics()
    for name in ("energy", "enstrophy", "palinstrophy", "energy_per_wavenumber"):
        assert_close(statistics[name], expected[name], precision, what=name)


def check_steps(world, flow, box, precision):
    twin, u = box.twin, flows.noise(box.here)
    a = twin.load(box.extended(u))
    speeds = twin.speeds(twin.to_points(a))
    dt = 0.3 / speeds[0]
    flows.write(flow, u)
    scale = speeds[0] * twin.energy_spectrum(a).max()
    assert_close(
        flow.transfer()["velocity"], twin.transfer(a, twin.nonlinear(a)), precision, scale, "transfer"
    )
    for number in range(2):
        report = flow.step(dt, step_number=number)
        expected = twin.speeds(twin.to_points(a))
        assert_close([report.courant / dt, report.maximum_velocity], expected, precision, what="speeds")
        a = twin.step(a, dt, number)
        after = box.inside(twin.to_points(a))
        assert_close(flows.read(world, flow), after, precision, what=f"velocity after {number}")


def check_all(world, box, precision, **settings):
    flow = box.make(world, precision=precision, **settings)
    check_fields(world, flow, box, precision)
    check_steps(world, flow, box, precision)


@pytest.mark.turns
@on_ranks(1, 4, 6)
@bases_of_box
@rules
@boxes
def test_a_flow_between_walls_is_that_of_the_doubled_box(
    world, bases, points, lengths, precision, dealias, shape
):
    box = Walled(bases, points, lengths, dealias=dealias, shape=shape, viscosity=0.01)
    for grid in box.grids(world):
        check_all(world, box, precision, process_grid=grid)


@pytest.mark.only_cpu
@on_ranks(1, 4)
@bases_of_box
@pytest.mark.parametrize("precision", flows.PRECISIONS)
@pytest.mark.parametrize("lines", [pytest.param("fftw", marks=needs("fftw")), "direct"])
def test_every_kind_of_lines(world, bases, lines, precision):
    box = Walled(bases, (14, 10, 12), viscosity=0.01)
    for grid in box.grids(world):
        check_all(world, box, precision, process_grid=grid, lines=lines)


@on_ranks(1)
@pytest.mark.parametrize("precision", flows.PRECISIONS)
def test_rows_of_more_modes_than_are_advanced_at_a_time(world, precision):
    """107 kx side by side, of which 96 go together (Update::piece)."""
    box = Walled("SSS", (160, 6, 4), (1.0, 1.5, 2.0), viscosity=0.01)
    for grid in box.grids(world):
        check_all(world, box, precision, process_grid=grid)


@pytest.mark.mpi
@settings(max_examples=examples(60), derandomize=True)
@given(
    bases=st.sampled_from(list(WALLS)),
    points=st.tuples(*[st.sampled_from(SIZES)] * 3),
    lengths=st.tuples(*[st.floats(0.5, 20.0)] * 3),
    rule=st.sampled_from(RULES),
    ranks=st.sampled_from(COUNTS),
    data=st.data(),
)
def test_any_walls_on_any_process_grid(bases, points, lengths, rule, ranks, data):
    precision, dealias, shape = rule
    box = Walled(bases, points, lengths, dealias=dealias, shape=shape, viscosity=0.01)
    grids = _core.allowed_process_grids(box.options(), ranks)
    assume(grids)
    options = {
        "process_grid": data.draw(st.sampled_from(grids)),
        "batches": data.draw(st.integers(0, 9)),
        "threads": data.draw(st.integers(1, 3)),
        "lines": data.draw(st.sampled_from(devices.lines())),
    }
    run_on(ranks, check_all, box=box, precision=precision, **options)


def coordinates(points, lengths):
    z, y, x = np.meshgrid(*[(np.arange(n) + 0.5) / n for n in points[::-1]], indexing="ij")
    return [np.pi * at for at in (x, y, z)], [np.pi / length for length in lengths]


@on_ranks(1, 2, 4)
@pytest.mark.parametrize("precision", flows.PRECISIONS)
def test_a_vortex_between_walls_and_its_vorticity(world, precision):
    """u = -d psi/dy, v = d psi/dx of psi = sin 2x sin y cos z, in units of the walls' distances over pi."""
    points, lengths = (10, 16, 14), (2.0, 3.0, 5.0)
    (x, y, z), (kx, ky, kz) = coordinates(points, lengths)
    sx, cx, sy, cy, sz, cz = np.sin(2 * x), np.cos(2 * x), np.sin(y), np.cos(y), np.sin(z), np.cos(z)
    u = np.stack([-ky * sx * cy * cz, 2 * kx * cx * sy * cz, 0 * x])
    curl = [2 * kx * kz * cx * sy * sz, ky * kz * sx * cy * sz, -(4 * kx**2 + ky**2) * sx * sy * cz]
    for grid in Walled("SSS", points, lengths).grids(world):
        flow = Walled("SSS", points, lengths).make(world, precision=precision, process_grid=grid)
        flows.write(flow, u)
        assert_close(flows.read(world, flow), u, precision)
        assert_close(flows.read(world, flow, "vorticity"), np.stack(curl), precision)


# One pass, two and three, of every radix (in any place: test_lines.py).
LENGTHS = [4, 6, 10, 14, 16, 24, 42, 50, 98, 120, 128, 250, 432, 512]


@pytest.mark.turns
@pytest.mark.parametrize("precision", flows.PRECISIONS)
@pytest.mark.parametrize("axis", "xyz")
@pytest.mark.parametrize("length", LENGTHS)
def test_fast_lines_are_the_sums_they_stand_for(length, axis, precision):
    """A step from white noise, which all modes and all points of sine and cosine lines have a part in."""
    points = {"x": (length, 6, 8), "y": (6, length, 8), "z": (6, 8, length)}[axis]

    def one_step(lines, **settings):
        box = Walled("SSS", points, dealias="none", viscosity=0.01)
        flow = box.make(MPI.COMM_SELF, precision=precision, lines=lines, **settings)
        flows.write(flow, flows.noise(box.here))
        flow.step(1e-4, step_number=0)
        return flows.read(MPI.COMM_SELF, flow)

    sums = one_step("direct", device="cpu")
    assert np.ptp(sums) > 1.0
    assert_close(one_step("auto"), sums, precision)


@on_ranks(1, 3)
@pytest.mark.parametrize("precision", flows.PRECISIONS)
def test_two_dimensions_without_y(world, precision):
    """Walls in z, one point along y: nothing but the plane x, z."""
    box = Walled("SFF", (18, 1, 10), viscosity=0.01)
    for grid in box.grids(world):
        check_all(world, box, precision, process_grid=grid)


@needs("hdf5")
@on_ranks(1, 2, 3)
@bases_of_box
@pytest.mark.parametrize("precision", flows.PRECISIONS)
def test_a_checkpoint_gives_the_state_back_on_other_ranks(world, bases, precision, tmp_path):
    box = Walled(bases, (10, 14, 18), dealias="2/3", shape="sphere", viscosity=0.01)
    path = world.bcast(str(tmp_path / "walls.h5"))
    grids = box.grids(world)
    first = box.make(world, precision=precision, process_grid=grids[0])
    flows.write(first, flows.noise(box.here))
    written = flows.read(world, first)
    first.write_checkpoint(path, {})
    second = box.make(world, precision=precision, process_grid=grids[-1])
    second.read_checkpoint(path)
    assert_close(flows.read(world, second), written, precision)
    periodic = flows.make(world, Twin((10, 14, 18), box.here.lengths, shape="sphere"))
    with pytest.raises(_core.Error, match=f"bases {bases}"):
        periodic.read_checkpoint(path)


@on_ranks()
@bases_of_box
@pytest.mark.parametrize("precision", flows.PRECISIONS)
def test_the_estimate_is_what_the_fullest_rank_takes(world, bases, precision):
    for shape in ("cube", "sphere"):
        box = Walled(bases, (10, 14, 18), shape=shape, scheme="rk4")
        for grid in box.grids(world):
            settings = {"precision": precision, "process_grid": grid, "threads": 2, "batches": 3}
            estimate = _core.estimate_memory(box.options(**settings), world.size)
            memory = box.make(world, **settings).memory()
            memory.pop("library", None)  # what cuFFT asks for is known when it has been asked
            taken = world.allgather(memory)
            assert estimate == max(taken, key=lambda memory: sum(memory.values()))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"bases": "SFS"}, ["SFS", "FFF", "SFF", "SSF", "SSS"]),
        ({"bases": "SFF", "dealias": "phase-shift"}, ["SFF", "phase-shift|walls", "2/3"]),
        ({"bases": "SSS", "dealias": "phase-shift-exact"}, ["SSS", "2/3", "none"]),
        ({"bases": "SSF", "points": (8, 1, 8)}, ["points along y = 1"]),
        ({"bases": "SFF", "points": (8, 8, 1)}, ["points along z = 1"]),
        ({"points": (1, 8, 8)}, ["points along x = 1"]),
        ({"bases": "SFF", "points": (8, 1, 1)}, ["points along z = 1"]),
    ],
)
def test_walls_that_cannot_be(settings, words):
    options = flows.options(Twin((8, 8, 8)), **settings)
    with pytest.raises(_core.Error) as raised:
        _core.maximum_ranks(options)
    for word in words:
        assert any(part in str(raised.value) for part in word.split("|")), str(raised.value)


@needs("hdf5")
def test_points_of_a_snapshot_lie_half_a_spacing_from_walls(tmp_path):
    box = Walled("SSF", (6, 8, 10))
    flow = box.make(MPI.COMM_SELF)
    u = flows.noise(box.here)
    flows.write(flow, u, project=False)
    path = tmp_path / "walls.vtkhdf"
    write_snapshot(flow, str(path), ["velocity"], {}, single=False)
    spacing = np.array(box.here.lengths) / box.here.points
    with h5py.File(path) as file:
        assert np.allclose(file["VTKHDF"].attrs["Origin"], spacing * (0, 0.5, 0.5), rtol=1e-15)
        for axis, name in enumerate("xyz"):
            first = 0.5 if axis in box.axes else 0.0
            places = (np.arange(box.here.points[axis]) + first) * spacing[axis]
            assert np.allclose(file[name][:], places, rtol=1e-15)
        values = np.moveaxis(file["velocity"][:], -1, 0)
    assert_close(values, flows.read(MPI.COMM_SELF, flow), "double")


def set_scalar(flow, values):
    def fill(z0, z1, y0, y1, out):
        out[0] = values[z0:z1, y0:y1]

    flow.set_physical(fill, False, field="dye")


def read_scalar(world, flow):
    nx, ny, nz = flow.options.points
    whole = np.zeros((nz, ny, nx))

    def consume(z0, z1, y0, y1, block):
        whole[z0:z1, y0:y1] = block[0]

    flow.read_fields("dye", consume)
    return world.allreduce(whole)


@on_ranks(1, 3, 4)
@bases_of_box
@pytest.mark.parametrize("precision", flows.PRECISIONS)
def test_a_scalar_that_stays_between_walls(world, bases, precision):
    """Beside the periodic box again, whose points may lie anywhere: the core at twice the size."""
    box = Walled(bases, (10, 14, 18), viscosity=0.01)
    # A mean gradient along the periodic axes only: through walls there would be a flux of it.
    gradient = [0.0 if axis in box.axes else 0.7 - axis for axis in range(3)]
    carried = {"precision": precision, "scalars": [("dye", (0.02, *gradient))]}
    u, theta = flows.noise(box.here), flows.noise(box.here, seed=1)[0]
    even = theta
    for axis in box.axes:
        even = np.concatenate([even, np.flip(even, 2 - axis)], 2 - axis)
    whole = flows.make(world, box.twin, **carried)
    flows.write(whole, box.extended(u))
    set_scalar(whole, even)
    rate = box.twin.speeds(box.extended(u))[0]
    for grid in box.grids(world):
        flow = box.make(world, process_grid=grid, **carried)
        flows.write(flow, u)
        set_scalar(flow, theta)
        for number in range(2):
            flow.step(0.2 / rate, step_number=number)
            if grid == box.grids(world)[0]:
                whole.step(0.2 / rate, step_number=number)
        nx, ny, nz = box.here.points
        expected = read_scalar(world, whole)
        assert np.ptp(expected) > 1.0
        assert_close(read_scalar(world, flow), expected[:nz, :ny, :nx], precision, what="scalar")
        assert_close(flows.read(world, flow), box.inside(flows.read(world, whole)), precision)
