"""Who may import whom, and how long a file may be: the layers of CONTRIBUTING.md, checked."""

import ast
import collections
import contextlib
import functools
import gc
import importlib
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
OTHERS = [p for folder in ("tests", "benchmarks", "docs") for p in sorted(PROJECT.glob(f"{folder}/**/*.py"))]
TESTED = [*OURS, *OTHERS]
KERNELS = [p for p in CORE if "kernels" in p.parts]
CACHES = "core/espalier/kernels/caches.py"
VECTORS = {f"core/espalier/kernels/{file}.py" for file in ("simd", "octets", "explanation/shapley")}
LOWEST = ("espalier.oblique", "espalier.trees", "espalier.kernels", "espalier.paths")
MOST_TUPLES = 1  # the eight rows that descend a packed forest together: a lane each, without names of their own
GENERATORS = "core/espalier/data/samples/generators.py"  # writes our own samples
BLACK_BOXES = {
    *(f"sklearn.{module}" for module in ("ensemble", "neural_network", "svm", "gaussian_process", "neighbors")),
    *("xgboost", "lightgbm", "catboost", "ydf", "torch"),
}


def name(path):
    return path.relative_to(PROJECT).as_posix()


@pytest.fixture(autouse=True, scope="module")
def _syntax_of_all_files():
    """The collector would go through a million nodes again and again, as none of them is let go before the end."""
    gc.disable()
    yield
    kinds_of_nodes.cache_clear()
    gc.enable()


@functools.cache
def kinds_of_nodes(path):
    """All that stands in the file, at whatever depth, by its kind: each file is read and walked through once."""
    kinds = collections.defaultdict(list)
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        kinds[type(node)].append(node)
    return kinds


def nodes(path, kind):
    return kinds_of_nodes(path)[kind]


@functools.cache
def imported(path):
    """Full names of the modules that the file imports, at whatever depth."""
    whole = {alias.name for node in nodes(path, ast.Import) for alias in node.names}
    members = {f"{node.module}.{alias.name}" for node in nodes(path, ast.ImportFrom) for alias in node.names}
    return whole | members | {node.module or "" for node in nodes(path, ast.ImportFrom)}


def packages(path):
    return {module.split(".")[0] for module in imported(path)}


def importers(paths, modules):
    """Which of the files import one of the modules, or a part of it."""
    found = {name(path): {m for m in imported(path) if parts(m) & modules} for path in paths}
    return {path: module for path, module in found.items() if module}


@functools.cache
def parts(module):
    """The module and the packages it is in: a.b.c, a.b and a."""
    words = module.split(".")
    return {".".join(words[:n]) for n in range(1, len(words) + 1)}


def defined(path):
    return [n.name for kind in (ast.FunctionDef, ast.ClassDef) for n in nodes(path, kind)]


def function_lengths(path):
    """Lines of each function without its signature and docstring."""
    functions = nodes(path, ast.FunctionDef)
    bodies = [f.body[1:] if ast.get_docstring(f, clean=False) and len(f.body) > 1 else f.body for f in functions]
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


SUBJECTS = (  # a subject may import those before it, in its own layer
    {"data"},
    {"tree", "cart"},
    {"cultivated", "oblique", "optimal"},
    {"forests", "forest"},
    {"explanation"},
    {"approximation", "comparison"},
    {"stability", "tuning"},
    {"reliability"},
    {"promises", "decisions"},
    {"questionnaire"},
)
RANK = {subject: rank for rank, subjects in enumerate(SUBJECTS) for subject in subjects}
LAYERS = (*(f"espalier.{layer}." for layer in ("kernels", "learners")), "pages.shared.")


def subject_of(module):
    """The layer and the subject of a module; None for what belongs to no subject."""
    layer = next((layer for layer in LAYERS if module.startswith(layer)), None)
    subject = module.removeprefix(layer or "").split(".")[0]
    return (layer, subject) if layer and subject in RANK else None


def goes_up(module, imported_module):
    own, other = subject_of(module), subject_of(imported_module)
    if not own or not other or own[0] != other[0] or own[1] == other[1]:
        return False
    return RANK[other[1]] >= RANK[own[1]]


def test_subjects_of_a_layer_import_only_those_before_them():
    upward = {module: {m for m in imports if goes_up(module, m)} for module, imports in imports_of_ours().items()}
    assert {module: imports for module, imports in upward.items() if imports} == {}
    assert goes_up("espalier.learners.optimal.search", "espalier.learners.forests.random")


def test_what_all_pages_share_knows_none_of_their_subjects():
    """The frame of the app, its jobs and its canvas stand below data, trees and forests."""
    below = {"app", "jobs", "canvas"}
    for module, imports in imports_of_ours().items():
        if module.startswith("pages.shared.") and module.split(".")[2] in below:
            assert not {m for m in imports if m.startswith("pages.") and subject_of(m)}, module


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
        # Vectors of numbers have no words in Numba, and saved machine code too many: these files write LLVM's own,
        # through the package that Numba uses.
        compilers = {"numba", "llvmlite"} if name(path) in {*VECTORS, CACHES} else {"numba"}
        assert packages(path) - sys.stdlib_module_names <= {"numpy", "espalier"} | compilers, path


