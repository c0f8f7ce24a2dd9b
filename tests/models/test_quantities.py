"""The quantities of every model by name: their means are the columns, and they close the budgets."""

from pathlib import Path

import numpy as np
import pytest
from models.runs import make_case, noise
from whorl.base.errors import CaseError
from whorl.cli.templates import example_case
from whorl.config.measures import budget, quantities
from whorl.expressions.parse import Parser
from whorl.expressions.vocabulary import vocabulary
from whorl.models import MODELS
from whorl.run.simulation import Simulation

LOSSES = {
    "hyperviscosity": 1e-4,
    "hyperviscosity_power": 3,
    "hypoviscosity": 0.2,
    "hypoviscosity_power": 1,
    "drag": 0.1,
}
VISCOUS = {"viscosity": 0.02, "rotation": (0.3, -0.2, 0.7), "mean_velocity": (0.2, 0.0, 0.4)}
CONVECTION = {"rayleigh": 900.0, "prandtl": 0.7}
DYE = {"name": "dye", "diffusivity": 0.05, "gradient": (0.7, -1.1, 0.4)}
FLOWS = {
    "navier-stokes": VISCOUS | LOSSES | {"scalars": [DYE]},
    "navier-stokes even": VISCOUS | LOSSES | {"hyperviscosity_power": 2, "hypoviscosity_power": 2},
    "navier-stokes-2d": {"viscosity": 0.02, "beta": 1.3, "points": (16, 12, 1)} | LOSSES,
    "boussinesq": VISCOUS | LOSSES | {"buoyancy_frequency": 1.3, "prandtl": 0.6},
    "mhd": VISCOUS | LOSSES | {"mean_field": (0.3, 0.2, 1.1), "hall": 0.2, "resistivity": 0.03},
    "mhd kinematic": {"viscosity": 0.02, "kinematic": True, "mean_field": (0.3, 0.2, 1.1)},
    "quasi-static-mhd": VISCOUS | LOSSES | {"interaction": 0.7, "field_direction": (1.0, 2.0, -0.5)},
    "rayleigh-benard": CONVECTION | {"taylor": 50.0, "grid": {"lengths": [2.0, 1.5, 1.0]}},
    "rayleigh-benard periodic": CONVECTION | {"grid": {"lengths": [2.0, 1.5, 1.0], "bases": "FFF"}},
    "gross-pitaevskii": {"sound_speed": 1.0, "coherence_length": 0.7},
}


def begun(name: str, dt: float = 1e-3) -> Simulation:
    """A random flow of a few modes."""
    own = dict(FLOWS[name])
    case = make_case(name.split()[0], own.pop("points", (16, 12, 14)), dt=dt, **own)
    initial = {
        field: noise(case, about.components, n + 1, reach=2, size=0.5)
        for n, (field, about) in enumerate(case.flow.state.items())
    }
    if "psi" in initial:
        initial["psi"] = 0.2 * initial["psi"] + np.reshape([1.0, 0.0], (2, 1, 1, 1))
    initial |= {scalar.name: noise(case, 1, 7, reach=2) for scalar in case.scalars}
    return Simulation(case, initial)


def mean_of_sum(simulation: Simulation, terms: tuple[str, ...]) -> float:
    return sum((-1 if term.startswith("-") else 1) * simulation.mean(term.lstrip("-")) for term in terms)


@pytest.mark.every_device
@pytest.mark.parametrize("name", FLOWS)
def test_budgets_close(name):
    """The sum of the means of the terms is dE/dt by a centred difference of order four, halfway."""
    dt = 2.5e-4
    simulation = begun(name, dt)
    budgets = budget(simulation.case)
    rows, sums = [simulation.statistics()], {}
    for step in range(1, 5):
        simulation.step()
        rows.append(simulation.statistics())
        if step == 2:
            sums = {column: mean_of_sum(simulation, terms) for column, terms in budgets.items()}
            sizes = {
                column: sum(abs(mean_of_sum(simulation, (term,))) for term in terms)
                for column, terms in budgets.items()
            }
    assert budgets
    for column, found in sums.items():
        rate = np.dot([1, -8, 0, 8, -1], [row[column] for row in rows]) / (12 * dt)
        assert abs(found - rate) <= 1e-9 * (sizes[column] + rows[2][column]), (column, found, rate)


