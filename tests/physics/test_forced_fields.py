"""Forces on other fields and models than the velocity of Navier–Stokes, between walls, and from scripts."""

import gc
import math
import signal
import weakref

import numpy as np
import pytest
from physics.flows import TAU, distance
from physics.forced_flows import RANDOM, WEAK, advanced, make, work
from support import devices
from whorl import _core
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

OU = {"kind": "stochastic", "power": WEAK, "correlation_time": 0.4, "k_max": 2.0}
SQUARE = {"points": [16, 16, 1]}
MHD = {"model": "mhd", "viscosity": 0.0, "resistivity": 0.0}
LAYER = {"model": "boussinesq", "viscosity": 0.0, "diffusivity": 0.0, "buoyancy_frequency": 0.0}
PLATES = {"model": "rayleigh-benard", "rayleigh": 1e4, "prandtl": 1.0}
CONDENSATE = {"model": "gross-pitaevskii", "sound_speed": 1.0, "coherence_length": 0.5}


def energy_of(simulation: Simulation, field: str) -> float:
    values = simulation.field(field)
    return 0.5 * float((values**2).sum(axis=0).mean())


@pytest.mark.parametrize(
    ("flow", "field", "grid"),
    [
        ({"model": "navier-stokes-2d", "viscosity": 0.0}, "velocity", SQUARE),
        ({"model": "navier-stokes-2d", "viscosity": 0.0}, "vorticity", SQUARE),
        (MHD, "velocity", {}),
        (MHD, "magnetic", {}),
        (MHD | {"kinematic": True}, "magnetic", {}),
        (LAYER, "temperature", {}),
        ({"viscosity": 0.0}, "dye", {}),
    ],
    ids=lambda value: value if isinstance(value, str) else value.get("model", ""),
)
@pytest.mark.parametrize("kind", ["stochastic", "alvelius"])
def test_the_energy_of_any_field_is_the_work_on_it(flow, field, grid, kind):
    """From rest, without losses, and too weak to move anything: ½⟨field²⟩ = work."""
    if kind == "alvelius" and field in ("vorticity", "temperature", "dye"):
        pytest.skip("alvelius is for vector fields")
    force = OU if kind == "stochastic" else {"kind": "alvelius", "power": WEAK}
    scalars = [{"name": "dye", "diffusivity": 0.0}] if field == "dye" else []
    run = advanced(make(force | {"field": field}, flow=flow, grid=grid, scalars=scalars), 8)
    assert energy_of(run, field) / WEAK == pytest.approx(work(run, kind)[1] / WEAK, rel=1e-9)
    assert energy_of(run, field) > 0.01 * WEAK * 0.16
    others = [name for name in ("velocity", "magnetic", "temperature") if name in run.case.flow.state]
    for other in others:
        if other != field:
            assert energy_of(run, other) < 1e-9 * WEAK


@pytest.mark.parametrize("axis", ["x", "y"])
def test_a_vorticity_is_forced_by_a_velocity(axis):
    """Kolmogorov flow as vorticity: the same u as of the three-component model."""
    shape = {"name": "kolmogorov", "k_f": 3, "amplitude": 0.2}
    if axis == "x":
        shape = {"name": "formula", "value": ["0", "0.2*sin(3*x)", "0"]}
    force = {"kind": "steady", "shape": shape}
    plane = advanced(make(force, flow={"model": "navier-stokes-2d", "viscosity": 0.1}, grid=SQUARE), 10)
    full = advanced(make(force, viscosity=0.1, grid=SQUARE), 10)
    assert distance(plane.velocity(), full.velocity()) < 1e-12
    assert work(plane, "steady") == pytest.approx(work(full, "steady"), rel=1e-12)


def test_forces_between_plates_keep_to_the_plates():
    """Velocity and temperature stay sines and cosines; dE/dt is the power, without buoyancy and losses."""
    grid = {"points": [16, 16, 12], "lengths": [2.0, 2.0, 1.0]}
    for field in ("velocity", "temperature"):
        run = make(OU | {"field": field, "k_max": 4.0}, flow=PLATES, grid=grid, dt=1e-3)
        advanced(run, 3)
        assert energy_of(run, field) / WEAK == pytest.approx(work(run, "stochastic")[1] / WEAK, rel=2e-2)
        w = run.field("velocity")[2] if field == "velocity" else run.field("temperature")[0]
        # Extrapolated to the plate from half a spacing above it, a sine has no value.
        near = 1.875 * w[0] - 1.25 * w[1] + 0.375 * w[2]
        assert np.abs(near).max() < 0.2 * np.abs(w).max()


