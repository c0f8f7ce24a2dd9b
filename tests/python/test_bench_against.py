"""What became slower between two runs of a bench, from figures that are made up."""

import copy
import io
import json

import pytest
from rich.console import Console
from support.bench_figures import MACHINE, PARTS, case_of, figures_of, spread
from whorl import _core
from whorl.base.errors import CaseError
from whorl.base.ranks import MPI
from whorl.machine.benches import against
from whorl.machine.benches.against import compare, read_earlier, show_against
from whorl.machine.benches.common import layout_of
from whorl.run.core_options import core_options


def shown(found):
    console = Console(file=io.StringIO(), width=160)
    show_against(found | {"file": "then.json"}, console)
    return [" ".join(line.split()) for line in console.file.getvalue().splitlines()]


def test_a_part_that_became_slower_is_named():
    found = compare(figures_of(), figures_of(1.1, x_lines=0.39, transforms=0.69, pack=0.19))
    assert found["slower"] == ["right-hand side", "transforms", "x_lines"]
    assert found["faster"] == ["pack"]
    assert found["figures"]["x_lines"]["ratio"] == {"least": pytest.approx(1.3), "median": pytest.approx(1.3)}
    lines = shown(found)
    assert lines[1] == "against then.json: commit 0123456789ab, 2026-01-02, the same processor, one"
    assert "x_lines 0.3 s 0.39 s 1.30 1.30" in lines
    assert lines[-2] == "faster: pack 0.95 ×"
    assert lines[-1] == "slower: right-hand side 1.10 ×, transforms 1.15 ×, x_lines 1.30 ×"


def test_within_the_margin_nothing_is():
    found = compare(figures_of(), figures_of(1.04, x_lines=0.31))
    assert shown(found)[-1] == "nothing became slower by more than 5 %"
    strict = compare(figures_of(), figures_of(1.04, x_lines=0.312), margin=3.0)
    assert shown(strict)[-1] == "slower: right-hand side 1.04 ×, x_lines 1.04 ×"


@pytest.mark.parametrize("then", [1.02, 1.5])
def test_a_disturbance_is_no_change(then):
    """Of either run: medians differ by half, the least does not; and it is said."""
    found = compare(figures_of(scatter=then), figures_of(scatter=2.52 - then))
    assert (found["slower"], found["faster"]) == ([], [])
    when = "then" if then > 1.1 else "now"
    assert any(
        line.startswith(f"median {when} 1.50 of the least: something else ran") for line in shown(found)
    )
    fluke = compare(figures_of(), figures_of(1.2) | {"steps": spread(2.4, 0.86)})
    assert fluke["slower"] == []
    fluke = compare(figures_of(), figures_of(0.9) | {"steps": spread(1.8, 1.13)})
    assert fluke["faster"] == []


def test_what_is_small_is_not_looked_at():
    found = compare(figures_of(), figures_of(point=0.009))
    assert "point" not in found["figures"]
    assert "row" not in found["figures"]
    found = compare(figures_of(), figures_of(point=0.02, pack=0.2, z_lines=0.109))
    assert found["slower"] == ["point"]
    assert found["figures"]["z_lines"]["verdict"] is None  # nine per cent, and less than one of the whole


def test_a_part_that_there_was_not():
    assert compare(figures_of(), figures_of(row=0.1))["slower"] == ["row"]
    assert shown(compare(figures_of(), figures_of(row=0.1)))[-1] == "slower: row from nothing"
    assert compare(figures_of(row=0.1), figures_of())["faster"] == ["row"]


@pytest.mark.parametrize("other", [{"processor": "another"}, {"caches": "L1d 48 KiB 12-way"}])
def test_another_processor_is_held_against_its_floor(other):
    """Twice as slow and its floor, too, but for lines."""
    double = {name: 2 * share for name, share in PARTS.items()}
    there = figures_of(machine=MACHINE | other)
    found = compare(there, figures_of(2.0, 1.0, **double))
    assert found["figures"]["pack"]["now"]["least"] == pytest.approx(0.4)
    lines = shown(found)
    assert f"another processor, {(MACHINE | other)['processor']}" in lines[1]
    assert "pack 0.4 floors 0.4 floors 1.00 1.00" in lines
    assert lines[-1] == "nothing became slower over the floor by more than 5 %"
    found = compare(there, figures_of(2.0, 1.0, **double | {"x_lines": 0.9}))
    assert shown(found)[-1] == "slower over the floor: x_lines 1.50 ×"


