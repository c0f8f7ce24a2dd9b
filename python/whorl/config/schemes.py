"""Time schemes: their tables, default Courant numbers and limits of stability.

A stage evaluates the tendency f at register 0 and replaces the registers r_i:

    r_i ← exp(−rate·advance·dt) (Σ_j m_ij r_j + v_i dt f),

which is the scheme applied to exp(rate·t) a, carried back: the linear decay is exact (integrating factor).
After the last stage register 0 is the new state. A stage of exponential time differencing integrates f along
with the decay (Cox and Matthews, J. Comput. Phys. 176, 430 (2002)): with z_i = rate·reach_i·dt and
φ_1(c) = (exp(c) − 1)/c, φ_p+1(c) = (φ_p(c) − 1/p!)/c,

    r_i ← exp(−z_i) Σ_j (m_ij − plain_ij) r_j + Σ_j plain_ij r_j + dt f Σ_p phi_ip φ_p(−z_i),

which without decay is the stage of m and v. A steady state of constant forcing is exact at any step, where an
integrating factor errs by the order of (rate·dt)^order.

A scheme is stable without any loss if ω dt stays below a limit, where ω is the frequency of an advected mode
or of a wave. References are Hairer and Wanner, Solving Ordinary Differential Equations II, section IV.2, and
for Adams–Bashforth Durran, Mon. Weather Rev. 119, 702 (1991). Advected modes have ω dt ≤ π C κ, with the
Courant number C and the ratio κ of the largest kept wavenumber to that of the grid, π/dx. rk2 and ab2 have no
such limit: every mode grows, by (ω dt)⁴/8 and (ω dt)⁴/4 a step where ω dt is small, and viscosity must
outweigh the growth.
"""

import math
from dataclasses import dataclass, replace
from typing import Literal

from whorl.config.dealiasing import LARGEST_KEPT


@dataclass(frozen=True)
class Stage:
    """The matrix m, the vector v, and the advance in time over the stage before, in time steps.

    Exponential time differencing has three more. `plain` is the part of m that does not decay, and `phi` has
    the weights of φ_1, φ_2, φ_3. `reach` is the time over which each register decays, in steps.
    """

    m: tuple[tuple[float, ...], ...]
    v: tuple[float, ...]
    advance: float
    plain: tuple[tuple[float, ...], ...] = ()
    phi: tuple[tuple[float, float, float], ...] = ()
    reach: tuple[float, ...] = ()


@dataclass(frozen=True)
class Scheme:
    """A scheme: its order, stages, reference, limit of stability and default Courant number.

    `frequency` is the largest stable ω dt without any loss; None if every mode grows, by `growth` (ω dt)⁴ a
    step where that is small, and twofold at ω dt = `doubling`. `courant` is stable without viscosity for
    every dealiasing; if modes grow, it is small enough for viscosity to outweigh the growth. A multistep
    scheme has the stages of its first step and remembers `earlier` steps. `estimate` is the order of an
    embedded scheme, by which the error of a step is estimated in a third register; 0 without one.
    """

    order: int
    stages: tuple[Stage, ...]
    reference: str
    courant: float
    frequency: float | None = None
    growth: float = 0.0
    doubling: float = math.inf
    earlier: int = 0
    estimate: int = 0

    @property
    def right_hand_sides(self) -> int:
        """The number of right-hand sides in a step."""
        return 1 if self.earlier else len(self.stages)

    @property
    def exponential(self) -> bool:
        """Whether it is one of exponential time differencing, not of an integrating factor."""
        return any(stage.phi for stage in self.stages)

    def stages_with_error(self) -> tuple[Stage, ...]:
        """The stages with a third register, whose result is that less the one of the embedded scheme.

        The embedded scheme has the first two stages, with the weights 1 − 1/(2c) and 1/(2c) of their
        tendencies, c the time of the second, and order 2; that of a scheme of two stages is Euler's.
        """
        share = 1 / (2 * self.stages[0].advance) if self.estimate == 2 else 0.0
        embedded = [1 - share, share, *(0.0 for _ in self.stages[2:])]
        differences = [own - other for own, other in zip(_weights(self.stages), embedded, strict=True)]
        return tuple(
            replace(
                stage,
                m=(*((*row, 0) for row in stage.m), (0, 0, 1 if number else 0)),
                v=(*stage.v, difference),
            )
            for number, (stage, difference) in enumerate(zip(self.stages, differences, strict=True))
        )


