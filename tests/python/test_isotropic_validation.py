"""validation/isotropic.py: its structure functions, its published numbers, and the page it writes."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

VALIDATION = Path(__file__).resolve().parents[2] / "validation"


@pytest.fixture(scope="module")
def validation():
    """The modules isotropic, isotropic_published and increments of validation/."""
    sys.path.insert(0, str(VALIDATION))
    try:
        import increments
        import isotropic
        import isotropic_published

        yield isotropic, isotropic_published, increments
    finally:
        sys.path.remove(str(VALIDATION))


@pytest.fixture(scope="module")
def runs(validation):
    found = validation[0].kept_results()
    assert found, "validation/results/ has none of isotropic.py"
    return found


def test_the_page_has_the_table_of_the_results(validation, runs):
    isotropic = validation[0]
    page = isotropic.PAGE.read_text(encoding="utf-8")
    assert f"{isotropic.BEGIN}\n{isotropic.page_table()}\n{isotropic.END}" in page


def test_the_results_have_the_errors_of_what_was_measured(validation, runs):
    isotropic, published, _ = validation
    for name, run in runs.items():
        kept = json.loads((isotropic.RESULTS / f"{name}.json").read_text(encoding="utf-8"))
        found = [isotropic.error_of(one, run["measured"]) for one in published.PUBLISHED]
        told = [(one.what, one.verdict) for one in found if one]
        assert told == [(one["what"], one["verdict"]) for one in kept["errors"]], name
        assert [one.value for one in found if one] == pytest.approx([one["value"] for one in kept["errors"]])
        assert kept["passed"] == all(verdict != "FAILED" for _, verdict in told)


def test_every_run_is_of_the_case_that_it_names(validation, runs):
    """A table of other runs than the page tells of would be a wrong one."""
    isotropic = validation[0]
    for name, run in runs.items():
        one, case = isotropic.VALIDATIONS[name], run["case"]
        design = isotropic.FORCED[one.of_design or one.begins_from].complete_case(Path(name))
        points = one.points or isotropic.FORCED[one.begins_from].case["grid"]["points"]
        assert case["grid"]["points"] == [points] * 3
        assert case["flow"]["viscosity"] == pytest.approx(design.flow.viscosity, rel=1e-12)
        assert run["turnovers"] >= one.averaged
        assert [each["kind"] for each in case["diagnostics"]] == list(isotropic.SETS)


def states_of(time, r, cubes, absolute):
    """Structure functions along x: signed third order, and absolute ones [order] over time and r."""
    return xr.Dataset(
        {
            "longitudinal_x": (
                ("time", "vector", "order", "r_x"),
                np.stack(list(absolute.values()), 1)[:, None],
            ),
            "signed_longitudinal_x": (("time", "vector", "odd_order", "r_x"), cubes[:, None, None]),
        },
        {"time": time, "order": list(absolute), "odd_order": [3], "r_x": r},
    )


def test_exponents_and_the_third_order_law(validation):
    """Power laws beyond 10 η give their exponents, whatever is below; −S₃/(εr) is a quotient of means."""
    increments = validation[2]
    generator = np.random.default_rng(3)
    time, r, eta = np.arange(40.0), np.linspace(0.1, 3.0, 30), 0.05
    level = np.exp(0.1 * generator.standard_normal(time.size))[:, None]
    epsilon = 1 + 0.2 * generator.standard_normal(time.size)
    cubes = -epsilon[:, None] * r * (0.8 - 0.1 * (r - 1) ** 2)
    absolute = {3: level * r**0.9, 4: (level * r**0.9) ** 1.28, 6: (level * r**0.9) ** 1.78}
    absolute[4][:, r < 0.45] *= 2
    states = states_of(time, r, cubes, absolute)
    found = increments.scaling(states, eta, epsilon)
    assert found["zeta_4"][0] == pytest.approx(1.28)
    assert found["zeta_6"][0] == pytest.approx(1.78)
    assert found["third_order"][0] == pytest.approx(0.8)
    assert found["third_order"][1] < 1e-12  # S₃ follows ε, so that their quotient is certain
    still = increments.scaling(states, eta, np.ones(40))
    assert still["third_order"][1] == pytest.approx(0.8 * epsilon.std() / np.sqrt(40), rel=0.4)


def test_how_far_outside_a_number_is(validation):
    published = validation[1]
    one = published.Published("", "", "", "", published.constant(-0.53, -0.49), (35, 170))
    assert one.outside(-0.5, 60) == 0
    assert one.outside(-0.583, 60) == pytest.approx(-0.1)
    assert one.outside(-0.441, 60) == pytest.approx(0.1)
    assert one.outside(-0.5, 200) is None
    wide = published.Published("", "", "", "", published.fit(lambda x: x / 10), accuracy=0.1)
    assert (wide.outside(9.1, 100), wide.outside(10.9, 100)) == (0, 0)
    assert wide.outside(12.1, 100) == pytest.approx(0.1)
    of_points = published.between((30, 4.0), (120, 6.0))
    assert of_points(60) == pytest.approx((5.0, 5.0))


def test_numbers_are_shown_with_two_digits_of_their_errors(validation):
    shown = validation[0].shown
    assert shown((-0.50263, 0.00124)) == "−0.5026 ± 0.0012"
    assert shown((37.87, 0.32)) == "37.87 ± 0.32"
    assert shown((120.4, 12.3)) == "120 ± 12"


def test_each_number_is_taken_from_its_set(validation):
    """A state in which every number of the sets is another one."""
    axis = {"time": [1.0, 2.0]}
    gradients = xr.Dataset(
        {"skewness": ("time", [-0.5, -0.5]), "flatness": ("time", [4.5, 4.5])}, coords=axis
    )
    dissipation = xr.Dataset(
        {"ratio": (("time", "quantity", "power"), np.tile([[2.0, 10.0], [3.5, 30.0]], (2, 1, 1)))},
        coords=axis | {"quantity": ["dissipation", "enstrophy"], "power": [2, 3]},
    )
    of_pressure = {"a0": 1.7, "friction": 0.6, "pressure_gradient": 20.0, "pressure_to_velocity": 0.9}
    moment = np.tile([[-1.1, 6.0], [0.1, 9.0]], (2, 1, 1))
    pressure = xr.Dataset(
        {name: ("time", [value, value]) for name, value in of_pressure.items()}
        | {"moment": (("time", "quantity", "order"), moment)},
        coords=axis | {"quantity": ["p", "unforced_acceleration.x"], "order": [3, 4]},
    )
    found = validation[0].of_states(gradients, dissipation, pressure)
    assert {name: float(values[0]) for name, values in found.items()} == pytest.approx(
        {
            "skewness": -0.5,
            "flatness": 4.5,
            "flatness_of_strain": 1.05,
            "dissipation": 1.0,
            "enstrophy": 2.5,
            "enstrophy_to_dissipation": 2.5,
            "a0": 1.7,
            "friction": 0.03,
            "pressure": 0.9,
            "pressure_skewness": -1.1,
            "pressure_flatness": 6.0,
        }
    )
    assert all(values.sizes == {"time": 2} for values in found.values())
