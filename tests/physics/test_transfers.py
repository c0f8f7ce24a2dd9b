"""Transfers between modes: balances that close, and what shells and rings give to each other, by NumPy."""

from pathlib import Path

import numpy as np
import pytest
from models.runs import make_case
from models.test_quantities import FLOWS
from support import devices
from support.box import Box
from support.ranks import on_ranks
from whorl.base.errors import CaseError
from whorl.base.ranks import MPI
from whorl.config.case import Case
from whorl.config.measures import balances
from whorl.config.narrowed import narrowed_points
from whorl.diagnostics.options import shell_to_shell
from whorl.run.simulation import Simulation

BOX = {"grid": {"points": 8}, "flow": {"viscosity": 0.1}, "time": {"dt": 0.1, "until": 1.0}}
POINTS, LENGTHS = (24, 20, 18), (2 * np.pi, 3.0, 5.0)
MODELS = {
    "navier-stokes": {
        "viscosity": 0.01,
        "rotation": (0.3, -0.2, 0.7),
        "mean_velocity": (0.4, 0.3, -0.2),
        "drag": 0.05,
        "hyperviscosity": 1e-5,
        "hypoviscosity": 0.1,
    },
    "boussinesq": {"viscosity": 0.01, "buoyancy_frequency": 1.5, "prandtl": 2.0, "rotation": (0, 0, 0.5)},
    "mhd": {"viscosity": 0.01, "resistivity": 0.02, "mean_field": (0.3, 0.2, -0.4), "hall": 0.1},
    "quasi-static-mhd": {"viscosity": 0.01, "interaction": 0.7, "field_direction": (1.0, 0.5, -0.3)},
    "rayleigh-benard": {"rayleigh": 1e4, "prandtl": 2.0, "taylor": 100.0},
    "navier-stokes-2d": {"viscosity": 0.01, "beta": 0.5, "drag": 0.02},
    "gross-pitaevskii": {"sound_speed": 2.0, "coherence_length": 0.4},
}


# With β the pressure is not known; the parts of ψ are no components.
WHOLE = ("navier-stokes-2d", "gross-pitaevskii")


def case_of(model: str, dt: float = 0.01, **sections) -> Case:
    flat = model == "navier-stokes-2d"
    lengths = (*LENGTHS[:2], 1.0) if model == "rayleigh-benard" else LENGTHS
    grid = {"points": (24, 20, 1) if flat else POINTS, "lengths": lengths}
    if model == "rayleigh-benard":
        grid["bases"] = "FFF"
    flow = {"model": model} | MODELS[model]
    time = {"dt": dt, "until": 1.0, "scheme": "rk4"}
    settings = {"threads": 1} | sections.pop("run", {})
    return Case(grid=grid, flow=flow, time=time, run=settings, **sections)


def started(model: str, comm: MPI.Intracomm, **sections) -> Simulation:
    """A flow of all modes."""
    names = {
        "navier-stokes": {},
        "boussinesq": {"temperature": {"name": "random", "k0": 3}},
        "mhd": {"magnetic": {"name": "random", "k0": 2, "seed": 5}},
        "rayleigh-benard": {"temperature": {"name": "random", "k0": 5}},
    }
    if model == "gross-pitaevskii":
        parts = ["1 + 0.3*cos(x)*sin(2*pi*y/Ly)", "0.4*sin(x + 2*pi*z/Lz)"]
        wave = {"name": "formula", "value": parts}
        return Simulation(case_of(model, initial=wave, **sections), comm=comm)
    k0 = 5 if model == "rayleigh-benard" else 3
    initial = {"name": "random", "k0": k0} | names.get(model, {})
    return Simulation(case_of(model, initial=initial, **sections), comm=comm)


def closure(model: str, dt: float, comm: MPI.Intracomm, **sections) -> dict[str, float]:
    """How far from closing the balances are over two steps, relative to the largest term by shell."""
    states = []
    with started(model, comm, dt=dt, **sections) as state:
        for _ in range(3):
            states.append(state.diagnose("transfer", components=model not in WHOLE))
            state.step()
    before, now, after = states
    errors = {}
    for part in now["content_quantity"].values:
        terms = [str(term) for term in now["quantity"].values if str(term).startswith(f"{part} ")]
        rates = now["transfer"].sel(quantity=terms).values
        change = (after["content"] - before["content"]).sel(content_quantity=part).values / (2 * dt)
        errors[str(part)] = np.abs(rates.sum(0) - change).max() / np.abs(rates).max()
    return errors


