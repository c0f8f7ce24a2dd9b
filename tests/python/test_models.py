"""Equation sets as the case knows them: parameters, what they allow, what they say of themselves."""

import math
import re
import tomllib
from types import SimpleNamespace

import pytest
from whorl import _core
from whorl.base.errors import CaseError
from whorl.cli.templates import NO_VALUE, example_case, new_case
from whorl.config.case import Case
from whorl.config.columns import Column
from whorl.config.measures import (
    output_fields,
    series_columns,
    spectra_columns,
    transfers,
)
from whorl.config.section import tag_of
from whorl.machine.floor import work
from whorl.models import MODELS
from whorl.models.base import FieldOf
from whorl.run.core_options import core_options
from whorl.run.declared import check_models

NAMES = sorted(MODELS)
PASSIVE = [{"name": "dye", "gradient": [1.0, 0.0, 0.0]}, {"name": "salt", "schmidt": 7.0}]


def case_of(model, flow=None, **sections):
    example = MODELS[model].example
    return Case(**example | {"flow": {"model": model, **example["flow"], **(flow or {})}} | sections)


def refusal(model, flow=None, **sections):
    with pytest.raises(CaseError) as caught:
        case_of(model, flow, **sections)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def is_viscous(name):
    return MODELS[name].viscous


@pytest.mark.parametrize("name", NAMES)
def test_scalars_are_fields_of_their_own_names_in_the_core(name):
    if not is_viscous(name):
        pytest.skip("it carries no scalars")
    case = case_of(name, scalars=PASSIVE)
    shape = _core.model_shape(core_options(case, threads=1))
    for fields in ("fields", "outputs"):
        assert [field for field in shape[fields] if field in ("dye", "salt")] == ["dye", "salt"]
    measured = {column.name for column in series_columns(case) if column.value is None}
    assert measured <= set(shape["statistics"])
    assert {c.name for c in spectra_columns(case)} == {
        *(c.name for c in case.flow.spectra),
        *(c.name for c in transfers(case).values()),
        *(f"{scalar['name']}_variance" for scalar in PASSIVE),
    }


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"columns": ()}, "navier-stokes: columns without a unit and a meaning: dissipation, energy, "),
        ({"columns": (*MODELS["navier-stokes"].columns, Column("mass", "", "m"))}, "does not have: mass"),
        ({"spectra": ()}, "spectra without a unit and a meaning: energy, helicity"),
        ({"state": {"velocity": FieldOf(2, "", "")}}, "state are {'velocity': 2, 's': 1} and in the core"),
        ({"outputs": {}}, "outputs are {'s': 1} and in the core"),
        ({"bases": ("FFF", "SSS"), "state": {"velocity": FieldOf(3, "", "")}}, "the sines of velocity are"),
    ],
)
def test_a_model_that_is_told_otherwise_than_it_is_ends_the_import(monkeypatch, changed, words):
    for name, value in changed.items():
        monkeypatch.setattr(MODELS["navier-stokes"], name, value)
    with pytest.raises(RuntimeError, match=re.escape(words)):
        check_models()


def test_a_model_that_only_one_side_has_ends_the_import(monkeypatch):
    monkeypatch.delitem(MODELS, "mhd")
    with pytest.raises(RuntimeError, match="models without a unit and a meaning: mhd"):
        check_models()


@pytest.mark.parametrize("name", NAMES)
def test_everything_a_model_draws_and_shows_is_measured(name):
    case = case_of(name)
    columns = {column.name for column in series_columns(case)}
    model, picture = case.flow, case.flow.picture
    assert {column for _, column in model.progress} <= columns
    assert {column for curves in picture.curves for column, _ in curves.columns} <= columns
    assert {spectrum for spectrum, _ in picture.spectra} <= {c.name for c in model.spectra}
    assert {one.field for one in picture.slices} <= set(model.outputs)
    assert set(case.output.fields) <= set(model.outputs)
    assert any(one.field in case.output.fields for one in picture.slices)
    assert model.headline()


@pytest.mark.parametrize("name", NAMES)
def test_a_model_comes_back_from_toml(name):
    case = case_of(name, scalars=PASSIVE if is_viscous(name) else [])
    assert Case(**tomllib.loads(case.to_toml())) == case


