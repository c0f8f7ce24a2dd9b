"""What projection and truncation take from given fields and forces: told, or refused where all is lost."""

import re

import numpy as np
import pytest
from mpi4py import MPI
from support.ranks import on_ranks
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.run.simulation import Simulation

N = 16
DIVERGENT, CUT = "its divergent part", "waves that the grid does not keep"
PLANE = {"flow": {"model": "navier-stokes-2d", "viscosity": 0.1}, "grid": {"points": [N, N, 1]}}
WAVE = {"initial": {"name": "formula", "value": ["0", "cos(x)", "0"]}}


def case_of(**sections):
    usual = {"grid": {"points": N}, "flow": {"viscosity": 0.1}, "time": {"dt": 0.01, "steps": 1}}
    return Case(**usual | sections)


def formula(*value):
    return {"name": "formula", "value": list(value)}


def pushed(*value, **options):
    return WAVE | {"forcing": [{"kind": "steady", "shape": formula(*value), **options}]}


def warnings(case, given=None, **options):
    return Simulation(case, given, **options)._notices.warnings


def noise(*shape):
    return np.random.default_rng(0).standard_normal(shape)


def kept_shares(values):
    """Of an array (3, N, N, N): the shares that truncation leaves, and that projection leaves of these."""
    modes = np.fft.fftn(values, axes=(1, 2, 3))
    k = np.array(np.meshgrid(*[np.fft.fftfreq(N, 1 / N)] * 3, indexing="ij"))[::-1]
    modes *= np.abs(k).max(axis=0) <= N // 3
    square = (k**2).sum(axis=0)
    square[0, 0, 0] = 1
    parts = modes - k * (k * modes).sum(axis=0) / square
    return [(np.abs(one) ** 2).sum() / N**3 / (values**2).sum() for one in (modes, parts)]


LOST = {
    "a gradient": ({"initial": formula("sin(x)", "0", "0")}, "initial velocity", DIVERGENT),
    "a short wave": ({"initial": formula("0", "cos(8*x)", "0")}, "initial velocity", CUT),
    "a wave by name": ({"initial": {"name": "kolmogorov", "k_f": 6}}, "initial velocity", CUT),
    "a plane gradient": (
        PLANE | {"initial": formula("sin(x)", "0", "0")},
        "initial velocity",
        f"{DIVERGENT} and {CUT}",
    ),
    "a scalar": (
        WAVE | {"scalars": [{"name": "dye", "initial": formula("cos(7*y)")}]},
        "initial dye",
        CUT,
    ),
    "a gradient force": (pushed("sin(x)", "0", "0"), "force on the velocity", DIVERGENT),
    "a factor in time": (pushed("sin(x)*cos(t)", "0", "0"), "force on the velocity", DIVERGENT),
    "a small force": (pushed("0", "1e-9*cos(7*x)", "0", amplitude=1e-9), "force on the velocity", CUT),
}


@pytest.mark.parametrize(("sections", "called", "where"), LOST.values(), ids=LOST)
def test_what_would_lose_all_is_refused(sections, called, where):
    with pytest.raises(CaseError) as refused:
        Simulation(case_of(**sections))
    told = f"the {called} loses 100 % of its mean square, all of that in {where}: nothing would be left"
    assert told in str(refused.value)


HALF = {
    "a gradient": ({"initial": formula("sin(x)", "0", "sin(x)")}, "initial velocity", DIVERGENT),
    "a short wave": ({"initial": formula("0", "cos(x) + cos(7*x)", "0")}, "initial velocity", CUT),
    "a magnetic field": (
        {
            "flow": {"model": "mhd", "viscosity": 0.1},
            "initial": {"name": "abc", "magnetic": formula("sin(x)", "cos(x)", "0")},
        },
        "initial magnetic",
        DIVERGENT,
    ),
    "a force": (pushed("sin(x)", "cos(x)", "0", amplitude=1e-3), "force on the velocity", DIVERGENT),
    "a plane force": (
        PLANE | pushed("sin(x)", "cos(x)", "0"),
        "force on the velocity",
        f"{DIVERGENT} and {CUT}",
    ),
}


@pytest.mark.parametrize(("sections", "called", "where"), HALF.values(), ids=HALF)
def test_what_is_lost_in_part_is_told(sections, called, where):
    told = f"the {called} loses 50 % of its mean square, all of that in {where}."
    assert warnings(case_of(**sections)) == [told]


# A part is nothing, or a moment, of a force that has another one.
PARTS = {
    "a turning gradient": (pushed("sin(x)*cos(t)", "sin(x)*sin(t)", "0"), "part 1 of the force"),
    "at first a gradient": (pushed("sin(x - exp(t*y))", "0", "0"), "force"),
}


@pytest.mark.parametrize(("sections", "called"), PARTS.values(), ids=PARTS)
def test_a_part_that_is_lost_whole_is_told(sections, called):
    told = f"the {called} on the velocity loses 100 % of its mean square, all of that in {DIVERGENT}."
    assert warnings(case_of(**sections)) == [told]


