"""A run continued on another number of ranks, against the same run without a stop.

Set-up   a random field is followed to t = 1 on one rank; a copy is stopped at t = 0.5 and continued on two
         ranks. The fields differ only by rounding that the flow has amplified. Continued on one rank they
         would not differ at all.
Scaling  the case's own units; the difference is relative to the largest velocity.
Cost     32³ points, three short runs by the command line; some seconds. It needs mpiexec.

    python examples/restart_on_other_ranks.py        writes the runs whole/ and parts/
"""

import subprocess
from pathlib import Path

import numpy as np
import whorl

CASE = """
grid.points = 32
flow.viscosity = 0.01
time.dt = 0.02
time.until = 1.0
initial.name = "random"
initial.k0 = 3
output.snapshot_every = 1.0
output.snapshot_precision = "double"
"""


def command(*words: str) -> None:
    print("$", *words)
    subprocess.run(words, check=True)


Path("restart.toml").write_text(CASE, encoding="utf-8")
command("whorl", "run", "restart.toml", "-o", "whole", "--overwrite")
command("whorl", "run", "restart.toml", "-o", "parts", "--overwrite", "--set", "time.until=0.5")
command("mpiexec", "-n", "2", "whorl", "restart", "parts", "--until", "1.0")

whole, parts = (
    whorl.open_run(name).snapshots["velocity"].isel(time=-1).values for name in ("whole", "parts")
)
print(f"largest difference {np.abs(whole - parts).max() / np.abs(whole).max():.1e} of the largest velocity")
