"""Plans by which the core evaluates the expressions of a case, known before a run."""

from whorl.base.text import counted
from whorl.config.case import Case
from whorl.expressions.case import STOP_WHEN, row_expressions, snapshot_expressions
from whorl.expressions.plan import plan_of, told
from whorl.expressions.questions import Questions
from whorl.output.resolution import resolution_questions


def expression_questions(case: Case) -> dict[str, Questions]:
    """The questions of a row and of each field of snapshots, diagnostic and group of particles, by option."""
    of_row = row_expressions(case)
    options = " and ".join(dict.fromkeys(name if name == STOP_WHEN else "output.columns" for name in of_row))
    planned = case.planned
    asked = {options: planned.row()} if of_row else {}
    asked |= {f"output.fields, {name}": planned.field(name) for name in snapshot_expressions(case)}
    asked |= {f"diagnostics.{one.label}": planned.together(one)[0] for one in case.diagnostics}
    read = {f"particles.{group.label}.of": planned.read(group)[0] for group in case.particles if group.of}
    return asked | read


def expression_plans(case: Case) -> dict[str, str]:
    """The plans of `expression_questions` in words, by option."""
    return {option: _told(questions) for option, questions in expression_questions(case).items()}


def _told(questions: Questions) -> str:
    sampled, plan = questions.sampled, plan_of(questions)
    at_particles = [f"{counted(len(sampled), 'input')} at the particles"] if sampled else []
    others = [told(map(plan_of, [questions, *questions.apart]))] if plan.steps or not sampled else []
    return ", ".join(others + at_particles)


def questions_at_a_time(case: Case) -> list[Questions]:
    """The questions that a run asks at one time: each by itself, and all diagnostics as in the first state.

    The rules of resolution ask for the extremes of the temperature.
    """
    alone = [*expression_questions(case).values(), *resolution_questions(case)]
    return alone + ([case.planned.together(*case.diagnostics)[0]] if len(case.diagnostics) > 1 else [])
