"""Single precision agrees with double to its own rounding."""

import numpy as np
import pytest
from physics.flows import SCHEMES, TAU, TRUNCATIONS, distance, make_case, names, noise, run
from support import devices
from whorl.config.case import Case
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

BOX = (12, 16, 10)
LENGTHS = (TAU, 1.2 * TAU, 0.9 * TAU)
EPSILON = float(np.finfo(np.float32).eps)


def end_state(precision: str, steps: int, field, **options):
    return run(make_case(BOX, 0.02, precision=precision, lengths=LENGTHS, **options), field, steps)


@pytest.mark.turns
@pytest.mark.parametrize("truncation", TRUNCATIONS, ids=names())
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_few_steps(scheme, truncation):
    """The same time steps in both: rounding grows from step to step, but not beyond a few times itself."""
    field = noise(BOX, seed=31)
    single, double = (
        end_state(precision, 5, field, scheme=scheme, **truncation) for precision in ("single", "double")
    )
    assert single.velocity().dtype == np.float32
    assert double.velocity().dtype == np.float64
    assert 0.05 * EPSILON < distance(single.velocity(), double.velocity()) < 10 * EPSILON
    assert single.statistics()["maximum_divergence"] < 10 * EPSILON


def test_averages_are_better_than_their_terms():
    """Sums are in double, so that they are as good as the rounded modes, k^2 and nu k^2."""
    field = noise(BOX, seed=31)
    single, double = (end_state(precision, 0, field).statistics() for precision in ("single", "double"))
    for name in ("energy", "enstrophy", "dissipation", "palinstrophy"):
        assert single[name] == pytest.approx(double[name], rel=3 * EPSILON)


def test_what_varies_little_has_its_own_moments():
    """|ψ|² = 1 + 2e-3 cos x + …: its variance is 2e-6 of the mean of its square."""
    case = Case(
        grid={"points": [16, 8, 8]},
        flow={"model": "gross-pitaevskii", "sound_speed": 1.0, "coherence_length": 0.7},
        time={"dt": 0.01, "until": 1.0},
        initial={"name": "zero"},
        run={"threads": 1, "precision": "single", "device": devices.current()},
    )
    simulation = Simulation(case)
    simulation.set_field("psi", lambda x, y, z: (1 + 1e-3 * np.cos(x) + 0 * y * z, 0 * x * y * z))
    found = simulation.diagnose("moments", of=["rho", "rho*rho"])
    assert found["std"].values == pytest.approx([2e-3 / np.sqrt(2), 4e-3 / np.sqrt(2)], rel=1e-3)
    assert found["moment"].sel(order=4).values == pytest.approx([1.5, 1.5], rel=2e-2)
    assert simulation.diagnose("pdf", of="rho")["std"].values == pytest.approx([2e-3 / np.sqrt(2)], rel=1e-3)


def test_high_powers_of_wavenumbers():
    """k¹⁶ of a small box is beyond single precision, its product with a coefficient is not."""
    flow = {"viscosity": 1e-3, "hyperviscosity": 1e-40, "hyperviscosity_power": 8}
    case = Case(
        grid={"points": 16, "lengths": 0.1},
        flow=flow,
        time={"dt": 1e-4, "until": 1.0},
        initial={"name": "random", "k0": 2},
        run={"threads": 1, "precision": "single", "device": devices.current()},
    )
    simulation = Simulation(case)
    assert simulation.mean("hyperviscous_dissipation") > 0
    assert simulation.mean("dissipation") == pytest.approx(simulation.statistics()["dissipation"], rel=1e-4)


def test_a_long_run_in_single_precision_keeps_its_balance():
    """200 steps: energy lost is energy dissipated, to a few roundings."""
    case = make_case(BOX, 0.02, dt=0.01, precision="single", lengths=LENGTHS)
    simulation = run(case.updated(['output.series_every="1 steps"']), noise(BOX, seed=32, reach=3), 200)
    series = simulation.series
    weights = np.r_[1, np.tile([4, 2], 100)[:-1], 1] * 0.01 / 3
    lost = float(series["energy"][0] - series["energy"][-1])
    assert lost == pytest.approx(float((weights * series["dissipation"]).sum()), rel=1e-5)
