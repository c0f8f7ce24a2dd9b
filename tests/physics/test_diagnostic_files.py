"""Files of diagnostics, which a restart continues and an analysis makes again."""

import shutil

import h5py
import numpy as np
import pytest
import xarray as xr
from physics.diagnosed import WANTED, case_of
from support.build import needs
from whorl import analyse
from whorl.base.errors import CaseError
from whorl.output import growing_file
from whorl.results.runs import open_run
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device


@needs("hdf5")
def test_fields_of_snapshots_are_what_they_say(tmp_path):
    fields = ["velocity", "Q = -trace(grad(u) @ grad(u))/2", "p", "S = strain(u)", "flag = u.x > 0"]
    case = case_of(tmp_path / "run").updated(output={"fields": fields, "snapshot_every": "5 steps"})
    simulation = Simulation(case)
    simulation.run(progress=False)
    log = (tmp_path / "run" / "log.txt").read_text()
    assert "output.fields, Q: 8 inputs, 0 products, " in log
    assert "diagnostics.profile: 3 inputs, 0 products, " in log
    last = open_run(tmp_path / "run").snapshots.isel(time=-1)
    assert set(last.data_vars) == {"velocity", "Q", "p", "S", "flag"}
    assert last["S"].dims == ("z", "y", "x", "pair")
    assert list(last["pair"].values) == [a + b for a in "xyz" for b in "xyz"]
    for name, text in [("Q", "-trace(grad(u) @ grad(u))/2"), ("p", "p"), ("flag", "u.x > 0")]:
        wanted = simulation.gather(text)[0]
        assert np.abs(last[name] - wanted).max() <= 1e-6 * np.abs(wanted).max(), name
    strain = np.moveaxis(simulation.gather("strain(u)"), 0, -1)
    assert np.abs(last["S"] - strain).max() <= 1e-6 * np.abs(strain).max()
    assert (last["Q"].attrs["units"], last["flag"].attrs["units"]) == ("1/time²", "1")
    assert last["velocity"].attrs["units"] == "length/time"
    with xr.open_dataset(max((tmp_path / "run" / "snapshots").glob("*.vtkhdf"))) as of_any_reader:
        for name, data in last.data_vars.items():
            assert of_any_reader[name].dims == data.dims


@pytest.mark.long("all kinds of diagnostics in a whole run and in parts")
@needs("hdf5")
@pytest.mark.parametrize("small", [0, pytest.param(1 << 22, marks=pytest.mark.slow)])
def test_a_restart_goes_on_without_a_gap_or_a_double(tmp_path, monkeypatch, small):
    """Also where the last states are in files beside that of the others."""
    monkeypatch.setattr(growing_file, "SMALL", small)
    monkeypatch.setattr(growing_file, "SHARE", 0.1)
    case = case_of(tmp_path / "whole")
    Simulation(case).run(progress=False)
    other = case.updated(output={"directory": str(tmp_path / "parts")})
    begun = Simulation(other)
    for _ in range(7):
        begun.step()
    del begun
    assert any((tmp_path / "parts").glob("diagnostics-*.h5")) == (small == 0)
    Simulation.restart(tmp_path / "parts").run(progress=False)
    assert not any((tmp_path / "parts").glob("diagnostics-*.h5"))
    one, two = open_run(tmp_path / "whole").diagnostics, open_run(tmp_path / "parts").diagnostics
    assert set(one) == {wanted["kind"] for wanted in WANTED}
    for name, data in one.items():
        xr.testing.assert_identical(data, two[name])
    assert one["pdf"]["step"].values.tolist() == [0, 2, 4, 6, 8, 10]
    assert one["moments"]["step"].values.tolist() == [0, 3, 6, 9, 10]
    assert one["joint-pdf"]["step"].values.tolist() == [0, 10]


@needs("hdf5")
def test_a_restart_may_add_and_drop_diagnostics(tmp_path):
    Simulation(case_of(tmp_path / "run")).run(progress=False)
    own = [
        {"kind": "pdf", "of": ["grad(u)", "p"], "bins": 60, "every": "2 steps"},
        {"kind": "moments", "name": "of-u", "of": "u", "every": "1 steps"},
    ]
    changed = ["time.steps=12", f"diagnostics={_toml(own)}"]
    Simulation.restart(tmp_path / "run", settings=changed).run(progress=False)
    there = open_run(tmp_path / "run").diagnostics
    assert there["pdf"]["step"].values.tolist() == [0, 2, 4, 6, 8, 10, 12]
    assert there["of-u"]["step"].values.tolist() == [11, 12]
    assert there["profile"]["step"].values.tolist() == [0, 4, 8, 10]
    other = ["time.steps=14", 'diagnostics=[{kind = "pdf", of = "u", bins = 60}]']
    with pytest.raises(CaseError, match="has a diagnostic pdf with other options; give the new"):
        Simulation.restart(tmp_path / "run", settings=other)


