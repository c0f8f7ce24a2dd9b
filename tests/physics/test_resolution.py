"""A run says while it goes on that it is poorly resolved, once and again when it is much worse."""

from types import SimpleNamespace

import numpy as np
import pytest
from support.build import needs
from whorl.config.case import Case, load_case
from whorl.config.clock import Clock
from whorl.output import resolution
from whorl.output.resolution import EndsOfSpectra, Finding, Resolution
from whorl.output.sample import StateSample
from whorl.run.core_options import core_options
from whorl.run.simulation import Simulation

QUICK = {"grid": {"points": 32}, "time": {"dt": 0.02, "steps": 20}, "run": {"threads": 1}}
NOISE = {"name": "random", "k0": 4.0, "energy": 0.5}


def case(**sections) -> Case:
    """Rows after each step; `sections` replace those of QUICK."""
    usual = {"output": {"series_every": "1 steps"}, "initial": NOISE}
    return Case(**usual | QUICK | sections)


def warnings_of(chosen, initial=None):
    """What a run warns of, and the run."""
    told = []
    simulation = Simulation(chosen, initial)
    simulation._notices.warn = lambda warning, kind="": told.append(warning)
    simulation.run(progress=False)
    return told, simulation


def test_eddies_smaller_than_the_grid_are_told_once():
    told, simulation = warnings_of(case(flow={"viscosity": 0.004}, time={"dt": 0.02, "steps": 5}))
    kmax_eta = float(simulation.series["kmax_eta"][0])
    assert 0.1 < kmax_eta < 0.6
    assert [line.partition(" at t")[0] for line in told] == [f"k_max η is {kmax_eta:.3g}"]
    assert "at t = 0, step 0, less than 0.9" in told[0]
    points = int(told[0].partition("use ")[2].split()[0])
    assert 32 / kmax_eta <= points <= 1.1 * 32 / kmax_eta


def test_what_is_resolved_is_not_told():
    assert warnings_of(case(flow={"viscosity": 0.05}))[0] == []


def test_a_spectrum_that_rises_at_the_cut_off_is_told():
    """Without viscosity to speak of what comes down to the cut-off stays there."""
    told, simulation = warnings_of(
        case(flow={"viscosity": 1e-4}, initial=NOISE | {"k0": 2.0}, time={"dt": 0.02, "steps": 90})
    )
    rising = [line for line in told if line.startswith("k² times the spectrum of energy rises")]
    assert 0.1 <= float(rising[0].partition(" to ")[2].split()[0]) <= 1
    assert "use more points, or a larger viscosity." in rising[0]
    k, spectrum = simulation.spectra["k"].values, simulation.spectra["energy"].values[-1]
    scaled = (k**2 * spectrum)[:10]
    assert scaled[-2:].mean() > scaled[-4:-2].mean() > 0.1 * scaled.max()


def convection(**grid) -> Case:
    wave = {"name": "formula", "value": "0.3*cos(pi*x)*sin(pi*z)"}
    return case(
        grid={"bases": "SFF", "lengths": [2.0, 1.0, 1.0]} | grid,
        flow={"model": "rayleigh-benard", "rayleigh": 3e6, "prandtl": 1.0},
        initial={"name": "zero", "temperature": wave},
        time={"dt": 0.02, "steps": 250},
    )


def test_a_temperature_beyond_that_of_the_plates_is_told():
    told, simulation = warnings_of(convection(points=[32, 1, 16]))
    beyond = [line for line in told if line.startswith("the temperature is ")]
    assert "which it cannot leave, by 0." in beyond[0]
    assert 1 <= len(beyond) < 8
    steps = [int(line.partition("step ")[2].partition(",")[0]) for line in beyond]
    assert all(step % 10 == 0 for step in steps)
    theta = simulation.field("temperature")
    z = np.linspace(0, 1, 2 * theta.shape[-3] + 1)[1::2]
    assert simulation.maximum("temperature - z") > 0.02 or theta.max() - z.min() > 0.02


def test_a_temperature_that_begins_beyond_the_plates_is_not_told():
    """It may be so from the beginning; then it cannot leave its own limits."""
    warm = {"name": "formula", "value": "2.0*sin(pi*z)"}
    chosen = convection(points=[16, 1, 32]).updated(
        flow={"rayleigh": 1e3}, initial={"name": "zero", "temperature": warm}, time={"steps": 20}
    )
    assert [line for line in warnings_of(chosen)[0] if "temperature" in line] == []


LEFT_ALONE = {
    "hyperviscosity": {"flow": {"viscosity": 1e-4, "hyperviscosity": 1e-8, "hyperviscosity_power": 4}},
    "no viscosity": {"flow": {"viscosity": 0.0}},
    "superfluid": {
        "flow": {"model": "gross-pitaevskii", "sound_speed": 1.0, "coherence_length": 0.1},
        "initial": {"name": "formula", "value": ["1", "0"]},
        "grid": {"points": [32, 32, 1]},
    },
    "prescribed velocity": {
        "flow": {"model": "mhd", "viscosity": 1e-4, "resistivity": 0.5, "kinematic": True},
    },
}


@pytest.mark.parametrize("which", LEFT_ALONE)
def test_flows_that_no_diffusion_ends_are_left_alone(which):
    told, _ = warnings_of(case(**LEFT_ALONE[which]))
    assert told == []


def test_without_viscosity_the_display_has_no_kmax_eta():
    _, simulation = warnings_of(case(**LEFT_ALONE["no viscosity"]))
    assert list(simulation._recorder.sums.latest([])[0]) == ["E", "ε"]
    assert np.isnan(simulation.series["kmax_eta"]).all()


