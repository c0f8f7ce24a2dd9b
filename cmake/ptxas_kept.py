"""Runs a compiler; what ptxas says of kernels is kept in OBJECT.ptxas (tools/gpu_occupancy).

python cmake/ptxas_kept.py COMPILER ARGUMENTS
"""

import subprocess
import sys
from pathlib import Path


def is_of_ptxas(line: str) -> bool:
    return line.startswith("ptxas info") or "bytes stack frame, " in line


def main(command: list[str]) -> int:
    kept = None
    if "-o" in command:
        target = Path(command[command.index("-o") + 1])
        kept = target.with_name(target.name + ".ptxas")
        kept.unlink(missing_ok=True)  # of an object before, which may have had other kernels
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    lines = done.stdout.splitlines(keepends=True)
    sys.stderr.writelines(line for line in lines if not is_of_ptxas(line))
    of_kernels = [line for line in lines if is_of_ptxas(line)]
    if done.returncode == 0 and of_kernels and kept:
        kept.write_text("".join(of_kernels))
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
