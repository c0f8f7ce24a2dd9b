"""Forces as names in expressions: budgets that close with them, accelerations, and what has no value."""

import itertools

import numpy as np
import pytest
from models.runs import make_case, noise
from support import devices
from support.ranks import on_ranks
from whorl import _core, analyse
from whorl.base.errors import CaseError
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.config.measures import budget
from whorl.results.runs import open_run
from whorl.run.simulation import Simulation

VISCOUS = {"viscosity": 0.02, "drag": 0.1}
BAND = {"k_min": 1.0, "k_max": 2.5}
SHEAR = {"name": "formula", "value": ["sin(y + t)", "0.3*cos(z)*exp(-t)", "0"]}
FLOWS = {
    "navier-stokes": VISCOUS,
    "navier-stokes-2d": VISCOUS | {"points": (16, 12, 1)},
    "boussinesq": {"viscosity": 0.02, "buoyancy_frequency": 1.3, "prandtl": 0.6},
    "mhd": {"viscosity": 0.02, "resistivity": 0.03, "mean_field": (0.3, 0.2, 1.1)},
    "rayleigh-benard": {"rayleigh": 900.0, "prandtl": 0.7, "grid": {"lengths": [2.0, 1.5, 1.0]}},
    "gross-pitaevskii": {"sound_speed": 1.0, "coherence_length": 0.7},
}
DYE = {"name": "dye", "diffusivity": 0.05, "gradient": (0.7, -1.1, 0.4)}
WHITE = {"kind": "stochastic", "correlation_time": 0, "power": 0.7, "interval": 1.0}
FORCES = {
    "coloured": ("navier-stokes", {"kind": "stochastic", "power": 0.7, "correlation_time": 8.0}),
    "white": ("navier-stokes", WHITE | BAND),
    "lindborg": (
        "boussinesq",
        {"kind": "lindborg", "power": 0.5, "k_f": 1.5, "width": 0.4, "vertical_min": 1, "vertical_max": 3},
    ),
    "noise": ("gross-pitaevskii", {"kind": "noise", "power": 2.0, "interval": 1.0, "k_max": 2.0}),
    "linear": ("navier-stokes", {"kind": "linear", "rate": 0.4}),
    "linear to an energy": ("navier-stokes", {"kind": "linear", "rate": 0.4, "energy": 1.0}),
    "linear on a band": ("navier-stokes", {"kind": "linear", "power": 0.4, "k_max": 2.0}),
    "linear of a wave function": ("gross-pitaevskii", {"kind": "linear", "rate": 0.2}),
    "linear in a plane": ("navier-stokes-2d", {"kind": "linear", "rate": 0.4}),
    "linear of a scalar": ("navier-stokes", {"kind": "linear", "rate": 0.4, "field": "dye"}),
    "linear between walls": ("rayleigh-benard", {"kind": "linear", "rate": 0.4}),
    "power": ("navier-stokes", {"kind": "constant-power", "power": 0.5, "k_max": 2.0}),
    "helicity": ("mhd", {"kind": "constant-power", "power": 0.5, "helicity_rate": 0.2}),
    "shape": ("navier-stokes", {"kind": "steady", "shape": {"name": "taylor-green"}, "frequency": 3.0}),
    "sum of products": ("navier-stokes", {"kind": "steady", "shape": SHEAR, "amplitude": 0.6}),
    "formula": (
        "mhd",
        {
            "kind": "steady",
            "field": "magnetic",
            "shape": {"name": "formula", "value": ["0", "exp(sin(x - t))", "0"]},
        },
    ),
    "temperature": ("boussinesq", WHITE | {"field": "temperature"}),
    "between walls": ("rayleigh-benard", WHITE | {"field": "temperature"} | {"k_max": 4.0}),
    "velocity in a plane": ("navier-stokes-2d", WHITE | BAND | {"field": "velocity"}),
    "vorticity": ("navier-stokes-2d", WHITE | BAND | {"field": "vorticity"}),
}


