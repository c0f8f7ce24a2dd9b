"""The version of the installed package; pyproject.toml declares it."""

from importlib.metadata import version

from whorl.base.host import commit

__version__ = version("whorl")


def with_commit() -> str:
    """The version as text, with the commit in brackets if it is known."""
    return f"{__version__} ({known})" if (known := commit()) else __version__
