"""Flows whose expressions are worked out by programs and by NumPy."""

from collections.abc import Callable, Sequence

import numpy as np
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.expressions.answers import answer
from whorl.run.simulation import Simulation

from support import devices, flows
from support.expressions import Evaluator
from support.twin import Twin

POINTS, LENGTHS = (24, 20, 18), (2 * np.pi, 3.0, 5.0)
TIME = 0.7
RULES = ["2/3", "phase-shift", "phase-shift-exact", "none"]


def case_of(points=POINTS, lengths=LENGTHS, dealias="2/3", **sections) -> Case:
    grid = {"points": points, "lengths": lengths, "dealias": dealias}
    return Case(grid=grid, flow={"viscosity": 0.1}, time={"dt": 0.1, "until": 1.0}, **sections)


def smooth(twin: Twin) -> np.ndarray:
    """A velocity of every kept mode, of order 1 and with a mean."""
    u = flows.noise(twin)
    return u / (1 + np.abs(u))


def names_of(twin: Twin, u: np.ndarray, of: Callable[..., Evaluator] = Evaluator) -> tuple[Evaluator, dict]:
    """What the texts name: the fields by the twin, p by what it solves."""
    shifts = twin.dealias.startswith("phase-shift")
    evaluator = of(twin.points, twin.lengths, twin.mask, shifts)
    velocity = np.array([evaluator.values(a) for a in twin.load(u) * np.prod(twin.points)])
    numbers = {"nu": 0.1, "t": TIME, "Lx": twin.lengths[0]}
    known = evaluator.names({"u": velocity}, numbers)
    known["omega"] = known["vorticity"] = known["curl"](known["u"])
    known["p"] = -known["inv_lap"](known["div"](known["div"](known["outer"](known["u"], known["u"]))))
    return evaluator, known


def expected(evaluator: Evaluator, known: dict, text: str) -> np.ndarray:
    """The components of a text at the points, [component, z, y, x]."""
    value = np.asarray(eval(text.replace("~", "1 -"), {"__builtins__": {}}, known), float)
    shape = (-1, *np.shape(value)[-4:]) if value.ndim > 4 else (1, *np.shape(value))
    return np.array([evaluator.inside(part) for part in value.reshape(shape)])


def worked_out(world: MPI.Intracomm, flow, case: Case, text: str) -> tuple[np.ndarray, np.ndarray]:
    """Its values at the points as one array on every rank, and its means."""
    return worked_out_together(world, flow, case, [text])[0]


def worked_out_together(
    world: MPI.Intracomm, flow, case: Case, texts: Sequence[str]
) -> list[tuple[np.ndarray, np.ndarray]]:
    """The same of each of several texts, which one run works out."""
    asked = case.planned.asked(texts, texts)
    nx, ny, nz = case.grid.points
    ends = np.cumsum([len(value.nodes()) for value in asked.values])
    whole, times = np.zeros((ends[-1], nz, ny, nx)), np.zeros((nz, ny), int)

    def take(z0, z1, y0, y1, values):
        whole[:, z0:z1, y0:y1] = values
        times[z0:z1, y0:y1] += 1

    means = answer(asked, flow, TIME, take).numbers
    world.Allreduce(MPI.IN_PLACE, whole)
    world.Allreduce(MPI.IN_PLACE, times)
    assert (times == 1).all()
    return list(zip(np.split(whole, ends[:-1]), means, strict=True))


def answered(world: MPI.Intracomm, texts: Sequence[str], ask: Callable, twin: Twin | None = None, **options):
    """What `ask(questions, nodes)` asks for of some texts over noise, and the answers to it.

    And the values of the texts at the points as one array on every rank, [text][z][y][x].
    """
    twin = twin or Twin(POINTS, LENGTHS)
    flow = flows.make(world, twin, **options)
    flows.write(flow, flows.noise(twin))
    questions = case_of(twin.points, twin.lengths).planned.questions()
    values = [questions.parser.parse(text) for text in texts]
    asked = ask(questions, [value.scalar for value in values])
    questions.values += values
    nx, ny, nz = twin.points
    whole = np.zeros((len(values), nz, ny, nx))

    def take(z0, z1, y0, y1, block):
        whole[:, z0:z1, y0:y1] = block

    answers = answer(questions, flow, 0.0, take)
    world.Allreduce(MPI.IN_PLACE, whole)
    return asked, answers, whole


