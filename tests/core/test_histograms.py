"""Histograms of expressions against NumPy: every point is counted once, on any ranks and device."""

import numpy as np
import pytest
from support import flows
from support.programs import LENGTHS, POINTS, answered
from support.ranks import on_ranks, run_on
from support.twin import Twin
from whorl import _core
from whorl.expressions.histogram import BEYOND, Histogram

pytestmark = pytest.mark.every_device


def counted(world, axes, bins, weights=(), **options):
    """The histogram of some texts over noise, and the values of the texts at the points."""

    def ask(questions, nodes):
        return questions.histogram(
            Histogram(tuple(nodes[: len(axes)]), tuple(bins), tuple(nodes[len(axes) :]))
        )

    histogram, answers, whole = answered(world, (*axes, *weights), ask, **options)
    return answers.histogram(histogram), whole.reshape(len(whole), -1)


def cell_of(values, bins):
    """The cells by NumPy: bins, then below, above and not a number."""
    cells = np.full(values.shape, bins + 2)
    cells[values < 0] = bins
    cells[values >= bins] = bins + 1
    inside = (values >= 0) & (values < bins)
    cells[inside] = np.floor(values[inside])
    return cells


@on_ranks()
def test_counts_are_numpys(world):
    # The last is NaN at half of the points.
    for text, bins in [("5 + 2*u.x", 10), ("3*dx(u.y)", 7), ("2 + x*u.z", 1), ("10*log(u.x)", 30)]:
        found, (values,) = counted(world, [text], [bins])
        wanted = np.bincount(cell_of(values, bins), minlength=bins + BEYOND)
        assert found.counts.tolist() == wanted.tolist(), text
        assert found.counts.sum() == np.prod(POINTS)
        assert found.outside == wanted[bins:].sum()


@on_ranks()
def test_joint_counts_and_sums_are_numpys(world):
    bins = (9, 14)
    found, (a, b, c, d) = counted(
        world, ["4 + 2*u.x", "7 + 3*dz(u.z)"], bins, ["u.y*u.x", "exp(u.z)"], batches=2
    )
    cells = cell_of(a, bins[0]) * (bins[1] + BEYOND) + cell_of(b, bins[1])
    size = (bins[0] + BEYOND) * (bins[1] + BEYOND)
    assert found.counts.ravel().tolist() == np.bincount(cells, minlength=size).tolist()
    for sums, weights in zip(found.sums, (c, d), strict=True):
        wanted = np.bincount(cells, weights, minlength=size)
        assert np.abs(sums.ravel() - wanted).max() < 1e-10 * np.abs(wanted).max()


@on_ranks(1, 2, 3)
@pytest.mark.parametrize("points", [(20, 12, 1), (14, 20, 18), (8, 6, 10)])
def test_rows_that_do_not_fill_a_block(world, points):
    found, (values, weights) = counted(
        world, ["3 + u.x"], [6], ["u.y"], twin=Twin(points, LENGTHS, "phase-shift"), precision="single"
    )
    assert found.counts.sum() == np.prod(points)
    assert found.counts.tolist() == np.bincount(cell_of(values, 6), minlength=6 + BEYOND).tolist()
    assert abs(found.sums[0].sum() - weights.sum()) < 1e-9 * np.abs(weights).sum()


@on_ranks(1, 2)
def test_more_cells_than_a_block_has_memory_for(world):
    found, (a, b) = counted(world, ["400 + 200*u.x", "400 + 100*u.y"], [800, 800])
    cells = cell_of(a, 800) * (800 + BEYOND) + cell_of(b, 800)
    assert np.array_equal(found.counts.ravel(), np.bincount(cells, minlength=(800 + BEYOND) ** 2))


@pytest.mark.mpi
@pytest.mark.only_cpu
def test_bits_do_not_depend_on_ranks_and_threads():
    (first,) = run_on(1, sums_of, threads=1)
    for ranks, threads in [(1, 2), (2, 1), (3, 1), (4, 1), (6, 1)]:
        for counts, sums in run_on(ranks, sums_of, threads=threads):
            assert counts == first[0]
            assert sums == first[1]


def sums_of(world, threads):
    found, _ = counted(world, ["3 + u.x"], [5], ["exp(u.y)", "u.z/(u.x*u.x)"], threads=threads)
    return found.counts.tolist(), [sums.tolist() for sums in found.sums]


@pytest.mark.only_cpu
@on_ranks(1, 2)
def test_weights_that_are_not_finite_spoil_their_cell_alone(world):
    found, (values, weights) = counted(world, ["3 + u.x"], [6], ["log(u.x)"])
    negative = cell_of(values[values < 3], 6)
    for cell, total in enumerate(found.sums[0]):
        assert np.isnan(total) == (cell in negative)
    assert np.isnan(weights).any()


@pytest.mark.only_cpu
@on_ranks(1, 2)
def test_histograms_that_do_not_fit_are_refused(world):
    flow = flows.make(world, Twin((8, 8, 8)))
    u = [[_core.Term(field=0)]]
    for bins, words in [
        ([0], "unknown shape"),
        ([1 << 21], "unknown shape, or more cells than"),
        ([1 << 13, 1 << 13], "unknown shape, or more cells than"),
    ]:
        program = _core.Program(inputs=u, results=[0] * len(bins))
        wanted = _core.Wanted(histograms=[_core.HistogramShape(bins=bins)])
        with pytest.raises(_core.Error, match=words):
            flow.run_program(program, wanted, lambda *_: None)
    with pytest.raises(_core.Error, match="one or two axes"):
        _core.HistogramShape(bins=[4, 4, 4])
    wanted = _core.Wanted(histograms=[_core.HistogramShape(bins=[4], weights=1)])
    with pytest.raises(_core.Error, match="has 1 results and 1 inputs, which do not fit"):
        flow.run_program(_core.Program(inputs=u, results=[0]), wanted, lambda *_: None)
