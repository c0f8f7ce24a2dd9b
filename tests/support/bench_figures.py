"""What `whorl bench step` writes, made up."""

import json

from whorl.machine.benches.common import bench_case

MACHINE = {"processor": "one", "caches": "L1d 32 KiB 8-way", "GPUs": "none", "ranks": 1}
PARTS = {
    "transforms": 0.6,
    "x_lines": 0.3,
    "y_lines": 0.2,
    "z_lines": 0.1,
    "pack": 0.2,
    "point": 0.005,
    "row": 0.0,
}


def case_of(*settings, points=16, precision="double"):
    return bench_case(points, precision, None, "navier-stokes", "rk2", 2, list(settings))


def spread(least, scatter=1.02):
    return {
        "count": 10,
        "minimum": least,
        "median": scatter * least,
        "mean": 1.1 * least,
        "maximum": 2 * least,
    }


def figures_of(rhs=1.0, floor=0.5, case=None, scatter=1.02, machine=MACHINE, **parts):
    """Of a right-hand side that takes so long, its parts their share of a second or as long as is given."""
    case = case or case_of()
    return {
        "seconds_per_step": 2 * scatter * rhs,
        "seconds_per_rhs": scatter * rhs,
        "floor_seconds_per_rhs": floor,
        "steps": spread(2 * rhs, scatter),
        "part_spreads": {name: spread(parts.get(name, share)) for name, share in PARTS.items()},
        "bytes_per_point_counted": 29.0,
        "sent": {"total": {"bytes_per_step": 0}},
        "machine": machine,
        "build": {"compiler": "GCC 12", "level": "v3"},
        "layout": {
            "process_grid": [1, 1],
            "batches": 8,
            "threads": 2,
            "transport": "alltoall",
            "lines": "own,own,own,40",
        },
        "case": json.loads(json.dumps(case.to_dict())),
        "summary": f"{case.grid.points[0]}³",
        "commit": "0123456789ab",
        "date": "2026-01-02T03:04:05+0000",
    }
