"""How the expressions of a case are worked out, known before a run."""

from whorl.config.case import Case
from whorl.config.expressions import snapshot_expressions
from whorl.measure.expressions import Expressions
from whorl.output.diagnostics import Together
from whorl.programs.plan import Plan


def expression_plans(case: Case) -> dict[str, Plan]:
    """The plan of all columns, of each field of snapshots and of each diagnostic alone, by its option."""
    texts = list(case.output.columns.values())
    plans = {"output.columns": Expressions(case, means=texts).plan} if texts else {}
    for name, text in snapshot_expressions(case).items():
        plans[f"output.fields, {name}"] = Expressions(case, [text]).plan
    for one in case.diagnostics:
        plans[f"diagnostics.{one.label}"] = Together(case, [one]).questions.plan
    return plans
