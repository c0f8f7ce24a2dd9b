"""Tables of schemes, as they come from Python and as the core takes them."""

import math

import pytest
from support import flows
from support.twin import DIFFERENCED, EARLIER, TABLES, Twin
from whorl import _core
from whorl.config.schemes import SCHEMES
from whorl.run.core_options import core_scheme

ONE = ([[1.0]], [1.0], 1.0)
PARTS = ("m", "v", "advance", "plain", "phi", "reach")


def test_the_schemes_there_are():
    stages = {name: len(table[0]) for name, table in TABLES.items()} | dict.fromkeys(EARLIER, 1) | DIFFERENCED
    assert {name: scheme.right_hand_sides for name, scheme in SCHEMES.items()} == stages
    registers = {"rk2": 2, "rk4": 3, "rk4-gill": 2, "ab2": 2, "ab3": 3, "etdrk2": 2, "etdrk4": 3}
    assert {name: core_scheme(name).registers for name in registers} == registers


@pytest.mark.parametrize(
    ("stages", "earlier", "words"),
    [
        ([], 0, "scheme toy has no stages"),
        ([([[0.0] * 4] * 4, [0.0] * 4, 1.0)], 0, "scheme toy has 4 registers, at most 3"),
        ([([[1.0, 0.0]], [1.0, 0.0], 1.0)], 0, "not as many rows and columns as v"),
        ([([[1.0], [0.0]], [1.0, 0.0], 1.0)], 0, "not as many rows and columns as v"),
        ([ONE], 3, "scheme toy remembers 3 steps, 0 to 2"),
        ([ONE], -1, "scheme toy remembers -1 steps"),
        ([([[math.nan]], [1.0], 1.0)], 0, "not a finite number"),
        ([([[1.0]], [math.inf], 1.0)], 0, "not a finite number"),
        ([(*ONE, [[0.0]], [[0.5, 0.5, 0.0]], [1.0])], 0, "phi is not its v without decay"),
        ([(*ONE, [[0.0]], [[1.0, 0.0]], [1.0])], 0, "plain, phi and reach do not fit its v"),
        ([(*ONE, [[0.0]], [[1.0, 0.0, 0.0]], [])], 0, "plain, phi and reach do not fit its v"),
    ],
)
def test_a_table_that_cannot_be_is_refused(stages, earlier, words):
    tables = [_core.StageTable(**dict(zip(PARTS, stage, strict=False))) for stage in stages]
    with pytest.raises(_core.Error, match=words):
        _core.Scheme(name="toy", stages=tables, earlier=earlier)


@pytest.mark.parametrize("name", SCHEMES)
def test_the_stages_of_a_step_advance_it_once(name):
    assert math.isclose(sum(stage.advance for stage in SCHEMES[name].stages), 1.0)


def test_without_a_scheme_there_is_no_step():
    options = flows.options(Twin((8, 8, 8)))
    options.scheme = _core.Options().scheme
    with pytest.raises(_core.Error, match="there is no step without a scheme"):
        _core.estimate_memory(options, 1)
