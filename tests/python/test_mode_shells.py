"""The modes of shells: all that are kept, one of each k and −k, or a sample spread over the shell."""

from itertools import product

import numpy as np
import pytest
from whorl.config.case import Case
from whorl.config.wavenumbers import check_kept, complete_wavenumber, smallest_wavenumbers
from whorl.probes.mode_shells import SLACK, modes_of_shells

EDGES = (0.0, 2.0, 4.0, 9.0)
MOST = 100_000
POINTS, LENGTHS = (24, 20, 18), (2 * np.pi, 3.0, 5.0)
GRIDS = {
    "box": {"points": POINTS, "lengths": LENGTHS},
    "sphere": {"points": POINTS, "lengths": LENGTHS, "dealias": "phase-shift"},
    "plane": {"points": (24, 20, 1), "lengths": LENGTHS},
    "plates": {"points": POINTS, "lengths": (6.0, 3.0, 1.0), "bases": "SFF"},
    "walls": {"points": (16, 1, 16), "lengths": (6.0, 3.0, 1.0), "bases": "SSS"},
}


def grid_of(name):
    flow = {"viscosity": 0.1}
    if name in ("plates", "walls"):
        flow = {"model": "rayleigh-benard", "rayleigh": 1e4, "prandtl": 1.0}
    return Case(grid=GRIDS[name], flow=flow, time={"until": 1.0}).grid


def kept_of(grid) -> dict[tuple[int, int, int], int]:
    """The shell of every kept mode, by trying each."""
    found = {}
    walls = [basis == "S" for basis in reversed(grid.bases)]
    sides = [
        range(0 if wall else -n, n + 1) if n > 1 else (0,) for n, wall in zip(grid.points, walls, strict=True)
    ]
    for mode in product(*sides):
        k = np.linalg.norm(np.array(smallest_wavenumbers(grid)) * mode)
        shell = int(np.searchsorted(np.array(EDGES) * (1 - SLACK), k, side="right")) - 1
        if shell == len(EDGES) - 1:
            continue
        try:
            check_kept(grid, mode, "")
        except ValueError:
            continue
        found[mode] = shell
    return found


def opposite(grid, mode):
    """The mode of the conjugate coefficient; along walls the wavenumber has no sign."""
    return tuple(n if basis == "S" else -n for n, basis in zip(mode, reversed(grid.bases), strict=True))


@pytest.mark.parametrize("name", GRIDS)
def test_all_modes_of_shells(name):
    grid = grid_of(name)
    wanted = kept_of(grid)
    modes, shell = modes_of_shells(grid, EDGES, None, False, MOST)
    half = dict(zip(map(tuple, modes.tolist()), shell.tolist(), strict=True))
    assert len(half) == len(modes)
    assert {mode: wanted[mode] for mode in half} == half
    assert half.keys() | {opposite(grid, mode) for mode in half} == wanted.keys()
    own = {mode for mode in wanted if opposite(grid, mode) == mode}
    assert half.keys() & {opposite(grid, mode) for mode in half} == own
    if grid.bases == "FFF":
        modes, shell = modes_of_shells(grid, EDGES, None, True, MOST)
        assert len(modes) == len(wanted)
        assert dict(zip(map(tuple, modes.tolist()), shell.tolist(), strict=True)) == wanted


@pytest.mark.parametrize("both", [False, True])
def test_a_sample_is_a_part_of_the_shell_that_is_spread_over_it(both):
    grid = Case(grid={"points": 64}, flow={"viscosity": 0.1}, time={"until": 1.0}).grid
    edges = (0.5, 1.5, 9.5, 10.5)
    every, shells = modes_of_shells(grid, edges, None, both, MOST)
    some, of = modes_of_shells(grid, edges, 60, both, MOST)
    assert {*map(tuple, some.tolist())} < {*map(tuple, every.tolist())}
    assert len({*map(tuple, some.tolist())}) == len(some)
    assert np.bincount(of).tolist() == [min(60, count) for count in np.bincount(shells)]
    outer = some[of == 2]
    cosines = outer**2 / (outer**2).sum(1, keepdims=True)
    np.testing.assert_allclose(cosines.mean(0), 1 / 3, atol=0.05)


def test_what_is_too_much_is_refused():
    grid = grid_of("box")
    with pytest.raises(ValueError, match="have 529 modes, more than 500; give a sample"):
        modes_of_shells(grid, EDGES, None, False, 500)
    with pytest.raises(ValueError, match="are 300, more than 200"):
        modes_of_shells(grid, tuple(np.linspace(0, 9, 301).tolist()), None, False, MOST)


def test_modes_of_a_large_grid_are_found_without_a_list_of_all():
    """Some 10⁹ of them; shells at their edge hold 10⁷."""
    grid = Case(grid={"points": 2048}, flow={"viscosity": 0.1}, time={"until": 1.0}).grid
    modes, shell = modes_of_shells(grid, (600.0, 601.0, 602.0), 30, False, MOST)
    k = np.sqrt((modes.astype(float) ** 2).sum(1))
    assert len(modes) == 60
    assert np.all((k >= 600 + shell) & (k < 601 + shell))


@pytest.mark.parametrize("name", GRIDS)
def test_shells_are_complete_up_to_the_first_mode_that_is_not_kept(name):
    """By trying each; on an edge itself modes are not kept."""
    grid = grid_of(name)
    unit = np.array(smallest_wavenumbers(grid))
    sides = [range(n + 1) if n > 1 else (0,) for n in grid.points]

    def is_kept(mode):
        try:
            check_kept(grid, mode, "it holds")
        except ValueError:
            return False
        return True

    lacking = min(np.linalg.norm(unit * mode) for mode in product(*sides) if not is_kept(mode))
    limit = complete_wavenumber(grid)
    assert limit <= lacking * (1 + 1e-9)
    # Between what is kept along an axis and the next mode; of a box just there.
    assert limit > lacking - unit.max()
    if name != "sphere":
        assert limit == pytest.approx(lacking)
