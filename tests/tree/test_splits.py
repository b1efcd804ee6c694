"""Splits on sets of categories, splits given by hand to an optimal tree, and surrogate splits as conditions."""

from typing import Any

import numpy as np
import pytest

from espalier.data import samples
from espalier.data.dataset import Feature
from espalier.display.text.splits import surrogate_table, surrogate_words
from espalier.display.text.trees import condition
from espalier.learners import CartClassifier, OptimalClassifier
from espalier.predict import leaves
from espalier.tree.editing import edited
from espalier.tree.edits import COLUMN, CUT, MADE_LEAF, SET, Edit
from espalier.tree.nodes import has_many_levels
from espalier.tree.rules import (
    deciders,
    may_ask_surrogates,
    n_surrogates,
    questions_in_order,
    surrogate_step,
    surrogate_tests,
)


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
X = np.array([[1, 10, 90], [2, 20, 80], [3, 30, 70], [4, 40, 60], [5, 50, 50], [6, 60, 40]], dtype=float)
TREE = CartClassifier(max_depth=1, missing="surrogate").fit(X, [0, 0, 0, 1, 1, 1]).tree_
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