def _weights(stages: tuple[Stage, ...]) -> list[float]:
    """The weight of the tendency of each stage in the result of a scheme of two registers."""
    weights = []
    for only in range(len(stages)):
        r: tuple[float, ...] = (0.0, 0.0)
        for number, stage in enumerate(stages):
            f = 1.0 if number == only else 0.0
            r = tuple(
                r[i] if not (any(row) or v) else row[0] * r[0] + row[1] * r[1] + v * f
                for i, (row, v) in enumerate(zip(stage.m, stage.v, strict=True))
            )
        weights.append(r[0])
    return weights


def two_registers(A: tuple[float, ...], B: tuple[float, ...], c: tuple[float, ...]) -> tuple[Stage, ...]:
    """Stages of low storage: du ← A du + dt f, u ← u + B du, at the times c of the step."""
    ends = (*c[1:], 1.0)
    *before, (a, b, begin, end) = zip(A, B, c, ends, strict=True)
    return (
        *(Stage(((1, a * b), (0, a)), (b, 1.0), end - begin) for a, b, begin, end in before),
        Stage(((1, a * b), (0, 0)), (b, 0.0), end - begin),
    )


def _gill() -> tuple[Stage, ...]:
    """Y ← y + a (k − b q), q ← q + 3 a (k − b q) − c k with k = dt f, and q = 0 at the start of a step."""
    root = math.sqrt(0.5)
    a, b, c = (0.5, 1 - root, 1 + root, 1 / 6), (0.0, 1.0, 1.0, 2.0), (0.5, 1 - root, 1 + root, 0.5)
    advance = (0.5, 0.0, 0.5, 0.0)
    return (
        Stage(((1, -a[0] * b[0]), (0, 0)), (a[0], 3 * a[0] - c[0]), advance[0]),
        *(
            Stage(((1, -a[s] * b[s]), (0, 1 - 3 * a[s] * b[s])), (a[s], 3 * a[s] - c[s]), advance[s])
            for s in (1, 2)
        ),
        Stage(((1, -a[3] * b[3]), (0, 0)), (a[3], 0.0), advance[3]),
    )


