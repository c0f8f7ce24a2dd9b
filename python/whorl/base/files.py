"""Files that are either complete or absent: written under another name, then renamed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from whorl.base import toml
from whorl.base.errors import CaseError

PARTIAL = ".part"
DIGITS = 8  # of a number in the name of a file, or more
PICTURES = (".png", ".pdf", ".svg")


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A path to write to; it is renamed to `path` when the block succeeds and removed when it fails."""
    beside = path.with_name(path.name + PARTIAL)
    try:
        yield beside
        synchronise(beside)
        os.replace(beside, path)
        with suppress(OSError):  # some network file systems cannot synchronise directories
            synchronise(path.parent)
    finally:
        beside.unlink(missing_ok=True)


def synchronise(path: Path) -> None:
    """Waits until a file, or the entries of a directory, are on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def numbered(folder: Path, ending: str, before: str = "") -> list[Path]:
    """The files of a folder with a number between two texts in their names, in the order of the numbers."""
    found = {}
    for path in folder.glob(f"{before}{'[0-9]' * DIGITS}*{ending}"):
        number = path.name.removeprefix(before).removesuffix(ending)
        if number.isdecimal():
            found[path] = int(number)
    return sorted(found, key=found.__getitem__)


def is_file(path: Path) -> bool:
    """Whether the path is an existing file; an invalid path is none."""
    try:
        return path.is_file()
    except (OSError, ValueError):  # too long, or with a null in it
        return False


def resolved(path: Path) -> Path:
    """The path without links. Raises CaseError for a link that leads back to itself."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # RuntimeError of Python before 3.13
        raise CaseError(
            f"{path} is or contains a link that leads back to itself; name another path."
        ) from None


def text_of(path: Path) -> str:
    """Return the text of a TOML file, in UTF-8 and of at most 1 MiB, without a byte-order mark.

    Raises
    ------
    CaseError
        If the file cannot be read, is not in UTF-8 or is too long.
    """
    try:
        with path.open("rb") as file:
            data = file.read(toml.MOST_BYTES + 1)
        if len(data) > toml.MOST_BYTES:
            raise CaseError(f"{path} is not valid TOML: {toml.TOO_LONG}.")
        return data.decode("utf-8-sig")
    except OSError as error:
        raise CaseError(f"{path} cannot be read: {error}.") from None
    except UnicodeDecodeError as error:
        raise CaseError(f"{path} cannot be read: {error}; store it in UTF-8.") from None


def write_text(path: Path, text: str) -> None:
    with whole_file(path) as beside:
        beside.write_text(text, encoding="utf-8")


def check_picture(path: Path) -> None:
    """Raises CaseError unless a picture can have this path."""
    if path.is_dir():
        raise CaseError(f"the picture {path} is a directory; name a file in it, such as {path / 'plot.png'}.")
    if path.suffix.lower() not in PICTURES:
        raise CaseError(
            f"the picture {path} must end in {', '.join(PICTURES[:-1])} or {PICTURES[-1]}; name it "
            f"{path.with_suffix('.png')}, for example."
        )
    check_folder(path, f"the picture {path}")


def check_folder(path: Path, name: str) -> None:
    """Raises CaseError, calling the file by `name`, unless its directory exists."""
    if not path.parent.is_dir():
        raise CaseError(f"{name} cannot be written: there is no directory {path.parent}; make it first.")
