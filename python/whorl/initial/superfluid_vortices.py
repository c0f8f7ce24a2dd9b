"""The wavefunction with the vortices of the Taylor–Green flow."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.initial.options import TaylorGreen

Wavefunction = Callable[[np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def taylor_green_wavefunction(case: Case, factor: float) -> Wavefunction:
    """ψ(x, y, z) with the vortices of the Taylor–Green flow (Nore, Abid and Brachet, Phys. Fluids 9, 2644).

    ψ = √ρ0 [ψ4(λ, μ)]^n with the potentials λ = cos ax √(2|cos cz|), μ = cos ay √(2|cos cz|) sgn cos cz.
    ψ4 is the product of four vortices at (±1/√2, 0) and (0, ±1/√2), √2 ξ a wide. A cell has the circulation
    8 A/a, which is γ = 2√2 A/(π c ξ a) quanta of 4π c ξ/√2. Each vortex has n = [γ/4] of them. A is the
    amplitude of a Taylor–Green [initial.velocity], else 1; a negative A reverses the vortices.
    Raises CaseError.
    """
    flow: Any = case.flow
    lx, ly, lz = case.grid.lengths
    if lx != ly:
        raise CaseError(
            f"initial.name = taylor-green makes ψ of square cells only and grid.lengths along x and y are "
            f"{lx:g} and {ly:g}; give them one length."
        )
    a, c = 2 * math.pi / lx, 2 * math.pi / lz
    velocity = case.initial.others.get("velocity")
    A = velocity.amplitude if isinstance(velocity, TaylorGreen) else 1.0
    quanta = _quanta(flow.sound_speed * flow.coherence_length, A, a)
    core, shift = math.sqrt(2) * flow.coherence_length * a, 1 / math.sqrt(2)

    def vortex(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        r = np.hypot(x, y)
        return (x + 1j * y) * np.where(r > 0, np.tanh(r / core) / np.where(r > 0, r, 1.0), 1 / core)

    def wavefunction(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        along_z = np.cos(c * z)
        root = np.sqrt(2 * np.abs(along_z))
        p, q = np.cos(a * x) * root, np.cos(a * y) * root * np.sign(along_z)
        four = vortex(p - shift, q) * vortex(p, q - shift) * vortex(p + shift, q) * vortex(p, q + shift)
        psi = factor * math.sqrt(flow.density) * four**quanta
        return psi.real, math.copysign(1.0, A) * psi.imag

    return wavefunction


def _quanta(product: float, amplitude: float, wavenumber: float) -> int:
    """Quanta of circulation of each of the four vortices of a cell; `product` is c ξ."""
    most = abs(amplitude) / (math.sqrt(2) * math.pi * wavenumber)
    if product > most:
        raise CaseError(
            f"initial.name = taylor-green, of amplitude {amplitude:g}, has less than a quantum of "
            f"circulation in this box for flow.sound_speed × flow.coherence_length = {product:.3g}; the "
            f"product must be at most {most:.4f}."
        )
    return math.floor(most / product)