@pytest.mark.parametrize("name", NAMES)
def test_a_new_case_is_the_example_and_shows_every_option(name):
    text = new_case(MODELS[name])
    assert Case(**tomllib.loads(text)) == example_case(MODELS[name])
    for section in ("grid", "flow", "time", "output", "run"):
        for option in type(getattr(example_case(MODELS[name]), section)).model_fields:
            assert re.search(rf"^(# )?{option} = ", text, re.MULTILINE), option
    for line in MODELS[name].formulas.splitlines():
        assert f"#     {line}\n" in text


@pytest.mark.parametrize("name", NAMES)
def test_the_defaults_shown_in_a_new_case_are_the_defaults(name):
    """Without the marks of comment it is the same case, but for lists of blocks and what has no value."""
    text = new_case(MODELS[name])
    text = re.sub(
        r"^# \[\[(scalars|forcing|diagnostics|probes|particles)\]\](\n# .*)*", "", text, flags=re.MULTILINE
    )
    text = re.sub(r"^# (\w+ = )", r"\1", text, flags=re.MULTILINE)
    text = re.sub(rf"^\w+ = {re.escape(NO_VALUE)}.*$", "", text, flags=re.MULTILINE)
    assert Case(**tomllib.loads(text)) == example_case(MODELS[name])


@pytest.mark.parametrize("name", NAMES)
def test_the_floor_counts_what_the_core_carries(name):
    case = case_of(name)
    assert work(case).bytes > 0
    if is_viscous(name):
        assert work(case_of(name, scalars=PASSIVE)).bytes > work(case).bytes


# Parameters


def test_without_a_model_it_is_navier_stokes():
    case = Case(grid={"points": 8}, flow={"viscosity": 0.1}, time={"steps": 1})
    assert case.flow.model == "navier-stokes"
    assert case.flow.constants()["viscosity"] == 0.1


def test_a_number_is_a_vector_along_z():
    parameters = case_of(
        "navier-stokes", {"rotation": 2.0, "mean_velocity": [1.0, 2.0, 3.0]}
    ).flow.constants()
    assert [parameters[f"rotation_{axis}"] for axis in "xyz"] == [0, 0, 2]
    assert [parameters[f"mean_velocity_{axis}"] for axis in "xyz"] == [1, 2, 3]


@pytest.mark.parametrize(
    ("model", "number", "diffusivity", "core"),
    [
        ("boussinesq", "prandtl", "diffusivity", "diffusivity"),
        ("mhd", "magnetic_prandtl", "resistivity", "resistivity"),
    ],
)
def test_a_diffusivity_or_its_number(model, number, diffusivity, core):
    nu = MODELS[model].example["flow"]["viscosity"]
    assert case_of(model).flow.constants()[core] == nu
    assert case_of(model, {number: 4.0}).flow.constants()[core] == pytest.approx(nu / 4)
    given = case_of(model, {diffusivity: 0.3})
    assert given.flow.constants()[core] == 0.3
    assert "exclude each other" in refusal(model, {number: 4.0, diffusivity: 0.3})
    assert given.updated([f"flow.{number}=2"]).flow.constants()[core] == pytest.approx(nu / 2)


def test_rayleigh_benard_in_units_of_free_fall():
    """u d/κ = √(Ra Pr) u of free fall; ν and κ are the inverse of such numbers."""
    flow = case_of("rayleigh-benard", {"rayleigh": 4e6, "prandtl": 25.0}).flow
    parameters = flow.constants()
    assert parameters["viscosity"] / parameters["diffusivity"] == pytest.approx(25)
    assert 1 / (parameters["viscosity"] * parameters["diffusivity"]) == pytest.approx(4e6)
    assert parameters["rotation_z"] == 0


def test_rayleigh_benard_rotates_by_taylor_or_rossby():
    flow = {"rayleigh": 1e6, "prandtl": 4.0}
    by_taylor = case_of("rayleigh-benard", flow | {"taylor": 1e7}).flow.constants()
    rossby = math.sqrt(1e6 / (4.0 * 1e7))
    by_rossby = case_of("rayleigh-benard", flow | {"rossby": rossby}).flow.constants()
    assert by_taylor["rotation_z"] == pytest.approx(by_rossby["rotation_z"])
    assert 2 * by_taylor["rotation_z"] == pytest.approx(1 / rossby)
    assert (2 * by_taylor["rotation_z"] / by_taylor["viscosity"]) ** 2 == pytest.approx(1e7)