def begun(model: str, forces: list[dict], dt: float = 2.5e-4, run=None, comm=None, **given) -> Simulation:
    """A random flow of a few modes."""
    own = dict(FLOWS[model])
    scalars = [DYE] if model == "navier-stokes" else []
    case = make_case(model, own.pop("points", (16, 12, 14)), dt=dt, scalars=scalars, run=run, **own)
    initial = {
        field: noise(case, about.components, n + 1, reach=2, size=0.5)
        for n, (field, about) in enumerate(case.flow.state.items())
    }
    if model == "navier-stokes-2d":
        initial = {"velocity": noise(case, 3, 1, reach=2, size=0.5) * np.reshape([1, 1, 0], (3, 1, 1, 1))}
    if "psi" in initial:
        initial["psi"] = 0.2 * initial["psi"] + np.reshape([1.0, 0.0], (2, 1, 1, 1))
    initial |= {scalar.name: noise(case, 1, 7, reach=2) for scalar in case.scalars}
    return Simulation(case.updated(forcing=forces), initial, comm=comm, **given)


def rates(simulation: Simulation) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """Of each column of the budget, halfway over four steps: its rate, the sum of the terms, their size."""
    budgets, rows = budget(simulation.case), [simulation.statistics()]
    sums, sizes = {}, {}
    for step in range(1, 5):
        simulation.step()
        rows.append(simulation.statistics())
        if step == 2:
            means = {term: simulation.mean(term.lstrip("-")) for of in budgets.values() for term in of}
            signed = {term: -mean if term.startswith("-") else mean for term, mean in means.items()}
            sums = {column: sum(signed[term] for term in terms) for column, terms in budgets.items()}
            sizes = {
                column: sum(abs(signed[term]) for term in terms) + rows[2][column]
                for column, terms in budgets.items()
            }
    weights = np.array([1, -8, 0, 8, -1]) / (12 * simulation.case.time.dt)
    return {column: weights @ [row[column] for row in rows] for column in budgets}, sums, sizes


@pytest.mark.every_device
@pytest.mark.parametrize("name", FORCES)
def test_budgets_close_with_forces(name):
    """The terms add up to dE/dt by a centred difference of order four, and the force is one of them."""
    model, force = FORCES[name]
    simulation = begun(model, [force])
    found, sums, sizes = rates(simulation)
    for column in sums:
        assert abs(found[column] - sums[column]) <= 1e-9 * sizes[column], column
    acting = [term for terms in budget(simulation.case).values() for term in terms if "force" in term]
    acting += ["mass_injection"] if model == "gross-pitaevskii" else []
    assert max(abs(simulation.mean(term)) for term in acting) > 1e-3


def test_forces_add():
    forces = [{"kind": "linear", "rate": 0.4}, WHITE | BAND, WHITE | {"field": "dye", "name": "ink"}]
    forces.append({"kind": "steady", "shape": {"name": "kolmogorov", "k_f": 1}, "amplitude": 0.3})
    simulation = begun("navier-stokes", forces)
    found, sums, sizes = rates(simulation)
    for column in ("energy", "dye_variance"):
        assert abs(found[column] - sums[column]) <= 1e-9 * sizes[column]
    parts = [begun("navier-stokes", [force]).field("velocity_force") for force in (*forces[:2], forces[3])]
    assert np.allclose(begun("navier-stokes", forces).field("velocity_force"), sum(parts), atol=1e-13)


def test_forces_of_a_script():
    def drag(t, modes):
        return -0.5 * modes

    def wave(x, y, z, t):
        return np.sin(y - t), 0 * x, 0 * z

    for given in (drag, wave):
        simulation = begun("navier-stokes", [], forcing=given)
        found, sums, sizes = rates(simulation)
        assert abs(found["energy"] - sums["energy"]) <= 1e-9 * sizes["energy"]
        assert abs(simulation.mean("velocity_force_power")) > 1e-3
    simulation = begun("navier-stokes", [], forcing=drag)
    wanted = -0.5 * simulation.field("velocity")
    assert np.abs(simulation.field("velocity_force") - wanted).max() < 1e-13


