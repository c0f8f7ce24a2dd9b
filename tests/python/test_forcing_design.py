"""The design of stochastic forcing, and what a case makes of it."""

import math
import tomllib

import pytest
from whorl import _core
from whorl.base.errors import CaseError
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.config.wavenumbers import resolved_wavenumber, smallest_wavenumber
from whorl.forcing.options import expected
from whorl.forcing.options.design import count_modes
from whorl.run.core_options import core_options

TWO_ROOT_TWO = 2 * math.sqrt(2)
# R_λ at k_max η = 1, 1.5 and 2 with k_max = √2 N/3, from R_λ = 8.5/((η k₀)^(5/6) N_F^(2/9)) by hand.
# Yeung and Pope (1989) had 38 at 64³ and 93 at 128³; Vedula and Yeung (1999) 140 at 256³.
TABLE = {
    (64, math.sqrt(2)): (77, 55, 43),
    (64, TWO_ROOT_TWO): (53, 38, 30),
    (128, TWO_ROOT_TWO): (95, 68, 53),
    (256, TWO_ROOT_TWO): (169, 121, 95),
    (512, math.sqrt(2)): (433, 309, 243),
}


def designed(target, points=64, k_max=TWO_ROOT_TWO, **sections) -> Case:
    force = {"kind": "stochastic", "k_max": k_max, "target": target}
    return Case(
        **{
            "grid": {"points": points, "dealias": "phase-shift"},
            "flow": {"model": "navier-stokes"},
            "time": {"steps": 1},
            "forcing": [force],
        }
        | sections
    )


@pytest.mark.parametrize(
    ("k_max", "modes"), [(math.sqrt(2), 18), (2, 32), (2.5, 80), (TWO_ROOT_TWO, 92), (3, 122)]
)
def test_numbers_of_modes(k_max, modes):
    """By hand: the vectors of integers in a ball, without 0."""
    grid = designed({"kmax_eta": 1.5}).grid
    assert count_modes(0.0, k_max, grid) == modes
    longer = Case(grid={"points": 32, "lengths": 4.0}, flow={"viscosity": 1.0}, time={"steps": 1}).grid
    assert count_modes(0.0, k_max, longer) == modes


@pytest.mark.parametrize(("points", "k_max"), TABLE)
def test_predicted_reynolds_numbers(points, k_max):
    for kmax_eta, reynolds in zip((1.0, 1.5, 2.0), TABLE[points, k_max], strict=True):
        case = designed({"kmax_eta": kmax_eta}, points, k_max)
        found = expected(1.0, case.flow.viscosity, count_modes(0.0, k_max, case.grid), case.grid)
        assert found.taylor_reynolds == pytest.approx(reynolds, rel=0.015)  # k_max is a whole number here
        assert found.kmax_eta == pytest.approx(kmax_eta, rel=1e-9)
        assert found.turnover_time == pytest.approx(found.integral_scale / found.rms_velocity)


def test_what_is_designed_gives_back_what_was_wanted():
    """ε = 4 N σ² T_L / (1 + T_L* N^⅓ / 0.8), T_L* = T_L (σ² T_L)^⅓."""
    case = designed({"kmax_eta": 1.5, "dissipation": 3.0, "correlation": 0.2})
    force = case.forcing[0]
    intensity = force.variance * force.correlation_time
    correlation = force.correlation_time * intensity ** (1 / 3)
    assert correlation == pytest.approx(0.2)
    assert 4 * 92 * intensity / (1 + correlation * 92 ** (1 / 3) / 0.8) == pytest.approx(3.0)
    length = (case.flow.viscosity**3 / 3.0) ** 0.25
    assert length * resolved_wavenumber(case.grid) == pytest.approx(1.5)


@pytest.mark.parametrize("length", [1.0, 2 * math.pi, 10.0])
def test_a_design_does_not_depend_on_the_unit_of_length(length):
    """With lengths times L and the same ε L⁻¹ … the same R_λ and k_max η."""
    grid = {"points": 64, "dealias": "phase-shift", "lengths": length}
    case = designed({"taylor_reynolds": 38.0}, grid=grid)
    found = expected(1.0, case.flow.viscosity, 92, case.grid)
    assert found.taylor_reynolds == pytest.approx(38.0)
    assert found.kmax_eta == pytest.approx(1.5, rel=0.02)
    scaled = case.forcing[0].correlation_time * (
        case.forcing[0].variance * case.forcing[0].correlation_time * smallest_wavenumber(case.grid) ** 2
    ) ** (1 / 3)
    assert scaled == pytest.approx(0.15)


def test_the_resolved_case_holds_what_was_designed():
    case = designed({"taylor_reynolds": 38.0, "kmax_eta": 1.5})
    again = Case(**tomllib.loads(case.to_toml()))
    assert again == case
    assert again.forcing[0].target is None
    assert again.forcing[0].variance > 0
    finer = again.updated(["grid.points=128"])
    assert finer.forcing == case.forcing
    assert finer.flow == case.flow


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        ({"grid": {"points": [64, 64, 1]}}, "three-dimensional turbulence"),
        ({"flow": {"viscosity": 1.0}}, "flow.viscosity = 1.0 is given with forcing.target"),
        ({"flow": {"model": "mhd", "resistivity": 1.0}}, 'does not allow for flow.model = "mhd"'),
        ({"flow": {"model": "navier-stokes", "drag": 0.5}}, "does not allow for flow.drag"),
        ({"grid": {"points": 64, "lengths": [1.0, 1.0, 2.0]}}, "does not allow for a box that is not a cube"),
    ],
)
def test_designs_that_are_refused(sections, words):
    with pytest.raises(CaseError, match=words):
        designed({"kmax_eta": 1.5}, **sections)


@pytest.mark.parametrize("points", [(64, 64, 64), (48, 60, 36), (32, 32, 1)])
@pytest.mark.parametrize("dealias", ["2/3", "1/2", "phase-shift", "none"])
def test_the_largest_wavenumber_is_that_of_the_core(points, dealias):
    case = Case(
        grid={"points": points, "dealias": dealias, "lengths": [1.0, 2.0, 1.5]},
        flow={"viscosity": 1.0},
        time={"steps": 1},
    )
    flow = _core.Flow(core_options(case, 1), MPI.COMM_SELF.py2f())
    assert resolved_wavenumber(case.grid) == pytest.approx(flow.kmax, rel=1e-12)


def test_memory_of_forces_is_counted_before_the_run():
    for forcing in (
        [{"kind": "stochastic", "power": 1.0, "correlation_time": 0.1}],
        [{"kind": "steady", "shape": {"name": "formula", "value": ["sin(y)", "0", "0"]}}],
        [],
    ):
        case = Case(grid={"points": 32}, flow={"viscosity": 1.0}, time={"steps": 1}, forcing=forcing)
        options = core_options(case, 1)
        counted = _core.estimate_memory(options, 1)["forcing"]
        taken = _core.Flow(options, MPI.COMM_SELF.py2f()).memory()["forcing"]
        assert counted == taken or counted > taken == 0
