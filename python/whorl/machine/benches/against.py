"""`whorl bench step --against FILE`: the changes in speed since an earlier run of the same bench.

A figure became slower if both the least and the median of its steps did, by more than the margin: other
programs on a machine lengthen many steps but seldom all. On different processors each figure is divided by
the floor that its own run measured.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from whorl.base.declared import GPUS
from whorl.base.errors import CaseError
from whorl.config.case import Case

MARGIN = 5.0  # per cent
SMALL = 0.01  # of a right-hand side: a part that takes less, or changed by less, is ignored
SCATTER = 1.1  # times the least step: a larger median means that something disturbed the run
SAME_BYTES = 1.001  # counted bytes do not scatter
NEEDED = {"seconds_per_step", "seconds_per_rhs", "floor_seconds_per_rhs", "steps", "part_spreads", "machine"}
NEEDED |= {"build", "case", "layout", "summary", "sent", "bytes_per_point_counted", "commit", "date"}
# Choices that may explain a change, by their names in the figures of a bench.
LAYOUT = ("process_grid", "batches", "threads", "transport", "lines")
BUILD = ("compiler", "flags", "level", "fftw", "mpi")
FREE = ("output.", "run.threads")  # options that may differ, but the number of threads used may not
WHOLE = "right-hand side"


def read_earlier(path: Path, case: Case, threads: int, machine: dict[str, Any]) -> dict[str, Any]:
    """The figures of an earlier `whorl bench step` of this case, which a file may have among several runs.

    A rank has `threads` here; `machine` describes this one. Raises CaseError if no run can be compared.
    """
    runs = _runs(path)
    differences = [_difference(run, case, threads, machine) for run in runs]
    if None in differences:
        return runs[differences.index(None)] | {"file": str(path)}
    if len(runs) == 1:
        reason = f"{differences[0]}; measure the same, or leave --against out"
        raise CaseError(f"{path} cannot be compared with: {reason}.")
    known = "; ".join(run["summary"] for run in runs)
    raise CaseError(f"none of the {len(runs)} runs in {path} is one of this case and layout: {known}.")


def _runs(path: Path) -> list[dict[str, Any]]:
    try:
        figures = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CaseError(f"{path} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise CaseError(f"{path} is not JSON: {error}.") from None
    runs = figures.get("runs", [figures]) if isinstance(figures, dict) else []
    if not runs or not all(isinstance(run, dict) and run.keys() >= NEEDED for run in runs):
        raise CaseError(
            f"{path} is no file of whorl bench step --json, or an earlier whorl wrote it; measure again."
        )
    return runs


def _difference(run: dict[str, Any], case: Case, threads: int, machine: dict[str, Any]) -> str | None:
    """Why a run cannot be compared with one of this case here; None if it can."""
    try:
        there, here = (_flat(each.to_dict()) for each in (Case(**run["case"]), case))
    except ValueError:
        return "its case has options that this whorl does not have"
    for key in dict.fromkeys((*here, *there)):
        if not key.startswith(FREE) and here.get(key) != there.get(key):
            return f"{key} is {_text(there.get(key))} there and {_text(here.get(key))} here"
    same = same_processor(run["machine"], machine, case.run.device)
    for what, others, own in (
        ("ranks", run["machine"]["ranks"], machine["ranks"]),
        ("threads a rank", run["layout"]["threads"] if same else threads, threads),
    ):
        if others != own:
            return f"{what} are {others} there and {own} here"
    return None


def _flat(values: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Values by dotted keys: {"grid": {"points": 8}} becomes {"grid.points": 8}."""
    flat: dict[str, Any] = {}
    for key, value in values.items():
        flat |= _flat(value, f"{before}{key}.") if isinstance(value, dict) else {f"{before}{key}": value}
    return flat


def _text(value: Any) -> str:
    return "not given" if value is None else str(list(value) if isinstance(value, tuple) else value)


def same_processor(one: dict[str, Any], other: dict[str, Any], device: str) -> bool:
    """Whether two machines have the same processor, by name and caches, because many clouds hide the name."""
    names = ("GPUs",) if device in GPUS else ("processor", "caches")
    return all(one.get(name) == other.get(name) for name in names)


def compare(earlier: dict[str, Any], now: dict[str, Any], margin: float = MARGIN) -> dict[str, Any]:
    """The changes: `figures` of a right-hand side and its parts, with ratios of now to then.

    `least` and `median` are over the steps, in seconds, or on another processor in floors; `margin` in %.
    """
    same = same_processor(earlier["machine"], now["machine"], now["case"]["run"]["device"])
    both = (earlier, now)
    floors = [figures["floor_seconds_per_rhs"] for figures in both]
    spreads = [_spreads(figures, 1.0 if same else figures["floor_seconds_per_rhs"]) for figures in both]
    figures = dict(_changes(spreads[0], spreads[1], margin))
    bytes_of = [_bytes(one) for one in both]
    return {
        "file": earlier.get("file"),
        "commit": earlier["commit"],
        "date": earlier["date"],
        "same_processor": same,
        "processors": [one["machine"]["processor"] for one in both],
        "margin": margin,
        "floors": floors,
        "scatter": [one["steps"]["median"] / one["steps"]["minimum"] for one in both],
        "changed": _otherwise(*both),
        "figures": figures,
        "bytes": {name: [of[name] for of in bytes_of] for name in bytes_of[0]},
        "slower": [name for name, change in figures.items() if change["verdict"] == "slower"],
        "faster": [name for name, change in figures.items() if change["verdict"] == "faster"],
    }


