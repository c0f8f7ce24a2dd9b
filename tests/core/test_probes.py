"""Values at modes and at points, read without a round trip, against NumPy, on any ranks and device."""

import numpy as np
import pytest
from support import devices, flows
from support.expressions import Evaluator
from support.programs import LENGTHS, POINTS, case_of
from support.ranks import on_ranks, run_on
from support.twin import Twin
from whorl import _core
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.probes.ask import Reading
from whorl.probes.options import ModeProbe, PointProbe
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

TEXTS = ["u", "dx(u.y) - 2*dz(u.x)", "lap(u.z)", "filter(u.x, 2, 6)", "inv_lap(dy(u.z))"]
MODES = [(0, 0, 0), (1, 0, 0), (-1, 2, -3), (3, -2, 1), (0, 1, 2), (0, -1, -2), (-4, -3, 2), (4, 3, -2)]
SCATTERED = [(0.1, 0.2, 0.3), (6.28, 2.99, 4.9), (3.0, 1.5, 2.5), (0.1, 2.0, 0.3), (1.0, 0.2, 0.3)]
TIME = 0.7
WALLED = (2.0, 3.0, 1.0)  # with plates


def line(axis: int, count: int) -> list[tuple[float, ...]]:
    """Points along an axis."""
    at = np.tile([0.3, 0.7, 1.1], (count, 1))
    at[:, axis] = np.linspace(0, LENGTHS[axis], count)
    return [tuple(one) for one in at.tolist()]


def coefficients(twin: Twin, u: np.ndarray) -> list[np.ndarray]:
    """Those of the components of the texts, each over (kz, ky, kx) in the order of NumPy."""
    evaluator = Evaluator(twin.points, twin.lengths, twin.mask, False)
    velocity = np.array([evaluator.values(a) for a in twin.load(u) * np.prod(twin.points)])
    known = evaluator.names({"u": velocity}, {})
    values = []
    for text in TEXTS:
        value = np.asarray(eval(text, {"__builtins__": {}}, known), float)
        values += [evaluator.inside(part) for part in value.reshape(-1, *value.shape[-3:])]
    return [np.fft.fftn(value) / value.size for value in values]


def wavenumbers(points, lengths):
    """Along each axis, in the order of NumPy."""
    return [2 * np.pi * np.fft.fftfreq(n, length / n) for n, length in zip(points, lengths, strict=True)]


def at_points(all_modes, positions, points=POINTS, lengths=LENGTHS):
    kx, ky, kz = wavenumbers(points, lengths)
    return np.array(
        [
            [
                np.einsum(
                    "zyx,z,y,x->", a, np.exp(1j * kz * z), np.exp(1j * ky * y), np.exp(1j * kx * x)
                ).real
                for x, y, z in positions
            ]
            for a in all_modes
        ]
    )


def readings(world, twin, positions, modes=MODES, **options):
    """The modes and the points of noise, by whorl, and the coefficients by NumPy."""
    case = case_of(twin.points, twin.lengths, twin.dealias)
    flow, u = flows.make(world, twin, **options), flows.noise(twin)
    flows.write(flow, u)
    found = []
    for probe in (
        ModeProbe(kind="modes", of=TEXTS, modes=modes),
        PointProbe(kind="points", of=TEXTS, positions=positions),
    ):
        reading = Reading(case, probe)
        reading.read(flow)
        found.append(reading.values(reading.read(flow)[None], np.array([TIME]))[0])
    flow.close()
    return (*found, coefficients(twin, u))


@on_ranks(1, 2, 3, 4, 6)
@pytest.mark.parametrize("precision", ["double", "single"])
def test_modes_and_points_are_numpys(world, precision):
    twin = Twin(POINTS, LENGTHS)
    positions = [*SCATTERED, *line(0, 3), *line(2, 7)]
    amplitudes, values, wanted = readings(world, twin, positions, precision=precision)
    tolerance = 1e-13 if precision == "double" else 3e-6
    of_modes = np.array([[a[n[::-1]] for n in MODES] for a in wanted])
    for found, expected in [
        (amplitudes[..., 0] + 1j * amplitudes[..., 1], of_modes),
        (values, at_points(wanted, positions)),
    ]:
        assert found.shape == expected.shape
        scales = np.array([np.sqrt((np.abs(a) ** 2).sum()) for a in wanted])
        assert (np.abs(found - expected).max(1) / scales).max() < tolerance


# More z than x, as many, or fewer: sums along x or along z come first; more z than a GPU takes at a time.
@on_ranks(1, 2)
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_lines_along_each_axis(world, axis):
    positions = line(axis, 37)
    _, values, wanted = readings(world, Twin(POINTS, LENGTHS), positions)
    np.testing.assert_allclose(values, at_points(wanted, positions), rtol=0, atol=1e-10)


@on_ranks(1, 2)
@pytest.mark.parametrize("dealias", ["phase-shift", "none"])
def test_other_truncations(world, dealias):
    twin = Twin(POINTS, LENGTHS, dealias=dealias)
    amplitudes, values, wanted = readings(world, twin, SCATTERED)
    np.testing.assert_allclose(values, at_points(wanted, SCATTERED), rtol=0, atol=1e-10)
    of_modes = np.array([[a[n[::-1]] for n in MODES] for a in wanted])
    np.testing.assert_allclose(amplitudes[..., 0] + 1j * amplitudes[..., 1], of_modes, rtol=0, atol=1e-11)


