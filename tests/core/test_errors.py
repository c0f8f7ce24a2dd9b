"""Bad input: one paragraph, on every rank, that names the values and the remedy."""

import re

import numpy as np
import pytest
from support import flows
from support.ranks import on_ranks
from support.twin import Twin
from whorl import _core

BOX = Twin((20, 14, 18))

BAD_OPTIONS = {
    "prime factor": ({"points": (22, 16, 16)}, r"points along x = 22: .* next good size is 24\."),
    "odd": ({"points": (16, 15, 16)}, r"points along y = 15: .* next good size is 16 \(or 1 for"),
    "odd planes": (
        {"points": (16, 16, 27)},
        r"points along z = 27: .* is 28 \(or 1 for two-dimensional flow\)",
    ),
    "too few": ({"points": (16, 16, 2)}, r"points along z = 2: .* next good size is 4 "),
    "flat along x": ({"points": (1, 16, 16)}, r"points along x = 1: .* next good size is 4\."),
    "none": ({"points": (0, 16, 16)}, r"points along x = 0: .* next good size is 4\."),
    "negative": ({"points": (16, -16, 16)}, r"points along y = -16: "),
    "too many": ({"points": (16, 2**30, 16)}, r"points along y = 1073741824: at most \d+ are possible"),
    "no length": ({"lengths": (1.0, 0.0, 1.0)}, r"length along y = 0\.0+: it must be positive and finite"),
    "negative length": ({"lengths": (1.0, 1.0, -2.0)}, r"length along z = -2\.0+: it must be positive"),
    "infinite length": ({"lengths": (np.inf, 1.0, 1.0)}, r"length along x = inf: it must be positive"),
    "nan length": ({"lengths": (np.nan, 1.0, 1.0)}, r"length along x = -?nan: it must be positive"),
    "dealias": (
        {"dealias": "3/2"},
        r'dealias = "3/2" is unknown; choose 2/3, 1/2, phase-shift, phase-shift-exact or none\.',
    ),
    "shape": ({"shape": "ball"}, r'shape = "ball" is unknown; choose cube or sphere\.'),
    "model": ({"model": "burgers"}, r'model "burgers" is unknown; choose one of: .*navier-stokes'),
    "precision": ({"precision": "half"}, r'precision = "half" is unknown; choose double or single\.'),
    "lines": ({"lines": "fast"}, r'lines = "fast" is unknown; choose .*direct'),
    "transport": (
        {"transport": "pigeon"},
        r'transport = "pigeon" is unknown; choose one of: alltoall',
    ),
    "viscosity": ({"parameters": {}}, r"model navier-stokes needs the parameter viscosity"),
}


def message_of(world, action):
    """The error of an action, which must be the same on every rank and one paragraph."""
    with pytest.raises(_core.Error) as error:
        action()
    messages = world.allgather(str(error.value))
    assert len(set(messages)) == 1, messages
    assert "\n" not in messages[0]
    return messages[0]


@on_ranks(1, 3)
@pytest.mark.parametrize("case", BAD_OPTIONS)
def test_bad_options_are_named_on_every_rank(world, case):
    settings, pattern = BAD_OPTIONS[case]
    assert re.search(pattern, message_of(world, lambda: flows.make(world, BOX, **settings)))


@on_ranks(2, 4, 6)
def test_a_wrong_process_grid_is_refused(world):
    for grid, pattern in {
        (world.size, 2): f"is for {2 * world.size} ranks, but there are {world.size}",
        (8, 1): f"process grid 8 x 1 is for 8 ranks, but there are {world.size}",
        (-1, -world.size): "both numbers must be 1 or more",
        (0, world.size): "both numbers must be 1 or more",
    }.items():
        message = message_of(world, lambda grid=grid: flows.make(world, BOX, process_grid=grid))
        assert re.search(pattern, message), message


@on_ranks(3, 4, 6)
def test_more_ranks_than_planes_and_rows_are_refused(world):
    message = message_of(world, lambda: flows.make(world, Twin((4, 4, 1))))
    assert re.search(
        rf"^{world.size} ranks cannot .* p_row at most 2 and p_col at most 1 .* \(at most 2\)", message
    )


@on_ranks(1, 2)
def test_an_unknown_field_is_named(world):
    flow = flows.make(world, BOX)
    message = message_of(world, lambda: flow.read_fields("pressure", print))
    assert message == 'field "pressure" is unknown; choose one of: velocity, vorticity.'


def test_unknown_options_and_wrong_types_are_refused():
    with pytest.raises(_core.Error, match='Options has no "viscocity"'):
        _core.Options(viscocity=1.0)
    for wrong in (
        {"points": "64"},
        {"points": (1, 2)},
        {"threads": "many"},
        {"parameters": {"viscosity": "low"}},
    ):
        with pytest.raises((TypeError, RuntimeError)):
            _core.Options(**wrong)
    assert issubclass(_core.Error, ValueError)
