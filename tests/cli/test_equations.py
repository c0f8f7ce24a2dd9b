"""Cases of typed equations from the command line: runs, restarts, pictures, reports and refusals."""

import numpy as np
import pytest
from whorl.results.runs import open_run
from whorl.run.simulation import Simulation

BURGERS = """
[grid]
points = [64, 1, 1]

[flow]
model = "equations"
fields = {u = "scalar"}
equations = ["dt(u) = -u*dx(u) + nu*lap(u)"]
parameters = {nu = 0.05}

[time]
dt = 0.01
until = 0.4

[initial]
name = "formula"
value = "sin(x)"

[output]
directory = "run"
series_every = 0.1
snapshot_every = 0.2
checkpoint_every = 0.2
spectra_every = 0.2
"""


@pytest.fixture
def case(tmp_path):
    path = tmp_path / "burgers.toml"
    path.write_text(BURGERS)
    return path.name


@pytest.mark.long("a run, its picture and its report")
def test_a_run_on_a_line_has_a_picture_and_a_report(whorl, case, tmp_path):
    assert whorl("run", case).code == 0
    for command in ("plot", "report", "average"):
        result = whorl(command, "run")
        assert result.code == 0, result.err
    assert (tmp_path / "run" / "plot.png").stat().st_size > 20000
    assert "Graph of u over x" in (tmp_path / "run" / "report.html").read_text()


def test_a_restart_repeats_the_bits_and_may_have_other_numbers(whorl, case, tmp_path):
    for name, until in (("whole", "0.4"), ("half", "0.2")):
        assert whorl("run", case, "-o", name, "--set", f"time.until={until}").code == 0
    assert whorl("restart", "half", "--set", "time.until=0.4").code == 0
    whole, half = (open_run(tmp_path / name) for name in ("whole", "half"))
    assert (whole.series["u_energy"].values == half.series["u_energy"].values).all()
    further = ("--set", "time.until=0.5", "--set", "flow.parameters={nu = 0.1}")
    result = whorl("restart", "half", *further)
    assert result.code == 2
    assert "begin a new run from its checkpoint" in result.err
    result = whorl("restart", "half", "-o", "other", *further)
    assert result.code == 0, result.err
    other = open_run(tmp_path / "other")
    assert other.case.flow.parameters == {"nu": 0.1}
    assert other.series["u_energy"].values[0] == half.series["u_energy"].values[-1]
    assert "the equations are others" not in (tmp_path / "other" / "log.txt").read_text()
    damped = 'flow.equations=["dt(u) = -u*dx(u) + nu*lap(u) - u"]'
    assert whorl("restart", "half", "-o", "damped", "--set", "time.until=0.5", "--set", damped).code == 0
    log = " ".join((tmp_path / "damped" / "log.txt").read_text().split())
    assert "the equations are others than those of the checkpoint: dt(u) = -u*dx(u) + nu*lap(u)" in log


def test_the_plan_is_told_before_a_run(whorl, case):
    result = whorl("models", "--equations", case)
    assert result.code == 0
    words = " ".join(result.out.split())
    assert "dt(u) = -u*dx(u) + nu*lap(u)" in words
    assert "1 input, 1 product" in words
    assert "2/3 of the modes are kept" in words


def test_the_plan_of_a_compiled_model_is_refused(whorl):
    result = whorl("models", "--equations", "taylor-green")
    assert result.code == 2
    assert "--equations shows equations that are typed" in result.err


WRONG = {
    'equations=["dt(u) = -u*dx(w) + nu*lap(u)"]': '"w" is not known',
    'equations=["dt(u) = -nu*lap(u)"]': "grows as |k|^2",
    'equations=["dt(u) = nu*exp(u)"]': "is missing",
    'equations=["dt(u) = lap(u)"]': "the parameter nu is not used",
    'fields={u = "scaler"}': "did you mean scalar",
    'fields={u = "velocity"}': "this kind needs 3; use plane velocity",
    'sines={u = "q"}': "letters such as",
}


@pytest.mark.parametrize("setting", WRONG)
def test_wrong_equations_are_refused_in_a_paragraph(whorl, case, setting):
    result = whorl("run", case, "--set", f"flow.{setting}")
    assert result.code == 2
    assert WRONG[setting] in result.err
    assert "Traceback" not in result.err


@pytest.mark.parametrize("name", ["time", "VTKHDF"])
def test_names_that_files_use_are_refused(whorl, case, name):
    field = f'flow.fields={{{name} = "scalar"}}'
    equation = f'flow.equations=["dt({name}) = -{name}*dx({name}) + nu*lap({name})"]'
    result = whorl("run", case, "--set", field, "--set", equation)
    assert result.code == 2
    assert f"the name of a field is wrong ({name}): whorl's files use it themselves" in result.err


def test_too_many_modes_for_a_cubic_product_are_refused(whorl, case):
    cubic = 'flow.equations=["dt(u) = -u**2*dx(u) + nu*lap(u)"]'
    assert whorl("run", case, "--set", cubic).code == 0
    result = whorl("run", case, "-o", "other", "--set", cubic, "--set", "grid.dealias=2/3")
    assert result.code == 2
    assert "products are cubic, and at most 1/2 of the modes" in result.err


def test_a_transfer_of_a_checkpoint_is_that_of_its_time(whorl, case, tmp_path):
    moving = 'flow.equations=["dt(u) = cos(2*t)*u*u + nu*lap(u)"]'
    assert whorl("run", case, "--set", moving).code == 0
    simulation = Simulation.open(tmp_path / "run")
    found = simulation.flow.transfer()["u"]
    u = simulation.field("u")[0, 0, 0]
    simulation.close()
    modes, gain = (np.fft.rfft(of) / 64 for of in (u, np.cos(0.8) * u * u))
    expected = 2 * (np.conj(modes) * gain).real
    assert found[1:8] == pytest.approx(expected[1:8], rel=1e-6, abs=1e-12)


def test_a_velocity_does_not_begin_from_a_vector_with_a_divergence(whorl, case):
    plane = ("--set", "grid.points=[16, 16, 1]", "--set", 'initial.value=["sin(x)", "0"]')
    moved = 'flow.equations=["dt(u) = nu*lap(u)"]'
    assert whorl("run", case, *plane, "--set", moved, "--set", 'flow.fields={u = "vector"}').code == 0
    further = ("--set", "time.until=0.5", "--set", 'flow.fields={u = "plane velocity"}')
    result = whorl("restart", "run", "-o", "other", *further)
    assert result.code == 2
    assert "the checkpoint has a vector with a divergence" in result.err
