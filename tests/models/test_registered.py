"""Names that a script gives typed equations."""

import pytest
import whorl
from whorl.models import registered

BURGERS = {
    "fields": {"u": "scalar"},
    "equations": ["dt(u) = -u*dx(u) + nu*lap(u)"],
    "parameters": {"nu": 0.1},
}


@pytest.fixture(autouse=True)
def forgotten():
    yield
    registered.REGISTERED.clear()


def case(**flow):
    return whorl.Case(
        grid={"points": [32, 1, 1]},
        flow={"model": "burgers", **flow},
        time={"until": 0.1, "dt": 0.01},
        initial={"name": "formula", "value": "sin(x)"},
    )


def test_a_name_stands_for_its_equations():
    whorl.register_model("burgers", **BURGERS)
    of_name = case(nu=0.2)
    typed = case(model="equations", **BURGERS | {"parameters": {"nu": 0.2}})
    assert of_name.flow == typed.flow
    assert case().flow.parameters == {"nu": 0.1}
    assert case(parameters={"nu": 0.3}).flow.parameters == {"nu": 0.3}
    with whorl.Simulation(of_name) as named, whorl.Simulation(typed) as other:
        named.step()
        other.step()
        assert named.statistics() == other.statistics()


def test_the_resolved_case_needs_no_name():
    whorl.register_model("burgers", **BURGERS)
    text = case(nu=0.2).to_toml()
    assert 'model = "equations"' in text
    assert "burgers" not in text


WRONG = {
    "other equations have it": {"name": "mhd"},
    "it is a word": {"name": "two words"},
    "the equations of": {"equations": ["dt(u) = -u*dx(w)"]},
    "options of these names": {"parameters": {"nu": 0.1, "rate": 1.0}},
    'fields of "burgers" is wrong': {"fields": ["u"]},
    'rtae of "burgers" is wrong': {"rtae": "abs(u)"},
}


@pytest.mark.parametrize("words", WRONG)
def test_what_is_wrong_is_refused(words):
    with pytest.raises(whorl.CaseError, match=words):
        whorl.register_model(**{"name": "burgers", **BURGERS, **WRONG[words]})
    assert registered.REGISTERED == {}


def test_a_name_keeps_its_equations():
    whorl.register_model("burgers", **BURGERS)
    whorl.register_model("burgers", **BURGERS)
    with pytest.raises(whorl.CaseError, match="other equations have it; choose another"):
        whorl.register_model("burgers", **BURGERS | {"parameters": {"nu": 0.2}})


def test_a_list_that_changes_later_changes_nothing():
    equations = [*BURGERS["equations"]]
    whorl.register_model("burgers", **BURGERS | {"equations": equations})
    equations.append("dt(v) = 0")
    whorl.register_model("burgers", **BURGERS | {"equations": BURGERS["equations"][0]})
    assert case().flow.equations == tuple(BURGERS["equations"])


HEAT = {"fields": {"s": "scalar"}, "equations": ["dt(s) = -s**3 + nu*lap(s)"], "parameters": {"nu": 0.1}}


@pytest.mark.parametrize("settings", [["flow.model=heat"], ['flow={model = "heat"}'], []])
def test_another_name_takes_the_place_of_all_options(settings):
    whorl.register_model("burgers", **BURGERS)
    whorl.register_model("heat", **HEAT)
    changes = {} if settings else {"flow": {"model": "heat", "nu": 0.3}}
    for begin in (case(nu=0.2), case(model="equations", **BURGERS)):
        changed = begin.updated(settings, **changes)
        assert changed.flow.equations == tuple(HEAT["equations"])
        assert changed.flow.parameters == {"nu": 0.1 if settings else 0.3}
        assert changed.grid.dealias == "1/2"


def test_a_built_in_model_becomes_a_named_one():
    whorl.register_model("burgers", **BURGERS)
    settings = ["grid.points=[32, 1, 1]", "flow.model=burgers", "initial.name=zero", "time.dt=0.1"]
    changed = whorl.load_case("taylor-green").updated(settings)
    assert changed.flow.parameters == BURGERS["parameters"]


TOLD = {
    'flow.model = "burgers" has its own': {"equations": ["dt(u) = 0"]},
    "it is a table": {"parameters": 5},
    "flow.parameters has it, too": {"nu": 0.2, "parameters": {"nu": 0.3}},
}


@pytest.mark.parametrize("words", TOLD)
def test_a_section_that_contradicts_its_name_is_refused(words):
    whorl.register_model("burgers", **BURGERS)
    with pytest.raises(whorl.CaseError, match=words):
        case(**TOLD[words])


def test_unknown_names_and_options_are_told():
    with pytest.raises(whorl.CaseError, match="burgers"):
        case()
    whorl.register_model("burgers", **BURGERS)
    with pytest.raises(whorl.CaseError, match="mu"):
        case(mu=0.2)
