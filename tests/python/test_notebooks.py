"""Notebooks of examples/notebooks/: kept without outputs, and run from their first cell to their last."""

import ast
import json
import re
import time
from importlib import import_module
from pathlib import Path

import pytest
import whorl

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples/notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
PATIENCE = 120  # seconds for a cell


def cells(path: Path, kind: str) -> list[str]:
    book = json.loads(path.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == kind]


def of_each(test):
    return pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)(test)


def test_they_are_linked():
    assert len(NOTEBOOKS) == 5
    for page in ("examples/notebooks/README.md", "docs/run.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        for path in NOTEBOOKS:
            assert f"{path.name})" in text, f"{page} does not link to {path.name}"


@of_each
def test_they_are_kept_without_outputs(path):
    book = json.loads(path.read_text(encoding="utf-8"))
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    assert book["metadata"]["kernelspec"]["name"] == "python3"
    assert len({cell["id"] for cell in book["cells"]}) == len(book["cells"])
    for cell in book["cells"]:
        assert cell["metadata"] == {}
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)


@of_each
def test_they_begin_with_a_title_and_a_check_of_their_numbers_is_in_them(path):
    texts, codes = cells(path, "markdown"), cells(path, "code")
    assert re.match("# [A-Z]", texts[0])
    assert any(isinstance(node, ast.Assert) for code in codes for node in ast.walk(ast.parse(code)))
    assert max(len(line) for text in texts for line in text.splitlines()) <= 120
    assert max(len(line) for code in codes for line in code.splitlines()) <= 110


@of_each
def test_their_links_and_names_are_there(path):
    for text in cells(path, "markdown"):
        for target in re.findall(r"\]\(([^)#]+)", text):
            assert (FOLDER / target.replace("\n", " ")).is_file(), target
    for code in cells(path, "code"):
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.ImportFrom) and node.module.startswith("whorl"):
                assert all(hasattr(import_module(node.module), name.name) for name in node.names)


@pytest.fixture
def own_package(monkeypatch):
    """Kernels import the whorl of these tests."""
    pytest.importorskip("ipykernel", reason="notebooks need a kernel: pip install ipykernel nbclient")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("PYTHONPATH", str(Path(whorl.__file__).parents[1]), prepend=":")
    return pytest.importorskip("nbclient", reason="running notebooks needs it: pip install nbclient")


@of_each
@pytest.mark.slow
def test_they_run(path, tmp_path, own_package):
    import nbformat

    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    place = {"metadata": {"path": str(tmp_path)}}
    own_package.NotebookClient(book, timeout=PATIENCE, resources=place).execute()
    outputs = [output for cell in book.cells for output in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert re.search("(finished|paused) at t = ", str(outputs))


@pytest.mark.slow
def test_an_interrupted_cell_leaves_a_simulation_that_goes_on(own_package):
    from jupyter_client.manager import start_new_kernel

    case = 'grid={"points": 16}, flow={"viscosity": 0.1}, time={"dt": 1e-3, "steps": 100000}'
    manager, client = start_new_kernel(kernel_name="python3")
    try:
        run(client, f"from whorl import *; s = Simulation(Case({case}, initial={{'name': 'abc'}}))")
        client.execute("s.run()", stop_on_error=False)
        time.sleep(1.0)
        manager.interrupt_kernel()
        reply = client.get_shell_msg(timeout=PATIENCE)["content"]
        assert (reply["status"], reply["ename"]) == ("error", "KeyboardInterrupt")
        run(client, "n = s.step_number; assert n and abs(s.time - n * 1e-3) < 1e-9")
        run(client, "s.run(until=s.time + 0.01); assert s.step_number == n + 10")
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def run(client, code: str) -> None:
    """A cell that must end well."""
    client.execute(code)
    reply = client.get_shell_msg(timeout=PATIENCE)["content"]
    assert reply["status"] == "ok", "\n".join(reply.get("traceback", []))
