"""A run with particles, its options and its mistakes, as typed."""

import json

import pytest
import xarray as xr
from cli.commands import CASE, settings
from support.build import needs
from support.report_pages import Page
from whorl.particles.options import KINDS
from whorl.results.runs import open_run

pytestmark = needs("hdf5")

BLOCK = """
[[particles]]
kind = "tracer"
count = 20
of = ["u", "norm(curl(u))"]
every = "2 steps"
"""


def test_a_run_writes_its_particles_and_goes_on(whorl, tmp_path):
    (tmp_path / "box.toml").write_text(CASE + BLOCK)
    assert whorl("run", "box.toml").code == 0
    data = open_run(tmp_path / "box").particles["tracer"]
    assert data["value"].sizes == {"time": 6, "particle": 20, "quantity": 4}
    assert data["step"].values.tolist() == [0, 2, 4, 6, 8, 10]
    assert whorl("plot", "box", "--particles", "tracer").code == 0
    assert (tmp_path / "box" / "particles-tracer.png").stat().st_size > 10_000
    refused = whorl("plot", "box", "--particles", "tracer", "--field", "u", "--correlation")
    assert (refused.code, refused.out) == (2, "")
    assert "--field, --correlation: a picture of --particles without -d KIND does not take" in refused.err
    other = whorl("plot", "box", "--particles", "tracers")
    assert "has no particles tracers; did you mean tracer? Particles: tracer." in " ".join(other.err.split())
    assert whorl("restart", "box", "--until", "0.3").code == 0
    assert open_run(tmp_path / "box").particles["tracer"]["step"].values[-1] == 15
    assert whorl("restart", "box", "-o", "new", "--until", "0.4").code == 0
    assert open_run(tmp_path / "new").particles["tracer"]["step"].values.tolist() == [15, 17, 19, 20]
    refused = whorl("restart", "box", "--until", "0.4", "--set", "particles.0.seed=2")
    assert (refused.code, refused.out) == (2, "")
    assert "have other options; a restart may change only their every and of" in " ".join(refused.err.split())
    resolved = (tmp_path / "box" / "case.toml").read_text()
    assert 'interpolation = "lagrange" # polynomials through the nearest values' in resolved


def test_a_run_reads_products_and_writes_by_particle(whorl, tmp_path, undrawn):
    block = BLOCK.replace('["u", "norm(curl(u))"]', '["p", "material_acceleration"]\norder = "particle"')
    (tmp_path / "box.toml").write_text(CASE + block)
    assert whorl("run", "box.toml").code == 0
    data = open_run(tmp_path / "box").particles["tracer"]
    wanted = ["p", *(f"material_acceleration.{axis}" for axis in "xyz")]
    assert data["quantity"].values.tolist() == wanted
    assert data["position"].dims == ("time", "particle", "axis")
    assert abs(data["value"].sel(quantity="p").values).max() > 0
    told = (tmp_path / "box" / "log.txt").read_text()
    assert "particles.tracer.of: 3 inputs, 6 products" in told
    assert "4 inputs at the particles" in told
    assert "particles = " in next(line for line in told.splitlines() if "counted:" in line)
    assert (tmp_path / "box" / "particles-tracer.vtkhdf").is_file()
    assert whorl("report", "box").code == 0
    assert "Particles" in (tmp_path / "box" / "report.html").read_text()
    assert whorl("restart", "box", "--until", "0.3").code == 0
    assert open_run(tmp_path / "box").particles["tracer"]["step"].values[-1] == 15


def test_too_many_particles_end_at_once(whorl, tmp_path):
    block = BLOCK.replace("count = 20", "count = 1000000000")
    blocks = "".join(block.replace("kind =", f'name = "g{n}"\nkind =') for n in range(20))
    (tmp_path / "box.toml").write_text(CASE + blocks)
    result = whorl("run", "box.toml")
    assert (result.code, result.out) == (2, "")
    told = " ".join(result.err.split())
    assert "20000000000 particles need" in told
    assert "TiB of memory" in told
    assert "use at most about" in told
    assert not (tmp_path / "box").exists()


def test_options_are_listed_and_a_new_case_has_a_block(whorl):
    options = whorl("options", "particles").out
    assert options.count("particles.kind = ") == len(KINDS)
    for name in ("count", "seed", "positions", "lattice", "interpolation", "points", "of", "every"):
        assert f"particles.{name} " in options
    assert "# [[particles]]" in whorl("new", "navier-stokes").out


def test_a_case_with_wrong_particles_ends_at_once(whorl, tmp_path):
    for right, wrong, told in (
        ("count = 20", "count = 20\nlattice = 3", "takes one of count, positions, lattice"),
        ('"u",', '"crul(u)",', "particles.tracer.of: there is no function crul(); did you mean curl?"),
        ("count", "cuont", "did you mean particles[0].count?"),
        ('"u",', '"dx(x*u.x)",', "particles.tracer.of: x is not periodic"),
        ("count = 20", 'count = 20\norder = "axis"', "it must be one of time, particle"),
    ):
        (tmp_path / "box.toml").write_text(CASE + BLOCK.replace(right, wrong))
        result = whorl("run", "box.toml")
        assert (result.code, result.out) == (2, "")
        assert told in " ".join(result.err.split())
        assert not (tmp_path / "box").exists()


