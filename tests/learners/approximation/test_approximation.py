"""Approximation trees: what the test promises, by simulation; trees by hand; laws; what can be approximated."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression

from espalier import learners
from espalier.kernels.approximation.density import everywhere, make_region
from espalier.learners import ApproximationClassifier, ApproximationRegressor, CartClassifier, CartRegressor
from espalier.learners.approximation.asking import StoppedAsking
from espalier.learners.approximation.oracle import Oracle, coding_of_classes
from espalier.learners.approximation.sampling import Stream
from espalier.learners.approximation.split_test import Rule, candidates_of, decide
from espalier.progress import Progress
from espalier.tree_checks import check_tree
from espalier.trees import LEAF
from tests.tools.naive.approximation import full_variance, gini

IRIS, SPECIES = (np.asarray(a) for a in load_iris(return_X_y=True))
PATIENTS, PROGRESS = (np.asarray(a) for a in load_diabetes(return_X_y=True))
FOREST = learners.RandomForestClassifier(n_estimators=20, random_state=0).fit(IRIS, SPECIES)
SQUARE = np.random.default_rng(0).random((60, 2))
QUICK: dict[str, Any] = {"initial_samples": 1000, "max_samples": 4000, "random_state": 0}


def step(X):
    """The chance of the second class: high right of 0.5 in the first column, and a little in the second."""
    return np.where(X[:, 0] > 0.5, 0.8, 0.2) + 0.1 * (X[:, 1] > 0.5)


def leaf_values(tree):
    return tree.value[tree.feature == LEAF]


class OneNode:
    """The unit square's samples as a node, for a function of their rows."""

    def __init__(self, chance, centres, most=100_000):
        self.oracle = Oracle(lambda rows: np.column_stack([1 - chance(rows), chance(rows)]), coding_of_classes(2))
        learner = ApproximationClassifier(chance, bandwidth=0.1, max_depth=1, **QUICK).fit(centres)
        self.smoothing, self.rule = learner.smoothing_, Rule(0.1, 1000, most, False, 0.002, False)
        p = centres.shape[1]
        self.region = make_region(self.smoothing, centres, np.ones(len(centres)), everywhere(p))
        self.progress, self.map = Progress(), map

    def contest(self, prospects, seed):
        stream = Stream(self, self.region, np.uint64(seed))  # type: ignore[arg-type]
        return decide(prospects, 1, self.rule, stream.draw, lambda: False)

    def samples(self, n, seed, prospects):
        bins, y = Stream(self, self.region, np.uint64(seed)).draw(n, prospects)  # type: ignore[arg-type]
        return bins, y


def two_splits(X, features=(0, 1)):
    """Only the middle threshold of each of two columns."""
    middle = np.array([[0.45] * X.shape[1], [0.55] * X.shape[1]])
    return candidates_of(middle, np.ones((2, 2)), np.zeros(X.shape[1], dtype=bool))


def unlike(X):
    """Both halves matter, the first a little more."""
    return 0.3 + 0.24 * (X[:, 0] > 0.5) + 0.2 * (X[:, 1] > 0.5) + 0.2 * np.sin(20 * X[:, 0] * X[:, 1]) ** 2


def test_the_interval_of_the_difference_covers_as_often_as_it_says():
    node, n, rounds = OneNode(unlike, SQUARE), 2000, 300
    prospects = two_splits(SQUARE)
    found, spread = [], []
    for seed in range(rounds):
        bins, y = node.samples(n, seed, prospects)
        Y, left = node.oracle.coding.plain(y), bins == 0
        found.append(gini(Y, left[0]) - gini(Y, left[1]))
        spread.append(np.sqrt(2 * full_variance(Y, left[0], left[1]) / n))
    found, spread = np.array(found), np.array(spread)
    assert np.mean(spread) / np.sqrt(2) == pytest.approx(found.std(), rel=0.15)
    for level in (0.8, 0.9):  # of the prediction interval for another set of samples (section 2.2)
        covered = np.abs(found[1::2] - found[::2]) < -norm.ppf((1 - level) / 2) * spread[::2]
        assert covered.mean() == pytest.approx(level, abs=3 * np.sqrt(level * (1 - level) / len(covered)))