def test_white_noise_of_a_condensate_has_its_power():
    """The mass ⟨|ψ|²⟩ = 2 · ½⟨|ψ|²⟩ grows by the noise; without interaction of noise and flow in the mean."""
    noise = {"kind": "noise", "power": 0.02, "interval": 1e-3, "k_max": 2.0}
    gains = []
    for seed in range(6):
        run = make(
            noise | {"seed": seed},
            flow=CONDENSATE,
            grid={"points": [16, 16, 1], "dealias": "1/2"},
            initial={"name": "formula", "value": ["1", "0"]},
            dt=2e-3,
        )
        before = run.statistics()["mass"]
        advanced(run, 50)
        gains.append(0.5 * (run.statistics()["mass"] - before) / 0.1)
        assert work(run, "noise")[1] / 0.1 == pytest.approx(gains[-1], rel=1e-6)
    error = np.std(gains) / math.sqrt(len(gains) - 1)
    assert np.mean(gains) == pytest.approx(0.02, abs=4 * error)


# From scripts


def script(forcing, **more) -> Simulation:
    case = Case(
        grid={"points": 16},
        flow={"viscosity": 0.1},
        time={"scheme": "rk4", "dt": 0.05, "steps": 100},
        initial=RANDOM,
        run={"threads": 1, "device": devices.current()},
        **more,
    )
    return Simulation(case, forcing=forcing)


def shear(x, y, z):
    return 0.3 * np.sin(2 * y), 0.0, 0.0


def moving(x, y, z, t):
    return 0.3 * np.sin(2 * y) * math.cos(t), 0.0, 0.0


def friction(t, modes):
    return -0.2 * modes.values


def test_every_form_of_a_script():
    named = {"kind": "steady", "shape": {"name": "kolmogorov", "k_f": 2, "amplitude": 0.3}}
    expected = advanced(make(named, viscosity=0.1, dt=0.05, initial=RANDOM), 4).velocity()
    points = np.arange(16) * TAU / 16
    array = np.stack(
        np.broadcast_arrays(*shear(points[None, None], points[None, :, None], points[:, None, None]))
    )
    array = np.stack([np.broadcast_to(part, (16, 16, 16)) for part in array])
    for forcing in (shear, array, {"velocity": shear}):
        assert distance(advanced(script(forcing), 4).velocity(), expected) < 1e-12
    expected = advanced(
        make(named | {"frequency": 1.0}, viscosity=0.1, dt=0.05, initial=RANDOM), 4
    ).velocity()
    assert distance(advanced(script(moving), 4).velocity(), expected) < 1e-12


def test_a_function_of_the_modes_is_called_at_each_stage():
    """f = −α u is the drag of the model, to the order of the scheme."""
    by_model = advanced(make([], viscosity=0.1, dt=0.05, initial=RANDOM, flow={"drag": 0.2}), 8).velocity()
    by_script = advanced(script(friction), 8)
    assert distance(by_script.velocity(), by_model) < 1e-6
    assert work(by_script, "script")[1] < 0


def test_phase_shifts_stay_with_their_stages():
    """A force that is transformed at each stage leaves the shift of the grid as it was."""
    shift = {"dealias": "phase-shift"}
    named = {"kind": "steady", "shape": {"name": "kolmogorov", "k_f": 2, "amplitude": 0.3}, "frequency": 1.0}
    formula = {
        "kind": "steady",
        "shape": {"name": "formula", "value": ["log(exp(0.3*sin(2*y)*cos(t)))", "0", "0"]},
    }
    one = advanced(make(named, viscosity=0.01, initial=RANDOM, grid=shift), 5)
    other = advanced(make(formula, viscosity=0.01, initial=RANDOM, grid=shift), 5)
    assert distance(one.velocity(), other.velocity()) < 1e-12


def test_a_flow_with_a_function_is_freed():
    """The flow keeps the function, which must not keep the flow."""
    simulation = script(moving)
    advanced(simulation, 1)
    flow = weakref.ref(simulation)
    before = _core.allocations()
    del simulation
    gc.collect()
    assert flow() is None
    assert _core.allocations() == before


def test_a_force_of_a_script_must_be_given_again(tmp_path):
    output = {"directory": str(tmp_path / "run"), "checkpoint_every": "2 steps", "series_every": "1 steps"}
    whole = advanced(script(moving, output=output | {"directory": str(tmp_path / "whole")}), 6)
    first = advanced(script(moving, output=output), 4)
    first.close()
    with pytest.raises(CaseError, match=r"restart.*forcing="):
        Simulation.restart(tmp_path / "run")
    again = advanced(Simulation.restart(tmp_path / "run", forcing=moving), 2)
    assert np.array_equal(again.velocity(), whole.velocity())


