"""Cases and machines of round numbers."""

from typing import Any

from whorl.config.case import Case
from whorl.machine.planner.machine import Machine, machine_from


def case(points: Any = 64, **sections: dict[str, Any]) -> Case:
    """Navier–Stokes, rk2, single precision; sections are merged over it."""
    usual: dict[str, dict[str, Any]] = {
        "grid": {"points": points},
        "flow": {"viscosity": 0.01},
        "time": {"scheme": "rk2", "dt": 0.01, "steps": 10},
        "initial": {"name": "taylor-green"},
        "run": {"precision": "single"},
    }
    merged = {name: usual.get(name, {}) | sections.get(name, {}) for name in usual}
    merged |= {name: section for name, section in sections.items() if name not in usual}
    if merged["flow"].get("model") == "rayleigh-benard":
        del merged["flow"]["viscosity"]
    return Case(**merged)


def sections(**changes: dict[str, Any]) -> dict[str, Any]:
    """A machine of two devices and one rank a node; changes replace options of a section."""
    usual: dict[str, Any] = {
        "machine": {"name": "toy", "source": "made up"},
        "node": {"devices": 2, "ranks": 1, "memory": 1.0, "nodes": 64},
        "single": {
            "points": [16.0, 64.0],
            "x": [1.0, 4.0],
            "y": [2.0, 2.0],
            "z": [8.0, 8.0],
            "copies": [10.0],
            "point": [20.0],
            "modes": [40.0],
        },
        "links": [
            {"level": "node", "ranks": 4, "bandwidth": 8.0},
            {"level": "machine", "ranks": 0, "bandwidth": 2.0, "latency": 5.0},
        ],
        "files": {"bandwidth": 4.0, "bandwidth_node": 1.0},
    }
    for name, change in changes.items():
        usual[name] = usual.get(name, {}) | change if isinstance(change, dict) else change
    return usual


def toy(**changes: dict[str, Any]) -> Machine:
    return machine_from(sections(**changes))
