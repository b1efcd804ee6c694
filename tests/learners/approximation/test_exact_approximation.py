"""The tree that sampling without end would give: integrals against all cells written out, and against samples."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from espalier import learners
from espalier.kernels.approximation.density import ALL_CODES, make_region
from espalier.learners import ApproximationClassifier, ApproximationRegressor, CartClassifier
from espalier.learners.approximation.grow import integral_of
from espalier.learners.approximation.split_test import candidates_of
from espalier.progress import Progress
from espalier.tree_checks import check_tree
from espalier.trees import LEAF, make_tree
from tests.tools.naive.approximation import all_pseudo_samples, gini
from tests.tools.same_trees import are_same

NAN, INF = np.nan, np.inf
IRIS, SPECIES = (np.asarray(a) for a in load_iris(return_X_y=True))
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
