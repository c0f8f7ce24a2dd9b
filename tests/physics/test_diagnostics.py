"""Diagnostics of a run against NumPy, exact identities, and files that a restart continues."""

import shutil

import h5py
import numpy as np
import pytest
import xarray as xr
from support import devices
from support.build import needs
from support.ranks import run_on
from whorl import analyse
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.output import growing_file
from whorl.results.runs import open_run
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

POINTS = [20, 16, 18]
RANDOM = {"name": "random", "k0": 2.0, "seed": 5}
WANTED = [
    {"kind": "pdf", "of": ["grad(u)", "p"], "bins": 60, "every": "2 steps"},
    {"kind": "moments", "of": ["dx(u.x)", "norm(omega)"], "every": "3 steps"},
    {"kind": "joint-pdf", "of": ["u.x", "dy(u.x)"], "bins": [8, 12], "range": [[-3, 3], [-5.0, 5.0]]},
    {"kind": "conditional", "of": "u", "given": "u.x", "bins": 9, "range": [-3, 3], "every": "2 steps"},
    {"kind": "profile", "of": ["u", "u.x*u.z"], "every": "4 steps"},
    {"kind": "spectrum", "of": ["u", "u.x*u.y"], "every": "5 steps"},
    {"kind": "slice", "of": ["u", "p"], "at": 1.0, "stride": 2, "every": "2 steps"},
    {"kind": "line", "of": "dx(u)", "along": "x", "at": [1.0, 2.0], "every": "2 steps"},
]


def case_of(directory=None, **sections) -> Case:
    output = {"series_every": "1 steps", "checkpoint_every": "4 steps", "spectra_every": "5 steps"}
    given = {
        "grid": {"points": POINTS, "lengths": [2 * np.pi, 3.0, 5.0]},
        "flow": {"viscosity": 0.01},
        "time": {"courant": 0.5, "steps": 10},
        "initial": RANDOM,
        "output": output | ({"directory": str(directory)} if directory else {}),
        "run": {"threads": 1, "device": devices.current()},
        "diagnostics": WANTED,
    }
    return Case(**given | sections)


@pytest.fixture(scope="module")
def state():
    simulation = Simulation(case_of())
    while simulation.step_number < 4:
        simulation.step()
    return simulation


def whole(state, text):
    """The components of a text at all points, one after another."""
    values = state.gather(text)
    return values.reshape(len(values), -1)


def test_densities_are_numpys(state):
    data = state.diagnose("pdf", of=["grad(u)", "p"], bins=60, range=[-4, 4])
    values = np.concatenate([whole(state, "grad(u)"), whole(state, "p")])
    assert list(data["quantity"].values) == [f"grad(u).{a}{b}" for a in "xyz" for b in "xyz"] + ["p"]
    assert np.allclose(data["mean"], values.mean(1), atol=1e-12)
    assert np.allclose(data["std"], values.std(1), rtol=1e-12)
    for n, of in enumerate(values):
        scaled = (of - of.mean()) / of.std()
        wanted, edges = np.histogram(scaled, 60, (-4, 4))
        # Rounding may move a point into the next bin, and the last bin does not have its upper end here.
        assert np.abs(data["count"][n] - wanted).sum() <= 2
        assert np.allclose(data["bin"], (edges[1:] + edges[:-1]) / 2)
        assert data["count"][n].sum() + data["outside"][n].sum() == of.size
    density = data["pdf"] * (8 / 60)
    assert np.allclose(density.sum("bin") + data["outside"].sum("beyond") / values.shape[1], 1)


def test_a_logarithmic_axis_counts_what_it_has_no_place_for(state):
    data = state.diagnose("pdf", of="u.x", scale="log", bins=10, range=[-1, 1])
    values = whole(state, "u.x")[0]
    ratio = values / values.mean()
    below, above, no_number = data["outside"].values[0]
    assert no_number == (ratio < 0).sum()
    assert below == ((ratio > 0) & (ratio < 0.1)).sum()
    assert above == (ratio >= 10).sum()
    assert data["count"].sum() + below + above + no_number == values.size


