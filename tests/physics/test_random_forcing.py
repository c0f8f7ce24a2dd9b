"""Random forces: their statistics against the formulas, and that time and seed alone determine them."""

import copy
import math

import numpy as np
import pytest
from physics.flows import distance
from physics.forced_flows import RANDOM, WEAK, advanced, make, work
from support import devices
from support.ranks import on_ranks, run_on
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

OU = {"kind": "stochastic", "correlation_time": 0.5, "power": WEAK, "k_max": 2.0, "seed": 11}
WHITE = {"kind": "stochastic", "correlation_time": 0.0, "power": WEAK, "k_max": 2.0, "interval": 0.05}
MODES = 32  # of K_F = 2


def forces(flow: Simulation, count: int) -> np.ndarray:
    """Mean forces of steps (step, component, kx, ky, kz): what an inviscid flow gains, which hardly moves."""
    before, means = flow.modes("velocity").values, []
    for _ in range(count):
        flow.step()
        after = flow.modes("velocity").values
        means.append((after - before) / flow.report.dt)
        before = after
    return np.array(means)


def samples(array: np.ndarray, forced: np.ndarray) -> np.ndarray:
    return array[:, :, forced].reshape(len(array), -1)


def test_variance_and_correlation_of_the_process():
    """⟨|f|²⟩ = 4 σ² and correlation exp(−t/T), of values a small part of T long."""
    T, dt = 0.5, 0.05
    flow = make(OU | {"correlation_time": T}, dt=dt, points=8, scheme="rk2")
    f = forces(flow, 600)
    weight = np.where(flow.modes("velocity").kx.values > 0, 2.0, 1.0)[:, None, None]
    sigma2 = WEAK / T / (4 * MODES)
    square = (weight * (np.abs(f) ** 2).sum(axis=1)).sum(axis=(1, 2, 3))
    h = dt / T
    of_mean = 2 * (h - 1 + math.exp(-h)) / h**2  # the variance of a mean over the step
    # 300 s of 0.5 s, 32/2 modes of 4 numbers: 300/(2·0.5) · 64 independent squares.
    error = math.sqrt(2 / (600 * dt / T * MODES / 2 * 4 / 2))
    assert square.mean() / (4 * sigma2 * MODES) == pytest.approx(of_mean, rel=4 * error)
    for lag in (2, 5, 10, 20):
        product = (weight * (f[lag:] * f[:-lag].conj()).real.sum(axis=1)).sum(axis=(1, 2, 3))
        expected = math.exp(-lag * h) * ((1 - math.exp(-h)) * (math.exp(h) - 1)) / h**2
        assert product.mean() / (4 * sigma2 * MODES) == pytest.approx(expected, abs=4 * error)


@pytest.mark.cpu_by_default
@pytest.mark.parametrize("force", [OU, WHITE], ids=["coloured", "white"])
def test_mean_power_where_the_flow_does_not_react(force):
    """From rest, without viscosity, E(t) = P (t − T (1 − e^{−t/T})) in the mean: 4 N σ² T_L, or P itself."""
    energies, t = [], 2.0
    T = force["correlation_time"]
    for seed in range(24):
        flow = advanced(make(force | {"seed": seed}, dt=0.1, points=8, scheme="rk2"), 20)
        energies.append(flow.statistics()["energy"] / WEAK)
        assert work(flow, "stochastic")[1] / WEAK == pytest.approx(energies[-1], rel=1e-6)
    expected = t - T * (1 - math.exp(-t / T)) if T > 0 else t
    error = np.std(energies) / math.sqrt(len(energies) - 1)
    assert error < 0.06 * expected
    assert np.mean(energies) == pytest.approx(expected, abs=3.5 * error)


PLANE = {
    "grid": {"points": [16, 16, 1]},
    "flow": {"model": "navier-stokes-2d", "viscosity": 0.0},
}


