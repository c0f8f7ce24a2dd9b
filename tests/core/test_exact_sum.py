"""The sum of double-precision numbers that is rounded once, against that of Python (math.fsum)."""

import math

import numpy as np
from support import headers

SUMS = """
#include <cstdio>
#include "base/exact_sum.hpp"
int main() {
    double term = 0;
    for (int terms = 0; std::scanf("%d", &terms) == 1;) {
        whorl::ExactSum sum;
        for (int i = 0; i < terms && std::scanf("%la", &term) == 1; ++i) sum.add(term);
        std::printf("%a\\n", sum.value());
    }
}
"""


def terms() -> list[list[float]]:
    """Terms of one size, of sizes that cancel, denormal ones, and ones with a carry through many digits."""
    rng = np.random.default_rng(1)
    alike = [list(rng.uniform(-1, 1, 50)) for _ in range(20)]
    apart = [list(rng.standard_normal(200) * 10.0 ** rng.integers(-300, 300, 200)) for _ in range(5)]
    cancelling = [[*some, *(-np.array(some[::-1])), 1e-30] for some in apart]
    denormal = [list(rng.integers(-(2**40), 2**40, 100) * 5e-324)]
    carried = [[2.0**52, *[1 - 2.0**-53] * 7, 2.0**-1074], [-(2.0**900), 2.0**-900], [-5e-324, 5e-324]]
    halves = [[1.0, 2.0**-53, tiny] for tiny in (0.0, 2.0**-300, -(2.0**-300))]
    return [*alike, *apart, *cancelling, *denormal, *carried, *halves]


def test_sums_are_rounded_once_and_tell_what_is_not_finite(tmp_path):
    lists = [*terms(), [1.0, math.nan, 1.0], [math.inf, -math.inf]]
    given = "\n".join(" ".join([str(len(one)), *(float(x).hex() for x in one)]) for one in lists)
    found = [float.fromhex(word) for word in headers.run(tmp_path, SUMS, given=given).split()]
    assert found[:-2] == [math.fsum(one) for one in lists[:-2]]
    assert np.isnan(found[-2:]).all()
