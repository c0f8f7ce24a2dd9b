"""The diagnostics of [[diagnostics]], a file for each kind: a line here registers one."""

from typing import TYPE_CHECKING

from whorl.config.section import one_of, tag_of
from whorl.diagnostics.options.base import Array, ArrayLayout, Axis, Diagnostic
from whorl.diagnostics.options.condensate import Condensate
from whorl.diagnostics.options.conditional import Conditional
from whorl.diagnostics.options.convection import Convection
from whorl.diagnostics.options.correlation import Correlation
from whorl.diagnostics.options.current import Current
from whorl.diagnostics.options.dissipation import Dissipation
from whorl.diagnostics.options.gradients import Gradients
from whorl.diagnostics.options.joint_pdf import JointPdf
from whorl.diagnostics.options.line import Line
from whorl.diagnostics.options.moments import Moments
from whorl.diagnostics.options.pdf import Pdf
from whorl.diagnostics.options.pressure import Pressure
from whorl.diagnostics.options.profile import Profile
from whorl.diagnostics.options.ring_to_ring import RingToRing
from whorl.diagnostics.options.scalar_set import Scalars
from whorl.diagnostics.options.shell_to_shell import ShellToShell
from whorl.diagnostics.options.slice import Slice
from whorl.diagnostics.options.spectrum import Spectrum
from whorl.diagnostics.options.stratification import Stratification
from whorl.diagnostics.options.structure_functions import StructureFunctions
from whorl.diagnostics.options.transfer import Transfer
from whorl.diagnostics.options.triads import Triads
from whorl.diagnostics.options.vortices import Vortices

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

if TYPE_CHECKING:
    AnyDiagnostic = Diagnostic
else:
    AnyDiagnostic = one_of(KINDS.values(), "kind")

__all__ = ["KINDS", "AnyDiagnostic", "Array", "ArrayLayout", "Axis", "Diagnostic"]
