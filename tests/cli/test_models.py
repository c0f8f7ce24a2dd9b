"""Every equation set through the command: listed, begun from a new case, run, restarted, drawn, timed."""

import json
import re

import numpy as np
import pytest
import xarray as xr
from cli.commands import settings
from cli.test_bad_input import check_refused
from matplotlib.image import imread
from whorl.cli.templates import example_case
from whorl.config.case import load_case
from whorl.config.measures import budget, quantities, series_columns, spectra_columns
from whorl.models import MODELS
from whorl.results.runs import open_run

NAMES = sorted(MODELS)
# Commands are tried with these models by default: tests of the package have all.
SOME = [
    name if name in ("navier-stokes-2d", "rayleigh-benard") else pytest.param(name, marks=pytest.mark.slow)
    for name in NAMES
]
SMALL = {
    "navier-stokes-2d": "[16, 16, 1]",
    "mhd": "[16, 16, 1]",
}


def quick(name, *more):
    """A few small steps with everything written."""
    return settings(
        f"grid.points={SMALL.get(name, 16)}",
        "time.dt=0.001",
        "time.steps=4",
        "output.series_every='1 steps'",
        "output.spectra_every='2 steps'",
        "output.snapshot_every='2 steps'",
        "output.checkpoint_every='2 steps'",
        *more,
    )


@pytest.fixture
def new_case(whorl, tmp_path):
    """The file that `whorl new` makes of a model."""

    def make(name):
        result = whorl("new", name)
        assert (result.code, result.err) == (0, "")
        (tmp_path / f"{name}.toml").write_text(result.out)
        return f"{name}.toml"

    return make


def test_models_are_listed_with_equations_and_parameters(whorl):
    listed = whorl("models")
    assert listed.code == 0
    plain = re.sub(r"\s+", " ", f" {listed.out}")
    for name, model in MODELS.items():
        assert f" {name} " in plain
        assert "sound_speed" in plain
        assert model.formulas.split()[0] in plain


@pytest.mark.parametrize("name", NAMES)
def test_a_model_in_full(whorl, name):
    shown = whorl("models", name)
    assert shown.code == 0
    plain = " ".join(shown.out.split())
    for line in MODELS[name].formulas.splitlines():
        assert " ".join(line.split()) in plain
    for option in MODELS[name].model_fields:
        assert option == "model" or f"\n{option} " in shown.out
    for column in MODELS[name].columns:
        assert column.name in shown.out
    for quantity in quantities(example_case(MODELS[name])):
        assert re.search(rf"^{quantity}( |$)", shown.out, re.MULTILINE)
    assert f"\nbudgets  {'d/dt' if budget(example_case(MODELS[name])) else 'none'} " in shown.out
    about = (
        re.search(r"^spectra +(.*?)^grid ", shown.out, re.DOTALL | re.MULTILINE)[1].replace(",", "").split()
    )
    assert about == [column.name for column in spectra_columns(example_case(MODELS[name]))]
    assert "transfer" in about
    assert ("any number of [[scalars]]" in plain) == (MODELS[name].viscous or name == "equations")
    assert f"whorl new {name} > case.toml" in shown.out


@pytest.mark.parametrize("command", ["models", "new"])
def test_a_model_misspelt(whorl, command):
    check_refused(whorl(command, "boussinesk"), "boussinesk is no model", "did you mean boussinesq?", "mhd")


@pytest.mark.parametrize("name", NAMES)
def test_a_new_case_loads_and_runs_as_it_is(whorl, tmp_path, new_case, name):
    """In full by its options, for a few steps on a small grid by its time."""
    path = new_case(name)
    assert load_case(tmp_path / path) == example_case(MODELS[name])
    result = whorl("run", path, "-o", "out", *quick(name))
    assert (result.code, result.err) == (0, "")
    run = open_run(tmp_path / "out")
    assert list(run.series["step"].values) == list(range(5))
    assert {*run.series.data_vars, "time"} == {column.name for column in series_columns(run.case)}
    assert {*run.spectra.data_vars, "step"} == {*(c.name for c in spectra_columns(run.case)), "step"}
    assert np.isfinite(run.series[MODELS[name].progress[0][1]]).all()
    for symbol, _ in run.case.flow.progress:
        assert f"  {symbol} " in result.out
    last = run.snapshots.isel(time=-1)
    for field in run.case.output.fields:
        assert np.isfinite(last[field]).all()
        assert last[field].attrs["units"] == run.case.flow.outputs[field].unit


@pytest.mark.parametrize("name", NAMES)
def test_a_restart_repeats_the_bits(whorl, tmp_path, new_case, name):
    assert whorl("run", new_case(name), "-o", "out", *quick(name)).code == 0
    before = open_run(tmp_path / "out").series
    assert whorl("restart", "out", "--step", "2").code == 0
    xr.testing.assert_identical(open_run(tmp_path / "out").series, before)


