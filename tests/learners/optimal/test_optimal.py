"""Optimal trees by hand, against the search that tries every tree, and by law."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.data.binarise import answers
from espalier.learners import CartClassifier
from espalier.learners.optimal import OptimalClassifier
from espalier.tree_checks import check_tree
from espalier.trees import LEAF
from tests.tools.naive import cart as naive
from tests.tools.naive import optimal as naive_optimal
from tests.tools.naive.optimal import distinct, least, objective_of, problem, random_case
from tests.tools.selection import seeds

XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
KINDS = {
    "two classes": {},
    "three classes": {"n_classes": 3},
    "four classes": {"n_classes": 4},
    "whole weights": {"weights": (1, 2, 3, 7)},
    "exact fractions": {"weights": (0.25, 0.5, 1.75)},
    "inexact fractions": {"weights": (0.1, 0.2, 0.3, 0.7)},
    "far apart weights": {"weights": (1e-3, 1.0, 1e4)},
    "costs": {"costs": True},
    "costs of four classes": {"n_classes": 4, "costs": True},
    "costs and weights of three classes": {"n_classes": 3, "costs": True, "weights": (1, 2, 5)},
    "costs and inexact fractions": {"n_classes": 3, "costs": True, "weights": (0.1, 0.3, 0.7)},
}


def fitted(case, **parameters) -> OptimalClassifier:
    cost = None if (case.cost == 1 - np.eye(len(case.cost))).all() else case.cost
    model = OptimalClassifier(misclassification_cost=cost, **parameters)
    return model.fit(case.X, case.y, sample_weight=None if (case.weight == 1).all() else case.weight)


def n_splits(model):
    return int(np.count_nonzero(model.tree_.feature != LEAF))


def found(model):
    return model.proof_.objective, n_splits(model)


def assert_tree_is_as_said(model, case):
    """The tree obeys its limits, counts its samples, and makes the errors that the proof says."""
    tree, proof = model.tree_, model.proof_
    check_tree(tree)
    assert tree.depth <= model.max_depth
    assert model.max_splits is None or n_splits(model) <= model.max_splits
    rows = naive.rows_by_node(tree, case.X)
    assert tree.n_samples.tolist() == [len(r) for r in rows]
    assert tree.n_samples.min() > 0
    assert tree.weight == pytest.approx([case.weight[r].sum() for r in rows])
    wrong = objective_of(np.searchsorted(model.classes_, model.predict(case.X)), case)
    assert proof.objective == pytest.approx(wrong, rel=1e-12, abs=1e-12)
    assert (model.predict(case.X) == model.classes_[naive_optimal.labels_of(tree, case.X)]).all()


def assert_proved_optimal(model, case, *, seed=None):
    """As good as the best of all trees, with as few splits, and it says so."""
    asked = problem(answers(model.questions_, case.X), case, model.max_depth, model.max_splits)
    best = least(asked)
    assert found(model) == (pytest.approx(best.objective, rel=1e-12, abs=1e-12), best.n_splits), seed
    assert model.proof_.proved, seed
    assert model.proof_.lower_bound == model.proof_.objective
    assert model.proof_.gap == 0
    assert model.proof_.n_questions == len(model.questions_.feature)
    assert model.proof_.n_distinct == asked.variables.shape[1]
    assert_tree_is_as_said(model, case)


# By hand


@pytest.mark.parametrize(("parameters", "objective", "splits"), [
    ({"max_depth": 1}, 2, 0), ({"max_depth": 2, "max_splits": 1}, 2, 0), ({"max_depth": 2, "max_splits": 2}, 1, 2),
    ({"max_depth": 2}, 0, 3), ({"max_depth": 3}, 0, 3), ({"max_depth": 3, "max_splits": 0}, 2, 0),
])  # fmt: skip
def test_exclusive_or_needs_two_levels_and_three_splits(parameters, objective, splits):
    case = naive_optimal.Case(XOR, np.array([0, 1, 1, 0]), np.ones(4), 1 - np.eye(2))
    model = fitted(case, **parameters)
    assert found(model) == (objective, splits)
    asked = problem(XOR > 0, case, model.max_depth, model.max_splits)
    assert least(asked) == (objective, splits)


def test_three_bits_have_a_parity_that_takes_three_levels_and_seven_splits():
    X = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)], dtype=float)
    case = naive_optimal.Case(X, X.sum(axis=1).astype(int) % 2, np.ones(8), 1 - np.eye(2))
    assert [found(fitted(case, max_depth=d)) for d in (1, 2, 3)] == [(4, 0), (4, 0), (0, 7)]
    assert [least(problem(X > 0, case, d)) for d in (1, 2, 3)] == [(4, 0), (4, 0), (0, 7)]


def test_a_detour_that_the_greedy_tree_misses_is_found():
    # Column 2 alone is right in six of eight rows, so the greedy tree starts there and stays at one error.
    X = np.array([[0, 0, 0], [0, 0, 0], [0, 1, 1], [0, 1, 1], [1, 0, 1], [1, 0, 1], [1, 1, 0], [1, 1, 1]])
    y = X[:, 0] ^ X[:, 1]
    greedy = CartClassifier(max_depth=2).fit(X, y)
    assert (greedy.tree_.feature[0], (greedy.predict(X) != y).sum()) == (2, 1)
    assert found(OptimalClassifier(max_depth=2).fit(X, y)) == (0, 3)


def test_what_cannot_be_told_apart_stays_wrong_and_the_class_that_costs_less_is_predicted():
    model = OptimalClassifier(max_depth=3).fit(np.zeros((5, 2)), [0, 1, 1, 0, 1])
    assert found(model) == (2, 0)
    assert model.proof_.proved
    assert (model.proof_.n_distinct, model.predict([[7, 7]])[0]) == (0, 1)
    y = np.array(["healthy"] * 4 + ["ill"])
    model = OptimalClassifier(misclassification_cost=[[0, 1], [5, 0]]).fit(np.zeros((5, 1)), y)
    assert found(model) == (4, 0)
    assert model.predict([[0.0]])[0] == "ill"


def test_thresholds_are_midpoints_of_the_numbers_given():
    X = np.array([[1.0], [2.0], [4.0], [8.0]])
    tree = OptimalClassifier(max_depth=1).fit(X, [0, 0, 1, 1]).tree_
    assert (tree.threshold[0], tree.n_leaves) == (3, 2)
    tree = OptimalClassifier(max_depth=2).fit(X, [0, 1, 0, 0]).tree_
    assert sorted(tree.threshold[tree.feature != LEAF]) == [1.5, 3]


def test_a_category_is_asked_for_on_its_own():
    X = np.array([[0.0], [1], [2], [3], [0], [1], [2], [3]])
    terms: dict[str, Any] = {"max_depth": 1, "categorical_features": [0]}
    model = OptimalClassifier(categories="one-vs-rest", **terms).fit(X, [0, 0, 1, 0] * 2)
    assert found(model) == (0, 1)
    assert model.predict(X[:4]).tolist() == [0, 0, 1, 0]
    assert found(model.fit(X, [0, 1, 1, 0] * 2)) == (2, 1)
    assert found(OptimalClassifier(**terms).fit(X, [0, 1, 1, 0] * 2)) == (0, 1)


def test_a_question_and_its_opposite_are_one():
    X = np.column_stack([XOR, 1 - XOR, XOR, np.ones(4)])
    proof = OptimalClassifier(max_depth=2).fit(X, [0, 1, 1, 0]).proof_
    assert (proof.objective, proof.n_distinct) == (0, 2)


# Against the search that tries every tree


@seeds(6, 40)
@pytest.mark.parametrize("max_depth", [1, 2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_no_tree_of_its_depth_is_better(kind, max_depth, seeds):
    for seed in seeds:
        case = random_case(seed, **KINDS[kind])
        assert_proved_optimal(fitted(case, max_depth=max_depth), case, seed=seed)


@seeds(4, 60)
@pytest.mark.parametrize("kind", ["two classes", "three classes", "costs", "inexact fractions"])
def test_no_tree_of_as_many_splits_is_better(kind, seeds):
    for seed in seeds:
        case = random_case(1000 + seed, **KINDS[kind])
        for max_splits in range(8) if seed < 15 else (seed % 7,):
            model = fitted(case, max_depth=3 if seed % 3 else 2, max_splits=max_splits)
            assert_proved_optimal(model, case, seed=(seed, max_splits))


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32 - 1), kind=st.sampled_from(sorted(KINDS)), splits=st.none() | st.integers(0, 7))
def test_no_tree_is_better_whatever_the_data(seed, kind, splits):
    case = random_case(seed, max_columns=8, **KINDS[kind])
    assert_proved_optimal(fitted(case, max_depth=3, max_splits=splits), case)


def test_four_levels_are_as_right_as_three():
    for seed in range(15):
        case = random_case(seed, max_columns=6, n_classes=2 + seed % 2)
        assert_proved_optimal(fitted(case, max_depth=4), case, seed=seed)


def numbers_and_categories(seed):
    """Columns 0 and 1 are numbers with few values, 2 and 3 categories; values are missing."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (25, 4)).astype(float)
    X[:, :2] = np.array([-1.5, 0.25, 2, 1e6])[X[:, :2].astype(int)]
    X[rng.random(X.shape) < (0, 0.15)[seed % 2]] = np.nan
    return X, rng.integers(0, 2 + seed % 3, 25)


