"""The output directory: what is refused, what may be removed, and which checkpoint a restart takes."""

import h5py
import pytest
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.output.directory import MARK, RunDirectory, read_clock
from whorl.output.states import choose_checkpoint, damaged, to_restart
from whorl.results.runs import open_run
from whorl.results.several_runs import open_runs


@pytest.fixture
def case():
    return Case(grid={"points": 8}, flow={"viscosity": 0.1}, time={"until": 1}, initial={"name": "abc"})


@pytest.fixture
def run(tmp_path, case):
    directory = RunDirectory(tmp_path / "run")
    directory.create(case)
    return directory


def add_checkpoint(run, step, **changes):
    clock = {"time": 0.1 * step, "compensation": 0.0, "step": step, "dt": 0.1}
    clock |= {"series_rows": 1, "spectra_rows": 1, "fields": "velocity"}
    attributes = clock | {"case": run.read_case().to_toml()} | changes
    with h5py.File(run.checkpoint_path(step), "w") as file:
        file.attrs.update({name: value for name, value in attributes.items() if value is not None})
        file["modes"] = [1.0] * 1000
    return run.checkpoint_path(step)


def contents(path):
    return {str(p.relative_to(path)): p.read_bytes() for p in path.rglob("*") if p.is_file()}


def test_a_link_that_leads_nowhere_is_refused(tmp_path, run):
    for name, target in (("loop", "loop"), ("round", "around"), ("around", "round"), ("gone", "nowhere")):
        (tmp_path / name).symlink_to(target)
    for name in ("loop", "round", "loop/in/it"):
        with pytest.raises(CaseError, match=f"{name} is or contains a link that leads back to itself"):
            RunDirectory(tmp_path / name).check_free(overwrite=True)
        with pytest.raises(CaseError, match="a link that leads back to itself"):
            RunDirectory(tmp_path / name).check_beside(run, overwrite=True)
        with pytest.raises(CaseError, match="a link that leads back to itself"):
            open_runs(run.path, tmp_path / name)
    with pytest.raises(CaseError, match="gone is a link to a place that does not exist; make it"):
        RunDirectory(tmp_path / "gone").check_free(overwrite=True)
    (tmp_path / "nowhere").mkdir()
    RunDirectory(tmp_path / "gone").check_free(overwrite=True)


def test_a_new_or_empty_directory_is_free(tmp_path):
    RunDirectory(tmp_path / "new").check_free(overwrite=False)
    RunDirectory(tmp_path).check_free(overwrite=False)
    assert not (tmp_path / "new").exists()


def test_a_run_is_refused_without_overwrite_and_offers_restart(run):
    with pytest.raises(CaseError, match=r"whorl restart .*run.*--overwrite"):
        run.check_free(overwrite=False)
    run.check_free(overwrite=True)


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_foreign_directory_is_never_taken(tmp_path, overwrite):
    (tmp_path / "thesis.tex").write_text("years of work")
    before = contents(tmp_path)
    with pytest.raises(CaseError, match="not made by whorl"):
        RunDirectory(tmp_path).check_free(overwrite)
    assert contents(tmp_path) == before


def test_a_file_in_the_way_is_named(tmp_path):
    (tmp_path / "out").write_text("")
    with pytest.raises(CaseError, match=r"out is a file"):
        RunDirectory(tmp_path / "out").check_free(overwrite=True)


def test_overwrite_removes_what_whorl_made_and_nothing_else(run, case):
    add_checkpoint(run, 3)
    add_checkpoint(run, 9)
    run.set_aside_later(3)
    run.snapshot_path(3).write_bytes(b"old")
    run.series.write_text("old")
    run.spectra.with_name("spectra.h5.part").write_text("torn")
    kept = {
        "notes.txt": b"mine",
        "checkpoints/mine.h5": b"mine",
        "snapshots/movie/frame.vtkhdf": b"mine",
    }
    for name, content in kept.items():
        (run.path / name).parent.mkdir(exist_ok=True)
        (run.path / name).write_bytes(content)
    run.create(case, overwrite=True)
    left = contents(run.path)
    assert {name: left.pop(name) for name in kept} == kept
    assert set(left) == {MARK, "case.toml"}


def test_what_a_kill_left_half_written_can_be_removed_alone(run):
    add_checkpoint(run, 3)
    run.snapshot_path(3).write_bytes(b"whole")
    (run.path / "mine.part").write_bytes(b"mine")
    before = contents(run.path)
    left = [run.checkpoint_path(9), run.snapshot_path(9), run.series, run.spectra, run.case_file, run.log]
    for path in left:
        path.with_name(path.name + ".part").write_bytes(b"torn")
    run.remove_unfinished()
    assert contents(run.path) == before


def test_an_unwritable_place_is_an_error_of_input(tmp_path, case):
    (tmp_path / "file").write_text("")
    with pytest.raises(CaseError, match="cannot be written"):
        RunDirectory(tmp_path / "file" / "run").create(case)


def test_the_resolved_case_comes_back(run, case):
    assert run.read_case() == case
    assert open_run(run.path).case == case


def test_a_directory_that_is_no_run_is_named(tmp_path):
    with pytest.raises(CaseError, match="not a run of whorl"):
        open_run(tmp_path)


def test_the_newest_checkpoint_is_chosen(run):
    for step in (5, 100, 20):
        add_checkpoint(run, step)
    chosen = choose_checkpoint(run)
    assert (chosen.step, chosen.time, chosen.path) == (100, 10.0, run.checkpoint_path(100))
    assert choose_checkpoint(run, 20).step == 20


