"""Compiled kernels: what is compiled ahead is what is used, and an edit is seen by all that import it alone."""

import ast
import errno
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
import pytest
from sklearn.datasets import load_iris

from espalier import learners
from espalier.data import samples
from espalier.display.boundaries.surface import surface
from espalier.explanation.dependence import feature_curves
from espalier.explanation.shapley import shapley_interactions, shapley_values
from espalier.forests.growth import permutation_importance
from espalier.kernels import caches, compile_all, kernel, stages
from espalier.kernels.compile_all import STAGES
from espalier.kernels.optimal import depth_two
from espalier.kernels.optimal.thresholds import depth_two as threshold_pairs
from espalier.learners import CartClassifier, GradientBoostingClassifier, RandomForestClassifier, catalogue
from espalier.learners.optimal import OptimalClassifier, OptimalRegressor
from espalier.paths import CHECKOUT, SOURCES
from espalier.predict import record_of, shares
from espalier.progress import Progress
from espalier.reliability.changeable import other_class
from espalier.reliability.counterfactuals import change_search, seek
from tests.kernels.test_parts import all_kernels

needs_compiler = pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="nothing is compiled")


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """The kernels' sources in a folder of their own, in which they may be edited."""
    shutil.copytree(SOURCES / "espalier" / "kernels", tmp_path / "espalier" / "kernels")
    for path in (SOURCES / "espalier").glob("*.py"):
        shutil.copy(path, tmp_path / "espalier" / path.name)
    here = tmp_path / "espalier" / "kernels"
    monkeypatch.setattr(caches, "SOURCES", tmp_path)
    monkeypatch.setattr(caches, "_HERE", here)
    monkeypatch.setattr(caches, "_HOW_TO_COMPILE", {here / path.name for path in caches._HOW_TO_COMPILE})
    forget()
    yield tmp_path / "espalier"
    forget()


def forget():
    for cached in (caches._files_imported, caches._folder, caches.mark):
        cached.cache_clear()


def folders(package):
    """The cache folder of each kernel's file."""
    forget()
    return {
        path.relative_to(package).as_posix(): caches._folder(path) for path in package.rglob("kernels/**/*.py")
    }


def changed_by_an_edit(package, name):
    before = folders(package)
    with (package / name).open("a", encoding="utf-8") as file:
        file.write("\n# edited\n")
    after = folders(package)
    return {path for path in before if before[path] != after[path]}


def test_an_edit_changes_the_folder_of_the_file_itself_and_of_those_that_import_it_and_of_no_other(copied):
    engine = {"kernels/optimal/branch_and_bound.py", "kernels/optimal/read_tree.py"}
    for name, dependent, others in (
        ("kernels/optimal/branch_and_bound.py", engine, ("kernels/cart", "kernels/forest", "kernels/cultivated")),
        ("kernels/task.py", {"kernels/task.py", "kernels/cart/best_split.py", "kernels/cart/grow.py"}, ()),
        ("trees.py", {"kernels/route.py", "kernels/cart/grow.py", "kernels/forest/packed.py"}, ()),
    ):
        changed = changed_by_an_edit(copied, name)
        assert dependent <= changed
        assert not [path for path in changed if path.startswith(others)]


def test_an_edit_takes_the_mark_from_the_stages_that_call_what_was_edited_and_from_no_other(copied):
    def marks():
        forget()
        return {name: caches.mark(call) for name, call in STAGES.items()}

    before = marks()
    for name, cold in (
        ("kernels/optimal/branch_and_bound.py", {"optimal"}),
        ("kernels/boosting/grow.py", {"forest"}),
        ("kernels/oblique.py", {"linear"}),
        ("kernels/explanation/shapley.py", {"explanation"}),
        ("kernels/cultivated/fractions.py", {"cultivated"}),
        ("kernels/approximation/integrals.py", {"approximation"}),
        ("kernels/forest/coded.py", {"forest", "approximation"}),
        ("kernels/cart/surrogates.py", {"cart", "forest"}),
        ("kernels/optimal/thresholds/numbers.py", {"regression", "thresholds"}),
        ("trees.py", set(STAGES) - {"optimal", "regression", "thresholds"}),
        ("kernels/__init__.py", set(STAGES)),
    ):
        text = (copied / name).read_text("utf-8")
        (copied / name).write_text(f"{text}\n# edited\n", "utf-8")
        after = marks()
        assert {stage for stage in STAGES if before[stage] != after[stage]} == cold, name
        (copied / name).write_text(text, "utf-8")


