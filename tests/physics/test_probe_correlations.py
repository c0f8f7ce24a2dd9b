"""Correlations in time of runs: linear waves, whose correlation is a cosine, and probes by shells."""

import numpy as np
import pytest
import xarray as xr
from physics.test_probes import case_of
from support.build import needs
from support.ranks import on_ranks
from whorl.base.errors import CaseError
from whorl.output import growing_table as output
from whorl.probes.results.correlation import correlate_probe
from whorl.probes.results.time_correlation import mode_correlation, shell_correlation, time_correlation
from whorl.results.runs import open_run
from whorl.run.simulation import Simulation

pytestmark = pytest.mark.every_device

WAVES = {"time": {"scheme": "rk4", "dt": 0.05, "steps": 200}, "initial": {"name": "zero"}}
PLATES = {"points": 16, "lengths": [2 * np.pi, 2 * np.pi, 1.0]}
SHELLS = {"kind": "modes", "name": "shells", "of": ["u"], "shells": [0.5, 1.5, 3.0, 4.5], "sample": 9}


def test_the_correlation_of_an_inertial_wave_is_a_cosine():
    """A Beltrami wave of positive helicity, whose products vanish: ω = −2 Ω k_z/k."""
    rotation = 3.0
    case = case_of(
        flow={"viscosity": 0.0, "rotation": rotation, "linear": "exact"},
        probes=[{"kind": "modes", "of": ["u"], "modes": [[1, 0, 1], [-1, 0, -1]]}],
        **WAVES,
    )
    simulation = Simulation(case)

    def wave(x, y, z):
        across = np.sin(x + z) / np.sqrt(2)
        return across, np.cos(x + z), -across

    simulation.set_field("velocity", wave)
    simulation.run(progress=False)
    found = mode_correlation(simulation.probes["modes"])
    omega = rotation * np.sqrt(2)
    for mode in range(2):
        np.testing.assert_allclose(found["correlation"][mode], np.cos(omega * found["lag"]), atol=1e-10)
    np.testing.assert_allclose(found["first_zero"], np.pi / 2 / omega, rtol=2e-3)
    np.testing.assert_allclose(found["micro_time"], np.sqrt(2) / omega, rtol=1e-4)
    np.testing.assert_allclose(found["mean_square"], 0.5, rtol=1e-10)


def test_the_correlation_of_a_gravity_wave_at_points_is_a_cosine():
    """Points that have all phases of the wave, together; ω = N k_x/k of a wave that stands in y."""
    frequency = 2.0
    points = [[2 * np.pi * n / 6, 0.3, 0.4] for n in range(6)]
    case = case_of(
        flow={
            "model": "boussinesq",
            "viscosity": 0.0,
            "buoyancy_frequency": frequency,
            "linear": "exact",
        },
        probes=[{"kind": "points", "of": ["u.z", "theta"], "positions": points}],
        **WAVES,
    )
    simulation = Simulation(case)
    simulation.set_field("velocity", lambda x, y, z: (-2 * np.cos(x + 2 * z), 0.0, np.cos(x + 2 * z)))
    amplitude = np.sqrt(5.0)  # of θ, with as much energy as u
    simulation.set_field("temperature", lambda x, y, z: amplitude * np.sin(x + 2 * z) + 0 * y)
    simulation.run(progress=False)
    found = time_correlation(simulation.probes["points"]["value"], over="point", remove_mean=False)
    omega = frequency / np.sqrt(5.0)
    for quantity in range(2):
        np.testing.assert_allclose(found["correlation"][quantity], np.cos(omega * found["lag"]), atol=1e-10)
    np.testing.assert_allclose(found["mean_square"], [3.0, 15.0], rtol=1e-10)  # six halves of squares


def shells_of(simulation) -> xr.Dataset:
    simulation.run(progress=False)
    return simulation.probes["shells"]


def test_a_probe_by_shells_reads_the_modes_of_these_shells():
    by_shell = shells_of(Simulation(case_of(probes=[SHELLS])))
    k = np.stack([by_shell[f"k{axis}"].values for axis in "xyz"], 1).round().astype(int)
    size = np.linalg.norm(k, axis=1)
    assert np.all((by_shell["shell_lower"] <= size) & (size < by_shell["shell_upper"]))
    assert np.unique(by_shell["shell_lower"], return_counts=True)[1].tolist() == [9, 9, 9]
    listed = {"kind": "modes", "name": "shells", "of": ["u"], "modes": k.tolist()}
    by_list = shells_of(Simulation(case_of(probes=[listed])))
    np.testing.assert_array_equal(by_list["amplitude"], by_shell["amplitude"])
    assert by_list["mode"].values.tolist() == by_shell["mode"].values.tolist()
    assert np.all(np.abs(by_shell["amplitude"]).max(["time", "quantity"]) > 0)


