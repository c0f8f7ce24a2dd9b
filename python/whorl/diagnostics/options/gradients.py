"""The ready set of the velocity gradient."""

from typing import TYPE_CHECKING, Literal

from whorl.config.section import option
from whorl.diagnostics.options.ready import (
    Group,
    Number,
    ReadySet,
    SetContents,
    moving_axes,
    require_velocity,
    sum_of,
)

if TYPE_CHECKING:
    from whorl.config.case import Case

STRAIN, OMEGA = "strain(velocity)", "curl(velocity)"
SQUARE = f"mean(sum({STRAIN}**2))"
# Betchov, J. Fluid Mech. 1, 497 (1956): all are 1 or 0 in homogeneous incompressible flow.
OF_SPACE = (
    Number(
        "mean_R", f"mean(-det(grad(velocity)))/{SQUARE}**1.5", "⟨R⟩/⟨s_ij s_ij⟩^{3/2}; 0 where homogeneous"
    ),
    Number(
        "betchov",
        f"mean(trace({STRAIN} @ {STRAIN} @ {STRAIN}))/(-3/4*mean(dot({OMEGA}, {STRAIN} @ {OMEGA})))",
        "⟨s_ij s_jk s_ki⟩/(−¾⟨ω_i s_ij ω_j⟩); 1 where homogeneous",
    ),
)


class Gradients(ReadySet):
    """Moments and densities of the velocity gradients, skewness, isotropy and Betchov's relations."""

    kind: Literal["gradients"] = option(..., "kind of diagnostic")
    reference = "Betchov, J. Fluid Mech. 1, 497 (1956)"

    def contents(self, case: "Case") -> SetContents:
        require_velocity(case)
        axes = moving_axes(case)
        along = [f"d{a}(velocity.{a})" for a in axes]
        across = [f"d{b}(velocity.{a})" for a in axes for b in axes if a != b]
        others = [f"d{b}(velocity.{a})" for a in "xyz" if a not in axes for b in axes]
        names = {text.replace("velocity", "u"): text for text in (*along, *across, *others)}
        d = len(axes)  # slopes across are (d + 1)/(d − 1) times as large in isotropic flow
        return SetContents(
            (Group(names),),
            (
                Number("skewness", _standardised(along, 3), "⟨(∂u/∂x)³⟩/⟨(∂u/∂x)²⟩^{3/2}, over the axes"),
                Number("flatness", _standardised(along, 4), "⟨(∂u/∂x)⁴⟩/⟨(∂u/∂x)²⟩², over the axes"),
                Number("transverse_flatness", _standardised(across, 4), "the same of ∂u/∂y and its like"),
                Number(
                    "isotropy",
                    f"{d - 1}/{d + 1}*{_mean_of(across, 2)}/{_mean_of(along, 2)}",
                    "⟨(∂u/∂y)²⟩/(2⟨(∂u/∂x)²⟩), in a plane /(3…), over the axes; 1 if isotropic",
                ),
                Number(
                    "mean_Q",
                    f"mean(-trace(grad(velocity) @ grad(velocity))/2)/{SQUARE}",
                    "⟨Q⟩/⟨s_ij s_ij⟩; 0 where homogeneous",
                ),
                Number(
                    "enstrophy_ratio",
                    f"mean(dot({OMEGA}, {OMEGA}))/(2*{SQUARE})",
                    "ν⟨ω²⟩/(2ν⟨s_ij s_ij⟩); 1 where homogeneous",
                ),
                *(OF_SPACE if len(axes) == 3 else ()),
            ),
        )


def _mean_of(texts: list[str], power: int) -> str:
    """The mean over some quantities of a power of them."""
    return f"({sum_of([f'mean({text}**{power})' for text in texts])}/{len(texts)})"


def _standardised(texts: list[str], power: int) -> str:
    return f"{_mean_of(texts, power)}/{_mean_of(texts, 2)}**{power / 2}"
