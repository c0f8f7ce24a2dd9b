"""What `whorl bench` measures, shows and writes; the times themselves are the machine's."""

import json

import pytest
from cli.commands import settings
from matplotlib.image import imread
from whorl.config.schemes import SCHEMES
from whorl.machine.benches import fft

PROVENANCE = {"machine", "build", "whorl", "commit", "date", "case", "summary"}
SPREAD = {"count", "minimum", "median", "mean", "maximum"}


@pytest.fixture
def bench(whorl, tmp_path):
    """Runs a bench with --json; the figures and what was shown."""

    def run(*command, ranks=1):
        result = whorl("bench", *command, "--json", "figures.json", ranks=ranks)
        assert result.code == 0, result.err
        figures = json.loads((tmp_path / "figures.json").read_text())
        assert figures.keys() >= PROVENANCE
        assert figures["machine"]["ranks"] == ranks
        assert figures["build"]["mpi"]
        return figures, result.out

    return run


def check_spread(seconds, count):
    assert seconds.keys() == SPREAD
    assert seconds["count"] == count
    assert seconds["minimum"] <= min(seconds["median"], seconds["mean"])
    assert max(seconds["median"], seconds["mean"]) <= seconds["maximum"]


# step


@pytest.mark.parametrize("ranks", [1, pytest.param(2, marks=pytest.mark.mpi)])
def test_steps_with_particles(bench, ranks):
    command = ("step", "--points", "24", "--steps", "3", "--threads", "1", "--particles", "20000")
    figures, shown = bench(*command, ranks=ranks)
    found = figures["particles"]
    assert found["count"] == 20_000
    check_spread(found["steps"], 3)
    more = found["seconds_per_step"] - figures["seconds_per_step"]
    assert found["ratio"] == pytest.approx(found["seconds_per_step"] / figures["seconds_per_step"])
    assert found["seconds_per_particle_and_stage"] == pytest.approx(more / 20_000 / 2)
    # Identities, two registers, sums and an order, those in the layers that are going by, and some rows.
    least, in_layers = 4 + 2 * 24 + 24 + 4, 32 + 16 * 4
    assert least < found["bytes_per_particle_counted"] < least + 0.6 * in_layers
    assert "step with 20000 tracers" in shown
    assert "with / without" in shown
    assert "bytes a tracer" in shown


def test_a_bench_without_particles_has_none(bench):
    figures, shown = bench("step", "--points", "16", "--steps", "1")
    assert "particles" not in figures
    assert "tracers" not in shown


def test_a_bench_with_too_many_particles(whorl):
    result = whorl("bench", "step", "--points", "16", "--steps", "1", "--particles", str(10**12))
    assert (result.code, result.out) == (2, "")
    assert "count = 1000000000000" in result.err
    assert "it must be at most 1000000000." in " ".join(result.err.split())
    negative = whorl("bench", "step", "--points", "16", "--particles", "-1")
    assert (negative.code, negative.out) == (2, "")


@pytest.mark.parametrize("ranks", [1, pytest.param(2, marks=pytest.mark.mpi)])
def test_step(bench, ranks):
    figures, shown = bench(
        "step", "--points", "32", "--steps", "4", *settings("time.scheme=rk4"), ranks=ranks
    )
    assert {"bytes_per_point_resident", "limits", "layout"} <= figures.keys()
    assert {"transforms", "exchange", "point"} <= figures["parts"].keys()
    assert figures["seconds_per_step"] == pytest.approx(4 * figures["seconds_per_rhs"])
    assert figures["points_per_second"] == pytest.approx(32**3 / figures["seconds_per_step"])
    assert figures["fraction_of_floor"] == pytest.approx(
        figures["floor_seconds_per_rhs"] / figures["seconds_per_rhs"]
    )
    check_spread(figures["steps"], 4)
    assert min(figures["parts"].values()) >= 0
    assert (figures["parts"]["exchange"] > 1e-5) == (ranks > 1)
    of_a_step = 4 * figures["parts"]["transforms"]
    assert of_a_step == pytest.approx(figures["columns"]["mean"]["fft"])
    parts = 4 * sum(figures["parts"][part] for part in ("transforms", "pack", "point", "modes", "exchange"))
    # Each part is that of the rank that was slowest in it, a mean over the steps.
    assert parts < ranks * figures["steps"]["maximum"]
    assert 20 < figures["bytes_per_point_counted"] < 200
    assert shown.count("right-hand side") == 1


