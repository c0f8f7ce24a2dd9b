"""What cannot be run is refused: a paragraph on one rank's stderr, exit code 2, nothing changed on disk.

Each kind of refusal is tried with the installed command, half of them on several ranks; their variants in
this process.
"""

import time

import h5py
import numpy as np
import pytest
from cli.commands import CASE, Finished, contents, settings
from support.checkpoints import seal
from whorl import _core


def check_refused(result: Finished, *words: str) -> None:
    """One paragraph from one rank, in which all `words` stand; only mpiexec may add notes of its own."""
    assert result.code == 2, result
    assert result.out == ""
    assert "Traceback" not in result.err
    said = [line for line in result.err.splitlines() if line.startswith("whorl: ")]
    assert len(said) == 1, result.err
    assert result.err == f"{said[0]}\n" or "mpiexec" in result.err
    assert len(said[0]) < 700
    for word in words:
        assert word in said[0]


@pytest.fixture
def unchanged(tmp_path):
    """The test must leave the directory as it was at the mark."""
    marks = []
    yield lambda: marks.append(contents(tmp_path))
    assert marks
    assert contents(tmp_path) == marks[-1]


# The case


@pytest.mark.parametrize(
    ("ranks", "setting", "words"),
    [
        (3, "grid.pionts=16", ["grid.pionts is not an option of [grid]", "did you mean grid.points?"]),
        (1, "time.dt=0", ["time.dt = 0", "greater than 0"]),
    ],
)
def test_installed(installed, unchanged, ranks, setting, words):
    unchanged()
    check_refused(installed("run", "abc", "--set", setting, ranks=ranks), *words)


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("gird.points=16", ["gird is not a section", "did you mean [grid]?"]),
        ("time.steps=1.5", ["time.steps = 1.5", "whole number"]),
        ("flow.viscosity=-1", ["flow.viscosity = -1", "at least 0"]),
        ("time.until=5 turnovres", ['time.until = "5 turnovres"', 'positive number (time) or "N turnovers"']),
        ("time.until_error={enrgy=0.1}", ['"enrgy"', "did you mean energy"]),
        ("output.snapshot_every=1 eddy", ['output.snapshot_every = "1 eddy"', '"N turnovers"']),
        ("grid.points=15", ["15", "odd", "next good size is 16"]),
        ("time.scheme=rk5", ["rk5", "rk2, rk3, rk4, rk4-gill, rk4-carpenter, etdrk2, etdrk4, ab2, ab3"]),
        ("run.device=gpu", ["run.device", "gpu", "cpu, cuda, hip, cpu-as-gpu"]),
        ("run.device=hip", ['run.device = "hip"', "in no build of whorl yet", 'use "cpu"']),
        ("run.gpu_aware=maybe", ["run.gpu_aware", "maybe", "auto, yes, no"]),
        ("run.threads=10000", ["run.threads = 10000 is too many", "or 0: the cores available"]),
        ("run.process_grid=[2, 2]", ["[2, 2]", "1 rank", "allowed: [1, 1]"]),
    ],
)
def test_an_option(whorl, unchanged, setting, words):
    unchanged()
    check_refused(whorl("run", "abc", "--set", setting), *words)


def test_a_device_that_is_not_there(whorl, unchanged):
    """Be it that the build lacks it, or that it has it and there is no GPU."""
    if _core.gpus():
        pytest.skip("there is a GPU")
    unchanged()
    result = whorl("run", "abc", "--set", "run.device=cuda")
    check_refused(result, 'run.device = "cuda" needs', 'use "cpu"')


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (CASE.replace("viscosity", "viscocity"), ["flow.viscocity is not an option", "flow.viscosity?"]),
        (CASE.replace("points = 8", "points = "), ["case.toml is not valid TOML", "line 3"]),
        (CASE.replace("until = 0.2", ""), ["[time] has no end", "time.until"]),
        ("", ["the section [grid] is missing: write [grid] with points; whorl options grid"]),
        (CASE + "[run]\nprecision = 'half'\nthreads = -1", ["half", "Also: run.threads = -1"]),
    ],
)
def test_a_case_file(whorl, unchanged, tmp_path, text, words):
    (tmp_path / "case.toml").write_text(text)
    unchanged()
    check_refused(whorl("run", "case.toml"), *words)


