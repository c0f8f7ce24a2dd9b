"""The diagnostics of [[diagnostics]], a file for each kind: a line here registers one.

Its modules, each of which reaches only those before it:
base, scales, wave_bins, selected, planes, buoyancy, increments, conditional, convection, joint_pdf, line,
moments, pdf, profile, slice, spectrum, correlation, transfer, shell_to_shell, ring_to_ring, triads,
stratification, structure_functions, ready, gradients, dissipation, pressure, scalar_set, current,
condensate, vortices.
"""

from functools import reduce
from operator import or_
from typing import Annotated

from pydantic import Field

from whorl.config.diagnostics.base import Array, Axis, Diagnostic, Layout
from whorl.config.diagnostics.condensate import Condensate
from whorl.config.diagnostics.conditional import Conditional
from whorl.config.diagnostics.convection import Convection
from whorl.config.diagnostics.correlation import Correlation
from whorl.config.diagnostics.current import Current
from whorl.config.diagnostics.dissipation import Dissipation
from whorl.config.diagnostics.gradients import Gradients
from whorl.config.diagnostics.joint_pdf import JointPdf
from whorl.config.diagnostics.line import Line
from whorl.config.diagnostics.moments import Moments
from whorl.config.diagnostics.pdf import Pdf
from whorl.config.diagnostics.pressure import Pressure
from whorl.config.diagnostics.profile import Profile
from whorl.config.diagnostics.ring_to_ring import RingToRing
from whorl.config.diagnostics.scalar_set import Scalars
from whorl.config.diagnostics.shell_to_shell import ShellToShell
from whorl.config.diagnostics.slice import Slice
from whorl.config.diagnostics.spectrum import Spectrum
from whorl.config.diagnostics.stratification import Stratification
from whorl.config.diagnostics.structure_functions import StructureFunctions
from whorl.config.diagnostics.transfer import Transfer
from whorl.config.diagnostics.triads import Triads
from whorl.config.diagnostics.vortices import Vortices
from whorl.config.section import tag_of

KINDS: dict[str, type[Diagnostic]] = {
    tag_of(kind): kind
    for kind in (
        Pdf,
        Moments,
        JointPdf,
        Conditional,
        Profile,
        Spectrum,
        Correlation,
        Transfer,
        ShellToShell,
        RingToRing,
        Triads,
        StructureFunctions,
        Slice,
        Line,
        Convection,
        Stratification,
        Gradients,
        Dissipation,
        Pressure,
        Scalars,
        Current,
        Condensate,
        Vortices,
    )
}

AnyDiagnostic = Annotated[reduce(or_, KINDS.values()), Field(discriminator="kind")]

__all__ = ["KINDS", "AnyDiagnostic", "Array", "Axis", "Diagnostic", "Layout"]
