"""Compiled kernels on disk: an edit of a file is seen by all that import it, and by nothing else."""

import shutil

import pytest

from espalier import kernels
from espalier.paths import SOURCES


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """The kernels' sources in a folder of their own, in which they may be edited."""
    shutil.copytree(SOURCES / "espalier" / "kernels", tmp_path / "espalier" / "kernels")
    for name in ("trees.py", "paths.py"):
        shutil.copy(SOURCES / "espalier" / name, tmp_path / "espalier" / name)
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


def test_any_edit_changes_the_folder_of_what_is_known_of_all(copied):
    before = kernels.cache_folder()
    changed_by_an_edit(copied, "kernels/forest/ordinal.py")
    assert kernels.cache_folder() != before


def test_the_folders_of_the_present_sources_are_those_that_kernels_are_compiled_into():
    from espalier.kernels.cart import grow

    assert kernels._folder(kernels._path(grow.__name__)) in kernels.cache_folders()
