"""Commands on what is in files: cut, damaged, of other encodings, and with data of any kind."""

import os
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from cli.commands import CASE
from cli.fuzzing import BOUNDED, RESTARTED, check, quick, told
from cli.test_fuzz import KEYS, value
from hypothesis import example, given
from hypothesis import strategies as st
from support.build import needs
from support.examples import FULL

pytestmark = needs("hdf5")

FILES = ("case.toml", "series.csv", "spectra.h5", "diagnostics.h5", "probes.h5", "particles.h5", "log.txt")
SLOW = ("plot", "report")  # read with --full alone
RESTART = ["restart", "run", "--until", "0.2", *RESTARTED]
READERS = (
    ["average", "run"],
    ["average", "run", "--diagnostics"],
    ["average", "run", "--particles", "tracer", "--from", "0"],
    ["plot", "run"],
    ["plot", "run", "--probes", "points"],
    ["plot", "run", "--particles", "tracer"],
    ["report", "run"],
    ["analyse", "run", "--pdf", "u.x"],
    RESTART,
)


@pytest.mark.slow
@pytest.mark.parametrize("words", READERS, ids=" ".join)
@pytest.mark.usefixtures("undrawn_reports")
def test_what_is_whole_is_read(fresh, words):
    assert check(fresh(), list(words)).code == 0


@quick
@given(
    st.sampled_from([*FILES, "checkpoints", "snapshots"]),
    st.sampled_from([words for words in READERS if FULL in os.environ or words[0] not in SLOW]),
    st.floats(0, 1),
    st.sampled_from(["cut", "zeros", "turned", "BOM", "latin-1", "loop", "folder", "gone"]),
)
@example("case.toml", RESTART, 0.5, "cut")
@example("series.csv", ["average", "run"], 0.9, "cut")
@example("checkpoints", RESTART, 0.99, "cut")
@example("case.toml", ["average", "run"], 0.0, "BOM")
@pytest.mark.usefixtures("undrawn_reports")
def test_a_damaged_file(fresh, file, words, share, damage):
    """It is read, or refused by its name."""
    folder = fresh()
    path = folder / "run" / file
    path = max(path.iterdir()) if path.is_dir() else path
    spoil(path, share, damage)
    done = check(folder, list(words))
    if done.code == 2:
        assert told(["run", file], done.err), done


def spoil(path: Path, share: float, damage: str) -> None:
    data = path.read_bytes()
    at = int(share * len(data))
    path.unlink()
    if damage == "loop":
        path.symlink_to(path.name)
    elif damage == "folder":
        path.mkdir()
    elif damage != "gone":
        spoilt = {
            "cut": data[:at],
            "zeros": data[:at] + bytes(len(data) - at),
            "turned": data[:at] + bytes(byte ^ 0x55 for byte in data[at : at + 3]) + data[at + 3 :],
            "BOM": b"\xef\xbb\xbf" + data,
            "latin-1": data[:at] + b"\xb5\xe9" + data[at:],
        }
        path.write_bytes(spoilt[damage])


def hold(file: h5py.File, name: str, kind: str) -> None:
    """Put something under a name: an array of the grid, of other numbers, or what is no array."""
    shape = (8, 8, 8)
    arrays: dict[str, Any] = {
        "right": np.ones(shape),
        "single": np.ones(shape, "f4"),
        "whole": np.ones(shape, int),
        "complex": np.full(shape, 1 + 2j),
        "flags": np.ones(shape, bool),
        "text": np.full(shape, b"one"),
        "records": np.zeros(shape, [("a", "f8"), ("b", "f8")]),
        "nan": np.full(shape, np.nan),
        "huge": np.full(shape, 1e300),
        "tiny": np.full(shape, 1e-310),
        "flat": np.ones((8, 8)),
        "none": np.ones((0, 8, 8)),
        "scalar": np.float64(1.0),
    }
    if kind in arrays:
        file[name] = arrays[kind]
    elif kind == "group":
        file.create_group(name)
    elif kind == "null":
        file[name] = h5py.Empty("f8")
    elif kind == "words":
        file.create_dataset(name, shape, h5py.string_dtype())
    elif kind == "soft link":
        file[name] = h5py.SoftLink(f"/{name}")
    elif kind == "elsewhere":
        file[name] = h5py.ExternalLink("missing.h5", "/u")


KINDS = [
    *(
        "right",
        "single",
        "whole",
        "complex",
        "flags",
        "text",
        "records",
        "nan",
        "huge",
        "tiny",
        "flat",
        "none",
    ),
    *("scalar", "group", "null", "words", "soft link", "elsewhere", "absent"),
]


@quick
@given(
    st.lists(st.sampled_from(KINDS), min_size=3, max_size=3), st.sampled_from(["h5", "npz", "npy", "other"])
)
@example(["group", "right", "right"], "h5")
@example(["null", "right", "right"], "h5")
@example(["text", "right", "right"], "h5")
@example(["complex", "complex", "complex"], "h5")
def test_an_initial_field_of_a_file(fresh, kinds, ending):
    folder = fresh()
    path = folder / f"field.{ending}"
    if ending == "h5":
        with h5py.File(path, "w") as file:
            for name, kind in zip("uvw", kinds, strict=True):
                hold(file, name, kind)
    elif ending == "npz":
        np.savez(path, **dict(zip("uvw", map(as_array, kinds), strict=True)))
    elif ending == "npy":
        np.save(path, as_array(kinds[0]))
    else:
        path.write_bytes(os.urandom(200))
    words = [
        "run",
        "case.toml",
        "-o",
        "out",
        "--set",
        f"initial={{name = 'from-file', path = '{path}'}}",
        *BOUNDED,
    ]
    done = check(folder, words)
    if done.code == 2:
        assert f"field.{ending}" in done.err or "initial velocity" in done.err


def as_array(kind: str) -> np.ndarray:
    shape = (8, 8, 8)
    return {
        "complex": np.full(shape, 1 + 2j),
        "text": np.full(shape, "one"),
        "words": np.full(shape, None, object),
        "records": np.full(shape, "2020-01-01", "datetime64[s]"),
        "nan": np.full(shape, np.nan),
        "huge": np.full(shape, 1e300),
        "flat": np.ones((8, 8)),
        "flags": np.ones(shape, bool),
        "whole": np.ones(shape, int),
        "null": np.full(shape, "2020-01-01", "datetime64[s]") - np.datetime64("2019-01-01", "s"),
    }.get(kind, np.ones(shape))


@quick
@given(
    st.sampled_from(KEYS),
    value,
    st.sampled_from(["utf-8-sig", "utf-16", "latin-1", "utf-8"]),
    st.floats(0, 1),
)
def test_a_case_file_of_any_encoding(fresh, key, entry, encoding, share):
    """With any value of any option, cut somewhere."""
    folder = fresh()
    text = f"{'.'.join(key)} = {entry}\n" + CASE
    data = text.encode(encoding, "replace")
    (folder / "odd.toml").write_bytes(data[: int((1 + share) / 2 * len(data))])
    done = check(folder, ["run", "odd.toml", *BOUNDED])
    if done.code == 2:
        assert told(["odd", text], done.err), done
