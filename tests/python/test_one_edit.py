"""A scheme, an option, a column and an output file are one edit in one place: those of CONTRIBUTING.md, done.

Each toy is put into a copy of the package as the page says, and used from end to end.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.build import needs
from support.pages import AFTER, FENCE, apply, copy_package, environment
from whorl import _core, _levels

PAGE = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
CASE = """
import json
import numpy as np
from whorl import Case, Simulation, open_run
from whorl.config.case import CaseError

def case(**sections):
    return Case(**{"grid": {"points": 12}, "flow": {"viscosity": 0.05}, "time": {"dt": 0.05, "steps": 5},
                   "initial": {"name": "taylor-green"}} | sections)

"""


def section(title: str) -> str:
    begin = PAGE.index(f"### {title}\n")
    return PAGE[begin : PAGE.index("\n### ", begin + 1)]


class Copy:
    """The package with one toy in it."""

    def __init__(self, folder: Path, title: str):
        self.folder = folder
        copy_package(folder)
        for compiled in (_core.__file__, _levels.__file__):
            shutil.copy(compiled, folder / "python/whorl")
        self.places = [AFTER.fullmatch(block["words"])["path"] for block in FENCE.finditer(section(title))]
        apply(section(title), folder)

    def python(self, program: str) -> dict:
        """What a program leaves in `told`."""
        program = f"{CASE}{program}\nprint(json.dumps(told))"
        command = [sys.executable, "-S", "-c", program]
        return json.loads(self._run(command).splitlines()[-1])

    def whorl(self, *words: str) -> str:
        program = "import sys; from whorl.cli.main import main; sys.argv[0] = 'whorl'; main()"
        return self._run([sys.executable, "-S", "-c", program, *words])

    def _run(self, command: list[str]) -> str:
        done = subprocess.run(
            command, cwd=self.folder, env=environment(self.folder), capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture
def copy(request, tmp_path) -> Copy:
    return Copy(tmp_path, request.param)


def of(title: str):
    return pytest.mark.parametrize("copy", [title], indirect=True)


@pytest.mark.slow
@of("A scheme")
def test_a_scheme_is_one_edit(copy):
    """Known by its name, suggested, and of its order: the error of a step of half the length is a quarter."""
    assert copy.places == ["python/whorl/config/schemes.py"]
    assert "midpoint" in copy.whorl("options", "time")
    told = copy.python("""
def after(steps):
    scheme = "midpoint" if steps < 99 else "rk4"
    simulation = Simulation(case(time={"scheme": scheme, "dt": 0.8 / steps, "steps": 200}))
    for _ in range(steps):
        simulation.step()
    return simulation.velocity()

exact = after(160)
told = {"errors": [float(abs(after(steps) - exact).max()) for steps in (10, 20, 40)],
        "courant": case(time={"scheme": "midpoint", "steps": 1}).time.courant,
        "toml": "midpoint" in case(time={"scheme": "midpoint", "steps": 1}).to_toml()}
try:
    case(time={"scheme": "midpont", "steps": 1})
except CaseError as error:
    told["error"] = str(error)
""")
    first, second, third = told["errors"]
    assert first / second == pytest.approx(4, rel=0.15)
    assert second / third == pytest.approx(4, rel=0.08)
    assert told["courant"] == 0.5
    assert told["toml"]
    assert "did you mean midpoint?" in told["error"]


@pytest.mark.slow
@of("An option")
def test_an_option_is_one_edit(copy):
    assert copy.places == ["python/whorl/config/run.py"]
    assert re.search(r"run\.patience .*greater than 0, default 2\.5", copy.whorl("options", "run"))
    assert "how long a rank waits for its peers [seconds]" in copy.whorl("options", "run")
    assert re.search(r"^# patience = 2\.5 +# how long", copy.whorl("new", "mhd"), re.MULTILINE)
    told = copy.python("""
told = {"default": case().run.patience, "given": case(run={"patience": 4.0}).to_dict()["run"]["patience"],
        "toml": case(run={"patience": 4.0}).to_toml()}
try:
    case(run={"patience": -1.0})
except CaseError as error:
    told["error"] = str(error)
""")
    assert (told["default"], told["given"]) == (2.5, 4.0)
    assert "patience = 4.0" in told["toml"]
    assert "run.patience = -1" in told["error"]


@pytest.mark.slow
@of("A diagnostic")
def test_a_column_is_one_edit(copy):
    assert copy.places == ["python/whorl/models/viscous.py"]
    assert "decay_time" in copy.whorl("models", "navier-stokes")
    told = copy.python("""
output = {"directory": "run", "series_every": "2 steps", "checkpoint_every": "never"}
simulation = Simulation(case(output=output))
simulation.run(progress=False)
column, series = open_run("run").series["decay_time"], open_run("run").series
told = {"units": column.attrs["units"], "meaning": column.attrs["long_name"], "rows": column.size,
        "right": bool(np.allclose(column, series["energy"] / series["dissipation"])),
        "of a script": simulation.statistics()["decay_time"] == float(column[-1])}
""")
    assert told == {"units": "time", "meaning": "E/ε", "rows": 4, "right": True, "of a script": True}
    head = (copy.folder / "run/series.csv").read_text(encoding="utf-8")
    assert re.search(r"^# decay_time +\[time\]  E/ε$", head, re.MULTILINE)
    assert re.search(r"^step,time.*,decay_time,", head, re.MULTILINE)


@pytest.mark.slow
@needs("hdf5")
@of("An output file")
def test_an_output_file_is_one_edit(copy):
    """Its option, its rows when due, what a restart goes on with, and what --overwrite removes."""
    assert copy.places == ["python/whorl/config/outputs.py"]
    assert "budget_every" in copy.whorl("options", "output")
    assert 'budget_every = "2 steps"' in copy.whorl("new", "mhd")
    told = copy.python("""
simulation = Simulation(case(output={"directory": "run", "series_every": "1 steps"}))
simulation.run(progress=False)
budget, series = open_run("run").table("budget"), open_run("run").series
told = {"steps": budget["step"].values.tolist(), "columns": list(budget.data_vars),
        "units": budget["lost"].attrs["units"],
        "right": bool(np.allclose(budget["lost"], series["dissipation"].sel(time=budget["time"]) / 2))}
Simulation.restart("run", settings=["time.steps=8"]).run(progress=False)
told["restarted"] = open_run("run").table("budget")["step"].values.tolist()
told["gaps"] = open_run("run").table("budget").attrs
""")
    assert told["steps"] == [0, 2, 4, 5]
    assert (told["columns"], told["units"], told["right"]) == (["step", "lost"], "length²/time³", True)
    assert told["restarted"] == [0, 2, 4, 5, 6, 8]
    assert told["gaps"] == {}
    new = copy.folder / "new.toml"
    new.write_text((copy.folder / "run/case.toml").read_text(encoding="utf-8"), encoding="utf-8")
    never = ["output.budget_every=never", "time.steps=1"]
    copy.whorl("run", str(new), "-o", "run", "--overwrite", *(word for s in never for word in ("--set", s)))
    assert not (copy.folder / "run/budget.csv").exists()
    assert (copy.folder / "run/series.csv").exists()


def test_each_of_them_is_told_in_one_block():
    for title in ("A scheme", "An option", "A diagnostic", "An output file"):
        assert len(list(FENCE.finditer(section(title)))) == 1
