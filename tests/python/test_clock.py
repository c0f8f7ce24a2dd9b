"""The clock keeps time to rounding, and schedules depend on it alone."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from whorl.config.clock import Clock, Every, Instant, Stopwatch, Turnovers


@given(st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=400))
def test_time_is_the_exact_sum_to_rounding(steps):
    clock = Clock()
    for dt in steps:
        clock.advance(dt)
    exact = float(sum(map(Fraction, steps)))
    assert abs(clock.time - exact) <= 4e-16 * exact
    assert clock.step == len(steps)


def test_a_million_equal_steps_do_not_drift():
    clock = Clock()
    for _ in range(10**6):
        clock.advance(1e-3)
    assert abs(clock.time - 1000.0) <= 1e-12


def test_a_clock_goes_on_from_what_a_checkpoint_holds():
    straight, first = Clock(), Clock()
    for n in range(1000):
        straight.advance(0.1 / (1 + n % 7))
        if n < 500:
            first.advance(0.1 / (1 + n % 7))
    second = Clock(first.time, first.compensation, first.step)
    for n in range(500, 1000):
        second.advance(0.1 / (1 + n % 7))
    assert (second.time, second.compensation, second.step) == (
        straight.time,
        straight.compensation,
        straight.step,
    )


def test_landing_is_exact():
    clock = Clock()
    for _ in range(7):
        clock.advance(0.1)
    clock.land(0.75)
    assert (clock.time, clock.step, clock.until(1.0)) == (0.75, 8, 0.25)


def test_settling_moves_the_time_and_loses_nothing():
    straight, settled = Clock(), Clock()
    for n in range(14):
        straight.advance(0.1)
        settled.advance(0.1)
        if n == 6:
            assert settled.time != 0.7
            settled.settle(0.7)
            assert settled.time == 0.7
    assert (settled.time, settled.step) == (straight.time, straight.step)
    assert settled.compensation == pytest.approx(straight.compensation, abs=1e-18)


@pytest.mark.parametrize(
    ("text", "every"),
    [
        (0.5, Every(0.5, "time")),
        (2, Every(2.0, "time")),
        ("20 steps", Every(20, "steps")),
        ("1 step", Every(1, "steps")),
        ("1.5 minutes", Every(1.5, "minutes")),
        ("1 minute", Every(1.0, "minutes")),
        ("90 seconds", Every(1.5, "minutes")),
        ("12 hours", Every(720.0, "minutes")),
        ("1 hour", Every(60.0, "minutes")),
        ("2 days", Every(2880.0, "minutes")),
        ("0.5 turnovers", Every(0.5, "turnovers")),
        ("1 turnover", Every(1.0, "turnovers")),
        ("  2.5e-1   turnovers ", Every(0.25, "turnovers")),
    ],
)
def test_intervals_are_read(text, every):
    assert Every.parse(text) == every


@pytest.mark.parametrize(
    "text",
    [
        0,
        -1.0,
        float("inf"),
        float("nan"),
        True,
        "",
        "10",
        "2.5 steps",
        "-3 steps",
        "5 weeks",
        "1e308 days",
        None,
        "2 turnover s",
        "0 turnovers",
    ],
)
def test_other_intervals_are_refused(text):
    with pytest.raises(ValueError, match="N steps"):
        Every.parse(text)


@pytest.mark.parametrize("amount", ["1e-310", "1e-31", "1e31", "1e308"])
@pytest.mark.parametrize("unit", ["", " turnovers", " minutes"])
def test_amounts_beyond_all_units_are_refused(amount, unit):
    """A time divided by them is no finite number."""
    text = f"{amount}{unit}" if unit else float(amount)
    with pytest.raises(ValueError, match=r"1e-30 to 1e.30 in size; choose other units"):
        Every.parse(text)
    if unit != " minutes":
        with pytest.raises(ValueError, match=r"1e-30 to 1e.30 in size; choose other units"):
            Instant.parse(text)


def test_amounts_within_the_bounds_are_due_at_every_step():
    for text in (1e-30, "1e-30 turnovers", "1e30 turnovers", 10**30, "9" * 400 + " steps"):
        every, clock = Every.parse(text), Clock(turnovers=Turnovers())
        clock.turnovers.rate = 1e30
        clock.turnovers.advance(1e30, 0.0)
        clock.advance(1e30)
        assert every.due(clock) == (every.unit != "steps")
    with pytest.raises(ValueError, match="in size"):
        Every.parse(10**400)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        *(("5 minuts", "minutes"), ("5 h", "hours"), ("5 turnover s", "turnovers"), ("20 stesp", "steps")),
        *(("nevr", "never"), ("2 dys", "days")),
    ],
)
def test_an_unknown_unit_suggests_one(text, meant):
    with pytest.raises(ValueError, match=f"did you mean {meant}\\?$"):
        Every.parse(text)


@given(st.floats(1e-12, 1e12))
def test_an_end_is_a_time_or_turnovers(amount):
    assert Instant.parse(amount) == Instant(time=amount)
    assert Instant.parse(f"{amount} turnovers") == Instant(turnovers=amount)
    assert Instant.parse(None) == Instant()


@pytest.mark.parametrize(
    "value", [0, -1.0, math.nan, math.inf, True, "", "5", "5 steps", "5 minutes", "never"]
)
def test_other_ends_are_refused(value):
    with pytest.raises(ValueError, match='a positive number \\(time\\) or "N turnovers"'):
        Instant.parse(value)


@given(st.lists(st.tuples(st.floats(1e-3, 0.2), st.floats(0.0, 2.0)), min_size=1, max_size=80))
def test_turnovers_are_the_sum_of_steps_times_rates_and_due_as_they_pass(steps):
    clock, every, due, exact = Clock(turnovers=Turnovers()), Every(0.3, "turnovers"), 0, Fraction(0)
    for dt, rate in steps:
        clock.turnovers.rate = rate
        clock.turnovers.advance(dt, 0.0)
        exact += Fraction(dt) * Fraction(rate)
        passed = clock.turnovers.count // 0.3 > clock.turnovers.previous // 0.3
        assert every.due(clock) == passed or abs(clock.turnovers.count / 0.3 % 1 - 0.5) > 0.49
        due += every.due(clock)
    assert clock.turnovers.count == pytest.approx(float(exact), rel=1e-13)
    assert due <= clock.turnovers.count / 0.3 + 1e-9


def test_when_turnovers_are_measured():
    turnovers = Turnovers()
    assert turnovers.to_measure(3)  # nothing is known yet
    turnovers.rate, asked = 1.0, []
    for step, dt in enumerate([0.1, 0.1, 0.104, 0.12, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1], 1):
        turnovers.advance(dt, before=0.1)
        asked += [step] if turnovers.to_measure(step) else []
    assert asked == [4, 10]


def test_a_count_is_reached_to_rounding():
    turnovers = Turnovers(rate=1.0)
    for _ in range(10):
        turnovers.advance(0.1, 0.1)
    assert turnovers.count < 1
    assert turnovers.reached(1.0)
    assert not turnovers.reached(1.0 + 1e-9)


@given(st.floats(0.001, 0.3), st.floats(0.01, 2.0))
def test_each_multiple_is_met_once(dt, amount):
    clock, every, times = Clock(), Every(amount, "time"), []
    for _ in range(200):
        clock.advance(dt)
        if every.due(clock):
            times.append(clock.time)
    reached = int(clock.time / amount * (1 + 1e-9))
    assert len(times) == (reached if dt <= amount else len(times))
    for n, time in enumerate(times, 1):
        if dt <= amount:
            assert n * amount * (1 - 1e-9) <= time < n * amount + dt * (1 + 1e-9)


def test_steps_that_divide_the_interval_meet_it_exactly():
    clock, every = Clock(), Every(1.0, "time")
    met = []
    for _ in range(1000):
        clock.advance(0.1)
        if every.due(clock):
            met.append(clock.step)
    assert met == list(range(10, 1001, 10))


def test_steps_and_never():
    clock = Clock()
    due = []
    for _ in range(12):
        clock.advance(0.1)
        due.append((Every(5, "steps").due(clock), Every.parse("never").due(clock)))
    assert [n for n, (steps, _) in enumerate(due, 1) if steps] == [5, 10]
    assert not any(never for _, never in due)


def test_intervals_count_from_a_first_step_and_its_time():
    clock, steps, times = Clock(), [], []
    for n in range(1, 13):
        clock.advance(0.1)
        steps += [n] if Every(5, "steps").due(clock, (2, 0.2)) else []
        times += [n] if Every(0.5, "time").due(clock, (2, 0.2)) else []
    assert steps == times == [2, 7, 12]


def test_a_stopwatch_rings_once_an_interval():
    watch = Stopwatch(10.0, now=0.0)
    assert [watch.ring(now) for now in (1.0, 9.9, 10.0, 10.1, 25.0, 26.0)] == [
        False,
        False,
        True,
        False,
        True,
        False,
    ]
