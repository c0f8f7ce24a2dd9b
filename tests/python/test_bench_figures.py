"""What the benches make of timings, from timings that are made up."""

import io
from types import SimpleNamespace

import pytest
from matplotlib.figure import Figure
from mpi4py import MPI
from rich.console import Console
from support.ranks import on_ranks
from whorl import _core
from whorl.base.errors import RunFault
from whorl.config.run import Run
from whorl.initial.fields import set_initial
from whorl.machine.benches import common, exchange, fft, scaling, scaling_picture, step
from whorl.machine.benches.common import bench_case
from whorl.machine.floor import Work, pair_work, work
from whorl.run.core_options import core_options

SELF = MPI.COMM_SELF
LIMITS = {"operations": 1.0, "bytes": 1.0, "line_rate": {"16": 2.5e9}, "copy_bandwidth": 12e9}
PARTS = ("transforms", "pack", "row", "column", "exchange", "point", "modes", "other")
LINES = ("x_lines", "y_lines", "z_lines")


def calls_of(*walls, total=0.75):
    """A part takes as many hundredths of the whole as its place says; all parts and waiting `total` of it."""
    return [
        {part: wall * (1 + place) / 100 for place, part in enumerate((*PARTS, *LINES))}
        | {"total": total * wall, "wall": wall}
        for wall in walls
    ]


def case_of(*settings, points=16, scheme="rk4"):
    return bench_case(points, "single", None, "navier-stokes", scheme, 1, list(settings))


def lines_of(show, figures):
    console = Console(file=io.StringIO(), width=160)
    show(figures, console)
    return [" ".join(line.split()) for line in console.file.getvalue().splitlines()]


def test_the_steps_that_are_timed_are_stable():
    case = case_of()
    flow = _core.Flow(core_options(case, 1), SELF.py2f())
    set_initial(flow, case, None, SELF)
    begin = sum(flow.spectra()["energy"])
    for number in range(20):
        flow.step(case.time.dt, step_number=number)
    assert 0.5 * begin < sum(flow.spectra()["energy"]) < begin


class Growing:
    """A process that takes 4096 bytes more on rank 0 each time it is asked, twice that on rank 1."""

    def __init__(self, rank):
        self.asked, self.rank = 0, rank

    def memory_info(self):
        self.asked += 4096 * (self.rank + 1)
        return SimpleNamespace(rss=self.asked)


def measured_step(patch, comm, *settings):
    """Four stages in steps of 2, 4 and 9 s, a floor of 0.5 s; what the floor was asked for."""
    asked = []
    patch.setattr(step, "timed_calls", lambda *_: calls_of(2.0, 4.0, 9.0))
    patch.setattr(step, "measure_floor", lambda *given: asked.append(given[:3]) or (0.5, LIMITS))
    patch.setattr(step, "psutil", SimpleNamespace(Process=lambda: Growing(comm.rank)))
    return step.measure_step(case_of(*settings), 3, comm), asked


def test_a_step_in_figures(monkeypatch):
    figures, asked = measured_step(monkeypatch, SELF)
    assert asked == [(work(case_of()), case_of().run, 1)]
    assert (figures["seconds_per_step"], figures["seconds_per_rhs"]) == (4.0, 1.0)
    assert figures["points_per_second"] == 16**3 / 4
    assert figures["fraction_of_floor"] == 0.5
    assert figures["parts"]["pack"] == pytest.approx(0.02 * 5 / 4)
    assert "wall" not in figures["parts"]
    best, mean = figures["columns"]["best"], figures["columns"]["mean"]
    assert (best["total"], mean["total"]) == (2.0, 5.0)
    assert best["other"] == pytest.approx(2 * (0.06 + 0.07 + 0.08 + 0.25))
    counted = sum(_core.estimate_memory(core_options(case_of(), 1), 1).values())
    assert figures["bytes_per_point_counted"] == counted / 16**3
    assert figures["bytes_per_point_resident"] == 1.0
    shown = lines_of(step.show_step, figures)
    assert "step 4 s median of 3, least 2" in shown
    assert "right-hand side 1 s 2.00 × the floor of 0.5 s" in shown
    assert "pack 0.025 s 2 %" in shown
    assert "lines in cache 2.5 (n = 16) GFLOP/s" in shown
    assert "copy bandwidth 12 GB/s" in shown


