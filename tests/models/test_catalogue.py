"""Typed equations of many fields of research: their exact solutions, steady states and rates of growth.

Numbers without a formula beside them were found by independent programs in NumPy.
"""

import numpy as np
import pytest
from models.test_equations import SMALL, SQUARE, TAU, advanced, rates, typed


def ends(sections, value, dt, until, name="u", scheme="etdrk4"):
    """A field at the end; steady states of etdrk4 do not depend on the step."""
    ended = advanced(sections, {"name": "formula", "value": value}, dt, round(until / dt), scheme=scheme)
    return ended.field(name)


def on_a_line(length, points=64):
    return {"points": [points, 1, 1], "lengths": [length, 1.0, 1.0]}


def test_vector_burgers_is_a_gradient_of_heat():
    """u = -2 nu grad(phi)/phi, phi = 1 + 0.5 exp(-nu t) cos x + 0.2 exp(-6 nu t) cos(x + 2y - z)."""
    nu, until = 0.05, 0.5

    def exact(t, functions):
        cos, sin = functions
        one, two = (float(a * np.exp(-n * nu * t)) for a, n in ((0.5, 1), (0.2, 6)))
        phi = f"(1 + {one!r}*{cos}(x) + {two!r}*{cos}(x + 2*y - z))"
        slopes = [f"-{one!r}*{sin}(x) - {two!r}*{sin}(x + 2*y - z)"]
        slopes += [f"-{2 * two!r}*{sin}(x + 2*y - z)", f"{two!r}*{sin}(x + 2*y - z)"]
        return [f"{-2 * nu!r}*({slope})/{phi}" for slope in slopes]

    grid = {"points": [32, 32, 32], "lengths": [TAU] * 3}
    sections = typed({"u": "vector"}, ["dt(u) = -advect(u, u) + nu*lap(u)"], grid, {"nu": nu})
    found = ends(sections, exact(0.0, ("cos", "sin")), 0.05, until, scheme="rk4")
    z, y, x = np.meshgrid(*[TAU / 32 * np.arange(32)] * 3, indexing="ij")
    given = {"x": x, "y": y, "z": z, "cos": np.cos, "sin": np.sin}
    for component, text in zip(found, exact(until, ("cos", "sin")), strict=True):
        assert np.abs(component - eval(text, given)).max() < 2e-5  # as the 11 kept waves have it


KURAMOTO = ["dt(u) = -u*dx(u) - dx(dx(u)) - dx(dx(dx(dx(u))))"]


def test_kuramoto_sivashinsky_becomes_steady():
    u = ends(typed({"u": "scalar"}, KURAMOTO, on_a_line(8.0)), "sin(2*pi*x/8)", 0.05, 60.0)
    assert 0.5 * np.mean(u**2) == pytest.approx(1.51625600799, abs=1e-9)


def test_kuramoto_sivashinsky_travels():
    sections = typed({"u": "scalar"}, KURAMOTO, on_a_line(12.0))
    value = "sin(2*pi*x/12) + 0.5*cos(4*pi*x/12)"
    before, after = (ends(sections, value, 0.04, until)[0, 0, 0] for until in (220.0, 221.0))
    assert 0.5 * np.mean(after**2) == pytest.approx(0.631746945812, abs=1e-6)  # by the step
    turned = np.angle(np.fft.rfft(after)[2] / np.fft.rfft(before)[2]) / 2
    assert abs(turned) * 12.0 / TAU == pytest.approx(0.360210789691, abs=1e-6)


def test_cahn_hilliard_separates():
    """The odd steady state of period 2 pi, its mass and its free energy."""
    sections = typed({"c": "scalar"}, ["dt(c) = lap(c**3 - c - g*lap(c))"], on_a_line(TAU, 256), {"g": 0.05})
    c = ends(sections, "sin(x)", 0.005, 14.0, "c")[0, 0, 0]
    slope = np.fft.irfft(1j * np.arange(129) * np.fft.rfft(c), 256)
    assert c.max() == pytest.approx(0.999806105569, abs=1e-9)
    assert np.mean((c**2 - 1) ** 2 / 4 + 0.025 * slope**2) == pytest.approx(0.0671056142476, abs=1e-10)
    assert 2 * np.mean(c * np.sin(TAU / 256 * np.arange(256))) == pytest.approx(1.22234863239, abs=1e-9)
    assert abs(c.mean()) < 1e-15


