"""The and-or graph of trees as good: against all trees written out, and the laws of its numbers."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from espalier.learners.base import TrainingData
from espalier.learners.optimal.rashomon import StoppedEarly, trees_as_good
from espalier.learners.optimal.tree_builder import ColumnSplit
from espalier.progress import Progress
from tests.learners.optimal.test_optimal_trees import KINDS, XOR, fitted, unit
from tests.tools.naive.as_good import table_of, trees_within
from tests.tools.naive.optimal import random_case


def as_good(model, case, slack=0, progress=None):
    return trees_as_good(model, model.prepare(case.X, case.y, case.weight), slack, progress)


def written(trees, shape, rows):
    """The tree as the naive version writes it."""
    if not isinstance(shape, ColumnSplit):
        return shape
    inputs = trees.questions.inputs
    bits, question = inputs.columns.bits[:, shape.column], inputs.columns.question[shape.column]
    ones = frozenset(row for row in rows if bits[row])
    sides = (ones, written(trees, shape.one, ones)), (rows - ones, written(trees, shape.zero, rows - ones))
    return int(inputs.questions.feature[question]), frozenset(sides)


def assert_all_are_there(case, slack, leaf_share=0.0, **parameters):
    """Exactly the naive version's trees, each once, in order, with the objectives that they have."""
    model = fitted(case, min_weight_fraction_leaf=leaf_share, **parameters)
    trees = as_good(model, case, slack)
    table = table_of(model.questions_, case, leaf_share)
    expected = trees_within(table, slack, model.max_depth, model.max_splits)
    everyone = frozenset(range(len(case.y)))
    found = [written(trees, trees.shape(number), everyone) for number in range(trees.n_trees)]
    assert len(found) == len(set(found))
    assert set(found) == {tree.written for tree in expected}
    near = [trees.near(number) for number in range(trees.n_trees)]
    order = [(round(tree.objective, 6), tree.n_splits) for tree in near]
    assert order == sorted(order)
    sizes = Counter((round(tree.objective, 6), tree.n_splits) for tree in expected)
    assert Counter(order) == sizes
    assert {(round(s.objective, 6), s.n_splits): s.n_trees for s in trees.sizes} == sizes
    return trees


def test_exclusive_or_has_two_trees_and_of_a_stump_both_leaves_may_change_their_class():
    assert assert_all_are_there(unit(XOR, [0, 1, 1, 0]), 0, max_depth=2).n_trees == 2
    # Without an error a | b; with one, nothing: each leaf has two rows. With two errors the other leaf's class on
    # both sides, which are the two constants; a split of the same two leaves is none.
    trees = assert_all_are_there(unit([[0], [0], [1], [1]], [0, 0, 1, 1]), 2, max_depth=1)
    assert [(size.objective, size.n_splits, size.n_trees) for size in trees.sizes] == [(0, 1, 1), (2, 0, 2)]


def test_thresholds_that_part_rows_alike_are_one_split_and_columns_two():
    # Once x has parted 0 from 1, only one row with y = 3 is left on the right: y is asked in one way there.
    X = [[0, 0], [0, 1], [0, 2], [1, 0], [1, 3]]
    trees = assert_all_are_there(unit(X, [0, 0, 0, 0, 1]), 0, max_depth=2)
    [root] = [split for split in trees.root.splits if trees.questions.feature[split.place] == 0]
    [below] = root.no.splits or root.yes.splits
    assert len(below.places) == 3
    assert assert_all_are_there(unit([[0, 5], [1, 3]], [0, 1]), 0, max_depth=1).n_trees == 2


@pytest.mark.few(14)  # every third one: each kind, most of them with each depth
@pytest.mark.parametrize("slack", [0, 1, 2])
@pytest.mark.parametrize("max_depth", [1, 2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_the_graph_has_every_tree_once_and_counts_them(kind, max_depth, slack):
    for seed in range(4 - max_depth):
        n_columns = 3 if max_depth == 3 else 4
        assert_all_are_there(random_case(seed, max_columns=n_columns, **KINDS[kind]), slack, max_depth=max_depth)


def mixed(seed, n=12):
    """A number, a number with gaps and a category."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, 3)).astype(float)
    X[rng.random(n) < 0.25, 1] = np.nan
    return unit(X, np.append(rng.integers(0, 2 + seed % 2, n - 1), 1))


@pytest.mark.few(3)
@pytest.mark.parametrize("seed", range(6))
def test_numbers_categories_and_missing_values_make_each_tree_once(seed):
    assert_all_are_there(mixed(seed), seed % 3, max_depth=2, categorical_features=[2])


@pytest.mark.parametrize("max_splits", [0, 1, 2, 3, 4])
def test_trees_keep_to_the_limit_of_splits(max_splits):
    for seed in range(3):
        assert_all_are_there(random_case(seed, max_columns=3), 1, max_depth=3, max_splits=max_splits)


def test_leaves_keep_to_their_least_weight():
    for seed in range(6):
        assert_all_are_there(random_case(seed, max_columns=4), 2, leaf_share=0.2, max_depth=2)


def test_without_the_fewest_splits_the_trees_are_the_same():
    case = random_case(3, max_columns=4)
    some = [as_good(fitted(case, max_depth=2, fewest_splits=fewest), case, 1) for fewest in (True, False)]
    assert some[0].sizes == some[1].sizes


def test_four_levels_are_counted_as_three_are():
    case = mixed(1, 8)
    assert_all_are_there(case._replace(X=case.X[:, :1]), 1, max_depth=4)


def test_trees_are_drawn_with_equal_chances():
    case = random_case(1, max_columns=4)
    trees = as_good(fitted(case, max_depth=2), case, 2)
    drawn = Counter(trees.shape(number) for number in trees.draw(200 * trees.n_trees, seed=0))
    assert len(drawn) == trees.n_trees > 10
    assert chisquare(list(drawn.values())).pvalue > 0.01


def test_more_slack_has_the_same_trees_first():
    case = random_case(1, max_columns=4)
    model = fitted(case, max_depth=2)
    few, more = as_good(model, case, 0), as_good(model, case, 2)
    assert few.n_trees < more.n_trees
    assert {few.shape(i) for i in range(few.n_trees)} == {more.shape(i) for i in range(few.n_trees)}


def test_a_number_beyond_the_last_and_other_samples_than_those_of_the_fit_are_refused():
    case = unit(XOR, [0, 1, 1, 0])
    trees = as_good(fitted(case, max_depth=2), case)
    for number in (-1, trees.n_trees):
        with pytest.raises(IndexError):
            trees.shape(number)
    case = unit(XOR, [0, 1, 1, 0])
    model = fitted(case, max_depth=2)
    for X in (XOR[:2], np.zeros((4, 2))):
        with pytest.raises(ValueError, match="fitted to"):
            trees_as_good(model, TrainingData(X, case.y[: len(X)], np.ones(len(X))))


def test_counting_stops_when_it_is_asked_to():
    case = random_case(1, max_columns=4)
    model = fitted(case, max_depth=3)
    with pytest.raises(StoppedEarly):
        as_good(model, case, 1, Progress(is_stopped=True))
