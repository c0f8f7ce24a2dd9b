"""The version, from the installed package: pyproject.toml is where it is declared."""

from importlib.metadata import version

__version__ = version("whorl")