@pytest.mark.parametrize(
    ("forcing", "hint"),
    [(shear, "Simulation.restart('{run}', forcing=...)"), (None, "whorl restart {run}")],
    ids=["script", "case"],
)
def test_a_run_that_is_stopped_says_how_it_goes_on(tmp_path, forcing, hint):
    """Not by a command where a script gives its force."""
    run = tmp_path / "run"
    output = {"directory": str(run), "checkpoint_every": "2 steps"}
    simulation = script(forcing, output=output)
    simulation.every("3 steps", lambda _: signal.raise_signal(signal.SIGTERM))
    assert not simulation.run(progress=False)
    end = (run / "log.txt").read_text().splitlines()[-1]
    assert "stopped by SIGTERM" in end
    assert end.endswith(f"go on with: {hint.format(run=run)}")


@pytest.mark.parametrize(
    ("forcing", "words"),
    [
        (lambda x: x, "takes 1 arguments"),
        (lambda x, y, z: None, "function returned NoneType; it must return a tuple"),
        ({"temperature": shear}, "temperature"),
        (lambda x, y, z: (np.nan * x, 0.0, 0.0), "the force on the velocity is nan"),
        (lambda x, y, z: (x, 0.0), "returned 2 components, not three"),
        (np.zeros((3, 4, 4, 4)), r"force on the velocity has shape"),
        (lambda t, modes: modes.values[:2], "have the shape"),
        (lambda t, modes: 1j * modes.values, "of no real field"),
    ],
)
def test_an_impossible_force_of_a_script_is_refused(forcing, words):
    with pytest.raises(CaseError, match=words):
        advanced(script(forcing), 1)


def test_a_force_on_a_scalar_does_not_shorten_the_step():
    """It gives the fluid no speed, however strong it is."""
    steps = []
    for power in (1e-6, 1e6):
        force = OU | {"field": "dye", "power": power}
        scalars = [{"name": "dye", "diffusivity": 0.1}]
        time = {"courant": 0.5, "steps": 2}
        flow = make(force, viscosity=0.1, initial=RANDOM, scalars=scalars, time=time)
        steps.append(flow.step().dt)
    assert steps[0] == steps[1]


def test_a_gradient_of_a_script_drives_no_flow():
    def gradient(t, modes):
        k = np.stack(np.meshgrid(*(modes[f"k{axis}"].values for axis in "xyz"), indexing="ij"))
        square = (k**2).sum(axis=0)
        return 1j * k * np.where((square > 0) & (square < 9) & (k[0] > 0), 0.1, 0.0)

    still = advanced(make([], viscosity=0.1, dt=0.05, initial=RANDOM), 3)
    pushed = advanced(script(gradient), 3)
    assert distance(pushed.velocity(), still.velocity()) < 1e-13


def test_a_uniform_force_moves_the_whole_box():
    flow = advanced(script(lambda x, y, z: (0.5, 0.0, 0.0)), 10)
    assert flow.mean("velocity") == pytest.approx([0.25, 0, 0], abs=1e-12)


def test_a_run_beside_may_have_another_force(tmp_path):
    force = {"kind": "constant-energy", "k_max": 2.45, "energy": 0.1}
    output = {"directory": str(tmp_path / "one"), "checkpoint_every": "2 steps"}
    first = advanced(make(force, viscosity=0.1, initial=RANDOM, output=output), 2)
    first.close()
    more = Simulation.restart(
        tmp_path / "one", tmp_path / "two", settings=["forcing.0.energy=0.3", "time.steps=100"]
    )
    advanced(more, 1)
    assert more.flow.spectra()["energy"][1:3].sum() == pytest.approx(0.3, rel=1e-12)
    other = '[{kind = "stochastic", power = 0.5, correlation_time = 0.1}]'
    last = Simulation.restart(tmp_path / "one", tmp_path / "three", settings=[f"forcing={other}"])
    advanced(last, 1)
    assert work(last, "stochastic")[1] != 0


def test_a_run_beside_forgets_what_a_changed_force_remembers(tmp_path):
    """A held band whose shells are now held each, or that is wider, holds what it finds."""
    force = {"kind": "constant-energy", "k_max": 2.45}
    output = {"directory": str(tmp_path / "one"), "checkpoint_every": "2 steps"}
    first = advanced(make(force, viscosity=0.1, initial=RANDOM, output=output), 2)
    expected, power = first.flow.spectra()["energy"], work(first, "constant-energy")[1]
    first.close()
    for change in ("by_shell=true", "k_max=4.45"):
        settings = [f"forcing.0.{change}", "time.steps=100"]
        more = Simulation.restart(tmp_path / "one", tmp_path / change[:2], settings=settings)
        assert work(more, "constant-energy")[1] == power
        advanced(more, 1)
        assert more.flow.spectra()["energy"][1:3].sum() == pytest.approx(expected[1:3].sum(), rel=0.05)


def within_a_step(act) -> Simulation:
    """A flow whose force is friction, and acts on the flow in the second step."""
    held = []

    def force(t, modes):
        if held and t > 0.06:
            act(held[0])
        return friction(t, modes)

    held.append(script(force))
    return held[0]


