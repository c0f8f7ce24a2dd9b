"""Commands, scripts and cases of the README and of the pages in PAGES, run as a reader would.

Fenced blocks are executed from top to bottom, those of one page in one directory and one Python session:

    ```sh       a shell script that must end well
    ```python   Python; names of earlier blocks are known
    ```toml     options of a case, which must be valid (they need not be a whole case)
    ```text     lines of the output of the last shell script; their means agree within SIGMAS errors

A word `no-test` after the language leaves a block out.
"""

import math
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest
import tomlkit
from whorl.config.case import load_case

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "docs/index.md", "docs/guide.md", "docs/forcing.md", "docs/tutorial.md")
LINKED = (*PAGES, "docs/cluster.md", "docs/compare.md")
PATIENCE = 600  # seconds a block
OF_PAGES = (pytest.mark.pages, pytest.mark.timeout(1800))  # the tutorial takes 2 minutes of a processor
SIGMAS = 5
OF_ROOT = ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")
FENCE = re.compile(r"^```(?P<language>\w+)(?P<words>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
# Commands that would set up, test or fetch whorl itself.
ENDLESS = re.compile(r"^\s*(make|git|(\S*python\S* -m )?pip|sudo|apt-get)\b", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block and where its text begins."""

    page: str
    line: int
    language: str
    text: str
    tested: bool

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks(page: str) -> list[Block]:
    source = (ROOT / page).read_text(encoding="utf-8")
    return [
        Block(
            page,
            source.count("\n", 0, fence.start("text")) + 1,
            fence["language"],
            fence["text"],
            "no-test" not in fence["words"].split(),
        )
        for fence in FENCE.finditer(source)
    ]


@pytest.fixture
def shell_environment() -> dict[str, str]:
    """As after `. .venv/bin/activate`; MPI may share cores. README's blocks say what root needs."""
    scripts = sysconfig.get_path("scripts")
    plain = {name: value for name, value in os.environ.items() if name not in OF_ROOT}
    return plain | {
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "OMPI_MCA_mpi_yield_when_idle": "1",
    }


def run_shell(block: Block, directory: Path, environment: dict[str, str]) -> str:
    """Run a script and return its output."""
    result = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block.text],
        cwd=directory, env=environment, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert result.returncode == 0, f"{block} ended with {result.returncode}:\n{result.stdout}{result.stderr}"
    assert "Traceback" not in result.stderr, f"{block}:\n{result.stderr}"
    return result.stdout


NUMBER = r"-?\d+(?:\.\d+)?"
MEAN = re.compile(rf"({NUMBER}) ± ({NUMBER})")


def words(line: str) -> list[str]:
    """A line without its numbers, and without the verdicts on a mean."""
    return re.sub(rf"{NUMBER}|±|\?|\b(?:none|unknown|rises|falls)\b", " ", line).split()


def agrees(line: str, shown: str) -> bool:
    """Whether a line of an output has the words of a shown one, and its mean, if it has one."""
    if words(line) != words(shown):
        return False
    here, there = MEAN.search(line), MEAN.search(shown)
    if not (here and there):
        return here is there
    (mean, error), (wanted, allowed) = ([float(x) for x in found.groups()] for found in (here, there))
    return abs(mean - wanted) <= SIGMAS * math.hypot(error, allowed)


def check_output(block: Block, output: str) -> None:
    """Each line of the block agrees with one of the output, in the same order."""
    lines = iter(output.splitlines())
    for shown in block.text.splitlines():
        assert any(agrees(line, shown) for line in lines), f"{block} shows {shown!r}, not in:\n{output}"


def run_python(block: Block, names: dict[str, object]) -> None:
    padded = "\n" * (block.line - 1) + block.text
    exec(compile(padded, str(ROOT / block.page), "exec"), names)


def as_setting(value: object) -> str:
    """A value as TOML in one line."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key} = {as_setting(each)}' for key, each in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(as_setting, value))}]"
    return tomlkit.item(value).as_string()


def check_case(block: Block) -> None:
    """Set one by one in a complete case, so that a few options may stand alone; blocks [[...]] as a whole."""
    settings = []
    for section, options in tomllib.loads(block.text).items():
        if isinstance(options, list):
            settings.append(f"{section}={as_setting(options)}")
        else:
            settings += [f"{section}.{key}={as_setting(value)}" for key, value in options.items()]
    load_case("abc", settings)


@pytest.mark.long("what a reader of README.md runs first has to work")
@pytest.mark.parametrize("page", [PAGES[0], *(pytest.param(page, marks=OF_PAGES) for page in PAGES[1:])])
def test_the_blocks_of_a_page(page, tmp_path, monkeypatch, shell_environment):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["script.py"])
    names: dict[str, object] = {"__name__": "__main__"}
    tested = [block for block in blocks(page) if block.tested]
    output = ""
    for block in tested:
        if block.language == "sh":
            allowed = {} if page == "README.md" else dict.fromkeys(OF_ROOT, "1")
            output = run_shell(block, tmp_path, shell_environment | allowed)
        elif block.language == "text":
            check_output(block, output)
        elif block.language == "python":
            run_python(block, names)
        else:
            assert block.language == "toml", f"{block} is {block.language}, which nothing tests: say no-test"
            check_case(block)
    assert {"sh", "python"} <= {block.language for block in tested}


@pytest.mark.parametrize("page", LINKED)
def test_no_block_sets_up_or_tests_whorl(page):
    for block in blocks(page):
        if block.tested and block.language == "sh":
            assert not ENDLESS.search(block.text), (
                f"{block} would run {ENDLESS.search(block.text)[0]}: no-test"
            )


def test_a_shown_output_is_compared():
    block = Block(
        "page", 1, "text", "energy  2.49 ± 0.06  31  none\nskewness  -0.50 ± 0.01 ?  9  falls\n", True
    )
    check_output(block, "first\nenergy  2.60 ± 0.05 ?  12  rises\nmore\nskewness  -0.52 ± 0.02  30  none\n")
    for other in (
        "energy  3.49 ± 0.05  31  none\nskewness  -0.50 ± 0.01  9  none\n",
        "energy  2.49 ± 0.05  31  none\nflatness  -0.50 ± 0.01  9  none\n",
        "skewness  -0.50 ± 0.01  9  none\nenergy  2.49 ± 0.05  31  none\n",
        "energy  2.49 31  none\nskewness  -0.50 ± 0.01  9  none\n",
    ):
        with pytest.raises(AssertionError):
            check_output(block, other)


def test_the_two_commands_of_the_readme_exist():
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    commands = [
        command
        for block in blocks("README.md")
        for command in re.findall(r"^make ([\w-]+)", block.text, re.MULTILINE)
    ]
    assert commands[:2] == ["demo", "test"]
    assert set(commands) <= targets


@pytest.mark.parametrize("page", LINKED)
def test_links_lead_somewhere(page):
    """Files named by links and pictures are in the repository, and anchors are headings."""
    text = FENCE.sub("", (ROOT / page).read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"\w+://|mailto:", target):
            continue
        file, _, anchor = target.partition("#")
        path = (ROOT / page).parent / file if file else ROOT / page
        assert path.exists(), f"{page} links to {target}"
        if anchor:
            assert anchor in anchors(path), f"{page} links to {target}"


def anchors(path: Path) -> set[str]:
    """Headings as GitHub names them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
