"""The state on fewer points: its modes, and products of two fields at small wavenumbers."""

import itertools

import numpy as np
import pytest
from support import devices, flows
from support.programs import case_of
from support.ranks import on_ranks
from whorl import _core
from whorl.base.ranks import MPI
from whorl.config.case import Grid
from whorl.config.narrowed import narrowed_grids, narrowed_points
from whorl.run.simulation import Simulation

POINTS, FEWER = (24, 20, 18), (10, 12, 8)


def inside(modes, points, part):
    """The modes (n_x, n_y, n_z) with Σ (n_i/N_i)² < part."""
    return [n for n in modes if sum((a / b) ** 2 for a, b in zip(n, points, strict=True)) < part - 1e-12]


def all_modes(points):
    x, y, z = (n // 2 for n in points)
    return [
        *itertools.product(range(1, x + 1), range(-y, y + 1), range(-z, z + 1)),
        *itertools.product((0,), range(-y, y + 1), range(-z, z + 1)),
    ]


def amplitudes(state, modes):
    """Of the three components, [component][mode]."""
    inputs = [[_core.Term(field=c)] for c in range(3)]
    found = np.empty(6 * len(modes))
    state.probe_modes(inputs, [list(n) for n in modes]).read(found)
    return found.view(complex).reshape(3, len(modes))


@on_ranks()
@pytest.mark.every_device
@pytest.mark.parametrize("precision", flows.PRECISIONS)
def test_the_modes_are_those_of_the_flow(world, precision):
    """Of both truncations; what the flow does not keep is zero."""
    case = case_of(
        initial={"name": "random", "k0": 4}, run={"precision": precision, "device": devices.current()}
    )
    with Simulation(case, comm=world) as state:
        narrow = state.flow.narrowed(FEWER)
        kept = inside(all_modes(FEWER), FEWER, 2 / 9)
        both = [n for n in kept if all(3 * abs(a) < b for a, b in zip(n, POINTS, strict=True))]
        assert len(both) > 50
        found = amplitudes(narrow, both)
        assert np.array_equal(found, amplitudes(state.flow, both))
        assert (np.abs(found).max(0) > 0).mean() > 0.9
        state.step()
        assert np.array_equal(amplitudes(state.flow.narrowed(FEWER), both), amplitudes(state.flow, both))
        wide = state.flow.narrowed((32, 20, 18))
        more = [n for n in inside(all_modes((32, 20, 18)), (32, 20, 18), 2 / 9) if n not in both]
        beyond = [n for n in more if any(3 * abs(a) >= b for a, b in zip(n, POINTS, strict=True))]
        assert len(beyond) > 50
        assert not amplitudes(wide, beyond).any()


@on_ranks(1, 2)
def test_forces_are_not_known_there(world):
    with Simulation(case_of(initial={"name": "random"}), comm=world) as state:
        narrow = state.flow.narrowed(FEWER)
        with pytest.raises(_core.Error, match="forces are not known on fewer points"):
            narrow.bring_force("velocity", 0.0)


def test_it_is_closed_with_the_flow():
    state = Simulation(case_of(initial={"name": "random"}), comm=MPI.COMM_SELF)
    narrow = state.flow.narrowed(FEWER)
    state.close()
    with pytest.raises(_core.Error, match="this flow is closed"):
        narrow.forget_products()


@pytest.mark.parametrize("dealias", ["2/3", "phase-shift"])
@pytest.mark.parametrize("points", [(64, 64, 64), (96, 48, 80), (128, 64, 1)])
def test_no_alias_is_seen(points, dealias):
    """Along each axis p + q ± N is beyond `highest`, and all that p needs is kept; sizes are few."""
    lengths = (2 * np.pi, 3.0, 5.0)
    grid = Grid(points=points, lengths=lengths, dealias=dealias)
    edges = np.linspace(0.7, 60, 300)
    grids = narrowed_grids(grid, edges)
    assert grids[-1] is None
    assert 2 < len(set(grids)) < 12
    found = [*zip(edges, grids, strict=True), *((edge, narrowed_points(grid, edge)) for edge in edges)]
    for highest, fewer in found:
        if fewer is None:
            continue
        assert np.prod(fewer) < 0.8 * 2 * np.prod(points)
        for few, many, length in zip(fewer, points, lengths, strict=True):
            assert few <= many
            if many == 1:
                continue
            most = highest * length / (2 * np.pi)  # |n| of what is seen, and of one factor
            assert 2 * most < np.sqrt(2) / 3 * few  # of the other factor, in the sphere that is kept
            assert few - 3 * most > most


def test_grids_with_aliases_stay():
    assert narrowed_points(Grid(points=64, dealias="none"), 2.0) is None
    assert narrowed_points(Grid(points=64), 2.0) == (10, 10, 10)
