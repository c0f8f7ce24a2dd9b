"""Functions of rows that a C compiler makes of equations equal the tables, which stand in for them."""

import ctypes
import re
import shutil
import stat
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest
from support import devices
from support.ranks import on_ranks
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.config.schemes import SCHEMES
from whorl.equations import row_code
from whorl.equations.c_source import FORMULAS, source_of
from whorl.equations.compile import compiled
from whorl.equations.complete import CompletePlan, completed
from whorl.equations.plan import PointProgram
from whorl.equations.text import Declarations
from whorl.expressions.operations import OPERATIONS
from whorl.run import compiled_rows
from whorl.run.compiled_rows import compile_rows
from whorl.run.simulation import Simulation

try:
    row_code.compiler()
except row_code.NoCode as none:
    pytest.skip(str(none), allow_module_level=True)

if devices.missing("cuda") is None and not find_spec("cuda.bindings"):
    pytest.skip("cuda-bindings is not there", allow_module_level=True)

pytestmark = pytest.mark.every_device

ALONE = MPI.COMM_SELF
NOISE = {"name": "random", "k0": 2.0, "energy": 0.3, "seed": 2}
NS = ({"u": "velocity"}, ["dt(u) = -advect(u, u) + nu*lap(u)"], {"nu": 0.02})
STRATIFIED = (
    {"u": "velocity", "b": "scalar"},
    ["dt(u) = -advect(u, u) - N*b*ez + nu*lap(u)", "dt(b) = -dot(u, grad(b)) + N*dot(u, ez) + nu*lap(b)"],
    {"nu": 0.02, "N": 1.7},
)
MHD = (
    {"u": "velocity", "b": "velocity"},
    ["dt(u) = -advect(u, u) + cross(curl(b), b) + nu*lap(u)", "dt(b) = curl(cross(u, b)) + nu*lap(b)"],
    {"nu": 0.02},
)
CONDENSATE = (
    {"psi": "complex"},
    ["dt(psi) = i*(a*lap(psi) - g*(abs(psi)**2 - 1)*psi)"],
    {"a": 0.7, "g": 2.0},
)
# Terms of every kind: radial factors, high orders, an inverse, numbers of the time and of means, functions.
ODDS = (
    {"u": "velocity", "s": "scalar", "c": "scalar"},
    [
        "dt(u) = -advect(helmholtz(u, 0.3), u) + gauss(s, 0.2)*ex + nu*lap(u)",
        "dt(s) = -dot(u, grad(s)) + 0.01*sin(s)*x*(2*pi - x)*(2 + cos(y)*sin(2*z)) + cos(t)*dx(c) "
        "- 1e-4*lap(lap(s))",
        "dt(c) = dy(inv_lap(s**2)) - 0.1*dx(dx(dx(c))) - mean(s*c)*c - 0.02*abs_k(c, 1.5)",
    ],
    {"nu": 0.02},
)
EVERY = {"navier-stokes": NS, "stratified": STRATIFIED, "mhd": MHD, "condensate": CONDENSATE, "odds": ODDS}


def sections(name, points=(16, 12, 10), rows="always", precision="double", **further):
    fields, equations, parameters = EVERY[name]
    flow = {"model": "equations", "fields": fields, "equations": equations, "parameters": parameters}
    flow |= further.pop("flow", {})
    grid = {"points": list(points)} | further.pop("grid", {})
    return {
        "grid": grid,
        "flow": flow,
        "initial": NOISE | dict.fromkeys(list(fields)[1:], NOISE),
        "time": {"scheme": "rk3", "dt": 0.01, "steps": 8},
        "run": {"compile": rows, "precision": precision, "threads": 1, "device": devices.current()},
    } | further


def final(case: dict, comm=ALONE) -> dict[str, np.ndarray]:
    """The fields after all steps."""
    with Simulation(Case(**case), comm=comm) as simulation:
        simulation.run(progress=False)
        assert simulation.flow.options.equations.compiled == (case["run"]["compile"] == "always")
        return {name: simulation.field(name) for name in simulation.case.flow.state}


def assert_alike(found, expected, precision="double"):
    for name, field in expected.items():
        limit = {"double": 1e-12, "single": 2e-5}[precision] * np.abs(field).max()
        assert np.abs(found[name] - field).max() <= limit, name


def compare(name, comm=ALONE, precision="double", **further):
    one, other = (
        final(sections(name, rows=rows, precision=precision, **further), comm) for rows in ("always", "never")
    )
    if comm.rank == 0:
        assert_alike(one, other, precision)


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("name", EVERY)
def test_they_give_what_the_tables_give(name, precision):
    rate = {"flow": {"rate": "1", "linear": "explicit"}} if name == "odds" else {}
    dealias = "1/2" if name in ("condensate", "odds") else "2/3"
    compare(name, precision=precision, grid={"dealias": dealias}, **rate)