def test_a_function_of_the_modes_may_read_fields():
    """The vorticity, too, although it is computed for it in the midst of a step."""
    read = []
    flow = within_a_step(lambda flow: read.append(float(np.abs(flow.field("vorticity")).max())))
    assert np.array_equal(advanced(flow, 4).velocity(), advanced(script(friction), 4).velocity())
    assert min(read) > 0


@pytest.mark.parametrize(
    "act",
    [
        lambda flow: flow.set_field("velocity", np.zeros((3, 16, 16, 16))),
        lambda flow: flow.flow.transfer(),
        lambda flow: flow.step(),
    ],
    ids=["set a field", "compute the transfer", "make a step"],
)
def test_a_function_of_the_modes_may_not_change_the_flow(act):
    with pytest.raises((CaseError, _core.Error), match="while a step is under way"):
        advanced(within_a_step(act), 3)


@pytest.mark.parametrize(
    ("force", "sections", "words"),
    [
        (
            OU | {"helicity": 0.5},
            {"flow": {"model": "navier-stokes-2d", "viscosity": 0.1}, "grid": SQUARE},
            "helicity",
        ),
        (OU | {"helicity": 0.5, "field": "dye"}, {"scalars": [{"name": "dye"}]}, "vector fields"),
        (
            {"kind": "alvelius", "power": 1.0, "polarisation": "helical"},
            {"flow": {"model": "navier-stokes-2d", "viscosity": 0.1}, "grid": SQUARE},
            "three components",
        ),
        ([OU | {"name": "a"}, OU | {"name": "b"}], {}, "give them other seeds"),
        (
            [
                OU | {"name": "a", "seed": 1},
                {"kind": "lindborg", "power": 0.1, "k_f": 2.0, "vertical_min": 1, "vertical_max": 2},
            ],
            {"flow": LAYER | {"buoyancy_frequency": 1.0}},
            "give them other seeds",
        ),
        (
            {"kind": "lindborg", "power": 0.1, "k_f": 2.0, "vertical_max": 9},
            {"flow": LAYER | {"buoyancy_frequency": 1.0}},
            "vertical_max = 9 is beyond",
        ),
        (
            {"kind": "lindborg", "power": 0.1, "k_f": 2.0, "vertical_min": 3, "vertical_max": 2},
            {"flow": LAYER | {"buoyancy_frequency": 1.0}},
            "no vertical modes",
        ),
        (OU | {"interval": 0.1}, {}, "that of white noise"),
        (
            {"kind": "steady", "shape": {"name": "formula", "value": ["0.3 + sin(y)", "0", "0"]}},
            {"flow": {"model": "navier-stokes-2d", "viscosity": 0.1}, "grid": SQUARE},
            r"force on the velocity has the mean \(0.3, 0, 0\), which the vorticity",
        ),
        (
            [],
            {
                "flow": {"model": "navier-stokes-2d", "viscosity": 0.1},
                "grid": SQUARE,
                "initial": {"name": "formula", "value": ["0", "0.2 + sin(x)", "0"]},
            },
            r"initial velocity has the mean \(0, 0.2, 0\)",
        ),
        (OU | {"width": 0.5}, {}, "give the peak"),
        (
            [
                {"kind": "constant-energy", "name": "a"},
                {"kind": "constant-energy", "name": "b", "k_min": 2.0},
            ],
            {"initial": RANDOM},
            "between 2 and 2.5; give them bands of their own",
        ),
        ([OU, OU], {}, "two forces are called stochastic"),
        ([{"kind": "script", "name": "a"}, {"kind": "script", "name": "b"}], {}, "two forces of kind script"),
        (OU | {"field": "velocity"}, {"flow": CONDENSATE | {"model": "ginzburg-landau"}}, "prescribes"),
        (
            {"kind": "constant-energy", "by_shell": True, "spectrum": [0.0, 0.1]},
            {"initial": RANDOM},
            "has 3, with shell 0",
        ),
    ],
)
def test_forces_that_mean_nothing_are_refused(force, sections, words):
    with pytest.raises(CaseError, match=words):
        make(force, **{"grid": {"dealias": "1/2"}} | sections if "ginzburg" in str(sections) else sections)


def test_the_force_of_a_lindborg_fits_a_flat_box():
    """The vertical modes are counted along z, where the box is short."""
    force = {
        "kind": "lindborg",
        "power": 0.1,
        "k_f": 2.0,
        "vertical": 0.3,
        "vertical_min": 1,
        "vertical_max": 2,
    }
    flow = LAYER | {"buoyancy_frequency": 1.0}
    run = advanced(make(force, flow=flow, grid={"points": [24, 24, 12], "lengths": [TAU, TAU, TAU / 4]}), 3)
    horizontal, vertical = run.flow.work_of_sources()
    assert horizontal[1] > 0
    assert vertical[1] > 0
