"""Typed equations with known counts: the models of whorl and equations that nobody built in."""

from dataclasses import dataclass

from whorl.equations.text import Declarations

Counts = tuple[int, int, int]


@dataclass(frozen=True)
class Typed:
    """Equations, the counts of inputs, products and fluxes that the design lists, and those found.

    `real` is the number of fluxes if each has one power of i. `listed` may cost more than `found`.
    """

    declared: Declarations
    listed: Counts
    found: Counts
    real: int | None = None
    slow: bool = False


def of(fields: dict[str, str], *equations: str, axes: int = 3, **parameters: float) -> Declarations:
    return Declarations(fields, equations, parameters, axes=axes)


FLOW, PLANE, SCALAR = {"u": "velocity"}, {"u": "plane velocity"}, {"u": "scalar"}
MAGNETIC = {"u": "velocity", "b": "velocity"}
WIND = "vector(-dy(inv_lap(w)), dx(inv_lap(w)), 0)"
CONVECTIVE = "dt(u) = -advect(u, u) + nu*lap(u)"
LORENTZ = "dt(u) = -advect(u, u) + cross(curl(b), b) + nu*lap(u)"
BUOYANT = "dt(u) = -advect(u, u) + nu*lap(u) + vector(0, 0, theta)"
HEAT = "dt(theta) = -dot(u, grad(theta)) - u.z + nu*lap(theta)"
PSI = "abs(psi)**2*psi"
CARRIED = {2: "u.x*dx(c) + u.y*dy(c)", 3: "u.x*dx(c) + u.y*dy(c) + u.z*dz(c)"}
STRETCH = "dot(c, transpose(grad(u))) + dot(grad(u), c)"


def jacobian(a: str, b: str) -> str:
    return f"(dx({a})*dy({b}) - dy({a})*dx({b}))"


def oldroyd(axes: int) -> Declarations:
    kind = "velocity" if axes == 3 else "plane velocity"
    return of(
        {"u": kind, "c": "symmetric tensor"},
        f"{CONVECTIVE} + m*div(c)",
        f"dt(c) = -({CARRIED[axes]}) + {STRETCH} - c/tau",
        axes=axes,
        nu=0.1,
        m=0.3,
        tau=0.7,
    )