@seeds(4, 10)
@pytest.mark.parametrize("binarisation", ["quantiles", "forest", "boosting"])
def test_numbers_categories_and_missing_values_are_asked_as_the_questions_are(binarisation, seeds):
    for seed in seeds:
        X, y = numbers_and_categories(seed)
        k = int(y.max()) + 1
        case = naive_optimal.Case(X, y, np.ones(25), 1 - np.eye(k))
        model = fitted(
            case, max_depth=2, binarisation=binarisation, categorical_features=[2, 3], random_state=seed
        )
        assert_proved_optimal(model, case, seed=seed)
        asked = distinct(answers(model.questions_, X))
        for node in np.flatnonzero(model.tree_.feature != LEAF):
            left = np.array([naive.goes_left(model.tree_, node, x) for x in X[:, model.tree_.feature[node]]])
            assert any((left == q).all() or (left != q).all() for q in asked.T)


def test_all_midpoints_and_all_categories_are_asked_where_there_are_few():
    for seed in range(0, 20, 2):  # nothing missing
        X, y = numbers_and_categories(seed)
        case = naive_optimal.Case(X, y, np.ones(25), 1 - np.eye(int(y.max()) + 1))
        parts = [X[:, [f]] <= np.unique(X[:, f]) for f in (0, 1)] + [X[:, [f]] == np.arange(4) for f in (2, 3)]
        best = least(problem(np.hstack(parts), case, 2))
        single = {"categorical_features": [2, 3], "categories": "one-vs-rest"}
        assert found(fitted(case, max_depth=2, **single)) == best


@seeds(6, 20)
@pytest.mark.parametrize("weighted", [{0: 1, 1: 4}, {0: 0.3, 1: 0.1}, "balanced"])
def test_class_weights_weigh_the_samples_of_a_class(weighted, seeds):
    for seed in seeds:
        case = random_case(2000 + seed)
        if len(case.cost) < 2:
            continue
        shares = len(case.y) / (2 * np.bincount(case.y))
        weight = shares[case.y] if weighted == "balanced" else np.vectorize(weighted.get)(case.y)
        model = OptimalClassifier(max_depth=2, class_weight=weighted).fit(case.X, case.y)
        assert_proved_optimal(model, case._replace(weight=weight), seed=seed)


# Manners
