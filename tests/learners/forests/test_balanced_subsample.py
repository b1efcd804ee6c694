"""class_weight="balanced_subsample": classes weigh the same in what each tree of a forest has drawn."""

import numpy as np
import pytest
from sklearn.utils import compute_sample_weight

from espalier.data import samples
from espalier.learners import CartClassifier, RandomForestClassifier

IRIS = samples.load("iris")
IMBALANCED = IRIS.X[:110], IRIS.y[:110].astype(int)


@pytest.mark.parametrize("more", [{}, {"max_samples": 0.5}, {"criterion": "entropy", "max_leaf_nodes": 8}])
def test_balanced_subsample_weighs_classes_by_what_each_tree_has_drawn(more):
    """As scikit-learn defines it: its own weights of the rows drawn grow the same tree alone."""
    X, y = IMBALANCED
    forest = RandomForestClassifier(
        n_estimators=4, class_weight="balanced_subsample", max_features=None, random_state=1, **more
    ).fit(X, y)
    alone = CartClassifier(**{name: value for name, value in more.items() if name != "max_samples"})
    for rows, tree in zip(forest.estimators_samples_, forest.forest_.trees, strict=True):
        weight = compute_sample_weight("balanced", y, indices=rows)[rows]
        assert tree.value[0] == pytest.approx(1 / len(np.unique(y[rows])))
        own = alone.fit(X[rows], y[rows], sample_weight=weight).tree_
        assert tree.feature.tolist() == own.feature.tolist()
        assert tree.value == pytest.approx(own.value)
        assert tree.weight == pytest.approx(own.weight)


def test_without_bootstrap_balanced_subsample_is_balanced():
    X, y = IMBALANCED
    one, other = (
        RandomForestClassifier(n_estimators=3, bootstrap=False, class_weight=name, random_state=1).fit(X, y)
        for name in ("balanced_subsample", "balanced")
    )
    assert np.array_equal(one.predict_proba(X), other.predict_proba(X))


def test_balanced_subsample_is_the_same_for_any_number_of_threads_and_its_trees_have_parameters_of_their_own():
    X, y = IMBALANCED
    one, two = (
        RandomForestClassifier(n_estimators=6, class_weight="balanced_subsample", random_state=1, n_jobs=n).fit(
            X, y
        )
        for n in (1, 2)
    )
    assert np.array_equal(one.predict_proba(X), two.predict_proba(X))
    assert one.estimators_[0].fit(X, y).n_classes_ == 3
