"""Bounds of leaves and ways to nodes, splits that a person gives, surrogates; what planes show and trees share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.data import Feature, make_dataset, samples
from espalier.data.filters import filter_of
from espalier.data.subset import mask_of
from espalier.display.boundaries.plane import best_plane, share_shown
from espalier.display.text.splits import surrogate_table, surrogate_words
from espalier.display.text.trees import condition
from espalier.kernels.route import leaf_of
from espalier.learners import CartClassifier, CartRegressor, CultivatedClassifier, OptimalClassifier, catalogue
from espalier.learners.catalogue import CommonTerms, Model
from espalier.predict import classes, leaves, means, shares
from espalier.tree.editing import edited
from espalier.tree.edits import COLUMN, CUT, MADE_LEAF, SET, Edit
from espalier.tree.nodes import features_of, has_many_levels, most_used, rows_in
from espalier.tree.rules import (
    ALL,
    Bound,
    admits,
    admits_value,
    admitted_codes,
    all_bounds,
    both,
    bounds,
    deciders,
    filter_of_node,
    leaf_bounds,
    may_ask_surrogates,
    n_surrogates,
    questions_in_order,
    surrogate_step,
    surrogate_tests,
)
from espalier.trees import is_leaf, make_tree, softened
from tests.tools import random_trees

untimed = settings(deadline=None, max_examples=100)


@st.composite
def routed(draw):
    features = draw(random_trees.features())
    target = draw(random_trees.targets())
    tree = draw(random_trees.trees(features, target))
    return tree, draw(random_trees.samples(features, tree))


@untimed
@given(routed())
def test_bounds_of_a_leaf_admit_exactly_its_samples(case):
    tree, X = case
    leaf = leaf_of(tree, X)
    for node, demands in leaf_bounds(tree):
        inside = np.ones(len(X), dtype=bool)
        for bound in demands:
            inside &= admits(bound, X[:, bound.feature])
        assert np.array_equal(inside, leaf == node)


@untimed
@given(routed())
def test_all_leaves_are_found_from_left_to_right_with_one_bound_a_feature(case):
    tree, _ = case
    found = leaf_bounds(tree)
    assert [node for node, _ in found] == np.flatnonzero(is_leaf(tree)).tolist()
    assert [node for node, _ in all_bounds(tree)] == list(range(tree.n_nodes))
    for node, demands in all_bounds(tree):
        assert demands == bounds(tree, node)
        assert len({bound.feature for bound in demands}) == len(demands)


@untimed
@given(routed())
def test_predictions_are_the_values_of_the_leaves(case):
    tree, X = case
    leaf = leaf_of(tree, X)
    assert np.array_equal(shares(tree, X), tree.value[leaf])
    assert classes(tree, X).tolist() == [int(np.argmax(tree.value[i])) for i in leaf]
    assert means(tree, X).tolist() == tree.value[leaf, 0].tolist()


def test_bounds_on_one_feature_meet_in_the_narrower_admit_codes_by_both_and_may_admit_missing_values_alone():
    met = both(Bound(0, high=1.75, missing=True), Bound(0, low=0.8, missing=False))
    assert met == Bound(0, 0.8, 1.75, ALL, False)
    assert both(Bound(1, categories=0b0110), Bound(1, categories=0b0011)).categories == 0b0010
    assert admitted_codes(Bound(0, low=0.5, high=3.5), 6) == [1, 2, 3]
    assert admitted_codes(Bound(0, categories=0b101), 2) == [0]
    assert admitted_codes(Bound(0, high=-1), 3) == []
    bound = Bound(0, low=math.inf, missing=True)
    assert bound.is_empty
    assert admits(bound, np.array([1.0, np.nan])).tolist() == [False, True]


@given(
    st.integers(0, ALL), st.booleans(), st.sampled_from([-np.inf, 0.0, 2.0]), st.sampled_from([1.0, 63.0, np.inf])
)
def test_a_bound_admits_the_values_that_it_says_one_by_one_and_all_at_once(categories, missing, low, high):
    bound = Bound(0, low, high, categories, missing)
    values = np.array([-1.0, 0.0, 0.5, 1.0, 2.0, 2.5, 31.0, 32.0, 63.0, 64.0, 1e9, np.inf, np.nan])
    inside = [
        missing
        if np.isnan(v)
        else low < v <= high and (categories == ALL or v in admitted_codes(Bound(0, categories=categories), 64))
        for v in values
    ]
    assert admits(bound, values).tolist() == inside
    assert [admits_value(bound, float(v)) for v in values] == inside


N_ROWS = 120


@st.composite
def named_routed(draw):
    found = draw(random_trees.features())
    features = tuple(one._replace(name=f"{one.name} {i}") for i, one in enumerate(found))
    tree = draw(random_trees.trees(features, Feature("y", "category", ("a", "b"))))
    return tree, features, draw(random_trees.samples(features, tree))


@settings(deadline=None, max_examples=100)
@given(named_routed())
def test_the_way_to_every_node_of_any_tree_takes_its_rows(case):
    tree, features, X = case
    data = make_dataset("made", X, features, np.arange(len(X)) % 2, Feature("class", "category", ("a", "b")))
    for node in range(tree.n_nodes):
        taken = mask_of(data, filter_of(filter_of_node(tree, node, features).text))
        assert np.array_equal(taken, rows_in(tree, X, node))


def with_gaps(name):
    """Rows of a sample, a tenth of whose values are missing."""
    whole, rng = samples.load(name), np.random.default_rng(1)
    rows = rng.permutation(len(whole.y))[:N_ROWS]
    X = whole.X[rows].copy()
    X[rng.random(X.shape) < 0.1] = np.nan
    return make_dataset("gaps", X, whole.features, whole.y[rows], whole.target)


CASES = [
    (kind.name, name)
    for kind in catalogue.KINDS
    for name in ("tic-tac-toe", "iris", "diabetes")
    if kind.is_tree
    and kind.name != "cultivated"
    and samples.load(name).is_classification in kind.serves
    and not kind.beyond_boxes
]


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_the_way_to_every_node_of_every_learner_with_boxes_takes_its_rows(kind, name):
    data = with_gaps(name)
    tree = Model(kind).make(CommonTerms.of(data)).fit(data.X, data.y).tree_
    for node in range(tree.n_nodes):
        taken = mask_of(data, filter_of_node(tree, node, data.features))
        assert np.array_equal(taken, rows_in(tree, data.X, node))


RNG = np.random.default_rng(3)
X = RNG.normal(size=(300, 4))


def test_a_plane_shows_all_that_the_tree_asks_nothing_of_what_it_does_not_or_a_features_part_of_the_variance():
    tree = CartClassifier(max_depth=4).fit(X[:, [0, 2]], X[:, 0] * X[:, 2] > 0).tree_
    assert share_shown(tree, X[:, [0, 2]], (0, 1)) == pytest.approx(1.0)
    tree = CartClassifier(max_depth=1).fit(X, X[:, 1] > 0).tree_
    assert share_shown(tree, X, (0, 3)) == pytest.approx(0.0)
    # Over a full grid the answer is a + 2 b, with variances 1 and 4: the parts are 1/5 and 4/5.
    grid = np.array([[a, b] for a in (-1.0, 1.0) for b in (-1.0, 1.0)])
    tree = CartRegressor(max_depth=2).fit(grid, grid[:, 0] + 2 * grid[:, 1]).tree_
    assert share_shown(tree, grid, (0,)) == pytest.approx(0.2)
    assert share_shown(tree, grid, (1,)) == pytest.approx(0.8)


def test_the_plane_proposed_is_that_of_features_that_act_together_or_the_first_or_of_a_single_feature():
    tree = CartRegressor(max_depth=5).fit(X, np.sign(X[:, 1] * X[:, 3]) + 0.1 * X[:, 0]).tree_
    assert best_plane(tree, X, [0, 1, 2, 3]) == (1, 3)
    tree = CartClassifier(max_depth=1).fit(X, X[:, 3] > 0).tree_
    assert best_plane(tree, X, [3, 1, 0, 2]) == (1, 3)
    tree = CartClassifier(max_depth=1).fit(X[:, :1], X[:, 0] > 0).tree_
    assert best_plane(tree, X[:, :1], [0]) == (0,)


def grown(columns, depth):
    """A tree of iris that may ask about these columns only."""
    data = samples.load("iris")
    X = np.where(np.isin(np.arange(4), columns), data.X, 0.0)
    return CartClassifier(max_depth=depth).fit(X, data.y).tree_


def test_features_of_a_tree_are_listed_once_and_modules_ask_for_all():
    assert features_of(grown([3], 3)) == [3]
    assert features_of(grown([], 3)) == []
    data = samples.load("iris")
    tree = CultivatedClassifier(max_depth=1, eta=1.0).fit(data.X, data.y).tree_
    assert features_of(tree) == [0, 1, 2, 3]
    assert features_of(softened(grown([1], 2))) == [1]


def test_a_split_of_many_rows_is_of_more_use_than_a_purer_one_of_few():
    shape = ([1, -1, 0, -1, -1], [0.5] * 5, [1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [0] * 5, [False] * 5)
    tree = make_tree(*shape, [100, 90, 10, 5, 5], [100, 90, 10, 5, 5], [[0.5]] * 5, [0.5, 0.4, 0.5, 0, 0])
    assert most_used(tree, 2) == [1, 0]  # it takes 100 * 0.5 - 90 * 0.4 - 10 * 0.5 away, and the other 10 * 0.5


def test_many_categories_are_those_with_few_rows_each():
    assert has_many_levels(10, 99)
    assert not has_many_levels(10, 100)
    assert not has_many_levels(4, 8)


def with_edits(data, *edits, **parameters):
    learner = OptimalClassifier(categorical_features=np.flatnonzero(data.categorical).tolist(), **parameters)
    training = learner.prepare(data.X, data.y).of_positive_weight()
    return edited(learner, training, learner.grow(training).tree_, edits)


def errors(tree, data):
    return int((tree.value[leaves(tree, data.X)].argmax(axis=1) != data.y).sum())


@pytest.mark.parametrize("max_splits", [None, 3, 4])
def test_the_tree_is_as_good_as_the_best_one_that_begins_so_however_the_branches_share_the_splits(max_splits):
    data = samples.load("iris")
    forced = {"": (0, 5.5), "L": (1, 3.0)}
    best = OptimalClassifier(max_depth=3, max_splits=max_splits, forced_splits=forced).fit(data.X, data.y)
    edits = Edit("", CUT, (0,), 5.5), Edit("L", CUT, (1,), 3.0)
    own: Any = with_edits(data, *edits, max_depth=3, max_splits=max_splits)
    assert (own.given.proved, own.given.n_forced) == (True, 2)
    assert own.given.objective == best.proof_.objective == errors(own.tree, data)
    assert dict(own.by_hand) == {0: edits[0], 1: edits[1]}


def test_splits_above_one_by_hand_stay_as_they_were_and_a_set_of_categories_by_hand_is_kept():
    data = samples.load("iris")
    alone = OptimalClassifier(max_depth=2).fit(data.X, data.y).tree_
    own: Any = with_edits(data, Edit("R", COLUMN, (0,)), max_depth=2)
    assert (own.tree.feature[0], own.tree.threshold[0]) == (alone.feature[0], alone.threshold[0])
    assert own.given.n_forced == 2
    own: Any = with_edits(samples.load("tic-tac-toe"), Edit("", SET, (4,), 0.0, 1), max_depth=2)
    assert own.given.proved
    assert (own.tree.feature[0], own.tree.categories[0]) == (4, 1)


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (Edit("R", MADE_LEAF), "an edit that is no split"),
        (Edit("RR", CUT, (0,), 6.5), "as deep as the tree may be"),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_beside_what_a_search_with_given_splits_cannot_say_nothing_is_proved_of_the_whole(other, why):
    own = with_edits(samples.load("iris"), Edit("", CUT, (0,), 5.5), other, max_depth=2)
    assert own.given is None, why
    assert len(own.by_hand) == 2


def test_where_the_column_has_missing_values_the_split_sends_them_to_a_side_of_its_own():
    iris = samples.load("iris")
    X = np.array(iris.X)
    X[::10, 0] = np.nan
    learner = OptimalClassifier(max_depth=2)
    training = learner.prepare(X, iris.y).of_positive_weight()
    own = edited(learner, training, learner.grow(training).tree_, (Edit("", CUT, (0,), 5.5),))
    assert own.given is None
    assert (own.tree.feature[0], own.tree.threshold[0]) == (0, 5.5)


NAN = np.nan
# The second column follows the first, the third one runs against it.
ALONG = np.array([[1, 10, 90], [2, 20, 80], [3, 30, 70], [4, 40, 60], [5, 50, 50], [6, 60, 40]], dtype=float)
TREE = CartClassifier(max_depth=1, missing="surrogate").fit(ALONG, [0, 0, 0, 1, 1, 1]).tree_
FEATURES = (Feature("a"), Feature("b"), Feature("c"))


def test_the_first_known_surrogate_decides_one_that_runs_against_the_split_is_turned_and_words_name_them():
    along, against = (bound for bound, _ in surrogate_tests(TREE, 0))
    assert (along.feature, along.low, along.high) == (1, -np.inf, 35.0)
    assert (against.feature, against.low, against.high) == (2, 65.0, np.inf)
    rows = np.array([[1, 1, 1], [NAN, 10, 1], [NAN, 10, NAN], [NAN, NAN, 1], [NAN, NAN, NAN]])
    assert deciders(TREE, 0, rows).tolist() == [2, 1, 1]
    assert surrogate_table(TREE, FEATURES, 0, rows)["rows decided"].tolist() == [2, 1]
    words = surrogate_words(TREE, FEATURES, 0)
    assert [line.split(" (")[0] for line in words] == ["yes if b ≤ 35", "yes if c > 65", words[2]]
    assert words[2] == "no where all of these are missing"
    assert surrogate_words(TREE, FEATURES, 1) == []
    left, right = (surrogate_step(TREE, 0, 2, left=side) for side in (True, False))
    assert (left.feature, left.low, right.high) == (2, 65.0, 65.0)
    assert n_surrogates(TREE, 0) == 2
    assert n_surrogates(TREE, 1) == 0


def test_surrogates_are_asked_where_values_are_missing_or_categories_new():
    assert not may_ask_surrogates(TREE, np.array([1.0, 1, 1]))
    assert may_ask_surrogates(TREE, np.array([1.0, NAN, 1]))
    coloured = CartClassifier(max_depth=1, missing="surrogate", categorical_features=[0])
    tree = coloured.fit([[0, 1], [0, 2], [1, 7], [1, 8]], [0, 0, 1, 1]).tree_
    assert may_ask_surrogates(tree, np.array([0.0, 1]))


def test_categories_that_a_split_never_saw_are_on_neither_side_and_are_not_known_to_it():
    """Of colours 0, 1 and 2 the split saw the first two; the size decides about the third."""
    X = np.array([[0, 1], [0, 2], [0, 3], [1, 7], [1, 8], [1, 9], [1, 9]], dtype=float)
    model = CartClassifier(max_depth=1, missing="surrogate", categorical_features=[0])
    tree = model.fit(X, [0, 0, 0, 1, 1, 1, 1]).tree_
    own, size = questions_in_order(tree, 0)
    assert (own.left.categories, own.right.categories, own.known.categories) == (0b01, 0b10, 0b11)
    assert (size.left.high, size.right.low) == (5.0, 5.0)
    assert deciders(tree, 0, np.array([[2, 1], [0, 1], [NAN, NAN], [2, NAN]])).tolist() == [1, 2]
    features = (Feature("colour", "category", ("red", "blue", "green")), Feature("size"))
    assert [condition(tree, features, 0, left) for left in (True, False)] == ["colour is red", "colour is blue"]