@pytest.mark.every_device
@pytest.mark.parametrize(("precision", "near"), [("double", 1e-13), ("single", 1e-5)])
def test_a_force_of_known_shape(precision, near):
    """A cos(ω t + φ) times the Taylor–Green vortex, also where a product of the flow comes behind it."""
    force = {
        "kind": "steady",
        "shape": {"name": "taylor-green"},
        "amplitude": 0.6,
        "frequency": 3.0,
        "phase": 0.4,
    }
    simulation = begun("navier-stokes", [force], dt=0.05, run={"precision": precision})
    for _ in range(2):
        simulation.step()
    x, y, z = np.meshgrid(*simulation.coordinates, indexing="ij")
    factor = 0.6 * np.cos(3 * simulation.time + 0.4)
    wanted = factor * np.stack([np.sin(x) * np.cos(y) * np.cos(z), -np.cos(x) * np.sin(y) * np.cos(z), 0 * z])
    wanted = wanted.transpose(0, 3, 2, 1)
    assert np.abs(simulation.field("velocity_force") - wanted).max() < near
    together = simulation.field("velocity_force + grad(p)") - simulation.field("grad(p)")
    assert np.abs(together - wanted).max() < 20 * near
    assert np.abs(
        simulation.field("acceleration - pressure_acceleration - viscous_acceleration") - wanted
    ).max() < (20 * near)
    spectrum = simulation.diagnose("spectrum", of="velocity_force")
    total = float(spectrum["spectrum"].sum())
    assert total == pytest.approx(
        simulation.mean("dot(velocity_force, velocity_force)"), rel=10 * near + 1e-12
    )


@pytest.mark.parametrize("field", ["velocity", "vorticity"])
def test_forces_in_a_plane_are_known_by_both_fields(field):
    simulation = begun("navier-stokes-2d", [WHITE | BAND | {"field": field}])
    difference = simulation.field("curl(velocity_force).z - vorticity_force")
    assert np.abs(difference).max() < 1e-13
    assert np.abs(simulation.field("div(velocity_force)")).max() < 1e-13
    assert simulation.mean("norm(vorticity_force)") > 0.1


def test_the_acceleration_is_that_of_the_field():
    """∂u/∂t = advection + acceleration, of the modes that are kept, without a frame that turns."""
    dt = 2.5e-4
    simulation = begun("navier-stokes", [WHITE | BAND], dt)
    fields = [simulation.field("velocity")]
    for step in range(1, 5):
        simulation.step()
        fields.append(simulation.field("velocity"))
        if step == 2:
            found = simulation.field("inv_lap(lap(advection)) + acceleration - drag*velocity")
    rate = np.tensordot(np.array([1, -8, 0, 8, -1]) / (12 * dt), fields, 1)
    assert np.abs(found - rate).max() < 1e-9 * np.abs(rate).max()


def test_without_forces_it_is_zero():
    simulation = begun("navier-stokes", [])
    assert np.all(simulation.field("0*velocity.x + velocity_force.x") == 0)
    assert simulation.mean("velocity_force_power") == 0
    assert begun("gross-pitaevskii", []).mean("mass_injection") == 0


@pytest.mark.parametrize(
    "force",
    [
        {"kind": "alvelius", "power": 0.5, "k_f": 1.5},
        {"kind": "constant-energy", "energy": 1.0, "name": "held"},
    ],
)
def test_a_force_that_follows_from_a_step_is_refused(force):
    """By every name that it is part of, with what is left to take."""
    simulation = begun("navier-stokes", [force])
    label = force.get("name", force["kind"])
    for text in ("velocity_force", "acceleration", "mean(velocity_force_power)"):
        with pytest.raises(CaseError, match="velocity_force is not known at a moment") as error:
            simulation.mean(text)
        assert f"series.csv as {label}_power and {label}_work" in str(error.value)
    assert simulation.mean("dye_force") == 0
    found = simulation.diagnose("pressure", bins=10)
    assert np.isfinite(found["a0"])
    assert not OF_FORCE & found.data_vars.keys()
    with pytest.raises(_core.Error, match="has no value at a moment"):
        simulation.flow.bring_force("velocity", 0.0)


