"""Cases for tests of options: the sections of one, and the words in which a change to it is refused."""

import pytest
from whorl.base.errors import CaseError
from whorl.config.case import Case


def sections_of(**changes):
    base = {
        "grid": {"points": 64},
        "flow": {"viscosity": 0.01},
        "time": {"until": 10},
        "initial": {"name": "abc"},
    }
    return base | changes


def refusal(*settings, **changes):
    with pytest.raises(CaseError) as caught:
        Case(**sections_of(**changes)).updated(settings)
    message = str(caught.value)
    assert "\n" not in message
    return message
