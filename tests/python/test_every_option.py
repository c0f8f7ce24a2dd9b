"""Every option that is declared is used, with another value than its default, in a case that makes a step.

The options are listed from the declarations: of each model, kind of initial field, force, shape of a force,
diagnostic, probe and group of particles its own, so that a new one needs a line here.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from whorl.config.case import Case
from whorl.config.explain import models_at
from whorl.config.section import Section, tag_key, tag_of
from whorl.initial.options import InitialField
from whorl.models import MODELS
from whorl.run.simulation import Simulation

N = 12
USUAL = {"grid": {"points": N}, "flow": {"viscosity": 0.1}, "time": {"dt": 0.01, "steps": 1}}
ABC = {"name": "abc"}
FILE = "FILE"  # stands for the path of arrays, or of positions

# Models: each with all of its options; rivals in a case of their own.

LOSSES = {
    "hyperviscosity": 1e-4,
    "hyperviscosity_power": 3,
    "hypoviscosity": 0.1,
    "hypoviscosity_power": 2,
    "drag": 0.1,
    "viscosity": 0.1,
}
FRAME = LOSSES | {"rotation": [0.0, 0.0, 1.0], "mean_velocity": [1.0, 0.0, 0.0], "linear": "exact"}
WARM = {"temperature": {"name": "formula", "value": "0.01*sin(pi*z)"}}
PLATES = {"grid": {"points": N, "lengths": [2.0, 2.0, 1.0], "bases": "SFF"}}
FLAT = {"grid": {"points": [2 * N, N, 1]}}
FLUID = {"sound_speed": 1.0, "coherence_length": 0.4, "density": 2.0}
PSI = {"name": "formula", "value": ["sqrt(2) + 0.1*cos(x)", "0.1*sin(y)"]}
OF_MODELS = [
    {"flow": FRAME | {"model": "navier-stokes"}, "initial": ABC},
    FLAT
    | {
        "flow": LOSSES | {"model": "navier-stokes-2d", "beta": 0.5, "linear": "exact"},
        "initial": {"vorticity": {"name": "formula", "value": "cos(x)"}},
    },
    *(
        {"flow": FRAME | {"model": "boussinesq", "buoyancy_frequency": 1.0} | one, "initial": ABC | warm}
        for one, warm in (
            ({"diffusivity": 0.2}, {"temperature": {"name": "random", "k0": 2.0}}),
            ({"prandtl": 2.0}, {}),
        )
    ),
    *(
        PLATES
        | {"flow": {"model": "rayleigh-benard", "rayleigh": 1e3, "prandtl": 2.0} | one}
        | {"initial": {"name": "random", "k0": 2.0} | WARM}
        for one in ({"taylor": 10.0, "linear": "exact"}, {"rossby": 2.0})
    ),
    *(
        {
            "flow": FRAME | {"model": "mhd", "mean_field": [0.0, 0.0, 1.0]} | one,
            "initial": ABC | {"magnetic": {"name": "random", "k0": 2.0}},
        }
        for one in ({"resistivity": 0.2, "hall": 0.1}, {"magnetic_prandtl": 2.0})
    ),
    {
        "flow": {"model": "mhd", "viscosity": 0.1, "kinematic": True},
        "initial": ABC | {"magnetic": {"name": "roberts"}},
    },
    {
        "flow": FRAME | {"model": "quasi-static-mhd", "interaction": 1.0, "field_direction": [1.0, 0.0, 0.0]},
        "initial": ABC,
    },
    {"flow": FLUID | {"model": "gross-pitaevskii", "linear": "explicit"}, "initial": PSI},
    {
        "flow": {
            "model": "equations",
            "fields": {"u": "scalar", "v": "scalar"},
            "equations": ["dt(u) = -u*dx(u) + nu*lap(u)", "dt(v) = -u*dx(v) - dz(u)*dz(v) + nu*lap(v)"],
            "parameters": {"nu": 0.1},
            "sines": {"v": "z"},
            "linear": "explicit",
            "rate": "20*abs(u) + 20*abs(v)",
            "forms": "typed",
        },
        "grid": {"points": 8, "bases": "SFF"},
        "initial": {"name": "random", "k0": 2.0, "v": {"name": "random", "k0": 2.0}},
    },
    FLAT
    | {
        "flow": {
            "model": "equations",
            "fields": {"u": "plane velocity"},
            "equations": ["dt(u) = -advect(u, u) + nu*lap(u)"],
            "parameters": {"nu": 0.1},
            "dimensions": 2,
        },
        "initial": {"name": "random", "k0": 2.0},
    },
    {
        "flow": FLUID | {"model": "ginzburg-landau"},
        "initial": PSI | {"velocity": {"name": "taylor-green"}},
    },
]

# Initial fields, of the velocity and of a scalar.

OF_INITIAL_FIELDS = [
    {"initial": one}
    for one in (
        {"name": "taylor-green", "amplitude": 2.0},
        {"name": "abc", "A": 2.0, "B": 3.0, "C": 4.0},
        {"name": "roberts", "amplitude": 2.0},
        {"name": "kolmogorov", "amplitude": 2.0, "k_f": 2},
        {"name": "orszag-tang", "amplitude": 2.0},
        {"name": "random", "k0": 2.0, "energy": 2.0, "seed": 3},
        {"name": "random", "spectrum": [0.0, 1.0, 2.0]},
        {"name": "formula", "value": ["sin(y)", "sin(z)", "sin(x)"]},
        {"name": "from-file", "path": FILE},
        {"name": "zero"},
    )
]
OF_SCALARS = [
    {"initial": ABC, "scalars": [{"name": "dye", "initial": one} | about]}
    for one, about in (
        ({"name": "random", "k0": 2.0, "energy": 2.0, "seed": 3}, {"diffusivity": 0.2}),
        ({"name": "random", "spectrum": [0.0, 1.0, 2.0]}, {"schmidt": 2.0}),
        ({"name": "formula", "value": "sin(y)"}, {"gradient": [0.0, 0.0, 1.0]}),
        ({"name": "from-file", "path": FILE}, {}),
        ({"name": "zero"}, {}),
    )
]

# Forces, each with a name and a field.

NAMED = {"name": "own", "field": "velocity"}
BAND = {"k_min": 0.5, "k_max": 2.0, "modes": "horizontal"}
TARGET = {"kmax_eta": 0.5, "taylor_reynolds": 10.0, "dissipation": 2.0, "correlation": 0.2}
OF_FORCES = [
    {"initial": {"name": "random", "k0": 2.0}, "forcing": [NAMED | one]}
    for one in (
        {"kind": "stochastic", "variance": 1.0, "correlation_time": 0.1, "polarisation": "horizontal"} | BAND,
        {"kind": "stochastic", "power": 1.0, "correlation_time": 0.0, "interval": 0.001, "helicity": 0.5},
        {"kind": "stochastic", "power": 1.0, "correlation_time": 0.1, "peak": 1.0, "width": 0.5, "seed": 3},
        {"kind": "constant-power", "power": 1.0, "helicity_rate": 0.1} | BAND,
        {"kind": "constant-energy", "energy": 1.0} | BAND,
        {"kind": "constant-energy", "by_shell": True, "spectrum": [0.0, 1.0, 1.0]},
        {"kind": "alvelius", "power": 1.0, "k_f": 1.0, "width": 0.25, "polarisation": "helical", "seed": 3},
        {"kind": "alvelius", "power": 1.0, "k_f": 1.0, "modes": "horizontal"},
        {"kind": "linear", "rate": 0.1, "energy": 1.0, "k_min": 0.5, "k_max": 2.0},
        {"kind": "linear", "power": 1.0},
        {"kind": "lindborg", "power": 1.0, "k_f": 1.0, "width": 0.25, "seed": 3}
        | {"vertical": 0.1, "vertical_min": 1.0, "vertical_max": 2.0},
        {"kind": "noise", "power": 1.0, "interval": 0.001, "k_max": 2.0, "seed": 3},
        {"kind": "script"},
        *(
            {"kind": "steady", "amplitude": 2.0, "frequency": 1.0, "phase": 1.0, "shape": shape}
            for shape in (
                {"name": "taylor-green", "amplitude": 2.0},
                {"name": "abc", "A": 2.0, "B": 3.0, "C": 4.0},
                {"name": "roberts", "amplitude": 2.0},
                {"name": "kolmogorov", "amplitude": 2.0, "k_f": 2},
                {"name": "orszag-tang", "amplitude": 2.0},
                {"name": "formula", "value": ["sin(y)*cos(t)", "0", "0"]},
                {"name": "from-file", "path": FILE},
            )
        ),
    )
]
# It sets the viscosity.
DESIGNED = USUAL | {"flow": {}, "initial": ABC, "forcing": [{"kind": "stochastic", "target": TARGET}]}

# Diagnostics, each with a name and an interval.

SHELLS = {"shells": "logarithmic", "per_octave": 2}
WAVES = SHELLS | {"over": ["kperp", "angle"], "axis": "x", "sectors": 3}
SET = {"order": 4, "bins": 20}
DYED = {"scalars": [{"name": "dye", "initial": {"name": "formula", "value": "sin(y)"}}]}
CONDUCTING = {
    "flow": {"model": "mhd", "viscosity": 0.1},
    "initial": ABC | {"magnetic": {"name": "roberts"}},
}
OF_DIAGNOSTICS = [
    {"initial": ABC} | DYED | about | {"diagnostics": [{"name": "own", "every": "1 steps"} | one]}
    for one, about in (
        ({"kind": "pdf", "of": "u.x", "scale": "absolute", "bins": 20, "range": [-5.0, 5.0]}, {}),
        ({"kind": "moments", "of": "u", "order": 4}, {}),
        (
            {"kind": "joint-pdf", "of": ["u.x", "u.y"], "scale": ["absolute", "absolute"]}
            | {"bins": [20, 30], "range": [[-5.0, 5.0], [-4.0, 4.0]]},
            {},
        ),
        (
            {"kind": "conditional", "of": "u.x", "given": "u.y", "scale": "absolute", "bins": 20}
            | {"range": [-5.0, 5.0]},
            {},
        ),
        ({"kind": "profile", "of": "u", "along": ["x", "y"]}, {}),
        ({"kind": "spectrum", "of": "u", "times": "omega", "components": True, "pairs": True} | WAVES, {}),
        ({"kind": "spectrum", "of": "u", "density": True, "correct_shells": True}, {}),
        ({"kind": "correlation", "of": ["u", "dye"], "along": ["x"]}, {}),
        ({"kind": "transfer", "of": "energy", "components": True} | WAVES, {}),
        ({"kind": "shell-to-shell", "of": "u to u"} | SHELLS, {}),
        ({"kind": "ring-to-ring", "of": "u to u", "axis": "x", "sectors": 3} | SHELLS, {}),
        ({"kind": "triads", "of": "u to u", "modes": [[[1, 0, 0], [0, 1, 1]]]}, {}),
        (
            {"kind": "structure-functions", "of": ["omega"], "order": 4, "along": ["x"], "separations": "all"}
            | {"carried_by": "omega"},
            {},
        ),
        ({"kind": "slice", "of": ["u"], "normal": "y", "at": 0.8, "stride": 2}, {}),
        ({"kind": "line", "of": ["u"], "along": "x", "at": [0.8, 0.8], "stride": 2}, {}),
        (
            {"kind": "convection"},
            PLATES
            | {"flow": {"model": "rayleigh-benard", "rayleigh": 1e3, "prandtl": 1.0}}
            | {"initial": {"name": "zero"} | WARM},
        ),
        (
            {"kind": "stratification"},
            {"flow": {"model": "boussinesq", "viscosity": 0.1, "buoyancy_frequency": 1.0}},
        ),
        ({"kind": "gradients"} | SET, {}),
        ({"kind": "dissipation"} | SET, {}),
        ({"kind": "pressure"} | SET, {}),
        ({"kind": "scalars"} | SET, {}),
        ({"kind": "current"} | SET, CONDUCTING),
        (
            {"kind": "condensate"} | SET,
            {"flow": FLUID | {"model": "gross-pitaevskii"}, "initial": PSI, "scalars": []},
        ),
        (
            {"kind": "vortices", "threshold": 0.1, "least": 4, "most": 20},
            FLAT
            | {"flow": {"model": "navier-stokes-2d", "viscosity": 0.1}}
            | {"initial": {"name": "taylor-green"}},
        ),
    )
]

# Probes and particles, each with a name and an interval.

OF_PROBES = {
    "initial": ABC,
    "probes": [
        {"name": f"own{number}", "every": "2 steps", "of": "u"} | one
        for number, one in enumerate(
            (
                {"kind": "modes", "modes": [[1, 0, 0], [0, 0, 2]]},
                {"kind": "modes", "shells": "logarithmic", "per_octave": 2, "sample": 2},
                {"kind": "points", "positions": [[0.0, 1.0, 2.0]]},
                {"kind": "points", "first": [0.0, 0.0, 0.0], "last": [1.0, 2.0, 3.0], "points": 3},
            )
        )
    ],
}
PLACES = [
    {"count": 3, "seed": 4, "interpolation": "spline", "points": 6, "order": "particle", "of": ["u"]},
    {"positions": [[0.0, 1.0, 2.0]], "release": 0.005},
    {"lattice": [2, 2, 2]},
    {"count": 2, "pairs": [0.1, 0.2]},
    {"count": 2, "tetrahedra": [0.1]},
    {"count": 2, "plane": {"axis": "x", "position": 1.0}},
    {"path": FILE},
]
OF_PARTICLES = [
    CONDUCTING
    | {
        "particles": [
            {"name": f"own{number}", "every": "2 steps"} | place | own[number % len(own)]
            for number, place in enumerate(PLACES)
        ]
    }
    for own in (
        [{"kind": "tracer"}],
        [
            {"kind": "inertial", "response_time": 1.0, "gravity": [0.0, 0.0, -1.0]},
            {"kind": "inertial", "stokes_number": 50.0, "added_mass": 0.5, "velocity": [0.0, 0.0, 1.0]},
        ],
        [{"kind": "molecular", "diffusivity": 0.1}, {"kind": "molecular", "schmidt_number": 2.0}],
        [{"kind": "charged", "charge_to_mass": 1.0, "velocity": [0.0, 0.0, 1.0]}],
    )
]

# What is left: the grid, the time, the output and how it is computed.

OF_THE_REST = [
    {"initial": ABC, "grid": {"points": N, "lengths": [6.0, 5.0, 4.0], "shape": "sphere"}},
    {"initial": ABC, "grid": {"points": N, "dealias": "phase-shift", "shift_seed": 3}},
    {
        "initial": ABC,
        "time": {"courant": 0.3, "dt_max": 0.01, "scheme": "rk2", "until": 0.01, "tolerance": 0.1}
        | {"until_error": {"energy": 0.5}, "average_from": 0.005, "stop_when": "t > 0.005"},
    },
    {
        "initial": ABC,
        "output": {
            "directory": "DIRECTORY",
            "series_every": "1 steps",
            "spectra_every": "1 steps",
            "checkpoint_every": "1 steps",
            "snapshot_every": "1 steps",
            "fields": ["velocity", "speed = norm(u)"],
            "columns": {"largest": "max(norm(u))"},
            "snapshot_precision": "double",
            "checkpoint_files": 2,
            "checkpoint_precision": "single",
            "keep_checkpoints": 1,
            "patience": 10.0,
        },
    },
    {"initial": ABC, "output": {"directory": "DIRECTORY", "checkpoint_in_background": True}},
    {
        "initial": ABC,
        "run": {
            "precision": "single",
            "threads": 1,
            "process_grid": [1, 1],
            "batches": 2,
            "transport": "overlap",
            "wire": "single",
            "threading": "serialized",
            "variables_per_message": 1,
            "exchange_timeout": 100.0,
            "wall_time": "2 hours",
            "lines": "own",
            "gpu_aware": "no",
        },
    },
]
# There may be no GPU, and a build without its stand-in, so this is not run.
NOT_RUN = USUAL | {"initial": ABC, "run": {"device": "cpu-as-gpu", "compile": "never"}}

CASES = [
    USUAL | one
    for one in (
        *OF_MODELS,
        *OF_INITIAL_FIELDS,
        *OF_SCALARS,
        *OF_FORCES,
        *OF_DIAGNOSTICS,
        OF_PROBES,
        *OF_PARTICLES,
        *OF_THE_REST,
    )
]


def spot(place: str, key: str, section: type[Section], alternatives: list[type[Section]]) -> str:
    """The place of a table: of one among alternatives with the word that chooses it."""
    return f"{place}.{key}={tag_of(section)}" if len(alternatives) > 1 else f"{place}.{key}"


def declared(section: type[Section] = Case, place: str = "") -> Iterator[str]:
    """All options of a section and of its tables; of [scalars.initial] those of fields with one component."""
    for key in section.model_fields:
        tables = models_at(section, key)
        if not tables:
            yield f"{place}.{key}"
        for one in tables:
            of_vectors = place == ".scalars" and issubclass(one, InitialField) and not one.makes("dye")
            yield from () if of_vectors else declared(one, spot(place, key, one, tables))


def used(section: type[Section], values: dict[str, Any], place: str = "") -> Iterator[str]:
    """Those that a case has, unless their value is the default; words that choose a table count."""
    for key, value in values.items():
        tables = models_at(section, key)
        if not tables:
            field = section.model_fields[key]
            if key in ("kind", "model") or field.is_required() or value != field.default:
                yield f"{place}.{key}"
        for block in (value if isinstance(value, list) else [value]) if tables else ():
            word = block.get(tag_key(tables[0])) if len(tables) > 1 else None
            one = next((one for one in tables if len(tables) > 1 and tag_of(one) == word), tables[0])
            yield from used(one, block, spot(place, key, one, tables))


def test_every_option_is_used():
    found = {option for case in (*CASES, DESIGNED, NOT_RUN) for option in used(Case, filled(case))}
    assert sorted({*declared()} - found) == []


def test_every_field_of_every_model_has_an_initial_one():
    set_by = {
        (case["flow"].get("model", "navier-stokes"), name)
        for case in OF_MODELS
        for name, one in case["initial"].items()
        if isinstance(one, dict)
    }
    further = {
        (name, of) for name, model in MODELS.items() for of in model.state if of != model.first_field()
    }
    assert further - set_by == set()


def filled(case: dict[str, Any]) -> dict[str, Any]:
    """With the words by which models and initial fields are chosen by default."""
    flow, initial = {"model": "navier-stokes"} | case["flow"], {"name": "zero"} | case.get("initial", {})
    return case | {"flow": flow, "initial": initial}


def with_paths(value: Any, paths: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: with_paths(one, paths) for key, one in value.items()}
    if isinstance(value, list):
        return [with_paths(one, paths) for one in value]
    return paths.get(value, value) if isinstance(value, str) else value


@pytest.mark.parametrize("number", range(len(CASES)))
def test_a_case_with_them_makes_a_step(tmp_path, number):
    arrays = {name: np.random.default_rng(1).standard_normal((N, N, N)) for name in ("u", "v", "w", "dye")}
    np.savez(tmp_path / "fields.npz", **arrays)
    (tmp_path / "places.txt").write_text("1 2 3\n4 5 6\n")
    file = "places.txt" if "particles" in CASES[number] else "fields.npz"
    paths = {FILE: str(tmp_path / file), "DIRECTORY": str(tmp_path / "run")}
    case = Case(**with_paths(CASES[number], paths))
    script = any(force.kind == "script" for force in case.forcing)
    with Simulation(case, forcing=np.zeros((3, N, N, N)) if script else None) as simulation:
        simulation.run(progress=False)
        assert simulation.step_number >= 1
        assert all(np.isfinite(value) for name, value in simulation.statistics().items() if "energy" in name)


def test_what_is_not_run_is_a_case():
    assert Case(**NOT_RUN).run.device == "cpu-as-gpu"
    assert Case(**DESIGNED).flow.viscosity > 0