def test_a_machine_that_is_not_as_it_was_is_told():
    lines = shown(compare(figures_of(), figures_of(1.2, 0.6)))
    assert lines[-1] == "slower: right-hand side 1.20 ×"
    [said] = [line for line in lines if line.startswith("the floor was 0.5 s and is 0.6 s")]
    assert said.endswith("took 2.00 floors then and takes 2.00 now")


def test_bytes_and_what_was_chosen_otherwise():
    now = copy.deepcopy(figures_of() | {"bytes_per_point_counted": 31.0})
    now["build"]["level"] = "v4"
    now["layout"]["lines"] = "own,own,fftw-estimate,40"
    now["layout"]["transport"] = "rma"
    lines = shown(compare(figures_of(), now))
    assert "more bytes a grid point: 29 → 31" in lines
    assert "level: v3 then, v4 now" in lines
    assert "lines: own,own,own,40 then, own,own,fftw-estimate,40 now" in lines
    assert "transport: alltoall then, rma now" in lines


def test_what_may_explain_a_change_has_the_names_of_the_benches():
    flow = _core.Flow(core_options(case_of(), threads=1), MPI.COMM_SELF.py2f())
    assert set(against.LAYOUT) <= layout_of(flow).keys()
    assert set(against.BUILD) <= dict(_core.build_info()).keys()


# The file


@pytest.fixture
def written(tmp_path):
    path = tmp_path / "then.json"

    def write(figures):
        path.write_text(figures if isinstance(figures, str) else json.dumps(figures))
        return path

    return write


def read(path, case=None, threads=2, machine=MACHINE):
    return read_earlier(path, case or case_of(), threads, machine)


def test_the_same_case_is_taken(written):
    path = written(figures_of())
    assert read(path) == figures_of() | {"file": str(path)}
    assert read(path, case_of("output.series_every='3 steps'", "run.threads=0"))


@pytest.mark.parametrize(
    ("here", "said"),
    [
        ({"case": case_of(points=32)}, "grid.points is [16, 16, 16] there and [32, 32, 32] here"),
        ({"case": case_of(precision="single")}, "run.precision is double there and single here"),
        ({"case": case_of("run.transport=rma")}, "run.transport is alltoall there and rma here"),
        ({"threads": 4}, "threads a rank are 2 there and 4 here"),
        ({"machine": MACHINE | {"ranks": 2}}, "ranks are 1 there and 2 here"),
    ],
)
def test_another_run_is_refused(written, here, said):
    with pytest.raises(CaseError) as refused:
        read(written(figures_of()), **here)
    assert str(refused.value).endswith(f"then.json cannot be compared with: {said}; {ADVICE}")


ADVICE = "measure the same, or leave --against out."


def test_another_processor_may_have_other_threads(written):
    assert read(written(figures_of()), threads=8, machine=MACHINE | {"processor": "another"})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not JSON"),
        ("[]", "is no file of whorl bench step --json"),
        ({"seconds_per_pair": 1.0}, "is no file of whorl bench step --json"),
        ({"runs": []}, "is no file of whorl bench step --json"),
        (
            figures_of() | {"case": {"flow": {"model": "none"}}},
            "its case has options that this whorl does not have",
        ),
    ],
)
def test_another_file_is_refused(written, text, said):
    with pytest.raises(CaseError, match=said):
        read(written(text))


def test_no_file_is_refused(tmp_path):
    with pytest.raises(CaseError, match=r"nothing\.json cannot be read: No such file or directory"):
        read(tmp_path / "nothing.json")


def test_of_several_runs_the_one_of_the_case_is_taken(written):
    runs = [figures_of(case=case_of(precision=precision)) for precision in ("single", "double")]
    path = written({"processor": "one", "runs": runs})
    assert read(path)["case"]["run"]["precision"] == "double"
    with pytest.raises(CaseError, match=r"none of the 2 runs in .*: 16³; 16³\."):
        read(path, case_of(points=32))
