"""What all tests share."""

# ruff: noqa: E402  the core and NumPy read the environment when they are loaded
import os
import shutil
import sys
from collections.abc import Callable

# Workers, ranks and commands read modules that are compiled, whatever this environment wants elsewhere: the
# modules of tests take as long to compile as to import.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Open MPI would start a server for each process of one rank, which takes as long as all else of its start.
# MPI-IO would then complain of a missing folder for shared file positions, which nothing here uses.
os.environ.setdefault("OMPI_MCA_ess_singleton_isolated", "1")
os.environ.setdefault("OMPI_MCA_sharedfp", "^sm")

# Files of tests are in memory where there is enough: on a disk a file is safe only after milliseconds.
MEMORY = "/dev/shm"
if (
    os.path.isdir(MEMORY)
    and shutil.disk_usage(MEMORY).free > 4 << 30
    and not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC  # programs of tests are there, too
):
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", MEMORY)

# Workers share the cores: threads that wait sleep, and linear algebra has one.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import settings
from support import devices, durations, ranks, selection
from support.examples import FULL
from support.lost_gpu import pytest_runtest_makereport  # noqa: F401

# Machines stall, and no test here is about time.
settings.register_profile("whorl", deadline=None)
settings.load_profile("whorl")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="all cases of all tests, those of every tier too")
    parser.addoption(
        "--devices",
        choices=["sample", "all"],
        default="sample",
        help=f"tests on cpu-as-gpu: one in {selection.SAMPLE}, or all of them",
    )
    parser.addoption(
        "--within", type=float, help="the shortest of the chosen cases, which take so many seconds in all"
    )
    parser.addoption(
        "--store-durations", action="store_true", help="what tests take, into tests/durations.txt"
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--full"):
        os.environ[FULL] = "1"
    if config.getoption("--store-durations") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(durations.Recorder())


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test of a module marked every_device is a test on each that is here, unless it is marked only_cpu."""
    own = metafunc.definition
    if own.get_closest_marker("every_device") and not own.get_closest_marker("only_cpu"):
        marks = {"cuda": pytest.mark.gpu}
        names = [
            pytest.param(name, marks=marks.get(name, ())) for name in devices.ALL if not devices.missing(name)
        ]
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


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures of reports are made but not drawn: each image is one dot."""
    from whorl.report import pictures

    def dot(make: Callable[[], object], alt: str, caption: str = "") -> pictures.Image:
        make()
        return pictures.Image("AA==", 1, 1, alt, caption)

    monkeypatch.setattr(pictures, "image_of", dot)


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in filter(selection.starts_processes, items):
        item.add_marker("process")
    keep(config, items, selection.allowed(items, config))
    yield  # pytest's own options -k and -m
    keep(config, items, selection.thinned(items, config))
    if (seconds := config.getoption("--within")) is not None:
        keep(config, items, durations.shortest(items, seconds))
    if hasattr(config, "workerinput"):
        items[:] = durations.longest_files_first(items)
    text = durations.complaint(item.nodeid for item in items if selection.is_limited(item))
    if text and not config.getoption("--store-durations") and not config.getoption("--full"):
        report = pytest.CollectReport("tests/durations.txt", "failed", text, [])
        config.hook.pytest_collectreport(report=report)
        items.clear()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item):
    """Only a test marked mpi may use several ranks: `make check` leaves those out."""
    with ranks.at_most(None if item.get_closest_marker("mpi") else 1):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item):
    """The start of ranks is no matter of the test that happens to need them first."""
    before = ranks.seconds_of_starts
    yield
    if started := ranks.seconds_of_starts - before:
        item.user_properties.append((durations.STARTED, started))


def keep(config: pytest.Config, items: list[pytest.Item], kept: list[pytest.Item]) -> None:
    chosen = {id(item) for item in kept}
    config.hook.pytest_deselected(items=[item for item in items if id(item) not in chosen])
    items[:] = kept


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    absent = [f"{name} ({reason})" for name in devices.ALL if (reason := devices.missing(name))]
    if absent:
        terminalreporter.write_line(f"Devices left out: {', '.join(absent)}.")
    if tiers := selection.tiers_left_out(config):
        terminalreporter.write_line(f"Tiers left out: {', '.join(tiers)} (-m NAME or --full runs them).")