def test_a_script_that_begins_as_a_gradient_is_told():
    def turning(x, y, z, t):
        return np.sin(x) * np.cos(t) + 0 * (y + z), np.sin(x) * np.sin(t) + 0 * (y + z), 0 * (x + y + z)

    assert "loses 100 %" in warnings(case_of(**WAVE), forcing=turning)[0]


@pytest.mark.parametrize("precision", ["double", "single"])
def test_both_parts_of_noise_are_told(precision):
    """By discrete Fourier transforms of NumPy."""
    values = noise(3, N, N, N)
    in_grid, left = kept_shares(values)
    simulation = Simulation(case_of(run={"precision": precision}), values)
    assert simulation.statistics()["energy"] == pytest.approx(left * (values**2).sum() / N**3 / 2, rel=1e-5)
    [told] = simulation._notices.warnings
    shares = [float(one) / 100 for one in re.findall(r"([\d.]+) %", told)]
    assert shares == pytest.approx([1 - left, in_grid - left, 1 - in_grid], abs=6e-4)
    [told] = warnings(case_of(**WAVE), forcing=values)
    assert [float(one) / 100 for one in re.findall(r"([\d.]+) %", told)] == pytest.approx(shares, abs=6e-4)


SMOOTH = {
    "all of it": formula("1 + sin(y)", "cos(5*x)", "sin(5*y)*cos(5*x)"),
    "an exponential": formula("0", "exp(sin(x))", "0"),
    "a layer": formula("tanh(3*sin(y))", "0", "0"),
    "nothing": {"name": "zero"},
}


@pytest.mark.parametrize("initial", SMOOTH.values(), ids=SMOOTH)
def test_what_is_kept_but_for_a_hundredth_is_not_told(initial):
    assert warnings(case_of(initial=initial)) == []
    if initial["name"] == "formula":
        shape = {"kind": "steady", "shape": initial}
        assert warnings(case_of(**WAVE, forcing=[shape])) == []


def test_functions_and_files_are_told_alike(tmp_path):
    told = ["the initial velocity loses 50 % of its mean square, all of that in its divergent part."]

    def both(x, y, z):
        return np.sin(x) + 0 * y + 0 * z, np.cos(x), 0.0

    assert warnings(case_of(), both) == told
    x = np.broadcast_to(np.arange(N) * 2 * np.pi / N, (N, N, N))
    np.savez(tmp_path / "both.npz", u=np.sin(x), v=np.cos(x), w=0 * x)
    by_file = {"name": "from-file", "path": str(tmp_path / "both.npz")}
    assert warnings(case_of(initial=by_file)) == told
    of_force = [told[0].replace("initial", "force on the")]
    still = WAVE | {"forcing": [{"kind": "steady", "shape": by_file}]}
    assert warnings(case_of(**still)) == of_force
    assert warnings(case_of(**WAVE), forcing=both) == of_force
    assert warnings(case_of(**WAVE), forcing=lambda x, y, z, t: both(x - t, y, z)) == of_force


def test_a_force_leaves_no_trace_in_the_state():
    forces = [
        {"kind": "steady", "name": name, "shape": formula(f"sin(x) + {a}*sin(y)", "0", "0")}
        for name, a in (("weak", 1.0), ("strong", 3.0))
    ]
    simulation = Simulation(case_of(initial={"name": "zero"}, forcing=forces))
    assert simulation._notices.warnings == [
        "the force weak on the velocity loses 50 % of its mean square, all of that in its divergent part.",
        "the force strong on the velocity loses 10 % of its mean square, all of that in its divergent part.",
    ]
    assert simulation.statistics()["energy"] == 0
    simulation.step()  # du/dt = 4 sin y
    assert simulation.maximum("velocity") == pytest.approx(0.04, rel=2e-3)


def test_a_field_that_is_set_on_the_way_is_told(tmp_path):
    case = case_of(initial={"name": "abc"}, output={"directory": str(tmp_path / "run")})
    with Simulation(case) as simulation:
        simulation.set_field("velocity", lambda x, y, z: (np.sin(x) + 0 * y + 0 * z, np.cos(x), 0.0))
        log = (tmp_path / "run" / "log.txt").read_text(encoding="utf-8")
        assert "warning: the initial velocity loses 50 % of its mean square" in log
        with pytest.raises(CaseError, match="loses 100 % of its mean square"):
            simulation.set_field("velocity", lambda x, y, z: (np.sin(x) + 0 * y + 0 * z, 0.0, 0.0))


@on_ranks(2, 3)
def test_ranks_tell_the_same(world):
    values = noise(3, N, N, N)
    case = case_of(run={"threads": 1})
    assert warnings(case, values, comm=world) == warnings(case, values, comm=MPI.COMM_SELF)
    with pytest.raises(CaseError, match="force on the velocity loses 100 %"):
        Simulation(case_of(**pushed("sin(z)*0", "sin(y)", "0"), run={"threads": 1}), comm=world)
