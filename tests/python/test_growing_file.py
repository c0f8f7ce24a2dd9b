"""A file that grows by states: what it costs, what a kill leaves, and what its readers see."""

import os
import shutil
import signal

import numpy as np
import pytest
import xarray as xr
from support.build import needs
from whorl.output import growing_file
from whorl.output.groups import States, cut_group
from whorl.output.growing_file import GrowingFile, read_groups

pytestmark = needs("hdf5")

POINTS = 10_000


def dataset(step: int, size: int = POINTS) -> xr.Dataset:
    values = np.random.default_rng(step).normal(size=(1, 2, size))
    return xr.Dataset(
        {"f": (("time", "quantity", "x"), values, {"units": "1", "long_name": "f"})},
        {"time": [0.1 * step], "quantity": ["u", "v"], "x": np.arange(size), "step": ("time", [step])},
        {"kind": "slice"},
    )


def state(step: int, name: str = "plane") -> dict[str, States]:
    return {name: States.of(dataset(step))}


def whole(steps) -> xr.Dataset:
    return xr.concat([dataset(step) for step in steps], "time", data_vars="minimal")


def check(file: GrowingFile, steps) -> None:
    found = file.read()["plane"]
    wanted = whole(steps)
    assert found["step"].values.tolist() == list(steps)
    np.testing.assert_array_equal(found["f"], wanted["f"])
    assert found["quantity"].values.tolist() == ["u", "v"]
    assert found.attrs == {"kind": "slice"}
    assert file.read(without_arrays=True)["plane"]["step"].values.tolist() == list(steps)


@pytest.fixture
def large(monkeypatch):
    monkeypatch.setattr(growing_file, "SMALL", 0)


def test_states_are_read_at_once_and_in_the_file_at_the_end(tmp_path, large):
    file, most = GrowingFile(tmp_path / "diagnostics.h5"), 0
    for step in range(24):
        file.add(step, state(step) | (state(step, "other") if step > 15 else {}))
        if step % 3 == 2:
            check(file, range(step + 1))
        most = max(most, len(list(tmp_path.iterdir())))
    assert most > 2
    file.merge()
    assert [path.name for path in tmp_path.iterdir()] == ["diagnostics.h5"]
    with xr.open_dataset(tmp_path / "diagnostics.h5", group="other", engine="h5netcdf") as data:
        np.testing.assert_array_equal(data["f"], whole(range(16, 24))["f"])


def test_a_small_file_has_all_states_itself(tmp_path):
    file = GrowingFile(tmp_path / "diagnostics.h5")
    for step in range(5):
        file.add(step, state(step))
        assert [path.name for path in tmp_path.iterdir()] == ["diagnostics.h5"]
    check(file, range(5))


@pytest.mark.slow
def test_the_cost_is_in_proportion_to_the_states(tmp_path, large, monkeypatch):
    copied, copy = [], shutil.copyfile

    def counting(source, to):
        copied.append(os.stat(source).st_size)
        return copy(source, to)

    monkeypatch.setattr(shutil, "copyfile", counting)
    file = GrowingFile(tmp_path / "diagnostics.h5")
    spent = []
    for step in range(96):
        file.add(step, state(step))
        if step in (23, 95):
            spent.append(sum(copied))
    # Four times as many states: 4 times the bytes, where copies for each state have 16 times as many.
    assert spent[1] < 7 * spent[0]
    assert spent[1] < 12 * (tmp_path / "diagnostics.h5").stat().st_size


def test_steps_may_have_more_than_eight_digits(tmp_path, large):
    file, steps = GrowingFile(tmp_path / "diagnostics.h5"), [*range(99_999_996, 100_000_003)]
    for step in steps:
        file.add(step, state(step))
    assert (tmp_path / "diagnostics-100000002.h5").is_file()
    check(file, steps)
    file.merge()
    assert [path.name for path in tmp_path.iterdir()] == ["diagnostics.h5"]
    check(file, steps)


@pytest.mark.parametrize("at", ["copying", "renamed", "removing"])
def test_a_kill_loses_no_state_and_doubles_none(tmp_path, large, at):
    """Killed while states are merged, before the file takes its place and before those beside it go."""
    file = GrowingFile(tmp_path / "diagnostics.h5")
    for step in range(9):
        file.add(step, state(step))
    beside = sorted(tmp_path.glob("diagnostics-*.h5"))
    assert beside
    if (child := os.fork()) == 0:

        def die(*_, **__):
            os.kill(os.getpid(), signal.SIGKILL)

        if at == "copying":
            growing_file.append_states = die
        elif at == "renamed":
            type(beside[0]).unlink = die
        else:
            unlink = type(beside[0]).unlink
            removed = []

            def unlinking(path, **options):
                if removed and path.suffix == ".h5":
                    die()
                if path.suffix == ".h5":
                    removed.append(path)
                unlink(path, **options)

            type(beside[0]).unlink = unlinking
        file.merge()
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    assert os.WIFSIGNALED(status) or len(beside) == 1
    check(file, range(9))
    file.add(9, state(9))
    check(file, range(10))
    file.merge()
    check(file, range(10))


def test_a_change_is_made_of_all_states(tmp_path, large):
    file = GrowingFile(tmp_path / "diagnostics.h5")
    for step in range(9):
        file.add(step, state(step))
    file.merge(lambda there: cut_group(there["plane"], 6))
    check(file, range(6))
    assert read_groups(tmp_path / "diagnostics.h5")["plane"].sizes["time"] == 6
    for step in range(6, 8):
        file.add(step, state(step))
    check(file, range(8))
