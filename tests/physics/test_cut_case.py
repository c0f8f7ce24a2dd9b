"""A run whose case.toml was cut goes on with the case of its checkpoint, and says so."""

import pytest
from support.build import needs
from whorl.base.errors import CaseError
from whorl.base.ranks import MPI
from whorl.base.toml import END
from whorl.config.case import Case, load_case
from whorl.output.directory import RunDirectory
from whorl.results.runs import open_run
from whorl.run.simulation import Simulation

pytestmark = needs("hdf5")

TOLD = "was cut, so the case is that of the newest checkpoint"


@pytest.fixture
def run(tmp_path):
    case = Case(
        grid={"points": 8},
        flow={"viscosity": 0.1},
        time={"dt": 0.1, "steps": 4},
        initial={"name": "abc"},
        forcing=[{"kind": "linear", "rate": 0.01}],
        diagnostics=[{"kind": "profile", "of": "u.x", "every": "2 steps"}],
        output={
            "directory": str(tmp_path / "run"),
            "series_every": "1 steps",
            "spectra_every": "never",
            "keep_checkpoints": 4,
        },
        run={"threads": 1},
    )
    with Simulation(case, comm=MPI.COMM_SELF) as simulation:
        simulation.run(progress=False)
    return RunDirectory(tmp_path / "run")


def cut(run: RunDirectory, length: int) -> None:
    run.case_file.write_bytes(run.case_file.read_bytes()[:length])


def places(run: RunDirectory) -> list[int]:
    """Cuts in the head, before sections, within them, and before the end."""
    whole = run.case_file.read_bytes()
    words = (
        b"restart",
        b"\n[grid]",
        b"rate",
        b"\n[output]",
        b"series_every",
        b"keep_checkpoints",
        b"\n[run]",
    )
    return [0, 1, *(whole.index(word) for word in words), len(whole) - len(END) - 1, len(whole) - 2]


def test_the_case_is_that_of_the_checkpoint(run):
    whole, case = run.case_file.read_bytes(), run.read_case()
    assert run.remarks() == []
    for length in (*places(run), *range(7, len(whole) - 2, len(whole) // 12)):
        run.case_file.write_bytes(whole[:length])
        assert run.read_case() == case, whole[:length][-80:]
        assert TOLD in run.remarks()[0]


@pytest.mark.parametrize("place", ["\n[output]", "keep_checkpoints", "\n[time]"])
def test_a_restart_goes_on_with_it_and_says_so(run, place):
    whole = run.case_file.read_text()
    cut(run, len(whole[: whole.index(place)].encode()))
    with Simulation.restart(run.path, settings=["time.steps=6"], comm=MPI.COMM_SELF) as again:
        again.run(progress=False)
        assert again.case.output.keep_checkpoints == 4
    assert list(open_run(run.path).series["step"].values) == list(range(7))
    assert f"warning: {run.case_file} {TOLD}" in run.log.read_text()
    assert run.case_file.read_text() == whole.replace("steps = 4 ", "steps = 6 ")


def test_a_run_beside_it_has_the_whole_case(run, tmp_path):
    cut(run, run.case_file.read_bytes().index(b"\n[output]"))
    beside = Simulation.restart(run.path, tmp_path / "beside", settings=["time.steps=6"], comm=MPI.COMM_SELF)
    assert beside.case.output.keep_checkpoints == 4
    assert TOLD in (tmp_path / "beside" / "log.txt").read_text()


def test_without_a_checkpoint_it_is_refused(run):
    cut(run, run.case_file.read_bytes().index(b"\n[output]"))
    for path in run.checkpoints():
        path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(CaseError, match=r"case\.toml was cut, and no checkpoint has the case"):
        open_run(run.path)


def test_a_new_run_is_not_begun_from_a_cut_one(run):
    assert load_case(run.case_file) == run.read_case()
    cut(run, run.case_file.read_bytes().index(b"\n[output]"))
    with pytest.raises(CaseError, match="it was cut: its last line"):
        load_case(run.case_file)


def test_lines_behind_the_end_count(run):
    with run.case_file.open("a") as file:
        file.write("[[probes]]\nkind = 'points'\nof = ['u']\npositions = [[0.0, 0.0, 0.0]]\n")
    assert len(run.read_case().probes) == 1