DYE = {"name": "dye", "schmidt": 0.3, "gradient": [0.5, -0.4, 0.8], "initial": {"name": "random", "k0": 4}}


@pytest.mark.parametrize("model", [*MODELS, "navier-stokes with a scalar"])
def test_balances_close_to_the_order_of_the_difference(model):
    """Of each component and shell: the error is the difference's, a quarter at half the step."""
    model, scalar, _ = model.partition(" with a scalar")
    given = {"scalars": [DYE]} if scalar else {}
    coarse, fine = (closure(model, dt, MPI.COMM_SELF, **given) for dt in (2e-3, 1e-3))
    assert ("dye_variance" in fine) == bool(scalar)
    for part, error in fine.items():
        assert error < 2e-3, part
        assert coarse[part] / error == pytest.approx(4, rel=0.1) or coarse[part] < 1e-9, part


def transfer(
    box: Box, receiver: np.ndarray, giver: np.ndarray, by: np.ndarray, cells: list[np.ndarray]
) -> np.ndarray:
    """−∫ receiver_K·(by·∇)giver_Q, [K][Q], of sets of modes; products without aliases."""
    found, received = np.zeros((len(cells), len(cells))), box.modes(receiver)
    for q, inside in enumerate(cells):
        given = inside * box.modes(giver)
        slopes = np.array([box.values(1j * k * given) for k in box.k])
        terms = box.kept * box.modes((slopes * by[:, None]).sum(0))
        power = -(received.conj() * terms).real.sum(0)
        found[:, q] = [power[one].sum() for one in cells]
    return found


def by_hall(box: Box, b: np.ndarray, field: np.ndarray, cells: list[np.ndarray]) -> np.ndarray:
    """−∫ j_K·(j_Q×field), [K][Q], j = ∇×b, which is −∫ b_K·∇×(j_Q×field)."""
    current = np.cross(1j * box.k, box.modes(b), axis=0)
    parts = [box.values(inside * current) for inside in cells]
    forces = [box.kept * box.modes(np.cross(part, field, axis=0)) for part in parts]
    return -np.array([[(box.modes(k).conj() * one).real.sum() for one in forces] for k in parts])


def whole(state: Simulation, name: str) -> np.ndarray:
    """The components of a field at all points, on every rank."""
    return np.asarray(state.comm.bcast(state.gather(name)), float)


def exchanged(state: Simulation, cells: list[np.ndarray], box: Box) -> dict[str, np.ndarray]:
    """The transfers of magnetohydrodynamics with B0."""
    u, b = whole(state, "velocity"), whole(state, "magnetic")
    field = b + np.reshape(state.case.flow.mean_field, (3, 1, 1, 1))
    hall = by_hall(box, b, field, cells) * state.case.flow.hall
    return {
        "u to u": transfer(box, u, u, u, cells),
        "b to b": transfer(box, b, b, u, cells),
        "u to b": -transfer(box, b, u, field, cells),
        "b to b by hall": hall,
        "b to u": -transfer(box, u, b, field, cells),
    }


LIMITS = {"double": 1e-12, "single": 2e-5}


@on_ranks()
@pytest.mark.every_device
@pytest.mark.parametrize("precision", LIMITS)
def test_shells_give_what_numpy_says(world, precision):
    run = {"precision": precision, "device": devices.current()}
    with started("mhd", world, run=run) as state:
        found = state.diagnose("shell-to-shell", shells="logarithmic", per_octave=1)
        edges = [*found["giver_k_lower"].values, found["giver_k_upper"].values[-1]]
        box = Box(state.case.grid)
        wanted = exchanged(state, box.inside("k", edges), box)
    assert list(found["quantity"].values) == list(wanted)
    largest = max(np.abs(one).max() for one in wanted.values())
    for name, one in wanted.items():
        error = np.abs(found["transfer"].sel(quantity=name).values - one).max()
        assert error < LIMITS[precision] * largest, name


