"""Surrogate splits as conditions: which of them decides about a row, and what is said of them."""

import numpy as np

from espalier.analysis.tree.surrogates import deciders, n_surrogates, surrogate_step, surrogate_tests
from espalier.data.dataset import Feature
from espalier.learners import CartClassifier
from espalier.views.text.surrogates import fill_words, surrogate_table, surrogate_words

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
