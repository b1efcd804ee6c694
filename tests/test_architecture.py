"""Who may import whom, and how long a file may be: the layers of CONTRIBUTING.md, checked."""

import ast
import contextlib
import io
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
CORE = sorted(PROJECT.glob("core/**/*.py"))
PAGES = [p for p in sorted(PROJECT.glob("pages/*.py")) if p.name != "__init__.py"]
OURS = [PROJECT / "app.py", *CORE, *sorted(PROJECT.glob("pages/**/*.py"))]
TESTED = [*OURS, *sorted(PROJECT.glob("tests/**/*.py")), *sorted(PROJECT.glob("benchmarks/**/*.py"))]
STANDARD = {
    "__future__",
    "collections",
    "typing",
    "os",
    "hashlib",
    "pathlib",
    "math",
    "functools",
    "sys",
    "time",
}


def name(path):
    return str(path.relative_to(PROJECT))


def imported(path):
    """Full names of the modules that the file imports, at whatever depth."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def packages(path):
    return {module.split(".")[0] for module in imported(path)}


def test_the_checker_sees_imports_inside_functions(tmp_path):
    file = tmp_path / "a.py"
    file.write_text("def f():\n    import numpy.linalg\n    from core import trees\n")
    assert imported(file) == {"numpy.linalg", "core", "core.trees"}
    assert packages(file) == {"numpy", "core"}


def test_the_files_are_found():
    assert len(CORE) > 10
    assert "tree.py" in {p.name for p in PAGES}


def test_imports_only_go_down():
    importlinter = pytest.importorskip(
        "importlinter.application.use_cases", reason="import-linter is not installed"
    )
    from importlinter import configuration

    configuration.configure()
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        kept = importlinter.lint_imports(config_filename=str(PROJECT / "pyproject.toml"), cache_dir=None)
    assert kept == importlinter.SUCCESS, said.getvalue()


@pytest.mark.parametrize("path", CORE, ids=name)
def test_the_core_never_imports_streamlit(path):
    assert not packages(path) & {"streamlit", "pages"}


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_a_page_leaves_arithmetic_and_drawing_to_others(path):
    assert not packages(path) & {"numpy", "numba", "plotly", "pandas", "sklearn", "scipy"}


@pytest.mark.parametrize("path", [p for p in CORE if p.parent.name == "kernels"], ids=name)
def test_a_kernel_imports_only_numba_numpy_and_trees(path):
    ours = {m for m in imported(path) if m.startswith("core")}
    allowed = ("core.trees", "core.kernels")
    assert all(m == "core" or m.startswith(allowed) for m in ours)
    if path.name not in ("__init__.py", "warm.py"):  # these two set the cache folder and fill it
        assert packages(path) - STANDARD <= {"numba", "numpy", "core"}


@pytest.mark.parametrize("path", TESTED, ids=name)
def test_a_file_is_short_enough_to_read(path):
    lines = path.read_text("utf-8").count("\n")
    assert lines < (120 if path in PAGES else 400)
