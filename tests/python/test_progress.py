"""The line that says how a run is going."""

import logging

import pytest
from whorl.progress import Progress, Status


@pytest.mark.parametrize("done", [1e-300, 1e-12])
def test_a_time_left_beyond_a_lifetime_is_not_told(done, capfd):
    """However small the steps are, the line is written."""
    progress = Progress(logging.getLogger("test"))
    progress.begin(0.0)
    numbers = {"dt": 1e-300, "courant": 0.0, "values": {"E": 0.1, "kmax·η": 1.0}}
    progress._started -= 60
    progress.show(Status(step=1, time=1e-300, until=1.0, steps=None, done=done, **numbers))
    line = capfd.readouterr().out
    assert "– left" in line
    assert "E 0.1  kmax·η 1 " in line
