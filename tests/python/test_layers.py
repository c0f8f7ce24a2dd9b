"""tools/check_layers passes on this tree and fails on each kind of violation."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LONG_FUNCTION = "def long():\n" + "    print()\n" * 61
ORDERED = '"""What belongs here.\n\nIts modules, each of which reaches only those before it:\n{}.\n"""\n'

PLANTED = {
    "upward include": (
        {"core/grid/box.hpp": '#include "models/flow.hpp"\n'},
        "core/grid/box.hpp:1: error: grid/ includes models/flow.hpp",
    ),
    "include without a folder": (
        {"core/grid/box.hpp": '\n#include "box.hpp"\n'},
        "core/grid/box.hpp:2: error:",
    ),
    "unknown folder": (
        {"core/extras/box.hpp": ""},
        "core/extras/ has no place",
    ),
    "vendor call": (
        {"core/models/flow.hpp": "/* two\nlines */ auto* p = fftw_malloc(8);\n"},
        "core/models/flow.hpp:2: error: fftw_ma",
    ),
    "vendor pragma": (
        {"core/measure/sum.cpp": "#pragma omp parallel\n"},
        "OpenMP belongs in",
    ),
    "MPI call in bindings": (
        {"core/bindings/module.cpp": "MPI_Comm c = MPI_Comm_f2c(f);\nMPI_Barrier(c);\n"},
        "core/bindings/module.cpp:2: error: MPI_Barrier",
    ),
    "upward import between folders": (
        {"python/whorl/config/case.py": "from ..run.simulation import run\n"},
        "config/case.py:1: error: config.case imports run.simulation, which does not come before config.case",
    ),
    "upward import within a folder": (
        {"python/whorl/config/units.py": "\ndef f():\n    import whorl.config.case\n"},
        "config/units.py:3: error: config.units imports config.case, which does not come before config.units",
    ),
    "upward import from a folder within": (
        {"python/whorl/config/models/mhd.py": "from whorl.config import case\n"},
        "models/mhd.py:1: error: config.models imports config.case, which does not come before",
    ),
    "import of a folder that is not there": (
        {"python/whorl/config/case.py": "from whorl.extras import a\n"},
        "config.case imports extras.a, which does not come before config.case",
    ),
    "module without a place": (
        {"python/whorl/config/extra.py": ""},
        "config/__init__.py:1: error: config.extra has no place",
    ),
    "folder without a place": ({"python/whorl/extras/a.py": ""}, "extras.a has no place"),
    "module that is gone": (
        {"python/whorl/run/__init__.py": ORDERED.format("simulation, tune")},
        "run.tune is listed in its folder's docstring and is not there",
    ),
    "pictures that reach the core": (
        {"python/whorl/results/plots.py": "def draw():\n    from whorl import _core\n"},
        "python/whorl/results/plots.py:2: error: results.plots imports _core, but results.plots reads files",
    ),
    "pictures that reach MPI through a helper": (
        {
            "python/whorl/config/units.py": "from whorl import _core\n",
            "python/whorl/results/plots.py": "from whorl.config.case import f\n",
        },
        "plots.py:1: error: results.plots imports config.case imports config.units imports _core, but",
    ),
    "long function": ({"tests/test_a.py": LONG_FUNCTION}, "tests/test_a.py:1: error: function long has 62"),
    "long file": ({"core/base/long.hpp": "\n" * 501}, "error: file long.hpp has 501 lines"),
}

ALLOWED = {
    "core/device/line_plan.cpp": '#include <fftw3.h>\n#include "base/error.hpp"\nauto p = fftw_malloc(8);\n',
    "core/bindings/module.cpp": '#include "storage/file.hpp"\n// MPI_Barrier is not called\n'
    'auto text = "fftw_malloc";\nauto comm = MPI_Comm_f2c(handle);\nauto v = device::fftw_version();\n',
    "python/whorl/__init__.py": "from whorl.run import simulation\n",
    "python/whorl/config/__init__.py": ORDERED.format("units,\nmodels, case"),
    "python/whorl/config/units.py": "metre = 1.0\n",
    "python/whorl/config/models/__init__.py": "from whorl.config.models.mhd import Mhd\n",
    "python/whorl/config/models/mhd.py": "from whorl.config.units import metre\n",
    "python/whorl/config/case.py": "from .units import metre\n",
    "python/whorl/run/__init__.py": ORDERED.format("simulation"),
    "python/whorl/run/simulation.py": "from whorl import _core\nfrom whorl.config import case\n",
    "python/whorl/results/__init__.py": ORDERED.format("plots"),
    "python/whorl/results/plots.py": "from whorl.config.case import f\n",
    "tests/test_a.py": 'def f():\n    """' + "\n" * 80 + '    """\n    return 1\n',
}


def check(root: Path) -> subprocess.CompletedProcess[str]:
    """Run the tool on a tree; its findings are in stdout."""
    command = [sys.executable, str(ROOT / "tools" / "check_layers"), str(root)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def plant(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.mark.slow  # make lint does it
def test_this_tree_is_clean() -> None:
    result = check(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


def test_allowed_uses_pass(tmp_path: Path) -> None:
    plant(tmp_path, ALLOWED)
    result = check(tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(("files", "message"), PLANTED.values(), ids=PLANTED.keys())
def test_a_violation_fails(tmp_path: Path, files: dict[str, str], message: str) -> None:
    plant(tmp_path, ALLOWED | files)
    result = check(tmp_path)
    assert result.returncode == 1
    assert message in result.stdout


def test_a_function_over_forty_lines_is_a_warning(tmp_path: Path) -> None:
    plant(tmp_path, {"tests/test_a.py": "def f():\n" + "    print()\n" * 45})
    result = check(tmp_path)
    assert result.returncode == 0
    assert "warning: function f has 46 lines, more than 40" in result.stdout


def test_a_model_is_compiled_without_the_registry_of_models():
    """Else a line for a new model compiles all models anew."""
    core = ROOT / "core"
    for model in sorted((core / "flow").glob("models_*.cpp")):
        found, to_read = set(), [model]
        while to_read:
            text = to_read.pop().read_text(encoding="utf-8")
            headers = {core / name for name in re.findall(r'^#include "(.+)"', text, re.MULTILINE)}
            new = {header for header in headers - found if header.exists()}
            found |= new
            to_read += new
        assert core / "flow/entry.hpp" in found
        assert core / "flow/registry.hpp" not in found, model.name