def test_columns_of_the_papers_tables(bench):
    figures, shown = bench("step", "--points", "16", "--steps", "3")
    best, mean = figures["columns"]["best"], figures["columns"]["mean"]
    assert list(best) == list(mean) == ["fft", "pack", "row", "column", "other", "total"]
    assert best["total"] == figures["steps"]["minimum"]
    assert mean["total"] == pytest.approx(figures["steps"]["mean"])
    for values in (best, mean):  # on one rank they add up
        assert sum(values.values()) == pytest.approx(2 * values["total"], rel=1e-6)
        assert values["other"] > 0
    assert "pack, unpack" in shown


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("dealias", "shape", "fraction"),
    [
        ("2/3", "cube", 0.44),
        pytest.param("none", "cube", 1.0, marks=pytest.mark.slow),
        pytest.param("2/3", "sphere", 0.35, marks=pytest.mark.slow),
        pytest.param("phase-shift", "cube", 0.70, marks=pytest.mark.slow),
    ],
)
def test_bytes_sent_are_those_of_the_kept_columns(bench, dealias, shape, fraction):
    """2π/9 ≈ 0.70 and π/9 ≈ 0.35 of all columns, (2/3)² with the cube; of finite boxes a little off."""
    figures, shown = bench(
        "step", "--points", "64", "--steps", "1", "--dealias", dealias, *settings(f"grid.shape={shape}"),
        ranks=2,
    )  # fmt: skip
    sent = figures["sent"]
    assert sent["row"] == {"bytes_per_step": 0, "of_untruncated": None, "messages_per_step": 0}
    assert sent["column"] == sent["total"]
    assert sent["total"]["of_untruncated"] == pytest.approx(fraction, abs=0.05)
    whole = SCHEMES["rk2"].right_hand_sides * 7 * 33 * 64 * 64 * 16 / 2
    assert sent["total"]["bytes_per_step"] == pytest.approx(whole * sent["total"]["of_untruncated"])
    assert "of an untruncated" in shown


@pytest.mark.long("three benches")
def test_a_step_against_an_earlier_one(bench, whorl, tmp_path):
    asked = ("step", "--points", "16", "--steps", "3", "--threads", "1")
    first, _ = bench(*asked)
    (tmp_path / "figures.json").rename(tmp_path / "then.json")
    figures, shown = bench(*asked, "--against", "then.json", "--margin", "1e9")
    assert shown.splitlines()[-1] == "nothing became slower by more than 1e+09 %"
    found = figures["against"]
    assert (found["file"], found["commit"]) == ("then.json", first["commit"])
    then, now = (found["figures"]["right-hand side"][when]["least"] for when in ("then", "now"))
    assert (then, now) == (first["steps"]["minimum"] / 2, figures["steps"]["minimum"] / 2)
    assert first["part_spreads"]["pack"]["mean"] == pytest.approx(first["parts"]["pack"])
    other = whorl("bench", *asked, "--precision", "single", "--against", "then.json")
    assert other.code == 2
    assert "then.json cannot be compared with: run.precision is double there" in other.err
    assert len(other.err.strip().splitlines()) == 1


# fft


@pytest.mark.parametrize("bases", ["FFF", "SFF"])
@pytest.mark.parametrize("ranks", [1, pytest.param(2, marks=pytest.mark.mpi)])
def test_fft(bench, bases, ranks):
    figures, shown = bench("fft", "--points", "16", "--bases", bases, "--times", "3", ranks=ranks)
    check_spread(figures["pairs"], 3)
    seconds = figures["seconds_per_pair"]
    assert seconds == figures["pairs"]["median"]
    assert figures["seconds_per_variable"] == pytest.approx(seconds / 3)
    assert figures["operations"] == 3 * 2 * 2.5 * 16**3 * 12
    assert figures["gigaflops"] == pytest.approx(figures["operations"] / seconds / 1e9)
    assert figures["fraction_of_floor"] == pytest.approx(figures["floor_seconds_per_pair"] / seconds)
    parts = figures["parts"]
    assert {"x_lines", "row", "y_lines", "column", "z_lines", "pack", "exchange"} <= parts.keys()
    assert parts["exchange"] == pytest.approx(parts["row"] + parts["column"])
    assert (parts["column"] > 1e-5) == (ranks > 1)
    assert 0 < figures["errors"]["field"] < figures["errors"]["allowed"] < 1e-13
    assert figures["case"]["grid"]["dealias"] == "none"
    assert figures["case"]["grid"]["bases"] == bases
    assert "GFLOP/s" in shown


