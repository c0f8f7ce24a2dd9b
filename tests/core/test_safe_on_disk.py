"""A file has its name only when its data are on disk, and the name is on disk before the run goes on."""

import sys

import pytest
from support import watched
from support.build import needs

pytestmark = [needs("hdf5"), pytest.mark.skipif(sys.platform != "linux", reason="watched as on Linux")]

SCRIPT = """
from whorl.config.case import load_case
from whorl.run.simulation import Simulation
quick = ["grid.points=8", "time.dt=0.01", "time.steps=1", "output.snapshot_every='1 steps'"]
case = load_case("abc", quick).updated(output={"directory": "out"})
with Simulation(case) as simulation:
    simulation.run(progress=False)
"""


def test_every_file_of_a_run(tmp_path):
    seen = watched.calls(tmp_path, SCRIPT)
    renamed = {path: number for number, (what, path) in enumerate(seen) if what == "rename"}
    names = {path.removeprefix(f"{tmp_path}/out/").removesuffix(".part") for path in renamed}
    assert names == {
        "case.toml",
        "series.csv",
        "spectra.h5",
        "checkpoints/00000001.h5",
        "snapshots/00000000.vtkhdf",
        "snapshots/00000001.vtkhdf",
        "snapshots.vtkhdf.series",
    }
    for path, at in renamed.items():
        writes = [number for number, call in enumerate(seen[:at]) if call == ("write", path)]
        safe = [number for number, call in enumerate(seen[:at]) if call == ("fsync", path)]
        assert safe, f"{path} was renamed before it was on disk"
        assert not writes or writes[-1] < safe[-1], f"{path} was written to after it was on disk"
        assert seen[at + 1] == ("fsync", path.rpartition("/")[0]), f"the name of {path} is not on disk"


def test_rows_are_on_disk_before_the_checkpoint(tmp_path):
    seen = watched.calls(tmp_path, SCRIPT)
    checkpoint = seen.index(("rename", f"{tmp_path}/out/checkpoints/00000001.h5.part"))
    assert ("fsync", f"{tmp_path}/out/series.csv") in seen[:checkpoint]
