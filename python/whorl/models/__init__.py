"""The equation sets, one file each: a line here registers one."""

from functools import reduce
from operator import or_
from typing import Annotated

from pydantic import Field

from whorl.config.section import tag_of
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

Flow = Annotated[reduce(or_, MODELS.values()), Field(discriminator="model")]
