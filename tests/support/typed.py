"""Plans of equations made by hand: Navier-Stokes and Boussinesq as the core has them, and scalars."""

import numpy as np
from whorl import _core
from whorl.base.ranks import MPI
from whorl.expressions.linear import WITHOUT_MEAN

Term = _core.Term
ODD = [(True, False, False), (False, True, False), (False, False, True)]
EVEN = (False, False, False)


def along(*odd):
    """The parity of a product of components with these parities."""
    return tuple(bool(sum(axis) % 2) for axis in zip(*odd, strict=True))


def velocity(viscosity):
    return _core.EquationField(
        name="velocity",
        components=3,
        solenoidal=True,
        projected=True,
        odd=ODD,
        rate=[(viscosity, 2.0)] if viscosity else [],
    )


def temperature(diffusivity):
    return _core.EquationField(name="temperature", odd=[ODD[2], EVEN, EVEN], rate=[(diffusivity, 2.0)])


class Points:
    """The instructions of a program at the points."""

    def __init__(self, inputs, numbers):
        self.first = inputs + len(numbers) + 3
        self.inputs, self.numbers, self.instructions = inputs, list(numbers), []

    def __call__(self, name, *operands):
        self.instructions.append((name, list(operands)))
        return self.first + len(self.instructions) - 1

    def number(self, n):
        return self.inputs + n


def advective(points, spacing_first=0):
    """The rate |u|/Δx + |v|/Δy + |w|/Δz and the square of the speed."""
    one, two, three = (points.number(spacing_first + n) for n in range(3))
    rate = points("multiply", points("abs", 0), one)
    rate = points("multiply_add", points("abs", 1), two, rate)
    rate = points("multiply_add", points("abs", 2), three, rate)
    square = points("add_products", 0, 0, 1, 1)
    return [rate, points("multiply_add", 2, 2, square)]


def stress(points):
    ww = points("multiply", 2, 2)
    return [
        points("multiply_subtract", 0, 0, ww),
        points("multiply", 0, 1),
        points("multiply", 0, 2),
        points("multiply_subtract", 1, 1, ww),
        points("multiply", 1, 2),
    ]


STRESS_ODD = [EVEN, along(ODD[0], ODD[1]), along(ODD[0], ODD[2]), EVEN, along(ODD[1], ODD[2])]


def part(product, a=0, b=0, *, factor=1.0, turn=0):
    return _core.FluxPart(product=product, factor=factor, a=a, b=b, turn=turn)


# (kx p0 + ky p1, kx p1 + ky p3, p2, p4), and da = -i k.s of these.
STRESS_FLUXES = [[(0, 1, 0), (1, 0, 1)], [(1, 1, 0), (3, 0, 1)], [(2, 0, 0)], [(4, 0, 0)]]
STRESS_TERMS = [
    [Term(field=0, factor=-1.0, turn=1), Term(field=2, factor=-1.0, derivatives=(0, 0, 1))],
    [Term(field=1, factor=-1.0, turn=1), Term(field=3, factor=-1.0, derivatives=(0, 0, 1))],
    [Term(field=2, factor=-1.0, derivatives=(1, 0, 0)), Term(field=3, factor=-1.0, derivatives=(0, 1, 0))],
]


def inverse_spacing(twin):
    return [0.0 if n == 1 else 1.0 / d for n, d in zip(twin.points, twin.spacing, strict=True)]


def navier_stokes(twin, *, turn=0, **changes):
    """Three inputs, five products and four fluxes, of which the first two have a factor i^turn."""
    points = Points(3, inverse_spacing(twin))
    products = stress(points)
    results = products + advective(points)
    fluxes = [[part(*one, turn=turn if n < 2 else 0) for one in flux] for n, flux in enumerate(STRESS_FLUXES)]
    tendency = [list(sum_) for sum_ in STRESS_TERMS]
    for component in (0, 1):
        tendency[component][0] = Term(field=component, factor=-1.0, turn=(1 - turn) % 4)
    program = _core.Program(
        inputs=[[Term(field=c)] for c in range(3)],
        numbers=points.numbers,
        instructions=points.instructions,
        results=results,
    )
    given = {
        "fields": [velocity(twin.viscosity)],
        "point": program,
        "odd_products": STRESS_ODD,
        "fluxes": fluxes,
        "tendency": tendency,
        "coupling": [[], [], []],
        "velocity_inputs": 3,
    }
    return _core.EquationPlan(**given | changes)


