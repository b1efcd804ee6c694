"""The tables of Molhoek (2021), filled cell by cell."""

import numpy as np
import pytest

from benchmarks.cells import Cells
from benchmarks.optimal_forests import table as tables
from benchmarks.optimal_forests.table import (
    Result,
    Run,
    Table,
    finished,
    lines,
    markdown,
    result,
    without_outliers,
)
from espalier.executors import executor

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


def test_the_paper_leaves_out_what_lies_beyond_one_interquartile_range():
    errors = np.array([1, 2, 2, 3, 3, 9]) / 8  # quartiles 2/8 and 3/8
    assert (8 * without_outliers(errors)).tolist() == [1, 2, 2, 3, 3]


def test_ours_is_marked_where_it_is_far_from_the_papers_and_bold_where_the_paper_has_none():
    found = {
        (3, "anneal", "d=2"): Result(0.184, 0, 10, 1),  # 0.18 in the paper
        (3, "anneal", "d=3"): Result(0.176, 0, 10, 1),  # 0.15
        (3, "anneal", "d=4"): Result(0.135, 0, 10, 1),  # open
    }
    text = list(lines(3, ["anneal"], found))[-1].split()
    assert text == ["anneal", "0.18", "0.184", "0.15", "0.176!", "–", "0.135", "–", "."]
    row = list(markdown(3, ["anneal"], found))[-1]
    assert row == "| anneal | .18 / .184 | .15 / .176 ! | – / **.135** | – /  |"
