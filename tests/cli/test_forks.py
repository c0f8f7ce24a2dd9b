"""Processes that are forked after a run: they can run, too, with any number of threads."""

import sys

import pytest

POOL = """
import multiprocessing, os
import whorl
from whorl import BlowUp, Case, Simulation

TIME = {"scheme": "rk2", "steps": 30}


def energy(dt):
    case = Case(
        grid={"points": 8},
        flow={"viscosity": 1e-4},
        time=TIME | {"dt": dt},
        initial={"name": "taylor-green"},
        run={"threads": THREADS},
    )
    simulation = Simulation(case)
    simulation.run(progress=False)
    return simulation.statistics()["energy"]


here = energy(0.01)
inherited = Simulation(Case(grid={"points": 8}, flow={"viscosity": 1e-4}, time=TIME | {"dt": 0.01},
    initial={"name": "taylor-green"}, run={"threads": THREADS}))
inherited.step()
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map_async(energy, [0.01] * 3).get(timeout=20) == [here] * 3
    try:
        pool.map_async(energy, [0.01, 30.0]).get(timeout=20)
    except BlowUp as error:
        print("blew up in the pool:", error.step > 0, error.checkpoint)
assert energy(0.01) == here
child = os.fork()
if child == 0:
    inherited.run(progress=False)
    os._exit(0 if inherited.statistics()["energy"] == here else 1)
assert os.waitpid(child, 0)[1] == 0
inherited.run(progress=False)
assert inherited.statistics()["energy"] == here
print("done")
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_a_pool_that_is_forked_after_a_run(shell, tmp_path, threads):
    (tmp_path / "script.py").write_text(f"THREADS = {threads}\n{POOL}")
    result = shell.finish(shell.start(sys.executable, "script.py"), 40)
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines() == ["blew up in the pool: True None", "done"]