@pytest.mark.parametrize("linear", ["exact", "explicit"])
@pytest.mark.parametrize("bases", ["FFF", "SFF", "SSS"])
@on_ranks(1, 2, 6)
def test_they_work_between_walls_and_on_ranks(world, bases, linear):
    """Between walls in x products are real on their way back: there the tables of fluxes are read."""
    compare(
        "stratified",
        world,
        grid={"bases": bases},
        flow={"linear": linear, "sines": {"b": "z"} if bases != "FFF" else {}},
    )


@pytest.mark.turns
@pytest.mark.parametrize("dealias", ["2/3", "phase-shift", "phase-shift-exact"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_they_serve_every_scheme(scheme, dealias):
    time = {"scheme": scheme, "dt": 0.01, "steps": 5}
    compare("stratified", grid={"dealias": dealias}, time=time, flow={"linear": "explicit"})


def test_they_bound_a_step():
    time = {"scheme": "rk3", "courant": 0.7, "until": 0.3}
    compare("mhd", time=time)


@pytest.mark.parametrize("points", [[64, 1, 1], [20, 18, 1]])
def test_they_work_in_lines_and_planes(points):
    EVERY["swift-hohenberg"] = (
        {"u": "scalar"},
        ["dt(u) = r*u - (u + 2*lap(u) + lap(lap(u))) - u**3"],
        {"r": 0.3},
    )
    try:
        compare("swift-hohenberg", points=points, grid={"dealias": "1/2"})
    finally:
        del EVERY["swift-hohenberg"]


# Formulas


class Row(ctypes.Structure):
    """The structure of a row of points (core/equations/row_code.hpp)."""

    _fields_ = (
        ("length", ctypes.c_longlong),
        ("kx", ctypes.c_void_p),
        ("ky", ctypes.c_double),
        ("kz", ctypes.c_double),
        ("from_", ctypes.c_void_p),
        ("from_stride", ctypes.c_longlong),
        ("to", ctypes.c_void_p),
        ("to_stride", ctypes.c_longlong),
        ("state", ctypes.c_void_p),
        ("state_stride", ctypes.c_longlong),
        ("numbers", ctypes.c_void_p),
        ("positions", ctypes.c_void_p * 3),
        ("bounds", ctypes.c_void_p),
        ("bounds_stride", ctypes.c_longlong),
    )


@pytest.mark.only_cpu
def test_every_operation_has_its_formula():
    """Compiled, each gives what NumPy gives, also of NaN, infinities and zeros."""
    assert FORMULAS.keys() == OPERATIONS.keys()
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0]
    values = np.random.default_rng(3).uniform(-3, 3, (4, 200))
    values[0, :49], values[1, :49] = np.repeat(special, 7), np.tile(special, 7)
    instructions = [(name, tuple(range(of.arguments))) for name, of in OPERATIONS.items()]
    results = [*range(7, 7 + len(instructions)), 7, 7]
    program = PointProgram(4, (), tuple(instructions), tuple(results))
    found = np.empty((len(instructions), 200))
    call_work(program, values, found)
    with np.errstate(all="ignore"):
        for (name, operands), one in zip(instructions, found, strict=True):
            expected = OPERATIONS[name].function(*values[list(operands)])
            np.testing.assert_allclose(one, expected, rtol=1e-14, atol=1e-15, err_msg=name)


def with_point(program: PointProgram) -> CompletePlan:
    """A plan with this program."""
    plan = completed(compiled(Declarations({"u": "scalar"}, ("dt(u) = lap(u)",), {}, 3)))
    return replace(plan, plan=replace(plan.plan, point=program))


def call_work(program: PointProgram, values: np.ndarray, found: np.ndarray) -> None:
    source = source_of(with_point(program), double=True)
    address = row_code.loaded(row_code.compiled(source, ""), source)["work"]
    row = Row(length=values.shape[1], from_=values.ctypes.data, from_stride=values.shape[1])
    row.to, row.to_stride = found.ctypes.data, found.shape[1]
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)(ctypes.addressof(row))


@pytest.mark.only_cpu
def test_bands_and_averages_leave_a_function_out():
    """The tables have them; what else there is is compiled."""
    text = "dt(u) = -filter(u, 0, 3)*dx(u) + nu*lap(u)"
    plan = compiled(Declarations({"u": "scalar"}, (text,), {"nu": 0.1}, 3))
    assert source_of(completed(plan), double=True).functions == ("work", "contract", "tendency")


# When they are made


