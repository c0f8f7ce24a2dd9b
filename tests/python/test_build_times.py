"""tools/build_times adds up what ninja logged."""

import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools/build_times"
HEAD = "# ninja log v5\n"


def log(folder: Path, *entries: tuple[int, str]) -> Path:
    """A build folder whose objects took so many milliseconds, one after another."""
    folder.mkdir()
    lines, now = [HEAD], 0
    for took, output in entries:
        lines.append(f"{now}\t{now + took}\t0\t{output}\tabc\n")
        now += took
    (folder / ".ninja_log").write_text("".join(lines))
    return folder


def shown(*arguments: object) -> list[str]:
    done = subprocess.run([sys.executable, TOOL, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_files_and_levels_are_added_up(tmp_path):
    build = log(
        tmp_path / "build",
        (9000, "CMakeFiles/whorl_core_v3.dir/core/flow/models_mhd.cpp.o"),
        (4000, "CMakeFiles/whorl_core_v3.dir/core/flow/models_mhd.cpp.o"),  # compiled once more
        (6000, "CMakeFiles/whorl_core_v4.dir/core/flow/models_mhd.cpp.o"),
        (3000, "CMakeFiles/whorl_any_level.dir/core/grid/box.cpp.o"),
        (800, "_core_v4.so"),
    )
    assert shown(build, "--most", 1) == [
        "| file | seconds |",
        "| --- | --- |",
        "| `models_mhd.cpp` | 10 |",
        "| all | 13 |",
        "| level v4 | 6 |",
        "| level v3 | 4 |",
        "| any level | 3 |",
    ]


def test_a_build_before_stands_beside_it(tmp_path):
    before = log(
        tmp_path / "before",
        (70_000, "CMakeFiles/_core_v4.dir/core/bindings/models_mhd.cpp.o"),
        (5000, "CMakeFiles/_core_v4.dir/core/bindings/gone.cpp.o"),
    )
    after = log(tmp_path / "after", (23_000, "CMakeFiles/whorl_core_v4.dir/core/flow/models_mhd.cpp.o"))
    assert shown(after, "--before", before)[2:4] == [
        "| `models_mhd.cpp` | 70 | 23 |",
        "| `gone.cpp` | 5 |  |",
    ]


def test_a_folder_without_a_log_is_refused(tmp_path):
    done = subprocess.run([sys.executable, TOOL, tmp_path], capture_output=True, text=True)
    assert done.returncode == 2
    assert "has no .ninja_log" in done.stderr