def _toml(tables):
    entries = ("{" + ", ".join(f"{key} = {value!r}" for key, value in one.items()) + "}" for one in tables)
    return "[" + ", ".join(entries).replace("'", '"') + "]"


@needs("hdf5")
def test_lost_rows_are_told(tmp_path):
    Simulation(case_of(tmp_path / "run")).run(progress=False)
    (tmp_path / "run" / "diagnostics.h5").unlink()
    again = Simulation.restart(tmp_path / "run", settings=["time.steps=12"])
    assert any(
        "diagnostics.h5 has a gap: 38 of 38 rows up to step 10" in told for told in again._notices.warnings
    )
    again.run(progress=False)
    there = open_run(tmp_path / "run").diagnostics
    assert there["pdf"]["step"].values.tolist() == [12]
    assert "38 of 38 rows up to step 10 were lost" in there["pdf"].attrs["gaps"]


@needs("hdf5")
def test_files_say_what_they_hold(tmp_path):
    Simulation(case_of(tmp_path / "run")).run(progress=False)
    path = tmp_path / "run" / "diagnostics.h5"
    with h5py.File(path) as file:
        group = file["pdf"]
        assert group.attrs["kind"] == "pdf"
        assert '"bins": 60' in group.attrs["options"]
        assert "robability densities" in group.attrs["about"]
        for name, data in group.items():
            assert data.attrs["units"], name
            assert data.attrs["long_name"], name
    with xr.open_dataset(path, group="pdf") as data:
        xr.testing.assert_equal(data.load(), open_run(tmp_path / "run").diagnostics["pdf"])


@needs("hdf5")
def test_checkpoints_are_analysed_afterwards(tmp_path):
    simulation = Simulation(case_of(tmp_path / "run"))
    simulation.run(progress=False)
    during = open_run(tmp_path / "run").diagnostics
    steps = [8, 10]
    after = analyse(tmp_path / "run", steps=steps, output=tmp_path / "again.h5")
    for name, data in after.items():
        same = data.sel(time=data["time"])
        there = during[name].where(during[name]["step"].isin(steps), drop=True)
        for key in there.data_vars:
            kept = same[key].values[[step in there["step"] for step in steps]]
            # Which gradients travel depends on what is asked together, so that these agree to rounding.
            rounding = 1e-13 * np.nanmax(np.abs(kept))
            assert np.allclose(kept, there[key].values, rtol=1e-13, atol=rounding, equal_nan=True), (
                name,
                key,
            )
    with xr.open_dataset(tmp_path / "again.h5", group="moments") as data:
        assert data["step"].values.tolist() == steps
    now = analyse(tmp_path / "run", [{"kind": "pdf", "of": "u.x", "name": "x"}])
    assert now["x"]["step"].values.tolist() == [10]
    with pytest.raises(CaseError, match="changes more than how it is computed"):
        analyse(tmp_path / "run", settings=["flow.viscosity=1"])
    shutil.rmtree(tmp_path / "run")


@needs("hdf5")
def test_rows_behind_the_checkpoint_are_cut_even_where_there_are_no_others(tmp_path):
    Simulation(case_of(tmp_path / "run", diagnostics=[], time={"dt": 0.01, "steps": 4})).run(progress=False)
    added = ["time.steps=12", f"diagnostics={_toml([{'kind': 'pdf', 'of': 'u', 'every': '2 steps'}])}"]
    killed = Simulation.restart(tmp_path / "run", settings=added)
    for _ in range(3):  # a row at step 6, and the next checkpoint is of step 8
        killed.step()
    del killed
    Simulation.restart(tmp_path / "run", settings=added).run(progress=False)
    assert open_run(tmp_path / "run").diagnostics["pdf"]["step"].values.tolist() == [6, 8, 10, 12]
    # A row that was cut and is still counted would be missed later.
    assert Simulation.restart(tmp_path / "run", settings=["time.steps=14"])._notices.warnings == []


CHANGED = [
    {"kind": "conditional", "of": "u", "given": "u.z", "bins": 9, "range": [-3, 3]},
    {"kind": "conditional", "of": "u", "given": "u.x", "bins": 9, "range": [-3, 3], "scale": "absolute"},
    {"kind": "pdf", "name": "conditional", "of": "u", "bins": 9, "range": [-3, 3]},
]


@needs("hdf5")
@pytest.mark.parametrize("changed", CHANGED, ids=["given", "scale", "kind"])
def test_other_quantities_under_one_name_are_refused(tmp_path, changed):
    Simulation(case_of(tmp_path / "run")).run(progress=False)
    settings = ["time.steps=12", f"diagnostics={_toml([changed])}"]
    with pytest.raises(CaseError, match="has a diagnostic conditional with other options; give the new one"):
        Simulation.restart(tmp_path / "run", settings=settings)
    more = [{**WANTED[3], "every": "1 steps"}]
    Simulation.restart(tmp_path / "run", settings=["time.steps=12", f"diagnostics={_toml(more)}"])


