"""What tools/gpu_occupancy says of kernels, and what of them is kept as they are compiled."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from support.tools import ROOT, load

# In the order of ptxas: the functions that a kernel calls come last.
SAID = """ptxas info    : Compiling entry function '_Z1fILi{threads}EEvv' for 'sm_90'
ptxas info    : Function properties for _Z1fILi{threads}EEvv
    {stack} bytes stack frame, {spilled} bytes spill stores, 0 bytes spill loads
ptxas info    : Used {registers} registers, used 1 barriers, 2048 bytes smem
ptxas info    : Function properties for _Z6calledv
    80 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Function properties for _Z10called_toov
    0 bytes stack frame, 0 bytes spill stores, {called} bytes spill loads
ptxas info    : Compile time = 6.960 ms
"""


def said(threads=256, registers=80, stack=0, spilled=0, called=0):
    return SAID.format(threads=threads, registers=registers, stack=stack, spilled=spilled, called=called)


@pytest.fixture(scope="module")
def occupancy():
    return load("tools/gpu_occupancy")


# By registers; by warps; by memory, of which a block of a hundred KiB leaves room for two on an H100 and one
# on an A100; by blocks.
@pytest.mark.parametrize(
    ("registers", "threads", "memory", "architecture", "blocks"),
    [
        (80, 256, 0, "sm_90", 3),
        (81, 256, 0, "sm_90", 2),
        (128, 256, 0, "sm_90", 2),
        (129, 256, 0, "sm_90", 1),
        (128, 512, 0, "sm_90", 1),
        (168, 192, 0, "sm_90", 2),
        (168, 384, 0, "sm_90", 1),
        (32, 256, 0, "sm_90", 8),
        (32, 512, 0, "sm_90", 4),
        (24, 32, 0, "sm_90", 32),
        (32, 256, 100 << 10, "sm_90", 2),
        (32, 256, 100 << 10, "sm_80", 1),
        (32, 256, 75 << 10, "sm_90", 3),
    ],
)
def test_blocks_of_a_multiprocessor(occupancy, registers, threads, memory, architecture, blocks):
    assert occupancy.blocks_of(registers, threads, memory, occupancy.MEMORY[architecture]) == blocks


def test_what_ptxas_said_is_read(occupancy):
    """Of each kernel, with what it calls."""
    text = "ptxas info    : 272 bytes gmem\n" + said(registers=96, stack=24, spilled=16, called=8)
    first, second = occupancy.kernels_of(text + said(threads=512, called=4))
    assert first == ("_Z1fILi256EEvv", "sm_90", 96, 2048, 24, 24)
    assert second == ("_Z1fILi512EEvv", "sm_90", 80, 2048, 0, 4)


def test_threads_of_other_kernels_are_those_of_the_sources(occupancy):
    assert (occupancy.ROW_THREADS, occupancy.COMBINING_THREADS) == (128, 256)
    with pytest.raises(TypeError):
        occupancy.constant("cuda.hpp", "no_threads")


def named(occupancy, name, registers=80):
    return occupancy.Kernel(name, "sm_90", registers, 0, 0, 0)


LINES = "cuda::run_program<LineProgram<double, StoreLines<double, {}, 4, true>, (Direction)-1>, 192, 2>(int)"
COUPLED = "Update<Scalar<Flow<double, L<double> >, double>, double, std::integral_constant<bool, {}> >"


def test_kernels_are_named_by_what_they_do(occupancy):
    store = named(occupancy, LINES.format(COUPLED.format("false")))
    assert (store.kind, store.precision, store.threads) == ("lines along z, outwards", "double", 192)
    assert not store.coupled
    assert named(occupancy, LINES.format(COUPLED.format("true"))).coupled
    for typed in (
        "StoreCounted<float, equations::TypedModeUpdate<float>, false>",
        "InRows<equations::AddToMode<float> >",
    ):
        assert named(occupancy, f"cuda::run_rows<{typed} >(int)").coupled
    assert not store.differenced
    differenced = LINES.format("Update<Flow<double>, double, whorl::Differencing>")
    assert named(occupancy, differenced).differenced
    apart = named(occupancy, "cuda::run_rows<EndsApart<float, StoreLines<float, A, 4, true>, false> >(int)")
    assert (apart.kind, apart.precision, apart.threads) == ("rows of a kernel", "single", 128)


def run(occupancy, monkeypatch, capsys, build, *arguments):
    monkeypatch.setattr(sys, "argv", ["gpu_occupancy", *arguments, str(build)])
    return occupancy.main(), capsys.readouterr()


def test_spills_fail_the_check(occupancy, monkeypatch, capsys, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.o.ptxas").write_text(said())
    code, shown = run(occupancy, monkeypatch, capsys, tmp_path, "--check")
    assert code == 0, shown
    code, shown = run(occupancy, monkeypatch, capsys, tmp_path)
    assert "| 80 | 2048 | 0 | 6 | 24 |" in shown.out
    for how in ({"spilled": 4}, {"called": 4}):
        (tmp_path / "b.o.ptxas").write_text(said(threads=192, **how))
        code, shown = run(occupancy, monkeypatch, capsys, tmp_path, "--check")
        assert code == 1
        assert "4 bytes are spilled for sm_90 by f<192>" in shown.out


def test_objects_that_are_made_no_more_are_left_out(occupancy, monkeypatch, capsys, tmp_path):
    (tmp_path / "cuda").mkdir()
    for name, how in (("a", {}), ("gone", {"threads": 192, "spilled": 4})):
        (tmp_path / "cuda" / f"{name}.cu.o.ptxas").write_text(said(**how))
    made = [{"command": f"kept.py nvcc -c {name} -o {name}.o"} for name in ("cuda/a.cu", "flow.cpp")]
    (tmp_path / "compile_commands.json").write_text(json.dumps(made))
    code, shown = run(occupancy, monkeypatch, capsys, tmp_path, "--check")
    assert code == 0
    assert "1 kernels, 0 of them" in shown.out


def test_without_kernels_nothing_is_checked(occupancy, monkeypatch, capsys, tmp_path):
    code, shown = run(occupancy, monkeypatch, capsys, tmp_path, "--check")
    assert code == 1
    assert "WHORL_CUDA=ON" in shown.err


@pytest.mark.parametrize(
    ("code", "kernels", "is_kept"), [(0, True, True), (3, True, False), (0, False, False)]
)
def test_what_ptxas_says_is_kept_beside_the_object(tmp_path, code, kernels, is_kept):
    """And what it said of an object before is not, whatever becomes of the new one."""
    printed = (said() if kernels else "") + "warning: something else\n"
    compiler = [sys.executable, "-c", f"import sys; sys.stderr.write({printed!r}); sys.exit({code})"]
    command = [sys.executable, str(ROOT / "cmake" / "ptxas_kept.py"), *compiler, "-o", "x.o"]
    kept = tmp_path / "x.o.ptxas"
    kept.write_text("of an object before")
    done = subprocess.run(command, cwd=tmp_path, text=True, capture_output=True)
    assert (done.returncode, done.stderr) == (code, "warning: something else\n")
    assert kept.exists() == is_kept
    assert not is_kept or kept.read_text() == said()


STUBS = {
    "cmake": """echo cmake "$@" >> said