def test_only_kernels_know_numba_and_nothing_below_pictures_draws():
    assert not importers([p for p in OURS if p not in KERNELS], {"numba"})
    assert not importers(
        [p for p in CORE if {"kernels", "learners", "data", "tree"} & {p.relative_to(PROJECT).parts[2]}],
        {"plotly", "graphviz"},
    )


def test_one_module_says_what_trees_predict():
    """Everything above the kernels asks `espalier.predict`, which knows the kernel of each kind of tree."""
    of_kernels = {"espalier.kernels.route.leaf_of", "espalier.kernels.cultivated.fractions.predict"}
    others = [p for p in OURS if p not in KERNELS and name(p) != "core/espalier/predict.py"]
    assert not importers(others, of_kernels)


def test_black_boxes_have_a_folder_of_their_own():
    others = [p for p in OURS if p.parent.name != "black_boxes"]
    assert not importers(others, BLACK_BOXES)


def test_what_widgets_call_is_guarded_as_pages_are():
    """A fault in it would otherwise put Streamlit's own words in place of the whole page."""
    bare = []
    for path in [*PAGES, *SHARED]:
        named = [k for k in nodes(path, ast.keyword) if k.arg != "on_release"]  # which no widget calls
        for keyword in (k for k in named if (k.arg or "").startswith("on_")):
            is_guarded = isinstance(keyword.value, ast.Call) and ast.unparse(keyword.value.func).endswith(
                "callback"
            )
            if not is_guarded and not isinstance(keyword.value, ast.Constant):
                bare.append(f"{name(path)}:{keyword.value.lineno}")
    assert not bare


def test_nothing_calls_the_internet():
    found = importers(OURS, {"urllib.request", "http.client", "socket", "requests", "httpx", "aiohttp"})
    assert {*found} == {"core/espalier/executors/nursery.py"}  # pairs of sockets between processes of its own


def test_only_one_writer_makes_csv_so_that_no_text_is_taken_for_a_formula():
    calls = {
        name(path)
        for path in OURS
        for node in nodes(path, ast.Attribute)
        if node.attr in ("to_csv", "to_excel", "writerow", "writerows")
    }
    assert calls == {"core/espalier/display/tables.py", GENERATORS}


NOT_PRIVATE = {
    "_replace",
    "_fields",
    "_field_defaults",
    "_asdict",
    "_make",
    "_exit",
}  # public, in spite of their names
PRIVATES_OF_OTHERS = {  # what another library has no public name for
    "core/espalier/kernels/caches.py": {"_CacheLocator"},  # numba: where a kernel looks for its machine code
    # numba: what a dispatcher compiles a function by, and where references are counted
    "core/espalier/kernels/parts.py": {"_FunctionCompiler", "_get_implementation", "_context"},
    "core/espalier/kernels/simd.py": {"_getvalue"},  # numba: the LLVM value of an array
    "core/espalier/learners/approximation/asking.py": {"_estimator_type"},  # of models of older libraries
    # scikit-learn: the trees of histogram boosting, their start, and how it numbers categories
    "core/espalier/learners/imports/scikit_learn.py": {"_predictors", "_baseline_prediction", "_preprocessor"},
    "core/espalier/learners/base.py": {"_check_sample_weight"},  # scikit-learn's own estimators call it
    "pages/shared/app/sessions.py": {"_session_mgr", "_session_storage", "_cache"},  # Streamlit's sessions
}


def private_names_of_others(path):
    """Names with a leading underscore that the file asks of objects or modules, and does not define itself."""
    attributes = nodes(path, ast.Attribute)
    asked = {n.attr for n in attributes if not is_named(n.value, "self", "cls")}
    asked |= {alias.name for n in nodes(path, ast.ImportFrom) for alias in n.names}
    calls = [n for n in nodes(path, ast.Call) if is_named(n.func, "getattr", "hasattr")]
    asked |= {str(ast.literal_eval(n.args[1])) for n in calls if isinstance(n.args[1], ast.Constant)}
    stored = {n.attr for n in attributes if isinstance(n.ctx, ast.Store)}
    names = {n.id for n in nodes(path, ast.Name) if isinstance(n.ctx, ast.Store)}
    own = stored | names | set(defined(path)) | NOT_PRIVATE
    return {n for n in asked - own if re.fullmatch("_[^_].*", n)}


def is_named(node, *names):
    return isinstance(node, ast.Name) and node.id in names


def test_no_module_asks_for_what_another_keeps_to_itself():
    asked = {name(path): private_names_of_others(path) for path in OURS}
    assert {path: names for path, names in asked.items() if names} == PRIVATES_OF_OTHERS


