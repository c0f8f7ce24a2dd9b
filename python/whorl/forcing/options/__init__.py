"""The forces of [[forcing]], a file for each family: a line here registers one."""

from typing import TYPE_CHECKING

from whorl.config.section import one_of, tag_of
from whorl.forcing.options.alvelius import Alvelius
from whorl.forcing.options.base import CoreSource, Forcing, units_of
from whorl.forcing.options.design import DesignGrid, Expected, Target, expected
from whorl.forcing.options.proportional import ConstantEnergy, ConstantPower, Linear
from whorl.forcing.options.steady import FormulaInTime, Script, Steady
from whorl.forcing.options.stochastic import Lindborg, Noise, Stochastic, expectation, undesigned

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

if TYPE_CHECKING:
    AnyForcing = Forcing
else:
    AnyForcing = one_of(KINDS.values(), "kind")

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
