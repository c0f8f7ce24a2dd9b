"""Ready sets: a single mode in closed form, Betchov's relations, and what the separate kinds give."""

import numpy as np
import pytest
from support import devices
from support.ranks import run_on
from whorl.base.errors import CaseError
from whorl.config.case import Case
from whorl.diagnostics.options import KINDS
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

DYE = {
    "name": "dye",
    "diffusivity": 0.02,
    "gradient": [1.0, 2.0, -2.0],
    "initial": {"name": "random", "k0": 2},
}


def case_of(points=(16, 12, 14), scalars=(), initial=None, precision="double", **flow) -> Case:
    return Case(
        grid={"points": points},
        flow={"viscosity": 0.05} | flow,
        time={"dt": 0.01, "until": 1.0},
        initial=initial or {"name": "random", "k0": 2},
        scalars=list(scalars),
        run={"threads": 1, "device": devices.current(), "precision": precision},
    )


def wave() -> Simulation:
    """u = (sin y, 0, 0)."""
    simulation = Simulation(case_of(initial={"name": "zero"}))
    simulation.set_field("velocity", lambda x, y, z: (np.sin(y) + 0 * x, 0 * x, 0 * x))
    return simulation


def test_a_single_mode():
    """⟨cos⁴⟩/⟨cos²⟩² = 3/2; dissipation and enstrophy are one, ν cos² y, whose powers are known."""
    simulation = wave()
    gradients = simulation.diagnose("gradients")
    assert gradients["moment"].sel(quantity="dy(u.x)", order=4) == pytest.approx(1.5)
    assert gradients["moment"].sel(quantity="dy(u.x)", order=6) == pytest.approx(2.5)
    assert gradients["enstrophy_ratio"] == pytest.approx(1)
    assert gradients["mean_Q"] == pytest.approx(0, abs=1e-12)
    assert gradients["transverse_flatness"] == pytest.approx(6 * 1.5)  # one of six is not zero
    found = simulation.diagnose("dissipation")
    assert list(found["quantity"].values) == ["dissipation", "enstrophy"]
    assert found["mean"].values == pytest.approx([0.05 / 2, 0.5])
    # ⟨cos^(2n)⟩/⟨cos²⟩ⁿ with n = 2, 3, 4; a twelfth of the points per wave, exact below cos¹².
    assert found["ratio"].sel(power=[2, 3, 4]).values[0] == pytest.approx([1.5, 2.5, 4.375])
    inside = found["joint_count"].sum() + found["joint_outside"]
    assert inside == 16 * 12 * 14
    pressure = simulation.diagnose("pressure")
    assert pressure["pressure_gradient"] == pytest.approx(0, abs=1e-20)
    assert pressure["friction"] == pytest.approx(0.05**2 / 2)
    assert pressure["a0"] == pytest.approx((0.05**2 / 2) / (3 * 0.025**1.5 * 0.05**-0.5))


def test_the_pressure_of_a_vortex():
    """Taylor–Green in a plane, u = (cos x sin y, −sin x cos y): p = −(cos 2x + cos 2y)/4, ν∇²u = −2νu."""
    simulation = Simulation(case_of(initial={"name": "zero"}))
    simulation.set_field(
        "velocity", lambda x, y, z: (np.cos(x) * np.sin(y), -np.sin(x) * np.cos(y), 0 * x * y)
    )
    found = simulation.diagnose("pressure")
    assert found["std"].sel(quantity="p") == pytest.approx(0.25)
    assert found["moment"].sel(quantity="p", order=4) == pytest.approx(2.25)
    assert found["pressure_gradient"] == pytest.approx(0.25)
    assert found["friction"] == pytest.approx((2 * 0.05) ** 2 / 2)
    assert found["pressure_to_velocity"] == pytest.approx(0.25 / (0.5 / 3))


def test_relations_of_betchov():
    found = Simulation(case_of()).diagnose("gradients")
    assert found["mean_Q"] == pytest.approx(0, abs=1e-12)
    assert found["mean_R"] == pytest.approx(0, abs=1e-12)
    assert found["enstrophy_ratio"] == pytest.approx(1, rel=1e-12)
    assert found["betchov"] == pytest.approx(1, rel=1e-9)


SETS = {
    "gradients": {},
    "dissipation": {"scalars": [DYE]},
    "pressure": {},
    "scalars": {"scalars": [DYE]},
    "current": {"model": "mhd"},
    "condensate": {},
}


def condensate_case(precision: str = "double") -> Case:
    return Case(
        grid={"points": [16, 12, 14]},
        flow={"model": "gross-pitaevskii", "sound_speed": 1.0, "coherence_length": 0.7},
        time={"dt": 0.01, "until": 1.0},
        initial={"name": "zero"},
        run={"threads": 1, "device": devices.current(), "precision": precision},
    )


