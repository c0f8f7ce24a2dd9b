"""The site of docs/: built without a warning, with all that it promises, and no server needed to read it."""

import inspect
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import whorl
from whorl.config.case import Case, ready_cases
from whorl.config.explain import options as options_of
from whorl.diagnostics.options import KINDS

pytest.importorskip("sphinx", reason="the site needs the extra docs, which `make docs` installs")

ROOT = Path(__file__).parents[2]
MATHJAX = "_static/tex-svg-full.js"
pytestmark = pytest.mark.pages


def build(docs: Path, site: Path, *options: str) -> subprocess.CompletedProcess[str]:
    trees = site.with_name(f"{site.name}-trees")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", *options, "-d", trees, docs, site]
    return subprocess.run(command, capture_output=True, text=True, timeout=500)


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "html"
    result = build(ROOT / "docs", folder)
    assert result.returncode == 0, result.stderr
    return folder


def page(site: Path, name: str) -> str:
    return (site / f"{name}.html").read_text(encoding="utf-8")


def test_every_page_of_the_documentation_is_a_page_of_the_site(site):
    for path in (ROOT / "docs").rglob("*.md"):
        assert (site / path.relative_to(ROOT / "docs").with_suffix(".html")).is_file()


def test_the_gallery_has_every_ready_case_diagnostic_and_script(site):
    gallery = page(site, "gallery")
    scripts = [path.name for path in (ROOT / "examples").glob("*.py")]
    for name in [*ready_cases(), *KINDS, *scripts]:
        assert f'<span class="pre">{name}</span>' in gallery
    for path in (ROOT / "examples/notebooks").glob("*.ipynb"):
        assert f'href="sources/examples/notebooks/{path.name}.html"' in gallery
    pictures = re.findall(r'<img [^>]*src="(_images/[^"]+)"', gallery)
    assert len(pictures) == len(ready_cases()) + len(KINDS)
    assert all((site / path).stat().st_size for path in pictures)


@pytest.mark.parametrize("name", [name for name in whorl.__all__ if name != "__version__"])
def test_public_names_have_their_whole_signature(site, name):
    api = page(site, "api")
    entry = re.search(rf'<dt class="sig[^>]*id="whorl\.{name}">(.*?)</dt>', api, re.DOTALL)
    assert entry, f"docs/api.md does not have {name}"
    text = re.sub(r"<[^>]*>", "", entry[1])
    assert " at 0x" not in text
    for parameter in inspect.signature(getattr(whorl, name)).parameters:
        assert re.search(rf"\b{parameter}\b", text), f"{name} has no {parameter} in docs/api.md: {text}"


def test_methods_of_a_simulation_are_described(site):
    api = page(site, "api")
    for name, member in vars(whorl.Simulation).items():
        if not name.startswith("_") and inspect.getdoc(member):
            assert f'id="whorl.Simulation.{name}"' in api


def test_formulas_need_no_server(site):
    method = page(site, "method")
    assert f'src="{MATHJAX}?' in method
    assert (site / MATHJAX).stat().st_size > 1e6
    assert "https://cdn" not in method


def test_the_search_knows_words_of_pages(site):
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    found = json.loads(index[index.index("{") : index.rindex("}") + 1])
    of = found["terms"]["enstrophi"]
    names = {found["docnames"][number] for number in (of if isinstance(of, list) else [of])}
    assert "validation" in names


def test_the_page_of_options_has_every_option_and_the_search_finds_it(site):
    text = page(site, "options")
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    for one in options_of(Case):
        assert re.search(rf'<span class="pre">{re.escape(one.key)}</span>', text), one.key
    for key in ("flow.viscosity", "time.courant", "run.device"):
        assert f'"{key}":[[' in index
        assert f'id="{key.replace(".", "-")}"' in text


def test_a_search_from_a_disk_reads_no_pages(site):
    assert "SHOW_SEARCH_SUMMARY = false" in (site / "_static/disk.js").read_text(encoding="utf-8")
    scripts = re.findall(r'<script[^>]* src="_static/([\w-]+\.js)', page(site, "search"))
    assert scripts.index("documentation_options.js") < scripts.index("disk.js")


def test_pictures_in_the_text_lead_to_their_files(site):
    assert re.search(r'href="_images/validation-re1600-64.png"><img', page(site, "validation"))


def test_files_outside_docs_have_pages(site):
    assert "MPI_Alltoallv" in page(site, "sources/core/exchange/alltoall.cpp")
    assert 'href="../sources/core/exchange/alltoall.cpp.html"' in page(site, "exchange/alltoall")
    assert 'href="contributing.html"' in page(site, "architecture")


def test_notebooks_have_pages_whose_links_lead_to_pages(site):
    shown = page(site, "sources/examples/notebooks/forced_turbulence.ipynb")
    assert "<h1>Forced turbulence, with statistics</h1>" in shown
    assert 'href="../../../tutorial.html"' in shown
    assert "open_run" in shown
    assert "cell_type" not in shown


def test_no_path_of_this_machine_is_on_a_page(site):
    for path in site.rglob("*.html"):
        assert str(ROOT) not in path.read_text(encoding="utf-8"), path


@pytest.fixture
def small_docs(tmp_path) -> Path:
    """The site's configuration in a copy of the repository with one page."""
    docs = tmp_path / "docs"
    shutil.copytree(ROOT / "docs", docs, ignore=shutil.ignore_patterns("*.md", "figures", "__pycache__"))
    (docs / "index.md").write_text("# A page\n\n## Here\n\n[there](#here)\n")
    return docs


def test_links_lead_to_files_and_folders_outside(small_docs, tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "README.md").write_text("readable\n")
    (folder / "data.csv").write_text("readable `1\n")
    links = ("../notes", "../notes/", "../notes/README.md", "../notes/data.csv")
    (small_docs / "index.md").write_text("# A page\n\n" + "\n".join(f"[there]({link})" for link in links))
    result = build(small_docs, tmp_path / "html")
    assert (result.returncode, result.stderr) == (0, "")
    index = page(tmp_path / "html", "index")
    for file, count in {"README.md": 3, "data.csv": 1}.items():
        assert index.count(f'href="sources/notes/{file}.html"') == count
        assert "readable" in page(tmp_path / "html", f"sources/notes/{file}")


FAULTS = {
    "[x](nowhere.md)": "cross-reference target not found: 'nowhere.md'",
    "[x](#nowhere)": "'nowhere'",
    "<a href='nowhere.html'>x</a>": "index.html links to nowhere.html: no such file",
    "<a href='index.html#absent'>x</a>": "index.html links to index.html#absent: no such anchor",
    "<img src='https://example.org/x.png'>": "index.html loads https://example.org/x.png",
    "![x](nowhere.png)": "image file not readable: nowhere.png",
}


def test_faults_of_a_page_end_the_build(small_docs, tmp_path):
    with (small_docs / "index.md").open("a") as page:
        page.write("\n" + "\n\n".join(FAULTS) + "\n")
    result = build(small_docs, tmp_path / "html")
    assert result.returncode == 1
    for said in FAULTS.values():
        assert said in result.stderr
