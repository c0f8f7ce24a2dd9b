"""Checks of a run by its own output: resolution, balances of energy, time steps."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import xarray as xr

from whorl.config.case import Case
from whorl.config.measures import budget
from whorl.config.schemes import SCHEMES, largest_courant
from whorl.forcing.names import power_name
from whorl.pictures.run import picture_of, resolved

RESOLVED = "kmax_"  # beginning of the names of columns on the resolution
OF_FORCES = ("_force_power", "_injection")  # ends of names of terms that are zero without forces


class Check(NamedTuple):
    """A row of the table: the name of a number, its value, and how to read it."""

    name: str
    value: str
    meaning: str


@dataclass(frozen=True)
class ColumnBalance:
    """The balance of a column over time: its change, the integrals of its terms, and the residual.

    `terms` are pairs of the name of a column, with a minus for a loss, and its integral with that sign. A
    column of work counts by its own change. `residual` is the change minus the sum of the terms. `relative`
    is its size over the sum of their sizes, NaN if that is zero, as for a conserved quantity. `of_largest` is
    its size over the largest size of the column.
    """

    column: str
    start: float
    end: float
    change: float
    terms: tuple[tuple[str, float], ...]
    residual: float
    relative: float
    of_largest: float


def checks(case: Case, series: xr.Dataset, spectra: xr.Dataset | None) -> list[Check]:
    """The checks of resolution and time steps that the output allows."""
    return [*_of_resolution(case, series), *_of_spectrum(case, spectra), *_of_steps(case, series)]


def balances(case: Case, series: xr.Dataset) -> list[ColumnBalance]:
    """The balances over the finite rows of the series, if all their terms are columns of it."""
    return [
        one
        for column, terms in budget(case).items()
        if column in series and (of := _columns_of(case, terms, series)) is not None
        if (one := _balance(series, column, *of)) is not None
    ]


def _columns_of(
    case: Case, terms: tuple[str, ...], series: xr.Dataset
) -> tuple[list[tuple[float, str]], list[str]] | None:
    """The columns of rates in a budget, with their signs, and those of work; None if a term has no column."""
    rates, works = [], []
    for term in terms:
        sign, name = (-1.0, term[1:]) if term.startswith("-") else (1.0, term)
        if name in series:
            rates.append((sign, name))
            continue
        if not case.forcing and name.endswith(OF_FORCES):
            continue
        field = next((one for one in _forceable(case) if power_name(one) == name), None)
        by = case.flow.forced_by.get(field, (field,))[0] if field else None
        if field is None or (by != field and any(force.field == by for force in case.forcing)):
            return None
        works += [f"{force.label}_work" for force in case.forcing if force.field == field]
    return (rates, works) if all(name in series for name in works) else None


def _forceable(case: Case) -> list[str]:
    return list(dict.fromkeys([*case.flow.outputs, *case.flow.state, *(one.name for one in case.scalars)]))


def _balance(
    series: xr.Dataset, column: str, rates: list[tuple[float, str]], works: list[str]
) -> ColumnBalance | None:
    names = [column, *(name for _, name in rates), *works]
    finite = np.logical_and.reduce([np.isfinite(series[name].values) for name in names])
    if finite.sum() < 2:
        return None
    time = series["time"].values[finite]
    values = {name: series[name].values[finite] for name in names}
    change = float(values[column][-1] - values[column][0])
    terms = [
        (f"{'−' if sign < 0 else ''}{name}", sign * float(np.trapezoid(values[name], time)))
        for sign, name in rates
    ]
    terms += [(name, float(values[name][-1] - values[name][0])) for name in works]
    residual = change - sum(value for _, value in terms)
    sizes = sum(abs(value) for _, value in terms), float(np.abs(values[column]).max())
    relative = (abs(residual) / size if size > 0 else np.nan for size in sizes)
    return ColumnBalance(column, float(time[0]), float(time[-1]), change, tuple(terms), residual, *relative)


def _of_resolution(case: Case, series: xr.Dataset) -> Iterator[Check]:
    for name in (str(name) for name in series.data_vars if str(name).startswith(RESOLVED)):
        values = series[name].values
        finite = np.isfinite(values) & (values > 0)
        if not finite.any():
            continue
        least = int(np.flatnonzero(finite)[np.argmin(values[finite])])
        told = f"{values[least]:.3g} at t = {float(series['time'][least]):.4g}, the smallest"
        if finite[-1] and least != len(values) - 1:
            told += f"; {values[-1]:.3g} at the end"
        guide = "" if 1 in case.grid.points else (
            "; 1 is usual for spectra and large-scale statistics, 1.5 to 2 for gradients"
        )  # fmt: skip
        yield Check(name, told, series[name].attrs["long_name"] + guide)


def _of_spectrum(case: Case, spectra: xr.Dataset | None) -> Iterator[Check]:
    if spectra is None or not spectra.sizes["time"]:
        return
    k, most = spectra["k"].values, resolved(case.grid)
    kept = (k > 0) & (k <= most)
    for name, _ in picture_of(case).spectra:
        last = spectra[name].values[-1][kept] if name in spectra else np.array([])
        if last.size < 2 or not np.isfinite(last).all() or not last.max() > 0:
            continue
        yield Check(
            f"{name}, end of the spectrum",
            f"{last[-1] / last.max():.2g} of the largest shell's",
            f"the shell k = {k[kept][-1]:.4g}, the last kept in every direction, at t = "
            f"{float(spectra['time'][-1]):.4g}; a resolved spectrum has fallen by some orders there",
        )


def _of_steps(case: Case, series: xr.Dataset) -> Iterator[Check]:
    dt, courant = (series[name].values[1:] for name in ("dt", "courant"))
    dt, courant = (values[np.isfinite(values) & (values > 0)] for values in (dt, courant))
    if dt.size:
        given = f"time.dt = {case.time.dt:g}" if case.time.dt else f"time.courant = {case.time.courant:g}"
        yield Check(
            "time step",
            f"{dt.min():.3g} to {dt.max():.3g}, median {np.median(dt):.3g}",
            f"those that led to the rows of the series; {given}",
        )
    if courant.size:
        limit = largest_courant(case.time.scheme, case.grid.dealias)
        beyond = "grow" if SCHEMES[case.time.scheme].frequency else "double in a step"
        yield Check(
            "Courant number",
            f"{courant.max():.3g}, the largest",
            f"{series['courant'].attrs['long_name']}; beyond {limit:.3g} the shortest waves {beyond} without "
            f"viscosity by {case.time.scheme} with grid.dealias = {case.grid.dealias}",
        )