SPECTRA = {
    "falls": (lambda k: np.exp(-k), None),
    "rises as equipartition": (lambda k: k**2, 10.0),
    "rises far below its largest value": (lambda k: np.exp(-k) + 1e-9 * k**2, None),
    "an inertial range without end": (lambda k: k ** (-5 / 3), 10.0),
    "cut shells beyond the cube": (lambda k: np.exp(-0.5 * k) * np.where(k > 20, 40.0, 1.0), None),
}


@pytest.mark.parametrize("shape", SPECTRA)
def test_complete_shells_tell_of_a_pile(shape):
    spectrum, badness = SPECTRA[shape]
    k = np.arange(37.0)
    values = spectrum(np.maximum(k, 1))
    chosen = case(flow={"viscosity": 0.01}, grid={"points": 64})
    sample = StateSample(chosen, SimpleNamespace(kmax=21.0), Clock(), {})
    rule = EndsOfSpectra(chosen)
    assert list(rule.find(sample)) == []  # no row has needed spectra, and none are computed
    vars(sample)["spectra"] = {"k": k, "energy": values}
    found = [one.badness for one in rule.find(sample)]
    assert found == ([] if badness is None else [pytest.approx(badness, rel=0.1)])


@pytest.mark.parametrize(
    ("sections", "spectra"),
    [
        ({"flow": {"viscosity": 0.1}}, {"energy": 2}),
        (
            {"flow": {"viscosity": 0.1}, "scalars": [{"name": "ink"}, {"name": "dye", "diffusivity": 0.0}]},
            {"energy": 2, "ink_variance": 2},
        ),
        (
            {"flow": {"model": "navier-stokes-2d", "viscosity": 0.1}, "grid": {"points": [32, 32, 1]}},
            {"energy": 4},
        ),
        ({"flow": {"model": "mhd", "viscosity": 0.1}}, {"energy": 2, "magnetic_energy": 2}),
        (
            {"flow": {"model": "boussinesq", "viscosity": 0.1, "buoyancy_frequency": 1.0}},
            {"energy": 2, "potential_energy": 2},
        ),
    ],
)
def test_the_spectra_of_what_diffuses_are_looked_at(sections, spectra):
    assert EndsOfSpectra(case(**sections)).powers == spectra


class Growing:
    applies = True

    def __init__(self, _):
        self.badness = iter([0.5, 1.0, 1.4, 1.6, 1.55, 2.5, 0.5, 2.5])

    def find(self, _):
        badness = next(self.badness)
        yield Finding("it", badness, f"{badness}")


def test_a_warning_is_given_again_when_half_as_bad_again(monkeypatch):
    monkeypatch.setattr(resolution, "RULES", (Growing,))
    judged = Resolution(case(flow={"viscosity": 0.1}))
    told = []
    for _ in range(8):
        judged.judge(None)
        told.append(judged.news())
    assert told == [[], ["1.0"], [], ["1.6"], [], ["2.5"], [], []]


@needs("hdf5")
def test_limits_beyond_the_plates_are_those_of_a_restart(tmp_path):
    wave = {"name": "formula", "value": "0.8*cos(pi*x)*sin(pi*z)"}
    chosen = convection(points=[32, 1, 32]).updated(
        initial={"temperature": wave},
        flow={"rayleigh": 1e4},
        time={"dt": 1e-3, "steps": 15},
        output={"directory": str(tmp_path / "warm")},
    )
    with Simulation(chosen) as simulation:
        simulation.run(progress=False)
    with Simulation.restart(tmp_path / "warm", settings=["time.steps=30"]) as simulation:
        simulation.run(progress=False)
        assert simulation.step_number == 30
    assert "cannot leave" not in (tmp_path / "warm" / "log.txt").read_text(encoding="utf-8")


@needs("hdf5")
def test_a_warning_is_in_the_log_and_on_the_terminal(tmp_path, capfd):
    chosen = case(flow={"viscosity": 0.004}, time={"dt": 0.02, "steps": 2})
    with Simulation(chosen.updated(output={"directory": str(tmp_path / "poor")})) as simulation:
        simulation.run()
    assert capfd.readouterr().out.count("warning: k_max η is ") == 1
    log = (tmp_path / "poor" / "log.txt").read_text(encoding="utf-8")
    assert log.count("warning: k_max η is ") == 1


def test_memory_for_the_temperature_at_the_points_is_counted():
    from whorl import _core

    walls = core_options(convection(points=[32, 1, 16]), 1)
    box = core_options(convection(points=[32, 1, 16], bases="FFF"), 1)
    assert _core.estimate_memory(walls, 1)["programs"] > 0
    assert _core.estimate_memory(box, 1)["programs"] == 0


def test_ready_cases_of_each_kind_have_their_rules():
    kinds = {
        name: [type(rule).__name__ for rule in Resolution(load_case(name)).rules]
        for name in ("taylor-green", "rayleigh-benard", "inverse-cascade", "taylor-green-superfluid")
    }
    assert kinds == {
        "taylor-green": ["SmallestEddies", "EndsOfSpectra"],
        "rayleigh-benard": ["EndsOfSpectra", "TemperatureBetweenPlates"],
        "inverse-cascade": [],
        "taylor-green-superfluid": [],
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "until"),
    [
        *(("taylor-green", 8.0), ("decaying-random", 1.5), ("rotating-turbulence", 2.0)),
        *(("liquid-metal", 0.5), ("dye", 8.0), ("kolmogorov", 20.0)),
    ],
)
def test_ready_cases_are_resolved(name, until):
    """Beyond the times at which they dissipate most."""
    assert warnings_of(load_case(name).updated(time={"until": until}))[0] == []
