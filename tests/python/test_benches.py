"""The formulas of the benches against numbers worked out by hand, and what the transform bench notices."""

import math
from itertools import product

import numpy as np
import pytest
from mpi4py import MPI
from whorl import _core
from whorl.base.errors import CaseError, RunFault
from whorl.base.host import commit
from whorl.config.positions import coordinates
from whorl.machine.benches import exchange, scaling, step
from whorl.machine.benches.common import bench_case, spread
from whorl.machine.benches.fft import fft_case, kernel, operations, set_kernel, verify
from whorl.machine.floor import pair_work
from whorl.run.core_options import core_options

SELF = MPI.COMM_SELF


def case_of(points=16, dealias="2/3", *settings, model="navier-stokes"):
    return bench_case(points, "double", dealias, model, "rk2", 1, list(settings))


# fft


def test_operations_of_a_pair():
    """Two real transforms of N³ points, 5/2 N³ log2 N³ each, of three variables."""
    assert operations(fft_case(16, "double", None, "FFF", 1, [])) == 3 * 2 * 2.5 * 4096 * 12
    flat = fft_case(16, "double", None, "FFF", 1, ["grid.points=[32, 16, 1]"])
    assert operations(flat) == 3 * 2 * 2.5 * 512 * 9


def test_floor_of_a_pair():
    kept, rows = 6, 11  # 3 |n| < 16: kx = 0…5, ky and kz = −5…5
    load = pair_work(case_of(16), 3)
    line = 5 * 16 * 4
    assert load.operations == {16: line * 6 * (kept * rows + kept * 16 + 0.5 * 16 * 16)}
    assert load.bytes == 16 * (2 * 6 * kept * rows * 16 + 2 * 3 * kept * rows * rows)


def flow_of(case):
    return _core.Flow(core_options(case, threads=1), SELF.py2f())


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize(
    ("bases", "dealias"),
    [*product(("FFF", "SFF", "SSF", "SSS"), ("none", "2/3")), ("FFF", "phase-shift")],
)
def test_the_kernel_comes_back_in_every_basis(bases, dealias, precision):
    case = fft_case(16, precision, dealias, bases, 1, ["grid.points=[16, 12, 20]"])
    flow = flow_of(case)
    set_kernel(flow, case)
    flow.transform_pair("velocity")
    errors = verify(flow, case, 2, SELF)
    assert 0 < errors["field"] < errors["allowed"] < (1e-4 if precision == "single" else 1e-13)
    energy = np.asarray(flow.spectra()["energy"])
    assert (energy > 1e-10).sum() == 1
    assert energy.max() == pytest.approx(3 / 16, rel=1e-5)  # ½⟨u²⟩ of three times sin x cos y sin z


@pytest.mark.parametrize(("bases", "points"), [("FFF", [16, 12, 1]), ("SFF", [16, 1, 12])])
def test_the_kernel_of_flat_boxes(bases, points):
    case = fft_case(16, "double", None, bases, 1, [f"grid.points={points}"])
    flow = flow_of(case)
    set_kernel(flow, case)
    verify(flow, case, 1, SELF)


def test_the_kernel_is_that_of_the_paper():
    case = fft_case(8, "double", None, "FFF", 1, ["grid.lengths=6.283185307179586"])
    x, y, z = coordinates(case.grid)
    for component in kernel(case)(x[1], y[2], z[3]):
        assert component == pytest.approx(np.sin(x[1]) * np.cos(y[2]) * np.sin(z[3]))


def write(flow, case, function):
    x, y, z = coordinates(case.grid)

    def fill(z0, z1, y0, y1, out):
        out[...] = function(x[None, None, :], y[None, y0:y1, None], z[z0:z1, None, None])

    flow.set_physical(fill, project=False, field="velocity")


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        (lambda x, y, z: np.sin(3 * x) * np.cos(y) * np.sin(z), "single spike"),  # another wave
        (lambda x, y, z: 1.001 * np.sin(x) * np.cos(y) * np.sin(z), "single spike"),  # too large
        (lambda x, y, z: np.cos(x) * np.cos(y) * np.sin(z), "come back"),  # the same wave elsewhere
        (lambda x, y, z: np.cos(x) * np.cos(y) * np.sin(z) * np.nan, "single spike"),
    ],
)
def test_what_is_wrong_is_noticed(wrong, what):
    case = fft_case(16, "double", None, "FFF", 1, [f"grid.lengths={2 * math.pi!r}"])
    flow = flow_of(case)
    write(flow, case, wrong)
    with pytest.raises(RunFault, match=what):
        verify(flow, case, 1, SELF)