@pytest.mark.parametrize(
    ("sections", "modes"),
    [
        # Of ψ both k and −k; of a real field one of the two; along walls neither has a sign.
        ({"flow": {"model": "gross-pitaevskii", "sound_speed": 1.0, "coherence_length": 0.1}}, [6, 12]),
        ({"flow": {"viscosity": 0.1}}, [3, 6]),
        ({"flow": {"model": "rayleigh-benard", "rayleigh": 1e4, "prandtl": 1.0}, "grid": PLATES}, [2, 2]),
    ],
)
def test_shells_of_each_kind_of_field(sections, modes):
    field = "psi" if "sound_speed" in sections["flow"] else "u.x"
    probe = {"kind": "modes", "name": "shells", "of": field, "shells": [0.9, 1.1, 1.5]}
    simulation = Simulation(case_of(probes=[probe], initial={"name": "zero"}, **sections))
    simulation.step()
    counts = np.unique(simulation.probes["shells"]["shell_lower"], return_counts=True)[1]
    assert counts.tolist() == modes


@needs("hdf5")
def test_correlations_of_a_run_that_was_restarted_are_those_of_the_whole_one(tmp_path, monkeypatch):
    monkeypatch.setattr(output, "MOST_ROWS", 7)
    points = {"kind": "points", "of": ["u"], "positions": [[1.0, 2.0, 3.0], [0.0, 1.0, 0.0]]}
    sections = {"time": {"dt": 0.01, "steps": 40}, "probes": [SHELLS, points]}
    Simulation(case_of(tmp_path / "whole", **sections)).run(progress=False)
    begun = Simulation(case_of(tmp_path / "parts", **sections))
    for _ in range(23):
        begun.step()
    del begun
    Simulation.restart(tmp_path / "parts").run(progress=False)
    for name in ("shells", "points"):
        one, two = (
            correlate_probe(open_run(tmp_path / part), name, start=0.0) for part in ("whole", "parts")
        )
        assert one.found.keys() == two.found.keys()
        assert one.notes == two.notes == ()
        assert one.to_dict() == two.to_dict()
        rows = open_run(tmp_path / "whole").probes[name]
        assert (one.start, one.end) == (0.0, float(rows["time"][-1]))
    # A window has the rows between its ends.
    late = correlate_probe(open_run(tmp_path / "whole"), "shells", start=0.1, end=0.3)["shell"]
    data = open_run(tmp_path / "whole").probes["shells"].isel(time=slice(10, 31))
    xr.testing.assert_identical(late, shell_correlation(data))


@on_ranks(1, 2, 4)
def test_shells_on_ranks(world):
    """All ranks choose the same modes, which do not depend on their number."""
    case = case_of(probes=[SHELLS], grid={"points": [16, 12, 14]}, initial={"name": "zero"})

    def run(comm):
        with Simulation(case, comm=comm) as simulation:
            simulation.set_field(
                "velocity", lambda x, y, z: (np.sin(y + z), np.exp(np.cos(z + x)), np.cos(x + 2 * y) + 0 * z)
            )
            for _ in range(3):
                simulation.step()
            return simulation.probes["shells"]

    found = run(world)
    from whorl.base.ranks import MPI

    alone = run(MPI.COMM_SELF)
    xr.testing.assert_allclose(found, alone, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"modes": [[1, 0, 0]], "shells": "linear"}, "takes either modes, or the modes of shells"),
        ({}, "takes either modes, or the modes of shells"),
        ({"modes": [[1, 0, 0]], "sample": 3}, r"probes\.modes\.sample goes with probes\.modes\.shells"),
        ({"shells": "linaer"}, "must be linear or logarithmic, .*did you mean linear"),
        ({"shells": [3.0, 2.0]}, "which rise from 0 or more on"),
        ({"shells": [2.0]}, "two numbers at least"),
        ({"shells": [20.0, 30.0]}, "shells begin at 20, beyond all k"),
        ({"shells": [1.1, 1.2]}, "there is no mode from 1.1 to 1.2; choose other edges"),
        ({"shells": "linear", "sample": 0}, "sample"),
        ({"shells": "linear", "sampel": 3}, r"did you mean probes\[0\]\.sample"),
        ({"shells": [k / 100 for k in range(100, 400)]}, "shells are 299, more than 200"),
        ({"shells": "linear", "of": ["u", "grad(u)", "omega"] , "grid": 64}, "give a sample|at most 100000"),
        ({"shells": "linear", "grid": 128}, "modes, more than 100000; give a sample"),
    ],
)  # fmt: skip
def test_what_shells_may_not_ask(options, told):
    given = dict(options)
    points = given.pop("grid", 16)
    with pytest.raises(CaseError, match=told) as error:
        case_of(probes=[{"kind": "modes", "of": "u"} | given], grid={"points": points})
    assert "\n\n" not in str(error.value)


@needs("hdf5")
def test_what_a_run_cannot_correlate_is_told(tmp_path):
    Simulation(case_of(tmp_path / "run")).run(progress=False)
    run = open_run(tmp_path / "run")
    with pytest.raises(CaseError, match="has no probe modus; did you mean modes"):
        correlate_probe(run, "modus")
    with pytest.raises(CaseError, match="of 11 times is too short"):
        correlate_probe(run, "modes", start=0.0)
    with pytest.raises(CaseError, match=r"probes\.h5, line has fewer than two rows in the window"):
        correlate_probe(run, "line", start=0.04, end=0.08)
