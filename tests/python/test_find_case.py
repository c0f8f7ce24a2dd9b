"""The words on a case, or a section of it, that is not there: they name what may be meant."""

import pytest
from whorl.base.errors import CaseError
from whorl.cli.lists import options
from whorl.config.case import find_case


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("decay", "decay.toml"),
        ("decy.toml", "decay.toml"),
        ("a", "a.toml"),
        ("here/forcd.toml", "here/forced.toml"),
        ("taylor-gren", "taylor-green"),
        ("nowhere/decay.toml", None),
    ],
)
def test_a_file_of_the_folder_may_be_meant(tmp_path, monkeypatch, typed, meant):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").mkdir()
    for name in ("decay.toml", "a.toml", "other.toml", "here/forced.toml"):
        (tmp_path / name).touch()
    with pytest.raises(CaseError) as refused:
        find_case(typed)
    said = str(refused.value).partition(" Ready cases")[0]
    end = f"; did you mean {meant}?" if meant else "."
    assert said == f"there is no case file {typed} and no ready case of that name{end}"


def test_the_nearest_section_is_named():
    with pytest.raises(CaseError, match=r"^\[tim\] is no section of a case; did you mean time\? The sec"):
        options("tim")
    with pytest.raises(CaseError, match=r"^\[qqq\] is no section of a case\. The sections"):
        options("qqq")