def test_nusselt_numbers_from_flux_plates_and_dissipation():
    """Nu = 1 + ⟨wθ⟩/κ = 1 − ∂θ/∂z at the plates = ⟨|∇T|²⟩, with κ⟨|∇θ|²⟩ measured."""
    flow = case_of("rayleigh-benard", {"rayleigh": 400.0, "prandtl": 4.0}).flow
    measured = {"energy": 1.0, "enstrophy": 1.0, "dissipation": 1.0, "energy_per_wavenumber": 1.0}
    measured |= {"convective_flux": 0.1, "plate_gradient": -4.0, "thermal_dissipation": 0.1}
    found = flow.derived(measured, 1.0)
    assert found["nusselt_volume"] == found["nusselt_dissipation"] == pytest.approx(5)
    assert found["nusselt_plates"] == 5


@pytest.mark.parametrize("name", ["gross-pitaevskii", "ginzburg-landau"])
def test_a_superfluid_has_its_sound_speed_and_coherence_length(name):
    """c² = 2 a b ρ0 (Bogoliubov at k → 0) and ξ² = a/(b ρ0)."""
    p = case_of(name, {"sound_speed": 3.0, "coherence_length": 0.2, "density": 5.0}).flow.constants()
    assert 2 * p["dispersion"] * p["interaction"] * p["density"] == pytest.approx(9)
    assert p["dispersion"] / (p["interaction"] * p["density"]) == pytest.approx(0.04)


def test_the_direction_of_a_field_has_length_one():
    p = case_of("quasi-static-mhd", {"field_direction": [3.0, 0.0, 4.0]}).flow.constants()
    assert [p[f"field_direction_{axis}"] for axis in "xyz"] == pytest.approx([0.6, 0, 0.8])
    assert "no direction" in refusal("quasi-static-mhd", {"field_direction": [0.0, 0.0, 0.0]})


def test_scalars_by_schmidt_number_or_diffusivity():
    flow = {"viscosity": 0.6}
    given = [{"name": "a", "schmidt": 3.0, "gradient": 2.0}, {"name": "b", "diffusivity": 0.1}, {"name": "c"}]
    case = case_of("navier-stokes", flow, scalars=given)
    assert [s.of_core(0.6) for s in case.scalars] == [
        ("a", (pytest.approx(0.2), 0, 0, 2)),
        ("b", (0.1, 0, 0, 0)),
        ("c", (0.6, 0, 0, 0)),
    ]
    assert core_options(case, threads=1).scalars[0] == ("a", [pytest.approx(0.2), 0, 0, 2])
    assert list(output_fields(case)) == ["velocity", "vorticity", "a", "b", "c"]
    assert case.updated(["scalars.1.schmidt=2"]).scalars[1].diffusivity is None


# Refusals