@on_ranks(1, 2)
@pytest.mark.every_device
def test_rings_give_what_numpy_says(world):
    with started("mhd", world, run={"device": devices.current()}) as state:
        edges, sectors = [0.5, 2.0, 4.0, 9.0], 3
        found = state.diagnose("ring-to-ring", shells=edges, sectors=sectors)["transfer"]
        box = Box(state.case.grid)
        angles = [*np.linspace(0, np.pi / 2, sectors + 1)[:-1], 2.0]
        of_angles = box.inside("angle", angles)
        rings = [shell & sector for shell in box.inside("k", edges) for sector in of_angles]
        wanted = exchanged(state, rings, box)
        shells = state.diagnose("shell-to-shell", shells=edges)["transfer"]
    largest = max(np.abs(one).max() for one in wanted.values())
    for name, one in wanted.items():
        values = found.sel(quantity=name).values
        assert np.abs(values.reshape(one.shape) - one).max() < 1e-12 * largest, name
        assert np.abs(values.sum((1, 3)) - shells.sel(quantity=name).values).max() < 1e-12 * largest


@pytest.mark.long("grids of fewer points exist from some size on")
@on_ranks(3, pytest.param(1, marks=pytest.mark.slow))
@pytest.mark.parametrize(
    "dealias",
    [
        "2/3",
        "phase-shift",
        *(pytest.param(one, marks=pytest.mark.slow) for one in ("1/2", "phase-shift-exact")),
    ],
)
def test_fewer_points_make_no_difference(world, dealias, monkeypatch):
    """Where small wavenumbers are worked out on fewer points, and on the grid's own."""
    grid = {"points": (48, 40, 36), "lengths": LENGTHS, "dealias": dealias}
    case = case_of("mhd").updated(
        grid=grid, initial={"name": "random", "k0": 3, "magnetic": {"name": "random", "k0": 4}}
    )
    asked = {"kind": "shell-to-shell", "shells": "logarithmic", "per_octave": 2}
    with Simulation(case, comm=world) as state:
        some = [narrowed_points(case.grid, edge) for edge in (2.0, 4.0, 8.0, 1000.0)]
        assert some[0]
        assert some[-1] is None
        for of in ((), ("u to b",), ("u to u", "b to u")):
            found = state.diagnose(**asked, of=of)["transfer"].values
            with monkeypatch.context() as on_the_grid:
                on_the_grid.setattr(shell_to_shell, "narrowed_grids", lambda grid, edges: [None] * len(edges))
                whole = state.diagnose(**asked, of=of)["transfer"].values
            assert np.abs(found - whole).max() < 1e-13 * np.abs(whole).max()


@pytest.mark.parametrize("model", ["navier-stokes", "mhd", "boussinesq", "rayleigh-benard"])
def test_components_add_up_to_the_whole(model):
    """Whatever gradients the terms of the whole leave out."""
    with started(model, MPI.COMM_SELF) as state:
        apart, whole = state.diagnose("transfer", components=True), state.diagnose("transfer")
    largest = np.abs(whole["transfer"]).max()
    for name in map(str, whole["quantity"].values):
        of, term = name.split(" ", 1)
        parts = [f"{of}.{axis} {term}" for axis in "xyz"]
        if parts[0] in apart["quantity"].values:
            summed = apart["transfer"].sel(quantity=parts).sum("quantity")
            assert np.abs(summed - whole["transfer"].sel(quantity=name)).max() < 1e-12 * largest, name


