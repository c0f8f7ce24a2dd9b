"""Reads the probes of a case, without a round trip."""

from typing import Any

import numpy as np

from whorl import _core
from whorl.config.case import Case
from whorl.expressions.nodes import Node, within
from whorl.expressions.plan import plan_of
from whorl.expressions.points import value_of
from whorl.probes.options import ModeProbe, Probe


class Reading:
    """A probe: the core reads linear forms of a state; quantities follow from many states together, later.

    Raises
    ------
    ExpressionError
        If an expression is not valid, or a probe cannot read it.
    """

    def __init__(self, case: Case, probe: Probe):
        self.probe = probe
        questions, self.reads = case.planned.read(probe)
        self.layout = probe.layout(case, self.reads)
        self.count = probe.number(case)
        self._modes = probe.numbers(case).tolist() if isinstance(probe, ModeProbe) else []
        self.coordinates = probe.coordinates(case)
        self._fields, self._nodes = plan_of(questions).fields, questions.samples
        # Constants, such as the imaginary part of a real number, are not read.
        self.forms = {form: number for number, form in enumerate(questions.sampled)}
        self._core: _core.Probe | None = None
        self._flow: _core.Flow | None = None

    def read(self, flow: _core.Flow) -> np.ndarray:
        """The linear forms of the present state, as the core gives them. Collective."""
        if self._core is None or self._flow is not flow:
            self._core, self._flow = self._prepared(flow), flow
        raw = np.empty(self._core.size)
        self._core.read(raw)
        return raw

    def _prepared(self, flow: _core.Flow) -> _core.Probe:
        inputs = [self._fields.terms(form) for form in self.forms]
        if isinstance(self.probe, ModeProbe):
            return flow.probe_modes(inputs, self._modes)
        return flow.probe_points(inputs, self.probe.places().tolist())  # type: ignore[attr-defined]

    @property
    def width(self) -> int:
        """The number of values that are read at a time."""
        parts = 2 if isinstance(self.probe, ModeProbe) else 1
        return len(self.forms) * self.count * parts

    def is_lost(self, raw: np.ndarray) -> bool:
        """Whether a row is of a state that is not finite."""
        return not np.isfinite(raw).all()

    def arrays(self, raw: np.ndarray, times: np.ndarray) -> list[np.ndarray]:
        """The arrays of the layout, over time; `raw` has the values read, [time][value]."""
        return [self.values(raw, times)]

    def values(self, raw: np.ndarray, times: np.ndarray) -> np.ndarray:
        """The array of the probe, [time][quantity][mode][part] or [time][quantity][point].

        `raw` has the values read, [time][value].
        """
        count = self.count
        if isinstance(self.probe, ModeProbe):
            coefficients = raw.reshape(len(raw), len(self.forms), count, 2)
            amplitudes = np.zeros((len(raw), len(self.reads), count), complex)
            for number, one in enumerate(self.reads):
                for factor, node in zip((1, 1j), one.nodes, strict=False):
                    amplitudes[:, number] += factor * self._amplitude(node, coefficients)
            return np.stack([amplitudes.real, amplitudes.imag], -1)
        forms = raw.reshape(len(raw), len(self.forms), count)
        known = self._at_points(forms, times)
        return np.stack([np.broadcast_to(known[node], forms[:, 0].shape) for node in self._nodes], 1)

    def _amplitude(self, node: Node, coefficients: np.ndarray) -> np.ndarray:
        if node.kind != "linear":
            return np.zeros(1)
        one = coefficients[:, self.forms[node.value]]
        return one[..., 0] + 1j * one[..., 1]

    def _at_points(self, forms: np.ndarray, times: np.ndarray) -> dict[Node, np.ndarray]:
        axes = [place[None, :] for place in self.probe.places().T]  # type: ignore[attr-defined]
        known: dict[Any, Any] = {"t": times[:, None]}  # the only number that a probe may depend on
        values: dict[Node, np.ndarray] = {}
        with np.errstate(all="ignore"):
            for node in within(*self._nodes):
                if node.kind == "linear":
                    values[node] = forms[:, self.forms[node.value]]
                else:
                    values[node] = value_of(node, values, known, axes)
        return values