@pytest.mark.mpi
def test_fft_as_it_is_asked_for(bench):
    asked = ("--precision", "single", "--dealias", "2/3", "--transport", "pairwise", "--process-grid", 2, 1)
    figures, shown = bench("fft", "--points", "16", "--times", "1", *asked, ranks=2)
    assert figures["layout"]["process_grid"] == [2, 1]
    assert figures["layout"]["transport"] == "pairwise"
    assert figures["parts"]["row"] > figures["parts"]["column"]
    assert figures["errors"]["field"] > 1e-9
    assert "single, 2/3" in shown


def test_wrong_transforms_are_an_error(whorl, monkeypatch):
    def twice_the_wave(flow, case):
        def fill(z0, z1, y0, y1, out):
            out[...] = 1.0

        flow.set_physical(fill, project=False, field="velocity")

    monkeypatch.setattr(fft, "set_kernel", twice_the_wave)
    result = whorl("bench", "fft", "--points", "16", "--times", "1")
    assert result.code == 1
    assert "its spectrum is no single spike" in result.err
    assert len(result.err.strip().splitlines()) == 1


# exchange


@pytest.mark.mpi
def test_exchange(bench):
    figures, shown = bench("exchange", "--points", "16", "--times", "10", ranks=2)
    found = figures["exchanges"]
    assert {one["transport"] for one in found} == set(figures["build"]["transports"])
    assert {tuple(one["process_grid"]) for one in found} == {(1, 2), (2, 1)}
    of_one = [one for one in found if one["transport"] == "rma"]
    asked = [(one["leg"], one["direction"], one["variables"]) for one in of_one]
    assert sorted(asked) == sorted(
        [("column", "inwards", q) for q in (1, 3)]
        + [("column", "outwards", q) for q in (1, 3, 4)]
        + [("row", "inwards", q) for q in (1, 3)]
        + [("row", "outwards", q) for q in (1, 3, 5)]
    )
    for one in found:
        check_spread(one["seconds"], 10)
        carried = one["message_bytes"] * one["batches"] * 2
        assert one["ranks"] == 2
        assert one["bandwidth"] == pytest.approx(carried / one["seconds"]["mean"])
        assert one["best_bandwidth"] == pytest.approx(carried / one["seconds"]["minimum"])
    message = {(one["leg"], one["direction"], one["variables"]): one["message_bytes"] for one in of_one}
    assert message["row", "outwards", 5] == pytest.approx(5 * message["row", "inwards", 1])
    # Half of the points of y, and of the planes of a batch, of 6 kept elements; nothing is rounded up.
    batches = of_one[0]["batches"]
    assert message["row", "inwards", 1] == pytest.approx(16 * 6 * 16 * 16 / 4 / batches)
    assert "row out" in shown


@pytest.mark.mpi
def test_exchange_of_one_transport_on_one_grid(bench):
    asked = ("--transport", "overlap", "--process-grid", 2, 1, "--dealias", "phase-shift")
    figures, _ = bench("exchange", "--points", "16", "--times", "2", *asked, ranks=2)
    assert {(one["transport"], *one["process_grid"]) for one in figures["exchanges"]} == {("overlap", 2, 1)}


@pytest.mark.mpi
def test_the_wire_halves_the_messages(bench):
    asked = ("exchange", "--points", "16", "--times", "1", "--process-grid", 1, 2)
    full, _ = bench(*asked, "--transport", "alltoall", ranks=2)
    half, _ = bench(*asked, *settings("run.wire=single"), ranks=2)
    assert "datatypes" not in {one["transport"] for one in half["exchanges"]}
    assert half["exchanges"][0]["message_bytes"] == full["exchanges"][0]["message_bytes"] / 2


