"""Forces that are not possible are refused in a paragraph, with exit code 2."""

import pytest

CASE = """
[grid]
points = 16
[flow]
{flow}
[time]
dt = 0.01
steps = 2
[initial]
name = "{initial}"
[[forcing]]
{force}
"""


def refused(whorl, tmp_path, force, flow="viscosity = 0.1", initial="abc") -> str:
    path = tmp_path / "case.toml"
    path.write_text(CASE.format(flow=flow, initial=initial, force="\n".join(force)))
    ended = whorl("run", path, "-o", tmp_path / "out")
    assert ended.code == 2
    assert "Traceback" not in ended.err
    assert not (tmp_path / "out").exists()
    return " ".join(ended.err.split())


@pytest.mark.parametrize(
    ("force", "words"),
    [
        (["kind = 'stocastic'"], ["did you mean stochastic?", "Choose one of stochastic, constant-power"]),
        (["power = 1.0"], ["forcing[0].kind is missing"]),
        (["kind = 'constant-power'"], ["forcing[0].power", "missing"]),
        (["kind = 'constant-power'", "power = -1.0"], ["power = -1.0", "greater than 0"]),
        (["kind = 'constant-power'", "power = 1.0", "pwer = 2.0"], ["did you mean forcing[0].power"]),
        (["kind = 'constant-power'", "power = 1.0", "k_min = 3.0", "k_max = 2.0"], ["the band has no modes"]),
        (
            ["kind = 'constant-power'", "power = 1.0", "k_min = 3.2", "k_max = 3.25"],
            ["has no modes", "widen"],
        ),
        (["kind = 'constant-power'", "power = 1.0", "k_max = 30.0"], ["k_max = 30", "5 times", "lower it"]),
        (["kind = 'constant-power'", "power = 1.0", "field = 'velocty'"], ["did you mean velocity"]),
        (["kind = 'constant-power'", "power = 1.0", "field = 'magnetic'"], ["no field", "one of velocity"]),
        (
            ["kind = 'constant-power'", "power = 1.0", "helicity_rate = 1.0"],
            ["helicity 3 ", "is the largest"],
        ),
        (["kind = 'stochastic'", "power = 1.0"], ["correlation_time"]),
        (["kind = 'stochastic'", "correlation_time = 0.1"], ["forcing.power", "forcing.target"]),
        (["kind = 'stochastic'", "variance = 1.0", "correlation_time = 0.0"], ["no variance"]),
        (["kind = 'linear'"], ["forcing.rate or forcing.power"]),
        (["kind = 'linear'", "rate = 1.0", "power = 1.0"], ["one of them"]),
        (["kind = 'steady'"], ["shape", "missing"]),
        (["kind = 'steady'", "shape = {name = 'abd'}"], ["did you mean abc"]),
        (
            ["kind = 'steady'", "shape = {name = 'formula', value = ['x', 'q*y', '0']}"],
            ["forcing.shape of steady.value", '"q" is not known', "x, y, z, t", "q*y"],
        ),
        (["kind = 'steady'", "shape = {name = 'formula', value = 'x'}"], ["1 formula;", "3 formulas"]),
        (["kind = 'script'"], ["comes from a script"]),
        (["kind = 'constant-energy'", "energy = 1.0", "by_shell = true"], ["forcing.spectrum"]),
        (["kind = 'alvelius'", "power = 1.0", "name = '2nd'"], ["name", "begin with a letter"]),
    ],
)
def test_what_is_wrong_by_itself(whorl, tmp_path, force, words):
    message = refused(whorl, tmp_path, force)
    for word in words:
        assert word in message


@pytest.mark.parametrize(
    "force",
    [
        ["kind = 'constant-power'", "power = 1.0"],
        ["kind = 'constant-energy'", "energy = 1.0"],
        ["kind = 'constant-energy'"],
        ["kind = 'linear'", "rate = 1.0"],
        ["kind = 'linear'", "power = 1.0", "k_max = 2.0"],
    ],
)
def test_a_force_that_multiplies_needs_a_field(whorl, tmp_path, force):
    message = refused(whorl, tmp_path, force, initial="zero")
    assert "the velocity" in message
    assert "begin with an initial field" in message


def test_a_prescribed_velocity_is_not_forced(whorl, tmp_path):
    flow = 'model = "mhd"\nviscosity = 0.1\nresistivity = 0.1\nkinematic = true'
    message = refused(whorl, tmp_path, ["kind = 'linear'", "rate = 1.0"], flow=flow)
    assert "flow.kinematic = true" in message
    assert "magnetic" in message


@pytest.mark.parametrize(
    ("target", "flow", "words"),
    [
        (
            "{taylor_reynolds = 400.0, kmax_eta = 1.5}",
            "",
            ["R_λ = 400", "k_max η = 0.015", "lower", "more points"],
        ),
        ("{kmax_eta = 1.5}", "viscosity = 0.1", ["flow.viscosity = 0.1", "forcing.target", "leave one"]),
        ("{dissipation = 1.0}", "", ["kmax_eta or taylor_reynolds"]),
        ("{kmax_eta = -1.5}", "", ["kmax_eta = -1.5", "greater than 0"]),
    ],
)
def test_a_target_that_cannot_be_met(whorl, tmp_path, target, flow, words):
    message = refused(whorl, tmp_path, ["kind = 'stochastic'", f"target = {target}"], flow=flow)
    for word in words:
        assert word in message


def test_the_kinds_are_listed_with_their_options(whorl):
    listed = whorl("options", "forcing")
    assert listed.code == 0
    for kind in ("stochastic", "constant-power", "alvelius", "linear", "steady", "lindborg", "noise"):
        assert f'forcing.kind = "{kind}"' in listed.out
    assert listed.out.count("forcing.correlation_time") == 1
