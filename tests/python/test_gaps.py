"""Tables that lost rows: a restart says so, and so do the tables ever after."""

import pytest
from support.build import needs
from support.ranks import on_ranks
from whorl.base.errors import CaseError, RunFault
from whorl.config.case import load_case
from whorl.output.spectra import read_spectra
from whorl.results.runs import open_run
from whorl.run.simulation import Simulation

pytestmark = needs("hdf5")


@pytest.fixture
def directory(tmp_path):
    with Simulation(case_in(tmp_path / "out")) as simulation:
        simulation.run(progress=False)
    return tmp_path / "out"


def case_in(directory):
    """Four steps, a row each."""
    every = ["output.series_every='1 steps'", "output.spectra_every='1 steps'"]
    quick = ["grid.points=8", "time.dt=0.01", "time.steps=4", "output.checkpoint_every='2 steps'"]
    every = [*every, "output.keep_checkpoints=9"]
    return load_case("abc", [*quick, *every]).updated(output={"directory": str(directory)})


def go_on(directory, step=None):
    """To two steps more; what the log says of it."""
    log = directory / "log.txt"
    before = len(log.read_text())
    steps = (step or 4) + 2
    with Simulation.restart(directory, step=step, settings=[f"time.steps={steps}"]) as simulation:
        simulation.run(progress=False)
    return log.read_text()[before:]


def cut(path, rows):
    """The header and the first rows of a series."""
    lines = path.read_text().splitlines(keepends=True)
    head = next(number for number, line in enumerate(lines) if not line.startswith("#")) + 1
    path.write_text("".join(lines[: head + rows]))


def test_a_table_that_is_whole_has_no_gap(directory):
    assert "gap" not in go_on(directory)
    results = open_run(directory)
    assert results.series["step"].values.tolist() == results.spectra["step"].values.tolist() == [*range(7)]
    assert "gaps" not in results.series.attrs
    assert "gaps" not in results.spectra.attrs


@pytest.mark.parametrize(("left", "lost"), [(0, 5), (2, 3), (None, 5)])
def test_rows_that_are_missing_are_told(directory, left, lost):
    series = directory / "series.csv"
    if left is None:
        series.unlink()
    else:
        cut(series, left)
    gap = f"{lost} of 5 rows up to step 4 were lost before a restart"
    assert f"warning: series.csv has a gap: {gap}." in go_on(directory)
    results = open_run(directory)
    assert results.series["step"].values.tolist() == [*range(left or 0), 5, 6]
    assert results.series.attrs["gaps"] == gap
    assert "gaps" not in results.spectra.attrs
    assert "gap" not in go_on(directory, step=6)
    assert open_run(directory).series.attrs["gaps"] == gap


def test_a_gap_that_is_met_twice_is_kept_once(directory):
    cut(directory / "series.csv", 2)
    go_on(directory)
    assert "has a gap" in go_on(directory, step=4)
    assert open_run(directory).series.attrs["gaps"].count("lost") == 1


def test_a_gap_goes_where_its_rows_are_made_anew(directory):
    """A restart from before it."""
    cut(directory / "series.csv", 3)
    assert "has a gap" in go_on(directory)
    assert "has a gap" not in go_on(directory, step=2)
    series = open_run(directory).series
    assert series["step"].values.tolist() == [0, 1, 2, 3, 4]
    assert "gaps" not in series.attrs


def test_a_table_that_is_none_is_named(directory):
    with pytest.raises(
        CaseError, match=r"no table is named serie; did you mean series\? Tables: series, spectra"
    ):
        open_run(directory).table("serie")
    (directory / "series.csv").unlink()
    with pytest.raises(CaseError, match=r"there is no .*series\.csv: output\.series_every says when"):
        open_run(directory).table("series")


@pytest.mark.parametrize("quantity", ["series", "spectra"])
def test_a_table_that_is_written_no_more_is_cut_all_the_same(directory, quantity):
    """Rows behind the checkpoint are of another future."""
    never = [f"output.{quantity}_every=never", "time.steps=3"]
    with Simulation.restart(directory, step=2, settings=never) as simulation:
        simulation.run(progress=False)
    assert open_run(directory).table(quantity)["step"].values.tolist() == [0, 1, 2]


def test_spectra_that_are_missing_are_told(directory):
    (directory / "spectra.h5").unlink()
    assert "warning: spectra.h5 has a gap: 5 of 5 rows up to step 4" in go_on(directory)
    assert read_spectra(directory / "spectra.h5")["step"].values.tolist() == [5, 6]
    assert "5 of 5" in read_spectra(directory / "spectra.h5").attrs["gaps"]


def test_rows_are_on_disk_before_a_checkpoint(directory, monkeypatch):
    """Else a power failure could leave a checkpoint ahead of the table."""
    events = []
    with Simulation.restart(directory, settings=["time.steps=6"]) as simulation:
        recorder = simulation._recorder
        series = recorder.tables["series"]
        synchronise, put = series.synchronise, series.put
        monkeypatch.setattr(series, "put", lambda: (put(), events.append(series.rows[-1]["step"])))
        monkeypatch.setattr(series, "synchronise", lambda: (synchronise(), events.append("disk")))
        monkeypatch.setattr(recorder.directory, "prune", lambda keep: events.append("checkpoint"))
        simulation.run(progress=False)
    assert events == [5, 6, "disk", "checkpoint"]


@on_ranks(3)
@pytest.mark.parametrize("table", ["series", "spectra"])
def test_a_row_that_cannot_be_written_ends_all_ranks_in_words(world, tmp_path, table):
    """Rank 0 alone writes; the others say the same rather than wait for it."""
    directory = world.bcast(tmp_path / "run")
    run = Simulation(case_in(directory), comm=world)
    run.step()
    recorded = run._recorder.tables[table]
    if world.rank == 0:
        recorded.path = tmp_path / "gone" / recorded.path.name
    with pytest.raises(RunFault, match=r"gone.*No such file|No such file.*gone") as caught:
        run.run(progress=False)
    assert len(set(world.allgather(str(caught.value)))) == 1
    run.close()
