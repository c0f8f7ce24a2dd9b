"""Options: what is accepted, what is refused and in which words, and the way to TOML and back."""

import codecs
import math
import re
import tomllib
from functools import partial

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.cases import refusal, sections_of
from whorl.base.errors import CaseError
from whorl.config.case import Case, load_case, ready_cases
from whorl.config.explain import options, sections, show
from whorl.config.sizes import next_good_size, prime_factors
from whorl.run.simulation import Simulation


def test_defaults_and_shorthands():
    case = Case(**sections_of())
    assert case.grid.points == (64, 64, 64)
    assert case.grid.lengths == (2 * math.pi,) * 3
    assert case.time.courant == 0.9
    assert case.time.dt is None
    assert Case(**sections_of(grid={"points": [64, 32, 1], "lengths": 3})).grid.lengths == (3, 3, 3)


def test_fixed_step_has_no_courant_number():
    assert Case(**sections_of(time={"until": 1, "dt": 0.1})).time.courant is None


def test_random_field_has_the_standard_form_unless_a_spectrum_is_given():
    standard = Case(**sections_of(initial={"name": "random"})).initial
    assert (standard.k0, standard.energy) == (4.0, 0.5)
    given_spectrum = Case(**sections_of(initial={"name": "random", "spectrum": [0, 1.5, 2]})).initial
    assert (given_spectrum.k0, given_spectrum.energy) == (None, None)


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("grid.pionts=3", ["grid.pionts is not an option", "did you mean grid.points?"]),
        ("grid.viscosity=1", ["did you mean flow.viscosity?"]),
        ("gird.points=64", ["did you mean [grid]?"]),
        ("flow.nu=0.1", ["did you mean flow.viscosity?"]),
        ("flow.Viscosity=0.1", ["did you mean flow.viscosity?"]),
        ("flow.kappa=0.1", ['did you mean flow.diffusivity? It goes with flow.model = "boussinesq".']),
        ("time.CFL=0.5", ["did you mean time.courant?"]),
        ("run.threads=1000000000000", ["run.threads = 1000000000000", "at most 65536"]),
        ("run.batches=1000000000000", ["run.batches = 1000000000000", "at most 65536"]),
        ("run.variables_per_message=100000", ["run.variables_per_message = 100000", "at most 65536"]),
        ("run.process_grid=[100000, 1]", ["run.process_grid[0] = 100000", "at most 65536"]),
        ("flow.viscosity='0.01'", ['flow.viscosity = "0.01"', "must be a number, without quotes."]),
        ("flow.viscosity=low", ['flow.viscosity = "low"', "must be a number."]),
        ("time.steps='5'", ['time.steps = "5"', "must be a whole number, without quotes."]),
        ("grid.shift_seed=1000000000000", ["must be less than 2147483648."]),
        ("run.process_grid=[1, 2, 3]", ["[1, 2, 3]", "two whole numbers, rows and columns"]),
        ("output.fields=[]", ["output.fields = []", "a list of at least 1."]),
        ("time.scheme=rk7", ['time.scheme = "rk7"', "did you mean rk4?"]),
        ("initial.amplitude=2", ["initial.amplitude", '"abc"', '"taylor-green"']),
        (
            "initial.name=abd",
            ["did you mean abc?", "taylor-green, abc, roberts, kolmogorov, orszag-tang, random, "],
        ),
        ("run.precison=single", ["did you mean run.precision?"]),
        ("points=64", ["--set points=64", "did you mean grid.points?"]),
        ("run.threads", ["--set run.threads", "section.key=value"]),
        ("grid.points=64.0", ["grid.points", "64.0", "whole number"]),
        ("grid.points=many", ["one number, or three"]),
        ("grid.points=[64, 64]", ["one number, or three"]),
        ("grid.points=true", ["one number, or three"]),
        ("grid.points=34", ["34", "prime factor 17", "next good size is 36"]),
        ("grid.points=[64, 64, 33]", ["33 along z", "prime factor 11", "next good size is 36"]),
        ("grid.points=35", ["35", "odd", "next good size is 36"]),
        ("grid.points=2", ["4 to 65536"]),
        ("grid.points=131072", ["4 to 65536"]),
        ("grid.points=[1, 64, 64]", ["along x", "4 to 65536"]),
        ("grid.lengths=[1, 0, 1]", ["grid.lengths[1] = 0", "greater than 0"]),
        ("flow.viscosity=-0.1", ["flow.viscosity = -0.1", "at least 0", "length²/time"]),
        ("flow.viscosity=nan", ["finite"]),
        ("flow.viscosity='0.1'", ["flow.viscosity", "a number"]),
        ("flow.viscosity=1/400", ['"1/400"', "a number"]),
        ("time.scheme=rk5", ["rk2, rk3, rk4, rk4-gill"]),
        ("time.dt=0", ["time.dt = 0", "greater than 0"]),
        ("time.steps=1.5", ["whole number"]),
        ("output.series_every=0", ["output.series_every = 0", "positive number", '"N steps"']),
        ("output.series_every=5 minutes", ["output.checkpoint_every only"]),
        ("output.checkpoint_every=5 fortnights", ['"N minutes", "N hours"']),
        ("output.checkpoint_every=5 minuts", ["did you mean minutes?"]),
        ("output.checkpoint_every=5 h", ["did you mean hours?"]),
        ("output.series_every=2 turnover s", ["output.series_every", '"N turnovers"']),
        ("output.fields=[]", ["at least 1"]),
        ('output.fields=["vorticty"]', ["did you mean vorticity"]),
        ("run.process_grid=[2, -1]", ["run.process_grid[1] = -1", "at least 0"]),
        ("run.transport=pigeon", ["alltoall"]),
    ],
)
def test_refusals_name_key_value_and_remedy(setting, words):
    message = refusal(setting)
    for word in words:
        assert word in message