class Sending:
    """Rank r has sent 1000 (r + 1) bytes along its row, 500 along its column, in messages of 100 bytes."""

    def __init__(self, *given):
        self.flow = _core.Flow(*given)

    def __getattr__(self, name):
        return getattr(self.flow, name)

    def traffic(self):
        return {"row": 1000 * (MPI.COMM_WORLD.rank + 1), "column": 500}

    def messages(self):
        return {"row": 10 * (MPI.COMM_WORLD.rank + 1), "column": 5}


@on_ranks(4)
def test_bytes_are_those_of_all_ranks(world):
    """Half of 9 · 16² complex numbers a variable would go to the other rank: 8 on rows, 7 on columns."""
    grid = "run.process_grid=[2, 2]"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(step, "_core", SimpleNamespace(**(vars(_core) | {"Flow": Sending})))
        patch.setattr(step, "describe", lambda case, flow: "")
        figures, _ = measured_step(patch, world, grid)
    fullest = sum(_core.estimate_memory(core_options(case_of(grid), 1), 4).values())
    assert figures["bytes_per_point_counted"] == pytest.approx(4 * fullest / 16**3, rel=0.15)
    assert figures["bytes_per_point_resident"] == 1 + 2 + 3 + 4
    assert figures["bytes_of_processes"] == 2 * 4096 * (1 + 2 + 3 + 4)
    assert figures["points_per_second"] == 16**3 / 4
    variable = 4 * 9 * 256 * 8 / 2  # in the four right-hand sides of rk4
    for leg, count, variables in (("row", 10_000, 8), ("column", 2_000, 7), ("total", 12_000, 15)):
        assert figures["sent"][leg] == {
            "bytes_per_step": count,
            "of_untruncated": pytest.approx(count / (variables * variable)),
            "messages_per_step": count / 100,
        }


@on_ranks(2)
def test_the_floor_is_that_of_all_ranks_together(world):
    """Lines at 1 and 2 GFLOP/s a thread and copies at 3 and 6 GB/s; single lines at twice that.

    The quicker rank waits for the slower: what it did alone it could not do while both work.
    """

    def line_rate(n, precision, threads, slowest):
        return 1e9 / slowest(1 / (world.rank + 1)) * threads * (2 if precision == "single" else 1)

    copies = SimpleNamespace(bandwidth=lambda slowest: 3e9 / slowest(1 / (world.rank + 1)))
    limits = SimpleNamespace(line_rate=line_rate, Copies=lambda threads: copies)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(common, "_core", limits)
        floor, found = common.measure_floor(Work({16: 6e9, 32: 12e9}, 9e9), Run(precision="single"), 2, world)
        slow, _ = common.measure_floor(Work({16: 6e9}, 90e9), Run(), 1, world)
    assert found["line_rate"] == {"16": 8e9, "32": 8e9}
    assert found["copy_bandwidth"] == 6e9
    assert (found["operations"], found["bytes"]) == (18e9, 9e9)
    assert floor == pytest.approx(18 / 8)
    assert slow == pytest.approx(90 / 6)


@on_ranks(2)
def test_the_floor_on_gpus_is_the_traffic_of_their_own_memory(world):
    with pytest.MonkeyPatch.context() as patch:
        rates = SimpleNamespace(gpu_copy_bandwidth=lambda: 3e12 / (world.rank + 1))
        patch.setattr(common, "_core", rates)
        floor, found = common.measure_floor(Work({16: 6e9}, 9e9), Run(device="cuda"), 2, world)
    assert (found["line_rate"], found["copy_bandwidth"]) == ({}, 3e12)
    assert floor == pytest.approx(9e9 / 3e12)