def test_a_case_that_is_not_there(whorl, unchanged):
    unchanged()
    check_refused(whorl("run", "taylor-gren"), "no case file taylor-gren", "did you mean taylor-green?")


def test_an_initial_file_that_is_not_there_or_foreign(whorl, unchanged, tmp_path):
    np.savez(tmp_path / "small.npz", **{name: np.zeros((4, 4, 4)) for name in "uvw"})
    for name in ("text.h5", "text.npz"):
        (tmp_path / name).write_text("neither")
    unchanged()
    for path, words in {
        "none.h5": ["none.h5 cannot be used: No such file or directory. It must be", "u, v and w"],
        "none.npz": ["none.npz cannot be used: No such file or directory. It must be"],
        "": ["cannot be used: Is a directory. It must be"],
        "text.h5": ["text.h5 cannot be used: it is no HDF5 file. It must be"],
        "text.npz": ["text.npz cannot be used: it is no npz file. It must be"],
        "small.npz": ["(4, 4, 4)", "(8, 8, 8)"],
    }.items():
        initial = settings("grid.points=8", "initial.name=from-file", f"initial.path={tmp_path / path}")
        check_refused(whorl("run", "abc", *initial), *words)


# The machine


@pytest.mark.mpi
def test_too_many_ranks(whorl, unchanged):
    """A plane flow of 4 × 4 points keeps two columns of modes."""
    unchanged()
    result = whorl("run", "abc", *settings("grid.points=[4, 4, 1]"), ranks=3)
    check_refused(result, "3 ranks are too many for 4 × 4 × 1 points", "at most ")


@pytest.mark.mpi
def test_a_process_grid_for_other_ranks(whorl, unchanged):
    unchanged()
    result = whorl("run", "abc", *settings("run.process_grid=[2, 2]"), ranks=2)
    check_refused(result, "run.process_grid = [2, 2]", "2 ranks", "allowed: ", "[1, 2]")


def test_memory_that_will_not_fit(start, shell, unchanged):
    """4096³ needs terabytes: named, compared with what there is, with what would fit, and not asked for."""
    unchanged()
    process = start("run", "abc", *settings("grid.points=4096"))
    most = 0
    while process.poll() is None:
        most = max(most, resident(process))
        time.sleep(0.01)
    result = shell.finish(process)
    words = (
        "this run needs ",
        " TiB of memory on ",
        "GiB are available",
        "points (the most that fit in this",
    )
    check_refused(result, *words)
    assert 0 < most < 600e6


def resident(process) -> int:
    try:
        return process.memory_info().rss
    except OSError:
        return 0


# The output directory


@pytest.mark.mpi
def test_a_directory_that_holds_a_run(whorl, unchanged, tmp_path, quick):
    assert whorl("run", "abc", "-o", "out", *quick).code == 0
    (tmp_path / "out" / "notes.txt").write_text("mine")
    unchanged()
    for ranks in (1, 2):
        refused = whorl("run", "abc", "-o", "out", ranks=ranks)
        check_refused(refused, "out holds a run already", "whorl restart out", "--overwrite")


def test_overwrite_replaces_a_run_and_nothing_else(whorl, tmp_path, quick):
    assert whorl("run", "abc", "-o", "out", *quick).code == 0
    (tmp_path / "out" / "notes.txt").write_text("mine")
    again = whorl(
        "run", "abc", "-o", "out", "--overwrite", *settings("grid.points=8", "time.dt=0.1", "time.steps=1")
    )
    assert again.code == 0
    assert [path.name for path in (tmp_path / "out" / "checkpoints").iterdir()] == ["00000001.h5"]
    assert (tmp_path / "out" / "notes.txt").read_text() == "mine"


def test_a_directory_of_someone_else(whorl, unchanged, tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "thesis.tex").write_text("years of work")
    unchanged()
    check_refused(
        whorl("run", "abc", "-o", "thesis", "--overwrite"), "thesis is not empty", "not made by whorl"
    )


