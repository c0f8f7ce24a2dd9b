"""Judges of forced.py: each compares averages of forced turbulence and returns a list of errors."""

from typing import Any

import numpy as np
from comparison import ROOT, UNCHECKED, Error
from whorl.forcing.options import expectation
from whorl.output.means import mean_of

DATA = ROOT / "validation" / "reference"
COMPONENTS = "components.csv"  # of a run: time, then ⟨u²⟩, ⟨v²⟩, ⟨w²⟩


def mean(averages: Any, name: str) -> tuple[float, float]:
    return averages[name].mean, averages[name].error


def deviation(averages: Any, name: str, value: float) -> float:
    """How far a mean is from a value, in standard errors."""
    average, error = mean(averages, name)
    return abs(average - value) / error


def isotropy(results: Any, averages: Any) -> list[Error]:
    """The largest deviation of a component's share of the energy from a third, in standard errors.

    The error is the largest of the three, which come from some 15 independent samples. In one of 300
    isotropic flows one of the three shares deviates by more than four errors.
    """
    table = np.loadtxt(results.directory / COMPONENTS, delimiter=",", ndmin=2)
    table = table[table[:, 0] >= averages.start]
    shares = table[:, 1:] / table[:, 1:].sum(axis=1, keepdims=True)
    of = [mean_of(table[:, 0], shares[:, c]) for c in range(3)]
    error = max(one.error for one in of)
    worst = max(abs(one.mean - 1 / 3) for one in of)
    what = f"share of a component in ⟨u²⟩, 1/3 ± {error:.2g}: largest deviation in standard errors"
    return [Error(what, float(worst / error), 4.0)]


def meets_design(results: Any, averages: Any) -> list[Error]:
    """R_λ and ε within 12 % of the expectation of the design, the energy balance and the isotropy."""
    wanted = expectation(results.case)
    errors = [
        ("R_lambda", "R_λ", wanted.taylor_reynolds),
        ("dissipation", "ε", wanted.dissipation),
    ]
    told = [
        Error(
            f"{symbol} = {told_of(averages, name)}, designed {value:.4g}, relative",
            off(averages, name, value),
            0.12,
        )
        for name, symbol, value in errors
    ]
    further = [
        Error(
            f"k_max η = {told_of(averages, 'kmax_eta')}, designed {wanted.kmax_eta:.3g}, relative",
            off(averages, "kmax_eta", wanted.kmax_eta),
        ),
        Error(
            f"T_E = {told_of(averages, 'turnover_time')}, expected {wanted.turnover_time:.3g}, relative",
            off(averages, "turnover_time", wanted.turnover_time),
        ),
        Error(
            f"skewness {told_of(averages, 'derivative_skewness')} from −0.5",
            abs(averages["derivative_skewness"].mean + 0.5),
        ),
    ]
    return [*told, *balance(results, averages), *further, *isotropy(results, averages)]


def told_of(averages: Any, name: str) -> str:
    average, error = mean(averages, name)
    return f"{average:.4g} ± {error:.2g}"


def off(averages: Any, name: str, value: float) -> float:
    return abs(averages[name].mean / value - 1)


def balance(results: Any, averages: Any) -> list[Error]:
    """W − ∫ε dt against the change of the energy, over the window, relative to the work."""
    series = results.series.sel(time=slice(averages.start, averages.end))
    name = f"{results.case.forcing[0].label}_work"
    work = float(series[name][-1] - series[name][0])
    losses, energies = ("dissipation", "ohmic_dissipation"), ("energy", "magnetic_energy")
    lost = sum(
        float(np.trapezoid(series[one].values, series["time"].values)) for one in losses if one in series
    )
    gained = sum(float(series[one][-1] - series[one][0]) for one in energies if one in series)
    return [
        Error(
            "work − dissipation − growth of energy, relative to the work",
            abs(work - lost - gained) / work,
            2e-3,
        )
    ]


def is_of_power(results: Any, averages: Any) -> list[Error]:
    """ε = P, the skewness, and C_ε against its fit in R_L."""
    power = results.case.forcing[0].power
    constant, reynolds = averages["C_epsilon"].mean, averages["R_L"].mean
    of_box = 0.468 + 18.9 / reynolds
    skewness = averages["derivative_skewness"].mean
    return [
        Error(
            f"ε = {told_of(averages, 'dissipation')} from P = {power:g}, in standard errors",
            deviation(averages, "dissipation", power),
            3.0,
        ),
        Error(f"skewness {told_of(averages, 'derivative_skewness')} from −0.5", abs(skewness + 0.5), 0.05),
        Error(
            f"C_ε = {told_of(averages, 'C_epsilon')}, 0.468 + 18.9/R_L = {of_box:.3f} at R_L = {reynolds:.3g}"
            f" ({UNCHECKED}), relative",
            abs(constant / of_box - 1),
        ),
        *balance(results, averages),
        *isotropy(results, averages),
    ]