def kept_between(points: tuple, walls: tuple) -> np.ndarray:
    """The modes that the 2/3 rule keeps in the periodic box of twice the length along axes with walls."""
    lines = []
    for n, wall in zip(points, walls, strict=True):
        number = np.abs(np.rint(np.fft.fftfreq((1 + wall) * n, 1 / ((1 + wall) * n))))
        lines.append(3 * number < (2 * n if wall else n))
    return lines[2][:, None, None] & lines[1][:, None] & lines[0]


def walled_fields(of: Evaluator) -> dict:
    """A solenoidal velocity and a temperature of a few modes, odd and even as between free-slip walls."""
    kx, ky, kz = (
        np.pi * (1 if wall else 2) / length for wall, length in zip(of.walls, of.lengths, strict=True)
    )
    x, y, z = of.x, of.y, of.z
    rolls = [(2, 1, 1, 0.5), (1, 3, 2, -0.3), (3, 2, 1, 0.2)]
    u = sum(a * np.sin(i * kx * x) * np.cos(m * ky * y) * np.cos(n * kz * z) for i, m, n, a in rolls)
    v = sum(
        -a * i * kx / (2 * m * ky) * np.cos(i * kx * x) * np.sin(m * ky * y) * np.cos(n * kz * z)
        for i, m, n, a in rolls
    )
    w = sum(
        -a * i * kx / (2 * n * kz) * np.cos(i * kx * x) * np.cos(m * ky * y) * np.sin(n * kz * z)
        for i, m, n, a in rolls
    )
    theta = sum(a * np.cos(i * kx * x) * np.cos(m * ky * y) * np.sin(n * kz * z) for i, m, n, a in rolls)
    return {"u": np.array([u, v, w]), "theta": theta}


# What the pressure is between walls of a flow that buoyancy drives.
PRESSURE = "inv_lap(dz(theta) - div(div(outer(u, u))))"


def between_walls(
    world: MPI.Intracomm, bases: str, precision: str = "double"
) -> tuple[Simulation, Evaluator, dict]:
    """A flow between walls in a state of a few modes, and what texts name."""
    evaluator, known = names_between(bases)
    simulation = Simulation(walled_case(bases, precision), comm=world)
    for name, symbol in (("velocity", "u"), ("temperature", "theta")):
        parts = known[symbol] if symbol == "u" else [known[symbol]]
        simulation.set_field(name, np.array([evaluator.inside(part) for part in parts]))
    return simulation, evaluator, known


def walled_case(bases: str, precision: str = "double") -> Case:
    """Its case."""
    return Case(
        grid={"points": (16, 12, 18), "lengths": (2.0, 1.5, 1.0), "bases": bases},
        flow={"model": "rayleigh-benard", "rayleigh": 1e3, "prandtl": 1.0},
        time={"dt": 0.1, "until": 1.0},
        run={"threads": 1, "device": devices.current(), "precision": precision},
        initial={"name": "zero"},
    )


def names_between(bases: str, of: Callable[..., Evaluator] = Evaluator) -> tuple[Evaluator, dict]:
    """What texts name."""
    grid, walls = walled_case(bases).grid, tuple(letter == "S" for letter in reversed(bases))
    evaluator = of(grid.points, grid.lengths, kept_between(grid.points, walls), walls=walls)
    known = evaluator.names(walled_fields(evaluator), {"t": 0.0})
    known["p"] = eval(PRESSURE, {"__builtins__": {}}, known)
    return evaluator, known
