"""Means over planes and lines of points against NumPy, on any ranks and device."""

import numpy as np
import pytest
from support import flows
from support.programs import LENGTHS, POINTS, answered, between_walls, case_of, expected
from support.ranks import on_ranks, run_on
from support.twin import Twin
from whorl import _core
from whorl.diagnostics.options.planes import PlaneMeans

pytestmark = pytest.mark.every_device

TEXTS = ("u.x*u.z", "exp(u.y) + 0.3*z", "0.1*y*mean(u.x*u.x)", "p")
ALONG = ("x", "y", "z", "xz", "yz", "yx")


def means(world, along, twin=None, **options):
    """The means of TEXTS, [text][position], and their values, [text][z][y][x]."""
    twin = twin or Twin(POINTS, LENGTHS)
    grid = case_of(twin.points, twin.lengths).grid

    def ask(questions, nodes):
        return PlaneMeans.ask(questions, grid, along, nodes)

    planes, answers, whole = answered(world, TEXTS, ask, twin, **options)
    return planes.of(answers), whole


def numpys(whole, along):
    """The means over the other axes, the axes that are left in the order of `along`."""
    numbers = {"x": 3, "y": 2, "z": 1}
    kept = [numbers[name] for name in along]
    found = whole.mean(tuple(axis for axis in (1, 2, 3) if axis not in kept))
    order = sorted(kept)
    return found.transpose(0, *(1 + order.index(axis) for axis in kept))


@on_ranks()
def test_means_are_numpys(world):
    for along in ALONG:
        found, whole = means(world, along)
        np.testing.assert_allclose(found, numpys(whole, along), rtol=1e-12, atol=1e-13)


@on_ranks(1, 2, 3)
@pytest.mark.parametrize("precision", flows.PRECISIONS)
@pytest.mark.parametrize("points", [(20, 12, 1), (14, 20, 18), (8, 6, 10)])
def test_odd_shapes(world, points, precision):
    tolerance = {"single": 2e-6, "double": 1e-13}[precision]
    for along in ("y", "z"):
        found, whole = means(
            world, along, Twin(points, LENGTHS, "phase-shift", "sphere"), precision=precision
        )
        np.testing.assert_allclose(found, numpys(whole, along), rtol=tolerance, atol=tolerance)


@on_ranks(1, 3)
@pytest.mark.parametrize("bases", ["SFF", "SSS"])
def test_between_walls(world, bases):
    simulation, evaluator, known = between_walls(world, bases)
    with simulation:
        wanted = expected(evaluator, known, "theta*u.z")
        for along in ("z", "xz", "zy"):
            found = simulation.diagnose("profile", of="theta*u.z", along=list(along))["profile"]
            assert found.dims == ("quantity", *along)
            np.testing.assert_allclose(found.values, numpys(wanted, along), rtol=1e-11, atol=1e-13)


@pytest.mark.mpi
@pytest.mark.only_cpu
def test_bits_do_not_depend_on_ranks_and_threads():
    (first,) = run_on(1, bits_of, threads=1)
    for ranks, threads in [(1, 2), (2, 1), (3, 1), (4, 1), (6, 1)]:
        for found in run_on(ranks, bits_of, threads=threads):
            assert found == first


def bits_of(world, threads):
    return [means(world, along, threads=threads)[0].tolist() for along in ("y", "z")]


@pytest.mark.only_cpu
@on_ranks(1, 2)
def test_what_does_not_fit_is_refused(world):
    flow = flows.make(world, Twin((8, 8, 8)))
    u = [[_core.Term(field=0)]]
    for count, planes in [(1, [0]), (1, [3]), (1, [1, 2])]:
        program = _core.Program(inputs=u, results=[0] * count)
        wanted = _core.Wanted(means=count, planes=planes)
        with pytest.raises(_core.Error, match="means over planes are means, across y or z"):
            flow.run_program(program, wanted, lambda *_: None)