BUILT_IN = {
    "navier-stokes, convective": Typed(of(FLOW, CONVECTIVE, nu=0.1), (3, 5, 4), (3, 5, 4)),
    "navier-stokes, divergence": Typed(
        of(FLOW, "dt(u) = nu*lap(u) - div(outer(u, u))", nu=0.1), (3, 5, 4), (3, 5, 4)
    ),
    "navier-stokes, curl": Typed(
        of(FLOW, "dt(u) = cross(u, curl(u)) + nu*lap(u)", nu=0.1), (3, 5, 4), (3, 5, 4)
    ),
    "quasi-static": Typed(
        of(FLOW, f"{CONVECTIVE} - n*dz(dz(inv_lap(u)))", nu=0.1, n=0.2), (3, 5, 4), (3, 5, 4)
    ),
    "navier-stokes-2d": Typed(
        of({"w": "scalar"}, f"dt(w) = -dot({WIND}, grad(w)) + nu*lap(w)", axes=2, nu=0.1),
        (2, 2, 1),
        (2, 2, 1),
    ),
    "boussinesq": Typed(of(FLOW | {"theta": "scalar"}, BUOYANT, HEAT, nu=0.1), (4, 8, 6), (4, 8, 6)),
    "boussinesq and a scalar": Typed(
        of(
            FLOW | {"theta": "scalar", "s": "scalar"},
            BUOYANT,
            HEAT,
            "dt(s) = -dot(u, grad(s)) + nu*lap(s)",
            nu=0.1,
        ),
        (5, 11, 8),
        (5, 11, 8),
    ),
    "navier-stokes-2d and a scalar": Typed(
        of(
            {"w": "scalar", "s": "scalar"},
            f"dt(w) = -dot({WIND}, grad(w)) + nu*lap(w)",
            f"dt(s) = -dot({WIND}, grad(s))",
            axes=2,
            nu=0.1,
        ),
        (3, 4, 2),
        (3, 4, 2),
    ),
    "mhd": Typed(
        of(MAGNETIC, LORENTZ, "dt(b) = curl(cross(u, b)) + eta*lap(b)", nu=0.1, eta=0.2), (6, 8, 7), (6, 8, 7)
    ),
    "mhd, kinematic": Typed(
        of(MAGNETIC, "dt(u) = 0", "dt(b) = curl(cross(u, b)) + eta*lap(b)", eta=0.2), (6, 3, 3), (6, 3, 3)
    ),
    "mhd, Hall": Typed(
        of(
            MAGNETIC,
            LORENTZ,
            "dt(b) = curl(cross(u - d*curl(b), b)) + eta*lap(b)",
            nu=0.1,
            eta=0.2,
            d=0.37,
        ),
        (9, 8, 7),
        (9, 8, 7),
    ),
    "gross-pitaevskii": Typed(
        of({"psi": "complex"}, f"dt(psi) = i*(c*lap(psi) - g*{PSI})", c=0.5, g=0.7), (2, 2, 2), (2, 2, 2)
    ),
    "ginzburg-landau, advected": Typed(
        of(
            {"psi": "complex", "u": "velocity"},
            "dt(psi) = lap(psi) + psi - g*(abs(psi)**2 + k*dot(u, u))*psi - i*advect(u, psi)",
            "dt(u) = 0",
            g=2.0,
            k=0.3,
        ),
        (5, 8, 4),
        (5, 8, 4),
        6,
    ),
}
OTHERS = {
    "Burgers": Typed(of(SCALAR, "dt(u) = -u*dx(u) + nu*dx(dx(u))", axes=1, nu=0.05), (1, 1, 1), (1, 1, 1)),
    "KdV": Typed(of(SCALAR, "dt(u) = -6*u*dx(u) - dx(dx(dx(u)))", axes=1), (1, 1, 1), (1, 1, 1)),
    "Cahn–Hilliard": Typed(
        of(SCALAR, "dt(u) = lap(u**3 - u - g*lap(u))", axes=2, g=0.05), (1, 1, 1), (1, 1, 1)
    ),
    "Swift–Hohenberg": Typed(
        of(SCALAR, "dt(u) = r*u - (u + 2*lap(u) + lap(lap(u))) + 3*u**2 - u**3", axes=2, r=0.3),
        (1, 1, 1),
        (1, 1, 1),
    ),
    "Kuramoto–Sivashinsky, 2-D": Typed(
        of(SCALAR, "dt(u) = -dot(grad(u), grad(u))/2 - lap(u) - lap(lap(u))", axes=2), (2, 1, 1), (2, 1, 1)
    ),
    "Kuramoto–Sivashinsky, 3-D": Typed(
        of(SCALAR, "dt(u) = -dot(grad(u), grad(u))/2 - lap(u) - lap(lap(u))"), (3, 1, 1), (3, 1, 1)
    ),
    "Gray–Scott": Typed(
        of(
            {"u": "scalar", "v": "scalar"},
            "dt(u) = Du*lap(u) - u*v**2 + F*(1 - u)",
            "dt(v) = Dv*lap(v) + u*v**2 - (F + k)*v",
            axes=2,
            Du=2e-5,
            Dv=1e-5,
            F=0.04,
            k=0.057,
        ),
        (2, 1, 1),
        (2, 1, 1),
    ),
    "complex Ginzburg–Landau": Typed(
        of(
            {"psi": "complex"}, f"dt(psi) = psi + (1 + b*i)*lap(psi) - (1 + c*i)*{PSI}", axes=2, b=2.0, c=-1.2
        ),
        (2, 2, 2),
        (2, 2, 2),
    ),
    "NLS": Typed(of({"psi": "complex"}, f"dt(psi) = i*(lap(psi)/2 + {PSI})", axes=1), (2, 2, 2), (2, 2, 2)),
    "QG, two layers": Typed(
        of(
            {"p": "scalar", "q": "scalar"},
            f"dt(p) = -{jacobian('p', '(lap(p) + f*(q - p))')}",
            f"dt(q) = -{jacobian('q', '(lap(q) + f*(p - q))')}",
            axes=2,
            f=5.0,
        ),
        (4, 5, 2),
        (4, 5, 2),
    ),
    "SQG": Typed(of(SCALAR, f"dt(u) = -{jacobian('abs_k(u, -1)', 'u')}", axes=2), (3, 2, 1), (3, 2, 1)),
    "Leray-α": Typed(of(FLOW, "dt(u) = -advect(helmholtz(u, a), u)", a=0.2), (6, 8, 5), (6, 8, 5)),
    "LANS-α": Typed(of(FLOW, "dt(u) = cross(helmholtz(u, a), curl(u))", a=0.2), (6, 3, 3), (6, 3, 3)),
    "Toner–Tu, 2-D": Typed(
        of(
            PLANE,
            "dt(u) = -l*advect(u, u) - a*u - b*dot(u, u)*u + g*lap(u) - h*lap(lap(u))",
            axes=2,
            l=3.5,
            a=-1.0,
            b=0.5,
            g=-0.045,
            h=0.001125,
        ),
        (2, 4, 2),
        (3, 2, 2),
    ),
    "active nematic, 2-D": Typed(
        of(
            PLANE | {"q": "scalar", "r": "scalar"},
            f"{CONVECTIVE} + vector(dx(q) + dy(r), dx(r) - dy(q), 0)",
            "dt(q) = -advect(u, q) + (dx(u.y) - dy(u.x))*r - 3*(q*q + r*r)*q",
            "dt(r) = -advect(u, r) - (dx(u.y) - dy(u.x))*q - 3*(q*q + r*r)*r",
            axes=2,
            nu=0.1,
        ),
        (5, 8, 3),
        (5, 8, 3),
        6,
    ),
    "Oldroyd-B, 2-D": Typed(oldroyd(2), (7, 11, 4), (7, 11, 4), 7),
    "Oldroyd-B, 3-D": Typed(oldroyd(3), (12, 29, 16), (12, 29, 16), 22, slow=True),
    "Burgers, 3-D": Typed(
        of({"u": "vector"}, "dt(u) = -advect(u, u) + nu*lap(u)", nu=0.05), (12, 3, 3), (6, 4, 4)
    ),
    "passive scalar": Typed(
        of({"u": "velocity", "s": "scalar"}, "dt(u) = 0", "dt(s) = -dot(u, grad(s))"), (4, 3, 2), (4, 3, 2)
    ),
}
ALL = BUILT_IN | OTHERS
