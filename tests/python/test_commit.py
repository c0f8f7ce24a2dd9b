"""The commit of whorl: that of the checkout, or the one that a build recorded in the package."""

import shutil
import subprocess

import pytest
from support.tools import ROOT, load
from whorl.base import host, version

COMMIT = "0123456789ab"


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """The file of the commit of a package outside a checkout."""
    monkeypatch.setattr(host, "commit_of_checkout", lambda: None)
    monkeypatch.setattr(host, "RECORDED", tmp_path / "COMMIT")
    host.commit.cache_clear()
    yield host.RECORDED
    host.commit.cache_clear()


def test_an_installed_package_has_the_recorded_commit(installed):
    installed.write_text(f"{COMMIT}-dirty\n")
    assert host.commit() == f"{COMMIT}-dirty"
    assert version.with_commit() == f"{version.__version__} ({COMMIT}-dirty)"


def test_a_package_without_a_record_has_its_version_alone(installed):
    assert host.commit() is None
    assert version.with_commit() == version.__version__


def test_git_comes_before_a_record(installed, monkeypatch):
    """An interrupted build may leave one in a checkout."""
    installed.write_text("fedcba987654\n")
    monkeypatch.setattr(host, "commit_of_checkout", lambda: COMMIT)
    assert host.commit() == COMMIT


def git(*arguments):
    command = ["git", "-c", "user.name=n", "-c", "user.email=e", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def backend(tmp_path, monkeypatch):
    """The build backend in a tree of its own, whose builds return the record that they see."""
    module = load("packaging/recorded.py")
    (tmp_path / module.HOST.parent).mkdir(parents=True)
    shutil.copy(ROOT / module.HOST, tmp_path / module.HOST)
    monkeypatch.chdir(tmp_path)
    record = tmp_path / module.HOST.with_name("COMMIT")

    def seen(folder, *more):
        return record.read_text() if record.is_file() else None

    monkeypatch.setattr(module.build, "build_wheel", seen)
    monkeypatch.setattr(module.build, "build_sdist", seen)
    module.record = record
    return module


@pytest.mark.parametrize("build", ["build_wheel", "build_sdist"])
def test_a_build_of_a_checkout_records_its_commit(backend, build):
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    clean = git("rev-parse", "--short=12", "HEAD")
    assert getattr(backend, build)("dist") == f"{clean}\n"
    assert not backend.record.exists()
    with backend.HOST.open("a") as file:
        file.write("\n")
    assert getattr(backend, build)("dist", {"cmake.define.WHORL_FFTW": "OFF"}) == f"{clean}-dirty\n"


@pytest.mark.parametrize("build", ["build_wheel", "build_sdist"])
def test_a_build_of_a_source_distribution_keeps_its_record(backend, build):
    assert getattr(backend, build)("dist") is None
    backend.record.write_text(f"{COMMIT}\n")
    assert getattr(backend, build)("dist") == f"{COMMIT}\n"
    assert backend.record.exists()
