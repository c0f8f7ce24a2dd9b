"""The version of the installed package; pyproject.toml declares it."""

from importlib.metadata import version

__version__ = version("whorl")
