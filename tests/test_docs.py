"""The documentation: its names and links are there, and its examples run. MkDocs builds it in `.ci/run --all`."""

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import espalier
from docs.tools import check_site, docstrings
from espalier import analysis, data, export, learners
from espalier.executors import nursery, pool

PROJECT = Path(__file__).resolve().parent.parent
PAGES = sorted((PROJECT / "docs").rglob("*.md"))
TEXTS = [PROJECT / "README.md", *PAGES]
LENIENT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
NAME = re.compile(r"\bespalier(?:\.[A-Za-z_]\w*)+")
LINK = re.compile(r"""\]\(([^)\s#]+)|(?:src|srcset|href)="([^"#]+)|^-+8<-+ "([^"]+)""", re.MULTILINE)
BLOCK = re.compile(r"^```(python|pycon)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
REFERENCE = re.compile(r"^::: (\S+)\n(?: +options: \{inherited_members: \[(.*)\])?", re.MULTILINE)
FACES = (data, learners, analysis, export)


def title(path: Path) -> str:
    return path.relative_to(PROJECT).as_posix()


def is_there(name: str) -> bool:
    """Whether a dotted name is a module, or an attribute of one."""
    words = name.split(".")
    for n in range(len(words), 0, -1):
        try:
            thing = importlib.import_module(".".join(words[:n]))
        except ModuleNotFoundError:
            continue
        for word in words[n:]:
            if not hasattr(thing, word):
                return False
            thing = getattr(thing, word)
        return True
    return False


def missing_links(path: Path) -> list[str]:
    """Files that a text links to, or takes in, and that are not there."""
    prose = FENCED.sub("", path.read_text("utf-8"))
    links = [("".join(groups[:2]), groups[2]) for groups in LINK.findall(prose)]
    files = [PROJECT / taken if taken else path.parent / link for link, taken in links if ":" not in link]
    return [str(file) for file in files if not file.exists()]


def run_examples(path: Path) -> list[str]:
    """Run the Python of a page from top to bottom, as one session; return what is not as the page says."""
    said: list[str] = []
    names: dict[str, object] = {"__name__": title(path)}
    for language, code in BLOCK.findall(path.read_text("utf-8")):
        if language == "python":
            exec(compile(code, title(path), "exec"), names)
            continue
        example = doctest.DocTestParser().get_doctest(code, names, title(path), str(path), 0)
        doctest.DocTestRunner(verbose=False, optionflags=LENIENT).run(example, out=said.append, clear_globs=False)
        names |= example.globs
    return said


def references() -> dict[str, list[str]]:
    """Names in the reference, each with the inherited members that are listed there."""
    texts = [page.read_text("utf-8") for page in PAGES]
    return {
        name: members.split(", ") if members else [] for text in texts for name, members in REFERENCE.findall(text)
    }


def test_a_name_that_is_not_there_and_a_link_that_leads_nowhere_are_noticed(tmp_path):
    assert is_there("espalier.learners.CartClassifier.fit")
    assert not is_there("espalier.learners.CartClassifier.nonsense")
    assert not is_there("espalier.nonsense")
    page = tmp_path / "page.md"
    page.write_text('[there](page.md#top) [away](https://x.example) [not](nonsense.md)\n--8<-- "nothing.md"\n')
    assert missing_links(page) == [str(tmp_path / "nonsense.md"), str(PROJECT / "nothing.md")]


def test_an_example_that_is_wrong_is_noticed(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "PROJECT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text("```python\nx = 1\n```\n\n```pycon\n>>> x + 1\n3\n```\n")
    assert len(run_examples(page)) == 1


def test_every_name_and_link_in_the_documentation_is_there():
    names = {(name, title(path)) for path in TEXTS for name in NAME.findall(path.read_text("utf-8"))}
    assert not [place for place in names if not is_there(place[0])]
    assert not [(link, title(path)) for path in TEXTS for link in missing_links(path)]


def pages_with_examples():
    """Pages of text with Python; one begins processes, which examples in docstrings do as well."""
    for path in (path for path in TEXTS if BLOCK.search(path.read_text("utf-8"))):
        yield pytest.param(path, marks=[pytest.mark.slow] * (path.name == "past-one-machine.md"), id=title(path))


@pytest.mark.parametrize("path", [*pages_with_examples()])
def test_every_example_in_the_documentation_runs(path: Path):
    assert not run_examples(path)


@pytest.mark.parametrize("face", FACES, ids=lambda face: face.__name__)
def test_the_reference_has_every_public_name(face):
    names = references()
    public = {f"{face.__name__}.{name}" for name in face.__all__ if name != "samples"}
    if face.__name__ in names:  # with all of its public names but those that stand on another page
        there = (PROJECT / "docs/reference/learners.md").read_text("utf-8")
        public = {name for name in public if re.search("|".join(re.findall(r'"!([A-Z]\w+)"', there)), name)}
        assert public
    assert public <= names.keys()


def test_every_page_of_the_documentation_is_listed_in_its_navigation():
    pages = {path.relative_to(PROJECT / "docs").as_posix() for path in PAGES}
    assert pages == set(re.findall(r"[\w/-]+\.md", (PROJECT / "mkdocs.yml").read_text("utf-8")))


def test_every_inherited_member_in_the_reference_is_there():
    assert not [f"{n}.{m}" for n, members in references().items() for m in members if not is_there(f"{n}.{m}")]


def test_docstrings_become_markdown_as_their_examples_say():
    assert doctest.testmod(docstrings).attempted > 2
    assert doctest.testmod(docstrings).failed == 0


def test_the_site_has_the_colours_of_the_app():
    theme = tomllib.loads((PROJECT / ".streamlit" / "config.toml").read_text("utf-8"))["theme"]
    colours = (PROJECT / "docs" / "theme" / "colours.css").read_text("utf-8")
    for scheme in ("light", "dark"):
        assert f"--md-typeset-a-color: {theme[scheme]['primaryColor'].lower()}" in colours


def test_a_built_site_with_broken_links_or_a_script_from_elsewhere_is_noticed(tmp_path):
    (tmp_path / "index.html").write_text(
        '<h1 id="top">Top</h1><a href="#top">a</a><a href="other.html#low">b</a><a href="https://x.example">c</a>'
    )
    (tmp_path / "other.html").write_text('<script src="https://x.example/a.js"></script><a href="gone.html">d</a>')
    assert list(check_site.faults(tmp_path)) == [
        "index.html has a broken link: other.html#low",
        "other.html loads https://x.example/a.js",
        "other.html has a broken link: gone.html",
    ]


def test_the_glossary_has_every_word_of_the_architecture():
    architecture = (PROJECT / "ARCHITECTURE.md").read_text("utf-8").partition("## Glossary")[2]
    words = re.findall(r"\*\*([^*]+)\*\*:", architecture)
    glossary = (PROJECT / "docs" / "glossary.md").read_text("utf-8")
    assert len(words) > 20
    terms = {term for line in re.findall(r"^(.+)\n: ", glossary, re.MULTILINE) for term in line.split(", ")}
    assert not set(words) - terms


def test_the_benchmarks_page_has_every_benchmark():
    page = (PROJECT / "docs" / "benchmarks.md").read_text("utf-8")
    runnable = [p.name for p in PROJECT.glob("benchmarks/*.py") if "argparse" in p.read_text("utf-8")]
    assert len(runnable) > 5
    assert not [name for name in runnable if f"`{name}`" not in page]


def test_every_page_of_the_app_has_a_page_in_the_guide():
    there = {path.stem for path in (PROJECT / "docs" / "guide").glob("*.md")}
    assert {path.stem for path in PROJECT.glob("pages/*.py")} - {"__init__"} <= there


def test_the_pictures_of_the_guide_are_small_and_come_in_light_and_dark():
    pictures = list((PROJECT / "docs" / "pictures").iterdir())
    assert sum(path.stat().st_size for path in pictures) < 3_000_000
    names = {(path.stem.removesuffix("-light").removesuffix("-dark"), path.suffix) for path in pictures}
    shown = {(page, *n) for page in PAGES for n in names if "{}-light{}".format(*n) in page.read_text("utf-8")}
    assert {(name, suffix) for _, name, suffix in shown} == names
    hidden = [n for page, *n in shown if "{}-dark{}#only-dark".format(*n) not in page.read_text("utf-8")]
    assert not hidden


def modules(package: str) -> list[str]:
    """The package or module, and all modules in it."""
    inside = pkgutil.walk_packages([f"{path}/{package}" for path in espalier.__path__], f"espalier.{package}.")
    return [f"espalier.{package}", *(m.name for m in inside if "__main__" not in m.name)]


def examples_of(name: str) -> list[doctest.DocTest]:
    found = doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(name))
    return [one for one in found if one.examples]


def test_a_docstring_whose_example_is_wrong_is_noticed():
    wrong = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, None)
    assert doctest.DocTestRunner(verbose=False).run(wrong, out=lambda _: None).failed == 1