def state(kind: str, precision: str = "double") -> Simulation:
    own = dict(SETS[kind])
    if kind == "condensate":
        simulation = Simulation(condensate_case(precision))
        simulation.set_field("psi", lambda x, y, z: (1 + 0.3 * np.cos(x + z), 0.4 * np.sin(y) + 0 * x))
        return simulation
    initial = (
        {"name": "random", "k0": 2, "magnetic": {"name": "random", "k0": 2, "seed": 2}}
        if kind == "current"
        else None
    )
    return Simulation(case_of(initial=initial, precision=precision, **own))


@pytest.mark.parametrize("kind", SETS)
def test_sets_are_the_separate_kinds(kind):
    """Moments and densities of the same texts, and numbers as means of their texts."""
    simulation = state(kind)
    found = simulation.diagnose(kind, order=5, bins=50)
    contents = KINDS[kind](kind=kind).contents(simulation.case)
    for group in contents.groups:
        of = list(group.texts.values())
        moments = simulation.diagnose("moments", of=of, order=5)
        pdf = simulation.diagnose("pdf", of=of, bins=50, scale=group.scale)
        for name in ("mean", "std", "moment"):
            assert np.allclose(found[group.prefix + name], moments[name], rtol=1e-9, atol=1e-12), name
        # Rounding may move a point into the next bin.
        assert np.abs(found[f"{group.prefix}count"].values - pdf["count"].values).sum() <= 4
        assert list(found[f"{group.prefix}quantity"].values) == list(group.texts)
        assert np.isfinite(found[f"{group.prefix}moment"]).all()
    for one in contents.numbers:
        assert found[one.name] == pytest.approx(float(simulation.mean(one.text)), rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("kind", SETS)
def test_single_precision(kind):
    """Moments and numbers of the same state to its rounding, which is seen; every point is counted."""
    double, single = (
        state(kind, precision).diagnose(kind, order=4, bins=50) for precision in ("double", "single")
    )
    deviations = []
    for name in double.data_vars:
        if "count" in name or "pdf" in name or "outside" in name:
            continue
        one, other = (np.atleast_1d(found[name].values) for found in (double, single))
        size = np.maximum(np.abs(one), np.abs(one).max(-1, keepdims=True) * 1e-2)
        deviations.append(np.nanmax(np.abs(other - one) / np.maximum(size, 1e-3)))
    assert 0 < max(deviations) < 2e-4
    for name in double.data_vars:
        if name.endswith("count"):
            # Few points are so near to the end of the bins that rounding moves them out or in.
            assert abs(double[name].sum() - single[name].sum()) < 10


def test_gradients_of_a_scalar_along_and_across_its_mean_gradient():
    simulation = state("scalars")
    found = simulation.diagnose("scalars")
    slopes = simulation.field("grad(dye)")
    along = np.einsum("i,i...", np.array([1, 2, -2]) / 3, slopes)
    assert found["std"].sel(quantity="dye along") == pytest.approx(along.std(), rel=1e-10)
    squares = sum(
        float(found["std"].sel(quantity=f"dye {one}")) ** 2 for one in ("along", "across 1", "across 2")
    )
    assert squares == pytest.approx((slopes**2).sum(0).mean(), rel=1e-10)
    ux, sx = simulation.field("dx(u.x)")[0], slopes[0]
    wanted = (ux * sx**2).mean() / (ux.std() * (sx**2).mean())
    assert found["dye_mixed_skewness_x"] == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("scalars", "needs a scalar or a temperature"),
        ("current", 'needs a magnetic field, which flow.model = "navier-stokes" does not have'),
        ("condensate", "needs a wavefunction"),
    ],
)
def test_a_set_that_the_model_lacks_is_refused(kind, words):
    with pytest.raises(CaseError, match=words):
        wave().diagnose(kind)


@pytest.mark.parametrize("model", ["navier-stokes", "navier-stokes-2d"])
def test_sets_of_plane_flows(model):
    """In two dimensions an isotropic flow has slopes √3 as large across as along."""
    simulation = Simulation(case_of((16, 16, 1), model=model))
    found = simulation.diagnose("gradients", bins=20)
    assert "mean_R" not in found
    assert found["mean_Q"] == pytest.approx(0, abs=1e-12)
    ratio = simulation.mean("dy(u.x)**2 + dx(u.y)**2") / simulation.mean("dx(u.x)**2 + dy(u.y)**2") / 3
    assert found["isotropy"] == pytest.approx(ratio)
    simulation.diagnose("dissipation", bins=20)