KOLMOGOROV = {"kind": "steady", "shape": {"name": "kolmogorov", "k_f": 1}, "amplitude": 0.3}
OF_FORCE = {"force_square", "force_friction", "forced_acceleration_square", "a0_forced"}


@pytest.mark.parametrize(
    ("model", "forces"),
    [
        ("navier-stokes", [KOLMOGOROV]),
        ("navier-stokes", [KOLMOGOROV, {"kind": "linear", "rate": 0.4}, WHITE | BAND]),
        ("navier-stokes-2d", [WHITE | BAND | {"field": "velocity"}]),
        ("navier-stokes-2d", [WHITE | BAND | {"field": "vorticity"}]),
        ("rayleigh-benard", [{"kind": "linear", "rate": 0.4}]),
    ],
)
def test_the_set_of_pressure_has_the_force_beside(model, forces):
    """By NumPy from values at the points; derivatives are those of the fields there."""
    simulation = begun(model, forces)
    found, free = (one.diagnose("pressure", bins=10) for one in (simulation, begun(model, [])))
    count = 2 if model == "navier-stokes-2d" else 3
    gradient, friction = (simulation.field(text) for text in ("grad(p)", "viscosity*lap(velocity)"))
    force, slopes = simulation.field("velocity_force"), simulation.field("grad(velocity)")
    viscosity = simulation.case.flow.constants()["viscosity"]
    strain = slopes.reshape(3, 3, *slopes.shape[1:])
    epsilon = viscosity / 2 * ((strain + strain.swapaxes(0, 1)) ** 2).sum((0, 1)).mean()
    of_scale = count * epsilon**1.5 / np.sqrt(viscosity)

    def square(vector):
        return (vector**2).sum(0).mean()

    wanted = {
        "force_square": square(force),
        "force_friction": 2 * (force * friction).sum(0).mean(),
        "forced_acceleration_square": square(friction - gradient + force),
        "a0_forced": square(friction - gradient + force) / of_scale,
        "unforced_acceleration_square": square(friction - gradient),
        "a0": square(friction - gradient) / of_scale,
    }
    for name, number in wanted.items():
        assert float(found[name]) == pytest.approx(number, rel=1e-11), name
    parts = ("unforced_acceleration_square", "force_square", "force_friction")
    assert sum(float(found[name]) for name in parts) == pytest.approx(
        wanted["forced_acceleration_square"], rel=1e-10
    )
    assert abs(found["a0_forced"] / found["a0"] - 1) > 1e-3
    a = [f"unforced_acceleration.{axis}" for axis in "xyz"[:count]]
    assert found["quantity"].values.tolist() == ["p", *a]
    squares = found["mean"].sel(quantity=a) ** 2 + found["std"].sel(quantity=a) ** 2
    assert float(squares.sum()) == pytest.approx(wanted["unforced_acceleration_square"], rel=1e-11)
    of_expression = simulation.mean("dot(acceleration, acceleration)")
    assert of_expression == pytest.approx(wanted["forced_acceleration_square"], rel=1e-11)
    assert found.data_vars.keys() - free.data_vars.keys() == OF_FORCE
    for name in free.data_vars.keys() - {"pdf", "count", "outside"}:
        assert np.allclose(found[name], free[name], rtol=1e-10, atol=1e-12), name


