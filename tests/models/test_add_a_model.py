"""docs/add-a-model.md, done: its files and lines in a copy of the sources, compiled, tested and run."""

import subprocess
import sys
from pathlib import Path

import pytest
from support import relinked
from support.pages import apply

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/add-a-model.md"

pytestmark = [relinked.needs_build, pytest.mark.build]


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    folder = relinked.copied(tmp_path_factory.mktemp("whorl"))
    (folder / "scripts").write_text("\n".join(apply(PAGE.read_text(encoding="utf-8"), folder)))
    names = ("models", "models_kuramoto_sivashinsky")
    like = "core/flow/models.cpp"
    relinked.link(folder, *(relinked.compile(folder, f"core/flow/{name}.cpp", like) for name in names))
    return folder


def test_the_page_s_test_passes(tree):
    command = [sys.executable, "-S", "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/models"]
    done = subprocess.run(command, cwd=tree, env=relinked.environment(tree), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 passed" in done.stdout


def test_the_page_s_commands_end_with_a_picture(tree):
    whorl_command = f'"{sys.executable}" -S -c "from whorl.cli.main import main; main()"'
    script = f'set -eu\nwhorl() {{ {whorl_command} "$@"; }}\n{(tree / "scripts").read_text()}'
    done = subprocess.run(
        ["bash", "-c", script], cwd=tree, env=relinked.environment(tree), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tree / "front/plot.png").stat().st_size > 50_000