@pytest.mark.parametrize("stage", ["small", "forest"])
def test_a_mark_is_the_same_after_its_stage_was_called(stage):
    """Nothing that a stage's functions write into is a part of its mark."""
    before = caches.mark(STAGES[stage])
    STAGES[stage]()
    forget()
    assert caches.mark(STAGES[stage]) == before


def with_all_they_import(paths):
    """These files, and those of the project that machine code made of them depends on."""
    pending = [*paths]
    reached = set(pending)
    while pending:
        new = set(caches._files_imported(pending.pop())) - reached
        reached |= new
        pending += new
    return reached


def test_every_kernel_is_of_a_stage():
    """Otherwise it could be edited without any stage being compiled again."""
    reached = with_all_they_import([Path(stages.__file__)])
    files = (SOURCES / "espalier" / "kernels").rglob("*.py")
    assert {path for path in files if "@kernel\n" in path.read_text("utf-8")} <= reached


def test_kernels_import_only_in_the_way_that_the_folders_follow_and_a_parser_finds_no_more():
    for path in with_all_they_import((SOURCES / "espalier" / "kernels").rglob("*.py")):
        parsed = set()
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                assert not [alias.name for alias in node.names if alias.name.startswith("espalier")], path
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, path
                if str(node.module).startswith("espalier"):
                    parsed |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        assert parsed <= set(caches._names(path.read_text("utf-8"))), path