def test_swift_hohenberg_has_stripes():
    equation = ["dt(u) = r*u - (u + 2*lap(u) + lap(lap(u))) - u**3"]
    u = ends(typed({"u": "scalar"}, equation, on_a_line(TAU), {"r": 0.3}), "0.5*cos(x)", 0.1, 60.0)[0, 0, 0]
    modes = 2 * np.fft.rfft(u).real / 64
    assert modes[1] == pytest.approx(0.632947130422, abs=1e-10)
    assert modes[3] == pytest.approx(-0.000985884610, abs=1e-10)
    assert 0.5 * np.mean(u**2) == pytest.approx(0.100155760469, abs=1e-11)


GINZBURG = ["dt(A) = A + (1 + b*i)*lap(A) - (1 + c*i)*abs(A)**2*A"]
ENVELOPE = typed({"A": "complex"}, GINZBURG, on_a_line(40 * np.pi), {"b": 2.0, "c": -1.2})


def envelope(ended):
    real, imaginary = ended.field("A")[:, 0, 0]
    return np.fft.fft(real + 1j * imaginary) / 64


def wave(disturbed=None):
    """Texts of both parts of sqrt(0.96) exp(0.2 ix), with a small wave of number `disturbed`."""
    parts = [f"{float(np.sqrt(0.96))}*{function}(0.2*x)" for function in ("cos", "sin")]
    if disturbed is None:
        return parts
    small = [f"{SMALL}*{function}({0.05 * disturbed!r}*x)" for function in ("cos", "sin")]
    return [" + ".join(both) for both in zip(parts, small, strict=True)]


@pytest.mark.parametrize(
    ("number", "rate"),
    [(5, 0.0787141290753 - 0.293260699521j), (10, 0.158459031132 - 0.495289663069j)],
)
def test_waves_of_ginzburg_and_landau_are_modulated(number, rate):
    """A wave of Q = 0.2 turns with omega = -1.072; waves Q + K and Q - K beside it grow, K = 0.05 number."""
    dt, steps = 0.01, 100
    plain = envelope(advanced(ENVELOPE, {"name": "formula", "value": wave()}, dt, steps))
    assert np.angle(plain[4]) == pytest.approx(1.072, abs=1e-8)
    columns = []
    for disturbed in (4 + number, 4 - number):
        initial = {"name": "formula", "value": wave(disturbed)}
        modes = envelope(advanced(ENVELOPE, initial, dt, steps)) * np.exp(-1.072j)
        columns.append([modes[4 + number] / SMALL, np.conj(modes[4 - number]) / SMALL])
    found = np.log(np.linalg.eigvals(np.array(columns).T))
    assert np.abs(found - rate).min() < 1e-6