@needs("hdf5")
def test_a_diagnostic_with_other_arrays_is_refused(tmp_path):
    """As of an earlier version, which did not measure all of them."""
    Simulation(case_of(tmp_path / "run", diagnostics=[{"kind": "pressure"}])).run(progress=False)
    with h5py.File(tmp_path / "run" / "diagnostics.h5", "a") as file:
        del file["pressure"]["friction"]
    with pytest.raises(
        CaseError, match="has a diagnostic pressure without friction, unlike that of the case"
    ):
        Simulation.restart(tmp_path / "run", settings=["time.steps=12"])


@needs("hdf5")
def test_a_diagnostic_on_another_axis_is_refused(tmp_path):
    """An earlier version may have had other bins."""
    own = [{"kind": "conditional", "of": "u", "given": "u.x", "bins": 9, "range": [-3, 3]}]
    Simulation(case_of(tmp_path / "run", diagnostics=own)).run(progress=False)
    with h5py.File(tmp_path / "run" / "diagnostics.h5", "a") as file:
        file["conditional"]["bin"][0] += 0.1
    with pytest.raises(CaseError, match="has a diagnostic conditional with another axis bin; give the new"):
        Simulation.restart(tmp_path / "run", settings=["time.steps=12"])


@needs("hdf5")
def test_another_expression_under_the_name_of_a_column_is_refused(tmp_path):
    case = case_of(tmp_path / "run", diagnostics=[]).updated(output={"columns": {"own": "mean(u.x*u.y)"}})
    Simulation(case).run(progress=False)
    changed = ["time.steps=12", 'output.columns={own = "mean(u.x*u.z)"}']
    with pytest.raises(CaseError, match=r"has a column own of another expression, mean\(u.x\*u.y\); give"):
        Simulation.restart(tmp_path / "run", settings=changed)
    added = ["time.steps=12", 'output.columns={own = "mean(u.x*u.y)", more = "t"}']
    Simulation.restart(tmp_path / "run", settings=added).run(progress=False)
    series = open_run(tmp_path / "run").series
    assert np.isnan(series["more"][:11]).all()
    assert np.array_equal(series["more"][11:], series["time"][11:])


@needs("hdf5")
def test_a_run_with_a_force_of_a_script_is_analysed(tmp_path):
    simulation = Simulation(case_of(tmp_path / "run"), forcing=lambda x, y, z: (np.sin(y), 0.0, 0.0))
    simulation.run(progress=False)
    found = analyse(tmp_path / "run", [{"kind": "moments", "of": "u"}])
    assert np.isclose(found["moments"]["mean"][0, 0], simulation.mean("u")[0], rtol=1e-12, atol=1e-15)


@needs("hdf5")
def test_an_analysis_replaces_an_earlier_one_and_nothing_else(tmp_path):
    Simulation(case_of(tmp_path / "run")).run(progress=False)
    own = tmp_path / "run" / "diagnostics.h5"
    before = own.read_bytes()
    with pytest.raises(CaseError, match="is no earlier analysis, so it is not replaced; choose another"):
        analyse(tmp_path / "run", output=own)
    assert own.read_bytes() == before
    path = tmp_path / "again.h5"
    for steps in ([10], [8, 10]):
        analyse(tmp_path / "run", steps=steps, output=path)
        with xr.open_dataset(path, group="pdf") as data:
            assert data["step"].values.tolist() == steps
    before = path.read_bytes()
    with pytest.raises(CaseError, match="does not exist; there are checkpoints"):
        analyse(tmp_path / "run", steps=[8, 9], output=path)
    assert path.read_bytes() == before
    assert sorted(one.name for one in tmp_path.iterdir()) == ["again.h5", "run"]
    assert len(analyse(tmp_path / "run", steps="all")["pdf"]["time"]) == 2


@needs("hdf5")
def test_a_large_analysis_is_whole(tmp_path, monkeypatch):
    """All states are in its file at the end, in the order of time, and none of those beside it stays."""
    monkeypatch.setattr(growing_file, "SMALL", 0)
    output = {"directory": str(tmp_path / "run"), "checkpoint_every": "1 steps", "keep_checkpoints": 20}
    with Simulation(case_of(tmp_path / "run").updated(output=output)) as simulation:
        simulation.run(progress=False)
    path = tmp_path / "again.h5"
    (tmp_path / "again.h5.part").write_bytes(b"what a kill has left")
    shape = [{"kind": "slice", "of": "grad(u)", "at": 0.5}]
    found = analyse(tmp_path / "run", shape, steps=[9, 2, 5, 3, 7, 8, 4, 6, 9], output=path)
    with xr.open_dataset(path, group="slice") as data:
        assert data["step"].values.tolist() == [2, 3, 4, 5, 6, 7, 8, 9]
        assert np.array_equal(data["slice"], found["slice"]["slice"])
    assert sorted(one.name for one in tmp_path.iterdir()) == ["again.h5", "run"]