def _spreads(figures: dict[str, Any], unit: float) -> dict[str, dict[str, float]]:
    """The least and the median of a right-hand side and its parts, in a unit of seconds."""
    stages = figures["seconds_per_step"] / figures["seconds_per_rhs"]
    whole = {key: value / stages for key, value in figures["steps"].items()}
    all_of_them = {WHOLE: whole} | figures["part_spreads"]
    return {
        name: {"least": spread["minimum"] / unit, "median": spread["median"] / unit}
        for name, spread in all_of_them.items()
    }


def _changes(then: dict, now: dict, margin: float) -> Iterator[tuple[str, dict[str, Any]]]:
    small = SMALL * then[WHOLE]["least"]
    nothing = {"least": 0.0, "median": 0.0}
    for name in dict.fromkeys((*then, *now)):
        before, here = then.get(name, nothing), now.get(name, nothing)
        if max(before["median"], here["median"]) < small:
            continue
        ratio = {key: here[key] / before[key] if before[key] else None for key in nothing}
        changed = abs(here["least"] - before["least"]) > small
        verdict = _verdict(ratio, 1 + margin / 100) if changed else None
        yield name, {"then": before, "now": here, "ratio": ratio, "verdict": verdict}


def _verdict(ratio: dict[str, float | None], limit: float) -> str | None:
    if None in ratio.values() or min(ratio.values()) > limit:
        return "slower"
    return "faster" if max(ratio.values()) < 1 / limit else None


def _bytes(figures: dict[str, Any]) -> dict[str, float]:
    sent = figures["sent"]["total"]["bytes_per_step"]
    return {"bytes a grid point": figures["bytes_per_point_counted"], "bytes sent a step": sent}


def _otherwise(earlier: dict[str, Any], now: dict[str, Any]) -> dict[str, list[Any]]:
    """The choices and properties of the build that differ, then and now."""
    parts = {"layout": LAYOUT, "build": BUILD}
    pairs = {
        name: [figures[part].get(name) for figures in (earlier, now)]
        for part, names in parts.items()
        for name in names
    }
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def show_against(found: dict[str, Any], console: Console) -> None:
    """Print the changes as a table, possible causes, and last the figures that became slower."""
    same, margin = found["same_processor"], found["margin"]
    processor = f"{'the same' if same else 'another'} processor, {found['processors'][0]}"
    where = f"commit {found['commit']}, {found['date'][:10]}, {processor}"
    console.print(f"\n[bold]against {escape(found['file'])}[/]: {where}", highlight=False, soft_wrap=True)
    console.print(_table(found))
    for line in _remarks(found):
        console.print(line, style="dim", highlight=False, soft_wrap=True)
    over = "" if same else " over the floor"
    if found["faster"]:
        console.print(f"faster{over}: {_named(found, 'faster')}", highlight=False, soft_wrap=True)
    for name, (then, now) in found["bytes"].items():
        if max(then, now) > SAME_BYTES * min(then, now):
            more = "more" if now > then else "fewer"
            console.print(f"{more} {name}: {then:.4g} → {now:.4g}", highlight=False)
    slower = f"slower{over}: {_named(found, 'slower')}" if found["slower"] else None
    nothing = f"nothing became slower{over} by more than {margin:g} %"
    console.print(slower or nothing, style="bold", highlight=False, soft_wrap=True)


def _table(found: dict[str, Any]) -> Table:
    unit = " s" if found["same_processor"] else " floors"
    titles = ("", "then", "now", "ratio", "of medians")
    table = Table(*titles, box=None, header_style="bold", pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    for name, change in found["figures"].items():
        values = [f"{change[when]['least']:.4g}{unit}" for when in ("then", "now")]
        ratios = ["–" if ratio is None else f"{ratio:.2f}" for ratio in change["ratio"].values()]
        table.add_row(name if name == WHOLE else f"  {name}", *values, *ratios)
    return table


def _remarks(found: dict[str, Any]) -> Iterator[str]:
    """Remarks on how to read the table, and on possible causes."""
    yield (
        f"least of the steps; slower or faster is what differs by more than {found['margin']:g} % in least "
        f"and median, and by {100 * SMALL:g} % of a right-hand side"
    )
    then, now = found["floors"]
    if found["same_processor"] and max(then / now, now / then) > 1 + found["margin"] / 100:
        whole = found["figures"][WHOLE]
        over = [whole[when]["least"] / floor for when, floor in (("then", then), ("now", now))]
        yield (
            f"the floor was {then:.4g} s and is {now:.4g} s: the machine itself has changed; the "
            f"right-hand side took {over[0]:.2f} floors then and takes {over[1]:.2f} now"
        )
    for when, scatter in zip(("then", "now"), found["scatter"], strict=True):
        if scatter > SCATTER:
            yield f"median {when} {scatter:.2f} of the least: something else ran; repeat it when it is quiet"
    for name, (then, now) in found["changed"].items():
        yield f"{name.replace('_', ' ')}: {_text(then)} then, {_text(now)} now"


def _named(found: dict[str, Any], verdict: str) -> str:
    def text(name: str) -> str:
        ratio = found["figures"][name]["ratio"]["least"]
        return f"{name} {'from nothing' if ratio is None else f'{ratio:.2f} ×'}"

    return ", ".join(map(text, found[verdict]))