@on_ranks(2)
def test_a_call_takes_as_long_as_on_the_slowest_rank(world):
    """Timings begin anew with every call, and those to warm up do not count."""
    now, recorded = [0.0], []

    def call(number):
        recorded.append(number)
        now[0] += (world.rank + 1) * 10.0**number

    flow = SimpleNamespace(
        options=SimpleNamespace(device="cpu"),
        reset_timings=recorded.clear,
        timings=lambda: {"calls": len(recorded)},
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(common, "time", SimpleNamespace(perf_counter=lambda: now[0]))
        calls = common.timed_calls(flow, call, 2, world)
    assert [call["wall"] for call in calls] == pytest.approx([200.0, 2000.0])
    assert [call["calls"] for call in calls] == [1, 1]


def test_a_gpu_is_timed_while_it_need_not_wait(monkeypatch):
    """Ten times as fast as when its parts are; these have the shares they have then."""
    now, timing = [0.0], []

    def call(number):
        now[0] += 10.0 * (number + 1) if timing else number + 1

    flow = SimpleNamespace(
        options=SimpleNamespace(device="cuda"),
        reset_timings=lambda: timing.append(True),
        timings=lambda: {"x_lines": 0.25 * now[0], "total": now[0]} if timing else {},
    )
    monkeypatch.setattr(common, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    warm, times = common.WARM_UP, 2
    calls = common.timed_calls(flow, call, times, SELF)
    walls = [warm + n + 1 for n in range(times)]
    assert [one["wall"] for one in calls] == pytest.approx(walls)
    assert [one["x_lines"] / one["total"] for one in calls] == pytest.approx([0.25] * times)


def test_a_pair_in_figures(monkeypatch):
    asked = []
    monkeypatch.setattr(fft, "timed_calls", lambda *_: calls_of(2.0, 4.0, 9.0))
    monkeypatch.setattr(fft, "measure_floor", lambda *given: asked.append(given[:3]) or (0.5, LIMITS))
    case = fft.fft_case(16, "double", "2/3", "FFF", 1, [])
    figures = fft.measure_fft(case, 3, SELF)
    assert asked == [(pair_work(case, 3), case.run, 1)]
    assert (figures["seconds_per_pair"], figures["seconds_per_variable"]) == (4.0, 4 / 3)
    assert figures["fraction_of_floor"] == 0.125
    assert figures["gigaflops"] == pytest.approx(3 * 2 * 2.5 * 4096 * 12 / 4 / 1e9)
    # Two pairs to warm up, three, and one of setting and reading; 4 · 2^−53 · log2 N each.
    assert figures["errors"]["allowed"] == pytest.approx(6 * 4 * 2**-53 * 12, abs=0)
    shown = lines_of(fft.show_fft, figures)
    assert "pair of transforms 4 s 3 variables; median of 3, least 2" in shown
    assert "z_lines 0.55 s 11 %" in shown
    assert "floor 0.5 s 0.12 of it reached" in shown


@pytest.mark.parametrize(
    ("precision", "wire", "ranks", "digits"),
    [
        ("double", "full", 2, 53),
        ("double", "single", 2, 24),
        ("double", "single", 1, 53),
        ("single", "full", 1, 24),
    ],
)
def test_rounding_is_that_of_what_travels(precision, wire, ranks, digits):
    case = fft.fft_case(16, precision, None, "FFF", 1, [f"run.wire={wire}"])
    assert fft.rounding(case, SimpleNamespace(size=ranks)) == 2.0**-digits


@on_ranks(2)
def test_a_field_that_is_wrong_on_one_rank_is_an_error_on_all(world):
    case = fft.fft_case(16, "double", None, "FFF", 1, [])
    flow = _core.Flow(core_options(case, 1), world.py2f())
    fft.set_kernel(flow, case)
    assert fft.verify(flow, case, 1, world)["field"] < 1e-15

    def spoilt(name, consume):
        flow.read_fields(name, lambda *block: consume(*block[:-1], block[-1] + 0.5 * world.rank))

    wrong = SimpleNamespace(options=flow.options, spectra=flow.spectra, read_fields=spoilt)
    with pytest.raises(RunFault, match=r"it did not come back: an error of 0\.5 where"):
        fft.verify(wrong, case, 1, world)


@on_ranks(2)
def test_every_all_to_all_goes_the_way_it_is_listed(world):
    calls = []

    class Recorded:
        def __init__(self, *given):
            self.flow = _core.Flow(*given)

        def __getattr__(self, name):
            return getattr(self.flow, name)

        def exchange(self, rows, variables, inwards):
            calls.append((rows, variables, inwards))
            self.flow.exchange(rows, variables, inwards)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exchange, "_core", SimpleNamespace(**(vars(_core) | {"Flow": Recorded})))
        figures = exchange.measure_exchange(case_of("run.process_grid=[1, 2]"), "alltoall", 1, world)
    listed = [(one["leg"], one["variables"], one["direction"]) for one in figures["exchanges"]]
    # Two to warm up, one that is timed and one whose bytes are counted.
    made = [("row" if rows else "column", q, "inwards" if back else "outwards") for rows, q, back in calls]
    assert made == [one for one in listed for _ in range(4)]


def test_an_exchange_in_a_table():
    seconds = {"minimum": 0.002, "mean": 0.004, "median": 0.003}
    one = {"leg": "row", "direction": "inwards", "transport": "rma", "process_grid": [2, 4], "batches": 8}
    one |= {"variables": 3, "message_bytes": 2.0**21, "seconds": seconds}
    one |= {"bandwidth": 1e9, "best_bandwidth": 2e9}
    figures = {"exchanges": [one], "summary": "a case", "machine": {"processor": "one"}}
    assert "row in rma 2×4 8 3 2 2 4 2" in lines_of(exchange.show_exchange, figures)


@on_ranks(2)
@pytest.mark.parametrize("kernel", ["fft", "step"])
def test_a_series_times_its_kernel(world, kernel):
    """Transforms of sin x cos y sin z, whose energy is 3/16, or steps; with the threads asked for."""
    energies = []

    def pairs(flow, times, comm):
        energies.append(sum(flow.spectra()["energy"]))
        return calls_of(8.0 / comm.size)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scaling, "time_pairs", pairs)
        patch.setattr(scaling, "time_steps", lambda flow, case, times, comm: calls_of(4.0))
        case = fft.fft_case(16, "double", None, "FFF", 1, [])
        figures = scaling.measure_scaling(case, kernel, ("strong",), 1, world)
    runs = figures["series"]["strong"]["runs"]
    assert [run["threads"] for run in runs] == [1, 1]
    assert [run["total"]["median"] for run in runs] == ([8.0, 4.0] if kernel == "fft" else [4.0, 4.0])
    assert energies == pytest.approx([3 / 16] * (2 - world.rank) if kernel == "fft" else [])