@pytest.mark.parametrize(
    "package", [m.name for m in pkgutil.iter_modules(espalier.__path__) if m.name != "__main__"]
)
def test_every_example_in_a_docstring_gives_what_it_says(package: str, monkeypatch):
    bare = nursery.Nursery  # examples that begin processes need nothing that is imported ahead
    monkeypatch.setattr(pool, "Nursery", lambda folder, megabytes, _: bare(folder, megabytes, ()))
    said: list[str] = []  # with the name of each that is wrong
    for name in modules(package):
        for example in examples_of(name):
            doctest.DocTestRunner(verbose=False, optionflags=LENIENT).run(example, out=said.append)
    assert not said, "".join(said)


def test_every_estimator_every_public_function_and_name_of_data_has_an_example():
    names = [(learners, name) for name in learners.__all__]
    names += [(face, name) for face in (analysis, data.samples) for name in face.__all__ if name.islower()]
    names += [(data, name) for name in data.__all__ if name != "samples"]
    assert not [name for face, name in names if ">>> " not in getattr(face, name).__doc__]


def test_names_of_analysis_are_imported_when_they_are_asked_for_and_one_that_it_lacks_is_an_attribute_error():
    before = "import sys, espalier.analysis; print(sum(m.startswith('espalier.analysis.') for m in sys.modules))"
    out = subprocess.run([sys.executable, "-c", before], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "0"
    with pytest.raises(AttributeError, match="nonsense"):
        analysis.nonsense  # noqa: B018
