"""Surrogate splits as conditions: which of them decides about a row, and what is said of them."""

import numpy as np

from espalier.analysis.tree.surrogates import (
    deciders,
    may_ask_surrogates,
    n_surrogates,
    questions_in_order,
    surrogate_step,
    surrogate_tests,
)
from espalier.data.dataset import Feature
from espalier.learners import CartClassifier
from espalier.views.text.surrogates import fill_words, surrogate_table, surrogate_words
from espalier.views.text.trees import condition

NAN = np.nan
# The second column follows the first, the third one runs against it.
X = np.array([[1, 10, 90], [2, 20, 80], [3, 30, 70], [4, 40, 60], [5, 50, 50], [6, 60, 40]], dtype=float)
TREE = CartClassifier(max_depth=1, missing="surrogate").fit(X, [0, 0, 0, 1, 1, 1]).tree_
FEATURES = (Feature("a"), Feature("b"), Feature("c"))


def test_a_surrogate_that_runs_against_the_split_admits_what_is_above_its_threshold():
    along, against = (one.bound for one in surrogate_tests(TREE, 0))
    assert (along.feature, along.low, along.high) == (1, -np.inf, 35.0)
    assert (against.feature, against.low, against.high) == (2, 65.0, np.inf)


def test_the_first_known_surrogate_decides_and_the_rest_goes_to_the_larger_side():
    rows = np.array([[1, 1, 1], [NAN, 10, 1], [NAN, 10, NAN], [NAN, NAN, 1], [NAN, NAN, NAN]])
    assert deciders(TREE, 0, rows).tolist() == [2, 1, 1]
    assert surrogate_table(TREE, FEATURES, 0, rows)["rows decided"].tolist() == [2, 1]


def test_words_name_the_questions_and_what_is_left():
    words = surrogate_words(TREE, FEATURES, 0)
    assert [line.split(" (")[0] for line in words] == ["yes if b ≤ 35", "yes if c > 65", words[2]]
    assert words[2] == "no where all of these are missing"
    assert surrogate_words(TREE, FEATURES, 1) == []


def test_the_values_that_stand_in_are_named_for_the_columns_asked_for():
    colour = Feature("colour", "category", ("red", "blue"))
    words = fill_words(np.array([2.5, 1.0, NAN]), (Feature("size"), colour, Feature("gone")), [0, 1, 2])
    assert words == "Where a value is missing, this one stands in: size: 2.5, colour: blue."


def test_each_surrogate_parts_all_values_between_both_sides():
    left, right = (surrogate_step(TREE, 0, 2, left=side) for side in (True, False))
    assert (left.feature, left.low, right.high) == (2, 65.0, 65.0)
    assert n_surrogates(TREE, 0) == 2
    assert n_surrogates(TREE, 1) == 0


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


def test_a_tree_may_ask_surrogates_where_a_value_is_missing_or_a_category_may_be_new():
    assert not may_ask_surrogates(TREE, np.array([1.0, 1, 1]))
    assert may_ask_surrogates(TREE, np.array([1.0, NAN, 1]))
    coloured = CartClassifier(max_depth=1, missing="surrogate", categorical_features=[0])
    tree = coloured.fit([[0, 1], [0, 2], [1, 7], [1, 8]], [0, 0, 1, 1]).tree_
    assert may_ask_surrogates(tree, np.array([0.0, 1]))
