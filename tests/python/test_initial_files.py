"""Files of initial fields, and arrays of scripts, that hold something else than real numbers are refused."""

import h5py
import numpy as np
import pytest
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.run.simulation import Simulation

SHAPE = (10, 6, 8)


def refusal(path=None, given=None):
    initial = {} if path is None else {"initial": {"name": "from-file", "path": str(path)}}
    case = Case(grid={"points": [8, 6, 10]}, flow={"viscosity": 0.1}, time={"dt": 0.1, "steps": 1}, **initial)
    with pytest.raises(CaseError) as caught:
        Simulation(case, given)
    return str(caught.value)


def group(file):
    file.create_group("u")


def put(values):
    def write(file):
        file["u"] = values

    return write


def case_attribute(file):
    file["u"] = np.ones(SHAPE)
    file.attrs["case"] = "grid = 1"


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (group, "u in it is no array."),
        (put(np.dtype(float)), "u in it is no array."),
        (put(h5py.Empty(float)), "u in it has no values."),
        (put("hello"), "u in it holds text or other objects, not real numbers."),
        (put(np.full(SHAPE, b"ab")), "u in it holds text, not real numbers."),
        (put(np.ones(SHAPE, complex)), "u in it holds complex numbers, not real numbers."),
        (put(np.zeros(SHAPE, "f8,f8")), "u in it holds records, not real numbers."),
        (put(h5py.SoftLink("/u")), "Special link traversal failed (too many links)."),
        (case_attribute, "it is a snapshot of a case without a grid that can be used."),
    ],
)
def test_a_file_that_holds_something_else_is_refused(tmp_path, write, words):
    path = tmp_path / "start.h5"
    with h5py.File(path, "w") as file:
        file.update(dict.fromkeys("vw", np.ones(SHAPE)))
        write(file)
    assert f"initial.path = {path} cannot be used: {words} It must be" in refusal(path)


@pytest.mark.parametrize(
    ("kind", "called"), [("M8[s]", "dates"), ("m8[s]", "times"), (complex, "complex numbers")]
)
def test_arrays_that_are_no_real_numbers_are_refused(tmp_path, kind, called):
    values = np.ones((3, *SHAPE), int).astype(kind)
    np.savez(tmp_path / "start.npz", **dict(zip("uvw", values, strict=True)))
    assert f"u in it holds {called}, not real numbers" in refusal(tmp_path / "start.npz")
    assert f"the array of the initial velocity holds {called}, not" in refusal(given=values)
    told = refusal(given=lambda x, y, z: (0, values[1][: z.size, : y.size], 0))
    assert f"the function of the initial velocity holds {called}, not" in told


def test_damaged_arrays_are_refused(tmp_path):
    path = tmp_path / "start.npz"
    np.savez(path, **dict.fromkeys("uvw", np.ones(SHAPE)))
    data = bytearray(path.read_bytes())
    data[300] ^= 255
    path.write_bytes(data)
    assert "cannot be used: Bad CRC-32 for file 'u.npy'. It must be" in refusal(path)