KINDS_BLOCK = """
[[particles]]
kind = "inertial"
count = 4
pairs = [0.1, 0.2]
response_time = 0.1
gravity = [0.0, 0.0, -1.0]

[[particles]]
kind = "molecular"
path = "places.txt"
schmidt_number = 0.7
"""


def test_a_run_has_other_kinds_of_particles_and_a_file_of_places(whorl, tmp_path):
    (tmp_path / "places.txt").write_text("1 2 3\n4 5 6\n")
    (tmp_path / "box.toml").write_text(CASE + KINDS_BLOCK)
    assert whorl("run", "box.toml").code == 0
    data = open_run(tmp_path / "box").particles
    assert data["inertial"]["velocity"].shape == (2, 16, 3)
    assert data["molecular"]["position"][0].values.tolist() == [[1, 2, 3], [4, 5, 6]]
    resolved = (tmp_path / "box" / "case.toml").read_text()
    assert "pairs = [0.1, 0.2] # separations of pairs in random directions" in resolved
    (tmp_path / "places.txt").unlink()
    assert whorl("restart", "box", "--until", "0.3").code == 0


def test_wrong_kinds_and_places_end_at_once(whorl, tmp_path):
    (tmp_path / "places.txt").write_text("1 2\n")
    for right, wrong, told in (
        ("response_time = 0.1", "", "takes either response_time or stokes_number; given: none"),
        ("response_time = 0.1", "response_time = -1.0", "it must be greater than 0"),
        ("schmidt_number = 0.7", "diffusivity = 0.1", "places.txt has an array of shape (1, 2)"),
        ('path = "places.txt"', 'path = "none.npy"', "none.npy cannot be read"),
        ('"molecular"', '"molecule"', "did you mean molecular?"),
        ("[0.1, 0.2]", "[0.1, 0.0]", "particles[0].pairs[1] = 0.0"),
        (
            "count = 4",
            "",
            "particles.inertial.pairs goes with particles.inertial.count, which is missing",
        ),
    ):
        block = KINDS_BLOCK.replace(right, wrong)
        if "places.txt has" not in told and "none.npy" not in told:
            block = block.replace('path = "places.txt"', "count = 2")
        (tmp_path / "box.toml").write_text(CASE + block)
        result = whorl("run", "box.toml")
        assert (result.code, result.out) == (2, "")
        assert told in " ".join(result.err.split())
        assert "Traceback" not in result.err
        assert not (tmp_path / "box").exists()


STATISTICS = """
[[particles]]
kind = "tracer"
name = "cloud"
count = 40
of = ["u"]
"""


@pytest.mark.long("averages, a picture and the report of one run")
def test_statistics_are_printed_written_and_drawn(whorl, tmp_path, undrawn):
    (tmp_path / "box.toml").write_text(CASE + STATISTICS)
    more = ("particles.0.every='1 step'", "time.until=0.8", "output.snapshot_every=0.8")
    assert whorl("run", "box.toml", *settings(*more)).code == 0
    of = ("box", "--particles", "cloud")
    table = whorl("average", *of, "--from", "0.1", "-o", "means.h5")
    assert (table.code, table.err) == (0, "")
    for told in ("mean_variance", "mean_flatness", "C0", "dimension", "probability", "Velocity: u as read."):
        assert told in table.out
    with xr.open_dataset(tmp_path / "means.h5", group="velocity") as data:
        assert data["variance"].sizes == {"axis": 3}
    plain = json.loads(whorl("average", *of, "-d", "velocity", "-d", "uniformity", "--json").out)
    assert set(plain["statistics"]) == {"velocity", "uniformity"}
    drawn = whorl("plot", *of, "-d", "dispersion")
    assert (drawn.code, drawn.err) == (0, "")
    assert (tmp_path / "box" / "particles-cloud-dispersion.png").stat().st_size > 10_000
    for words, told in {
        ("average", *of, "--file", "a.h5", "--keep-mean"): "--file, --remove-mean/--keep-mean: averages of",
        ("average", *of, "-d", "pears"): "no statistics pears of particles; did you mean pairs?",
        ("average", *of, "-d", "pairs"): "particles are not released in pairs: particles.pairs has their",
        ("plot", *of, "-d", "path"): "path is no picture of particles; did you mean paths?",
        ("plot", *of, "--from", "1"): "--from: a picture of --particles without -d KIND does not take this",
        (
            "plot",
            *of,
            "-d",
            "paths",
            "--probes",
            "x",
        ): "--probes: a picture of --particles with -d KIND does not take this",
    }.items():
        refused = whorl(*words)
        assert (refused.code, refused.out) == (2, "")
        assert told in " ".join(refused.err.split())
    assert whorl("report", "box", "--from", "0.1").code == 0
    made = Page(tmp_path / "box" / "report.html")
    titles = [one.text for one in made["particles"].iter("h3")]
    assert titles[:2] == ["cloud", "cloud, dispersion"]
    assert "cloud, clustering" in titles
    assert "bands are standard errors. Scales: ε = " in made.told("particles")