def boussinesq(twin, diffusivity, frequency):
    """Four inputs, eight products and six fluxes; the buoyancy couples all four components."""
    points = Points(4, inverse_spacing(twin))
    products = stress(points) + [points("multiply", c, 3) for c in range(3)]
    results = products + advective(points)
    heat = [along(ODD[c], ODD[2]) for c in range(3)]
    fluxes = [[part(*one) for one in flux] for flux in STRESS_FLUXES]
    fluxes += [[part(5, 1, 0), part(6, 0, 1)], [part(7)]]
    tendency = [
        *STRESS_TERMS,
        [Term(field=4, factor=-1.0, turn=1), Term(field=5, factor=-1.0, derivatives=(0, 0, 1))],
    ]
    lift = -frequency  # P(lift θ z)

    def from_theta(derivatives):
        return Term(field=3, factor=lift, derivatives=derivatives, power=-1, low=WITHOUT_MEAN)

    coupling = [
        [from_theta((1, 0, 1))],
        [from_theta((0, 1, 1))],
        [from_theta((0, 0, 2)), Term(field=3, factor=lift)],
        [Term(field=2, factor=frequency)],
    ]
    program = _core.Program(
        inputs=[[Term(field=c)] for c in range(4)],
        numbers=points.numbers,
        instructions=points.instructions,
        results=results,
    )
    return _core.EquationPlan(
        fields=[velocity(twin.viscosity), temperature(diffusivity)],
        point=program,
        odd_products=STRESS_ODD + heat,
        fluxes=fluxes,
        tendency=tendency,
        coupling=coupling,
        blocks=[[0, 1, 2, 3]],
        velocity_inputs=3,
    )


def scalar(inputs, products, fluxes, tendency, *, coupling=(), rate=(), odd=EVEN, **more):
    """One scalar s; products are pairs of inputs, whose largest |value| bounds the step."""
    points = Points(len(inputs), [])
    made = [points("multiply", *pair) for pair in products]
    size = points("abs", 0)
    program = _core.Program(
        inputs=inputs,
        instructions=points.instructions,
        results=[*made, size, points("multiply", 0, 0)],
    )
    return _core.EquationPlan(
        fields=[_core.EquationField(name="s", odd=[odd, EVEN, EVEN], rate=list(rate))],
        point=program,
        odd_products=[EVEN] * len(products),
        fluxes=fluxes,
        tendency=[list(tendency)],
        coupling=[list(coupling)],
        blocks=[[0]] if coupling else [],
        **more,
    )


def close(actual, expected, precision, largest=None):
    """Asserts equality within 1e-12 of the largest value in double precision, 1e-5 in single."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    size = np.abs(expected).max() if largest is None else largest
    assert np.abs(actual - expected).max() <= (1e-12 if precision == "double" else 1e-5) * size


def read(world, flow, name, components=1):
    """A field as one array [component, z, y, x] on every rank."""
    nx, ny, nz = flow.options.points
    whole = np.zeros((components, nz, ny, nx))
    first_y, last_y = flow.physical_block[2:]

    def consume(z0, z1, y0, y1, block):
        assert (first_y, last_y) == (y0, y1)
        whole[:, z0:z1, y0:y1] = block

    flow.read_fields(name, consume)
    world.Allreduce(MPI.IN_PLACE, whole)
    return whole


def write(flow, name, values, project=False):
    """Sets a field from a whole array [component, z, y, x]."""

    def fill(z0, z1, y0, y1, out):
        out[...] = values[:, z0:z1, y0:y1]

    flow.set_physical(fill, project, name)


def plane_flow(twin, viscosity):
    """A velocity of two components in a plane: two inputs, two products, two fluxes."""
    points = Points(2, [])
    vv = points("multiply", 1, 1)
    products = [points("multiply_subtract", 0, 0, vv), points("multiply", 0, 1)]
    size = points("abs", 0)
    program = _core.Program(
        inputs=[[Term(field=0)], [Term(field=1)]],
        instructions=points.instructions,
        results=[*products, size, points("add_products", 0, 0, 1, 1)],
    )
    return _core.EquationPlan(
        fields=[
            _core.EquationField(
                name="velocity",
                components=2,
                solenoidal=True,
                projected=True,
                odd=[*ODD[:2], EVEN],
                rate=[(viscosity, 2.0)],
            )
        ],
        point=program,
        odd_products=[EVEN, along(ODD[0], ODD[1])],
        fluxes=[[part(0, 1, 0), part(1, 0, 1)], [part(1, 1, 0)]],
        tendency=[[Term(field=0, factor=-1.0, turn=1)], [Term(field=1, factor=-1.0, turn=1)]],
        coupling=[[], []],
        velocity_inputs=2,
    )
