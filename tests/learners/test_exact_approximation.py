"""The tree that sampling without end would give: integrals against all cells written out, and against samples."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression

from core.kernels.approximate_draw import ALL_CODES, make_region
from core.learners import (
    ApproximationClassifier,
    ApproximationRegressor,
    BoostedForestClassifier,
    CartClassifier,
    CartRegressor,
    CultivatedClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from core.learners.approximation.exact import integral_of
from core.learners.approximation.oracle import coding_of_classes
from core.learners.approximation.prospective import prospects_of
from core.trees import LEAF, check_tree
from tests.naive_approximation import all_pseudo_samples, gini

NAN, INF = np.nan, np.inf
IRIS, SPECIES = (np.asarray(a) for a in load_iris(return_X_y=True))
PATIENTS, PROGRESS = (np.asarray(a) for a in load_diabetes(return_X_y=True))
KINDS: dict[str, Any] = {"categorical_features": [2], "discrete_features": [1], "jump": 0.3, "bandwidth": 0.2}


def mixed(n=40):
    """A smooth column, one of levels, one of categories, with gaps; and three classes that depend on all."""
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.random(n), rng.integers(0, 3, n), rng.integers(0, 4, n)]).astype(float)
    y = (X[:, 0] > 0.5).astype(int) + (X[:, 1] + X[:, 2] > 2)
    X[rng.random(X.shape) < 0.1] = NAN
    return X, y


def forest_of(X, y, **parameters):
    return RandomForestClassifier(n_estimators=4, max_depth=4, categorical_features=[2], random_state=0,
                                  **parameters).fit(X, y)  # fmt: skip


BOXES = {
    "everything": ((-INF, -INF, -INF), (INF, INF, INF), ALL_CODES),
    "a part": ((0.3, 0.5, -INF), (0.8, INF, INF), np.uint64(0b0111)),
}


@pytest.mark.parametrize("voting", ["average", "majority"])
@pytest.mark.parametrize("box", BOXES)
def test_every_split_scores_what_all_cells_together_say(box, voting):
    X, y = mixed()
    forest = forest_of(X, y, voting=voting)
    low, high, allowed = BOXES[box]
    bounds = np.array(low), np.array(high), np.array([ALL_CODES, ALL_CODES, allowed])
    inside = (np.isnan(X) | ((low < X) & (high >= X))).all(axis=1) & ~((X[:, 2] == 3) & (allowed != ALL_CODES))
    centres = X[inside]
    learner = ApproximationClassifier(forest, max_depth=1, method="exact", **KINDS).fit(X)
    smoothing, coding = learner.smoothing_, coding_of_classes(3)
    labels = coding.coded(forest.predict_proba(centres))
    prospects = prospects_of(centres, np.column_stack([np.ones(len(centres)), labels]), learner._categorical(X))
    ones = np.ones(len(centres))
    with ThreadPoolExecutor(1) as pool:
        integral = integral_of(forest, smoothing, coding, (pool, np.zeros(2, np.int64)))
        outcome = integral.outcome(prospects, make_region(smoothing, centres, ones, bounds))
    trees: Any = forest.forest_.trees
    cuts = [
        {*prospects.threshold[np.repeat(prospects.feature, np.diff(prospects.start)) == j],
         *(t for tree in trees for t in tree.threshold[tree.feature == j] if not np.isnan(t))}
        for j in range(3)
    ]  # fmt: skip
    rows, chance = all_pseudo_samples(smoothing, bounds, centres, cuts)
    Y = forest.predict_proba(rows)
    assert outcome.split is not None
    before = 1 - ((chance @ Y) ** 2).sum()
    for feature, threshold, categories, missing_left, decrease, _ in outcome.runners:
        value = rows[:, feature]
        left = value <= threshold
        if np.isnan(threshold):
            left = categories >> np.nan_to_num(value).astype(int) & 1 == 1
        left = np.where(np.isnan(value), missing_left, left)
        after = 1 - sum(chance[s].sum() * ((chance[s] @ Y[s] / chance[s].sum()) ** 2).sum() for s in (left, ~left))
        assert decrease == pytest.approx(before - after, abs=1e-9)
    assert coding.plain(outcome.sums[0, 1:3]) == pytest.approx(chance @ Y, abs=1e-9)


def test_the_sampled_tree_comes_to_the_exact_one():
    forest = RandomForestClassifier(n_estimators=15, random_state=0).fit(IRIS, SPECIES)
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
    for a, b in zip(*trees, strict=True):
        assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def test_numbers_are_integrated_too():
    forest = RandomForestRegressor(n_estimators=10, max_depth=5, random_state=0).fit(PATIENTS, PROGRESS)
    exact = ApproximationRegressor(forest, max_depth=2, method="exact").fit(PATIENTS)
    sampled = ApproximationRegressor(forest, max_depth=2, max_samples=50_000, random_state=0).fit(PATIENTS)
    assert exact.tree_.feature[0] == sampled.tree_.feature[0]
    assert exact.tree_.value[0, 0] == pytest.approx(sampled.tree_.value[0, 0], rel=0.02)
    assert exact.tree_.impurity[0] == pytest.approx(sampled.tree_.impurity[0], rel=0.3)
    mine = exact.considered_.runners.decrease[0]
    assert mine == pytest.approx(sampled.considered_.runners.decrease[0], rel=0.1)


@pytest.mark.parametrize("tree", [CartClassifier(max_depth=2), CartRegressor(max_depth=2)])
def test_one_tree_is_a_forest_and_is_found_again(tree):
    tree.fit(IRIS, SPECIES)
    kind = ApproximationRegressor if isinstance(tree, CartRegressor) else ApproximationClassifier
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
    both = RandomForestClassifier(n_estimators=2, max_depth=1).fit(X, X[:, 0] > 0.5)
    both.forest_ = both.forest_._replace(trees=(tree, swapped))
    both._assemble([tree, swapped], both._used(X, X[:, 0] > 0.5, None))
    considered = ApproximationClassifier(both, max_depth=1, method="exact").fit(X).considered_
    assert not considered.decided[0]
    assert considered.runners.feature[:2].tolist() == [0, 1]
    assert considered.gap[0] == pytest.approx(0, abs=1e-12)


def test_boosted_forests_are_weighed():
    forest = BoostedForestClassifier(CartClassifier(max_depth=2), n_estimators=5, random_state=0).fit(
        IRIS, SPECIES
    )
    exact = ApproximationClassifier(forest, max_depth=1, method="exact").fit(IRIS)
    rows = ApproximationClassifier(forest, max_depth=1, max_samples=40_000, initial_samples=40_000).fit(IRIS)
    assert exact.tree_.value[0] == pytest.approx(rows.tree_.value[0], abs=0.02)


@pytest.mark.parametrize("model", [LogisticRegression(max_iter=999), CultivatedClassifier(max_depth=2)])
def test_what_has_no_boxes_is_refused_with_words(model):
    with pytest.raises(ValueError, match="take method='sampled'"):
        ApproximationClassifier(model, method="exact").fit(IRIS, SPECIES)


def test_stopping_leaves_a_smaller_tree():
    signals = np.array([0, 1])
    forest = RandomForestClassifier(n_estimators=5, random_state=0).fit(IRIS, SPECIES)
    learner = ApproximationClassifier(forest, method="exact").fit(IRIS, signals=signals)
    assert learner.tree_.n_nodes == 1
    assert gini(learner.tree_.value, np.array([True])) == pytest.approx(learner.tree_.impurity[0])