def test_a_private_name_of_another_module_would_be_seen(tmp_path):
    file = tmp_path / "a.py"
    file.write_text("from b import _c\nx._own = 1\ndef f(x):\n    return _c, x._d, getattr(x, '_e'), x._own\n")
    assert private_names_of_others(file) == {"_c", "_d", "_e"}


@functools.cache
def imports_of_ours():
    """For each module of ours the modules of ours that it imports, at whatever depth and for whatever purpose."""
    modules = {module_of(path): path for path in OURS}
    found = {module: set() for module in modules}
    for module, path in modules.items():
        for node in nodes(path, ast.ImportFrom):
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


def test_no_two_classes_share_a_name():
    classes = [n for path in OURS for n in nodes(path, ast.ClassDef)]
    assert len(classes) > 300
    assert not {n for n, times in collections.Counter(c.name for c in classes).items() if times > 1}


def test_every_file_is_short_enough_to_read():
    lines = {path: path.read_text("utf-8").count("\n") for path in TESTED}
    assert not {name(path): n for path, n in lines.items() if n >= (400 if path in PAGES else 700)}


def test_no_function_is_longer_than_a_page():
    lengths = {(name(path), length) for path in OURS for length in function_lengths(path) if length > 50}
    assert not lengths


def unpacked_tuples(path):
    """Parameters that are tuples of a fixed length without names, and are taken apart in the function.

    A kernel's parameters have no types; there, whatever is taken apart is a tuple.
    """
    for function in nodes(path, ast.FunctionDef):
        taken = {pair[1] for node in function.body for pair in assignments(node) if pair[0]}
        arguments = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
        for arg in (a for a in arguments if a.arg in taken):
            kind = ast.unparse(arg.annotation) if arg.annotation else ""
            if (not kind or kind.startswith("tuple")) and "..." not in kind:
                yield f"{function.name}({arg.arg})"


def assignments(node):
    """Whether a tuple is assigned to, and the name that is assigned, also inside of tuples."""
    if not isinstance(node, ast.Assign):
        return
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = list(zip(target.elts, value.elts, strict=True))
    else:
        pairs = [(target, value)]
    yield from ((isinstance(t, ast.Tuple), v.id) for t, v in pairs if isinstance(v, ast.Name))


def test_arguments_have_names_of_their_own_instead_of_places_in_a_tuple():
    """Six plain arguments, or a record, say what each is; the number may only fall."""
    found = [f"{name(path)}: {tuple_}" for path in OURS for tuple_ in unpacked_tuples(path)]
    assert len(found) <= MOST_TUPLES, found


def test_a_tuple_that_is_taken_apart_would_be_seen(tmp_path):
    file = tmp_path / "a.py"
    file.write_text(
        "def f(a: tuple[int, int], b: tuple[int, ...]):\n    (c, d), e = a, b\n    g, h = b\n"
        "def kernel(a, b):\n    c, d = b\n"
    )
    assert list(unpacked_tuples(file)) == ["f(a)", "kernel(b)"]


def test_nine_functions_in_ten_are_shorter_than_25_lines():
    lengths = [length for path in OURS for length in function_lengths(path)]
    assert len(lengths) > 300
    assert statistics.median(lengths) < 10
    assert statistics.quantiles(lengths, n=10)[-1] < 25


def test_names_say_what_a_thing_is():
    theirs = {"get_depth", "get_n_leaves"}  # names that scikit-learn has for the same
    theirs |= {"get_call_template", "get_overload"}  # which Numba asks a function for
    theirs |= {"get_cache_path", "get_disambiguator", "get_source_stamp"}  # and the place of machine code
    vague = [n for path in OURS for n in defined(path) if n.strip("_").startswith(("get_", "compute_"))]
    assert set(vague) == theirs
    assert not [name(path) for path in OURS if re.search("util|helper|manager", name(path))]


def test_the_name_of_a_test_is_a_sentence():
    named = [n for path in TESTED for n in re.findall(r"(?m)^ *def (test_\w*)", path.read_text("utf-8"))]
    assert len(named) > 100
    assert not [n for n in named if n.count("_") < 2]


def test_an_import_of_a_module_that_has_moved_says_where_it_is():
    """A script that rebuilds a report may have been saved by an earlier version."""
    with pytest.raises(ModuleNotFoundError, match=r"has moved: it is in espalier\.display, espalier\.export or"):
        importlib.import_module("espalier.views.theme")
    with pytest.raises(ModuleNotFoundError, match=r"public names are in espalier\.analysis"):
        importlib.import_module("espalier.analysis.stability.replicates")
    with pytest.raises(ModuleNotFoundError, match=r"data\.rows has moved: .* espalier\.data\.folds"):
        importlib.import_module("espalier.data.rows.folds")
    assert importlib.import_module("espalier.analysis").replicate