@pytest.mark.parametrize(
    ("model", "sections", "words"),
    [
        ("navier-stokes", {"flow": {"viscosity": -1.0}}, ["flow.viscosity = -1", "at least 0"]),
        (
            "navier-stokes",
            {"flow": {"hyperviscosity_power": 2.5}},
            ["flow.hyperviscosity_power", "whole number"],
        ),
        ("navier-stokes", {"flow": {"rotation": [1.0, 2.0]}}, ["flow.rotation", "three numbers"]),
        (
            "navier-stokes",
            {"flow": {"resistivity": 1.0}},
            [
                'flow.resistivity is not an option of flow.model = "navier-stokes"',
                'it goes with flow.model = "mhd"',
            ],
        ),
        ("mhd", {"flow": {"resistivty": 1.0}}, ["flow.resistivty", "did you mean flow.resistivity?"]),
        ("navier-stokes", {"grid": {"points": 8, "bases": "SFF"}}, ['grid.bases = "SFF"', "choose FFF"]),
        (
            "rayleigh-benard",
            {"grid": {"points": 8, "bases": "FSF", "lengths": 1}},
            ["FSF", "FFF, SFF, SSF, SSS"],
        ),
        (
            "rayleigh-benard",
            {"grid": {"points": 8}},
            ["along z is 6.28", "grid.lengths = [6.28319, 6.28319, 1]"],
        ),
        (
            "rayleigh-benard",
            {"grid": {"points": 8, "bases": "SSF", "lengths": 1}, "flow": {"taylor": 10.0}},
            ['grid.bases = "SSF" excludes rotation', "SFF", "flow.taylor"],
        ),
        (
            "rayleigh-benard",
            {"flow": {"taylor": 1.0, "rossby": 2.0}},
            ["flow.taylor = 1", "exclude each other"],
        ),
        ("navier-stokes", {"grid": {"points": [8, 1, 8]}}, ["[8, 1, 8]", "at least 4 points along y"]),
        ("rayleigh-benard", {"grid": {"points": [8, 8, 1], "lengths": 1}}, ["at least 4 points along z"]),
        ("navier-stokes-2d", {"grid": {"points": 8}}, ["two-dimensional", "grid.points = [8, 8, 1]"]),
        ("gross-pitaevskii", {"scalars": [{"name": "dye"}]}, ["[[scalars]]", "gross-pitaevskii"]),
        ("navier-stokes", {"scalars": [{"name": "dye"}] * 2}, ['scalars.name = "dye" is given twice']),
        *(
            ("navier-stokes", {"scalars": [{"name": name}]}, [f'scalars.name = "{name}" is a name that'])
            for name in ("t", "pi", "Lx", "lambda")
        ),
        (
            "rayleigh-benard",
            {
                "grid": {"points": 8, "bases": "SSF", "lengths": 1},
                "scalars": [{"name": "dye", "gradient": [0.5, 0.0, 2.0]}],
            },
            ['scalars.name = "dye" crosses the walls along z', "set it to 0"],
        ),
        (
            "boussinesq",
            {"scalars": [{"name": "temperature"}]},
            ['scalars.name = "temperature"', "uses itself"],
        ),
        ("boussinesq", {"scalars": [{"name": "potential"}]}, ['scalars.name = "potential"', "uses itself"]),
        (
            "navier-stokes",
            {"scalars": [{"name": "component"}]},
            ['scalars.name = "component"', "files use themselves"],
        ),
        (
            "navier-stokes",
            {"scalars": [{"name": "VTKHDF"}]},
            ['scalars.name = "VTKHDF"', "files use themselves"],
        ),
        (
            "navier-stokes",
            {"scalars": [{"name": "dye_variance"}, {"name": "transfer_dye"}]},
            ['two columns "transfer_dye_variance"', "choose another name"],
        ),
        ("navier-stokes", {"scalars": [{"name": "a dye"}]}, ["scalars[0].name", "a dye"]),
        (
            "navier-stokes",
            {"scalars": [{"name": "dye", "schmidt": -1.0}]},
            ["scalars[0].schmidt = -1", "greater"],
        ),
        (
            "navier-stokes",
            {"scalars": [{"name": "dye", "scmidt": 1.0}]},
            ["did you mean scalars[0].schmidt?"],
        ),
        (
            "navier-stokes",
            {"scalars": [{"name": "dye", "schmidt": 1.0, "diffusivity": 2.0}]},
            ["scalars.diffusivity = 2", "scalars.schmidt = 1", "give one"],
        ),
        ("navier-stokes", {"scalars": {"name": "dye"}}, ['scalars = {name = "dye"}', "[[scalars]]"]),
        ("navier-stokes", {"scalars": [3]}, ["scalars[0] = 3", "[[scalars]]"]),
        ("navier-stokes", {"output": {"fields": ["current"]}}, ['"current"', "velocity, vorticity"]),
    ],
)
def test_a_refusal_names_value_and_remedy(model, sections, words):
    message = refusal(model, sections.pop("flow", None), **sections)
    for word in words:
        assert word in message
    assert len(message) < 700


def test_a_model_misspelt():
    with pytest.raises(CaseError, match=r'flow.model = "bousinesq" is unknown; did you mean boussinesq\?'):
        Case(grid={"points": 8}, flow={"model": "bousinesq", "viscosity": 1.0}, time={"steps": 1})


