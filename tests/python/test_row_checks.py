"""Warnings at the start of a run of rows that its own statistics would refuse."""

import pytest
from support.diagnostic_files import case_of
from whorl.run.row_checks import refused_rows

PROBE = {"kind": "points", "of": ["u.x"], "positions": [[1, 1, 1]]}
GROUP = {"kind": "tracer", "count": 4}


def told(probe=None, group=None, **time):
    blocks = {"probes": [PROBE | probe] if probe is not None else []}
    blocks["particles"] = [GROUP | group] if group is not None else []
    times = {"until": 6.0, "dt": 0.006} | time
    return refused_rows(case_of([], time={key: one for key, one in times.items() if one}, **blocks))


@pytest.mark.parametrize(
    ("group", "time", "words"),
    [
        ({"every": "5 steps"}, {}, None),
        ({"every": "5 steps", "release": 4.0}, {}, None),
        ({"every": 0.03}, {}, None),
        ({"every": 0.001}, {}, None),  # each step has a row
        ({"every": "never"}, {"dt": None, "courant": 0.5}, None),
        ({"every": 0.02}, {}, 'every = 0.02 is 3.333 steps of time.dt = 0.006; every = "3 steps" makes them'),
        ({"every": "0.1 turnovers"}, {}, "turnovers differ in length; give every in steps."),
        ({}, {"dt": None, "courant": 0.5}, "steps by time.courant differ; give time.dt."),
        ({"every": "200 steps"}, {}, "tracer will have 6 rows, and statistics along paths need 8; write"),
        ({"every": "5 steps", "release": 5.9}, {}, "particles.tracer will have 4 rows"),
    ],
)
def test_particles(group, time, words):
    found = told(group=group, **time)
    assert len(found) == (words is not None)
    if words:
        assert words in found[0]
        assert "particles.tracer" in found[0]


def test_probes_and_particles_are_told_of_together():
    (found,) = told(probe={}, group={}, dt=None, courant=0.5)
    assert found.startswith("the rows of probes.points, particles.tracer are at uneven times, so that")
    (found,) = told(probe={}, until=0.06)
    assert found.startswith("probes.points will have 11 rows, and correlations in time need 16; write them")