@pytest.mark.parametrize(
    ("force", "sections"),
    [
        ({"polarisation": "horizontal"}, {}),
        ({"modes": "horizontal", "polarisation": "horizontal"}, {}),
        ({"modes": "vertical"}, {}),
        ({"peak": 2.0, "width": 0.5, "k_max": 3.0}, {}),
        ({"field": "dye"}, {"scalars": [{"name": "dye", "diffusivity": 0.0}]}),
        ({}, PLANE),
        ({"field": "vorticity"}, PLANE),
    ],
    ids=["horizontal", "columns", "layers", "peaked", "scalar", "plane", "vorticity"],
)
def test_mean_power_of_every_shape_of_a_white_force(force, sections):
    """½⟨a²⟩ = P t where nothing but the force acts."""
    powers = []
    for seed in range(6):
        flow = make(
            WHITE | {"interval": 0.02, "seed": seed} | force,
            scheme="rk2",
            dt=0.02,
            **{"points": 12} | copy.deepcopy(sections),
        )
        powers.append(work(advanced(flow, 100), "stochastic")[1] / 2.0 / WEAK)
    error = np.std(powers) / math.sqrt(len(powers) - 1)
    assert error < 0.2
    assert np.mean(powers) == pytest.approx(1.0, abs=4 * error + 0.005)


@pytest.mark.parametrize("T", [0.0, 0.5])
def test_stokes_mode_forced_at_random(T):
    """Stationary power of a linear mode: ⟨|f|²⟩ T/(1 + γT) with γ = ν k² + α, and P for white noise."""
    nu, drag, points = 0.0, 1.0, 8
    force = OU | {"correlation_time": T, "k_max": 1.0} | ({"interval": 0.05} if T == 0 else {})
    powers = []
    for seed in range(4):
        flow = make(
            force | {"seed": seed}, viscosity=nu, dt=0.1, points=points, scheme="rk2", flow={"drag": drag}
        )
        advanced(flow, 50)
        before = work(flow, "stochastic")[1]
        advanced(flow, 600)
        powers.append((work(flow, "stochastic")[1] - before) / 60 / WEAK)
    error = np.std(powers) / math.sqrt(len(powers) - 1)
    assert error < 0.1
    assert np.mean(powers) == pytest.approx(1 / (1 + drag * T), abs=4 * error + 0.01)


def test_the_process_is_linear_between_its_points():
    """Mean forces of steps of a tenth of the spacing T/64: they change by equal amounts but at the points."""
    T = 0.64
    f = forces(make(OU | {"correlation_time": T}, dt=0.001, points=8, scheme="rk2"), 60)
    forced = np.abs(f[0]).sum(axis=0) > 0
    slopes = np.abs(np.diff(samples(f, forced), axis=0)).max(axis=1)
    assert slopes.min() > 0.05 * slopes.max()  # nowhere constant
    bends = np.abs(np.diff(samples(f, forced), n=2, axis=0)).max(axis=1)
    # A point lies within one step, or at the end of one: two bends, or one, for each of the six points.
    assert 5 <= (bends > 1e-6 * bends.max()).sum() <= 12


@pytest.mark.parametrize("polarisation", ["helical", "antihelical"])
def test_helicity_of_alvelius(polarisation):
    force = {"kind": "alvelius", "power": WEAK, "polarisation": polarisation, "k_f": 1.0, "width": 0.1}
    flow = make(force, points=8, dt=0.1)
    flow.step()
    statistics = flow.statistics()
    sign = 1 if polarisation == "helical" else -1
    assert statistics["helicity"] / (2 * statistics["energy"]) == pytest.approx(sign, abs=1e-9)


@pytest.mark.parametrize("helicity", [-1.0, 0.5])
def test_helicity_of_the_force(helicity):
    force = OU | {"helicity": helicity, "k_min": 1.0, "k_max": 1.0}
    f = forces(make(force, points=8), 40)
    flow = make(force, points=8)
    k = np.stack(np.meshgrid(*(flow.modes("velocity")[f"k{axis}"].values for axis in "xyz"), indexing="ij"))
    weight = np.where(k[0] > 0, 2.0, 1.0)
    curl = curl_of(k, f)
    ratio = (weight * (f.conj() * curl).real.sum(1)).sum() / (weight * (np.abs(f) ** 2).sum(1)).sum()
    assert ratio == pytest.approx(helicity, abs=1e-9 if abs(helicity) == 1 else 0.1)


