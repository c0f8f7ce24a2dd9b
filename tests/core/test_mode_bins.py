"""Sums over the modes by bins of their wavenumber, against NumPy."""

import numpy as np
import pytest
from support import flows
from support.programs import LENGTHS, POINTS, answered
from support.ranks import on_ranks
from support.twin import Twin
from whorl import _core
from whorl.diagnostics.options.wave_bins import linear_bins
from whorl.expressions.histogram import ModeAxis

ROUNDING = 2e-7
K = [2 * np.pi / length for length in LENGTHS]
EDGES = (0.0, 1.0, 2.0, 2.5, 5.0, 7.5)
SECTORS = (0.0, 0.4, 0.9, 1.3, np.inf)
SHELLS, PLANES = linear_bins("k", 1.0, 9).mode_axis(), linear_bins("ky", K[1], 7, 1).mode_axis()
BINS = {
    "shells": (SHELLS,),
    "shells that begin beyond 0": (ModeAxis("size", EDGES[1:]),),
    "planes across y": (PLANES,),
    "cylinders about z": (ModeAxis("across", EDGES, 2),),
    "cylinders about x": (ModeAxis("across", EDGES, 0),),
    "sectors about y": (ModeAxis("angle", SECTORS, 1),),
    "rings about z": (SHELLS, ModeAxis("angle", SECTORS, 2)),
    "discs of cylinders": (ModeAxis("across", EDGES, 1), PLANES),
}


def wavenumbers(twin: Twin) -> np.ndarray:
    """kx, ky, kz of all modes, [z][y][x]."""
    waves = [2 * np.pi * np.fft.fftfreq(n, d / n) for n, d in zip(twin.points, twin.lengths, strict=True)]
    kz, ky, kx = np.meshgrid(*reversed(waves), indexing="ij")
    return np.array([kx, ky, kz])


def bin_of(axis: ModeAxis, k: np.ndarray) -> np.ndarray:
    """The bin of each mode, the number of bins for what is beyond."""
    along = np.abs(k[axis.axis])
    across = np.sqrt(sum(k[a] ** 2 for a in range(3) if a != axis.axis))
    value = {
        "size": np.sqrt((k**2).sum(0)),
        "along": along,
        "across": across,
        "angle": np.arctan2(across, along),
    }[axis.of]
    edges = np.array(axis.edges) * (1 - ROUNDING)
    found = np.searchsorted(edges, value, side="right") - 1
    return np.where((found < 0) | (found >= len(edges) - 1), len(edges) - 1, found)


def summed(axes: tuple[ModeAxis, ...], k: np.ndarray, terms: np.ndarray) -> np.ndarray:
    """The sums by bin, without what is beyond."""
    sizes = [len(axis.edges) for axis in axes]
    cells = np.ravel_multi_index([bin_of(axis, k) for axis in axes], sizes)
    sums = np.bincount(cells.ravel(), terms.ravel(), minlength=int(np.prod(sizes))).reshape(sizes)
    return sums[tuple(slice(-1) for _ in axes)]


@pytest.mark.every_device
@on_ranks()
@pytest.mark.parametrize("precision", ["double", "single"])
def test_sums_by_bin_are_numpys(world, precision):
    """Of a square, of a product of two, and of the sum of both, all together."""
    twin = Twin(POINTS, LENGTHS)

    def ask(questions, nodes):
        a, b = nodes
        pairs = {"square": [(a, a)], "product": [(a, b)], "both": [(a, a), (a, b)], "modes": []}
        return {
            (bins, what): questions.spectrum(of, *axes)
            for bins, axes in BINS.items()
            for what, of in pairs.items()
        }

    asked, answers, values = answered(world, ["u.x", "u.z + 0.3*dy(u.x)"], ask, twin, precision=precision)
    a, b = (np.fft.fftn(f.astype(float)) / f.size for f in values)
    k = wavenumbers(twin)
    square, product = np.abs(a) ** 2, (a * b.conj()).real
    terms = {"square": square, "product": product, "both": square + product, "modes": twin.mask.astype(float)}
    for (bins, what), sums in asked.items():
        wanted = summed(BINS[bins], k, terms[what])
        error = np.abs(answers.spectrum(sums) - wanted).max()
        assert error <= (1e-13 if precision == "double" else 3e-6) * np.abs(wanted).max(), (bins, what)


@on_ranks(1, 2)
@pytest.mark.parametrize("points", [(20, 12, 1), (14, 20, 18), (8, 6, 10)])
def test_boxes_of_other_shapes(world, points):
    twin = Twin(points, LENGTHS, "phase-shift")
    axes = (ModeAxis("across", EDGES, 0), ModeAxis("along", EDGES, 0))

    def ask(questions, nodes):
        return questions.spectrum([(nodes[0], nodes[0])], *axes), questions.spectrum([], *axes)

    asked, answers, values = answered(world, ["u.x"], ask, twin)
    square = np.abs(np.fft.fftn(values[0]) / values[0].size) ** 2
    for sums, terms in zip(asked, (square, twin.mask.astype(float)), strict=True):
        wanted = summed(axes, wavenumbers(twin), terms)
        assert np.abs(answers.spectrum(sums) - wanted).max() <= 1e-13 * wanted.max()


@pytest.mark.only_cpu
@on_ranks(1, 2)
def test_bins_that_are_none_are_refused(world):
    flow = flows.make(world, Twin((8, 8, 8)))
    u = [[_core.Term(field=0)]]
    size = _core.ModeAxis(of="size", edges=[0.0, 1.0])
    for sums, axes, words in [
        ([[(0, 0)]], [], "one or two coordinates"),
        ([[(0, 0)]], [size] * 3, "one or two coordinates"),
        ([[(0, 0)]], [_core.ModeAxis(of="size", edges=[1.0])], "between edges that rise"),
        ([[(0, 0)]], [_core.ModeAxis(of="size", edges=[2.0, 1.0])], "between edges that rise"),
        ([[(0, 0)]], [_core.ModeAxis(of="along", axis=3, edges=[0.0, 1.0])], "between edges that rise"),
        ([[(0, 1)]], [size], "inputs 0 and 1 where there are 1"),
        ([[(0, -1)]], [size], "inputs 0 and -1 where there are 1"),
        ([[]], [size], "has no pair"),
    ]:
        with pytest.raises(_core.Error, match=words):
            flow.mode_spectra(u, sums, axes)
    with pytest.raises(_core.Error, match="no coordinate length"):
        _core.ModeAxis(of="length", edges=[0.0, 1.0])
