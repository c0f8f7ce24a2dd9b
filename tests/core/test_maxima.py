"""A value that is no number is seen in every maximum it is part of, wherever it is."""

import math

import numpy as np
import pytest
from support import flows, headers
from support.ranks import on_ranks
from support.twin import Twin


@on_ranks()
def test_a_maximum_over_ranks_is_nan_where_one_is(world):
    flow = flows.make(world, Twin((8, 16, 16)))
    for rank in range(world.size):
        here = world.rank == rank
        largest = flow.maximum(
            [math.nan if here else float(world.rank), float(world.rank), math.inf if here else -1.0]
        )
        assert math.isnan(largest[0])
        assert largest[1:] == [world.size - 1, math.inf]


@pytest.mark.every_device
@on_ranks()
@pytest.mark.parametrize("precision", flows.PRECISIONS)
def test_a_measured_maximum_of_a_field_with_a_nan_is_nan(world, precision):
    twin = Twin((12, 8, 16), viscosity=0.1)
    u = flows.noise(twin)
    u[1, 3, 5, 2] = np.nan
    flow = flows.make(world, twin, precision=precision, threads=3)
    flows.write(flow, u)
    assert math.isnan(flow.statistics()["maximum_divergence"])
    assert math.isnan(flow.step(1e-3).maximum_velocity)


LARGER = """
#include <cmath>
#include <cstdio>
#include "base/maximum.hpp"
#include "device/cpu.hpp"
using whorl::larger;
int main() {
    const double none = std::nan("");
    std::printf("%g %g %g ", larger(1, 2), larger(2, 1), larger(-HUGE_VAL, 3));
    for (const double value : {larger(none, 1), larger(1, none), larger(none, HUGE_VAL)})
        std::printf("%d", std::isnan(value));
    std::printf("\\n");
    // One of many values, whichever it is.
    for (int at = 0; at < 200; at += 33) {
        const auto found = whorl::device::Cpu(3).reduce(200, 1, 2, [&](std::int64_t i, double* values) {
            values[0] += 1;
            values[1] = larger(i == at ? none : static_cast<double>(i), values[1]);
            values[2] = larger(static_cast<double>(i), values[2]);
        });
        std::printf("%g %d %g\\n", found[0], std::isnan(found[1]), found[2]);
    }
}
"""


def test_no_reduction_loses_it(tmp_path):
    lines = headers.run(tmp_path, LARGER, "device/cpu.cpp").splitlines()
    assert lines == ["2 2 3 111", *["200 1 199"] * 7]
