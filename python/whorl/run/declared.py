"""Checks that the core's models match their declarations in Python: each name has a unit and a meaning."""

from collections.abc import Iterator

from whorl import _core
from whorl.config.scalars import STATISTICS, VARIANCE
from whorl.config.section import tag_of
from whorl.models import MODELS, Model
from whorl.models.equations import Equations


def check_models() -> None:
    """Raises RuntimeError if Python and the core differ in a model; the message names the differences.

    The core may be built with fewer models than Python declares.
    """
    of_core = set(_core.build_info()["models"])
    wrong = [*_differing("models", of_core, of_core & MODELS.keys())]
    for name in sorted(of_core & MODELS.keys() - {tag_of(Equations)}):  # their plan declares them
        wrong += [f"{name}: {what}" for what in _differences(MODELS[name])]
    if wrong:
        raise RuntimeError(
            f"the core and whorl.models disagree: {'; '.join(wrong)}. Rebuild the core (make setup), "
            "or make the declarations agree."
        )


def _differences(model: type[Model]) -> Iterator[str]:
    flow = model(**{"model": tag_of(model)} | model.example.get("flow", {}))
    scalars = [("s", (0.0, 0.0, 0.0, 0.0))] if model.viscous else []
    options = _core.Options(model=flow.model, parameters=flow.of_core(), scalars=scalars)
    options.points, options.lengths = (8, 8, 1 if model.must_be_flat else 8), (1.0, 1.0, 1.0)
    shape = _core.model_shape(options)
    own = {"s": 1} if scalars else {}
    for kind, fields, there in (
        ("state", model.state, shape["fields"]),
        ("outputs", model.outputs, shape["outputs"]),
    ):
        here = {name: field.components for name, field in fields.items()} | own
        if here != there or (kind == "state" and list(here) != list(there)):
            yield f"{kind} are {here} and in the core {there}"
    for name, field in model.state.items() if len(model.bases) > 1 else ():
        there = tuple(shape["sines"][name])
        if field.sines != there:
            yield f"the sines of {name} are {field.sines} and in the core {there}"
    measured = {column.name for column in model.columns if column.value is None}
    measured |= {f"s_{column.name}" for column in STATISTICS if scalars}
    yield from _differing("columns", set(shape["statistics"]) - set(model.not_columns), measured)
    spectra = {column.name for column in model.spectra} | ({f"s_{VARIANCE.name}"} if scalars else set())
    yield from _differing("spectra", set(shape["spectra"]) - set(model.not_columns), spectra)


def _differing(kind: str, in_core: set[str], here: set[str]) -> Iterator[str]:
    if missing := sorted(in_core - here):
        yield f"{kind} without a unit and a meaning: {', '.join(missing)}"
    if beyond := sorted(here - in_core):
        yield f"{kind} that the core does not have: {', '.join(beyond)}"