def test_the_force_of_the_set_of_pressure_in_closed_form():
    """f = 0.3 sin y along x has ⟨f²⟩ = 0.09/2, and u = 2 sin y the friction −ν u."""
    simulation = begun("navier-stokes", [KOLMOGOROV])
    shape = simulation.field("velocity_force") / 0.3
    simulation.set_field("velocity", 2 * shape)
    found = simulation.diagnose("pressure", bins=10)
    assert found["force_square"] == pytest.approx(0.09 / 2)
    assert found["force_friction"] == pytest.approx(-2 * 0.3 * 0.02 * 2 / 2)
    assert found["forced_acceleration_square"] == pytest.approx((0.3 - 0.02 * 2) ** 2 / 2)
    assert found["a0_forced"] == pytest.approx(
        (0.3 - 0.02 * 2) ** 2 / 2 / (3 * (0.02 * 2) ** 1.5 * 0.02**-0.5)
    )


TWO_FORCES = {
    "mhd": ({"velocity": SHEAR, "magnetic": SHEAR}, "velocity_force + 2*magnetic_force"),
    "navier-stokes-2d": (
        {
            "velocity": {"name": "formula", "value": ["sin(y)", "cos(x)", "0"]},
            "vorticity": {"name": "formula", "value": "cos(x)*sin(y)"},
        },
        "velocity_force",
    ),
}


OF_PRODUCTS = "velocity.x*dx(velocity.x*velocity.y)"


def with_two(model: str, field: str, reads: bool) -> tuple[Simulation, list[float]]:
    """A flow with two forces, of which a function gives that on a field, and what the function reads."""
    (other,) = TWO_FORCES[model][0].keys() - {field}
    flow, found = [], []

    def force(t, modes):
        found.extend(one.mean(OF_PRODUCTS) for one in flow if reads)
        return 0.7 * modes

    steady = {"kind": "steady", "field": other, "shape": TWO_FORCES[model][0][other]}
    flow.append(begun(model, [steady], forcing={field: force}))
    return flow[0], found


@pytest.mark.parametrize("model", TWO_FORCES)
def test_a_function_may_read_the_flow_where_several_forces_are_asked_for(model):
    """Products that it transforms to the modes are its own, and the other force stays."""
    shapes, text = TWO_FORCES[model]
    for field in shapes:
        (reading, values), (other, none) = (with_two(model, field, reads) for reads in (True, False))
        assert np.array_equal(reading.field(text), other.field(text))
        assert values == [other.mean(OF_PRODUCTS)]
        assert none == []
        assert abs(values[0]) > 1e-6


def test_a_function_that_reads_forces_is_refused():
    simulation, reads = None, False

    def force(t, modes):
        if reads:
            simulation.mean("velocity_force.x")
        return 0 * modes

    simulation = begun("navier-stokes", [], forcing=force)
    reads = True
    with pytest.raises(_core.Error, match="is asked for while it is worked out"):
        simulation.mean("velocity_force.x")
    with pytest.raises(_core.Error, match="a force is measured while a step is under way"):
        simulation.step()


def test_probes_refuse_forces():
    probe = {"kind": "points", "of": ["velocity_force"], "positions": [[0, 0, 0]]}
    for one in (probe, {"kind": "modes", "of": ["velocity_force"], "modes": [[1, 0, 0]]}):
        with pytest.raises(CaseError, match="it holds a force, and a probe reads the fields of the state"):
            begun("navier-stokes", [{"kind": "linear", "rate": 0.4}]).case.updated(probes=[one])


@pytest.mark.parametrize("name", ["velocity_force", "velocity_force_power", "dye_force", "dye_dissipation"])
def test_a_scalar_is_not_called_like_a_force(name):
    with pytest.raises(CaseError, match="choose another"):
        begun("navier-stokes", []).case.updated(scalars=[DYE, DYE | {"name": name}])


def run_of(directory, forces, forcing=None) -> Case:
    case = begun("navier-stokes", forces, dt=0.01).case
    output = {
        "directory": str(directory),
        "columns": {"power": "mean(velocity_force_power)"},
        "fields": ["velocity", "velocity_force"],
        "snapshot_every": "3 steps",
    }
    case = case.updated(scalars=[], time={"steps": 3}, initial={"name": "abc"}, output=output)
    with Simulation(case, forcing=forcing) as simulation:
        simulation.run(progress=False)
        return simulation.mean("velocity_force_power")


