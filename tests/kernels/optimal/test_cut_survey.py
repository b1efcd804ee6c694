"""The survey of every question of a set of rows: sums and best stumps of both sides, against loops over rows."""

from typing import NamedTuple

import numpy as np
import pytest

from espalier.kernels.optimal.thresholds.cut_survey import (
    CutTable,
    QuestionSums,
    make_survey_scratch,
    stump_costs,
    sum_cuts,
)


class Case(NamedTuple):
    table: CutTable
    rank: np.ndarray  # (n_chains, n_rows)
    earned: np.ndarray  # (n_rows, n_classes)
    worth: np.ndarray
    inside: np.ndarray


def case(seed) -> Case:
    """Some rows of a table with ties and rows that save for one class, for several or for none."""
    rng = np.random.default_rng(seed)
    n, n_chains, n_classes, n_values = (int(rng.integers(*ends)) for ends in ((3, 30), (1, 4), (2, 4), (2, 25)))
    values = rng.integers(0, n_values, (n_chains, n))
    ranks = [np.unique(row, return_inverse=True)[1] for row in values]
    rank = np.array(ranks, np.int32)
    earned = rng.integers(0, 4, (n, n_classes)) * (rng.random((n, n_classes)) < 0.5)
    earned -= earned.min(axis=1, keepdims=True)
    start = np.concatenate([[0], np.cumsum(rank.max(axis=1))]).astype(np.int64)
    order = np.argsort(rank, axis=1, kind="stable").astype(np.int32)
    name = rng.integers(-(2**62), 2**62, (2, n))
    worth = earned.max(axis=1).astype(np.int64)
    table = CutTable(rank.ravel(), order.ravel(), start, earned.astype(np.int32).ravel(), worth, name)
    inside = rng.random(n) < 0.8
    inside[0] = True
    return Case(table, rank, earned, worth, inside)


def sides(one: Case):
    """Of each question the rows that answer yes, and those that answer no."""
    for row in one.rank:
        for place in range(row.max()):
            yes = one.inside & (row <= place)
            yield yes, one.inside & ~yes


def stump(one: Case, rows) -> int:
    """The least cost of a stump, or leaf, on these rows."""
    total = one.earned[rows].sum(axis=0)
    saved = [total.max()]
    for row in one.rank:
        for place in range(row.max()):
            left = one.earned[rows & (row <= place)].sum(axis=0)
            saved.append(left.max() + (total - left).max())
    return int(one.worth[rows].sum() - max(saved))


@pytest.mark.parametrize("seed", range(12))
def test_sums_are_those_of_the_rows_that_answer_yes(seed):
    one = case(seed)
    n, n_classes = one.table.start[-1], one.earned.shape[1]
    found = QuestionSums(np.ones((2, n + 1), np.int64), np.ones((n_classes + 1, n + 1), np.int64))
    sum_cuts(one.table, one.inside, found)
    for at, rows in enumerate([*(yes for yes, _ in sides(one)), one.inside]):
        assert found.saved[:-1, at].tolist() == one.earned[rows].sum(axis=0).tolist()
        assert found.saved[-1, at] == one.worth[rows].sum()
        assert (found.names[:, at] == np.bitwise_xor.reduce(one.table.name[:, rows], axis=1)).all()


@pytest.mark.parametrize("budget", [0, 2, 6, 1000])
@pytest.mark.parametrize("seed", range(12))
def test_stumps_within_the_budget_are_exact_and_others_are_bounded_beyond_it(seed, budget):
    one = case(seed)
    low = np.zeros((2, one.table.start[-1]), np.int64)
    stump_costs(one.table, one.inside, budget, low, make_survey_scratch(one.table))
    for at, (yes, no) in enumerate(sides(one)):
        least = stump(one, no), stump(one, yes)
        if sum(least) <= budget:
            assert tuple(low[:, at]) == least
        else:
            assert low[:, at].sum() > budget
            assert (low[:, at] <= least).all()