@pytest.mark.parametrize("key", ["kO", "K0", "kpeak", "peak"])
def test_a_word_of_an_option_of_the_section_suggests_it(key):
    """Not one of another section that has more of its letters."""
    assert "did you mean initial.k0? Options" in refusal(initial={"name": "random", key: 3.0})
    by_another = refusal(initial={"name": "abc", key: 3.0})
    assert 'did you mean initial.k0? It goes with initial.name = "random".' in by_another


STIRRED = {"kind": "stochastic", "power": 1.0, "correlation_time": 0.1}
PUSHED = {"kind": "linear", "name": "push"}


@pytest.mark.parametrize(
    ("blocks", "words"),
    [
        (
            {"forcing": [PUSHED | {"rate": 1.0}, STIRRED | {"variance": 1.0}]},
            'forcing[1] ("stochastic"): for',
        ),
        ({"forcing": [STIRRED, PUSHED]}, 'forcing[1] ("push"): give forcing.rate or'),
        ({"forcing": [STIRRED, PUSHED | {"rate": 1.0, "k_max": 99.0}]}, 'forcing[1] ("push"): forcing.k_max'),
        (
            {"scalars": [{"name": "ink"}, {"name": "dye", "schmidt": 1.0, "diffusivity": 1.0}]},
            'scalars[1] ("d',
        ),
        (
            {"scalars": [{"name": "ink"}, {"name": "dye", "initial": {"name": "abc"}}]},
            'scalars[1] ("dye"): sc',
        ),
        ({"diagnostics": [{"kind": "pressure"}, {"kind": "condensate", "name": "c"}]}, "diagnostics.c"),
        ({"probes": [{"kind": "points", "of": "u", "name": "p"}]}, "probes.p takes either"),
        ({"particles": [{"kind": "tracer", "name": "t"}]}, "particles.t takes one of"),
    ],
)
def test_a_refusal_of_blocks_that_are_many_names_the_one(blocks, words):
    assert words in refusal(**blocks)


def test_combinations_that_contradict_each_other():
    assert "exclude each other" in refusal("time.dt=0.1", "time.courant=1")
    assert "no end" in refusal(time={})
    assert "dt_max" in refusal("time.dt=0.1", "time.dt_max=1")
    assert '"2/3"' in refusal("grid.shape=sphere", "grid.dealias=phase-shift")
    assert "initial.spectrum" in refusal(
        "initial.name=random", "initial.spectrum=[0, 1]", "initial.k0=3", "initial.energy=2"
    )


def test_several_mistakes_are_told_at_once():
    message = refusal("flow.viscosity=-1", "run.thread=2")
    assert "flow.viscosity" in message
    assert "run.threads" in message


def test_a_misspelt_section_is_told_before_the_one_that_it_was_meant_to_be():
    message = refusal(gird={"points": 8}, grid=None, run={"thread": 2}, time={})
    assert message.startswith("gird is not a section; did you mean [grid]?")