def walled(world, bases: str) -> Simulation:
    """Noise of every kept mode between walls."""
    simulation = Simulation(
        Case(
            grid={"points": [12, 10, 16], "lengths": WALLED, "bases": bases},
            flow={"model": "rayleigh-benard", "rayleigh": 1000.0, "prandtl": 1.0},
            time={"dt": 0.001, "steps": 1},
            initial={"name": "zero"},
            run={"threads": 1, "device": devices.current()},
        ),
        comm=world,
    )
    noise = np.random.default_rng(3).standard_normal((3, 16, 10, 12))
    noise -= noise.mean((1, 2, 3), keepdims=True)
    simulation.set_field("velocity", noise)
    return simulation


@on_ranks(1, 2, 3)
@pytest.mark.parametrize("bases", ["SFF", "SSF", "SSS"])
def test_points_between_walls(world, bases):
    """Points off the grid along z, against waves fitted to the values on the grid."""
    simulation = walled(world, bases)
    nx, ny, nz = simulation.case.grid.points
    x, y, _ = (
        index + (0.5 if letter == "S" else 0.0) for index, letter in zip((3, 4, 0), bases[::-1], strict=True)
    )
    heights = np.linspace(0, 1, 9)
    positions = [(x * WALLED[0] / nx, y * WALLED[1] / ny, z) for z in heights]
    probe = PointProbe(kind="points", of=["u", "dz(u.x)"], positions=positions)
    reading = Reading(simulation.case, probe)
    found = reading.values(reading.read(simulation.flow)[None], np.zeros(1))[0]
    grid, waves = (np.arange(nz) + 0.5) / nz, np.pi * np.arange(nz)
    for number, (text, wave) in enumerate(
        [("u.x", np.cos), ("u.y", np.cos), ("u.z", np.sin), ("dz(u.x)", np.sin)]
    ):
        whole = simulation.gather(text)
        column = world.bcast(whole[0, :, 4, 3] if world.rank == 0 else None)
        fitted = np.linalg.lstsq(wave(np.outer(grid, waves)), column, rcond=None)[0]
        wanted = wave(np.outer(heights, waves)) @ fitted
        assert abs(wanted).max() > 1e-3
        np.testing.assert_allclose(found[number], wanted, rtol=0, atol=1e-11 * max(1, abs(wanted).max()))


@on_ranks(1, 2, 3)
@pytest.mark.parametrize("bases", ["SFF", "SSF", "SSS"])
def test_modes_between_walls(world, bases):
    """Coefficients as the arrays of modes have them, and of opposite kx, of which none is stored."""
    simulation = walled(world, bases)
    periodic = bases[2] == "F"
    opposite = [(-1, 2 if bases[1] == "S" else -2, 3)] if periodic else []
    modes = [(1, 2, 3), (0, 1, 2), *opposite]
    reading = Reading(simulation.case, ModeProbe(kind="modes", of="u", modes=modes))
    raw = reading.values(reading.read(simulation.flow)[None], np.zeros(1))[0]
    amplitudes = raw[..., 0] + 1j * raw[..., 1]
    stored = simulation.modes("velocity")
    units = [
        np.pi * (1 if letter == "S" else 2) / length
        for length, letter in zip(WALLED, bases[::-1], strict=True)
    ]
    numbers = [
        np.rint(stored[name].values / unit) for name, unit in zip(("kx", "ky", "kz"), units, strict=True)
    ]
    seen = 0
    for number, mode in enumerate(modes[:2]):
        place = [np.flatnonzero(own == n) for own, n in zip(numbers, mode, strict=True)]
        if all(map(len, place)):
            seen += 1
            np.testing.assert_array_equal(amplitudes[:, number], stored.values[:, *(p[0] for p in place)])
    assert world.allreduce(seen) == 2
    if opposite:
        odd = np.array([0, bases[1] == "S", 1])  # components that change their sign
        np.testing.assert_array_equal(amplitudes[:, 2], (-1.0) ** odd * amplitudes[:, 0].conj())


def modes_of(world):
    amplitudes, values, _ = readings(world, Twin(POINTS, LENGTHS), SCATTERED)
    return amplitudes.tobytes(), values


def points_on_threads(world, threads):
    return readings(world, Twin(POINTS, LENGTHS), SCATTERED, threads=threads)[1].tobytes()


@pytest.mark.mpi
@pytest.mark.only_cpu
def test_bits_of_modes_do_not_depend_on_ranks():
    wanted, values = modes_of(MPI.COMM_SELF)
    for ranks in (2, 3, 6):
        for found, others in run_on(ranks, modes_of):
            assert found == wanted
            np.testing.assert_allclose(others, values, rtol=0, atol=1e-12)


@pytest.mark.only_cpu
def test_bits_of_points_do_not_depend_on_threads():
    assert len({points_on_threads(MPI.COMM_SELF, threads) for threads in (1, 2, 3)}) == 1


@on_ranks(1, 2)
def test_what_is_not_there_is_refused(world):
    twin = Twin(POINTS, LENGTHS)
    flow = flows.make(world, twin)
    term = _core.Term(field=0)
    with pytest.raises(_core.Error, match=r"there is no mode \(8, 0, 0\)"):
        flow.probe_modes([[term]], [(8, 0, 0)])
    probe = flow.probe_modes([[term]], [(1, 0, 0)])
    with pytest.raises(_core.Error, match="a probe has 2 values, not 3"):
        probe.read(np.empty(3))