def curl_of(k: np.ndarray, f: np.ndarray) -> np.ndarray:
    x, y, z = f[:, 0], f[:, 1], f[:, 2]
    return 1j * np.stack([k[1] * z - k[2] * y, k[2] * x - k[0] * z, k[0] * y - k[1] * x], axis=1)


def test_a_horizontal_force_is_two_dimensional():
    force = OU | {"modes": "horizontal", "polarisation": "horizontal"}
    flow = advanced(make(force, points=8), 5)
    u = flow.velocity()
    assert np.abs(u[2]).max() == 0
    assert np.abs(u[0]).max() > 0
    assert np.abs(u - u[:, :1]).max() < 1e-14 * np.abs(u).max()


@pytest.mark.parametrize("force", [OU, WHITE], ids=["coloured", "white"])
def test_the_same_force_at_two_resolutions_and_with_other_steps(force):
    """Modes at t = 1 of an inviscid flow that hardly moves: the integral of the force."""
    reference = None
    for points, dt, scheme in ((8, 0.1, "rk2"), (16, 0.1, "rk2"), (8, 0.025, "rk4"), (8, 0.05, "ab2")):
        flow = advanced(make(force, points=points, dt=dt, scheme=scheme), round(1 / dt))
        modes = flow.modes("velocity").sel(kx=slice(0, 2), ky=[-2, -1, 0, 1, 2], kz=[-2, -1, 0, 1, 2]).values
        reference = modes if reference is None else reference
        assert np.abs(modes - reference).max() < 1e-12 * np.abs(reference).max()


@pytest.mark.parametrize("precision", ["single", "double"])
def test_the_same_force_in_both_precisions(precision):
    one = advanced(make(OU, points=8, dt=0.1), 5).velocity()
    case = make(OU, points=8, dt=0.1).case.updated(run={"precision": precision})
    other = advanced(Simulation(case), 5).velocity()
    assert distance(other, one) < (1e-6 if precision == "single" else 1e-14)


KINDS = {
    "stochastic": {"kind": "stochastic", "correlation_time": 0.3, "power": 0.5, "helicity": 0.3},
    "white": {"kind": "stochastic", "correlation_time": 0.0, "power": 0.5},
    "alvelius": {"kind": "alvelius", "power": 0.5, "k_f": 1.5},
    "constant-power": {"kind": "constant-power", "power": 0.5},
    "constant-energy": {"kind": "constant-energy", "by_shell": True},
    "linear": {"kind": "linear", "rate": 0.3, "energy": 0.5},
    "steady": {"kind": "steady", "shape": {"name": "abc"}, "frequency": 2.0},
}
EXACT = ("stochastic", "white", "alvelius", "steady")  # need no sums over ranks


def on_some_ranks(world, force, scheme="rk4-gill"):
    case = Case(
        grid={"points": [12, 16, 10], "dealias": "phase-shift"},
        flow={"viscosity": 0.05},
        time={"scheme": scheme, "courant": 0.4, "steps": 4},
        initial=RANDOM,
        forcing=[force],
        run={"threads": 1, "device": devices.current()},
    )
    with Simulation(case, comm=world) as simulation:
        simulation.run(progress=False)
        return simulation.gather("velocity"), simulation.flow.work_of_sources()


@pytest.mark.mpi
@pytest.mark.parametrize("name", KINDS)
def test_any_ranks_make_the_same_flow(name):
    alone, work_alone = run_on(1, on_some_ranks, force=KINDS[name])[0]
    for ranks in (2, 3, 4, 6):
        field, done = run_on(ranks, on_some_ranks, force=KINDS[name])[0]
        assert distance(field, alone) < 1e-13
        assert np.allclose(done, work_alone, rtol=1e-11, atol=0)


