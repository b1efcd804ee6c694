"""Who may import whom, and how long a file may be: the layers of CONTRIBUTING.md, checked."""

import ast
import collections
import contextlib
import functools
import io
import re
import statistics
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
CORE = sorted(PROJECT.glob("core/espalier/**/*.py"))
PAGES = [p for p in sorted(PROJECT.glob("pages/*.py")) if p.name != "__init__.py"]
SHARED = sorted(PROJECT.glob("pages/shared/**/*.py"))
OURS = [PROJECT / "app.py", *CORE, *sorted(PROJECT.glob("pages/**/*.py"))]
TESTED = [*OURS, *sorted(PROJECT.glob("tests/**/*.py")), *sorted(PROJECT.glob("benchmarks/**/*.py"))]
KERNELS = [p for p in CORE if "kernels" in p.parts]
LOWEST = ("espalier.trees", "espalier.kernels", "espalier.paths")
GENERATORS = "core/espalier/data/samples/generators.py"  # writes our own samples
BLACK_BOXES = {
    *(f"sklearn.{module}" for module in ("ensemble", "neural_network", "svm", "gaussian_process", "neighbors")),
    *("xgboost", "lightgbm", "catboost", "ydf", "torch"),
}


def name(path):
    return path.relative_to(PROJECT).as_posix()


@functools.cache
def parsed(path):
    return ast.parse(path.read_text("utf-8"))


def imported(path):
    """Full names of the modules that the file imports, at whatever depth."""
    found = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def packages(path):
    return {module.split(".")[0] for module in imported(path)}


def importers(paths, modules):
    """Which of the files import one of the modules, or a part of it."""
    found = {name(path): {m for m in imported(path) if parts(m) & modules} for path in paths}
    return {path: module for path, module in found.items() if module}


def parts(module):
    """The module and the packages it is in: a.b.c, a.b and a."""
    words = module.split(".")
    return {".".join(words[:n]) for n in range(1, len(words) + 1)}


def defined(path):
    return [n.name for n in ast.walk(parsed(path)) if isinstance(n, ast.FunctionDef | ast.ClassDef)]


def function_lengths(path):
    """Lines of each function without its signature and docstring."""
    functions = [node for node in ast.walk(parsed(path)) if isinstance(node, ast.FunctionDef)]
    bodies = [f.body[1:] if ast.get_docstring(f) and len(f.body) > 1 else f.body for f in functions]
    return [(body[-1].end_lineno or 0) - body[0].lineno + 1 for body in bodies]


def test_the_checker_sees_imports_inside_functions(tmp_path):
    file = tmp_path / "a.py"
    file.write_text("def f():\n    import numpy.linalg\n    from espalier import trees\n")
    assert imported(file) == {"numpy.linalg", "espalier", "espalier.trees"}
    assert packages(file) == {"numpy", "espalier"}
    assert parts("numpy.linalg") == {"numpy", "numpy.linalg"}


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


def test_the_core_never_imports_streamlit():
    assert not importers(CORE, {"streamlit", "pages", "app"})


def test_pages_leave_arithmetic_and_drawing_to_others():
    assert not importers(PAGES, {"numpy", "numba", "plotly", "pandas", "sklearn", "scipy", "graphviz"})


def test_pages_know_what_they_share_and_not_each_other():
    for path in [*PAGES, *SHARED]:
        pages = {module for module in imported(path) if module.startswith("pages.")}
        assert all(module.startswith("pages.shared") for module in pages), path


def test_kernels_import_only_numba_numpy_and_trees():
    for path in KERNELS:
        ours = {module for module in imported(path) if module.startswith("espalier.")}
        assert all(module.startswith(LOWEST) for module in ours), path
        # Vectors of numbers have no words in Numba: lanes.py, alone, writes LLVM's through the package Numba uses.
        compilers = {"numba", "llvmlite"} if name(path) == "core/espalier/kernels/simd.py" else {"numba"}
        assert packages(path) - sys.stdlib_module_names <= {"numpy", "espalier"} | compilers, path