@pytest.mark.parametrize("key", ["flow.viscosity=0.2", "grid.points=10", "initial.A=2"])
def test_a_checkpoint_of_another_run_is_refused(run, case, key):
    """Its modes would go on under the wrong equations, or under a wrong beginning."""
    add_checkpoint(run, 5, case=case.updated([key]).to_toml())
    with pytest.raises(CaseError, match=rf"00000005\.h5 is of another run: its {key.split('=')[0]} is"):
        choose_checkpoint(run)


@pytest.mark.parametrize("key", ["initial.magnetic.A=2", "scalars.0.schmidt=3", "flow.hall=1"])
def test_options_in_tables_make_another_run_too(tmp_path, key):
    case = Case(
        grid={"points": 8},
        flow={"model": "mhd", "viscosity": 0.1},
        time={"until": 1},
        initial={"name": "abc", "magnetic": {"name": "abc"}},
        scalars=[{"name": "dye"}],
    )
    run = RunDirectory(tmp_path / "run")
    run.create(case)
    add_checkpoint(run, 5)
    assert choose_checkpoint(run).step == 5
    add_checkpoint(run, 6, case=case.updated([key]).to_toml())
    with pytest.raises(CaseError, match=rf"its {key.split('=')[0]} is {key.split('=')[1]}"):
        choose_checkpoint(run)


def test_a_checkpoint_may_differ_where_a_restart_may(run, case):
    settings = ["time.until=7", "run.precision=single", "output.keep_checkpoints=9"]
    add_checkpoint(run, 5, case=case.updated(settings).to_toml())
    assert choose_checkpoint(run).step == 5


def test_unfinished_and_foreign_names_are_no_checkpoints(run):
    good = add_checkpoint(run, 5)
    good.with_name("00000009.h5.part").write_bytes(b"torn")
    good.with_name("backup.h5").write_bytes(b"")
    assert run.checkpoints() == [good]


def test_without_a_checkpoint_the_remedy_is_told(run):
    with pytest.raises(CaseError, match=r"no checkpoint.*--overwrite"):
        choose_checkpoint(run)


def test_a_missing_step_lists_those_there_are(run):
    add_checkpoint(run, 5)
    add_checkpoint(run, 10)
    with pytest.raises(CaseError, match=r"00000007\.h5 does not exist.*5, 10"):
        choose_checkpoint(run, 7)


def test_a_truncated_checkpoint_is_named_and_the_one_before_offered(run):
    add_checkpoint(run, 5)
    newest = add_checkpoint(run, 10)
    newest.write_bytes(newest.read_bytes()[:2000])
    with pytest.raises(CaseError, match=r"00000010\.h5 cannot be used.*00000005\.h5 \(t = 0\.5\).*--step 5"):
        choose_checkpoint(run)
    assert choose_checkpoint(run, 5).step == 5


def test_the_offer_passes_over_other_damaged_ones(run):
    add_checkpoint(run, 5)
    add_checkpoint(run, 7).write_bytes(b"not HDF5")
    add_checkpoint(run, 10, compensation=None)
    with pytest.raises(CaseError, match=r"00000010\.h5.*not written by whorl.*--step 5"):
        choose_checkpoint(run)


def test_a_checkpoint_without_the_rows_of_its_tables_is_foreign(run):
    with h5py.File(add_checkpoint(run, 10), "r+") as file:
        del file.attrs["series_rows"]
    with pytest.raises(CaseError, match=r"00000010\.h5.*not written by whorl"):
        choose_checkpoint(run)


def test_what_the_core_finds_damaged_is_not_offered_itself(run):
    for step in (5, 10, 15):
        add_checkpoint(run, step)
    message = str(damaged(run, run.checkpoint_path(10), "its checksum is wrong."))
    assert "00000010.h5 cannot be used: its checksum is wrong; the one before" in message
    assert message.endswith("--step 5.")


def test_no_good_one_before(run):
    add_checkpoint(run, 10).write_bytes(b"")
    with pytest.raises(CaseError, match="no good one before it"):
        choose_checkpoint(run)


def test_reading_a_clock_keeps_every_bit(run):
    path = add_checkpoint(run, 12, time=0.1 + 0.2, compensation=-1.3877787807814457e-17, dt=1 / 3)
    clock = read_clock(path)
    assert (clock.time, clock.compensation, clock.dt) == (0.1 + 0.2, -1.3877787807814457e-17, 1 / 3)


def test_the_oldest_go_first(run):
    for step in (1, 2, 3, 10):
        add_checkpoint(run, step)
    run.prune(2)
    assert [p.name for p in run.checkpoints()] == ["00000003.h5", "00000010.h5"]
    run.prune(5)
    assert len(run.checkpoints()) == 2


def test_later_checkpoints_are_set_aside_not_lost(run):
    for step in (5, 10):
        add_checkpoint(run, step)
    run.set_aside_later(5)
    assert [p.name for p in run.checkpoints()] == ["00000005.h5"]
    assert (run.path / "checkpoints" / "00000010.h5.aside").is_file()


def test_steps_may_have_more_than_eight_digits(run):
    """Checkpoints are in the order of their steps, and all are removed with the run."""
    steps = [99_999_998, 99_999_999, 100_000_000, 1_000_000_001]
    files = [add_checkpoint(run, step) for step in steps]
    (run.path / "checkpoints" / "00000001-copy.h5").write_text("not of the run")
    (run.path / "diagnostics-100000000.h5").write_text("")
    assert run.checkpoints() == files
    assert to_restart(run, {}, [], None)[1].step == steps[-1]
    run.prune(2)
    assert run.checkpoints() == files[2:]
    run.set_aside_later(steps[2])
    assert run.checkpoints() == files[2:3]
    run._remove_own_files()
    left = sorted(path.name for path in run.path.rglob("*") if path.is_file())
    assert left == ["00000001-copy.h5"]
