"""The equation sets, one file each: a line here registers one."""

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from whorl.config.section import one_of, tag_of
from whorl.models.base import Model
from whorl.models.boussinesq import Boussinesq
from whorl.models.equations import Equations
from whorl.models.ginzburg_landau import GinzburgLandau
from whorl.models.gross_pitaevskii import GrossPitaevskii
from whorl.models.mhd import Mhd
from whorl.models.navier_stokes import NavierStokes
from whorl.models.navier_stokes_2d import NavierStokes2D
from whorl.models.quasi_static_mhd import QuasiStaticMhd
from whorl.models.rayleigh_benard import RayleighBenard
from whorl.models.registered import BUILT_IN

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
        Equations,
    )
}
DEFAULT = "navier-stokes"
BUILT_IN.update(MODELS)

if TYPE_CHECKING:
    Flow = Model
else:
    Flow = one_of(MODELS.values(), "model")


def declared_by(flow: Any) -> type[Model] | Model | None:
    """The class of a model that a section [flow] chooses; of typed equations the section itself.

    Returns None if the section is no table or names no model, and for typed equations that are wrong.
    """
    name = flow.get("model", DEFAULT) if isinstance(flow, Mapping) else None
    model = MODELS.get(name) if isinstance(name, str) else None
    if model is Equations:
        with suppress(ValidationError):
            return Equations(**flow)
        return None
    return model
