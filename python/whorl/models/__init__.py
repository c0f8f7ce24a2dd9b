"""The equation sets, one file each: a line here registers one."""

from typing import TYPE_CHECKING

from whorl.config.section import one_of, tag_of
from whorl.models.base import Model
from whorl.models.boussinesq import Boussinesq
from whorl.models.ginzburg_landau import GinzburgLandau
from whorl.models.gross_pitaevskii import GrossPitaevskii
from whorl.models.mhd import Mhd
from whorl.models.navier_stokes import NavierStokes
from whorl.models.navier_stokes_2d import NavierStokes2D
from whorl.models.quasi_static_mhd import QuasiStaticMhd
from whorl.models.rayleigh_benard import RayleighBenard

MODELS: dict[str, type[Model]] = {
    tag_of(model): model
    for model in (
        NavierStokes,
        NavierStokes2D,
        Boussinesq,
        RayleighBenard,
        Mhd,
        QuasiStaticMhd,
        GrossPitaevskii,
        GinzburgLandau,
    )
}
DEFAULT = "navier-stokes"

if TYPE_CHECKING:
    Flow = Model
else:
    Flow = one_of(MODELS.values(), "model")