@pytest.mark.every_device
@pytest.mark.parametrize("name", FLOWS)
def test_means_are_the_columns_of_the_same_name(name):
    simulation = begun(name)
    row = simulation.statistics()
    named = quantities(simulation.case)
    both = [one for one in named if one in row]
    assert both
    scale = max(abs(row[one]) for one in both)
    for one in both:
        assert simulation.mean(one) == pytest.approx(row[one], rel=1e-11, abs=1e-12 * scale), one


@pytest.mark.parametrize("name", MODELS)
def test_the_page_of_a_model_has_its_quantities(name):
    page = (Path(__file__).parents[2] / "docs" / "models" / f"{name}.md").read_text()
    case = example_case(MODELS[name])
    parser = Parser(vocabulary(case))
    for called, one in case.flow.quantities().items():
        cells = (f"`{called}`", one.meaning, str(parser.parse(called).unit), f"`{one.text}`")
        row = " | ".join(cell.replace("|", r"\|") for cell in cells)
        assert f"| {row} |" in page, called


def test_invariants_have_the_usual_signs():
    """Q is positive where rotation prevails, R negative where a vortex is stretched."""
    simulation = begun("navier-stokes")
    q = simulation.field("Q - (dot(omega, omega)/4 - sum(strain(u)**2)/2)")
    assert np.abs(q).max() < 1e-12
    at_vortex = "-(det(strain(u)) + dot(omega, strain(u) @ omega)/4) - R"
    assert np.abs(simulation.field(at_vortex)).max() < 1e-12
    advection = simulation.field(
        "advection + vector(dot(u, grad(u.x)), dot(u, grad(u.y)), dot(u, grad(u.z)))"
    )
    assert np.abs(advection).max() < 1e-12
    whole = simulation.field("acceleration - pressure_acceleration - viscous_acceleration")
    assert np.abs(whole).max() < 1e-12


def test_the_vector_potential_is_that_of_the_magnetic_field():
    simulation = begun("mhd")
    curl = simulation.field("curl(vector_potential) - b")
    assert np.abs(curl).max() < 1e-12
    assert simulation.mean("div(vector_potential)**2") < 1e-24
    assert simulation.mean("dot(vector_potential, vector_potential)") > 1e-3


@pytest.mark.parametrize("name", ["Q", "p", "nu", "theta", "advection"])
def test_a_scalar_has_no_name_of_the_model(name):
    with pytest.raises(ValueError, match=f'"{name}" is a name that flow.model = "boussinesq" uses itself'):
        make_case("boussinesq", 8, buoyancy_frequency=1.0, viscosity=0.1, scalars=[{"name": name}])


@pytest.mark.parametrize("name", FLOWS)
def test_vectors_of_the_state_have_no_divergence_where_that_is_declared(name):
    """And others have one, as expressions that leave out ∂u_z/∂z rely on."""
    simulation = begun(name)
    simulation.step()
    for field, about in simulation.case.flow.state.items():
        if about.components == 3:
            gradients = simulation.mean(f"sum(grad({field})**2)")
            divergence = simulation.mean(f"div({field})**2")
            assert (divergence < 1e-24 * gradients) == about.solenoidal


def test_a_prescribed_velocity_has_no_acceleration():
    simulation = begun("mhd kinematic")
    assert "acceleration" not in quantities(simulation.case)
    with pytest.raises(CaseError, match=r"with flow\.kinematic = true the velocity stays as it is"):
        simulation.field("acceleration")
