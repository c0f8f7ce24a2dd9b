"""Drawings of diagnostics, one file for each kind; a line of DRAWINGS registers one.

A drawing gets a figure and the dataset of a diagnostic: one state, or means with errors
(`whorl.diagnostics.results.means.pooled`). `plain` draws a kind without a drawing of its own.
"""

from collections.abc import Callable

import xarray as xr
from matplotlib.figure import Figure

from whorl.diagnostics.draw.conditional import draw_conditional
from whorl.diagnostics.draw.convection import draw_convection
from whorl.diagnostics.draw.correlation import draw_correlation
from whorl.diagnostics.draw.joint_pdf import draw_joint_pdf
from whorl.diagnostics.draw.line import draw_line
from whorl.diagnostics.draw.moments import draw_moments
from whorl.diagnostics.draw.pdf import draw_pdf
from whorl.diagnostics.draw.plain import draw_plain
from whorl.diagnostics.draw.profile import draw_profile
from whorl.diagnostics.draw.ready import draw_ready_set
from whorl.diagnostics.draw.ring_to_ring import draw_ring_to_ring
from whorl.diagnostics.draw.shell_to_shell import draw_shell_to_shell
from whorl.diagnostics.draw.slice import draw_slice_of
from whorl.diagnostics.draw.spectrum import draw_spectrum
from whorl.diagnostics.draw.stratification import draw_stratification
from whorl.diagnostics.draw.structure_functions import draw_structure_functions
from whorl.diagnostics.draw.transfer import draw_transfer
from whorl.diagnostics.draw.triads import draw_triads
from whorl.diagnostics.draw.vortices import draw_vortices
from whorl.diagnostics.options import KINDS
from whorl.diagnostics.options.ready import ReadySet

SETS = [kind for kind, one in KINDS.items() if issubclass(one, ReadySet)]
DRAWINGS: dict[str, Callable[[Figure, xr.Dataset], None]] = {
    "pdf": draw_pdf,
    "moments": draw_moments,
    "joint-pdf": draw_joint_pdf,
    "conditional": draw_conditional,
    "profile": draw_profile,
    "spectrum": draw_spectrum,
    "transfer": draw_transfer,
    "shell-to-shell": draw_shell_to_shell,
    "ring-to-ring": draw_ring_to_ring,
    "structure-functions": draw_structure_functions,
    "correlation": draw_correlation,
    "vortices": draw_vortices,
    "triads": draw_triads,
    "convection": draw_convection,
    "stratification": draw_stratification,
    "slice": draw_slice_of,
    "line": draw_line,
    **dict.fromkeys(SETS, draw_ready_set),
}

__all__ = ["DRAWINGS", "draw_plain"]