@pytest.mark.parametrize("model", ["navier-stokes", "navier-stokes-2d", "mhd", "boussinesq"])
def test_what_shells_give_they_lose(model):
    """T(K, Q) = −T(Q, K), from u to b as from b to u, and the shells of all modes give the whole transfer."""
    with started(model, MPI.COMM_SELF) as state:
        found = state.diagnose("shell-to-shell")
        balance = state.diagnose("transfer")
    transfer = {name: found["transfer"].sel(quantity=name).values for name in found["quantity"].values}
    largest = max(np.abs(one).max() for one in transfer.values())
    for name, one in transfer.items():
        back = transfer[name if "hall" in name else " to ".join(reversed(name.split(" to ")))]
        assert np.abs(one + back.T).max() < 1e-12 * largest, name
    names = {
        "energy advection": ["u to u"],
        "energy lorentz": ["b to u"],
        "enstrophy advection": ["omega to omega"],
        "magnetic_energy advection": ["b to b"],
        "magnetic_energy stretching": ["u to b"],
        "magnetic_energy hall": ["b to b by hall"],
        "potential_energy advection": ["theta to theta"],
    }
    for term in balance["quantity"].values:
        for name in names.get(str(term), ()):
            received = found["received"].sel(quantity=name).values
            whole = balance["transfer"].sel(quantity=term).values[1:]
            assert np.abs(received - whole).max() < 1e-12 * largest, name


def test_the_flux_is_what_passes_a_wavenumber():
    with started("navier-stokes", MPI.COMM_SELF) as state:
        shells, balance = state.diagnose("shell-to-shell"), state.diagnose("transfer")
    flux = balance["flux"].sel(quantity="energy advection").values
    assert flux[-1] == pytest.approx(0, abs=1e-12 * np.abs(flux).max())
    of_shells = shells["flux"].sel(quantity="u to u").values
    assert np.abs(of_shells - flux[1:]).max() < 1e-12 * np.abs(flux).max()


def test_components_in_a_plane_exchange_by_the_pressure():
    with started("navier-stokes-2d", MPI.COMM_SELF) as state:
        with pytest.raises(CaseError, match=r"components is not possible: p is not known: with flow\.beta"):
            state.diagnose("transfer", components=True)
        case = state.case.updated(flow=state.case.flow.model_dump() | {"beta": 0.0})
    with Simulation(case, comm=MPI.COMM_SELF) as state:
        found = state.diagnose("transfer", of="energy", components=True)["transfer"]
    pressure = [found.sel(quantity=f"energy.{axis} pressure").values for axis in "xy"]
    assert np.abs(sum(pressure)).max() < 1e-13 * np.abs(pressure[0]).max()
    assert np.abs(pressure[0]).max() > 0


def test_the_page_has_the_terms_of_all_balances():
    page = (Path(__file__).parents[2] / "docs" / "diagnostics" / "transfer.md").read_text()
    for name, own in FLOWS.items():
        given = dict(own)
        case = make_case(name.split()[0], given.pop("points", (16, 12, 14)), dt=0.1, **given)
        if "kinematic" in name:
            continue  # with fewer terms
        for of, balance in case.flow.balances().items():
            terms, turning = (
                ", ".join(f"`{term}`" for term in terms) for terms in (balance.terms, balance.turning)
            )
            assert f"| `{case.flow.model}` | `{of}` | {terms} |{f' {turning}' if turning else ''}" in page, of
    scalar = balances(Case(**BOX, scalars=[{"name": "dye", "gradient": [0, 0, 1.0]}]))["dye_variance"]
    assert f"`NAME_variance` | {', '.join(f'`{term}`' for term in scalar.terms)} |" in page


def test_the_page_has_all_exchanges():
    page = (Path(__file__).parents[2] / "docs" / "diagnostics" / "shell-to-shell.md").read_text()
    for name in MODELS:
        for exchange in case_of(name).flow.exchanges():
            assert f"| `{exchange}` |" in page


def test_those_that_are_named_are_measured():
    """In the order of their names, though the model has others and another order."""
    wanted = {"transfer": ["magnetic_energy", "energy"], "shell-to-shell": ["u to b", "u to u"]}
    with started("mhd", MPI.COMM_SELF) as state:
        edges = {"shells": [1.0, 3.0]}
        balanced = state.diagnose("transfer", of=wanted["transfer"], **edges)
        one = state.diagnose("transfer", of="magnetic_energy", **edges)
        exchanged = state.diagnose("shell-to-shell", of=wanted["shell-to-shell"], **edges)
    assert list(balanced["content_quantity"].values) == wanted["transfer"]
    assert list(one["content_quantity"].values) == ["magnetic_energy"]
    assert list(exchanged["quantity"].values) == wanted["shell-to-shell"]
