"""Finished cells of benchmarks are kept, fold by fold, and known by all that their numbers depend on."""

import io
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from benchmarks.cells import Cell, Cells, digest, model_text, version
from espalier.learners import CartClassifier

CELL = Cell("iris-00ff", "CartClassifier(max_depth=3)", "espalier-1 0123")


def never():
    raise AssertionError("a fold that is done was run again")


def test_a_fold_that_is_done_is_not_run_again_also_by_another_program(tmp_path):
    path = tmp_path / "cells.sqlite"
    assert Cells(path).numbers(CELL, "0", lambda: (0.25, 3.0)) == [0.25, 3.0]
    assert Cells(path).numbers(CELL, "0", never) == [0.25, 3.0]


def test_a_run_that_was_broken_off_goes_on_at_the_fold_where_it_was(tmp_path):
    path, run = tmp_path / "cells.sqlite", []

    def work(fold):
        if fold == 2 and len(run) < 3:
            run.append("broken off")
            raise KeyboardInterrupt
        run.append(fold)
        return [float(fold)]

    with pytest.raises(KeyboardInterrupt):
        [Cells(path).numbers(CELL, f"{fold}", lambda f=fold: work(f)) for fold in range(4)]
    found = [Cells(path).numbers(CELL, f"{fold}", lambda f=fold: work(f)) for fold in range(4)]
    assert found == [[0.0], [1.0], [2.0], [3.0]]
    assert run == [0, 1, "broken off", 2, 3]


@pytest.mark.parametrize("part", Cell._fields)
def test_other_data_models_and_versions_are_other_cells(part):
    cells = Cells(None)
    cells.keep(CELL, "0", [1.0])
    assert cells.folds(CELL) == {"0": [1.0]}
    assert cells.folds(CELL._replace(**{part: "another"})) == {}


def test_other_versions_count_where_that_is_asked_for(tmp_path):
    path = tmp_path / "cells.sqlite"
    Cells(path).keep(CELL, "0", [1.0])
    newer = CELL._replace(version="espalier-2 4567")
    assert Cells(path, any_version=True).folds(newer) == {"0": [1.0]}
    assert Cells(path, any_version=True).folds(newer._replace(model="another")) == {}


def test_what_is_done_travels_as_text():
    there, here, text = Cells(None), Cells(None), io.StringIO()
    for fold in range(12):
        there.keep(CELL, f"{fold}", [fold / 8, 2.0])
    there.write(text)
    here.read(io.StringIO(text.getvalue()))
    assert here.folds(CELL) == there.folds(CELL)
    assert len(text.getvalue().splitlines()) == 2  # a head, and one line for the cell


def test_folds_on_several_threads_are_all_kept(tmp_path):
    cells = Cells(tmp_path / "cells.sqlite")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda fold: cells.numbers(CELL, f"{fold}", lambda: [fold]), range(40)))
    assert cells.folds(CELL) == {f"{fold}": [fold] for fold in range(40)}


def test_a_digest_is_of_values_shapes_and_types_not_of_layout():
    table = np.arange(6.0).reshape(2, 3)
    assert digest(table) == digest(np.asfortranarray(table))
    others = [table.T.copy(), table.reshape(3, 2), table.astype(np.float32), table + 1]
    assert digest(table) not in {digest(other) for other in others}


def test_a_model_is_named_by_the_parameters_that_are_not_its_defaults():
    assert model_text(CartClassifier(max_depth=3)) == "CartClassifier(max_depth=3)"


def test_a_version_names_the_packages_and_the_kernels_of_each_stage():
    assert version(("cart", "optimal")).startswith("espalier-")
    assert version(("cart", "optimal")) != version(("cart", "forest"))
    assert version(("cart",), ("numpy",)).split()[0] == f"numpy-{np.__version__}"