@needs_compiler
def test_machine_code_of_an_imported_file_as_it_was_is_never_run(copied, tmp_path):
    """A category of number 70 is none, until there may be more than 64."""

    def is_known():
        code = "from espalier.kernels.cart.surrogates import is_known; print(is_known(70.0, True))"
        ours = {"PYTHONPATH": str(copied.parent), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        return subprocess.check_output([sys.executable, "-c", code], env=os.environ | ours, text=True).strip()

    columns = copied / "kernels" / "cart" / "columns.py"
    assert is_known() == "False"
    text = columns.read_text("utf-8")
    assert "MAX_LEVELS = 64" in text
    columns.write_text(text.replace("MAX_LEVELS = 64", "MAX_LEVELS = 80"), "utf-8")
    assert is_known() == "True"


def test_the_folders_of_the_present_sources_are_those_that_kernels_are_compiled_into():
    from espalier.kernels.cart import grow

    assert caches.cache_folder(grow.__name__) in caches.cache_folders()


def test_whatever_machine_code_depends_on_has_a_folder_of_its_own(monkeypatch):
    changes: list[Any] = [(sys.implementation, "cache_tag", "cpython-399")]
    changes += [(module, "__version__", "99.0") for module in (np, numba, llvmlite)]
    changes += [(caches, "_processor", lambda: ("x86_64", "znver9", "+avx1024"))]
    changes += [(os, "environ", os.environ | {name: "1"}) for name in ("NUMBA_OPT", "NUMBA_BOUNDSCHECK")]
    found = set()
    for change in [(os, "environ", os.environ), *changes]:
        with monkeypatch.context() as patch:
            patch.setattr(*change)
            forget()
            found.add(caches.cache_folder("espalier.kernels.approximation.better_split_test"))
    assert len(found) == 1 + len(changes)


def test_neither_the_place_of_the_sources_nor_their_age_matters(copied, monkeypatch):
    elsewhere = folders(copied)
    for path in copied.rglob("*.py"):
        os.utime(path, (0, 0))
    assert folders(copied) == elsewhere
    monkeypatch.undo()
    assert folders(SOURCES / "espalier") == elsewhere


@pytest.fixture
def doubled(tmp_path, monkeypatch):
    """A maker of a kernel, each time anew as in another process, in a cache of its own."""
    monkeypatch.setattr(caches, "_folder", lambda source: tmp_path / "cache")

    def make():
        def doubled(x):
            return 2 * x

        return kernel(doubled)

    return make


@needs_compiler
def test_a_kernel_that_was_saved_is_loaded_and_not_compiled(doubled):
    assert doubled()(21) == 42
    again = doubled()
    assert again(21) == 42
    assert again.stats.cache_hits
    assert not again.stats.cache_misses
    assert again(0.5) == 1.0  # another kind of argument
    assert again.stats.cache_misses


@needs_compiler
def test_a_kernel_that_the_disk_has_no_room_for_is_compiled_and_answers(doubled, monkeypatch, caplog):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", full)
    assert doubled()(21) == 42
    assert "No space left on device" in caplog.text


@needs_compiler
def test_a_cache_that_was_removed_is_made_again(doubled, tmp_path):
    made = doubled()
    assert made(1) == 2
    shutil.rmtree(tmp_path / "cache")
    assert made(np.float64(3.5)) == 7.0
    assert list((tmp_path / "cache").rglob("*.nbc"))


@needs_compiler
@pytest.mark.parametrize("damage", [b"", b"no machine code", b"\x80\x05K\x01."])
def test_a_damaged_file_is_compiled_anew_and_written_over(doubled, tmp_path, damage):
    doubled()(1)
    (file,) = (tmp_path / "cache").rglob("*.nbc")
    whole = file.read_bytes()
    for content in (damage, whole[: len(whole) // 2]):
        file.write_bytes(content)
        assert doubled()(21) == 42
        again = doubled()
        assert again(21) == 42
        assert again.stats.cache_hits


@needs_compiler
def test_writers_at_once_leave_whole_files_of_what_each_compiled(doubled, tmp_path):
    kinds = [1, 1.5, True, 1 + 2j, np.float32(1), np.int8(1)]
    with ThreadPoolExecutor(len(kinds)) as pool:
        assert list(pool.map(lambda x: doubled()(x), kinds)) == [2 * x for x in kinds]
    assert len(list((tmp_path / "cache").rglob("*.nbc"))) == len(kinds)
    assert not [path for path in (tmp_path / "cache").rglob("*.*") if path.suffix != ".nbc" and path.is_file()]
    for x in kinds:
        again = doubled()
        again(x)
        assert again.stats.cache_hits


def test_what_is_old_or_too_much_goes_but_never_what_the_present_sources_use(tmp_path, monkeypatch):
    ages = {"present": 99, "new": 1, "large": 2, "next": 3, "old": 20}  # in days
    made = {name: tmp_path / f"1.0-{i:016x}" for i, name in enumerate(ages)}
    for name, folder in made.items():
        folder.mkdir()
        size = caches.MAX_MEGABYTES * 1_000_000 - 10 if name == "large" else 100
        with (folder / "kernel.nbc").open("wb") as file:
            file.truncate(size)
        then = time.time() - ages[name] * caches.DAY
        os.utime(folder, (then, then))
    monkeypatch.setattr(caches, "KERNEL_CACHE", tmp_path)
    monkeypatch.setattr(caches, "cache_folders", lambda: {made["present"]})
    caches.forget_old([])
    assert {name for name, folder in made.items() if folder.exists()} == {"present", "new"}


@needs_compiler
def test_who_has_to_wait_for_the_compiler_is_told_once_what_to_do(doubled, caplog):
    caches._tell_of_compiling.cache_clear()
    doubled()(21)
    doubled()(0.5)
    (told,) = caplog.messages
    assert "espalier compile" in told
    caplog.clear()
    caches._tell_of_compiling.cache_clear()
    doubled()(21)  # which is on disk by now
    assert not caplog.messages


PARTS: list[Any] = [depth_two.solve_children, threshold_pairs.best_pair]  # which only others call


def call_learners(stage):
    """Grow with every kind of model of the catalogue that waits for this stage."""
    settings = {"trees": 3, "depth": 3, "samples": 3000, "k": "all"}
    for kind in catalogue.KINDS:
        for serves in kind.serves if kind.stage == stage else ():
            data = samples.load("wine" if serves else "diabetes")
            there = {one.key for one in kind.for_target(serves)}
            model = catalogue.model(kind, {key: value for key, value in settings.items() if key in there})
            model.make(catalogue.CommonTerms.of(data, seconds=20)).fit(data.X, data.y).predict(data.X)


def view_surface():
    iris = samples.load("iris")
    tree = learners.CultivatedClassifier(k="all", max_depth=3).fit(iris.X, iris.y).tree_
    surface(tree, iris, (0, 1), iris.X[0], np.zeros(len(iris.y), dtype=bool))


def call_forests():
    X, y = load_iris(return_X_y=True)
    for target, learner in (
        (y, RandomForestClassifier),
        (y > 0, RandomForestClassifier),
        (y, learners.RandomForestRegressor),
    ):
        many = learner(n_estimators=3, oob_score=True, n_jobs=2).fit(X, target, progress=Progress())
        many.predict(np.where(X > 6, np.nan, X))
        learner(n_estimators=3).fit(np.round(X), target)
        many.predict(np.tile(X, (5, 1)))
        permutation_importance(many, X, target, sample_weight=np.linspace(0.5, 1, len(y)))


def boost():
    X, y = load_iris(return_X_y=True)
    for target, learner in (
        (y, GradientBoostingClassifier),
        (y > 0, GradientBoostingClassifier),
        (y, learners.GradientBoostingRegressor),
    ):
        model = learner(n_estimators=3, subsample=0.8, n_jobs=2, n_iter_no_change=2, categorical_features=[3])
        model.fit(np.round(X), target, sample_weight=y + 1, progress=Progress()).predict(X)
        model.set_params(max_leaf_nodes=None, subsample=1).fit(X, target)


def search_for_optimal_trees():
    X, y = load_iris(return_X_y=True)
    for labels in (y, y > 0):
        for depth, splits in ((2, None), (3, None), (4, None), (4, 5)):
            model = OptimalClassifier(max_depth=depth, max_splits=splits, max_thresholds=2).fit(X, labels)
            model.go_on().predict(X)
            assert list(model.optimal_trees(slack=1, limit=5))
        for weight in (1, 1000):
            every = OptimalClassifier(max_depth=3, max_thresholds=None).fit(X, labels, np.full(len(X), weight))
            every.go_on()
    weighted = OptimalClassifier(max_depth=4, n_jobs=2, misclassification_cost=1.5 - 1.5 * np.eye(3))
    weighted.fit(X, y, sample_weight=np.linspace(0.1, 1, len(y)), progress=Progress())


def search_for_optimal_trees_of_numbers():
    X, _ = load_iris(return_X_y=True)
    for depth in (1, 2, 3):
        OptimalRegressor(max_depth=depth).fit(X[:, :3], X[:, 3])


def approximate():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, y)
    parameters: Any
    for parameters in ({"max_samples": 3000, "initial_samples": 1000}, {"method": "exact"}, {"variance": "fixed"}):
        learners.ApproximationClassifier(forest, max_depth=3, random_state=0, **parameters).fit(X)


def explain():
    X, y = load_iris(return_X_y=True)
    gaps = np.where(X > 6, np.nan, X)
    for model in (CartClassifier(missing="surrogate"), GradientBoostingClassifier(n_estimators=2)):
        record: Any = record_of(model.fit(gaps, y))
        shapley_values(record, gaps, n_jobs=2)
        shapley_interactions(record, gaps[:5])
        feature_curves(record, gaps, 2)
    iris = samples.load("iris")
    forest = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, y).forest_
    changes = change_search(iris, forest, iris.X[0], (partial(shares, forest), other_class(0, forest.prior)))
    assert seek(changes, forest, shares(forest, iris.X[:1])[0], 0).is_certain


SEARCHES = search_for_optimal_trees, search_for_optimal_trees_of_numbers


def signatures():
    """What each kernel is compiled for, or loaded for from the disk."""
    return {name: set(kernel.signatures) for name, kernel in all_kernels().items()}


def use_all():
    """Compile stage after stage, and use the library, for which no kernel is compiled any more."""
    for stage, call in compile_all.STAGES.items():
        call()
        compiled = signatures()
        call_learners(stage)
        assert signatures() == compiled, stage
    compiled = signatures()
    for use in (call_forests, boost, *SEARCHES, approximate, explain, view_surface):
        use()
        assert signatures() == compiled, use.__name__
    assert not any(part.signatures for part in PARTS)


@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="nothing is compiled")
def test_warming_compiles_what_is_used_afterwards():
    """In a process of its own, where no other test has compiled anything."""
    code = "from tests.kernels import test_caches as uses; uses.use_all()"
    found = os.environ | {"PYTHONPATH": os.pathsep.join([str(CHECKOUT), str(SOURCES)])}
    subprocess.run([sys.executable, "-c", code], cwd=CHECKOUT, env=found, check=True)


