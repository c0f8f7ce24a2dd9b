"""Transfers between single modes, against those between the shells that hold them, and what sums to zero."""

import numpy as np
import pytest
from support import devices
from support.ranks import on_ranks
from whorl.base.errors import CaseError
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

POINTS, LENGTHS = (24, 20, 18), (2 * np.pi, 3.0, 5.0)
K, P = (1, 0, 0), (1, 2, 1)  # and q = (−2, −2, −1), all of another size
MODELS = {
    "navier-stokes": {"viscosity": 0.01},
    "mhd": {"viscosity": 0.01, "mean_field": (0.3, -0.2, 0.4), "hall": 0.2},
    "boussinesq": {"viscosity": 0.01, "buoyancy_frequency": 1.0},
}


def case_of(model: str, precision: str = "double") -> Case:
    return Case(
        grid={"points": POINTS, "lengths": LENGTHS},
        flow={"model": model} | MODELS[model],
        time={"dt": 0.01, "until": 1.0},
        initial={"name": "zero"},
        run={"threads": 1, "precision": precision, "device": devices.current()},
    )


def three_waves(seed: int, components: int):
    """A field of the modes k, p and q, of random amplitudes; whorl takes its divergence away."""
    rng = np.random.default_rng(seed)
    modes = [K, P, tuple(-a - b for a, b in zip(K, P, strict=True))]
    amplitudes = rng.normal(size=(3, components, 2)) @ [1, 1j]

    def field(x, y, z):
        turns = [
            sum(n * at / side for n, at, side in zip(mode, (x, y, z), LENGTHS, strict=True)) for mode in modes
        ]
        waves = [np.exp(2j * np.pi * turn) for turn in turns]
        values = [
            sum((a[c] * wave).real for a, wave in zip(amplitudes, waves, strict=True))
            for c in range(components)
        ]
        return tuple(values) if components > 1 else values[0]

    return field


def started(model: str, comm: MPI.Intracomm, precision: str = "double") -> Simulation:
    state = Simulation(case_of(model, precision), comm=comm)
    state.set_field("velocity", three_waves(1, 3))
    if model == "mhd":
        state.set_field("magnetic", three_waves(2, 3))
    if model == "boussinesq":
        state.set_field("temperature", three_waves(3, 1))
    return state


def sizes() -> list[float]:
    """|k|, |p| and |q|."""
    scale = 2 * np.pi / np.array(LENGTHS)
    return [float(np.linalg.norm(scale * mode)) for mode in (K, P, np.add(K, P))]


@pytest.mark.turns
@on_ranks(1, 2, 3)
@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("model", MODELS)
def test_a_triad_alone_gives_what_shells_give(world, model, precision):
    """Of three waves each shell has one: T(K, Q) is that of the mode in K by that in Q."""
    k = sizes()
    edges = sorted(edge for size in k for edge in (0.99 * size, 1.01 * size))
    with started(model, world, precision) as state:
        found = state.diagnose("triads", modes=[[K, P]])["transfer"]
        shells = state.diagnose("shell-to-shell", shells=edges)["transfer"]
    order = np.argsort(k)
    bins = {"kpq"[one]: 2 * n for n, one in enumerate(order)}
    largest = np.abs(shells).max()
    limit = {"double": 1e-12, "single": 2e-5}[precision]
    for name in found["quantity"].values:
        for roles in found["order"].values:
            receiver, giver, _ = str(roles).split("|")
            wanted = shells.sel(quantity=name)[bins[receiver], bins[giver]]
            value = found.sel(quantity=name, order=roles).squeeze()
            assert abs(value - wanted) < limit * largest, (name, roles)
    assert np.abs(found).max() > 0.1 * largest


@pytest.mark.parametrize("model", ["navier-stokes", "boussinesq"])
def test_what_is_given_is_lost(model):
    """S(k|p|q) = −S(p|k|q) of fields that are carried, so that a triad keeps its energy."""
    with Simulation(case_of(model).updated(initial={"name": "random", "k0": 3}), comm=MPI.COMM_SELF) as state:
        found = state.diagnose("triads", modes=[[K, P], [[2, -1, 1], [0, 3, -2]]])["transfer"]
    for roles in found["order"].values:
        receiver, giver, mediator = str(roles).split("|")
        back = found.sel(order=f"{giver}|{receiver}|{mediator}").values
        assert np.abs(found.sel(order=roles).values + back).max() < 1e-14 * np.abs(found).max()


def test_a_plane_has_triads():
    case = Case(
        grid={"points": (24, 20, 1)},
        flow={"model": "navier-stokes-2d", "viscosity": 0.01},
        time={"dt": 0.01, "until": 1.0},
        initial={"name": "random", "k0": 3},
        run={"threads": 1, "device": devices.current()},
    )
    with Simulation(case, comm=MPI.COMM_SELF) as state:
        found = state.diagnose("triads", modes=[[[1, 2, 0], [3, -1, 0]]])["transfer"]
    of_energy, of_enstrophy = (found.sel(quantity=name).squeeze() for name in ("u to u", "omega to omega"))
    for one in (of_energy, of_enstrophy):
        # What the three receive of all is nothing.
        assert abs(one.sum()) < 1e-14 * np.abs(one).max()
    # Each receives k² times as much enstrophy as energy, of both others together.
    for receiver, k2 in {"k": 5, "p": 10, "q": 17}.items():
        roles = [str(one) for one in found["order"].values if str(one).startswith(receiver)]
        energy, enstrophy = (float(one.sel(order=roles).sum()) for one in (of_energy, of_enstrophy))
        assert enstrophy == pytest.approx(k2 * energy, rel=1e-12)


def test_modes_that_are_not_there_are_refused():
    with Simulation(case_of("navier-stokes"), comm=MPI.COMM_SELF) as state:
        for modes, words in [
            ([[[9, 0, 0], [1, 0, 0]]], r"of which \[9, 0, 0\], which grid.points"),
            ([[[6, 0, 0], [5, 0, 0]]], r"of which \[-11, 0, 0\]"),
            ([[[1, 0, 0]]], "modes"),
            ([], "modes"),
        ]:
            with pytest.raises(CaseError, match=words):
                state.diagnose("triads", modes=modes)