@pytest.mark.parametrize(("given", "missing"), [("rayleigh", "prandtl"), ("prandtl", "rayleigh")])
def test_rayleigh_and_prandtl_go_together(given, missing):
    with pytest.raises(CaseError, match=rf"flow\.{given} = 10.* needs flow\.{missing}"):
        Case(grid={"points": 8}, flow={"model": "rayleigh-benard", given: 10.0}, time={"steps": 1})


# Settings


def test_a_new_model_keeps_what_it_shares_and_takes_its_own_defaults():
    case = case_of("navier-stokes", {"rotation": 3.0})
    mhd = case.updated(["flow.model=mhd", "flow.resistivity=0.5"])
    assert (mhd.flow.rotation, mhd.flow.resistivity) == ((0, 0, 3), 0.5)
    assert mhd.output.fields == MODELS["mhd"].snapshot
    settings = [
        "flow.model=gross-pitaevskii",
        "flow.sound_speed=1",
        "flow.coherence_length=0.1",
        "time.dt=0.1",
    ]
    superfluid = case.updated(settings)
    assert superfluid.grid.dealias == "1/2"
    chosen = case_of("navier-stokes", grid={"points": 8, "dealias": "none"}).updated(settings)
    assert chosen.grid.dealias == "none"


def test_every_model_is_found_by_its_own_name():
    assert {tag_of(model): model for model in MODELS.values()} == MODELS
    for name, model in MODELS.items():
        assert model.__doc__
        assert case_of(name).flow.model == name


def test_a_flow_with_other_energy_may_gain_it_fast():
    """Only where the velocity alone holds energy does a burst of it mean that the flow is lost."""
    alone = {name for name in NAMES if MODELS[name].only_kinetic}
    assert alone == {"navier-stokes", "navier-stokes-2d", "quasi-static-mhd"}


def test_a_grid_may_be_given_as_a_section():
    """Sections are dicts or models; the model's defaults reach both."""
    by_dict = case_of("gross-pitaevskii")
    resolved = by_dict.grid.model_copy(update={"dealias": "2/3"})
    again = Case(**{name: getattr(by_dict, name) for name in ("flow", "time", "initial")}, grid=resolved)
    assert by_dict.grid.dealias == "1/2"
    assert again.flow == by_dict.flow
    assert SimpleNamespace(**again.to_dict()).initial == by_dict.to_dict()["initial"]


@pytest.mark.parametrize(
    ("flow", "told"),
    [
        ({"viscosity": 0.0184202}, "ν = 0.0184"),
        ({"viscosity": 0.0}, "ν = 0"),
        ({"viscosity": 1e-4, "rotation": [0.0, 3.0, 4.0]}, "ν = 0.0001   ·   Ω = 5"),
        (
            {
                "model": "navier-stokes-2d",
                "viscosity": 0.0,
                "hyperviscosity": 1e-14,
                "hyperviscosity_power": 4,
                "hypoviscosity": 0.5,
                "drag": 0.07,
                "beta": 2.0,
            },
            "νₕ = 10⁻¹⁴   ·   p = 4   ·   μ = 0.5   ·   q = 1   ·   α = 0.07   ·   β = 2",
        ),
        (
            {"model": "mhd", "viscosity": 0.01, "resistivity": 0.02, "mean_field": 2.0, "hall": 0.1},
            "ν = 0.01   ·   η = 0.02   ·   B0 = 2   ·   d = 0.1",
        ),
        ({"model": "mhd", "viscosity": 0.01, "resistivity": 0.02, "kinematic": True}, "η = 0.02"),
        ({"model": "rayleigh-benard", "rayleigh": 1234567, "prandtl": 0.7}, "Ra = 1.23·10⁶   ·   Pr = 0.7"),
    ],
)
def test_the_headline_has_what_acts_with_three_digits(flow, told):
    grids = {"navier-stokes-2d": [8, 8, 1], "rayleigh-benard": [8, 8, 8]}
    grid = {"points": grids.get(flow.get("model"), 8), "lengths": [2.0, 2.0, 1.0]}
    case = Case(grid=grid, flow=flow, time={"until": 1})
    assert case.flow.headline() == told
