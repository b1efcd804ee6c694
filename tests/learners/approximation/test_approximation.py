"""Approximation trees: what the test promises, by simulation; by hand; laws; and what endless sampling gives."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression

from espalier import learners
from espalier.kernels.approximation.density import ALL_CODES, everywhere, make_region
from espalier.learners import ApproximationClassifier, ApproximationRegressor, CartClassifier, CartRegressor
from espalier.learners.approximation.asking import StoppedAsking
from espalier.learners.approximation.grow import integral_of
from espalier.learners.approximation.oracle import Oracle, coding_of_classes
from espalier.learners.approximation.sampling import Stream
from espalier.learners.approximation.split_test import Rule, candidates_of, decide
from espalier.progress import Progress
from espalier.tree_checks import check_tree
from espalier.trees import LEAF, make_tree
from tests.tools.naive.approximation import all_pseudo_samples, full_variance, gini
from tests.tools.same_trees import are_same

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


NAN, INF = np.nan, np.inf
KINDS: dict[str, Any] = {"categorical_features": [2], "discrete_features": [1], "jump": 0.3, "bandwidth": 0.2}


def mixed(n=40):
    """A smooth column, one of levels, one of categories, with gaps; and three classes that depend on all."""
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.random(n), rng.integers(0, 3, n), rng.integers(0, 4, n)]).astype(float)
    y = (X[:, 0] > 0.5).astype(int) + (X[:, 1] + X[:, 2] > 2)
    X[rng.random(X.shape) < 0.1] = NAN
    return X, y


def forest_of(X, y, **parameters):
    return learners.RandomForestClassifier(n_estimators=4, max_depth=4, categorical_features=[2], random_state=0,
                                  **parameters).fit(X, y)  # fmt: skip


BOXES = {
    "everything": ((-INF, -INF, -INF), (INF, INF, INF), ALL_CODES),
    "a part": ((0.3, 0.5, -INF), (0.8, INF, INF), np.uint64(0b0111)),
}


@pytest.mark.parametrize("voting", ["average", "majority", "weighted"])
@pytest.mark.parametrize("box", BOXES)
def test_every_split_scores_what_all_cells_together_say(box, voting):
    X, y = mixed()
    small = CartClassifier(max_depth=2, categorical_features=[2])
    boosted = learners.BoostedForestClassifier(small, n_estimators=5, random_state=0)
    forest = boosted.fit(X, y) if voting == "weighted" else forest_of(X, y, voting=voting)
    assert_every_split_scores_as_all_cells(forest, X, BOXES[box])


def assert_every_split_scores_as_all_cells(model, X, box):
    """What the integrals say of the box, and of every split of it, is what all cells of it say, one by one."""
    low, high, allowed = box
    bounds = np.array(low), np.array(high), np.array([ALL_CODES, ALL_CODES, allowed])
    inside = (np.isnan(X) | ((low < X) & (high >= X))).all(axis=1) & ~((X[:, 2] == 3) & (allowed != ALL_CODES))
    learner = (ApproximationClassifier if hasattr(model, "classes_") else ApproximationRegressor)(
        model, max_depth=1, method="exact", **KINDS
    ).fit(X)
    coding, centres, ask = learner.oracle_.coding, X[inside], learner.oracle_.answer
    sums = np.column_stack([np.ones(len(centres)), coding.coded(ask(centres))])
    prospects = candidates_of(centres, sums, learner.is_categorical_)
    with ThreadPoolExecutor(1) as pool:
        integral = integral_of(model, learner.smoothing_, coding, pool.map, Progress())
        region = make_region(learner.smoothing_, centres, np.ones(len(centres)), bounds)
        outcome = integral.outcome(prospects, region)
    rows, chance = all_pseudo_samples(learner.smoothing_, bounds, centres, all_cuts(model, prospects))
    Y = ask(rows)
    assert outcome.split is not None
    for feature, threshold, categories, missing_left, decrease, _ in outcome.runners:
        value = rows[:, feature]
        left = value <= threshold
        if np.isnan(threshold):
            left = categories >> np.nan_to_num(value).astype(int) & 1 == 1
        left = np.where(np.isnan(value), missing_left, left)
        before, after = (
            ((chance @ Y) ** 2).sum(),
            [chance[s].sum() * ((chance[s] @ Y[s] / chance[s].sum()) ** 2).sum() for s in (left, ~left)],
        )
        assert decrease == pytest.approx((sum(after) - before) / coding.scale**2, abs=1e-7)
    m = coding.n_targets
    assert coding.plain(outcome.sums[0, 1 : 1 + m]) == pytest.approx(chance @ Y, abs=1e-7)


def all_cuts(model, prospects):
    """For each of three features the thresholds of a model's trees and of the prospective splits."""
    trees: Any = model.forest_.trees if hasattr(model, "forest_") else (model.tree_,)
    return [
        {*prospects.threshold[np.repeat(prospects.feature, np.diff(prospects.start)) == j],
         *(t for tree in trees for t in tree.threshold[tree.feature == j] if not np.isnan(t))}
        for j in range(3)
    ]  # fmt: skip


# A leaf that only missing values reach asks for more than a number and at most a smaller one. Of two such sides
# the masses must be none: two that are less than none make a product that is more.


def planted(model, X, tree):
    """The model, fitted to something, with this tree instead of what it grew."""
    n_outputs = tree.value.shape[1]
    model.fit(X, np.arange(len(X)) % n_outputs)
    model.tree_ = tree
    return model


