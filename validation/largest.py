"""The table of 32768³ points on 4096 nodes of Frontier in docs/planner.md: GESTS and whorl's truncations.

    .venv/bin/python validation/largest.py

It writes predictions between the marks on the page. The row called measured is from table 3 of P. K. Yeung et
al., Comput. Phys. Commun. 306, 109364 (2025).
"""

from comparison import ROOT, write_between
from frontier_fit import table
from whorl import Case
from whorl.machine.planner.gests import Gests
from whorl.machine.planner.machine import load_machine
from whorl.machine.planner.report import PARTS
from whorl.machine.planner.search import GIB, RunLayout, best
from whorl.machine.planner.whorl_load import Whorl

POINTS, NODES = 32768, 4096
PAGE = ROOT / "docs" / "planner.md"
ORDER = ("fft", "pack", "other", "row", "column")
TRUNCATIONS = {
    "phase-shift": {"dealias": "phase-shift"},
    "2/3 cube": {"dealias": "2/3"},
    "2/3 sphere": {"dealias": "2/3", "shape": "sphere"},
}


def case_of(**grid: str) -> Case:
    return Case(
        grid={"points": POINTS, **grid},
        flow={"viscosity": 1e-5},
        time={"scheme": "rk2", "dt": 1e-5, "steps": 1},
        initial={"name": "taylor-green"},
        run={"precision": "single"},
    )


def layouts() -> dict[str, RunLayout | None]:
    machine = load_machine("frontier")
    found = {"GESTS": best(Gests(case_of(**TRUNCATIONS["phase-shift"])), machine, NODES)}
    for name, grid in TRUNCATIONS.items():
        way = Whorl(case_of(**grid), machine.device)
        found[f"whorl, {name}"] = best(way, machine, NODES)
        found[f"whorl, {name}, overlap"] = best(way, machine, NODES, overlap=True)
    return found


def measured_row() -> str:
    rows = [row for row in table("pencils_gpu") if row["n"] == POINTS and row["pr"] == 1]
    (row,) = rows
    parts = (row[key] for key in ("fft_s", "pack_unpack_s", "other_s", "row_mpi_s", "col_mpi_s"))
    shown = " | ".join(f"{value:.2f}" for value in parts)
    total = row["total_s"]
    hours = NODES * total / 3600
    return f"| GESTS, measured (table 3) | 1 × {row['pc']:.0f} | | {shown} | | {total:.2f} | {hours:.1f} |"


def planned_row(name: str, way: RunLayout | None) -> str:
    if way is None or not way.fits:
        raise SystemExit(f"{name} does not fit on {NODES} nodes.")
    shown = " | ".join(f"{getattr(way.parts, part):.2f}" for part in ORDER)
    hidden = f"{way.parts.hidden:.2f}" if way.parts.hidden else ""
    grid = f"{way.grid[0]} × {way.grid[1]}"
    memory, hours = way.memory_needed / GIB, NODES * way.parts.total / 3600
    return f"| {name} | {grid} | {memory:.1f} | {shown} | {hidden} | {way.parts.total:.2f} | {hours:.1f} |"


def page_table() -> str:
    names = " | ".join(PARTS[part][0] for part in ORDER)
    head = f"| | process grid | GiB a GPU | {names} | hidden | s a step | node-hours a step |"
    rows = [planned_row(name, way) for name, way in layouts().items()]
    return "\n".join([head, "|---" * 11 + "|", measured_row(), *rows])


def main() -> None:
    text = page_table()
    print(text)
    write_between("<!-- largest -->", "<!-- end of largest -->", text, PAGE)


if __name__ == "__main__":
    main()
