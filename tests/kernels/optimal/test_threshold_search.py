"""The search over every threshold: where it begins, its survey of questions, stumps; what searches remember."""

from itertools import pairwise, product
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.kernels.optimal import branch_and_bound as bounds_table
from espalier.kernels.optimal.branch_and_bound import BUCKET, UNKNOWN, SetBounds, SetKey, remember
from espalier.kernels.optimal.thresholds import cut_survey
from espalier.kernels.optimal.thresholds import search as kernel
from espalier.kernels.optimal.thresholds.classes import BITS
from espalier.kernels.optimal.thresholds.search import COLUMN, MOST, RANK, run
from espalier.kernels.optimal.thresholds.stumps import Stump, StumpRows, stump_of_rows
from espalier.learners.optimal.problem import MergedRows, RankedColumns
from espalier.learners.optimal.threshold_search import ClassRows
from espalier.trees import LEAF

UNIT, TIE = 8, 1


class Case(NamedTuple):
    rank: np.ndarray  # (n, m)
    y: np.ndarray
    search: kernel.SearchStack  # of depth 3


def case(n=40, m=3, n_classes=2, seed=0) -> Case:
    """Columns without equal values, and classes that follow the first of them more often than not."""
    rng = np.random.default_rng(seed)
    rank = np.argsort(rng.random((m, n))).T.astype(np.int32)
    y = np.where(rng.random(n) < 0.4, rng.integers(0, n_classes, n), rank[:, 0] * n_classes // n)
    earned, ones = np.eye(n_classes, dtype=np.int64)[y], np.ones(n, np.int64)
    columns = RankedColumns(rank, [np.arange(n - 1)] * m, m * (n - 1), np.zeros(m, np.int64))
    samples, root = ClassRows(columns, MergedRows(rank, earned, ones, ones, 0)).samples(UNIT, TIE)
    search = kernel.make_search(samples, root, kernel.SearchSize(3, 7), np.zeros(1, np.int64))
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
        solved = search.scratch.own.solved
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


def test_a_search_begins_with_the_root_that_it_is_given_and_after_a_new_best_one_those_beside_it_are_next():
    search = case().search
    search.hint[:2, 0], search.state[MOST] = (2, 17), 2
    run(search)
    assert search.levels.work[0, [COLUMN, RANK]].tolist() == [2, 17]
    assert search.levels.points.n[0].tolist() == [2, 2, 3]
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


# The survey of every question of a set of rows: sums and best stumps of both sides, against loops over rows
class SurveyCase(NamedTuple):
    table: cut_survey.CutTable
    rank: np.ndarray  # (n_chains, n_rows)
    earned: np.ndarray  # (n_rows, n_classes)
    worth: np.ndarray
    inside: np.ndarray


def survey_case(seed) -> SurveyCase:
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
    table = cut_survey.CutTable(rank.ravel(), order.ravel(), start, earned.astype(np.int32).ravel(), worth, name)
    inside = rng.random(n) < 0.8
    inside[0] = True
    return SurveyCase(table, rank, earned, worth, inside)


def sides(one: SurveyCase):
    """Of each question the rows that answer yes, and those that answer no."""
    for row in one.rank:
        for place in range(row.max()):
            yes = one.inside & (row <= place)
            yield yes, one.inside & ~yes


def least_of_stump(one: SurveyCase, rows) -> int:
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
    one = survey_case(seed)
    n, n_classes = one.table.start[-1], one.earned.shape[1]
    names, earned = np.ones((2, n + 1), np.int64), np.ones((n_classes + 1, n + 1), np.int64)
    cut_survey.sum_cuts(one.table, one.inside, names, earned)
    for at, rows in enumerate([*(yes for yes, _ in sides(one)), one.inside]):
        assert earned[:-1, at].tolist() == one.earned[rows].sum(axis=0).tolist()
        assert earned[-1, at] == one.worth[rows].sum()
        assert (names[:, at] == np.bitwise_xor.reduce(one.table.name[:, rows], axis=1)).all()


@pytest.mark.parametrize("budget", [0, 2, 6, 1000])
@pytest.mark.parametrize("seed", range(12))
def test_stumps_within_the_budget_are_exact_and_others_are_bounded_beyond_it(seed, budget):
    one = survey_case(seed)
    low = np.zeros((2, one.table.start[-1]), np.int64)
    cut_survey.stump_costs(one.table, one.inside, budget, low, cut_survey.make_survey_scratch(one.table))
    for at, (yes, no) in enumerate(sides(one)):
        least = least_of_stump(one, no), least_of_stump(one, yes)
        if sum(least) <= budget:
            assert tuple(low[:, at]) == least
        else:
            assert low[:, at].sum() > budget
            assert (low[:, at] <= least).all()


# The best stump of some rows: that of a loop over all columns and ranks
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


NOTHING = (0, UNKNOWN, bounds_table.LEAF_BEST)
whole = st.integers(-(2**63), 2**63 - 1)
random_keys = st.builds(SetKey, whole, whole).filter(any)  # no set of rows has the names 0 and 0
crowded = st.builds(SetKey, st.integers(1, 40), st.integers(-3, 3))  # keys that come back, and share buckets
lows = st.sampled_from([0, 1, UNKNOWN - 1]) | st.integers(0, UNKNOWN)
values = st.sampled_from([0, 1, UNKNOWN]) | st.integers(0, UNKNOWN)
questions = st.sampled_from([bounds_table.LEAF_BEST, bounds_table.PAIR_BEST, 0, 65_000]) | st.integers(0, 65_000)
bounds = st.builds(SetBounds, lows, values, questions)
entries = st.tuples(random_keys | crowded, bounds, st.integers(0, 10))


def make_memory(used, most=None):
    """An empty table that uses so many entries and may grow."""
    most = most or used
    return bounds_table.BoundsTable(np.zeros(4 * most, np.int64), np.array([used - 1, 0, most - 1]))


def told(memory, key):
    return tuple(int(number) for number in bounds_table.recall(memory, *key))


def random_numbers(seed, n):
    return [
        SetKey(int(a), int(b)) for a, b in np.random.default_rng(seed).integers(-(2**63), 2**63, (n, 2), np.int64)
    ]


def said(number):
    """SetBounds that tell this number from others."""
    return SetBounds(number, 2 * number + 1, number % 1000)


def better(before, bounds):
    return max(before[0], bounds[0]), *(before if before[1] < bounds[1] else bounds)[1:]


@given(steps=st.lists(entries, max_size=120), used=st.sampled_from([4, 8, 32]), most=st.sampled_from([32, 256]))
def test_a_key_recalls_the_best_that_was_said_of_it_or_nothing(steps, used, most):
    memory, last = make_memory(used, most), {}
    for key, bounds, depth in steps:
        before = told(memory, key)
        remember(memory, key, bounds, depth)
        last[key] = bounds if before == NOTHING else better(before, bounds)
        assert told(memory, key) == last[key]
    for key, bounds in last.items():
        assert told(memory, key) in (bounds, NOTHING)
    known = [key for key in last if told(memory, key) != NOTHING or last[key] == NOTHING]
    assert memory.state[1] <= min(len(known), memory.state[0] + 1)


def test_a_full_table_never_lies():
    memory, keys = make_memory(64), random_numbers(0, 3000)
    for number, key in enumerate(keys):
        remember(memory, key, said(number), number % 7)
        assert told(memory, key) == said(number)
    known = [number for number, key in enumerate(keys) if told(memory, key) != NOTHING]
    assert len(known) == memory.state[1] == 64
    assert all(told(memory, keys[number]) == said(number) for number in known)
    assert all(told(memory, key) == NOTHING for key in random_numbers(1, 3000))


def test_one_half_of_a_key_is_not_the_key():
    memory, keys = make_memory(256), random_numbers(2, 20)
    for number, key in enumerate(keys):
        remember(memory, key, said(number), 3)
    for (first, second), (other, another) in pairwise(keys):
        assert told(memory, (first, second)) != NOTHING
        assert told(memory, (first, another)) == told(memory, (other, second)) == NOTHING
        assert told(memory, (first ^ 1 << 40, second)) == told(memory, (first, second ^ 1)) == NOTHING


def test_doubling_loses_nothing():
    memory, kept = make_memory(16, 1024), {}
    for number, key in enumerate(random_numbers(3, 500)):
        before, size = {k for k in kept if told(memory, k) != NOTHING}, int(memory.state[0])
        here = [k for k in before if (k[0] ^ key[0]) & size & -BUCKET == 0]
        remember(memory, key, said(number), 3)
        kept[key] = said(number)
        lost = [k for k in before if told(memory, k) != kept[k]]
        assert len(lost) == (len(here) == BUCKET)  # only where its bucket was full
        assert set(lost) <= set(here)
    assert memory.state[0] == 1023


def test_the_table_doubles_when_it_is_half_full_up_to_its_room():
    memory = make_memory(8, 32)
    sizes = []
    for number in range(40):  # one after the other into all buckets
        remember(memory, SetKey(number * BUCKET + 1, number), said(number), 3)
        sizes.append(int(memory.state[0]) + 1)
    assert sizes[:3] == [8, 8, 8]
    assert sorted(set(sizes)) == [8, 16, 32]
    assert memory.state[1] == 32
    assert len(memory.table) == 4 * 32


@pytest.mark.parametrize("n", range(2, BUCKET + 1))
def test_keys_share_a_bucket(n):
    memory = make_memory(64)
    keys = [SetKey(5 + (number << 20), -number) for number in range(n)]
    for number, key in enumerate(keys):
        remember(memory, key, said(number), 3)
    assert [told(memory, key) for key in keys] == [said(number) for number in range(n)]
    remember(memory, keys[-1], SetBounds(n, 0, 7), 9)
    assert [told(memory, key) for key in keys] == [*(said(number) for number in range(n - 1)), (n, 0, 7)]
    assert memory.state[1] == n


@pytest.mark.parametrize("least", range(BUCKET))
def test_where_a_bucket_is_full_the_least_work_is_forgotten(least):
    memory = make_memory(64)
    keys = [SetKey(5 + (number << 20), number) for number in range(BUCKET + 1)]
    for number, key in enumerate(keys[:-1]):
        remember(memory, key, said(number), 2 if number == least else 5)
    remember(memory, keys[-1], said(9), 1)
    assert told(memory, keys[-1]) == said(9)
    assert [told(memory, key) == NOTHING for key in keys[:-1]] == [number == least for number in range(BUCKET)]
    assert memory.state[1] == BUCKET


def test_a_half_written_entry_is_the_entry_of_no_key():
    keys = [SetKey(5, 11), SetKey(5 + (1 << 33), 12)]
    tables = []
    for number, key in enumerate(keys):
        memory = make_memory(BUCKET)
        remember(memory, key, said(number + 1), 3)
        tables.append(memory.table.copy())
    for mixture in product((0, 1), repeat=4):
        memory = make_memory(BUCKET)
        memory.table[:] = 0
        for place in np.flatnonzero(tables[0] | tables[1]):
            memory.table[place] = tables[mixture[place % 4]][place]
        for number, key in enumerate(keys):
            whole_entry = mixture == (number,) * 4
            assert told(memory, key) == (said(number + 1) if whole_entry else NOTHING)