def test_numbers_of_numpy_are_numbers():
    case = Case(
        **sections_of(
            grid={"points": np.array([8, 12, 16]), "lengths": [np.float64(1), np.pi, 2.0]},
            flow={"viscosity": np.float32(0.5)},
            time={"steps": np.int64(3)},
        )
    )
    assert case.grid.points == (8, 12, 16)
    assert case.updated(time={"steps": np.int32(4)}).to_dict()["time"]["steps"] == 4
    assert Case(**tomllib.loads(case.to_toml())) == case
    assert "grid.points" in refusal(grid={"points": np.array([8.5, 8, 8])})


@pytest.mark.parametrize("given", ["grid.points=8", "run.threads=1"])
def test_settings_are_a_list(given):
    for take in (Case(**sections_of()).updated, partial(load_case, "abc"), partial(Simulation.restart, "x")):
        with pytest.raises(CaseError, match=rf'is one text; give a list of settings, such as \["{given}"'):
            take(settings=given)


def test_missing_sections_and_keys():
    assert "[grid] is missing" in refusal(grid=None) or "must be a table" in refusal(grid=None)
    with pytest.raises(CaseError, match=r"\[flow\] is missing: write \[flow\] with viscosity; whorl opt"):
        Case(grid={"points": 64}, time={"until": 1})
    assert "flow.viscosity" in refusal(flow={})
    assert "initial.path" in refusal("initial.name=from-file")
    assert "must be a table" in refusal(grid=3)


def test_a_setting_can_be_a_whole_section():
    case = Case(**sections_of(initial={"name": "taylor-green", "amplitude": 2.0}))
    changed = case.updated(["initial.seed=5", 'initial={name = "random", k0 = 3}', "time={steps=2, dt=0.1}"])
    assert changed.initial.k0 == 3
    assert changed.initial.seed == 5
    assert (changed.time.steps, changed.time.until, changed.time.courant) == (2, None, None)
    convection = case.updated(
        ['flow={model="rayleigh-benard", rayleigh=1e4, prandtl=1.0}', "grid.lengths=[2, 2, 1]"]
    )
    assert (convection.grid.bases, convection.output.fields) == ("SFF", ("velocity", "temperature"))
    assert case.updated(["time.courant=0.2", "time={dt=0.1, until=1}"]).time.courant == 0.2


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("initial={name=random}", ["--set initial={name=random}", "text in quotes", "single quotes"]),
        ('initial={name="rnadom"}', ['initial.name = "rnadom"', "did you mean random?"]),
        ("initial=abc", ["--set initial=abc", "section.key=value", 'initial={name = "random"}']),
        ("flow={model=3}", ["flow.model = 3 is unknown"]),
        ("flow.model=[3]", ["flow.model = [3] is unknown"]),
        ("grid=[8]", ["grid = [8]", "write [grid]"]),
    ],
)
def test_a_section_that_is_no_table_is_refused(setting, words):
    message = refusal(setting)
    for word in words:
        assert word in message


def test_settings_replace_their_rivals():
    case = Case(**sections_of(initial={"name": "taylor-green", "amplitude": 2.0}))
    assert case.updated(["time.dt=0.1"]).time.courant is None
    assert case.updated(["time.dt=0.1"]).updated(["time.courant=0.3"]).time.dt is None
    assert case.updated(["initial.name=random"]).initial.seed == 0
    assert case.updated(["initial.name=taylor-green"]).initial.amplitude == 2.0
    random = case.updated(["initial.name=random", "initial.k0=2"])
    assert random.updated(["initial.spectrum=[0, 1]"]).initial.k0 is None
    assert case.updated([" grid.points = [64, 32, 16] "]).grid.points == (64, 32, 16)


def test_a_case_cannot_be_changed_in_place():
    with pytest.raises(ValueError, match="frozen"):
        Case(**sections_of()).grid.points = (8, 8, 8)


@pytest.mark.parametrize("name", ready_cases())
def test_ready_cases_load_and_explain_themselves(name):
    most = 128 if name == "inverse-cascade" else 32  # its force needs small scales
    smaller = [min(n, most) for n in load_case(name).grid.points]
    case = load_case(name, [f"grid.points={smaller}"])
    assert case.grid.points == tuple(smaller)
    assert ready_cases()[name].read_text(encoding="utf-8").startswith("# ")


def test_unknown_case_offers_the_nearest_ready_one():
    with pytest.raises(CaseError, match=r"did you mean taylor-green\?"):
        load_case("taylor-gren")


