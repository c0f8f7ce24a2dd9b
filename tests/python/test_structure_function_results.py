"""Means over the axes and scaling exponents of structure functions that are made up here."""

import numpy as np
import pytest
import xarray as xr
from support.processes import equal
from whorl.base.errors import CaseError
from whorl.diagnostics.results.structure_functions import over_axes, scaling_exponents

ORDERS = np.arange(1.0, 9.0)
R = 0.1 * 2.0 ** np.arange(6)
ZETA = ORDERS / 9 + 2 * (1 - (2 / 3) ** (ORDERS / 3))  # She and Leveque 1994


def states(noise=0.0, times=200, seed=1, axes="xyz") -> xr.Dataset:
    """Powers of r, whose sizes go up and down in time and from order to order, not of r."""
    rng = np.random.default_rng(seed)
    law = R ** (ZETA[:, None] * 1.2)
    data = {}
    for axis in axes:
        sizes = np.exp(noise * rng.standard_normal((times, 1, len(ORDERS), len(R))))
        data[f"longitudinal_{axis}"] = (("time", "vector", "order", f"r_{axis}"), law * sizes)
    coords = {"time": equal(times - 1, 1.0), "vector": ["u"], "order": ORDERS}
    coords |= {f"r_{axis}": R for axis in axes}
    return xr.Dataset(data, coords)


def test_powers_have_their_exponents():
    found = scaling_exponents(states(), (0.1, 3.2))
    np.testing.assert_allclose(found["exponent"], ZETA, rtol=1e-12)
    assert found["exponent"].sel(order=3) == pytest.approx(1, rel=1e-12)
    assert np.abs(found["exponent_error"]).max() < 1e-12


def test_errors_are_those_of_repeated_measurements():
    repeated = [scaling_exponents(states(0.3, seed=seed), (0.2, 1.6)) for seed in range(40)]
    scatter = np.std([one["exponent"] for one in repeated], axis=0, ddof=1)
    told = np.mean([one["exponent_error"] for one in repeated], axis=0)
    others = ORDERS != 3
    assert np.abs(told[others] / scatter[others] - 1).max() < 0.35
    assert told[~others] < 1e-12


def test_exponents_are_of_the_separations_between():
    data = states()
    data["longitudinal_x"][:, :, 5, :2] *= 7
    inside = scaling_exponents(data, (0.4, 3.2))
    np.testing.assert_allclose(inside["exponent"], ZETA, rtol=1e-12)
    assert abs(scaling_exponents(data, (0.1, 3.2))["exponent"].sel(order=6) - ZETA[5]) > 0.01


@pytest.mark.parametrize("axes", ["xyz", "xz", "y"])
def test_the_mean_over_axes(axes):
    data = states(0.2, axes=axes)
    wanted = np.mean([data[f"longitudinal_{axis}"].values for axis in axes], axis=0)
    found = over_axes(data, "longitudinal")
    np.testing.assert_allclose(found, wanted, rtol=1e-14)
    np.testing.assert_array_equal(found["r"], R)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: over_axes(states(), "transverse"),
            "no structure functions transverse; known: longitudinal",
        ),
        (lambda: over_axes(states().assign_coords(r_y=2 * R), "longitudinal"), "differ from axis to axis"),
        (lambda: scaling_exponents(states(), (0.1, 0.15)), "two separations"),
        (lambda: scaling_exponents(states().isel(time=0), (0.1, 1)), "two states"),
        (lambda: scaling_exponents(states().sel(order=[1, 2]), (0.1, 1)), "third order"),
    ],
)
def test_what_is_refused(call, words):
    with pytest.raises(CaseError, match=words):
        call()