@pytest.mark.parametrize(("model", "components"), [("navier-stokes", 3), ("navier-stokes-2d", 2)])
def test_the_acceleration_of_a_plane_flow(model, components):
    """a0 is of a component: of two where the flow has no third one."""
    simulation = Simulation(case_of((16, 16, 1), model=model))
    square = float(simulation.mean("dot(nu*lap(u) - grad(p), nu*lap(u) - grad(p))"))
    loss, nu = float(simulation.mean("2*nu*sum(strain(u)**2)")), simulation.case.flow.viscosity
    found = simulation.diagnose("pressure", bins=20)["a0"]
    assert found == pytest.approx(square / (components * loss**1.5 * nu**-0.5), rel=1e-9)


@pytest.mark.long("one state on five numbers of ranks")
@pytest.mark.mpi
@pytest.mark.only_cpu
def test_bits_do_not_depend_on_ranks_and_threads():
    (first,) = run_on(1, numbers_of, threads=1)
    for ranks, threads in [(1, 2), (2, 1), (3, 1), (4, 1), (6, 1)]:
        for found in run_on(ranks, numbers_of, threads=threads):
            assert len(found) == len(first)
            for key, one in first.items():
                assert np.array_equal(found[key], one, equal_nan=True), key


def numbers_of(world, threads):
    """All arrays of sets of a state whose modes do not depend on the ranks."""
    case = case_of(initial={"name": "zero"}, scalars=[DYE | {"initial": None}])
    case = case.updated(run={"threads": threads}, grid={"dealias": "phase-shift"})
    with Simulation(case, comm=world) as simulation:
        simulation.set_field(
            "velocity",
            lambda x, y, z: (np.sin(y) * np.exp(np.cos(z)), np.exp(np.sin(z + x)), np.cos(x + 2 * y) / 3),
        )
        simulation.set_field("dye", lambda x, y, z: (np.exp(np.sin(x + y) * np.cos(z)),))
        kinds = ("gradients", "dissipation", "pressure", "scalars")
        found = [simulation.diagnose(kind, bins=40) for kind in kinds]
    own = {"threads": threads, "device": devices.current()}
    case = case_of(initial={"name": "zero"}, model="mhd").updated(run=own)
    with Simulation(case, comm=world) as simulation:
        for field, waves in (("velocity", (1, 2, 1)), ("magnetic", (2, 1, 3))):
            a, b, c = waves
            simulation.set_field(
                field,
                lambda x, y, z, a=a, b=b, c=c: (
                    np.exp(np.sin(a * y + z)),
                    np.exp(np.cos(b * z) + 0 * x),
                    np.cos(c * x + y),
                ),
            )
        found.append(simulation.diagnose("current", bins=40))
    return {f"{data.attrs['kind']} {key}": data[key].values for data in found for key in data.data_vars}


@pytest.mark.mpi
@pytest.mark.only_cpu
def test_the_condensate_on_ranks():
    """To rounding, for that of the transform of ψ depends on the rows that a rank has."""
    (first,) = run_on(1, condensate_of)
    for ranks in (2, 3, 4, 6):
        for found in run_on(ranks, condensate_of):
            for name, one in first.items():
                if name.endswith("count"):
                    assert found[name].sum() == pytest.approx(one.sum(), abs=4)
                    assert np.abs(found[name].astype(float) - one.astype(float)).sum() <= 8
                elif "pdf" not in name:
                    assert np.allclose(found[name], one, rtol=1e-11, atol=1e-12, equal_nan=True), name


def condensate_of(world):
    own = {"threads": 1, "device": devices.current()}
    with Simulation(condensate_case().updated(run=own), comm=world) as simulation:
        simulation.set_field("psi", lambda x, y, z: (1 + 0.3 * np.cos(x + z), 0.4 * np.sin(y) + 0 * x))
        found = simulation.diagnose("condensate", bins=40)
    return {name: one.values for name, one in found.data_vars.items()}


def test_sets_between_walls():
    """The dissipations are the columns; Q has no mean between free-slip walls either."""
    case = Case(
        grid={"points": [12, 10, 14], "lengths": [2.0, 2.0, 1.0]},
        flow={"model": "rayleigh-benard", "rayleigh": 1e4, "prandtl": 0.7},
        time={"dt": 1e-3, "until": 1.0},
        initial={"name": "zero", "temperature": {"name": "formula", "value": "sin(pi*z)*cos(pi*x)"}},
        run={"threads": 1, "device": devices.current()},
    )
    simulation = Simulation(case)
    while simulation.step_number < 5:
        simulation.step()
    found, row = simulation.diagnose("dissipation"), simulation.statistics()
    assert found["mean"].sel(quantity="dissipation") == pytest.approx(row["dissipation"], rel=1e-10)
    assert found["mean"].sel(quantity="thermal_dissipation") == pytest.approx(row["thermal_dissipation"])
    assert simulation.diagnose("gradients")["mean_Q"] == pytest.approx(0, abs=1e-10)
    assert simulation.diagnose("scalars")["std"].sel(quantity="temperature") == pytest.approx(0.5, rel=0.1)
    assert simulation.diagnose("pressure")["a0"] > 0
