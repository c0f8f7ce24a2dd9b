"""validation/lagrangian.py: its judges fail on wrong numbers, and what it keeps is what the page tells."""

import numpy as np
import pytest
from support.paths import made
from support.validations import imported, is_judged_as_the_page_tells, kept


@pytest.fixture(scope="module")
def judges():
    with imported("lagrangian_judges") as module:
        yield module


RIGHT = {
    "R_lambda": (38.0, 0.4),
    "energy": (1.0, 0.004),
    "a0": (1.30, 0.02),
    "eulerian_a0": (1.28, 0.02),
    "eulerian_a0_forced": (1.29, 0.02),
    "flatness": (9.5, 0.3),
    "eulerian_flatness": (9.4, 0.2),
    "zero": (2.2, 0.01),
    "T_L": (6.0, 0.1),
    "C0": (2.7, 0.03),
    "place": (4.5, 0.1),
    "pairs_over_ballistic": (0.98, 0.002),
    "pairs_over_batchelor": (0.8, 0.01),
    "D2": (3.0, 0.02),
    "cells": (0.179, 0.002),
    "p_of_uniformity": (0.4, 0.0),
}
WRONG = {
    "energy": 1.02,
    "a0": 1.1,
    "flatness": 6.0,
    "pairs_over_ballistic": 0.9,
    "D2": 2.9,
    "cells": 0.19,
    "p_of_uniformity": 1e-3,
}


def verdicts(judges, numbers):
    return [one.verdict for one in judges.judged(judges.Found(None, numbers)) if one.limit is not None]


UNJUDGED = {"eulerian_a0": 1.5, "T_L": 4.5, "C0": 2.0, "place": 3.0}  # their published numbers are unchecked


def test_right_numbers_pass_and_each_wrong_one_fails(judges):
    assert set(verdicts(judges, RIGHT)) == {"passed"}
    for name, value in WRONG.items():
        assert "FAILED" in verdicts(judges, RIGHT | {name: (value, RIGHT[name][1])}), name


@pytest.mark.parametrize("name", UNJUDGED)
def test_unchecked_numbers_are_told_and_not_judged(judges, name):
    def told(numbers):
        errors = judges.judged(judges.Found(None, numbers))
        return [error.value for error in errors if judges.UNCHECKED in error.what]

    wrong = RIGHT | {name: (UNJUDGED[name], RIGHT[name][1])}
    assert set(verdicts(judges, wrong)) == {"passed"}
    assert max(np.subtract(told(wrong), told(RIGHT))) > 0.1


def test_published_ranges_lie_between_the_reynolds_numbers(judges):
    assert judges.between(judges.C0, 38) == (2.5, 3.0)
    assert judges.between(judges.C0, 20) == (2.5, 3.0)
    low, high = judges.between(judges.C0, np.sqrt(38 * 90))
    assert (low, high) == pytest.approx((3.2, 3.6))
    assert judges.outside(2.0, 2.5, 3.0) == pytest.approx(0.25)
    assert judges.outside(3.3, 2.5, 3.0) == pytest.approx(0.1)
    assert judges.outside(2.7, 2.5, 3.0) == 0


def test_pairs_of_straight_flight_are_ballistic(judges):
    """Of particles that fly straight ⟨|r − r₀|²⟩ is ⟨|δu|²⟩ t² at all times."""
    rng = np.random.default_rng(1)
    v = np.broadcast_to(0.1 * rng.standard_normal((400, 3)), (60, 400, 3))
    x = rng.uniform(0, 2 * np.pi, (400, 3)) + v * 0.1 * np.arange(60)[:, None, None]
    tracks = made(x, 0.1, v, scales=(0.02, 1.0, 1.0))
    ratio, error = judges.of_pairs(tracks)["pairs_over_ballistic"]
    assert ratio == pytest.approx(1.0, rel=1e-9)
    assert error < 1e-9
    later = judges.after(tracks, 10, 20)
    np.testing.assert_array_equal(later.position, tracks.position[10:31])
    np.testing.assert_array_equal(later.velocity, tracks.velocity[10:31])


@pytest.mark.parametrize("file", kept("lagrangian-*.json"), ids=lambda one: one.stem)
def test_what_is_kept_is_judged_as_the_page_tells(judges, file):
    def judged(numbers):
        return judges.judged(judges.Found(None, {name: tuple(one) for name, one in numbers.items()}))

    is_judged_as_the_page_tells(file, judged)