def test_a_stage_is_warm_only_if_those_before_it_are(tmp_path, monkeypatch):
    monkeypatch.setattr(caches, "mark", lambda stage: tmp_path / stage.__name__ / "warm")

    def leave_mark(stage):
        compile_all.mark(stage).parent.mkdir()
        compile_all.mark(stage).touch()

    leave_mark("forest")
    assert not compile_all.is_warm("forest")
    leave_mark("cart")
    assert not compile_all.is_warm("cart")
    leave_mark("small")
    assert compile_all.is_warm("cart")
    assert compile_all.is_warm("forest")
    assert not compile_all.is_warm("linear")
    assert not compile_all.is_warm()


def test_stages_are_named_and_ordered_as_their_functions_are():
    assert [*compile_all.STAGES][:3] == ["small", "cart", "forest"]
    assert all(call.__name__ == f"call_{name}" for name, call in compile_all.STAGES.items())


CHILD = "import time; from espalier.kernels.compile_all import end_with; end_with({}); time.sleep(600)"
PARENT = f"""
import os, subprocess, sys
subprocess.Popen([sys.executable, "-c", {CHILD!r}.format(os.getpid())])
os.kill(os.getpid(), 9)
"""


@pytest.mark.skipif(os.name == "nt", reason="there a process does not learn that its parent has ended")
def test_who_compiles_for_a_server_ends_with_it_however_that_ends():
    found = os.environ | {"PYTHONPATH": str(SOURCES)}
    killed = subprocess.run(
        [sys.executable, "-c", PARENT], stdout=subprocess.PIPE, env=found, timeout=120, check=False
    )
    assert killed.returncode == -9  # and the child, too, has let go of the pipe


def test_who_compiles_seldom_looks_for_unreachable_objects():
    program = (
        "import gc; from espalier.kernels import compile_all; compile_all.collect_seldom();"
        "before = gc.get_stats()[0]['collections']; kept = [[] for _ in range(50_000)];"
        "print(gc.get_stats()[0]['collections'] - before)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["0"]


def test_only_what_is_compiled_is_loaded(monkeypatch):
    ran: list[str] = []
    stages = {name: partial(ran.append, name) for name in ("cart", "forest")}
    monkeypatch.setattr(compile_all, "STAGES", stages)
    monkeypatch.setattr(compile_all, "is_warm", lambda name: name == "cart")
    compile_all.load()
    assert ran == ["cart"]
