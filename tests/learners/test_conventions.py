"""What scikit-learn's trees and forests have is here under the same names: compared on trees without ties."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import RandomForestClassifier as TheirForest
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from espalier.learners import (
    ApproximationClassifier,
    BaggedForestClassifier,
    CartClassifier,
    CartRegressor,
    CultivatedClassifier,
    CultivatedForestClassifier,
    OptimalClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from espalier.trees import is_leaf, parents

X, Y = (
    np.asarray(a)
    for a in make_classification(200, 6, n_informative=4, n_classes=3, class_sep=0.5, flip_y=0.2, random_state=0)
)
NUMBERS = np.asarray(make_regression(200, 6, noise=20.0, random_state=1)[1])
WEIGHT = np.random.default_rng(0).random(200) + 0.5
SMALL: Any = {"max_depth": 4, "min_samples_leaf": 8, "random_state": 0}  # no two splits of a node are equally good
PAIRS = {
    "gini": (CartClassifier(**SMALL), DecisionTreeClassifier(**SMALL), Y),
    "entropy": (
        CartClassifier(criterion="entropy", **SMALL),
        DecisionTreeClassifier(criterion="entropy", **SMALL),
        Y,
    ),
    "squared error": (CartRegressor(**SMALL), DecisionTreeRegressor(**SMALL), NUMBERS),
}


@pytest.fixture(params=PAIRS)
def pair(request):
    """Our tree and theirs, fitted alike, and what they were fitted to."""
    ours, theirs, y = PAIRS[request.param]
    return ours.fit(X, y, sample_weight=WEIGHT), theirs.fit(X, y, sample_weight=WEIGHT), y


def test_a_tree_has_the_numbers_of_scikit_learns(pair):
    ours, theirs, _ = pair
    for name in ("children_left", "children_right", "n_node_samples", "weighted_n_node_samples", "impurity"):
        assert getattr(ours.tree_, name) == pytest.approx(getattr(theirs.tree_, name)), name
    for name in ("node_count", "max_depth", "n_leaves"):
        assert getattr(ours.tree_, name) == getattr(theirs.tree_, name)
    assert (ours.get_depth(), ours.get_n_leaves()) == (theirs.get_depth(), theirs.get_n_leaves())


def test_importances_and_paths_are_scikit_learns(pair):
    ours, theirs, _ = pair
    assert ours.feature_importances_ == pytest.approx(theirs.feature_importances_)
    assert np.array_equal(ours.apply(X), theirs.apply(X))
    mine, other = ours.decision_path(X), theirs.decision_path(X)
    assert sparse.issparse(mine)
    assert (mine.format, mine.dtype) == ("csr", other.dtype)
    assert (mine != other).nnz == 0


def test_the_pruning_path_is_scikit_learns(pair):
    ours, theirs, y = pair
    mine = ours.cost_complexity_pruning_path(X, y, sample_weight=WEIGHT)
    other = theirs.cost_complexity_pruning_path(X, y, sample_weight=WEIGHT)
    assert mine.ccp_alphas == pytest.approx(other.ccp_alphas)
    assert mine.impurities == pytest.approx(other.impurities)
    pruned = type(ours)(ccp_alpha=mine.ccp_alphas[-1] * 1.01, **SMALL).fit(X, y)
    assert pruned.cost_complexity_pruning_path(X, y).ccp_alphas[0] == 0  # of the tree before it is pruned


@pytest.mark.parametrize(
    "model",
    [
        CartClassifier(max_depth=2),
        CultivatedClassifier(max_depth=2),
        OptimalClassifier(max_depth=2),
        RandomForestClassifier(n_estimators=3, random_state=0),
    ],
)
def test_log_shares_are_the_logarithms_of_the_shares(model):
    model.fit(X, Y)
    assert np.exp(model.predict_log_proba(X)) == pytest.approx(model.predict_proba(X))


def test_the_logarithm_of_no_share_is_minus_infinity_without_a_warning():
    pure = CartClassifier().fit([[0], [1]], [0, 1])
    assert pure.predict_log_proba([[0]]).tolist() == [[0, -np.inf]]


# Forests


@pytest.mark.parametrize(
    "forest", [RandomForestClassifier(n_estimators=5, random_state=0), BaggedForestClassifier(n_estimators=3)]
)
def test_a_forest_has_the_leaves_paths_and_importances_of_its_trees(forest):
    forest.fit(X, Y)
    paths, start = forest.decision_path(X)
    leaves, trees = forest.apply(X), forest.forest_.trees
    assert paths.shape == (200, sum(tree.n_nodes for tree in trees)) == (200, start[-1])
    for number, tree in enumerate(trees):
        own = paths[:, start[number] : start[number + 1]].toarray()
        assert (own[np.arange(200), leaves[:, number]] == 1).all()
        assert (own[:, is_leaf(tree)].sum(axis=1) == 1).all()
        child = np.arange(1, tree.n_nodes)
        assert (own[:, child] <= own[:, parents(tree)[child]]).all()
    assert forest.feature_importances_.sum() == pytest.approx(1)


def test_importances_of_a_forest_are_the_mean_of_its_trees_as_in_scikit_learn():
    ours = RandomForestClassifier(n_estimators=5, random_state=0, max_depth=3).fit(X, Y)
    theirs = TheirForest(n_estimators=5, random_state=0, max_depth=3).fit(X, Y)
    mean = np.mean([one.feature_importances_ for one in ours.estimators_], axis=0)
    assert ours.feature_importances_ == pytest.approx(mean / mean.sum())
    their_mean = np.mean([one.feature_importances_ for one in theirs.estimators_], axis=0)
    assert theirs.feature_importances_ == pytest.approx(their_mean / their_mean.sum())


@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor])
def test_the_trees_of_a_random_forest_are_estimators(kind):
    forest = kind(n_estimators=4, max_depth=3, random_state=0).fit(X, Y)
    trees = forest.estimators_
    assert [one.get_depth() for one in trees] == [tree.depth for tree in forest.forest_.trees]
    says = "predict_proba" if kind is RandomForestClassifier else "predict"
    mean = np.mean([getattr(one, says)(X) for one in trees], axis=0)
    assert getattr(forest, says)(X) == pytest.approx(mean)


# What there is not


def test_what_a_model_has_no_meaning_for_it_has_not():
    cultivated = CultivatedClassifier(max_depth=3).fit(X, Y)
    assert not any(hasattr(cultivated, n) for n in ("apply", "decision_path", "cost_complexity_pruning_path"))
    assert cultivated.get_n_leaves() == cultivated.tree_.n_leaves
    assert cultivated.feature_importances_.sum() == pytest.approx(1)
    forests = (
        RandomForestClassifier(n_estimators=2),
        CultivatedForestClassifier(n_estimators=2),
        BaggedForestClassifier(CultivatedClassifier(max_depth=2), n_estimators=2),
    )
    for forest in forests:
        forest.fit(X, Y)
        one_tree = ("get_depth", "get_n_leaves", "cost_complexity_pruning_path")
        assert not any(hasattr(forest, name) for name in one_tree)
        assert hasattr(forest, "apply") == hasattr(forest, "decision_path") == (forest is forests[0])
        assert forest.feature_importances_.sum() == pytest.approx(1)
    with pytest.raises(AttributeError, match="apply"):
        forests[1].apply(X)
    assert not hasattr(CultivatedForestClassifier(), "apply")


@pytest.mark.parametrize(
    "model", [OptimalClassifier(max_depth=2), ApproximationClassifier(CartClassifier(), max_depth=2)]
)
def test_optimal_trees_and_approximations_have_what_trees_have(model):
    with pytest.raises(NotFittedError):
        model.get_depth()
    model.fit(X, Y)
    assert (model.get_depth(), model.get_n_leaves()) == (model.tree_.depth, model.tree_.n_leaves)
    assert model.decision_path(X).sum(axis=1).max() == model.tree_.depth + 1
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert (model.feature_importances_ >= 0).all()


def test_a_tree_without_splits_gives_no_feature_importance():
    for model in (CartClassifier(), RandomForestClassifier(n_estimators=2)):
        assert model.fit(X, np.zeros(200, int)).feature_importances_.tolist() == [0] * 6