def test_files_that_cannot_be_read(tmp_path):
    broken = tmp_path / "case.toml"
    broken.write_text("[grid\npoints = 64\n")
    with pytest.raises(CaseError, match=r"not valid TOML.*line 1"):
        load_case(broken)
    broken.write_bytes(b"\xff\xfe")
    with pytest.raises(CaseError, match=r"cannot be read.*store it in UTF-8"):
        load_case(broken)


def test_a_byte_order_mark_is_no_part_of_a_case(tmp_path):
    (tmp_path / "case.toml").write_bytes(codecs.BOM_UTF8 + Case(**sections_of()).to_toml().encode())
    assert load_case(tmp_path / "case.toml") == Case(**sections_of())


def test_initial_path_is_relative_to_the_case_file(tmp_path):
    case = Case(**sections_of(initial={"name": "from-file", "path": "start.h5"}))
    (tmp_path / "case.toml").write_text(case.to_toml())
    assert load_case(tmp_path / "case.toml").initial.path == str(tmp_path / "start.h5")


sizes = st.integers(4, 200).map(next_good_size)
PRINTED = st.characters(exclude_categories=["C"])
positive = st.floats(1e-12, 1e12)
counts, in_turnovers = st.integers(1, 10**6), positive.map(lambda n: f"{n} turnovers")
intervals = st.one_of(positive, counts.map(lambda n: f"{n} steps"), in_turnovers, st.just("never"))
initials = st.one_of(
    st.builds(dict, name=st.just("taylor-green"), amplitude=st.floats(-1e3, 1e3)),
    st.builds(dict, name=st.just("random"), k0=positive, seed=st.integers(0, 2**31 - 1)),
    st.builds(dict, name=st.just("random"), spectrum=st.lists(positive, min_size=2, max_size=9)),
    st.builds(
        dict, name=st.just("from-file"), path=st.text(st.characters(exclude_categories=["C"]), min_size=1)
    ),
)
times = st.one_of(
    st.builds(dict, dt=positive, steps=st.integers(1, 10**9)),
    st.builds(dict, courant=positive, dt_max=positive, until=st.one_of(positive, in_turnovers)),
)


@given(
    points=st.tuples(sizes, sizes, st.one_of(sizes, st.just(1))),
    lengths=st.tuples(positive, positive, positive),
    viscosity=st.floats(0, 1e30),
    time=times,
    initial=initials,
    every=intervals,
)
def test_resolved_toml_gives_the_same_case(points, lengths, viscosity, time, initial, every):
    case = Case(
        grid={"points": points, "lengths": lengths},
        flow={"viscosity": viscosity},
        time=time,
        initial=initial,
        output={"series_every": every, "directory": 'a "quoted" \\ name'},
    )
    again = Case(**tomllib.loads(case.to_toml()))
    assert again == case
    assert again.to_toml() == case.to_toml()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("every", [1e-310, "1e-310 turnovers", 1e300])
def test_an_interval_beyond_all_units_is_refused(every):
    blocks = {
        "diagnostics": {"kind": "pdf", "of": "u"},
        "probes": {"kind": "points", "of": "u", "positions": [0.0, 0.0, 0.0]},
        "particles": {"kind": "tracer", "count": 1},
    }
    for section, block in blocks.items():
        message = refusal(**{section: [block | {"every": every}]})
        assert f"{section}[0].every = " in message
        assert "it must be 1e-30 to 1e+30 in size; choose other units" in message
    for name in ("series", "spectra", "checkpoint", "snapshot"):
        message = refusal(output={f"{name}_every": every})
        assert f"output.{name}_every = " in message
        assert "it must be 1e-30 to 1e+30 in size; choose other units" in message


def test_an_interval_may_be_a_whole_number():
    case = Case(
        grid={"points": 8},
        flow={"viscosity": 0.1},
        time={"dt": 0.1, "until": 1},
        output=dict.fromkeys(("series_every", "snapshot_every", "checkpoint_every"), 5),
    )
    assert "snapshot_every = 5.0" in case.to_toml()


@given(st.integers(1, 70000))
def test_next_good_size_is_good_and_near(n):
    good = next_good_size(n)
    assert n <= good <= max(4, 2 * n)
    assert good % 2 == 0
    assert max(prime_factors(good)) <= 7
    assert math.prod(prime_factors(good)) == good
    assert next_good_size(good) == good


