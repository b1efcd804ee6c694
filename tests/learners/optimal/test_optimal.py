"""Optimal trees, also with leaves of a least weight: by hand, against the search of every tree, and by law."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris

from espalier.data.binarise import answers
from espalier.learners.optimal import OptimalClassifier
from espalier.learners.optimal.problem import least_weight
from espalier.tree_checks import check_tree
from espalier.trees import LEAF
from tests.tools.naive import cart as naive
from tests.tools.naive import optimal
from tests.tools.naive.optimal import Case, distinct, function_of, grid_of, labels_of, least, problem, random_case
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
    assert lightest_leaf(tree) >= model.min_weight_fraction_leaf - 1e-12
    wrong = optimal.objective_of(np.searchsorted(model.classes_, model.predict(case.X)), case)
    assert proof.objective == pytest.approx(wrong, rel=1e-12, abs=1e-12)
    assert (model.predict(case.X) == model.classes_[labels_of(tree, case.X)]).all()


def asked(model, case, everywhere=None):
    share = model.min_weight_fraction_leaf
    return problem(answers(model.questions_, case.X), case, model.max_depth, model.max_splits, everywhere, share)


def lightest_leaf(tree) -> float:
    """As a share of all weight."""
    return float(tree.weight[tree.feature == LEAF].min() / tree.weight[0])


def assert_proved_optimal(model, case, *, seed=None):
    """As good as the best of all trees, with as few splits, and it says so."""
    question = asked(model, case)
    best = least(question)
    assert found(model) == (pytest.approx(best.objective, rel=1e-12, abs=1e-12), best.n_splits), seed
    assert model.proof_.proved, seed
    assert model.proof_.lower_bound == model.proof_.objective
    assert model.proof_.gap == 0
    assert model.proof_.n_questions == len(model.questions_.feature)
    assert model.min_weight_fraction_leaf or model.proof_.n_distinct == question.variables.shape[1]
    assert_tree_is_as_said(model, case)


@pytest.mark.parametrize(("parameters", "objective", "splits"), [
    ({"max_depth": 1}, 2, 0), ({"max_depth": 2, "max_splits": 1}, 2, 0), ({"max_depth": 2, "max_splits": 2}, 1, 2),
    ({"max_depth": 2}, 0, 3), ({"max_depth": 3}, 0, 3), ({"max_depth": 3, "max_splits": 0}, 2, 0),
])  # fmt: skip
def test_exclusive_or_needs_two_levels_and_three_splits(parameters, objective, splits):
    case = Case(XOR, np.array([0, 1, 1, 0]), np.ones(4), 1 - np.eye(2))
    model = fitted(case, **parameters)
    assert found(model) == (objective, splits)
    assert least(asked(model, case)) == (objective, splits)


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
        case = random_case(seed, max_columns=4, n_classes=2 + seed % 3)
        for share, jobs in ((0.04, 1), (0.1, 2), (0.2, 1)):
            model = fitted(case, max_depth=4, min_weight_fraction_leaf=share, n_jobs=jobs)
            assert_proved_optimal(model, case, seed=(seed, share))


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
        case = Case(X, y, np.ones(25), 1 - np.eye(k))
        model = fitted(
            case, max_depth=2, binarisation=binarisation, categorical_features=[2, 3], random_state=seed
        )
        assert_proved_optimal(model, case, seed=seed)
        different = distinct(answers(model.questions_, X))
        for node in np.flatnonzero(model.tree_.feature != LEAF):
            left = np.array([naive.goes_left(model.tree_, node, x) for x in X[:, model.tree_.feature[node]]])
            assert any((left == q).all() or (left != q).all() for q in different.T)


def test_all_midpoints_and_all_categories_are_asked_where_there_are_few():
    for seed in range(0, 20, 2):  # nothing missing
        X, y = numbers_and_categories(seed)
        case = Case(X, y, np.ones(25), 1 - np.eye(int(y.max()) + 1))
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


SHARES = (0.01, 0.1, 0.2, 1 / 3, 0.5)


@seeds(3, 20)
@pytest.mark.parametrize("max_depth", [1, 2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_no_tree_with_such_leaves_is_better(kind, max_depth, seeds):
    differ = 0
    for seed in seeds:
        case = random_case(seed, **KINDS[kind])
        free = found(fitted(case, max_depth=max_depth))
        for share in SHARES:
            model = fitted(case, max_depth=max_depth, min_weight_fraction_leaf=share)
            assert_proved_optimal(model, case, seed=(seed, share))
            differ += found(model) != free
    assert differ > len(seeds) / 4


@pytest.mark.parametrize("max_depth", [2, 3])
def test_columns_past_the_first_sixteen_are_weighed_as_well(max_depth):
    rng = np.random.default_rng(max_depth)
    for n_columns in (15, 16, 17, 34) if max_depth == 2 else (18,):
        X, y = rng.integers(0, 2, (40, n_columns)).astype(float), rng.integers(0, 3, 40)
        case = Case(X, y, rng.choice([1.0, 2.0, 3.0], 40), 1 - np.eye(3))
        for share in (0.08, 0.2):
            model = fitted(case, max_depth=max_depth, min_weight_fraction_leaf=share)
            assert_proved_optimal(model, case, seed=(n_columns, share))


@pytest.mark.parametrize("max_depth", [1, 2, 3])
@pytest.mark.parametrize("kind", ["exact fractions", "costs and weights of three classes"])
def test_every_function_within_the_slack_whose_leaves_are_such_is_there_once(kind, max_depth):
    for seed in range(6):
        case = random_case(seed, max_columns=4, **KINDS[kind])
        for share, slack in ((0.05, 1), (0.15, 0), (0.3, 2)):
            model = fitted(case, max_depth=max_depth, min_weight_fraction_leaf=share)
            question = asked(model, case, answers(model.questions_, grid_of(model.questions_)))
            trees = list(model.optimal_trees(slack=slack, limit=1_000_000))
            functions = [function_of(each.tree, case.X, question) for each in trees]
            assert len(functions) == len(set(functions))
            assert set(functions) == set(optimal.near(question, slack)), (seed, share)
            assert all(lightest_leaf(each.tree) >= share - 1e-12 for each in trees)


@pytest.mark.parametrize("max_depth", [2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_heavier_leaves_never_make_a_better_tree_and_those_that_halve_the_rows_make_a_stump_at_most(max_depth):
    X, y = (table[::2] for table in load_breast_cancer(return_X_y=True))
    shares = (0.0, 0.001, 0.01, 0.05, 0.1, 0.25, 0.5)
    models = [OptimalClassifier(max_depth=max_depth, min_weight_fraction_leaf=s).fit(X[:, :8], y) for s in shares]
    objectives = [model.proof_.objective for model in models]
    assert objectives == sorted(objectives)
    assert objectives[0] < objectives[-2]
    assert all(lightest_leaf(m.tree_) >= s for m, s in zip(models, shares, strict=True))
    assert models[-1].tree_.n_leaves <= 2


def test_a_leaf_that_has_exactly_its_share_is_heavy_enough():
    X, y = np.arange(10.0)[:, None], np.array([0] * 3 + [1] * 7)
    for share, n_samples in ((0.3, [10, 3, 7]), (0.31, [10, 4, 6])):
        stump = OptimalClassifier(max_depth=1, min_weight_fraction_leaf=share).fit(X, y, np.full(10, 0.1)).tree_
        assert stump.n_samples.tolist() == n_samples


def test_weights_of_classes_weigh_in_leaves_too():
    X, y = np.arange(6.0)[:, None], np.array([0, 1, 1, 1, 1, 1])
    for heavy, n_leaves in ((1, 1), (5, 2)):
        model = OptimalClassifier(max_depth=1, class_weight={0: heavy, 1: 1}, min_weight_fraction_leaf=0.5)
        assert model.fit(X, y).tree_.n_leaves == n_leaves


def test_weights_that_must_be_rounded_leave_no_leaf_too_light():
    X, y = load_iris(return_X_y=True)
    for seed in range(20):
        weight = np.random.default_rng(seed).lognormal(0, 2, len(y))
        model = OptimalClassifier(min_weight_fraction_leaf=0.1).fit(X, y, weight)
        assert lightest_leaf(model.tree_) >= 0.1
        assert model.tree_.n_leaves > 2


@given(weights=st.lists(st.floats(0.01, 3), min_size=2, max_size=7), share=st.floats(0.05, 0.95))
def test_samples_whose_rounded_weights_are_enough_have_the_share(weights, share):
    weight, counts = np.array(weights), np.ceil(weights).astype(np.int64)
    least = least_weight(counts, weight, share)
    for chosen in product([False, True], repeat=len(weights)):
        if counts[list(chosen)].sum() >= least:
            assert weight[list(chosen)].sum() >= (share - 1e-8) * weight.sum()
    assert least_weight(np.array([1, 2]), np.array([0.1, 0.2]), 1 / 3) == 1  # nothing was rounded


def test_a_search_that_is_cut_short_has_no_light_leaves_and_goes_on_to_the_optimum():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (300, 25)).astype(float), rng.integers(0, 2, 300)
    whole = OptimalClassifier(max_depth=4, min_weight_fraction_leaf=0.05).fit(X, y)
    model = OptimalClassifier(max_depth=4, min_weight_fraction_leaf=0.05, time_limit=0.01).fit(X, y)
    assert lightest_leaf(model.tree_) >= 0.05
    assert model.go_on().proof_.objective == whole.proof_.objective
    assert lightest_leaf(model.tree_) >= 0.05
