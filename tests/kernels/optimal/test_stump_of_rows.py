"""The best stump of some rows: that of a loop over all columns and ranks."""

import numpy as np
import pytest

from espalier.kernels.optimal.thresholds.stump_of_rows import Stump, StumpRows, stump_of_rows
from espalier.trees import LEAF


def table(rng, n_classes, least) -> StumpRows:
    n, m, most = int(rng.integers(1, 25)), int(rng.integers(1, 4)), int(rng.integers(1, 9))
    direction = rng.integers(-1, 2, m) if n_classes == 2 else np.zeros(m, np.int64)
    earned, weight = rng.integers(0, 4, (n, n_classes)), rng.integers(1, 4, n)
    return StumpRows(rng.integers(0, most, (m, n)), earned, weight, direction, most, least)


def best(of: StumpRows, rows) -> Stump:
    """The best stump, the first of several in the order of columns and ranks; or the leaf."""
    earned, weight = of.earned[rows], of.weight[rows]
    found = Stump(int(earned.sum(axis=0).max()))
    for column, ranks in enumerate(of.rank[:, rows]):
        for rank in range(1, of.most):
            left = ranks < rank
            first, second = earned[left].sum(axis=0), earned[~left].sum(axis=0)
            labels = {1: [(0, 1)], -1: [(1, 0)], 0: np.ndindex(len(first), len(first))}[int(of.direction[column])]
            saved = max(int(first[a] + second[b]) for a, b in labels)
            is_heavy = min(weight[left].sum(), weight[~left].sum()) >= of.least
            if is_heavy and saved > found.saved:
                found = Stump(saved, column, rank)
    return found


@pytest.mark.parametrize("least", [0, 1, 6])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_it_is_that_of_a_loop_over_columns_and_ranks(n_classes, least):
    rng = np.random.default_rng(least)
    for _ in range(60):
        of = table(rng, n_classes, least)
        rows = np.flatnonzero(rng.random(of.rank.shape[1]) < 0.7)
        if len(rows):
            assert stump_of_rows(of, rows) == best(of, rows)


def test_rows_of_one_class_are_a_leaf():
    of = StumpRows(
        np.array([[0, 1, 2]]), np.array([[1, 0]] * 3), np.ones(3, np.int64), np.zeros(1, np.int64), 3, 0
    )
    assert stump_of_rows(of, np.arange(3)) == Stump(3, LEAF, 0)
