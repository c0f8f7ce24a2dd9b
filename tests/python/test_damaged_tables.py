"""Tables of a run that are damaged are refused by their names, whatever is wrong in them."""

import h5py
import pytest
from support.build import needs
from whorl.base.errors import CaseError
from whorl.output.growing_file import read_groups
from whorl.output.series import read_series
from whorl.output.spectra import read_spectra

pytestmark = needs("hdf5")


@pytest.mark.parametrize("text", ["", "# whorl series\n", "# step: number of time steps made\n"])
def test_a_series_cut_in_its_head(tmp_path, text):
    path = tmp_path / "series.csv"
    path.write_text(text)
    with pytest.raises(CaseError, match=r"series\.csv is damaged: its head"):
        read_series(path)


def hold(group, kind):
    if kind == "nothing":
        group["energy"] = h5py.SoftLink("/not/there")
    elif kind == "a number":
        group["energy"] = 1.0
    elif kind == "no axes":
        group["energy"] = [[1.0, 2.0]]


@pytest.mark.parametrize(
    ("read", "name", "kind"),
    [
        *((read_spectra, "spectra.h5", kind) for kind in ("nothing", "a number", "no axes", "no arrays")),
        *((read_groups, "diagnostics.h5", kind) for kind in ("nothing", "no axes")),
    ],
)
def test_a_file_whose_arrays_are_not_as_written(tmp_path, read, name, kind):
    with h5py.File(tmp_path / name, "w") as file:
        hold(file if read is read_spectra else file.create_group("pdf"), kind)
    with pytest.raises(CaseError, match=f"{name} is damaged"):
        read(tmp_path / name)
