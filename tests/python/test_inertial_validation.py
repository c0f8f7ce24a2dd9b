"""validation/inertial.py: its judges fail on wrong numbers, and what it keeps is what the page tells."""

import numpy as np
import pytest
import xarray as xr
from support.validations import imported, is_judged_as_the_page_tells, kept


@pytest.fixture(scope="module")
def judges():
    with imported("inertial_judges") as module:
        yield module


def group(D2=2.6, enstrophy=0.9, stokes=0.2) -> dict[str, tuple[float, float]]:
    return {
        "D2": (D2, 0.02),
        "variance": (3.0, 0.05),
        "fall": (0.7, 0.05),
        "enstrophy": (enstrophy, 0.01),
        "work": (0.001, 0.01),
        "power": (2.0, 0.02),
        "stokes": (stokes, 0.0),
    }


RIGHT = {
    "flow": {"R_lambda": (38.0, 0.4), "variance": (8.0, 0.1)},
    "St = 0.2": group(),
    "St = 0.7": group(D2=2.3, stokes=0.7),
    "St = 2": group(stokes=2.0),
    "settling": group() | {"slip": (1.002, 0.002), "excess": (0.1, 0.02)},
    "bubbles": group(D2=1.5, enstrophy=1.5),
}
WRONG = [
    ("St = 0.7", "D2", 2.58),
    ("St = 0.2", "D2", 2.35),
    ("St = 2", "D2", 2.35),
    ("St = 0.2", "fall", 0.9),
    ("St = 0.7", "fall", 1.3),
    ("St = 2", "fall", 0.95),
    ("settling", "slip", 1.1),
    ("St = 0.7", "work", 0.1),
    ("settling", "work", -0.1),
]
# Others than the published ones, which are unchecked.
UNJUDGED = [
    ("St = 0.7", "D2", 2.45),
    ("St = 0.2", "enstrophy", 0.99),
    ("St = 2", "enstrophy", 1.1),
    ("bubbles", "enstrophy", 0.9),
    ("settling", "excess", 0.05),
    ("settling", "excess", -0.1),
]


def verdicts(judges, groups):
    found = judges.Found(groups, {}, {}, 0.05, np.ones(3))
    return [one.verdict for one in judges.judged(found) if one.limit is not None]


def test_right_numbers_pass_and_each_wrong_one_fails(judges):
    assert set(verdicts(judges, RIGHT)) == {"passed"}
    for name, key, value in WRONG:
        wrong = RIGHT | {name: RIGHT[name] | {key: (value, RIGHT[name][key][1])}}
        assert "FAILED" in verdicts(judges, wrong), (name, key)


@pytest.mark.parametrize(("name", "key", "value"), UNJUDGED)
def test_unchecked_results_are_told_and_not_judged(judges, name, key, value):
    def told(groups):
        errors = judges.judged(judges.Found(groups, {}, {}, 0.05, np.ones(3)))
        return [error.value for error in errors if judges.UNCHECKED in error.what]

    wrong = RIGHT | {name: RIGHT[name] | {key: (value, RIGHT[name][key][1])}}
    assert set(verdicts(judges, wrong)) == {"passed"}
    assert max(np.subtract(told(wrong), told(RIGHT))) > 0.1


def test_means_of_a_group_are_those_of_its_equation(judges):
    """Of particles that fall with their last velocity in a uniform flow, and of others about it."""
    tau, g, times, count = 0.2, -3.0, 12, 50
    rng = np.random.default_rng(2)
    u = 0.5 + rng.standard_normal((times, count, 3))
    apart = rng.standard_normal((times, count, 3))
    v = u + tau * np.array([0.0, 0.0, g]) + 0.1 * apart
    value = np.concatenate([u, np.full((times, count, 1), 6.0)], axis=-1)
    time = ("time", 0.1 * np.arange(times))
    data = xr.Dataset(
        {
            "velocity": (("time", "particle", "axis"), v),
            "value": (("time", "particle", "quantity"), value),
        },
        {"time": time, "quantity": ["u.x", "u.y", "u.z", judges.SQUARED]},
    )

    class Run:
        series = xr.Dataset({"enstrophy": ("time", np.full(times, 2.0))}, {"time": time})

    found = judges.of_group(Run, data, tau, g)
    assert found["enstrophy"] == (1.5, 0.0)
    shares = np.full(times, 1.0)
    shares[[0, -1]] = 0.5

    def mean(of):
        return float(np.average(of, weights=shares))

    assert found["variance"][0] == pytest.approx(mean(((0.1 * apart / tau) ** 2).sum(-1).mean(1) / 3))
    assert found["slip"][0] == pytest.approx(1 + 0.1 * mean(apart[..., 2].mean(1)) / (tau * g))
    assert found["excess"][0] == pytest.approx(mean(u[..., 2].mean(1)) / (tau * g))
    work = (-0.1 * apart / tau * v).sum(-1).mean(1)
    assert found["work"][0] == pytest.approx(mean(work))
    assert found["power"][0] == pytest.approx(mean((u * v).sum(-1).mean(1)) / tau)


def test_a_ratio_has_no_error_of_what_both_have(judges):
    """Both rise and fall together by far more than their ratio does."""
    rng = np.random.default_rng(3)
    time = 0.1 * np.arange(400)
    other = 5 + np.cumsum(rng.standard_normal(400)) / 10
    own = other * (0.5 + 0.01 * rng.standard_normal(400))
    ratio, error = judges.ratio_of(time, own, other)
    assert ratio == pytest.approx(0.5, abs=3e-3)
    assert 1e-4 < error < 2e-3


def test_each_group_falls_from_the_one_before_it(judges):
    rng, time = np.random.default_rng(4), 0.1 * np.arange(400)
    fluid = xr.DataArray(8 + rng.standard_normal(400) / 10, {"time": time}, ["time"])
    squares = {name: (time, of + rng.standard_normal(400) / 100) for name, of in (("a", 4.0), ("b", 1.0))}
    found = judges.falls(fluid, squares)
    assert {name: ratio for name, (ratio, _) in found.items()} == pytest.approx(
        {"a": 0.5, "b": 0.25}, rel=0.01
    )


def test_every_validation_is_kept():
    with imported("inertial") as inertial:
        assert {file.stem for file in kept("inertial-*.json")} == set(inertial.VALIDATIONS)


@pytest.mark.parametrize("file", kept("inertial-*.json"), ids=lambda one: one.stem)
def test_what_is_kept_is_judged_as_the_page_tells(judges, file):
    def judged(numbers):
        groups: dict[str, dict] = {}
        for name, one in numbers.items():
            of, key = name.rsplit(" ", 1)
            groups.setdefault(of, {})[key] = tuple(one)
        return judges.judged(judges.Found(groups, {}, {}, 0.05, np.ones(3)))

    is_judged_as_the_page_tells(file, judged)
