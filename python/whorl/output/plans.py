"""How the expressions of a case are worked out, known before a run."""

from whorl.config.case import Case
from whorl.config.expressions import snapshot_expressions
from whorl.measure.expressions import Expressions
from whorl.output.diagnostics import Together
from whorl.programs.plan import told
from whorl.programs.questions import Questions


def expression_questions(case: Case) -> dict[str, Questions]:
    """What all columns, each field of snapshots and each diagnostic alone ask, by its option."""
    texts = list(case.output.columns.values())
    asked = {"output.columns": Expressions(case, means=texts).questions} if texts else {}
    for name, text in snapshot_expressions(case).items():
        asked[f"output.fields, {name}"] = Expressions(case, [text]).questions
    for one in case.diagnostics:
        asked[f"diagnostics.{one.label}"] = Together(case, [one]).questions
    return asked


def expression_plans(case: Case) -> dict[str, str]:
    """Their plans, in words."""
    return {option: told(questions.plans) for option, questions in expression_questions(case).items()}


def questions_at_a_time(case: Case) -> list[Questions]:
    """What is asked in a run at a time: the same, and all diagnostics together, as in the first state."""
    alone = list(expression_questions(case).values())
    return alone + ([Together(case, case.diagnostics).questions] if len(case.diagnostics) > 1 else [])