def is_linear(results: Any, averages: Any) -> list[Error]:
    """ε = 27 A³ l² with l = u'³/ε, and l over the length of the box."""
    rate = results.case.forcing[0].rate
    series = results.series.sel(time=slice(averages.start, averages.end))
    time = series["time"].values
    speed2 = mean_of(time, 2 / 3 * series["energy"].values)
    dissipation = averages["dissipation"]
    length = speed2.mean**1.5 / dissipation.mean
    predicted = 27 * rate**3 * length**2
    size = results.case.grid.lengths[0]
    # The balance gives l = u'/(3A), whose relative error is half that of u'².
    uncertain = length / size * speed2.error / speed2.mean / 2
    return [
        Error(
            f"ε = {told_of(averages, 'dissipation')}, 27 A³ l² = {predicted:.4g}, relative",
            abs(dissipation.mean / predicted - 1),
            0.05,
        ),
        Error(
            f"l / L = {length / size:.4f} ± {uncertain:.2g}, outside of 0.19 to 0.20 ({UNCHECKED}) by "
            "standard errors",
            max(0.0, abs(length / size - 0.195) - 0.005) / uncertain,
        ),
        *balance(results, averages),
        *isotropy(results, averages),
    ]


def resembles_jhtdb(results: Any, averages: Any) -> list[Error]:
    """The design, and the compensated spectrum of scales that do not feel the force."""
    spectra = averages.spectra
    own = scaled(
        spectra["k"].values,
        spectra["energy"].values,
        averages["dissipation"].mean,
        results.case.flow.viscosity,
    )
    known = jhtdb()
    places = np.geomspace(0.1, 1.0, 40)
    ratio = np.exp(
        np.interp(np.log(places), np.log(own[0]), np.log(own[1]))
        - np.interp(np.log(places), np.log(known[0]), np.log(known[1]))
    )
    middle = places < 0.6
    return [
        *meets_design(results, averages),
        Error(
            "compensated spectrum over that of JHTDB, 0.1 ≤ kη ≤ 0.6, largest deviation",
            float(np.abs(ratio[middle] - 1).max()),
            0.15,
        ),
    ]


def scaled(
    k: np.ndarray, energy: np.ndarray, dissipation: float, viscosity: float
) -> tuple[np.ndarray, np.ndarray]:
    """kη and E(k) ε^(−2/3) k^(5/3)."""
    eta = (viscosity**3 / dissipation) ** 0.25
    some = (k > 0) & (energy > 0)
    return k[some] * eta, energy[some] * dissipation ** (-2 / 3) * k[some] ** (5 / 3)


def jhtdb() -> tuple[np.ndarray, np.ndarray]:
    k, energy = np.loadtxt(DATA / "jhtdb-isotropic1024-spectrum.dat").T
    return scaled(k, energy, 0.103, 1.85e-4)


def is_inverse_cascade(results: Any, averages: Any) -> list[Error]:
    """The flux of energy between drag and force, and the slope of the spectrum there."""
    spectra, case = averages.spectra, results.case
    k = spectra["k"].values
    # The transfer is that of ½|ζ|², k² times the energy of a mode.
    flux = -np.cumsum(np.divide(spectra["transfer"].values, k**2, where=k > 0, out=np.zeros_like(k)))
    power = averages["stochastic_power"].mean
    inside = (k >= 12) & (k <= 0.6 * case.forcing[0].k_min)
    level = flux[inside] / power
    slope, _ = np.polyfit(np.log(k[inside]), np.log(spectra["energy"].values[inside]), 1)
    return [
        Error(
            "variation of the flux of energy over 12 ≤ k ≤ 0.6 k_f, relative to its mean",
            float(np.ptp(level) / abs(level.mean())),
            0.35,
        ),
        Error(f"slope of E(k) there, {slope:.2f}, from −5/3", abs(slope + 5 / 3), 0.35),
        *balance(results, averages),
    ]
