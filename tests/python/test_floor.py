"""The floor of a right-hand side counts exactly the kept lines."""

import math
from itertools import product

import pytest
from whorl.config.case import Case
from whorl.config.truncation import kept_modes
from whorl.machine.floor import work


def case(points, **options):
    precision = options.pop("precision", "double")
    return Case(
        grid={"points": points} | options,
        flow={"viscosity": 1},
        time={"steps": 1},
        run={"precision": precision},
    )


def is_kept(n, points, dealias, shape):
    """Integer arithmetic: 3|n| or 4|n| < N on each axis, or Σ (n/N)² below 1/9 or 2/9."""
    if any(2 * abs(i) >= size and size > 1 for i, size in zip(n, points, strict=True)):
        return False
    if dealias == "none":
        return True
    if dealias == "2/3" and shape == "cube":
        return all(3 * abs(i) < size for i, size in zip(n, points, strict=True))
    if dealias == "1/2":
        return all(4 * abs(i) < size for i, size in zip(n, points, strict=True))
    common = math.prod(points) ** 2
    squares = sum(i * i * common // (size * size) for i, size in zip(n, points, strict=True))
    return 9 * squares < (1 if dealias == "2/3" else 2) * common


@pytest.mark.parametrize("points", [(12, 10, 14), (18, 6, 30), (8, 16, 1)])
@pytest.mark.parametrize(
    ("dealias", "shape"),
    [("2/3", "cube"), ("2/3", "sphere"), ("1/2", "cube"), ("phase-shift", "cube"), ("none", "cube")],
)
def test_kept_modes_against_a_count_in_integers(points, dealias, shape):
    nx, ny, nz = points
    counted = kept_modes(case(points, dealias=dealias, shape=shape))
    ys = range(-(ny // 2) + 1, ny // 2)
    zs = range(-(nz // 2) + 1, nz // 2) if nz > 1 else [0]
    for (row, y), x in product(enumerate(ys), range(nx // 2)):
        assert counted[row, x] == sum(is_kept((x, y, z), points, dealias, shape) for z in zs)


@pytest.mark.parametrize("points", [(12, 10, 14), (18, 1, 30)])
@pytest.mark.parametrize("bases", ["SFF", "SSF", "SSS"])
@pytest.mark.parametrize("dealias", ["2/3", "phase-shift", "none"])
def test_kept_modes_between_walls(points, bases, dealias):
    """Sines and cosines of m half waves are modes of twice the points, m ≥ 0."""
    walls = {axis: basis == "S" for axis, basis in zip("zyx", bases, strict=True)}
    flow = {"model": "rayleigh-benard", "rayleigh": 1e4, "prandtl": 1.0}
    grid = {"points": points, "bases": bases, "dealias": dealias, "lengths": 1}
    counted = kept_modes(Case(grid=grid, flow=flow, time={"steps": 1}))
    doubled = [2 * n if walls[axis] and n > 1 else n for axis, n in zip("xyz", points, strict=True)]
    ranges = {
        axis: range(n) if walls[axis] and n > 1 else range(-(n // 2) + 1, n // 2) if n > 1 else [0]
        for axis, n in zip("xyz", points, strict=True)
    }
    for (row, y), (column, x) in product(enumerate(ranges["y"]), enumerate(n for n in ranges["x"] if n >= 0)):
        kept = sum(is_kept((x, y, z), doubled, dealias, "cube") for z in ranges["z"])
        assert counted[row, column] == kept


def test_operations_of_a_cube_by_hand():
    kept, rows = 6, 11  # 3 |n| < 16: kx = 0…5, ky = −5…5
    operations = work(case(16)).operations
    line = 5 * 16 * 4
    assert operations == {16: line * (7 * kept * rows + 8 * kept * 16 + 0.5 * 8 * 16 * 16)}


def test_bytes_by_hand():
    """Of 12 × 18 × 24 points 3 |n| < N keeps kx = 0…3, ky = −5…5 and kz = −7…7.

    Three inputs and four fluxes are written and read on columns of 24; three components of the state are
    read once, and their register read and written.
    """
    columns = 4 * 11
    assert work(case((12, 18, 24))).bytes == 16 * (2 * 7 * columns * 24 + 3 * 3 * columns * 15)


def test_between_three_pairs_of_walls_coefficients_are_real():
    """3 m < 2 N keeps 8, 12 and 16 of 12 × 18 × 24 points; velocity and temperature are four components."""
    flow = {"model": "rayleigh-benard", "rayleigh": 1e4, "prandtl": 1.0}
    grid = {"points": (12, 18, 24), "bases": "SSS", "dealias": "2/3", "lengths": 1}
    walls = Case(grid=grid, flow=flow, time={"steps": 1}, run={"precision": "double"})
    columns = 8 * 12
    inputs, products, fluxes = 4, 8, 6
    found = work(walls)
    assert found.bytes == 8 * (2 * (inputs + fluxes) * columns * 24 + 3 * 4 * columns * 16)
    assert found.operations == {
        24: pytest.approx(0.5 * (inputs + fluxes) * columns * 5 * 24 * math.log2(24)),
        18: pytest.approx(0.5 * (inputs + products) * 8 * 24 * 5 * 18 * math.log2(18)),
        12: pytest.approx(0.5 * (inputs + products) * 18 * 24 * 5 * 12 * math.log2(12)),
    }


def test_exact_phase_shift_is_two_passes_and_single_precision_half_the_bytes():
    once, twice = work(case(16, dealias="phase-shift")), work(case(16, dealias="phase-shift-exact"))
    assert twice.operations == {16: 2 * once.operations[16]}
    assert twice.bytes == 2 * once.bytes
    assert work(case(16, dealias="phase-shift", precision="single")).bytes == once.bytes / 2


def test_the_larger_of_both_limits_is_the_floor():
    load = work(case((16, 32, 16)))
    rates = {16: 2e9, 32: 1e9}
    transforms = load.operations[16] / 2e9 + load.operations[32] / 1e9
    assert load.seconds(rates, 1e30) == pytest.approx(transforms, rel=1e-14)
    assert load.seconds(rates, 1.0) == load.bytes


def test_two_dimensions_have_no_lines_along_z():
    assert set(work(case((16, 32, 1))).operations) == {16, 32}