mkdir -p build/release && echo "CMAKE_CUDA_COMPILER:FILEPATH=$PWD/own nvcc" > build/release/CMakeCache.txt""",
    "python": """echo python "$@" >> said
[ "${1##*/}" != "$FAILS" ]""",
    "nvcc": "echo of PATH >> said; exit 1",
    "own nvcc": """echo nvcc "$@" >> said
echo 'Cuda compilation tools, release 13.0, V13.0.88'""",
}


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
@pytest.mark.parametrize("fails", ["", "gpu_occupancy"])
def test_cuda_check_has_the_compiler_of_cmake_and_ends_without_cuda(tmp_path, fails):
    bin_of = {"cmake": "bin", "nvcc": "bin", "python": ".venv/bin", "own nvcc": "."}
    for name, lines in STUBS.items():
        stub = tmp_path / bin_of[name] / name
        stub.parent.mkdir(parents=True, exist_ok=True)
        stub.write_text(f"#!/bin/sh\n{lines}\n")
        stub.chmod(0o755)
    (tmp_path / ".venv" / ".core-release").touch()
    (tmp_path / "build/release").mkdir(parents=True)
    (tmp_path / "build/release/CMakeCache.txt").write_text("WHORL_LEVELS:STRING=v2,v3\n")
    own = {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "FAILS": fails}
    command = ["make", "-f", str(ROOT / "Makefile"), "-o", ".venv/.core-release", "cuda-check"]
    chosen = ["PRESET=release", "LEVELS=", "CUDA_ARCHITECTURES=80-real;90"]
    done = subprocess.run(
        [*command, *chosen], cwd=tmp_path, env=os.environ | own, capture_output=True, text=True
    )
    assert (done.returncode != 0) == bool(fails), done.stderr
    asked = (tmp_path / "said").read_text().splitlines()
    look = "-o build/release/gpu_look tools/gpu_look.cu"
    looked = [] if fails else [f"nvcc -std=c++17 -arch=sm_{kind} {look}" for kind in (80, 90)]
    assert [line for line in asked if "nvcc" in line or "PATH" in line] == ["nvcc --version", *looked]
    assert "python -m pip install --quiet cuda-bindings==13.0.*" in asked
    assert [line.split()[-2:] for line in asked if "tools/cuda_linked" in line] == [["80", "90"]]
    assert asked[-1] == "cmake -B build/release -DWHORL_CUDA=OFF -DWHORL_LEVELS=v2,v3"
    assert not (tmp_path / ".venv" / ".core-release").exists()
