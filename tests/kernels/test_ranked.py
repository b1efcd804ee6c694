"""A forest by ranks says what it says by values, on thresholds too."""

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

from core.kernels.ranked import make_ranked, rank_of, slots_of, sum_ranked
from core.learners import CartClassifier, RandomForestClassifier
from core.trees import make_forest

X, y = (np.asarray(a) for a in load_iris(return_X_y=True))


@pytest.mark.parametrize("parameters", [{}, {"max_depth": 1}, {"n_estimators": 1, "max_features": None}])
def test_the_sum_over_the_trees_is_that_of_the_forest(parameters):
    forest = RandomForestClassifier(**{"n_estimators": 12, "random_state": 0, **parameters}).fit(X, y)
    trees: Any = forest.forest_.trees
    ranked = make_ranked(forest.forest_, [tree.value for tree in trees])
    assert ranked is not None
    rng = np.random.default_rng(0)
    on = np.concatenate([tree.threshold[tree.feature >= 0] for tree in trees])  # a value on a threshold goes left
    for rows in (X, rng.uniform(-1, 9, (1001, 4)), rng.choice(on, (300, 4)), X[:1], np.full((3, 4), 1e300)):
        said = np.zeros((len(rows), 3))
        sum_ranked(ranked, np.ascontiguousarray(rows), said)
        np.testing.assert_allclose(said, forest.predict_proba(rows), atol=1e-12)


def test_ranks_count_the_thresholds_that_are_less():
    rng = np.random.default_rng(1)
    for thresholds in (np.sort(rng.normal(size=500)), np.array([3.0]), np.array([0, 1e-300, 1e300]), np.empty(0)):
        slots, scale = slots_of([thresholds])
        for value in [*thresholds, *rng.normal(size=50), -1e308, 1e308]:
            assert rank_of(value, thresholds, slots[0], *scale[0]) == np.searchsorted(thresholds, value)
    endless = np.array([1.0, 2.0, np.inf])
    slots, scale = slots_of([endless])
    assert [rank_of(v, endless, slots[0], *scale[0]) for v in (0.0, 1.5, 9.0)] == [0, 1, 2]


def test_categories_and_gaps_have_no_ranks_and_a_lone_root_has():
    codes = CartClassifier(categorical_features=[0]).fit(np.arange(9.0)[:, None] % 3, np.arange(9) % 3 == 1)
    gaps = CartClassifier().fit(np.array([[0.0], [0], [np.nan]]), [0, 0, 1])
    for tree in (codes.tree_, gaps.tree_):
        assert make_ranked(make_forest((tree,), [1], False, []), [tree.value]) is None
    root = CartClassifier().fit(X[:50], y[:50]).tree_
    said = np.zeros((2, 1))
    ranked = make_ranked(make_forest((root,), [1], False, []), [root.value])
    assert ranked is not None
    sum_ranked(ranked, X[:2].copy(), said)
    assert said.tolist() == [[1], [1]]
