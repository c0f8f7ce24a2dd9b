"""What all tests share."""

import os
import sys
from zlib import crc32

import pytest
from hypothesis import settings
from support import devices
from support.lost_gpu import pytest_runtest_makereport  # noqa: F401

# Workers, ranks and commands read modules that are compiled, whatever this environment wants elsewhere: the
# modules of tests take as long to compile as to import.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Machines stall, and no test here is about time.
settings.register_profile("whorl", deadline=None)
settings.load_profile("whorl")

# Of the tests on cpu-as-gpu, whose orchestration they share, one in so many runs by default: all of these
# files, one of which has every model, and of each function of other folders than the models' the first at
# least.
SAMPLE = 12
ALWAYS = ("core/test_devices.py", "models/test_devices.py")
COMPARED = "/models/"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--devices",
        choices=["sample", "all"],
        default="sample",
        help=f"tests on cpu-as-gpu: one in {SAMPLE}, or all of them",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test of a module marked every_device is a test on each of them, unless it is marked only_cpu."""
    own = metafunc.definition
    if own.get_closest_marker("every_device") and not own.get_closest_marker("only_cpu"):
        marks = {"cuda": pytest.mark.gpu}
        names = [pytest.param(name, marks=marks.get(name, ())) for name in devices.ALL]
        metafunc.parametrize("device", names, indirect=True, scope="module")


@pytest.fixture(scope="module", autouse=True)
def device(request: pytest.FixtureRequest):
    """Flows of tests are made on this device."""
    name = getattr(request, "param", "cpu")
    if reason := devices.missing(name):
        pytest.skip(reason)
    devices.use(name)
    yield name
    devices.use("cpu")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    every = config.getoption("--devices") == "all"
    seen: set[str] = set()
    left_out = [item for item in items if not wanted(item, every, seen)]
    config.hook.pytest_deselected(items=left_out)
    unwanted = {id(item) for item in left_out}
    items[:] = [item for item in items if id(item) not in unwanted]


def wanted(item: pytest.Item, every: bool, seen: set[str]) -> bool:
    """Not where a transport does not move a device's memory, nor beyond the sample of cpu-as-gpu."""
    call = getattr(item, "callspec", None)
    if call is None or "device" not in call.params or not item.get_closest_marker("every_device"):
        return True
    device = call.params["device"]
    if not devices.can_move(call.params.get("transport", ""), device):
        return False
    if every or device != "cpu-as-gpu" or item.nodeid.split("::")[0].endswith(ALWAYS):
        return True
    function = item.nodeid.split("[")[0]
    first = function not in seen and COMPARED not in function
    seen.add(function)
    return first or crc32(item.nodeid.encode()) % SAMPLE == 0
