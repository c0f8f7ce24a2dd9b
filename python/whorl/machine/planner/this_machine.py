"""The machine of a plan for which none is named: the one that it is made on."""

from collections.abc import Callable
from pathlib import Path

from whorl.base.files import is_file
from whorl.base.host import processor
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.machine.planner.machine import Machine, load_machine
from whorl.machine.planner.measure import measure_brief
from whorl.run.threads import threads_of_rank

NAME = "this machine"
FILE = Path("local.toml")  # that whorl bench machine writes by default


def this_machine(case: Case, say: Callable[[str], object]) -> Machine:
    """This machine, by `local.toml` in the working directory, if that is of this processor, else measured.

    It is measured in some seconds, in the precision of the case, and `say` reports it. Raises CaseError for
    a file that is no machine file.
    """
    if is_file(FILE):
        known, here = load_machine(FILE), processor()
        if known.machine.description.startswith(here):
            return known
        say(f"{FILE} is of another processor ({known.machine.description}), this is {here}: it is left out.")
    say("measuring this machine for some seconds; whorl bench machine keeps its figures in a file.")
    return measure_brief(NAME, case.run.precision, threads_of_rank(MPI.COMM_SELF))
