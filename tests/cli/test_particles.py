"""A run with particles, its options and its mistakes, as typed."""

from cli.commands import CASE
from support.build import needs
from whorl.config.particles import KINDS
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
    refused = whorl("plot", "box", "--particles", "tracer", "--field", "u", "--resample")
    assert (refused.code, refused.out) == (2, "")
    assert "--field, --resample: a picture of --particles does not take this" in refused.err
    other = whorl("plot", "box", "--particles", "tracers")
    assert "has no particles tracers; did you mean tracer? Particles: tracer." in " ".join(other.err.split())
    assert whorl("restart", "box", "--until", "0.3").code == 0
    assert open_run(tmp_path / "box").particles["tracer"]["step"].values[-1] == 15
    assert whorl("restart", "box", "-o", "new", "--until", "0.4").code == 0
    assert open_run(tmp_path / "new").particles["tracer"]["step"].values.tolist() == [15, 16, 18, 20]
    refused = whorl("restart", "box", "--until", "0.4", "--set", "particles.0.seed=2")
    assert (refused.code, refused.out) == (2, "")
    assert "have other options; a restart may change their every and of alone" in " ".join(
        refused.err.split()
    )
    resolved = (tmp_path / "box" / "case.toml").read_text()
    assert 'interpolation = "spline" # B-splines through all values' in resolved


def test_a_run_reads_products_and_writes_by_particle(whorl, tmp_path):
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
    assert whorl("plot", "box", "--particles", "tracer").code == 0
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
