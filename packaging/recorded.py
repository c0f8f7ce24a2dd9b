"""The build backend: scikit-build-core, which finds the commit of the checkout in the package.

A wheel and a source distribution get the file COMMIT next to `base/host.py`, and a wheel of a source
distribution keeps its file. An editable package asks git instead.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from scikit_build_core import build
from scikit_build_core.build import (
    build_editable,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

HOST = Path("python/whorl/base/host.py")  # a build runs in the folder of pyproject.toml


def build_wheel(folder: str, *more: Any) -> str:
    """Build a wheel with the commit in it."""
    with recorded():
        return build.build_wheel(folder, *more)


def build_sdist(folder: str, *more: Any) -> str:
    """Build the source distribution with the commit in it."""
    with recorded():
        return build.build_sdist(folder, *more)


@contextmanager
def recorded() -> Iterator[None]:
    """Keep the commit of the checkout in a file of the package meanwhile; nothing outside a checkout."""
    # The package itself needs numpy, which a build does not have.
    spec = spec_from_file_location("host", HOST)
    host = module_from_spec(spec)
    spec.loader.exec_module(host)
    commit = host.commit_of_checkout()
    if commit is None:
        yield
        return
    host.RECORDED.write_text(f"{commit}\n", encoding="utf-8")
    try:
        yield
    finally:
        host.RECORDED.unlink(missing_ok=True)  # another build of this checkout may have ended meanwhile
