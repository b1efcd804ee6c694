"""How often a split comes back: by hand, as a naive walk counts it, and by laws."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.data import samples
from espalier.data.dataset import Feature, make_dataset
from espalier.learners import CartClassifier, CultivatedClassifier, ObliqueClassifier
from espalier.stability.replicates import Plan, replicate
from espalier.stability.resampling import Redraw
from espalier.stability.splits import counterparts, difference, split_recurrence, tolerances
from espalier.stability.structures import Equality, structures_of
from espalier.trees import LEAF, depths, is_leaf, parents, prune_to, softened
from tests.stability.test_structures import grown
from tests.tools.naive import recurrence as naive

YES = Feature("y", "category", ("no", "yes"))
KINDS = ("features", "exact", "tolerance", "neighbourhood")
STUMP = grown({"": (0, 1.0, 0)})
seeds = st.integers(0, 10_000)


def table(X, y):
    return make_dataset("t", X, [Feature(f"x{i}") for i in range(X.shape[1])], y, YES)


def replicates(learner, data, n=8):
    return replicate(learner, data, Plan(Redraw("bootstrap"), n)).trees


def coarse(seed):
    """A table of few values, so that thresholds of redrawn data are often the same."""
    rng = np.random.default_rng(seed)
    return table(rng.integers(0, 4, (40, 3)) * 1.0, rng.integers(0, 2, 40))


# ---- by hand


def test_a_split_comes_back_where_the_same_turns_pass_the_same_questions():
    tree = grown({"": (0, 1.0, 0), "l": (1, 2.0, 0)})
    other_root = grown({"": (1, 1.0, 0), "l": (1, 2.0, 0)})  # the lower split is there, after another question
    other_cut = grown({"": (0, 1.5, 0), "l": (1, 2.0, 0)})
    others = [tree, other_root, other_cut, STUMP]
    assert split_recurrence(tree, others).times[~is_leaf(tree)].tolist() == [3, 2]
    assert split_recurrence(tree, others, Equality("exact")).times[~is_leaf(tree)].tolist() == [2, 1]
    assert split_recurrence(tree, others, Equality("tolerance", 0.5)).times[~is_leaf(tree)].tolist() == [3, 2]


@pytest.mark.parametrize("make", [CartClassifier, CultivatedClassifier])
def test_a_feature_that_parts_the_classes_comes_back_in_100_of_100_trees(make):
    y = np.arange(100) % 2
    data = table(np.column_stack([y * 10.0, np.random.default_rng(0).normal(size=100)]), y)
    learner = make(max_depth=3)
    tree = make(max_depth=3).fit(data.X, data.y).tree_
    for kind in KINDS:
        again = split_recurrence(tree, replicates(learner, data, 100), Equality(kind))
        assert (again.times[0], again.n_trees, again.share[0]) == (100, 100, 1.0)


def test_categories_are_compared_as_sets_but_not_by_features_alone():
    X = np.array([[0.0], [1.0], [2.0]] * 10)
    one, other = (
        CartClassifier(categorical_features=[0], max_depth=1).fit(X, np.isin(X[:, 0], left)).tree_
        for left in ((0.0,), (1.0,))
    )
    counted = {kind: int(split_recurrence(one, [one, other], Equality(kind)).times[0]) for kind in KINDS}
    assert counted == {"features": 2, "exact": 1, "tolerance": 1, "neighbourhood": 1}


# ---- as a naive walk counts it


@given(seeds)
def test_counts_are_those_of_a_naive_walk(seed):
    data = coarse(seed)
    learner = CartClassifier(max_depth=3)
    tree, others = learner.fit(data.X, data.y).tree_, replicates(learner, data)
    widths = tolerances(data)
    rules = {
        Equality("features"): naive.by_feature,
        Equality("exact"): naive.exactly,
        Equality("tolerance", 1.0): naive.within([1.0] * 3),
    }
    for equality, rule in rules.items():
        assert split_recurrence(tree, others, equality).times.tolist() == naive.counts(tree, others, rule)
    near = split_recurrence(tree, others, Equality("neighbourhood", widths))
    assert near.times.tolist() == naive.counts(tree, others, naive.within(widths.tolist()))


# ---- laws


@given(seeds, st.sampled_from(KINDS), st.booleans())
def test_all_splits_come_back_in_trees_of_the_same_structure_or_of_more_splits_alone(seed, kind, is_soft):
    data, equality = coarse(seed), Equality(kind, 1.0)
    learner = (CultivatedClassifier if is_soft else CartClassifier)(max_depth=2)
    tree = learner.fit(data.X, data.y).tree_
    for other in replicates(learner, data, 3):
        again = split_recurrence(tree, [other], equality).times[~is_leaf(tree)].all()
        differs = difference(tree, other, 2, equality)
        if differs is None:
            assert again
        elif differs.what != "leaf" or not is_leaf(tree)[differs.node]:  # where it has a leaf, the other may go on
            assert not again


@given(seeds)
def test_no_split_comes_back_more_often_than_the_one_above_it(seed):
    data = coarse(seed)
    tree = CartClassifier().fit(data.X, data.y).tree_
    count = split_recurrence(tree, replicates(CartClassifier(), data)).times
    assert (count[1:] <= count[parents(tree)[1:]]).all()
    assert not count[is_leaf(tree)].any()


@given(seeds, st.sampled_from(("features", "exact")))
def test_the_root_comes_back_as_often_as_its_structure_of_depth_1(seed, kind):
    data = coarse(seed)
    tree, others = CartClassifier().fit(data.X, data.y).tree_, replicates(CartClassifier(), data)
    same = structures_of([tree, *others], 1, Equality(kind)).label[0]
    assert split_recurrence(tree, others, Equality(kind)).times[0] == (same[1:] == same[0]).sum()


@given(seeds)
def test_a_hesitating_tree_counts_as_its_first_decisions(seed):
    data = coarse(seed)
    tree: Any = CartClassifier(max_depth=3).fit(data.X, data.y).tree_
    others: Any = replicates(CartClassifier(), data, 5)
    soft = split_recurrence(softened(tree), [softened(other) for other in others])
    assert soft.times.tolist() == split_recurrence(tree, others).times.tolist()


def test_a_pruned_tree_has_its_counterparts_in_the_whole_one():
    iris = samples.load("iris")
    whole = CartClassifier().fit(iris.X, iris.y).tree_
    pruned = prune_to(whole, depths(whole) < 2)
    there = counterparts(pruned, whole)
    assert np.array_equal(whole.weight[there], pruned.weight)
    assert (counterparts(whole, pruned)[depths(whole) > 2] == LEAF).all()
    others = replicates(CartClassifier(), iris, 5)
    inner = ~is_leaf(pruned)
    counts = split_recurrence(whole, others).times[there]
    assert split_recurrence(pruned, others).times[inner].tolist() == counts[inner].tolist()


# ---- what cannot be compared


def test_without_other_trees_as_functions_or_with_weighed_features_nothing_can_come_back():
    with pytest.raises(ValueError, match="no other trees"):
        split_recurrence(STUMP, [])
    with pytest.raises(ValueError, match="cannot be compared by 'function'"):
        split_recurrence(STUMP, [STUMP], Equality("function"))
    data = coarse(0)
    oblique: Any = ObliqueClassifier(max_depth=1).fit(data.X, data.y).tree_
    with pytest.raises(ValueError, match="comparison of structures"):
        split_recurrence(STUMP, [oblique])