@pytest.mark.parametrize("name", SOME)
def test_a_picture(whorl, tmp_path, new_case, name):
    assert whorl("run", new_case(name), "-o", "out", *quick(name)).code == 0
    result = whorl("plot", "out")
    assert (result.code, result.err) == (0, "")
    picture = imread(tmp_path / "out" / "plot.png")
    wide = name == "rayleigh-benard"  # whose slice has the width of the page
    assert picture.shape[:2] == (1575 if wide else 1035, 2100)
    assert len(np.unique(picture[::7, ::7].reshape(-1, picture.shape[2]), axis=0)) > 300


@pytest.mark.parametrize("name", SOME)
def test_bench_step_of_a_model(whorl, tmp_path, name):
    result = whorl(
        "bench", "step", "--model", name, "--points", "16", "--steps", "2", "--json", "figures.json"
    )
    assert (result.code, result.err) == (0, "")
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert figures["case"]["flow"]["model"] == name
    assert figures["case"]["grid"]["dealias"] == MODELS[name].dealias
    assert figures["fraction_of_floor"] > 0
    assert name in result.out


def test_scalars_from_case_to_picture(whorl, tmp_path):
    """By their names everywhere: series, spectra, snapshots; also behind a restart."""
    salt = '{name="salt", schmidt=7.0, initial={name="random"}}'
    scalars = f'scalars=[{{name="dye", gradient=[1.0, 0.0, 0.0]}}, {salt}]'
    fields = "output.fields=['dye', 'velocity', 'salt']"
    result = whorl("run", "taylor-green", "-o", "out", *quick("navier-stokes", scalars, fields))
    assert (result.code, result.err) == (0, "")
    assert "navier-stokes + 2 scalars 16 × 16 × 16" in result.out
    assert whorl("restart", "out", "--set", "time.steps=6").code == 0
    run = open_run(tmp_path / "out")
    assert run.series["salt_variance"].values[0] == pytest.approx(0.5, rel=1e-3)  # little is cut off
    assert run.series["dye_variance"].values[0] == 0 < run.series["dye_variance"].values[-1]
    by_shell = run.spectra["salt_variance"].isel(time=0).sum()
    assert float(by_shell) == pytest.approx(run.series["salt_variance"].values[0], rel=1e-12)
    assert {"transfer", "transfer_dye", "transfer_salt"} <= set(run.spectra.data_vars)
    last = run.snapshots.isel(time=-1)
    assert last["salt"].dims == ("z", "y", "x")
    assert float((last["salt"].astype(float) ** 2).mean()) / 2 == pytest.approx(
        run.series["salt_variance"].values[-1], rel=1e-5
    )
    assert whorl("plot", "out").code == 0


def test_a_field_goes_on_from_a_snapshot(whorl, tmp_path, new_case):
    """Velocity and magnetic field of the last snapshot of one run begin another."""
    path = new_case("mhd")
    precise = "output.snapshot_precision=double"
    assert whorl("run", path, "-o", "one", *quick("mhd", precise)).code == 0
    snapshot = tmp_path / "one" / "snapshots" / "00000004.vtkhdf"
    by_file = [
        f"{table}.{option}"
        for table in ("initial", "initial.magnetic")
        for option in ("name=from-file", f"path='{snapshot}'")
    ]
    assert whorl("run", path, "-o", "two", *quick("mhd", *by_file)).code == 0
    one, two = open_run(tmp_path / "one").series, open_run(tmp_path / "two").series
    for name in ("energy", "magnetic_energy", "cross_helicity"):
        assert two[name].values[0] == pytest.approx(one[name].values[-1], rel=1e-12)


def test_options_of_every_model_stand_once(whorl):
    listed = whorl("options", "flow")
    assert listed.code == 0
    assert listed.out.count("flow.viscosity") == 1
    assert "flow.rayleigh" in listed.out


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("flow.model=rayleigh-benard", ["flow.rayleigh", "missing"]),
        ("flow.model=navierstokes", ['"navierstokes" is unknown', "did you mean navier-stokes?"]),
        ("flow.hall=1", ["flow.hall is not an option", 'flow.model = "mhd"']),
        ("flow.viscosity=-1", ["flow.viscosity = -1", "at least 0"]),
        ("grid.bases=SSS", ['grid.bases = "SSS"', "choose FFF"]),
        ('scalars=[{name="a"}, {name="a"}]', ['scalars.name = "a" is given twice']),
    ],
)
def test_a_bad_option_of_a_model(whorl, setting, words):
    check_refused(whorl("run", "taylor-green", "--set", setting), *words)


def test_rayleigh_without_prandtl(whorl):
    given = settings("flow.model=rayleigh-benard", "flow.rayleigh=1e5", "grid.lengths=1")
    check_refused(whorl("run", "taylor-green", *given), "flow.rayleigh = 100000.0 needs flow.prandtl")
