"""Initial fields and forces by formulas, on ranks, devices and in both precisions."""

import numpy as np
import pytest
from physics.flows import distance
from physics.forced_flows import RANDOM, advanced, make
from support import devices
from support.ranks import on_ranks
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.expressions.points import AtPoints
from whorl.output.sample import by_force
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

POINTS, LENGTHS = [20, 12, 18], [2.0, 3.0, 5.0]
# A velocity without divergence, of modes that all rules keep.
WAVES = [
    "sin(2*pi*y/Ly)*cos(4*pi*z/Lz) + 4*nu",
    "0.5*cos(2*pi*x/Lx)*(1 + sin(2*pi*z/Lz))",
    "where(x >= 0, 1, 0)*sin(2*pi*(x/Lx + 2*y/Ly))",
]


def waves(x, y, z):
    a, b, c = (2 * np.pi * one / length for one, length in zip((x, y, z), LENGTHS, strict=True))
    return np.sin(b) * np.cos(2 * c) + 0.4, 0.5 * np.cos(a) * (1 + np.sin(c)), np.sin(a + 2 * b)


@pytest.mark.parametrize("precision", ["double", "single"])
@on_ranks(1, 2, 3, 4)
def test_an_initial_field_is_its_formulas(world, precision):
    case = Case(
        grid={"points": POINTS, "lengths": LENGTHS},
        flow={"viscosity": 0.1},
        time={"dt": 0.1, "steps": 1},
        initial={"name": "formula", "value": WAVES},
        scalars=[{"name": "dye", "initial": {"name": "formula", "value": "cos(2*pi*y/Ly)**2 - nu"}}],
        run={"threads": 1, "device": devices.current(), "precision": precision},
    )
    with Simulation(case, comm=world) as simulation:
        x, y, z = np.meshgrid(*simulation.coordinates, indexing="ij")
        x, y, z = (np.transpose(one) for one in (x, y, z))
        limit = 1e-14 if precision == "double" else 1e-6
        for found, wanted in zip(simulation.velocity(), waves(x, y, z), strict=True):
            assert np.abs(found - wanted).max(initial=0) < 4 * limit
        dye = np.cos(2 * np.pi * y / 3) ** 2 - 0.1
        assert np.abs(simulation.field("dye")[0] - dye).max(initial=0) < 4 * limit


def steady(*value: str, **options) -> dict:
    return {"kind": "steady", "shape": {"name": "formula", "value": list(value)}} | options


def script(x, y, z, t):
    return np.sin(y - 0.5 * t), 0.3 * np.cos(z - 0.5 * t), np.where(t < 0.05, np.sin(x), 0)


# The same, with three factors in time, and with none that is found.
IN_PARTS = ("sin(y - 0.5*t)", "0.3*cos(z - 0.5*t)", "where(t < 0.05, sin(x), 0)")
WHOLE = ("log(exp(sin(y - 0.5*t)))", "log(exp(0.3*cos(z - 0.5*t)))", "log(exp(where(t < 0.05, sin(x), 0)))")


def test_of_time_a_factor_alone_is_evaluated_before_each_stage(monkeypatch):
    calls = []
    put = AtPoints.put
    monkeypatch.setattr(AtPoints, "put", lambda *given: calls.append(1) or put(*given))
    for value, more in ((IN_PARTS, False), (WHOLE, True)):
        flow = make(steady(*value), viscosity=0.05)
        calls.clear()
        advanced(flow, 2)
        assert (len(calls) >= 2 * 4) == more
        assert bool(calls) == more


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("dealias", ["2/3", "phase-shift"])
@on_ranks(1, 2, 3, 4)
def test_a_force_in_parts_is_the_force(world, precision, dealias):
    """As formulas whose factors in time are found, as formulas in whole, and as a script's function."""

    def run(forces: list, by_script=None):
        case = Case(
            grid={"points": [16, 12, 14], "dealias": dealias},
            flow={"viscosity": 0.05},
            time={"scheme": "ab2", "dt": 0.02, "steps": 100},
            initial=RANDOM,
            forcing=forces,
            run={"threads": 1, "device": devices.current(), "precision": precision},
        )
        with Simulation(case, forcing=by_script, comm=world) as simulation:
            advanced(simulation, 5)
            [(power, work)] = by_force(simulation.case, simulation.flow.work_of_sources()).values()
            return simulation.gather("velocity"), power, work

    limit = 1e-12 if precision == "double" else 2e-5
    wanted, power, work = run([], script)
    for value in (IN_PARTS, WHOLE):
        found, own_power, own_work = run([steady(*value)])
        if world.rank == 0:
            assert distance(found, wanted) < limit
        assert (own_power, own_work) == pytest.approx((power, work), rel=10 * limit)


def test_a_restart_goes_on_with_the_parts(tmp_path):
    """Also with as many sources as another formula has parts: the work of all goes on."""
    forced = {"viscosity": 0.05, "scheme": "ab2", "initial": RANDOM}
    whole = advanced(make(steady(*IN_PARTS), **forced), 6)
    output = {"checkpoint_every": "3 steps", "directory": str(tmp_path / "run")}
    first = advanced(make(steady(*IN_PARTS), **forced, output=output), 3)
    so_far = by_force(first.case, first.flow.work_of_sources())["steady"]
    first.close()
    for number, (value, sources) in enumerate([(WHOLE, 1), (("sin(y - t)", "cos(x)", "0"), 3)]):
        settings = [f"forcing.0.shape.value={list(value)}"]
        more = Simulation.restart(tmp_path / "run", tmp_path / f"{number}", settings=settings)
        found = more.flow.work_of_sources()
        assert len(found) == sources
        assert by_force(more.case, found)["steady"] == pytest.approx(so_far, rel=1e-14)
    again = advanced(Simulation.restart(tmp_path / "run"), 3)
    assert np.array_equal(again.velocity(), whole.velocity())
    assert again.flow.work_of_sources() == whole.flow.work_of_sources()


def test_a_factor_that_is_not_finite_is_told():
    flow = make(steady("sin(y)/(0.1 - t)", "0", "0"), viscosity=0.1, scheme="rk2", dt=0.05)
    with pytest.raises(CaseError, match=r"the force on the velocity is inf at t = 0\.1; it must be finite"):
        advanced(flow, 3)
