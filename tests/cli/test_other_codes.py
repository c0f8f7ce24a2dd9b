"""The page of other codes: every line of TOML runs on a tiny grid, and gives what is named beside it."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from support.build import needs
from test_readme import anchors
from whorl.config.case import Case
from whorl.diagnostics.options import KINDS
from whorl.expressions.vocabulary import vocabulary
from whorl.forcing.options import KINDS as FORCES
from whorl.run.simulation import Simulation

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "diagnostics" / "other-codes.md"
CODE = re.compile(r"`([^`]+)`")
NAME = re.compile(r"[A-Za-z]\w*")
POINTS, LENGTHS = (24, 20, 18), (2 * np.pi, 3.0, 5.0)
RANDOM = {"name": "random", "k0": 3.0, "energy": 0.5}
FLOWS = {
    "navier-stokes": {"flow": {"viscosity": 0.02, "rotation": 0.5}, "initial": RANDOM},
    "navier-stokes-2d": {
        "flow": {"viscosity": 0.02},
        "initial": RANDOM,
        "grid": {"points": (24, 20, 1), "lengths": LENGTHS},
    },
    "boussinesq": {
        "flow": {"viscosity": 0.02, "buoyancy_frequency": 2.0},
        "initial": RANDOM | {"temperature": RANDOM | {"seed": 3}},
    },
    "rayleigh-benard": {
        "flow": {"rayleigh": 1e4, "prandtl": 1.0},
        "grid": {"points": POINTS, "lengths": (2.0, 1.5, 1.0)},
        "initial": {
            "name": "zero",
            "temperature": {"name": "formula", "value": "0.1*sin(pi*z)*cos(pi*x)"},
        },
    },
    "mhd": {
        "flow": {"viscosity": 0.02, "resistivity": 0.02, "mean_field": 0.5, "hall": 0.1},
        "initial": RANDOM | {"magnetic": RANDOM | {"seed": 2}},
    },
    "gross-pitaevskii": {
        "flow": {"sound_speed": 1.0, "coherence_length": 0.5},
        "initial": {"name": "formula", "value": ["1 + 0.3*cos(x)", "0.4*sin(x + 2*pi*z/Lz)"]},
    },
}


@dataclass(frozen=True)
class Line:
    """What a row says under "here", and its flow."""

    number: int
    here: str
    flow: str

    @property
    def codes(self) -> list[str]:
        return CODE.findall(self.here)

    @property
    def toml(self) -> list[dict]:
        """Each piece of TOML, as the sections of a case."""
        return [tomllib.loads(text) for text in self.codes if " = " in text]

    @property
    def commands(self) -> list[list[str]]:
        return [text.split() for text in self.codes if text.startswith("whorl ")]

    @property
    def names(self) -> list[str]:
        """Columns, arrays and quantities."""
        plain = [text for text in self.codes if " = " not in text and not text.startswith("whorl ")]
        return [text for text in plain if all(map(NAME.fullmatch, text.split()))]


def lines() -> list[Line]:
    found = []
    for number, text in enumerate(PAGE.read_text(encoding="utf-8").splitlines(), 1):
        cells = [cell.strip() for cell in text.split(" | ")]
        if text.startswith("|") and len(cells) == 4 and not cells[3].startswith("flow"):
            found.append(Line(number, cells[2], cells[3].strip("|` ")))
    return found


LINES = lines()


def case_of(flow: str, sections: dict, directory: Path | None = None, steps: int = 2) -> Case:
    own = FLOWS["navier-stokes" if flow == "any" else flow]
    flow = "navier-stokes" if flow == "any" else flow
    output = {"series_every": "1 steps", "spectra_every": "1 steps", "checkpoint_every": "never"}
    given = {
        "grid": {"points": POINTS, "lengths": LENGTHS},
        "time": {"dt": 0.005, "steps": steps},
        "output": output | ({"directory": str(directory)} if directory else {}),
        "run": {"threads": 1},
    }
    if flow == "navier-stokes":
        given["scalars"] = [{"name": "dye", "gradient": (0.0, 0.0, 1.0)}]
    given |= own | {"flow": {"model": flow} | own["flow"]}
    for name, value in sections.items():
        given[name] = given[name] | value if isinstance(value, dict) else value
    return Case(**given)


def numbers_of(simulation: Simulation) -> dict[str, np.ndarray]:
    """All arrays of what was measured, by their names."""
    found = {str(name): one.values for name, one in simulation.series.data_vars.items()}
    found |= {str(name): one.values for name, one in simulation.spectra.data_vars.items()}
    for data in (*simulation.diagnostics.values(), *simulation.probes.values()):
        found |= {str(name): one.values for name, one in data.data_vars.items()}
    return found


def names_of(simulation: Simulation) -> set[str]:
    """What a word may name: an array, a quantity, a name of expressions, or an option or a kind."""
    quantities = {
        str(one)
        for data in simulation.diagnostics.values()
        for axis in data.coords
        if str(axis).endswith("quantity")
        for one in data[axis].values
    }
    options = {name for kind in FORCES.values() for name in kind.model_fields}
    known = {*numbers_of(simulation), *quantities, *vocabulary(simulation.case).names}
    return known | options | {*FORCES, *KINDS}


@needs("hdf5")
@pytest.mark.parametrize("line", LINES, ids=lambda line: f"line {line.number}")
def test_what_a_line_says_runs_and_gives_what_it_names(line):
    known = set()
    for sections in line.toml or [{}]:
        with Simulation(case_of(line.flow, sections)) as simulation:
            simulation.run(progress=False)
            asked = [*simulation.case.diagnostics, *simulation.case.probes]
            found = {**simulation.diagnostics, **simulation.probes}
            assert {one.label for one in asked} == set(found)
            for label, data in found.items():
                assert data.sizes["time"] >= 2
                for name, one in data.data_vars.items():
                    assert np.isfinite(one.values).any(), (label, name)
                    # Fields and gradients have no mean, and all points may be in the bins.
                    assert np.any(one.values != 0) or str(name).endswith(("mean", "outside")), (label, name)
            known |= names_of(simulation)
    assert set(line.names) <= known
    assert line.toml or line.names or line.commands or "](" in line.here


@pytest.mark.pages
@needs("hdf5")
@pytest.mark.parametrize(
    "line", [one for one in LINES if one.commands], ids=lambda line: f"line {line.number}"
)
def test_the_commands_of_a_line_end_well(line, whorl, tmp_path):
    (sections,) = line.toml or [{"diagnostics": [{"kind": "moments", "of": "u", "every": "5 steps"}]}]
    Simulation(case_of(line.flow, sections, tmp_path / "run", steps=40)).run(progress=False)
    for words in line.commands:
        done = whorl(*("run" if word == "DIR" else word for word in words[1:]))
        said = [text for text in done.err.splitlines() if not text.endswith(": this takes a while")]
        assert (done.code, said) == (0, []), words


def test_the_page_is_found_and_has_its_tables():
    text = PAGE.read_text(encoding="utf-8")
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert len(headings) == 7
    assert len(LINES) > 60
    for page in ("docs/diagnostics/README.md", "docs/guide.md"):
        assert "other-codes.md" in (ROOT / page).read_text(encoding="utf-8")
    assert {line.flow for line in LINES} == {*FLOWS, "any"}
    for target in re.findall(r"\]\(([^)]+)\)", text):
        file, _, anchor = target.partition("#")
        path = PAGE.parent / file if file else PAGE
        assert path.exists(), target
        assert not anchor or anchor in anchors(path), target
