"""Molhoek 2021, "Forests of Optimal Trees" (TU Delft): what it says of optimal trees, by hand."""

from typing import Any

import numpy as np
import pytest

from espalier.learners.optimal import OptimalClassifier
from espalier.trees import LEAF, make_tree
from tests.tools.by_hand import NAN
from tests.tools.naive.optimal import Case, function_of, problem

A_AND_B = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)  # columns A and B: every feature vector once
B_AND_NOT_A = np.array([0, 1, 0, 0])


def fit(X, y, **parameters) -> Any:
    return OptimalClassifier(**parameters).fit(X, y)


def figure_2(first, leaf_first, labels):
    """A tree that asks the columns `first` and then the other, on the side where the first leaf is not."""
    then = 1 - first
    feature = [first, -1, then, -1, -1] if leaf_first else [first, then, -1, -1, -1]
    left = [1, -1, 3, -1, -1] if leaf_first else [1, 2, -1, -1, -1]
    right = [2, -1, 4, -1, -1] if leaf_first else [4, 3, -1, -1, -1]
    shares = [[0.75, 0.25]] * 5
    for node, label in zip([n for n in range(5) if feature[n] == LEAF], labels, strict=True):
        shares[node] = [1 - label, label]
    threshold = [NAN if f == LEAF else 0.5 for f in feature]
    return make_tree(
        feature, threshold, left, right, [0] * 5, [False] * 5, [4, 2, 2, 1, 1], [1] * 5, shares, [0] * 5
    )


def test_the_two_trees_of_figure_2_are_one_function():
    # Section 4.2.2: both classify to 1 if and only if B and not A, though one asks A first and the other B.
    case = Case(A_AND_B, B_AND_NOT_A, np.ones(4), 1 - np.eye(2))
    question = problem(A_AND_B <= 0.5, case, 2)
    a_first = figure_2(0, False, [0, 1, 0])
    b_first = figure_2(1, True, [0, 1, 0])
    assert function_of(a_first, A_AND_B, question) == function_of(b_first, A_AND_B, question)


def test_a_set_of_optimal_trees_has_one_of_the_two_of_figure_2():
    model = fit(A_AND_B, B_AND_NOT_A, max_depth=2)
    trees = list(model.optimal_trees())
    assert [(t.objective, t.n_splits) for t in trees] == [(0, 2)]
    assert model.predict(A_AND_B).tolist() == B_AND_NOT_A.tolist()


def test_the_depth_counts_predicates_on_a_path_and_the_size_counts_them_all():
    # Section 3.3: a maximum depth d and a maximum number of predicate nodes n; section 3.2: leaves do not count.
    for depth, splits, errors in ((1, 1, 1), (2, 1, 1), (1, 2, 1), (2, 2, 0), (2, 3, 0)):
        model = fit(A_AND_B, B_AND_NOT_A, max_depth=depth, max_splits=splits)
        assert model.proof_.objective == errors
        assert model.tree_.depth <= depth
        assert np.count_nonzero(model.tree_.feature != LEAF) <= splits


def patients():
    """One sign that says little of a rare illness: 40 without it, 2 of them ill; 18 with it, 6 of them ill."""
    sign = np.repeat([0.0, 1.0], [40, 18])[:, None]
    ill = np.repeat([0, 1, 0, 1], [38, 2, 12, 6])
    return sign, np.where(ill == 1, "ill", "healthy")


@pytest.mark.parametrize(
    ("times", "objective", "says"),
    [
        (1, 8, ["healthy", "healthy"]),  # all eight ill are missed
        (2, 16, ["healthy", "healthy"]),  # 12 healthy invited for 6 missed costs the same: the lone leaf it is
        (5, 10 + 12, ["healthy", "ill"]),  # two missed at 5, and 12 invited
        (18, 36 + 12, ["healthy", "ill"]),
        (20, 38 + 12, ["ill", "ill"]),  # nobody is sent home: 50 invited; a leaf and no split
    ],
)
def test_the_worse_it_is_to_miss_the_ill_the_more_healthy_are_invited(times, objective, says):
    # Section 8.1: the sum of weights of misclassified instances is what is least.
    X, y = patients()
    model = fit(X, y, max_depth=2, misclassification_cost=[[0, 1], [times, 0]])
    assert model.proof_.objective == objective
    assert model.predict([[0.0], [1.0]]).tolist() == says
    assert model.tree_.n_leaves == len(set(says))


def test_equal_weights_are_the_original_as_a_special_case():
    # Section 8.1: where all weights are equal, the number of misclassifications is what is least.
    rng = np.random.default_rng(8)
    for _ in range(10):
        X, y = rng.integers(0, 2, (30, 5)).astype(float), rng.integers(0, 2, 30)
        original = fit(X, y, max_depth=3)
        weighted = OptimalClassifier(max_depth=3).fit(X, y, sample_weight=np.full(30, 4.0))
        priced = fit(X, y, max_depth=3, misclassification_cost=[[0, 4], [4, 0]])
        assert weighted.proof_.objective == priced.proof_.objective == 4 * original.proof_.objective
        assert weighted.tree_.n_leaves == priced.tree_.n_leaves == original.tree_.n_leaves
