"""Optimal trees whose leaves have a least weight: against the search that tries every such tree, and by law."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris

from espalier.data.binarise import answers
from espalier.learners.optimal import OptimalClassifier
from espalier.learners.optimal.problem import least_weight
from espalier.trees import LEAF
from tests.learners.optimal.test_optimal_trees import fitted
from tests.tools.naive.optimal import Case, function_of, grid_of, least, near, problem, random_case
from tests.tools.selection import seeds

KINDS = {
    "two classes": {},
    "three classes": {"n_classes": 3},
    "four classes": {"n_classes": 4},
    "whole weights": {"weights": (1, 2, 3, 7)},
    "exact fractions of three classes": {"weights": (0.25, 0.5, 1.75), "n_classes": 3},
    "inexact fractions": {"weights": (0.1, 0.2, 0.3, 0.7)},
    "far apart weights": {"weights": (1e-3, 1.0, 1e4)},
    "costs and weights of four classes": {"n_classes": 4, "costs": True, "weights": (1, 2, 5)},
}
SHARES = (0.01, 0.1, 0.2, 1 / 3, 0.5)


def asked(model, case, everywhere=None):
    share = model.min_weight_fraction_leaf
    return problem(answers(model.questions_, case.X), case, model.max_depth, model.max_splits, everywhere, share)


def found(model):
    return model.proof_.objective, int(np.count_nonzero(model.tree_.feature != LEAF))


def lightest_leaf(tree) -> float:
    """As a share of all weight."""
    return float(tree.weight[tree.feature == LEAF].min() / tree.weight[0])


def assert_best_of_those_with_heavy_leaves(model, case, hint=None):
    best = least(asked(model, case))
    assert model.proof_.proved
    assert found(model) == (pytest.approx(best.objective, rel=1e-12, abs=1e-12), best.n_splits), hint
    assert lightest_leaf(model.tree_) >= model.min_weight_fraction_leaf - 1e-12


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
            assert_best_of_those_with_heavy_leaves(model, case, (seed, share))
            differ += found(model) != free
    assert differ > len(seeds) / 4


def test_four_levels_are_as_right_as_three():
    for seed in range(12):
        case = random_case(seed, max_columns=4, n_classes=2 + seed % 3)
        for share, jobs in ((0.04, 1), (0.1, 2), (0.2, 1)):
            model = fitted(case, max_depth=4, min_weight_fraction_leaf=share, n_jobs=jobs)
            assert_best_of_those_with_heavy_leaves(model, case, (seed, share))


@pytest.mark.parametrize("max_depth", [2, 3])
def test_columns_past_the_first_sixteen_are_weighed_as_well(max_depth):
    rng = np.random.default_rng(max_depth)
    for n_columns in (15, 16, 17, 34) if max_depth == 2 else (18,):
        X, y = rng.integers(0, 2, (40, n_columns)).astype(float), rng.integers(0, 3, 40)
        case = Case(X, y, rng.choice([1.0, 2.0, 3.0], 40), 1 - np.eye(3))
        for share in (0.08, 0.2):
            model = fitted(case, max_depth=max_depth, min_weight_fraction_leaf=share)
            assert_best_of_those_with_heavy_leaves(model, case, (n_columns, share))


@pytest.mark.parametrize("max_depth", [1, 2, 3])
@pytest.mark.parametrize("kind", ["two classes", "exact fractions of three classes"])
def test_every_function_within_the_slack_whose_leaves_are_such_is_there_once(kind, max_depth):
    for seed in range(6):
        case = random_case(seed, max_columns=4, **KINDS[kind])
        for share, slack in ((0.05, 1), (0.15, 0), (0.3, 2)):
            model = fitted(case, max_depth=max_depth, min_weight_fraction_leaf=share)
            question = asked(model, case, answers(model.questions_, grid_of(model.questions_)))
            trees = list(model.optimal_trees(slack=slack, limit=1_000_000))
            functions = [function_of(each.tree, case.X, question) for each in trees]
            assert len(functions) == len(set(functions))
            assert set(functions) == set(near(question, slack)), (seed, share)
            assert all(lightest_leaf(each.tree) >= share - 1e-12 for each in trees)


# By law


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