def test_a_directory_that_is_a_loop_of_links(whorl, unchanged, tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    assert list(contents(tmp_path)) == []
    unchanged()
    check_refused(whorl("run", "abc", "-o", "loop"), "loop is or contains a link that leads back")
    assert (tmp_path / "loop").is_symlink()


def test_a_bad_case_does_not_cost_the_earlier_run(whorl, unchanged, quick):
    """--overwrite removes what was there only when the new run can begin."""
    assert whorl("run", "abc", "-o", "out", *quick).code == 0
    unchanged()
    check_refused(whorl("run", "abc", "-o", "out", "--overwrite", *settings("grid.points=4096")), "memory")
    check_refused(whorl("run", "abc", "-o", "out", "--overwrite", *settings("time.dt=0")), "time.dt = 0")
    random = settings("initial.name=random", "initial.k0=500")
    check_refused(whorl("run", "abc", "-o", "out", "--overwrite", *random), "initial.k0 = 500", "beyond")


# Checkpoints


@pytest.fixture
def stopped(whorl, tmp_path):
    """The checkpoints of a run, of steps 4, 8 and 10."""
    (tmp_path / "case.toml").write_text(CASE)
    assert whorl("run", "case.toml", "-o", "out").code == 0
    checkpoints = tmp_path / "out" / "checkpoints"
    assert sorted(path.name for path in checkpoints.iterdir()) == [f"{step:08}.h5" for step in (4, 8, 10)]
    return checkpoints


def truncate(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip_one_bit_of_the_data(path):
    with h5py.File(path) as file:
        offset = file["velocity_first"].id.get_offset() + 64
    data = bytearray(path.read_bytes())
    data[offset] ^= 1
    path.write_bytes(data)


def replace_by_text(path):
    path.write_text("not a checkpoint")


def replace_by_a_foreign_file(path):
    with h5py.File(path, "w") as file:
        file["velocity_first"] = np.zeros(10)


def take_the_completeness_mark(path):
    with h5py.File(path, "r+") as file:
        del file.attrs["complete"]


def another_grid(path):
    with h5py.File(path, "r+") as file:
        file.attrs["points"] = [16, 16, 16]


def another_grid_sealed(path):
    another_grid(path)
    seal(path)


@pytest.mark.parametrize(
    ("damage", "word"),
    [
        (truncate, "damaged"),
        (flip_one_bit_of_the_data, "checksum"),
        (replace_by_text, "no HDF5 file"),
        (replace_by_a_foreign_file, "not written by whorl"),
        (take_the_completeness_mark, "incomplete"),
        (another_grid, "its attributes are damaged"),
        (another_grid_sealed, "16 x 16 x 16"),
    ],
)
def test_a_checkpoint_that_cannot_be_used(whorl, unchanged, stopped, damage, word):
    damage(stopped / "00000010.h5")
    unchanged()
    refused = whorl("restart", "out", "--until", "0.3")
    check_refused(
        refused, "00000010.h5 cannot be used", word, "the one before is", "whorl restart out --step 8"
    )


@pytest.mark.mpi
def test_the_checkpoint_offered_works(whorl, unchanged, stopped):
    truncate(stopped / "00000010.h5")
    unchanged()
    refused = whorl("restart", "out", "--until", "0.3")
    check_refused(refused, "damaged", "--step 8")
    flip_one_bit_of_the_data(stopped / "00000008.h5")
    unchanged()
    refused = whorl("restart", "out", "--until", "0.3", "--step", "8", ranks=2)
    check_refused(refused, "00000008.h5 cannot be used", "checksum", "--step 4")
    assert whorl("restart", "out", "--until", "0.3", "--step", "4").code == 0
    assert (stopped / "00000015.h5").is_file()
    unchanged()


def test_no_good_checkpoint_at_all(whorl, unchanged, stopped):
    for path in stopped.iterdir():
        truncate(path)
    unchanged()
    check_refused(whorl("restart", "out", "--until", "0.3"), "there is no good one before it")


def test_no_checkpoint_of_that_step(whorl, unchanged, stopped):
    unchanged()
    refused = whorl("restart", "out", "--until", "0.3", "--step", "5")
    check_refused(refused, "00000005.h5 does not exist", "step 4, 8, 10")


def test_a_directory_without_checkpoints(whorl, unchanged, stopped, tmp_path):
    for path in stopped.iterdir():
        path.unlink()
    unchanged()
    check_refused(whorl("restart", "out"), "out has no checkpoint to restart from", "--overwrite")


@pytest.mark.parametrize("command", ["restart", "plot", "average"])
def test_a_directory_that_is_no_run(whorl, unchanged, command):
    unchanged()
    check_refused(whorl(command, "nowhere"), "nowhere does not exist; name the output directory of a run.")


def test_the_name_of_a_run_that_is_there_is_offered(whorl, unchanged, stopped):
    unchanged()
    check_refused(whorl("restart", "outt"), "outt does not exist; did you mean out?")


@pytest.mark.parametrize("beside", [[], ["-o", "new"]])
def test_an_end_before_the_checkpoint(whorl, unchanged, stopped, beside):
    unchanged()
    early = whorl("restart", "out", "--until", "0.1", *beside)
    check_refused(
        early, "time.until = 0.1 is before the checkpoint", "at t = 0.2, step 10", "of those of step 4, 8, 10"
    )


def test_nothing_left_to_do(whorl, unchanged, stopped):
    unchanged()
    check_refused(whorl("restart", "out"), "at t = 0.2, step 10", "time.until = 0.2 (--until and a later")
    more_steps = whorl("restart", "out", "--set", "time.steps=70")
    check_refused(more_steps, "at t = 0.2, step 10", "before time.until = 0.2 (--until")
    fewer = whorl("restart", "out", "--until", "3", "--set", "time.steps=5")
    check_refused(fewer, "time.steps = 5 (--set time.steps= and a larger number)")


def test_spectra_that_are_none(whorl, unchanged, stopped, tmp_path):
    (tmp_path / "out" / "spectra.h5").write_bytes(b"junk")
    unchanged()
    check_refused(whorl("plot", "out"), "out/spectra.h5 is damaged or was not written by whorl")
    check_refused(whorl("restart", "out", "--until", "0.3"), "out/spectra.h5 is damaged")


# The command line


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rnu"], ["rnu", "Did you mean 'run'?"]),
        (["run"], ["Missing argument 'CASE'", "whorl run --help"]),
        (["run", "abc", "--otput", "x"], ["--otput", "--output"]),
        (["restart", "x", "--until", "soon"], ["--until", "number"]),
        (["restart", "x", "--until", "5 turnovres"], ["5 turnovres", '"N turnovers"']),
        (["run", "abc", "--set", "a.b=1", "c.d=2"], ["(c.d=2)", "a --set of its own. See whorl run"]),
        (["plot", "x", "--plane"], ["'--plane' requires an argument", "whorl plot --help"]),
        (["average", "x", "--from", "yesterday"], ["--from = yesterday: it must be a number. See whorl av"]),
        (["plot", "x", "--to", ""], ["--to = '': it must be a number. See whorl plot --help."]),
        (["restart", "x", "--step", "1.5"], ["--step = 1.5: it must be a whole number. See"]),
        (["plan", "abc", "-n", "4", "-n", "many"], ["--nodes = many: it must be a whole number. See"]),
        (["plan", "abc", "--ranks-per-node", "0"], ["--ranks-per-node = 0: it must be at least 1. See"]),
        (
            ["plan", "abc", "--algorithm", "gest"],
            ["--algorithm = gest: it must be one of whorl, gests; did you"],
        ),
        (
            ["bench", "scaling", "--kernel", "ftt"],
            ["--kernel = ftt: it must be one of fft, step; did you mean f"],
        ),
        (["bench", "step", "--points", "abc"], ["--points = abc: it must be a whole number."]),
        (
            ["bench", "fft", "--process-grid", "2", "x y"],
            ["--process-grid = 'x y': it must be a whole number"],
        ),
        (["bench", "setp"], ["setp", "Did you mean 'step'?"]),
        (["bench", "step", "--points", "22"], ["next good size is 24"]),
        (["bench", "step", "--precision", "half"], ["half", "double, single"]),
        (["cases", "tailor-green"], ["tailor-green", "did you mean taylor-green?"]),
        (["options", "girdle"], ["[girdle]", "grid, flow, time"]),
        (["run", "abc", "--set", "points=8"], ["section.key=value", "grid.points?"]),
    ],
)
def test_what_was_typed(whorl, unchanged, arguments, words):
    unchanged()
    check_refused(whorl(*arguments), *words)
