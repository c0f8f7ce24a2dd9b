"""Warnings of poor resolution during a run, from the spectra and sums of its rows.

A rule is a class of RULES: it is made from a case, says whether it `applies`, and finds poor resolution in
a sample. Only the rule of the temperature needs more than the rows. Thresholds and their reasons are in
docs/guide.md, "Resolution".
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from whorl.config.case import Case
from whorl.config.sizes import next_good_size
from whorl.expressions.answers import answer
from whorl.expressions.questions import Questions
from whorl.output.sample import StateSample

WORSE = 1.5  # a warning is given again when its badness has grown by this factor
LEAST_KMAX_ETA = 0.9
# The rule of spectra compares the last tenth of the complete shells with the tenth before.
FEWEST_SHELLS, SHARE_OF_SHELLS, LARGEST_END = 10, 10, 0.1
BEYOND_PLATES, STEPS_BETWEEN = 0.02, 10
# The coefficients of the diffusion that acts on the spectra of the models.
DIFFUSED_BY = {
    "energy": "viscosity",
    "magnetic_energy": "resistivity",
    "potential_energy": "diffusivity",
    "thermal_variance": "diffusivity",
}


@dataclass(frozen=True)
class Finding:
    """Poor resolution of a quantity: `badness` is at least 1, and larger for worse resolution."""

    of: str
    badness: float
    told: str


class Rule(Protocol):
    """The interface of a rule; `find` is collective, and called only if the rule applies."""

    applies: bool

    def find(self, sample: StateSample) -> Iterator[Finding]: ...


class SmallestEddies:
    """A small k_max η in a flow that is not plane and has no hyperviscosity.

    The rule also applies to `navier-stokes-2d`, the only plane flow in which viscosity ends the cascade at η.
    """

    def __init__(self, case: Case):
        flow, self.points = case.flow, case.grid.points
        known = any(column.name == "kmax_eta" for column in flow.columns)
        scale = flow.must_be_flat or min(self.points) > 1
        self.applies = known and scale and _diffuses(case, "energy")

    def find(self, sample: StateSample) -> Iterator[Finding]:
        numbers = sample.case.flow.derived(sample.statistics, sample.flow.kmax)
        kmax_eta = numbers["kmax_eta"]
        if not 0 < kmax_eta <= LEAST_KMAX_ETA:
            return
        enough = [n if n == 1 else next_good_size(math.ceil(n / kmax_eta)) for n in self.points]
        yield Finding(
            "kmax_eta",
            LEAST_KMAX_ETA / kmax_eta,
            f"k_max η is {kmax_eta:.3g} {_at(sample)} less than {LEAST_KMAX_ETA:g}: the smallest eddies are "
            f"cut off; for k_max η = 1 use {' × '.join(map(str, enough))} points, or a larger viscosity.",
        )


class EndsOfSpectra:
    """Dissipation spectra that rise at the cut-off: k² E(k), or k⁴ E(k) of the energy of a plane flow."""

    def __init__(self, case: Case):
        self.powers = {
            name: 4 if name == "energy" and min(case.grid.points) == 1 else 2
            for name in (*DIFFUSED_BY, *(f"{scalar.name}_variance" for scalar in case.scalars))
            if _diffuses(case, name)
        }
        self.applies = bool(self.powers)

    def find(self, sample: StateSample) -> Iterator[Finding]:
        spectra = sample.spectra_known
        for name, power in self.powers.items() if spectra else ():
            last, before, largest = _ends(spectra["k"], spectra[name], power, sample.flow.kmax)
            if last > before and last >= LARGEST_END * largest:
                yield Finding(
                    name,
                    last / (LARGEST_END * largest),
                    f"k{'⁴' if power == 4 else '²'} times the spectrum of {name} rises at the cut-off "
                    f"{_at(sample)} to {last / largest:.2g} of its largest value: what diffusion should take "
                    f"piles up there; use more points, or a larger {DIFFUSED_BY.get(name, 'diffusivity')}.",
                )


class TemperatureBetweenPlates:
    """A temperature beyond those of the plates, which no solution reaches that begins between them.

    If a run or a restart begins beyond them, its first extremes are the limits. The rule reads the
    temperature at the points, at most every STEPS_BETWEEN steps.
    """

    def __init__(self, case: Case):
        flow, forced = case.flow, any(force.field == "temperature" for force in case.forcing)
        self.applies = flow.model == "rayleigh-benard" and "S" in case.grid.bases and not forced
        # T = θ + 1 − z
        texts = ["1 + min(temperature - z)", "1 + max(temperature - z)"]
        self.extremes = case.planned.means(*texts) if self.applies else None
        self.limits, self._read = (0.0, 1.0), -math.inf

    def find(self, sample: StateSample) -> Iterator[Finding]:
        if sample.clock.step < self._read + STEPS_BETWEEN:
            return
        low, high = map(float, answer(self.extremes, sample.flow, sample.clock.time).numbers)
        begins, self._read = self._read < 0, sample.clock.step
        if begins:
            self.limits = min(0.0, low), max(1.0, high)
        beyond = max(self.limits[0] - low, high - self.limits[1])
        if beyond >= BEYOND_PLATES:
            yield Finding(
                "temperature",
                beyond / BEYOND_PLATES,
                f"the temperature is {low:.3g} to {high:.3g} {_at(sample)} beyond {self.limits[0]:.3g} and "
                f"{self.limits[1]:.3g}, which it cannot leave, by {beyond:.2g} of the difference between the "
                "plates: plumes and boundary layers are not resolved; use more points.",
            )


RULES: tuple[Callable[[Case], Rule], ...] = (SmallestEddies, EndsOfSpectra, TemperatureBetweenPlates)


class Resolution:
    """The findings of the rules in a run, each once, and again when it is worse by the factor WORSE."""

    def __init__(self, case: Case):
        self.rules = [rule for rule in (kind(case) for kind in RULES) if rule.applies]
        self._told: dict[str, float] = {}
        self._new: list[str] = []

    def judge(self, sample: StateSample) -> None:
        """Apply the rules to a sample whose rows are written. Collective."""
        for rule in self.rules:
            for found in rule.find(sample):
                if found.badness >= WORSE * self._told.get(found.of, 1 / WORSE):
                    self._told[found.of] = found.badness
                    self._new.append(found.told)

    def news(self) -> list[str]:
        """The warnings since the last call, a sentence each."""
        news, self._new = self._new, []
        return news


def resolution_questions(case: Case) -> list[Questions]:
    """The questions of the rules at the points, in a run of this case."""
    rule = TemperatureBetweenPlates(case)
    return [rule.extremes] if rule.applies else []


def _diffuses(case: Case, spectrum: str) -> bool:
    """Whether plain diffusion ends this spectrum; False for flows with hyperviscosity."""
    flow = case.flow
    if not flow.viscous or getattr(flow, "hyperviscosity", 0.0) > 0:
        return False
    viscosity = flow.viscosity_of_schmidt()
    scalars = {f"{scalar.name}_variance": scalar.of_core(viscosity)[1][0] for scalar in case.scalars}
    if spectrum in scalars:
        return scalars[spectrum] > 0
    there = any(column.name == spectrum for column in flow.spectra)
    return there and flow.constants()[DIFFUSED_BY[spectrum]] > 0


def _ends(k: np.ndarray, spectrum: np.ndarray, power: int, kmax: float) -> tuple[float, float, float]:
    """Means of k^power E(k) over the last complete shells and those before, and its largest value.

    Returns zeros for fewer than FEWEST_SHELLS shells.
    """
    complete = k + (k[1] - k[0]) / 2 <= kmax
    values = (k**power * spectrum)[complete]
    if len(values) < FEWEST_SHELLS:
        return 0.0, 0.0, 0.0
    width = max(2, len(values) // SHARE_OF_SHELLS)
    return values[-width:].mean(), values[-2 * width : -width].mean(), values.max()


def _at(sample: StateSample) -> str:
    return f"at t = {sample.clock.time:.6g}, step {sample.clock.step},"