def test_next_good_size_against_a_sieve():
    good = sorted(
        2**a * 3**b * 5**c * 7**d for a in range(1, 13) for b in range(8) for c in range(6) for d in range(5)
    )
    for n in range(1, 4000):
        assert next_good_size(n) == next(g for g in good if g >= max(n, 4))


def test_every_option_is_described():
    listed = list(options(Case))
    assert {o.key.partition(".")[0] for o in listed} == set(sections(Case))
    for option in listed:
        assert option.kind
        assert option.help or option.key in ("initial.name", "forcing.kind")


@pytest.mark.parametrize("value", ["yes", 1, [True], {"on": True}])
def test_an_option_that_is_true_or_false_says_so(value):
    message = refusal(flow={"model": "mhd", "viscosity": 0.01, "kinematic": value})
    assert f"flow.kinematic = {show(value)} (" in message
    assert message.endswith("it must be true or false.")
    quoted = refusal(flow={"model": "mhd", "viscosity": 0.01, "kinematic": "true"})
    assert quoted.endswith("it must be true or false, without quotes.")


@pytest.mark.parametrize("name", ["my dye", "2", "", "é", "a\n"])
def test_a_scalar_needs_a_plain_name(name):
    message = refusal(scalars=[{"name": name}])
    assert f"scalars[0].name = {show(name)} (" in message
    assert "begin with a letter A to Z" in message


ODD_VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.binary(max_size=2),
    st.lists(st.one_of(st.integers(), st.text(max_size=3)), max_size=4),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)  # fmt: skip
# How the library that validates puts things; people have never heard of it.
OTHERS_WORDING = re.compile("Input should|should match|String should|Tuple should|valid|Value error|pydantic")


@given(key=st.sampled_from([o.key for o in options(Case) if o.key.count(".") == 1]), value=ODD_VALUES)
@example(key="time.scheme", value=[])
def test_every_refusal_is_in_words_of_our_own(key, value):
    section, name = key.split(".")
    base = sections_of()
    if section == "scalars":
        changed = {"scalars": [{"name": "dye"} | {name: value}]}
    else:
        changed = {section: base.get(section, {}) | {name: value}}
    if message := refused(base | changed):
        assert not OTHERS_WORDING.search(message.replace(show(value), ""))


def refused(sections):
    try:
        Case(**sections)
    except CaseError as error:
        return str(error)
    return None


def test_a_case_is_shown_in_a_line():
    case = Case(
        **sections_of(grid={"points": [16, 12, 10]}, scalars=[{"name": "dye", "initial": {"name": "zero"}}])
    )
    assert str(case) == repr(case)
    assert "\n" not in repr(case)
    assert "navier-stokes 16 × 12 × 10, double" in repr(case)


FORCED = Case(
    grid={"points": 16},
    flow={"viscosity": 0.1},
    time={"dt": 0.1, "steps": 1},
    forcing=[{"kind": "stochastic", "power": 1.0, "correlation_time": 0.1}],
)


@pytest.mark.parametrize(
    "setting",
    ["forcing.power=2", "forcing.powr=2", "forcing.1=2", "forcing.2={kind='linear', rate=1.0}"],
)
def test_a_setting_of_a_list_names_the_index_that_it_lacks(setting):
    with pytest.raises(
        CaseError,
        match=r"forcing is a list of length 1; give an index from 0, such as forcing\.0.*'forcing\.1=",
    ):
        FORCED.updated([setting])


def test_settings_add_elements_to_a_list():
    probes = [
        f"probes.{i}={{kind='modes', name='{n}', of=['u'], modes=[[1, 0, 0]]}}" for i, n in enumerate("ab")
    ]
    case = FORCED.updated(
        ["forcing.1={kind='linear', name='second', rate=0.5}", *probes, "probes.1.every=2.0"]
    )
    assert [force.kind for force in case.forcing] == ["stochastic", "linear"]
    assert [(probe.name, probe.every) for probe in case.probes] == [("a", "1 step"), ("b", 2.0)]


def test_options_of_a_list_without_an_index_are_refused():
    with pytest.raises(CaseError, match="forcing is a list of length 1"):
        FORCED.updated(forcing={"power": 2.0})


def test_a_setting_replaces_an_element_of_a_list():
    case = FORCED.updated(["forcing.0={kind='linear', rate=0.5}", 'initial={name="abc"}'])
    assert (case.forcing[0].kind, case.forcing[0].rate) == ("linear", 0.5)