def _etdrk4() -> tuple[Stage, ...]:
    """The stages of Cox and Matthews, with E and φ = φ_1 over half a step, and f_1, f_2, f_3 over the whole.

    a = Eu + ½φF(u), b = Eu + ½φF(a), c = Ea + ½φ(2F(b) − F(u)),
    u ← E²u + f_1 F(u) + f_2 (F(a) + F(b)) + f_3 F(c).

    Register 1 holds u, and then Ea − ½φF(u) = E(a + u) − a; register 2 accumulates the result.
    """
    half, whole, none = (0.5, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    f1, f2, f3 = (1.0, -3.0, 4.0), (0.0, 2.0, -4.0), (0.0, -1.0, 4.0)
    zero, u, result = (0, 0, 0), (1, 0, 0), (0, 0, 1)
    return (
        Stage((u, u, u), (1 / 2, 0.0, 1 / 6), 0.5, (zero, u, zero), (half, none, f1), (0.5, 0.0, 1.0)),
        Stage(
            ((0, 1, 0), (0, 1, 0), result),
            (1 / 2, 0.0, 1 / 3),
            0.0,
            (zero, (-1, 0, 0), result),
            (half, none, f2),
            (0.5, 0.5, 1.0),
        ),
        Stage(
            ((0, 1, 0), zero, result),
            (1.0, 0.0, 1 / 3),
            0.5,
            ((0, 1, 0), zero, result),
            (whole, none, f2),
            (0.5, 0.0, 1.0),
        ),
        Stage(
            (result, zero, zero), (1 / 6, 0.0, 0.0), 0.0, (result, zero, zero), (f3, none, none), (1.0, 0, 0)
        ),
    )


# Heun's predictor and corrector; register 1 holds the half-finished result.
PREDICTOR = Stage(((1, 0), (1, 0)), (1.0, 0.5), 1.0)
CORRECTOR = Stage(((0, 1), (0, 0)), (0.5, 0.0), 0.0)
# Heun's scheme by exponential time differencing: Eu + φ_1 F(u), then φ_2 (F(a) − F(u)) is added.
DIFFERENCED = (
    replace(PREDICTOR, plain=((0, 0), (0, 0)), phi=((1, 0, 0), (1, -1, 0)), reach=(1.0, 1.0)),
    replace(CORRECTOR, plain=((0, 1), (0, 0)), phi=((0, 1, 0), (0, 0, 0)), reach=(1.0, 0.0)),
)
COX_AND_MATTHEWS = "Cox and Matthews, J. Comput. Phys. 176, 430 (2002)"
# The first Adams–Bashforth step is Heun's, which leaves f at its start: twice the predicted minus the
# half-finished result is exp(−rate·dt) dt f. Afterwards the core's History makes the one stage.
FIRST_STEP = (PREDICTOR, Stage(((0, 1), (2, -2)), (0.5, 0.0), 0.0))
BASHFORTH = "Bashforth and Adams, Theory of Capillary Action (1883)"

SCHEMES: dict[str, Scheme] = {
    # A step multiplies by 1 + iz − z²/2 with z = ω dt, of size (1 + z⁴/4)^½.
    "rk2": Scheme(
        2,
        (PREDICTOR, CORRECTOR),
        "Heun; Rogallo, NASA TM 81315 (1981)",
        courant=0.5,
        growth=1 / 8,
        doubling=12**0.25,
        estimate=1,
    ),
    "rk3": Scheme(
        3,
        two_registers((0.0, -5 / 9, -153 / 128), (1 / 3, 15 / 16, 8 / 15), (0.0, 1 / 3, 3 / 4)),
        "Williamson, J. Comput. Phys. 35, 48 (1980), case 7",
        courant=0.5,
        frequency=math.sqrt(3.0),
        estimate=2,
    ),
    # Register 1 keeps the state at the start of the step, register 2 accumulates the result.
    "rk4": Scheme(
        4,
        (
            Stage(((1, 0, 0), (1, 0, 0), (1, 0, 0)), (1 / 2, 0.0, 1 / 6), 1 / 2),
            Stage(((0, 1, 0), (0, 0, 0), (0, 0, 1)), (1 / 2, 0.0, 1 / 3), 0.0),
            Stage(((0, 1, 0), (0, 0, 0), (0, 0, 1)), (1.0, 0.0, 1 / 3), 1 / 2),
            Stage(((0, 0, 1), (0, 0, 0), (0, 0, 0)), (1 / 6, 0.0, 0.0), 0.0),
        ),
        "Kutta, Z. Math. Phys. 46, 435 (1901)",
        courant=0.9,
        frequency=math.sqrt(8.0),
    ),
    "rk4-gill": Scheme(
        4,
        _gill(),
        "Gill, Proc. Camb. Phil. Soc. 47, 96 (1951)",
        courant=0.9,
        frequency=math.sqrt(8.0),
        estimate=2,
    ),
    # Five stages, stable up to 3.34 on the imaginary axis; four stages are stable up to 2.83.
    "rk4-carpenter": Scheme(
        4,
        two_registers(
            (
                0.0,
                -567301805773 / 1357537059087,
                -2404267990393 / 2016746695238,
                -3550918686646 / 2091501179385,
                -1275806237668 / 842570457699,
            ),
            (
                1432997174477 / 9575080441755,
                5161836677717 / 13612068292357,
                1720146321549 / 2090206949498,
                3134564353537 / 4481467310338,
                2277821191437 / 14882151754819,
            ),
            (
                0.0,
                1432997174477 / 9575080441755,
                2526269341429 / 6820363962896,
                2006345519317 / 3224310063776,
                2802321613138 / 2924317926251,
            ),
        ),
        "Carpenter and Kennedy, NASA TM 109112 (1994), solution 3",
        courant=1.0,
        frequency=3.34,
        estimate=2,
    ),
    # Without decay they are rk2 and rk4.
    "etdrk2": Scheme(2, DIFFERENCED, COX_AND_MATTHEWS, courant=0.5, growth=1 / 8, doubling=12**0.25),
    "etdrk4": Scheme(4, _etdrk4(), COX_AND_MATTHEWS, courant=0.9, frequency=math.sqrt(8.0)),
    # A step multiplies by the larger root of G² − (1 + 3iz/2) G + iz/2.
    "ab2": Scheme(2, FIRST_STEP, BASHFORTH, courant=0.2, growth=1 / 4, doubling=1.328067, earlier=1),
    "ab3": Scheme(3, FIRST_STEP, BASHFORTH, courant=0.2, frequency=0.7236, earlier=2),
}
SchemeName = Literal[*SCHEMES]  # type: ignore[valid-type]
DEFAULT: SchemeName = "rk4-gill"


def largest_courant(scheme: str, dealias: str) -> float:
    """The largest Courant number at which the scheme is stable without viscosity.

    If the scheme is never stable, it is the Courant number at which the shortest waves double in a step,
    where the speed is largest. In a flow that the grid resolves, no viscosity outweighs such growth.
    """
    of = SCHEMES[scheme]
    frequency = of.frequency or of.doubling
    return frequency / (math.pi * LARGEST_KEPT[dealias])
