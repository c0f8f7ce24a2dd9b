"""Results by name: the base of all of them, and their numbers as a table for other programs."""

import csv
import io
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
import xarray as xr

from whorl.base import html
from whorl.base.errors import CaseError
from whorl.base.files import check_folder, write_text
from whorl.results.as_text import as_table

if TYPE_CHECKING:
    import pandas

T = TypeVar("T")
# The last columns of a table of datasets: how the states are combined, and the numbers.
NUMBERS = ("over_time", "mean", "error", "samples", "unit")


class ByName(Mapping[str, T]):
    """Base of results that are mappings by name: `for name in results`, `len`, `in`, `items()`.

    Printing shows them as a table, and so does a notebook. `to_csv`, `to_dataframe` and `to_xarray` export
    all their numbers.
    """

    first: ClassVar[str]
    """The first column of the table, which has the names."""
    heading: ClassVar[tuple[str, ...]]
    """The heading of the table as text."""

    @property
    @abstractmethod
    def by_name(self) -> Mapping[str, T]:
        """The results by name."""

    @abstractmethod
    def records(self) -> list[dict[str, Any]]:
        """Return all rows of the table: values by the names of its columns, the same columns in each row."""

    @abstractmethod
    def cells(self) -> Sequence[Sequence[str]]:
        """Return the rows of the table as text, in the order of its heading."""

    @abstractmethod
    def remarks(self) -> list[str]:
        """Return the sentences below the table."""

    def __str__(self) -> str:
        """Return the table as text, with its remarks."""
        return as_table([self.heading, *self.cells()], self.remarks())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html.table(self.cells(), self.heading) + html.paragraphs(self.remarks())

    @abstractmethod
    def to_xarray(self) -> "xr.Dataset | xr.DataTree":
        """Return all numbers as xarray."""

    def __getitem__(self, name: str) -> T:
        """Return the result of this name; raises KeyError if the name is unknown."""
        return self.by_name[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self.by_name)

    def __len__(self) -> int:
        """Return the number of names."""
        return len(self.by_name)

    def to_dataframe(self) -> "pandas.DataFrame":
        """Return the table as a pandas DataFrame: a row for each number, with nan for axes it lacks."""
        import pandas  # xarray needs it

        rows = [
            {key: np.nan if value == "" else value for key, value in row.items()} for row in self.records()
        ]
        return pandas.DataFrame(rows)

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return all results as lists, numbers and text for JSON, where None replaces nan and infinity."""

    def to_csv(self, path: str | Path | None = None) -> str | Path:
        """Write the table as CSV, with a row for each number, all digits, and `nan` for unknown numbers.

        Parameters
        ----------
        path : str or Path, optional
            The file, whose name ends in .csv; it may replace only an earlier table of this kind.

        Returns
        -------
        str or Path
            The text without a path, else the path.

        Raises
        ------
        CaseError
            If the file cannot be written, or if the path has a file of another kind.
        """
        records, text = self.records(), io.StringIO()
        writer = csv.DictWriter(text, list(records[0]) if records else [self.first], lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
        if path is None:
            return text.getvalue()
        _check_csv(Path(path), self.first)
        write_text(Path(path), text.getvalue())
        return Path(path)


def _check_csv(path: Path, first: str) -> None:
    """Raises CaseError unless a table with this first column may be written there."""
    if path.suffix.lower() != ".csv":
        raise CaseError(f"the table {path} must end in .csv; name it {path.with_suffix('.csv')}.")
    check_folder(path, f"the table {path}")
    if path.is_dir():
        raise CaseError(f"the table {path} is a directory; name a file in it, such as {path / 'means.csv'}.")
    if path.exists() and not path.read_bytes().startswith(f"{first},".encode()):
        raise CaseError(
            f"{path} is no earlier table of these averages: it is not replaced; name another file."
        )


def averaged(data: xr.Dataset) -> list[xr.DataArray]:
    """The arrays of a dataset of means without their errors and numbers of samples."""
    beside = {f"{name}{end}" for name in data.data_vars for end in ("_error", "_samples")}
    return [array for name, array in data.data_vars.items() if name not in beside]


def records_of(found: Mapping[str, xr.Dataset], first: str) -> list[dict[str, Any]]:
    """A row for each number of datasets of means: name, array, place along all axes, mean, error, samples.

    All rows have the same columns, with empty cells for axes that the array does not have. Where
    `over_time` is "sum", as for counts, the mean is the sum over the states.
    """
    rows = [row for name, data in found.items() for row in _records(name, data, first)]
    axes = dict.fromkeys(key for row in rows for key in row if key not in (first, "number", *NUMBERS))
    return [{key: row.get(key, "") for key in (first, "number", *axes, *NUMBERS)} for row in rows]


def _records(name: str, data: xr.Dataset, first: str) -> Iterator[dict[str, Any]]:
    for array in averaged(data):
        if array.dtype.kind not in "biuf":
            continue
        beside = [data.get(f"{array.name}{end}") for end in ("_error", "_samples")]
        places = {
            str(key): one.broadcast_like(array).transpose(*array.dims).values
            for key, one in array.coords.items()
            if one.ndim == 1
        }
        for index in np.ndindex(array.shape):
            error, samples = (np.nan if one is None else float(one.values[index]) for one in beside)
            yield (
                {first: name, "number": str(array.name)}
                | {key: _plain(values[index]) for key, values in places.items()}
                | {"over_time": array.attrs.get("over_time", "mean")}
                | {"mean": array.values[index].item(), "error": error, "samples": samples}
                | {"unit": array.attrs.get("units", "1")}
            )


def _plain(value: Any) -> Any:
    """A value of an array as a Python object; text from a file already is one."""
    return value.item() if isinstance(value, np.generic) else value


def tree_of(found: Mapping[str, xr.Dataset]) -> "xr.DataTree":
    """Datasets by name as a tree."""
    return xr.DataTree.from_dict({f"/{name}": data for name, data in found.items()})
