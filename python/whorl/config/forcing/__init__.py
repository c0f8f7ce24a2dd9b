"""The forces of [[forcing]], a file for each family: a line here registers one."""

from functools import reduce
from operator import or_
from typing import Annotated

from pydantic import Field

from whorl.config.forcing.alvelius import Alvelius
from whorl.config.forcing.base import CoreSource, Forcing, units_of
from whorl.config.forcing.design import DesignGrid, Expected, Target, expected
from whorl.config.forcing.proportional import ConstantEnergy, ConstantPower, Linear
from whorl.config.forcing.steady import FormulaInTime, Script, Steady
from whorl.config.forcing.stochastic import Lindborg, Noise, Stochastic, expectation, undesigned
from whorl.config.section import tag_of

KINDS: dict[str, type[Forcing]] = {
    tag_of(kind): kind
    for kind in (
        Stochastic,
        ConstantPower,
        ConstantEnergy,
        Alvelius,
        Linear,
        Steady,
        Lindborg,
        Noise,
        Script,
    )
}

AnyForcing = Annotated[reduce(or_, KINDS.values()), Field(discriminator="kind")]

__all__ = [
    "KINDS",
    "AnyForcing",
    "CoreSource",
    "DesignGrid",
    "Expected",
    "Forcing",
    "FormulaInTime",
    "Script",
    "Steady",
    "Stochastic",
    "Target",
    "expectation",
    "expected",
    "undesigned",
    "units_of",
]