def test_moments_are_numpys(state):
    data = state.diagnose("moments", of=["grad(u)", "dot(omega, omega)"], order=8)
    values = np.concatenate([whole(state, "grad(u)"), whole(state, "dot(omega, omega)")])
    scaled = (values - values.mean(1)[:, None]) / values.std(1)[:, None]
    for order in range(3, 9):
        wanted = (scaled**order).mean(1)
        assert np.allclose(data["moment"].sel(order=order), wanted, rtol=1e-9, atol=1e-9)


def test_joint_densities_and_conditional_means_are_numpys(state):
    data = state.diagnose("joint-pdf", of=["u.x", "u.y"], bins=[8, 12], scale=["absolute", "std"])
    a, b = whole(state, "u.x")[0], whole(state, "u.y")[0]
    scaled = (b - b.mean()) / b.std()
    wanted, *_ = np.histogram2d(a, scaled, (8, 12), ((-1, 1), (-20, 20)))
    assert np.abs(data["count"] - wanted).sum() <= 2
    assert data["count"].sum() + data["outside"] == a.size
    assert np.allclose(data["pdf"] * (2 / 8) * (40 / 12) * a.size, data["count"])
    data = state.diagnose("conditional", of="u", given="u.x", bins=6, range=[-3, 3])
    cells = np.floor((a - a.mean()) / a.std() + 3).astype(int)
    for n, of in enumerate(whole(state, "u")):
        for cell in range(6):
            inside = of[cells == cell]
            assert data["count"][cell] == inside.size
            assert np.isclose(data["conditional_mean"][n, cell], inside.mean(), rtol=1e-10, atol=1e-12)
            assert np.isclose(data["conditional_std"][n, cell], inside.std(), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("along", ["x", "y", "z"])
def test_profiles_are_numpys(state, along):
    data = state.diagnose("profile", of=["u", "u.x*u.z"], along=along)
    axes = tuple(axis for axis in (1, 2, 3) if axis != "zyx".index(along) + 1)
    values = np.concatenate([state.gather("u"), state.gather("u.x*u.z")])
    assert np.allclose(data["profile"], values.mean(axes), rtol=1e-12, atol=1e-14)
    assert np.allclose(data["variance"], values.var(axes), rtol=1e-9, atol=1e-12)
    n = POINTS["xyz".index(along)]
    assert np.allclose(data[along], np.arange(n) * state.case.grid.lengths["xyz".index(along)] / n)


def test_spectra_are_those_of_the_modes(state):
    """Twice the energy's, the transfer that the core has itself, and Parseval for what is brought back."""
    data = state.diagnose("spectrum", of=["u", "curl(u)", "u.x"])
    core = {name: np.asarray(values) for name, values in state.flow.spectra().items()}
    count = len(core["k"])
    assert np.allclose(data["k"][:count], core["k"])
    assert np.allclose(data["spectrum"][0][:count], 2 * core["energy"], rtol=1e-12, atol=1e-18)
    assert np.allclose(data["spectrum"][0][count:], 0)
    means = [state.mean(text) for text in ("dot(u, u)", "dot(omega, omega)", "u.x**2")]
    assert np.allclose(data["spectrum"].sum("k"), means, rtol=1e-12)
    advection = state.diagnose("spectrum", of="-div(outer(u, u))", times="u")["spectrum"][0]
    assert np.allclose(advection[:count], state.flow.transfer()["velocity"], rtol=1e-9, atol=1e-13)
    assert abs(advection.sum()) < 1e-13
    product = state.diagnose("spectrum", of="u.x*u.y")["spectrum"].sum()
    assert np.isclose(product, state.mean("filter(u.x*u.y, 1e9)**2"), rtol=1e-12)


def test_profiles_between_walls():
    """Every plane has all of its points, half a cell off the walls."""
    convection = Case(
        grid={"points": [12, 10, 14], "lengths": [2.0, 2.0, 1.0]},
        flow={"model": "rayleigh-benard", "rayleigh": 1e4, "prandtl": 1.0},
        time={"dt": 1e-3, "until": 1.0},
        initial={"name": "zero", "temperature": {"name": "formula", "value": "sin(pi*z)*cos(pi*x)"}},
        run={"threads": 1, "device": devices.current()},
    )
    simulation = Simulation(convection)
    data = simulation.diagnose("profile", of=["theta", "dz(theta)"])
    z = (np.arange(14) + 0.5) / 14
    assert np.allclose(data["z"], z)
    assert np.allclose(data["variance"][0], np.sin(np.pi * z) ** 2 / 2, atol=1e-12)
    assert np.allclose(data["profile"], 0, atol=1e-12)


def test_identities_of_incompressible_flow(state):
    """Betchov's, J. Fluid Mech. 1, 497 (1956): ⟨s_ij s_ij⟩ = ⟨ω²⟩/2, ⟨s_ij s_jk s_ki⟩ = −¾⟨ω_i s_ij ω_j⟩."""
    strain, enstrophy = state.mean("sum(strain(u)**2)"), state.mean("dot(omega, omega)")
    assert np.isclose(strain, enstrophy / 2, rtol=1e-12)
    skewness = state.mean("trace(strain(u) @ strain(u) @ strain(u))")
    stretching = state.mean("dot(omega, strain(u) @ omega)")
    assert np.isclose(skewness, -0.75 * stretching, rtol=1e-10)
    assert np.isclose(state.mean("det(grad(u))"), 0, atol=1e-10 * enstrophy**1.5)
    # ∇²p = −∂_i u_j ∂_j u_i, and the pressure has no mean.
    assert np.abs(whole(state, "lap(p) + trace(filter(grad(u) @ grad(u), 1e9))")).max() < 1e-9 * enstrophy
    assert abs(state.mean("p")) < 1e-13


@pytest.mark.parametrize("points", [(16, 12, 20), (16, 12, 1)])
def test_the_average_of_a_wave_is_that_of_its_points_in_the_ball(points):
    """By a sum over many points of the ball or disc, not by the formula."""
    grid = {"points": points, "lengths": [3.0, 2 * np.pi, 4.0]}
    time = {"dt": 0.01, "until": 1.0}
    simulation = Simulation(case_of(grid=grid, diagnostics=[], initial={"name": "zero"}, time=time))
    kx, ky = 2 * np.pi / 3 * 2, 3.0
    simulation.set_field("velocity", lambda x, y, z: (0 * x, 0 * x, 0.25 + np.cos(kx * x + ky * y)))
    n, r = 120, 0.35
    across = (np.arange(n) + 0.5) / n * 2 - 1
    depth = across if points[2] > 1 else np.zeros(1)
    x, y, z = np.meshgrid(across, across, depth, indexing="ij")
    inside = x**2 + y**2 + z**2 < 1
    ratio = np.cos(r * (kx * x + ky * y))[inside].mean()
    wave = whole(simulation, "u.z") - 0.25
    assert np.allclose(whole(simulation, "average(u.z, 0.35)"), 0.25 + ratio * wave, atol=1e-3)
    assert np.abs(ratio - 1) > 0.05


COLUMNS = {
    "own_energy": "mean(dot(u, u))/2",
    "own_dissipation": "2*nu*mean(sum(strain(u)**2))",
    "skewness": "mean(dx(u.x)**3)/mean(dx(u.x)**2)**1.5",
    "clock": "t",
    "fastest": "max(norm(u))",
    "range": "max(u.x) - min(u.x)",
}


def test_columns_of_the_series_are_what_they_say():
    case = case_of()
    simulation = Simulation(case.updated(output={"columns": COLUMNS}))
    simulation.run(progress=False)
    series = simulation.series
    assert np.allclose(series["own_energy"], series["energy"], rtol=1e-13)
    assert np.allclose(series["own_dissipation"], series["dissipation"], rtol=1e-12)
    assert np.array_equal(series["clock"], series["time"])
    u = whole(simulation, "u")
    assert series["fastest"][-1] == pytest.approx(np.linalg.norm(u, axis=0).max(), rel=1e-14)
    assert series["range"][-1] == pytest.approx(np.ptp(u[0]), rel=1e-14)
    slopes = whole(simulation, "dx(u.x)")
    assert np.isclose(series["skewness"][-1], (slopes**3).mean() / (slopes**2).mean() ** 1.5)
    assert series["skewness"].attrs == {"units": "case's units", "long_name": COLUMNS["skewness"]}


@needs("hdf5")
def test_fields_of_snapshots_are_what_they_say(tmp_path):
    fields = ["velocity", "Q = -trace(grad(u) @ grad(u))/2", "p", "S = strain(u)", "flag = u.x > 0"]
    case = case_of(tmp_path / "run").updated(output={"fields": fields, "snapshot_every": "5 steps"})
    simulation = Simulation(case)
    simulation.run(progress=False)
    log = (tmp_path / "run" / "log.txt").read_text()
    assert "output.fields, Q: 8 inputs, 0 products, " in log
    assert "diagnostics.profile: 3 inputs, 0 products, " in log
    last = open_run(tmp_path / "run").snapshots.isel(time=-1)
    assert set(last.data_vars) == {"velocity", "Q", "p", "S", "flag"}
    assert last["S"].dims == ("z", "y", "x", "pair")
    assert list(last["pair"].values) == [a + b for a in "xyz" for b in "xyz"]
    for name, text in [("Q", "-trace(grad(u) @ grad(u))/2"), ("p", "p"), ("flag", "u.x > 0")]:
        wanted = simulation.gather(text)[0]
        assert np.abs(last[name] - wanted).max() <= 1e-6 * np.abs(wanted).max(), name
    strain = np.moveaxis(simulation.gather("strain(u)"), 0, -1)
    assert np.abs(last["S"] - strain).max() <= 1e-6 * np.abs(strain).max()
    assert last["Q"].attrs["units"] == "case's units"
    assert last["velocity"].attrs["units"] == "length/time"


@needs("hdf5")
@pytest.mark.parametrize("small", [0, 1 << 22])
def test_a_restart_goes_on_without_a_gap_or_a_double(tmp_path, monkeypatch, small):
    """Also where the last states are in files beside that of the others."""
    monkeypatch.setattr(growing_file, "SMALL", small)
    monkeypatch.setattr(growing_file, "SHARE", 0.1)
    case = case_of(tmp_path / "whole")
    Simulation(case).run(progress=False)
    other = case.updated(output={"directory": str(tmp_path / "parts")})
    begun = Simulation(other)
    for _ in range(7):
        begun.step()
    del begun
    assert any((tmp_path / "parts").glob("diagnostics-*.h5")) == (small == 0)
    Simulation.restart(tmp_path / "parts").run(progress=False)
    assert not any((tmp_path / "parts").glob("diagnostics-*.h5"))
    one, two = open_run(tmp_path / "whole").diagnostics, open_run(tmp_path / "parts").diagnostics
    assert set(one) == {wanted["kind"] for wanted in WANTED}
    for name, data in one.items():
        xr.testing.assert_identical(data, two[name])
    assert one["pdf"]["step"].values.tolist() == [0, 2, 4, 6, 8, 10]
    assert one["moments"]["step"].values.tolist() == [0, 3, 6, 9, 10]
    assert one["joint-pdf"]["step"].values.tolist() == [0, 10]


@needs("hdf5")
def test_a_restart_may_add_and_drop_diagnostics(tmp_path):
    Simulation(case_of(tmp_path / "run")).run(progress=False)
    own = [
        {"kind": "pdf", "of": ["grad(u)", "p"], "bins": 60, "every": "2 steps"},
        {"kind": "moments", "name": "of-u", "of": "u", "every": "1 steps"},
    ]
    changed = ["time.steps=12", f"diagnostics={_toml(own)}"]
    Simulation.restart(tmp_path / "run", settings=changed).run(progress=False)
    there = open_run(tmp_path / "run").diagnostics
    assert there["pdf"]["step"].values.tolist() == [0, 2, 4, 6, 8, 10, 12]
    assert there["of-u"]["step"].values.tolist() == [11, 12]
    assert there["profile"]["step"].values.tolist() == [0, 4, 8, 10]
    other = ["time.steps=14", 'diagnostics=[{kind = "pdf", of = "u", bins = 60}]']
    with pytest.raises(CaseError, match="has a diagnostic pdf with other options; give the new"):
        Simulation.restart(tmp_path / "run", settings=other)


def _toml(tables):
    entries = ("{" + ", ".join(f"{key} = {value!r}" for key, value in one.items()) + "}" for one in tables)
    return "[" + ", ".join(entries).replace("'", '"') + "]"


@needs("hdf5")
def test_lost_rows_are_told(tmp_path):
    Simulation(case_of(tmp_path / "run")).run(progress=False)
    (tmp_path / "run" / "diagnostics.h5").unlink()
    again = Simulation.restart(tmp_path / "run", settings=["time.steps=12"])
    assert any("diagnostics.h5 has a gap: 38 of 38 rows up to step 10" in told for told in again._warnings)
    again.run(progress=False)
    there = open_run(tmp_path / "run").diagnostics
    assert there["pdf"]["step"].values.tolist() == [12]
    assert "38 of 38 rows up to step 10 were lost" in there["pdf"].attrs["gaps"]


@needs("hdf5")
def test_files_say_what_they_hold(tmp_path):
    Simulation(case_of(tmp_path / "run")).run(progress=False)
    path = tmp_path / "run" / "diagnostics.h5"
    with h5py.File(path) as file:
        group = file["pdf"]
        assert group.attrs["kind"] == "pdf"
        assert '"bins": 60' in group.attrs["options"]
        assert "robability densities" in group.attrs["about"]
        for name, data in group.items():
            assert data.attrs["units"], name
            assert data.attrs["long_name"], name
    with xr.open_dataset(path, group="pdf") as data:
        xr.testing.assert_equal(data.load(), open_run(tmp_path / "run").diagnostics["pdf"])


@needs("hdf5")
def test_checkpoints_are_analysed_afterwards(tmp_path):
    simulation = Simulation(case_of(tmp_path / "run"))
    simulation.run(progress=False)
    during = open_run(tmp_path / "run").diagnostics
    steps = [8, 10]
    after = analyse(tmp_path / "run", steps=steps, output=tmp_path / "again.h5")
    for name, data in after.items():
        same = data.sel(time=data["time"])
        there = during[name].where(during[name]["step"].isin(steps), drop=True)
        for key in there.data_vars:
            kept = same[key].values[[step in there["step"] for step in steps]]
            # Which gradients travel depends on what is asked together, so that these agree to rounding.
            rounding = 1e-13 * np.nanmax(np.abs(kept))
            assert np.allclose(kept, there[key].values, rtol=1e-13, atol=rounding, equal_nan=True), (
                name,
                key,
            )
    with xr.open_dataset(tmp_path / "again.h5", group="moments") as data:
        assert data["step"].values.tolist() == steps
    now = analyse(tmp_path / "run", [{"kind": "pdf", "of": "u.x", "name": "x"}])
    assert now["x"]["step"].values.tolist() == [10]
    with pytest.raises(CaseError, match="changes more than how it is computed"):
        analyse(tmp_path / "run", settings=["flow.viscosity=1"])
    shutil.rmtree(tmp_path / "run")


@pytest.mark.mpi
@pytest.mark.only_cpu
def test_bits_do_not_depend_on_ranks_and_threads():
    (first,) = run_on(1, numbers_of, threads=1)
    for ranks, threads in [(1, 2), (2, 1), (3, 1), (4, 1), (6, 1)]:
        for found in run_on(ranks, numbers_of, threads=threads):
            for one, other in zip(first, found, strict=True):
                assert np.array_equal(one, other, equal_nan=True)


def numbers_of(world, threads):
    """All arrays of all diagnostics of a state whose modes do not depend on the ranks."""
    grid = {"points": POINTS, "dealias": "phase-shift"}
    case = case_of(
        run={"threads": threads}, grid=grid, initial={"name": "zero"}, time={"dt": 0.01, "steps": 1}
    )
    with Simulation(case, comm=world) as simulation:
        simulation.set_field(
            "velocity",
            lambda x, y, z: (np.sin(y) * np.exp(np.cos(z)), np.exp(np.sin(z + x)), np.cos(x + 2 * y) / 3),
        )
        found = [simulation.diagnose(**wanted) for wanted in WANTED]
    return [data[key].values for data in found for key in data.data_vars]


def test_more_than_a_gpu_keeps_of_a_point(state):
    """Then a round trip has some of it only."""
    data = state.diagnose("moments", of=["grad(u)", "omega"], order=12)
    alone = state.diagnose("moments", of="dz(u.x)", order=12)
    same = data["moment"].sel(quantity="grad(u).xz").values
    assert np.allclose(same, alone["moment"].sel(quantity="dz(u.x)").values, rtol=1e-12)


def test_a_plane_flow_has_the_components_that_vary():
    plane = Case(
        grid={"points": [16, 12, 1]},
        flow={"model": "navier-stokes-2d", "viscosity": 0.01},
        time={"dt": 0.01, "until": 1.0},
        initial=RANDOM,
        run={"threads": 1, "device": devices.current()},
    )
    simulation = Simulation(plane)
    pdf = simulation.diagnose("pdf", of=["u", "grad(u)"])
    # u.z is known to be zero, dz(u.x) is found to be: it has no place on an axis of standard deviations.
    flat = {"grad(u).xz", "grad(u).yz"}
    names = ["u.x", "u.y", *(f"grad(u).{a}{b}" for a in "xy" for b in "xyz")]
    assert list(pdf["quantity"].values) == names
    for n, name in enumerate(names):
        assert (pdf["std"][n] == 0) == (name in flat)
        assert pdf["outside"].sel(beyond="not a number")[n] == (16 * 12 if name in flat else 0)
    spectrum = simulation.diagnose("spectrum", of=["u", "vector(u.x, u.y, 0)"])["spectrum"]
    assert np.array_equal(spectrum[0], spectrum[1])
    assert np.isclose(spectrum[0].sum(), simulation.mean("dot(u, u)"), rtol=1e-12)


@needs("hdf5")
def test_rows_behind_the_checkpoint_are_cut_even_where_there_are_no_others(tmp_path):
    Simulation(case_of(tmp_path / "run", diagnostics=[], time={"dt": 0.01, "steps": 4})).run(progress=False)
    added = ["time.steps=12", f"diagnostics={_toml([{'kind': 'pdf', 'of': 'u', 'every': '2 steps'}])}"]
    killed = Simulation.restart(tmp_path / "run", settings=added)
    for _ in range(3):  # a row at step 6, and the next checkpoint is of step 8
        killed.step()
    del killed
    Simulation.restart(tmp_path / "run", settings=added).run(progress=False)
    assert open_run(tmp_path / "run").diagnostics["pdf"]["step"].values.tolist() == [6, 8, 10, 12]


CHANGED = [
    {"kind": "conditional", "of": "u", "given": "u.z", "bins": 9, "range": [-3, 3]},
    {"kind": "conditional", "of": "u", "given": "u.x", "bins": 9, "range": [-3, 3], "scale": "absolute"},
    {"kind": "pdf", "name": "conditional", "of": "u", "bins": 9, "range": [-3, 3]},
]


@needs("hdf5")
@pytest.mark.parametrize("changed", CHANGED, ids=["given", "scale", "kind"])
def test_other_quantities_under_one_name_are_refused(tmp_path, changed):
    Simulation(case_of(tmp_path / "run")).run(progress=False)
    settings = ["time.steps=12", f"diagnostics={_toml([changed])}"]
    with pytest.raises(CaseError, match="has a diagnostic conditional with other options; give the new one"):
        Simulation.restart(tmp_path / "run", settings=settings)
    more = [{**WANTED[3], "every": "1 steps"}]
    Simulation.restart(tmp_path / "run", settings=["time.steps=12", f"diagnostics={_toml(more)}"])


@needs("hdf5")
def test_a_diagnostic_with_other_arrays_is_refused(tmp_path):
    """As of an earlier version, which did not measure all of them."""
    Simulation(case_of(tmp_path / "run", diagnostics=[{"kind": "pressure"}])).run(progress=False)
    with h5py.File(tmp_path / "run" / "diagnostics.h5", "a") as file:
        del file["pressure"]["friction"]
    with pytest.raises(
        CaseError, match="has a diagnostic pressure without friction, unlike that of the case"
    ):
        Simulation.restart(tmp_path / "run", settings=["time.steps=12"])


@needs("hdf5")
def test_another_expression_under_the_name_of_a_column_is_refused(tmp_path):
    case = case_of(tmp_path / "run", diagnostics=[]).updated(output={"columns": {"own": "mean(u.x*u.y)"}})
    Simulation(case).run(progress=False)
    changed = ["time.steps=12", 'output.columns={own = "mean(u.x*u.z)"}']
    with pytest.raises(CaseError, match=r"has a column own of another expression, mean\(u.x\*u.y\); give"):
        Simulation.restart(tmp_path / "run", settings=changed)
    added = ["time.steps=12", 'output.columns={own = "mean(u.x*u.y)", more = "t"}']
    Simulation.restart(tmp_path / "run", settings=added).run(progress=False)
    series = open_run(tmp_path / "run").series
    assert np.isnan(series["more"][:11]).all()
    assert np.array_equal(series["more"][11:], series["time"][11:])


@needs("hdf5")
def test_a_run_with_a_force_of_a_script_is_analysed(tmp_path):
    simulation = Simulation(case_of(tmp_path / "run"), forcing=lambda x, y, z: (np.sin(y), 0.0, 0.0))
    simulation.run(progress=False)
    found = analyse(tmp_path / "run", [{"kind": "moments", "of": "u"}])
    assert np.isclose(found["moments"]["mean"][0, 0], simulation.mean("u")[0], rtol=1e-12, atol=1e-15)


@needs("hdf5")
def test_an_analysis_replaces_an_earlier_one_and_nothing_else(tmp_path):
    Simulation(case_of(tmp_path / "run")).run(progress=False)
    own = tmp_path / "run" / "diagnostics.h5"
    before = own.read_bytes()
    with pytest.raises(CaseError, match="is no earlier analysis, so it is not replaced; choose another"):
        analyse(tmp_path / "run", output=own)
    assert own.read_bytes() == before
    path = tmp_path / "again.h5"
    for steps in ([10], [8, 10]):
        analyse(tmp_path / "run", steps=steps, output=path)
        with xr.open_dataset(path, group="pdf") as data:
            assert data["step"].values.tolist() == steps
    before = path.read_bytes()
    with pytest.raises(CaseError, match="does not exist; there are checkpoints"):
        analyse(tmp_path / "run", steps=[8, 9], output=path)
    assert path.read_bytes() == before
    assert sorted(one.name for one in tmp_path.iterdir()) == ["again.h5", "run"]
    assert len(analyse(tmp_path / "run", steps="all")["pdf"]["time"]) == 2


@needs("hdf5")
def test_a_large_analysis_is_whole(tmp_path, monkeypatch):
    """All states are in its file at the end, in the order of time, and none of those beside it stays."""
    monkeypatch.setattr(growing_file, "SMALL", 0)
    output = {"directory": str(tmp_path / "run"), "checkpoint_every": "1 steps", "keep_checkpoints": 20}
    with Simulation(case_of(tmp_path / "run").updated(output=output)) as simulation:
        simulation.run(progress=False)
    path = tmp_path / "again.h5"
    (tmp_path / "again.h5.part").write_bytes(b"what a kill has left")
    shape = [{"kind": "slice", "of": "grad(u)", "at": 0.5}]
    found = analyse(tmp_path / "run", shape, steps=[9, 2, 5, 3, 7, 8, 4, 6, 9], output=path)
    with xr.open_dataset(path, group="slice") as data:
        assert data["step"].values.tolist() == [2, 3, 4, 5, 6, 7, 8, 9]
        assert np.array_equal(data["slice"], found["slice"]["slice"])
    assert sorted(one.name for one in tmp_path.iterdir()) == ["again.h5", "run"]
