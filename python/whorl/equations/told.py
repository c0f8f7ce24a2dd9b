"""Sentences about a plan: its counts, transforms, memory and dealiasing."""

from whorl.base.text import counted
from whorl.equations.plan import EquationPlan

BYTES = 8  # of a real number
REGISTERS = 3  # of modes: the state and two of a scheme


def told(plan: EquationPlan) -> str:
    """The plan in a few sentences."""
    inputs, products, fluxes = plan.counts
    columns = f", {counted(fluxes, 'column')}" if plan.axes == 3 else ""
    operations = len(plan.point.instructions)
    components = counted(plan.components, "component")
    sentences = [
        f"{counted(inputs, 'input')}, {counted(products, 'product')}{columns}: {plan.form}",
        f"{counted(transforms(plan), 'transform')} a stage, {counted(operations, 'operation')} a point",
        f"{bytes_a_point(plan)} bytes a point, in {REGISTERS} registers of {components}",
        f"{plan.dealias} of the modes are kept, since {plan.why}"
        if plan.dealias != "none"
        else f"all modes are kept, since {plan.why}",
        *_of_rounds(plan),
        *plan.notes,
    ]
    return ". ".join(one[:1].upper() + one[1:] for one in sentences) + "."


def _of_rounds(plan: EquationPlan) -> list[str]:
    if not plan.rounds:
        return []
    rounds = counted(len(plan.rounds), "round trip")
    return [f"{counted(plan.inner_fields, 'inner product')} before, in {rounds}"]


def transforms(plan: EquationPlan) -> int:
    """The fields that are transformed in a stage: inputs to the points, products back."""
    return len(plan.inputs) + plan.products + sum(len(one.inputs) + len(one.parities) for one in plan.rounds)


def bytes_a_point(plan: EquationPlan) -> int:
    """The memory of the modes of all fields."""
    return BYTES * (REGISTERS * plan.components + plan.inner_fields)