def test_only_kernels_know_numba_and_only_views_draw():
    assert not importers([p for p in OURS if p not in KERNELS], {"numba"})
    assert not importers([p for p in CORE if "views" not in p.parts], {"plotly", "graphviz"})


def test_black_boxes_have_a_folder_of_their_own():
    others = [p for p in OURS if p.parent.name != "black_boxes"]
    assert not importers(others, BLACK_BOXES)


def test_what_widgets_call_is_guarded_as_pages_are():
    """A fault in it would otherwise put Streamlit's own words in place of the whole page."""
    bare = []
    for path in [*PAGES, *SHARED]:
        calls = [node for node in ast.walk(parsed(path)) if isinstance(node, ast.Call)]
        named = [k for call in calls for k in call.keywords if k.arg != "on_release"]  # which no widget calls
        for keyword in (k for k in named if (k.arg or "").startswith("on_")):
            is_guarded = isinstance(keyword.value, ast.Call) and ast.unparse(keyword.value.func).endswith(
                "callback"
            )
            if not is_guarded and not isinstance(keyword.value, ast.Constant):
                bare.append(f"{name(path)}:{keyword.value.lineno}")
    assert not bare


def test_nothing_calls_the_internet():
    assert not importers(OURS, {"urllib.request", "http.client", "socket", "requests", "httpx", "aiohttp"})


def test_only_one_writer_makes_csv_so_that_no_text_is_taken_for_a_formula():
    calls = {
        name(path)
        for path in OURS
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Attribute) and node.attr in ("to_csv", "to_excel", "writerow", "writerows")
    }
    assert calls == {"core/espalier/views/spreadsheet.py", GENERATORS}


def imports_of_ours():
    """For each module of ours the modules of ours that it imports, at whatever depth and for whatever purpose."""
    modules = {module_of(path): path for path in OURS}
    found = {module: set() for module in modules}
    for module, path in modules.items():
        for node in (n for n in ast.walk(parsed(path)) if isinstance(n, ast.ImportFrom)):
            of_part = {f"{node.module}.{alias.name}" for alias in node.names}
            found[module] |= {part if part in modules else str(node.module) for part in of_part}
    return {module: imports & modules.keys() - {module} for module, imports in found.items()}


def module_of(path):
    return name(path).removeprefix("core/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def test_no_modules_import_each_other_in_a_circle():
    left = imports_of_ours()
    while free := {module for module, imports in left.items() if not imports & left.keys()}:
        left = {module: imports for module, imports in left.items() if module not in free}
    assert not left


def test_a_circle_of_imports_would_be_seen():
    assert "pages.shared.app.frame" in imports_of_ours()["pages.tree"]


def test_no_folder_has_more_files_than_one_can_see_at_a_glance():
    folders = collections.Counter(name(path.parent) for path in TESTED)
    assert not {folder: n for folder, n in folders.items() if n > 16}


def test_no_two_classes_share_a_name():
    classes = [n for path in OURS for n in ast.walk(parsed(path)) if isinstance(n, ast.ClassDef)]
    assert len(classes) > 300
    assert not {n for n, times in collections.Counter(c.name for c in classes).items() if times > 1}


def test_every_file_is_short_enough_to_read():
    lines = {path: path.read_text("utf-8").count("\n") for path in TESTED}
    assert not {name(path): n for path, n in lines.items() if n >= (120 if path in PAGES else 400)}


def test_nine_functions_in_ten_are_shorter_than_25_lines():
    lengths = [length for path in OURS for length in function_lengths(path)]
    assert len(lengths) > 300
    assert statistics.median(lengths) < 10
    assert statistics.quantiles(lengths, n=10)[-1] < 25


def test_names_say_what_a_thing_is():
    theirs = {"get_depth", "get_n_leaves"}  # names that scikit-learn has for the same
    vague = [n for path in OURS for n in defined(path) if n.strip("_").startswith(("get_", "compute_"))]
    assert set(vague) == theirs
    assert not [name(path) for path in OURS if re.search("util|helper|manager", name(path))]


def test_the_name_of_a_test_is_a_sentence():
    named = [n for path in TESTED for n in defined(path) if n.startswith("test_")]
    assert len(named) > 100
    assert not [n for n in named if n.count("_") < 2]