def test_of_two_splits_the_worse_one_is_claimed_at_most_as_often_as_alpha_says():
    node = OneNode(unlike, SQUARE, most=20_000)
    prospects = two_splits(SQUARE)
    outcomes = [node.contest(prospects, seed) for seed in range(1000, 1300)]
    decided = [o for o in outcomes if o.decided]
    worse = [o for o in decided if o.split and o.split.feature != 0]
    assert len(decided) > 30
    assert len(worse) <= 0.1 * len(outcomes)


def test_a_tie_ends_at_the_limit_and_says_so():
    both = SQUARE.mean(axis=1, keepdims=True) * [1, 1]
    learner = ApproximationClassifier(lambda X: (X[:, 0] + X[:, 1]).clip(0, 2) / 2, max_depth=1, **QUICK).fit(both)
    considered = learner.considered_
    assert not considered.decided[0]
    assert considered.n_samples[0] == 4000
    assert considered.p_value[0] > 0.1
    assert considered.n_rounds[0] > 1


@pytest.mark.parametrize(("at_limit", "features"), [("best", {0, 1}), ("order", {0})])
def test_where_nothing_is_decided_the_best_so_far_is_taken_or_the_first_in_order(at_limit, features):
    X = np.column_stack([np.arange(16) % 4 == 0, np.arange(16) // 4 == 0]).astype(float)
    chance = lambda rows: 0.3 + 0.2 * (rows[:, 0] > 0.5) + 0.2003 * (rows[:, 1] > 0.5)  # noqa: E731
    taken = set()
    for seed in range(12):
        learner = ApproximationClassifier(chance, max_depth=1, at_limit=at_limit, alpha=1e-4, jump=0.3)
        runners = learner.set_params(**{**QUICK, "random_state": seed}).fit(X).considered_.runners
        assert not learner.considered_.decided[0]
        assert runners.feature[0] == learner.tree_.feature[0]
        assert at_limit == "order" or runners.decrease[0] == runners.decrease.max()
        taken.add(int(learner.tree_.feature[0]))
    assert taken == features


def test_a_step_is_found_at_the_midpoint_next_to_it():
    learner = ApproximationClassifier(step, max_depth=2, **QUICK).fit(SQUARE)
    tree = learner.tree_
    assert tree.feature.tolist() == [0, 1, -1, -1, 1, -1, -1]
    for node, column in ((0, SQUARE[:, 0]), (1, SQUARE[SQUARE[:, 0] <= tree.threshold[0], 1])):
        values = np.sort(column)
        above = np.searchsorted(values, 0.5)
        nearest = [(a + b) / 2 for a, b in zip(values[above - 2 :], values[above - 1 : above + 2], strict=False)]
        assert any(tree.threshold[node] == pytest.approx(t) for t in nearest)
    assert learner.predict_proba([[0.1, 0.1], [0.9, 0.9]])[:, 1] == pytest.approx([0.2, 0.9], abs=0.03)
    assert learner.considered_.decided[0]


@pytest.mark.parametrize("grow", [CartClassifier(max_depth=2), CartRegressor(max_depth=2)])
def test_a_tree_is_approximated_by_itself(grow):
    original = grow.fit(IRIS, SPECIES)
    kind = ApproximationRegressor if isinstance(grow, CartRegressor) else ApproximationClassifier
    learner = kind(original, max_depth=2, **QUICK).fit(IRIS)
    assert learner.tree_.feature.tolist() == original.tree_.feature.tolist()
    inner = original.tree_.feature != LEAF
    assert learner.tree_.threshold[inner].tolist() == original.tree_.threshold[inner].tolist()
    assert leaf_values(learner.tree_) == pytest.approx(leaf_values(original.tree_), abs=1e-9)
    assert (learner.predict(IRIS) == original.predict(IRIS)).all() or kind is ApproximationRegressor


def test_categories_are_parted_as_a_set():
    codes = np.random.default_rng(0).integers(0, 6, 200).astype(float)
    X = np.column_stack([codes, np.arange(200.0)])
    chance = lambda rows: np.where(np.isin(rows[:, 0], [1, 4, 5]), 0.9, 0.2)  # noqa: E731
    tree = ApproximationClassifier(chance, max_depth=3, categorical_features=[0], **QUICK).fit(X).tree_
    assert tree.n_nodes == 3
    assert tree.categories[0] in (0b110010, 0b001101)
    assert leaf_values(tree)[:, 1] == pytest.approx([0.2, 0.9] if tree.categories[0] == 0b001101 else [0.9, 0.2])


@pytest.mark.parametrize("high", [True, False])
def test_missing_values_go_where_they_belong(high):
    X = np.linspace(0, 1, 90)[:, None].copy()
    X[::3] = np.nan
    chance = lambda rows: np.where(np.isnan(rows[:, 0]), high, rows[:, 0] > 0.5) * 1.0  # noqa: E731
    tree = ApproximationClassifier(chance, max_depth=3, **QUICK).fit(X).tree_
    check_tree(tree)
    assert tree.missing_left[0] != high
    only_missing = ApproximationClassifier(lambda rows: np.isnan(rows[:, 0]) * 1.0, **QUICK).fit(X).tree_
    assert only_missing.threshold[0] == np.inf
    assert leaf_values(only_missing)[:, 1] == pytest.approx([0, 1])


@pytest.mark.parametrize("learner", [ApproximationClassifier(FOREST, **QUICK), ApproximationRegressor(**QUICK)])
def test_tree_and_record_fit_together(learner):
    if learner.model is None:
        learner.set_params(
            model=learners.RandomForestRegressor(n_estimators=10, random_state=0).fit(PATIENTS, PROGRESS)
        )
    X = PATIENTS if isinstance(learner, ApproximationRegressor) else IRIS
    tree, considered = learner.fit(X).tree_, learner.considered_
    check_tree(tree)
    runners = considered.runners
    assert tree.n_samples[0] == tree.weight[0] == len(X)
    split = np.flatnonzero(tree.feature != LEAF)
    assert len(considered.decided) == len(runners.start) - 1 == tree.n_nodes
    assert (np.diff(runners.start)[split] > 0).all()
    first = runners.start[split]
    assert runners.feature[first].tolist() == tree.feature[split].tolist()
    assert runners.threshold[first].tolist() == tree.threshold[split].tolist()
    assert np.isnan(runners.p_value[first]).all()
    assert (tree.n_samples[split] == tree.n_samples[tree.left[split]] + tree.n_samples[tree.right[split]]).all()
    assert (considered.p_value[considered.decided] < learner.alpha).all()
    assert (considered.n_samples[split][~considered.decided[split]] == learner.max_samples).all()
    assert (considered.n_discarded < np.maximum(considered.n_prospects, 1)).all()
    assert (considered.gap[split][~np.isnan(considered.gap[split])] >= 0).all()
    assert tree.depth <= learner.max_depth
    assert learner.oracle_.n_asked == considered.n_samples.sum() + len(np.unique(X, axis=0))


def test_the_record_of_what_was_considered_cannot_be_written():
    considered = ApproximationClassifier(FOREST, max_depth=2, **QUICK).fit(IRIS).considered_
    for again in (copy.deepcopy(considered), pickle.loads(pickle.dumps(considered))):
        assert np.array_equal(again.runners.decrease, considered.runners.decrease)
        assert not again.decided.flags.writeable
        assert not again.runners.p_value.flags.writeable


def test_numbers_have_the_variance_where_classes_have_gini():
    classes = ApproximationClassifier(step, max_depth=2, **QUICK).fit(SQUARE)
    numbers = ApproximationRegressor(step, max_depth=2, **QUICK).fit(SQUARE)
    assert numbers.tree_.threshold[0] == classes.tree_.threshold[0]
    assert numbers.tree_.value[:, 0] == pytest.approx(classes.tree_.value[:, 1])
    assert numbers.considered_.p_value[0] == pytest.approx(classes.considered_.p_value[0], rel=1e-6)
    assert 2 * numbers.considered_.runners.decrease[0] == pytest.approx(classes.considered_.runners.decrease[0])
    rows = np.random.default_rng(0).random((9, 2))
    assert numbers.predict(rows) == pytest.approx(classes.predict_proba(rows)[:, 1])


SURE = np.array(["no", "yes"])
MODELS = {
    "shares": lambda X: np.column_stack([1 - step(X), step(X)]),
    "chance": step,
    "labels": lambda X: SURE[(step(X) > 0.5).astype(int)],
    "scikit-learn": LogisticRegression().fit(SQUARE, step(SQUARE) > 0.5),
    "ours": FOREST,
}


@pytest.mark.parametrize("name", MODELS)
def test_anything_that_predicts_is_approximated(name):
    X = IRIS if name == "ours" else SQUARE
    learner = ApproximationClassifier(MODELS[name], **QUICK).fit(X)
    expected = {"shares": [0, 1], "chance": [0, 1], "labels": SURE.tolist(), "ours": [0, 1, 2]}
    assert learner.classes_.tolist() == expected.get(name, [False, True])
    assert learner.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(len(X)))
    if name == "labels":
        assert (learner.predict(X) == MODELS[name](X)).mean() > 0.9


def test_a_model_that_is_not_fitted_is_fitted_to_y_and_a_fitted_one_left_alone():
    learner = ApproximationClassifier(CartClassifier(max_depth=2), **QUICK)
    with pytest.raises(ValueError, match="requires y to be passed"):
        learner.fit(IRIS)
    learner.fit(IRIS, SPECIES)
    assert not hasattr(learner.model, "tree_")
    assert learner.model_.tree_.depth == 2
    fixed = ApproximationClassifier(FOREST, **QUICK)
    again: Any = clone(fixed)
    assert again.model is FOREST
    assert fixed.fit(IRIS, SPECIES[::-1]).model_ is FOREST


def test_a_heavier_row_is_smoothed_from_more_often():
    chance = lambda X: X[:, 0].clip(0, 1)  # noqa: E731
    X = np.array([[0.1], [0.9]])
    values = [
        ApproximationRegressor(chance, bandwidth=0.01, **QUICK).fit(X, sample_weight=w).tree_.value[0, 0]
        for w in ([1, 1], [1, 3], [1, 0])
    ]
    assert values == pytest.approx([0.5, 0.7, 0.1], abs=0.04)


def test_progress_reaches_all_samples_and_stopping_leaves_a_smaller_tree():
    progress = Progress()
    ApproximationClassifier(FOREST, **QUICK).fit(IRIS, progress=progress)
    assert progress.done == len(IRIS)
    progress.stop()
    with pytest.raises(StoppedAsking):  # what the model says of the rows is not known
        ApproximationClassifier(FOREST, **QUICK).fit(IRIS, progress=progress)
    asked = []

    def until_asked_often(X):
        asked.append(len(X))
        if len(asked) > 4:
            late.stop()
        return step(X)

    late = Progress()
    partly = ApproximationClassifier(until_asked_often, **QUICK).fit(SQUARE, progress=late)
    check_tree(partly.tree_)
    assert 1 <= partly.tree_.n_nodes < ApproximationClassifier(step, **QUICK).fit(SQUARE).tree_.n_nodes


def test_fresh_pseudo_samples_lie_around_the_rows_and_are_the_same_for_a_seed():
    X = np.array([[0.0, 1.0, np.nan], [100.0, 3.0, 5.0]])
    settings: Any = {**QUICK, "bandwidth": 0.01, "discrete_features": [1]}
    model = ApproximationClassifier(step, **settings).fit(X, sample_weight=[3.0, 1.0])
    rows = model.pseudo_samples(4000, seed=1)
    near = rows[:, 0] < 50
    assert near.mean() == pytest.approx(0.75, abs=0.04)
    assert rows[near, 0].std() == pytest.approx(model.smoothing_.width[0], rel=0.1)
    assert np.array_equal(np.isnan(rows[:, 2]), near)
    assert set(rows[:, 1]) == {1.0, 3.0}
    assert (rows[near, 1] == 3.0).mean() == pytest.approx(0.1, abs=0.03)  # half of the chance of a jump: up
    assert np.array_equal(rows, model.pseudo_samples(4000, seed=1), equal_nan=True)
    assert not np.array_equal(rows, model.pseudo_samples(4000, seed=2), equal_nan=True)


def test_a_model_that_always_says_the_same_is_a_single_leaf():
    learner = ApproximationClassifier(lambda X: np.full(len(X), 0.3), **QUICK).fit(SQUARE)
    assert learner.tree_.n_nodes == 1
    assert learner.tree_.value[0] == pytest.approx([0.7, 0.3])
    assert learner.considered_.n_samples[0] == 1000  # more would say nothing else


def test_a_label_never_said_before_and_a_number_that_is_none_are_refused():
    with pytest.raises(ValueError, match="says 'far'"):
        ApproximationClassifier(lambda X: np.where(X[:, 0] > X[:, 0].max() if len(X) < 99 else X[:, 0] > 0.9,
                                                   "far", "near"), **QUICK).fit(SQUARE)  # fmt: skip
    with pytest.raises(ValueError, match="one finite number"):
        ApproximationRegressor(lambda X: np.full(len(X), np.inf), **QUICK).fit(SQUARE)
