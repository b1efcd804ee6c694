"""Finished cells of benchmarks are kept, fold by fold, and known by all that their numbers depend on."""

import io
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from benchmarks.cells import Cell, Cells, digest, model_text, version
from benchmarks.optimal_forests import table as tables
from benchmarks.optimal_forests.table import Result, Run, Table, finished, lines, markdown, result
from espalier.executors import executor
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


def test_a_digest_is_of_values_not_of_layout_a_model_is_named_by_its_parameters_and_a_version_by_its_parts():
    table = np.arange(6.0).reshape(2, 3)
    assert digest(table) == digest(np.asfortranarray(table))
    others = [table.T.copy(), table.reshape(3, 2), table.astype(np.float32), table + 1]
    assert digest(table) not in {digest(other) for other in others}
    assert model_text(CartClassifier(max_depth=3)) == "CartClassifier(max_depth=3)"
    assert version(("cart", "optimal")).startswith("espalier-")
    assert version(("cart", "optimal")) != version(("cart", "forest"))
    assert version(("cart",), ("numpy",)).split()[0] == f"numpy-{np.__version__}"


PLACE = (1, "and", "d=2")  # one optimal tree of depth two
BITS = np.array([[a, b] for a in (0.0, 1.0) for b in (0.0, 1.0)] * 6)
AND = Table("and", BITS, (BITS.sum(axis=1) == 2).astype(np.int64))


@pytest.mark.few(1)
@pytest.mark.parametrize("where", ["threads", "processes"])
def test_a_tree_of_depth_two_makes_no_error_on_an_and(where):
    with executor(where, 1) as workers:
        found = result(PLACE, AND, Run(2, Cells(None), workers))
    assert (found.error, found.kept) == (0.0, 4)


def test_a_place_is_finished_once_all_its_folds_are_done_and_is_not_run_again(monkeypatch):
    done = Cells(None)
    with executor("threads", 1) as workers:
        found = result(PLACE, AND, Run(2, done, workers))
        monkeypatch.setattr(tables, "measured", lambda *_: pytest.fail("run again"))
        assert result(PLACE, AND, Run(2, done, workers)) == found
    assert finished([PLACE], {"and": AND}, 2, done) == {PLACE: found}
    assert finished([PLACE], {"and": AND}, 3, done) == {}


def test_outliers_are_left_out_as_in_the_paper_and_ours_is_marked_where_it_is_far_from_it_and_bold_where_alone():
    errors = np.array([1, 2, 2, 3, 3, 9]) / 8  # quartiles 2/8 and 3/8
    assert (8 * tables.without_outliers(errors)).tolist() == [1, 2, 2, 3, 3]
    found = {
        (3, "anneal", "d=2"): Result(0.184, 0, 10, 1),  # 0.18 in the paper
        (3, "anneal", "d=3"): Result(0.176, 0, 10, 1),  # 0.15
        (3, "anneal", "d=4"): Result(0.135, 0, 10, 1),  # open
    }
    text = list(lines(3, ["anneal"], found))[-1].split()
    assert text == ["anneal", "0.18", "0.184", "0.15", "0.176!", "–", "0.135", "–", "."]
    row = list(markdown(3, ["anneal"], found))[-1]
    assert row == "| anneal | .18 / .184 | .15 / .176 ! | – / **.135** | – /  |"