def test_a_field_that_is_no_number_is_noticed():
    """Where the spectrum is right and the way to the points is not."""
    case = fft_case(16, "double", None, "FFF", 1, [])
    flow = flow_of(case)
    set_kernel(flow, case)

    class Spoilt:
        options, spectra = flow.options, flow.spectra

        def read_fields(self, name, consume):
            flow.read_fields(name, lambda *block: consume(*block[:-1], np.nan * block[-1]))

    verify(flow, case, 1, SELF)
    with pytest.raises(RunFault, match="come back: an error of inf"):
        verify(Spoilt(), case, 1, SELF)


def test_too_few_points_for_the_kernel():
    with pytest.raises(CaseError, match=r"\[4, 16, 16\] are too few"):
        fft_case(16, "double", None, "FFF", 1, ["grid.points=[4, 16, 16]"])


# exchange


def test_bandwidth_of_a_published_all_to_all():
    """2048³ on four ranks, Yeung et al. 2025, table 12: 1024 MiB in 0.092 s are 46.93 GB/s."""
    message = exchange.message_bytes(sent=4 * 3 * 2**30, all_ranks=4, ranks=4, batches=1)
    assert message == 2**30
    assert exchange.bandwidth(message, 4, 1, 0.092) == pytest.approx(46.93e9, rel=6e-3)


def test_messages_of_rows_in_batches():
    """Six ranks in three rows of two, each sending 240 bytes in 4 batches to its one peer."""
    message = exchange.message_bytes(sent=6 * 240, all_ranks=6, ranks=2, batches=4)
    assert message == 60
    assert exchange.bandwidth(message, 2, 4, 2.0) == 60 * 2 * 4 / 2


def test_exchanges_of_a_model_of_few_variables():
    found = list(exchange.all_to_alls(case_of(model="navier-stokes-2d"), (2, 1)))
    shape = _core.model_shape(core_options(case_of(model="navier-stokes-2d"), threads=1))
    assert {one.leg for one in found} == {"row"}
    assert max(one.variables for one in found if one.inwards) == shape["inputs"] < 3
    assert [one.variables for one in found if not one.inwards][-1] == shape["products"]


# step


def test_columns_by_hand():
    parts = {"transforms": 1.0, "pack": 2.0, "row": 3.0, "column": 4.0, "exchange": 7.0, "point": 0.5}
    call = parts | {"modes": 0.25, "other": 0.125, "total": 11.0, "wall": 11.5}
    assert step.columns(call) == {
        "fft": 1.0,
        "pack": 2.0,
        "row": 3.0,
        "column": 4.0,
        "other": 0.5 + 0.25 + 0.125 + 0.5,
        "total": 11.5,
    }


def test_bytes_of_an_untruncated_exchange():
    """9 · 16² complex numbers a variable; 3 in and 5 out on rows, 4 out on columns; two stages."""
    assert step.untruncated_bytes(case_of(), (2, 4)) == {
        "row": 2 * 8 * 9 * 256 * 16 / 2,
        "column": 2 * 7 * 9 * 256 * 16 * 3 / 4,
    }
    assert step.untruncated_bytes(case_of(16, "phase-shift-exact"), (1, 2)) == {
        "row": 0.0,
        "column": 2 * 2 * 7 * 9 * 256 * 16 / 2,
    }
    single = case_of(16, "2/3", "run.precision=single", "grid.points=[16, 8, 32]")
    assert step.untruncated_bytes(single, (2, 1)) == {"row": 2 * 8 * 9 * 256 * 8 / 2, "column": 0.0}
    walls = case_of(16, "2/3", "grid.bases=SSS", model="rayleigh-benard")
    shape = _core.model_shape(core_options(walls, threads=1))
    variables = shape["inputs"] + shape["fluxes"]
    assert step.untruncated_bytes(walls, (1, 2))["column"] == 2 * variables * 16**3 * 8 / 2
    plates = case_of(16, "2/3", "grid.bases=SFF", model="rayleigh-benard")
    assert step.untruncated_bytes(plates, (1, 2))["column"] == 2 * variables * 9 * 256 * 16 / 2


