"""The equation sets, one file each: a line here registers one."""

from functools import reduce
from operator import or_
from typing import Annotated

from pydantic import Field

from whorl.config.models.base import Model
from whorl.config.models.boussinesq import Boussinesq
from whorl.config.models.ginzburg_landau import GinzburgLandau
from whorl.config.models.gross_pitaevskii import GrossPitaevskii
from whorl.config.models.mhd import Mhd
from whorl.config.models.navier_stokes import NavierStokes
from whorl.config.models.navier_stokes_2d import NavierStokes2D
from whorl.config.models.quasi_static_mhd import QuasiStaticMhd
from whorl.config.models.rayleigh_benard import RayleighBenard
from whorl.config.section import tag_of

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
