"""Moments of increments against NumPy: along every axis, on any ranks and device."""

import numpy as np
import pytest
from support import flows
from support.programs import LENGTHS, POINTS, answered, case_of
from support.ranks import on_ranks, run_on
from support.twin import Twin
from whorl import _core
from whorl.diagnostics.options.wave_bins import linear_bins
from whorl.expressions.answers import answer
from whorl.expressions.increments import increments_of

pytestmark = pytest.mark.every_device

TEXTS = ("u.x + 0.3*y", "u.y*dz(u.z)", "u.z")


def found(world, texts, axis, separations, order=8, pairs=(), **options):
    """The moments of some texts over noise, and the values of the texts at the points."""

    def ask(questions, nodes):
        of_pairs = [(nodes[a], nodes[b]) for a, b in pairs]
        return questions.increment(increments_of(nodes, axis, separations, order, of_pairs)), nodes

    (wanted, nodes), answers, whole = answered(world, texts, ask, **options)
    return answers.moments(wanted), nodes, whole


def numpys(values, axis, separation):
    return np.roll(values, -separation, 2 - axis) - values


def agrees(moments, nodes, whole, axis, pairs=(), rtol=1e-12):
    """Whether all moments are those of NumPy."""
    assert moments.table.shape == (len(moments.of.separations), moments.of.moments)
    for s, separation in enumerate(moments.of.separations):
        increments = [numpys(values, axis, separation) for values in whole]
        for node, d in zip(nodes, increments, strict=True):
            wanted = [(np.abs(d) ** n).mean() for n in range(1, moments.of.order + 1)]
            np.testing.assert_allclose(moments.absolute(node)[:, s], wanted, rtol=rtol)
            odd = [(d**n).mean() for n in moments.of.odd_orders]
            scale = [wanted[n - 1] for n in moments.of.odd_orders]
            np.testing.assert_allclose(moments.signed(node)[:, s] / scale, np.divide(odd, scale), atol=rtol)
        for a, b in pairs:
            wanted, scale = (increments[a] * increments[b] ** 2), np.abs(increments[a]) * increments[b] ** 2
            np.testing.assert_allclose(
                moments.pair(nodes[a], nodes[b])[s] / scale.mean(), wanted.mean() / scale.mean(), atol=rtol
            )


@on_ranks()
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_moments_are_numpys(world, axis):
    pairs = [(0, 0), (0, 2), (2, 1)]
    separations = [1, 2, 5, (POINTS[axis] // 2), POINTS[axis] - 1]
    agrees(*found(world, TEXTS, axis, separations, pairs=pairs), axis, pairs)


@on_ranks(1, 3)
@pytest.mark.parametrize("order", range(1, 8))
def test_of_every_order(world, order):
    agrees(*found(world, ["u.x"], 1, [3], order), 1)


@on_ranks(1, 2, 4)
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("precision", flows.PRECISIONS)
@pytest.mark.parametrize("points", [(14, 20, 18), (8, 8, 8), (16, 6, 16)])
def test_odd_shapes_and_equal_axes(world, points, precision, axis):
    twin = Twin(points, LENGTHS, "phase-shift", "sphere")
    rtol = {"single": 2e-5, "double": 1e-12}[precision]
    agrees(*found(world, ["u.x", "dx(u.y)"], axis, [1, 3], twin=twin, precision=precision), axis, rtol=rtol)


@on_ranks(1, 2, 3)
@pytest.mark.parametrize("axis", [0, 1])
def test_in_two_dimensions(world, axis):
    agrees(*found(world, ["u.x", "u.y"], axis, [1, 4], twin=Twin((20, 12, 1), LENGTHS)), axis)


@on_ranks(1, 4)
@pytest.mark.parametrize("lines", ["fftw", "own"])
def test_whatever_the_lines_and_batches(world, lines):
    agrees(*found(world, TEXTS, 2, [2, 7], lines=lines, batches=3), 2)


@on_ranks(1, 2)
def test_the_pressure_is_transformed_back_and_swapped(world):
    agrees(*found(world, ["p", "dy(p)", "u.x - 1.0*mean(u.x*u.x)"], 2, [4]), 2)


@on_ranks(1, 2, 3)
def test_second_orders_are_those_of_the_spectra(world):
    twin = Twin(POINTS, LENGTHS)
    flow = flows.make(world, twin)
    flows.write(flow, flows.noise(twin))
    case = case_of()
    for axis, points in enumerate(POINTS):
        questions = case.planned.questions()
        node = questions.parser.parse("u.y").scalar
        separations = list(range(1, points // 2 + 1))
        wanted = questions.increment(increments_of([node], axis, separations, 2, []))
        width = 2 * np.pi / LENGTHS[axis]
        bins = linear_bins(f"k{'xyz'[axis]}", width, points // 2 + 2, axis)
        sums = questions.spectrum([(node, node)], bins.mode_axis())
        answers = answer(questions, flow, 0.0)
        spectrum = answers.spectrum(sums)
        n = np.arange(len(spectrum))
        from_modes = 2 * (1 - np.cos(2 * np.pi * np.outer(separations, n) / points)) @ spectrum
        np.testing.assert_allclose(answers.moments(wanted).absolute(node)[1], from_modes, rtol=1e-12)


@pytest.mark.mpi
@pytest.mark.only_cpu
def test_bits_do_not_depend_on_ranks_and_threads():
    (first,) = run_on(1, table_of, threads=1)
    for ranks, threads in [(1, 2), (2, 1), (3, 1), (4, 1), (6, 1)]:
        for table in run_on(ranks, table_of, threads=threads):
            assert table == first


def table_of(world, threads):
    return [found(world, TEXTS, axis, [1, 5], threads=threads)[0].table.tolist() for axis in range(3)]


@pytest.mark.only_cpu
@on_ranks(1, 2)
def test_what_does_not_fit_is_refused(world):
    for axis, separations, order, pairs in [
        (0, [24], 2, []),
        (0, [0], 2, []),
        (0, [], 2, []),
        (0, [1], 9, []),
        (0, [1], 0, []),
    ]:
        with pytest.raises(_core.Error):
            found(world, ["u.x"], axis, separations, order, pairs)