def test_spread():
    assert spread([3.0, 1.0, 2.0, 10.0]) == {
        "count": 4, "minimum": 1.0, "median": 2.5, "mean": 4.0, "maximum": 10.0
    }  # fmt: skip


# scaling


@pytest.mark.parametrize("gamma", [1.0, 0.43, 0.0, -0.3])
def test_exponents_of_a_power(gamma):
    ranks = [1, 2, 4, 6]
    fitted = scaling.fit(ranks, [3.0 * p**-gamma for p in ranks])
    assert fitted["gamma"] == pytest.approx(gamma, abs=1e-14)
    assert fitted["error"] == pytest.approx(0.0, abs=1e-14)
    assert fitted["seconds"] == pytest.approx(3.0)


def test_error_of_an_exponent_by_hand():
    """log2 of the times 0, −1, −1 at 0, 1, 2: slope −1/2, residuals 1/6, −1/3, 1/6, error √(1/12)."""
    fitted = scaling.fit([1, 2, 4], [1.0, 0.5, 0.5])
    assert fitted["gamma"] == pytest.approx(0.5)
    assert fitted["error"] == pytest.approx(math.sqrt(1 / 12))
    assert scaling.shown(fitted) == "0.50 ± 0.29"


def test_few_runs_leave_no_error():
    fitted = scaling.fit([1, 4], [8.0, 2.0])
    assert (fitted["gamma"], fitted["error"]) == (pytest.approx(1.0), None)
    assert scaling.shown(fitted) == "1.00"
    assert scaling.fit([2], [1.0]) == {"gamma": None, "error": None, "seconds": None}
    assert scaling.shown(scaling.fit([], [])) == "–"


def test_exponents_of_a_series():
    """One rank does not communicate, which is left out of the fit of communication."""
    series = [(1, 8.0, 0.0), (2, 4.0, 2.0), (4, 2.0, 1.0)]
    runs = [
        {"ranks": ranks, **scaling.split(disturbed(ranks, {"exchange": there, "wall": here + there}), ranks)}
        for ranks, here, there in series
    ]
    gammas = {part: fitted["gamma"] for part, fitted in scaling.exponents(runs).items()}
    assert gammas["computation"] == pytest.approx(1.0)
    assert gammas["communication"] == pytest.approx(1.0)
    assert gammas["total"] == pytest.approx(math.log2(8 / 3) / 2)
    assert scaling.efficiencies("strong", runs) == pytest.approx([1, 8 / 12, 8 / 12])
    assert scaling.efficiencies("weak", runs) == pytest.approx([1, 8 / 6, 8 / 3])


def disturbed(ranks, call):
    """Three calls, one of them slower the more ranks there are: the median does not mind."""
    return [call, {part: ranks * seconds for part, seconds in call.items()}, call]


def test_one_rank_does_not_communicate():
    alone = scaling.split([{"exchange": 1e-6, "wall": 1.0}], 1)
    assert alone["communication"]["maximum"] == 0
    assert alone["computation"]["median"] == alone["total"]["median"] == 1.0


def test_weak_series():
    assert scaling.rank_counts(1) == [1]
    assert scaling.rank_counts(4) == [1, 2, 4]
    assert scaling.rank_counts(6) == [1, 2, 4, 6]
    case = case_of(16)
    expected = {1: (16, 16, 16), 2: (16, 16, 32), 4: (16, 32, 32), 6: (16, 32, 48), 8: (32, 32, 32)}
    assert {ranks: scaling.grown(case, ranks).grid.points for ranks in expected} == expected
    assert scaling.grown(case_of(model="navier-stokes-2d"), 4).grid.points == (32, 32, 1)


def test_the_commit_is_that_of_this_checkout():
    found = commit()
    assert found is None or len(found.removesuffix("-dirty")) >= 12
