"""How each kind of diagnostic is drawn, a file for each: a line here registers one.

A drawing gets a figure and the dataset of a diagnostic, over its axes: of one state, or means with errors
(`whorl.results.pooled`). A kind without a drawing of its own is drawn by `plain`.

Its modules, each of which reaches only those before it:
base, binned, conditional, joint_pdf, line, moments, pdf, plain, slice, profile, ready, spectrum, transfer,
shell_to_shell, ring_to_ring, triads, correlation, vortices, structure_functions, upright, convection,
stratification.
"""

from collections.abc import Callable

import xarray as xr
from matplotlib.figure import Figure

from whorl.config.diagnostics import KINDS
from whorl.config.diagnostics.ready import ReadySet
from whorl.results.diagnostic_plots.conditional import draw_conditional
from whorl.results.diagnostic_plots.convection import draw_convection
from whorl.results.diagnostic_plots.correlation import draw_correlation
from whorl.results.diagnostic_plots.joint_pdf import draw_joint_pdf
from whorl.results.diagnostic_plots.line import draw_line
from whorl.results.diagnostic_plots.moments import draw_moments
from whorl.results.diagnostic_plots.pdf import draw_pdf
from whorl.results.diagnostic_plots.plain import draw_plain
from whorl.results.diagnostic_plots.profile import draw_profile
from whorl.results.diagnostic_plots.ready import draw_ready_set
from whorl.results.diagnostic_plots.ring_to_ring import draw_ring_to_ring
from whorl.results.diagnostic_plots.shell_to_shell import draw_shell_to_shell
from whorl.results.diagnostic_plots.slice import draw_slice_of
from whorl.results.diagnostic_plots.spectrum import draw_spectrum
from whorl.results.diagnostic_plots.stratification import draw_stratification
from whorl.results.diagnostic_plots.structure_functions import draw_structure_functions
from whorl.results.diagnostic_plots.transfer import draw_transfer
from whorl.results.diagnostic_plots.triads import draw_triads
from whorl.results.diagnostic_plots.vortices import draw_vortices

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
