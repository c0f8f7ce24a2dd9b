"""Units are what they are said to be: the same flow in other units of length, time and density.

Every option, field, column and spectrum is multiplied by what its declared unit asks for, and every quantity
of a model by the unit that follows from its expression. The units differ by powers of two, so that the two
runs differ by next to nothing.
"""

import math
import re
from math import prod

import numpy as np
import pytest
from whorl.config.case import Case
from whorl.config.measures import quantities, spectra_columns, state_fields
from whorl.config.outputs import FILES
from whorl.expressions.parse import Parser
from whorl.expressions.vocabulary import vocabulary
from whorl.models import MODELS
from whorl.run.simulation import Simulation

SCALE = {"length": 4.0, "time": 2.0, "density": 16.0}
POWERS = {"²": 2, "³": 3, "⁴": 4, "⁶": 6, "": 1}
# Rayleigh-Bénard convection measures in distances and differences of its plates, typed equations in nothing.
SCALED = [name for name in MODELS if name not in ("rayleigh-benard", "equations")]
STEPS = 3
NOTHING = ("transfer_velocity",)  # of the velocity that ginzburg-landau is driven by, which stays as it is
# Operations and functions of the language, of flows with a velocity; units of all of them are known.
OF_VELOCITY = {
    "power": "mean(abs(u.x)**1.5)",
    "root": "mean(sqrt(norm(lap(u))))",
    "both": "rms(u.x*dy(u.y) - dot(u, curl(u))/3)",
    "inverse": "rms(inv_lap(div(div(outer(u, u)))))",
    "tensor": "mean(norm(strain(u) @ rotation(u)))",
    "third": "std(det(grad(u)) + dx(u.y)**3)**0.75",
    "flatness": "mean(u.x**4)/mean(u.x**2)**2",
    "moment": "max(norm(cross(vector(x, y, 0), u)))",
    "limited": "mean(maximum(u.x, 0) + where(u.y > 0, u.y, hypot(u.x, u.y)))",
    "smooth": "rms(filter(u.x, 0.5*2*pi/Lx) + average(u.y, Lx/10))",
    "shared": "covariance(u, curl(curl(u)))*correlation(u.x, u.y)",
}


def factor(unit: str, p: int = 0, q: int = 0) -> float:
    """What a number of this unit is multiplied by; p and q stand in some exponents."""
    above, _, below = unit.partition("/")
    return _product(above, p, q) / _product(below.strip("()"), p, q)


def _product(text: str, p: int, q: int) -> float:
    return prod(_single(word, p, q) for word in text.split() if word != "1")


def _single(word: str, p: int, q: int) -> float:
    root, name, power = re.fullmatch(r"(√?)([a-z]+?)([²³⁴⁶]|\^2[pq]|\^[0-9.]+|)", word).groups()
    exponent = 2 * {"p": p, "q": q}[power[-1]] if power[-1:] in ("p", "q") else _exponent(power)
    return SCALE[name] ** (exponent / 2 if root else exponent)


def _exponent(power: str) -> float:
    return float(power[1:]) if power.startswith("^") else POWERS[power]


@pytest.mark.parametrize(
    ("unit", "value"),
    [
        ("", 1),
        ("length^1.5/time^0.5", 8 / 2**0.5),
        ("1/time", 1 / 2),
        ("length²/time³", 2),
        ("1/(length² time²)", 1 / 64),
        ("√density", 4),
    ],
)
def test_the_parser_of_this_test(unit, value):
    assert factor(unit) == value


def in_other_units(section) -> dict:
    """The options of a section in the other units."""
    powers = {
        "p": getattr(section, "hyperviscosity_power", 0),
        "q": getattr(section, "hypoviscosity_power", 0),
    }
    result = {}
    for name, field in type(section).model_fields.items():
        value, unit = getattr(section, name), (field.json_schema_extra or {}).get("unit")
        if unit and unit != "seconds" and value is not None:
            by = factor(unit, **powers)
            value = tuple(by * part for part in value) if isinstance(value, tuple) else by * value
        result[name] = value
    return result


