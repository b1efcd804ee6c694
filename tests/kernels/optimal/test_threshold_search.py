"""The search over every threshold: where it begins, and what it remembers of the nodes that it has solved."""

from typing import NamedTuple

import numpy as np

from espalier.kernels.optimal.thresholds.search import run
from espalier.kernels.optimal.thresholds.solved_nodes import BITS
from espalier.kernels.optimal.thresholds.stack import COLUMN, MOST, RANK, SearchSize, SearchStack, make_search
from espalier.learners.optimal.problem import MergedRows
from espalier.learners.optimal.ranks import RankedColumns
from espalier.learners.optimal.sorted_rows import SortedRows

UNIT, TIE = 8, 1


class Case(NamedTuple):
    rank: np.ndarray  # (n, m)
    y: np.ndarray
    search: SearchStack  # of depth 3


def case(n=40, m=3, n_classes=2, seed=0) -> Case:
    """Columns without equal values, and classes that follow the first of them more often than not."""
    rng = np.random.default_rng(seed)
    rank = np.argsort(rng.random((m, n))).T.astype(np.int32)
    y = np.where(rng.random(n) < 0.4, rng.integers(0, n_classes, n), rank[:, 0] * n_classes // n)
    earned, ones = np.eye(n_classes, dtype=np.int64)[y], np.ones(n, np.int64)
    columns = RankedColumns(rank, [np.arange(n - 1)] * m, m * (n - 1), np.zeros(m, np.int64))
    samples, root = SortedRows(columns, MergedRows(rank, earned, ones, ones, 0)).samples(UNIT, TIE)
    search = make_search(samples, root, SearchSize(3, 7), np.zeros(1, np.int64))
    return Case(rank, y, search)


def rows_of(solved, slot, n):
    return np.array([bool(solved.member[slot, i // BITS] >> (i % BITS) & 1) for i in range(n)])


def leaf(y):
    return UNIT * (len(y) - np.bincount(y, minlength=1).max()) if len(y) else 0


def stump(rank, y):
    """The least value of a tree of one split at most."""
    sides = (rank[:, f] < at for f in range(rank.shape[1]) for at in np.unique(rank[:, f]))
    return min([leaf(y), *(leaf(y[left]) + leaf(y[~left]) + TIE for left in sides)])


def pairs(rank, y):
    """The least value of a tree of depth two with each root: a column and a rank."""
    return {
        (f, at): stump(rank[rank[:, f] < at], y[rank[:, f] < at])
        + stump(rank[rank[:, f] >= at], y[rank[:, f] >= at])
        + TIE
        for f in range(rank.shape[1])
        for at in range(1, rank.max() + 1)
    }


def test_bounds_of_a_node_hold_for_its_best_tree_and_for_each_root():
    for n_classes in (2, 3):
        rank, y, search = case(n_classes=n_classes)
        run(search)
        solved = search.scratch.solved
        assert solved.n[0] >= 4
        for slot in range(0, int(solved.n[0]), 3):
            rows = rows_of(solved, slot, len(y))
            values = pairs(rank[rows], y[rows])
            best = min(*values.values(), leaf(y[rows]))
            assert solved.least[slot] <= best <= solved.most[slot]
            assert solved.worth[slot] == rows.sum()
            for (f, at), value in values.items():
                place = np.searchsorted(solved.rank[slot, f][: np.argmax(solved.rank[slot, f]) + 1], at)
                assert solved.bound[slot, f, place] <= value


def test_a_search_begins_with_the_root_that_it_is_given():
    search = case().search
    search.hint[:2, 0], search.state[MOST] = (2, 17), 2
    run(search)
    assert search.levels.work[0, [COLUMN, RANK]].tolist() == [2, 17]
    assert search.levels.points.n[0].tolist() == [2, 2, 3]


def test_after_a_new_best_root_those_beside_it_are_next():
    search = case().search
    search.hint[:2, 0], search.state[MOST] = (2, 17), 2
    run(search)
    assert search.levels.tree[0, :2, 0].tolist() == [2, 17]
    search.state[MOST] = 3
    run(search)
    column, rank = search.levels.work[0, [COLUMN, RANK]].tolist()
    assert column == 2
    assert 1 < rank < 17


def test_a_search_with_or_without_a_first_root_finds_the_same_value():
    for seed in range(5):
        values = set()
        for root in ((-1, 0), (0, 5), (1, 39), (2, 20)):
            search = case(n_classes=3, seed=seed).search
            search.hint[:2, 0] = root
            run(search)
            values.add(int(search.levels.found[0, 0]))
        assert len(values) == 1