def test_a_weak_series_leaves_out_what_no_grid_can_share(monkeypatch):
    """Eleven times the points have a factor of eleven, which the transforms do not take."""
    monkeypatch.setattr(scaling, "provenance", lambda _: {})
    monkeypatch.setattr(scaling, "on_some", lambda comm, ranks, work: run_of(ranks, 1.0))
    comm = SimpleNamespace(size=11, rank=0)
    series = scaling.measure_scaling(case_of(), "fft", ("strong", "weak"), 1, comm)["series"]
    ranks = {name: [run["ranks"] for run in found["runs"]] for name, found in series.items()}
    assert ranks == {"strong": [1, 2, 4, 8, 11], "weak": [1, 2, 4, 8]}


def run_of(ranks, seconds):
    """Three quarters of it computation."""
    there = 0.25 * seconds if ranks > 1 else 0.0
    times = scaling.split([{"exchange": there, "wall": seconds}], ranks)
    return {"ranks": ranks, "points": [16] * 3, "process_grid": [1, ranks]} | times


@pytest.fixture
def powers():
    """Times that fall as ranks^(−1/2)."""
    runs = [run_of(ranks, 8.0 * ranks**-0.5) for ranks in (1, 4, 16)]
    series = {"strong": {"runs": runs, "exponents": scaling.exponents(runs)}}
    return {"kernel": "fft", "series": series, "summary": "a case", "machine": {"processor": "one"}}


def test_a_series_in_a_table(powers):
    shown = lines_of(scaling.show_scaling, powers)
    assert "4 16×16×16 1×4 3 1 4 0.50" in shown
    assert "16 16×16×16 1×16 1.5 0.5 2 0.25" in shown
    assert "γ1, γ2, γ 0.60 ± 0.06 0.50 0.50 ± 0.00" in shown


def test_the_powers_drawn_go_through_their_times(powers, monkeypatch, tmp_path):
    figures = []
    monkeypatch.setattr(
        scaling_picture, "Figure", lambda **given: figures.append(Figure(**given)) or figures[-1]
    )
    scaling_picture.draw_scaling(powers, tmp_path / "scaling.png")
    drawn = figures[0].axes[0].lines  # computation, communication, total: times, then the power
    assert drawn[4].get_ydata() == pytest.approx([8.0, 4.0, 2.0])
    assert drawn[5].get_ydata() == pytest.approx([8.0, 4.0, 2.0])
    assert drawn[3].get_ydata() == pytest.approx([1.0, 0.5])