@pytest.mark.only_cpu
def test_small_grids_read_tables_unless_they_are_asked_for(monkeypatch):
    monkeypatch.setattr(compiled_rows, "KNOWN", {})
    line = {n: compile_rows(Case(**sections("navier-stokes", [n, 64, 64], "auto")), ALONE) for n in (60, 64)}
    assert line[60] == ""
    assert "compiled by" in line[64]
    assert "compiled before" in compile_rows(Case(**sections("navier-stokes", [64, 64, 64])), ALONE)
    assert compile_rows(Case(**sections("navier-stokes", rows="never")), ALONE) == ""
    assert compile_rows(Case(grid={"points": 64}, flow={"viscosity": 0.1}, time={"until": 1}), ALONE) == ""


def script(tmp_path, body: str) -> str:
    path = tmp_path / "cc"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


FAILURES = {
    "absent": (None, "does not start"),
    "fails": (
        "cat > /dev/null; echo 'rows.c:1: error: no' >&2; exit 3",
        r"failed \(exit 3\): rows.c:1: error: no",
    ),
    "writes nothing": ("cat > /dev/null", "wrote nothing"),
    "writes no library": (
        "cat > /dev/null; for one; do case \"$last\" in -o) echo text > \"$one\";; esac; last=$one; done",
        "cannot be loaded",
    ),
    "hangs": ("sleep 100 & wait", "took longer than 0.5 s"),
    "of another interface": (
        "cat > /dev/null; for one; do case \"$last\" in -o) out=$one;; esac; last=$one; done\n"
        "for name in load work contract tendency; do echo \"void whorl_$name(void) {}\"; done > \"$out.c\"\n"
        "echo 'unsigned whorl_key = 1;' >> \"$out.c\"; CC= exec REAL -shared -fPIC \"$out.c\" -o \"$out\"",
        "is of other equations",
    ),
}  # fmt: skip


@pytest.mark.only_cpu
@pytest.mark.parametrize("how", FAILURES)
def test_any_failure_reads_the_tables_and_says_so(tmp_path, monkeypatch, how):
    body, reason = FAILURES[how]
    real = row_code.compiler()[0]
    monkeypatch.setenv("CC", "/nowhere/cc" if body is None else script(tmp_path, body.replace("REAL", real)))
    monkeypatch.setattr(row_code, "PATIENCE", 0.5 if how == "hangs" else 60.0)
    monkeypatch.setattr(compiled_rows, "KNOWN", {})
    case = sections("navier-stokes", output={"directory": str(tmp_path / "out")})
    with Simulation(Case(**case)) as simulation:
        assert not simulation.flow.options.equations.compiled
        simulation.step()
    log = (tmp_path / "out" / "log.txt").read_text()
    assert (
        len(
            lines := [
                line for line in log.splitlines() if "rows of equations: tables are read, since" in line
            ]
        )
        == 1
    )
    assert re.search(reason, lines[0]), lines


@pytest.mark.only_cpu
def test_no_compiler_is_no_failure(monkeypatch):
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(compiled_rows, "KNOWN", {})
    case = Case(**sections("navier-stokes"))
    assert "tables are read, since this machine has no C compiler" in compile_rows(case, ALONE)


@pytest.mark.only_cpu
@on_ranks(3)
def test_a_rank_that_cannot_load_them_makes_all_read_the_tables(world, monkeypatch):
    def refused(*_):
        raise row_code.NoCode("its memory is not for code")

    monkeypatch.setattr(compiled_rows, "KNOWN", {})
    if world.rank == 1:
        monkeypatch.setattr(compiled_rows, "loaded", refused)
    case = Case(**sections("navier-stokes"))
    assert compile_rows(case, world) == "rows of equations: tables are read, since its memory is not for code"
    with Simulation(case, comm=world) as simulation:
        assert not simulation.flow.options.equations.compiled


def test_a_restart_repeats_bits_or_says_why_not(tmp_path):
    whole = sections(
        "mhd", time={"scheme": "rk3", "dt": 0.01, "steps": 6}, output={"directory": str(tmp_path / "whole")}
    )
    half = whole | {
        "time": whole["time"] | {"steps": 3},
        "output": {"directory": str(tmp_path / "half"), "checkpoint_every": "3 steps"},
    }
    expected = final(whole)
    with Simulation(Case(**half)) as simulation:
        simulation.run(progress=False)
    for rows, alike in (("never", False), ("always", True)):
        settings = ["time.steps=6", f"run.compile={rows}"]
        into = shutil.copytree(tmp_path / "half", tmp_path / rows)
        with Simulation.restart(into, settings=settings) as again:
            again.run(progress=False)
            found = {name: again.field(name) for name in expected}
        same = all(np.array_equal(found[name], expected[name]) for name in expected)
        told = (
            "worked out its equations by compiled rows, and goes on by tabulated"
            in (into / "log.txt").read_text()
        )
        assert (same, told) == (alike, not alike)
        assert_alike(found, expected)
