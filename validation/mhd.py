"""Magnetohydrodynamics against independent results, in minutes; the short ones are also tests.

    .venv/bin/python validation/mhd.py [NAME]       orszag-tang, taylor-green or abc-dynamo; all by default

It prints the errors, writes validation/results/mhd-NAME.json and exits with 1 if an error is too large. The
references are from other codes: spectral ones in double precision with RK4 (the comments below give their
errors), and for the dynamo the eigenvalue of the induction operator.
"""

import math
import sys
from collections.abc import Callable

import numpy as np
from comparison import Error, show, write_result
from whorl import Case, Simulation

NAMES = ("energy", "enstrophy", "magnetic_energy", "mean_square_current")
# t: E_k, Z, E_b, J at 192², ν = η = 0.01. They agree with 256²: E to 6e-9, Z and J to 3e-7.
ORSZAG_TANG = {
    0.5: (0.483476259, 0.66577509, 0.498106072, 1.40733302),
    1.0: (0.420155555, 1.00630389, 0.534168119, 2.62879811),
    1.5: (0.319347708, 1.45672679, 0.587652500, 4.17003985),
    2.0: (0.233981684, 1.65545960, 0.611829337, 4.95093324),
    3.0: (0.243682032, 1.71992376, 0.485251693, 2.76939434),
    4.0: (0.276722521, 1.47672915, 0.374644621, 1.84552501),
}
# t: E_k, Z, E_b, J from b = (sin x sin y cos z, cos x cos y cos z, 0) at 64³, ν = η = 0.02.
TAYLOR_GREEN = {
    1.0: (0.085429091, 0.30905718, 0.132781730, 0.61174443),
    2.0: (0.055837943, 0.30224499, 0.118816582, 0.88185491),
}
# Growth of the ABC dynamo at Rm = 12: 20³ and 24³ agree to 3e-8. Energy oscillates at twice the frequency.
ABC_GROWTH, ABC_FREQUENCY = 0.0080704, 0.617730


def series_errors(case: Case, reference: dict, limits: tuple[float, float]) -> list[Error]:
    """Relative errors of energies, and of enstrophy and current, at the times of a table."""
    simulation, errors = Simulation(case), []
    for time, expected in reference.items():
        while simulation.time < time - 1e-9:
            simulation.step()
        found = simulation.statistics()
        relative = [abs(found[name] / value - 1) for name, value in zip(NAMES, expected, strict=True)]
        errors += [
            Error(f"energies at t = {time:g}, relative", max(relative[::2]), limits[0]),
            Error(f"enstrophy and current at t = {time:g}, relative", max(relative[1::2]), limits[1]),
        ]
    return errors


def orszag_tang() -> tuple[str, Case, list[Error]]:
    case = Case(
        grid={"points": [192, 192, 1]},
        flow={"model": "mhd", "viscosity": 0.01},
        time={"scheme": "rk4", "dt": 0.005, "until": 4.0},
        initial={"name": "orszag-tang", "magnetic": {"name": "orszag-tang"}},
    )
    return "Orszag–Tang vortex, 192², to t = 4", case, series_errors(case, ORSZAG_TANG, (1e-7, 2e-6))


def taylor_green() -> tuple[str, Case, list[Error]]:
    field = ["sin(x)*sin(y)*cos(z)", "cos(x)*cos(y)*cos(z)", "0"]
    case = Case(
        grid={"points": 64},
        flow={"model": "mhd", "viscosity": 0.02},
        time={"scheme": "rk4", "dt": 0.01, "until": 2.0},
        initial={"name": "taylor-green", "magnetic": {"name": "formula", "value": field}},
    )
    return "Taylor–Green MHD, 64³, to t = 2", case, series_errors(case, TAYLOR_GREEN, (1e-6, 1e-5))


def abc_dynamo() -> tuple[str, Case, list[Error]]:
    case = Case(
        grid={"points": 32},
        flow={"model": "mhd", "viscosity": 1.0, "resistivity": 1 / 12, "kinematic": True},
        time={"scheme": "rk4", "dt": 0.05, "until": 320.0},
        initial={"name": "abc", "magnetic": {"name": "random", "k0": 2.0, "energy": 1e-6}},
    )
    simulation, times, logs = Simulation(case), [], []
    while not simulation.finished:
        simulation.step()
        if simulation.time > 180:
            times.append(simulation.time)
            logs.append(0.5 * math.log(simulation.statistics()["magnetic_energy"]))
    # ln |A e^{(σ + iω)t}|: a line and the harmonics of 2ω.
    t = np.array(times)
    waves = [f(2 * n * ABC_FREQUENCY * t) for n in (1, 2, 3) for f in (np.cos, np.sin)]
    fit, *_ = np.linalg.lstsq(np.stack([t, np.ones_like(t), *waves], axis=1), np.array(logs), rcond=None)
    growth = float(fit[0])
    about = f"growth {growth:.7f} against {ABC_GROWTH:.7f}"
    return "Kinematic ABC dynamo, Rm = 12, 32³", case, [Error(about, abs(growth - ABC_GROWTH), 2e-6)]


VALIDATIONS: dict[str, Callable[[], tuple[str, Case, list[Error]]]] = {
    "orszag-tang": orszag_tang,
    "taylor-green": taylor_green,
    "abc-dynamo": abc_dynamo,
}


def main(names: list[str]) -> int:
    failed = False
    for name in names or VALIDATIONS:
        if name not in VALIDATIONS:
            raise SystemExit(f"{name} is none of {', '.join(VALIDATIONS)}")
        title, case, errors = VALIDATIONS[name]()
        show(title, errors)
        write_result(f"mhd-{name}", title, errors, {"case": case.to_dict()})
        failed |= any(error.verdict == "FAILED" for error in errors)
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
