"""Zhou & Hooker (2016), section 4.1: the simulation, and what its figures say of it."""

import numpy as np
import pytest

from espalier.data.samples.redrawn import five_covariate_logit
from espalier.learners import ApproximationClassifier, RandomForestClassifier

WIDTH = [0.05] * 5  # the kernel of the authors' scripts; the paper does not state it


def simulated(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 5))
    return X, (rng.random(n) < 1 / (1 + np.exp(-five_covariate_logit(X)))).astype(int)


@pytest.fixture(scope="module")
def forest():
    return RandomForestClassifier(n_estimators=100, random_state=0).fit(*simulated(1000, 1))


def test_the_log_odds_are_those_of_the_table():
    rows = [
        (0.6, 0.8, 0, 0, 0), (0.6, 0.7, 0, 0, 0), (0.6, 0.2, 0, 0, 0), (0.5, 0, 0.4, 1, 0.5),
        (0.5, 0, 0.25, 0.5, 0.5), (0.5, 0, 0.24, 0.5, 0.5), (0.5, 0, 0, 0, 0.6),
    ]  # fmt: skip
    assert five_covariate_logit(np.array(rows)).tolist() == [2, -3, -4, 3, 2, -2, 2]


@pytest.mark.parametrize("parameters", [{"max_samples": 20_000}, {"method": "exact"}])
def test_the_tree_of_five_layers_agrees_with_the_forest_on_95_percent(forest, parameters):
    X, _ = simulated(1000, 1)
    tree = ApproximationClassifier(forest, max_depth=4, bandwidth=WIDTH, random_state=0, **parameters).fit(X)
    fresh, _ = simulated(10_000, 2)
    assert (tree.predict(fresh) == forest.predict(fresh)).mean() > 0.95
    assert np.abs(tree.predict_proba(fresh) - forest.predict_proba(fresh))[:, 1].mean() < 0.1


def test_the_first_layers_find_the_thresholds_of_the_simulation(forest):
    X, _ = simulated(1000, 1)
    tree = ApproximationClassifier(forest, max_depth=2, bandwidth=WIDTH, method="exact").fit(X).tree_
    assert tree.feature[0] == 0
    assert tree.threshold[0] == pytest.approx(0.5, abs=0.02)
    assert tree.feature[tree.right[0]] == 1
    assert tree.threshold[tree.right[0]] == pytest.approx(0.7, abs=0.02)


def test_the_trees_of_other_pseudo_samples_have_the_same_first_splits(forest):
    X, _ = simulated(1000, 1)
    roots = [
        ApproximationClassifier(forest, max_depth=2, bandwidth=WIDTH, random_state=seed).fit(X).tree_
        for seed in range(3)
    ]
    assert len({tuple(tree.feature.tolist()) for tree in roots}) == 1
    assert np.ptp([tree.threshold[0] for tree in roots]) < 0.05