def test_a_run_writes_forces_and_opens_them_again(tmp_path):
    forces = [{"kind": "steady", "shape": SHEAR}, WHITE]
    last = run_of(tmp_path / "run", forces)
    with Simulation.open(tmp_path / "run") as simulation:
        assert simulation.mean("velocity_force_power") == pytest.approx(last, rel=1e-13)
    rows = open_run(tmp_path / "run").series
    assert float(rows["power"][-1]) == pytest.approx(last, rel=1e-12)


def test_a_script_gives_again_what_an_opened_state_lacks(tmp_path):
    run_of(tmp_path / "run", [], forcing=lambda x, y, z: (np.sin(y), 0 * x, 0 * z))
    with Simulation.open(tmp_path / "run") as opened:
        case = opened.case
    with Simulation(case, forcing=lambda x, y, z: (np.sin(y), 0 * x, 0 * z), overwrite=True) as again:
        assert again.mean("dot(velocity_force, velocity_force)") == pytest.approx(0.5)


def test_forces_that_are_not_there_are_told(tmp_path):
    """Of a script, and of a file that is gone: not zero, but an error, and left out of the ready set."""
    run_of(tmp_path / "script", [], forcing=lambda x, y, z: (np.sin(y), 0 * x, 0 * z))
    shape = tmp_path / "shape.npz"
    y = np.arange(12) * 2 * np.pi / 12
    array = np.zeros((3, 14, 12, 16))
    array[0] = np.sin(y)[None, :, None]
    np.savez(shape, **dict(zip("uvw", array, strict=True)))
    run_of(tmp_path / "file", [{"kind": "steady", "shape": {"name": "from-file", "path": str(shape)}}])
    shape.unlink()
    for run, snapshot in itertools.product(("script", "file"), (False, True)):
        with Simulation.open(tmp_path / run, snapshot=snapshot) as simulation:
            assert simulation.statistics()["energy"] == pytest.approx(simulation.mean("dot(u, u)") / 2)
            label = simulation.case.forcing[0].label
            with pytest.raises(
                CaseError, match=f"velocity_force is not known here: .* of forcing {label} is not"
            ):
                simulation.mean(simulation.case.output.columns["power"])
            why = "the snapshot .*" if snapshot else f"the force {label} is not known where a checkpoint"
            with pytest.raises(CaseError, match=f"{why} is opened to look at it"):
                simulation.step()
            with pytest.raises(_core.Error, match="has no values here"):
                simulation.flow.bring_force("velocity", 0.0)
            found = simulation.diagnose("pressure", bins=10)
            assert not OF_FORCE & found.data_vars.keys()
            assert float(found["a0"]) > 0
        assert "force_square" not in analyse(tmp_path / run, [{"kind": "pressure", "bins": 10}])["pressure"]


@on_ranks(1, 2, 3, 4, 6)
def test_on_ranks(world):
    """Forces on all modes, on a band, random and of a shape, as of one rank."""
    forces = [{"kind": "linear", "rate": 0.4}, {"kind": "constant-power", "power": 0.5}, WHITE]
    forces.append({"kind": "steady", "shape": {"name": "formula", "value": ["exp(sin(y))", "0", "0"]}})
    texts = ("velocity_force_power", "mean(p*velocity_force.x)", "norm(velocity_force)")

    def found(comm):
        with begun("navier-stokes", forces, run={"device": devices.current()}, comm=comm) as simulation:
            return [simulation.mean(text) for text in texts], simulation.gather("acceleration")

    means, field = found(world)
    wanted, alone = found(MPI.COMM_SELF)
    assert means == pytest.approx(wanted, rel=1e-12)
    if world.rank == 0:
        assert np.abs(field - alone).max() < 1e-12