def random_tree(rng, n_outputs):
    """A tree of depth seven at most that asks three columns, the last of categories, whatever it has asked."""
    rows = []

    def grow(depth):
        at = len(rows)
        rows.append([LEAF, NAN, LEAF, LEAF, 0, False])
        if depth < 7 and (depth < 3 or rng.random() < 0.8):
            feature = int(rng.choice(3, p=[0.4, 0.4, 0.2]))
            threshold = NAN if feature == 2 else rng.choice([INF, 0.3, 0.6]) * (1 + feature)
            mask = int(rng.integers(1, 15)) if feature == 2 else 0
            missing_left = rng.random() < (0.9 if threshold < 0.5 * (1 + feature) else 0.1)
            rows[at] = [feature, threshold, grow(depth + 1), grow(depth + 1), mask, missing_left]
        return at

    grow(0)
    splits = (np.array(column, "u8" if i == 4 else None) for i, column in enumerate(zip(*rows, strict=True)))
    value = rng.dirichlet(np.ones(n_outputs), len(rows)) if n_outputs > 1 else rng.normal(size=(len(rows), 1))
    ones = np.ones(len(rows))
    return make_tree(*splits, ones, ones, value, ones)


@pytest.mark.parametrize("seed", range(24))
def test_a_leaf_that_only_missing_values_reach_has_no_part_of_the_known_ones(seed):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.random(15), rng.integers(0, 3, 15), rng.integers(0, 4, 15)]).astype(float)
    X[rng.random(X.shape) < 0.4] = NAN
    n_outputs = 1 + seed % 3
    model = (CartClassifier if n_outputs > 1 else learners.CartRegressor)(categorical_features=[2])
    assert_every_split_scores_as_all_cells(planted(model, X, random_tree(rng, n_outputs)), X, BOXES["everything"])


def test_the_sampled_tree_comes_to_the_exact_one():
    forest = learners.RandomForestClassifier(n_estimators=15, random_state=0).fit(IRIS, SPECIES)
    exact = ApproximationClassifier(forest, max_depth=2, method="exact").fit(IRIS)
    sampled = ApproximationClassifier(forest, max_depth=2, max_samples=200_000, random_state=0).fit(IRIS)
    tree, other = exact.tree_, sampled.tree_
    check_tree(tree)
    assert tree.feature.tolist() == other.feature.tolist()
    assert tree.threshold[:2] == pytest.approx(other.threshold[:2], abs=0.06)
    inner = tree.feature != LEAF
    assert tree.value[inner] == pytest.approx(other.value[inner], abs=0.02)
    assert exact.considered_.decided[inner].all()
    assert (exact.considered_.n_samples == 0).all()
    assert (exact.considered_.gap[inner] > 0).all()


def test_chance_and_threads_do_not_matter():
    X, y = mixed(150)
    forest = forest_of(X, y)
    trees = [
        ApproximationClassifier(forest, method="exact", random_state=seed, n_jobs=jobs, **KINDS).fit(X).tree_
        for seed, jobs in ((0, 1), (1, 2))
    ]
    assert are_same(*trees)


@pytest.mark.parametrize("tree", [CartClassifier(max_depth=2), learners.CartRegressor(max_depth=2)])
def test_one_tree_is_a_forest_and_is_found_again(tree):
    tree.fit(IRIS, SPECIES)
    kind = ApproximationRegressor if isinstance(tree, learners.CartRegressor) else ApproximationClassifier
    learner = kind(tree, max_depth=2, method="exact").fit(IRIS)
    inner = tree.tree_.feature != LEAF
    assert learner.tree_.feature.tolist() == tree.tree_.feature.tolist()
    assert learner.tree_.threshold[inner].tolist() == tree.tree_.threshold[inner].tolist()
    assert learner.tree_.value == pytest.approx(tree.tree_.value, abs=1e-6) or not inner.all()


def test_two_columns_that_are_one_are_a_tie():
    X = np.repeat(np.linspace(0, 1, 9)[:, None], 2, axis=1)
    model = CartClassifier().fit(X[:, :1], X[:, 0] > 0.5)
    tree = model.tree_
    swapped = tree._replace(feature=np.where(tree.feature == 0, np.int32(1), np.int32(-1)))
    both = learners.RandomForestClassifier(n_estimators=2, max_depth=1).fit(X, X[:, 0] > 0.5)
    both.forest_ = both.forest_._replace(trees=(tree, swapped))
    both._assemble([tree, swapped], both._training_data(X, X[:, 0] > 0.5, None))
    considered = ApproximationClassifier(both, max_depth=1, method="exact").fit(X).considered_
    assert not considered.decided[0]
    assert considered.runners.feature[:2].tolist() == [0, 1]
    assert considered.gap[0] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("model", [LogisticRegression(max_iter=999), learners.CultivatedClassifier(max_depth=2)])
def test_what_has_no_boxes_is_refused_with_words(model):
    with pytest.raises(ValueError, match="take method='sampled'"):
        ApproximationClassifier(model, method="exact").fit(IRIS, SPECIES)


def test_stopping_leaves_a_smaller_tree():
    progress = Progress()
    forest = learners.RandomForestClassifier(n_estimators=5, random_state=0).fit(IRIS, SPECIES)
    says, n_asked = forest.predict_proba, []

    def until_all_is_asked(X):
        n_asked.append(len(X))
        if sum(n_asked) >= len(np.unique(IRIS, axis=0)):
            progress.stop()
        return says(X)

    forest.predict_proba = until_all_is_asked
    learner = ApproximationClassifier(forest, method="exact").fit(IRIS, progress=progress)
    assert learner.tree_.n_nodes == 1
    assert gini(learner.tree_.value, np.array([True])) == pytest.approx(learner.tree_.impurity[0])
