"""tools/check_layers passes on this tree and fails on each kind of violation."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LONG_FUNCTION = "def long():\n" + "    print()\n" * 61
LONG_CLASS = "class Long:\n" + "    a = 0\n" * 250
LONG_CPP = "template <class Real> void Long<Real>::long(int a) const {\n" + "    a();\n" * 61 + "}\n"

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
        {"core/bindings/module.cpp": "auto c = world;\nMPI_Barrier(c);\n"},
        "core/bindings/module.cpp:2: error: MPI_Barrier",
    ),
    "upward import between folders": (
        {"python/whorl/config/case.py": "from ..run.simulation import run\n"},
        "config/case.py:1: error: config.case imports run.simulation, which is on a higher floor",
    ),
    "upward import within a folder": (
        {"python/whorl/particles/options.py": "\ndef f():\n    import whorl.particles.ask\n"},
        "particles/options.py:3: error: particles.options imports particles.ask, which is on a higher floor",
    ),
    "upward import from a folder within": (
        {
            "python/whorl/particles/options/__init__.py": "",
            "python/whorl/particles/options/kind.py": "from whorl.particles import ask\n",
        },
        "options/kind.py:1: error: particles.options.kind imports particles.ask, which is on a higher",
    ),
    "circle of imports": (
        {
            "python/whorl/config/units.py": "from whorl.models.mhd import Mhd\n",
            "python/whorl/models/mhd.py": "from whorl.config.units import metre\n",
        },
        "a circle of imports: config.units imports models.mhd imports config.units",
    ),
    "import of a folder that is not there": (
        {"python/whorl/config/case.py": "from whorl.extras import a\n"},
        "config.case imports extras.a, which is not there",
    ),
    "folder without a place": ({"python/whorl/extras/a.py": ""}, "extras.a has no place"),
    "pictures that reach the core": (
        {"python/whorl/pictures/run.py": "def draw():\n    from whorl import _core\n"},
        "python/whorl/pictures/run.py:2: error: pictures.run imports _core, but pictures.run reads files",
    ),
    "pictures that reach MPI through a helper": (
        {
            "python/whorl/config/units.py": "from whorl import _core\n",
            "python/whorl/pictures/run.py": "from whorl.config.case import f\n",
        },
        "run.py:1: error: pictures.run imports config.case imports config.units imports _core, but",
    ),
    "long function": ({"tests/test_a.py": LONG_FUNCTION}, "tests/test_a.py:1: error: function long has 62"),
    "long class": ({"tests/test_a.py": LONG_CLASS}, "tests/test_a.py:1: error: class Long has 251"),
    "long function of C++": (
        {"core/base/long.cpp": LONG_CPP},
        "core/base/long.cpp:1: error: function long has 63 lines",
    ),
    "long class of the core": (
        {
            "core/base/long.hpp": "template <class Device>\nclass Long : public A<Device> {"
            + "\n" * 249
            + "};\n"
        },
        "core/base/long.hpp:1: error: class Long has 251 lines, more than 250",
    ),
    "long file": ({"core/base/long.hpp": "\n" * 501}, "error: file long.hpp has 501 lines"),
}

ALLOWED = {
    "core/device/line_plan.cpp": '#include <fftw3.h>\n#include "base/error.hpp"\nauto p = fftw_malloc(8);\n',
    "core/bindings/module.cpp": '#include "storage/file.hpp"\n// MPI_Barrier is not called\n'
    'auto text = "fftw_malloc";\nauto v = device::fftw_version();\n',
    "python/whorl/__init__.py": "from whorl.run import simulation\n",
    "python/whorl/config/__init__.py": "",
    "python/whorl/config/units.py": "metre = 1.0\n",
    "python/whorl/models/__init__.py": "from whorl.models.mhd import Mhd\n",
    "python/whorl/models/mhd.py": "from whorl.config.units import metre\nfrom typing import TYPE_CHECKING\n"
    "if TYPE_CHECKING:\n    from whorl.config.case import Case\n",
    "python/whorl/config/case.py": "from .units import metre\nfrom whorl.models import Mhd\n",
    "python/whorl/particles/__init__.py": "",
    "python/whorl/particles/options.py": "",
    "python/whorl/particles/ask.py": "from whorl.particles import options\nfrom whorl import _core\n",
    "python/whorl/run/simulation.py": "from whorl import _core\nfrom whorl.config import case\n",
    "python/whorl/pictures/run.py": "from whorl.config.case import f\n",
    "core/base/short.cpp": "auto f = [&](int a) {\n" + "    a();\n" * 80 + "};\n",
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
