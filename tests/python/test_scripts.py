"""The scripts of benchmarks/, validation/ and examples/ import only names that the package has."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("folder", ["benchmarks", "validation", "examples"])
def test_scripts_import_names_that_are_there(folder):
    scripts = sorted((ROOT / folder).glob("*.py"))
    assert scripts
    missing = []
    for script in scripts:
        for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "whorl":
                module = import_module(node.module)
                for alias in node.names:
                    if not hasattr(module, alias.name) and not _is_module(f"{node.module}.{alias.name}"):
                        missing.append(f"{script.name}:{node.lineno}: {node.module}.{alias.name}")
    assert missing == []


def _is_module(name):
    try:
        import_module(name)
    except ImportError:
        return False
    return True
