"""Programs of tools/ and benchmarks/ that build objects of the core find its arguments under their names."""

import pytest
from support.tools import load
from whorl import _core
from whorl.base.ranks import MPI
from whorl.machine.benches.common import bench_case


@pytest.fixture
def small():
    return bench_case(8, "double", None, "navier-stokes", "rk2", 1, [])


@pytest.mark.only_cpu
def test_the_flow_that_asks_a_core_for_its_gpu():
    flow = load("tools/cuda_linked").flow_of(_core, "cpu")
    assert flow.options.points == [8, 8, 8]
    assert flow.options.scheme.name == "euler"


@pytest.mark.only_cpu
def test_flows_of_all_models_that_are_compared_on_a_gpu():
    parts = load("tools/gpu_parts.py")
    for model in _core.build_info()["models"]:
        points = (8, 8, 1) if model.endswith("2d") else (8, 8, 8)
        flow = parts.make(parts.options(model, points, device="cpu"))
        parts.fill(flow)
        assert max(dict(flow.statistics()).values()) > 0


@pytest.mark.only_cpu
def test_the_flows_of_benchmarks(small, monkeypatch):
    lines = load("benchmarks/lines_rhs.py")
    for way in lines.ways():
        flow, facts = lines.make(small, way)
        assert facts["lines"] == flow.options.lines
    assert lines.Floors(small).seconds == []
    monkeypatch.syspath_prepend(lines.__file__.rpartition("/")[0])
    choice, seconds = load("benchmarks/exchange.py").seconds_of(small, MPI.COMM_SELF)
    assert choice.transport == small.run.transport
    assert seconds > 0


@pytest.mark.only_cpu
def test_the_error_of_tracers_that_a_benchmark_shows():
    benchmark = load("benchmarks/particles.py")
    tracers = {"kind": "tracer", "name": "some", "lattice": 2}
    with benchmark.Simulation(benchmark.case_of(16, "rk2", particles=[tracers])) as state:
        assert 0 < benchmark.error_of(state, state.tracers["some"]) < 0.5
