"""Compiled kernels on disk: an edit of a file is seen by all that import it, and by nothing else."""

import ast
import contextlib
import os
import shutil
import subprocess
import sys
import threading

import numba.core.config
import pytest

from espalier import kernels
from espalier.kernels.compile_all import STAGES
from espalier.paths import SOURCES


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """The kernels' sources in a folder of their own, in which they may be edited."""
    shutil.copytree(SOURCES / "espalier" / "kernels", tmp_path / "espalier" / "kernels")
    for path in (SOURCES / "espalier").glob("*.py"):
        shutil.copy(path, tmp_path / "espalier" / path.name)
    monkeypatch.setattr(kernels, "SOURCES", tmp_path)
    monkeypatch.setattr(kernels, "_HERE", tmp_path / "espalier" / "kernels")
    forget()
    yield tmp_path / "espalier"
    forget()


def forget():
    kernels._imported.cache_clear()
    kernels._folder.cache_clear()


def folders(package):
    """The cache folder of each kernel's file."""
    forget()
    return {
        path.relative_to(package).as_posix(): kernels._folder(path) for path in package.rglob("kernels/**/*.py")
    }


def changed_by_an_edit(package, name):
    before = folders(package)
    with (package / name).open("a", encoding="utf-8") as file:
        file.write("\n# edited\n")
    after = folders(package)
    return {path for path in before if before[path] != after[path]}


def test_an_edit_changes_the_folder_of_the_file_itself_and_of_those_that_import_it(copied):
    changed = changed_by_an_edit(copied, "kernels/impurity.py")
    assert {"kernels/impurity.py", "kernels/cart/best_split.py", "kernels/cart/grow.py"} <= changed


def test_an_edit_of_one_engine_leaves_the_others_compiled(copied):
    changed = changed_by_an_edit(copied, "kernels/optimal/branch_and_bound.py")
    assert "kernels/optimal/split_limit.py" in changed
    assert not {
        path for path in changed if path.startswith(("kernels/cart", "kernels/forest", "kernels/cultivated"))
    }


def test_an_edit_of_the_records_changes_whatever_uses_them(copied):
    changed = changed_by_an_edit(copied, "trees.py")
    assert {"kernels/route.py", "kernels/cart/grow.py", "kernels/forest/packed.py"} <= changed


@pytest.mark.parametrize(
    ("edited", "cold"),
    [
        ("kernels/optimal/branch_and_bound.py", {"optimal"}),
        ("kernels/boosting/grow.py", {"forest"}),
        ("kernels/oblique/logistic.py", {"linear"}),
        ("kernels/explanation/shapley.py", {"explanation"}),
        ("kernels/cultivated/slice.py", {"cultivated"}),
        ("kernels/approximation/integrals.py", {"approximation"}),
        ("kernels/forest/preorder.py", {"forest", "approximation"}),
        ("kernels/cart/surrogates.py", {"cart", "forest"}),
        ("kernels/optimal/regression/search.py", {"regression"}),
        ("trees.py", set(STAGES) - {"optimal", "regression", "thresholds"}),
        ("kernels/__init__.py", set(STAGES)),
    ],
)
def test_an_edit_takes_the_mark_from_the_stages_that_call_what_was_edited_and_from_no_other(copied, edited, cold):
    changed = changed_by_an_edit(copied, edited)
    assert {stage for stage in STAGES if f"kernels/stages/{stage}.py" in changed} == cold


def test_every_kernel_is_of_a_stage():
    """Otherwise it could be edited without any stage being compiled again."""
    pending = [kernels._path(stage.__name__) for stage in STAGES.values()]
    reached = set(pending)
    while pending:
        new = set(kernels._imported(pending.pop())) - reached
        reached |= new
        pending += new
    engines = {path for path in (SOURCES / "espalier" / "kernels").glob("*/*.py") if path.name != "__init__.py"}
    assert engines <= reached


def test_kernels_import_each_other_only_in_the_way_that_the_folders_follow():
    for path in (SOURCES / "espalier" / "kernels").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                assert not [alias.name for alias in node.names if alias.name.startswith("espalier")], path
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, path


@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="nothing is compiled")
def test_machine_code_of_an_imported_file_as_it_was_is_never_run(copied, tmp_path):
    """A category of number 70 is none, until there may be more than 64."""

    def is_known():
        code = "from espalier.kernels.cart.surrogates import is_known; print(is_known(70.0, True))"
        ours = {"PYTHONPATH": str(copied.parent), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        said = subprocess.run(
            [sys.executable, "-c", code], env=os.environ | ours, check=True, capture_output=True, text=True
        )
        return said.stdout.strip()

    columns = copied / "kernels" / "cart" / "columns.py"
    assert is_known() == "False"
    text = columns.read_text("utf-8")
    assert "MAX_LEVELS = 64" in text
    columns.write_text(text.replace("MAX_LEVELS = 64", "MAX_LEVELS = 80"), "utf-8")
    assert is_known() == "True"


def test_the_folders_of_the_present_sources_are_those_that_kernels_are_compiled_into():
    from espalier.kernels.cart import grow

    assert kernels._folder(kernels._path(grow.__name__)) in kernels.cache_folders()


def test_threads_that_import_kernels_at_once_find_each_the_folder_of_its_own_module(monkeypatch):
    """Numba has one setting for all: what is decorated while another thread decorates must not take that one's."""
    both_inside = threading.Barrier(2, timeout=0.2)
    seen = {}

    def slow(function):
        with contextlib.suppress(threading.BrokenBarrierError):
            both_inside.wait()  # where nothing keeps the other thread out, it has set its own folder by now
        seen[function.__module__] = vars(numba.core.config)["CACHE_DIR"]
        return function

    def decorate(module):
        def function():
            pass

        function.__module__ = module
        kernels.kernel(function)

    monkeypatch.setattr(kernels.parts, "whole", slow)
    modules = ["espalier.kernels.prune", "espalier.kernels.ranks"]
    threads = [threading.Thread(target=decorate, args=(module,)) for module in modules]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {module: str(kernels.cache_folder(module)) for module in modules}