@pytest.mark.parametrize("which", ["exchange", "scaling"])
def test_one_rank_has_nobody_to_exchange_with(whorl, tmp_path, which):
    result = whorl("bench", which, "--points", "16")
    assert result.code == 2
    assert f"start it on two or more: mpiexec -n 2 whorl bench {which}." in result.err
    assert len(result.err.strip().splitlines()) == 1
    assert not list(tmp_path.iterdir())


# scaling


@pytest.mark.slow
@pytest.mark.mpi
def test_scaling(bench, tmp_path):
    figures, shown = bench("scaling", "--points", "16", "--times", "2", ranks=3)
    assert list(figures["series"]) == ["strong", "weak"]
    for name, points in (("strong", [16, 16, 16]), ("weak", [16, 16, 48])):
        runs, exponents = (figures["series"][name][key] for key in ("runs", "exponents"))
        assert [run["ranks"] for run in runs] == [1, 2, 3]
        assert runs[-1]["points"] == points
        assert len({run["threads"] for run in runs}) == 1
        for run in runs:
            for part in ("computation", "communication", "total"):
                check_spread(run[part], 2)
            assert (run["communication"]["minimum"] > 0) == (run["ranks"] > 1)
            assert run["total"]["mean"] == pytest.approx(
                run["computation"]["mean"] + run["communication"]["mean"]
            )
        assert exponents["total"]["error"] > 0
        assert exponents["communication"]["gamma"] is not None
        assert exponents["communication"]["error"] is None
    assert imread(tmp_path / "scaling.png").std() > 0
    assert "γ1, γ2, γ" in shown
    assert "picture  scaling.png" in shown


@pytest.mark.mpi
def test_scaling_of_steps(bench, tmp_path):
    asked = ("--kernel", "step", "--series", "strong", "--model", "mhd", "--plot", "steps.png")
    figures, _ = bench("scaling", "--points", "16", "--times", "1", *asked, ranks=2)
    assert list(figures["series"]) == ["strong"]
    assert figures["case"]["flow"]["model"] == "mhd"
    assert figures["case"]["grid"]["dealias"] == "2/3"
    assert (tmp_path / "steps.png").is_file()


@pytest.mark.mpi
def test_a_series_that_cannot_be_ends_all_ranks_together(whorl):
    """On one rank there is no such process grid; the other rank waits."""
    asked = settings("run.process_grid=[1, 2]")
    result = whorl("bench", "scaling", "--points", "16", *asked, ranks=2)
    assert result.code == 2
    assert "run.process_grid = [1, 2] is not possible for 16 × 16 × 16 points on 1 rank" in result.err
    assert result.err.count("whorl:") == 1


# files


@pytest.mark.parametrize("ranks", [1, pytest.param(2, marks=pytest.mark.mpi)])
def test_files(bench, tmp_path, ranks):
    (tmp_path / "disk").mkdir()
    command = ["files", "--points", "16", "--times", "1", "--threads", "1", "--folder", "disk"]
    figures, shown = bench(*command, ranks=ranks)
    several = ["a file a rank"] if ranks > 1 else []
    expected = ["checkpoint", "a file a node", *several, "single precision", "snapshot"]
    assert [one["kind"] for one in figures["files"]] == expected
    size = {one["kind"]: one["bytes"] for one in figures["files"]}
    assert size["snapshot"] >= 3 * 16**3 * 4
    assert size["checkpoint"] > size["single precision"] > size["checkpoint"] / 2
    for one in figures["files"]:
        read = {"read"} if one["kind"] != "snapshot" else set()
        directions = {"write", "plain_write", "plain_read"} | read
        assert one["seconds"].keys() == directions
        assert min(one["seconds"].values()) > 0
        assert one["kind"] in shown
    assert not list((tmp_path / "disk").iterdir())


def test_files_of_a_folder_that_is_not_there(whorl):
    result = whorl("bench", "files", "--points", "16", "--folder", "nowhere")
    assert result.code == 2
    assert "--folder = nowhere cannot be used (No such file or directory): name a folder" in result.err