@on_ranks()
@pytest.mark.parametrize("name", [name for name in KINDS if name in EXACT])
def test_the_force_itself_is_the_same_to_the_bit(world, name):
    """From rest and without viscosity: every rank's modes after a step are dt f, as on one rank."""

    def case():
        return Case(
            grid={"points": [12, 16, 10]},
            flow={"viscosity": 0.0},
            time={"scheme": "rk2", "dt": 0.5, "steps": 1},
            initial=REST_CASE,
            forcing=[KINDS[name] | ({"power": WEAK} if "power" in KINDS[name] else {"amplitude": 1e-12})],
            run={"threads": 1, "device": devices.current()},
        )

    with Simulation(case(), comm=world) as simulation:
        simulation.step()
        own = simulation.modes("velocity")
        alone = Simulation(case(), comm=MPI.COMM_SELF)
        alone.step()
        whole = alone.modes("velocity")
        part = whole.sel(kx=own.kx, ky=own.ky)
        kz = own.kz.values
        assert np.array_equal(own.values, part.sel(kz=kz).values)


REST_CASE = {"name": "zero"}


@pytest.mark.turns
@pytest.mark.parametrize("scheme", ["rk4-gill", "rk3", "ab3"])
@pytest.mark.parametrize("name", KINDS)
def test_a_restart_repeats_the_bits(name, scheme, tmp_path):
    def case(directory, steps=8):
        return Case(
            grid={"points": [12, 16, 10]},
            flow={"viscosity": 0.05},
            time={"scheme": scheme, "courant": 0.4, "steps": steps},
            initial=RANDOM,
            forcing=[KINDS[name]],
            output={
                "directory": str(directory),
                "series_every": "1 steps",
                "spectra_every": "2 steps",
                "checkpoint_every": "4 steps",
            },
            run={"threads": 1, "device": devices.current(), "lines": "own"},
        )

    whole = Simulation(case(tmp_path / "whole"))
    whole.run(progress=False)
    first = Simulation(case(tmp_path / "parts"))
    for _ in range(5):
        first.step()
    first.close()
    again = Simulation.restart(tmp_path / "parts")
    again.run(progress=False)
    assert np.array_equal(again.velocity(), whole.velocity())
    assert again.series.identical(whole.series)
    assert again.spectra.identical(whole.spectra)
    assert again.flow.work_of_sources() == whole.flow.work_of_sources()


def test_alvelius_turns_no_mode_in_one_sense():
    """Re(û*·f) = 0 leaves Im(û*·f), which turns the phase of a mode: as often one way as the other."""
    flow = make({"kind": "alvelius", "power": 0.5}, viscosity=0.0, dt=1e-4, initial=RANDOM, points=16)
    ways = []
    for _ in range(6):
        before = flow.modes("velocity").values
        flow.step()
        still = Simulation(flow.case.updated(forcing=[]))
        still.set_modes("velocity", before)
        still.step()
        force = flow.modes("velocity").values - still.modes("velocity").values
        product = (before.conj() * force).sum(axis=0)
        forced = (np.abs(force).sum(axis=0) > 1e-9) & (flow.modes("velocity").kx.values > 0)[:, None, None]
        ways.append(np.sign(product.imag[forced]))
        along, across = np.abs(product.real[forced]).max(), np.abs(product.imag[forced]).max()
        assert along < 0.02 * across  # but for ½|f|² dt
    ways = np.concatenate(ways)
    assert abs(ways.mean()) < 4 / math.sqrt(ways.size)
    assert ways.size > 200


def test_forces_on_two_fields_are_not_alike_at_one_seed():
    flow = {"model": "mhd", "viscosity": 0.0, "resistivity": 0.0}
    both = [OU | {"name": "one"}, OU | {"name": "two", "field": "magnetic"}]
    run = advanced(make(both, flow=flow, dt=0.1), 4)
    u, b = run.field("velocity"), run.field("magnetic")
    correlation = (u * b).mean() / math.sqrt((u**2).mean() * (b**2).mean())
    assert abs(correlation) < 0.6