@pytest.mark.parametrize(
    ("numbers", "alpha", "speed", "rate"),
    [
        ((4.0, 0.0), -1.0, np.sqrt(2), 0.432 - 19.7989898732j),
        ((np.sqrt(8), np.sqrt(8)), -1.0, np.sqrt(2), -0.568 - 14j),
        ((0.0, 4.0), -1.0, np.sqrt(2), -1.568),
        ((2.0, 4.0), 0.2, 0.0, 0.25),
    ],
)
def test_living_fluids(numbers, alpha, speed, rate):
    """Toner and Tu's equation about a uniform flow: waves across their k, at 0, 45 and 90 degrees to it."""
    terms = "-lam*advect(u, u) - alpha*u - 0.5*dot(u, u)*u + g*lap(u) - h*lap(lap(u))"
    given = {"lam": 3.5, "alpha": alpha, "g": -0.045, "h": 0.001125}
    lengths = [TAU / k if k else TAU for k in numbers] + [1.0]
    grid = {"points": [16, 16, 1], "lengths": lengths}
    sections = typed({"u": "plane velocity"}, [f"dt(u) = {terms}"], grid, given)
    (kx, ky), size = numbers, np.hypot(*numbers)
    across = (-ky / size, kx / size)
    small = [f"{float(SMALL * a)}*cos({float(kx)}*x + {float(ky)}*y)" for a in across]
    dt, steps = 0.002, 100
    ended = advanced(
        sections, {"name": "formula", "value": [f"{float(speed)} + {small[0]}", small[1]]}, dt, steps
    )
    place = (int(ky > 0), int(kx > 0))
    modes = [2 * np.fft.fft2(of[0])[place] / 256 for of in ended.field("u")]
    found = (across[0] * modes[0] + across[1] * modes[1]) / SMALL
    assert found == pytest.approx(np.exp(dt * steps * rate), rel=1e-6)


@pytest.mark.parametrize(("number", "rate"), [(1, 0.333598853319), (2, 0.582481563221)])
def test_active_nematics(number, rate):
    """The shear v and the order q of an active nematic about rest, k along x."""
    sections = typed(
        {"v": "scalar", "q": "scalar"},
        ["dt(v) = nu*lap(v) - zeta*dx(q)", "dt(q) = lam*dx(v)/2 - (a*q - K*lap(q))"],
        SQUARE,
        {"nu": 0.1, "zeta": 0.5, "lam": 0.7, "a": 0.05, "K": 0.02},
    )
    found = rates(sections, {"v": 0.0, "q": 0.0}, ["v", "q"], (number, 0), 0.1, 10)
    assert found.real.max() == pytest.approx(rate, abs=1e-8)


@pytest.mark.parametrize(
    ("nu", "eta", "expected"),
    [
        (0.0, 0.0, (1.64195209901j, -5.12195209901j)),
        (0.03, 0.05, (-0.3136833235 + 1.64107161038j, -0.4063166765 - 5.12107161038j)),
    ],
)
def test_waves_of_hall_mhd(nu, eta, expected):
    """Waves of one sense of rotation, k = (1, 2, 2), on a mean field (0.3, 0.2, 1.1), ion skin depth 0.4."""
    sections = typed(
        {"u": "velocity", "b": "velocity"},
        [
            "dt(u) = -advect(u, u) + cross(curl(b), b) + nu*lap(u)",
            "dt(b) = curl(cross(u, b)) - d*curl(cross(curl(b), b)) + eta*lap(b)",
        ],
        {"points": [12, 12, 12], "lengths": [TAU] * 3},
        {"nu": nu, "eta": eta, "d": 0.4},
    )
    k = np.array([1.0, 2.0, 2.0])
    first = np.array([2.0, -1.0, 0.0]) / np.sqrt(5)
    second = np.cross(k / 3, first)
    columns = []
    for disturbed in "ub":
        texts = {}
        for name in "ub":
            by = SMALL if name == disturbed else 0.0
            mean = (0.3, 0.2, 1.1) if name == "b" else (0.0, 0.0, 0.0)
            texts[name] = [
                f"{m} + {by}*({float(a)}*cos(x + 2*y + 2*z) - {float(b)}*sin(x + 2*y + 2*z))"
                for m, a, b in zip(mean, first, second, strict=True)
            ]
        initial = {"name": "formula", "value": texts["u"], "b": {"name": "formula", "value": texts["b"]}}
        ended = advanced(sections, initial, 0.005, 40)
        modes = [[np.fft.fftn(of)[2, 2, 1] / 12**3 for of in ended.field(name)] for name in "ub"]
        columns.append([np.dot(first - 1j * second, of) / SMALL for of in modes])
    found = np.log(np.linalg.eigvals(np.array(columns).T)) / 0.2
    for one in expected:
        assert np.abs(found - one).min() < 1e-6