def case_of(model: str, **flow) -> Case:
    """Every option that has a unit and may be left out is given, too."""
    about = MODELS[model]
    given = dict(about.example["flow"])
    for name, field in about.model_fields.items():
        if (field.json_schema_extra or {}).get("unit") and name not in given and field.default is not None:
            given[name] = [0.1, 0.2, 0.3] if isinstance(field.default, tuple) else 0.1
    flat = about.must_be_flat
    return Case(
        grid={"points": [16, 20, 1] if flat else [16, 20, 12], "lengths": [3.0, 4.0, 5.0]},
        flow={"model": model} | given | flow,
        time={"dt": 0.001, "steps": STEPS},
        scalars=[{"name": "dye", "diffusivity": 0.1, "gradient": [0.5, 0.25, 0.0]}] if about.viscous else [],
        output={"fields": list(about.outputs)},
    )


def with_expressions(case: Case) -> Case:
    """The case with a column for each quantity, and for operations on the velocity."""
    parser, columns = Parser(vocabulary(case)), {}
    for name in quantities(case):
        value = parser.parse(name)
        if not all(node.uniform for node in value.nodes()):
            columns[f"of_{name}"] = f"mean(norm({name}))" if value.rank else f"rms({name})"
    if "velocity" in case.flow.outputs and case.flow.viscous:
        columns |= OF_VELOCITY
    return case.updated([], output={"columns": columns})


def initial(case: Case, lengths) -> dict:
    """Some waves of every field of the state, in its unit; psi must not vanish."""

    def field_of(name, field):
        rng = np.random.default_rng(len(name))
        waves = rng.integers(-2, 3, (field.components, 6, 3))
        phases = rng.uniform(0, 2 * math.pi, (field.components, 6))
        by = factor(field.unit) if tuple(lengths) != (3.0, 4.0, 5.0) else 1.0

        def function(x, y, z):
            at = [2 * math.pi * place / length for place, length in zip((x, y, z), lengths, strict=True)]
            return [
                by
                * sum(
                    0.2 * np.cos(sum(n * r for n, r in zip(wave, at, strict=True)) + phase)
                    for wave, phase in zip(*component, strict=True)
                )
                + by * (name == "psi")
                for component in zip(waves, phases, strict=True)
            ]

        return function

    return {name: field_of(name, field) for name, field in state_fields(case).items()}


def run(case: Case) -> Simulation:
    simulation = Simulation(case, initial(case, case.grid.lengths))
    simulation.run(progress=False)
    return simulation


@pytest.mark.parametrize("model", SCALED)
def test_a_flow_in_other_units(model):
    case = with_expressions(case_of(model))
    scalars = [in_other_units(scalar) | {"initial": None} for scalar in case.scalars]
    other = Case(
        grid=in_other_units(case.grid),
        flow=in_other_units(case.flow),
        time=in_other_units(case.time),
        scalars=[{key: value for key, value in scalar.items() if value is not None} for scalar in scalars],
        output={"fields": list(case.output.fields), "columns": case.output.columns},
    )
    one, two = run(case), run(other)
    of_series = FILES["series"].columns_of(case)
    assert not [column.name for column in of_series if "case" in column.unit]
    for table, columns in (("series", of_series), ("spectra", spectra_columns(case))):
        for column in columns:
            ours, theirs = (getattr(each, table)[column.name].values[-1] for each in (one, two))
            assert np.any(ours != 0) or column.name in NOTHING, f"{column.name} is 0 and tells nothing"
            expected = ours * factor(column.unit)
            assert np.allclose(theirs, expected, rtol=1e-9, atol=1e-12 * np.abs(expected).max()), column
            assert getattr(one, table)[column.name].attrs["units"] == (column.unit or "1")
    assert np.allclose(two.spectra["k"], one.spectra["k"] * factor("1/length"), rtol=1e-12)
    for name, field in case.flow.outputs.items():
        ours, theirs = one.field(name), two.field(name)
        assert np.allclose(theirs, ours * factor(field.unit), rtol=0, atol=1e-9 * np.abs(theirs).max()), name


def test_columns_of_convection():
    """In units of the plates' distance and the free fall's time."""
    about = MODELS["rayleigh-benard"]
    own = {c.name: c.unit for c in about.columns if not c.name.startswith("nusselt")}
    kept = {name: unit for name, unit in own.items() if "thermal" in name or "convective" in name}
    assert kept == {"thermal_variance": "", "thermal_dissipation": "1/time", "convective_flux": "length/time"}
    assert {c.unit for c in about.columns if c.name.startswith("nusselt")} == {""}
