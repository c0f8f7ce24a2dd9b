"""What whorl gives can be sent to other processes, or says in a sentence that it cannot."""

import copy
import pickle
import types
from pathlib import Path

import pytest
import whorl
from support.build import needs
from whorl.base.ranks import MPI
from whorl.results.runs import RunResults
from whorl.run.simulation import Simulation

CASE = {
    "grid": {"points": 8},
    "flow": {"viscosity": 0.1},
    "time": {"dt": 0.1, "steps": 60},
    "initial": {"name": "abc"},
    "run": {"threads": 1},
}
ERRORS = {
    "BlowUp": [
        whorl.BlowUp(1.0, 2, "x"),
        whorl.BlowUp(1.0, 2, "x", Path("run/checkpoints/1.h5"), viscous=False, particles="some"),
    ],
    "CaseError": [whorl.CaseError("grid.points = 7\nis odd"), whorl.CaseError("long " * 4000)],
    "RunFault": [whorl.RunFault("the disk is full")],
}
NO_PICKLES = {"Simulation"}
TESTED_WITH_A_RUN = {"Case", "open_run", "open_runs"}


def sent(value):
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("name", whorl.__all__)
def test_public_names_are_sent_as_themselves(name):
    """And each of them is a function, a text, or has values in a test here."""
    value = getattr(whorl, name)
    assert sent(value) == value
    assert isinstance(value, str | types.FunctionType) or name in {*ERRORS, *NO_PICKLES, *TESTED_WITH_A_RUN}


@pytest.mark.parametrize(
    "error", [one for some in ERRORS.values() for one in some], ids=lambda e: type(e).__name__
)
def test_an_error_is_the_same_elsewhere(error):
    error.add_note("a note")
    found = sent(error)
    assert type(found) is type(error)
    assert str(found) == str(error)
    assert vars(found) == vars(error)
    assert str(copy.copy(error)) == str(error)


def test_an_error_of_an_expression_is_the_same_elsewhere():
    with pytest.raises(whorl.CaseError) as refused:
        whorl.Case(**CASE | {"output": {"columns": {"a": "mean(crul(u))"}}})
    found = sent(refused.value)
    assert type(found) is type(refused.value)
    assert str(found) == str(refused.value)


@needs("hdf5")
def test_results_are_the_same_elsewhere(tmp_path):
    case = whorl.Case(
        **CASE,
        output={"directory": str(tmp_path / "run"), "series_every": "1 steps", "snapshot_every": "30 steps"},
        diagnostics=[{"kind": "profile", "of": "u.x", "every": "2 steps"}],
        probes=[{"kind": "points", "of": ["u"], "positions": [[0.0, 0.0, 0.0]]}],
        particles=[{"kind": "tracer", "count": 20, "every": "5 steps"}],
    )
    assert sent(case) == case
    simulation = Simulation(case, comm=MPI.COMM_SELF)
    simulation.run(progress=False)
    for name in ("series", "spectra"):
        assert sent(getattr(simulation, name)).identical(getattr(simulation, name))
    for name in ("diagnostics", "probes", "paths"):
        found = getattr(simulation, name)
        assert found.keys() == sent(found).keys()
    run = whorl.open_run(tmp_path / "run")
    found = sent(run)
    assert isinstance(found, RunResults)
    assert found.series.identical(run.series)
    assert str(sent(run.average())) == str(run.average())
    assert str(sent(run.mean_diagnostics())) == str(run.mean_diagnostics())
    assert str(sent(whorl.open_runs(tmp_path / "run"))) == str(whorl.open_runs(tmp_path / "run"))


def test_a_simulation_says_what_to_send_instead():
    simulation = Simulation(whorl.Case(**CASE), comm=MPI.COMM_SELF)
    particles = simulation.particles(lattice=(2, 2, 2))
    for value, word in (
        (simulation, "the directory, which open_run reads"),
        (particles, "their positions()"),
    ):
        for send in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="cannot be pickled, nor sent to another process") as refused:
                send(value)
            assert word in str(refused.value)
